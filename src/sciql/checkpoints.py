"""Checkpoints: the arrays of a tree of JAX and a header in one file that is whole or not there."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import jax
import numpy as np

from sciql.archives import load_arrays, save_arrays
from sciql.errors import SciqlError

Tree = TypeVar("Tree")


def fingerprint(document: Mapping[str, Any]) -> str:
    """A short name for settings: the same document gives the same name in every process."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:20]


def save_tree(path: Path, tree: Any, header: Mapping[str, Any]) -> None:
    """The leaves of a tree in the order in which JAX lists them."""
    leaves = jax.device_get(jax.tree.leaves(tree))
    save_arrays(path, {f"leaf{number:04d}": np.asarray(leaf) for number, leaf in enumerate(leaves)}, header)


def load_tree(path: Path, like: Tree) -> tuple[Tree, dict[str, Any]]:
    """A tree of the structure of `like`."""
    arrays, header = load_arrays(path)
    leaves, structure = jax.tree.flatten(like)
    stored = [arrays[name] for name in sorted(arrays)]
    if [leaf.shape for leaf in leaves] != [array.shape for array in stored]:
        raise SciqlError(f"{path} holds networks of other settings; remove it or choose another folder")
    return jax.tree.unflatten(structure, [jax.numpy.asarray(array) for array in stored]), header
