"""Cells whose scores are made up, so that tables and figures of them are known beforehand."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sciql.benchmark.cells import Cell, judged_by
from sciql.benchmark.grid import EPISODES, Pair, pairs_of
from sciql.benchmark.store import held, save
from sciql.settings import EXACT

INPLACE, NAVIGATE = "circle2d-inplace-v0", "circle2d-navigate-v0"
SPEED = Pair(INPLACE, "circle2d/speed")


def measured(style: float, task: float, styles: int, shown: int | None = None) -> dict[str, Any]:
    """What a cell measured in which every episode scored the same."""
    return {
        "alignments": [[style] * EPISODES] * styles,
        "tasks": [[task] * EPISODES] * styles,
        "matrix": [[100 if row == column else 0 for column in range(shown or styles)] for row in range(styles)],
        "steps": {"style values": 20, "policy": 30},
        "seconds": {"style values": 2.0, "policy": 1.0, "rollouts": 0.5},
        "data": "abc",
        "made": {"sciql": "0", "commit": "c", "versions": {}, "machine": {}, "at": "now"},
    }


def measured_of(cell: Cell, style: float, task: float) -> dict[str, Any]:
    criterion = judged_by(cell.pair.criterion)
    return measured(style, task, len(criterion.prompts), len(criterion.styles))


def shelve(folder: Path, cells: Sequence[Cell], score: Callable[[Cell], tuple[float, float]]) -> None:
    """Save these cells, with the scores of style and task that a function gives them."""
    with held(folder):
        for cell in cells:
            save(folder, cell, measured_of(cell, *score(cell)))


def cells(methods: Sequence[str], seeds: Sequence[int], dataset: str = INPLACE) -> list[Cell]:
    """Cells of all criteria of a dataset under the default settings."""
    return [Cell(pair, method, seed, EXACT) for pair in pairs_of(dataset) for method in methods for seed in seeds]
