"""The criteria of Circle2d on paths whose labels are known, and what all criteria have in common."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciql.criteria import CRITERIA, Criterion, bins, criterion, label_report
from sciql.criteria.circle2d import circle_radius
from sciql.criteria.windows import Windows
from sciql.episodes import Episodes
from sciql.errors import SciqlError

Signals = dict[str, np.ndarray]


def path(turn: np.ndarray, speed: np.ndarray | float, heading: float = 0.0, x: float = 0.0, y: float = 0.0) -> Signals:
    """The signals of an agent that turns and then moves, with nothing in its way."""
    after = heading + np.cumsum(turn)
    dx, dy = speed * np.cos(after), speed * np.sin(after)
    columns = {"x": x + np.cumsum(dx) - dx, "y": y + np.cumsum(dy) - dy, "dx": dx, "dy": dy, "turn": turn}
    return {name: column.astype(np.float32) for name, column in columns.items()}


def circle(radius: float, steps: int = 100, speed: float = 1.0, side: int = 1) -> Signals:
    """A path whose corners lie on a circle."""
    return path(np.full(steps, side * 2 * np.arcsin(speed / (2 * radius))), speed)


OURS = [name for name in CRITERIA if name.startswith("circle2d/")]


def labels_of(name: str, signals: Signals, starts: list[int] | None = None, **settings: Any) -> list[int]:
    steps = len(next(iter(signals.values())))
    return criterion(name, **settings).label_columns(signals, np.array(starts or [0, steps])).tolist()


def episodes_of(signals: Signals, steps: int) -> Episodes:
    count = len(signals["turn"])
    return Episodes.from_arrays(
        observations=np.zeros((count, 1)),
        actions=np.zeros((count, 1)),
        rewards=np.zeros(count),
        terminations=np.zeros(count, bool),
        truncations=np.arange(count) % steps == steps - 1,
        final_observations=np.zeros((count // steps, 1)),
        signals=signals,
    )


def wandering(seed: int, episodes: int, steps: int) -> Signals:
    """All the signals of agents that turn as they like."""
    rng = np.random.default_rng(seed)
    parts = [path(rng.normal(0, rng.uniform(0.05, 1), steps), rng.uniform(0, 3, steps)) for _ in range(episodes)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def test_position_counts_columns_from_the_left_and_rows_from_below() -> None:
    x = np.array([-49, -15.01, -15, -0.01, 0, 14.9, 15, 49], np.float32)
    assert labels_of("position", {"x": x, "y": np.full(8, 1.0)}) == [1, 1, 3, 3, 5, 5, 7, 7]
    assert labels_of("position", {"x": x, "y": np.full(8, -1.0)}) == [0, 0, 2, 2, 4, 4, 6, 6]


def test_movement_direction_counts_counter_clockwise_from_east() -> None:
    angles = np.deg2rad([1, 44, 46, 91, 136, 181, 226, 271, 359, 10])
    lengths = np.array([1.0] * 9 + [0.09])
    signals = {"dx": lengths * np.cos(angles), "dy": lengths * np.sin(angles)}
    assert labels_of("movement_direction", signals) == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_an_angle_just_below_zero_is_the_last_sector() -> None:
    assert labels_of("movement_direction", {"dx": np.ones(1), "dy": np.array([-1e-20])}) == [7]


@pytest.mark.parametrize(("rate", "label"), [(-0.11, 0), (0.11, 1), (0.09, 2), (-0.09, 2), (0.0, 2)])
def test_turn_direction_is_the_sign_of_the_mean_turn(rate: float, label: int) -> None:
    assert labels_of("turn_direction", {"turn": np.full(30, rate)}) == [label] * 30


def test_turn_direction_looks_five_steps_either_way() -> None:
    turn = np.zeros(31)
    turn[15] = 1.2  # over 11 steps 0.109 a step
    assert np.flatnonzero(np.array(labels_of("turn_direction", {"turn": turn})) == 1).tolist() == [*range(10, 21)]


@pytest.mark.parametrize(("size", "label"), [(3, 0), (4.95, 0), (5.05, 1), (7.9, 1), (8.1, 2), (9.9, 2), (15, 3)])
def test_radius_is_that_of_the_circle(size: float, label: int) -> None:
    assert labels_of("radius", circle(size)) == [label] * 100
    assert labels_of("radius", circle(size, side=-1)) == [label] * 100


def test_radius_asks_how_much_the_agent_turns_not_to_which_side() -> None:
    zigzag = path(np.where(np.arange(100) % 2, 0.5, -0.5), 1.0)
    # It turns, so it is not straight; yet where it leads to is far away, which is a large circle.
    assert set(labels_of("radius", zigzag)[25:75]) == {2}


@given(st.floats(1, 40), st.floats(-40, 40), st.integers(0, 1000))
@settings(deadline=None, max_examples=30)
def test_circles_are_fitted_like_a_least_squares_solver_does(size: float, x: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.uniform(0.1, 0.3, 40))
    xs, ys = x + size * np.cos(angles) + rng.normal(0, 0.1, 40), size * np.sin(angles) + rng.normal(0, 0.1, 40)
    fitted = circle_radius(xs, ys, Windows.centred(np.array([0, 40]), 21))
    for row in (0, 5, 20, 39):
        rows = slice(max(row - 10, 0), row + 11)
        plane = np.stack([2 * xs[rows], 2 * ys[rows], np.ones(len(xs[rows]))], axis=1)
        a, b, c = np.linalg.lstsq(plane, xs[rows] ** 2 + ys[rows] ** 2, rcond=None)[0]
        np.testing.assert_allclose(fitted[row], np.sqrt(c + a**2 + b**2), rtol=1e-4)


def test_speed_is_the_length_of_the_step_in_thirds() -> None:
    speeds = np.array([0.0, 0.5, 1.33, 1.34, 2.16, 2.17, 3.0])
    assert labels_of("circle2d/speed", {"dx": speeds, "dy": np.zeros(7)}) == [0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("spread", "label"), [(0.05, 0), (0.15, 0), (0.24, 1), (0.35, 1), (0.5, 2)])
def test_curvature_noise_is_the_spread_of_second_differences(spread: float, label: int) -> None:
    # Alternating turns of +-s/2 change by +-s: a standard deviation of s.
    turn = np.where(np.arange(200) % 2, 0.5, -0.5) * spread
    assert set(labels_of("curvature_noise", {"turn": 0.2 + turn})) == {int(spread >= 0.8 / 3) + int(spread >= 1.6 / 3)}
    noisy = 0.2 + np.random.default_rng(0).normal(0, spread / np.sqrt(1.5), 400)
    assert np.bincount(labels_of("curvature_noise", {"turn": noisy})).argmax() == label


@pytest.mark.parametrize("name", OURS)
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 1000), episodes=st.integers(1, 4), steps=st.sampled_from([2, 7, 60]))
def test_labels_of_episodes_are_those_of_each_alone(name: str, seed: int, episodes: int, steps: int) -> None:
    together = wandering(seed, episodes, steps)
    starts = list(range(0, (episodes + 1) * steps, steps))
    alone = []
    for first in starts[:-1]:
        alone += labels_of(name, {signal: column[first : first + steps] for signal, column in together.items()})
    assert labels_of(name, together, starts) == alone


@pytest.mark.parametrize("name", OURS)
def test_every_criterion_has_the_papers_styles(name: str) -> None:
    promptable = {"position": 8, "movement_direction": 8, "turn_direction": 2, "radius": 3, "speed": 3}
    made = criterion(name)
    short = name.removeprefix("circle2d/")
    assert made == criterion(short, signals=made.signals)
    assert made.prompts == tuple(range(promptable.get(short, 3)))
    assert len(made.styles) - len(made.prompts) == (short in {"movement_direction", "turn_direction", "radius"})


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_comes_back_from_its_document(name: str) -> None:
    document = json.loads(json.dumps(criterion(name, noise=0.2, noise_seed=3).document()))
    again = criterion(
        document["name"], noise=document["noise"], noise_seed=document["noise_seed"], **document["settings"]
    )
    assert again == criterion(name, noise=0.2, noise_seed=3)
    assert again != criterion(name)
    assert hash(again) == hash(criterion(name, noise=0.2, noise_seed=3))


def test_bounds_windows_and_counts_are_arguments() -> None:
    assert labels_of("position", {"x": np.array([1.0]), "y": np.array([5.0])}, x_edges=(0.0,), y_edges=(0.0, 4.0)) == [
        5
    ]
    assert labels_of("circle2d/speed", {"dx": np.array([0.9, 1.1]), "dy": np.zeros(2)}, bounds=(0.0, 2.0), count=2) == [
        0,
        1,
    ]
    moving = {"dx": np.array([1.0, -1.0, 1.0, 1.0]), "dy": np.full(4, 0.1)}
    assert labels_of("movement_direction", moving, window=2) == [0, 0, 0, 0]


def test_noise_pollutes_datasets_and_never_rollouts() -> None:
    signals = wandering(0, 4, 500)
    episodes, noisy = episodes_of(signals, 500), criterion("circle2d/speed", noise=0.4)
    clean = criterion("circle2d/speed").label(episodes)
    assert np.mean(noisy.label(episodes) != clean) == pytest.approx(0.4, abs=0.05)
    assert (noisy.label_columns(signals, episodes.starts) == clean).all()


def test_styles_are_asked_for_by_name_or_number() -> None:
    radius = criterion("radius")
    assert [radius.style_index(style) for style in ("small", "large", 1, 2)] == [0, 2, 1, 2]


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: criterion("radios"), "no criterion 'radios'; did you mean radius?"),
        (lambda: criterion("circle2d/sped"), "did you mean circle2d/speed?"),
        (lambda: criterion("circle2d/speed", windows=3), "no setting of circle2d/speed 'windows'; did you mean window"),
        (lambda: criterion("circle2d/speed", bounds=(3.0, 1.0)), "bounds must increase"),
        (lambda: criterion("circle2d/speed", bounds=1), "circle2d/speed cannot be built with bounds=1"),
        (lambda: criterion("radius", size=50), "size is the odd number of steps"),
        (lambda: criterion("circle2d/speed", window=0), "window radius of 0; the smallest is 1"),
        (lambda: criterion("circle2d/speed", noise=1.5), "a share of 0 to 1"),
        (lambda: criterion("radius").style_index("tiny"), "no style of circle2d/radius 'tiny'"),
        (lambda: criterion("radius").style_index(7), "no style number 7; it has 0 to 3"),
        (lambda: criterion("radius").style_index("straight"), "'straight' of circle2d/radius cannot be asked for"),
        (lambda: bins("x", [0.0, 1.0], ["low", "high"]), "2 edges, which part 3 styles, not 2"),
        (lambda: labels_of("circle2d/speed", {"dx": np.zeros(2)}), "speed reads dy, which the data does not have"),
        (lambda: labels_of("circle2d/speed", {"dx": np.zeros(2), "dy": np.full(2, np.nan)}), "'dy' of the data is nan"),
        (lambda: labels_of("circle2d/speed", {"dx": np.zeros(2), "dy": np.zeros(3)}), "shape"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence(mistake: Callable[[], object], sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence):
        mistake()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (np.array([0, 2]), "labels step 1 with 2; its 2 styles are numbered 0 to 1"),
        (np.array([0.0, 1.0]), "float64 labels; they must be whole numbers"),
        (np.array([0]), r"labels of shape \(1,\); \(2,\) is one a step"),
    ],
)
def test_what_a_users_function_gives_is_checked(answer: np.ndarray, sentence: str) -> None:
    mine = Criterion(name="mine", styles=("a", "b"), signals=("x",), function=lambda columns, starts: answer)
    with pytest.raises(SciqlError, match=sentence):
        mine.label_columns({"x": np.zeros(2)}, np.array([0, 2]))


def test_bins_of_a_signal_make_a_criterion() -> None:
    height = bins("height", [0.5, 1.0], ["low", "middle", "high"])
    assert height.label_columns({"height": np.array([0.4, 0.5, 0.99, 1.0])}, np.array([0, 4])).tolist() == [0, 1, 1, 2]


def test_a_report_counts_shares_changes_and_runs() -> None:
    speeds = np.array([0.6, 0.6, 2.9, 2.9, 1.5, 1.5, 1.5, 1.5])
    signals = {"dx": speeds, "dy": np.zeros(8), "turn": np.zeros(8)}
    report = label_report(criterion("circle2d/speed"), episodes_of(signals, 4))
    assert [style.share for style in report.styles] == [0.25, 0.5, 0.25]
    assert [style.episode_std for style in report.styles] == [0.25, 0.5, 0.25]
    # One change inside the first episode; the change to the next episode is none.
    assert report.flicker == pytest.approx(1 / 6)
    assert report.mean_run == pytest.approx(8 / 3)
