"""The transitions that a training learns from: those that others left, and its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from sciql.archives import load_arrays, save_arrays
from sciql.envs.halfcheetah_body import MOTORS, POSITIONS, VELOCITIES

HANDED_ON = 300_000
"""Transitions that a training leaves to others at most, and takes from them."""


class Transitions(NamedTuple):
    """Rows without rewards: every archetype gives its own."""

    observations: Float[Array, "n d"]
    actions: Float[Array, "n m"]
    following: Float[Array, "n d"]
    velocities: Float[Array, " n"]


WIDTHS = Transitions((POSITIONS - 1 + VELOCITIES,), (MOTORS,), (POSITIONS - 1 + VELOCITIES,), ())  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Experience:
    """One table: first the rows of others, then room for one's own, of which the newest stay."""

    rows: Transitions
    others: int
    """Rows that others left."""
    capacity: int
    """Room for one's own, a multiple of what is added at once."""
    written: int
    """Own transitions so far."""

    @property
    def filled(self) -> int:
        """Own rows that are there."""
        return min(self.written, self.capacity)

    def add(self, new: Transitions) -> "Experience":
        """With new rows over the oldest of one's own; the old table is used up."""
        place = self.others + self.written % self.capacity
        rows = _overwrite(self.rows, jnp.int32(place), new)
        return replace(self, rows=rows, written=self.written + len(new.velocities))

    def restored(self, own: Transitions, written: int) -> "Experience":
        """With one's own rows as a checkpoint kept them, of `written` in all."""
        return replace(self, rows=_overwrite(self.rows, jnp.int32(self.others), own), written=written)

    def own(self) -> dict[str, np.ndarray]:
        """One's own rows."""
        kept = slice(self.others, self.others + self.filled)
        return {name: np.asarray(column)[kept] for name, column in self.rows._asdict().items()}

    def hand_on(self, path: Path) -> None:
        """Leave one's own rows to others, evenly thinned out."""
        save_arrays(path, {name: evenly(column, HANDED_ON) for name, column in self.own().items()}, {})


def empty(left: Transitions, capacity: int, added: int) -> Experience:
    """What others left, and room for `capacity` rows, of which `added` come at once."""
    capacity -= capacity % added
    rows = (
        jnp.asarray(np.concatenate([column, np.zeros((capacity, *width), np.float32)]))
        for column, width in zip(left, WIDTHS, strict=True)
    )
    return Experience(Transitions(*rows), len(left.velocities), capacity, 0)


def left_by(folders: Sequence[Path], name: str) -> Transitions:
    """What finished trainings have left, in equal parts."""
    parts = [load_arrays(folder / name)[0] for folder in folders]
    if not parts:
        return Transitions(*(np.zeros((0, *width), np.float32) for width in WIDTHS))  # pyright: ignore[reportArgumentType]
    share = HANDED_ON // len(parts)
    return Transitions(*(np.concatenate([evenly(part[field], share) for part in parts]) for field in WIDTHS._fields))  # pyright: ignore[reportArgumentType]


def evenly(column: Float[np.ndarray, "n ..."], most: int) -> Float[np.ndarray, "m ..."]:
    """At most so many rows, from all of the column."""
    return column[np.linspace(0, len(column) - 1, min(most, len(column))).astype(np.int64)]


@partial(jax.jit, donate_argnums=0)
def _overwrite(rows: Transitions, place: Int[Array, ""], new: Transitions) -> Transitions:
    return jax.tree.map(
        lambda column, added: jax.lax.dynamic_update_slice_in_dim(column, added, place, axis=0), rows, new
    )
