"""`sciql benchmark`: the paper's grid, run and reported."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sciql.cli.command import Command, print_json, stderr, stdout, table, writable_folder
from sciql.cli.words import FolderWord

if TYPE_CHECKING:
    from sciql.benchmark.run import Outcome
    from sciql.benchmark.shelf import Shelf
    from sciql.benchmark.studies import Slice

Names = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class OfResults(Command):
    """What all parts of the benchmark share: where the cells lie, and under which settings they were made."""

    results: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("results")
    """Folder of the cells."""
    preset: Literal["exact", "paper"] = "exact"
    """exact: our default; paper: the paper's own way."""
    steps: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Gradient steps of each stage, instead of the preset's."""


@dataclass(frozen=True, kw_only=True)
class Run(OfResults):
    """Train and score what is missing of the grid, or of a slice of it; it may be stopped and started at any time."""

    study: Annotated[str, tyro.conf.arg(metavar="STUDY")] = "main"
    """main, estimators, sampling, noise, ablation or steps."""
    datasets: Annotated[Names, tyro.conf.arg(metavar="NAME ...")] = ()
    """All of the grid unless told; so are criteria and methods."""
    criteria: Annotated[Names, tyro.conf.arg(metavar="NAME ...")] = ()
    methods: Annotated[Names, tyro.conf.arg(metavar="NAME ...")] = ()
    seeds: Annotated[tuple[int, ...], tyro.conf.arg(metavar="N ...")] = ()
    """0 to 4 unless told."""
    workers: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Processes at once on this machine, each on cores of its own."""

    @property
    def part(self) -> "Slice":
        """The slice that the words name."""
        from sciql.benchmark.studies import Slice

        return Slice(self.study, self.datasets, self.criteria, self.methods, self.seeds, self.preset, self.steps)

    def run(self) -> int:
        from sciql.benchmark.live import showing
        from sciql.benchmark.run import local_pool, run_slice

        console = stderr()
        recent: list[str] = []

        def saved(cell: Any, document: dict[str, Any]) -> None:
            line = _line(cell, document)
            recent.append(line)
            if not self.json and (console.quiet or not sys.stdout.isatty()):
                print(line, flush=True)

        outcome = run_slice(
            self.part,
            self.results,
            local_pool(self.workers),
            self.workers,
            tell=_tell,
            saved=saved,
            showing=lambda: showing(console, recent),
        )
        if self.json:
            print_json(outcome.document())
        else:
            stdout().print(_summary(outcome, self.workers), markup=False)
        return 1 if outcome.failed else 0

    def after_interrupt(self) -> str:
        return "; finished cells are kept, the same command goes on"


def _tell(sentence: str) -> None:
    print(f"sciql: {sentence}", file=sys.stderr)


def _line(cell: Any, document: dict[str, Any]) -> str:
    """A cell that is there, in one line."""
    from sciql.benchmark.scores import mean_of

    seconds = sum(document["seconds"].values())
    return (
        f"{cell.title}: style {mean_of(document['alignments']):.1f}, task {mean_of(document['tasks']):.1f}, "
        f"{seconds:.0f} s of computing"
    )


def _summary(outcome: "Outcome", workers: int) -> str:
    """How a run ended, in a few lines."""
    from sciql.benchmark.live import duration

    lines = [f"{outcome.found + outcome.made} of {outcome.wanted} cells are there, {outcome.made} of them new"]
    if outcome.made:
        own = outcome.seconds - outcome.busy / workers
        lines.append(
            f"{duration(outcome.seconds)}; {workers} worker{'s' * (workers > 1)} did {duration(outcome.busy)} of work; "
            f"saving took {outcome.saving:.2f} s, starting and waiting {max(0.0, own):.0f} s"
        )
    lines += [f"failed: {title}: {reason}" for title, reason in outcome.failed.items()]
    if outcome.failed:
        lines.append("the same command tries those again")
    else:
        lines.append("next: sciql benchmark tables")
    return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Tables(OfResults):
    """Print the paper's tables, ours beside the paper's; --out keeps them as Markdown, CSV and LaTeX."""

    out: FolderWord = None
    """Folder for the tables as .md, .csv and .tex."""
    page: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write tables into this Markdown page, where its comments <!-- results: NAME, ... --> ask for them."""

    def run(self) -> int:
        from sciql.benchmark.printing import terminal, write_page, write_tables
        from sciql.benchmark.tables import all_tables

        if self.out is not None:
            writable_folder(self.out)
        shelf = open_with_notes(self)
        tables = all_tables(shelf.main, shelf.grids("estimators"))
        files = [] if self.out is None else write_tables(tables, self.out)
        if self.page is not None:
            files.append(write_page(tables, self.page))
        if self.json:
            from dataclasses import asdict

            print_json({"tables": [asdict(made) for made in tables], "files": [str(file) for file in files]})
            return 0
        for made in tables:
            if not made.empty:
                stdout().print(terminal(made))
        if files:
            stdout().print("\n".join(map(str, files)), markup=False)
        return 0


@dataclass(frozen=True, kw_only=True)
class Verify(OfResults):
    """Say of each figure of the paper whether ours reproduces it, is better, worse, or cannot tell yet."""

    def run(self) -> int:
        from sciql.benchmark.printing import plus_minus
        from sciql.benchmark.verdicts import RULE, counts, judge

        judged = judge(open_with_notes(self).main)
        if self.json:
            from dataclasses import asdict

            print_json({"rule": RULE, "counts": counts(judged), "cells": [asdict(cell) for cell in judged]})
            return 0
        there = [cell for cell in judged if cell.verdict != "missing"]
        rows = [
            (
                f"{cell.dataset} {cell.criterion} {cell.method} {cell.metric}",
                plus_minus(cell.ours),
                str(cell.paper),
                f"{cell.interval[0]:+.1f} to {cell.interval[1]:+.1f}" if cell.interval else "",
                f"[{COLOURS[cell.verdict]}]{cell.verdict}[/]",
            )
            for cell in there
        ]
        stdout().print(table("Beside the paper", ("figure", "ours", "paper", "ours - paper", "verdict"), rows))
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts(judged).items())
        stdout().print(f"{RULE}\n{said}", markup=False)
        return 0


COLOURS = {"reproduced": "green", "better": "bold green", "worse": "red", "inconclusive": "yellow"}


@dataclass(frozen=True, kw_only=True)
class Tidy(OfResults):
    """Remove the cells of other settings than the present ones, such as those of an older recipe."""

    def run(self) -> int:
        from sciql.benchmark.shelf import open_shelf
        from sciql.benchmark.store import held

        with held(self.results):
            strays = open_shelf(self.results, self.preset, self.steps).strays
            for path in strays:
                (self.results / path).unlink()
        if self.json:
            print_json({"removed": [str(path) for path in strays]})
        else:
            stdout().print(f"{len(strays)} cells removed from {self.results}", markup=False)
        return 0


def open_with_notes(command: OfResults) -> "Shelf":
    """The cells of a folder; what is damaged or of other settings is said on stderr."""
    from sciql.benchmark.shelf import open_shelf, said
    from sciql.benchmark.store import damage

    shelf = open_shelf(command.results, command.preset, command.steps)
    if shelf.results.damaged:
        _tell(damage(shelf.results.damaged))
    if shelf.strays:
        _tell(said(shelf.strays, command.results))
    return shelf


BENCHMARK: dict[str, type[Command]] = {"run": Run, "tables": Tables, "verify": Verify, "tidy": Tidy}


@dataclass(frozen=True, kw_only=True)
class Benchmark(Command):
    """The paper's grid: run it, and make tables, figures and a report of it."""
