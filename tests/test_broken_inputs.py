"""Broken logs by the thousand: each is accepted and right, or refused in one sentence; nothing half-written stays."""

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciql import Episodes, files
from sciql.datasets import check_episodes, import_dataset, load_dataset, require_sound, store
from sciql.errors import SciqlError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning:pyarrow")
ROWS = 8
FEW, MANY = 500, 5000
"""Examples of each kind in the quick run and in the slow one."""


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A registry whose files need not survive a power cut, which makes it fast."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINARI_DATASETS_PATH", f"{folder}/registry")
        patch.setattr(files, "_sync", lambda path: None)
        yield Path(folder)


def table() -> dict[str, list[Any]]:
    """A sound log: two episodes, rows in order."""
    return {
        "episode": [0] * 4 + [1] * 4,
        "step": [0, 1, 2, 3] * 2,
        "obs_x": [0.5 * row for row in range(ROWS)],
        "obs_y": [float(row % 3) for row in range(ROWS)],
        "action_0": [0.1 * row for row in range(ROWS)],
        "reward": [1.0] * ROWS,
        "done": [False] * 7 + [True],
        "speed": list(range(ROWS)),
    }


COLUMNS = sorted(table())
ODD = st.sampled_from(
    [None, float("nan"), float("inf"), -float("inf"), 1e300, -1e39, 2**53, -3, 0, 1, 2, 0.5, "", "left", "1", "ß\x00"]
)
SPOIL = st.one_of(
    st.tuples(st.just("drop"), st.sampled_from(COLUMNS)),
    st.tuples(
        st.just("rename"), st.sampled_from(COLUMNS), st.sampled_from([*COLUMNS, "", ".", "a/b", "next_obs_0", "act"])
    ),
    st.tuples(st.just("set"), st.sampled_from(COLUMNS), st.integers(0, ROWS - 1), ODD),
    st.tuples(st.just("fill"), st.sampled_from(COLUMNS), ODD),
    st.tuples(st.just("swap"), st.integers(0, ROWS - 1), st.integers(0, ROWS - 1)),
    st.tuples(st.just("cut"), st.integers(0, ROWS)),
    st.tuples(st.just("repeat"), st.integers(0, ROWS - 1)),
)
WORDS = st.fixed_dictionaries(
    {},
    optional={
        "observations": st.sampled_from(["obs_*", "obs_x,speed", "speed", "nothing", "*", ""]),
        "actions": st.sampled_from(["action_0", "speed", "done", "obs_*"]),
        "signals": st.sampled_from(["*", "speed", "none", ""]),
        "reward": st.sampled_from(["reward", "speed", "done"]),
        "action_bounds": st.sampled_from([(-1, 1), (0, 0), (1, -1), (float("nan"), 1), (1, 2, 3), ()]),
    },
)


def spoil(columns: dict[str, list[Any]], what: tuple[Any, ...]) -> dict[str, list[Any]]:
    """The log with one more mistake."""
    kind, *rest = what
    if kind in ("swap", "cut", "repeat"):
        length = len(next(iter(columns.values()), []))
        rows = list(range(length))
        if kind == "swap" and max(rest) < length:
            rows[rest[0]], rows[rest[1]] = rows[rest[1]], rows[rest[0]]
        elif kind == "cut":
            rows = rows[: rest[0]]
        elif kind == "repeat":
            rows = rows + rows[rest[0] : rest[0] + 1]
        return {name: [column[row] for row in rows] for name, column in columns.items()}
    name = rest[0]
    if name not in columns:
        return columns
    if kind == "drop":
        return {other: column for other, column in columns.items() if other != name}
    if kind == "rename":
        return {rest[1] if other == name else other: column for other, column in columns.items()}
    if kind == "fill":
        return columns | {name: [rest[1]] * len(columns[name])}
    column = list(columns[name])
    if rest[1] < len(column):
        column[rest[1]] = rest[2]
    return columns | {name: column}


def as_arrow(column: list[Any]) -> pa.Array:
    """One type for all of a column, words if need be."""
    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if one is None else str(one) for one in column])


def judged(path: Path, room: Path, words: dict[str, Any]) -> Episodes | None:
    """The episodes of a log if it is accepted; what must hold in either case is asserted."""
    registry = room / "registry"
    try:
        imported = import_dataset(path, "mine", words, force=True)  # pyright: ignore[reportArgumentType]
    except SciqlError as refusal:
        sentence = str(refusal)
        assert sentence and "\n" not in sentence and len(sentence) < 800, sentence
        assert not list(registry.glob("**/*.aside")) and not list(registry.glob("**/.*.lock"))
        return None
    episodes = imported.episodes
    assert store.read(registry / "mine-v0", "mine").content == episodes.content
    assert [folder.name for folder in registry.iterdir()] == ["mine-v0"]
    broken = [finding for finding in check_episodes(episodes) if finding.state == "broken"]
    try:
        require_sound(load_dataset("mine"))
    except SciqlError:
        assert broken
    else:
        assert not broken
    return episodes


