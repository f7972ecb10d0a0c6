"""A labelling function is tried on a few episodes before it labels a dataset: is it repeatable, local and fast?"""

import time
import warnings

import numpy as np
from jaxtyping import Int

from sciql.criteria.criterion import Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError, SciqlWarning

TRIED = 20_000
"""Steps of a trial."""
SLOWEST = 1e-6
"""Seconds a step, on one core, that a function over whole columns stays under."""
PATIENCE = 1.0
"""Seconds for a whole dataset that nobody minds."""
STRANGE = 0.01
"""Share of steps whose label may depend on other episodes by rounding."""


def labelled(criterion: Criterion, episodes: Episodes) -> Int[np.ndarray, " n"]:
    """The labels of a dataset, from a function that was tried first; noise comes last, and is no part of the trial."""
    alone, whole_episodes = _tried(criterion, episodes)
    labels = criterion.label_columns(episodes.columns, episodes.starts, episodes.name)
    changed = float((labels[: len(alone)] != alone).mean()) if whole_episodes else 0.0
    if changed > STRANGE:
        raise SciqlError(
            f"the labels of {criterion.name} depend on other episodes: {100 * changed:.0f} % of those of the first "
            f"{whole_episodes} change when these are labelled alone, as rollouts will be; give the function its "
            "thresholds as numbers, or store its labels as a signal (sciql.stored)"
        )
    return criterion.label(episodes) if criterion.noisy else labels


def _tried(criterion: Criterion, episodes: Episodes) -> tuple[Int[np.ndarray, " k"], int]:
    """Labels of the first episodes alone, and how many they are; 0 if not even one is short enough for a trial."""
    count = min(int(np.searchsorted(episodes.starts, TRIED, side="right")) - 1, max(1, episodes.count - 1))
    starts = episodes.starts[: count + 1] if count else np.array([0, TRIED])
    signals = {name: column[: starts[-1]] for name, column in episodes.columns.items()}
    answers, seconds = [], []
    for _ in range(2):
        begun = time.process_time()
        answers.append(criterion.label_columns(signals, starts, episodes.name))
        seconds.append(time.process_time() - begun)
    first, second = answers
    if (first != second).any():
        raise SciqlError(
            f"the function of {criterion.name} is not repeatable: asked twice about the same steps, it labels "
            f"{int((first != second).sum())} of {len(first)} otherwise; give its random numbers a fixed seed"
        )
    _tell_if_slow(criterion.name, min(seconds) / len(first), episodes.steps)
    return first, count


def _tell_if_slow(name: str, seconds: float, steps: int) -> None:
    if seconds > SLOWEST and seconds * steps > PATIENCE:
        warnings.warn(
            f"the function of {name} takes {1e6 * seconds:.1f} µs a step, {seconds * steps:.0f} s for the data and the "
            f"same share for every rollout; one over whole columns stays under {1e6 * SLOWEST:g} µs: look for a loop "
            "over steps",
            SciqlWarning,
            stacklevel=4,
        )
