"""Small pictures of a page as text: lines, tables whose cells are shaded, strips of labels."""

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.plots.exhibits import inline
from sciql.plots.house import LIGHT, colours, shades

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, HEIGHT = 340, 210
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
STRIPS, STRIP, GAP = 12, 10, 4
COLUMNS = 900
DARK_CELL = 0.55


def colour(criterion: Criterion, style: int) -> str:
    """The style's colour in the page's style sheet."""
    return f"var(--style{shades(criterion)[style]})"


def lines(series: Sequence[tuple[str, str, Sequence[float]]], ticks: Sequence[int], label: str) -> str:
    """Lines of (name, colour, values in percent) over evenly spaced ticks."""
    top = _round_above(max(max(values) for _, _, values in series))
    across = (WIDTH - LEFT - RIGHT) / max(len(ticks) - 1, 1)

    def height(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)

    grid = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height(at):.1f}" y2="{height(at):.1f}"/>'
        f'<text x="{LEFT - 6}" y="{height(at) + 4:.1f}" text-anchor="end">{at:.3g} %</text>'
        for at in (0, top / 2, top)
    ]
    marks = [
        f'<text x="{LEFT + across * place:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick}</text>'
        for place, tick in enumerate(ticks)
    ]
    drawn = [
        f'<polyline style="stroke: {shade}" points="'
        + " ".join(f"{LEFT + across * place:.1f},{height(value):.1f}" for place, value in enumerate(values))
        + f'"><title>{escape(name)}</title></polyline>'
        for name, shade, values in series
    ]
    axis = f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 3}" text-anchor="middle">radius of the window</text>'
    inside = "".join([*grid, *marks, axis, *drawn])
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{inside}</svg>'


def _round_above(value: float) -> float:
    """The next of ... 1, 2, 4, 10, 20, 40, 100, whose half is round too."""
    power = 10.0 ** np.floor(np.log10(max(value, 0.1)))
    return next(power * step for step in (1, 2, 4, 10, 20) if power * step >= value)


def shaded(
    corner: str, rows: Sequence[str], columns: Sequence[str], shares: Float[np.ndarray, "r c"], words: np.ndarray
) -> str:
    """A table whose cells say `words` and are the darker the larger their share is."""
    deepest = max(float(shares.max(initial=0)), 1e-9)
    head = "".join(f"<th scope='col'><span>{escape(name)}</span></th>" for name in columns)
    body = []
    for name, line, said in zip(rows, shares.tolist(), words.tolist(), strict=True):
        cells = "".join(_cell(share / deepest, word) for share, word in zip(line, said, strict=True))
        body.append(f"<tr><th scope='row'>{escape(name)}</th>{cells}</tr>")
    return (
        f"<div class='wide'><table class='heat'><thead><tr><th>{escape(corner)}</th>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(depth: float, word: str) -> str:
    ink = " class='deep'" if depth > DARK_CELL else ""
    return f'<td{ink} style="--depth: {100 * depth:.0f}%">{escape(word)}</td>'


def strips(criterion: Criterion, episodes: Episodes, labels: Int[np.ndarray, " n"]) -> tuple[str, int]:
    """Some episodes from left to right in the colours of their labels, and how many they are."""
    from PIL.Image import fromarray

    chosen = np.unique(np.linspace(0, episodes.count - 1, min(STRIPS, episodes.count)).round().astype(int))
    palette = np.array([_rgba(shade) for shade in colours(criterion, LIGHT)], np.uint8)
    longest = int(episodes.lengths[chosen].max())
    width = min(COLUMNS, longest)
    sheet = np.zeros((len(chosen) * (STRIP + GAP), width, 4), np.uint8)
    for place, episode in enumerate(chosen):
        steps = (np.arange(width) * longest) // width
        steps = steps[steps < episodes.lengths[episode]]
        top = place * (STRIP + GAP)
        sheet[top : top + STRIP, : len(steps)] = palette[labels[episodes.starts[episode] + steps]]
    return inline(png(fromarray(sheet)), "image/png"), len(chosen)


def _rgba(shade: str) -> tuple[int, ...]:
    return (*bytes.fromhex(shade.removeprefix("#")), 255)


def png(image: "Image") -> bytes:
    """A Pillow image as a file."""
    buffer = io.BytesIO()
    image.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
