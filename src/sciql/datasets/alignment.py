"""Hints that actions or rewards stand one row too early or too late, by which row explains best what happens."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Int

from sciql.datasets.findings import Finding
from sciql.datasets.motion import sampled
from sciql.episodes import Episodes

HALF = 0.5  # of what the same row leaves unexplained: another row must leave less
MOST = 0.9  # of what states alone leave unexplained: who leaves more says nothing
GAIN = 0.1  # share of a variance that counts as an explanation
ROWS_A_COLUMN = 10  # for a regression to be trusted
NEIGHBOURS = {1: ("the row after", "down"), -1: ("the row before", "up")}
"""Where a better explanation was found, and where the column should go."""


def alignment_hints(episodes: Episodes) -> Iterator[Finding]:
    """What seems to be off by one."""
    rows = _inner(episodes)
    if len(rows) > ROWS_A_COLUMN * (episodes.observations.shape[1] + len(episodes.action_names)):
        yield from _actions(episodes, rows)
        if episodes.rewarded:
            yield from _rewards(episodes, rows)


def _inner(episodes: Episodes) -> Int[np.ndarray, " r"]:
    """Sampled rows with one row before and two after them in the same episode."""
    rows = sampled(episodes)
    rows = rows[(rows > 0) & (rows < episodes.steps - 2)]
    return rows[episodes.episode_of[rows - 1] == episodes.episode_of[rows + 2]]


def _actions(episodes: Episodes, rows: Int[np.ndarray, " r"]) -> Iterator[Finding]:
    """Whether the change of a state follows the action of a neighbouring row, and that of its own row explains nothing.

    A policy that reacts to states makes the next action tell the next state, which is no mistake; but there the state
    of an action's own row explains it as well as the change does.
    """
    states, after = episodes.observations[rows], episodes.observations[rows + 1]
    changes = after - states
    acted = {shift: _acted(episodes, rows + shift) for shift in (-1, 0, 1)}
    alone = _unexplained([states], changes)
    left = {shift: _unexplained([states, actions], changes) for shift, actions in acted.items()}
    aligned = (alone - left[0] > GAIN) & (left[0] < HALF * np.minimum(left[1], left[-1]))
    for shift, (neighbour, way) in NEIGHBOURS.items():
        tells = (left[shift] < HALF * left[0]) & (left[0] > MOST * alone) & (alone - left[shift] > GAIN)
        if not tells.any() or aligned.any():
            continue
        reaction = _unexplained([episodes.observations[rows + shift]], acted[shift])
        if (_unexplained([states, after], acted[shift]) < HALF * reaction).any():
            name = episodes.observation_names[int(np.argmax(tells))]
            yield Finding(
                "alignment",
                "hint",
                f"observation {name} changes by the action of {neighbour}, not by that of the same row",
                *episodes.place(int(rows[0])),
                "an action beside the wrong state teaches the answer to another question",
                f"move the actions {way} by one row",
            )


def _rewards(episodes: Episodes, rows: Int[np.ndarray, " r"]) -> Iterator[Finding]:
    """Whether the reward of a neighbouring row follows from this row's state, action and next state much better."""
    states, after, acted = episodes.observations[rows], episodes.observations[rows + 1], _acted(episodes, rows)
    seen = [states, after, acted, states**2, after**2, acted**2]
    left = {shift: _unexplained(seen, episodes.rewards[rows + shift, None])[0] for shift in (-1, 0, 1)}
    for shift, (neighbour, way) in NEIGHBOURS.items():
        if left[shift] < HALF * left[0] and left[0] - left[shift] > GAIN:
            yield Finding(
                "alignment",
                "hint",
                f"the reward of {neighbour} fits each step better than that of the same row",
                *episodes.place(int(rows[0])),
                "a reward beside the wrong action praises what came before or after it",
                f"move the rewards {way} by one row",
            )


def _acted(episodes: Episodes, rows: Int[np.ndarray, " r"]) -> Float[np.ndarray, "r m"]:
    """Actions as numbers a regression can read."""
    actions = episodes.actions[rows]
    if episodes.discrete_actions is None:
        return actions
    return np.eye(episodes.discrete_actions, dtype=np.float32)[actions]


def _unexplained(seen: list[Float[np.ndarray, "r _"]], wanted: Float[np.ndarray, "r k"]) -> Float[np.ndarray, " k"]:
    """Share of each column's variance that a linear regression on the others leaves; nothing for a constant one."""
    table = np.hstack([_standard(one) for one in seen])
    targets = _standard(wanted)
    weights = np.linalg.lstsq(table, targets, rcond=1e-6)[0]
    return ((targets - table @ weights) ** 2).mean(axis=0)


def _standard(table: Float[np.ndarray, "r k"]) -> Float[np.ndarray, "r k"]:
    """Columns of mean 0 and spread 1, without those that do not vary."""
    centred = table - table.mean(axis=0, dtype=np.float64)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 0, spread, 1)
