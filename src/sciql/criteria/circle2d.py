"""The six criteria of Circle2d; every bound, count and window is an argument, and its default is the paper's.

Signals: `x`, `y` (position before the step), `dx`, `dy` (displacement of the step), `turn` (wrapped change of heading).
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from sciql.criteria.bins import binned, increasing, named, uniform_edges
from sciql.criteria.criterion import Columns, Criterion
from sciql.criteria.windows import Windows
from sciql.errors import SciqlError

COMPASS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
FLAT = 1e-6
"""Points whose covariance has a smaller determinant, in units of its squared trace, lie on a line."""
STILL = 1e-3
"""Points with a smaller variance lie in one place."""


def position(
    *, x_edges: Sequence[float] = (-15.0, 0.0, 15.0), y_edges: Sequence[float] = (0.0,), window: int = 1
) -> Criterion:
    """The cell of a grid that the agent is in: column by column from the left, each from below."""
    x_bounds, y_bounds = increasing("x_edges", x_edges), increasing("y_edges", y_edges)
    columns = named(("far-left", "left", "right", "far-right"), len(x_bounds) + 1, "column")
    rows = named(("below", "above"), len(y_bounds) + 1, "row")

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        return binned(signals["x"], x_bounds) * len(rows) + binned(signals["y"], y_bounds)

    return Criterion(
        name="circle2d/position",
        styles=tuple(f"{column}-{row}" for column in columns for row in rows),
        signals=("x", "y"),
        function=label,
        window=window,
        settings={"x_edges": x_bounds, "y_edges": y_bounds, "window": window},
    )


def movement_direction(*, sectors: int = 8, still: float = 0.1, window: int = 1) -> Criterion:
    """The sector of the compass that the step goes to.

    Sectors are counted counter-clockwise and begin at their name: "east" is 0 to 45 degrees, "north-east" 45 to 90.
    A step shorter than `still` is undetermined.
    """
    width = 360 / _at_least_one("sectors", sectors)
    degrees = tuple(f"{width * k:g}-to-{width * (k + 1):g}-degrees" for k in range(sectors))

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        dx, dy = _float64(signals, "dx", "dy")
        # The modulus comes after rounding down: an angle just below 0 would else round up to a whole turn.
        sector = np.floor(np.arctan2(dy, dx) / (2 * np.pi / sectors)).astype(np.int64) % sectors
        return np.where(np.hypot(dx, dy) < still, sectors, sector)

    return Criterion(
        name="circle2d/movement_direction",
        styles=(*(COMPASS if sectors == len(COMPASS) else degrees), "undetermined"),
        promptable=(*[True] * sectors, False),
        signals=("dx", "dy"),
        function=label,
        window=window,
        settings={"sectors": sectors, "still": still, "window": window},
    )


def turn_direction(*, size: int = 11, straight: float = 0.1) -> Criterion:
    """The sign of the mean turn over `size` steps; less than `straight` radians a step is straight."""
    _odd("size", size)

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        (turn,) = _float64(signals, "turn")
        rate = Windows.centred(starts, size).means(turn)
        return np.where(np.abs(rate) < straight, 2, rate > 0)

    return Criterion(
        name="circle2d/turn_direction",
        styles=("right", "left", "straight"),
        promptable=(True, True, False),
        signals=("turn",),
        function=label,
        settings={"size": size, "straight": straight},
    )


def radius(
    *,
    bounds: Sequence[float] = (2.0, 11.0),
    count: int = 3,
    size: int = 51,
    straight_size: int = 11,
    straight: float = 0.1,
) -> Criterion:
    """The radius of the circle through `size` steps, in `count` bins; `straight` where the agent hardly turns."""
    bounds = increasing("bounds", bounds)
    edges = uniform_edges(bounds, count)
    _odd("size", size)
    _odd("straight_size", straight_size)

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        x, y, turn = _float64(signals, "x", "y", "turn")
        turning = Windows.centred(starts, straight_size).means(np.abs(turn))
        curve = binned(circle_radius(x, y, Windows.centred(starts, size)), edges)
        return np.where(turning < straight, count, curve)

    return Criterion(
        name="circle2d/radius",
        styles=(*named(("small", "medium", "large"), count, "radius"), "straight"),
        promptable=(*[True] * count, False),
        signals=("x", "y", "turn"),
        function=label,
        settings={
            "bounds": bounds,
            "count": count,
            "size": size,
            "straight_size": straight_size,
            "straight": straight,
        },
    )


def speed(*, bounds: Sequence[float] = (0.5, 3.0), count: int = 3, window: int = 1) -> Criterion:
    """The length of the step, in `count` bins of one width."""
    bounds = increasing("bounds", bounds)
    edges = uniform_edges(bounds, count)

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        return binned(np.hypot(*_float64(signals, "dx", "dy")), edges)

    return Criterion(
        name="circle2d/speed",
        styles=named(("slow", "medium", "fast"), count, "speed"),
        signals=("dx", "dy"),
        function=label,
        window=window,
        settings={"bounds": bounds, "count": count, "window": window},
    )


def curvature_noise(*, bounds: Sequence[float] = (0.0, 0.8), count: int = 3, size: int = 51) -> Criterion:
    """How unsteady the turning is: the standard deviation of the heading's second differences over `size` steps."""
    bounds = increasing("bounds", bounds)
    edges = uniform_edges(bounds, count)
    _odd("size", size)

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        (turn,) = _float64(signals, "turn")
        # The difference at the last step of an episode leads into the next one; `pairs` never reads it.
        change = np.diff(turn, append=turn[-1:])
        pairs = Windows.centred(starts, size).pairs()
        variance = pairs.means(change**2) - pairs.means(change) ** 2
        return binned(np.sqrt(np.maximum(variance, 0)), edges)

    return Criterion(
        name="circle2d/curvature_noise",
        styles=named(("calm", "shaky", "wild"), count, "noise"),
        signals=("turn",),
        function=label,
        settings={"bounds": bounds, "count": count, "size": size},
    )


