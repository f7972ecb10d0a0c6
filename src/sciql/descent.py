"""One step of an optimiser on a tree of networks."""

from typing import Any, TypeVar, cast

import equinox as eqx
import optax

Tree = TypeVar("Tree")


def begin(optimiser: optax.GradientTransformation, tree: Any) -> optax.OptState:
    """What the optimiser remembers before its first step."""
    return optimiser.init(tree)


def descend(
    optimiser: optax.GradientTransformation, tree: Tree, gradients: Tree, memory: optax.OptState
) -> tuple[Tree, optax.OptState]:
    """The tree a step down its gradients."""
    updates, memory = optimiser.update(cast(Any, gradients), memory)
    return eqx.apply_updates(tree, updates), memory
