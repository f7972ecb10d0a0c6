"""A policy at play: every style that is asked for, all episodes at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from jaxtyping import Float, Int

from sciql.envs.registration import get_simulator
from sciql.envs.simulator import record
from sciql.episodes import Episodes
from sciql.errors import SciqlError

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.policy import Policy

Play = Callable[[Float[np.ndarray, "count d"], Int[np.ndarray, " count"] | None], Float[np.ndarray, "count m"]]
"""From observations, and the style asked of each, to actions."""


class Player(Protocol):
    """What a policy needs in order to be played and judged; a hand-written one does as well as a trained one."""

    @property
    def method(self) -> str: ...

    @property
    def conditioned(self) -> bool:
        """Whether it looks at the style that it is asked for."""
        ...

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles that it tells apart, in the order of their indices."""
        ...

    @property
    def environment(self) -> str | None: ...

    @property
    def criterion(self) -> "Criterion | None": ...

    def actor(self, seed: int) -> Play:
        """One that acts for many episodes, and draws what it draws from `seed`."""
        ...


@dataclass(frozen=True)
class Rollouts:
    """Episodes, and the style that each was asked for."""

    episodes: Episodes
    asked: Int[np.ndarray, " e"] | None
    """None when the policy was asked for nothing."""


def rollout(policy: "Policy | Player", env_id: str, styles: Sequence[int], *, episodes: int, seed: int) -> Rollouts:
    """Each style's episodes in turn, as rows of one batch; without styles, the policy is asked for nothing.

    Where episodes start depends on the seed and their number alone, so that policies meet the same starts.
    """
    if episodes < 1:
        raise SciqlError(f"a policy is judged on at least 1 episode a style, not {episodes}")
    asked = np.repeat(np.array(styles, np.int32), episodes) if len(styles) else None
    simulator = get_simulator(env_id)
    start_rng, act_rng = np.random.default_rng(seed).spawn(2)
    observations = simulator.reset(start_rng, episodes if asked is None else len(asked))
    play = policy.actor(int(act_rng.integers(2**31)))
    recorded = record(simulator, observations, lambda seen: play(seen, asked), simulator.spec.horizon, policy.method)
    return Rollouts(recorded, asked)
