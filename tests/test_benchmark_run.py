"""A run of the grid: each cell once, whatever fails, and nothing lost."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hand_written import NAME, small_dataset
from made_results import SPEED, cells, measured_of
from tiny import tiny_settings

from sciql.benchmark import run as module
from sciql.benchmark.cells import Cell
from sciql.benchmark.grid import Pair
from sciql.benchmark.plan import Task, plan
from sciql.benchmark.pool import Event, Failed, Finished, LocalPool, Progress, done, ended, reason, shares
from sciql.benchmark.run import Outcome, run_slice
from sciql.benchmark.schedule import Board, run_tasks
from sciql.benchmark.store import read_results
from sciql.benchmark.studies import Slice
from sciql.errors import SciqlError
from sciql.settings import EXACT, PRESETS


class Inline:
    """Does every task here and now, or fails where it is told to."""

    def __init__(self, work: Any = done):
        self.work, self.events, self.started = work, list[Event](), list[str]()

    size = 1

    @property
    def free(self) -> int:
        return 1 - len(self.events)

    def start(self, task: Task) -> None:
        self.started.append(task.title)
        self.events.append(self.work(task))

    def wait(self, seconds: float) -> Sequence[Event]:
        events, self.events = self.events, []
        return events

    def close(self) -> None:
        pass


def made_up(task: Task) -> Finished:
    """A task that measures at once what nobody trained."""
    return Finished(task.name, [] if task.stage else [measured_of(cell, 50, 5) for cell in task.cells], 1.0)


def run(part: Slice, folder: Path, pool: Inline, told: list[str] | None = None) -> Outcome:
    return run_slice(
        part,
        folder,
        lambda: pool,
        tell=(told if told is not None else []).append,
        saved=lambda cell, document: None,
        showing=lambda: nullcontext(lambda board: None),
    )


PART = Slice(datasets=(NAME,), criteria=("speed",), seeds=(0,))


@pytest.fixture
def tiny(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small dataset under the name of a large one, tiny networks, and no fits of others."""
    folder = tmp_path_factory.mktemp("benchmark")
    monkeypatch.setenv("SCIQL_HOME", str(folder / "home"))
    monkeypatch.setitem(PRESETS, "exact", tiny_settings())
    with small_dataset(folder / "minari"):
        yield


@pytest.mark.usefixtures("tiny")
def test_a_slice_is_trained_scored_and_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sciql.benchmark.work.EPISODES", 2)
    part, first = replace(PART, methods=("bc", "bcpmi", "sciql_style_task")), Inline()
    outcome = run(part, tmp_path / "results", first)
    assert (outcome.wanted, outcome.made, outcome.failed) == (3, 3, {})
    assert len(first.started) == 6
    results = read_results(tmp_path / "results")
    assert len(results.found) == 3
    document = next(found for path, found in results.found.items() if "sciql_style_task" in str(path))
    assert [len(row) for row in document["alignments"]] == [2, 2, 2]
    assert document["steps"] == {"task values": 6, "style values": 6, "policy": 6}
    assert document["seconds"].keys() == {*document["steps"], "rollouts"}
    assert document["made"].keys() == {"sciql", "commit", "versions", "machine", "at"}
    assert list((Path(os.environ["SCIQL_HOME"]) / "benchmark").rglob("*.npz")) == []

    again = Inline()
    outcome = run(part, tmp_path / "results", again)
    assert (outcome.found, outcome.made, again.started) == (3, 0, [])


def test_a_failure_takes_only_what_needs_it(tmp_path: Path) -> None:
    def work(task: Task) -> Event:
        return Failed(task.name, "no luck") if task.stage == "style values" else made_up(task)

    outcome = run(PART, tmp_path / "results", Inline(work))
    assert {title.split()[2] for title in outcome.failed} == {"sciql_style", "sciql_style_task", "sciql_task_style"}
    assert set(outcome.failed.values()) == {"its style values could not be made: no luck"}
    assert outcome.made == 7
    # The next run tries what is missing, and nothing else.
    again = Inline(made_up)
    assert run(PART, tmp_path / "results", again).made == 3
    assert len(again.started) == 5


def test_an_interrupt_keeps_what_was_finished(tmp_path: Path) -> None:
    class Interrupt(BaseException):
        pass

    count = 0

    def work(task: Task) -> Event:
        nonlocal count
        count += 1
        if count == 5:
            raise Interrupt
        return made_up(task)

    with pytest.raises(Interrupt):
        run(PART, tmp_path / "results", Inline(work))
    kept = len(read_results(tmp_path / "results").found)
    assert 0 < kept < 10
    assert run(PART, tmp_path / "results", Inline(made_up)).made == 10 - kept


