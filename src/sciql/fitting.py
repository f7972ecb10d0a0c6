"""The training loop: one scan a tick, checkpoints between ticks, and the same bits however often it is cut."""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from sciql.checkpoints import fingerprint, load_tree, save_tree
from sciql.errors import SciqlError

State = TypeVar("State")
Data = TypeVar("Data")
Metrics = dict[str, Float[Array, ""]]
TICK = 1000
"""Steps of one scan; checkpoints and progress come between ticks."""
SECONDS_BETWEEN_CHECKPOINTS = 10.0

Row = dict[str, Any]
"""One tick of a stage: stage, step, seconds of computing so far, and the mean of each metric over the tick."""
Report = Callable[[Row, int], None]
"""(row, steps of its stage): called after every tick, and first of all for the ticks that a checkpoint holds."""


def silent(row: Row, steps: int) -> None:
    """A report that nobody reads."""


class FitSettings(Protocol):
    """What the loop needs to know of a stage's settings."""

    @property
    def steps(self) -> int: ...


@dataclass(frozen=True)
class Stage(Generic[State, Data]):
    """One fit: where it begins, and what one step does."""

    name: str
    """What people read: "task values", "style values", "estimator", "policy"."""
    init: Callable[[PRNGKeyArray], State]
    step: Callable[[State, Data, PRNGKeyArray, Any], tuple[State, Metrics]]
    """(state, data, key, settings) -> (state, metrics); a function of a module, so that equal settings compile once."""
    settings: FitSettings
    data: Data
    seed: int
    header: dict[str, Any] = field(default_factory=dict)
    """What a checkpoint must come from for this stage to go on from it, as JSON can say it."""

    @property
    def key(self) -> PRNGKeyArray:
        """Stages of one seed draw independently of each other."""
        return jax.random.fold_in(jax.random.key(self.seed), zlib.crc32(self.name.encode()))


@dataclass(frozen=True)
class Fitted(Generic[State]):
    """The end of a fit, and how it went."""

    state: State
    curve: list[Row]


def fit(stage: Stage[State, Data], checkpoint: Path | None = None, report: Report = silent) -> Fitted[State]:
    """Run a stage to its end, from its checkpoint if there is one.

    The keys of a step depend on the seed and the step's number alone, so that a run that was cut ends in the same bits.
    """
    begin_key, steps_key = jax.random.split(stage.key)
    state, curve, steps = stage.init(begin_key), [], stage.settings.steps
    if checkpoint is not None and checkpoint.exists():
        state, curve = _go_on(stage, state, checkpoint)
    for row in curve:
        report(row, steps)
    step, before = (curve[-1]["step"], curve[-1]["seconds"]) if curve else (0, 0.0)
    saved_step, saved_at, begun = step, time.monotonic(), time.perf_counter()
    while step < steps:
        length = min(TICK, steps - step)
        state, metrics, sound = tick(
            state, stage.data, steps_key, jnp.int32(step), step=stage.step, settings=stage.settings, length=length
        )
        metrics = jax.device_get(metrics)
        if wrong := not_finite(metrics, bool(sound), step + 1):
            good = f"{checkpoint} holds the last good state, of step {saved_step}" if saved_step else "none was saved"
            raise SciqlError(f"the {stage.name} went wrong: {wrong}; look for huge values in the data ({good})")
        step += length
        means = {name: float(values.mean(dtype=np.float64)) for name, values in metrics.items()}
        seconds = round(before + time.perf_counter() - begun, 3)
        curve.append({"stage": stage.name, "step": step, "seconds": seconds, **means})
        report(curve[-1], steps)
        if checkpoint is not None and (step == steps or time.monotonic() - saved_at > SECONDS_BETWEEN_CHECKPOINTS):
            save_tree(checkpoint, state, {"stage": fingerprint(stage.header), "curve": curve})
            saved_at, saved_step = time.monotonic(), step
    return Fitted(state, curve)


def _go_on(stage: Stage[State, Data], like: State, checkpoint: Path) -> tuple[State, list[Row]]:
    state, header = load_tree(checkpoint, like)
    if header.get("stage") != fingerprint(stage.header):
        raise SciqlError(f"{checkpoint} comes from a run of other settings; remove it or choose another folder")
    return state, header["curve"]


@partial(jax.jit, static_argnames=("step", "settings", "length"), donate_argnums=0)
def tick(
    state: State,
    data: Data,
    key: PRNGKeyArray,
    first: Array,
    *,
    step: Callable[[State, Data, PRNGKeyArray, Any], tuple[State, Metrics]],
    settings: FitSettings,
    length: int,
) -> tuple[State, dict[str, Float[Array, " length"]], Bool[Array, ""]]:
    """`length` steps; the metrics of each; whether the state is finite, which a loss tells one step too late."""
    return steps_of(state, data, key, first, step, settings, length)


def steps_of(
    state: State,
    data: Data,
    key: PRNGKeyArray,
    first: Array,
    step: Callable[[State, Data, PRNGKeyArray, Any], tuple[State, Metrics]],
    settings: FitSettings,
    length: int,
) -> tuple[State, dict[str, Float[Array, " length"]], Bool[Array, ""]]:
    """The same, to be compiled by whoever calls it."""

    def one(carried: State, number: Array) -> tuple[State, Metrics]:
        return step(carried, data, jax.random.fold_in(key, number), settings)

    state, metrics = jax.lax.scan(one, state, first + jnp.arange(length))
    return state, metrics, jnp.stack([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(state)]).all()


def not_finite(metrics: dict[str, np.ndarray], sound: bool, first: int) -> str | None:
    """The first number that is none, and its step."""
    wrong = {name: ~np.isfinite(values) for name, values in metrics.items()}
    found = {name: int(np.argmax(rows)) for name, rows in wrong.items() if rows.any()}
    if found:
        name = min(found, key=lambda name: found[name])
        return f"{name} is {metrics[name][found[name]]} at step {first + found[name]}"
    last = first + len(next(iter(metrics.values()))) - 1
    return None if sound else f"a parameter is not finite after step {last}"
