"""What the parts of `sciql benchmark` share: the folder of results, and what is said about it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from sciql.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class OfResults(Command):
    """What all parts of the benchmark share: where the cells lie, and under which settings they were made."""

    results: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("results")
    """Folder of the cells."""
    preset: Literal["exact", "paper"] = "exact"
    """exact: our default; paper: the paper's own way."""
    steps: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Gradient steps of each stage, instead of the preset's."""


def tell(sentence: str) -> None:
    print(f"sciql: {sentence}", file=sys.stderr)
