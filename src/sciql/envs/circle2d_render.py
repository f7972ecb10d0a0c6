"""A picture of an episode of Circle2d: the ring, the path coloured by label, and the agent as an arrow."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int, UInt8
from PIL import Image, ImageDraw

from sciql.envs.circle2d import Circle2dSettings

Colour = tuple[int, int, int]

PAPER: Colour = (255, 255, 255)
FLOOR: Colour = (248, 249, 251)
GRID: Colour = (232, 235, 240)
WALL: Colour = (176, 184, 196)
GLOW: Colour = (255, 214, 120)
RING: Colour = (104, 114, 130)
INK: Colour = (28, 35, 48)
PLAIN: Colour = (74, 98, 138)
# Okabe and Ito's colours and two more, which colour-blind people tell apart too.
LABELS: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (122, 92, 199),
    (163, 161, 18),
    (154, 163, 175),
)
MARGIN = 0.04  # of the picture's side, on each side of the square
FINER = 3  # drawn this many times larger, then shrunk: Pillow itself knows no smooth edges
GRID_STEP = 10.0
# The path fades in steps: how many of the newest steps, how strong their colour is, how wide the line in pixels of 480.
FADES = ((60, 1.0, 2.6), (250, 0.62, 2.0), (10**9, 0.42, 1.7))


def draw(
    poses: Float[np.ndarray, "k 3"], labels: Sequence[int | None], settings: Circle2dSettings, size: int
) -> UInt8[np.ndarray, "size size 3"]:
    """The episode up to the last of its (x, y, heading); `labels[t]` colours the way from pose t to pose t + 1."""
    picture = _background(settings, size).copy()
    brush = ImageDraw.Draw(picture)
    points = _pixels(poses[:, :2], settings, size)
    unit = size * FINER / 480
    for run, colour, width in _runs(points, labels):
        brush.line(run.ravel().tolist(), colour, max(1, round(width * unit)), joint="curve")
    brush.circle(points[0].tolist(), 3.5 * unit, PAPER, INK, round(1.2 * unit))
    _arrow(brush, points[-1], float(poses[-1, 2]), 9 * unit, _colour(labels[-1] if labels else None))
    return np.asarray(picture.reduce(FINER))


def _runs(
    points: Int[np.ndarray, "k 2"], labels: Sequence[int | None]
) -> Iterator[tuple[Int[np.ndarray, "j 2"], Colour, float]]:
    """Pieces of the path of one colour and width, the oldest first so that the newest lie on top."""
    steps = len(points) - 1
    bounds = [0, *(steps - newest for newest, _, _ in reversed(FADES[:-1]) if steps > newest), steps]
    changes = [t for t in range(1, steps) if labels[t] != labels[t - 1]]
    for first, end in pairwise(sorted({*bounds, *changes})):
        _, strength, width = next(fade for fade in FADES if steps - first <= fade[0])
        yield points[first : end + 1], _faded(_colour(labels[first]), strength), width


@lru_cache(maxsize=8)
def _background(settings: Circle2dSettings, size: int) -> Image.Image:
    """What does not change from frame to frame: the square, its grid, and the ring in a glow."""
    unit, wall = size * FINER / 480, settings.half_width
    picture = Image.fromarray(_glow(settings, size))
    brush = ImageDraw.Draw(picture)
    for line in np.arange(-wall + GRID_STEP, wall, GRID_STEP):
        for ends in ([[line, -wall], [line, wall]], [[-wall, line], [wall, line]]):
            brush.line(_pixels(np.array(ends), settings, size).ravel().tolist(), GRID, max(1, round(0.6 * unit)))
    corners = _pixels(np.array([[-wall, wall], [wall, -wall]]), settings, size)
    brush.rectangle(corners.ravel().tolist(), outline=WALL, width=round(1.5 * unit))
    centre = _pixels(np.array([settings.ring_centre]), settings, size)[0]
    reach = settings.ring_radius * _scale(settings, size)
    brush.ellipse([*(centre - reach), *(centre + reach)], outline=RING, width=round(2 * unit))
    return picture


def _glow(settings: Circle2dSettings, size: int) -> UInt8[np.ndarray, "fine fine 3"]:
    """The floor inside the square, warmer where the ring is near."""
    place = (np.arange(size * FINER) + 0.5 - size * FINER / 2) / _scale(settings, size)
    x, y = np.meshgrid(place, -place)
    distance = np.hypot(x - settings.ring_centre[0], y - settings.ring_centre[1]) - settings.ring_radius
    warmth = 0.55 * np.exp(-(distance**2) / (2 * settings.reward_width**2))[:, :, None]
    inside = (np.maximum(abs(x), abs(y)) <= settings.half_width)[:, :, None]
    floor = np.array(FLOOR) + warmth * (np.array(GLOW) - np.array(FLOOR))
    return np.where(inside, floor, PAPER).round().astype(np.uint8)


def _arrow(brush: ImageDraw.ImageDraw, at: Int[np.ndarray, " 2"], heading: float, reach: float, fill: Colour) -> None:
    """The agent: a dart whose tip shows where it is heading."""
    angles = heading + np.array([0.0, 2.5, np.pi, -2.5])
    lengths = reach * np.array([1.25, 1.0, 0.35, 1.0])
    corners = at + np.stack([lengths * np.cos(angles), -lengths * np.sin(angles)], axis=1)
    brush.polygon(corners.ravel().tolist(), fill)
    outline = np.concatenate([corners, corners[:2]])
    brush.line(outline.ravel().tolist(), INK, max(1, round(reach / 6)), joint="curve")


def _scale(settings: Circle2dSettings, size: int) -> float:
    """Fine pixels a unit of length."""
    return size * FINER * (1 - 2 * MARGIN) / (2 * settings.half_width)


def _pixels(places: Float[np.ndarray, "k 2"], settings: Circle2dSettings, size: int) -> Int[np.ndarray, "k 2"]:
    """Fine pixels, from the upper left corner."""
    return np.round(size * FINER / 2 + places * [1, -1] * _scale(settings, size)).astype(int)


def _colour(label: int | None) -> Colour:
    return PLAIN if label is None else LABELS[label % len(LABELS)]


def _faded(colour: Colour, strength: float) -> Colour:
    """The colour as it looks through a thin coat of the floor's."""
    red, green, blue = (round(ground + strength * (tone - ground)) for tone, ground in zip(colour, FLOOR, strict=True))
    return red, green, blue
