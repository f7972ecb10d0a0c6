"""What looks odd about columns and episodes: each a hint, as numbers alone cannot prove a mistake of the recording."""

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping

import numpy as np

from sciql.datasets.findings import Finding
from sciql.datasets.growing import blocks
from sciql.episodes import Episodes

AT_BOUND = 1e-3  # of the range: what is nearer is at the bound
MOSTLY = 0.99
UNLIKE = 1e4  # times the spread of another column
HUGE = 1e6


def column_hints(episodes: Episodes) -> Iterator[Finding]:
    """Columns that never change, and columns that say the same as another."""
    tables = _tables(episodes)
    told = {f"signal {name!r}": column for name, column in episodes.signals.items()}
    told |= {"rewards": episodes.rewards} if episodes.rewarded else {}
    constant = [name for name, column in {**tables, **told}.items() if column.max() == column.min()]
    if constant:
        yield Finding(
            "columns",
            "hint",
            f"{_listed(constant)} never change",
            why="a column without a difference tells a learner nothing, and is often a sensor that was off",
            remedy="leave it out, or mend the recording",
        )
    alike: dict[Hashable, list[str]] = defaultdict(list)
    for name, column in tables.items():
        if name not in constant:
            alike[_hash(column)].append(name)
    for names in alike.values():
        if len(names) > 1:
            yield Finding(
                "columns",
                "hint",
                f"{_listed(names)} are the same throughout",
                why="what is there twice counts twice, and an action among the observations gives the answer away",
                remedy="keep one of them",
            )


def saturation_hints(episodes: Episodes) -> Iterator[Finding]:
    """Components of actions that are always at one of their bounds."""
    if episodes.discrete_actions is not None:
        return
    for name, column, (low, high) in zip(
        episodes.action_names, episodes.actions.T, episodes.action_bounds.T.tolist(), strict=True
    ):
        near = AT_BOUND * (high - low)
        at_bounds = (column <= low + near) | (column >= high - near)
        if low == high or at_bounds.mean() < MOSTLY:
            continue
        yield Finding(
            "saturation",
            "hint",
            f"action {name} is at its bounds {low:g} and {high:g} in {100 * at_bounds.mean():.0f} % of the steps",
            *episodes.place(int(np.argmax(at_bounds))),
            "such actions were clipped, or are a choice in disguise; a mean between the bounds was never tried",
            "record them before clipping, give their true bounds, or import them as a choice",
        )


def scale_hints(episodes: Episodes) -> Iterator[Finding]:
    """Observations of wildly different size."""
    spreads = np.array([column.std(dtype=np.float64) for column in episodes.observations.T])
    moving = np.flatnonzero(spreads > 0)
    if len(moving):
        widest, narrowest = moving[np.argmax(spreads[moving])], moving[np.argmin(spreads[moving])]
        if spreads[widest] > UNLIKE * spreads[narrowest]:
            yield Finding(
                "scales",
                "hint",
                f"observation {episodes.observation_names[widest]} spreads over {spreads[widest]:.3g}, "
                f"{episodes.observation_names[narrowest]} over {spreads[narrowest]:.3g}",
                why="the preset `exact` standardises columns, `paper` does not and would see the first one only",
                remedy="check the units, and train with the preset `exact`",
            )
    columns = {"rewards": episodes.rewards[:, None], "observations": episodes.observations}
    for name, table in columns.items():
        row, number = divmod(int(np.argmax(np.abs(table))), table.shape[1])
        if abs(table[row, number]) > HUGE:
            yield Finding(
                "scales",
                "hint",
                f"{name} reach {table[row, number]:.3g}",
                *episodes.place(row),
                "single precision holds seven digits, so that small differences between such numbers are lost",
                "take away an offset, or choose a larger unit; a sentinel such as -999999 for a missing value must go",
            )


def repetition_hints(episodes: Episodes) -> Iterator[Finding]:
    """Episodes that are there more than once."""
    first: dict[Hashable, int] = {}
    again: list[tuple[int, int]] = []
    for number in range(episodes.count):
        rows = slice(episodes.starts[number], episodes.starts[number + 1])
        known = first.setdefault(_hash(episodes.observations[rows], episodes.actions[rows]), number)
        if known != number:
            again.append((known, number))
    if again:
        known, number = again[0]
        yield Finding(
            "repetition",
            "hint",
            f"episode {number} is the same as episode {known}" + (f" (and {len(again) - 1} more)" if again[1:] else ""),
            number,
            why="copies weigh more than other episodes, and one of them in held-out data makes figures look too good",
            remedy="keep one of each; was a file imported twice?",
        )


def _tables(episodes: Episodes) -> Mapping[str, np.ndarray]:
    """Every column that a network sees, by its name."""
    discrete = episodes.discrete_actions is not None
    actions = episodes.actions[:, None] if discrete else episodes.actions
    names = ("",) if discrete else episodes.action_names
    seen = zip(episodes.observation_names, episodes.observations.T, strict=True)
    done = zip(names, actions.T, strict=True)
    return {
        **{f"observation {name}": column for name, column in seen},
        **{f"action {name}".rstrip(): column for name, column in done},
    }


def _hash(*columns: np.ndarray) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for column in columns:
        for rows in blocks(len(column)):
            digest.update(np.ascontiguousarray(column[rows]).data)
    return digest.digest()


def _listed(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
