"""Episodes: a dataset as flat columns, one row a step, with the row at which each episode starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float, Int

from sciql.errors import SciqlError
from sciql.files import sha256

if TYPE_CHECKING:
    from typing import Unpack

    from sciql.datasets.logs import Bounds
    from sciql.datasets.tables import Words

UNIT_BOUNDS = np.array([[-1], [1]], np.float32)
"""Of actions that need no rescaling."""


@dataclass(frozen=True)
class Episodes:
    """Logged behaviour of E episodes with N steps in all.

    Row t holds the transition (s_t, a_t, r_t); the state that follows the last step of each episode stands in
    `final_observations`.
    """

    observations: Float[np.ndarray, "n d"]
    actions: Float[np.ndarray, "n m"] | Int[np.ndarray, " n"]
    rewards: Float[np.ndarray, " n"]
    terminations: Bool[np.ndarray, " n"]
    truncations: Bool[np.ndarray, " n"]
    starts: Int[np.ndarray, " e_1"]
    """First row of each episode, and N at the end: E + 1 numbers."""
    final_observations: Float[np.ndarray, "e d"]
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Named columns of N numbers that labelling functions read."""
    name: str = "episodes"
    environment: str | None = None
    """Gymnasium's id of the environment that the episodes come from, if there is one."""
    discrete_actions: int | None = None
    """How many actions there are to choose from, or None when actions are vectors."""
    observation_names: tuple[str, ...] = ()
    """What each column of `observations` is called."""
    action_names: tuple[str, ...] = ()
    """What each component of a vector is called, or each of the actions to choose from."""
    action_bounds: Float[np.ndarray, "2 m"] = field(default_factory=lambda: np.zeros((2, 0), np.float32))
    """Lowest and highest value of each component, in the data's own units; no columns when actions are discrete."""
    rewarded: bool = True
    """Whether the logs tell rewards; where they do not, `rewards` are zeros that mean nothing."""

    @classmethod
    def from_arrays(
        cls,
        *,
        observations: np.ndarray,
        actions: np.ndarray,
        rewards: np.ndarray | None,
        terminations: np.ndarray,
        truncations: np.ndarray,
        final_observations: np.ndarray,
        signals: Mapping[str, np.ndarray] | None = None,
        name: str = "episodes",
        environment: str | None = None,
        discrete_actions: int | None = None,
        observation_names: Sequence[str] = (),
        action_names: Sequence[str] = (),
        action_bounds: np.ndarray | Sequence[Sequence[float]] | None = None,
    ) -> "Episodes":
        """Episodes from columns; an episode ends where a step is terminated or truncated, and at the last row.

        Without `action_bounds` (the lowest and the highest value of each component) vectors lie in [-1, 1].
        """
        terminations, truncations = np.asarray(terminations, bool), np.asarray(truncations, bool)
        columns = {
            "observations": as_numbers(name, "observations", observations),
            "actions": as_numbers(name, "actions", actions, np.float32 if discrete_actions is None else np.int32),
            "rewards": as_numbers(name, "rewards", np.zeros(terminations.shape) if rewards is None else rewards),
            "terminations": terminations,
            "truncations": truncations,
            "starts": _starts(name, terminations, truncations),
            "final_observations": as_numbers(name, "final_observations", final_observations),
        }
        named = {signal: np.asarray(column) for signal, column in (signals or {}).items()}
        _check_shapes(name, columns, named, discrete_actions)
        choices = columns["actions"].shape[1] if discrete_actions is None else discrete_actions
        return cls(
            **columns,
            signals=named,
            name=name,
            environment=environment,
            discrete_actions=discrete_actions,
            observation_names=_names(name, "observation", observation_names, columns["observations"].shape[1]),
            action_names=_names(name, "action", action_names, choices),
            action_bounds=_bounds(name, action_bounds, choices if discrete_actions is None else 0),
            rewarded=rewards is not None,
        )

    @classmethod
    def from_minari(cls, id_or_path: str | Path) -> "Episodes":
        """A Minari dataset by its id or folder; observations of many parts become columns, infos signals."""
        from sciql.datasets.importing import read_minari

        return read_minari(id_or_path)

    @classmethod
    def from_parquet(cls, path: str | Path, **words: "Unpack[Words]") -> "Episodes":
        """A Parquet file, or a folder of them, of one row a step; the words say which columns mean what."""
        from sciql.datasets.tables import read_table

        return read_table(path, "parquet", words)

    @classmethod
    def from_csv(cls, path: str | Path, **words: "Unpack[Words]") -> "Episodes":
        """The same for CSV."""
        from sciql.datasets.tables import read_table

        return read_table(path, "csv", words)

    @classmethod
    def from_npz(
        cls, path: str | Path, *, name: str | None = None, action_bounds: "Bounds | None" = None
    ) -> "Episodes":
        """An archive of arrays in the layout of D4RL or OGBench."""
        from sciql.datasets.npz import read_arrays

        return read_arrays(path, name, action_bounds)

    @property
    def steps(self) -> int:
        return len(self.rewards)

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Int[np.ndarray, " e"]:
        return np.diff(self.starts)

    @property
    def last_rows(self) -> Int[np.ndarray, " e"]:
        return self.starts[1:] - 1

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        columns = (self.observations, self.actions, self.rewards, self.final_observations, *self.signals.values())
        return sum(column.nbytes for column in columns)

    @cached_property
    def content(self) -> str:
        """sha256 of the columns; what is fitted to the data is filed under it."""
        columns = {
            "observations": self.observations,
            "actions": self.actions,
            "rewards": self.rewards,
            "terminations": self.terminations,
            "truncations": self.truncations,
            "starts": self.starts,
            "final_observations": self.final_observations,
        }
        if (self.action_bounds != UNIT_BOUNDS).any():
            columns["action_bounds"] = self.action_bounds
        return sha256(columns | {f"signal {signal}": column for signal, column in self.signals.items()})

    @cached_property
    def episode_of(self) -> Int[np.ndarray, " n"]:
        """The episode that each row belongs to."""
        return np.repeat(np.arange(self.count, dtype=np.int32), self.lengths)

    def place(self, row: int) -> tuple[int, int]:
        """The episode of a row, and which of its steps the row is."""
        episode = int(np.searchsorted(self.starts, row, side="right")) - 1
        return episode, row - int(self.starts[episode])

    def next_observations(self) -> Float[np.ndarray, "n d"]:
        """The state after each row's step."""
        following = np.empty_like(self.observations)
        following[:-1] = self.observations[1:]
        following[self.last_rows] = self.final_observations
        return following

    def returns(self) -> Float[np.ndarray, " e"]:
        """Sum of rewards of each episode."""
        return np.add.reduceat(self.rewards.astype(np.float64), self.starts[:-1])

    @property
    def columns(self) -> Mapping[str, np.ndarray]:
        """Every column of one number a step by its name: signals first, then observations, actions and the reward."""
        actions = self.actions if self.discrete_actions is None else self.actions[:, None]
        of_actions = self.action_names if self.discrete_actions is None else ("action",)
        others = {
            **({"reward": self.rewards} if self.rewarded else {}),
            **dict(zip(of_actions, actions.T, strict=True)),
            **dict(zip(self.observation_names, self.observations.T, strict=True)),
        }
        return {**self.signals, **{name: column for name, column in others.items() if name not in self.signals}}

    def signal(self, name: str) -> np.ndarray:
        """One named column, or a sentence about which there are."""
        if name not in self.signals:
            known = ", ".join(self.signals) or "no signals at all"
            raise SciqlError(f"{self.name} has no signal {name!r}; it has {known}")
        return self.signals[name]


