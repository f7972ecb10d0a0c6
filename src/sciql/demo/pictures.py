"""The pictures of a demo."""

from typing import TYPE_CHECKING

from sciql.criteria import label_report
from sciql.paper import figure_of as printed
from sciql.plots import Row, bars, curves, has_paths, histograms, matrix, paths
from sciql.plots.exhibits import NARROW, Exhibit
from sciql.plots.house import spoken

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.demo import Act, Result
    from sciql.episodes import Episodes


def exhibits(result: "Result", criterion: "Criterion", episodes: "Episodes") -> list[Exhibit]:
    """What a demo shows, in order."""
    report = label_report(criterion, episodes)
    rows = [_row(act, result) for act in result.acts]
    scores = Exhibit(
        "scores",
        "Beside the paper",
        f"Mean over all styles of {spoken(criterion.name)}; ours is one seed, the paper's are its own.",
        lambda theme, columns: bars(rows, result.title, theme, stacked=columns == NARROW),
        panels=True,
    )
    labels = Exhibit(
        "labels",
        "The data",
        "What the labelling function says about the data that both methods learnt from.",
        lambda theme, columns: histograms([criterion], [report], theme),
    )
    shown = [exhibit for act in result.acts for exhibit in _shown(act, criterion)]
    return [scores, *shown, labels, *(_learning(act) for act in result.acts if act.curve)]


def _row(act: "Act", result: "Result") -> Row:
    style = act.evaluation.style
    assert style is not None, "the demo always evaluates on a criterion"
    cell = (result.dataset, result.criterion, act.method)
    return Row(act.title, style, act.evaluation.task, printed(*cell, "style"), printed(*cell, "task"))


def _shown(act: "Act", criterion: "Criterion") -> list[Exhibit]:
    """What one method does when it is asked for each style."""
    title = f"{act.title}, asked for {spoken(criterion.name)}"
    maps = Exhibit(
        f"rollouts-{act.method}",
        act.title,
        "Five episodes for every style asked for, from the same starts for both methods.",
        lambda theme, columns: paths(act.evaluation, title, theme, columns),
        panels=True,
    )
    table = Exhibit(
        f"matrix-{act.method}",
        act.title,
        "A good policy draws a diagonal.",
        lambda theme, columns: matrix(act.evaluation, title, theme),
    )
    return [maps, table] if has_paths(act.evaluation) else [table]


def _learning(act: "Act") -> Exhibit:
    return Exhibit(
        f"learning-{act.method}",
        "How training went",
        "Every metric of every stage.",
        lambda theme, columns: curves(act.curve, f"Training {act.title}", theme, columns),
        panels=True,
    )
