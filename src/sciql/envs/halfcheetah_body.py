"""The cheetah's body: Gymnasium's model, and the heights and angles that labelling functions read.

The cheetah lives in a plane, so where its parts are is a sum over the joints on the way there. Written out over whole
columns, that costs nothing beside the physics, and needs no simulator: a recorded state is enough.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import mujoco as compiled
import numpy as np
from jaxtyping import Float

mujoco: Any = compiled  # its names come out of compiled modules, which tell a type checker nothing
Model = Any
"""MuJoCo's MjModel: what never changes of a body."""
Cheetah = Any
"""MuJoCo's MjData: a body in motion."""

CAPSULES = ("torso", "head", "bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot")
POSITIONS, VELOCITIES, MOTORS = 9, 9, 6
TOTAL_MASS = 14.0

Column = Float[np.ndarray, " count"]


@cache
def load_model() -> Model:
    """Gymnasium's half_cheetah.xml.

    MuJoCo warns of two old attributes in it, on the terminal and in a file in the user's folder. We say the same in the
    words of today: the total mass is set after compiling, and the memory is given in bytes.
    """
    text = (files("gymnasium") / "envs" / "mujoco" / "assets" / "half_cheetah.xml").read_text(encoding="utf-8")
    text = text.replace(f' settotalmass="{TOTAL_MASS:g}"', "").replace('nstack="300000"', 'memory="1M"')
    model = mujoco.MjModel.from_xml_string(text)
    mujoco.mj_setTotalmass(model, TOTAL_MASS)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def wrap(angle: np.ndarray) -> np.ndarray:
    """The same angle in [-pi, pi)."""
    return angle - 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))


def posture(positions: Float[np.ndarray, "count 9"]) -> dict[str, Column]:
    """Height and angle of the torso, and the lowest point of each foot, from the joints' positions."""
    return {
        "torso_height": limb("torso").offsets[0][2] + positions[:, 1],
        "torso_angle": wrap(positions[:, 2]),
        "backfoot_height": lowest_point(positions, "bfoot"),
        "frontfoot_height": lowest_point(positions, "ffoot"),
    }


@dataclass(frozen=True)
class Limb:
    """The way from the ground to a capsule: for each body on it, where it hangs on the last and what moves it."""

    offsets: tuple[Float[np.ndarray, "3"], ...]
    slides: tuple[tuple[int, ...], ...]
    """Positions that shift the body, along x or z."""
    hinges: tuple[tuple[int, ...], ...]
    """Positions that turn it."""
    ends: tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]]
    """Of the capsule's axis, in its body."""
    radius: float


@cache
def limb(name: str) -> Limb:
    """The way to a capsule."""
    model = load_model()
    capsule = model.geom(name).id
    body, path = int(model.geom_bodyid[capsule]), []
    while body:
        path.insert(0, body)
        body = int(model.body_parentid[body])
    joints = [
        range(int(model.body_jntadr[part]), int(model.body_jntadr[part] + model.body_jntnum[part])) for part in path
    ]
    turns = model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE
    centre, along, (radius, half_length) = model.geom_pos[capsule], np.zeros(3), model.geom_size[capsule][:2]
    mujoco.mju_rotVecQuat(along, np.array([0.0, 0.0, half_length]), model.geom_quat[capsule])
    return Limb(
        offsets=tuple(model.body_pos[part].copy() for part in path),
        slides=tuple(tuple(joint for joint in some if not turns[joint]) for some in joints),
        hinges=tuple(tuple(joint for joint in some if turns[joint]) for some in joints),
        ends=(centre - along, centre + along),
        radius=float(radius),
    )


def capsule_ends(positions: Float[np.ndarray, "count 9"], name: str) -> Float[np.ndarray, "count 2 2"]:
    """Both ends of a capsule's axis, as (x, z)."""
    way, place, angle = limb(name), np.zeros((len(positions), 2)), np.zeros(len(positions))
    for offset, slides, hinges in zip(way.offsets, way.slides, way.hinges, strict=True):
        place = place + _turned(angle, offset)
        for joint in slides:
            place = place + positions[:, joint, None] * load_model().jnt_axis[joint][[0, 2]]
        angle = angle + sum(positions[:, joint] for joint in hinges)
    return np.stack([place + _turned(angle, end) for end in way.ends], axis=1)


def lowest_point(positions: Float[np.ndarray, "count 9"], name: str) -> Column:
    """Height of the lowest point of a capsule."""
    return capsule_ends(positions, name)[:, :, 1].min(axis=1) - limb(name).radius


def _turned(angle: Column, offset: Float[np.ndarray, "3"]) -> Float[np.ndarray, "count 2"]:
    """An offset, as (x, z), once it is turned about the y axis."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([offset[0] * cosine + offset[2] * sine, offset[2] * cosine - offset[0] * sine], axis=1)