def expected(columns: dict[str, list[Any]]) -> list[list[float]] | None:
    """Observations of a log that has all its columns, row by row: by episode as they appear, then by step."""
    if not {"episode", "step", "obs_x", "obs_y", "action_0"} <= columns.keys():
        return None
    numbers = [one for name in ("episode", "step", "obs_x", "obs_y", "action_0") for one in columns[name]]
    if not all(isinstance(one, (int, float)) and np.isfinite(one) and abs(one) < 1e6 for one in numbers):
        return None
    first = {episode: columns["episode"].index(episode) for episode in columns["episode"]}
    rows = sorted(
        range(len(columns["episode"])), key=lambda row: (first[columns["episode"][row]], columns["step"][row], row)
    )
    return [[float(np.float32(columns[name][row])) for name in ("obs_x", "obs_y")] for row in rows]


def tables(kind: str, room: Path, mistakes: list[Any], words: dict[str, Any], bytes_at: list[tuple[int, int]]) -> None:
    columns = table()
    for mistake in mistakes:
        columns = spoil(columns, mistake)
    path = room / f"log.{kind}"
    arrow = pa.table([as_arrow(column) for column in columns.values()], names=list(columns))
    if kind == "csv":
        pyarrow.csv.write_csv(arrow, path)
    else:
        pyarrow.parquet.write_table(arrow, path)
    overwrite(path, bytes_at)
    episodes = judged(path, room, words)
    wanted = None if bytes_at or words or len(columns) < len(table()) else expected(columns)
    if episodes is not None and wanted is not None:
        assert episodes.observations.tolist() == wanted
    if not mistakes and not words and not bytes_at:
        assert episodes is not None


def overwrite(path: Path, bytes_at: list[tuple[int, int]]) -> None:
    """Some bytes of a file changed, or all after one of them cut off."""
    content = bytearray(path.read_bytes())
    for place, value in bytes_at:
        if value < 0:
            del content[place % (len(content) + 1) :]
        elif content:
            content[place % len(content)] = value
    path.write_bytes(content)


BYTES = st.one_of(st.just([]), st.lists(st.tuples(st.integers(0, 4000), st.integers(-1, 255)), max_size=2))
MISTAKES = st.lists(SPOIL, max_size=3)


ARRAY = st.sampled_from(["observations", "actions", "rewards", "terminals", "timeouts", "qpos", "next_observations"])
SHAPES = [(ROWS,), (ROWS, 1), (1, ROWS), (ROWS, 2, 2), (), (0,), (0, 2), (3, 2)]
CHANGE = st.one_of(
    st.tuples(ARRAY, st.just("drop"), st.just(0)),
    st.tuples(ARRAY, st.just("type"), st.sampled_from(["f8", "i4", "u1", "?", "U3", "f2", "c8", "i8"])),
    st.tuples(
        ARRAY,
        st.just("shape"),
        st.sampled_from([(ROWS,), (ROWS, 1), (1, ROWS), (ROWS, 2, 2), (), (0,), (0, 2), (3, 2)]),
    ),
    st.tuples(ARRAY, st.just("value"), st.sampled_from([np.nan, np.inf, -1.0, 2.0, 1e39, 300.0])),
)


def arrays() -> dict[str, np.ndarray]:
    """A sound archive of D4RL's layout."""
    return {
        "observations": np.arange(2.0 * ROWS).reshape(ROWS, 2),
        "actions": np.linspace(-1, 1, ROWS)[:, None],
        "rewards": np.ones(ROWS),
        "terminals": np.arange(ROWS) == 3,
        "timeouts": np.arange(ROWS) == 7,
        "qpos": np.eye(ROWS)[:, :3],
    }


