"""Datasets that other programs recorded with Minari."""

from pathlib import Path
from typing import Any

import gymnasium
import h5py
import minari
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Text
from minari.data_collector import EpisodeBuffer
from tiny import tiny_settings

import sciql
from sciql.criteria import bins
from sciql.datasets import check_dataset, list_datasets, load_dataset
from sciql.errors import SciqlError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:minari")


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of this test's own."""
    folder = tmp_path / "registry"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return folder


def buffer(steps: int = 6, **changed: Any) -> dict[str, Any]:
    """An episode as another program would record it."""
    made = {
        "observations": np.random.default_rng(0).uniform(-1, 1, (steps + 1, 12)),
        "actions": np.linspace(-1, 1, 2 * steps).reshape(steps, 2),
        "rewards": np.arange(steps, dtype=float),
        "terminations": np.zeros(steps, bool),
        "truncations": np.arange(steps) == steps - 1,
        "infos": {
            "speed": np.arange(steps + 1.0),
            "words": np.array([b"a"] * steps),
            "pair": np.arange(2.0 * steps).reshape(steps, 2),
        },
    }
    return made | changed


def foreign(*buffers: dict[str, Any], **spaces: Any) -> str:
    """A dataset that Minari itself wrote."""
    described = {
        "observation_space": Box(-np.inf, np.inf, (12,)),
        "action_space": Box(-1, 1, (2,)),
        "author": "a",
        "author_email": "b",
        "code_permalink": "c",
        "algorithm_name": "d",
        "description": "e",
    }
    minari.create_dataset_from_buffers(
        "other/log-v3", [EpisodeBuffer(**buffer) for buffer in buffers], **(described | spaces)
    )
    return "other/log-v3"


def test_names_and_folders_lead_to_it(registry: Path) -> None:
    name = foreign(buffer(6), buffer(4))
    by_name = load_dataset(name)
    assert by_name.starts.tolist() == [0, 6, 10]
    for folder in (registry / name, registry / name / "data"):
        assert load_dataset(folder).content == by_name.content
    moved = (registry / name).rename(registry.parent / "moved")
    assert load_dataset(str(moved)).name == "moved"


def test_it_is_listed() -> None:
    name = foreign(buffer())
    info = next(info for info in list_datasets() if info.name == name)
    assert (info.made, info.environment, info.episodes, info.steps, info.description) == (True, None, 1, 6, "e")


def test_infos_of_one_number_a_step_become_signals() -> None:
    episodes = load_dataset(foreign(buffer()))
    # The first info is that of the reset.
    # Small tables are taken apart.
    assert {name: column.tolist() for name, column in episodes.signals.items()} == {
        "speed": [1, 2, 3, 4, 5, 6],
        "pair_0": [0, 2, 4, 6, 8, 10],
        "pair_1": [1, 3, 5, 7, 9, 11],
    }


def test_an_info_that_an_episode_lacks_is_no_signal() -> None:
    assert not load_dataset(foreign(buffer(), buffer(infos={}))).signals


def test_an_episode_without_a_flag_at_its_end_is_cut_there() -> None:
    unflagged = buffer(truncations=np.zeros(6, bool))
    assert load_dataset(foreign(unflagged, unflagged)).starts.tolist() == [0, 6, 12]


def test_discrete_actions_are_counted_from_zero() -> None:
    episodes = load_dataset(foreign(buffer(actions=np.array([5, 6, 7, 5, 6, 7])), action_space=Discrete(3, start=5)))
    assert (episodes.actions.tolist(), episodes.discrete_actions) == ([0, 1, 2, 0, 1, 2], 3)
    assert episodes.action_names == ("5", "6", "7")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"rewards": np.array([0, 1, np.nan, 3, 4, 5])},
            "rewards of other/log-v3 hold NaN .* in episode 0",
        ),
        ({"actions": np.full((6, 2), 1.5)}, r"actions of other/log-v3 leave \[-1, 1\] in episode 0"),
        ({"observations": np.zeros((6, 12))}, "episode 0 of other/log-v3 has 6 observations; 6 steps need 7"),
        ({"terminations": np.arange(6) == 2}, "flagged as ended before its last step"),
        (buffer(1), r"other/log-v3 has too few steps in episode 0, which has 1 step; remove episodes of fewer than 2"),
    ],
)
def test_what_cannot_be_learnt_from_is_told_in_a_sentence(changed: dict[str, Any], sentence: str) -> None:
    name = foreign(buffer(**changed))
    with pytest.raises(SciqlError, match=sentence):
        load_dataset(name)
    assert [finding.state for finding in check_dataset(name)].count("broken") == 1


