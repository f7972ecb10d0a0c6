"""How well an actor does its archetype, over whole episodes without noise."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from sciql.archetypes.shapes import Achieved, Archetype, achieved
from sciql.envs.halfcheetah import HORIZON, HalfCheetahSimulator, posture_of
from sciql.envs.simulator import record
from sciql.episodes import Episodes

EPISODES = 10

Act = Callable[[Float[np.ndarray, "count d"]], Float[np.ndarray, "count m"]]


@dataclass(frozen=True)
class Judged:
    """The figures of some episodes."""

    quality: float
    """1 or more when all demands are met; of the expert, who has none, the mean velocity."""
    reward: float
    """Mean return by the archetype's own reward."""
    task: float
    """Mean return by Gymnasium's reward."""
    achieved: Achieved

    def figures(self) -> dict[str, float]:
        """All of them by name; what an archetype has not is left out."""
        flat: dict[str, Any] = {**asdict(self), **asdict(self.achieved)}
        return {name: value for name, value in flat.items() if isinstance(value, float)}


def judge_actor(
    archetype: Archetype, act: Act, seed: int, *, episodes: int = EPISODES, threads: int | None = None
) -> Judged:
    """Play whole episodes and judge them."""
    simulator = HalfCheetahSimulator(threads)
    observations = simulator.reset(np.random.default_rng(seed), episodes)
    return judge_episodes(archetype, record(simulator, observations, act, HORIZON, archetype.name))


def judge_episodes(archetype: Archetype, played: Episodes) -> Judged:
    """The figures of recorded episodes of one length."""
    table = (played.count, -1)
    velocity, height, angle = (
        played.signal(name).reshape(table) for name in ("velocity", "torso_height", "torso_angle")
    )
    rewards = archetype.reward(played.signal("velocity"), *posture_of(played.next_observations()), played.actions)
    reached = achieved(archetype, velocity, height, angle)
    return Judged(
        quality=reached.quality(archetype),
        reward=float(rewards.reshape(table).sum(axis=1, dtype=np.float64).mean()),
        task=float(played.returns().mean()),
        achieved=reached,
    )
