"""Tables of labels, worked out by hand, and pollution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciql.criteria import Criterion
from sciql.errors import SciqlError
from sciql.labels import future, mixture, own, pollute, random, require_support, support

LABELS = np.array([0, 1, 1, 2, 0])
STARTS = np.array([0, 3, 5])


def three_styles(promptable: tuple[bool, ...] = ()) -> Criterion:
    return Criterion(
        name="three",
        styles=("a", "b", "c"),
        signals=("x",),
        function=lambda columns, starts: columns["x"].astype(int),
        promptable=promptable,
    )


def test_own_label_is_one_hot() -> None:
    assert own(LABELS, 3).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_future_counts_the_step_itself_and_stops_at_the_end_of_the_episode() -> None:
    expected = [[1 / 3, 2 / 3, 0], [0, 1, 0], [0, 1, 0], [0.5, 0, 0.5], [1, 0, 0]]
    np.testing.assert_allclose(future(LABELS, STARTS, 3), expected, rtol=1e-6)


def test_random_is_the_share_among_all_steps() -> None:
    np.testing.assert_allclose(random(LABELS, 3), [0.4, 0.4, 0.2], rtol=1e-6)
    assert support(LABELS, 4)[3] == 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_mixture_is_a_distribution_over_the_labels(first: float, second: float) -> None:
    c, f = first * second, first * (1 - second)
    table = mixture(LABELS, STARTS, 3, c=c, f=f, r=1 - first)
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("shares", [{"c": 0.5}, {"c": -1.0, "f": 2.0}, {}])
def test_shares_that_do_not_sum_to_one_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(SciqlError, match="sum to 1"):
        mixture(LABELS, STARTS, 3, **shares)


def test_pollution_changes_the_asked_for_share_to_other_labels_evenly() -> None:
    labels = np.full(60_000, 1)
    polluted = pollute(labels, 3, 0.3, seed=0)
    np.testing.assert_allclose(support(polluted, 3), [0.15, 0.7, 0.15], atol=0.01)
    assert (polluted == pollute(labels, 3, 0.3, seed=0)).all()
    assert (polluted != pollute(labels, 3, 0.3, seed=1)).any()


def test_pollution_of_none_and_of_all() -> None:
    labels = np.arange(300) % 3
    assert (pollute(labels, 3, 0.0, seed=0) == labels).all()
    assert (pollute(labels, 3, 1.0, seed=0) != labels).all()


def test_a_style_that_never_occurs_is_named_unless_it_cannot_be_asked_for() -> None:
    labels = np.array([0, 1, 1])
    with pytest.raises(SciqlError, match="style c of three never occurs in the data; ask for a, b only"):
        require_support(labels, three_styles())
    require_support(labels, three_styles((True, True, False)))
