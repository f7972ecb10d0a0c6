"""Checkpoints come back as they were, or not at all."""

import errno
import os
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciql.archives import load_arrays, save_arrays
from sciql.checkpoints import fingerprint, load_tree, save_tree
from sciql.errors import SciqlError

ARRAYS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "empty": np.zeros((0, 2)), "truth": np.array(True)}
TREE = {"weights": [jnp.ones((2, 3)), jnp.zeros(3)], "count": jnp.int32(7)}


def test_arrays_and_header_come_back(tmp_path: Path) -> None:
    save_arrays(tmp_path / "new" / "file.npz", ARRAYS, {"step": 3, "curve": [{"loss": 0.5}]})
    arrays, header = load_arrays(tmp_path / "new" / "file.npz")
    assert header == {"step": 3, "curve": [{"loss": 0.5}]}
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_equal_content_is_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_arrays(tmp_path / name, ARRAYS, {"step": 3})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_tree_comes_back(tmp_path: Path) -> None:
    save_tree(tmp_path / "tree", TREE, {})
    tree, _ = load_tree(tmp_path / "tree", TREE)
    assert tree["count"].dtype == jnp.int32
    assert [leaf.tolist() for leaf in tree["weights"]] == [leaf.tolist() for leaf in TREE["weights"]]


@pytest.mark.parametrize("other", [{"weights": [jnp.ones((3, 2)), jnp.zeros(3)], "count": jnp.int32(0)}, {"a": ()}])
def test_a_tree_of_other_shapes_is_refused(other: Any, tmp_path: Path) -> None:
    save_tree(tmp_path / "tree", TREE, {})
    with pytest.raises(SciqlError, match="networks of other settings; remove it or choose another folder"):
        load_tree(tmp_path / "tree", other)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoints") / "sound.npz"
    save_arrays(path, ARRAYS, {"step": 3})
    return path


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_damage_anywhere_is_one_sentence_or_harmless(data: st.DataObject, stored: Path) -> None:
    content = bytearray(stored.read_bytes())
    if data.draw(st.booleans(), label="truncated"):
        content = content[: data.draw(st.integers(0, len(content) - 1), label="length")]
    else:
        content[data.draw(st.integers(0, len(content) - 1), label="byte")] ^= data.draw(
            st.integers(1, 255), label="bits"
        )
    damaged = stored.with_name("damaged.npz")
    damaged.write_bytes(content)
    try:
        arrays, header = load_arrays(damaged)
    except SciqlError as problem:
        assert "damaged" in str(problem)
    else:
        # Some bytes of a zip file, such as a time of day, mean nothing.
        assert header == {"step": 3}
        assert all((arrays[name] == array).all() for name, array in ARRAYS.items())


def test_something_else_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.ones(3))
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    for name in ("array.npy", "other.npz"):
        with pytest.raises(SciqlError, match="damaged or no file of ours"):
            load_arrays(tmp_path / name)
    with pytest.raises(SciqlError, match="there is no file"):
        load_arrays(tmp_path / "nothing.npz")
    with pytest.raises(SciqlError, match="cannot be read"):
        load_arrays(tmp_path)


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoint.npz"
    save_arrays(path, ARRAYS, {"step": 1})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SciqlError, match="the disk is full"):
        save_arrays(path, ARRAYS, {"step": 2})
    assert load_arrays(path)[1] == {"step": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_fingerprint_is_of_content_and_not_of_order() -> None:
    assert fingerprint({"a": 1, "b": (2, 3)}) == fingerprint({"b": [2, 3], "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
