"""HalfCheetah: Gymnasium's own physics bit for bit, in a batch as one by one, with heights and angles that are true."""

import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from sciql.criteria import criterion
from sciql.envs import get_simulator, get_spec
from sciql.envs.halfcheetah import HalfCheetahSimulator, posture_of
from sciql.envs.halfcheetah_body import load_model, mujoco, posture
from sciql.envs.halfcheetah_camera import backend
from sciql.envs.simulator import Transition
from sciql.errors import SciqlError

ENV = "sciql/HalfCheetah-v0"
STEPS = 120


def actions(count: int, steps: int = STEPS) -> np.ndarray:
    return np.random.default_rng(1).uniform(-1.2, 1.2, (steps, count, 6)).astype(np.float32)


def play(simulator: HalfCheetahSimulator, commands: np.ndarray) -> list[Transition]:
    return [simulator.step(row) for row in commands]


def test_the_model_is_gymnasiums_whatever_warning_it_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    load_model.cache_clear()
    ours = load_model()
    assert list(tmp_path.iterdir()) == [], "MuJoCo writes its warnings into the user's folder"
    theirs = gymnasium.make("HalfCheetah-v5").unwrapped.model  # pyright: ignore[reportAttributeAccessIssue]
    for name in dir(theirs):
        column = getattr(theirs, name)
        if isinstance(column, np.ndarray) and name != "_sizes":
            np.testing.assert_array_equal(column, getattr(ours, name), name)


def test_it_is_gymnasiums_halfcheetah_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours = gymnasium.make(ENV, disable_env_checker=True)
    theirs = gymnasium.make("HalfCheetah-v5", disable_env_checker=True)
    seen, _ = ours.reset(seed=5)
    np.testing.assert_array_equal(seen, theirs.reset(seed=5)[0].astype(np.float32))
    for action in actions(1)[:, 0].clip(-1, 1):
        seen, reward, terminated, truncated, info = ours.step(action)
        expected, gained, _, _, told = theirs.step(action)
        np.testing.assert_array_equal(seen, expected.astype(np.float32))
        assert reward == np.float32(gained)
        assert info["velocity"] == np.float32(told["x_velocity"])
        assert not (terminated or truncated)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_its_episodes_one_by_one(threads: int) -> None:
    commands = actions(5)
    together = HalfCheetahSimulator(threads)
    first = together.reset(np.random.default_rng(3), 5)
    steps = play(together, commands)
    rng = np.random.default_rng(3)
    for number in range(5):
        alone = HalfCheetahSimulator(1)
        np.testing.assert_array_equal(alone.reset(rng, 1)[0], first[number])
        for step, single in zip(steps, play(alone, commands[:, number, None]), strict=True):
            np.testing.assert_array_equal(step.observations[number], single.observations[0])
            assert step.rewards[number] == single.rewards[0]
            for name in single.signals:
                assert step.signals[name][number] == single.signals[name][0]


def test_signals_are_those_of_the_state_before_the_step_as_mujoco_has_them() -> None:
    simulator = HalfCheetahSimulator(1)
    simulator.reset(np.random.default_rng(0), 1)
    model, seen = load_model(), mujoco.MjData(load_model())

    def lowest(body: str) -> float:
        capsule = model.geom(body).id
        axis, (radius, half, _) = seen.geom_xmat[capsule].reshape(3, 3)[:, 2], model.geom_size[capsule]
        return seen.geom_xpos[capsule][2] - half * abs(axis[2]) - radius

    for command in actions(1):
        seen.qpos[:] = simulator.positions[0]
        mujoco.mj_kinematics(model, seen)
        turned = seen.body("torso").xmat.reshape(3, 3)
        expected = {
            "torso_height": seen.body("torso").xpos[2],
            "torso_angle": np.arctan2(-turned[2, 0], turned[0, 0]),
            "backfoot_height": lowest("bfoot"),
            "frontfoot_height": lowest("ffoot"),
        }
        before = simulator.positions[0, 0]
        signals = simulator.step(command).signals
        expected["velocity"] = (simulator.positions[0, 0] - before) / 0.05
        assert set(signals) == set(get_spec(ENV).signals)
        for name, value in expected.items():
            assert signals[name][0] == pytest.approx(value, abs=1e-6), name


def test_an_observation_holds_the_posture() -> None:
    simulator = HalfCheetahSimulator(1)
    seen = simulator.reset(np.random.default_rng(0), 4)
    truth = posture(simulator.positions)
    height, angle = posture_of(seen)
    np.testing.assert_allclose(height, truth["torso_height"], atol=1e-6)
    np.testing.assert_allclose(angle, truth["torso_angle"], atol=1e-6)


