"""Circle2d: an agent that roams a square, and a ring that it is rewarded for drawing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import gymnasium
import numpy as np
from jaxtyping import Float

from sciql.envs.simulator import EnvironmentSpec, Transition
from sciql.errors import SciqlError, unknown

Column = Float[np.ndarray, " count"]


@dataclass(frozen=True)
class Circle2dSettings:
    """The square, the agent's reach and the ring."""

    reward: Literal["gaussian", "neg_abs"] = "gaussian"
    """`gaussian`: exp(-d^2 / (2 * 5^2)) where d is the distance to the ring; `neg_abs`: -d."""
    half_width: float = 50.0
    """The square is [-half_width, half_width]^2."""
    start_half_width: float = 35.0
    """Episodes start uniformly in this smaller square."""
    slowest: float = 0.5
    """Distance made in a step at action -1."""
    fastest: float = 3.0
    """Distance made in a step at action 1."""
    ring_centre: tuple[float, float] = (0.0, 5.0)
    ring_radius: float = 5.0
    reward_width: float = 5.0
    """Spread of the Gaussian reward."""

    def __post_init__(self) -> None:
        if self.reward not in REWARDS:
            raise unknown("reward", self.reward, REWARDS)
        # What comes out of a file is a list, which could not be hashed.
        x, y = self.ring_centre
        object.__setattr__(self, "ring_centre", (float(x), float(y)))


def circle2d_settings(**chosen: Any) -> Circle2dSettings:
    """The settings of these names, or a sentence about a name that is none."""
    known = [field.name for field in fields(Circle2dSettings)]
    for name in chosen:
        if name not in known:
            raise unknown("setting of Circle2d", name, known)
    return Circle2dSettings(**chosen)


def gaussian(distance: Column, settings: Circle2dSettings) -> Column:
    return np.exp(-(distance**2) / (2 * settings.reward_width**2))


def neg_abs(distance: Column, settings: Circle2dSettings) -> Column:
    return -distance


REWARDS: Mapping[str, Callable[[Column, Circle2dSettings], Column]] = {"gaussian": gaussian, "neg_abs": neg_abs}
REMEMBERED = 4  # an observation is this many (x, y, heading), the newest first
SIGNALS = ("x", "y", "heading", "dx", "dy", "turn")
HORIZON = 1000


def wrap(angle: np.ndarray) -> np.ndarray:
    """The same angle in [-pi, pi)."""
    return angle - 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))


