"""Typical clips of each style, drawn as the environment draws itself."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, UInt8

from sciql.criteria import Criterion
from sciql.criteria.report import change_rows
from sciql.episodes import Episodes
from sciql.evaluation import Evaluation
from sciql.rollout import Rollouts
from sciql.video import painter

COUNT = 3
LONGEST, SHORTEST = 80, 30  # steps of a clip
ALIKE = 0.2  # share of a style's runs, those nearest to the typical length, that clips come from
FRAMES = 4
SHOW_THE_WAY = frozenset({"sciql/Circle2d-v0"})
"""Environments whose picture shows the steps so far too, so that one frame is a clip."""

Frame = UInt8[np.ndarray, "height width 3"]


@dataclass(frozen=True)
class Clip:
    """Some steps in a row of one episode."""

    episode: int
    first: int
    end: int
    """The row after the last one."""


def typical_clips(labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], style: int) -> list[Clip]:
    """The middles of runs that are about as long as the one that a step of this style usually is in."""
    bounds = np.union1d(starts, change_rows(labels, starts) + 1)
    firsts, ends = bounds[:-1], bounds[1:]
    mine = labels[firsts] == style
    firsts, ends = firsts[mine], ends[mine]
    if not len(firsts):
        return []
    lengths = ends - firsts
    usual = np.median(np.repeat(lengths, lengths))
    nearest = np.argsort(np.abs(lengths - usual), kind="stable")[: max(COUNT, round(ALIKE * len(firsts)))]
    # In the order of the data, and not two of one episode where others are to be had.
    nearest.sort()
    episode = np.searchsorted(starts, firsts[nearest], side="right") - 1
    apart = np.unique(episode, return_index=True)[1] if len(np.unique(episode)) >= COUNT else np.arange(len(nearest))
    chosen = nearest[apart][np.linspace(0, len(apart) - 1, min(COUNT, len(apart))).round().astype(int)]
    return [_middle(int(firsts[run]), int(ends[run]), starts) for run in chosen]


def _middle(first: int, end: int, starts: Int[np.ndarray, " e_1"]) -> Clip:
    """The middle of a run, with the steps around it where it is very short."""
    episode = int(np.searchsorted(starts, first, side="right")) - 1
    centre, reach = (first + end) // 2, max(SHORTEST, min(LONGEST, end - first)) // 2
    return Clip(episode, max(centre - reach, int(starts[episode])), min(centre + reach, int(starts[episode + 1])))


def can_be_drawn(episodes: Episodes) -> bool:
    return painter(episodes.environment) is not None


def painted(
    criterion: Criterion, episodes: Episodes, labels: Int[np.ndarray, " n"], clip: Clip, size: int
) -> Iterator[Frame]:
    """A few frames of a clip, the last of them its last step."""
    paint = painter(episodes.environment)
    assert paint is not None, "ask whether the episodes can be drawn first"
    frames = 1 if episodes.environment in SHOW_THE_WAY else FRAMES
    shown = _as_rollouts(criterion, episodes, labels)
    for row in np.linspace(clip.first, clip.end - 1, frames + 1).round().astype(int)[1:].tolist():
        yield paint(shown, row, clip.first, size)


def _as_rollouts(criterion: Criterion, episodes: Episodes, labels: Int[np.ndarray, " n"]) -> Evaluation:
    """Logged episodes as painters know them: rollouts that nobody asked for anything."""
    assert episodes.environment is not None, "only episodes of an environment are painted"
    return Evaluation(
        method="data",
        environment=episodes.environment,
        seed=0,
        episodes=0,
        criterion=criterion,
        rollouts=Rollouts(episodes, None),
        labels=labels,
        alignments=None,
        tasks=np.zeros(episodes.count),
    )
