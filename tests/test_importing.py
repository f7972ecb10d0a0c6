"""Logs of other programs become episodes: tables, archives, and what is said about those that cannot."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from sciql import Episodes
from sciql.datasets import import_dataset, load_dataset, store
from sciql.errors import SciqlError

RNG = np.random.default_rng(0)
STEPS = 12


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "registry"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return folder


def log(**changed: Any) -> dict[str, Any]:
    """Three episodes of four rows; None leaves a column out."""
    made = {
        "episode": np.repeat([3, 1, 2], 4),
        "obs_x": RNG.normal(size=STEPS),
        "obs_y": RNG.normal(size=STEPS),
        "act_turn": RNG.uniform(-1, 1, STEPS),
        "act_gas": RNG.uniform(-1, 1, STEPS),
        "reward": np.arange(STEPS) + 0.5,
        "speed": np.arange(STEPS),
        "mood": ["calm", "wild"] * 6,
    }
    return {name: column for name, column in (made | changed).items() if column is not None}


def write(folder: Path, columns: dict[str, Any], kind: str = "csv") -> Path:
    path = folder / f"log.{kind}"
    table = pa.table(columns)
    if kind == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)
    return path


def read(path: Path, **words: Any) -> Episodes:
    return Episodes.from_csv(path, **words) if path.suffix == ".csv" else Episodes.from_parquet(path, **words)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_are_guessed_by_their_names(kind: str, tmp_path: Path) -> None:
    columns = log()
    episodes = read(write(tmp_path, columns, kind))
    np.testing.assert_array_equal(episodes.observations, np.stack([columns["obs_x"], columns["obs_y"]], 1, dtype="f4"))
    np.testing.assert_array_equal(episodes.actions, np.stack([columns["act_turn"], columns["act_gas"]], 1, dtype="f4"))
    assert episodes.rewards.tolist() == columns["reward"].tolist()
    assert episodes.starts.tolist() == [0, 4, 8, 12]
    # A log ends where its last row is, and the last state seen stands for the one after it.
    assert np.flatnonzero(episodes.truncations).tolist() == [3, 7, 11] and not episodes.terminations.any()
    np.testing.assert_array_equal(episodes.final_observations, episodes.observations[[3, 7, 11]])
    assert (episodes.observation_names, episodes.action_names) == (("obs_x", "obs_y"), ("act_turn", "act_gas"))
    # Words are no signals.
    assert {name: column.tolist() for name, column in episodes.signals.items()} == {"speed": list(range(STEPS))}
    assert episodes.name == "log"


def test_columns_are_chosen_by_name_pattern_and_comma(tmp_path: Path) -> None:
    path = write(tmp_path, log())
    episodes = Episodes.from_csv(
        path,
        observations="obs_y,speed",
        actions=["*_gas"],
        signals=["obs_*", "reward"],
        action_bounds=(-2, 2),
        name="n",
    )
    assert (episodes.observation_names, episodes.action_names) == (("obs_y", "speed"), ("act_gas",))
    assert list(episodes.signals) == ["obs_x", "obs_y", "reward"]
    assert (episodes.action_bounds.tolist(), episodes.name) == ([[-2], [2]], "n")


def test_rows_of_an_episode_need_not_be_together_nor_in_order(tmp_path: Path) -> None:
    columns = log(step=np.tile(np.arange(4), 3))
    straight = read(write(tmp_path, columns))
    shuffled = np.argsort(columns["step"] * 7 % 4, kind="stable")
    mixed = read(write(tmp_path, {name: np.asarray(column)[shuffled] for name, column in columns.items()}))
    assert mixed.content == straight.content
    by_episode = np.argsort(columns["step"], kind="stable")
    unnumbered = {name: np.asarray(column)[by_episode] for name, column in columns.items() if name != "step"}
    np.testing.assert_array_equal(read(write(tmp_path, unnumbered)).observations, straight.observations)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_row_without_an_action_is_the_state_after_the_last_step(kind: str, tmp_path: Path) -> None:
    missing = np.arange(STEPS) % 4 == 3
    columns = log(terminated=missing & (np.arange(STEPS) < 8))
    columns |= {name: pa.array(columns[name], mask=missing) for name in ("act_turn", "act_gas", "reward")}
    episodes = read(write(tmp_path, columns, kind))
    assert episodes.lengths.tolist() == [3, 3, 3]
    np.testing.assert_array_equal(episodes.final_observations[:, 0], columns["obs_x"][missing].astype(np.float32))
    assert np.flatnonzero(episodes.terminations).tolist() == [2, 5]
    assert np.flatnonzero(episodes.truncations).tolist() == [8]


def test_next_observations_tell_the_state_after_the_last_step(tmp_path: Path) -> None:
    columns = log(next_obs_x=np.arange(STEPS), next_obs_y=-np.arange(STEPS))
    assert read(write(tmp_path, columns)).final_observations.tolist() == [[3, -3], [7, -7], [11, -11]]


@pytest.mark.parametrize(
    ("column", "names", "numbers"),
    [
        (["up", "down", "left"], ("down", "left", "up"), [2, 0, 1]),
        ([0, 2, 1], ("0", "1", "2"), [0, 2, 1]),
        ([-1, 1, 0], ("-1", "0", "1"), [0, 2, 1]),
        ([True, False, True], ("0", "1"), [1, 0, 1]),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_column_of_words_or_whole_numbers_is_a_choice(
    column: list[Any], names: tuple[str, ...], numbers: list[int], kind: str, tmp_path: Path
) -> None:
    episodes = read(write(tmp_path, log(act_turn=None, act_gas=None, action=column * 4), kind))
    assert (episodes.action_names, episodes.discrete_actions) == (names, len(names))
    assert episodes.actions[:3].tolist() == numbers


def test_bounds_are_those_given_or_those_of_the_data(tmp_path: Path) -> None:
    path = write(tmp_path, log(act_gas=np.linspace(-3, 7, STEPS)))
    assert read(path).action_bounds.tolist() == [[-1, -3], [1, 7]]
    assert read(path, action_bounds=[-9, 9]).action_bounds.tolist() == [[-9, -9], [9, 9]]
    assert read(path, action_bounds=[-1, 1, -9, 9]).action_bounds.tolist() == [[-1, -9], [1, 9]]


def test_lists_in_a_column_are_columns(tmp_path: Path) -> None:
    """As robot learning writes them."""
    states = RNG.normal(size=(6, 3)).astype(np.float32)
    table = {
        "observation.state": pa.array(states.tolist()),
        "action": pa.array([[0.5, -0.5]] * 6, pa.list_(pa.float32(), 2)),
        "episode_index": [0, 0, 0, 1, 1, 1],
        "frame_index": [0, 1, 2, 0, 1, 2],
        "next.done": [False, False, True] * 2,
        "observation.images.front": pa.array([{"path": "a.png"}] * 6),
    }
    episodes = read(write(tmp_path, table, "parquet"), observations="observation.state")
    np.testing.assert_array_equal(episodes.observations, states)
    assert episodes.observation_names == ("observation.state_0", "observation.state_1", "observation.state_2")
    assert np.flatnonzero(episodes.terminations).tolist() == [2, 5]
    with pytest.raises(SciqlError, match=r"'observation.images.front' of log holds images or other files"):
        read(tmp_path / "log.parquet")


def test_a_folder_of_tables_is_one_log(tmp_path: Path) -> None:
    whole = read(write(tmp_path, log(), "parquet"))
    (tmp_path / "parts").mkdir()
    table = pyarrow.parquet.read_table(tmp_path / "log.parquet")
    for number in range(3):
        pyarrow.parquet.write_table(table.slice(4 * number, 4), tmp_path / "parts" / f"part{number}.parquet")
    assert Episodes.from_parquet(tmp_path / "parts").content == whole.content


def test_semicolons_and_tabulators_part_columns_too(tmp_path: Path) -> None:
    path = write(tmp_path, log())
    text = path.read_text()
    for sign in (";", "\t"):
        path.write_text(text.replace(",", sign))
        assert read(path).starts.tolist() == [0, 4, 8, 12]


D4RL = {
    "observations": RNG.normal(size=(10, 2)).astype(np.float32),
    "actions": RNG.uniform(-1, 1, (10, 3)).astype(np.float32),
    "rewards": np.arange(10, dtype=np.float32),
    "terminals": np.arange(10) == 3,
    "timeouts": np.arange(10) == 9,
    "infos/qpos": np.arange(20.0).reshape(10, 2),
    "metadata/algorithm": np.array("sac"),
}


def npz(folder: Path, arrays: dict[str, Any]) -> Path:
    np.savez(folder / "log.npz", **{name: column for name, column in arrays.items() if column is not None})
    return folder / "log.npz"


def test_an_archive_of_d4rl(tmp_path: Path) -> None:
    episodes = Episodes.from_npz(npz(tmp_path, D4RL))
    assert episodes.starts.tolist() == [0, 4, 10]
    assert np.flatnonzero(episodes.terminations).tolist() == [3] and np.flatnonzero(episodes.truncations).tolist() == [
        9
    ]
    assert list(episodes.signals) == ["qpos_0", "qpos_1"]
    assert episodes.signals["qpos_1"].tolist() == list(range(1, 21, 2))
    np.testing.assert_array_equal(episodes.final_observations, D4RL["observations"][[3, 9]])
    following = Episodes.from_npz(npz(tmp_path, D4RL | {"next_observations": D4RL["observations"] + 1}))
    np.testing.assert_array_equal(following.final_observations, D4RL["observations"][[3, 9]] + 1)


def test_d4rl_hdf5_is_the_same(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "log.hdf5", "w") as file:
        for name, column in D4RL.items():
            file[name] = column.item() if column.shape == () else column
    assert Episodes.from_npz(tmp_path / "log.hdf5").content == Episodes.from_npz(npz(tmp_path, D4RL)).content


def test_an_archive_of_ogbench_keeps_the_last_state_in_a_row_of_its_own(tmp_path: Path) -> None:
    arrays = {name: D4RL[name] for name in ("observations", "actions")}
    episodes = Episodes.from_npz(npz(tmp_path, arrays | {"terminals": np.arange(10) % 5 == 4, "qpos": np.eye(10)}))
    assert episodes.starts.tolist() == [0, 4, 8] and not episodes.rewarded
    assert not episodes.terminations.any() and np.flatnonzero(episodes.truncations).tolist() == [3, 7]
    np.testing.assert_array_equal(episodes.final_observations, D4RL["observations"][[4, 9]])
    assert episodes.signals["qpos_5"].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


MISTAKES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no observations": ({"obs_x": None, "obs_y": None}, {}, "no column of log is called like observations"),
    "no such column": ({}, {"observations": "obs_z"}, r"no column 'obs_z'; did you mean obs_y or obs_x\?"),
    "no such reward": ({}, {"reward": "rewrad"}, "no column 'rewrad'; did you mean reward"),
    "words as observations": ({}, {"observations": "mood"}, "mood"),
    "no ends": ({"episode": None}, {}, "nothing tells where the episodes of log end"),
    "a step twice": ({"step": np.zeros(STEPS)}, {}, "episode 0 of log has step 0 twice"),
    "flag in the middle": ({"done": np.arange(STEPS) == 1}, {}, "episode 0 of log is flagged as ended before its last"),
    "flags that are none": ({"done": np.arange(STEPS)}, {}, "'done' of log flags the ends of episodes"),
    "bounds of three": ({}, {"action_bounds": [1, 2, 3]}, r"action_bounds of log have shape \(3,\)"),
    "no rows": ({name: [] for name in log()}, {}, "log has no rows"),
    "too many choices": ({"act_turn": None, "act_gas": np.arange(STEPS) * 1000}, {}, "too many to choose from"),
    "choice with bounds": ({"act_turn": None, "act_gas": ["a"] * STEPS}, {"action_bounds": [0, 1]}, "act_gas"),
    "next of another width": ({"next_obs_x": np.zeros(STEPS)}, {}, "next_observations of log"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_log_that_is_none_is_told_in_a_sentence(mistake: str, kind: str, tmp_path: Path, registry: Path) -> None:
    changed, words, sentence = MISTAKES[mistake]
    path = write(tmp_path, log(**changed), kind)
    with pytest.raises(SciqlError, match=sentence) as caught:
        read(path, **words)
    assert "\n" not in str(caught.value)
    with pytest.raises(SciqlError, match=sentence):
        import_dataset(path, "mine", words)  # pyright: ignore[reportArgumentType]
    assert not registry.exists() or not list(registry.iterdir())


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"observations": None}, "no array 'observations'"),
        ({"actions": np.zeros((9, 3))}, r"actions of log have shape \(9, 3\)"),
        ({"observations": np.zeros((10, 32, 32, 3), np.uint8)}, "are images of 32 x 32 x 3"),
        ({"rewards": np.array(["a"] * 10)}, "rewards of log are of type <U1"),
        ({"terminals": None, "timeouts": None}, "nothing tells where the episodes of log end"),
        ({"actions": np.arange(10) - 1}, "number them from 0"),
    ],
)
def test_an_archive_that_is_none_is_told_in_a_sentence(arrays: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match=sentence):
        Episodes.from_npz(npz(tmp_path, D4RL | arrays))


@pytest.mark.parametrize("name", ["log.csv", "log.parquet", "log.npz", "log.hdf5"])
def test_files_that_are_none_are_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    for content in (b"", b"\x00\xff" * 40, b"PK\x03\x04 and no more"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SciqlError) as caught:
            import_dataset(tmp_path / name, "mine")
        assert "\n" not in str(caught.value)
    with pytest.raises(SciqlError, match="there is no f"):
        import_dataset(tmp_path / "other" / name, "mine")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a b", "cannot be called 'a b'"),
        ("../up", "cannot be called '../up'"),
        ("circle2d-inplace", "that sciql makes itself"),
        ("", "cannot be called ''"),
    ],
)
def test_names_that_cannot_be(name: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match=sentence):
        import_dataset(write(tmp_path, log()), name)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_imported_log_is_found_by_its_name_as_it_was_read(kind: str, tmp_path: Path, registry: Path) -> None:
    path = write(tmp_path, log(reward=None, act_gas=np.linspace(0, 250, STEPS), **{"a/b": np.arange(STEPS) / 3}), kind)
    imported = import_dataset(path, "mine")
    assert (imported.info.name, imported.info.folder) == ("mine-v0", registry / "mine-v0")
    stored, direct = load_dataset("mine"), read(path)
    assert stored.content == direct.content == load_dataset("mine-v0").content == Episodes.from_minari("mine").content
    assert (stored.action_bounds.tolist(), stored.rewarded) == ([[-1, 0], [1, 250]], False)
    assert (stored.observation_names, stored.action_names) == (direct.observation_names, direct.action_names)
    assert sorted(stored.signals) == sorted(direct.signals) == ["a/b", "speed"]
    with pytest.raises(SciqlError, match="there is a dataset mine-v0 already"):
        import_dataset(path, "mine")
    assert import_dataset(path, "mine", force=True).info.steps == STEPS
    assert [folder.name for folder in registry.iterdir()] == ["mine-v0"]
    # A dataset is a source as well.
    assert import_dataset("mine", "copies/yours-v3").episodes.content == direct.content
    assert load_dataset("copies/yours-v3").observation_names == direct.observation_names


def test_a_log_is_read_the_same_where_it_does_not_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = np.arange(STEPS) % 4 == 3
    columns = log(step=np.tile([3, 1, 2, 4], 3))
    columns |= {name: pa.array(columns[name], mask=missing) for name in ("act_turn", "act_gas")}
    paths = [write(tmp_path, columns, "csv"), write(tmp_path, columns, "parquet")]
    within = [read(path) for path in paths] + [Episodes.from_npz(npz(tmp_path, D4RL))]
    for path in paths:
        import_dataset(path, f"in-{path.suffix[1:]}")
    monkeypatch.setenv("SCIQL_MEMORY", "1kb")
    monkeypatch.setattr("sciql.datasets.growing.ROWS_AT_ONCE", 5)
    monkeypatch.setattr("sciql.datasets.tables.ROWS_OF_A_PART", 3)
    beyond = [read(path) for path in paths] + [Episodes.from_npz(npz(tmp_path, D4RL))]
    assert [one.content for one in beyond] == [one.content for one in within]
    for path, one in zip(paths, within, strict=False):
        assert import_dataset(path, f"out-{path.suffix[1:]}").episodes.content == one.content
        assert (
            load_dataset(f"out-{path.suffix[1:]}").content
            == one.content
            == load_dataset(f"in-{path.suffix[1:]}").content
        )
    assert not list((Path(store.registry()).parent).glob("**/*.aside"))