def test_damaged_cells_and_those_of_other_data_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part, told = Slice(datasets=(NAME,), criteria=("speed",), seeds=(0, 1), methods=("cbc",)), list[str]()
    run(part, tmp_path, Inline(made_up))
    (tmp_path / Cell(SPEED, "cbc", 0, EXACT).path).write_text("{")
    assert run(part, tmp_path, Inline(made_up), told).made == 1
    assert "half written or no cell of this version" in told[0]
    monkeypatch.setattr(module, "content_of", lambda dataset: "other")
    assert run(part, tmp_path, Inline(made_up), told).made == 2
    assert "2 cells were made from other data" in told[1]


def test_the_board_knows_how_much_is_left() -> None:
    tasks = plan(cells(("cbc",), (0,)))
    board = Board({task.name: task for task in tasks}, workers=1)
    assert board.left is None
    board.finish(Finished(tasks[0].name, [], seconds=10.0))
    assert board.left == pytest.approx(50.0)
    board.started[tasks[1].name] = 0.0
    board.running[tasks[1].name] = Progress(tasks[1].name, "policy", 15, 30)
    assert board.left == pytest.approx(45.0)


def test_tasks_are_never_started_before_what_they_need() -> None:
    tasks, done_so_far = plan(cells(("sciql_style", "sorl_beta1"), (0,))), set[str]()

    class Two(Inline):
        """Two at once, answered in turn."""

        @property
        def free(self) -> int:
            return 2 - len(self.events)

        def start(self, task: Task) -> None:
            assert task.needs <= done_so_far
            super().start(task)

        def wait(self, seconds: float) -> Sequence[Event]:
            event = self.events.pop(0)
            done_so_far.add(event.task)
            return [event]

    pool = Two(made_up)
    board = run_tasks(tasks, pool, lambda cell, measured: None, lambda board: None)
    assert len(board.done) == len(tasks) == len(pool.started)


def test_workers_fail_in_sentences_and_a_killed_one_is_replaced() -> None:
    """Real processes: one task that cannot be done, one whose process is killed, one after that."""
    lost = Cell(Pair("nowhere-v0", "circle2d/speed"), "cbc", 0, EXACT)
    tasks = [Task(f"task{number}", "lost", (lost,), None, frozenset(), 1.0) for number in range(3)]
    pool = LocalPool(1)
    try:
        pool.start(tasks[0])
        (event,) = heard(pool)
        assert isinstance(event, Failed)
        assert event.reason.startswith("there is no dataset 'nowhere-v0'")
        pool.start(tasks[1])
        process = next(iter(pool._busy.values())).process
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        (event,) = heard(pool)
        assert isinstance(event, Failed)
        assert "memory ran out" in event.reason or "nowhere-v0" in event.reason
        pool.start(tasks[2])
        assert [event.task for event in heard(pool)] == ["task2"]
    finally:
        pool.close()


def heard(pool: LocalPool) -> list[Event]:
    """The next events, however busy the machine is."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if events := pool.wait(1.0):
            return events
    raise AssertionError("no worker answered")


def test_cores_are_shared_out() -> None:
    every = os.sched_getaffinity(0)
    assert shares(1) == [None]
    assert shares(len(every) + 1) == [None] * (len(every) + 1)
    if len(every) > 1:
        own = [share for share in shares(2) if share is not None]
        assert frozenset.union(*own) == every
        assert not frozenset.intersection(*own)


def test_reasons_are_one_sentence() -> None:
    assert reason(SciqlError("do this")) == "do this"
    assert "memory ran out" in reason(MemoryError())
    assert "memory ran out" in reason(RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes"))
    assert "the disk is full" in reason(OSError(28, "no space", "/some/file"))
    assert reason(ValueError("odd\n  shape")) == "ValueError: odd shape"
    assert "SIGTERM" in ended(-signal.SIGTERM)
    assert "memory ran out" in ended(-signal.SIGKILL)
    assert "exit code 3" in ended(3)


@pytest.mark.usefixtures("tiny")
def test_the_command_tells_of_each_cell_and_of_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sciql.cli import main

    def work(task: Task) -> Event:
        return Failed(task.name, "no luck") if task.cells[0].method == "scbc" else made_up(task)

    monkeypatch.setattr(module, "LocalPool", lambda workers: Inline(work))
    words = ["benchmark", "run", "--results", str(tmp_path / "r"), "--datasets", NAME, "--criteria", "speed"]
    words += ["--methods", "cbc", "scbc", "--seeds", "0", "1"]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert f"{NAME} speed cbc seed 0: style 50.0, task 5.0" in out
    assert f"failed: {NAME} speed scbc seed 1: no luck" in out
    assert "2 of 4 cells are there, 2 of them new" in out
    assert main([*words, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["found"], document["made"], len(document["failed"])) == (2, 0, 2)
    assert main([*words, "--workers", "0"]) == 2
    assert "at least 1 worker" in capsys.readouterr().err
