"""Episodes: columns, where episodes start and end, and sentences about columns that do not fit."""

from typing import Any

import numpy as np
import pytest

from sciql.episodes import Episodes
from sciql.errors import SciqlError


def columns(**changed: Any) -> dict[str, Any]:
    """Two episodes, of 3 and 2 steps."""
    made = {
        "observations": np.arange(10).reshape(5, 2),
        "actions": np.zeros((5, 1)),
        "rewards": np.array([1, 2, 3, 10, 20]),
        "terminations": np.array([0, 0, 1, 0, 0], bool),
        "truncations": np.array([0, 0, 0, 0, 1], bool),
        "final_observations": np.array([[100, 101], [200, 201]]),
        "signals": {"x": np.arange(5.0)},
    }
    return made | changed


def test_flags_part_the_rows_into_episodes() -> None:
    episodes = Episodes.from_arrays(**columns())
    assert episodes.starts.tolist() == [0, 3, 5]
    assert episodes.lengths.tolist() == [3, 2]
    assert episodes.episode_of.tolist() == [0, 0, 0, 1, 1]
    assert episodes.returns().tolist() == [6, 30]
    assert (episodes.steps, episodes.count) == (5, 2)


def test_the_last_row_ends_the_last_episode_without_a_flag() -> None:
    episodes = Episodes.from_arrays(**columns(truncations=np.zeros(5, bool)))
    assert episodes.starts.tolist() == [0, 3, 5]


def test_next_observations_never_reach_into_another_episode() -> None:
    following = Episodes.from_arrays(**columns()).next_observations()
    assert following.tolist() == [[2, 3], [4, 5], [100, 101], [8, 9], [200, 201]]


def test_content_is_a_hash_of_the_columns_and_not_of_the_name() -> None:
    episodes = Episodes.from_arrays(**columns())
    assert episodes.content == Episodes.from_arrays(**columns(name="other")).content
    assert episodes.content != Episodes.from_arrays(**columns(rewards=np.zeros(5))).content
    assert episodes.content != Episodes.from_arrays(**columns(signals={"y": np.arange(5.0)})).content


def test_a_missing_signal_is_named_beside_those_there_are() -> None:
    with pytest.raises(SciqlError, match="no signal 'speed'; it has x"):
        Episodes.from_arrays(**columns()).signal("speed")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rewards": np.zeros(4)}, r"rewards of episodes have shape \(4,\).* must have \(5,\)"),
        ({"actions": np.zeros(5)}, r"actions of episodes have shape \(5,\).* must have \(5, 1\)"),
        ({"observations": np.zeros((4, 2))}, r"observations .* must have \(5, 2\)"),
        ({"final_observations": np.zeros((1, 2))}, r"final_observations .* must have \(2, 2\)"),
        ({"truncations": np.zeros(4, bool)}, r"shapes \(5,\) and \(4,\); each must be one flag a step"),
        ({"signals": {"x": np.zeros(3)}}, r"signal 'x' of episodes has shape \(3,\)"),
        ({"discrete_actions": 3}, r"actions of episodes have shape \(5, 1\).* must have \(5,\)"),
        ({"observation_names": ["a"]}, "has 2 observations and 1 different observation names"),
        ({"observation_names": ["a", "a"]}, "has 2 observations and 1 different observation names"),
        ({"action_bounds": [[0.0, 0.0], [1.0, 1.0]]}, r"action_bounds of episodes have shape \(2, 2\); \(2, 1\)"),
        ({"action_bounds": [[1.0], [0.0]]}, "the low ones must be numbers below the high"),
        ({"rewards": np.array(list("abcde"))}, "rewards of episodes are of type <U1; they must be numbers"),
        ({"terminations": np.zeros(0, bool), "truncations": np.zeros(0, bool)}, "no steps at all"),
    ],
)
def test_a_column_that_does_not_fit_is_named(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence):
        Episodes.from_arrays(**columns(**changed))


def test_every_column_is_read_by_its_name() -> None:
    episodes = Episodes.from_arrays(**columns(observation_names=["x", "height"], actions=np.ones((5, 1))))
    assert {name: column.tolist() for name, column in episodes.columns.items()} == {
        "x": [0, 1, 2, 3, 4],
        "reward": [1, 2, 3, 10, 20],
        "action_0": [1, 1, 1, 1, 1],
        "height": [1, 3, 5, 7, 9],
    }


def test_without_rewards_there_is_no_column_of_them() -> None:
    episodes = Episodes.from_arrays(**columns(rewards=None))
    assert not episodes.rewarded and not episodes.rewards.any() and "reward" not in episodes.columns


def test_bounds_count_as_content() -> None:
    plain = Episodes.from_arrays(**columns())
    assert Episodes.from_arrays(**columns(action_bounds=[[-1.0], [1.0]])).content == plain.content
    assert Episodes.from_arrays(**columns(action_bounds=[[-2.0], [1.0]])).content != plain.content


def test_discrete_actions_are_whole_numbers() -> None:
    episodes = Episodes.from_arrays(**columns(actions=np.array([0, 1, 2, 0, 1]), discrete_actions=3))
    assert episodes.actions.dtype == np.int32
