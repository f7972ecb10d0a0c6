"""Soft actor-critic, as one scan of many updates between short plays.

A step of the simulator costs a hundredth of an update, so four of them are played for each update: what is scarce is
gradient steps, not experience. Three departures from the textbook serve the same end: the critics have layer
normalisation, they learn (1 - gamma) Q, which stays in the range of one reward, and the actor moves at every second
step of the critics.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sciql.archetypes.experience import Transitions
from sciql.descent import begin, descend
from sciql.envs.halfcheetah import posture_of
from sciql.networks import MLP

Reward = Callable[[Array, Array, Array, Array], Array]
LOG_STD = (-5.0, 2.0)
SCALE = np.array([0.1, 0.3, *[0.5] * 6, 5.0, 1.0, 2.0, *[10.0] * 6], np.float32)
"""What the networks divide observations by: the usual size of the cheetah's positions and velocities."""


@dataclass(frozen=True)
class SacSettings:
    """How an archetype is learnt."""

    updates: int = 200_000
    """Gradient steps of the critics at most."""
    batch: int = 256
    """Transitions an update; with experience of others, half of them are theirs."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers."""
    learning_rate: float = 1e-3
    """Adam's step size, of actor, critics and temperature."""
    discount: float = 0.99
    """gamma."""
    polyak: float = 0.005
    """How fast the critics' slow copy follows them."""
    entropy: float = -6.0
    """What the entropy of the actor is held at."""
    temperature: float = 0.01
    """Price of entropy at the start, in units of (1 - gamma) Q."""
    alone: int = 4000
    """First updates in which only the critics learn, when the actor is another's: they have to know the new reward."""
    cheetahs: int = 32
    """Episodes played side by side."""
    played: int = 16
    """Steps of each of them between two scans."""
    scan: int = 128
    """Updates a scan."""
    random: int = 8192
    """First transitions whose actions are drawn uniformly, where there is no experience to begin with."""
    capacity: int = 1_000_000
    """Own transitions kept."""
    enough: float | None = None
    """Stop at this quality, where 1 is what is demanded."""


class Learner(NamedTuple):
    """Everything that learns."""

    actor: MLP
    critics: tuple[MLP, MLP]
    slow: tuple[MLP, MLP]
    log_temperature: Float[Array, ""]
    memories: tuple[optax.OptState, optax.OptState, optax.OptState]
    """What the optimisers of actor, critics and temperature remember."""


def init_learner(observations: int, actions: int, settings: SacSettings, key: PRNGKeyArray) -> Learner:
    actor_key, *critic_keys = jax.random.split(key, 3)
    actor = MLP(observations, 2 * actions, settings.hidden, actor_key, last_gain=0.01)
    first, second = (
        MLP(observations + actions, 1, settings.hidden, critic_key, layer_norm=True, last_gain=1.0)
        for critic_key in critic_keys
    )
    return adopt(actor, (first, second), settings)


def adopt(actor: MLP, critics: tuple[MLP, MLP], settings: SacSettings) -> Learner:
    """A learner that begins with these networks."""
    optimiser, temperature = optax.adam(settings.learning_rate), jnp.float32(np.log(settings.temperature))
    memories = (begin(optimiser, actor), begin(optimiser, critics), begin(optimiser, temperature))
    # The slow copy has memory of its own, because the loop overwrites the learner in place.
    return Learner(actor, critics, jax.tree.map(jnp.copy, critics), temperature, memories)


def sample(
    actor: MLP, observations: Float[Array, "b d"], key: PRNGKeyArray
) -> tuple[Float[Array, "b m"], Float[Array, " b"]]:
    """Actions, and the logarithm of their density."""
    mean, log_std = jnp.split(actor(observations / SCALE[None]), 2, axis=-1)
    log_std = jnp.clip(log_std, *LOG_STD)
    noise = jax.random.normal(key, mean.shape)
    raw = mean + jnp.exp(log_std) * noise
    density = -0.5 * noise**2 - log_std - 0.5 * jnp.log(2 * jnp.pi)
    # log(1 - tanh(x)^2), in a form that does not lose itself far out
    squash = 2 * (jnp.log(2.0) - raw - jax.nn.softplus(-2 * raw))
    return jnp.tanh(raw), (density - squash).sum(-1)


