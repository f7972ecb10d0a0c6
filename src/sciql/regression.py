"""Weighted regression: maximise the sum over data and labels of W(s, a, z) log pi(a | s, z)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from sciql.networks import NetworkSettings, StyleNetwork, pick

LOG_STD_RANGE = (-5.0, 2.0)


class GaussianActor(eqx.Module):
    """pi(a | s, z) for continuous actions: a mean per state and style, a spread per style."""

    net: StyleNetwork
    log_std: Float[Array, "z m"]

    def __init__(self, states: int, actions: int, labels: int, spreads: int, settings: NetworkSettings, key):
        self.net = StyleNetwork(states, labels, actions, settings, key, last_gain=0.01)
        self.log_std = jnp.zeros((spreads, actions))

    def spread(self) -> Float[Array, "z m"]:
        return jnp.exp(jnp.clip(self.log_std, *LOG_STD_RANGE))

    def log_prob(self, states, actions, z=None) -> Float[Array, "b k"]:
        mean = self.net(states, z)
        every = jnp.broadcast_to(jnp.clip(self.log_std, *LOG_STD_RANGE), (self.net.labels, actions.shape[-1]))
        log_std = every[None] if z is None else every[z][:, None]
        error = (actions[:, None] - mean) * jnp.exp(-log_std)
        return (-0.5 * error**2 - log_std - 0.5 * jnp.log(2 * jnp.pi)).sum(-1)
