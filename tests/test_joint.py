"""Joint criteria: every combination of the parts' styles, asked for in words."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hand_written import Pacer
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import SIDE, from_steps, tiny_episodes, tiny_settings

import sciql
from sciql.criteria import Criterion, bins, criterion, from_record, joint, spelled
from sciql.criteria.joint import MOST
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.normaliser import Normaliser
from sciql.policy import Policy

PACE = bins("pace", [1.0], ["slow", "fast"], window=2, name="pace")
NOTHING = Policy((), (), None, np.zeros((3, 0)), np.zeros((3, 0), bool), *[Normaliser.identity(1)] * 2, facts={})
PARTS = {"side": ("left", "right"), "pace": ("slow", "fast"), "height": ("low", "high")}


def walks(seed: int = 0) -> Episodes:
    """Random sides and paces; nothing on the left is fast."""
    rng = np.random.default_rng(seed)
    episodes = tiny_episodes(seed=seed)
    side = np.asarray(episodes.signals["side"])
    return replace(episodes, signals={"side": side, "pace": np.where(side == 0, 0.0, rng.uniform(0.5, 2, len(side)))})


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000))
def test_a_joint_label_is_the_labels_of_its_parts(seed: int) -> None:
    both, episodes = SIDE + PACE, walks(seed)
    side, pace = np.unravel_index(both.label(episodes), (3, 2))
    assert (side == SIDE.label(episodes)).all()
    # Each part votes by itself, with its own window.
    assert (pace == PACE.label(episodes)).all()
    assert (both.label_columns(episodes.signals, episodes.starts) == both.label(episodes)).all()


def test_a_joint_criterion_counts_up_with_its_last_part_first() -> None:
    both = SIDE + PACE
    assert both.styles[:3] == ("side=left, pace=slow", "side=left, pace=fast", "side=middle, pace=slow")
    assert (both.name, both.signals, both.prompts) == ("tiny/side+pace", ("side", "pace"), (0, 1, 4, 5))
    assert both.style_index("pace=fast, side=right") == both.style_index({"side": "right", "pace": "fast"}) == 5
    with pytest.raises(SciqlError, match=r"'side=middle, pace=slow' of tiny/side\+pace cannot be asked for"):
        both.style_index("side=middle,pace=slow")


def test_three_parts_are_the_same_in_any_brackets() -> None:
    speed, radius, position = criterion("speed"), criterion("radius"), criterion("position")
    one, other = (speed + radius) + position, speed + (radius + position)
    assert one == other == criterion("speed+radius+position") == joint([speed, radius, position])
    assert len(one.styles) == 3 * 4 * 8
    assert len(one.prompts) == 3 * 3 * 8


def test_noise_of_parts_and_of_the_whole() -> None:
    episodes, both = walks(), SIDE + PACE
    polluted = np.unravel_index(both.with_noise(0.3, seed=5).label(episodes), (3, 2))
    for number, part in enumerate((SIDE, PACE)):
        assert (polluted[number] == part.with_noise(0.3, seed=5 + number).label(episodes)).all()
    assert both.with_noise(0.3).noisy
    assert not both.noisy
    clean = both.with_noise(0.3).label_columns(episodes.signals, episodes.starts)
    assert (clean == both.label(episodes)).all()
    one = np.unravel_index((SIDE + PACE.with_noise(1.0)).label(episodes), (3, 2))
    assert (one[0] == SIDE.label(episodes)).all()
    assert (one[1] == 1 - PACE.label(episodes)).all()


def test_a_joint_criterion_comes_back_from_its_record() -> None:
    made = criterion("speed+turn_direction", noise=0.2, noise_seed=4).narrowed([0, 4])
    again = from_record(json.loads(json.dumps(made.record())))
    assert again == made
    assert again is not None
    assert [part.noise_seed for part in again.parts] == [4, 5]
    assert from_record((made + SIDE).record()) is None


def test_what_the_data_never_show_is_named_and_can_be_left_out() -> None:
    both, episodes = SIDE + replace(PACE, window=1), walks()
    with pytest.raises(SciqlError, match=r"side=left, pace=fast of tiny/side\+pace never occurs in tiny; ask for"):
        sciql.train("cbc", episodes, both, settings=tiny_settings())
    left = both.supported(episodes)
    assert left.prompts == (0, 4, 5)
    run = sciql.train("cbc", episodes, left, settings=tiny_settings())
    assert run.policy.prompts == (0, 4, 5)
    with pytest.raises(SciqlError, match="no style 'side=left, pace=fast'; did you mean"):
        run.policy.act(np.zeros(3), "side=left, pace=fast")
    shares = np.bincount(both.label(episodes), minlength=6) / episodes.steps
    assert both.supported(episodes, float(shares[4])).prompts == tuple(
        index for index in (0, 4, 5) if shares[index] >= shares[4]
    )
    with pytest.raises(SciqlError, match=r"no style of tiny/side\+pace fills a share of 0\.9"):
        both.supported(episodes, 0.9)


@pytest.mark.parametrize(("method", "preset"), [("sciql_style", "exact"), ("scbc", "paper")])
def test_every_way_to_train_takes_a_joint_criterion(method: str, preset: str) -> None:
    episodes = walks()
    chosen = (SIDE + PACE).supported(episodes)
    policy = sciql.train(method, episodes, chosen, settings=tiny_settings(preset)).policy
    by_name = policy.act(episodes.observations[:5], "pace=fast,side=right")
    np.testing.assert_array_equal(by_name, policy.act(episodes.observations[:5], {"side": "right", "pace": "fast"}))
    np.testing.assert_array_equal(by_name, policy.act(episodes.observations[:5], 5))
    assert np.isfinite(by_name).all()


def test_heads_of_combinations_that_never_occur_disturb_no_other() -> None:
    """A joint criterion of which one combination occurs teaches that one as if it were alone."""
    rng = np.random.default_rng(0)
    episodes = from_steps(
        rng.normal(size=(40, 3)),
        rng.uniform(-1, 1, (40, 2)),
        np.zeros(40),
        lengths=[20, 20],
        final_observations=np.zeros((2, 3)),
        signals={"side": np.zeros(40), "pace": np.zeros(40)},
    )
    policy = sciql.train("cbc", episodes, (SIDE + PACE).supported(episodes), settings=tiny_settings()).policy
    assert policy.prompts == (0,)
    # Never asked about, the other heads are as they were drawn: outputs of almost nothing.
    width = policy.weights[-1].shape[1] // 6
    untouched = np.abs(policy.biases[-1].reshape(6, width)).max(axis=1)
    assert untouched[0] > 0
    assert (untouched[1:] == 0).all()


def test_rollouts_are_judged_on_combinations() -> None:
    both = criterion("speed+position")
    pacer = Combined(criterion=both)
    score = sciql.evaluate(pacer, episodes=1)
    assert len(list(score.scores())) == 24
    narrowed = sciql.evaluate(pacer, criterion=both.narrowed([0, 23]), episodes=1)
    assert [row.index for row in narrowed.scores()] == [0, 23]


class Combined(Pacer):
    """Knows the combinations, and hears the speed in them."""

    @property
    def styles(self) -> tuple[str, ...]:
        return criterion("speed+position").styles

    def actor(self, seed: int) -> Any:
        hears = super().actor(seed)
        return lambda seen, asked: hears(seen, None if asked is None else asked // 8)


@settings(deadline=None, max_examples=50)
@given(st.permutations(list(PARTS)), st.tuples(*[st.integers(0, 1)] * 3), st.sampled_from([", ", ",", " ,  "]))
def test_a_combination_is_understood_in_any_order_and_spacing(
    order: list[str], chosen: tuple[int, ...], comma: str
) -> None:
    wanted = {name: styles[number] for (name, styles), number in zip(PARTS.items(), chosen, strict=True)}
    canonical = ", ".join(f"{name}={style}" for name, style in wanted.items())
    assert spelled(comma.join(f"{name} = {wanted[name]}" for name in order), PARTS) == canonical
    assert spelled({name: wanted[name] for name in order}, PARTS) == canonical


def test_a_single_criterion_is_asked_for_by_name_too() -> None:
    facts = {"conditioned": True, "styles": SIDE.styles, "promptable": SIDE.promptable, "criterion": SIDE.record()}
    policy = replace(NOTHING, facts=facts)
    for asked in ("right", "side=right", {"side": "right"}, 2):
        assert policy.style_indices(asked, 2).tolist() == [2, 2]
    with pytest.raises(SciqlError, match="no style of side 'up'"):
        policy.style_indices("side=up", 1)


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: spelled("side=left, pace=fats, height=low", PARTS), "no style of pace 'fats'; did you mean fast"),
        (lambda: spelled("sied=left", PARTS), "no criterion to ask this policy about 'sied'; did you mean side"),
        (lambda: spelled("side=left", PARTS), "say which pace is wanted too: pace=slow, or another of slow, fast"),
        (lambda: spelled("side=left, side=right", PARTS), "asks for one thing twice"),
        (lambda: spelled("side=left, fast", PARTS), "no style 'fast'; ask as in 'side=left, pace=slow, height=low'"),
        (lambda: joint([SIDE]), "needs two parts or more"),
        (lambda: SIDE + SIDE, "needs two parts or more, each of them once"),
        (lambda: SIDE + bins("x", [1], ["a=b", "c"]), "'a=b' of x cannot be part of a combination"),
        (lambda: criterion("speed+spede"), "no criterion 'spede'; did you mean speed"),
        (lambda: criterion("speed+position", count=2), r"speed\+position joins criteria; build each"),
        (
            lambda: criterion("position+movement_direction+speed"),
            f"has 216 combinations, and {MOST} is the most",
        ),
        (lambda: SIDE.with_noise(0.1) + PACE.with_noise(0.1), "the same draws; give each part a noise_seed"),
    ],
)
def test_mistakes_are_told_in_a_sentence(mistake: Callable[[], Criterion | str], sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence) as caught:
        mistake()
    assert "\n" not in str(caught.value)
