"""Criteria in a user's own file: how they are loaded, and found again for a run that was trained on them."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from sciql.criteria.criterion import Criterion, Source, told_by
from sciql.errors import SciqlError


def load_criteria(path: str | Path) -> dict[str, Criterion]:
    """Every criterion that a Python file makes, by its name."""
    file = Path(path).expanduser().absolute()
    if not file.is_file():
        raise SciqlError(f"there is no file {path} with criteria; write one, or name the one that you have")
    text = file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    found: dict[str, Criterion] = {}
    for made in vars(_executed(file, text, digest)).values():
        if isinstance(made, Criterion):
            named = replace(made, source=Source(str(file), made.name, digest))
            if found.setdefault(made.name, named) != named:
                raise SciqlError(f"{path} has two criteria of the name {made.name}; give one another name")
    if not found:
        raise SciqlError(f"{path} makes no criterion; decorate a function in it with @sciql.styles")
    return found


def _executed(file: Path, text: bytes, digest: str) -> ModuleType:
    """The file as a module, which may import its neighbours."""
    module = ModuleType(f"sciql_criteria_{digest[:16]}")
    module.__file__ = str(file)
    # What the file defines may look its own module up, as dataclasses do.
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(file.parent))
    try:
        with told_by(str(file)):
            exec(compile(text, str(file), "exec"), module.__dict__)
    finally:
        sys.path.remove(str(file.parent))
    return module


def reopened(source: dict[str, Any]) -> Criterion:
    """The criterion that a run was trained on, from the file that it came from then."""
    file, name = Path(source["file"]), source["name"]
    if not file.is_file():
        raise SciqlError(
            f"the criterion {name} of this run was in {file}, which is gone; put it back, or say where it is now with "
            "--criteria FILE (criterion= in Python)"
        )
    if hashlib.sha256(file.read_bytes()).hexdigest() != source["sha256"]:
        raise SciqlError(
            f"{file} has changed since this run was trained on its criterion {name}; put it back, or judge by it as "
            f"it is now with --criteria {file} (criterion= in Python)"
        )
    return load_criteria(file)[name]


def unsourced(record: dict[str, Any] | None) -> dict[str, Any] | None:
    """A record without the files that its criterion and its parts came from: a file may move."""
    if record is None:
        return None
    kept = {name: value for name, value in record.items() if name != "source"}
    parts = record["settings"].get("parts")
    return kept | ({"settings": {"parts": [unsourced(part) for part in parts]}} if parts else {})
