"""`sciql benchmark`: the paper's grid, run and reported."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sciql.cli.benchmark_pages import Figures, Report, Tables, Tidy, Verify
from sciql.cli.command import Command, print_json, stderr, stdout
from sciql.cli.of_results import OfResults, tell

if TYPE_CHECKING:
    from sciql.benchmark.run import Outcome
    from sciql.benchmark.studies import Slice

Names = tuple[str, ...]


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
    ray: Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[ADDRESS]")] = None
    """Hand the cells to a Ray cluster: the one at this address, or this machine's own, which is started if need be."""

    @property
    def part(self) -> "Slice":
        """The slice that the words name."""
        from sciql.benchmark.studies import Slice

        return Slice(self.study, self.datasets, self.criteria, self.methods, self.seeds, self.preset, self.steps)

    def run(self) -> int:
        from sciql.benchmark.live import showing
        from sciql.benchmark.run import local_pool, ray_pool, run_slice

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
            local_pool(self.workers) if self.ray is None else ray_pool(self.ray),
            tell=tell,
            saved=saved,
            showing=lambda: showing(console, recent),
        )
        if self.json:
            print_json(outcome.document())
        else:
            stdout().print(_summary(outcome), markup=False)
        return 1 if outcome.failed else 0

    def after_interrupt(self) -> str:
        return "; finished cells are kept, the same command goes on"


def _line(cell: Any, document: dict[str, Any]) -> str:
    """A cell that is there, in one line."""
    from sciql.benchmark.scores import mean_of

    seconds = sum(document["seconds"].values())
    return (
        f"{cell.title}: style {mean_of(document['alignments']):.1f}, task {mean_of(document['tasks']):.1f}, "
        f"{seconds:.0f} s of computing"
    )


def _summary(outcome: "Outcome") -> str:
    """How a run ended, in a few lines."""
    from sciql.benchmark.live import duration

    lines = [f"{outcome.found + outcome.made} of {outcome.wanted} cells are there, {outcome.made} of them new"]
    if outcome.made:
        workers = outcome.workers
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


BENCHMARK: dict[str, type[Command]] = {
    "run": Run,
    "tables": Tables,
    "figures": Figures,
    "report": Report,
    "verify": Verify,
    "tidy": Tidy,
}


@dataclass(frozen=True, kw_only=True)
class Benchmark(Command):
    """The paper's grid: run it, and make tables, figures and a report of it."""
