"""Expectile regression on a chain of two states whose values are known.

The action names the state to go to, both are as frequent everywhere, and a label's reward is 0 for its own action and
-1 for the other. Then V = kappa (0 + gamma V) + (1 - kappa) (-1 + gamma V), that is V = -(1 - kappa) / (1 - gamma), and
an action's advantage is 1 - kappa for its own label and -kappa for another.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import from_steps

from sciql.fitting import Stage, fit
from sciql.networks import Conditioning, NetworkSettings
from sciql.transitions import transitions
from sciql.values import (
    ValueBatch,
    ValueData,
    ValueSettings,
    advantages,
    expectile_loss,
    init_values,
    value_loss,
    value_step,
)

GAMMA = 0.5
SETTINGS = ValueSettings(steps=1000, batch=64, learning_rate=1e-2, discount=GAMMA, polyak=0.05)
NETWORKS = NetworkSettings(hidden=(16,), embedding=4, normalise=False)


def solve(rewards: np.ndarray, networks: NetworkSettings, settings: ValueSettings) -> tuple[np.ndarray, np.ndarray]:
    """V of both states and the advantages of both actions in the first, for every label."""
    actions = np.random.default_rng(0).permutation(np.arange(400) % 2)
    states = np.eye(2)[np.concatenate([[0], actions])]
    episodes = from_steps(
        states[:-1], actions, np.zeros(400), lengths=[400], final_observations=states[-1:], discrete_actions=2
    )
    seen, labels = transitions(episodes, networks), rewards.shape[1]
    stage = Stage(
        name="values",
        init=lambda key: init_values(2, 2, labels, networks, settings, key),
        step=value_step,
        settings=settings,
        data=ValueData(seen.columns, jnp.asarray(rewards[actions]), jnp.full((1, labels), 1 / labels)),
        seed=0,
    )
    values = fit(stage).state.slow
    scale = 1 - GAMMA if settings.averaged else 1.0
    v = np.asarray(values.v(jnp.eye(2))[..., 0]) / scale
    return v, np.asarray(advantages(values, jnp.eye(2)[jnp.zeros(2, int)], jnp.eye(2), settings))


@pytest.mark.parametrize(
    ("conditioning", "changes"),
    [
        ("heads", {"expectile": 0.5}),
        ("heads", {"expectile": 0.9, "averaged": False, "drawn": True}),
        ("embedding", {"expectile": 0.9}),
    ],
)
def test_values_of_two_styles_at_once(conditioning: Conditioning, changes: dict[str, float]) -> None:
    settings = replace(SETTINGS, **changes)
    kappa = settings.expectile
    v, advantage = solve(np.eye(2, dtype=np.float32) - 1, replace(NETWORKS, conditioning=conditioning), settings)
    np.testing.assert_allclose(v, -(1 - kappa) / (1 - GAMMA), atol=0.1)
    np.testing.assert_allclose(advantage, np.eye(2) - kappa, atol=0.1)


def test_values_of_the_task_come_near_the_optimum() -> None:
    kappa = 0.95
    v, advantage = solve(np.array([[0.0], [1.0]], np.float32), NETWORKS, replace(SETTINGS, expectile=kappa))
    np.testing.assert_allclose(v, kappa / (1 - GAMMA), atol=0.15)
    np.testing.assert_allclose(advantage[:, 0], [-kappa, 1 - kappa], atol=0.1)


def test_the_last_step_of_an_episode_bootstraps_nothing() -> None:
    batch = one_transition()._replace(continues=jnp.zeros(1))
    state = init_values(2, 2, 2, NETWORKS, SETTINGS, jax.random.key(0))
    far = batch._replace(next_states=100 * batch.next_states)
    settings = replace(SETTINGS, averaged=False)
    assert value_loss(state.values, state.slow, batch, None, settings)[0] == pytest.approx(
        value_loss(state.values, state.slow, far, None, settings)[0]
    )


def test_expectile_loss_by_hand() -> None:
    assert expectile_loss(jnp.array([2.0, -2.0, 0.0]), 0.7).tolist() == pytest.approx([2.8, 1.2, 0.0])


def one_transition() -> ValueBatch:
    return ValueBatch(
        states=jnp.array([[1.0, 0.0]]),
        actions=jnp.array([[0.0, 1.0]]),
        next_states=jnp.array([[0.3, 1.0]]),
        rewards=jnp.array([[-1.0, 0.0]]),
        continues=jnp.ones(1),
        proposal=jnp.array([[0.3, 0.7]]),
    )


@pytest.mark.parametrize("conditioning", ["heads", "embedding"])
def test_the_drawn_loss_has_the_exact_one_as_its_mean(conditioning: Conditioning) -> None:
    batch = one_transition()
    networks = replace(NETWORKS, conditioning=conditioning)
    values = init_values(2, 2, 2, networks, SETTINGS, jax.random.key(0)).values
    slow = init_values(2, 2, 2, networks, SETTINGS, jax.random.key(1)).values
    exact, _ = value_loss(values, slow, batch, None, SETTINGS)
    drawn = [float(value_loss(values, slow, batch, jnp.array([label]), SETTINGS)[0]) for label in range(2)]
    assert float(exact) == pytest.approx(0.3 * drawn[0] + 0.7 * drawn[1], rel=1e-5)
