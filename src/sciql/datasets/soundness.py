"""What no method can learn from: NaN, actions out of bounds, episodes that are too short."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sciql.datasets.growing import blocks
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.normaliser import Normaliser

SHORTEST = 2  # steps of an episode: one alone has no successor to learn from
REACH = 1 + 1e-6  # how far actions may go beyond [-1, 1] by rounding


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where it is first met, and what to do about it."""

    what: str
    """All that comes before the place."""
    episode: int
    step: int | None
    """Within the episode; None where no single step is meant."""
    more: str
    """How often else, and what was met."""
    why: str
    remedy: str

    @property
    def place(self) -> str:
        return f"episode {self.episode}" + ("" if self.step is None else f", step {self.step}")

    @property
    def sentence(self) -> str:
        return f"{self.what} in {self.place}{self.more}; {self.remedy}"


def require_sound(episodes: Episodes) -> None:
    """A sentence about the first thing that is wrong with the episodes."""
    for problem in problems(episodes):
        raise SciqlError(problem.sentence)


def problems(episodes: Episodes) -> Iterator[Problem]:
    """Every thing that is wrong."""
    yield from short_episodes(episodes)
    yield from not_finite(episodes)
    yield from out_of_bounds(episodes)


def short_episodes(episodes: Episodes) -> Iterator[Problem]:
    short = np.flatnonzero(episodes.lengths < SHORTEST)
    if len(short):
        yield Problem(
            what=f"{episodes.name} has too few steps",
            episode=int(short[0]),
            step=None,
            more=f", which has {episodes.lengths[short[0]]} step{_and_others(len(short))}",
            why="a step without one after it says nothing about where actions lead",
            remedy=f"remove episodes of fewer than {SHORTEST} steps",
        )


def not_finite(episodes: Episodes) -> Iterator[Problem]:
    columns = {
        "observations": episodes.observations,
        "actions": episodes.actions,
        "rewards": episodes.rewards,
        "final_observations": episodes.final_observations,
    }
    for name, column in (columns | {f"signal {name!r}": column for name, column in episodes.signals.items()}).items():
        wrong = _rows_where_not(np.isfinite, column)
        if len(wrong):
            final = name == "final_observations"
            episode, step = (int(wrong[0]), None) if final else episodes.place(int(wrong[0]))
            yield Problem(
                what=f"{name} of {episodes.name} hold NaN or infinite values",
                episode=episode,
                step=step,
                more=_and_others(len(wrong), "rows"),
                why="one such number spreads to every parameter of a network in a single step",
                remedy="repair or remove it",
            )


def out_of_bounds(episodes: Episodes) -> Iterator[Problem]:
    if episodes.discrete_actions is not None:
        most = episodes.discrete_actions - 1
        wrong = _rows_where_not(lambda some: (some >= 0) & (some <= most), episodes.actions)
        bounds, remedy = f"0 to {most}", "number them so"
    else:
        scale = Normaliser.between(episodes.action_bounds)
        wrong = _rows_where_not(lambda some: ~(np.abs(scale(some)) > REACH), episodes.actions)
        bounds, remedy = _told(episodes.action_bounds), "give their true bounds or clip them"
    if len(wrong):
        episode, step = episodes.place(int(wrong[0]))
        yield Problem(
            what=f"actions of {episodes.name} leave {bounds}",
            episode=episode,
            step=step,
            more=f"{_and_others(len(wrong), 'steps')}: {episodes.actions[wrong[0]].tolist()}",
            why="a policy never leaves the bounds, so such actions would be learnt as other ones",
            remedy=remedy,
        )


def _rows_where_not(holds: Callable[[np.ndarray], np.ndarray], column: np.ndarray) -> Int[np.ndarray, " r"]:
    """The rows in which something does not hold for every number."""
    found = []
    for rows in blocks(len(column)):
        right = holds(column[rows])
        # Most columns are right throughout, and this is a tenth of the work.
        if not right.all():
            found.append(rows.start + np.flatnonzero(~right.reshape(len(right), -1).all(axis=1)))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _told(bounds: Float[np.ndarray, "2 m"]) -> str:
    """Bounds as people write them, those of all components at once where they are the same."""
    pairs = [f"[{low:g}, {high:g}]" for low, high in bounds.T.tolist()]
    return pairs[0] if len(set(pairs)) == 1 else " x ".join(pairs)


def _and_others(count: int, what: str = "others") -> str:
    """The rest of them, if there are more than the one named."""
    return f" (and {count - 1} more {what})" if count > 1 else ""
