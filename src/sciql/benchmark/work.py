"""One task, done: a shared fit, or a policy, its rollouts and what its cells' files will hold."""

import os
import platform
import shutil
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from sciql.benchmark.cells import Cell, judged_by
from sciql.benchmark.grid import EPISODES
from sciql.benchmark.plan import Task
from sciql.benchmark.store import rounded
from sciql.datasets import load_dataset
from sciql.episodes import Episodes
from sciql.evaluation import Evaluation, evaluate
from sciql.files import home
from sciql.fits import Fits
from sciql.fitting import Report
from sciql.seeds import make_together, train_together
from sciql.training import Run, train

Measured = dict[str, Any]
"""What was measured of a cell."""

dataset = lru_cache(maxsize=1)(load_dataset)
"""Tasks of one dataset follow each other."""


def perform(task: Task, report: Report) -> tuple[list[Measured], tuple[str, ...]]:
    """What the task's cells measured; or of a shared fit, the files in which whoever needs it finds it."""
    if task.stage is not None:
        return [], make_fits(task.cells, task.stage, report)
    seeds = {cell.seed: cell for cell in task.cells}
    if len(seeds) == 1:
        return make_cells(task.cells, report), ()
    return make_cells_together(task.cells, list(seeds.values()), report), ()


def make_fits(cells: Sequence[Cell], stage: str, report: Report) -> tuple[str, ...]:
    """Fit what the weights of these cells read, a cell a seed, and keep it on disk; where it lies."""
    episodes = dataset(cells[0].pair.dataset)
    fits = [Fits(episodes, cell.learnt, cell.settings, cell.seed, report) for cell in cells]
    if len(fits) > 1:
        make_together(fits, lambda one: make_fit(one, stage), report)
    else:
        make_fit(fits[0], stage)
    return tuple(file for one in fits for file in one.files)


def make_fit(fits: Fits, stage: str) -> None:
    """One of the fits of stages_of."""
    if stage == "task values":
        fits.task_values()
    elif stage == "style values":
        fits.style_values()
    else:
        fits.estimator(stage.removesuffix(" estimator"))  # pyright: ignore[reportArgumentType]


def make_cells(cells: Sequence[Cell], report: Report) -> list[Measured]:
    """Train the policy of these cells, which differ at most in what it is judged by, and judge it."""
    first, episodes = cells[0], dataset(cells[0].pair.dataset)
    # An interrupted policy goes on from here; the folder goes when its scores are there.
    folder = home() / "benchmark" / first.path.with_suffix("")
    run = train(
        first.method,
        episodes,
        first.learnt,
        seed=first.seed,
        settings=first.settings,
        out=folder,
        resume=folder.exists(),
        report=report,
    )
    measured = [_judged(cell, run, episodes) for cell in cells]
    shutil.rmtree(folder, ignore_errors=True)
    return measured


def make_cells_together(cells: Sequence[Cell], seeds: Sequence[Cell], report: Report) -> list[Measured]:
    """The same for several seeds in one program; `seeds` has a cell of each."""
    first, episodes = seeds[0], dataset(seeds[0].pair.dataset)
    learnt, numbers = [cell.learnt for cell in seeds], [cell.seed for cell in seeds]
    runs = train_together(first.method, episodes, learnt, numbers, first.settings, report)
    by_seed = dict(zip(numbers, runs, strict=True))
    return [_judged(cell, by_seed[cell.seed], episodes) for cell in cells]


def _judged(cell: Cell, run: Run, episodes: Episodes) -> Measured:
    begun = time.perf_counter()
    judged = evaluate(run.policy, criterion=judged_by(cell.pair.criterion), episodes=EPISODES, seed=cell.seed)
    last = {row["stage"]: row for row in run.curve}
    return {
        **scores(judged),
        "steps": {stage: row["step"] for stage, row in last.items()},
        "seconds": {stage: rounded(row["seconds"]) for stage, row in last.items()}
        | {"rollouts": rounded(time.perf_counter() - begun)},
        "data": episodes.content,
        "made": {
            "sciql": run.document["sciql"],
            "commit": run.document["commit"],
            "versions": run.document["versions"],
            "machine": machine(),
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        },
    }


def scores(judged: Evaluation) -> Measured:
    """The scores of every episode, a row a style, and what was shown for what was asked."""
    assert judged.alignments is not None, "cells are always judged by a criterion"
    return {
        "alignments": rounded(judged.alignments.reshape(-1, judged.episodes).tolist()),
        "tasks": rounded(judged.tasks.reshape(-1, judged.episodes).tolist()),
        "matrix": rounded(np.asarray(judged.matrix()).tolist(), 1),
    }


def machine() -> Mapping[str, Any]:
    """What the seconds were taken on."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "device": jax.devices()[0].device_kind,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    }
