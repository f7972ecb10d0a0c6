"""The training loop: one scan a tick on the device, checkpoints between ticks, and the same bits however often it is cut."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sciql.checkpoints import load_tree, save_tree
from sciql.errors import SciqlError

State = TypeVar("State")
Data = TypeVar("Data")
Metrics = dict[str, Float[Array, "..."]]
TICK = 1000
"""Steps of one scan; checkpoints and progress come between ticks."""
SECONDS_BETWEEN_CHECKPOINTS = 10.0


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
    """What a checkpoint must say for this stage to go on from it."""


Report = Callable[[str, int, int, dict[str, float]], None]
"""(stage, step, steps, metrics of the last tick): called after every tick."""


@dataclass(frozen=True)
class Fitted(Generic[State]):
    """The end of a fit, and how it went."""

    state: State
    curve: list[dict[str, Any]]
    """One row a tick: stage, step, seconds of computing so far, metrics."""


def silent(stage: str, step: int, steps: int, metrics: dict[str, float]) -> None:
    """A report that nobody reads."""


def fit(stage: Stage[State, Data], checkpoint: Path | None = None, report: Report = silent) -> Fitted[State]:
    """Run a stage to its end, from its checkpoint if there is one.

    The keys of a step depend on the seed and the step's number alone, so that a run that was cut ends in the same bits.
    """
    begin_key, steps_key = jax.random.split(jax.random.key(stage.seed))
    state, step, curve = stage.init(begin_key), 0, []
    if checkpoint is not None and checkpoint.exists():
        state, step, curve = _go_on(stage, state, checkpoint)
    saved_at, saved_step, before = time.monotonic(), step, curve[-1]["seconds"] if curve else 0.0
    begun = time.perf_counter()
    while step < stage.settings.steps:
        length = min(TICK, stage.settings.steps - step)
        state, metrics = tick(
            state, stage.data, steps_key, jnp.int32(step), step=stage.step, settings=stage.settings, length=length
        )
        metrics = {name: np.asarray(values) for name, values in metrics.items()}
        _require_finite(stage.name, metrics, step, saved_step, checkpoint)
        step += length
        means = {name: float(values.mean(dtype=np.float64)) for name, values in metrics.items()}
        seconds = round(before + time.perf_counter() - begun, 3)
        curve.append({"stage": stage.name, "step": step, "seconds": seconds, **means})
        report(stage.name, step, stage.settings.steps, means)
        finished = step == stage.settings.steps
        if checkpoint is not None and (finished or time.monotonic() - saved_at > SECONDS_BETWEEN_CHECKPOINTS):
            save_tree(checkpoint, state, {**stage.header, "step": step, "curve": curve})
            saved_at, saved_step = time.monotonic(), step
    return Fitted(state, curve)


def _go_on(stage: Stage[State, Data], like: State, checkpoint: Path) -> tuple[State, int, list[dict[str, Any]]]:
    state, header = load_tree(checkpoint, like)
    step, curve = header.pop("step"), header.pop("curve")
    if header != stage.header:
        changed = sorted(name for name in {*header, *stage.header} if header.get(name) != stage.header.get(name))
        raise SciqlError(
            f"{checkpoint} comes from a run of other settings ({', '.join(changed)}); "
            "go on with those or choose another output folder"
        )
    return state, step, curve


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
) -> tuple[State, Metrics]:
    """`length` steps; the metrics of each."""

    def one(carried: State, number: Array) -> tuple[State, Metrics]:
        return step(carried, data, jax.random.fold_in(key, number), settings)

    return jax.lax.scan(one, state, first + jnp.arange(length))


def _require_finite(
    stage: str, metrics: dict[str, np.ndarray], step: int, saved_step: int, checkpoint: Path | None
) -> None:
    """Stop at the first number that is none, and say where the last good state lies."""
    for name, values in metrics.items():
        wrong = ~np.isfinite(values)
        if wrong.any():
            good = f"{checkpoint} holds the last good one, of step {saved_step}" if saved_step else "none was saved yet"
            raise SciqlError(
                f"{name} of the {stage} is {values[np.argmax(wrong)]} at step {step + int(np.argmax(wrong)) + 1}; "
                f"check the data with `sciql data check` ({good})"
            )
