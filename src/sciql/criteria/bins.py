"""Criteria out of bins: where a number falls among edges is its style."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int, Shaped

from sciql.criteria.criterion import Columns, Criterion
from sciql.errors import SciqlError


def bins(
    signal: str, edges: Sequence[float], styles: Sequence[str], *, window: int = 1, name: str | None = None
) -> Criterion:
    """A criterion on one signal: `styles[k]` goes from `edges[k - 1]`, included, up to `edges[k]`.

    The outer two are open; `window` is the radius of the majority vote.
    """
    name = name or signal
    bounds = increasing(f"the edges of {name}", edges)
    if len(styles) != len(bounds) + 1:
        raise SciqlError(f"{name} has {len(bounds)} edges, which part {len(bounds) + 1} styles, not {len(styles)}")

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        return binned(signals[signal], bounds)

    return Criterion(
        name=name,
        styles=tuple(styles),
        signals=(signal,),
        function=label,
        window=window,
        settings={"signal": signal, "edges": bounds, "styles": tuple(styles), "window": window},
    )


def binned(values: Shaped[np.ndarray, " n"], edges: Sequence[float]) -> Int[np.ndarray, " n"]:
    """How many edges each value has reached."""
    # A few comparisons of whole columns are ten times as fast as a search in each row.
    reached = np.zeros(len(values), np.int64)
    for edge in edges:
        reached += values >= edge
    return reached


def uniform_edges(bounds: Sequence[float], count: int) -> tuple[float, ...]:
    """The inner edges of `count` bins of one width between two bounds."""
    if len(bounds) != 2:
        raise SciqlError(f"the bounds of bins are two numbers, the lowest and the highest, not {len(bounds)}")
    if count < 1:
        raise SciqlError(f"the bounds {bounds[0]:g} and {bounds[1]:g} need at least 1 bin between them, not {count}")
    low, high = bounds
    return tuple(np.linspace(low, high, count + 1)[1:-1].tolist())


def increasing(name: str, edges: Sequence[float]) -> tuple[float, ...]:
    """The edges as floats, if each is above the one before."""
    numbers = tuple(float(edge) for edge in edges)
    if not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
        raise SciqlError(f"{name} must increase, and {', '.join(f'{number:g}' for number in numbers)} do not")
    return numbers


def named(names: tuple[str, ...], count: int, stem: str) -> tuple[str, ...]:
    """The names if they are as many as asked for, else numbered ones."""
    return names if count == len(names) else tuple(f"{stem}{number}" for number in range(count))
