"""What no method can learn from: NaN, actions out of bounds, episodes that are too short."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.normaliser import Normaliser

SHORTEST = 2  # steps of an episode: one alone has no successor to learn from
REACH = 1 + 1e-6  # how far actions may go beyond [-1, 1] by rounding


def require_sound(episodes: Episodes) -> None:
    """A sentence about the first thing that is wrong with the episodes."""
    for problem in problems(episodes):
        raise SciqlError(problem)


def problems(episodes: Episodes) -> Iterator[str]:
    """Every thing that is wrong, each in one sentence."""
    yield from short_episodes(episodes)
    yield from not_finite(episodes)
    yield from out_of_bounds(episodes)


def short_episodes(episodes: Episodes) -> Iterator[str]:
    short = np.flatnonzero(episodes.lengths < SHORTEST)
    if len(short):
        yield (
            f"episode {short[0]} of {episodes.name} has {episodes.lengths[short[0]]} step{_and_others(len(short))}; "
            f"remove episodes of fewer than {SHORTEST} steps"
        )


def not_finite(episodes: Episodes) -> Iterator[str]:
    columns = {
        "observations": episodes.observations,
        "actions": episodes.actions,
        "rewards": episodes.rewards,
        "final_observations": episodes.final_observations,
    }
    for name, column in (columns | {f"signal {name!r}": column for name, column in episodes.signals.items()}).items():
        finite = np.isfinite(column).reshape(len(column), -1).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            number = row if name == "final_observations" else int(episodes.episode_of[row])
            others = _and_others(int((~finite).sum()), "rows")
            yield (
                f"{name} of {episodes.name} hold NaN or infinite values in episode {number}{others}; "
                "repair or remove it"
            )


def out_of_bounds(episodes: Episodes) -> Iterator[str]:
    actions = episodes.actions
    if episodes.discrete_actions is not None:
        wrong = (actions < 0) | (actions >= episodes.discrete_actions)
        bounds, remedy = f"0 to {episodes.discrete_actions - 1}", "number them so"
    else:
        within = Normaliser.between(episodes.action_bounds)(actions)
        wrong = (np.abs(within) > REACH).any(axis=1)
        bounds, remedy = _told(episodes.action_bounds), "give their true bounds or clip them"
    if wrong.any():
        row = int(np.argmax(wrong))
        yield (
            f"actions of {episodes.name} leave {bounds} in episode {episodes.episode_of[row]}"
            f"{_and_others(int(wrong.sum()), 'steps')}: {actions[row].tolist()}; {remedy}"
        )


def _told(bounds: Float[np.ndarray, "2 m"]) -> str:
    """Bounds as people write them, those of all components at once where they are the same."""
    pairs = [f"[{low:g}, {high:g}]" for low, high in bounds.T.tolist()]
    return pairs[0] if len(set(pairs)) == 1 else " x ".join(pairs)


def _and_others(count: int, what: str = "others") -> str:
    """The rest of them, if there are more than the one named."""
    return f" (and {count - 1} more {what})" if count > 1 else ""
