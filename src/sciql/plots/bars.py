"""Our scores as bars, and what the paper prints beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sciql.metrics import Summary
from sciql.paper import Figure as Printed
from sciql.plots.house import LIGHT, Theme, canvas, heading

THICK = 0.36  # of the room of a row


@dataclass(frozen=True)
class Row:
    """One method's scores."""

    name: str
    style: Summary
    task: Summary
    paper_style: Printed | None
    paper_task: Printed | None


def bars(rows: Sequence[Row], title: str, theme: Theme = LIGHT, *, stacked: bool = False) -> Figure:
    """Alignment and task of each method, ours above the paper's, with standard deviations."""
    height, width = (2, 1) if stacked else (1, 2)
    with canvas(theme, 3.9 * width, (0.55 * len(rows) + 0.5) * height + 0.8) as figure:
        style, task = figure.subplots(height, width, sharey=True, squeeze=False).flat
        _panel(style, [(row.style, row.paper_style) for row in rows], theme)
        _panel(task, [(row.task, row.paper_task) for row in rows], theme)
        style.set_title("style alignment", fontweight="bold")
        task.set_title("task", fontweight="bold")
        style.set_yticks(range(len(rows)), [row.name for row in rows])
        style.invert_yaxis()
        keys = [
            Patch(color=theme.styles[0], label="ours ± deviation over episodes"),
            Patch(color=theme.styles[-1], label="paper ± deviation over seeds"),
        ]
        figure.legend(handles=keys, loc="outside lower left", ncols=width)
        heading(figure, title, theme)
    return figure


def _panel(axes: Axes, pairs: Sequence[tuple[Summary, Printed | None]], theme: Theme) -> None:
    for place, (ours, paper) in enumerate(pairs):
        _bar(axes, place - THICK / 2, ours, theme.styles[0], theme)
        if paper is None:
            axes.text(1.5, place + THICK / 2, "not in the paper", va="center", fontsize=7, color=theme.quiet)
        else:
            _bar(axes, place + THICK / 2, paper, theme.styles[-1], theme)
    axes.set(xlim=(0, 100))
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0, labelcolor=theme.ink, labelsize=9)


def _bar(axes: Axes, place: float, score: Summary | Printed, colour: str, theme: Theme) -> None:
    """One bar, its whisker, and its figure outside of the axes."""
    axes.barh(place, score.mean, height=THICK * 0.92, color=colour)
    whisker = [[min(score.std, score.mean)], [min(score.std, 100 - score.mean)]]
    axes.errorbar(score.mean, place, xerr=whisker, fmt="none", ecolor=theme.ink, elinewidth=0.9)
    axes.text(103, place, f"{score.mean:.1f}", va="center", fontsize=8, color=theme.ink)
