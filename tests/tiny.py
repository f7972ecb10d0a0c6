"""Episodes made by hand and settings so small that a training lasts a moment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sciql import fitting
from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.policy import Policy
from sciql.settings import PRESETS, Settings
from sciql.training import Run, train
from sciql.weights import Evidence

ACTIONS = 4  # of the discrete variant
STYLES = ("left", "middle", "right")


def sides(columns: Any, starts: np.ndarray) -> np.ndarray:
    return columns["side"].astype(int)


SIDE = Criterion(
    name="tiny/side", styles=STYLES, signals=("side",), function=sides, promptable=(True, False, True), window=1
)


def tiny_episodes(*, discrete: bool = False, seed: int = 0) -> Episodes:
    """Eight episodes of random numbers; the label is the third of the first observation's range."""
    rng = np.random.default_rng(seed)
    episodes, steps = 8, 12
    observations = rng.uniform(-3, 3, (episodes * steps, 3))
    actions = rng.integers(0, ACTIONS, episodes * steps) if discrete else rng.uniform(-1, 1, (episodes * steps, 2))
    return from_steps(
        observations,
        actions,
        rng.uniform(0, 1, episodes * steps),
        lengths=[steps] * episodes,
        final_observations=rng.uniform(-3, 3, (episodes, 3)),
        signals={"side": np.digitize(observations[:, 0], (-1, 1))},
        discrete_actions=ACTIONS if discrete else None,
    )


def from_steps(
    observations: Any,
    actions: Any,
    rewards: Any,
    *,
    lengths: Sequence[int],
    final_observations: Any,
    signals: dict[str, Any] | None = None,
    discrete_actions: int | None = None,
) -> Episodes:
    """Episodes of these lengths, all cut short by time."""
    ends = np.zeros(sum(lengths), bool)
    ends[np.cumsum(lengths, dtype=int) - 1] = True
    return Episodes.from_arrays(
        observations=observations,
        actions=actions,
        rewards=rewards,
        terminations=np.zeros_like(ends),
        truncations=ends,
        final_observations=final_observations,
        signals={} if signals is None else signals,
        name="tiny",
        discrete_actions=discrete_actions,
    )


def tiny_settings(preset: str = "exact", *, steps: int = 6, **changes: Any) -> Settings:
    """A preset with tiny networks and a few steps a fit."""
    settings = PRESETS[preset]
    short = {
        name: replace(getattr(settings, name), steps=steps, batch=16)
        for name in ("task_values", "style_values", "estimator", "policy")
    }
    networks = replace(settings.networks, hidden=(8,), embedding=4)
    return replace(settings, networks=networks, **short, **changes)


@dataclass(frozen=True)
class Case:
    """A way to train."""

    method: str
    preset: str = "exact"
    discrete: bool = False

    def __str__(self) -> str:
        return f"{self.method}-{self.preset}-{'discrete' if self.discrete else 'continuous'}"

    def train(self, seed: int = 0, **words: Any) -> Run:
        episodes = tiny_episodes(discrete=self.discrete)
        return train(self.method, episodes, SIDE, seed=seed, settings=tiny_settings(self.preset), **words)


def bits(policy: Policy) -> list[bytes]:
    return [array.tobytes() for array in (*policy.weights, *policy.biases, policy.spread)]


def evidence(**known: Any) -> Evidence:
    """Evidence of which only these columns are known."""
    return Evidence(
        **dict.fromkeys(Evidence._fields, jnp.zeros((1, 1))) | {n: jnp.asarray(c) for n, c in known.items()}
    )


@contextmanager
def ticks_of(steps: int, seconds_between_checkpoints: float = 0.0) -> Iterator[None]:
    """Short ticks, with a checkpoint after each of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "TICK", steps)
        patch.setattr(fitting, "SECONDS_BETWEEN_CHECKPOINTS", seconds_between_checkpoints)
        yield
