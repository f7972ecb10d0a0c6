"""Spaces of gymnasium as flat columns with a name each; images and words have none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from sciql.datasets.growing import blocks
from sciql.datasets.soundness import REACH
from sciql.episodes import UNIT_BOUNDS
from sciql.errors import SciqlError

if TYPE_CHECKING:
    from gymnasium.spaces import Space

IMAGE_SIZE = 32 * 32  # numbers in a table that can only be a picture
MOST_CHOICES = 4096  # of a Discrete observation, each of which becomes a column


@dataclass(frozen=True)
class Leaf:
    """One part of a space that has no parts itself."""

    path: tuple[str | int, ...]
    """Keys and positions that lead to it."""
    names: tuple[str, ...]
    """Of its columns."""
    columns: Callable[[np.ndarray], np.ndarray]
    """From the recorded values, one a row, to a table."""

    def read(self, recorded: Any) -> Float[np.ndarray, "n k"]:
        for key in self.path:
            recorded = recorded[key]
        return self.columns(np.asarray(recorded))


def leaves(space: "Space[Any]", source: str, path: tuple[str | int, ...] = ()) -> list[Leaf]:
    """Every leaf of a space of observations, in the order of its columns; a sentence if one cannot be a column."""
    from gymnasium import spaces

    if isinstance(space, (spaces.Dict, spaces.Tuple)):
        parts = space.spaces.items() if isinstance(space, spaces.Dict) else enumerate(space.spaces)
        return list(chain.from_iterable(leaves(part, source, (*path, key)) for key, part in parts))
    name = "/".join(map(str, path)) or "observation"
    if isinstance(space, spaces.Box):
        return [_table(space.shape, space.dtype, path, name, source)]
    if isinstance(space, spaces.MultiBinary):
        return [_table(space.shape, None, path, name, source)]
    if isinstance(space, spaces.Discrete):
        return [_choices((int(space.n),), (int(space.start),), path, [name], source)]
    if isinstance(space, spaces.MultiDiscrete):
        counts, first = space.nvec.ravel().tolist(), space.start.ravel().tolist()
        return [_choices(counts, first, path, _numbered(name, space.nvec.size), source)]
    raise SciqlError(f"{name} of {source} is {space}, which is no table of numbers; leave it out or flatten it first")


def flattened(parts: list[Leaf], recorded: Any) -> Float[np.ndarray, "n d"]:
    """Recorded observations as one table."""
    tables = [part.read(recorded) for part in parts]
    return tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1, dtype=np.float32)


def refuse_image(shape: tuple[int, ...], dtype: Any, name: str, source: str) -> None:
    """A sentence about pictures, by the shape of one row."""
    size = int(np.prod(shape))
    if len(shape) >= 2 and (size >= IMAGE_SIZE or (dtype == np.uint8 and len(shape) == 3)):
        raise SciqlError(
            f"{name} of {source} are images of {' x '.join(map(str, shape))}, which sciql does not learn from; "
            "encode each as a short vector first"
        )


def _table(shape: tuple[int, ...], dtype: Any, path: tuple[str | int, ...], name: str, source: str) -> Leaf:
    refuse_image(shape, dtype, name, source)
    width = int(np.prod(shape))
    names = (name,) if shape == () or (path and width == 1) else tuple(_numbered(name, width))
    return Leaf(path, names, lambda recorded: recorded.reshape(len(recorded), -1))


def _choices(
    counts: "tuple[int, ...] | list[int]",
    firsts: "tuple[int, ...] | list[int]",
    path: tuple[str | int, ...],
    names: list[str],
    source: str,
) -> Leaf:
    """A column of ones and zeros for every choice."""
    if sum(counts) > MOST_CHOICES:
        raise SciqlError(
            f"{names[0]} of {source} has {sum(counts)} choices, and each would be a column of its own; "
            f"at most {MOST_CHOICES} make sense: describe them by fewer numbers first"
        )
    ranges = [np.arange(first, first + count) for count, first in zip(counts, firsts, strict=True)]
    named = tuple(
        chain.from_iterable((f"{name}={choice}" for choice in one) for name, one in zip(names, ranges, strict=True))
    )

    def columns(recorded: np.ndarray) -> np.ndarray:
        chosen = recorded.reshape(len(recorded), -1)
        return np.concatenate([chosen[:, [k]] == one for k, one in enumerate(ranges)], axis=1)

    return Leaf(path, named, columns)


def _numbered(name: str, count: int) -> list[str]:
    return [f"{name}_{number}" for number in range(count)]


def numeric(infos: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The columns of numbers among the infos of an episode, those of small tables one by one."""
    if isinstance(infos, dict):
        for key, info in infos.items():
            yield from numeric(info, f"{name}/{key}" if name else str(key))
    elif isinstance(infos, np.ndarray) and infos.dtype.kind in "biuf":
        yield from split(name, infos)


WIDEST = 64
"""Columns of a table of infos that is taken apart into signals."""


def split(name: str, table: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """A column by its name, or the columns of a small table by numbered ones."""
    if table.ndim == 1:
        yield name, table
    elif table.ndim == 2 and table.shape[1] <= WIDEST:
        yield from zip(_numbered(name, table.shape[1]), table.T, strict=True)


def bounds_of(
    actions: Float[np.ndarray, "n m"], known: Float[np.ndarray, "2 m"] | None = None
) -> Float[np.ndarray, "2 m"]:
    """The bounds of vectors where some are not known: [-1, 1] if all of a component lie there, else its own range."""
    low = high = np.full(actions.shape[1], np.nan, np.float32)
    for rows in blocks(len(actions)):
        # Along whole components this is ten times as fast as across the rows.
        some = np.array(actions[rows].T, np.float32, order="C")
        if not np.isfinite(some.sum()):
            some[~np.isfinite(some)] = np.nan
        low, high = np.fmin(low, np.fmin.reduce(some, axis=1)), np.fmax(high, np.fmax.reduce(some, axis=1))
    beyond = (low < -REACH) | (high > REACH)
    ours = np.where(beyond, np.stack([low, high]), UNIT_BOUNDS)
    if known is None:
        return ours
    return np.where(np.isfinite(known).all(axis=0), known, ours).astype(np.float32)
