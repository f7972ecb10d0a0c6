"""Scores of rollouts: style alignment, task return, and how scores over seeds are summed up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

if TYPE_CHECKING:
    from sciql.envs.simulator import EnvironmentSpec


def alignment(
    labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], asked: int | Int[np.ndarray, " e"]
) -> Float[np.ndarray, " e"]:
    """Empirical style alignment of each episode, 0 to 1: the share of its steps that bear the style asked for.

    `asked` is one style for all episodes, or one for each.
    """
    lengths = np.diff(starts)
    wanted = np.repeat(np.broadcast_to(asked, lengths.shape), lengths)
    return np.add.reduceat((labels == wanted).astype(np.float64), starts[:-1]) / lengths


def normalised_return(returns: Float[np.ndarray, " e"], spec: "EnvironmentSpec") -> Float[np.ndarray, " e"]:
    """Returns in points: 0 for the lowest of the environment's range, 100 for the highest."""
    low, high = spec.task_range
    return 100 * (returns - low) / (high - low)


@dataclass(frozen=True)
class Summary:
    """A mean and the standard deviation around it (of these scores themselves: divided by their number)."""

    mean: float
    std: float


def summary(scores: Float[np.ndarray, " n"]) -> Summary:
    return Summary(float(np.mean(scores)), float(np.std(scores)))


def interquartile_mean(scores: Float[np.ndarray, " n"]) -> float:
    """Mean without the lowest and the highest quarter (rounded down to whole scores)."""
    cut = len(scores) // 4
    return float(np.mean(np.sort(scores)[cut : len(scores) - cut]))


def bootstrap_interval(
    scores: Float[np.ndarray, " n"],
    statistic: Callable[[Float[np.ndarray, " n"]], float] = interquartile_mean,
    *,
    seed: int = 0,
    level: float = 0.95,
    draws: int = 2000,
) -> tuple[float, float]:
    """The interval that holds a share `level` of the statistic over samples drawn anew from the scores."""
    scores = np.asarray(scores)
    picks = np.random.default_rng(seed).integers(0, len(scores), (draws, len(scores)))
    drawn = [statistic(scores[pick]) for pick in picks]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def stratified_interval(
    groups: Sequence[Float[np.ndarray, " n"]], *, seed: int = 0, level: float = 0.95, draws: int = 2000
) -> tuple[float, float]:
    """The interval of the interquartile mean over all groups, each group's scores drawn anew among themselves.

    A group holds the seeds of one style: what is asked for is the same in every sample, who was trained is not.
    """
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([group[rng.integers(0, len(group), (draws, len(group)))] for group in groups], axis=1)
    cut = drawn.shape[1] // 4
    means = np.sort(drawn, axis=1)[:, cut : drawn.shape[1] - cut].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def hypervolume(points: Float[np.ndarray, "k 2"], reference: tuple[float, float] = (0.0, 0.0)) -> float:
    """The area above the reference that at least one of the points reaches in both objectives (more is better)."""
    gains = np.maximum(np.asarray(points, np.float64) - np.asarray(reference), 0)
    widths, heights = gains[np.argsort(-gains[:, 0])].T
    # From the widest point to the narrowest, each adds the strip by which it is the highest so far.
    tallest = np.maximum.accumulate(heights)
    return float(np.sum(widths * np.diff(tallest, prepend=0.0)))
