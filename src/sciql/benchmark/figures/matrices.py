"""What was asked for against what was shown, a panel a criterion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from sciql.plots.house import LIGHT, Theme, canvas, heading, spoken

PANEL = 2.3
LEGIBLE = 3.0
"""Points; smaller shares are left blank."""


@dataclass(frozen=True)
class Shares:
    """Of 100 steps asked for a style (rows), how many show each (columns), averaged over seeds."""

    criterion: str
    asked: tuple[str, ...]
    shown: tuple[str, ...]
    table: Float[np.ndarray, "k z"]


def matrices(found: Sequence[Shares], title: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """Small matrices side by side; a good policy draws diagonals."""
    columns = min(max(1, columns - 1), len(found))
    rows = -(-len(found) // columns)
    heat = LinearSegmentedColormap.from_list("heat", theme.heat)
    with canvas(theme, (PANEL + 0.9) * columns, (PANEL + 0.75) * rows + 0.7) as drawn:
        grid = np.ravel(drawn.subplots(rows, columns, squeeze=False))
        for axes, shares in zip(grid, found, strict=False):
            _matrix(axes, shares, heat, theme)
        for axes in grid[len(found) :]:
            axes.set_visible(False)
        note = "rows: the style asked for; columns: of 100 steps, how many show each style"
        heading(drawn, title, theme, note)
    return drawn


def _matrix(axes: Axes, shares: Shares, heat: LinearSegmentedColormap, theme: Theme) -> None:
    axes.imshow(shares.table, cmap=heat, vmin=0, vmax=100, aspect="auto")
    axes.set_xticks(range(len(shares.shown)), shares.shown, rotation=40, ha="right", rotation_mode="anchor", fontsize=7)
    axes.set_yticks(range(len(shares.asked)), shares.asked, fontsize=7)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(spoken(shares.criterion), fontweight="bold")
    for (row, column), share in np.ndenumerate(shares.table):
        if share >= LEGIBLE:
            ink = theme.paper if share > 55 else theme.ink
            axes.text(column, row, f"{share:.0f}", ha="center", va="center", fontsize=6.5, color=ink)
