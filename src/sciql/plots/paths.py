"""Where rollouts went: one map a style that was asked for, coloured by the style that each step shows."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from sciql.envs.circle2d import Circle2dSettings
from sciql.evaluation import Evaluation
from sciql.plots.house import LIGHT, Theme, bare, canvas, colours, heading, swatch

SHOWN = 5  # more paths in one map hide each other
PANEL = 1.9  # inches


def paths(evaluation: Evaluation, title: str, theme: Theme = LIGHT, columns: int = 4) -> Figure:
    """A map a style asked for; the colour of a path is what it shows, so the one colour of its title is success."""
    criterion, labels = evaluation.criterion, evaluation.labels
    if criterion is None or labels is None:
        raise ValueError("a policy judged on its task alone has no styles to colour paths by")
    scores = list(evaluation.scores())
    columns = min(columns, len(scores))
    rows = -(-len(scores) // columns)
    palette = colours(criterion, theme)
    with canvas(theme, PANEL * columns, PANEL * 1.13 * rows + 0.7) as figure:
        grid = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for axes, score in zip(grid, scores, strict=False):
            BACKDROPS[evaluation.environment](axes, theme)
            for episode in _episodes(evaluation, score.index):
                _path(axes, evaluation, episode, labels, palette)
            swatch(axes, score.style, palette[score.index])
            axes.set_title(f"{score.alignment.mean:.0f} %", loc="right", color=theme.quiet)
        for axes in grid[len(scores) :]:
            axes.set_visible(False)
        seen = [label for label in np.unique(labels) if not criterion.promptable[label]]
        others = f"; grey: {', '.join(criterion.styles[label] for label in seen)}" if seen else ""
        note = f"colour: the style shown{others}\n%: steps that show the style asked for"
        heading(figure, title, theme, note)
    return figure


def has_paths(evaluation: Evaluation) -> bool:
    """Whether there is a map to draw on."""
    return evaluation.environment in BACKDROPS and evaluation.labels is not None


def _episodes(evaluation: Evaluation, style: int) -> Int[np.ndarray, " k"]:
    """The first few episodes that were asked for a style."""
    return np.flatnonzero(evaluation.rollouts.asked == style)[:SHOWN]


def _path(axes: Axes, evaluation: Evaluation, episode: int, labels: Int[np.ndarray, " n"], palette: list[str]) -> None:
    """One episode as a line whose every step has the colour of its label, and a dot where it begins."""
    recorded = evaluation.rollouts.episodes
    rows = slice(recorded.starts[episode], recorded.starts[episode + 1])
    points = np.stack([recorded.signal("x")[rows], recorded.signal("y")[rows]], axis=1)
    segments = np.stack([points[:-1], points[1:]], axis=1)
    shown = [palette[label] for label in labels[rows][:-1]]
    axes.add_collection(LineCollection(list(segments), colors=shown, linewidths=0.7, alpha=0.8, rasterized=True))
    axes.plot(*points[0], "o", markersize=3, color=axes.get_facecolor(), markeredgecolor=shown[0], zorder=3)


def _circle2d(axes: Axes, theme: Theme) -> None:
    settings = Circle2dSettings()
    wall = settings.half_width
    axes.add_patch(Rectangle((-wall, -wall), 2 * wall, 2 * wall, fill=False, edgecolor=theme.faint, linewidth=1))
    axes.add_patch(
        Circle(settings.ring_centre, settings.ring_radius, fill=False, edgecolor=theme.quiet, linewidth=1, zorder=4)
    )
    axes.set(xlim=(-wall * 1.03, wall * 1.03), ylim=(-wall * 1.03, wall * 1.03), aspect="equal")
    bare(axes)


BACKDROPS: Mapping[str, Callable[[Axes, Theme], None]] = {"sciql/Circle2d-v0": _circle2d}
