"""The folder of a run: held by one process, gone on with, written down, and given back when nothing came of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sciql.criteria.sources import unsourced
from sciql.errors import SciqlError
from sciql.files import claim, read_json, remove_leftovers, write_json, writing
from sciql.fitting import Report, Row

FIXED = ("method", "seed", "dataset", "criterion", "settings")
"""What of run.json makes a run that run and no other."""
DOCUMENT, POLICY, METRICS, CHECKPOINT = FILES = ("run.json", "policy.npz", "metrics.jsonl", "checkpoint.npz")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a run's folder, made if needed; it is given back if the run fails before it can be gone on with."""
    with writing(folder):
        new = [place for place in (folder.absolute(), *folder.absolute().parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    with claim(folder):
        empty = not any(folder.iterdir())
        try:
            yield
        except SciqlError:
            if empty and not (folder / CHECKPOINT).exists():
                _withdraw(folder, new)
            raise


def _withdraw(folder: Path, new: list[Path]) -> None:
    """Remove the files of a run and the new folders, unless others put something there meanwhile."""
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        for place in new:
            place.rmdir()


def finished(folder: Path, document: dict[str, Any], resume: bool) -> bool:
    """Whether the folder holds this very run, at its end; if not, it is made ready for it."""
    for name in FILES:
        remove_leftovers(folder / name)
    if (folder / DOCUMENT).exists():
        before = read_document(folder)
        _require_same(folder, before, document, resume)
        if before["finished"] and (folder / POLICY).exists():
            (folder / CHECKPOINT).unlink(missing_ok=True)
            return True
    elif any(folder.iterdir()):
        raise SciqlError(f"{folder} holds other files; choose a new or an empty folder for the run")
    write_json(folder / DOCUMENT, document)
    return False


def read_document(folder: Path) -> dict[str, Any]:
    """What run.json says, if it is one of ours."""
    document = read_json(folder / DOCUMENT)
    if not isinstance(document, dict) or not {*FIXED, "finished"} <= document.keys():
        raise SciqlError(f"{folder / DOCUMENT} does not describe a run of sciql; choose another folder")
    return document


def _require_same(folder: Path, before: dict[str, Any], document: dict[str, Any], resume: bool) -> None:
    """A folder goes on only with the run that it began with, and only when asked to."""
    if not resume:
        state = "a finished" if before["finished"] else "an unfinished"
        raise SciqlError(f"{folder} holds {state} run; add --resume to go on with it or choose another folder")
    changed = [name for name in FIXED if _told(before, name) != _told(document, name)]
    if changed:
        raise SciqlError(
            f"{folder} holds a run of another {' and '.join(changed)}; resume it with its own or choose another folder"
        )


def _told(document: dict[str, Any], name: str) -> Any:
    """What an entry says about the run itself."""
    return unsourced(document[name]) if name == "criterion" else document[name]


def written_down(path: Path, shown: Report) -> Report:
    """A report that also adds its rows to a file, for who looks in while the run goes on."""
    with writing(path):
        path.unlink(missing_ok=True)

    def report(row: Row, steps: int) -> None:
        shown(row, steps)
        with writing(path), path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")

    return report
