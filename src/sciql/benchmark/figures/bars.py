"""Groups of bars: one number for each way to do the same thing, and the paper's as a mark across its bar."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sciql.benchmark.scores import Value
from sciql.paper import Figure as Printed
from sciql.plots.house import LIGHT, Theme, canvas, heading

ROOM = 0.8
"""Of the width between two groups."""
WIDE = 12
"""More bars need a row of their own."""


@dataclass(frozen=True)
class Group:
    """The bars of one place on the axis."""

    name: str
    ours: tuple[Value | None, ...]
    paper: tuple[Printed | None, ...] = ()


@dataclass(frozen=True)
class Panel:
    title: str
    groups: tuple[Group, ...]


def grouped(
    panels: Sequence[Panel],
    names: Sequence[str],
    title: str,
    theme: Theme = LIGHT,
    columns: int = 4,
    *,
    ylabel: str = "style alignment",
) -> Figure:
    """A panel a title, a group a place, a bar a name; whiskers are deviations over seeds."""
    most = max(len(panel.groups) for panel in panels) * len(names)
    # Panels of bars are wide: two stand where four maps would, and those of many bars stand alone.
    columns = max(1, min(columns // 2 if most <= WIDE else 1, len(panels)))
    rows = -(-len(panels) // columns)
    width = min(max(4.6, 0.2 * most + 1.5), 9.0)
    with canvas(theme, width * columns, 2.4 * rows + 1.0) as drawn:
        grid = np.ravel(drawn.subplots(rows, columns, sharey=True, squeeze=False))
        for axes, panel in zip(grid, panels, strict=False):
            _bars(axes, panel, len(names), theme)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[::columns]:
            axes.set_ylabel(ylabel)
        keys: list[object] = [Patch(color=theme.styles[place], label=name) for place, name in enumerate(names)]
        if any(printed for panel in panels for group in panel.groups for printed in group.paper):
            keys.append(Line2D([], [], color=theme.ink, linewidth=1.4, label="paper"))
        drawn.legend(handles=keys, loc="outside lower left", ncols=min(len(keys), round(width * columns / 1.7)))
        heading(drawn, title, theme)
    return drawn


def _bars(axes: Axes, panel: Panel, count: int, theme: Theme) -> None:
    width = ROOM / count
    for place, group in enumerate(panel.groups):
        for number, value in enumerate(group.ours):
            x = place + (number - (count - 1) / 2) * width
            if value is not None:
                axes.bar(x, value.mean, width * 0.92, color=theme.styles[number % len(theme.styles)])
                if value.std is not None:
                    axes.errorbar(x, value.mean, value.std, fmt="none", ecolor=theme.ink, elinewidth=0.9)
            printed = group.paper[number] if group.paper else None
            if printed is not None:
                axes.plot([x - width * 0.46, x + width * 0.46], [printed.mean] * 2, color=theme.ink, linewidth=1.4)
    crowded = len(panel.groups) > 3
    axes.set_xticks(
        range(len(panel.groups)),
        [group.name for group in panel.groups],
        rotation=25 if crowded else 0,
        ha="right" if crowded else "center",
        rotation_mode="anchor",
    )
    axes.set(ylim=(0, 105), title=panel.title)
    axes.grid(axis="y")
    axes.tick_params(axis="x", length=0)
