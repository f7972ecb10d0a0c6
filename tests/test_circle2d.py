"""Circle2d: its rules, its reward, its picture, and the agent that draws circles."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sciql.envs.circle2d import Circle2d, Circle2dSettings, Circle2dSimulator
from sciql.envs.circle2d_agent import demonstrate
from sciql.envs.circle2d_render import LABELS, draw
from sciql.errors import SciqlError

ENV = "sciql/Circle2d-v0"
STILL = np.array([0.0, -1.0], np.float32)


def test_gymnasium_finds_nothing_to_complain_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ENV, render_mode="rgb_array").unwrapped)


def test_an_episode_is_cut_after_a_thousand_steps() -> None:
    env = gymnasium.make(ENV)
    env.reset(seed=0)
    ends = [env.step(STILL)[2:4] for _ in range(1000)]
    assert ends == [(False, False)] * 999 + [(False, True)]


def test_a_seed_says_where_episodes_start() -> None:
    env = gymnasium.make(ENV)
    first = [env.reset(seed=seed)[0] for seed in range(200)]
    np.testing.assert_array_equal(first[3], env.reset(seed=3)[0])
    poses = np.array(first)[:, :3]
    assert (np.abs(poses[:, :2]) <= 35).all() and np.abs(poses[:, :2]).max() > 30
    assert np.abs(poses[:, 2]).max() > 2.8


def test_the_agent_turns_then_moves() -> None:
    simulator = Circle2dSimulator()
    simulator.place(np.array([[1.0, 2.0, 0.0]]))
    observations, _, _, signals = simulator.step(np.array([[0.5, 1.0]]))
    np.testing.assert_allclose(observations[0, :3], [1, 5, np.pi / 2], atol=1e-6)
    moved = [signals[name][0] for name in ("x", "y", "dx", "dy", "turn")]
    np.testing.assert_allclose(moved, [1, 2, 0, 3, np.pi / 2], atol=1e-6)


def test_an_observation_is_the_last_four_poses_the_newest_first() -> None:
    simulator = Circle2dSimulator()
    seen = [simulator.place(np.array([[0.0, 0.0, 0.0]]))[0]]
    assert seen[0].tolist() == [0.0] * 12
    seen += [simulator.step(np.array([[0.1, 0.0]])).observations[0] for _ in range(5)]
    for age in range(4):
        np.testing.assert_array_equal(seen[5][3 * age : 3 * age + 3], seen[5 - age][:3])
    np.testing.assert_array_equal(seen[1][3:], seen[0][3:])


def test_walls_stop_the_agent() -> None:
    simulator = Circle2dSimulator()
    simulator.place(np.array([[49.0, 0.0, 0.0]]))
    observations, _, _, signals = simulator.step(np.array([[0.0, 1.0]]))
    assert observations[0, 0] == 50
    assert signals["dx"][0] == 1
    assert simulator.step(np.array([[0.0, 1.0]])).signals["dx"][0] == 0


def test_headings_stay_between_minus_pi_and_pi() -> None:
    simulator = Circle2dSimulator()
    simulator.place(np.array([[0.0, 0.0, 3.0]]))
    assert simulator.step(np.array([[0.5, 0.0]])).observations[0, 2] == pytest.approx(3 + np.pi / 2 - 2 * np.pi)


@pytest.mark.parametrize(
    ("reward", "expected"), [("gaussian", [1, np.exp(-0.5), np.exp(-0.5)]), ("neg_abs", [0, -5, -5])]
)
def test_rewards_on_the_ring_at_its_centre_and_beyond(reward: str, expected: list[float]) -> None:
    simulator = Circle2dSimulator(Circle2dSettings(reward=reward))  # pyright: ignore[reportArgumentType]
    # Half a unit before the places where they are to be judged, heading east at the slowest.
    simulator.place(np.array([[4.5, 5, 0], [-0.5, 5, 0], [9.5, 5, 0]]))
    np.testing.assert_allclose(simulator.step(np.tile(STILL, (3, 1))).rewards, expected, atol=1e-6)


def test_wrong_settings_are_told_in_a_sentence() -> None:
    with pytest.raises(SciqlError, match="no setting of Circle2d 'ring'; did you mean ring_radius or ring_centre"):
        gymnasium.make(ENV, ring=3)


def test_a_picture_has_the_ring_the_path_and_the_agent() -> None:
    env = gymnasium.make(ENV, render_mode="rgb_array", size=300)
    env.reset(seed=0, options={"pose": (-30, -30, 0)})
    empty = np.asarray(env.render(), int)
    assert empty.shape == (300, 300, 3)
    inner = env.unwrapped
    assert isinstance(inner, Circle2d)
    inner.mark(1)
    for _ in range(40):
        env.step(np.array([0.0, 0.0], np.float32))
    travelled = np.asarray(env.render(), int)
    assert (np.abs(travelled - LABELS[1]).sum(axis=2) < 30).any()
    assert not (np.abs(empty - LABELS[1]).sum(axis=2) < 30).any()


def test_a_picture_is_drawn_for_settings_that_come_from_a_file() -> None:
    settings = Circle2dSettings(ring_centre=[1, 2])  # pyright: ignore[reportArgumentType]
    assert draw(np.zeros((1, 3)), [], settings, 60).shape == (60, 60, 3)


def test_without_a_render_mode_there_is_no_picture() -> None:
    env = Circle2d()
    env.reset(seed=0)
    assert env.render() is None


def test_the_scripted_agent_is_the_same_for_a_seed_and_fewer_are_the_first_of_more() -> None:
    many, few = demonstrate("inplace", 5, 6, "many", 50), demonstrate("inplace", 5, 6, "again", 50)
    assert many.content == few.content != demonstrate("inplace", 6, 6, "many", 50).content
    first = demonstrate("inplace", 5, 2, "first", 50)
    np.testing.assert_array_equal(first.observations, many.observations[:100])


def test_inplace_starts_on_the_circle_that_it_draws_and_navigate_elsewhere() -> None:
    for start, at_once in (("inplace", True), ("navigate", False)):
        episodes = demonstrate(start, 0, 60, start, 400)  # pyright: ignore[reportArgumentType]
        x, y = (episodes.signals[name].reshape(60, 400) for name in ("x", "y"))
        centre = np.stack([x[:, 100:].mean(axis=1), y[:, 100:].mean(axis=1)])
        reach = np.hypot(x - centre[0, :, None], y - centre[1, :, None])
        radius = np.median(reach[:, 100:], axis=1)
        assert (radius > 2).all() and (radius < 11).all()
        close = np.abs(reach[:, 0] - radius) < 3
        assert close.all() if at_once else close.mean() < 0.4


def test_speeds_sides_and_noise_are_drawn_for_each_episode() -> None:
    episodes = demonstrate("inplace", 1, 80, "many", 300)
    speed = episodes.actions[:, 1].reshape(80, 300)
    assert np.ptp(speed, axis=1).max() == 0
    assert speed[:, 0].min() < -0.9 and speed[:, 0].max() > 0.9
    turn = episodes.signals["turn"].reshape(80, 300)
    assert 20 < (turn.mean(axis=1) > 0).sum() < 60
    wobble = turn[:, 50:].std(axis=1)
    assert wobble.min() < 0.05 < 0.2 < wobble.max()
