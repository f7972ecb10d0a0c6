"""The paper on one page: every method is the same regression with a different weight W(s, a, z).

    maximise   sum over (s, a) in the data, sum over styles z   W(s, a, z) * log pi(a | s, z)

Each function takes the evidence on a batch of transitions and gives W for every transition and label.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

ADVANTAGE_CLIP = 100.0


class Evidence(NamedTuple):
    """What is known about a batch of transitions; a method reads the columns it needs, and the others hold one 0."""

    own: Float[Array, "b z"]
    """p_c(z | s, a): 1 for the step's own label."""
    proposal: Float[Array, "b z"]
    """p_m(z | s, a): how often each label is asked about."""
    persistence: Float[Array, "b z"]
    """kappa(z): how long a label lasts, as the share of it in the future of the steps that bear it."""
    chi: Float[Array, "b z"]
    """chi(s, a, z), the estimate of p(z | s, a)."""
    information: Float[Array, "b z"]
    """T(s, a, z), the estimate of log p(z | s, a) / p(z)."""
    task: Float[Array, "b 1"]
    """A^r(s, a)."""
    style: Float[Array, "b z"]
    """A^lambda(s, a, z)."""


Weight = Callable[[Evidence, float], Float[Array, "b z"]]
"""From the evidence and the temperature beta to W(s, a, z)."""


def awr(advantage: Float[Array, "*s"], beta: float) -> Float[Array, "*s"]:
    """exp(beta A), clipped: the weight of advantage weighted regression."""
    return jnp.minimum(jnp.exp(beta * advantage), ADVANTAGE_CLIP)


def cloning(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """BC, CBC and SCBC: p_m alone; they differ in what p_m is."""
    return evidence.proposal


def bcpmi(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """BCPMI: p_c exp T(s, a, z)."""
    return evidence.proposal * jnp.exp(evidence.information)


def sorl(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SORL: chi(s, a, z) exp(beta A^r) / number of labels."""
    return evidence.chi * awr(evidence.task, beta) / evidence.chi.shape[-1]


def iql(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """IQL: exp(beta A^r)."""
    return evidence.proposal * awr(evidence.task, beta)


def gated(first: Float[Array, "b _"], second: Float[Array, "b _"]) -> Float[Array, "b _"]:
    """xi(A, B) = A + sigmoid(A) B: the second advantage counts where the first does no harm (equation 14)."""
    return first + jax.nn.sigmoid(first) * second


def style_only(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, style only: p_m exp(beta A^lambda) (equation 12)."""
    return evidence.proposal * awr(evidence.style, beta)


def style_over_task(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, style > task: p_m exp(beta xi(A^lambda, A^r)) (equation 15)."""
    return evidence.proposal * awr(gated(evidence.style, evidence.task), beta)


def task_over_style(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, task > style: p_m exp(beta xi(A^r, A^lambda))."""
    return evidence.proposal * awr(gated(evidence.task, evidence.style), beta)


def style_only_excess(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, style only, as the exact preset weighs it: kappa p_c + (1 - kappa)^2 max(exp(beta A^lambda) - 1, 0).

    A style is imitated as far as imitation goes, which is how long it lasts where it is shown; for the rest the values
    judge every step for every style. A step that they say nothing about (A^lambda = 0) teaches nothing: with a weight
    of 1 the many such steps would teach the policy not to look at z. The square keeps the noise of the values small
    beside imitation where that is all it takes.
    """
    kappa = evidence.persistence
    return kappa * evidence.own + (1 - kappa) ** 2 * excess(evidence.style, beta)


def style_over_task_excess(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, style > task, as the exact preset weighs it: xi(A^lambda, A^r) for imitation, and relabels times
    exp(beta sigmoid(A^lambda) A^r).

    That is the factor by which exp(beta xi) exceeds exp(beta A^lambda): the task chooses among the steps that the style
    teaches and adds none. A step's own label is judged here, as the task would else favour those that leave the style.
    """
    kappa = evidence.persistence
    imitation = evidence.own * awr(gated(evidence.style, evidence.task), beta)
    chosen = excess(evidence.style, beta) * awr(jax.nn.sigmoid(evidence.style) * evidence.task, beta)
    return kappa * imitation + (1 - kappa) ** 2 * jnp.minimum(chosen, ADVANTAGE_CLIP)


def task_over_style_excess(evidence: Evidence, beta: float) -> Float[Array, "b z"]:
    """SCIQL, task > style, as the exact preset weighs it: xi(A^r, A^lambda) in place of A^lambda, A^r for imitation."""
    kappa = evidence.persistence
    imitation = evidence.own * awr(evidence.task, beta)
    return kappa * imitation + (1 - kappa) ** 2 * excess(gated(evidence.task, evidence.style), beta)


def excess(advantage: Float[Array, "b z"], beta: float) -> Float[Array, "b z"]:
    """max(exp(beta A) - 1, 0), clipped: by how much a step is better than no evidence."""
    return jnp.maximum(awr(advantage, beta) - 1, 0)
