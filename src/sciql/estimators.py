"""Estimators of how much a step looks like a style: chi(s, a, z) of p(z | s, a), T(s, a, z) of log p(z | s, a) / p(z).

All are fitted by one objective, MINE's bound on the mutual information of (s, a) and z; they differ in the activation
that turns the network's output into T.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.descent import begin, descend
from sciql.networks import NetworkSettings, StyleNetwork, pick
from sciql.transitions import Columns, draw_rows

Activation = Literal["mine", "sigmoid", "softmax"]
Estimator = Literal["ind", "mine", "sigmoid", "softmax"]
RAREST = 1e-12  # stands for the share of a label that never occurs, whose logarithm would be infinite


@dataclass(frozen=True)
class EstimatorSettings:
    """One fit of chi or T."""

    activation: Activation = "softmax"
    """mine: T is the output itself; sigmoid and softmax: chi is the activated output."""
    steps: int = 10_000
    """Gradient steps."""
    batch: int = 256
    """Transitions a step."""
    learning_rate: float = 3e-4
    """Adam's step size."""
    drawn: bool = False
    """Draw the labels of the product of marginals instead of summing over all of them."""


class EstimatorData(NamedTuple):
    """What an estimator is fitted to."""

    columns: Columns
    own: Float[Array, "n z"]
    """p_c: the labels as a table of ones and zeros."""
    prior: Float[Array, " z"]
    """p_r(z)."""


class EstimatorState(NamedTuple):
    """Everything a fit of an estimator carries from step to step."""

    net: StyleNetwork
    optimiser: optax.OptState


def init_estimator(
    states: int, actions: int, labels: int, networks: NetworkSettings, settings: EstimatorSettings, key: PRNGKeyArray
) -> EstimatorState:
    net = StyleNetwork(states + actions, labels, 1, networks, key, last_gain=1.0)
    return EstimatorState(net, begin(optax.adam(settings.learning_rate), net))


def information(
    net: StyleNetwork,
    states: Float[Array, "b d"],
    actions: Float[Array, "b m"],
    prior: Float[Array, " z"],
    activation: Activation,
) -> Float[Array, "b z"]:
    """T(s, a, z), the estimate of log p(z | s, a) / p(z), for every label."""
    outputs = net(jnp.concatenate([states, actions], axis=-1))[..., 0]
    if activation == "mine":
        return outputs
    log_chi = jax.nn.log_sigmoid(outputs) if activation == "sigmoid" else jax.nn.log_softmax(outputs, axis=-1)
    return log_chi - jnp.log(jnp.maximum(prior, RAREST))[None]


def chi(t: Float[Array, "b z"], prior: Float[Array, " z"]) -> Float[Array, "b z"]:
    """chi(s, a, z) = p_r(z) exp T(s, a, z)."""
    return jnp.maximum(prior, RAREST)[None] * jnp.exp(t)


def mine_objective(
    t: Float[Array, "b z"], own: Float[Array, "b z"], prior: Float[Array, " z"], z: Int[Array, " b"] | None
) -> Float[Array, ""]:
    """J_MINE: mean T on the joint distribution minus log of mean exp T on the product of marginals.

    `z` holds a drawn label a row for the marginals; with None all labels are summed over.
    """
    joint = (own * t).sum(axis=-1).mean()
    if z is None:
        return joint - jnp.log((prior[None] * jnp.exp(t)).sum(axis=-1).mean())
    return joint - jnp.log(jnp.exp(pick(t, z)).mean())


def estimator_step(
    state: EstimatorState, data: EstimatorData, key: PRNGKeyArray, settings: EstimatorSettings
) -> tuple[EstimatorState, dict[str, Float[Array, ""]]]:
    """One gradient step up the bound."""
    row_key, draw_key = jax.random.split(key)
    rows = draw_rows(data.columns, settings.batch, row_key)
    states, actions, own = data.columns.states[rows], data.columns.actions[rows], data.own[rows]
    z = jax.random.categorical(draw_key, jnp.log(data.prior), shape=(settings.batch,)) if settings.drawn else None

    def loss(net: StyleNetwork) -> Float[Array, ""]:
        t = information(net, states, actions, data.prior, settings.activation)
        return -mine_objective(t, own, data.prior, z)

    value, gradients = jax.value_and_grad(loss)(state.net)
    net, optimiser = descend(optax.adam(settings.learning_rate), state.net, gradients, state.optimiser)
    return EstimatorState(net, optimiser), {"loss": value, "information": -value}


information_table = jax.jit(information, static_argnames="activation")
"""The same, compiled, for whole datasets a part at a time."""
