"""`sciql data`: the datasets that can be had, made and checked."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sciql.cli.command import Command, print_json, stdout, table
from sciql.cli.findings import findings_table, healthy
from sciql.cli.words import ColumnWord, DatasetWord

if TYPE_CHECKING:
    from sciql.datasets import Finding
    from sciql.episodes import Episodes

LISTED = 12  # names in a cell


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
    strict: bool = False
    """Let hints count: the exit code is 1 if there is one."""

    def run(self) -> int:
        from sciql.datasets import check_dataset

        findings = check_dataset(self.dataset)
        sound = healthy(findings)
        if self.json:
            document = {"dataset": self.dataset, "healthy": sound}
            print_json({**document, "findings": [asdict(finding) for finding in findings]})
        else:
            stdout().print(findings_table(self.dataset, [_explained(finding) for finding in findings]))
        hinted = any(finding.state == "hint" for finding in findings)
        return 0 if sound and not (self.strict and hinted) else 1


def _explained(finding: "Finding") -> "Finding":
    """With all that is known of it in its detail: what, where, why it hurts, what to do."""
    where = f" ({finding.place})" if finding.place else ""
    more = [part for part in (finding.why, finding.remedy) if part]
    sentences = [f"{finding.detail}{where}", *(part[0].upper() + part[1:] for part in more)]
    return replace(finding, detail=". ".join(sentences))


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """Keep logs of your own under a name, by which every other command finds them; the exit code is that of a check.

    A table (.csv, .parquet, or a folder of them) has one row a step. What its columns mean is guessed by their names
    unless it is told; patterns such as "joint_*" stand for many columns, and commas part several names.
    """

    source: Annotated[str, tyro.conf.arg(metavar="SOURCE")]
    """A .csv, .parquet, .npz or .hdf5 file, a folder of tables, or a Minari dataset."""
    name: Annotated[str | None, tyro.conf.arg(name="as", metavar="NAME")] = None
    """What to call the dataset; needed."""
    episode: ColumnWord = None
    """Column that tells one episode from another."""
    step: ColumnWord = None
    """Column that grows from row to row within an episode."""
    observations: ColumnWord = None
    """Columns that the policy is to see."""
    actions: ColumnWord = None
    """Columns of a vector, or one column of whole numbers or words: a choice."""
    reward: ColumnWord = None
    """Column of rewards; without one, only methods that learn styles alone can run."""
    terminations: ColumnWord = None
    """Column that flags ends by success or failure."""
    truncations: ColumnWord = None
    """Column that flags ends by time."""
    signals: ColumnWord = None
    """Columns that criteria read; every other column of numbers unless told."""
    bounds: tuple[float, ...] = ()
    """Lowest and highest value of all actions, or of each in turn; else [-1, 1], or what the data reaches."""
    force: bool = False
    """Take the place of a dataset of that name."""

    def run(self) -> int:
        from sciql.datasets import import_dataset
        from sciql.errors import SciqlError

        if self.name is None:
            raise SciqlError("sciql data import needs --as NAME, by which the dataset is found later")
        words = {word: value for word in COLUMNS if (value := getattr(self, word)) is not None}
        if self.bounds:
            words["action_bounds"] = self.bounds
        imported = import_dataset(self.source, self.name, words, force=self.force)  # pyright: ignore[reportArgumentType]
        sound = healthy(imported.findings)
        if self.json:
            findings = [asdict(finding) for finding in imported.findings]
            print_json({**asdict(imported.info), "layout": _layout(imported.episodes), "findings": findings})
            return 0 if sound else 1
        info = imported.info
        stdout().print(f"{info.name} is there: {info.episodes:,} episodes, {info.steps:,} steps, in {info.folder}")
        rows = [(what, _text(told)) for what, told in _layout(imported.episodes).items()]
        shown = table("Read as", ("what", "columns"), rows)
        shown.columns[1].justify = "left"
        stdout().print(shown)
        noticed = [_explained(finding) for finding in imported.findings if finding.state != "ok"]
        if noticed:
            stdout().print(findings_table("To look at", noticed))
        stdout().print(f"next: sciql data check {info.name}\n      sciql label {info.name}", markup=False)
        return 0 if sound else 1


COLUMNS = ("episode", "step", "observations", "actions", "reward", "terminations", "truncations", "signals")


def _layout(episodes: "Episodes") -> dict[str, Any]:
    """What the columns of a log were taken for."""
    return {
        "observations": list(episodes.observation_names),
        "actions": list(episodes.action_names),
        "bounds": None if episodes.discrete_actions else episodes.action_bounds.T.tolist(),
        "rewards": episodes.rewarded,
        "signals": list(episodes.signals),
    }


def _text(told: Any) -> str:
    """One cell: at most a screen's line of names or bounds."""
    if isinstance(told, bool):
        return "yes" if told else "none"
    if told is None:
        return "a choice"
    words = [f"[{one[0]:g}, {one[1]:g}]" if isinstance(one, list) else one for one in told]
    return (", ".join(words[:LISTED]) + (f" and {len(words) - LISTED} more" if len(words) > LISTED else "")) or "none"


DATA: dict[str, type[Command]] = {"list": List, "make": Make, "import": Import, "check": Check}


@dataclass(frozen=True, kw_only=True)
class Data(Command):
    """Datasets: list, make, import, check."""
