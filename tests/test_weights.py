"""Every method's weight against the table of methods, written once more for single numbers."""

import math
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
import pytest
from tiny import evidence

from sciql.methods import METHODS, get_method
from sciql.training import weight_of
from sciql.weights import ADVANTAGE_CLIP, awr

BETA = 2.0
P = np.array([[0.5, 0.5], [1.0, 0.0]], np.float32)
CHI = np.array([[0.7, 0.3], [0.2, 0.8]], np.float32)
T = np.array([[0.0, 0.7], [1.1, -0.4]], np.float32)
TASK = np.array([[0.5], [-1.0]], np.float32)
STYLE = np.array([[1.0, -1.0], [0.0, 1.5]], np.float32)
OWN = np.eye(2, dtype=np.float32)
KAPPA = np.array([[0.9, 0.4]], np.float32)
KNOWN = evidence(
    own=OWN, proposal=P, persistence=np.repeat(KAPPA, 2, axis=0), chi=CHI, information=T, task=TASK, style=STYLE
)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


Formula = Callable[[float, float, float, float, float], float]
CLONING: Formula = lambda p, chi, t, task, style: p  # noqa: E731
SORL: Formula = lambda p, chi, t, task, style: chi * math.exp(BETA * task) / 2  # noqa: E731
TABLE: dict[str, Formula] = {
    "bc": CLONING,
    "cbc": CLONING,
    "scbc": CLONING,
    "bcpmi": lambda p, chi, t, task, style: p * math.exp(t),
    "sorl_beta0": SORL,
    "sorl_beta1": SORL,
    "sorl_beta3": SORL,
    "sciql_style": lambda p, chi, t, task, style: p * math.exp(BETA * style),
    "sciql_style_task": lambda p, chi, t, task, style: p * math.exp(BETA * (style + sigmoid(style) * task)),
    "sciql_task_style": lambda p, chi, t, task, style: p * math.exp(BETA * (task + sigmoid(task) * style)),
    "iql": lambda p, chi, t, task, style: p * math.exp(BETA * task),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_weight_is_the_one_of_the_table(name: str) -> None:
    expected = [
        [TABLE[name](*map(float, (P[row, z], CHI[row, z], T[row, z], TASK[row, 0], STYLE[row, z]))) for z in range(2)]
        for row in range(2)
    ]
    np.testing.assert_allclose(weight_of(get_method(name))(KNOWN, BETA), expected, rtol=1e-5)


def beyond(advantage: float) -> float:
    return max(math.exp(BETA * advantage) - 1, 0)


Excess = Callable[[float, float, float, float], float]
EXCESS: dict[str, Excess] = {
    "sciql_style": lambda own, k, task, style: k * own + (1 - k) ** 2 * beyond(style),
    "sciql_style_task": lambda own, k, task, style: (
        k * own * math.exp(BETA * (style + sigmoid(style) * task))
        + (1 - k) ** 2 * beyond(style) * math.exp(BETA * sigmoid(style) * task)
    ),
    "sciql_task_style": lambda own, k, task, style: (
        k * own * math.exp(BETA * task) + (1 - k) ** 2 * beyond(task + sigmoid(task) * style)
    ),
}


@pytest.mark.parametrize("name", EXCESS)
def test_in_excess_a_relabel_weighs_what_the_values_say_beyond_nothing(name: str) -> None:
    def weigh(row: int, z: int) -> float:
        return EXCESS[name](float(OWN[row, z]), float(KAPPA[0, z]), float(TASK[row, 0]), float(STYLE[row, z]))

    expected = [[weigh(row, z) for z in range(2)] for row in range(2)]
    np.testing.assert_allclose(weight_of(get_method(name), "excess")(KNOWN, BETA), expected, rtol=1e-5)


def test_where_the_values_say_nothing_only_the_own_label_is_taught() -> None:
    known = KNOWN._replace(style=jnp.zeros_like(KNOWN.style))
    weight = weight_of(get_method("sciql_style"), "excess")(known, BETA)
    np.testing.assert_allclose(weight, KAPPA * OWN, rtol=1e-6)


def test_advantage_weights_are_clipped_from_above_only() -> None:
    assert awr(jnp.array([10.0, 1.0, -1.0]), 3.0).tolist() == pytest.approx([ADVANTAGE_CLIP, math.e**3, math.e**-3])


def test_a_gate_is_half_open_at_zero_and_open_or_closed_far_from_it() -> None:
    known = evidence(proposal=np.ones((1, 3)), style=np.array([[0.0, 20.0, -20.0]]), task=np.array([[3.0]]))
    weight = weight_of(get_method("sciql_style_task"))(known, 0.1)
    np.testing.assert_allclose(np.log(weight[0]) / 0.1, [1.5, 23.0, -20.0], rtol=1e-5)
