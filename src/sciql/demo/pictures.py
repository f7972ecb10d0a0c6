"""The pictures of a demo, each for light and dark screens and, where it is wide, for narrow ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from sciql.criteria import label_report
from sciql.paper import figure as printed
from sciql.plots import DARK, LIGHT, Row, Theme, bars, curves, has_paths, histograms, matrix, paths, save
from sciql.plots.house import png, spoken

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.demo import Act, Result
    from sciql.episodes import Episodes

WIDE, NARROW = 4, 2  # panels in a row


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


def exhibits(result: "Result", criterion: "Criterion", episodes: "Episodes") -> list[Exhibit]:
    """What a demo shows, in order."""
    report = label_report(criterion, episodes)
    rows = [_row(act, result) for act in result.acts]
    scores = Exhibit(
        "scores",
        "Beside the paper",
        f"Mean over all styles of {spoken(criterion.name)}; ours is one seed, the paper's are its own.",
        lambda theme, columns: bars(rows, result.title, theme, stacked=columns == NARROW),
        panels=True,
    )
    labels = Exhibit(
        "labels",
        "The data",
        "What the labelling function says about the data that both methods learnt from.",
        lambda theme, columns: histograms([criterion], [report], theme),
    )
    shown = [exhibit for act in result.acts for exhibit in _shown(act, criterion)]
    return [scores, *shown, labels, *(_learning(act) for act in result.acts if act.curve)]


def _row(act: "Act", result: "Result") -> Row:
    style = act.evaluation.style
    assert style is not None, "the demo always evaluates on a criterion"
    cell = (result.dataset, result.criterion, act.method)
    return Row(act.title, style, act.evaluation.task, printed(*cell, "style"), printed(*cell, "task"))


def _shown(act: "Act", criterion: "Criterion") -> list[Exhibit]:
    """What one method does when it is asked for each style."""
    title = f"{act.title}, asked for {spoken(criterion.name)}"
    maps = Exhibit(
        f"rollouts-{act.method}",
        act.title,
        "Five episodes for every style asked for, from the same starts for both methods.",
        lambda theme, columns: paths(act.evaluation, title, theme, columns),
        panels=True,
    )
    table = Exhibit(
        f"matrix-{act.method}",
        act.title,
        "A good policy draws a diagonal.",
        lambda theme, columns: matrix(act.evaluation, title, theme),
    )
    return [maps, table] if has_paths(act.evaluation) else [table]


def _learning(act: "Act") -> Exhibit:
    return Exhibit(
        f"learning-{act.method}",
        "How training went",
        "Every metric of every stage.",
        lambda theme, columns: curves(act.curve, f"Training {act.title}", theme, columns),
        panels=True,
    )


def hang(exhibits: Sequence[Exhibit], folder: Path) -> list[Hung]:
    """Draw all exhibits: into files for papers, and into memory for the page."""
    hung = []
    for exhibit in exhibits:
        light = exhibit.draw(LIGHT, WIDE)
        save(light, folder / exhibit.name)
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
