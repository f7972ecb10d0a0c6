"""The figures printed in the paper, so that ours can stand beside them."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Metric = Literal["style", "task"]
TABLE_NAMES = {"sciql_style_task": "sciql_style_over_task", "sciql_task_style": "sciql_task_over_style"}
"""What the tables call a method, where it is not our name."""


@dataclass(frozen=True)
class Figure:
    """A mean over seeds and its standard deviation, both in points of 0 to 100."""

    mean: float
    std: float

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.std:.1f}"


def figure(dataset: str, criterion: str, method: str, metric: Metric = "style") -> Figure | None:
    """What the paper prints for one cell of its tables, or None where it prints nothing.

    `criterion` may be its short or its whole name, or "all" for the mean over the dataset's criteria.
    """
    return _figures().get((dataset, criterion.rsplit("/", 1)[-1], TABLE_NAMES.get(method, method), metric))


def figure_of(dataset: str, criterion: str, method: str, metric: Metric) -> Figure | None:
    """The same for a criterion's own name: one of a user's may be called as the paper's are, and is another."""
    from sciql.criteria import CRITERIA

    return figure(dataset, criterion, method, metric) if criterion in CRITERIA else None


def chi_figure(dataset: str, estimator: str) -> Figure | None:
    """The ablation of the estimators of p(z|s,a); `estimator` reads like "sciql_mine"."""
    return _chi_figures().get((dataset, estimator))


@dataclass(frozen=True)
class Complexity:
    """How much the paper trained and judged, for one criterion of one environment."""

    environment: str
    criterion: str
    labels: int
    datasets: int
    seeds: int
    trainings: int
    """It counts one for every label."""
    episodes: int


@cache
def complexity() -> tuple[Complexity, ...]:
    """The paper's table of the scale of its experiments."""
    names = ("labels", "datasets", "seeds", "trainings", "episodes")
    return tuple(
        Complexity(row["environment"], row["criterion"], **{name: int(row[name]) for name in names})
        for row in _rows("complexity")
    )


@cache
def _figures() -> dict[tuple[str, str, str, str], Figure]:
    # The two tables overlap; where both hold a cell they agree, and the one with the task figures is read last.
    alignment = {(r["dataset"], r["criterion"], r["algorithm"], "style"): _read(r) for r in _rows("style_alignment")}
    both = {(r["dataset"], r["criterion"], r["algorithm"], r["metric"]): _read(r) for r in _rows("style_and_task")}
    return alignment | both


@cache
def _chi_figures() -> dict[tuple[str, str], Figure]:
    return {(r["dataset"], r["estimator"]): _read(r) for r in _rows("chi_estimators")}


def _read(row: dict[str, str]) -> Figure:
    return Figure(float(row["mean"]), float(row["std"]))


def _rows(table: str) -> Iterator[dict[str, str]]:
    text = (files("sciql") / "data" / "paper" / f"{table}.csv").read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
