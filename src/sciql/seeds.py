"""Several seeds of one training in one program, for devices that one seed alone does not fill."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from sciql import fitting
from sciql.checkpoints import fingerprint, save_tree
from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.files import locked
from sciql.fits import Fits
from sciql.fitting import Fitted, Report, Row, Stage, not_finite, silent
from sciql.methods import get_method
from sciql.settings import Settings
from sciql.training import Run, describe, learn


def train_together(
    method: str,
    episodes: Episodes,
    criteria: Sequence[Criterion | None],
    seeds: Sequence[int],
    settings: Settings,
    report: Report = silent,
) -> list[Run]:
    """The runs of these seeds, each as if it were trained alone; `criteria` are those that each seed learns.

    What a seed asks for is collected until all of them wait for the same stage; that is then run for all at once.
    """
    chosen = get_method(method)
    fits = [Fits(episodes, criterion, settings, seed) for seed, criterion in zip(seeds, criteria, strict=True)]
    share_columns(fits)

    def run(one: Fits) -> Run:
        document = describe(chosen, episodes, one.criterion, settings, None, one.seed)
        return learn(chosen, one, document, None)

    return together(fits, run, report)


def make_together(fits: Sequence[Fits], make: Callable[[Fits], Any], report: Report = silent) -> None:
    """A shared fit of several seeds, kept on disk for each."""
    share_columns(fits)
    together(fits, make, report)


def share_columns(fits: Sequence[Fits]) -> None:
    """The data is on the device once, however many seeds learn from it; so are labels that are the same for all."""
    first = fits[0]
    for other in fits[1:]:
        other.__dict__["transitions"] = first.transitions
        if other.criterion == first.criterion:
            other.__dict__ |= {name: getattr(first, name) for name in ("labels", "own", "prior")}


class _Wait(Exception):
    """A seed cannot go on before this stage is run."""

    def __init__(self, stage: Stage[Any, Any], path: Path | None):
        self.stage, self.path = stage, path


def together(fits: Sequence[Fits], make: Callable[[Fits], Any], report: Report) -> list[Any]:
    """What `make` says of each seed; the stages that it runs are run for all seeds at once."""
    ready: dict[int, Fitted[Any]] = {}
    while True:
        waiting: dict[int, _Wait] = {}
        results = []
        for place, one in enumerate(fits):
            one.curve.clear()
            one.files.clear()
            one.make = partial(_ready_or_wait, ready.get(place))
            try:
                results.append(make(one))
            except _Wait as wait:
                waiting[place] = wait
        if not waiting:
            return results
        # A seed whose fits are on disk may be further than the rest, which catch up first.
        name = min(wait.stage.name for wait in waiting.values() if wait.path is not None or _all_last(waiting))
        places = [place for place, wait in waiting.items() if wait.stage.name == name]
        stages = [waiting[place].stage for place in places]
        for place, stage, fitted in zip(places, stages, fit_together(stages, report), strict=True):
            path = waiting[place].path
            if path is None:
                ready[place] = fitted
                continue
            with locked(path):
                save_tree(path, fitted.state, {"stage": fingerprint(stage.header), "curve": fitted.curve})


def _all_last(waiting: dict[int, _Wait]) -> bool:
    """Whether all wait for their policies, which alone have no place on disk."""
    return all(wait.path is None for wait in waiting.values())


def _ready_or_wait(
    policy: Fitted[Any] | None, stage: Stage[Any, Any], path: Path | None, report: Report
) -> Fitted[Any]:
    """A fit that is on disk, or the policy that is there already."""
    if path is not None and path.exists():
        return fitting.fit(stage, path, report)
    if path is None and policy is not None:
        return policy
    raise _Wait(stage, path)


def fit_together(stages: Sequence[Stage[Any, Any]], report: Report = silent) -> list[Fitted[Any]]:
    """Stages that differ in their seeds and in the numbers of their data, in one program."""
    first, steps = stages[0], stages[0].settings.steps
    begun = [jax.random.split(stage.key) for stage in stages]
    states = _stacked([stage.init(keys[0]) for stage, keys in zip(stages, begun, strict=True)])
    keys = jnp.stack([keys[1] for keys in begun])
    data, axes = _shared([stage.data for stage in stages])
    curves: list[list[Row]] = [[] for _ in stages]
    started, step = time.perf_counter(), 0
    while step < steps:
        length = min(fitting.TICK, steps - step)
        states, metrics, sound = ticks(
            states, data, keys, jnp.int32(step), axes=axes, step=first.step, settings=first.settings, length=length
        )
        metrics, sound = jax.device_get((metrics, sound))
        step += length
        seconds = round((time.perf_counter() - started) / len(stages), 3)
        for place, curve in enumerate(curves):
            own = {name: values[place] for name, values in metrics.items()}
            if wrong := not_finite(own, bool(sound[place]), step - length + 1):
                raise SciqlError(f"the {first.name} of seed {stages[place].seed} went wrong: {wrong}; train it alone")
            means = {name: float(values.mean(dtype=np.float64)) for name, values in own.items()}
            curve.append({"stage": first.name, "step": step, "seconds": seconds, **means})
        report(curves[0][-1], steps)
    return [Fitted(jax.tree.map(lambda leaf, p=place: leaf[p], states), curve) for place, curve in enumerate(curves)]


@partial(jax.jit, static_argnames=("axes", "step", "settings", "length"), donate_argnums=0)
def ticks(
    states: Any,
    data: tuple[Any, ...],
    keys: PRNGKeyArray,
    first: Array,
    *,
    axes: tuple[int | None, ...],
    step: Callable[..., Any],
    settings: Any,
    length: int,
) -> tuple[Any, Any, Any]:
    """`sciql.fitting.tick` for several seeds."""
    leaves, structure = jax.tree.flatten(data)

    def one(state: Any, of_seed: list[Array], key: PRNGKeyArray) -> tuple[Any, Any, Any]:
        return fitting.steps_of(state, jax.tree.unflatten(structure, of_seed), key, first, step, settings, length)

    return jax.vmap(one, in_axes=(0, list(axes), 0))(states, leaves, keys)


def _stacked(trees: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def _shared(trees: Sequence[Any]) -> tuple[Any, tuple[int | None, ...]]:
    """Data with a row a seed where seeds differ; what is the same array for all is there once, and its axis is None."""
    columns = list(zip(*(jax.tree.leaves(tree) for tree in trees), strict=True))
    axes = tuple(None if all(leaf is leaves[0] for leaf in leaves) else 0 for leaves in columns)
    joined = [leaves[0] if axis is None else jnp.stack(leaves) for leaves, axis in zip(columns, axes, strict=True)]
    return jax.tree.unflatten(jax.tree.structure(trees[0]), joined), axes
