"""What was asked for against what was shown."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from sciql.evaluation import Evaluation
from sciql.plots.house import LIGHT, Theme, canvas, heading

CELL = 0.45  # inches
LEGIBLE = 1.0  # points; smaller shares are left blank


def matrix(evaluation: Evaluation, title: str, theme: Theme = LIGHT) -> Figure:
    """A row a style asked for: how many of 100 steps show each style. A good policy draws a diagonal."""
    if evaluation.criterion is None:
        raise ValueError("a policy judged on its task alone has no styles to compare")
    shares = evaluation.matrix()
    criterion = evaluation.criterion
    asked = [criterion.styles[index] for index in criterion.prompts]
    heat = LinearSegmentedColormap.from_list("heat", theme.heat)
    height, width = shares.shape
    with canvas(theme, CELL * width + 1.8, CELL * height + 1.9) as figure:
        axes = figure.subplots()
        axes.imshow(shares, cmap=heat, vmin=0, vmax=100, aspect="equal")
        axes.set_xticks(range(width), criterion.styles, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(height), asked)
        axes.set(xlabel="style shown", ylabel="style asked for")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        # Thin gaps instead of lines keep the cells apart.
        axes.set_xticks(np.arange(1, width) - 0.5, minor=True)
        axes.set_yticks(np.arange(1, height) - 0.5, minor=True)
        axes.grid(which="minor", color=theme.paper, linewidth=2)
        axes.tick_params(which="minor", length=0)
        for (row, column), share in np.ndenumerate(shares):
            if share >= LEGIBLE:
                ink = _ink(share, theme)
                axes.text(column, row, f"{share:.0f}", ha="center", va="center", fontsize=8, color=ink)
        heading(figure, title, theme)
        axes.set_title("of 100 steps asked for a style, how many show each", color=theme.quiet, fontsize=8)
    return figure


def _ink(share: float, theme: Theme) -> str:
    """Dark on light cells and light on dark ones, in either theme."""
    return theme.paper if share > 55 else theme.ink
