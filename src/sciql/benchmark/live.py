"""The live table of a run: what runs, what is done, what failed, and the time left."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sciql.benchmark.schedule import Board

if TYPE_CHECKING:
    from rich.console import Console, Group

RECENT = 5
BAR = 24


@contextmanager
def showing(console: "Console", recent: Sequence[str]) -> Iterator[Callable[[Board], None]]:
    """A function that shows how a run stands; silent on a console that nobody looks at."""
    if console.quiet:
        yield lambda board: None
        return
    from rich.live import Live

    with Live(console=console, refresh_per_second=4, transient=True) as live:
        yield lambda board: live.update(shown(board, recent))


def shown(board: Board, recent: Sequence[str]) -> "Group":
    """The table, with the last cells above it."""
    from rich import box
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=standing(board), title_justify="left", title_style="bold")
    for column in ("running", "stage", "", "steps"):
        table.add_column(column)
    for name in board.started:
        progress, task = board.running.get(name), board.tasks[name]
        share = board.share(name)
        steps = f"{progress.step:,} of {progress.steps:,}" if progress else ""
        stage = progress.stage if progress else "starting"
        bar = "━" * round(BAR * share)
        table.add_row(escape(task.title), stage, f"[green]{bar}[/][dim]{'━' * (BAR - len(bar))}[/]", steps)
    lines = [escape(line) for line in recent[-RECENT:]]
    lines += [
        f"[red]{escape(board.tasks[name].title)}: {escape(why)}[/]"
        for name, why in list(board.failed.items())[-RECENT:]
    ]
    return Group(*lines, table)


def standing(board: Board) -> str:
    """How far the run is, in one line."""
    cells = sum(len(task.cells) for task in board.tasks.values() if task.stage is None)
    words = [f"{board.made} of {cells} cells", f"{duration(board.seconds)} so far"]
    if board.left is not None:
        words.append(f"about {duration(board.left)} left")
    if board.failed:
        words.append(f"{len(board.failed)} failed")
    return ", ".join(words)


def duration(seconds: float) -> str:
    """A time as people say it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
