"""The forward pass of a policy in JAX: for StableHLO, and for estimates that ask a policy at every step of a fit."""

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Shaped

from sciql.forward import Outline, forward

Numbers = Mapping[str, Array]


@dataclass(frozen=True)
class JaxOps:
    """The steps of `forward`, done by JAX."""

    numbers: Numbers

    def number(self, name: str) -> Shaped[Array, "i o"]:
        found = jnp.asarray(self.numbers[name])
        return found[None] if found.ndim == 1 else found

    def dense(self, x: Float[Array, "b i"], weight: Float[Array, "i o"], bias: Float[Array, "1 o"]) -> Array:
        return x @ weight + bias

    def relu(self, x: Float[Array, "b i"]) -> Float[Array, "b i"]:
        return jax.nn.relu(x)

    def log(self, x: Float[Array, "b m"]) -> Float[Array, "b m"]:
        return jnp.log(x)

    def beside(self, left: Float[Array, "b i"], right: Float[Array, "b e"]) -> Float[Array, "b _"]:
        return jnp.concatenate([left, right], axis=1)

    def rows(self, table: Shaped[Array, "z m"], index: Int[Array, " b"]) -> Shaped[Array, "b m"]:
        return table[index]

    def group(self, x: Float[Array, "b _"], count: int, index: Int[Array, " b"]) -> Float[Array, "b m"]:
        grouped = x.reshape(x.shape[0], count, x.shape[1] // count)
        return jnp.take_along_axis(grouped, index[:, None, None], axis=1)[:, 0]

    def where(self, mask: Array, x: Float[Array, "b m"]) -> Float[Array, "b m"]:
        return jnp.where(mask, x, 0)

    def bounded(
        self, x: Float[Array, "b m"], low: Float[Array, "1 m"], high: Float[Array, "1 m"]
    ) -> Float[Array, "b m"]:
        return jnp.clip(x, low, high)

    def argmax(self, x: Float[Array, "b m"]) -> Int[Array, " b"]:
        return jnp.argmax(x, axis=1)


def outputs(
    numbers: Numbers,
    plan: Outline,
    observation: Float[Array, "b d"],
    style: Int[Array, " b"],
    noise: Float[Array, "b m"] | None = None,
) -> dict[str, Array]:
    """`forward` on arrays of JAX."""
    return forward(JaxOps(numbers), plan, observation, style, noise)
