"""From the episodes of cells to means, spreads and intervals over seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from jaxtyping import Float

from sciql.benchmark.cells import Cell
from sciql.benchmark.grid import Pair, pairs_of
from sciql.benchmark.store import Document, Results
from sciql.metrics import interquartile_mean, stratified_interval
from sciql.paper import Metric

LEAST_SEEDS = 2
"""Fewer tell nothing about the spread between seeds."""


@dataclass(frozen=True)
class Scores:
    """A method on a pair, under one variant: the mean over episodes of every seed and style."""

    seeds: tuple[int, ...]
    styles: tuple[str, ...]
    style: Float[np.ndarray, "seeds styles"]
    task: Float[np.ndarray, "seeds styles"]
    documents: tuple[Document, ...]

    def of(self, metric: Metric) -> Float[np.ndarray, "seeds styles"]:
        return self.style if metric == "style" else self.task

    def value(self, metric: Metric) -> "Value":
        """The mean, and the paper's spread: the deviation over seeds, averaged over styles."""
        scores = self.of(metric)
        spread = float(scores.std(axis=0).mean()) if len(self.seeds) >= LEAST_SEEDS else None
        return Value(float(scores.mean()), spread, len(self.seeds))


@dataclass(frozen=True)
class Value:
    """A score in points of 0 to 100, and what is known of its spread."""

    mean: float
    std: float | None
    """Over seeds; None with a single one."""
    seeds: int
    """The fewest that any of its parts has."""
    interval: tuple[float, float] | None = None


Key = tuple[str, str, str]
"""Dataset, criterion by its short name, method."""
Grid = Mapping[Key, Scores]


def gather(results: Results, cells: Iterable[Cell]) -> dict[Key, Scores]:
    """The cells that are there, seeds together."""
    found: dict[Key, dict[int, Document]] = {}
    for cell in cells:
        if (document := results.of(cell)) is not None:
            found.setdefault((cell.pair.dataset, cell.pair.short, cell.method), {})[cell.seed] = document
    return {key: _scores(dict(sorted(documents.items()))) for key, documents in found.items()}


def _scores(documents: Mapping[int, Document]) -> Scores:
    first = next(iter(documents.values()))["cell"]["criterion"]
    asked = [style for style, allowed in zip(first["styles"], first["promptable"], strict=True) if allowed]
    return Scores(
        seeds=tuple(documents),
        styles=tuple(asked),
        style=np.array([[fmean(row) for row in document["alignments"]] for document in documents.values()]),
        task=np.array([[fmean(row) for row in document["tasks"]] for document in documents.values()]),
        documents=tuple(documents.values()),
    )


def value(grid: Grid, pair: Pair, method: str, metric: Metric) -> Value | None:
    """One cell of the paper's tables."""
    scores = grid.get((pair.dataset, pair.short, method))
    return None if scores is None else scores.value(metric)


def over_criteria(grid: Grid, dataset: str, method: str, metric: Metric) -> Value | None:
    """The mean over a dataset's criteria; nothing unless all of them are there, as else it would be another mean."""
    return mean_value([value(grid, pair, method, metric) for pair in pairs_of(dataset)])


def mean_value(values: Sequence[Value | None]) -> Value | None:
    """Means and spreads averaged, as the paper does; nothing unless all are there."""
    there = [value for value in values if value is not None]
    if not there or len(there) < len(values):
        return None
    spreads = [value.std for value in there if value.std is not None]
    spread = fmean(spreads) if len(spreads) == len(there) else None
    return Value(fmean(value.mean for value in there), spread, min(value.seeds for value in there))


def robust(grid: Grid, dataset: str, method: str, metric: Metric) -> Value | None:
    """The interquartile mean over seeds, styles and criteria, with an interval of seeds drawn anew for each style."""
    found = [grid.get((pair.dataset, pair.short, method)) for pair in pairs_of(dataset)]
    there = [scores for scores in found if scores is not None]
    if not there or len(there) < len(found):
        return None
    groups = [column for scores in there for column in scores.of(metric).T]
    seeds = min(len(scores.seeds) for scores in there)
    interval = stratified_interval(groups) if seeds >= LEAST_SEEDS else None
    return Value(interquartile_mean(np.concatenate(groups)), None, seeds, interval)


def mean_of(rows: Sequence[Sequence[float]]) -> float:
    """The mean over styles and episodes; every style has as many of them."""
    return fmean(fmean(row) for row in rows)
