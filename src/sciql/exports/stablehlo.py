"""A policy as StableHLO: a function of JAX, compiled nowhere yet, that needs nothing of sciql to be called."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import export as jax_export

from sciql.forward import numbers, outline
from sciql.forward_jax import outputs
from sciql.policy import Policy

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


def stablehlo_bytes(policy: Policy) -> bytes:
    """What `jax.export.deserialize` reads: (observation, style, and noise if it draws) to named outputs."""
    plan, held = outline(policy), {name: jnp.asarray(array) for name, array in numbers(policy).items()}
    (batch,) = jax_export.symbolic_shape("batch")
    seen, done = len(policy.observations.mean), len(policy.actions.mean)
    inputs = [jax.ShapeDtypeStruct((batch, seen), jnp.float32), jax.ShapeDtypeStruct((batch,), jnp.int32)]
    inputs += [jax.ShapeDtypeStruct((batch, done), jnp.float32)] if plan.draws else []
    policy_function = jax.jit(partial(outputs, held, plan))
    return bytes(jax_export.export(policy_function, platforms=PLATFORMS)(*inputs).serialize())