class Circle2dSimulator:
    """Every episode's position and heading, stepped together."""

    def __init__(self, settings: Circle2dSettings | None = None) -> None:
        self.settings = settings or Circle2dSettings()
        self.place(np.zeros((0, 3)))

    @property
    def spec(self) -> EnvironmentSpec:
        ages = ("", *(f" {age} steps ago" for age in range(1, REMEMBERED)))
        return EnvironmentSpec(
            env_id="sciql/Circle2d-v0",
            observation_size=3 * REMEMBERED,
            action_size=2,
            horizon=HORIZON,
            observation_names=tuple(name + age for age in ages for name in ("x", "y", "heading")),
            action_names=("turn", "speed"),
            signals=SIGNALS,
            task_range=self._task_range(),
        )

    def _task_range(self) -> tuple[float, float]:
        """The return of an episode spent in the corner farthest from the ring, and of one spent on the ring.

        The Gaussian reward counts from 0, as the corner's is 0 for all purposes.
        """
        if self.settings.reward == "gaussian":
            return 0.0, float(HORIZON)
        corner = np.abs(self.settings.ring_centre) + self.settings.half_width
        return -HORIZON * float(np.hypot(*corner) - self.settings.ring_radius), 0.0

    def reset(self, rng: np.random.Generator, count: int) -> Float[np.ndarray, "count d"]:
        """Begin `count` episodes: a uniform position in the start square, a uniform heading."""
        reach = np.array([self.settings.start_half_width, self.settings.start_half_width, np.pi])
        return self.place(rng.uniform(-reach, reach, size=(count, 3)))

    def place(self, poses: Float[np.ndarray, "count 3"]) -> Float[np.ndarray, "count d"]:
        """Begin episodes at given (x, y, heading).

        They are rounded to what an observation can hold, so that an episode can be played again from its record.
        """
        poses = np.asarray(poses, np.float32)
        self._x, self._y, self._heading = (np.ascontiguousarray(column, np.float64) for column in poses.T)
        self._observations = np.tile(poses, (1, REMEMBERED))
        return self._observations

    def step(self, actions: Float[np.ndarray, "count m"]) -> Transition:
        """Rotate, then move along the new heading; the square's walls stop the agent."""
        if np.shape(actions) != (len(self._x), 2):
            raise SciqlError(f"Circle2d takes actions of shape ({len(self._x)}, 2), not {np.shape(actions)}")
        settings = self.settings
        command = np.clip(np.asarray(actions, np.float64), -1, 1)
        turn = wrap(np.pi * command[:, 0])
        speed = settings.slowest + (command[:, 1] + 1) / 2 * (settings.fastest - settings.slowest)
        heading = wrap(self._heading + turn)
        x = np.clip(self._x + speed * np.cos(heading), -settings.half_width, settings.half_width)
        y = np.clip(self._y + speed * np.sin(heading), -settings.half_width, settings.half_width)
        columns = (self._x, self._y, self._heading, x - self._x, y - self._y, turn)
        signals = {name: column.astype(np.float32) for name, column in zip(SIGNALS, columns, strict=True)}
        self._x, self._y, self._heading = x, y, heading
        pose = np.stack([x, y, heading], axis=1).astype(np.float32)
        self._observations = np.concatenate([pose, self._observations[:, :-3]], axis=1)
        rewards = REWARDS[settings.reward](self._distance_to_ring(), settings).astype(np.float32)
        return Transition(self._observations, rewards, np.zeros(len(x), bool), signals)

    def _distance_to_ring(self) -> Column:
        x, y = self.settings.ring_centre
        return np.abs(np.hypot(self._x - x, self._y - y) - self.settings.ring_radius)


class Circle2d(gymnasium.Env[np.ndarray, np.ndarray]):
    """One episode of Circle2d as gymnasium knows it; `info` carries the signals of the transition."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None, size: int = 480, **settings: Any) -> None:
        self.render_mode = render_mode
        self.size = size
        self.simulator = Circle2dSimulator(circle2d_settings(**settings))
        wall = self.simulator.settings.half_width
        high = np.tile(np.array([wall, wall, np.pi], np.float32), REMEMBERED)
        self.observation_space = gymnasium.spaces.Box(-high, high, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._poses: list[np.ndarray] = []
        self._labels: list[int | None] = []
        self._label: int | None = None

    def mark(self, label: int | None) -> None:
        """Draw the path of the steps to come in the colour of this label, or in the plain colour."""
        self._label = label

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode, at `options["pose"]` = (x, y, heading) if it is given."""
        super().reset(seed=seed)
        if options and "pose" in options:
            observation = self.simulator.place(np.array([options["pose"]]))[0]
        else:
            observation = self.simulator.reset(self.np_random, 1)[0]
        self._poses, self._labels = [observation[:3]], []
        return observation, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        observations, rewards, terminations, signals = self.simulator.step(np.asarray(action)[None])
        self._poses.append(observations[0, :3])
        self._labels.append(self._label)
        info = {name: float(column[0]) for name, column in signals.items()}
        return observations[0], float(rewards[0]), bool(terminations[0]), False, info

    def render(self) -> np.ndarray | None:
        """A picture of the episode so far, size x size x 3."""
        if self.render_mode is None:
            return None
        from sciql.envs.circle2d_render import draw

        return draw(np.array(self._poses), self._labels, self.simulator.settings, self.size)
