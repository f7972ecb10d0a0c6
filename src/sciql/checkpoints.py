"""Checkpoints: the arrays of a tree and a JSON header in one file that is whole or not there."""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import jax
import numpy as np

from sciql.errors import SciqlError
from sciql.files import sha256, write_aside

Tree = TypeVar("Tree")


def fingerprint(document: Mapping[str, Any]) -> str:
    """A short name for settings: the same document gives the same name in every process."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:20]


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """The arrays and the header with the hash of both, written aside and renamed."""
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    content = {**arrays, "header": text}
    buffer = io.BytesIO()
    np.savez(buffer, **content, sha256=np.array(sha256(content)))
    with write_aside(path) as aside:
        aside.write_bytes(buffer.getvalue())


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What `save_arrays` wrote, or one sentence about a file that is damaged or something else."""
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        raise SciqlError(f"there is no file {path}") from None
    except OSError as problem:
        raise SciqlError(f"{path} cannot be read ({problem.strerror}); name another file or mend this one") from problem
    try:
        with np.load(io.BytesIO(stored), allow_pickle=False) as archive:
            content = {name: archive[name] for name in archive.files}
        sound = str(content.pop("sha256")) == sha256(content)
        header = json.loads(content.pop("header").tobytes())
    # Damaged bytes make zipfile and numpy fail in more ways than can be listed.
    except Exception as problem:
        raise SciqlError(f"{path} is damaged or no file of ours; remove it and make it again") from problem
    if not sound:
        raise SciqlError(f"{path} is damaged: its content does not match its hash; remove it and make it again")
    return content, header


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
