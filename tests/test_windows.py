"""Windows beside a loop over every step of every episode."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sciql.criteria.windows import Windows, majority

LENGTHS = st.lists(st.integers(1, 12), min_size=1, max_size=5)
SIZES = st.sampled_from([1, 3, 5, 11, 51])


def starts_of(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)])


def naive_windows(starts: np.ndarray, size: int) -> list[range]:
    """The rows of each step's window."""
    reach = size // 2
    return [
        range(max(row - reach, first), min(row + reach + 1, end))
        for first, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        for row in range(first, end)
    ]


@settings(deadline=None)
@given(LENGTHS, SIZES, st.integers(0, 2**32 - 1))
def test_means_are_those_of_a_loop(lengths: list[int], size: int, seed: int) -> None:
    starts = starts_of(lengths)
    values = np.random.default_rng(seed).normal(size=starts[-1])
    means = Windows.centred(starts, size).means(values)
    np.testing.assert_allclose(means, [values[list(rows)].mean() for rows in naive_windows(starts, size)], atol=1e-12)


@settings(deadline=None)
@given(LENGTHS, SIZES, st.integers(0, 2**32 - 1))
def test_pairs_hold_the_differences_inside_a_window(lengths: list[int], size: int, seed: int) -> None:
    starts = starts_of(lengths)
    values = np.random.default_rng(seed).normal(size=starts[-1])
    sums = Windows.centred(starts, size).pairs().sums(np.diff(values, append=0.0))
    np.testing.assert_allclose(
        sums, [values[rows[-1]] - values[rows[0]] for rows in naive_windows(starts, size)], atol=1e-12
    )


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_majority_is_that_of_a_loop(lengths: list[int], radius: int, seed: int) -> None:
    starts = starts_of(lengths)
    labels = np.random.default_rng(seed).integers(0, 3, starts[-1])
    for row, rows in enumerate(naive_windows(starts, 2 * radius - 1)):
        votes = Counter(labels[list(rows)].tolist())
        winners = [label for label, count in votes.items() if count == max(votes.values())]
        # A tie keeps the centre's own label, even where two others tie.
        expected = winners[0] if len(winners) == 1 else labels[row]
        assert majority(labels, starts, radius, 3)[row] == expected


def test_a_tie_keeps_the_label_of_the_centre() -> None:
    labels = np.array([0, 0, 1, 2, 2])
    assert majority(labels, np.array([0, 5]), 3, 3)[2] == 1


def test_a_majority_never_asks_another_episode() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    assert majority(labels, np.array([0, 3, 6]), 3, 2).tolist() == labels.tolist()
