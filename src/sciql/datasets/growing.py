"""Columns that grow part by part: in memory, or on the disk where memory would not hold them."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
from jaxtyping import Int

from sciql.errors import SciqlError
from sciql.files import home, writing

ROWS_AT_ONCE = 65_536


def blocks(rows: int) -> Iterator[slice]:
    """So many rows, a part at a time."""
    for first in range(0, rows, ROWS_AT_ONCE):
        yield slice(first, min(first + ROWS_AT_ONCE, rows))


class Growing:
    """Columns of one length. Those on the disk lie in files without a name, which go with the last who reads them."""

    def __init__(self, source: str, *, on_disk: bool, rows: int | None = None):
        """`rows` in all, if it is known beforehand, spares memory from holding the parts beside the whole."""
        self.source, self.on_disk, self._rows, self._filled = source, on_disk, rows, 0
        self._parts: dict[str, list[np.ndarray]] = {}
        self._whole: dict[str, np.ndarray] = {}
        self._files: dict[str, BinaryIO] = {}
        self._like: dict[str, np.ndarray] = {}

    def add(self, part: Mapping[str, np.ndarray]) -> None:
        """The next rows of every column; the first part says which columns there are."""
        if not self._like:
            self._like = {name: column[:0] for name, column in part.items()}
        for name in self._like.keys() - part.keys():
            self._forget(name)
        for name, like in self._like.items():
            column = part[name]
            if column.shape[1:] != like.shape[1:]:
                raise SciqlError(
                    f"rows of {name.strip()} of {self.source} have shape {like.shape[1:]} and later "
                    f"{column.shape[1:]}; they must be of one"
                )
            if self.on_disk:
                if name not in self._files:
                    self._files[name] = _nameless()
                with writing(scratch()):
                    self._files[name].write(np.ascontiguousarray(column, like.dtype).tobytes())
            elif self._rows is not None:
                if name not in self._whole:
                    self._whole[name] = np.empty((self._rows, *like.shape[1:]), like.dtype)
                self._whole[name][self._filled : self._filled + len(column)] = column
            else:
                self._parts.setdefault(name, []).append(column)
        self._filled += len(next(iter(part.values())))

    def _forget(self, name: str) -> None:
        """A column that a part lacks is no column."""
        del self._like[name]
        for kept in (self._parts, self._files, self._whole):
            kept.pop(name, None)

    def columns(self) -> dict[str, np.ndarray]:
        """All columns in full."""
        if self._rows is not None and not self.on_disk:
            return {name: column[: self._filled] for name, column in self._whole.items()}
        if not self.on_disk:
            return {name: parts[0] if len(parts) == 1 else np.concatenate(parts) for name, parts in self._parts.items()}
        return {name: _mapped(file, self._like[name]) for name, file in self._files.items()}


def scratch() -> Path:
    """The folder of files without a name."""
    return home() / "scratch"


def _nameless() -> BinaryIO:
    with writing(scratch()):
        scratch().mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=scratch())


def _mapped(file: BinaryIO, like: np.ndarray) -> np.ndarray:
    """The whole file as a column of rows of this kind."""
    file.flush()
    size = int(np.prod(like.shape[1:])) * like.dtype.itemsize
    rows = file.tell() // size if size else 0
    return np.asarray(np.memmap(file, like.dtype, "r", shape=(rows, *like.shape[1:]))) if rows else like


def taken(column: np.ndarray, rows: Int[np.ndarray, " r"], *, on_disk: bool) -> np.ndarray:
    """Some rows of a column, in their order."""
    if not on_disk:
        return column[rows]
    made = Growing("rows", on_disk=True)
    for some in blocks(len(rows)):
        made.add({"rows": column[rows[some]]})
    return made.columns().get("rows", column[:0])
