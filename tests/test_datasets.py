"""Datasets: made once, whole or not at all, readable by Minari, and checked on the way in."""

import json
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import minari
import numpy as np
import pytest
from minari.data_collector import EpisodeBuffer

from sciql.datasets import (
    RECIPES,
    DatasetInfo,
    check_dataset,
    list_datasets,
    load_dataset,
    make_dataset,
    store,
)
from sciql.episodes import Episodes
from sciql.errors import SciqlError

NAME = "circle2d-inplace-v0"
SPAWN = multiprocessing.get_context("spawn")


def shrink() -> None:
    """Make the known datasets small."""
    for name, recipe in RECIPES.items():
        RECIPES[name] = replace(recipe, episodes=4, steps=30)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small datasets in a registry of this test's own."""
    for name, recipe in RECIPES.items():
        monkeypatch.setitem(RECIPES, name, replace(recipe, episodes=4, steps=30))
    registry = tmp_path / "registry"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(registry))
    return registry


def in_a_process(work: Callable[..., None], *arguments: Any) -> Any:
    process = SPAWN.Process(target=work, args=arguments)
    process.start()
    return process


def test_a_dataset_is_made_when_it_is_first_asked_for(small: Path) -> None:
    assert [(info.name, info.made) for info in list_datasets()] == [(name, False) for name in RECIPES]
    first = load_dataset(NAME)
    assert [(info.name, info.made) for info in list_datasets()] == [(name, name == NAME) for name in RECIPES]
    made = (small / NAME / "data" / "main_data.hdf5").stat().st_mtime_ns
    again = load_dataset(NAME)
    assert (small / NAME / "data" / "main_data.hdf5").stat().st_mtime_ns == made
    assert first.content == again.content == RECIPES[NAME].act(RECIPES[NAME], lambda: None).content
    assert (again.name, again.environment, again.count, again.steps) == (NAME, "sciql/Circle2d-v0", 4, 120)
    assert [found.name for found in small.iterdir()] == [NAME]


def test_the_two_datasets_differ() -> None:
    assert load_dataset(NAME).content != load_dataset("circle2d-navigate-v0").content


def test_minari_reads_it_and_the_metadata_says_how_it_was_made() -> None:
    episodes = load_dataset(NAME)
    dataset = minari.load_dataset(NAME)
    assert (dataset.total_episodes, dataset.total_steps, dataset.id) == (4, 120, NAME)
    third = dataset[2]
    np.testing.assert_array_equal(third.observations[:-1], episodes.observations[60:90])
    np.testing.assert_array_equal(third.observations[-1], episodes.final_observations[2])
    np.testing.assert_array_equal(third.actions, episodes.actions[60:90])
    assert third.truncations.tolist() == [False] * 29 + [True]
    np.testing.assert_array_equal(third.infos["turn"], episodes.signals["turn"][60:90])
    assert dataset.recover_environment().unwrapped.spec.id == "sciql/Circle2d-v0"  # pyright: ignore[reportOptionalMemberAccess]
    ours = dataset.storage.metadata["sciql"]
    assert (ours["environment"], ours["seed"], ours["sha256"]) == ("sciql/Circle2d-v0", 0, episodes.content)
    assert set(ours["versions"]) == {"sciql", "numpy", "gymnasium", "minari"}
    assert NAME in minari.list_local_datasets()


def test_minari_can_add_to_it() -> None:
    load_dataset(NAME)
    dataset = minari.load_dataset(NAME)
    first = dataset[0]
    more = EpisodeBuffer(
        observations=list(first.observations),
        actions=list(first.actions),
        rewards=list(first.rewards),
        terminations=list(first.terminations),
        truncations=list(first.truncations),
        infos=first.infos,
    )
    dataset.update_dataset_from_buffer([more])
    assert minari.load_dataset(NAME).total_episodes == 5
    with pytest.raises(SciqlError, match="is not what was written: its sha256 differs; remove it with `rm -r"):
        load_dataset(NAME)


def test_force_makes_it_again(small: Path) -> None:
    load_dataset(NAME)
    (small / NAME / "mine").touch()
    assert make_dataset(NAME).made and (small / NAME / "mine").exists()
    made = make_dataset(NAME, force=True)
    assert isinstance(made, DatasetInfo) and not (small / NAME / "mine").exists()
    assert [found.name for found in small.iterdir()] == [NAME]


def _count_making(folder: str) -> None:
    shrink()
    recipe = RECIPES[NAME]

    def act(asked: Any, tick: Any) -> Episodes:
        Path(folder, str(os.getpid())).touch()
        return recipe.act(asked, tick)

    RECIPES[NAME] = replace(recipe, act=act)
    assert load_dataset(NAME).steps == 120


