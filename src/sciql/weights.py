"""The paper on one page: every method is the same regression with a different weight W(s, a, z).

    maximise   sum over (s, a) in the data, sum over styles z   W(s, a, z) * log pi(a | s, z)

Each function takes the evidence on a batch of transitions and gives W for every transition and label.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

ADVANTAGE_CLIP = 100.0


class Evidence(NamedTuple):
    """What the data says about a batch of transitions; a method reads the columns it needs."""

    own: Float[Array, "b z"]
    """p_c: one-hot table of the steps' own labels."""
    proposal: Float[Array, "b z"]
    """p_m: the label distribution of the method."""
    chi: Float[Array, "b z"]
    """chi(s, a, z), the estimate of p(z | s, a)."""
    information: Float[Array, "b z"]
    """T(s, a, z), the estimate of log p(z | s, a) / p(z)."""
    task_advantage: Float[Array, "b 1"]
    """A^r(s, a)."""
    style_advantage: Float[Array, "b z"]
    """A^lambda(s, a, z)."""


Weight = Callable[[Evidence], Float[Array, "b z"]]
