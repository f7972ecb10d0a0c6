"""Pareto fronts of style and task, and the area that each family of methods covers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sciql.benchmark.grid import SCIQL, SORL, TASK_METHODS, pairs_of
from sciql.benchmark.scores import Grid
from sciql.metrics import hypervolume
from sciql.paper import Metric, figure
from sciql.plots.house import LIGHT, Theme, canvas, heading

MARKERS = ("o", "^", "s")
BLUE, RED = 0, 5
"""Of a theme's colours."""
PANEL = 2.9


@dataclass(frozen=True)
class Front:
    """The points of both families, a row a method: style, task."""

    dataset: str
    criteria: tuple[str, ...]
    """Those over which all of these methods are averaged."""
    sorl: Float[np.ndarray, "3 2"]
    sciql: Float[np.ndarray, "3 2"]
    paper_sorl: Float[np.ndarray, "3 2"]
    paper_sciql: Float[np.ndarray, "3 2"]


def front(grid: Grid, dataset: str) -> Front | None:
    """The mean over the criteria of which all six policies are there, ours and the paper's over the same ones."""
    shorts = [pair.short for pair in pairs_of(dataset)]
    whole = [name for name in shorts if all((dataset, name, method) in grid for method in TASK_METHODS)]
    if not whole:
        return None

    def ours(methods: Sequence[str]) -> Float[np.ndarray, "3 2"]:
        scores = [[grid[dataset, name, method] for name in whole] for method in methods]
        return np.array([[np.mean([one.of(m).mean() for one in row]) for m in METRICS] for row in scores])

    def theirs(methods: Sequence[str]) -> Float[np.ndarray, "3 2"]:
        found = [[[figure(dataset, name, method, m) for name in whole] for m in METRICS] for method in methods]
        return np.array([[np.mean([one.mean if one else np.nan for one in row]) for row in both] for both in found])

    return Front(dataset, tuple(whole), ours(SORL), ours(SCIQL), theirs(SORL), theirs(SCIQL))


METRICS: tuple[Metric, ...] = ("style", "task")


def fronts(found: Sequence[Front], theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """A panel a dataset: SORL dashed and hollow, SCIQL full; the paper's own points are pale."""
    columns = min(columns, len(found))
    rows = -(-len(found) // columns)
    with canvas(theme, max(PANEL * columns, 4.2), (PANEL + 0.35) * rows + 0.9) as drawn:
        panels = np.ravel(drawn.subplots(rows, columns, squeeze=False))
        for axes, one in zip(panels, found, strict=False):
            _panel(axes, one, theme)
        for axes in panels[len(found) :]:
            axes.set_visible(False)
        panels[0].set_ylabel("task")
        drawn.legend(handles=_keys(panels[0], theme), loc="outside lower left", ncols=3 if columns > 1 else 2)
        heading(drawn, "Style and task at once", theme)
    return drawn


def _panel(axes: Axes, one: Front, theme: Theme) -> None:
    blue, red = theme.styles[BLUE], theme.styles[RED]
    for points, colour, paper in ((one.paper_sorl, blue, True), (one.paper_sciql, red, True)):
        _staircase(axes, points, colour, faint=paper)
    _area(axes, one.sorl, blue, hatch="////")
    _area(axes, one.sciql, red, hatch=None)
    _staircase(axes, one.sorl, blue, dashed=True)
    _staircase(axes, one.sciql, red)
    sorl, sciql = hypervolume(one.sorl), hypervolume(one.sciql)
    paper_sorl, paper_sciql = hypervolume(one.paper_sorl), hypervolume(one.paper_sciql)
    axes.set(xlim=(0, 102), ylim=(0, 102), aspect="equal", xlabel="style alignment")
    count = len(one.criteria)
    short = "" if count == len(pairs_of(one.dataset)) else f", {count} of {len(pairs_of(one.dataset))} criteria"
    axes.set_title(
        f"{one.dataset}{short}\nSORL {sorl:,.0f}, SCIQL {sciql:,.0f} ({_gain(sciql, sorl)})\n"
        f"paper: {paper_sorl:,.0f}, {paper_sciql:,.0f} ({_gain(paper_sciql, paper_sorl)})",
        fontsize=8,
    )
    axes.grid(True)


def _gain(new: float, old: float) -> str:
    return f"{100 * (new / old - 1):+.0f} %" if old > 0 else "–"


def _area(axes: Axes, points: Float[np.ndarray, "k 2"], colour: str, hatch: str | None) -> None:
    """The hypervolume: all that at least one point reaches."""
    x, y = _steps(points)
    face, edge = ("none", colour) if hatch else (colour, "none")
    axes.fill_between(x, 0, y, alpha=0.22, linewidth=0, facecolor=face, edgecolor=edge, hatch=hatch)


def _staircase(
    axes: Axes, points: Float[np.ndarray, "k 2"], colour: str, *, dashed: bool = False, faint: bool = False
) -> None:
    alpha = 0.4 if faint else 1.0
    x, y = _steps(points)
    axes.plot(x, y, color=colour, linestyle="--" if dashed else "-", linewidth=0.9 if faint else 1.5, alpha=alpha)
    for (style, task), marker in zip(points, MARKERS, strict=True):
        face = axes.get_facecolor() if dashed else colour
        axes.plot(style, task, marker, color=face, markeredgecolor=colour, markersize=4 if faint else 7, alpha=alpha)


def _steps(points: Float[np.ndarray, "k 2"]) -> tuple[np.ndarray, np.ndarray]:
    """The outline of the area: how high the highest point is that lies at least so far to the right."""
    order = points[np.argsort(points[:, 0])]
    heights = np.maximum.accumulate(order[::-1, 1])[::-1]
    x = np.concatenate([[0.0], np.repeat(order[:, 0], 2)])
    y = np.concatenate([np.repeat(heights, 2), [0.0]])
    return x, y


def _keys(axes: Axes, theme: Theme) -> list[object]:
    from matplotlib.lines import Line2D

    blue, red = theme.styles[BLUE], theme.styles[RED]
    hollow = {"color": blue, "linestyle": "--", "markerfacecolor": axes.get_facecolor()}
    names = ("λ", "λ > r", "r > λ")
    keys: list[object] = []
    for marker, beta, name in zip(MARKERS, (0, 1, 3), names, strict=True):
        keys.append(Line2D([], [], marker=marker, label=f"SORL, β = {beta}", **hollow))
        keys.append(Line2D([], [], marker=marker, color=red, label=f"SCIQL, {name}"))
    return keys
