"""Pictures with what is written under them, drawn for papers and for pages on light, dark, wide and narrow screens."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from sciql.plots.house import DARK, LIGHT, Theme, png, save

WIDE, NARROW = 4, 2
"""Panels in a row."""
NARROW_SCREEN = "(max-width: 640px)"
DARK_SCREEN = "(prefers-color-scheme: dark)"


@dataclass(frozen=True)
class Exhibit:
    """A picture and what is written under it."""

    name: str
    section: str
    """The heading that it stands under."""
    caption: str
    draw: Callable[[Theme, int], Figure]
    """In these colours, with so many panels in a row."""
    panels: bool = False
    """Whether it has panels to put in fewer rows on a narrow screen."""


@dataclass(frozen=True)
class Hung:
    """An exhibit, drawn."""

    exhibit: Exhibit
    light: bytes
    dark: bytes
    narrow_light: bytes | None
    narrow_dark: bytes | None


def hang(exhibits: Sequence[Exhibit], folder: Path | None = None, kinds: Sequence[str] = ("png", "svg")) -> list[Hung]:
    """Draw all exhibits: into memory for a page and, with a folder, into files for papers."""
    hung = []
    for exhibit in exhibits:
        light = exhibit.draw(LIGHT, WIDE)
        if folder is not None:
            save(light, folder / exhibit.name, kinds)
        hung.append(
            Hung(
                exhibit,
                light=png(light),
                dark=png(exhibit.draw(DARK, WIDE)),
                narrow_light=png(exhibit.draw(LIGHT, NARROW)) if exhibit.panels else None,
                narrow_dark=png(exhibit.draw(DARK, NARROW)) if exhibit.panels else None,
            )
        )
    return hung


def figure_element(hung: Hung) -> str:
    """The picture that suits the screen, in HTML; the browser chooses."""
    sources = [
        (f"{DARK_SCREEN} and {NARROW_SCREEN}", hung.narrow_dark),
        (NARROW_SCREEN, hung.narrow_light),
        (DARK_SCREEN, hung.dark),
    ]
    choices = "".join(
        f'<source media="{media}" srcset="{inline(picture, "image/png")}">\n' for media, picture in sources if picture
    )
    caption = escape(hung.exhibit.caption)
    image = f'<img src="{inline(hung.light, "image/png")}" alt="{escape(hung.exhibit.name)}: {caption}">'
    return f"<figure>\n<picture>\n{choices}{image}\n</picture>\n<figcaption>{caption}</figcaption>\n</figure>\n"


def section_element(heading: str, parts: Sequence[str]) -> str:
    """A part of a page under a heading of its own."""
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(parts)}</section>"


def inline(content: bytes, kind: str) -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
