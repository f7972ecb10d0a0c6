"""Worker processes on this machine: what they are told, what they say, and how they end."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from sciql.benchmark.plan import Task

SECONDS_BETWEEN_REPORTS = 0.5


@dataclass(frozen=True)
class Progress:
    """How far a task is."""

    task: str
    stage: str
    step: int
    steps: int


@dataclass(frozen=True)
class Finished:
    """A task that is done, and what its cells measured."""

    task: str
    measured: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    files: tuple[str, ...] = ()
    """Of a fit: where it lies, below sciql's folder."""


@dataclass(frozen=True)
class Failed:
    """A task that came to nothing."""

    task: str
    reason: str
    """One sentence."""


Event = Progress | Finished | Failed


class Pool(Protocol):
    """Those who do tasks."""

    @property
    def size(self) -> int:
        """How many tasks they do at once."""
        ...

    @property
    def free(self) -> int:
        """How many more tasks can begin now."""
        ...

    def start(self, task: Task) -> None: ...

    def wait(self, seconds: float) -> Sequence[Event]:
        """What happened, or nothing after so many seconds."""
        ...

    def close(self) -> None:
        """End all of them; what they did not finish is lost."""
        ...


class LocalPool:
    """Processes of this machine, each on cores of its own."""

    def __init__(self, count: int):
        self._cores = shares(count)
        self._idle: list[_Worker] = []
        self._busy: dict[str, _Worker] = {}
        self._context = multiprocessing.get_context("spawn")

    @property
    def size(self) -> int:
        return len(self._cores)

    @property
    def free(self) -> int:
        return len(self._cores) - len(self._busy)

    def start(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else self._spawn()
        self._busy[task.name] = worker
        with suppress(OSError):  # A worker that died while idle is found by `wait`.
            worker.line.send(task)

    def _spawn(self) -> "_Worker":
        taken = {worker.place for worker in (*self._busy.values(), *self._idle)}
        place = next(place for place in range(len(self._cores)) if place not in taken)
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs, self._cores[place]), daemon=True)
        process.start()
        theirs.close()
        return _Worker(place, process, ours)

    def wait(self, seconds: float) -> list[Event]:
        lines = {worker.line: name for name, worker in self._busy.items()}
        return [self._heard(lines[line]) for line in wait(list(lines), seconds) if isinstance(line, Connection)]

    def _heard(self, name: str) -> Event:
        worker = self._busy[name]
        try:
            event: Event = worker.line.recv()
        except (EOFError, OSError):
            del self._busy[name]
            worker.process.join()
            return Failed(name, ended(worker.process.exitcode))
        if not isinstance(event, Progress):
            self._idle.append(self._busy.pop(name))
        return event

    def close(self) -> None:
        for worker in (*self._busy.values(), *self._idle):
            worker.process.terminate()
        for worker in (*self._busy.values(), *self._idle):
            worker.process.join()
            worker.line.close()


@dataclass(frozen=True)
class _Worker:
    """A process, and the line to it."""

    place: int
    process: BaseProcess
    line: Connection


def shares(count: int) -> list[frozenset[int] | None]:
    """The cores of each of `count` workers; None, which is all of them, where they cannot be chosen or are too few."""
    if not hasattr(os, "sched_getaffinity"):
        return [None] * count
    cores = sorted(os.sched_getaffinity(0))
    if count == 1 or count > len(cores):
        return [None] * count
    return [frozenset(cores[place::count]) for place in range(count)]


def ended(code: int | None) -> str:
    """Why a process is gone, for people."""
    if code == -signal.SIGKILL:
        return (
            "its process was killed, most likely because memory ran out; run fewer workers at once or free some memory"
        )
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}; run the same command again"
    return f"its process ended with exit code {code}; run the same command again"


def serve(line: Connection, cores: frozenset[int] | None) -> None:
    """The life of a worker: a task after the other, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the asker's to answer.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if cores is not None:
        # Before JAX is imported, which makes as many threads as there are cores.
        os.sched_setaffinity(0, cores)
    while True:
        try:
            task: Task = line.recv()
        except EOFError:
            return
        line.send(done(task, line))


def _end_with_parent() -> None:
    """Whoever asked may be killed; nobody is to compute for a dead one."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def done(task: Task, line: "Connection | None" = None) -> Finished | Failed:
    """Do a task here and now."""
    from sciql.benchmark.work import perform

    begun, told = time.perf_counter(), 0.0

    def report(row: dict[str, Any], steps: int) -> None:
        nonlocal told
        if line is not None and time.monotonic() - told > SECONDS_BETWEEN_REPORTS:
            told = time.monotonic()
            line.send(Progress(task.name, row["stage"], row["step"], steps))

    try:
        measured, files = perform(task, report)
    except Exception as problem:
        return Failed(task.name, reason(problem))
    return Finished(task.name, measured, time.perf_counter() - begun, files)


def reason(problem: Exception) -> str:
    """A failure as one sentence."""
    from sciql.cli import sentence_of
    from sciql.errors import SciqlError

    if isinstance(problem, SciqlError):
        return str(problem)
    said = " ".join(str(problem).split())
    if isinstance(problem, MemoryError) or "RESOURCE_EXHAUSTED" in said:
        return "memory ran out; run fewer workers at once or free some memory"
    if isinstance(problem, OSError) and (sentence := sentence_of(problem)):
        return sentence
    return f"{type(problem).__name__}: {said[:300]}"
