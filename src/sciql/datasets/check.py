"""What is wrong with a dataset, or odd about it, for people."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from sciql.datasets import store
from sciql.datasets.alignment import alignment_hints
from sciql.datasets.findings import Finding
from sciql.datasets.library import locate
from sciql.datasets.motion import motion_hints
from sciql.datasets.soundness import Problem, not_finite, out_of_bounds, short_episodes
from sciql.datasets.suspicions import column_hints, repetition_hints, saturation_hints, scale_hints
from sciql.episodes import Episodes
from sciql.errors import SciqlError

Hints = Callable[[Episodes], Iterator[Finding]]
SUSPICIONS: tuple[tuple[str, Hints, str], ...] = (
    ("columns", column_hints, "none is constant, none is there twice"),
    ("saturation", saturation_hints, "no action is always at its bounds"),
    ("scales", scale_hints, "of like size"),
    ("ends", motion_hints, "episodes end where they seem to"),
    ("alignment", alignment_hints, "actions and rewards fit the states of their rows"),
    ("repetition", repetition_hints, "no two episodes are the same"),
)


def check_dataset(name_or_path: str | Path) -> list[Finding]:
    """Everything there is to say about a dataset, the sound things too."""
    name, folder = locate(name_or_path)
    try:
        episodes = store.read(folder, name)
    except SciqlError as problem:
        return [Finding("files", "broken", str(problem))]
    return [Finding("files", "ok", str(folder)), *_content(folder, episodes), *check_episodes(episodes)]


def _content(folder: Path, episodes: Episodes) -> Iterator[Finding]:
    if damage := store.damage(folder, episodes):
        yield Finding("content", "broken", damage)
    elif store.facts(folder).made_by:
        yield Finding("content", "ok", f"sha256 {episodes.content} as written")
    else:
        yield Finding(
            "content", "ok", f"sha256 {episodes.content}; not written by sciql, so nothing to compare it with"
        )


def check_episodes(episodes: Episodes) -> Iterator[Finding]:
    """The same for episodes in memory."""
    shortest, longest = int(episodes.lengths.min()), int(episodes.lengths.max())
    lengths = f"{episodes.count} of {shortest} to {longest} steps, {episodes.steps} in all"
    yield from _judged("episodes", short_episodes(episodes), lengths)
    unsound = list(not_finite(episodes))
    yield from _judged("values", iter(unsound), "all finite")
    lowest, highest = float(np.min(episodes.actions)), float(np.max(episodes.actions))
    yield from _judged("actions", out_of_bounds(episodes), f"from {lowest:g} to {highest:g}")
    yield _rewards(episodes)
    # What statistics would say about NaN is nothing.
    for name, hints, sound in () if unsound else SUSPICIONS:
        yield from list(hints(episodes)) or [Finding(name, "ok", sound)]


def _judged(name: str, problems: Iterator[Problem], sound: str) -> Iterator[Finding]:
    """The problems of a kind, or what is to be said if there are none."""
    found = [
        Finding(name, "broken", problem.what + problem.more, problem.episode, problem.step, problem.why, problem.remedy)
        for problem in problems
    ]
    yield from found or [Finding(name, "ok", sound)]


def _rewards(episodes: Episodes) -> Finding:
    if episodes.rewarded:
        returns = episodes.returns()
        return Finding("rewards", "ok", f"returns from {returns.min():g} to {returns.max():g}")
    return Finding(
        "rewards",
        "hint",
        "there are none",
        why="methods that learn a task from rewards cannot run; those that learn styles alone can",
        remedy="import the data with a reward column if there is one",
    )
