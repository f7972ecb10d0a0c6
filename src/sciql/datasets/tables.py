"""Logs as CSV or Parquet: one row a step, with columns that names or patterns tell apart."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from jaxtyping import Float

from sciql.datasets.arrow import (
    NO_ACTION,
    code_column,
    flag_column,
    in_order,
    number_column,
    parts,
    rows,
    schema,
)
from sciql.datasets.growing import Growing
from sciql.datasets.logs import Log, to_episodes
from sciql.datasets.roles import Roles, Words, resolve
from sciql.datasets.spaces import split
from sciql.episodes import Episodes
from sciql.errors import SciqlError, reason
from sciql.memory import fits

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["csv", "parquet"]
ROWS_OF_A_PART = 16_384  # so that a part of a wide table stays in the cache while its columns are laid side by side
CSV_SHRINKS = 2  # bytes of text for one of numbers, at least


def read_table(path: str | Path, kind: Kind, words: Words) -> Episodes:
    """The episodes of a file, or of a folder of files in the order of their names."""
    path = Path(path).expanduser()
    name = words.get("name") or path.name.split(".")[0]
    with readable(path, kind):
        files = _files(path, kind)
        known = schema(files[0], kind)
        roles = resolve(known, words, name)
        count = rows(files) if kind == "parquet" else None
        size = _bytes(files) / CSV_SHRINKS if count is None else count * 4 * len(roles.columns)
        growing = Growing(name, on_disk=not fits(size), rows=count)
        return to_episodes(_log(files, kind, known, roles, growing), words.get("action_bounds"))


@contextmanager
def readable(path: Path, kind: Kind) -> Iterator[None]:
    """One sentence about what pyarrow cannot read, or about pyarrow if it is not there."""
    try:
        import pyarrow as pa
    except ImportError as problem:
        raise SciqlError(f"reading {kind} needs pyarrow; install it with `pip install 'sciql[tables]'`") from problem
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as problem:
        raise SciqlError(
            f"{path} cannot be read as {kind} ({reason(problem)}); mend the file or name other columns"
        ) from problem


def _files(path: Path, kind: Kind) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob(f"*.{kind}*") if file.is_file())
        if not found:
            raise SciqlError(f"there is no .{kind} file in the folder {path}")
        return found
    if not path.is_file():
        raise SciqlError(f"there is no file {path}")
    return [path]


def _bytes(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)


class Rows:
    """The columns of part after part of a table; it remembers what it has met before."""

    def __init__(self, roles: Roles, source: str):
        self.roles, self.source = roles, source
        self.episodes: dict[Any, int] = {}
        self.actions: dict[Any, int] = {}
        self.widths: dict[str, int] = {}

    def columns(self, part: "pa.RecordBatch") -> dict[str, np.ndarray]:
        """As a log has them; signals begin with a space."""
        roles = self.roles
        columns: dict[str, np.ndarray] = {"observations": self._table(part, roles.observations)}
        if roles.next_observations:
            columns["next_observations"] = self._table(part, roles.next_observations)
        if roles.choices:
            column = part.column(roles.actions[0])
            columns["actions"] = code_column(column, self.actions, NO_ACTION, "the action")
            columns["final"] = columns["actions"] == NO_ACTION
        else:
            columns["actions"] = self._table(part, roles.actions)
            missing = np.isnan(columns["actions"][:, 0])
            columns["final"] = missing & np.isnan(columns["actions"]).all(axis=1) if missing.any() else missing
        for name, role in (("order", roles.step), ("rewards", roles.reward)):
            if role:
                columns[name] = number_column(part.column(role), role, self.source)
        for name in ("terminations", "truncations"):
            if role := getattr(roles, name):
                columns[name] = flag_column(part.column(role), role, self.source)
        if roles.episode:
            what = f"column {roles.episode!r} of {self.source}"
            columns["episode"] = code_column(part.column(roles.episode), self.episodes, None, what)
        for role in roles.signals:
            numbers = number_column(part.column(role), role, self.source)
            columns |= {f" {name}": column for name, column in split(role, numbers)}
        return columns

    def _table(self, part: "pa.RecordBatch", names: Sequence[str]) -> Float[np.ndarray, "n k"]:
        """Columns side by side."""
        columns = [number_column(part.column(name), name, self.source) for name in names]
        widths = {name: column.shape[1] if column.ndim > 1 else 0 for name, column in zip(names, columns, strict=True)}
        self.widths |= widths
        table = np.empty((len(part), sum(max(width, 1) for width in widths.values())), np.float32)
        first = 0
        with np.errstate(over="ignore"):
            for column, width in zip(columns, widths.values(), strict=True):
                table[:, first : first + max(width, 1)] = column if width else column[:, None]
                first += max(width, 1)
        return table

    def names(self, columns: Sequence[str]) -> list[str]:
        """Of the columns side by side."""
        return [
            name if not self.widths[name] else f"{name}_{number}"
            for name in columns
            for number in range(max(self.widths[name], 1))
        ]


def _log(files: Sequence[Path], kind: Kind, known: "pa.Schema", roles: Roles, growing: Growing) -> Log:
    """All rows, read part by part."""
    name, on_disk = growing.source, growing.on_disk
    reader = Rows(roles, name)
    for part in parts(files, kind, known, roles.columns, roles.numbers, ROWS_OF_A_PART, whole=not on_disk):
        growing.add(reader.columns(part))
    columns: dict[str, Any] = growing.columns()
    if not columns:
        raise SciqlError(f"{name} has no rows; a log has one row a step")
    signals = {key.removeprefix(" "): columns.pop(key) for key in list(columns) if key.startswith(" ")}
    if roles.choices:
        columns["actions"], named = in_order(columns["actions"], reader.actions, name)
    else:
        named = reader.names(roles.actions)
    return Log(
        name,
        **columns,
        signals=signals,
        observation_names=reader.names(roles.observations),
        action_names=named,
        discrete_actions=len(named) if roles.choices else None,
        on_disk=on_disk,
    )
