"""Rows as a log holds them, and how they become episodes: their order, their ends, and the states after those."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from sciql.datasets.growing import taken
from sciql.datasets.spaces import bounds_of
from sciql.episodes import Episodes
from sciql.errors import SciqlError

Bounds = Float[np.ndarray, "2 m"] | Sequence[float] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class Log:
    """One row a step; what a log does not tell is None."""

    name: str
    observations: Float[np.ndarray, "n d"]
    actions: Float[np.ndarray, "n m"] | Int[np.ndarray, " n"]
    rewards: Float[np.ndarray, " n"] | None = None
    episode: Int[np.ndarray, " n"] | None = None
    """A number of the episode that each row belongs to, in the order in which they appear."""
    order: Shaped[np.ndarray, " n"] | None = None
    """What grows from row to row within an episode."""
    terminations: Bool[np.ndarray, " n"] | None = None
    truncations: Bool[np.ndarray, " n"] | None = None
    final: Bool[np.ndarray, " n"] | None = None
    """Rows that, as the last of their episode, hold nothing but the state after its last step."""
    next_observations: Float[np.ndarray, "n d"] | None = None
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)
    observation_names: Sequence[str] = ()
    action_names: Sequence[str] = ()
    discrete_actions: int | None = None
    on_disk: bool = False
    """Whether the columns lie on the disk, and new ones must."""

    @property
    def rows(self) -> int:
        return len(self.observations)

    def at(self, rows: Int[np.ndarray, " r"]) -> "Log":
        """Only these rows, in their order."""
        columns = {
            name: taken(column, rows, on_disk=self.on_disk)
            for name in _COLUMNS
            if (column := getattr(self, name)) is not None
        }
        signals = {name: taken(column, rows, on_disk=self.on_disk) for name, column in self.signals.items()}
        return replace(self, **columns, signals=signals)


_COLUMNS = (
    "observations",
    "actions",
    "rewards",
    "episode",
    "order",
    "terminations",
    "truncations",
    "final",
    "next_observations",
)


def to_episodes(log: Log, action_bounds: Bounds | None = None) -> Episodes:
    """The episodes of a log, or a sentence about why there are none.

    Where neither a row of its own nor `next_observations` tells the state after an episode's last step, the last one
    seen stands for it: nothing is learnt from it.
    """
    if not log.rows:
        raise SciqlError(f"{log.name} has no rows; a log has one row a step")
    log = _in_order(log)
    last = _last_of_episodes(log)
    final = np.zeros(log.rows, bool) if log.final is None else last & log.final
    ends = (last & ~final) | np.append(final[1:], False)
    if final.any():
        _require_steps(log.name, last, final)
    terminations, truncations = _flags(log, last, final, ends)
    end_rows = np.flatnonzero(ends)
    final_rows = np.minimum(end_rows + final[np.minimum(end_rows + 1, log.rows - 1)], log.rows - 1)
    after = log.observations[final_rows]
    if log.next_observations is not None:
        if log.next_observations.shape[1:] != log.observations.shape[1:]:
            raise SciqlError(
                f"next_observations of {log.name} have {log.next_observations.shape[1]} columns, observations "
                f"{log.observations.shape[1]}; name as many, or leave them out"
            )
        after = np.where(final[final_rows, None], after, log.next_observations[end_rows])
    if log.discrete_actions is not None and ((log.actions < 0) & ~final).any():
        row = int(np.argmax((log.actions < 0) & ~final))
        raise SciqlError(f"row {row} of {log.name} has no action, and is not the last of its episode; fill it in")
    if final.any():
        steps = np.flatnonzero(~final)
        log, terminations, truncations = log.at(steps), terminations[steps], truncations[steps]
    return Episodes.from_arrays(
        observations=log.observations,
        actions=log.actions,
        rewards=log.rewards,
        terminations=terminations,
        truncations=truncations,
        final_observations=after,
        signals=log.signals,
        name=log.name,
        discrete_actions=log.discrete_actions,
        observation_names=log.observation_names,
        action_names=log.action_names,
        action_bounds=_bounds(log, action_bounds),
    )


def _in_order(log: Log) -> Log:
    """Every episode's rows together and, where the log tells their order, in it."""
    if log.order is not None and not np.isfinite(log.order).all():
        row = int(np.argmin(np.isfinite(log.order)))
        raise SciqlError(f"the step numbers of {log.name} are not all numbers: row {row} has {log.order[row]}; mend it")
    if log.episode is None:
        return log
    # Episodes are numbered as they appear: where the number falls, an earlier one goes on.
    together = bool((np.diff(log.episode) >= 0).all())
    if log.order is None:
        return log if together else log.at(np.argsort(log.episode, kind="stable"))
    if together and not (np.diff(log.order) <= 0)[np.diff(log.episode) == 0].any():
        return log
    rows = np.lexsort((log.order, log.episode))
    steps, episodes = log.order[rows], log.episode[rows]
    same = np.flatnonzero((np.diff(steps) == 0) & (np.diff(episodes) == 0))
    if len(same):
        raise SciqlError(
            f"episode {episodes[same[0]]} of {log.name} has step {steps[same[0]]:g} twice; "
            "remove one of the rows, or number the steps anew"
        )
    return log.at(rows)


