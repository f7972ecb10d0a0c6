"""Episodes as the networks see them: standardised columns on the device, and the reward of every label."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from sciql.episodes import Episodes
from sciql.networks import NetworkSettings
from sciql.normaliser import Normaliser

BYTES_MEAN, BYTES_SPREAD = 4 * 127.5, (4 * (256**2 - 1) / 12) ** 0.5  # of the sum of four random bytes
ROWS_COMPARED = 10_000  # of the data, to find the columns that remember
ACTION_MARGIN = 1e-5  # actions are kept this far from their bounds, as in the paper


class Columns(NamedTuple):
    """A dataset on the device. A state and the one after it are two rows of `states`."""

    states: Float[Array, "n_e d"]
    """Standardised observations, then the final observation of each episode."""
    following: Int[Array, " n"]
    """Row of the state after each step."""
    actions: Float[Array, "n m"]
    """Standardised actions, or one column of ones and zeros an action where they are discrete."""
    continues: Float[Array, " n"]
    """0 at the last step of an episode, which bootstraps nothing, else 1."""
    memory: Float[Array, " d"]
    """1 for a column of the state that only remembers what another column was a step before, else 0."""


@dataclass(frozen=True)
class Transitions:
    """The columns, and how they came from the episodes."""

    columns: Columns
    observations: Normaliser
    actions: Normaliser
    discrete: bool

    @property
    def steps(self) -> int:
        return self.columns.actions.shape[0]

    @property
    def state_size(self) -> int:
        return self.columns.states.shape[1]

    @property
    def action_size(self) -> int:
        return self.columns.actions.shape[1]

    @property
    def remembers(self) -> bool:
        """Whether a state holds some of its own past."""
        return bool(self.columns.memory.any())


def transitions(episodes: Episodes, settings: NetworkSettings) -> Transitions:
    """Episodes on the device, standardised if the settings say so."""
    observations, actions = episodes.observations, episodes.actions
    discrete = episodes.discrete_actions is not None
    if episodes.discrete_actions is not None:
        actions = np.eye(episodes.discrete_actions, dtype=np.float32)[actions]
    else:
        within = Normaliser.between(episodes.action_bounds)(actions)
        actions = np.clip(within, -1 + ACTION_MARGIN, 1 - ACTION_MARGIN)
    of_states = Normaliser.of(observations) if settings.normalise else Normaliser.identity(observations.shape[1])
    plain_actions = discrete or not settings.normalise
    of_actions = Normaliser.identity(actions.shape[1]) if plain_actions else Normaliser.of(actions)
    following = np.arange(1, episodes.steps + 1, dtype=np.int32)
    following[episodes.last_rows] = episodes.steps + np.arange(episodes.count)
    continues = np.ones(episodes.steps, np.float32)
    continues[episodes.last_rows] = 0
    columns = Columns(
        states=jnp.asarray(of_states(np.concatenate([observations, episodes.final_observations]))),
        following=jnp.asarray(following),
        actions=jnp.asarray(of_actions(actions)),
        continues=jnp.asarray(continues),
        memory=jnp.asarray(remembering(episodes), jnp.float32),
    )
    return Transitions(columns, of_states, of_actions, discrete)


def remembering(episodes: Episodes) -> Bool[np.ndarray, " d"]:
    """The columns of stacked frames: each holds exactly what another one held a step before."""
    inside = np.ones(episodes.steps, bool)
    inside[episodes.last_rows] = False
    rows = np.flatnonzero(inside)[:ROWS_COMPARED]
    before, after = episodes.observations[rows].T, episodes.observations[rows + 1].T
    # A column that never changes within an episode, such as a goal, remembers nothing.
    moving = (before != after).any(axis=1)
    held = {column.tobytes() for column in before[moving]}
    return np.array([moves and column.tobytes() in held for moves, column in zip(moving, after, strict=True)])


def blurred(states: Float[Array, "b d"], spread: Float[Array, " d"], key: PRNGKeyArray) -> Float[Array, "b d"]:
    """Standardised states seen through noise of this spread, a number a column.

    A sum of the four bytes of a random word is as good as Gaussian here, and a tenth of the work.
    """
    word = jax.random.bits(key, states.shape, jnp.uint32)
    total = jnp.stack([(word >> shift) & 0xFF for shift in (0, 8, 16, 24)]).sum(axis=0)
    return states + spread[None] * (total.astype(jnp.float32) - BYTES_MEAN) / BYTES_SPREAD


def draw_rows(columns: Columns, count: int, key: PRNGKeyArray) -> Int[Array, " b"]:
    """Steps drawn uniformly from the data."""
    return jax.random.randint(key, (count,), 0, columns.actions.shape[0])


def at_rows(table: Float[Array, "n z"], rows: Int[Array, " b"]) -> Float[Array, "b z"]:
    """Rows of a table; a table of one row holds for all steps."""
    return table[rows] if table.shape[0] > 1 else jnp.broadcast_to(table, (rows.shape[0], table.shape[1]))
