"""Hints from how states follow each other: ends of episodes that are missing, wrong, or flagged as something else."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sciql.datasets.findings import Finding
from sciql.datasets.growing import blocks
from sciql.episodes import Episodes

SAMPLE = 20_000  # steps that statistics are taken of
VALUES = 10  # different ones that a column takes at least if its motion is to say something
JUMP = 8.0  # times the 90th percentile of a column's changes
STEP = 1.5  # times the same: no more than a step apart
LEAST_ENDS = 3
ALIKE = 0.9  # share of the terminated episodes


@dataclass(frozen=True)
class Motion:
    """How the columns of observations that move continuously change from step to step."""

    columns: Int[np.ndarray, " k"]
    usual: Float[np.ndarray, " k"]
    """90th percentile of the change in a step."""


def motion_hints(episodes: Episodes) -> Iterator[Finding]:
    """Ends that are missing, wrong, or flagged as what they are not."""
    motion = _motion(episodes)
    yield from _missing_ends(episodes, motion)
    yield from _wrong_ends(episodes, motion)
    yield from _timeouts(episodes)


def sampled(episodes: Episodes) -> Int[np.ndarray, " r"]:
    """Rows of evenly spread whole episodes, or of the first part of very long ones."""
    step = max(1, int(np.ceil(episodes.steps / SAMPLE)))
    chosen = np.arange(0, episodes.count, step)
    first, last = episodes.starts[chosen], episodes.starts[chosen + 1]
    rows = np.concatenate([np.arange(a, min(b, a + SAMPLE)) for a, b in zip(first, last, strict=True)])
    return rows[:SAMPLE]


def _motion(episodes: Episodes) -> Motion:
    rows = sampled(episodes)
    seen = episodes.observations[rows]
    inside = (np.diff(rows) == 1) & (np.diff(episodes.episode_of[rows]) == 0)
    changes = np.abs(np.diff(seen, axis=0)[inside])
    if not len(changes):
        return Motion(np.zeros(0, np.int64), np.zeros(0, np.float32))
    usual = np.quantile(changes, 0.9, axis=0)
    varied = [len(np.unique(column[:1000])) > VALUES for column in seen.T]
    moving = np.flatnonzero((usual > 0) & varied)
    return Motion(moving, usual[moving])


def _missing_ends(episodes: Episodes, motion: Motion) -> Iterator[Finding]:
    """Steps within an episode in which most columns jump at once, as they do from one episode to another."""
    # A single column may jump by itself, such as an angle that passes half a turn.
    if len(motion.columns) < 2:
        return
    found = []
    for rows in blocks(episodes.steps - 1):
        seen = episodes.observations[rows.start : rows.stop + 1, motion.columns]
        jumps = (np.abs(np.diff(seen, axis=0)) > JUMP * motion.usual).sum(axis=1)
        found.append(rows.start + np.flatnonzero(2 * jumps > len(motion.columns)))
    jumped = np.setdiff1d(np.concatenate(found), episodes.last_rows) if found else np.zeros(0, np.int64)
    if len(jumped):
        yield Finding(
            "ends",
            "hint",
            f"the state jumps within an episode in {len(jumped)} step{'s' if len(jumped) > 1 else ''}",
            *episodes.place(int(jumped[0])),
            "where the end of an episode is missing, the values learn a step that no action makes",
            "flag the step before each jump as the last one, or name the column that numbers the episodes",
        )


def _wrong_ends(episodes: Episodes, motion: Motion) -> Iterator[Finding]:
    """Episodes that begin where the one before ended."""
    if episodes.count < 2 or not len(motion.columns):
        return
    last, first = episodes.observations[episodes.last_rows[:-1]], episodes.observations[episodes.starts[1:-1]]
    gap = np.abs(first - last)[:, motion.columns]
    goes_on = np.asarray((gap <= STEP * motion.usual).all(axis=1))
    if 2 * goes_on.sum() > len(goes_on):
        yield Finding(
            "ends",
            "hint",
            f"{goes_on.sum()} of {len(goes_on)} episodes begin where the one before ended",
            int(np.argmax(goes_on)),
            int(episodes.lengths[np.argmax(goes_on)]) - 1,
            "where a recording is cut in the middle, nothing is learnt from what comes after the cut",
            "join the pieces unless they are meant: let the episode number change at real ends only",
        )


def _timeouts(episodes: Episodes) -> Iterator[Finding]:
    """Terminations that all come after the same, longest time, as only a clock makes them."""
    ended = np.flatnonzero(episodes.terminations[episodes.last_rows])
    late = ended[episodes.lengths[ended] == episodes.lengths.max()]
    if len(late) >= max(LEAST_ENDS, ALIKE * len(ended)):
        yield Finding(
            "ends",
            "hint",
            f"{len(late)} of {len(ended)} terminated episodes last exactly {episodes.lengths.max()} steps, "
            "as if a time-out were recorded as a termination",
            int(late[0]),
            int(episodes.lengths.max()) - 1,
            "a termination says that nothing can be gained afterwards; after a time-out it could have been",
            "record such ends as truncations",
        )
