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


def plan(cells: Sequence[Cell], *, together: bool = False) -> list[Task]:
    """The tasks of these cells, each after those that it needs, in the cells' order.

    With `together`, one task does all seeds of what it does.
    """
    tasks: dict[str, Task] = {}
    for cell in cells:
        needs: set[str] = set()
        seed = None if together else cell.seed
        for stage in stages_of(get_method(cell.method), cell.settings):
            fit = _fit(cell, stage, needs, seed)
            known = tasks.setdefault(fit.name, fit)
            if cell.seed not in {other.seed for other in known.cells}:
                tasks[fit.name] = _joined(known, cell)
            needs.add(fit.name)
        policy = _policy(cell, frozenset(needs), seed)
        known = tasks.setdefault(policy.name, policy)
        if cell.path not in {other.path for other in known.cells}:
            tasks[policy.name] = _joined(known, cell)
    return list(tasks.values())


def _joined(task: Task, cell: Cell) -> Task:
    """A task that does this cell as well; another seed is more work, another criterion to be judged by is none."""
    more = task.work / len({other.seed for other in task.cells}) if cell.seed not in {c.seed for c in task.cells} else 0
    return replace(task, cells=(*task.cells, cell), work=task.work + more)


def _fit(cell: Cell, stage: str, before: Iterable[str], seed: int | None) -> Task:
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
        "seed": seed,
    }
    needs = frozenset(name for name in before if stage == "style values" and "estimator" in name)
    kind = "estimator" if stage.endswith("estimator") else "values"
    where = f"{cell.pair.dataset} {cell.pair.short}" if style else cell.pair.dataset
    return Task(
        name=f"{stage} {fingerprint(document)[:10]}",
        title=f"{where} {stage}{_seed(seed)}",
        cells=(cell,),
        stage=stage,
        needs=needs,
        work=START + own.steps * PASSES[kind],
    )


def _seed(seed: int | None) -> str:
    return " all seeds" if seed is None else f" seed {seed}"


def _policy(cell: Cell, needs: frozenset[str], seed: int | None) -> Task:
    """A policy. One that sees no style is the same for all criteria of its dataset."""
    blind = not get_method(cell.method).conditioned
    same = {
        "dataset": cell.pair.dataset,
        "method": cell.method,
        "settings": settings_read(get_method(cell.method), cell.settings),
        "seed": seed,
    }
    if not blind:
        same |= {"criterion": cell.pair.criterion, "noise": cell.noise}
    where = cell.pair.dataset if blind else f"{cell.pair.dataset} {cell.pair.short}"
    return Task(
        name=f"policy {fingerprint(same)[:10]}",
        title=f"{where} {cell.method}{_seed(seed)}",
        cells=(cell,),
        stage=None,
        needs=needs,
        work=START + cell.settings.policy.steps * PASSES["policy"],
    )
