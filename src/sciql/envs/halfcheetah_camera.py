"""Pictures of the cheetah by MuJoCo's own renderer, on machines without a display too."""

import os
import sys
from ctypes.util import find_library
from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import UInt8

from sciql.envs.halfcheetah_body import Cheetah, load_model, mujoco
from sciql.errors import SciqlError, reason

LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
"""MuJoCo's ways to draw without a display, and the library that each needs."""
NO_GL = (
    "MuJoCo found no OpenGL to draw with; install EGL (on Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri) "
    "or OSMesa (libosmesa6)"
)


def backend() -> str:
    """How to draw: as MUJOCO_GL says, or else in the first way that this machine has the library for."""
    if chosen := os.environ.get("MUJOCO_GL", "").lower():
        return chosen
    if sys.platform == "darwin":
        return "glfw"
    for name, library in LIBRARIES.items():
        if find_library(library):
            return name
    raise SciqlError(NO_GL)


class Camera:
    """Follows the cheetah from the side, as Gymnasium's does."""

    def __init__(self, size: int) -> None:
        model, name = load_model(), backend()
        try:
            self._context: Any = import_module(f"mujoco.{name}").GLContext(size, size)
            self._context.make_current()
            model.vis.global_.offwidth, model.vis.global_.offheight = size, size
            self._renderer = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._renderer)
        # PyOpenGL, the drivers and MuJoCo fail in ways that cannot be listed; none of them says what to do.
        except Exception as problem:
            sentence = f"{NO_GL}, or name another way in MUJOCO_GL: {name} failed ({reason(problem)})"
            raise SciqlError(sentence) from problem
        self._view = mujoco.MjrRect(0, 0, size, size)
        self._scene = mujoco.MjvScene(model, maxgeom=100)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = model.camera("track").id

    def picture(self, cheetah: Cheetah) -> UInt8[np.ndarray, "size size 3"]:
        """The cheetah as it stands."""
        self._context.make_current()
        options = mujoco.MjvOption()
        everything = mujoco.mjtCatBit.mjCAT_ALL
        # Drawing needs where all parts are, which a step leaves as it was before its last part. What the next step
        # begins from must not change for being looked at.
        seen = mujoco.MjData(load_model())
        seen.qpos[:], seen.qvel[:] = cheetah.qpos, cheetah.qvel
        mujoco.mj_forward(load_model(), seen)
        mujoco.mjv_updateScene(load_model(), seen, options, None, self._camera, everything, self._scene)
        mujoco.mjr_render(self._view, self._scene, self._renderer)
        pixels = np.empty((self._view.height, self._view.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._view, self._renderer)
        return pixels[::-1].copy()

    def close(self) -> None:
        """Free the graphics memory."""
        self._renderer.free()
        self._context.free()
