"""What our cells say about the paper's: reproduced, better, worse, or inconclusive at the seeds we have.

The rule: both sides are samples over seeds with one common deviation s, pooled from ours and the paper's printed one
(five seeds). The interval of the difference ours - paper at 95 % is d ± t s sqrt(1/n + 1/5), t of Student's
distribution with n + 3 degrees of freedom. A cell is *reproduced* when that interval lies within ± MARGIN points,
else *better* or *worse* when it lies wholly on one side of 0, else *inconclusive*.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sciql.benchmark.grid import GRID_METHODS, datasets, pairs_of
from sciql.benchmark.scores import Grid, Value, over_criteria, value
from sciql.paper import Figure, Metric, figure

MARGIN = 5.0
"""Points that make no difference."""
LEVEL = 0.95
PAPER_SEEDS = 5
RULE = (
    f"The 95 % interval of ours - paper (Student's t, deviation over seeds pooled from both, {PAPER_SEEDS} seeds on "
    f"the paper's side): reproduced if it lies within ± {MARGIN:g} points, else better or worse if it lies on one side "
    "of 0, else inconclusive."
)

Verdict = Literal["reproduced", "better", "worse", "inconclusive", "missing"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "better", "worse", "inconclusive", "missing")


@dataclass(frozen=True)
class Judged:
    """One number of the paper, and ours."""

    dataset: str
    criterion: str
    method: str
    metric: Metric
    paper: Figure
    ours: Value | None
    interval: tuple[float, float] | None
    """Of the difference, ours less the paper's."""
    verdict: Verdict


def judge(grid: Grid) -> list[Judged]:
    """Every number that the paper prints about the datasets of the grid."""
    return [_judged(*line) for line in _lines(grid)]


def _lines(grid: Grid) -> Iterator[tuple[str, str, str, Metric, Figure, Value | None]]:
    metrics: tuple[Metric, ...] = ("style", "task")
    for dataset in datasets():
        for method in GRID_METHODS:
            for metric in metrics:
                for pair in pairs_of(dataset):
                    if printed := figure(dataset, pair.short, method, metric):
                        yield dataset, pair.short, method, metric, printed, value(grid, pair, method, metric)
                if printed := figure(dataset, "all", method, metric):
                    yield dataset, "all", method, metric, printed, over_criteria(grid, dataset, method, metric)


def _judged(dataset: str, criterion: str, method: str, metric: Metric, paper: Figure, ours: Value | None) -> Judged:
    interval = None if ours is None else difference(ours, paper)
    return Judged(dataset, criterion, method, metric, paper, ours, interval, verdict(interval))


def difference(ours: Value, paper: Figure) -> tuple[float, float]:
    """The interval of ours less the paper's."""
    from scipy.special import stdtrit

    # Deviations of a sample are divided by its size here, so that their squares times it are sums of squares.
    squares = ours.seeds * (ours.std or 0.0) ** 2 + PAPER_SEEDS * paper.std**2
    freedom = ours.seeds - 1 + PAPER_SEEDS - 1
    error = (squares / freedom * (1 / ours.seeds + 1 / PAPER_SEEDS)) ** 0.5
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    middle = ours.mean - paper.mean
    return middle - reach, middle + reach


def verdict(interval: tuple[float, float] | None) -> Verdict:
    """The rule."""
    if interval is None:
        return "missing"
    low, high = interval
    if low >= -MARGIN and high <= MARGIN:
        return "reproduced"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "inconclusive"


def counts(judged: Sequence[Judged]) -> dict[Verdict, int]:
    """How often each verdict was given."""
    found = Counter(cell.verdict for cell in judged)
    return {verdict: found[verdict] for verdict in VERDICTS}
