"""Tasks handed to a pool in order, each when what it needs is done; cells are saved the moment they are there."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sciql.benchmark.cells import Cell
from sciql.benchmark.plan import Task
from sciql.benchmark.pool import Event, Failed, Finished, Pool, Progress

SECONDS_BETWEEN_LOOKS = 1.0

Keep = Callable[[Cell, dict[str, Any]], None]
"""Saves what a cell measured."""


@dataclass
class Board:
    """How a run stands: what the live table shows and the end sums up."""

    tasks: dict[str, Task]
    workers: int
    done: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    """Reasons by the names of tasks."""
    running: dict[str, Progress] = field(default_factory=dict)
    started: dict[str, float] = field(default_factory=dict)
    busy: float = 0.0
    """Seconds that workers spent on tasks."""
    begun: float = field(default_factory=time.monotonic)
    saving: float = 0.0
    """Seconds that saving took."""
    made: int = 0
    _measured_work: float = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def finish(self, event: Finished) -> None:
        """Note a task that is done."""
        task = self.tasks[event.task]
        self.done.add(task.name)
        self._leave(task.name)
        self.busy += event.seconds
        self._measured_work += task.work

    def fail(self, name: str, reason: str) -> None:
        """Note a task that failed, and all that cannot be done without it."""
        self._leave(name)
        self.failed[name] = reason
        for other in self.tasks.values():
            if name in other.needs and other.name not in self.failed:
                self.fail(other.name, f"its {self.tasks[name].stage} could not be made: {reason}")

    def _leave(self, name: str) -> None:
        self.running.pop(name, None)
        self.started.pop(name, None)

    @property
    def left(self) -> float | None:
        """Seconds until all is done, at the rate so far; None before anything is known."""
        if not self._measured_work or not self.busy:
            return None
        open_work = sum(
            task.work * (1 - self.share(task.name))
            for task in self.tasks.values()
            if task.name not in self.done and task.name not in self.failed
        )
        return open_work / (self._measured_work / self.busy) / self.workers

    def share(self, name: str) -> float:
        """How much of a task is done."""
        progress = self.running.get(name)
        return progress.step / progress.steps if progress and progress.steps else 0.0

    def ready(self) -> list[Task]:
        """The tasks that can begin now, in order."""
        return [
            task
            for task in self.tasks.values()
            if task.name not in self.done
            and task.name not in self.failed
            and task.name not in self.started
            and task.needs <= self.done
        ]


def run_tasks(tasks: Sequence[Task], pool: Pool, keep: Keep, look: Callable[[Board], None]) -> Board:
    """Do all tasks; one that fails takes with it only those that need it."""
    board = Board({task.name: task for task in tasks}, pool.size)
    while len(board.done) + len(board.failed) < len(board.tasks):
        board.workers = pool.size
        for task in board.ready()[: pool.free]:
            board.started[task.name] = time.monotonic()
            pool.start(task)
        look(board)
        for event in pool.wait(SECONDS_BETWEEN_LOOKS):
            _note(board, event, keep)
    look(board)
    return board


def _note(board: Board, event: Event, keep: Keep) -> None:
    if isinstance(event, Progress):
        board.running[event.task] = event
    elif isinstance(event, Failed):
        board.fail(event.task, event.reason)
    else:
        begun = time.perf_counter()
        for cell, measured in zip(board.tasks[event.task].cells, event.measured, strict=False):
            keep(cell, measured)
            board.made += 1
        board.saving += time.perf_counter() - begun
        board.finish(event)
