"""Labels of all steps as tables: which styles a method teaches at a step (p_c, p_f, p_r, p_m), and polluted labels."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from sciql.errors import SciqlError, SciqlWarning

if TYPE_CHECKING:
    from sciql.criteria import Criterion

RARE = 0.001
"""Share of the steps below which a style hardly occurs."""


def own(labels: Int[np.ndarray, " n"], count: int) -> Float[np.ndarray, "n z"]:
    """p_c(z | s, a): all on the step's own label."""
    return (labels[:, None] == np.arange(count)).astype(np.float32)


def future(labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], count: int) -> Float[np.ndarray, "n z"]:
    """p_f(z | s, a): share of each label from this step, itself included, to the end of its episode."""
    lengths = np.diff(starts)
    ends = np.repeat(starts[1:], lengths)
    left = ends - np.arange(len(labels))
    shares = np.empty((len(labels), count), np.float32)
    for style in range(count):
        before = np.concatenate([[0], np.cumsum(labels == style)])
        shares[:, style] = (before[ends] - before[:-1]) / left
    return shares


def persistence(labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], count: int) -> Float[np.ndarray, " z"]:
    """kappa(z): how much of the future of the steps that bear a label bears it too; 1 for a label that never occurs."""
    of_own = np.take_along_axis(future(labels, starts, count), labels[:, None], axis=1)[:, 0]
    steps = np.bincount(labels, minlength=count)
    shares = np.bincount(labels, weights=of_own, minlength=count) / np.maximum(steps, 1)
    return np.where(steps > 0, shares, 1.0).astype(np.float32)


def support(labels: Int[np.ndarray, " n"], count: int) -> Float[np.ndarray, " z"]:
    """Share of each label among all steps."""
    return np.bincount(labels, minlength=count) / len(labels)


def random(labels: Int[np.ndarray, " n"], count: int) -> Float[np.ndarray, " z"]:
    """p_r(z): the label of a step drawn uniformly from the whole dataset."""
    return support(labels, count).astype(np.float32)


def mixture(
    labels: Int[np.ndarray, " n"],
    starts: Int[np.ndarray, " e_1"],
    count: int,
    *,
    c: float = 0.0,
    f: float = 0.0,
    r: float = 0.0,
) -> Float[np.ndarray, "n z"]:
    """p_m(z | s, a) = c p_c + f p_f + r p_r; the three shares sum to 1."""
    require_shares(c, f, r)
    table = np.zeros((len(labels), count), np.float32)
    if c:
        table += np.float32(c) * own(labels, count)
    if f:
        table += np.float32(f) * future(labels, starts, count)
    if r:
        table += np.float32(r) * random(labels, count)[None, :]
    return table


def require_shares(c: float, f: float, r: float) -> None:
    """A sentence when the shares of a mixture are none."""
    if min(c, f, r) < 0 or abs(c + f + r - 1) > 1e-6:
        raise SciqlError(f"the shares of a label mixture are positive and sum to 1, and c={c}, f={f}, r={r} do not")


def pollute(labels: Int[np.ndarray, " n"], count: int, zeta: float, seed: int) -> Int[np.ndarray, " n"]:
    """Each label replaced, with probability zeta, by one drawn uniformly among the others."""
    rng = np.random.default_rng(seed)
    hit = rng.random(len(labels)) < zeta
    other = (labels + rng.integers(1, count, len(labels))) % count
    return np.where(hit, other, labels).astype(np.int32)


def require_support(labels: Int[np.ndarray, " n"], criterion: "Criterion", source: str = "the data") -> None:
    """A sentence when a style that can be asked for never occurs: nothing could be learnt about it.

    Those that hardly occur are named as well, in a warning.
    """
    shares = support(labels, len(criterion.styles))
    asked = {criterion.styles[index]: shares[index] for index in criterion.prompts}
    absent = [style for style, share in asked.items() if not share]
    if absent:
        present = [style for style, share in asked.items() if share]
        ask = f"ask for {_some(present)} only (--least 0, or .supported(episodes))" if present else "choose another"
        word = "styles" if len(absent) > 1 else "style"
        raise SciqlError(
            f"{word} {_some(absent)} of {criterion.name} never occurs in {source}; {ask}, or widen the bounds"
        )
    rare = [f"{style} ({100 * share:.2g} %)" for style, share in asked.items() if share < RARE]
    if rare:
        warnings.warn(
            f"hardly a step of {source} shows {_some(rare)} of {criterion.name}; little can be learnt about that: "
            f"widen the bounds, or leave it out by --least {RARE:g} (.supported(episodes, {RARE:g}))",
            SciqlWarning,
            stacklevel=3,
        )


def _some(names: Sequence[str], most: int = 8) -> str:
    """The names, or the first of them and how many others there are."""
    apart = "; " if any("," in name for name in names) else ", "
    more = [f"{len(names) - most + 1} others"] if len(names) > most else []
    return apart.join([*(names[: most - 1] if more else names), *more])
