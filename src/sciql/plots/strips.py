"""Film strips of HalfCheetah's archetypes: how each of them moves, a few steps apart."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import UInt8
from matplotlib.figure import Figure

from sciql.archetypes.actor import Actor
from sciql.archetypes.shapes import WARM_UP
from sciql.envs.circle2d_render import LABELS
from sciql.envs.halfcheetah import HalfCheetahSimulator
from sciql.envs.halfcheetah_render import draw
from sciql.plots.house import LIGHT, Theme, bare, canvas, heading

FRAMES = 8
STRIDE = 2  # steps between two frames, a tenth of a second
FRAME = (200, 150)  # pixels


def strips(actors: Mapping[str, Actor], theme: Theme = LIGHT, seed: int = 0) -> Figure:
    """A row an archetype; all begin at the same start, and are shown once they have taken their posture up."""
    width, height = FRAMES * FRAME[0], FRAME[1]
    inches = 9.5
    with canvas(theme, inches, inches * height / width * 1.28 * len(actors) + 0.7) as figure:
        grid = np.ravel(figure.subplots(len(actors), 1, squeeze=False))
        for number, (axes, (name, actor)) in enumerate(zip(grid, actors.items(), strict=True)):
            picture, velocity = _strip(actor, number % (len(LABELS) - 1), seed)
            axes.imshow(picture, interpolation="lanczos")
            axes.set_title(name, loc="left")
            axes.set_title(f"{velocity:.1f} m/s", loc="right", color=theme.quiet)
            bare(axes)
        note = f"{FRAMES} moments, {0.05 * STRIDE:g} s apart; without noise"
        heading(figure, "Archetypes of HalfCheetah", theme, note)
    return figure


def _strip(actor: Actor, colour: int, seed: int) -> tuple[UInt8[np.ndarray, "height width 3"], float]:
    """The frames side by side, and the mean velocity from the first to the last."""
    simulator, frames = HalfCheetahSimulator(threads=1), []
    observations, velocities = simulator.reset(np.random.default_rng(seed), 1), []
    for step in range(2 * WARM_UP + STRIDE * FRAMES):
        past = step - 2 * WARM_UP
        if past >= 0 and past % STRIDE == 0:
            frames.append(draw(simulator.positions[0], colour, *FRAME))
        observations, _, _, signals = simulator.step(actor(observations))
        velocities += signals["velocity"].tolist() if past >= 0 else []
    return np.hstack(frames), float(np.mean(velocities))
