"""One score for each of many ways, as bars below each other, with a dot for each criterion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sciql.benchmark.scores import Value
from sciql.plots.house import LIGHT, Theme, canvas, heading

MARKERS = "osD^vPX*"


@dataclass(frozen=True)
class Panel:
    """A dataset."""

    title: str
    means: tuple[Value | None, ...]
    """A row each."""
    parts: tuple[tuple[str, tuple[Value | None, ...]], ...]
    """What the means are of: a name and its rows."""


def rows(panels: Sequence[Panel], names: Sequence[str], title: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """The first row is what the others are compared with; what they lose or gain stands at the right."""
    columns = max(1, min(columns // 2, len(panels)))
    lines = -(-len(panels) // columns)
    with canvas(theme, 1.6 + 3.4 * columns, (0.27 * len(names) + 0.5) * lines + 1.1) as drawn:
        grid = np.ravel(drawn.subplots(lines, columns, sharey=True, squeeze=False))
        for axes, panel in zip(grid, panels, strict=False):
            _rows(axes, panel, theme)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        grid[0].set_yticks(range(len(names)), names)
        grid[0].invert_yaxis()
        longest = max(panels, key=lambda panel: len(panel.parts))
        keys = [
            Line2D([], [], color=theme.ink, alpha=0.7, marker=marker, markersize=3.5, linestyle="", label=name)
            for (name, _), marker in zip(longest.parts, MARKERS, strict=False)
        ]
        drawn.legend(handles=keys, loc="outside lower left", ncols=min(len(keys), 3 * columns))
        heading(drawn, title, theme)
    return drawn


def _rows(axes: Axes, panel: Panel, theme: Theme) -> None:
    first = panel.means[0]
    for place, value in enumerate(panel.means):
        if value is None:
            continue
        axes.barh(place, value.mean, height=0.66, color=theme.styles[0] if place == 0 else theme.styles[4])
        change = f" ({value.mean - first.mean:+.1f})" if first is not None and place else ""
        axes.text(103, place, f"{value.mean:.1f}{change}", va="center", fontsize=7.5, color=theme.ink)
        for (_, scores), marker in zip(panel.parts, MARKERS, strict=False):
            if (score := scores[place]) is not None:
                axes.plot(score.mean, place, marker, color=theme.ink, markersize=3, alpha=0.7, linestyle="")
    axes.set(xlim=(0, 100), xlabel="style alignment")
    # The figures at the right need room that the axes do not have.
    axes.set_title(panel.title)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
