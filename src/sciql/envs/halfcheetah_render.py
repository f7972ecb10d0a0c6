"""The cheetah from the side, drawn without MuJoCo's renderer: it lives in a plane, so a few strokes are all of it."""

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw

from sciql.envs.circle2d_render import FLOOR, GRID, INK, LABELS, PAPER, PLAIN, RING, WALL, Colour
from sciql.envs.halfcheetah_body import CAPSULES, capsule_ends, limb

FINER = 3  # drawn this many times larger, then shrunk: Pillow itself knows no smooth edges
WIDTH = 2.4  # metres of a picture
GROUND = 0.22  # share of the picture below the ground
MARKS = 0.5  # metres between two marks on the ground
EDGE = 0.012  # metres of ink around a limb
FAR = ("bthigh", "bshin", "bfoot")


def draw(
    positions: Float[np.ndarray, "9"], label: int | None, size: int, height: int | None = None
) -> UInt8[np.ndarray, "height size 3"]:
    """The cheetah in the middle of a picture, in the colour of what it shows; marks on the ground tell its way."""
    fine = size * FINER
    tall = (height or size) * FINER
    scale, floor = fine / WIDTH, tall - fine * GROUND
    picture = Image.new("RGB", (fine, tall), FLOOR)
    brush = ImageDraw.Draw(picture)
    brush.rectangle([0, floor, fine, tall], fill=PAPER)
    _marks(brush, float(positions[0]), scale, floor, tall)
    brush.line([0, floor, fine, floor], RING, max(1, round(0.012 * scale)))
    colour = PLAIN if label is None else LABELS[label % len(LABELS)]
    # The back leg is seen behind the torso, the front leg before it.
    for name in (*FAR, *(other for other in CAPSULES if other not in FAR)):
        ends = capsule_ends(positions[None], name)[0]
        points = np.stack([fine / 2 + (ends[:, 0] - positions[0]) * scale, floor - ends[:, 1] * scale], axis=1)
        radius = limb(name).radius * scale
        _capsule(brush, points, radius + EDGE * scale, INK)
        _capsule(brush, points, radius, _paler(colour) if name in FAR else colour)
    return np.asarray(picture.reduce(FINER))


def _marks(brush: ImageDraw.ImageDraw, x: float, scale: float, floor: float, tall: int) -> None:
    """Lines on the ground that stay where they are while the cheetah passes; every fourth is darker."""
    first, last = (int(np.floor((x + side * WIDTH / 2) / MARKS)) for side in (-1, 1))
    for number in range(first, last + 2):
        place = (number * MARKS - x + WIDTH / 2) * scale
        brush.line([place, floor, place - 0.12 * scale, tall], WALL if number % 4 == 0 else GRID, round(0.02 * scale))


def _capsule(brush: ImageDraw.ImageDraw, points: Float[np.ndarray, "2 2"], radius: float, colour: Colour) -> None:
    brush.line(points.ravel().tolist(), colour, round(2 * radius))
    for point in points:
        brush.circle(point.tolist(), radius, colour)


def _paler(colour: Colour) -> Colour:
    """The colour as it looks further away."""
    red, green, blue = (round(0.65 * tone + 0.35 * ground) for tone, ground in zip(colour, FLOOR, strict=True))
    return red, green, blue
