"""Which components of an action are drawn: those whose spread tells the styles apart."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sciql.drawing import told_by_spread
from sciql.networks import NetworkSettings
from sciql.regression import Actor, PolicySettings, init_policy

STATES = jnp.zeros((10, 3))
STYLES = np.array([0, 1])


def actor(means: list[list[float]], spreads: list[list[float]]) -> Actor:
    """Two styles and two components of an action, with these means in every state."""
    made = init_policy(3, 2, 2, NetworkSettings(hidden=(4,)), PolicySettings(), jax.random.key(0)).actor
    net = eqx.tree_at(
        lambda net: (net.mlp.layers[-1].weight, net.mlp.layers[-1].bias),
        made.net,
        (jnp.zeros((4, 4)), jnp.array(means, jnp.float32).ravel()),
    )
    return Actor(net, jnp.log(jnp.array(spreads, jnp.float32)))


@pytest.mark.parametrize(
    ("means", "spreads", "drawn"),
    [
        ([[0, 0], [0, 0]], [[0.1, 0.5], [1.0, 0.5]], [True, False]),
        ([[-1, 0], [1, 0]], [[0.3, 0.5], [0.3, 0.5]], [False, False]),
        ([[-2, 0], [2, 0]], [[0.5, 0.5], [0.8, 0.5]], [False, False]),
        ([[-0.2, 3], [0.2, -3]], [[0.1, 0.5], [1.0, 1.0]], [True, False]),
    ],
)
def test_a_component_is_drawn_where_spreads_say_more_than_means(
    means: list[list[float]], spreads: list[list[float]], drawn: list[bool]
) -> None:
    assert told_by_spread(actor(means, spreads), STATES, STYLES, np.random.default_rng(0)).tolist() == drawn


def test_spreads_that_are_nearly_alike_are_not_drawn() -> None:
    nearly = actor([[0, 0], [0, 0]], [[0.5, 0.5], [0.55, 0.5]])
    assert not told_by_spread(nearly, STATES, STYLES, np.random.default_rng(0)).any()


def test_one_style_alone_is_never_drawn() -> None:
    one = actor([[0, 0], [0, 0]], [[0.1, 0.1], [1.0, 1.0]])
    assert not told_by_spread(one, STATES, STYLES[:1], np.random.default_rng(0)).any()
