"""Scores worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciql.envs import get_spec
from sciql.metrics import alignment, bootstrap_interval, hypervolume, interquartile_mean, normalised_return, summary

LABELS = np.array([0, 1, 1, 1, 0])
STARTS = np.array([0, 3, 5])


def test_alignment_is_the_share_of_an_episodes_steps() -> None:
    np.testing.assert_allclose(alignment(LABELS, STARTS, 1), [2 / 3, 1 / 2])
    np.testing.assert_allclose(alignment(LABELS, STARTS, np.array([0, 1])), [1 / 3, 1 / 2])


def test_returns_are_points_of_the_environments_range() -> None:
    spec = get_spec("sciql/Circle2d-v0")
    np.testing.assert_allclose(normalised_return(np.array([0.0, 250.0, 1000.0]), spec), [0, 25, 100])
    plain = get_spec("sciql/Circle2d-v0", reward="neg_abs")
    low, high = plain.task_range
    assert high == 0
    np.testing.assert_allclose(normalised_return(np.array([low, 0.0]), plain), [0, 100])


def test_summary_divides_by_the_number_of_scores() -> None:
    assert (summary(np.array([1.0, 3.0])).mean, summary(np.array([1.0, 3.0])).std) == (2.0, 1.0)


def test_interquartile_mean_leaves_out_the_outer_quarters() -> None:
    assert interquartile_mean(np.array([100.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -50.0])) == pytest.approx(3.5)
    assert interquartile_mean(np.array([1.0, 2.0, 6.0])) == pytest.approx(3.0)


def test_an_interval_holds_the_statistic_and_is_the_same_every_time() -> None:
    scores = np.random.default_rng(0).normal(50, 5, 30)
    low, high = bootstrap_interval(scores)
    assert low < interquartile_mean(scores) < high
    assert (low, high) == bootstrap_interval(scores)


def test_hypervolume_of_steps() -> None:
    assert hypervolume(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])) == pytest.approx(6.0)
    assert hypervolume(np.array([[2.0, 2.0], [1.0, 1.0]])) == pytest.approx(4.0)
    assert hypervolume(np.array([[2.0, 3.0]]), reference=(1.0, 1.0)) == pytest.approx(2.0)
    assert hypervolume(np.array([[-1.0, 5.0]])) == 0.0


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6))
def test_hypervolume_is_the_area_that_the_points_cover(points: list[tuple[int, int]]) -> None:
    covered = {(x, y) for width, height in points for x in range(width) for y in range(height)}
    assert hypervolume(np.array(points, float)) == pytest.approx(len(covered))
