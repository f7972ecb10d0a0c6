"""Scores of the methods along something that grows: label noise, gradient steps, seconds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from sciql.plots.house import LIGHT, Theme, canvas, heading

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Line:
    """One method: where it was measured, the score there and its deviation over seeds."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...]
    colour: int
    """Of a theme's, the same in all panels."""


@dataclass(frozen=True)
class Panel:
    title: str
    lines: tuple[Line, ...]
    xlabel: str
    threshold: float | None = None
    """Where something changes by reason."""
    logarithmic: bool = False


def line_panels(panels: Sequence[Panel], title: str, note: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """A panel after the other, with one key for all."""
    columns = min(max(1, columns - 1), len(panels))
    rows = -(-len(panels) // columns)
    with canvas(theme, max(3.1 * columns, 4.4), 2.7 * rows + 1.3) as drawn:
        grid = np.ravel(drawn.subplots(rows, columns, sharey=True, squeeze=False))
        for axes, panel in zip(grid, panels, strict=False):
            _lines(axes, panel, theme)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[::columns]:
            axes.set_ylabel("style alignment")
        handles, names = grid[0].get_legend_handles_labels()
        drawn.legend(handles, names, loc="outside lower left", ncols=min(len(names), 6 if columns > 1 else 3))
        heading(drawn, title, theme, note)
    return drawn


def _lines(axes: Axes, panel: Panel, theme: Theme) -> None:
    for line in panel.lines:
        colour = theme.styles[line.colour % len(theme.styles)]
        y, spread = np.array(line.y), np.array(line.spread)
        axes.fill_between(line.x, y - spread, y + spread, color=colour, alpha=0.15, linewidth=0)
        marker = MARKERS[line.colour % len(MARKERS)]
        axes.plot(line.x, y, color=colour, marker=marker, markersize=4, label=line.name)
    if panel.threshold is not None:
        axes.axvline(panel.threshold, color=theme.quiet, linestyle=":", linewidth=1.2)
        axes.text(panel.threshold, 103, "1 - 1/n", ha="center", va="bottom", fontsize=7, color=theme.quiet)
    if panel.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set(ylim=(0, 103), xlabel=panel.xlabel)
    axes.set_title(panel.title, pad=12 if panel.threshold is not None else 6)
    axes.grid(axis="both")