def circle_radius(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], windows: Windows) -> Float[np.ndarray, " n"]:
    """Radius of each window's least-squares circle; infinite where the points are on a line or in one place.

    With q = x^2 + y^2 a circle is the plane q = 2 a x + 2 b y + c, which the windows' covariances fit.
    """
    # Positions from the start of their episode keep the products small, and float64 exact enough.
    x, y = (column - np.repeat(column[windows.starts[:-1]], np.diff(windows.starts)) for column in (x, y))
    q = x**2 + y**2
    mean_x, mean_y, mean_q, mean_xx = (windows.means(column) for column in (x, y, q, x**2))
    xx, yy = mean_xx - mean_x**2, mean_q - mean_xx - mean_y**2
    xy = windows.means(x * y) - mean_x * mean_y
    xq = windows.means(x * q) - mean_x * mean_q
    yq = windows.means(y * q) - mean_y * mean_q

    determinant = xx * yy - xy**2
    flat = determinant <= FLAT * np.maximum(xx + yy, STILL) ** 2
    twice = 2 * np.where(flat, 1.0, determinant)
    a, b = (yy * xq - xy * yq) / twice, (xx * yq - xy * xq) / twice
    squared = (a - mean_x) ** 2 + (b - mean_y) ** 2 + np.maximum(xx + yy, 0.0)
    return np.where(flat, np.inf, np.sqrt(squared))


def _float64(signals: Columns, *names: str) -> tuple[Float[np.ndarray, " n"], ...]:
    return tuple(signals[name].astype(np.float64) for name in names)


def _at_least_one(name: str, count: int) -> int:
    if count < 1:
        raise SciqlError(f"{name} must be at least 1, not {count}")
    return count


def _odd(name: str, size: int) -> None:
    if size < 1 or size % 2 == 0:
        raise SciqlError(f"{name} is the odd number of steps of a centred window, such as 11, not {size}")
