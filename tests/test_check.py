"""Mistakes of a recording are found, each with its place; sound recordings are left in peace."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

from sciql.datasets import Finding, check_episodes
from sciql.episodes import Episodes

LENGTH, COUNT = 100, 20


def drive(*, reactive: bool = False, seed: int = 0) -> dict[str, Any]:
    """A mass that is pushed about: position, velocity and a sensor; the reward is for speed along the push."""
    rng = np.random.default_rng(seed)
    state = rng.normal(size=(COUNT, 3))
    seen, pushes, rewards = [], [], []
    for _ in range(LENGTH):
        push = np.tanh(-state[:, :2] + 0.3) if reactive else rng.uniform(-1, 1, (COUNT, 2))
        seen.append(state)
        pushes.append(push)
        rewards.append(push[:, 0] * state[:, 1])
        speed = 0.9 * state[:, 1] + 0.5 * push[:, 0]
        state = np.stack([state[:, 0] + 0.1 * speed, speed, state[:, 2] + 0.2 * push[:, 1]], axis=1)
        state += rng.normal(0, 0.01, state.shape)
    ends = np.tile(np.arange(LENGTH) == LENGTH - 1, COUNT)
    return {
        "observations": np.stack(seen, 1).reshape(-1, 3),
        "actions": np.stack(pushes, 1).reshape(-1, 2),
        "rewards": np.stack(rewards, 1).ravel(),
        "terminations": np.zeros_like(ends),
        "truncations": ends,
        "final_observations": state,
    }


def found(columns: dict[str, Any], **words: Any) -> list[Finding]:
    """Everything but what is as it should be."""
    return [finding for finding in check_episodes(Episodes.from_arrays(**columns, **words)) if finding.state != "ok"]


@pytest.mark.parametrize("reactive", [False, True])
def test_a_sound_recording_is_left_in_peace(reactive: bool) -> None:
    assert found(drive(reactive=reactive)) == []


def set_nan(columns: dict[str, Any]) -> None:
    columns["observations"][LENGTH + 7, 1] = np.nan


def set_infinite(columns: dict[str, Any]) -> None:
    columns["rewards"][2 * LENGTH + 3] = np.inf


def set_still(columns: dict[str, Any]) -> None:
    columns["observations"][:, 2] = 4


def set_twice(columns: dict[str, Any]) -> None:
    columns["observations"][:, 2] = columns["observations"][:, 1]


def set_leaving(columns: dict[str, Any]) -> None:
    columns["actions"][3 * LENGTH + 5] = [0.5, 1.25]


def set_saturated(columns: dict[str, Any]) -> None:
    columns["actions"][:, 1] = np.sign(columns["actions"][:, 1])


def set_late_actions(columns: dict[str, Any]) -> None:
    columns["actions"] = np.roll(columns["actions"], 1, axis=0)


def set_early_actions(columns: dict[str, Any]) -> None:
    columns["actions"] = np.roll(columns["actions"], -1, axis=0)


def set_late_rewards(columns: dict[str, Any]) -> None:
    columns["rewards"] = np.roll(columns["rewards"], 1)


def set_unflagged(columns: dict[str, Any]) -> None:
    columns["truncations"][5 * LENGTH - 1] = False
    columns["final_observations"] = columns["final_observations"][1:]


def set_cut(columns: dict[str, Any]) -> None:
    columns["truncations"] = np.arange(LENGTH * COUNT) % 10 == 9
    columns["final_observations"] = columns["observations"][9::10]


def set_terminated(columns: dict[str, Any]) -> None:
    columns["terminations"], columns["truncations"] = columns["truncations"], columns["terminations"]


def set_repeated(columns: dict[str, Any]) -> None:
    for name in ("observations", "actions", "rewards"):
        columns[name][8 * LENGTH : 9 * LENGTH] = columns[name][2 * LENGTH : 3 * LENGTH]


def set_unlike(columns: dict[str, Any]) -> None:
    columns["observations"][:, 2] *= 1e6


def set_sentinel(columns: dict[str, Any]) -> None:
    columns["rewards"][LENGTH + 1] = -1e9


def set_unrewarded(columns: dict[str, Any]) -> None:
    columns["rewards"] = None


Spoil = Callable[[dict[str, Any]], None]
SPOILT: list[tuple[Spoil, str, str, str, tuple[int | None, int | None]]] = [
    (set_nan, "values", "broken", "observations of episodes hold NaN", (1, 7)),
    (set_infinite, "values", "broken", "rewards of episodes hold NaN or infinite", (2, 3)),
    (set_still, "columns", "hint", "observation observation_2 never change", (None, None)),
    (set_twice, "columns", "hint", "observation_1, observation observation_2 are the same", (None, None)),
    (set_leaving, "actions", "broken", r"leave [-1, 1]: [0.5, 1.25]", (3, 5)),
    (set_saturated, "saturation", "hint", "action_1 is at its bounds -1 and 1 in 100 %", (0, 0)),
    (set_late_actions, "alignment", "hint", "by the action of the row after", (0, 1)),
    (set_early_actions, "alignment", "hint", "by the action of the row before", (0, 1)),
    (set_late_rewards, "alignment", "hint", "the reward of the row after fits", (0, 1)),
    (set_unflagged, "ends", "hint", "jumps within an episode in 1 step", (4, LENGTH - 1)),
    (set_cut, "ends", "hint", "of 199 episodes begin where the one before ended", (0, 9)),
    (set_terminated, "ends", "hint", "20 of 20 terminated episodes last exactly 100", (0, LENGTH - 1)),
    (set_repeated, "repetition", "hint", "episode 8 is the same as episode 2", (8, None)),
    (set_unlike, "scales", "hint", "observation observation_2 spreads over", (None, None)),
    (set_sentinel, "scales", "hint", "rewards reach -1e+09", (1, 1)),
    (set_unrewarded, "rewards", "hint", "there are none", (None, None)),
]


@pytest.mark.parametrize(("spoil", "name", "state", "detail", "place"), SPOILT, ids=[row[0].__name__ for row in SPOILT])
def test_a_mistake_is_found_with_its_place_and_remedy(
    spoil: Spoil, name: str, state: str, detail: str, place: tuple[int | None, int | None]
) -> None:
    columns = drive()
    spoil(columns)
    finding = next(finding for finding in found(columns) if finding.name == name)
    assert finding.state == state
    assert detail in finding.detail
    assert (finding.episode, finding.step) == place
    assert finding.why and finding.remedy


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"])
def test_random_play_of_known_environments_is_left_in_peace(env_id: str) -> None:
    env = gymnasium.make(env_id)
    env.action_space.seed(0)
    rows: dict[str, list[Any]] = {name: [] for name in ("observations", "actions", "rewards", "terminations")}
    ends, finals = [], []
    for episode in range(12):
        seen, _ = env.reset(seed=episode)
        for step in range(200):
            action = env.action_space.sample()
            following, reward, terminated, truncated, _ = env.step(action)
            for name, value in zip(rows, (seen, action, reward, terminated), strict=True):
                rows[name].append(value)
            ends.append(truncated or step == 199)
            seen = following
            if terminated or ends[-1]:
                break
        finals.append(seen)
    space = env.action_space
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    bounds = {} if discrete else {"action_bounds": np.stack([space.low, space.high])}  # pyright: ignore[reportAttributeAccessIssue]
    columns = {name: np.array(column) for name, column in rows.items()}
    hints = found(
        {**columns, "truncations": np.array(ends), "final_observations": np.array(finals)},
        discrete_actions=int(space.n) if discrete else None,
        **bounds,
    )
    assert [finding.name for finding in hints if finding.name in ("alignment", "repetition", "saturation")] == []
    assert [finding.detail for finding in hints if finding.name == "ends"] == []


def test_what_lies_within_bounds_of_its_own_is_sound() -> None:
    columns = drive()
    columns["actions"] = columns["actions"] * 30 + 100
    assert found(columns, action_bounds=[[70, 70], [130, 130]]) == []
    assert found(columns)[0].name == "actions"


def test_rows_of_a_neighbour_are_found_for_choices_too() -> None:
    rng = np.random.default_rng(0)
    choices = rng.integers(0, 3, LENGTH * COUNT)
    columns = drive()
    columns["observations"] = np.cumsum(np.stack([choices - 1, rng.normal(size=len(choices))], 1), axis=0)[:-1]
    columns = {
        name: column[1:] for name, column in columns.items() if name not in ("observations", "final_observations")
    } | {
        "observations": columns["observations"],
        "final_observations": np.zeros((COUNT, 2)),
        "rewards": None,
    }
    right, wrong = (found(columns | {"actions": one}, discrete_actions=3) for one in (choices[1:], choices[:-1]))
    assert "alignment" not in {finding.name for finding in right}
    assert "alignment" in {finding.name for finding in wrong}


def test_fewer_steps_than_statistics_need_are_not_judged() -> None:
    episodes = Episodes.from_arrays(**drive())
    few = replace(
        episodes,
        **{
            name: getattr(episodes, name)[:3]
            for name in ("observations", "actions", "rewards", "terminations", "truncations")
        },
        starts=np.array([0, 3]),
        final_observations=episodes.final_observations[:1],
    )
    assert [finding for finding in check_episodes(few) if finding.state != "ok"] == []
