"""Rollouts as a film: one panel a style, with what was asked for and what is shown at the moment."""

import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from jaxtyping import UInt8

from sciql.errors import SciqlError
from sciql.evaluation import Evaluation
from sciql.files import write_aside

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Frame = UInt8[np.ndarray, "height width 3"]
Painter = Callable[[Evaluation, int, int, int], Frame]
"""From an evaluation, a row of its episodes, the first row of that episode and a size to a square picture."""

PANEL = 240  # pixels
CAPTION = 40
COLUMNS = 4
RATE = 25  # frames a second


class Scene(NamedTuple):
    """How episodes of an environment are filmed."""

    painter: Painter
    stride: int
    """Steps a frame."""
    steps: int
    """How much of an episode is shown at most."""


def has_mp4() -> bool:
    """Whether films can be MP4; GIF always works."""
    return find_spec("imageio_ffmpeg") is not None


def film(evaluation: Evaluation, stem: Path) -> Path:
    """A film of one episode of every style: `stem.mp4`, or `stem.gif` without imageio-ffmpeg."""
    if evaluation.environment not in SCENES or evaluation.labels is None:
        known = ", ".join(SCENES)
        raise SciqlError(f"rollouts with styles can be filmed in {known}, and these are not of that kind")
    path = stem.with_name(f"{stem.name}.{'mp4' if has_mp4() else 'gif'}")
    write = _write_mp4 if has_mp4() else _write_gif
    with write_aside(path) as aside:
        write(aside, frames(evaluation))
    return path


def frames(evaluation: Evaluation) -> Iterator[Frame]:
    """All panels side by side, step by step."""
    recorded, scores = evaluation.rollouts.episodes, list(evaluation.scores())
    firsts = [int(np.argmax(evaluation.rollouts.asked == score.index)) for score in scores]
    scene, columns = SCENES[evaluation.environment], min(COLUMNS, len(scores))
    rows = -(-len(scores) // columns)
    for step in range(0, min(int(recorded.lengths[firsts].min()), scene.steps), scene.stride):
        sheet = np.full((rows * (PANEL + CAPTION), columns * PANEL, 3), 255, np.uint8)
        for place, (score, episode) in enumerate(zip(scores, firsts, strict=True)):
            first = int(recorded.starts[episode])
            panel = np.vstack(
                [
                    _caption(evaluation, score.index, first + step),
                    scene.painter(evaluation, first + step, first, PANEL),
                ]
            )
            top, left = place // columns * (PANEL + CAPTION), place % columns * PANEL
            sheet[top : top + PANEL + CAPTION, left : left + PANEL] = panel
        yield sheet


def _circle2d(evaluation: Evaluation, row: int, first: int, size: int) -> Frame:
    """The path so far, in the colours of the styles that it shows."""
    from sciql.envs.circle2d import Circle2dSettings
    from sciql.envs.circle2d_render import draw
    from sciql.plots.house import shades

    assert evaluation.labels is not None and evaluation.criterion is not None, "frames are drawn for a criterion"
    recorded = evaluation.rollouts.episodes
    trail = slice(first, row + 1)
    poses = np.stack([recorded.signal(name)[trail] for name in ("x", "y", "heading")], axis=1)
    shade = shades(evaluation.criterion)
    return draw(poses, [shade[label] for label in evaluation.labels[trail][:-1]], Circle2dSettings(), size)


def _halfcheetah(evaluation: Evaluation, row: int, first: int, size: int) -> Frame:
    """The cheetah as it is before the step, in the colour of the style that the step shows."""
    from sciql.envs.halfcheetah import positions_of
    from sciql.envs.halfcheetah_render import draw
    from sciql.plots.house import shades

    assert evaluation.labels is not None and evaluation.criterion is not None, "frames are drawn for a criterion"
    recorded = evaluation.rollouts.episodes
    positions = positions_of(recorded.observations[row], recorded.signal("velocity")[first:row])
    return draw(positions, shades(evaluation.criterion)[evaluation.labels[row]], size)


SCENES: dict[str, Scene] = {
    "sciql/Circle2d-v0": Scene(_circle2d, stride=4, steps=1000),
    "sciql/HalfCheetah-v0": Scene(_halfcheetah, stride=1, steps=300),
}


def painter(environment: str | None) -> Painter | None:
    """What draws the steps of an environment, if there is one; the laboratory's clips are drawn by it too."""
    return SCENES[environment].painter if environment in SCENES else None


def _caption(evaluation: Evaluation, asked: int, row: int) -> Frame:
    """Two lines over a panel: the style asked for, and the one that this step shows."""
    from PIL import Image, ImageDraw

    from sciql.plots.house import LIGHT, colours

    assert evaluation.criterion is not None and evaluation.labels is not None, "frames are drawn for a criterion"
    palette = colours(evaluation.criterion, LIGHT)
    shown = int(evaluation.labels[row])
    image = Image.new("RGB", (PANEL, CAPTION), LIGHT.paper)
    pen = ImageDraw.Draw(image)
    for line, (word, style) in enumerate((("asked", asked), ("shown", shown))):
        _line(pen, 4 + 18 * line, word, evaluation.criterion.styles[style], palette[style])
    return np.asarray(image)


def _line(pen: "ImageDraw", top: int, word: str, style: str, colour: str) -> None:
    from PIL import ImageFont

    from sciql.plots.house import LIGHT

    font: Any = ImageFont.load_default(size=14)
    pen.text((8, top), word, fill=LIGHT.quiet, font=font)
    pen.rectangle((58, top + 3, 68, top + 13), fill=colour)
    pen.text((76, top), style, fill=LIGHT.ink, font=font)


def _write_mp4(path: Path, pictures: Iterator[Frame]) -> None:
    from imageio_ffmpeg import write_frames

    first = next(pictures)
    height, width, _ = first.shape
    writer = write_frames(str(path), (width, height), fps=RATE, quality=7, macro_block_size=2, ffmpeg_log_level="error")
    with warnings.catch_warnings():
        # JAX warns of every new process; this one does nothing but start ffmpeg.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        writer.send(None)
        writer.send(np.ascontiguousarray(first))
    for picture in pictures:
        writer.send(np.ascontiguousarray(picture))
    writer.close()


def _write_gif(path: Path, pictures: Iterator[Frame]) -> None:
    from PIL import Image

    first, *others = (Image.fromarray(picture).quantize(64) for picture in pictures)
    first.save(path, save_all=True, append_images=others, duration=1000 // RATE, loop=0, optimize=True)