def test_two_processes_at_once_make_it_once(tmp_path: Path, small: Path) -> None:
    (tmp_path / "makers").mkdir()
    processes = [in_a_process(_count_making, str(tmp_path / "makers")) for _ in range(3)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(list((tmp_path / "makers").iterdir())) == 1
    assert [found.name for found in small.iterdir()] == [NAME]


def _die_while_writing(part: str) -> None:
    shrink()

    def die(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(*{"steps": (store, "_hdf5", die), "rename": (Path, "replace", die)}[part])
    load_dataset(NAME)


@pytest.mark.parametrize("part", ["steps", "rename"])
def test_kill_while_writing_leaves_nothing_that_looks_like_a_dataset(small: Path, part: str) -> None:
    process = in_a_process(_die_while_writing, part)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not (small / NAME).exists()
    assert not minari.list_local_datasets()
    assert load_dataset(NAME).steps == 120
    assert [found.name for found in small.iterdir()] == [NAME]


def _write_little(size: int, answer: Any) -> None:
    shrink()
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        load_dataset(NAME)
    except SciqlError as mistake:
        answer.put(str(mistake))


def test_no_room_for_the_file_is_one_sentence_and_leaves_nothing(small: Path) -> None:
    answer = SPAWN.Queue()
    process = in_a_process(_write_little, 8000, answer)
    assert "files may not grow that large here" in answer.get(timeout=30)
    process.join()
    assert not list(small.iterdir())


def test_a_full_disk_is_seen_before_writing(monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.setattr("sciql.files.shutil.disk_usage", lambda path: SimpleNamespace(free=10))
    with pytest.raises(SciqlError, match="free; free some space"):
        load_dataset(NAME)
    assert not list(small.iterdir())


def damage_truncated(data: Path) -> None:
    content = (data / "main_data.hdf5").read_bytes()
    (data / "main_data.hdf5").write_bytes(content[: len(content) // 2])


def damage_empty(data: Path) -> None:
    (data / "main_data.hdf5").write_bytes(b"")


def damage_missing(data: Path) -> None:
    (data / "main_data.hdf5").unlink()


def damage_value(data: Path) -> None:
    with h5py.File(data / "main_data.hdf5", "a") as file:
        file["episode_1/rewards"][3] = 0.5  # pyright: ignore[reportIndexIssue]


def damage_episode(data: Path) -> None:
    with h5py.File(data / "main_data.hdf5", "a") as file:
        del file["episode_3"]


def damage_metadata(data: Path) -> None:
    (data / "metadata.json").write_text("{")


def damage_entry(data: Path) -> None:
    document = json.loads((data / "metadata.json").read_text())
    del document["total_steps"]
    (data / "metadata.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncated,
        damage_empty,
        damage_missing,
        damage_value,
        damage_episode,
        damage_metadata,
        damage_entry,
    ],
)
def test_a_broken_dataset_is_one_sentence_with_a_remedy(small: Path, damage: Callable[[Path], None]) -> None:
    load_dataset(NAME)
    damage(small / NAME / "data")
    with pytest.raises(SciqlError, match=rf"remove it with `rm -r {small / NAME}` and it is made again") as caught:
        load_dataset(NAME)
    assert "\n" not in str(caught.value)
    assert any(finding.state == "broken" for finding in check_dataset(NAME))
    assert len(list_datasets()) == len(RECIPES)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("circle2d-inplase-v0", "no dataset 'circle2d-inplase-v0'; did you mean circle2d-inplace-v0"),
        ("nonsense", "no dataset 'nonsense'; choose one of circle2d-inplace-v0, circle2d-navigate-v0"),
        ("./nowhere", "there is no folder .*/nowhere; name a dataset or the folder of one"),
        (__file__, "is no folder of a Minari dataset"),
        (str(Path(__file__).parent), "is no folder of a Minari dataset: it has no data/metadata.json"),
    ],
)
def test_wrong_names_are_told_in_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence):
        load_dataset(name)
    with pytest.raises(SciqlError, match="no dataset that can be made"):
        make_dataset(name)


def test_a_sound_dataset_is_sound_all_over() -> None:
    findings = check_dataset(NAME)
    assert [finding.name for finding in findings][:6] == [
        "files",
        "content",
        "episodes",
        "values",
        "actions",
        "rewards",
    ]
    assert {finding.state for finding in findings} == {"ok"}


def test_short_episodes_are_found_by_the_index_and_read_without_opening_each(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_dataset(NAME)
    monkeypatch.setattr(store, "_rows", None)
    assert load_dataset(NAME).content == first.content


@pytest.mark.parametrize("index", [None, b"", "another's"])
def test_without_a_fitting_index_the_file_itself_is_read(small: Path, index: bytes | str | None) -> None:
    first, other = load_dataset(NAME), load_dataset("circle2d-navigate-v0")
    path = small / NAME / "data" / "index.npz"
    path.unlink()
    if index == "another's":
        path.write_bytes((small / other.name / "data" / "index.npz").read_bytes())
    elif isinstance(index, bytes):
        path.write_bytes(index)
    assert load_dataset(NAME).content == first.content
