"""Policies written by hand, whose scores are known beforehand, and a small dataset under the name of a large one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from sciql.criteria import Criterion
from sciql.criteria import criterion as criterion_named
from sciql.datasets.recipes import RECIPES
from sciql.rollout import Play

NAME = "circle2d-inplace-v0"
SPEED = criterion_named("circle2d/speed")
CHEETAH_SPEED = criterion_named("halfcheetah/speed")
GENTLE = 0.2  # a turn that keeps the agent off the walls at any speed
SLOW, MEDIUM, FAST = -1.0, 0.0, 1.0


@dataclass(frozen=True)
class Pacer:
    """Goes round at the speed it is asked for, or always slowly when it is deaf."""

    deaf: bool = False
    criterion: Criterion | None = SPEED
    environment: str | None = "sciql/Circle2d-v0"
    method: str = "sciql_style_task"

    @property
    def conditioned(self) -> bool:
        return not self.deaf

    @property
    def styles(self) -> tuple[str, ...]:
        return ("slow", "medium", "fast")

    def actor(self, seed: int) -> Play:
        def act(observations: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
            speeds = np.array([SLOW, MEDIUM, FAST], np.float32)
            speed = np.full(len(observations), SLOW) if self.deaf or asked is None else speeds[asked]
            return np.stack([np.full(len(observations), GENTLE), speed], axis=1).astype(np.float32)

        return act


@contextmanager
def small_dataset(folder: Path) -> Iterator[None]:
    """A registry of datasets in `folder`, where NAME has 20 episodes of 120 steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINARI_DATASETS_PATH", str(folder))
        patch.setitem(RECIPES, NAME, replace(RECIPES[NAME], episodes=20, steps=120))
        yield


@dataclass(frozen=True)
class Kicker:
    """A cheetah that kicks the harder the faster it is asked to be."""

    criterion: Criterion | None = CHEETAH_SPEED
    environment: str | None = "sciql/HalfCheetah-v0"
    method: str = "cbc"
    conditioned: bool = True
    styles: tuple[str, ...] = ("slow", "medium", "fast")

    def actor(self, seed: int) -> Play:
        def act(observations: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
            strength = np.zeros(len(observations)) if asked is None else asked / 2
            return np.repeat((strength * np.sign(observations[:, 2]))[:, None], 6, axis=1).astype(np.float32)

        return act
