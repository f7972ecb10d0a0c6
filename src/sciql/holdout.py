"""Episodes set aside before a training, so that a policy can be judged on steps that it never saw."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int

from sciql.episodes import Episodes
from sciql.errors import SciqlError


def hold_out(episodes: Episodes, share: float) -> tuple[Episodes, Episodes | None]:
    """The episodes to learn from, and those set aside: a share of whole episodes.

    The draw depends on the share and the number of episodes alone, so that methods and seeds are compared on the same.
    """
    if share == 0:
        return episodes, None
    count = round(share * episodes.count) if 0 < share < 1 else 0
    if not 0 < count < episodes.count:
        raise SciqlError(
            f"a share of {share:g} of the {episodes.count} episodes of {episodes.name} cannot be held out; "
            "name one between 0 and 1 that leaves at least an episode on both sides"
        )
    drawn = np.random.default_rng(0).permutation(episodes.count)
    return only(episodes, np.sort(drawn[count:])), only(episodes, np.sort(drawn[:count]))


def only(episodes: Episodes, numbers: Int[np.ndarray, " k"]) -> Episodes:
    """Some of the episodes, in the order of `numbers`."""
    lengths = episodes.lengths[numbers]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(episodes.starts[numbers] - starts[:-1], lengths) + np.arange(starts[-1])
    return replace(
        episodes,
        observations=episodes.observations[rows],
        actions=episodes.actions[rows],
        rewards=episodes.rewards[rows],
        terminations=episodes.terminations[rows],
        truncations=episodes.truncations[rows],
        starts=starts,
        final_observations=episodes.final_observations[numbers],
        signals={name: column[rows] for name, column in episodes.signals.items()},
    )
