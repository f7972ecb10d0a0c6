"""Weighted regression finds the weighted mean, the weighted spread, or the weighted shares of the classes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import evidence

from sciql import weights
from sciql.fitting import Stage, fit
from sciql.methods import get_method
from sciql.networks import Conditioning, NetworkSettings
from sciql.regression import (
    Actor,
    PolicyData,
    PolicySettings,
    Regression,
    Sizes,
    drawn_weights,
    init_policy,
    normalised,
    policy_step,
    regression_loss,
)
from sciql.training import weight_of
from sciql.transitions import Columns

TABLE = np.array([[0.1, 0.6], [0.2, 0.2], [0.3, 0.1], [0.4, 0.1]], np.float32)  # W: a row a step, a column a label
ACTIONS = np.array([[-0.5], [0.0], [0.5], [0.8]], np.float32)


def learn(
    actions: np.ndarray, table: np.ndarray, conditioning: Conditioning, *, discrete: bool = False, **changes: Any
) -> Actor:
    """A policy of the one state there is."""
    networks = NetworkSettings(hidden=(16,), conditioning=conditioning, embedding=4)
    settings = PolicySettings(steps=1000, batch=128, learning_rate=1e-2, blur=0.0, **changes)
    steps = len(actions)
    columns = Columns(
        jnp.ones((steps + 1, 1)), jnp.arange(1, steps + 1), jnp.asarray(actions), jnp.ones(steps), jnp.zeros(1)
    )
    stage = Stage(
        name="policy",
        init=lambda key: init_policy(1, actions.shape[1], 2, networks, settings, key, discrete=discrete),
        step=policy_step,
        settings=Regression(settings, weights.cloning, 1.0),
        data=PolicyData(columns, evidence(proposal=table)),
        seed=0,
    )
    return fit(stage).state.actor


@pytest.mark.parametrize("conditioning", ["heads", "embedding"])
def test_the_mean_of_each_style_is_the_weighted_mean(conditioning: Conditioning) -> None:
    actor = learn(ACTIONS, TABLE, conditioning)
    shares = TABLE / TABLE.sum(axis=0)
    mean = shares.T @ ACTIONS
    spread = np.sqrt((shares.T[:, :, None] * (ACTIONS[None] - mean[:, None]) ** 2).sum(axis=1))
    np.testing.assert_allclose(actor.net(jnp.ones((1, 1)))[0], mean, atol=0.05)
    assert actor.log_std is not None
    np.testing.assert_allclose(np.exp(actor.log_std), spread, atol=0.05)


def test_drawn_labels_find_the_same_mean() -> None:
    table = TABLE / TABLE.sum(axis=1, keepdims=True)
    actor = learn(ACTIONS, table, "heads", drawn=True, spread_per_style=False)
    expected = (table / table.sum(axis=0)).T @ ACTIONS
    np.testing.assert_allclose(actor.net(jnp.ones((1, 1)))[0], expected, atol=0.08)


def test_discrete_actions_get_their_weighted_shares() -> None:
    actor = learn(np.eye(2, dtype=np.float32)[[0, 1, 0, 1]], TABLE, "heads", discrete=True)
    shares = jax.nn.softmax(actor.net(jnp.ones((1, 1)))[0], axis=-1)
    assert actor.log_std is None
    np.testing.assert_allclose(shares, [[0.4, 0.6], [0.7, 0.3]], atol=0.05)


@pytest.mark.parametrize("spreads", [1, 2])
def test_log_prob_by_hand(spreads: int) -> None:
    networks = NetworkSettings(hidden=(8,))
    settings = PolicySettings(spread_per_style=spreads == 2)
    actor = init_policy(1, 2, 2, networks, settings, jax.random.key(0)).actor
    log_std = jnp.arange(2.0 * spreads).reshape(spreads, 2) / 4
    actor = Actor(actor.net, log_std)
    states, actions = jnp.array([[1.0], [-2.0]]), jnp.array([[0.5, -0.5], [0.1, 0.2]])
    every = actor.log_prob(states, actions, None)
    for label in range(2):
        mean, std = np.asarray(actor.net(states))[:, label], np.exp(log_std[label % spreads])
        error = (np.asarray(actions) - mean) / std
        expected = (-0.5 * error**2 - np.log(std) - 0.5 * np.log(2 * np.pi)).sum(axis=1)
        np.testing.assert_allclose(every[:, label], expected, rtol=1e-5)
        drawn = actor.log_prob(states, actions, jnp.full(2, label))
        np.testing.assert_allclose(drawn[:, 0], expected, rtol=1e-5)


@pytest.mark.parametrize("method", ["cbc", "bcpmi", "sciql_style", "sciql_style_task", "sciql_task_style"])
def test_the_drawn_loss_has_the_exact_one_as_its_mean(method: str) -> None:
    actor = init_policy(1, 1, 2, NetworkSettings(hidden=(8,)), PolicySettings(), jax.random.key(0)).actor
    both = jnp.array([[0.5, -0.2]])
    known = evidence(proposal=jnp.array([[0.3, 0.7]]), style=both, information=both, task=jnp.array([[0.4]]))
    regression = Regression(PolicySettings(), weight_of(get_method(method)), 2.0)

    def loss(z: jnp.ndarray | None) -> float:
        w = drawn_weights(regression, known, z)
        return float(regression_loss(actor, jnp.ones((1, 1)), jnp.full((1, 1), 0.5), w, z))

    assert loss(None) == pytest.approx(0.3 * loss(jnp.array([0])) + 0.7 * loss(jnp.array([1])), rel=1e-5)


def test_advantages_in_units_of_their_moving_size() -> None:
    known = evidence(proposal=TABLE, style=jnp.full((4, 2), 3.0), task=jnp.full((4, 1), -5.0))
    scaled, sizes = normalised(known, Sizes(jnp.float32(25), jnp.float32(1)), rate=0.5)
    assert (float(sizes.task), float(sizes.style)) == (25, 5)
    np.testing.assert_allclose(scaled.task, -1, rtol=1e-5)
    np.testing.assert_allclose(scaled.style, 3 / 5**0.5, rtol=1e-5)
