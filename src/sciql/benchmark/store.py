"""The folder of results: one small JSON file a cell, whole or not there."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sciql.benchmark.cells import FORMAT, Cell, identity
from sciql.errors import SciqlError
from sciql.files import claim, read_json, remove_leftovers, write_text, writing

MARK = "results.json"
"""Says that a folder is one of results, and of which version."""
RESULTS = Path("results")

Document = dict[str, Any]
"""What a cell's file holds."""


@dataclass(frozen=True)
class Results:
    """What a folder holds."""

    folder: Path
    found: dict[Path, Document]
    """The cells by their place below the folder."""
    damaged: tuple[Path, ...] = ()
    """Files that are no cells; they are never written over unless their cell is made again."""

    def of(self, cell: Cell) -> Document | None:
        return self.found.get(cell.path)

    def others(self, cells: Iterable[Cell]) -> list[Path]:
        """The files that belong to none of these cells."""
        known = {cell.path for cell in cells}
        return sorted(path for path in self.found if path not in known)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder for one run alone, made if needed."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with claim(folder):
        _require_version(folder)
        if not (folder / MARK).exists():
            write_text(folder / MARK, dumped({"sciql results": FORMAT}))
        yield


def read_results(folder: Path) -> Results:
    """All cells of a folder, whatever settings they were made by."""
    if not folder.is_dir():
        raise SciqlError(f"there is no folder {folder}; make results with `sciql benchmark run`")
    _require_version(folder)
    found, damaged = {}, []
    for path in sorted(folder.glob("*/*/*/*-seed*.json")):
        document = _read(path)
        if document is None:
            damaged.append(path)
        else:
            found[path.relative_to(folder)] = document
    return Results(folder, found, tuple(damaged))


def _require_version(folder: Path) -> None:
    mark = folder / MARK
    if not mark.exists():
        return
    version = read_json(mark).get("sciql results")
    if version != FORMAT:
        raise SciqlError(
            f"{folder} holds results of version {version} and this sciql writes version {FORMAT}; "
            "name another folder or use the sciql that made it"
        )


def _read(path: Path) -> Document | None:
    """A cell, or None for what is half written or none of ours."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(document, dict) and {"cell", "seed", "alignments", "tasks", "seconds"} <= document.keys()
    return document if whole and document["cell"].get("format") == FORMAT else None


def damage(paths: Sequence[Path]) -> str:
    """The sentence about files that cannot be read."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    verb = "are" if len(paths) > 1 else "is"
    return f"{paths[0]}{more} {verb} half written or no cell of this version; `sciql benchmark run` makes it again"


def save(folder: Path, cell: Cell, measured: Mapping[str, Any]) -> Document:
    """Write a cell: what it depends on, then what was measured."""
    document = {"cell": identity(cell), "seed": cell.seed, **measured}
    path = folder / cell.path
    remove_leftovers(path)
    write_text(path, dumped(document))
    return json.loads(dumped(document))


def dumped(document: Mapping[str, Any]) -> str:
    """JSON with a line for each entry of the first level: small, and changes can be read."""
    lines = [f"{json.dumps(key)}: {_compact(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def rounded(value: Any, digits: int = 2) -> Any:
    """Numbers of a nested list with few digits, whole ones without a point."""
    if isinstance(value, list):
        return [rounded(item, digits) for item in value]
    if not math.isfinite(value):
        raise SciqlError("a score is not finite; look at the policy and its environment")
    short = round(value, digits)
    return int(short) if short == int(short) else short
