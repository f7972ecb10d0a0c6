"""One contract for all methods, and the mistakes that are caught before anything is made."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import ACTIONS, SIDE, STYLES, Case, bits, from_steps, ticks_of, tiny_episodes, tiny_settings

from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.files import home
from sciql.methods import METHODS, get_method
from sciql.training import load_run, train

OBSERVATIONS = np.random.default_rng(1).uniform(-3, 3, (20, 3)).astype(np.float32)


CASES = [
    *(Case(method) for method in METHODS),
    *(Case(method, "paper") for method in ("scbc", "bcpmi", "sorl_beta0", "sciql_style_task")),
    *(Case(method, discrete=True) for method in ("bcpmi", "sciql_style_task")),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_method_trains_saves_loads_and_acts(case: Case, tmp_path: Path) -> None:
    run = case.train(out=tmp_path / "new" / "run")
    assert {path.name for path in (tmp_path / "new").rglob("*")} == {"run", "run.json", "policy.npz", "metrics.jsonl"}
    again = load_run(tmp_path / "new" / "run")
    assert (again.document, again.curve) == (run.document, run.curve)
    assert run.document["method"] == run.policy.method == case.method
    assert run.curve[-1]["stage"] == "policy"
    assert bits(again.policy) == bits(run.policy)

    conditioned = get_method(case.method).conditioned
    assert run.policy.conditioned == conditioned
    for index, style in ((0, "left"), (2, "right")):
        actions = again.policy.act(OBSERVATIONS, style)
        np.testing.assert_array_equal(actions, run.policy.act(OBSERVATIONS, index))
        if case.discrete:
            assert actions.shape == (20,)
            assert set(actions.tolist()) <= set(range(ACTIONS))
        else:
            assert actions.shape == (20, 2)
            assert (np.abs(actions) <= 1).all()
    if conditioned:
        assert (run.policy.styles, run.policy.prompts) == (STYLES, (0, 2))
        for style in ("middle", 1, 3, "lef"):
            with pytest.raises(SciqlError, match="there is no style"):
                again.policy.act(OBSERVATIONS, style)


@pytest.mark.parametrize("case", [Case("bcpmi"), Case("sciql_style_task"), Case("sciql_style_task", "paper")], ids=str)
def test_a_seed_decides_every_bit(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = case.train()
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path))
    assert bits(case.train().policy) == bits(first.policy)
    assert bits(case.train(seed=1).policy) != bits(first.policy)


def test_shared_fits_are_made_once_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path))
    first, second = Case("sciql_style").train(), Case("sciql_style_task").train()
    assert first.document["seconds"].keys() == {"style values", "policy"}
    assert second.document["seconds"].keys() == {"task values", "policy"}
    assert [row["stage"] for row in second.curve] == ["task values", "style values", "policy"]
    assert len(list((home() / "fits").iterdir())) == 2


def test_metrics_grow_while_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    class Looker:
        """Looks into the file at each report."""

        def __enter__(self) -> Callable[[dict[str, Any], int], None]:
            file = tmp_path / "run" / "metrics.jsonl"
            return lambda row, steps: seen.append(file.read_text().count("\n") if file.exists() else 0)

        def __exit__(self, *problem: object) -> None:
            pass

    monkeypatch.setattr("sciql.training.reporting", Looker)
    with ticks_of(2):
        run = Case("bc").train(out=tmp_path / "run")
    assert seen == [0, 1, 2]
    assert [row["step"] for row in run.curve] == [2, 4, 6]


def broken(**columns: Any) -> Episodes:
    """The tiny episodes with other columns."""
    return replace(tiny_episodes(), **columns)


def spoilt(name: str, value: float) -> Episodes:
    """The tiny episodes with one other number."""
    column = getattr(tiny_episodes(), name).copy()
    column[30] = value
    return broken(**{name: column})


@cache
def short() -> Episodes:
    return from_steps(
        np.zeros((3, 3)), np.zeros((3, 2)), np.zeros(3), lengths=[2, 1], final_observations=np.zeros((2, 3))
    )


def other(**changes: Any) -> Criterion:
    return replace(SIDE, **changes)


MISTAKES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "method": (lambda out: train("cbcc", tiny_episodes(), SIDE, out=out), "no method 'cbcc'; did you mean cbc"),
    "preset": (lambda out: train("cbc", tiny_episodes(), SIDE, preset="papers", out=out), "did you mean paper"),  # pyright: ignore[reportArgumentType]
    "steps": (lambda out: train("cbc", tiny_episodes(), SIDE, steps=0, out=out), "at least 1 step, not 0"),
    "both": (
        lambda out: train("cbc", tiny_episodes(), SIDE, steps=3, settings=tiny_settings(), out=out),
        "`settings` and `steps`",
    ),
    "seed": (lambda out: train("cbc", tiny_episodes(), SIDE, seed=-1, out=out), "a seed is a whole number from 0"),
    "no criterion": (lambda out: train("cbc", tiny_episodes(), out=out), "cbc learns styles and needs a criterion"),
    "no rewards": (
        lambda out: train("sciql_style_task", replace(tiny_episodes(), rewarded=False), SIDE, out=out),
        "sciql_style_task learns a task from rewards, and tiny has none; .*needs none: bc, cbc, .*sciql_style$",
    ),
    "signals": (
        lambda out: train("cbc", tiny_episodes(), other(signals=("sied",)), out=out),
        "tiny/side reads sied, which tiny does not have; its signals are side",
    ),
    "absent style": (
        lambda out: train("cbc", tiny_episodes(), other(styles=(*STYLES, "up"), promptable=()), out=out),
        "style up of tiny/side never occurs in tiny; ask for left, middle, right only",
    ),
    "settings that are no JSON": (
        lambda out: train("cbc", tiny_episodes(), other(settings={"edges": np.ones(2)}), out=out),
        "settings of tiny/side are no JSON",
    ),
    "nan": (lambda out: train("bc", spoilt("observations", np.nan), out=out), "observations of tiny hold NaN"),
    "inf": (lambda out: train("bc", spoilt("rewards", np.inf), out=out), "rewards of tiny hold NaN or inf"),
    "nan label": (
        lambda out: train("cbc", broken(signals={"side": np.full(96, np.nan)}), SIDE, out=out),
        "signal 'side'.* NaN",
    ),
    "bounds": (lambda out: train("bc", spoilt("actions", 1.5), out=out), r"actions of tiny leave \[-1, 1\]"),
    "short": (
        lambda out: train("bc", short(), out=out),
        "tiny has too few steps in episode 1, which has 1 step; remove episodes",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_leaves_nothing(mistake: str, tmp_path: Path) -> None:
    make, sentence = MISTAKES[mistake]
    with pytest.raises(SciqlError, match=sentence) as caught:
        make(tmp_path / "deep" / "run")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_wrong_shapes_and_no_steps_are_refused() -> None:
    with pytest.raises(SciqlError, match=r"actions of tiny have shape \(3, 2\); with 4 steps"):
        from_steps(np.zeros((4, 3)), np.zeros((3, 2)), np.zeros(4), lengths=[4], final_observations=np.zeros((1, 3)))
    with pytest.raises(SciqlError, match="tiny has no steps at all"):
        from_steps(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), lengths=[], final_observations=np.zeros((0, 3)))


def test_style_only_methods_do_without_rewards() -> None:
    silent = replace(tiny_episodes(), rewarded=False)
    assert train("sciql_style", silent, SIDE, settings=tiny_settings()).policy.conditioned


def test_a_policy_acts_in_the_units_of_its_data_and_knows_their_names() -> None:
    episodes = replace(
        tiny_episodes(),
        actions=tiny_episodes().actions * 10 + 90,
        action_bounds=np.array([[80, 80], [100, 100]], np.float32),
        observation_names=("x", "y", "z"),
        action_names=("left", "right"),
    )
    policy = train("cbc", episodes, SIDE, settings=tiny_settings()).policy
    plain = train("cbc", tiny_episodes(), SIDE, settings=tiny_settings()).policy
    seen = episodes.observations
    np.testing.assert_allclose(policy.act(seen, "left"), plain.act(seen, "left") * 10 + 90, rtol=1e-4)
    assert (policy.observation_names, policy.action_names) == (("x", "y", "z"), ("left", "right"))
    assert policy.action_bounds.tolist() == [[80, 80], [100, 100]]


def test_a_run_says_what_it_depends_on() -> None:
    document = train("cbc", tiny_episodes(), SIDE, settings=tiny_settings()).document
    assert document["preset"] == "own settings"
    assert document["criterion"] == json.loads(json.dumps(SIDE.document()))
    assert document["settings"]["networks"]["hidden"] == [8]
    assert document["dataset"]["content"] == tiny_episodes().content
    assert document["versions"].keys() == {"jax", "equinox", "optax", "numpy"}
