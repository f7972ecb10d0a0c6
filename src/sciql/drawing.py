"""Whether a style shows in what an action is on average, or in how much it varies: the mean is played, or a draw."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from sciql.regression import LOG_STD_RANGE, Actor

LEAST = 0.1
"""Nats below which spreads count as alike."""
ROWS = 4096


def told_by_spread(
    actor: Actor, states: Float[Array, "n d"], styles: Int[np.ndarray, " k"], rng: np.random.Generator
) -> Bool[np.ndarray, " m"]:
    """The components of an action whose spread tells the styles apart better than their mean does.

    Both are the Kullback-Leibler divergence from one style's Gaussian to another's, averaged over pairs of styles and
    over states of the data: `by_mean` as if they differed in their means alone and shared one spread, `by_spread` as if
    they differed in their spreads alone.
    """
    if actor.log_std is None or actor.log_std.shape[0] == 1 or len(styles) < 2:
        return np.zeros(actor.net.outputs, bool)
    rows = states[jnp.asarray(rng.integers(0, len(states), ROWS))]
    means = np.asarray(actor.net(rows))[:, styles]
    log_std = np.clip(np.asarray(actor.log_std), *LOG_STD_RANGE)[styles]
    gap = ((means[:, :, None] - means[:, None, :]) ** 2).mean(axis=0)
    pairs = ~np.eye(len(styles), dtype=bool)
    by_mean = gap[pairs].mean(axis=0) / (2 * np.exp(2 * log_std).mean(axis=0))
    ratio = log_std[:, None] - log_std[None]
    by_spread = (np.exp(2 * ratio) / 2 - ratio - 0.5)[pairs].mean(axis=0)
    return (by_spread > by_mean) & (by_spread > LEAST)
