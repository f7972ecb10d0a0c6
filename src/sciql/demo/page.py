"""The demo as one HTML page that needs nothing else: pictures, film and style are inside it."""

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from sciql.demo.pictures import Hung
from sciql.plots.house import spoken

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.demo import Result

NARROW = "(max-width: 640px)"
DARK = "(prefers-color-scheme: dark)"


def page(result: "Result", criterion: "Criterion", pictures: Sequence[Hung], film: Path) -> str:
    """The whole page."""
    best = result.acts[0]
    style = best.evaluation.style
    assert style is not None, "the demo always evaluates on a criterion"
    sections = [
        _section(heading, [_figure(hung) for hung in group])
        for heading, group in groupby(pictures, key=lambda hung: hung.exhibit.section)
    ]
    moving = _section("One policy, asked for every style", [_film(film, f"{best.title}, one episode of every style")])
    template = Template((files("sciql.demo") / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(f"sciql: {result.title}"),
        count=len(criterion.prompts),
        criterion=escape(spoken(criterion.name)),
        dataset=escape(result.dataset),
        method=escape(best.title),
        style=f"{style.mean:.1f}",
        task=f"{best.evaluation.task.mean:.1f}",
        minutes=f"{result.seconds / 60:.1f}",
        sections="\n".join([sections[0], moving, *sections[1:]]),
    )


def _section(heading: str, figures: Sequence[str]) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(figures)}</section>"


def _figure(hung: Hung) -> str:
    """The picture that suits the screen; the browser chooses."""
    sources = [
        (f"{DARK} and {NARROW}", hung.narrow_dark),
        (NARROW, hung.narrow_light),
        (DARK, hung.dark),
    ]
    choices = "".join(
        f'<source media="{media}" srcset="{_inline(picture, "image/png")}">\n' for media, picture in sources if picture
    )
    caption = escape(hung.exhibit.caption)
    image = f'<img src="{_inline(hung.light, "image/png")}" alt="{escape(hung.exhibit.name)}: {caption}">'
    return f"<figure>\n<picture>\n{choices}{image}\n</picture>\n<figcaption>{caption}</figcaption>\n</figure>\n"


def _film(path: Path, caption: str) -> str:
    """A film plays by itself, silently and for ever."""
    if path.suffix == ".mp4":
        source = _inline(path.read_bytes(), "video/mp4")
        moving = f'<video src="{source}" autoplay loop muted playsinline controls></video>'
    else:
        moving = f'<img src="{_inline(path.read_bytes(), "image/gif")}" alt="{escape(caption)}">'
    return f"<figure>\n<div class='film'>{moving}</div>\n<figcaption>{escape(caption)}</figcaption>\n</figure>\n"


def _inline(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
