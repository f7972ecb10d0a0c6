"""Seconds to simulate, label and read back a million steps of Circle2d, each beside a yardstick of the same minute.

Run with `python benchmarks/data.py`. The targets, on one core: simulated in 2 s, labelled by all six criteria in 5 s,
read back from Minari into columns in 3 s. A yardstick is what no way of doing the work can leave out: the trigonometry
of the steps, a running total of the columns that a criterion reads, a plain loop over the file's arrays with h5py.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from sciql.criteria import CRITERIA, criterion
from sciql.datasets import RECIPES, load_dataset, make_dataset
from sciql.episodes import Episodes

NAME = "circle2d-inplace-v0"
REPEATS = 3


def seconds(work: Callable[[], object]) -> float:
    """The shortest of a few runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def row(what: str, taken: float, yardstick: float, target: float | None = None) -> None:
    limit = "" if target is None else f"    at most {target:g} s: {'met' if taken <= target else 'MISSED'}"
    print(f"{what:<32}{taken:>9.3f}{taken / yardstick:>12.1f}{limit}")


def trigonometry(episodes: int, steps: int) -> None:
    """One arctangent, cosine and sine a step, as the agent and the environment need them."""
    column = np.linspace(-np.pi, np.pi, episodes)
    for _ in range(steps):
        np.arctan2(np.sin(column), np.cos(column))


def running_totals(episodes: Episodes, names: tuple[str, ...]) -> None:
    for name in names:
        np.cumsum(episodes.signals[name], dtype=np.float64)


def plain_read(path: Path) -> None:
    """Every array of the file."""
    with h5py.File(path) as file:
        for group in file.values():
            for name in ("observations", "actions", "rewards", "terminations", "truncations"):
                group[name][()]
            for column in group["infos"].values():
                column[()]


def main() -> None:
    recipe = RECIPES[NAME]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = folder
        file = make_dataset(NAME).folder / "data" / "main_data.hdf5"
        episodes = load_dataset(NAME)
        print(f"{'a million steps':<32}{'seconds':>9}{'× yardstick':>12}")
        simulated = seconds(lambda: recipe.act(recipe, lambda: None))
        row("simulate", simulated, seconds(lambda: trigonometry(recipe.episodes, recipe.steps)), 2)
        row("read back", seconds(lambda: load_dataset(NAME)), seconds(lambda: plain_read(file)), 3)
    made = [criterion(name) for name in CRITERIA]
    taken = [seconds(lambda one=one: one.label(episodes)) for one in made]
    totals = [seconds(lambda one=one: running_totals(episodes, one.signals)) for one in made]
    for one, its, total in zip(made, taken, totals, strict=True):
        row(f"label {one.name}", its, total)
    row("label by all six", sum(taken), sum(totals), 5)


if __name__ == "__main__":
    main()
