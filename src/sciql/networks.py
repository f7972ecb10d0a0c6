"""Networks of the paper: MLPs that see a label either through one output head a label, or through an embedding.

Every conditioned network answers two questions with one call: `net(x)` gives the output for all labels, shape
[B, Z, out], and `net(x, z)` for one drawn label a row, shape [B, 1, out]. Losses are then written once for the exact
expectation over labels and for the paper's draws.
"""

from dataclasses import dataclass
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

Conditioning = Literal["heads", "embedding"]
RELU_GAIN = 2**0.5


@dataclass(frozen=True)
class NetworkSettings:
    """What all networks of a run share."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers."""
    conditioning: Conditioning = "heads"
    """How a network sees the label: one output head a label, or an embedding beside the input."""
    embedding: int = 16
    """Width of the label embedding."""
    normalise: bool = True
    """Whether observations and actions are standardised by the data."""


@jax.custom_vjp
def affine(x: Float[Array, "b i"], weight: Float[Array, "i o"], bias: Float[Array, " o"]) -> Float[Array, "b o"]:
    """x W + b; on the way back the gradient of b rides in the product that gives that of W, which saves a pass."""
    return x @ weight + bias[None]


def _affine_forward(
    x: Float[Array, "b i"], weight: Float[Array, "i o"], bias: Float[Array, " o"]
) -> tuple[Float[Array, "b o"], tuple[Float[Array, "b i"], Float[Array, "i o"]]]:
    return affine(x, weight, bias), (x, weight)


def _affine_backward(
    kept: tuple[Float[Array, "b i"], Float[Array, "i o"]], gradient: Float[Array, "b o"]
) -> tuple[Float[Array, "b i"], Float[Array, "i o"], Float[Array, " o"]]:
    x, weight = kept
    both = jnp.concatenate([x, jnp.ones((x.shape[0], 1))], axis=1).T @ gradient
    return gradient @ weight.T, both[:-1], both[-1]


affine.defvjp(_affine_forward, _affine_backward)


class Linear(eqx.Module):
    """Dense layer over the last axis, orthogonally initialised."""

    weight: Float[Array, "i o"]
    bias: Float[Array, " o"]

    def __init__(self, inputs: int, outputs: int, key: PRNGKeyArray, gain: float = RELU_GAIN):
        self.weight = jax.nn.initializers.orthogonal(gain)(key, (inputs, outputs), jnp.float32)
        self.bias = jnp.zeros(outputs)

    def __call__(self, x: Float[Array, "b i"]) -> Float[Array, "b o"]:
        return affine(x, self.weight, self.bias)


class LayerNorm(eqx.Module):
    """Layer normalisation over the last axis."""

    weight: Float[Array, " d"]
    bias: Float[Array, " d"]

    def __init__(self, width: int):
        self.weight = jnp.ones(width)
        self.bias = jnp.zeros(width)

    def __call__(self, x: Float[Array, "b d"]) -> Float[Array, "b d"]:
        centred = x - x.mean(-1, keepdims=True)
        spread = jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
        return centred / spread * self.weight[None] + self.bias[None]


class MLP(eqx.Module):
    """ReLU network; `layer_norm` puts a layer normalisation before every activation."""

    layers: tuple[Linear, ...]
    norms: tuple[LayerNorm, ...]

    def __init__(
        self,
        inputs: int,
        outputs: int,
        hidden: tuple[int, ...],
        key: PRNGKeyArray,
        *,
        layer_norm: bool = False,
        last_gain: float = RELU_GAIN,
    ):
        widths = (inputs, *hidden, outputs)
        keys = jax.random.split(key, len(widths) - 1)
        gains = [RELU_GAIN] * len(hidden) + [last_gain]
        self.layers = tuple(
            Linear(i, o, k, gain) for i, o, k, gain in zip(widths[:-1], widths[1:], keys, gains, strict=True)
        )
        self.norms = tuple(LayerNorm(width) for width in hidden) if layer_norm else ()

    def __call__(self, x: Float[Array, "b i"]) -> Float[Array, "b o"]:
        for depth, layer in enumerate(self.layers[:-1]):
            x = layer(x)
            x = jax.nn.relu(self.norms[depth](x) if self.norms else x)
        return self.layers[-1](x)


class StyleNetwork(eqx.Module):
    """An MLP of (x, z): by heads all labels cost one pass, by embedding one pass a label."""

    mlp: MLP
    embedding: Float[Array, "z e"] | None
    labels: int = eqx.field(static=True)
    outputs: int = eqx.field(static=True)

    def __init__(
        self,
        inputs: int,
        labels: int,
        outputs: int,
        settings: NetworkSettings,
        key: PRNGKeyArray,
        *,
        layer_norm: bool = False,
        last_gain: float = RELU_GAIN,
    ):
        mlp_key, embedding_key = jax.random.split(key)
        by_heads = settings.conditioning == "heads"
        self.labels, self.outputs = labels, outputs
        # One label carries no information: such a network is the plain, unconditioned one.
        embedded = not by_heads and labels > 1
        self.embedding = jax.random.normal(embedding_key, (labels, settings.embedding)) if embedded else None
        self.mlp = MLP(
            inputs + (settings.embedding if embedded else 0),
            outputs * (labels if by_heads else 1),
            settings.hidden,
            mlp_key,
            layer_norm=layer_norm,
            last_gain=last_gain,
        )

    def __call__(self, x: Float[Array, "b i"], z: Int[Array, " b"] | None = None) -> Float[Array, "b k o"]:
        if self.embedding is None:
            every = self.mlp(x).reshape(x.shape[0], self.labels, self.outputs)
            return every if z is None else jnp.take_along_axis(every, z[:, None, None], axis=1)
        if z is not None:
            return self.mlp(jnp.concatenate([x, self.embedding[z]], axis=-1))[:, None]
        batch = x.shape[0]
        rows = jnp.repeat(x, self.labels, axis=0)
        codes = jnp.tile(self.embedding, (batch, 1))
        return self.mlp(jnp.concatenate([rows, codes], axis=-1)).reshape(batch, self.labels, self.outputs)


def pick(table: Float[Array, "b z"], z: Int[Array, " b"] | None) -> Float[Array, "b k"]:
    """The columns of a table that belong to the labels in play: all of them, or the drawn one of each row."""
    return table if z is None else jnp.take_along_axis(table, z[:, None], axis=1)
