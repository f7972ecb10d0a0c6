"""Windows of steps around every step of every episode, all at once by running totals."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped


@dataclass(frozen=True)
class Windows:
    """One window of consecutive steps a step; none reaches into another episode."""

    starts: Int[np.ndarray, " e_1"]
    opening: Int[np.ndarray, " n"]
    """Where each window opens among the running totals of its episode."""
    closing: Int[np.ndarray, " n"]
    """Where it closes there."""

    @classmethod
    def centred(cls, starts: Int[np.ndarray, " e_1"], size: int) -> "Windows":
        """The `size` steps (an odd number) of which each step is the middle, cut at the ends of its episode."""
        lengths = np.diff(starts)
        # Every episode before a row adds one running total, its leading zero.
        shift = np.repeat(np.arange(len(lengths)), lengths)
        rows = np.arange(starts[-1]) + shift
        first, end = starts[:-1][shift] + shift, starts[1:][shift] + shift
        reach = size // 2
        return cls(starts, np.maximum(rows - reach, first), np.minimum(rows + reach + 1, end))

    def pairs(self) -> "Windows":
        """The same windows without their last step: what a column of differences to the next step has inside them."""
        return Windows(self.starts, self.opening, np.maximum(self.closing - 1, self.opening))

    def sums(self, values: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, " n"]:
        totals = running_totals(values, self.starts)
        return totals[self.closing] - totals[self.opening]

    def means(self, values: Shaped[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Mean of each window; 0 for an empty one."""
        return self.sums(values) / np.maximum(self.closing - self.opening, 1)


def running_totals(values: Shaped[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"]) -> Shaped[np.ndarray, " n_e"]:
    """For every episode a 0, then the sums of its first 1, 2, ... values.

    Each episode begins anew, so that the rounding of one never shows in the label of another.
    """
    totals = np.zeros(len(values) + len(starts) - 1, np.float64 if values.dtype.kind == "f" else np.int64)
    for zeros, (first, end) in enumerate(pairwise(starts.tolist()), start=1):
        np.cumsum(values[first:end], dtype=totals.dtype, out=totals[first + zeros : end + zeros])
    return totals


def majority(
    labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], radius: int, count: int
) -> Int[np.ndarray, " n"]:
    """The label that most of the steps t-w+1 ... t+w-1 bear, w being the radius; a tie keeps the label of step t."""
    if radius == 1:
        return labels
    windows = Windows.centred(starts, 2 * radius - 1)
    winner, most = labels, np.zeros(len(labels), np.int64)
    for style in range(count):
        wears: Bool[np.ndarray, " n"] = labels == style
        votes = windows.sums(wears)
        winner = np.where(votes > most, style, np.where(votes == most, labels, winner))
        most = np.maximum(votes, most)
    return winner
