"""The scripted agent of Circle2d's datasets: every episode draws a circle of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from sciql.envs.circle2d import HORIZON, Circle2dSettings, Circle2dSimulator, wrap
from sciql.envs.simulator import record
from sciql.episodes import Episodes

Column = Float[np.ndarray, " count"]
Start = Literal["inplace", "navigate"]

CENTRES = 30.0  # centres, and the starts of `navigate`, are uniform in [-30, 30]^2
RADII = (3.0, 10.0)
NOISE = (0.0, 0.2)  # spread of the noise on the turn, in radians
NEAR = 5.0  # an agent this close to its circle follows it ...
FAR = 10.0  # ... until it is that far away
PULL = 0.5  # how firmly an agent that follows its circle is drawn back to it


@dataclass(frozen=True)
class Plans:
    """What each episode is to draw, and how."""

    centres: Float[np.ndarray, "count 2"]
    radii: Column
    sides: Column
    """1 to draw counter-clockwise, -1 to draw clockwise."""
    speeds: Column
    noise: Column
    poses: Float[np.ndarray, "count 3"]
    """Where the episode starts: x, y, heading."""


def draw_plans(rng: np.random.Generator, count: int, start: Start, settings: Circle2dSettings) -> Plans:
    """Plans in rows, so that fewer episodes of the same seed are the first of more."""
    share = rng.uniform(size=(count, 9))
    centres = CENTRES * (2 * share[:, 0:2] - 1)
    radii = RADII[0] + (RADII[1] - RADII[0]) * share[:, 2]
    if start == "inplace":
        angle = 2 * np.pi * share[:, 6]
        positions = centres + radii[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        positions = CENTRES * (2 * share[:, 6:8] - 1)
    return Plans(
        centres=centres,
        radii=radii,
        sides=np.where(share[:, 3] < 0.5, -1.0, 1.0),
        speeds=settings.slowest + (settings.fastest - settings.slowest) * share[:, 4],
        noise=NOISE[0] + (NOISE[1] - NOISE[0]) * share[:, 5],
        poses=np.column_stack([positions, np.pi * (2 * share[:, 8] - 1)]),
    )


def follows(distance: Column, following: Bool[np.ndarray, " count"]) -> Bool[np.ndarray, " count"]:
    """Whether an agent at this distance from its circle follows it: from NEAR on, and then as far as FAR."""
    return np.where(following, distance <= FAR, distance <= NEAR)


def desired_direction(
    positions: Float[np.ndarray, "count 2"], following: Bool[np.ndarray, " count"], plans: Plans
) -> Float[np.ndarray, "count 2"]:
    """Along the circle and gently back to it, or straight to its nearest point."""
    offset = positions - plans.centres
    distance = np.linalg.norm(offset, axis=1)
    normal = np.where(distance[:, None] > 0, offset / np.maximum(distance, 1e-12)[:, None], [1.0, 0.0])
    missing = (plans.radii - distance)[:, None] * normal
    tangent = plans.sides[:, None] * np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    return np.where(following[:, None], tangent + PULL * missing, missing)


class CircleDrawer:
    """Acts for every episode by its plan; remembers only who follows the circle already."""

    def __init__(self, plans: Plans, rng: np.random.Generator, steps: int, settings: Circle2dSettings) -> None:
        self.plans = plans
        self.following = np.zeros(len(plans.radii), bool)
        self._speed_command = 2 * (plans.speeds - settings.slowest) / (settings.fastest - settings.slowest) - 1
        noise = rng.standard_normal((len(plans.radii), steps)) * plans.noise[:, None]
        self._noise = iter(np.ascontiguousarray(noise.T))

    def __call__(self, observations: Float[np.ndarray, "count d"]) -> Float[np.ndarray, "count 2"]:
        """The next action of every episode: turn to the desired direction, with noise, at the planned speed."""
        x, y, heading = observations[:, :3].T.astype(np.float64)
        positions = np.stack([x, y], axis=1)
        distance = np.abs(np.linalg.norm(positions - self.plans.centres, axis=1) - self.plans.radii)
        self.following = follows(distance, self.following)
        towards = desired_direction(positions, self.following, self.plans)
        turn = wrap(np.arctan2(towards[:, 1], towards[:, 0]) - heading) + next(self._noise)
        return np.clip(np.stack([turn / np.pi, self._speed_command], axis=1), -1, 1)


def demonstrate(
    start: Start,
    seed: int,
    episodes: int,
    name: str,
    steps: int = HORIZON,
    tick: Callable[[], None] = lambda: None,
) -> Episodes:
    """The scripted agent's episodes; the same seed gives the same bits."""
    simulator = Circle2dSimulator()
    plan_rng, noise_rng = np.random.default_rng(seed).spawn(2)
    plans = draw_plans(plan_rng, episodes, start, simulator.settings)
    drawer = CircleDrawer(plans, noise_rng, steps, simulator.settings)
    return record(simulator, simulator.place(plans.poses), drawer, steps, name, tick)
