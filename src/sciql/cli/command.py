"""What all commands share: the `--json` switch, where things are printed, and how names are shown."""

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of the command line."""

    json: bool = False
    """Print one JSON document on stdout instead of text."""

    def run(self) -> int:
        """Do the work and return the exit code."""
        raise NotImplementedError

    def after_interrupt(self) -> str:
        """What Ctrl-C left behind and how to go on, to follow the word "interrupted"."""
        return ""


PIPED = 160  # columns of a table that nobody's terminal is too narrow for


def stdout() -> "Console":
    """Where results go."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPED)


def stderr() -> "Console":
    """Where progress goes; silent unless a person is looking."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, quiet=quiet())


def quiet() -> bool:
    """Whether progress is to be kept silent: nobody looks at a stderr that is no terminal."""
    return not sys.stderr.isatty()


@contextmanager
def told() -> Iterator[None]:
    """Say on stderr what sciql warns of meanwhile, a sentence each."""
    from sciql.errors import SciqlWarning

    def say(message: Warning | str, category: type[Warning], *rest: Any, **words: Any) -> None:
        if issubclass(category, SciqlWarning):
            print(f"sciql: note: {message}", file=sys.stderr)
        else:
            usual(message, category, *rest, **words)

    with warnings.catch_warnings():
        usual, warnings.showwarning = warnings.showwarning, say
        warnings.simplefilter("always", SciqlWarning)
        yield


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on stdout; numbers that JSON cannot hold become null."""
    print(json.dumps(_plain(document), indent=2, allow_nan=False))


def picture_path(path: Path) -> Path:
    """The path of a picture that can be written; asked before work starts."""
    from sciql.errors import SciqlError

    if path.suffix not in (".png", ".svg"):
        raise SciqlError(f"{path} is no name of a picture; end it in .png or .svg")
    writable_folder(path.parent)
    return path


def writable_folder(folder: Path) -> Path:
    """A folder that files can be written into, or that can be made; asked before work starts."""
    import os

    from sciql.errors import SciqlError

    standing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not standing.is_dir():
        raise SciqlError(f"cannot write {folder}: {standing} is a file; name a folder")
    if not os.access(standing, os.W_OK | os.X_OK):
        raise SciqlError(f"cannot write {folder}: permission denied; choose a place that you may write to")
    return folder


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> "Table":
    """A table whose first column is text and whose other columns are figures."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for number, column in enumerate(columns):
        made.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def _plain(value: Any) -> Any:
    """The same value out of JSON's own types."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)
