"""What is wrong with a dataset, or odd about it, for people."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from sciql.datasets import store
from sciql.datasets.library import locate
from sciql.datasets.soundness import not_finite, out_of_bounds, short_episodes
from sciql.episodes import Episodes
from sciql.errors import SciqlError


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    name: str
    state: Literal["ok", "hint", "broken"]
    """`hint`: odd, yet usable; `broken`: nothing can be learnt from the data as it is."""
    detail: str


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
    yield from _judged("episodes", short_episodes, episodes, lengths)
    yield from _judged("values", not_finite, episodes, "all finite")
    lowest, highest = float(np.min(episodes.actions)), float(np.max(episodes.actions))
    yield from _judged("actions", out_of_bounds, episodes, f"from {lowest:g} to {highest:g}")
    yield from _constant_columns(episodes)


def _judged(
    name: str, problems: Callable[[Episodes], Iterator[str]], episodes: Episodes, sound: str
) -> Iterator[Finding]:
    """The problems of a kind, or what is to be said if there are none."""
    found = [Finding(name, "broken", problem) for problem in problems(episodes)]
    yield from found or [Finding(name, "ok", sound)]


def _constant_columns(episodes: Episodes) -> Iterator[Finding]:
    """Columns that never change tell a learner nothing, and are often a mistake of the recording."""
    tables = {"observation": episodes.observations, "action": episodes.actions.reshape(episodes.steps, -1)}
    constant = [
        f"{name} {number}"
        for name, table in tables.items()
        for number in np.flatnonzero(table.max(axis=0) == table.min(axis=0))
    ]
    constant += [f"signal {name!r}" for name, column in episodes.signals.items() if column.max() == column.min()]
    if episodes.rewarded and episodes.rewards.max() == episodes.rewards.min():
        constant.append("rewards")
    if constant:
        yield Finding("columns", "hint", f"{', '.join(constant)} never change; is the recording as it should be?")
    else:
        yield Finding("columns", "ok", "none is constant")
