"""Files are whole or not there; locks hold between processes; hashes see everything."""

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sciql.errors import SciqlError
from sciql.files import (
    claim,
    free_space_for,
    home,
    locked,
    read_json,
    remove_leftovers,
    sha256,
    write_aside,
    write_json,
    write_text,
    writing,
)

SPAWN = multiprocessing.get_context("spawn")


def test_a_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    for text in ("one", "two"):
        write_text(path, text)
        assert path.read_text() == text
    assert [found.name for found in path.parent.iterdir()] == ["file.txt"]


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    for text in ("one", "two"):
        with write_aside(tmp_path / "folder") as aside:
            aside.mkdir()
            (aside / text).write_text(text)
    assert [found.name for found in tmp_path.iterdir()] == ["folder"]
    assert [found.name for found in (tmp_path / "folder").iterdir()] == ["two"]


def test_a_file_never_takes_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    write_text(tmp_path / "folder" / "kept", "kept")
    with pytest.raises(SciqlError, match="this is a folder; name a file"):
        write_text(tmp_path / "folder", "new")
    assert (tmp_path / "folder" / "kept").read_text() == "kept"
    assert [found.name for found in tmp_path.iterdir()] == ["folder"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")
    with pytest.raises(ZeroDivisionError), write_aside(path) as aside:
        aside.write_text("new")
        _ = 1 / 0
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_kill_in_the_middle_leaves_the_old_file_and_a_hidden_rest_that_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")
    program = (
        "import os, signal, sys; from pathlib import Path; from sciql.files import write_aside\n"
        "with write_aside(Path(sys.argv[1])) as aside:\n"
        "    aside.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert all(found.name.startswith(".") for found in tmp_path.iterdir() if found != path)
    remove_leftovers(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "permission denied"), (errno.EROFS, "read-only")],
)
def test_what_the_system_refuses_is_told_in_a_sentence(number: int, words: str) -> None:
    with pytest.raises(SciqlError, match=f"cannot write /some/where: .*{words}"), writing(Path("/some/where")):
        raise OSError(number, os.strerror(number))


def test_other_refusals_keep_their_own_words() -> None:
    with pytest.raises(FileNotFoundError), writing(Path("/some/where")):
        raise FileNotFoundError


def test_a_file_in_the_way_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SciqlError, match="name a folder"):
        write_text(tmp_path / "file" / "inner", "text")


def test_json_comes_back_and_broken_json_is_named(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"é": [1, None]})
    assert read_json(tmp_path / "a.json") == {"é": [1, None]}
    with pytest.raises(SciqlError, match="there is no file"):
        read_json(tmp_path / "b.json")
    (tmp_path / "b.json").write_text(json.dumps({"a": 1})[:-2])
    with pytest.raises(SciqlError, match=r"b\.json cannot be read .*; remove it and make it again"):
        read_json(tmp_path / "b.json")


def _hold(path: str, started: str) -> None:
    with locked(Path(path)):
        Path(started).touch()
        time.sleep(0.4)
        Path(started).unlink()


@pytest.mark.parametrize("folder", [True, False])
def test_a_lock_keeps_another_process_out(tmp_path: Path, folder: bool) -> None:
    path, started = tmp_path / "thing", tmp_path / "started"
    if folder:
        path.mkdir()
    other = SPAWN.Process(target=_hold, args=(str(path), str(started)))
    other.start()
    while not started.exists():
        time.sleep(0.01)
    with pytest.raises(SciqlError, match="in use by another process"), claim(path):
        pass
    with locked(path):
        assert not started.exists()
    other.join()
    assert list(tmp_path.iterdir()) == ([path] if folder else [])


def test_the_hash_sees_names_types_shapes_and_values() -> None:
    column = np.arange(6, dtype=np.float32)
    hashes = {
        sha256({"a": column}),
        sha256({"b": column}),
        sha256({"a": column.astype(np.float64)}),
        sha256({"a": column.reshape(2, 3)}),
        sha256({"a": column[::-1]}),
        sha256({"a": column[:0]}),
    }
    assert len(hashes) == 6
    assert sha256({"a": column, "b": column[:1]}) == sha256({"b": column[:1], "a": column.copy()})


def test_too_little_room_is_told_before_writing(tmp_path: Path) -> None:
    free_space_for(tmp_path / "new" / "folder", 1.0)
    with pytest.raises(SciqlError, match=r"needs .* MB and its disk has"):
        free_space_for(tmp_path / "new" / "folder", 1e18)


def test_home_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIQL_HOME", "~/mine")
    assert home() == Path.home() / "mine"
    monkeypatch.delenv("SCIQL_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert home() == Path("/data/sciql")
