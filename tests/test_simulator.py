"""Many episodes at once are, bit for bit, the episodes one by one, and those of the gymnasium environment."""

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciql.envs import get_simulator, get_spec
from sciql.envs.circle2d import Circle2dSettings, Circle2dSimulator
from sciql.envs.circle2d_agent import demonstrate
from sciql.envs.simulator import record
from sciql.errors import SciqlError

ENV = "sciql/Circle2d-v0"


def draw(seed: int, count: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses to begin at and actions, some beyond the bounds."""
    rng = np.random.default_rng(seed)
    poses = rng.uniform([-50, -50, -np.pi], [50, 50, np.pi], (count, 3))
    return poses, rng.uniform(-1.3, 1.3, (steps, count, 2)).astype(np.float32)


def play(simulator: Circle2dSimulator, poses: np.ndarray, actions: np.ndarray) -> list[np.ndarray]:
    """Everything that the steps bring, one table a kind."""
    seen = [simulator.place(poses)]
    rest = []
    for row in actions:
        observations, rewards, _, signals = simulator.step(row)
        seen.append(observations)
        rest.append(np.stack([rewards, *signals.values()], axis=1))
    return [np.stack(seen), np.stack(rest)]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**31), st.integers(1, 17))
def test_a_batch_is_its_episodes_one_by_one(seed: int, count: int) -> None:
    poses, actions = draw(seed, count, 30)
    together = play(Circle2dSimulator(), poses, actions)
    for number in range(count):
        alone = play(Circle2dSimulator(), poses[number, None], actions[:, number, None])
        for batch, single in zip(together, alone, strict=True):
            np.testing.assert_array_equal(batch[:, number], single[:, 0])


@pytest.mark.parametrize("reward", ["gaussian", "neg_abs"])
def test_a_batch_is_the_gymnasium_environment_bit_for_bit(reward: str) -> None:
    poses, actions = draw(7, 5, 1000)
    seen, rest = play(Circle2dSimulator(Circle2dSettings(reward=reward)), poses, actions)  # pyright: ignore[reportArgumentType]
    env = gymnasium.make(ENV, reward=reward, disable_env_checker=True)
    for number in range(5):
        observation, _ = env.reset(options={"pose": poses[number]})
        np.testing.assert_array_equal(observation, seen[0, number])
        for t in range(1000):
            observation, gained, terminated, truncated, info = env.step(actions[t, number])
            np.testing.assert_array_equal(observation, seen[t + 1, number])
            assert [gained, *info.values()] == rest[t, number].tolist()
            assert (terminated, truncated) == (False, t == 999)


def test_a_dataset_can_be_played_again_from_its_record() -> None:
    episodes = demonstrate("navigate", 3, 4, "small", steps=200)
    simulator = Circle2dSimulator()
    simulator.place(episodes.observations[episodes.starts[:-1], :3])
    for t in range(200):
        observations, rewards, _, _ = simulator.step(episodes.actions[episodes.starts[:-1] + t])
        np.testing.assert_array_equal(observations, episodes.next_observations()[episodes.starts[:-1] + t])
        np.testing.assert_array_equal(rewards, episodes.rewards[episodes.starts[:-1] + t])


def test_record_keeps_each_episode_together() -> None:
    simulator = get_simulator(ENV)
    first = simulator.reset(np.random.default_rng(0), 3)
    ticks: list[None] = []
    episodes = record(simulator, first, lambda seen: np.zeros((len(seen), 2)), 4, "still", lambda: ticks.append(None))
    assert episodes.starts.tolist() == [0, 4, 8, 12]
    assert (episodes.name, episodes.environment, len(ticks)) == ("still", ENV, 4)
    np.testing.assert_array_equal(episodes.observations[episodes.starts[:-1]], first)
    assert set(episodes.signals) == set(get_spec(ENV).signals)
    assert not episodes.terminations.any()


def test_wrong_names_and_shapes_are_told_in_a_sentence() -> None:
    with pytest.raises(SciqlError, match="no environment 'sciql/Circle3d-v0'; did you mean sciql/Circle2d-v0"):
        get_simulator("sciql/Circle3d-v0")
    with pytest.raises(SciqlError, match="no setting of Circle2d 'rewards'; did you mean reward"):
        get_simulator(ENV, rewards="gaussian")
    with pytest.raises(SciqlError, match="no reward 'gausian'; did you mean gaussian"):
        get_simulator(ENV, reward="gausian")
    simulator = Circle2dSimulator()
    simulator.place(np.zeros((2, 3)))
    with pytest.raises(SciqlError, match=r"actions of shape \(2, 2\), not \(3, 2\)"):
        simulator.step(np.zeros((3, 2)))
