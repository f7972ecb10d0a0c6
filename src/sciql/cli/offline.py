"""`sciql evaluate --offline`: a policy judged by logs alone."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sciql.cli.command import print_json, stdout, table

if TYPE_CHECKING:
    from rich.table import Table

    from sciql.offline import OfflineEvaluation


def judge(
    trained: Path,
    criterion_name: str | None,
    criteria: Path | None,
    source: str | None,
    steps: int | None,
    seed: int,
    *,
    as_json: bool,
) -> int:
    """Judge by the run's own logs, of which some may have been held out, or by others that it never saw.

    What a policy file alone learnt from is not known, so that nothing is said to be held out from it.
    """
    from sciql.cli.runs import judged_on, open_run
    from sciql.datasets import load_dataset
    from sciql.errors import SciqlError

    if steps is not None and steps < 1:
        raise SciqlError(f"an estimate takes at least 1 step, not {steps}")
    opened = open_run(trained)
    chosen = judged_on(opened.policy, criterion_name, criteria)
    own = source is None or source == opened.dataset
    source = source or opened.dataset
    if source is None:
        raise SciqlError(f"{trained} does not say what it was trained on; name logs to judge it by with --dataset")
    episodes = load_dataset(source)
    # JAX is imported only now: mistakes in names are answered without waiting for it.
    from sciql.offline import ESTIMATES, evaluate_offline
    from sciql.progress import reporting

    settings = ESTIMATES if steps is None else replace(ESTIMATES, steps=steps)
    holdout = opened.holdout if own else 0.0
    unseen = opened.dataset is not None and not own
    with reporting() as report:
        judged = evaluate_offline(
            opened.policy,
            episodes,
            chosen,
            holdout=holdout,
            unseen=unseen,
            settings=settings,
            seed=seed,
            report=report,
        )
    _say(judged, opened.title, as_json=as_json)
    return 0


def _say(judged: "OfflineEvaluation", title: str, *, as_json: bool) -> None:
    """The scores on stdout, as one document or as a table with what is to be known about it."""
    if as_json:
        print_json(judged.document())
        return
    stdout().print(offline_table(judged, title))
    stdout().print("\n".join(_remarks(judged)), markup=False, soft_wrap=True)


def offline_table(judged: "OfflineEvaluation", title: str) -> "Table":
    """A row a style, and all together."""
    which = "held-out" if judged.held_out else "seen"
    reward = "task" if judged.points else "reward a step"
    columns = ("style", f"{which} steps", "log-likelihood", "agreement", "style, estimate", f"{reward}, estimate")
    rows = [
        (
            row.style,
            f"{row.steps:,}",
            _number(row.likelihood, 2),
            _number(row.agreement, 2),
            _number(row.alignment, 1),
            _number(row.task, 1 if judged.points else 3),
        )
        for row in judged.styles
    ]
    rows.append(
        (
            "[bold]all[/]",
            "",
            _number(judged.likelihood, 2),
            _number(judged.agreement, 2),
            _number(judged.alignment, 1),
            _number(judged.task, 1 if judged.points else 3),
        )
    )
    return table(f"{title}, by {judged.episodes} episodes of {judged.dataset} alone", columns, rows)


def _remarks(judged: "OfflineEvaluation") -> list[str]:
    ahead = round(1 / (1 - judged.discount))
    lines = [
        f"estimates are fitted-Q evaluations that look about {ahead} steps ahead; no environment was asked",
        "docs/evaluation.md says how far estimates can be trusted",
    ]
    if not judged.held_out:
        lines.append(
            "likelihood and agreement are about steps that the policy may have learnt from: train with --holdout 0.1"
        )
    return lines


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
