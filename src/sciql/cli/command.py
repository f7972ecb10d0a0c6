"""What all commands share: the `--json` switch, where things are printed, and how names are shown."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


def stdout() -> "Console":
    """Where results go."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def stderr() -> "Console":
    """Where progress goes; silent unless a person is looking."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, quiet=quiet())


def quiet() -> bool:
    """Whether progress is to be kept silent: nobody looks at a stderr that is no terminal."""
    return not sys.stderr.isatty()


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on stdout; numbers that JSON cannot hold become null."""
    print(json.dumps(_plain(document), indent=2, allow_nan=False))


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
