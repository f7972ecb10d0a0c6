"""The demo as one HTML page that needs nothing else: pictures, film and style are inside it."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from sciql.plots.exhibits import Hung, figure_element, inline, section_element
from sciql.plots.house import spoken
from sciql.plots.pages import base_style

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.demo import Result


def page(result: "Result", criterion: "Criterion", pictures: Sequence[Hung], film: Path) -> str:
    """The whole page."""
    best = result.acts[0]
    style = best.evaluation.style
    assert style is not None, "the demo always evaluates on a criterion"
    sections = [
        section_element(heading, [figure_element(hung) for hung in group])
        for heading, group in groupby(pictures, key=lambda hung: hung.exhibit.section)
    ]
    moving = section_element(
        "One policy, asked for every style", [_film(film, f"{best.title}, one episode of every style")]
    )
    template = Template((files("sciql.demo") / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        base=base_style(),
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


def _film(path: Path, caption: str) -> str:
    """A film plays by itself, silently and for ever."""
    if path.suffix == ".mp4":
        source = inline(path.read_bytes(), "video/mp4")
        moving = f'<video src="{source}" autoplay loop muted playsinline controls></video>'
    else:
        moving = f'<img src="{inline(path.read_bytes(), "image/gif")}" alt="{escape(caption)}">'
    return f"<figure>\n<div class='film'>{moving}</div>\n<figcaption>{escape(caption)}</figcaption>\n</figure>\n"