def judge(
    critics: tuple[MLP, MLP], observations: Float[Array, "b d"], actions: Float[Array, "b m"]
) -> Float[Array, "2 b"]:
    inputs = jnp.concatenate([observations / SCALE[None], actions], axis=-1)
    return jnp.stack([critic(inputs)[:, 0] for critic in critics])


def critic_step(
    learner: Learner, batch: Transitions, key: PRNGKeyArray, reward: Reward, settings: SacSettings
) -> tuple[Learner, Float[Array, ""]]:
    """One step of both critics towards the soft value of the state that follows; no episode of a cheetah ends early."""
    following, density = sample(learner.actor, batch.following, key)
    rewards = reward(batch.velocities, *posture_of(batch.following), batch.actions)
    soft = judge(learner.slow, batch.following, following).min(0) - jnp.exp(learner.log_temperature) * density
    target = (1 - settings.discount) * rewards + settings.discount * soft

    def loss(critics: tuple[MLP, MLP]) -> Float[Array, ""]:
        return ((judge(critics, batch.observations, batch.actions) - target[None]) ** 2).mean()

    error, gradients = jax.value_and_grad(loss)(learner.critics)
    optimiser = optax.adam(settings.learning_rate)
    critics, memory = descend(optimiser, learner.critics, gradients, learner.memories[1])
    slow = jax.tree.map(lambda old, new: old + settings.polyak * (new - old), learner.slow, critics)
    memories = (learner.memories[0], memory, learner.memories[2])
    return learner._replace(critics=critics, slow=slow, memories=memories), error


def actor_step(learner: Learner, batch: Transitions, key: PRNGKeyArray, settings: SacSettings) -> Learner:
    """One step of the actor, and of the price of entropy."""
    optimiser = optax.adam(settings.learning_rate)

    def loss(actor: MLP) -> tuple[Float[Array, ""], Float[Array, ""]]:
        actions, density = sample(actor, batch.observations, key)
        value = judge(learner.critics, batch.observations, actions).min(0)
        return (jnp.exp(learner.log_temperature) * density - value).mean(), density.mean()

    gradients, density = jax.grad(loss, has_aux=True)(learner.actor)
    actor, actor_memory = descend(optimiser, learner.actor, gradients, learner.memories[0])
    slope = -(density + settings.entropy)
    temperature, memory = descend(optimiser, learner.log_temperature, slope, learner.memories[2])
    return learner._replace(
        actor=actor, log_temperature=temperature, memories=(actor_memory, learner.memories[1], memory)
    )


@partial(jax.jit, static_argnames=("reward", "settings", "moving"), donate_argnums=0)
def learn(
    learner: Learner,
    rows: Transitions,
    others: Int[Array, ""],
    filled: Int[Array, ""],
    key: PRNGKeyArray,
    *,
    reward: Reward,
    settings: SacSettings,
    moving: bool,
) -> tuple[Learner, Float[Array, ""]]:
    """One scan of updates: `others` rows come from others, then `filled` are one's own."""
    # Where nobody has left anything, the others' half is drawn from one's own rows, which then begin at 0.
    left = jnp.where(others > 0, others, filled)

    def drawn(key: PRNGKeyArray) -> Transitions:
        half, rest = jax.random.split(key)
        size = settings.batch // 2
        chosen = jnp.concatenate(
            [
                jax.random.randint(half, (size,), 0, left),
                others + jax.random.randint(rest, (settings.batch - size,), 0, jnp.maximum(filled, 1)),
            ]
        )
        return jax.tree.map(lambda column: column[chosen], rows)

    def pair(learner: Learner, key: PRNGKeyArray) -> tuple[Learner, Float[Array, ""]]:
        draw_first, draw_second, first, second, third = jax.random.split(key, 5)
        learner, error = critic_step(learner, drawn(draw_first), first, reward, settings)
        batch = drawn(draw_second)
        learner, _ = critic_step(learner, batch, second, reward, settings)
        return actor_step(learner, batch, third, settings) if moving else learner, error

    learner, errors = jax.lax.scan(pair, learner, jax.random.split(key, settings.scan // 2))
    return learner, errors.mean()


@eqx.filter_jit
def explore(actor: MLP, observations: Float[Array, "b d"], key: PRNGKeyArray) -> Float[Array, "b m"]:
    """Actions that are drawn."""
    return sample(actor, observations, key)[0]
