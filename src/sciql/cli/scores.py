"""Scores as people read them: ours, and the paper's beside them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sciql.cli.command import table

if TYPE_CHECKING:
    from rich.table import Table

    from sciql.evaluation import Evaluation
    from sciql.metrics import Summary
    from sciql.paper import Metric


def style_table(evaluation: "Evaluation", title: str, dataset: str | None) -> "Table":
    """A row a style that was asked for, and their mean."""
    rows = [(score.style, points(score.alignment), points(score.task)) for score in evaluation.scores()]
    rows.append(("[bold]mean[/]", points(evaluation.style), points(evaluation.task)))
    style, task = printed_points(evaluation, dataset, "style"), printed_points(evaluation, dataset, "task")
    if style or task:
        rows.append(("[dim]paper, over seeds[/]", style, task))
    return table(title, ("asked for", "style alignment", "task"), rows)


def method_table(evaluations: "Sequence[tuple[str, Evaluation]]", title: str, dataset: str) -> "Table":
    """A row a method: its scores, and what the paper prints."""
    rows = [
        (
            name,
            points(evaluation.style),
            printed_points(evaluation, dataset, "style"),
            points(evaluation.task),
            printed_points(evaluation, dataset, "task"),
        )
        for name, evaluation in evaluations
    ]
    return table(title, ("method", "style, ours", "style, paper", "task, ours", "task, paper"), rows)


def points(score: "Summary | None") -> str:
    """A mean and its deviation."""
    return "-" if score is None else f"{score.mean:.1f} ± {score.std:.1f}"


def printed_points(evaluation: "Evaluation", dataset: str | None, metric: "Metric") -> str:
    """What the paper prints for the same method, criterion and dataset, if it does."""
    from sciql.paper import figure_of

    if dataset is None or evaluation.criterion is None:
        return ""
    found = figure_of(dataset, evaluation.criterion.name, evaluation.method, metric)
    return "" if found is None else str(found)
