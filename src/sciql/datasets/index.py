"""Where in a dataset's HDF5 file each array lies, so that many short episodes are read as fast as a few long ones.

Minari keeps a group of arrays an episode, and HDF5 takes as long to open one of ten numbers as to read thousands. sciql
writes down beside its own files where the bytes of each array are; the file itself stays plain Minari.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt8

from sciql.archives import load_arrays, save_arrays
from sciql.errors import SciqlError

INDEX = "index.npz"
SEEN = "observations"
LENGTHS = "lengths"
SIGNAL = "signal "  # before the names of signals, so that none is taken for another column

Offsets = Mapping[str, Int[np.ndarray, " e"]]
"""Of each column, the first byte of every episode's part of it; the part of the observations has one row more than the
others, the state after the last step."""


def write_index(
    path: Path, file: bytes, offsets: Offsets, columns: Mapping[str, np.ndarray], lengths: Int[np.ndarray, " e"]
) -> None:
    """Keep where the parts of the columns are, what a row of each is, and which file it is that they are in."""
    rows = {name: (column.dtype.str, column.shape[1:]) for name, column in columns.items()}
    save_arrays(path, {**offsets, LENGTHS: lengths}, {"rows": rows, "file": sha256(file).hexdigest()})


def read_columns(file: Path, index: Path) -> dict[str, np.ndarray] | None:
    """Each column, all episodes one after the other; None where there is no index, or one of another file."""
    try:
        offsets, header = load_arrays(index)
        content = np.fromfile(file, np.uint8)
    except (SciqlError, OSError):
        return None
    if header.get("file") != sha256(content.data).hexdigest():
        return None
    lengths, columns = offsets.pop(LENGTHS), {}
    for name, (kind, shape) in header["rows"].items():
        width, firsts = np.dtype(kind).itemsize * int(np.prod(shape)), offsets[name]
        columns[name] = _joined(content, firsts, firsts + lengths * width).view(kind).reshape(-1, *shape)
        if name == SEEN:
            lasts = firsts + lengths * width
            columns["final_observations"] = _joined(content, lasts, lasts + width).view(kind).reshape(-1, *shape)
    return columns


def _joined(
    content: UInt8[np.ndarray, " bytes"], firsts: Int[np.ndarray, " e"], ends: Int[np.ndarray, " e"]
) -> UInt8[np.ndarray, " some"]:
    """Parts of a file, one after the other."""
    return np.concatenate([content[first:end] for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)])
