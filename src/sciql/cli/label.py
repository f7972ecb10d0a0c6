"""`sciql label`: what a criterion says about a dataset, before anybody trains on it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from sciql.cli.command import Command, picture_path, print_json, stdout, table
from sciql.cli.words import CriterionWord, DatasetWord

if TYPE_CHECKING:
    from rich.table import Table

    from sciql.criteria import Criterion, LabelReport
    from sciql.episodes import Episodes

BAR = 28  # characters that stand for 100 %


@dataclass(frozen=True, kw_only=True)
class Label(Command):
    """Shares of the styles in a dataset, how they differ between episodes, and how often labels flicker."""

    dataset: DatasetWord
    criterion: CriterionWord = None
    """A criterion's name, such as position; without it, all that the dataset has the signals for."""
    noise: float = 0.0
    """Share of the labels to replace by wrong ones."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Draw the histogram into this file, .png or .svg, too."""

    def run(self) -> int:
        from sciql.criteria import criterion, label_report
        from sciql.datasets import load_dataset

        out = None if self.out is None else picture_path(self.out)
        chosen = None if self.criterion is None else criterion(self.criterion, noise=self.noise)
        episodes = load_dataset(self.dataset)
        criteria = _fitting(episodes, self.noise) if chosen is None else [chosen]
        reports = [label_report(one, episodes) for one in criteria]
        if out is not None:
            from sciql.plots import histograms, save

            save(histograms(criteria, reports), out.with_suffix(""), [out.suffix[1:]])
        if self.json:
            written = None if out is None else str(out)
            print_json({"dataset": episodes.name, "criteria": [asdict(one) for one in reports], "picture": written})
            return 0
        for report in reports:
            stdout().print(_histogram(report))
        if out is not None:
            stdout().print(f"picture: {out}")
        if chosen is not None:
            stdout().print(f"next: sciql train sciql_style {self.dataset} {self.criterion}")
        return 0


def _fitting(episodes: "Episodes", noise: float) -> "Sequence[Criterion]":
    """The criteria whose signals the data has."""
    from sciql.criteria import CRITERIA, criterion
    from sciql.errors import SciqlError

    known = [criterion(name, noise=noise) for name in CRITERIA]
    fitting = [one for one in known if set(one.signals) <= set(episodes.signals)]
    if not fitting:
        signals = ", ".join(episodes.signals) or "none"
        raise SciqlError(f"no criterion reads the signals of {episodes.name} alone ({signals}); name one to see why")
    return fitting


def _histogram(report: "LabelReport") -> "Table":
    from rich.bar import Bar

    title = (
        f"{report.criterion} in {report.dataset}: {report.episodes:,} episodes, {report.steps:,} steps\n"
        f"[not bold]flicker {100 * report.flicker:.2f} %, a label lasts {report.mean_run:.1f} steps[/]"
    )
    shown = table(title, ("style", "share of steps", "%", "per episode"), [])
    shown.columns[1].justify = "left"
    for style in report.styles:
        shown.add_row(
            style.style if style.promptable else f"[dim]{style.style} (cannot be asked for)[/]",
            Bar(1.0, 0.0, style.share, width=BAR, color="cyan" if style.promptable else "bright_black"),
            f"{100 * style.share:.1f}",
            f"{100 * style.episode_mean:.1f} ± {100 * style.episode_std:.1f}",
        )
    return shown