def test_an_episode_without_steps_is_told_in_a_sentence(registry: Path) -> None:
    name = foreign(buffer(), buffer())
    with h5py.File(registry / name / "data" / "main_data.hdf5", "a") as file:
        for column in ("actions", "rewards", "terminations", "truncations"):
            file[f"episode_1/{column}"].resize(0, axis=0)  # pyright: ignore[reportAttributeAccessIssue]
        file["episode_1/observations"].resize(1, axis=0)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(SciqlError, match="episode 1 of other/log-v3 has no steps; remove it"):
        load_dataset(name)


def test_no_episodes_at_all_and_spaces_without_columns() -> None:
    with pytest.raises(SciqlError, match="has no episodes; record some"):
        load_dataset(foreign())
    minari.delete_dataset("other/log-v3")
    with pytest.raises(SciqlError, match=r"observation of other/log-v3 is Text.*no table of numbers"):
        load_dataset(foreign(observation_space=Text(5)))


def test_dict_observations_become_named_columns() -> None:
    space = Dict({"arm": Dict({"joints": Box(-1, 1, (2,)), "gripper": Discrete(3, start=1)}), "load": Box(0, 9, ())})
    recorded = {
        "arm": {"joints": np.arange(14.0).reshape(7, 2), "gripper": np.array([1, 2, 3, 1, 2, 3, 1])},
        "load": np.arange(7.0),
    }
    episodes = load_dataset(foreign(buffer(observations=recorded), observation_space=space))
    # Gymnasium sorts the keys of a space.
    assert episodes.observation_names == (
        "arm/gripper=1",
        "arm/gripper=2",
        "arm/gripper=3",
        "arm/joints_0",
        "arm/joints_1",
        "load",
    )
    assert episodes.observations[1].tolist() == [0, 1, 0, 2, 3, 1]
    assert episodes.final_observations.tolist() == [[1, 0, 0, 12, 13, 6]]


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1"])
def test_what_minari_collects_trains_with_a_criterion_of_two_lines(env_id: str) -> None:
    env = minari.DataCollector(gymnasium.make(env_id, max_episode_steps=20), record_infos=True)
    env.action_space.seed(0)
    for episode in range(4):
        env.reset(seed=episode)
        while not any(env.step(env.action_space.sample())[2:4]):
            pass
    env.create_dataset("collected/log-v0", algorithm_name="random", author="a", author_email="b", code_permalink="c")
    episodes = sciql.load_dataset("collected/log-v0")
    side = bins("observation_0", edges=(0.0,), styles=("left", "right"))
    run = sciql.train("sciql_style_task", episodes, side, settings=tiny_settings())
    actions = run.policy.act(episodes.observations, "left")
    if env_id == "CartPole-v1":
        assert actions.dtype == np.int32 and set(actions.tolist()) <= {0, 1}
    else:
        assert run.policy.action_bounds.tolist() == [[-2], [2]]
        assert actions.shape == (episodes.steps, 1) and np.abs(actions).max() <= 2
    assert run.document["dataset"]["environment"] == env_id


def test_images_are_refused_in_a_sentence() -> None:
    picture = Box(0, 255, (40, 40, 3), np.uint8)
    recorded = {"camera": np.zeros((7, 40, 40, 3), np.uint8)}
    with pytest.raises(SciqlError, match="camera of other/log-v3 are images of 40 x 40 x 3"):
        load_dataset(foreign(buffer(observations=recorded), observation_space=Dict({"camera": picture})))


@pytest.mark.parametrize(
    ("space", "actions", "bounds"),
    [
        (Box(-2, 4, (2,)), np.linspace(-2, 4, 12), [[-2, -2], [4, 4]]),
        (Box(-np.inf, np.inf, (2,)), np.linspace(-0.5, 0.5, 12), [[-1, -1], [1, 1]]),
        (Box(-np.inf, np.inf, (2,)), np.tile([0.5, 3], 6), [[-1, 3], [1, 3]]),
        (Box(np.array([0, -np.inf]), np.array([5, np.inf])), np.tile([0.5, -3], 6), [[0, -3], [5, -3]]),
    ],
)
def test_bounds_of_actions_are_those_of_the_space_or_of_the_data(space: Box, actions: np.ndarray, bounds: Any) -> None:
    episodes = load_dataset(foreign(buffer(actions=actions.reshape(6, 2).astype(np.float32)), action_space=space))
    assert episodes.action_bounds.tolist() == bounds
    np.testing.assert_array_equal(episodes.actions.ravel(), actions.astype(np.float32))
