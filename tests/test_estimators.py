"""Estimators recover a p(z | s, a) that is known: the data hold its shares exactly."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sciql.estimators import (
    Activation,
    EstimatorData,
    EstimatorSettings,
    chi,
    estimator_step,
    information_table,
    init_estimator,
    mine_objective,
)
from sciql.fitting import Stage, fit
from sciql.networks import NetworkSettings
from sciql.transitions import Columns

NETWORKS = NetworkSettings(hidden=(16,), embedding=4)
SHARES = np.array([[0.8, 0.2], [0.3, 0.7]])  # a row an action, a column a label
PRIOR = SHARES.mean(axis=0)
TRUTH = np.log(SHARES / PRIOR)


def estimate(activation: Activation, **changes: Any) -> np.ndarray:
    """T of both actions and labels, from ten steps of each action in the one state there is."""
    settings = EstimatorSettings(activation=activation, steps=800, batch=256, learning_rate=3e-3, **changes)
    actions = np.repeat([0, 1], 10)
    labels = np.array([0] * 8 + [1] * 2 + [0] * 3 + [1] * 7)
    columns = Columns(jnp.ones((21, 1)), jnp.arange(1, 21), jnp.eye(2)[actions], jnp.ones(20), jnp.zeros(1))
    prior = jnp.asarray(PRIOR, jnp.float32)
    stage = Stage(
        name="estimator",
        init=lambda key: init_estimator(1, 2, 2, NETWORKS, settings, key),
        step=estimator_step,
        settings=settings,
        data=EstimatorData(columns, jnp.eye(2)[labels], prior),
        seed=0,
    )
    return np.asarray(information_table(fit(stage).state.net, jnp.ones((2, 1)), jnp.eye(2), prior, activation))


@pytest.mark.parametrize("drawn", [False, True])
def test_softmax_recovers_the_probabilities(drawn: bool) -> None:
    t = estimate("softmax", drawn=drawn)
    np.testing.assert_allclose(t, TRUTH, atol=0.15)
    np.testing.assert_allclose(chi(jnp.asarray(t), jnp.asarray(PRIOR, jnp.float32)), SHARES, atol=0.08)


@pytest.mark.parametrize("activation", ["mine", "sigmoid"])
def test_mine_and_sigmoid_recover_them_up_to_the_constant_that_the_bound_leaves_free(activation: Activation) -> None:
    t = estimate(activation)
    np.testing.assert_allclose(t - t.mean(), TRUTH - TRUTH.mean(), atol=0.2)


def test_the_bound_by_hand() -> None:
    t, own, prior = jnp.log(jnp.array([[1.0, 2.0], [4.0, 8.0]])), jnp.eye(2), jnp.array([0.25, 0.75])
    joint = (np.log(1) + np.log(8)) / 2
    every = (0.25 * 1 + 0.75 * 2 + 0.25 * 4 + 0.75 * 8) / 2
    assert float(mine_objective(t, own, prior, None)) == pytest.approx(joint - np.log(every), rel=1e-5)
    drawn = mine_objective(t, own, prior, jnp.array([1, 0]))
    assert float(drawn) == pytest.approx(joint - np.log((2 + 4) / 2), rel=1e-5)


def test_the_bound_is_highest_at_the_truth() -> None:
    own = jnp.asarray(np.eye(2)[[0] * 8 + [1] * 2 + [0] * 3 + [1] * 7])
    truth, prior = jnp.asarray(np.repeat(TRUTH, 10, axis=0)), jnp.asarray(PRIOR)
    best = float(mine_objective(truth, own, prior, None))
    for scale in (0.5, 0.9, 1.1, 2.0):
        assert float(mine_objective(scale * truth, own, prior, None)) < best
