"""Where methods meet: one is another one when its evidence says nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tiny import SIDE, evidence, tiny_episodes, tiny_settings

from sciql.criteria import Criterion
from sciql.fits import Fits
from sciql.methods import METHODS, get_method
from sciql.policy import Policy
from sciql.settings import Mixture, Relabels, Settings
from sciql.training import train, weight_of
from sciql.weights import Evidence

EPISODES = tiny_episodes()
ALONE = Criterion(
    name="tiny/alone", styles=("any",), signals=("side",), function=lambda columns, starts: np.zeros(starts[-1], int)
)
RNG = np.random.default_rng(0)
PROPOSAL = RNG.dirichlet([1, 1, 1], 7).astype(np.float32)
STYLE = RNG.normal(size=(7, 3)).astype(np.float32)
TASK = RNG.normal(size=(7, 1)).astype(np.float32)


def weigh(method: str, known: Evidence, beta: float = 2.0) -> np.ndarray:
    chosen = get_method(method)
    return np.asarray(weight_of(chosen)(known, beta if chosen.beta is None else chosen.beta))


def test_style_only_on_one_label_is_cloning_up_to_a_constant() -> None:
    """With one label every reward is 0, so that all actions are equally good; their common advantage is a constant."""
    alone = evidence(proposal=np.ones((7, 1)), style=np.full((7, 1), 0.3))
    ratio = weigh("sciql_style", alone) / weigh("bc", alone)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-6)


def test_style_advantages_of_one_label_vanish() -> None:
    settings = tiny_settings(steps=800)
    values = replace(settings.style_values, learning_rate=1e-2, discount=0.5, polyak=0.05, batch=64)
    settings = replace(settings, style_values=values)
    known = Fits(EPISODES, ALONE, settings, seed=0).evidence(METHODS["sciql_style"])
    assert float((known.style**2).mean() ** 0.5) < 0.1


def without_advantages(patch: pytest.MonkeyPatch, *columns: str) -> None:
    """Have nothing be better than anything else."""
    whole = Fits.evidence

    def blank(fits: Fits, method: object) -> Evidence:
        known = whole(fits, method)  # pyright: ignore[reportArgumentType]
        return known._replace(**{name: 0 * getattr(known, name) for name in columns})

    patch.setattr(Fits, "evidence", blank)


def policies(one: str, other: str, criterion: Criterion, settings: Settings) -> tuple[Policy, Policy]:
    first, second = (train(method, EPISODES, criterion, settings=settings).policy for method in (one, other))
    return first, second


def same(first: Policy, second: Policy, tolerance: float = 0.0) -> bool:
    pairs = zip((*first.weights, *first.biases), (*second.weights, *second.biases), strict=True)
    return all(np.allclose(one, other, rtol=0, atol=tolerance) for one, other in pairs)


@pytest.mark.parametrize("relabels", ["mixture", "excess"])
def test_style_only_sciql_on_one_label_is_bc(relabels: Relabels, monkeypatch: pytest.MonkeyPatch) -> None:
    without_advantages(monkeypatch, "style")
    pair = policies("sciql_style", "bc", ALONE, tiny_settings(relabels=relabels))
    # In excess, the weight is a constant a little below 1, which is nearly immaterial to Adam.
    assert same(*pair, tolerance=0.0 if relabels == "mixture" else 1e-4)


def test_sciql_of_the_task_alone_is_iql_bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    without_advantages(monkeypatch, "style")
    assert same(*policies("sciql_task_style", "iql", ALONE, tiny_settings(relabels="mixture")))


def test_sciql_of_the_own_label_alone_is_cbc_without_advantages(monkeypatch: pytest.MonkeyPatch) -> None:
    without_advantages(monkeypatch, "style")
    settings = tiny_settings(relabels="mixture", policy_labels=Mixture(c=1.0))
    assert same(*policies("sciql_style", "cbc", SIDE, settings))


@pytest.mark.parametrize(("gated", "plain"), [("sciql_style_task", "style"), ("sciql_task_style", "task")])
def test_a_closed_gate_lets_only_the_first_advantage_through(gated: str, plain: str) -> None:
    known = {"style": STYLE, "task": np.broadcast_to(TASK, STYLE.shape)}
    closed = evidence(proposal=PROPOSAL, **(known | {plain: known[plain] - 20}))
    alone = evidence(proposal=PROPOSAL, style=known[plain] - 20)
    np.testing.assert_allclose(weigh(gated, closed), weigh("sciql_style", alone), rtol=1e-5)


def test_in_excess_a_closed_gate_keeps_the_task_out() -> None:
    own = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2, 0]]
    known = evidence(own=own, persistence=np.full((7, 3), 0.8), style=STYLE - 20, task=TASK)
    weight = weight_of(get_method("sciql_style_task"), "excess")
    np.testing.assert_allclose(weight(known, 2.0), weight(known._replace(task=0 * known.task), 2.0), rtol=1e-5)


def test_style_over_task_without_a_task_is_style_only() -> None:
    known = evidence(proposal=PROPOSAL, style=STYLE, task=0 * TASK)
    np.testing.assert_allclose(weigh("sciql_style_task", known), weigh("sciql_style", known), rtol=1e-6)


def test_sorl_without_temperature_is_cbc_divided_by_the_number_of_labels() -> None:
    own = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2, 0]]
    known = evidence(proposal=own, chi=own)
    np.testing.assert_allclose(weigh("sorl_beta0", known), weigh("cbc", known) / 3, rtol=1e-6)
    # A constant factor of the loss is nearly immaterial to Adam.
    assert same(*policies("sorl_beta0", "cbc", SIDE, tiny_settings(chi="ind")), tolerance=1e-4)


@pytest.mark.parametrize("method", ["cbc", "scbc", "sciql_style", "sciql_style_task"])
def test_weights_of_cloning_and_of_no_advantage_sum_to_one_a_step(method: str) -> None:
    known = evidence(proposal=PROPOSAL, style=0 * STYLE, task=0 * TASK)
    np.testing.assert_allclose(weigh(method, known).sum(axis=1), 1, rtol=1e-5)
