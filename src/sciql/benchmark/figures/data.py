"""The datasets themselves: where their episodes go, and what the labelling functions say about them."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.plots.house import LIGHT, Theme, canvas, colours, heading, spoken
from sciql.plots.paths import BACKDROPS

PERCENTS = (5, 20, 50, 100)
FEW, ALL = PERCENTS[0], PERCENTS[-1]
PANEL = 1.9
STRIDE = 8
"""Of the steps of an episode, one in so many is drawn: an eye cannot tell, and the picture stays small."""


def has_map(episodes: Episodes) -> bool:
    """Whether there is a plane to draw on."""
    return episodes.environment in BACKDROPS and {"x", "y"} <= episodes.signals.keys()


def trajectories(episodes: Episodes, title: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """The paths of the first few percent of the episodes, of more, and of all."""
    columns = min(columns, len(PERCENTS))
    rows = -(-len(PERCENTS) // columns)
    with canvas(theme, PANEL * columns, (PANEL + 0.25) * rows + 0.6) as drawn:
        grid = np.ravel(drawn.subplots(rows, columns, squeeze=False))
        for axes, percent in zip(grid, PERCENTS, strict=True):
            _map(axes, episodes, theme)
            lines = [_path(episodes, episode) for episode in range(_first(episodes, percent))]
            faint = 0.5 if percent == FEW else 0.18
            axes.add_collection(
                LineCollection(lines, colors=theme.styles[0], linewidths=0.5, alpha=faint, rasterized=True)
            )
            axes.set_title(f"{percent} %")
        heading(drawn, title, theme)
    return drawn


def label_maps(
    criteria: Sequence[Criterion], episodes: Episodes, title: str, theme: Theme = LIGHT, columns: int = 4
) -> Figure:
    """For each criterion, the steps of few and of all episodes, in the colours of their labels."""
    columns = max(2, columns // 2 * 2)
    panels = [(criterion, percent) for criterion in criteria for percent in (FEW, ALL)]
    rows = -(-len(panels) // columns)
    with canvas(theme, PANEL * columns, (PANEL + 0.25) * rows + 0.6) as drawn:
        grid = np.ravel(drawn.subplots(rows, columns, squeeze=False))
        labels = {criterion: criterion.label(episodes) for criterion in criteria}
        for axes, (criterion, percent) in zip(grid, panels, strict=False):
            _map(axes, episodes, theme)
            _points(axes, episodes, labels[criterion], _first(episodes, percent), colours(criterion, theme), percent)
            axes.set_title(f"{spoken(criterion.name)}, {percent} %")
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        heading(drawn, title, theme)
    return drawn


def _map(axes: Axes, episodes: Episodes, theme: Theme) -> None:
    assert episodes.environment is not None, "asked before by has_map"
    BACKDROPS[episodes.environment](axes, theme)


def _first(episodes: Episodes, percent: int) -> int:
    """How many episodes that is; at least one."""
    return max(1, episodes.count * percent // 100)


def _path(episodes: Episodes, episode: int) -> np.ndarray:
    rows = slice(episodes.starts[episode], episodes.starts[episode + 1], STRIDE)
    return np.stack([episodes.signal("x")[rows], episodes.signal("y")[rows]], axis=1)


def _points(
    axes: Axes, episodes: Episodes, labels: Int[np.ndarray, " n"], count: int, palette: Sequence[str], percent: int
) -> None:
    rows = np.arange(0, episodes.starts[count], STRIDE if percent == FEW else 4 * STRIDE)
    # In random order, so that no style lies on top of all others.
    rows = np.random.default_rng(0).permutation(rows)
    axes.scatter(
        episodes.signal("x")[rows],
        episodes.signal("y")[rows],
        c=labels[rows],
        cmap=ListedColormap(list(palette)),
        vmin=-0.5,
        vmax=len(palette) - 0.5,
        s=1.2 if percent == FEW else 0.5,
        linewidths=0,
        rasterized=True,
    )
