"""`sciql data`: the datasets that can be had, made and checked."""

from dataclasses import asdict, dataclass
from typing import Annotated

import tyro

from sciql.cli.command import Command, print_json, stdout, table
from sciql.cli.findings import findings_table, healthy
from sciql.cli.words import DatasetWord


@dataclass(frozen=True, kw_only=True)
class List(Command):
    """Datasets that are known by name, and which of them are made already."""

    def run(self) -> int:
        from sciql.datasets import list_datasets

        known = list_datasets()
        if self.json:
            print_json({"datasets": [asdict(dataset) for dataset in known]})
            return 0
        rows = [
            (
                dataset.name,
                "[green]made[/]" if dataset.made else "when first asked for",
                dataset.environment or "",
                f"{dataset.episodes:,}",
                f"{dataset.steps:,}",
            )
            for dataset in known
        ]
        shown = table("Datasets", ("name", "state", "environment", "episodes", "steps"), rows)
        shown.columns[1].justify = shown.columns[2].justify = "left"
        stdout().print(shown)
        return 0


@dataclass(frozen=True, kw_only=True)
class Make(Command):
    """Make a dataset that is known by name, if it is not there yet."""

    dataset: Annotated[str, tyro.conf.arg(metavar="DATASET")]
    """Its name, such as circle2d-inplace-v0."""
    force: bool = False
    """Make it anew even if it is there."""

    def run(self) -> int:
        from sciql.datasets import make_dataset

        made = make_dataset(self.dataset, force=self.force)
        if self.json:
            print_json(asdict(made))
        else:
            stdout().print(f"{made.name} is there: {made.episodes:,} episodes, {made.steps:,} steps, in {made.folder}")
            stdout().print(f"next: sciql label {made.name}")
        return 0


@dataclass(frozen=True, kw_only=True)
class Check(Command):
    """Look for what is wrong or odd in a dataset; the exit code is 1 if it cannot be used."""

    dataset: DatasetWord

    def run(self) -> int:
        from sciql.datasets import check_dataset

        findings = check_dataset(self.dataset)
        sound = healthy(findings)
        if self.json:
            document = {"dataset": self.dataset, "healthy": sound}
            print_json({**document, "findings": [asdict(finding) for finding in findings]})
        else:
            stdout().print(findings_table(self.dataset, findings))
        return 0 if sound else 1


DATA: dict[str, type[Command]] = {"list": List, "make": Make, "check": Check}


@dataclass(frozen=True, kw_only=True)
class Data(Command):
    """Datasets: list, make, check."""
