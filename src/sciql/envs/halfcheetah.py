"""HalfCheetah: Gymnasium's HalfCheetah-v5, with signals and a simulator of many episodes at once."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from jaxtyping import Float, Int

from sciql.envs.halfcheetah_body import MOTORS, POSITIONS, VELOCITIES, Cheetah, load_model, mujoco, posture
from sciql.envs.simulator import EnvironmentSpec, Transition
from sciql.errors import SciqlError

if TYPE_CHECKING:
    from sciql.envs.halfcheetah_camera import Camera

ENV_ID = "sciql/HalfCheetah-v0"
HORIZON = 1000
FRAME_SKIP = 5  # physics steps of 0.01 s an action
START_NOISE = 0.1
STANDING = 0.7  # height of the torso at position 0
CONTROL_COST = 0.1
TASK_RANGE = (-10.0, 10_000.0)
SIGNALS = ("velocity", "torso_height", "torso_angle", "backfoot_height", "frontfoot_height")
JOINTS = ("x", "z", "pitch", "back thigh", "back shin", "back foot", "front thigh", "front shin", "front foot")
SNAPSHOT = mujoco.mjtState.mjSTATE_INTEGRATION
"""All that the next step depends on, the solver's first guess too."""


def control_cost(actions: Float[np.ndarray, "count 6"]) -> Float[np.ndarray, " count"]:
    return CONTROL_COST * np.square(actions).sum(axis=1)


def posture_of(observations: Any) -> tuple[Any, Any]:
    """Height and angle of the torso, which an observation holds; of numpy or of JAX."""
    return STANDING + observations[:, 0], (observations[:, 1] + np.pi) % (2 * np.pi) - np.pi


def positions_of(
    observation: Float[np.ndarray, " d"], velocities: Float[np.ndarray, " steps"]
) -> Float[np.ndarray, "9"]:
    """Where every joint is, from an observation and the velocities of the episode's steps before it."""
    way = velocities.sum(dtype=np.float64) * FRAME_SKIP * load_model().opt.timestep
    return np.concatenate([[way], observation[: POSITIONS - 1]])


