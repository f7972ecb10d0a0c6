"""From cells to tasks: what is fitted once and shared, what comes after what, and how much work each is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sciql.benchmark.cells import Cell, settings_read, stages_of
from sciql.checkpoints import fingerprint
from sciql.methods import get_method

PASSES = {"values": 12, "estimator": 3, "policy": 3}
"""How often a step of a stage runs through a network, forward or back; see benchmarks/README.md."""
START = 2_000.0
"""Passes that reading data, compiling and rolling out cost beside the steps, roughly."""


@dataclass(frozen=True)
class Task:
    """What one worker does at a time: a shared fit, or a policy and its scores."""

    name: str
    """Unique, and the same in every process."""
    title: str
    """For people."""
    cells: tuple[Cell, ...]
    """The cells that a policy gives scores for; of a shared fit, one cell that reads it."""
    stage: str | None
    """The fit to be made; None for a policy."""
    needs: frozenset[str]
    """Names of the tasks that must be done before."""
    work: float
    """In passes through a network."""


def plan(cells: Sequence[Cell]) -> list[Task]:
    """The tasks of these cells, each after those that it needs, in the cells' order."""
    tasks: dict[str, Task] = {}
    for cell in cells:
        needs: set[str] = set()
        for stage in stages_of(get_method(cell.method), cell.settings):
            fit = _fit(cell, stage, needs)
            tasks.setdefault(fit.name, fit)
            needs.add(fit.name)
        policy = _policy(cell, frozenset(needs))
        known = tasks.get(policy.name)
        if known is None:
            tasks[policy.name] = policy
        elif cell.path not in {other.path for other in known.cells}:
            tasks[policy.name] = replace(known, cells=(*known.cells, cell))
    return list(tasks.values())


def _fit(cell: Cell, stage: str, before: Iterable[str]) -> Task:
    """A shared fit. Style values need the estimator of their reward; all other fits need nothing."""
    settings, style = cell.settings, stage != "task values"
    own = {"task values": settings.task_values, "style values": settings.style_values}.get(stage, settings.estimator)
    read = settings_read(get_method("sciql_style"), settings) if stage == "style values" else {"own": str(own)}
    document = {
        "stage": stage,
        "dataset": cell.pair.dataset,
        "criterion": cell.pair.criterion if style else None,
        "noise": cell.noise if style else 0.0,
        "networks": str(settings.networks),
        "read": {
            name: value for name, value in read.items() if name not in ("policy", "relabels", "policy_labels", "beta")
        },
        "seed": cell.seed,
    }
    needs = frozenset(name for name in before if stage == "style values" and "estimator" in name)
    kind = "estimator" if stage.endswith("estimator") else "values"
    where = f"{cell.pair.dataset} {cell.pair.short}" if style else cell.pair.dataset
    return Task(
        name=f"{stage} {fingerprint(document)[:10]}",
        title=f"{where} {stage} seed {cell.seed}",
        cells=(cell,),
        stage=stage,
        needs=needs,
        work=START + own.steps * PASSES[kind],
    )


def _policy(cell: Cell, needs: frozenset[str]) -> Task:
    """A policy. One that sees no style is the same for all criteria of its dataset."""
    blind = not get_method(cell.method).conditioned
    same = {
        "dataset": cell.pair.dataset,
        "method": cell.method,
        "settings": settings_read(get_method(cell.method), cell.settings),
        "seed": cell.seed,
    }
    return Task(
        name=f"policy {fingerprint(same)[:10]}" if blind else str(cell.path),
        title=f"{cell.pair.dataset} {cell.method} seed {cell.seed}" if blind else cell.title,
        cells=(cell,),
        stage=None,
        needs=needs,
        work=START + cell.settings.policy.steps * PASSES["policy"],
    )
