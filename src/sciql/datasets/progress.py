"""A bar on stderr for work that lasts seconds."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(task: str, total: int) -> Iterator[Callable[[], None]]:
    """A function to call after each of `total` parts; nothing is shown where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        shown = progress.add_task(task, total=total)
        yield lambda: progress.advance(shown)
