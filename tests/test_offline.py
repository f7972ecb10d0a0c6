"""Judging by logs alone: densities, agreement, and fitted Q on problems whose answers are known."""

import json
from dataclasses import replace

import numpy as np
import pytest
from test_policy import FACTS
from tiny import SIDE, Case, from_steps, tiny_episodes

from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.fitted_q import FittedQSettings
from sciql.imitation import imitation, log_density
from sciql.networks import NetworkSettings
from sciql.normaliser import Normaliser
from sciql.offline import evaluate_offline
from sciql.policy import Policy

QUICK = FittedQSettings(steps=5, batch=8, networks=NetworkSettings(hidden=(8,)))
EXACT = FittedQSettings(
    steps=600, batch=64, learning_rate=1e-2, discount=0.8, polyak=0.3, networks=NetworkSettings(hidden=(16,))
)


def linear(weight: np.ndarray, bias: np.ndarray, *, discrete: bool = False, deaf: bool = False) -> Policy:
    """A policy of one layer on one observation, with two styles unless it is deaf."""
    styles, width = (1, len(bias)) if deaf else (2, len(bias) // 2)
    facts = {
        **FACTS,
        "conditioned": not deaf,
        "styles": [] if deaf else ["stay", "go"],
        "promptable": [] if deaf else [True, True],
        "discrete": discrete,
        "observation_names": ["x"],
        "action_names": [f"action_{number}" for number in range(width)],
        "action_bounds": [[], []] if discrete else [[-1.0] * width, [1.0] * width],
    }
    return Policy(
        weights=(weight.astype(np.float32),),
        biases=(bias.astype(np.float32),),
        embedding=None,
        spread=np.full((styles, 0 if discrete else width), 0.05, np.float32),
        drawn=np.zeros((styles, 0 if discrete else width), bool),
        observations=Normaliser.identity(1),
        actions=Normaliser.identity(width),
        facts=facts,
    )


def test_a_density_integrates_to_one_over_the_actions() -> None:
    """In units of the bounds, whatever the normaliser: over [-1, 1] for bounds of -3 and 5."""
    player = linear(np.zeros((1, 1)), np.array([0.3]), deaf=True)
    facts = {**player.facts, "action_bounds": [[-3.0], [5.0]]}
    player = replace(player, facts=facts, actions=Normaliser(np.array([0.1], np.float32), np.array([0.4], np.float32)))
    actions = np.linspace(-3, 5, 20001)[:, None]
    log = log_density(player, np.full((20001, 1), 0.3), np.zeros(20001, int), actions)
    assert np.exp(log).mean() * 2 == pytest.approx(1, abs=1e-3)
    assert actions[log.argmax(), 0] == pytest.approx(1 + 4 * (0.1 + 0.4 * 0.3), abs=1e-3)


def test_agreement_is_one_for_a_copy_and_none_for_the_mean_of_a_style() -> None:
    x = np.linspace(-0.9, 0.9, 40)[:, None]
    labels = (np.arange(40) % 2).astype(int)
    actions = np.where(labels[:, None], 0.5 * x, -x)
    logs = from_steps(x, actions, np.zeros(40), lengths=[20, 20], final_observations=np.zeros((2, 1)))
    copy = imitation(linear(np.array([[-1, 0.5]]), np.zeros(2)), logs, labels, 0)
    assert copy.over(labels == 0)[2] == pytest.approx(1)
    assert copy.over(labels == 1)[::2] == (20, pytest.approx(1))
    means = np.array([actions[labels == 0].mean(), actions[labels == 1].mean()])
    constant = imitation(linear(np.zeros((1, 2)), means), logs, labels, 0)
    for mine in (labels == 0, labels == 1, np.ones(40, bool)):
        assert constant.over(mine)[2] == pytest.approx(0, abs=1e-5)
    assert constant.over(labels == 7) == (0, None, None)


STYLE = Criterion(
    name="tiny/where",
    styles=("stay", "go"),
    signals=("done",),
    function=lambda columns, starts: columns["done"].astype(int),
)


def coin_logs(*, ends: bool) -> Episodes:
    """Random choices among two actions, in episodes of two steps; each shows its own number and earns it."""
    rng = np.random.default_rng(0)
    done = rng.integers(0, 2, 400)
    x = rng.normal(size=(400, 1))
    last = np.arange(400) % 2 == 1
    logs = from_steps(
        x,
        done,
        done.astype(float),
        lengths=[2] * 200,
        final_observations=rng.normal(size=(200, 1)),
        signals={"done": done},
        discrete_actions=2,
    )
    return replace(logs, terminations=last, truncations=~last & False) if ends else logs


OBEYS = linear(np.zeros((1, 4)), np.array([5, 0, 0, 5]), discrete=True)
ALWAYS_GOES = linear(np.zeros((1, 2)), np.array([0, 5]), discrete=True, deaf=True)


def test_fitted_q_knows_who_obeys() -> None:
    """Logs of coin tosses; who obeys shows every style always, who is deaf shows one of them alone."""
    obeys = evaluate_offline(OBEYS, coin_logs(ends=False), STYLE, settings=EXACT)
    assert [row.alignment for row in obeys.styles] == pytest.approx([100, 100], abs=5)
    assert [row.task for row in obeys.styles] == pytest.approx([0, 1], abs=0.05)
    assert [row.agreement for row in obeys.styles] == [1, 1]
    assert not obeys.points
    deaf = evaluate_offline(ALWAYS_GOES, coin_logs(ends=False), STYLE, settings=EXACT)
    assert [row.alignment for row in deaf.styles] == pytest.approx([0, 100], abs=5)
    assert [row.agreement for row in deaf.styles] == [0, 1]


def test_fitted_q_sees_nothing_beyond_an_end_but_beyond_a_time_out() -> None:
    """Two steps and an end: of the future, (1 - gamma) (1 + gamma) is left."""
    ends = evaluate_offline(OBEYS, coin_logs(ends=True), STYLE, settings=EXACT)
    assert ends.alignment == pytest.approx(100 * (1 - 0.8) * (1 + 0.8), abs=5)


@pytest.mark.parametrize(
    "case",
    [Case("cbc"), Case("bc"), Case("scbc", "paper"), Case("bcpmi", discrete=True), Case("bc", discrete=True)],
    ids=str,
)
def test_every_kind_of_policy_is_judged(case: Case) -> None:
    run = case.train(holdout=0.25)
    judged = evaluate_offline(run.policy, tiny_episodes(discrete=case.discrete), SIDE, holdout=0.25, settings=QUICK)
    document = json.loads(json.dumps(judged.document(), allow_nan=False))
    assert document["held_out"] is True
    assert document["episodes"] == 2
    assert [row["style"] for row in document["styles"]] == ["left", "right"]
    assert document["styles"][0].keys() == {"style", "index", "steps", "likelihood", "agreement", "estimates"}
    assert document["estimates"].keys() == {"style", "task", "discount", "points"}
    assert 0 <= document["estimates"]["style"] <= 100


def test_who_learnt_from_the_steps_is_told_so() -> None:
    run = Case("cbc").train()
    seen = evaluate_offline(run.policy, tiny_episodes(), SIDE, settings=QUICK)
    assert (seen.held_out, seen.episodes) == (False, 8)
    assert evaluate_offline(run.policy, tiny_episodes(seed=1), SIDE, unseen=True, settings=QUICK).held_out


def test_a_style_alone_is_judged_without_rewards_and_a_task_without_styles() -> None:
    unrewarded = replace(tiny_episodes(), rewards=np.zeros(96, np.float32), rewarded=False)
    judged = evaluate_offline(Case("cbc").train().policy, unrewarded, SIDE, settings=QUICK)
    assert judged.task is None
    assert judged.alignment is not None
    judged = evaluate_offline(Case("bc").train().policy, tiny_episodes(), settings=QUICK)
    assert (judged.styles, judged.alignment, judged.criterion) == ((), None, None)
    assert judged.task is not None


def test_logs_of_another_kind_are_refused() -> None:
    policy = Case("bc").train().policy
    with pytest.raises(SciqlError, match="actions of tiny are not of the policy's kind"):
        evaluate_offline(policy, tiny_episodes(discrete=True), settings=QUICK)
    with pytest.raises(SciqlError, match="this policy reads"):
        evaluate_offline(policy, coin_logs(ends=False), settings=QUICK)
