"""The archetypes of HalfCheetah: what each is rewarded for, and how well it has to do it."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from sciql.envs.halfcheetah import CONTROL_COST
from sciql.errors import unknown

WARM_UP = 50
"""First steps of an episode, in which a posture is still being taken up; the posture's share does not count them."""
SHARE = 0.8
"""Of the steps after that, how many have to be within one width of a posture's target."""

Array = Any
"""Of numpy or of JAX: a reward is arithmetic alone, so that it can be given anew to any record of the past."""


@dataclass(frozen=True)
class Archetype:
    """A way of moving, as a reward on what every record of a cheetah holds."""

    name: str
    kind: Literal["task", "speed", "angle", "height"]
    target: float = 0.0
    """Velocity, angle or height."""
    width: float = 0.0
    """How far from its target a posture may be; for a speed, what its mean error may be."""
    pace: float = 0.0
    """Mean velocity that a posture has to keep up."""

    def reward(self, velocity: Array, height: Array, angle: Array, actions: Array) -> Array:
        """The reward of a transition with this velocity and these actions that ends in this height and angle."""
        cost = CONTROL_COST * (actions**2).sum(-1)
        if self.kind == "task":
            return velocity - cost
        if self.kind == "speed":
            return -abs(velocity - self.target) - cost
        value = height if self.kind == "height" else angle
        near = 2.718281828459045 ** (-0.5 * ((value - self.target) / self.width) ** 2)
        return near * (1 + velocity) - cost


@dataclass(frozen=True)
class Achieved:
    """How well an archetype is done over whole episodes."""

    velocity: float
    """Mean."""
    error: float | None
    """Of a speed: mean distance from the target."""
    share: float | None
    """Of a posture: share of the steps within its width, after the warm-up."""

    def quality(self, archetype: Archetype) -> float:
        """How far the demands are met: 1 or more when all of them are, and the more the better."""
        if self.error is not None:
            return archetype.width / max(self.error, 1e-9)
        if self.share is not None:
            return min(self.share / SHARE, self.velocity / archetype.pace)
        return self.velocity


def achieved(
    archetype: Archetype,
    velocity: Float[np.ndarray, "count steps"],
    height: Float[np.ndarray, "count steps"],
    angle: Float[np.ndarray, "count steps"],
) -> Achieved:
    """The figures of episodes of one length."""
    error = share = None
    if archetype.kind == "speed":
        error = float(np.abs(velocity - archetype.target).mean())
    elif archetype.kind != "task":
        value = (height if archetype.kind == "height" else angle)[:, WARM_UP:]
        share = float((np.abs(value - archetype.target) <= archetype.width).mean())
    return Achieved(float(velocity.mean()), error, share)


ARCHETYPES: dict[str, Archetype] = {
    archetype.name: archetype
    for archetype in (
        Archetype("expert", "task"),
        Archetype("speed-slow", "speed", 1.5, 0.15),
        Archetype("speed-medium", "speed", 5.0, 0.4),
        Archetype("speed-fast", "speed", 10.0, 0.8),
        Archetype("angle-upright", "angle", -0.2, 0.05, 1.0),
        Archetype("angle-flat", "angle", 0.0, 0.05, 2.0),
        Archetype("angle-crouching", "angle", 0.2, 0.05, 2.0),
        Archetype("height-crawling", "height", 0.5, 0.04, 1.0),
        Archetype("height-normal", "height", 0.6, 0.04, 2.0),
        Archetype("height-running", "height", 0.7, 0.04, 2.0),
    )
}


def get_archetype(name: str) -> Archetype:
    """An archetype by name."""
    if name not in ARCHETYPES:
        raise unknown("archetype", name, ARCHETYPES)
    return ARCHETYPES[name]
