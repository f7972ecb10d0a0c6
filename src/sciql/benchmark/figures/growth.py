"""Figures of scores along something that grows: label noise, gradient steps, seconds."""

from collections.abc import Iterator, Sequence

import numpy as np

from sciql.benchmark.figures.lines import Line, Panel, line_panels
from sciql.benchmark.grid import STYLE_METHODS
from sciql.benchmark.scores import Grid, Scores, mean_value
from sciql.benchmark.shelf import Shelf
from sciql.benchmark.studies import get_study
from sciql.methods import get_method
from sciql.plots.exhibits import Exhibit
from sciql.plots.house import spoken


def noise(shelf: Shelf) -> Iterator[Exhibit]:
    zetas = {variant.noise: shelf.grids("noise")[variant.name] for variant in get_study("noise").variants}
    keys = sorted({key[:2] for zeta, grid in zetas.items() if zeta for key in grid if _learns(key[2])})
    if not keys:
        return
    panels = [
        Panel(
            f"{dataset}\n{spoken(criterion)}",
            _lines(zetas, [(dataset, criterion)]),
            "ζ, share of wrong labels",
            1 - 1 / _labels(zetas, dataset, criterion),
        )
        for dataset, criterion in keys
    ]
    if len(keys) > 1:
        panels.append(Panel("mean", _lines(zetas, keys), "ζ, share of wrong labels", _common(panels)))
    yield Exhibit(
        "noise",
        "Ablations",
        "A share ζ of the labels is replaced by wrong ones; scores are by the right ones. From 1 - 1/n on (n styles) "
        "the right label of a step is no longer its likeliest. Bands are deviations over seeds.",
        lambda theme, columns: line_panels(panels, "Alignment under label noise", "", theme, columns),
        panels=True,
    )


def cost(shelf: Shelf) -> Iterator[Exhibit]:
    """Alignment against steps and seconds, over the pairs that every factor has of a method."""
    grids = list(shelf.grids("steps").values())
    common = sorted({key[:2] for key in grids[0]})
    keys = [pair for pair in common if all(any(key[:2] == pair for key in grid) for grid in grids)]
    if not keys:
        return
    panels = []
    for unit, xlabel in (("steps", "gradient steps of all stages"), ("seconds", "seconds of training")):
        lines = []
        for colour, method in enumerate(STYLE_METHODS):
            there = [grid for grid in grids if all((*key, method) in grid for key in keys)]
            if len(there) > 1:
                lines.append(_cost_line(there, keys, method, unit, colour))
        panels.append(Panel(f"against {unit}", tuple(lines), xlabel, logarithmic=True))
    if any(panel.lines for panel in panels):
        shown = ", ".join(f"{spoken(criterion)} on {dataset}" for dataset, criterion in keys)
        yield Exhibit(
            "cost",
            "What it costs",
            f"Each point is a training of its own, from an eighth to twice the default's steps; mean over {shown}. "
            "Fits that methods share are counted for each of them.",
            lambda theme, columns: line_panels(panels, "Alignment and effort", "", theme, columns),
            panels=True,
        )


def _cost_line(grids: Sequence[Grid], keys: Sequence[tuple[str, str]], method: str, unit: str, colour: int) -> Line:
    points = []
    for grid in grids:
        scores = [grid[(*key, method)] for key in keys]
        value = mean_value([one.value("style") for one in scores])
        assert value is not None, "chosen because all are there"
        points.append((float(np.mean([_effort(one, unit) for one in scores])), value.mean, value.std or 0.0))
    x, y, spread = zip(*sorted(points), strict=True)
    return Line(get_method(method).title, x, y, spread, colour)


def _effort(scores: Scores, unit: str) -> float:
    """Steps or seconds of all stages of a training, without judging it."""
    return float(
        np.mean([sum(count for stage, count in one[unit].items() if stage != "rollouts") for one in scores.documents])
    )


def _lines(by: dict[float, Grid], keys: Sequence[tuple[str, str]]) -> tuple[Line, ...]:
    """A line a method, over the places where it has all of these pairs."""
    lines = []
    for colour, method in enumerate(STYLE_METHODS):
        points = []
        for x, grid in by.items():
            value = mean_value([one.value("style") if (one := grid.get((*key, method))) else None for key in keys])
            if value is not None:
                points.append((x, value.mean, value.std or 0.0))
        if points:
            x, y, spread = zip(*points, strict=True)
            lines.append(Line(get_method(method).title, x, y, spread, colour))
    return tuple(lines)


def _common(panels: Sequence[Panel]) -> float | None:
    """The threshold that all panels share, if they do."""
    thresholds = {panel.threshold for panel in panels}
    return thresholds.pop() if len(thresholds) == 1 else None


def _learns(method: str) -> bool:
    """Whether noise on the labels reaches a method at all."""
    return get_method(method).conditioned


def _labels(by: dict[float, Grid], dataset: str, criterion: str) -> int:
    found = next(one for grid in by.values() for key, one in grid.items() if key[:2] == (dataset, criterion))
    return len(found.documents[0]["cell"]["criterion"]["styles"])
