"""Progress of a training on stderr, for a person who looks at a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sciql.fitting import Report, silent


@contextmanager
def reporting() -> Iterator[Report]:
    """A report that moves one bar a stage; nothing is shown where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars: dict[str, int] = {}

        def report(stage: str, step: int, steps: int, metrics: dict[str, float]) -> None:
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=steps, figures="")
            figures = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in metrics.items())
            progress.update(bars[stage], completed=step, figures=figures)  # pyright: ignore[reportArgumentType]

        yield report
