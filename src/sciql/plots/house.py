"""How all pictures look: colours that colour-blind people tell apart, few lines, the same type everywhere."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

from sciql.criteria import Criterion
from sciql.envs.circle2d_render import LABELS
from sciql.files import write_aside

DPI = 200
SCREEN_DPI = 150
DATELESS = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Without a date, the same figure is the same file."""


@dataclass(frozen=True)
class Theme:
    """The colours of paper and ink."""

    paper: str
    ink: str
    quiet: str
    """For what must be readable and not shout."""
    faint: str
    """For grids and what stands in the background."""
    styles: tuple[str, ...]
    """A colour a style; the last is for those that cannot be asked for."""
    heat: tuple[str, str]
    """From nothing to 100 points."""


LIGHT = Theme(
    paper="#ffffff",
    ink="#1c2330",
    quiet="#5b6575",
    faint="#d5dae1",
    styles=tuple(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in LABELS),
    heat=("#f4f6f9", "#00507d"),
)
DARK = Theme(
    paper="#12161d",
    ink="#e8ecf2",
    quiet="#9aa5b4",
    faint="#343c48",
    styles=("#3d9bdc", "#f0b030", "#1fbf90", "#e397bf", "#86cdf5", "#f0742a", "#a58bf0", "#cfcb3a", "#6d7684"),
    heat=("#1b212b", "#4fb3f0"),
)


def shades(criterion: Criterion) -> list[int]:
    """Which of a theme's colours each style has; those that cannot be asked for share the last, the quiet one."""
    quiet = len(LABELS) - 1
    bright = count()
    return [next(bright) % quiet if ask else quiet for ask in criterion.promptable]


def colours(criterion: Criterion, theme: Theme) -> list[str]:
    """A colour a style."""
    return [theme.styles[shade] for shade in shades(criterion)]


@contextmanager
def canvas(theme: Theme, width: float, height: float) -> Iterator[Figure]:
    """An empty figure of so many inches, and the house's settings while it is drawn."""
    with matplotlib.rc_context(_settings(theme)):
        yield Figure(figsize=(width, height), layout="constrained")


def _settings(theme: Theme) -> dict[RcKeyType, Any]:
    return {
        "figure.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "font.size": 9,
        "font.family": "sans-serif",
        "text.color": theme.ink,
        "axes.edgecolor": theme.quiet,
        "axes.labelcolor": theme.quiet,
        "axes.titlecolor": theme.ink,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "axes.labelsize": 9,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": theme.faint,
        "grid.linewidth": 0.6,
        "xtick.color": theme.quiet,
        "ytick.color": theme.quiet,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "lines.linewidth": 1.6,
        "lines.solid_capstyle": "round",
    }


def heading(figure: Figure, title: str, theme: Theme, note: str = "") -> None:
    """The title at the upper left, in bold, and under it what a reader must know."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold", color=theme.ink)
    if note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=8, color=theme.quiet)


def swatch(axes: Axes, title: str, colour: str) -> None:
    """A title with its colour before it, so that the title is the key."""
    axes.set_title(title, x=0.075, fontweight="bold")
    above = {"xytext": (0, 5.6), "textcoords": "offset points"}
    axes.annotate("■", (0, 1), xycoords="axes fraction", color=colour, fontsize=10, **above)


def bare(axes: Axes) -> None:
    """No frame and no ticks: for maps, whose scale the picture itself shows."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


def spoken(name: str) -> str:
    """A name of the library as people write it."""
    return " + ".join(part.rsplit("/", 1)[-1].replace("_", " ") for part in name.split("+"))


def save(figure: Figure, stem: Path, kinds: Sequence[str] = ("png", "svg")) -> list[Path]:
    """The figure as files such as `stem.png` and `stem.svg`; each is whole or not there."""
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in kinds]
    for path in paths:
        with write_aside(path) as aside, matplotlib.rc_context({"svg.hashsalt": "sciql"}):
            figure.savefig(aside, dpi=DPI, metadata=DATELESS.get(path.suffix))
    return paths


def png(figure: Figure) -> bytes:
    """The figure for a screen."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=SCREEN_DPI, format="png")
    return buffer.getvalue()
