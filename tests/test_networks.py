"""Networks answer for all labels and for a drawn one alike; normalisers are affine."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sciql.networks import Conditioning, NetworkSettings, StyleNetwork, pick
from sciql.normaliser import Normaliser

STATES = jax.random.normal(jax.random.key(1), (5, 3))
DRAWN = jnp.array([0, 3, 1, 2, 3])


def network(conditioning: Conditioning, labels: int, *, layer_norm: bool = False) -> StyleNetwork:
    settings = NetworkSettings(hidden=(8, 8), conditioning=conditioning, embedding=4)
    return StyleNetwork(3, labels, 2, settings, jax.random.key(0), layer_norm=layer_norm)


@pytest.mark.parametrize("conditioning", ["heads", "embedding"])
@pytest.mark.parametrize("layer_norm", [False, True])
def test_a_drawn_label_gets_its_row_of_all_labels(conditioning: Conditioning, layer_norm: bool) -> None:
    net = network(conditioning, 4, layer_norm=layer_norm)
    every, one = net(STATES), net(STATES, DRAWN)
    assert every.shape == (5, 4, 2)
    np.testing.assert_allclose(one[:, 0], every[jnp.arange(5), DRAWN], rtol=1e-5, atol=1e-6)


def test_one_label_needs_no_embedding_and_gives_the_plain_network() -> None:
    heads, embedding = network("heads", 1), network("embedding", 1)
    assert embedding.embedding is None
    np.testing.assert_array_equal(heads(STATES), embedding(STATES))


def test_layers_begin_orthogonal() -> None:
    layer = network("heads", 1).mlp.layers[1].weight
    np.testing.assert_allclose(layer.T @ layer, 2 * np.eye(8), atol=1e-5)


def test_layer_norm_makes_the_scale_of_the_input_immaterial() -> None:
    net = network("heads", 2, layer_norm=True)
    np.testing.assert_allclose(net(1000 * STATES), net(100 * STATES), rtol=1e-3, atol=1e-4)


def test_pick_takes_all_columns_or_the_drawn_ones() -> None:
    table = jnp.arange(20.0).reshape(5, 4)
    assert pick(table, None) is table
    assert pick(table, DRAWN).tolist() == [[0], [7], [9], [14], [19]]


@given(arrays.arrays(np.float32, (6, 2), elements=st.floats(-1e3, 1e3, width=32)))
def test_a_normaliser_standardises_and_its_inverse_undoes_it(columns: np.ndarray) -> None:
    normaliser = Normaliser.of(columns)
    standard = normaliser(columns)
    assert np.isfinite(standard).all()
    np.testing.assert_allclose(standard.mean(axis=0), 0, atol=1e-2)
    np.testing.assert_allclose(normaliser.invert(standard), columns, atol=1e-3, rtol=1e-5)


def test_a_constant_column_is_only_shifted() -> None:
    assert Normaliser.of(np.full((3, 1), 7, np.float32))(np.array([[8.0]])).tolist() == [[1.0]]
