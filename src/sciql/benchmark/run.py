"""A slice of the grid, made as far as it is missing."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sciql.benchmark.cells import Cell
from sciql.benchmark.plan import plan
from sciql.benchmark.pool import LocalPool, Pool
from sciql.benchmark.schedule import Board, run_tasks
from sciql.benchmark.store import Document, Results, held, read_results, save
from sciql.benchmark.studies import Slice, cells_of
from sciql.errors import SciqlError

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    wanted: int
    found: int
    """Cells that were there before."""
    made: int
    failed: dict[str, str] = field(default_factory=dict)
    """The reason for each cell that is not there, by its title."""
    seconds: float = 0.0
    busy: float = 0.0
    """Seconds that workers spent, together."""
    saving: float = 0.0
    workers: int = 0

    def document(self) -> dict[str, Any]:
        """In JSON's own types."""
        return vars(self) | {"failed": dict(self.failed)}


def run_slice(
    part: Slice,
    folder: Path,
    pool: Callable[[], Pool],
    *,
    tell: Tell,
    saved: Callable[[Cell, Document], None],
    showing: Callable[[], AbstractContextManager[Callable[[Board], None]]],
) -> Outcome:
    """Make what is missing of a slice. `tell` hears what was odd, `saved` of each new cell, `showing` looks on."""
    cells = unique(cell for of_variant in cells_of(part).values() for cell in of_variant)
    with held(folder):
        results = read_results(folder)
        missing = missing_cells(cells, results, tell)
        if not missing:
            return Outcome(len(cells), len(cells), 0)
        tasks = plan(missing, together=accelerated())

        def keep(cell: Cell, measured: dict[str, Any]) -> None:
            saved(cell, save(folder, cell, measured))

        with closing(pool()) as opened, showing() as look:
            board = run_tasks(tasks, opened, keep, look)
    failed = {
        cell.title: reason
        for name, reason in board.failed.items()
        if board.tasks[name].stage is None
        for cell in board.tasks[name].cells
    }
    found = len(cells) - len(missing)
    return Outcome(len(cells), found, board.made, failed, board.seconds, board.busy, board.saving, board.workers)


def unique(cells: Iterable[Cell]) -> list[Cell]:
    """Each cell once: variants that come to the same settings share theirs."""
    return list({cell.path: cell for cell in cells}.values())


def missing_cells(cells: list[Cell], results: Results, tell: Tell) -> list[Cell]:
    """The cells that are not there, or were made from other data than there is now."""
    from sciql.benchmark.store import damage

    damaged = {path.relative_to(results.folder) for path in results.damaged}
    if again := [results.folder / cell.path for cell in cells if cell.path in damaged]:
        tell(damage(again))
    data = {name: content for name in {cell.pair.dataset for cell in cells} if (content := content_of(name))}
    missing = []
    for cell in cells:
        document = results.of(cell)
        if document is None or document["data"] != data.get(cell.pair.dataset, document["data"]):
            missing.append(cell)
    if changed := sum(results.of(cell) is not None for cell in missing):
        tell(f"{changed} cells were made from other data than there is now, and are made again")
    return missing


def content_of(dataset: str) -> str | None:
    """The hash of a dataset that is on the disk, as it was written."""
    from sciql.datasets import store

    folder = store.registry() / dataset
    if not store.holds_dataset(folder):
        return None
    try:
        return store.facts(folder).made_by.get("sha256")
    except SciqlError:
        return None  # Whoever reads it will say what is wrong with it.


def local_pool(workers: int) -> Callable[[], Pool]:
    """Processes on this machine."""
    if workers < 1:
        raise SciqlError(f"at least 1 worker is needed, not {workers}")
    return lambda: LocalPool(workers)


def ray_pool(words: tuple[str, ...]) -> Callable[[], Pool]:
    """A Ray cluster at the address given, or this machine's own."""
    if len(words) > 1:
        raise SciqlError(f"--ray takes one address, not {' '.join(words)}")

    def connect() -> Pool:
        from sciql.benchmark.cluster import RayPool

        return RayPool(words[0] if words else None)

    return connect


def accelerated() -> bool:
    """Whether JAX computes on something else than processors here, which only a process of its own may ask."""
    if not entry_points(group="jax_plugins") and find_spec("libtpu") is None:
        return False
    words = [sys.executable, "-c", "import jax; print(jax.default_backend())"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() != "cpu"
