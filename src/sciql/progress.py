"""Progress of a training on stderr, for a person who looks at a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sciql.fitting import Report, Row, silent

COORDINATES = ("stage", "step", "seconds")


@contextmanager
def reporting() -> Iterator[Report]:
    """A report that moves one bar a stage; nothing is shown where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars: dict[str, TaskID] = {}

        def report(row: Row, steps: int) -> None:
            stage = row["stage"]
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=steps, figures="")
            figures = {name: value for name, value in row.items() if name not in COORDINATES}
            said = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in figures.items())
            progress.update(bars[stage], completed=row["step"], figures=said)

        yield report