def test_a_snapshot_goes_on_as_if_there_had_been_no_break() -> None:
    commands = actions(3, 60)
    simulator = HalfCheetahSimulator(1)
    simulator.reset(np.random.default_rng(0), 3)
    play(simulator, commands[:30])
    kept = simulator.snapshot()
    expected = play(simulator, commands[30:])[-1]
    other = HalfCheetahSimulator(1)
    other.restore(kept)
    np.testing.assert_array_equal(play(other, commands[30:])[-1].observations, expected.observations)


def test_some_episodes_begin_anew_while_others_go_on() -> None:
    commands = actions(3, 20)
    simulator, undisturbed = HalfCheetahSimulator(1), HalfCheetahSimulator(1)
    for one in (simulator, undisturbed):
        one.reset(np.random.default_rng(0), 3)
        play(one, commands[:10])
    seen = simulator.restart(np.random.default_rng(9), [1])
    np.testing.assert_array_equal(seen[1], HalfCheetahSimulator(1).reset(np.random.default_rng(9), 1)[0])
    after, expected = (play(one, commands[10:])[-1].observations for one in (simulator, undisturbed))
    np.testing.assert_array_equal(after[[0, 2]], expected[[0, 2]])
    assert (after[1] != expected[1]).any()


def test_wrong_shapes_are_told_in_a_sentence() -> None:
    simulator = get_simulator(ENV)
    simulator.reset(np.random.default_rng(0), 2)
    with pytest.raises(SciqlError, match=r"actions of shape \(2, 6\), not \(3, 6\)"):
        simulator.step(np.zeros((3, 6)))


def test_looking_at_a_cheetah_does_not_change_its_way() -> None:
    pytest.importorskip("OpenGL")
    try:
        env = gymnasium.make(ENV, render_mode="rgb_array", size=64, disable_env_checker=True)
        env.reset(seed=0)
        first = env.render()
    except SciqlError as none:
        pytest.skip(str(none))
    blind = gymnasium.make(ENV, disable_env_checker=True)
    blind.reset(seed=0)
    for action in actions(1, 3)[:, 0]:
        np.testing.assert_array_equal(env.step(action)[0], blind.step(action)[0])
        env.render()
    last = env.render()
    assert isinstance(first, np.ndarray) and isinstance(last, np.ndarray)
    assert first.shape == (64, 64, 3) and (first != last).any()
    env.close()


def test_the_way_to_draw_is_chosen_unless_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("sciql.envs.halfcheetah_camera.find_library", lambda name: name == "OSMesa")
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert backend() == "glfw"
    monkeypatch.delenv("MUJOCO_GL")
    assert backend() == "osmesa"
    monkeypatch.setattr("sciql.envs.halfcheetah_camera.find_library", lambda name: None)
    with pytest.raises(SciqlError, match=r"no OpenGL to draw with; install EGL .* or OSMesa"):
        backend()


def test_a_failing_renderer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "crayons")
    env = gymnasium.make(ENV, render_mode="rgb_array", disable_env_checker=True)
    env.reset(seed=0)
    with pytest.raises(SciqlError, match="name another way in MUJOCO_GL: crayons failed"):
        env.render()


@pytest.mark.parametrize(
    ("name", "signal", "values", "labels"),
    [
        ("speed", "velocity", [0.0, -1.0, 3.39, 3.41, -6.69, 6.71, -20.0, 12.0], [0, 0, 0, 1, 1, 2, 2, 2]),
        ("angle", "torso_angle", [-3.0, -0.11, -0.09, 0.0, 0.09, 0.11, 3.0], [0, 0, 1, 1, 1, 2, 2]),
        ("torso_height", "torso_height", [0.1, 0.53, 0.54, 0.66, 0.67, 1.2], [0, 0, 1, 1, 2, 2]),
        (
            "backfoot_height",
            "backfoot_height",
            [-0.01, 0.07, 0.08, 0.14, 0.16, 0.22, 0.23],
            [0, 0, 1, 1, 2, 2, 3],
        ),
        ("frontfoot_height", "frontfoot_height", [-0.01, 0.07, 0.08, 0.14, 0.16, 0.22, 0.3], [0, 0, 1, 1, 2, 2, 3]),
    ],
)
def test_criteria_are_bins_of_one_width(name: str, signal: str, values: list[float], labels: list[int]) -> None:
    made = criterion(f"halfcheetah/{name}")
    columns = {signal: np.array(values, np.float32)}
    assert made.label_columns(columns, np.array([0, len(values)])).tolist() == labels
    assert made.prompts == tuple(range(4 if "foot" in name else 3))


def test_a_short_name_that_two_environments_have_is_told_apart_by_the_signals() -> None:
    assert criterion("speed").name == "circle2d/speed"
    for environment in ("circle2d", "halfcheetah"):
        spec = get_spec({"circle2d": "sciql/Circle2d-v0", "halfcheetah": ENV}[environment])
        assert criterion("speed", signals=spec.signals).name == f"{environment}/speed"
    assert criterion("angle").name == "halfcheetah/angle"
