"""The five criteria of HalfCheetah: one signal each, in bins of one width; the defaults are the paper's.

Signals: `velocity` (of the step, in metres a second), `torso_height`, `torso_angle` (before the step; radians, positive
with the nose down), `backfoot_height` and `frontfoot_height` (of a foot's lowest point).
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int

from sciql.criteria.bins import binned, increasing, named, uniform_edges
from sciql.criteria.criterion import Columns, Criterion

LIFTS = ("ground", "low", "middle", "high")


def speed(*, bounds: Sequence[float] = (0.1, 10.0), count: int = 3, window: int = 1) -> Criterion:
    """How fast the cheetah moves, forwards or backwards."""
    return _in_bins("speed", "velocity", named(("slow", "medium", "fast"), count, "speed"), bounds, window, np.abs)


def angle(*, bounds: Sequence[float] = (-0.3, 0.3), count: int = 3, window: int = 1) -> Criterion:
    """How the torso is pitched: nose up is upright, nose down is crouching."""
    return _in_bins("angle", "torso_angle", named(("upright", "flat", "crouching"), count, "angle"), bounds, window)


def torso_height(*, bounds: Sequence[float] = (0.4, 0.8), count: int = 3, window: int = 1) -> Criterion:
    """How high the torso is."""
    return _in_bins("torso_height", "torso_height", named(("low", "middle", "high"), count, "height"), bounds, window)


def backfoot_height(*, bounds: Sequence[float] = (0.0, 0.3), count: int = 4, window: int = 1) -> Criterion:
    """How high the back foot is."""
    return _in_bins("backfoot_height", "backfoot_height", named(LIFTS, count, "height"), bounds, window)


def frontfoot_height(*, bounds: Sequence[float] = (0.0, 0.3), count: int = 4, window: int = 1) -> Criterion:
    """How high the front foot is."""
    return _in_bins("frontfoot_height", "frontfoot_height", named(LIFTS, count, "height"), bounds, window)


def _in_bins(
    name: str,
    signal: str,
    styles: tuple[str, ...],
    bounds: Sequence[float],
    window: int,
    measure: Callable[[Float[np.ndarray, " n"]], Float[np.ndarray, " n"]] = np.asarray,
) -> Criterion:
    """A signal in as many bins as there are styles; what lies beyond the bounds belongs to the outer two."""
    bounds = increasing("bounds", bounds)
    edges = uniform_edges(bounds, len(styles))

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        return binned(measure(signals[signal].astype(np.float64)), edges)

    return Criterion(
        name=f"halfcheetah/{name}",
        styles=styles,
        signals=(signal,),
        function=label,
        window=window,
        settings={"bounds": bounds, "count": len(styles), "window": window},
    )
