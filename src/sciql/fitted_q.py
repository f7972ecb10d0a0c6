"""Fitted-Q evaluation: what a policy would show and earn, estimated from logs alone.

For every style z, Q(s, a, z) is the discounted future of a policy that is asked for z after the action a: the share of
steps that show z, and the reward. The fit looks ahead by the policy's own actions,

    Q(s, a, z)  <-  (1 - gamma) r(s, a, z) + gamma Q(s', pi(s', z), z)

so that no action of the logs is taken for one of the policy's, and both futures of all styles share one network.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.descent import begin, descend
from sciql.forward import Outline
from sciql.forward_jax import Numbers, outputs
from sciql.networks import NetworkSettings, StyleNetwork
from sciql.transitions import Columns, draw_rows

FUTURES = 2  # of each style: how much of it shows, and the reward


@dataclass(frozen=True)
class FittedQSettings:
    """One fitted-Q evaluation."""

    steps: int = 2_000
    """Gradient steps."""
    batch: int = 64
    """Transitions a step; each of them is asked about every style."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to 0 by a cosine."""
    discount: float = 0.99
    """gamma: how far ahead the estimate looks."""
    polyak: float = 0.3
    """How fast the target Q follows Q; slowly, an estimate would still owe much to where it began."""
    networks: NetworkSettings = field(default_factory=lambda: NetworkSettings(hidden=(128, 128)))
    """Of Q; its label conditioning is by heads."""


@dataclass(frozen=True)
class FittedQ:
    """The settings, and the policy that is asked."""

    settings: FittedQSettings
    plan: Outline

    @property
    def steps(self) -> int:
        return self.settings.steps


class Asked(NamedTuple):
    """A policy's numbers, and the maps from the data's standardised columns to its units and back."""

    numbers: Numbers
    state_mean: Float[Array, "1 d"]
    state_scale: Float[Array, "1 d"]
    action_mean: Float[Array, "1 m"]
    """Of actions in the data's own units."""
    action_scale: Float[Array, "1 m"]


class FittedQData(NamedTuple):
    """The transitions; what each step shows and earns, both in 0 to 1; the policy."""

    columns: Columns
    continues: Float[Array, " n"]
    """0 where an episode was terminated; one that was only cut short goes on beyond its last step."""
    shown: Float[Array, "n z"]
    earned: Float[Array, " n"]
    asked: Asked


class FittedQState(NamedTuple):
    """Everything a fit carries from step to step."""

    q: StyleNetwork
    slow: StyleNetwork
    optimiser: optax.OptState


def fitted_q_optimiser(settings: FittedQSettings) -> optax.GradientTransformation:
    return optax.adam(optax.cosine_decay_schedule(settings.learning_rate, settings.steps))


def init_fitted_q(states: int, actions: int, labels: int, settings: FittedQSettings, key: PRNGKeyArray) -> FittedQState:
    q = StyleNetwork(states + actions, labels, FUTURES, settings.networks, key, layer_norm=True, last_gain=0.01)
    return FittedQState(q, jax.tree.map(jnp.copy, q), begin(fitted_q_optimiser(settings), q))


def future(
    q: StyleNetwork, asked: Asked, plan: Outline, states: Float[Array, "b d"], key: PRNGKeyArray
) -> Float[Array, "b z f"]:
    """Q(s, pi(s, z), z) of both futures, for every style."""
    rows = jnp.repeat(states, q.labels, axis=0)
    z = jnp.tile(jnp.arange(q.labels), states.shape[0])
    said = q(jnp.concatenate([rows, policy_actions(asked, plan, rows, z, key)], axis=-1), z)
    return said.reshape(states.shape[0], q.labels, FUTURES)


def policy_actions(
    asked: Asked, plan: Outline, states: Float[Array, "b d"], z: Int[Array, " b"], key: PRNGKeyArray
) -> Float[Array, "b m"]:
    """What the policy does in these states, as the data's columns have it."""
    noise = jax.random.normal(key, (states.shape[0], asked.action_mean.shape[1])) if plan.draws else None
    said = outputs(asked.numbers, plan, states * asked.state_scale + asked.state_mean, z, noise)
    if plan.discrete:
        return jax.nn.one_hot(said["action"], asked.action_mean.shape[1])
    return (said["action"] - asked.action_mean) / asked.action_scale


def fitted_q_step(
    state: FittedQState, data: FittedQData, key: PRNGKeyArray, fitted: FittedQ
) -> tuple[FittedQState, dict[str, Float[Array, ""]]]:
    """One gradient step towards the target, then one step of the slow copy."""
    settings = fitted.settings
    row_key, noise_key = jax.random.split(key)
    rows = draw_rows(data.columns, settings.batch, row_key)
    columns = data.columns
    later = future(state.slow, data.asked, fitted.plan, columns.states[columns.following[rows]], noise_key)
    earned = jnp.broadcast_to(data.earned[rows][:, None], later.shape[:2])
    now = jnp.stack([data.shown[rows], earned], axis=-1)
    gamma = settings.discount
    target = (1 - gamma) * now + gamma * data.continues[rows][:, None, None] * later
    # No future is worse than showing it never or better than showing it always.
    target = jax.lax.stop_gradient(jnp.clip(target, 0, 1))
    inputs = jnp.concatenate([columns.states[rows], columns.actions[rows]], axis=-1)

    def loss(q: StyleNetwork) -> Float[Array, ""]:
        return ((q(inputs) - target) ** 2).mean()

    value, gradients = jax.value_and_grad(loss)(state.q)
    q, optimiser = descend(fitted_q_optimiser(settings), state.q, gradients, state.optimiser)
    slow = jax.tree.map(lambda old, new: old + settings.polyak * (new - old), state.slow, q)
    return FittedQState(q, slow, optimiser), {
        "loss": value,
        "shown": later[..., 0].mean(),
        "earned": later[..., 1].mean(),
    }


@partial(jax.jit, static_argnames="plan")
def expected(
    q: StyleNetwork, asked: Asked, plan: Outline, states: Float[Array, "b d"], key: PRNGKeyArray
) -> Float[Array, "z f"]:
    """Both futures of every style, averaged over the states that episodes start from."""
    return jnp.clip(future(q, asked, plan, states, key), 0, 1).mean(axis=0)
