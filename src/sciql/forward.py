"""What a policy computes, written once for every runtime that runs it outside of numpy.

`forward` is a recipe: each runtime does its steps in its own way, by computing them or by writing them down as a graph.
`Policy.act` does not read it, so that what is made from it can be checked against a policy that was written apart.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sciql.normaliser import Normaliser

if TYPE_CHECKING:
    from sciql.policy import Policy


@dataclass(frozen=True)
class Outline:
    """The shape of a policy's computation; the numbers come from `numbers`."""

    layers: int
    """Dense layers, the last one included."""
    heads: int
    """Groups of outputs; with one, the style shows elsewhere or not at all."""
    embedded: bool
    """Whether each style has a code beside the input."""
    conditioned: bool
    """Whether the policy looks at the style at all."""
    discrete: bool
    """Whether it chooses among actions, or says a vector."""
    draws: bool
    """Whether components of some style's actions are drawn, so that noise is needed."""


class Ops(Protocol):
    """What a runtime offers; values are its own, and know + - * and / among each other."""

    def number(self, name: str) -> Any:
        """One of the policy's arrays; a vector as one row, to meet every row of a batch."""
        ...

    def dense(self, x: Any, weight: Any, bias: Any) -> Any: ...

    def relu(self, x: Any) -> Any: ...

    def log(self, x: Any) -> Any: ...

    def beside(self, left: Any, right: Any) -> Any:
        """The columns of both."""
        ...

    def rows(self, table: Any, index: Any) -> Any:
        """A row of the table for each index."""
        ...

    def group(self, x: Any, count: int, index: Any) -> Any:
        """Of `count` groups of columns the one that each row's index names."""
        ...

    def where(self, mask: Any, x: Any) -> Any:
        """x, and 0 where the mask is false."""
        ...

    def bounded(self, x: Any, low: Any, high: Any) -> Any: ...

    def argmax(self, x: Any) -> Any:
        """The column of the highest number of each row."""
        ...


def outline(policy: "Policy") -> Outline:
    return Outline(
        layers=len(policy.weights),
        heads=len(policy.biases[-1]) // len(policy.actions.mean),
        embedded=policy.embedding is not None,
        conditioned=policy.conditioned,
        discrete=policy.discrete,
        draws=bool(policy.drawn.any()),
    )


def numbers(policy: "Policy") -> dict[str, np.ndarray]:
    """All arrays that `forward` asks for: the policy's own, and its bounds in the data's units."""
    bounds = policy.action_bounds
    units = Normaliser.between(bounds)
    return {**policy.arrays(), "low": bounds[0], "high": bounds[1], "middle": units.mean, "reach": units.scale}


def forward(ops: Ops, plan: Outline, observation: Any, style: Any, noise: Any = None) -> dict[str, Any]:
    """What the policy says for a batch: its `action`, and the distribution that the action comes from.

    Vectors come with `mean` and `log_std`, both in the action's own units; choices with `logits`. `noise`, standard
    normal numbers, is read only where components are drawn.
    """
    hidden = (observation - ops.number("observation_mean")) / ops.number("observation_scale")
    if plan.embedded:
        hidden = ops.beside(hidden, ops.rows(ops.number("embedding"), style))
    for layer in range(plan.layers - 1):
        hidden = ops.relu(ops.dense(hidden, ops.number(f"weight{layer}"), ops.number(f"bias{layer}")))
    last = plan.layers - 1
    outputs = ops.dense(hidden, ops.number(f"weight{last}"), ops.number(f"bias{last}"))
    if plan.heads > 1:
        outputs = ops.group(outputs, plan.heads, style)
    if plan.discrete:
        return {"action": ops.argmax(outputs), "logits": outputs}
    return _vector(ops, plan, outputs, style, noise)


def _vector(ops: Ops, plan: Outline, outputs: Any, style: Any, noise: Any) -> dict[str, Any]:
    """From standardised outputs to an action in the data's units."""
    # A policy that knows no styles has one row of spreads, whichever style is asked for.
    row = style if plan.conditioned else style - style
    middle, reach = ops.number("middle"), ops.number("reach")
    mean = (outputs * ops.number("action_scale") + ops.number("action_mean")) * reach + middle
    std = ops.rows(ops.number("spread"), row) * ops.number("action_scale") * reach
    action = mean
    if plan.draws:
        action = mean + ops.where(ops.rows(ops.number("drawn"), row), std * noise)
    return {"action": ops.bounded(action, ops.number("low"), ops.number("high")), "mean": mean, "log_std": ops.log(std)}
