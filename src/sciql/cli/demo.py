"""`sciql demo`: the whole way from data to a policy with styles, in a few minutes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from sciql.cli.command import Command, print_json, stderr, stdout, writable_folder
from sciql.cli.scores import method_table
from sciql.cli.words import CriteriaWord, StepsWord


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Make a dataset, train SCIQL and a baseline on it, and leave a page of pictures; it takes a few minutes."""

    out: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("sciql-demo")
    """Folder of the page, the pictures and the runs."""
    criterion: Annotated[str, tyro.conf.arg(metavar="CRITERION")] = "position"
    """What the styles are about: position, movement_direction, turn_direction, radius, speed or curvature_noise."""
    criteria: CriteriaWord = None
    steps: StepsWord = None

    def run(self) -> int:
        from sciql.criteria import criterion

        chosen = criterion(self.criterion, file=self.criteria)
        folder = writable_folder(self.out)
        from sciql.demo import demonstrate

        result = demonstrate(chosen, folder, steps=self.steps, tell=stderr().print)
        if self.json:
            print_json(result.document())
            return 0
        named = [(act.title, act.evaluation) for act in result.acts]
        stdout().print(method_table(named, result.title, result.dataset))
        stdout().print(f"open {result.page}", markup=False)
        return 0

    def after_interrupt(self) -> str:
        return "; the same command goes on from here"