def changed(made: dict[str, np.ndarray], change: tuple[str, str, Any]) -> dict[str, np.ndarray]:
    name, kind, value = change
    column = made.get(name, np.zeros((ROWS, 2)))
    if kind == "drop":
        return {other: kept for other, kept in made.items() if other != name}
    with np.errstate(all="ignore"):
        if kind == "type":
            return made if column.dtype.kind == "U" else made | {name: column.astype(value)}
        if kind == "shape":
            return made | {name: np.resize(column, value)}
        spoilt = column.astype(float) if column.dtype.kind in "biuf" else np.zeros(column.shape)
    if spoilt.size:
        spoilt.flat[spoilt.size // 2] = value
    return made | {name: spoilt}


def archives(room: Path, changes: list[Any], bytes_at: list[tuple[int, int]]) -> None:
    made = arrays()
    for change in changes:
        made = changed(made, change)
    np.savez(room / "log.npz", allow_pickle=True, **made)
    overwrite(room / "log.npz", bytes_at)
    episodes = judged(room / "log.npz", room, {})
    if not changes and not bytes_at:
        assert episodes is not None
        np.testing.assert_array_equal(episodes.observations, made["observations"])
        assert episodes.starts.tolist() == [0, 4, 8]


ENTRY = st.sampled_from(["observations", "actions", "rewards", "terminations", "truncations", "infos/speed", "infos"])
FACTS = ["total_steps", "total_episodes", "observation_space", "action_space", "sciql", "data_format"]
DAMAGE = st.one_of(
    st.tuples(st.just("entry"), ENTRY, st.sampled_from(["drop", "short", "words", "nan", "empty", "scalar"])),
    st.tuples(
        st.just("metadata"), st.sampled_from(FACTS), st.sampled_from(["drop", None, 7, -1, "x", "{}", [], {"a": 1}])
    ),
    st.tuples(st.just("bytes"), st.integers(0, 20000), st.integers(-1, 255)),
)


def folders(room: Path, damages: list[Any]) -> None:
    """A Minari dataset with damages, as a source."""
    folder = room / "source"
    rng = np.random.default_rng(0)
    made = Episodes.from_arrays(
        observations=rng.normal(size=(ROWS, 2)),
        actions=rng.uniform(-1, 1, (ROWS, 1)),
        rewards=np.ones(ROWS),
        terminations=np.zeros(ROWS, bool),
        truncations=np.arange(ROWS) % 4 == 3,
        final_observations=np.zeros((2, 2)),
        signals={"speed": np.arange(8.0)},
    )
    files.shutil.rmtree(folder, ignore_errors=True)
    store.write(folder, "source-v0", made, {}, lambda: None)
    for kind, *rest in damages:
        damage(folder / "data", kind, rest)
    episodes = judged(folder, room, {})
    if not damages:
        assert episodes is not None and episodes.content == made.content


def damage(data: Path, kind: str, rest: list[Any]) -> None:
    if kind == "bytes":
        overwrite(data / "main_data.hdf5", [(rest[0], rest[1])])
    elif kind == "metadata":
        document = json.loads((data / "metadata.json").read_text())
        if rest[1] == "drop":
            document.pop(rest[0], None)
        else:
            document[rest[0]] = rest[1]
        (data / "metadata.json").write_text(json.dumps(document))
    else:
        name, how = rest
        try:
            with h5py.File(data / "main_data.hdf5", "a") as file:
                group: Any = file["episode_1"]
                old = np.atleast_1d(group[name][()]) if name != "infos" and name in group else np.zeros(4)
                if name in group:
                    del group[name]
                new = {
                    "short": old[:-1],
                    "words": np.array([b"a"] * len(old)),
                    "nan": np.full(old.shape, np.nan),
                    "empty": old[:0],
                    "scalar": np.float32(1),
                }
                if how in new:
                    group[name] = new[how]
        except (OSError, KeyError, RuntimeError, ValueError):
            return  # damaged too much already


CASES: dict[str, tuple[Any, Callable[..., None]]] = {
    "csv": (st.tuples(MISTAKES, WORDS, BYTES), partial(tables, "csv")),
    "parquet": (st.tuples(MISTAKES, WORDS, BYTES), partial(tables, "parquet")),
    "npz": (st.tuples(st.lists(CHANGE, max_size=3), BYTES), archives),
    "minari": (st.tuples(st.lists(DAMAGE, max_size=2)), folders),
}


def tried(kind: str, count: int, room: Path) -> None:
    """So many examples of one kind."""
    strategy, accepted_or_refused = CASES[kind]

    @settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(strategy)
    def each(case: tuple[Any, ...]) -> None:
        accepted_or_refused(room, *case)

    each()


@pytest.mark.parametrize("kind", CASES)
def test_broken_inputs(kind: str, room: Path) -> None:
    tried(kind, FEW, room)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
def test_many_more_broken_inputs(kind: str, room: Path) -> None:
    tried(kind, MANY, room)