def as_numbers(source: str, name: str, column: np.ndarray, kind: type[np.generic] = np.float32) -> np.ndarray:
    """A column as numbers of this kind, or a sentence if it holds none or too large ones."""
    array = np.asarray(column)
    if array.dtype.kind not in "biuf":
        raise SciqlError(f"{name} of {source} are of type {array.dtype}; they must be numbers")
    if kind is np.int32 and array.dtype.kind == "f" and not (np.abs(array) < 2**31).all():
        raise SciqlError(f"{name} of {source} are no whole numbers; number the actions to choose from 0 on")
    with np.errstate(over="ignore"):
        return array.astype(kind, copy=False)


def _names(source: str, kind: str, given: Sequence[str], count: int) -> tuple[str, ...]:
    """The names given, or numbered ones."""
    names = tuple(given) or tuple(f"{kind}_{number}" for number in range(count))
    if len(names) != count or len(set(names)) < count:
        raise SciqlError(
            f"{source} has {count} {kind}s and {len(set(names))} different {kind} names; give each a name of its own"
        )
    return names


def _bounds(name: str, given: np.ndarray | Sequence[Sequence[float]] | None, width: int) -> Float[np.ndarray, "2 m"]:
    """Lowest and highest value of each component, as floats of the data's own precision."""
    bounds = np.broadcast_to(UNIT_BOUNDS, (2, width)) if given is None else np.asarray(given, np.float32)
    if bounds.shape != (2, width):
        raise SciqlError(f"action_bounds of {name} have shape {bounds.shape}; {(2, width)} is one row low, one high")
    if not np.isfinite(bounds).all() or (bounds[0] > bounds[1]).any():
        raise SciqlError(f"action_bounds of {name} are {bounds.tolist()}; the low ones must be numbers below the high")
    return bounds


def _starts(
    name: str, terminations: Bool[np.ndarray, " n"], truncations: Bool[np.ndarray, " n"]
) -> Int[np.ndarray, " e_1"]:
    """Where episodes start, by the flags of their ends; the last row ends the last one, flagged or not."""
    if terminations.ndim != 1 or terminations.shape != truncations.shape:
        shapes = f"{terminations.shape} and {truncations.shape}"
        raise SciqlError(f"terminations and truncations of {name} have shapes {shapes}; each must be one flag a step")
    if not len(terminations):
        raise SciqlError(f"{name} has no steps at all; give it at least one episode")
    ends = np.flatnonzero(terminations[:-1] | truncations[:-1]) + 1
    return np.concatenate([[0], ends, [len(terminations)]]).astype(np.int64)


def _check_shapes(
    name: str, columns: Mapping[str, np.ndarray], signals: Mapping[str, np.ndarray], discrete_actions: int | None
) -> None:
    """A sentence about the first column that does not fit the others."""
    steps, episodes = len(columns["terminations"]), len(columns["starts"]) - 1
    # How wide a row is, the column itself says.
    seen = columns["observations"].shape[1:2] or (1,)
    done = (columns["actions"].shape[1:2] or (1,)) if discrete_actions is None else ()
    wanted = {
        "observations": (steps, *seen),
        "actions": (steps, *done),
        "rewards": (steps,),
        "final_observations": (episodes, *seen),
    }
    for column, shape in wanted.items():
        if columns[column].shape != shape:
            raise SciqlError(
                f"{column} of {name} have shape {columns[column].shape}; "
                f"with {steps} steps in {episodes} episodes they must have {shape}"
            )
    for signal, column in signals.items():
        if column.shape != (steps,):
            raise SciqlError(f"signal {signal!r} of {name} has shape {column.shape}; {(steps,)} is one number a step")
