"""How training went: every metric of every stage over its steps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from sciql.plots.house import LIGHT, Theme, canvas, heading

COORDINATES = ("stage", "step", "seconds")


def curves(lines: Sequence[Mapping[str, Any]], title: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """A panel a metric, a colour a stage; `lines` are those of a run's metrics.jsonl."""
    panels = _panels(lines)
    if not panels:
        raise ValueError("no metrics to draw")
    stages = list(dict.fromkeys(stage for stage, _ in panels))
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with canvas(theme, 2.1 * columns + 0.3, 1.6 * rows + 0.7) as figure:
        grid = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for axes, ((stage, metric), points) in zip(grid, panels.items(), strict=False):
            steps, values = zip(*points, strict=True)
            colour = theme.styles[stages.index(stage) % len(theme.styles)]
            # A line through one point is invisible.
            axes.plot(steps, values, color=colour, marker="" if len(steps) > 1 else "o")
            axes.set_title(f"{stage}: {metric.replace('_', ' ')}")
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.grid(axis="y")
            axes.margins(x=0.02)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[max(0, len(panels) - columns) : len(panels)]:
            axes.set_xlabel("gradient steps")
        heading(figure, title, theme)
    return figure


def _panels(lines: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The points of each metric of each stage, in the order in which they first appear."""
    panels: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for line in lines:
        for metric, value in line.items():
            if metric not in COORDINATES and isinstance(value, (int, float)):
                panels.setdefault((str(line["stage"]), metric), []).append((line["step"], value))
    return panels
