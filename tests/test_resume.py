"""A run that was killed, at any moment, ends in the bits of a run that was not."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tiny import SIDE, ticks_of, tiny_episodes, tiny_settings

from sciql import training
from sciql.errors import SciqlError
from sciql.fitting import Report, Row
from sciql.training import Run, train

KILLED = """
import os, signal, sys
from pathlib import Path
from test_resume import attempt

stage, step, write = sys.argv[2], int(sys.argv[3]), Path.write_bytes
due = False

def told(row, steps):
    global due
    due = (row["stage"], row["step"]) == (stage, step)
    if due and stage == "policy":
        os.kill(os.getpid(), signal.SIGKILL)

def half(path, content):
    write(path, content[: len(content) // 2] if due else content)
    if due:
        os.kill(os.getpid(), signal.SIGKILL)

Path.write_bytes = half
attempt(Path(sys.argv[1]), told)
"""
"""Dies between a tick of the policy and its checkpoint, or half-way through writing the checkpoint of another stage."""


def attempt(folder: Path, told: Report) -> Run:
    """Train in short ticks, with a checkpoint after each, and be told of every one."""

    @contextmanager
    def reporting() -> Iterator[Report]:
        yield told

    with ticks_of(5), pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "reporting", reporting)
        patch.setenv("SCIQL_HOME", str(folder.parent / "home"))
        return train(
            "sciql_style_task", tiny_episodes(), SIDE, settings=tiny_settings(steps=20), out=folder, resume=True
        )


def without_seconds(rows: list[Row]) -> list[Row]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing interrupted."""
    return attempt(tmp_path_factory.mktemp("whole") / "run", lambda row, steps: None)


def require_same(run: Run, whole: Run) -> None:
    assert run.folder is not None
    assert whole.folder is not None
    assert (run.folder / "policy.npz").read_bytes() == (whole.folder / "policy.npz").read_bytes()
    assert without_seconds(run.curve) == without_seconds(whole.curve)
    assert {path.name for path in run.folder.iterdir()} == {"run.json", "policy.npz", "metrics.jsonl"}


def test_kill_9_loses_nothing(whole: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for stage, step in (("style values", 15), ("policy", 10)):
        words = [sys.executable, "-c", KILLED, str(folder), stage, str(step)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
    resumed: list[tuple[str, int]] = []
    run = attempt(folder, lambda row, steps: resumed.append((row["stage"], row["step"])))
    assert resumed[-5:] == [("style values", 20), *(("policy", step) for step in (5, 10, 15, 20))]
    require_same(run, whole)
    assert list((tmp_path / "home").rglob("*.aside")) == []


class Interrupt(BaseException):
    """As Ctrl-C would come."""


@pytest.mark.parametrize("moment", [("task values", 5), ("style values", 20), ("policy", 5), ("policy", 20)])
def test_an_interrupt_between_two_ticks_loses_nothing(moment: tuple[str, int], whole: Run, tmp_path: Path) -> None:
    def told(row: Row, steps: int) -> None:
        if (row["stage"], row["step"]) == moment:
            raise Interrupt

    with pytest.raises(Interrupt):
        attempt(tmp_path / "run", told)
    assert not (tmp_path / "run" / "policy.npz").exists()
    require_same(attempt(tmp_path / "run", lambda row, steps: None), whole)


@pytest.mark.parametrize("write", ["write_text", "write_json"])
def test_an_interrupt_while_the_end_is_written_loses_nothing(
    write: str, whole: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*words: Any) -> None:
        raise Interrupt

    with monkeypatch.context() as patch, pytest.raises(Interrupt):
        patch.setattr(training, write, interrupted)
        attempt(tmp_path / "run", lambda row, steps: None)
    require_same(attempt(tmp_path / "run", lambda row, steps: None), whole)


def test_a_process_killed_while_it_began_is_no_obstacle(whole: Run, tmp_path: Path) -> None:
    (tmp_path / "run" / ".run.json.x1.aside").mkdir(parents=True)
    require_same(attempt(tmp_path / "run", lambda row, steps: None), whole)


def test_a_damaged_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    def told(row: Row, steps: int) -> None:
        if (row["stage"], row["step"]) == ("policy", 10):
            raise Interrupt

    with pytest.raises(Interrupt):
        attempt(tmp_path / "run", told)
    checkpoint = tmp_path / "run" / "checkpoint.npz"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    with pytest.raises(SciqlError, match=r"checkpoint.npz is damaged or no file of ours; remove it and make it again"):
        attempt(tmp_path / "run", lambda row, steps: None)
    assert checkpoint.exists()
