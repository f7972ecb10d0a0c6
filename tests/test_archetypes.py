"""HalfCheetah's archetypes: what they are rewarded for, how they learn, and what the shipped ones can do."""

import json
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sciql.archetypes import herd, judging, training
from sciql.archetypes.actor import Actor
from sciql.archetypes.experience import Transitions, empty, evenly
from sciql.archetypes.judging import judge_actor
from sciql.archetypes.sac import SacSettings, critic_step, init_learner, learn, sample
from sciql.archetypes.shapes import ARCHETYPES, achieved, get_archetype
from sciql.archetypes.shipped import shipped_actor
from sciql.archetypes.training import train_archetype
from sciql.checkpoints import load_tree
from sciql.cli import main
from sciql.datasets.recipes import RECIPES
from sciql.errors import SciqlError

TINY = SacSettings(updates=32, scan=8, hidden=(8, 8), batch=8, cheetahs=3, played=4, random=24, capacity=60, alone=8)


def test_rewards_are_the_papers() -> None:
    push = np.array([[1.0, -1, 0, 0, 0, 0]])  # costs 0.2
    cases = {
        "expert": ((3.0, 0.6, 0.0), 3.0 - 0.2),
        "speed-slow": ((3.0, 0.6, 0.0), -1.5 - 0.2),
        "speed-fast": ((3.0, 0.6, 0.0), -7.0 - 0.2),
        "height-normal": ((3.0, 0.6, 0.0), 1 + 3.0 - 0.2),
        "height-crawling": ((3.0, 0.54, 0.0), np.exp(-0.5) * 4 - 0.2),
        "angle-upright": ((3.0, 0.6, -0.15), np.exp(-0.5) * 4 - 0.2),
        "angle-crouching": ((3.0, 0.6, 0.3), np.exp(-2) * 4 - 0.2),
    }
    for name, (state, expected) in cases.items():
        velocity, height, angle = (np.array([value]) for value in state)
        reward = get_archetype(name).reward(velocity, height, angle, push)
        assert reward[0] == pytest.approx(expected), name


def test_demands_are_counted_as_told() -> None:
    velocity, height, angle = np.full((2, 100), 2.5), np.full((2, 100), 0.6), np.zeros((2, 100))
    height[:, :50] = 0.9  # while it takes the posture up
    height[0, 50:60] = 0.9  # a tenth of what counts
    figures = achieved(get_archetype("height-normal"), velocity, height, angle)
    assert (figures.share, figures.velocity, figures.error) == (0.9, 2.5, None)
    assert figures.quality(get_archetype("height-normal")) == pytest.approx(0.9 / 0.8)
    assert replace(figures, velocity=1.0).quality(get_archetype("height-normal")) == 0.5
    slow = achieved(get_archetype("speed-slow"), velocity, height, angle)
    assert slow.quality(get_archetype("speed-slow")) == pytest.approx(0.15 / 1.0)


def test_the_density_of_a_drawn_action_is_that_of_the_squashed_gaussian() -> None:
    actor = init_learner(17, 1, TINY, jax.random.key(0)).actor
    seen = jnp.zeros((4000, 17))
    actions, logs = sample(actor, seen, jax.random.key(1))
    # Where draws are dense, their share in a small interval is the density times its width.
    inside = np.abs(np.asarray(actions)[:, 0]) < 0.1
    assert inside.mean() == pytest.approx(0.2 * np.exp(np.asarray(logs)[inside]).mean(), rel=0.15)


def test_critics_learn_the_value_of_a_constant_reward() -> None:
    """With reward 1 always and no price on entropy, (1 - gamma) Q is 1 everywhere."""
    settings = replace(TINY, batch=16, scan=200, discount=0.5, learning_rate=5e-3, temperature=1e-9, polyak=0.1)
    rng = np.random.default_rng(0)
    shapes = ((64, 17), (64, 6), (64, 17), (64,))
    rows = Transitions(*(jnp.asarray(rng.uniform(-1, 1, shape), jnp.float32) for shape in shapes))
    learner = init_learner(17, 6, settings, jax.random.key(0))

    def one(velocity: object, height: object, angle: object, actions: jax.Array) -> jax.Array:
        return jnp.ones(actions.shape[0])

    learner, loss = learn(
        learner, rows, jnp.int32(0), jnp.int32(64), jax.random.key(1), reward=one, settings=settings, moving=False
    )
    assert float(loss) < 0.05
    _, error = critic_step(learner, rows, jax.random.key(2), one, settings)
    assert float(error) < 1e-2


