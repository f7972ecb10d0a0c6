"""Weighted regression: maximise the sum over data and labels of W(s, a, z) log pi(a | s, z)."""

from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.descent import begin, descend
from sciql.networks import NetworkSettings, StyleNetwork, pick
from sciql.transitions import Columns, at_rows, blurred, draw_rows
from sciql.weights import Evidence, Weight

LOG_STD_RANGE = (-5.0, 2.0)


@dataclass(frozen=True)
class PolicySettings:
    """One regression of a policy."""

    steps: int = 100_000
    """Gradient steps."""
    batch: int = 256
    """Transitions a step."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to 0 by a cosine."""
    drawn: bool = False
    """Draw one label a transition instead of summing over all of them."""
    spread_per_style: bool = True
    """A standard deviation of the actions for each style, or one for all."""
    blur: float = 0.2
    """Spread of the noise on what a state remembers, without which a policy copies its own past."""
    normalise_advantages: bool = False
    """Divide advantages by a moving average of their size."""
    averaging: float = 0.01
    """How fast that average follows."""


@dataclass(frozen=True)
class Regression:
    """A method's regression: the settings that all methods share, and the weight that is its own."""

    settings: PolicySettings
    weight: Weight
    beta: float

    @property
    def steps(self) -> int:
        return self.settings.steps


class Actor(eqx.Module):
    """pi(a | s, z): a Gaussian with a mean per state and style where actions are vectors, else a softmax."""

    net: StyleNetwork
    log_std: Float[Array, "s m"] | None
    """One row, or one a style; None where actions are discrete."""

    def log_prob(
        self, states: Float[Array, "b d"], actions: Float[Array, "b m"], z: Int[Array, " b"] | None
    ) -> Float[Array, "b k"]:
        outputs = self.net(states, z)
        if self.log_std is None:
            return (actions[:, None] * jax.nn.log_softmax(outputs, axis=-1)).sum(-1)
        log_std = jnp.clip(self.log_std, *LOG_STD_RANGE)
        per_row = log_std[None] if z is None or log_std.shape[0] == 1 else log_std[z][:, None]
        error = (actions[:, None] - outputs) * jnp.exp(-per_row)
        return (-0.5 * error**2 - per_row - 0.5 * jnp.log(2 * jnp.pi)).sum(-1)


class PolicyData(NamedTuple):
    """The transitions, and the evidence about each of them; a table of one row holds for all steps."""

    columns: Columns
    evidence: Evidence


class Sizes(NamedTuple):
    """Moving averages of the mean squares of both advantages."""

    task: Float[Array, ""]
    style: Float[Array, ""]


class PolicyState(NamedTuple):
    """Everything a regression carries from step to step."""

    actor: Actor
    optimiser: optax.OptState
    sizes: Sizes


def policy_optimiser(settings: PolicySettings) -> optax.GradientTransformation:
    return optax.adam(optax.cosine_decay_schedule(settings.learning_rate, settings.steps))


def init_policy(
    states: int,
    actions: int,
    labels: int,
    networks: NetworkSettings,
    settings: PolicySettings,
    key: PRNGKeyArray,
    *,
    discrete: bool = False,
) -> PolicyState:
    net = StyleNetwork(states, labels, actions, networks, key, last_gain=0.01)
    spreads = labels if settings.spread_per_style else 1
    actor = Actor(net, None if discrete else jnp.zeros((spreads, actions)))
    return PolicyState(actor, begin(policy_optimiser(settings), actor), Sizes(jnp.float32(1), jnp.float32(1)))


def regression_loss(
    actor: Actor,
    states: Float[Array, "b d"],
    actions: Float[Array, "b m"],
    weights: Float[Array, "b k"],
    z: Int[Array, " b"] | None,
) -> Float[Array, ""]:
    """- sum over z of W(s, a, z) log pi(a | s, z), averaged over the batch; one drawn z a row stands for the sum."""
    return -(weights * actor.log_prob(states, actions, z)).sum(axis=-1).mean()


def policy_step(
    state: PolicyState, data: PolicyData, key: PRNGKeyArray, regression: Regression
) -> tuple[PolicyState, dict[str, Float[Array, ""]]]:
    """One gradient step of the regression."""
    settings = regression.settings
    row_key, draw_key, blur_key = jax.random.split(key, 3)
    rows = draw_rows(data.columns, settings.batch, row_key)
    states = data.columns.states[rows]
    if settings.blur:
        states = blurred(states, settings.blur * data.columns.memory, blur_key)
    actions = data.columns.actions[rows]
    evidence = jax.tree.map(lambda table: at_rows(table, rows), data.evidence)
    sizes = state.sizes
    if settings.normalise_advantages:
        evidence, sizes = normalised(evidence, sizes, settings.averaging)
    z = jax.random.categorical(draw_key, jnp.log(evidence.proposal)) if settings.drawn else None
    weights = drawn_weights(regression, evidence, z)
    loss, gradients = jax.value_and_grad(regression_loss)(state.actor, states, actions, weights, z)
    actor, optimiser = descend(policy_optimiser(settings), state.actor, gradients, state.optimiser)
    metrics = {"loss": loss, "weight": weights.sum(axis=-1).mean()}
    return PolicyState(actor, optimiser, sizes), metrics


def drawn_weights(regression: Regression, evidence: Evidence, z: Int[Array, " b"] | None) -> Float[Array, "b k"]:
    """W for every label; or W / p_m for one that p_m drew, whose mean over draws is the same sum."""
    if z is None:
        return regression.weight(evidence, regression.beta)
    return pick(regression.weight(evidence._replace(proposal=jnp.ones_like(evidence.proposal)), regression.beta), z)


def normalised(evidence: Evidence, sizes: Sizes, rate: float) -> tuple[Evidence, Sizes]:
    """Advantages in units of their own root mean square, which is averaged over the steps so far."""

    def follow(size: Float[Array, ""], advantage: Float[Array, "b k"]) -> Float[Array, ""]:
        return size + rate * ((advantage**2).mean() - size)

    sizes = Sizes(follow(sizes.task, evidence.task), follow(sizes.style, evidence.style))
    task, style = (a / jnp.sqrt(size + 1e-8) for a, size in zip((evidence.task, evidence.style), sizes, strict=True))
    return evidence._replace(task=task, style=style), sizes
