"""`sciql train`: one method on one dataset and criterion, into one folder."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from sciql.cli.command import Command, print_json, stdout, table, told
from sciql.cli.words import CriteriaWord, CriterionWord, DatasetWord, FolderWord, LeastWord, StepsWord
from sciql.methods import METHODS, get_method

if TYPE_CHECKING:
    from sciql.training import Run


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """Train a policy; Ctrl-C or worse loses nothing, --resume goes on."""

    method: Annotated[str, tyro.conf.arg(metavar="METHOD", help=f"{', '.join(METHODS)}; sorl_betaB for any B.")]
    dataset: DatasetWord
    criterion: CriterionWord = None
    """What the styles are about, such as position, or position+speed for both at once; bc and iql do without."""
    criteria: CriteriaWord = None
    least: LeastWord = None
    seed: int = 0
    """All that is random comes from it."""
    steps: StepsWord = None
    preset: Literal["exact", "paper"] = "exact"
    """exact: fast, sums over all styles; paper: the paper's own way, for comparison."""
    out: FolderWord = None
    """Folder of the run; runs/DATASET/CRITERION/METHOD/seedSEED unless told."""
    holdout: float = 0.0
    """Share of the episodes to set aside, for `sciql evaluate --offline`."""
    resume: bool = False
    """Go on where an interrupted run of the same settings stopped."""

    @property
    def folder(self) -> Path:
        """Where the run goes."""
        if self.out is not None:
            return self.out
        words = [] if self.chosen is None else self.chosen.split("+")
        criterion = "+".join(word.strip().rsplit("/", 1)[-1] for word in words) or "no-criterion"
        return Path("runs") / Path(self.dataset).name / criterion / self.method / f"seed{self.seed}"

    @cached_property
    def chosen(self) -> str | None:
        """The criterion's name: the one given, or that of the only one in the file."""
        if self.criterion is not None or self.criteria is None:
            return self.criterion
        from sciql.criteria import only_criterion

        return only_criterion(self.criteria)

    def run(self) -> int:
        from sciql.criteria import criterion
        from sciql.datasets import load_dataset, signals_of

        get_method(self.method)
        chosen = (
            None
            if self.chosen is None
            else criterion(self.chosen, file=self.criteria, signals=signals_of(self.dataset))
        )
        episodes = load_dataset(self.dataset)
        if chosen is not None and self.least is not None:
            chosen = chosen.supported(episodes, self.least)
        # JAX is imported only now: mistakes in names are answered without waiting for it.
        from sciql.training import train

        with told():
            run = train(
                self.method,
                episodes,
                chosen,
                seed=self.seed,
                out=self.folder,
                preset=self.preset,
                steps=self.steps,
                resume=self.resume,
                holdout=self.holdout,
            )
        if self.json:
            print_json({"folder": str(self.folder), **run.document})
        else:
            self._show(run)
        return 0

    def _show(self, run: "Run") -> None:
        """How each stage ended, and what to do next."""
        last = {line["stage"]: line for line in run.curve}
        seconds = run.document["seconds"]
        rows = [
            (
                stage,
                f"{line['step']:,}",
                f"{seconds[stage]:.0f}" if stage in seconds else "found on disk",
                _figures(line),
            )
            for stage, line in last.items()
        ]
        stdout().print(table(f"{self.method}, seed {self.seed}", ("stage", "steps", "seconds", "at the end"), rows))
        folder = shlex.quote(str(self.folder))
        stdout().print(f"next: sciql evaluate {folder}\n      sciql plot {folder}", markup=False)

    def after_interrupt(self) -> str:
        words = ["sciql", "train", self.method, self.dataset, *([self.criterion] if self.criterion else [])]
        words += ["--seed", str(self.seed), "--preset", self.preset, "--out", str(self.folder)]
        words += ["--criteria", str(self.criteria)] if self.criteria is not None else []
        words += ["--least", f"{self.least:g}"] if self.least is not None else []
        words += ["--steps", str(self.steps)] if self.steps is not None else []
        words += ["--holdout", str(self.holdout)] if self.holdout else []
        return f"; go on with: {shlex.join([*words, '--resume'])}"


def _figures(line: dict[str, float]) -> str:
    """The last figures of a stage, in one cell."""
    shown = {name: value for name, value in line.items() if name not in ("stage", "step", "seconds")}
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in shown.items())