def _changes(numbers: Shaped[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Where another number begins, the first row included."""
    return np.concatenate([[True], numbers[1:] != numbers[:-1]])


def _last_of_episodes(log: Log) -> Bool[np.ndarray, " n"]:
    """The last row of each episode: by its number, else by the flags, else where the order begins anew."""
    alone = None if log.final is None or not log.final.any() else log.final
    flags = [flag for flag in (log.terminations, log.truncations, alone) if flag is not None]
    if log.episode is not None:
        ends = _changes(log.episode)[1:]
    elif flags:
        ends = np.any(flags, axis=0)[:-1]
    elif log.order is not None:
        ends = np.diff(log.order) <= 0
    else:
        raise SciqlError(
            f"nothing tells where the episodes of {log.name} end; name its column of episode numbers, "
            "or one that flags their last steps"
        )
    return np.append(ends, True)


def _require_steps(name: str, last: Bool[np.ndarray, " n"], final: Bool[np.ndarray, " n"]) -> None:
    """A sentence about an episode of which there is but the state at its end."""
    first = np.concatenate([[True], last[:-1]])
    empty = np.flatnonzero(first & final)
    if len(empty):
        raise SciqlError(f"episode {last[: empty[0]].sum()} of {name} has no steps with an action; remove it")


def _flags(
    log: Log, last: Bool[np.ndarray, " n"], final: Bool[np.ndarray, " n"], ends: Bool[np.ndarray, " n"]
) -> tuple[Bool[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Terminations and truncations, on the last step of each episode and nowhere else; an end without a flag is cut."""
    moved = []
    for flag in (log.terminations, log.truncations):
        given = np.zeros(log.rows, bool) if flag is None else flag
        early = np.flatnonzero(given & ~last & ~ends)
        if len(early):
            raise SciqlError(
                f"episode {last[: early[0]].sum()} of {log.name} is flagged as ended before its last step, "
                f"in row {early[0]}; split it there, or name no column of flags"
            )
        moved.append(ends & (given | np.append((given & final)[1:], False)))
    terminations, truncations = moved
    return terminations, truncations | (ends & ~terminations)


def _bounds(log: Log, given: Bounds | None) -> Float[np.ndarray, "2 m"] | None:
    """Bounds as given, for each component or for all at once, else those of the data."""
    if log.discrete_actions is not None:
        if given is not None:
            raise SciqlError(f"the actions of {log.name} are choices, which have no bounds; leave them out")
        return None
    if given is None:
        return bounds_of(log.actions)
    bounds, width = np.asarray(given, np.float32), log.actions.shape[1]
    if bounds.ndim == 1 and bounds.size in (2, 2 * width):
        bounds = bounds.reshape(-1, 2).T
    return np.broadcast_to(bounds, (2, width)).copy() if bounds.shape == (2, 1) else bounds