def test_experience_keeps_others_rows_and_the_newest_of_its_own() -> None:
    def rows(numbers: list[int]) -> Transitions:
        column = np.array(numbers, np.float32)
        seen, pushes = (jnp.asarray(np.tile(column[:, None], width)) for width in (17, 6))
        return Transitions(seen, pushes, seen, jnp.asarray(column))

    experience = empty(rows([100, 101]), capacity=5, added=2)
    for first in (0, 2, 4):
        experience = experience.add(rows([first, first + 1]))
    assert np.asarray(experience.rows.velocities).tolist() == [100, 101, 4, 5, 2, 3]
    assert (experience.others, experience.filled, experience.written) == (2, 4, 6)
    assert experience.own()["velocities"].tolist() == [4, 5, 2, 3]
    assert evenly(np.arange(10.0), 4).tolist() == [0, 3, 6, 9]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes of few steps, and an evaluation and a checkpoint every second scan."""
    monkeypatch.setattr(judging, "HORIZON", 60)
    monkeypatch.setattr(training, "HORIZON", 20)
    monkeypatch.setattr(training, "EVALUATED", 2)
    monkeypatch.setattr(training, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)


def same(one: Actor, other: Actor) -> bool:
    return all((a == b).all() for a, b in zip(one.weights, other.weights, strict=True))


@pytest.mark.usefixtures("short")
def test_a_training_that_was_cut_ends_in_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train_archetype("expert", tmp_path / "whole", settings=TINY)
    evaluated, calls = training._evaluated, iter([False, True])

    def cut(*arguments: object) -> object:
        if next(calls):
            raise KeyboardInterrupt
        return evaluated(*arguments)  # pyright: ignore[reportArgumentType]

    with monkeypatch.context() as patch:
        patch.setattr(training, "_evaluated", cut)
        with pytest.raises(KeyboardInterrupt):
            train_archetype("expert", tmp_path / "cut", settings=TINY)
    with pytest.raises(SciqlError, match="unfinished run; add --resume"):
        train_archetype("expert", tmp_path / "cut", settings=TINY)
    resumed = train_archetype("expert", tmp_path / "cut", settings=TINY, resume=True)
    assert same(whole, resumed)
    assert not same(whole, train_archetype("expert", tmp_path / "other", seed=1, settings=TINY))
    again = train_archetype("expert", tmp_path / "whole", settings=TINY, resume=True)
    assert same(whole, again) and again.record["finished"]


@pytest.mark.usefixtures("short")
def test_an_archetype_can_begin_from_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train_archetype("expert", tmp_path / "expert", settings=TINY)
    alone = replace(TINY, alone=10**6)
    slow = train_archetype("speed-slow", tmp_path / "slow", settings=alone, others=[tmp_path / "expert"])
    assert slow.record["dataset"] == ["expert"]
    like = init_learner(17, 6, TINY, jax.random.key(0))
    theirs, _ = load_tree(tmp_path / "expert" / "learner.npz", like)
    assert same(slow, training.as_actor(theirs)), "only the critics learn while the actor waits"
    moved = train_archetype("speed-slow", tmp_path / "moved", settings=TINY, others=[tmp_path / "expert"])
    assert not same(slow, moved)
    with pytest.raises(SciqlError, match="holds no finished training of an archetype"):
        train_archetype("speed-slow", tmp_path / "x", settings=TINY, others=[tmp_path / "nowhere"])
    assert not (tmp_path / "x").exists()
    assert main(["archetypes", "train", "speed-slwo"]) == 2
    assert "did you mean speed-slow or speed-fast?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ARCHETYPES)
def test_the_shipped_ones_come_with_their_record(name: str) -> None:
    actor = shipped_actor(name)
    assert actor.record["archetype"]["name"] == name and actor.record["command"].startswith(
        f"sciql archetypes train {name} "
    )
    assert {"seed", "updates", "transitions", "settings", "judged"} <= actor.record.keys()
    if name != "expert":
        assert actor.record["judged"]["quality"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHETYPES)
def test_the_shipped_ones_meet_the_demands_on_other_starts(name: str) -> None:
    judged = judge_actor(ARCHETYPES[name], shipped_actor(name), seed=77)
    assert judged.quality >= (10 if name == "expert" else 1)


def test_the_shipped_ones_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archetypes", "list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["archetypes"]) == list(ARCHETYPES)
    assert main(["archetypes", "list"]) == 0
    assert "speed-medium" in capsys.readouterr().out


def test_plans_take_turns_and_those_of_fewer_episodes_are_the_first_of_more() -> None:
    fixed = herd.draw_plans(3, 23, 40, varied=False)
    assert (fixed.archetypes == (np.arange(23) % len(ARCHETYPES))[:, None]).all()
    varied = herd.draw_plans(3, 23, 1000, varied=True)
    np.testing.assert_array_equal(herd.draw_plans(3, 5, 1000, varied=True).archetypes, varied.archetypes[:5])
    for plan in varied.archetypes:
        stays = np.diff(np.flatnonzero(np.diff(plan)), prepend=-1)
        assert (stays >= herd.STAYS[0]).all() and (stays <= herd.STAYS[1]).all()
    assert ((varied.noise >= herd.NOISE[0]) & (varied.noise <= herd.NOISE[1])).all()


def test_stitch_is_fix_cut_into_pieces() -> None:
    fix = replace(RECIPES["halfcheetah-fix-v0"], episodes=4, steps=30)
    whole = fix.act(fix, lambda: None)
    pieces = herd.cut(whole, 7)
    assert pieces.lengths.tolist() == [7, 7, 7, 7, 2] * 4
    for name in ("observations", "actions", "rewards"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))
    np.testing.assert_array_equal(pieces.next_observations(), whole.next_observations())
    np.testing.assert_array_equal(np.flatnonzero(pieces.truncations), pieces.last_rows)
    assert whole.content == fix.act(fix, lambda: None).content


def test_an_action_does_not_depend_on_how_products_are_rounded() -> None:
    actor, seen = shipped_actor("expert"), np.random.default_rng(0).standard_normal((500, 17))
    together = actor(seen)
    np.testing.assert_array_equal(together, np.concatenate([actor(part) for part in np.array_split(seen, 77)]))
    assert (together * 2**16 == np.round(together * 2**16)).all() and np.abs(together).max() <= 1
