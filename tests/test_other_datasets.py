"""Datasets that other programs recorded with Minari."""

from pathlib import Path
from typing import Any

import h5py
import minari
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from minari.data_collector import EpisodeBuffer

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
        "infos": {"speed": np.arange(steps + 1.0), "words": np.array([b"a"] * steps), "pair": np.zeros((steps, 2))},
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
    assert {name: column.tolist() for name, column in episodes.signals.items()} == {"speed": [1, 2, 3, 4, 5, 6]}


def test_an_info_that_an_episode_lacks_is_no_signal() -> None:
    assert not load_dataset(foreign(buffer(), buffer(infos={}))).signals


def test_an_episode_without_a_flag_at_its_end_is_cut_there() -> None:
    unflagged = buffer(truncations=np.zeros(6, bool))
    assert load_dataset(foreign(unflagged, unflagged)).starts.tolist() == [0, 6, 12]


def test_discrete_actions_are_counted_from_zero() -> None:
    episodes = load_dataset(foreign(buffer(actions=np.array([5, 6, 7, 5, 6, 7])), action_space=Discrete(3, start=5)))
    assert (episodes.actions.tolist(), episodes.discrete_actions) == ([0, 1, 2, 0, 1, 2], 3)


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
        (buffer(1), r"episode 0 of other/log-v3 has 1 step; remove episodes of fewer than 2 steps"),
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
    with pytest.raises(SciqlError, match="flatten them into a Box first"):
        load_dataset(foreign(observation_space=Dict({"a": Box(-1, 1, (2,))})))