class HalfCheetahSimulator:
    """A cheetah of its own for every episode, stepped by as many threads as there are cores.

    MuJoCo's own `rollout` would start its solver anew at every action; a cheetah that is kept goes on from its last
    guess as Gymnasium's does, and so agrees with it bit for bit.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))
        self._cheetahs: list[Cheetah] = []

    @property
    def spec(self) -> EnvironmentSpec:
        names = (*JOINTS[1:], *(f"velocity of {joint}" for joint in JOINTS))
        return EnvironmentSpec(
            env_id=ENV_ID,
            observation_size=POSITIONS - 1 + VELOCITIES,
            action_size=MOTORS,
            horizon=HORIZON,
            observation_names=names,
            action_names=JOINTS[3:],
            signals=SIGNALS,
            task_range=TASK_RANGE,
        )

    @property
    def positions(self) -> Float[np.ndarray, "count 9"]:
        """Where every joint is, the way that each cheetah has come first."""
        return self._positions.copy()

    def cheetah(self, row: int) -> Cheetah:
        """One of them as MuJoCo knows it."""
        return self._cheetahs[row]

    def reset(self, rng: np.random.Generator, count: int) -> Float[np.ndarray, "count d"]:
        """Begin `count` episodes as Gymnasium does: standing, with noise."""
        model = load_model()
        self._cheetahs = [*self._cheetahs, *(mujoco.MjData(model) for _ in range(count - len(self._cheetahs)))][:count]
        # Asking MuJoCo for a view of its columns takes longer than copying them.
        self._views = [(cheetah.ctrl, cheetah.qpos, cheetah.qvel) for cheetah in self._cheetahs]
        self._positions, self._velocities = np.zeros((count, POSITIONS)), np.zeros((count, VELOCITIES))
        return self.restart(rng, range(count))

    def restart(self, rng: np.random.Generator, rows: Sequence[int]) -> Float[np.ndarray, "count d"]:
        """Begin these episodes anew, and let the others go on."""
        for row in rows:
            # Episode by episode, so that fewer of the same seed are the first of more.
            positions = rng.uniform(-START_NOISE, START_NOISE, POSITIONS)
            self._place(row, positions, START_NOISE * rng.standard_normal(VELOCITIES))
        return self._observations()

    def place(
        self, positions: Float[np.ndarray, "count 9"], velocities: Float[np.ndarray, "count 9"]
    ) -> Float[np.ndarray, "count d"]:
        """Begin episodes in given states."""
        self.reset(np.random.default_rng(0), len(positions))
        for row in range(len(positions)):
            self._place(row, positions[row], velocities[row])
        return self._observations()

    def _place(self, row: int, positions: Float[np.ndarray, "9"], velocities: Float[np.ndarray, "9"]) -> None:
        model, cheetah = load_model(), self._cheetahs[row]
        mujoco.mj_resetData(model, cheetah)
        cheetah.qpos[:], cheetah.qvel[:] = positions, velocities
        mujoco.mj_forward(model, cheetah)
        self._positions[row], self._velocities[row] = positions, velocities

    def step(self, actions: Float[np.ndarray, "count m"]) -> Transition:
        """One action of every cheetah, held for five steps of the physics."""
        count = len(self._cheetahs)
        if np.shape(actions) != (count, MOTORS):
            raise SciqlError(f"HalfCheetah takes actions of shape ({count}, {MOTORS}), not {np.shape(actions)}")
        command = np.clip(np.asarray(actions, np.float32), -1, 1)
        before, signals = self._positions[:, 0].copy(), posture(self._positions)
        if self.threads == 1 or count == 1:
            self._advance(range(count), command)
        else:
            shares = np.array_split(np.arange(count), min(self.threads, count))
            list(self._pool.map(lambda rows: self._advance(rows, command), shares))
        velocity = (self._positions[:, 0] - before) / (FRAME_SKIP * load_model().opt.timestep)
        noticed = {name: column.astype(np.float32) for name, column in ({"velocity": velocity} | signals).items()}
        rewards = (velocity - control_cost(command)).astype(np.float32)
        return Transition(self._observations(), rewards, np.zeros(count, bool), noticed)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads, thread_name_prefix="halfcheetah")

    def _advance(self, rows: Sequence[int] | Int[np.ndarray, " rows"], command: Float[np.ndarray, "count 6"]) -> None:
        """Step some of the cheetahs; MuJoCo lets other threads run meanwhile."""
        model = load_model()
        for row in rows:
            motors, positions, velocities = self._views[row]
            motors[:] = command[row]
            mujoco.mj_step(model, self._cheetahs[row], FRAME_SKIP)
            self._positions[row], self._velocities[row] = positions, velocities

    def _observations(self) -> Float[np.ndarray, "count d"]:
        """Everything but the way that the cheetah has come."""
        return np.concatenate([self._positions[:, 1:], self._velocities], axis=1).astype(np.float32)

    def snapshot(self) -> Float[np.ndarray, "count s"]:
        """All cheetahs as they are, to go on from later."""
        model = load_model()
        kept = np.empty((len(self._cheetahs), mujoco.mj_stateSize(model, SNAPSHOT)))
        for row, cheetah in zip(kept, self._cheetahs, strict=True):
            mujoco.mj_getState(model, cheetah, row, SNAPSHOT)
        return kept

    def restore(self, kept: Float[np.ndarray, "count s"]) -> Float[np.ndarray, "count d"]:
        """Go on from a snapshot, bit for bit as if there had been no break."""
        self.reset(np.random.default_rng(0), len(kept))
        for row, cheetah in enumerate(self._cheetahs):
            mujoco.mj_setState(load_model(), cheetah, kept[row], SNAPSHOT)
            self._positions[row], self._velocities[row] = cheetah.qpos, cheetah.qvel
        return self._observations()


class HalfCheetah(gymnasium.Env[np.ndarray, np.ndarray]):
    """One episode of HalfCheetah as gymnasium knows it; `info` carries the signals of the transition."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None, size: int = 480) -> None:
        self.render_mode = render_mode
        self.size = size
        self.simulator = HalfCheetahSimulator(threads=1)
        width = self.simulator.spec.observation_size
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (MOTORS,), np.float32)
        self._camera: Camera | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; the same seed begins the same one as Gymnasium's HalfCheetah-v5."""
        super().reset(seed=seed)
        return self.simulator.reset(self.np_random, 1)[0], {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        observations, rewards, terminations, signals = self.simulator.step(np.asarray(action)[None])
        info = {name: float(column[0]) for name, column in signals.items()}
        return observations[0], float(rewards[0]), bool(terminations[0]), False, info

    def render(self) -> np.ndarray | None:
        """A picture by MuJoCo's own renderer, size x size x 3; it needs no display."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            from sciql.envs.halfcheetah_camera import Camera

            self._camera = Camera(self.size)
        return self._camera.picture(self.simulator.cheetah(0))

    def close(self) -> None:
        """Give back what drawing took."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None
