"""A herd of cheetahs that act by the shipped archetypes, with noise: the agent of HalfCheetah's datasets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from sciql.archetypes.actor import Actor
from sciql.archetypes.shapes import ARCHETYPES
from sciql.archetypes.shipped import shipped_actor
from sciql.envs.halfcheetah import HORIZON, HalfCheetahSimulator
from sciql.envs.halfcheetah_body import MOTORS
from sciql.envs.simulator import record
from sciql.episodes import Episodes

NOISE = (0.0, 0.2)
"""Spread of the noise on actions; each episode has its own, so that the data cover the neighbourhood of every gait."""
STAYS = (100, 300)
"""Steps for which an archetype lasts in an episode that changes it."""


@dataclass(frozen=True)
class Plans:
    """Which archetype acts at every step of every episode, and how noisily."""

    archetypes: Int[np.ndarray, "count steps"]
    """Numbers of archetypes, in the order of their names in ARCHETYPES."""
    noise: Float[np.ndarray, " count"]


def draw_plans(seed: int, count: int, steps: int, *, varied: bool) -> Plans:
    """Archetypes by turns, one an episode, or drawn anew within it, never the same one twice in a row.

    Each episode has a stream of its own, so that fewer episodes of the same seed are the first of more.
    """
    known = len(ARCHETYPES)
    archetypes, noise = np.empty((count, steps), np.int8), np.empty(count)
    for episode, stream in enumerate(np.random.default_rng(seed).spawn(count)):
        noise[episode] = stream.uniform(*NOISE)
        acting, begun = episode % known, 0
        while begun < steps:
            stay = int(stream.integers(*STAYS, endpoint=True)) if varied else steps
            archetypes[episode, begun : begun + stay] = acting
            acting, begun = (acting + int(stream.integers(1, known))) % known, begun + stay
    return Plans(archetypes, noise)


class Herd:
    """Acts for every episode by its plan."""

    def __init__(self, plans: Plans, actors: Sequence[Actor], rng: np.random.Generator) -> None:
        self.actors = actors
        self._turns = iter(plans.archetypes.T)
        self._noise = plans.noise[:, None].astype(np.float32)
        self._rng = rng

    def __call__(self, observations: Float[np.ndarray, "count d"]) -> Float[np.ndarray, "count 6"]:
        """The next action of every episode."""
        acting = next(self._turns)
        actions = self._noise * self._rng.standard_normal((len(observations), MOTORS), np.float32)
        for number, actor in enumerate(self.actors):
            mine = acting == number
            if mine.any():
                actions[mine] += actor(observations[mine])
        return actions.clip(-1, 1)


def demonstrate(
    seed: int,
    episodes: int,
    name: str,
    *,
    varied: bool = False,
    steps: int = HORIZON,
    tick: Callable[[], None] = lambda: None,
) -> Episodes:
    """The herd's episodes; the same seed gives the same bits on machines of one kind."""
    start_rng, noise_rng = np.random.default_rng(seed).spawn(2)
    plans = draw_plans(seed, episodes, steps, varied=varied)
    herd = Herd(plans, [shipped_actor(name) for name in ARCHETYPES], noise_rng)
    simulator = HalfCheetahSimulator()
    return record(simulator, simulator.reset(start_rng, episodes), herd, steps, name, tick)


def cut(episodes: Episodes, length: int) -> Episodes:
    """The same steps in episodes of at most this length; each ends where the next one begins."""
    age = np.arange(episodes.steps) - np.repeat(episodes.starts[:-1], episodes.lengths)
    ends = episodes.terminations | episodes.truncations | (age % length == length - 1)
    starts = np.concatenate([[0], np.flatnonzero(ends[:-1]) + 1, [episodes.steps]])
    return replace(
        episodes,
        truncations=ends & ~episodes.terminations,
        starts=starts.astype(np.int64),
        final_observations=episodes.next_observations()[starts[1:] - 1],
    )
