"""What a batch simulator offers, and how its episodes become columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from jaxtyping import Bool, Float

from sciql.episodes import Episodes


@dataclass(frozen=True)
class EnvironmentSpec:
    """The facts about an environment that need no simulation."""

    env_id: str
    """Gymnasium's name of it."""
    observation_size: int
    action_size: int
    horizon: int
    """Steps of an episode; it is truncated there."""
    observation_names: tuple[str, ...]
    action_names: tuple[str, ...]
    signals: tuple[str, ...]
    """Columns that labelling functions read, one number a transition."""
    task_range: tuple[float, float]
    """The lowest return of an episode, and the return that is worth 100."""


class Transition(NamedTuple):
    """What one step of every episode brings."""

    observations: Float[np.ndarray, "count d"]
    rewards: Float[np.ndarray, " count"]
    terminations: Bool[np.ndarray, " count"]
    signals: Mapping[str, Float[np.ndarray, " count"]]


class Simulator(Protocol):
    """Many episodes at once; each one's path is the same, bit for bit, whatever their number."""

    @property
    def spec(self) -> EnvironmentSpec: ...

    def reset(self, rng: np.random.Generator, count: int) -> Float[np.ndarray, "count d"]:
        """Begin `count` new episodes."""
        ...

    def step(self, actions: Float[np.ndarray, "count m"]) -> Transition:
        """One step of every episode."""
        ...


Act = Callable[[Float[np.ndarray, "count d"]], Float[np.ndarray, "count m"]]


def record(
    simulator: Simulator,
    observations: Float[np.ndarray, "count d"],
    act: Act,
    steps: int,
    name: str,
    tick: Callable[[], None] = lambda: None,
) -> Episodes:
    """Let `act` play `steps` steps of every episode, from the observations that the simulator began with.

    `tick` is called after each step. The episodes end by truncation alone.
    """
    spec, count = simulator.spec, len(observations)
    seen = np.empty((count, steps, spec.observation_size), np.float32)
    actions = np.empty((count, steps, spec.action_size), np.float32)
    rewards = np.empty((count, steps), np.float32)
    signals = {signal: np.empty((count, steps), np.float32) for signal in spec.signals}
    for t in range(steps):
        seen[:, t] = observations
        actions[:, t] = act(observations)
        observations, rewards[:, t], _, noticed = simulator.step(actions[:, t])
        for signal, column in signals.items():
            column[:, t] = noticed[signal]
        tick()
    return Episodes.from_arrays(
        observations=seen.reshape(-1, spec.observation_size),
        actions=actions.reshape(-1, spec.action_size),
        rewards=rewards.ravel(),
        terminations=np.zeros(count * steps, bool),
        truncations=np.arange(count * steps) % steps == steps - 1,
        final_observations=observations,
        signals={signal: column.ravel() for signal, column in signals.items()},
        name=name,
        environment=spec.env_id,
        observation_names=spec.observation_names,
        action_names=spec.action_names,
    )
