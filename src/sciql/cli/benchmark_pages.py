"""What is made of the cells of `sciql benchmark`: tables, figures, a report, verdicts."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from sciql.cli.command import print_json, stdout, table, writable_folder
from sciql.cli.of_results import OfResults, tell
from sciql.cli.words import FolderWord

if TYPE_CHECKING:
    from sciql.benchmark.shelf import Shelf


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
class Figures(OfResults):
    """Draw the paper's figures and ours as PNG and PDF, from the cells and the datasets that are there."""

    out: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("figures")
    """Folder of the figures."""

    def run(self) -> int:
        from sciql.benchmark.figures import data_exhibits, score_exhibits
        from sciql.plots.exhibits import WIDE
        from sciql.plots.house import LIGHT, save

        writable_folder(self.out)
        shelf = open_with_notes(self)
        made = [
            path
            for exhibit in (*score_exhibits(shelf), *data_exhibits(made_datasets()))
            for path in save(exhibit.draw(LIGHT, WIDE), self.out / exhibit.name, ("png", "pdf"))
        ]
        if self.json:
            print_json({"figures": [str(path) for path in made]})
        else:
            stdout().print("\n".join(str(path) for path in made), markup=False)
        return 0


@dataclass(frozen=True, kw_only=True)
class Report(OfResults):
    """Write all tables, figures and verdicts as one HTML page that needs nothing else."""

    out: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path("benchmark.html")
    """The page."""

    def run(self) -> int:
        from sciql.benchmark.figures import data_exhibits
        from sciql.benchmark.report import page
        from sciql.files import write_text

        writable_folder(self.out.parent)
        write_text(self.out, page(open_with_notes(self), data_exhibits(made_datasets())))
        if self.json:
            print_json({"page": str(self.out)})
        else:
            stdout().print(f"open {self.out}", markup=False)
        return 0


def made_datasets() -> list[str]:
    """The grid's datasets that are on the disk; what is not is said on stderr."""
    from sciql.benchmark.grid import datasets
    from sciql.benchmark.run import content_of

    there = [name for name in datasets() if content_of(name)]
    if missing := [name for name in datasets() if name not in there]:
        tell(f"no figures of {', '.join(missing)}: make the data with `sciql data make NAME`")
    return there


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
        tell(damage(shelf.results.damaged))
    if shelf.strays:
        tell(said(shelf.strays, command.results))
    return shelf
