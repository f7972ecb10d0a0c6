"""Implicit Q-learning, written once and used for the task and for the style.

The task is the case of one label: its reward table has one column, the logged reward, where a criterion of Z styles
has Z columns, the estimate chi of p(z | s, a) minus one.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.descent import begin, descend
from sciql.networks import NetworkSettings, StyleNetwork, pick
from sciql.transitions import Columns, at_rows, draw_rows


@dataclass(frozen=True)
class ValueSettings:
    """One fit of V and Q by expectile regression."""

    steps: int = 20_000
    """Gradient steps."""
    batch: int = 256
    """Transitions a step."""
    learning_rate: float = 1e-3
    """Adam's step size; with `decay` at the start."""
    decay: bool = True
    """Let the step size fall to 0 by a cosine, so that the noise of single steps dies out of the advantages."""
    discount: float = 0.99
    """gamma."""
    expectile: float = 0.7
    """kappa: how far V leans to the best actions in the data."""
    polyak: float = 0.005
    """How fast the target Q follows Q."""
    drawn: bool = False
    """Draw one label a transition instead of summing over all of them."""
    averaged: bool = True
    """Learn (1 - gamma) V, which stays in the range of one reward, instead of V."""
    slow_v: bool = True
    """Judge actions by the slow copy of V as well as of Q, which is less noisy; the paper takes V itself."""


class Values(eqx.Module):
    """V(s, z) and a pair of Q(s, a, z)."""

    v: StyleNetwork
    q: tuple[StyleNetwork, StyleNetwork]


class ValueData(NamedTuple):
    """The transitions, the reward of every label, and p_m: a row a step, or one for all."""

    columns: Columns
    rewards: Float[Array, "n z"]
    proposal: Float[Array, "p z"]


class ValueBatch(NamedTuple):
    """Transitions with the reward of every label; `proposal` is the label distribution of each transition."""

    states: Float[Array, "b d"]
    actions: Float[Array, "b m"]
    next_states: Float[Array, "b d"]
    rewards: Float[Array, "b z"]
    continues: Float[Array, " b"]
    proposal: Float[Array, "b z"]


class ValueState(NamedTuple):
    """Everything a fit of values carries from step to step."""

    values: Values
    slow: Values
    """The values' slow copy."""
    optimiser: optax.OptState


def init_values(
    states: int, actions: int, labels: int, networks: NetworkSettings, settings: ValueSettings, key: PRNGKeyArray
) -> ValueState:
    v_key, *q_keys = jax.random.split(key, 3)
    v = StyleNetwork(states, labels, 1, networks, v_key, layer_norm=True)
    first, second = (StyleNetwork(states + actions, labels, 1, networks, q_key) for q_key in q_keys)
    values = Values(v, (first, second))
    # The slow copy has memory of its own, because the loop overwrites the state in place.
    return ValueState(values, jax.tree.map(jnp.copy, values), begin(value_optimiser(settings), values))


def q_values(
    pair: tuple[StyleNetwork, StyleNetwork],
    states: Float[Array, "b d"],
    actions: Float[Array, "b m"],
    z: Int[Array, " b"] | None = None,
) -> Float[Array, "2 b k"]:
    """Both critics' Q(s, a, z)."""
    inputs = jnp.concatenate([states, actions], axis=-1)
    return jnp.stack([net(inputs, z)[..., 0] for net in pair])


def expectile_loss(error: Float[Array, "*s"], kappa: float) -> Float[Array, "*s"]:
    """l_kappa^2(u) = |kappa - 1{u < 0}| u^2."""
    return jnp.where(error < 0, 1 - kappa, kappa) * error**2


def value_loss(
    values: Values, slow: Values, batch: ValueBatch, z: Int[Array, " b"] | None, settings: ValueSettings
) -> tuple[Float[Array, ""], dict[str, Float[Array, ""]]]:
    """Equations 2 and 3 for the task, 10 and 11 for the style: L_V + L_Q, averaged over transitions and labels."""
    scale = 1 - settings.discount if settings.averaged else 1.0
    weight = batch.proposal if z is None else jnp.ones((batch.states.shape[0], 1))
    v = values.v(batch.states, z)[..., 0]
    v_next = values.v(batch.next_states, z)[..., 0]
    q = q_values(values.q, batch.states, batch.actions, z)
    q_target = q_values(slow.q, batch.states, batch.actions, z).min(axis=0)
    target = scale * pick(batch.rewards, z) + settings.discount * batch.continues[:, None] * v_next
    v_loss = expectile_loss(jax.lax.stop_gradient(q_target) - v, settings.expectile)
    q_loss = ((jax.lax.stop_gradient(target)[None] - q) ** 2).sum(axis=0)
    loss = (weight * (v_loss + q_loss)).sum(axis=-1).mean()
    metrics = {
        "v_loss": (weight * v_loss).sum(-1).mean() / scale**2,
        "q_loss": (weight * q_loss).sum(-1).mean() / scale**2,
        "v": (weight * v).sum(-1).mean() / scale,
    }
    return loss, metrics


def value_optimiser(settings: ValueSettings) -> optax.GradientTransformation:
    rate = settings.learning_rate
    return optax.adam(optax.cosine_decay_schedule(rate, settings.steps) if settings.decay else rate)


def draw_batch(data: ValueData, key: PRNGKeyArray, settings: ValueSettings) -> ValueBatch:
    """Steps drawn uniformly."""
    columns = data.columns
    rows = draw_rows(columns, settings.batch, key)
    return ValueBatch(
        columns.states[rows],
        columns.actions[rows],
        columns.states[columns.following[rows]],
        data.rewards[rows],
        columns.continues[rows],
        at_rows(data.proposal, rows),
    )


def value_step(
    state: ValueState, data: ValueData, key: PRNGKeyArray, settings: ValueSettings
) -> tuple[ValueState, dict[str, Float[Array, ""]]]:
    """One gradient step on V and Q, then one step of the slow copy (algorithm 1)."""
    batch_key, draw_key = jax.random.split(key)
    batch = draw_batch(data, batch_key, settings)
    z = jax.random.categorical(draw_key, jnp.log(batch.proposal)) if settings.drawn else None
    gradients, metrics = jax.grad(value_loss, has_aux=True)(state.values, state.slow, batch, z, settings)
    values, optimiser = descend(value_optimiser(settings), state.values, gradients, state.optimiser)
    slow = jax.tree.map(lambda old, new: old + settings.polyak * (new - old), state.slow, values)
    return ValueState(values, slow, optimiser), metrics


@partial(jax.jit, static_argnames="settings")
def advantages(
    values: Values, states: Float[Array, "b d"], actions: Float[Array, "b m"], settings: ValueSettings
) -> Float[Array, "b z"]:
    """A(s, a, z) = min Q(s, a, z) - V(s, z) for every label, in units of summed rewards."""
    scale = 1 - settings.discount if settings.averaged else 1.0
    q = q_values(values.q, states, actions).min(axis=0)
    return (q - values.v(states)[..., 0]) / scale
