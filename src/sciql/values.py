"""Implicit Q-learning, written once and used for the task and for the style.

The task is the case of one label: its reward table has one column, the logged reward, where a criterion of Z styles has Z
columns, the estimate chi of p(z | s, a) minus one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.networks import NetworkSettings, StyleNetwork, pick


@dataclass(frozen=True)
class ValueSettings:
    """One fit of V and Q by expectile regression."""

    steps: int = 20_000
    """Gradient steps."""
    batch: int = 256
    """Transitions a step."""
    learning_rate: float = 3e-4
    """Adam's step size."""
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
    input_noise: float = 0.0
    """Spread of Gaussian noise on the standardised observations."""


class ValueBatch(NamedTuple):
    """Transitions with the reward of every label; `proposal` is the label distribution of each transition."""

    states: Float[Array, "b d"]
    actions: Float[Array, "b m"]
    next_states: Float[Array, "b d"]
    rewards: Float[Array, "b z"]
    continues: Float[Array, " b"]
    proposal: Float[Array, "b z"]


class Values(eqx.Module):
    """V(s, z), a pair of Q(s, a, z) and the pair's slow copy."""

    v: StyleNetwork
    q: StyleNetwork
    q_target: StyleNetwork

    def __init__(self, states: int, actions: int, labels: int, settings: NetworkSettings, key: PRNGKeyArray, *, last_gain: float = 2**0.5):
        v_key, q_key = jax.random.split(key)
        self.v = StyleNetwork(states, labels, 1, settings, v_key, layer_norm=True, last_gain=last_gain)
        self.q = eqx.filter_vmap(lambda k: StyleNetwork(states + actions, labels, 1, settings, k, last_gain=last_gain))(
            jax.random.split(q_key, 2)
        )
        self.q_target = self.q


def q_values(
    pair: StyleNetwork, states: Float[Array, "b d"], actions: Float[Array, "b m"], z: Int[Array, " b"] | None
) -> Float[Array, "2 b k"]:
    """Both critics' Q(s, a, z)."""
    inputs = jnp.concatenate([states, actions], axis=-1)
    return eqx.filter_vmap(lambda net: net(inputs, z)[..., 0])(pair)


def expectile_loss(error: Float[Array, "*s"], kappa: float) -> Float[Array, "*s"]:
    """l_kappa^2(u) = |kappa - 1{u < 0}| u^2."""
    return jnp.where(error < 0, 1 - kappa, kappa) * error**2


def value_loss(values: Values, batch: ValueBatch, z: Int[Array, " b"] | None, settings: ValueSettings):
    """Equations 2 and 3 for the task, 10 and 11 for the style: L_V + L_Q, averaged over transitions and labels."""
    scale = 1 - settings.discount if settings.averaged else 1.0
    weight = batch.proposal if z is None else jnp.ones((batch.states.shape[0], 1))
    v = values.v(batch.states, z)[..., 0]
    v_next = values.v(batch.next_states, z)[..., 0]
    q = q_values(values.q, batch.states, batch.actions, z)
    q_target = q_values(values.q_target, batch.states, batch.actions, z).min(axis=0)
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


class ValueState(NamedTuple):
    """Everything a fit of values carries from step to step."""

    values: Values
    optimiser: optax.OptState


def value_optimiser(settings: ValueSettings) -> optax.GradientTransformation:
    return optax.adam(settings.learning_rate)


def _trainable(values: Values) -> Values:
    """The same tree with the slow copy taken out."""
    return eqx.tree_at(lambda tree: tree.q_target, values, None)


def init_values(
    states: int, actions: int, labels: int, networks: NetworkSettings, settings: ValueSettings, key: PRNGKeyArray
) -> ValueState:
    values = Values(states, actions, labels, networks, key)
    return ValueState(values, value_optimiser(settings).init(eqx.filter(_trainable(values), eqx.is_array)))


def value_step(state: ValueState, batch: ValueBatch, key: PRNGKeyArray, settings: ValueSettings):
    """One gradient step on V and Q, then one step of the slow copy (algorithm 1)."""
    draw_key, here_key, next_key = jax.random.split(key, 3)
    z = jax.random.categorical(draw_key, jnp.log(batch.proposal)) if settings.drawn else None
    if settings.input_noise > 0:
        batch = batch._replace(
            states=batch.states + settings.input_noise * jax.random.normal(here_key, batch.states.shape),
            next_states=batch.next_states + settings.input_noise * jax.random.normal(next_key, batch.states.shape),
        )
    target = state.values.q_target

    def loss_of(trainable: Values):
        return value_loss(eqx.tree_at(lambda t: t.q_target, trainable, target, is_leaf=_none), batch, z, settings)

    grads, metrics = eqx.filter_grad(loss_of, has_aux=True)(_trainable(state.values))
    updates, optimiser = value_optimiser(settings).update(grads, state.optimiser)
    trained: Values = eqx.apply_updates(_trainable(state.values), updates)
    follow = jax.tree.map(
        lambda slow, fast: (1 - settings.polyak) * slow + settings.polyak * fast if eqx.is_array(slow) else slow,
        target,
        trained.q,
    )
    return ValueState(eqx.tree_at(lambda t: t.q_target, trained, follow, is_leaf=_none), optimiser), metrics


def _none(node: object) -> bool:
    return node is None


@partial(jax.jit, static_argnames="settings")
def advantages(
    values: Values, states: Float[Array, "b d"], actions: Float[Array, "b m"], settings: ValueSettings
) -> Float[Array, "b z"]:
    """A(s, a, z) = min Q(s, a, z) - V(s, z) for every label, in units of summed rewards."""
    scale = 1 - settings.discount if settings.averaged else 1.0
    q = q_values(values.q_target, states, actions, None).min(axis=0)
    return (q - values.v(states)[..., 0]) / scale


Advantage = Callable[[Float[Array, "b d"], Float[Array, "b m"]], Float[Array, "b z"]]
