"""Episodes on the device."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from tiny import from_steps, tiny_episodes

from sciql.envs.circle2d_agent import demonstrate
from sciql.episodes import Episodes
from sciql.networks import NetworkSettings
from sciql.transitions import at_rows, blurred, draw_rows, remembering, transitions

RAW = NetworkSettings(normalise=False)
THREE_STEPS = from_steps(
    [[0.0], [1.0], [2.0]], [[-1.0], [0.0], [1.0]], [0, 0, 0], lengths=[2, 1], final_observations=[[10.0], [20.0]]
)


def test_the_state_after_a_step_is_the_next_row_or_the_final_observation() -> None:
    columns = transitions(THREE_STEPS, RAW).columns
    assert columns.states[columns.following][:, 0].tolist() == [1.0, 10.0, 20.0]
    assert columns.continues.tolist() == [1, 0, 0]


def test_actions_keep_off_their_bounds() -> None:
    actions = np.asarray(transitions(THREE_STEPS, RAW).columns.actions)[:, 0]
    assert actions[1] == 0
    assert 0.9999 < actions[2] == -actions[0] < 1


def test_columns_are_standardised_if_asked_for() -> None:
    seen = transitions(tiny_episodes(), NetworkSettings())
    states = np.asarray(seen.columns.states[: seen.steps])
    for columns in (states, np.asarray(seen.columns.actions)):
        np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(columns.std(axis=0), 1, atol=1e-4)


def test_actions_are_scaled_from_their_bounds_into_the_unit_range() -> None:
    episodes = tiny_episodes()
    units = np.array([[0, -3], [10, 5]], np.float32)
    actions = (episodes.actions + 1) / 2 * (units[1] - units[0]) + units[0]
    scaled = replace(episodes, actions=actions, action_bounds=units)
    np.testing.assert_allclose(
        transitions(scaled, RAW).columns.actions, transitions(episodes, RAW).columns.actions, atol=1e-6
    )


def test_discrete_actions_are_columns_of_ones_and_zeros() -> None:
    episodes = tiny_episodes(discrete=True)
    seen = transitions(episodes, NetworkSettings())
    assert seen.discrete
    assert seen.action_size == 4
    assert np.asarray(seen.columns.actions).argmax(axis=1).tolist() == episodes.actions.tolist()
    assert np.asarray(seen.columns.actions).sum(axis=1).tolist() == [1] * episodes.steps


def test_rows_are_drawn_from_all_steps_and_from_no_final_observation() -> None:
    rows = draw_rows(transitions(THREE_STEPS, RAW).columns, 200, jax.random.key(0))
    assert set(rows.tolist()) == {0, 1, 2}


def test_a_table_of_one_row_holds_for_all_steps() -> None:
    rows = jnp.array([2, 0])
    assert at_rows(jnp.array([[1.0, 2.0]]), rows).tolist() == [[1, 2], [1, 2]]
    assert at_rows(jnp.array([[1.0], [2.0], [3.0]]), rows).tolist() == [[3], [1]]


def test_blur_is_noise_of_the_spread_asked_for_in_each_column() -> None:
    noisy = blurred(jnp.ones((4000, 2)), jnp.array([0.5, 0.0]), jax.random.key(0))
    assert abs(float(noisy[:, 0].mean()) - 1) < 0.05
    assert abs(float(noisy[:, 0].std()) - 0.5) < 0.05
    assert (noisy[:, 1] == 1).all()


def stacked(columns: np.ndarray) -> Episodes:
    """Two episodes of the same length whose last column stands still within each."""
    steps = len(columns) // 2 - 1
    ends = np.arange(2 * steps) % steps == steps - 1
    parts = columns.reshape(2, steps + 1, -1)
    return Episodes.from_arrays(
        observations=parts[:, :-1].reshape(2 * steps, -1),
        actions=np.zeros((2 * steps, 1)),
        rewards=np.zeros(2 * steps),
        terminations=ends,
        truncations=np.zeros(2 * steps, bool),
        final_observations=parts[:, -1],
    )


def test_stacked_frames_are_found_and_goals_are_not_taken_for_them() -> None:
    now = np.random.default_rng(0).normal(size=(12, 1))
    before = np.concatenate([now[:1], now[:5], now[6:7], now[6:11]])
    goal = np.repeat([[1.0], [2.0]], 6, axis=0)
    episodes = stacked(np.hstack([now, before, -now, goal, goal]))
    assert remembering(episodes).tolist() == [False, True, False, False, False]


def test_circle2d_remembers_three_poses() -> None:
    episodes = demonstrate("inplace", seed=0, episodes=2, name="two", steps=20)
    assert remembering(episodes).tolist() == [False] * 3 + [True] * 9
