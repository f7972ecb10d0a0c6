"""The paper's tables, ours beside the paper's in every cell."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sciql.benchmark.cells import judged_by
from sciql.benchmark.grid import (
    ENVIRONMENTS,
    EPISODES,
    GRID_METHODS,
    SEEDS,
    STYLE_METHODS,
    TASK_METHODS,
    Environment,
    Pair,
    datasets,
    pairs_of,
)
from sciql.benchmark.scores import Grid, Value, mean_value, over_criteria, robust, value
from sciql.methods import get_method
from sciql.paper import Complexity, Figure, Metric, chi_figure, complexity, figure

METRICS: tuple[Metric, ...] = ("style", "task")


@dataclass(frozen=True)
class Entry:
    """One cell of a table: ours and the paper's."""

    ours: Value | int | None
    paper: Figure | int | None = None
    best: bool = False
    paper_best: bool = False


@dataclass(frozen=True)
class Row:
    """A row: what it is about, and its cells."""

    words: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def seeds(self) -> str:
        """How many seeds its cells rest on."""
        counts = sorted({entry.ours.seeds for entry in self.entries if isinstance(entry.ours, Value)})
        return "–".join(dict.fromkeys(map(str, (counts[0], counts[-1])))) if counts else ""


@dataclass(frozen=True)
class Table:
    """A table that can be printed in many ways."""

    name: str
    title: str
    note: str
    head: tuple[str, ...]
    """What the words of a row are."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing of ours is in it."""
        return all(entry.ours is None for row in self.rows for entry in row.entries)


POINTS = "Ours, and the paper's in parentheses; points of 100, ± the deviation over seeds averaged over styles."


def all_tables(main: Grid, estimators: Mapping[str, Grid]) -> list[Table]:
    """All of them; `estimators` holds the cells of that study by estimator."""
    return [
        style_summary(main),
        style_full(main),
        style_and_task(main),
        estimator_table(estimators),
        robust_table(main),
        complexity_table(main),
    ]


def style_summary(grid: Grid) -> Table:
    """Table 1 of the paper."""
    rows = [
        _row((dataset,), [_over(grid, dataset, method, "style") for method in STYLE_METHODS]) for dataset in datasets()
    ]
    return Table("style", "Style alignment", POINTS, ("dataset",), _titles(STYLE_METHODS), tuple(rows))


def style_full(grid: Grid) -> Table:
    """The style table of all criteria."""
    rows = [
        _row(words, [cell(method, "style") for method in STYLE_METHODS])
        for dataset in datasets()
        for words, cell in _lines(grid, dataset)
    ]
    title = "Style alignment, all criteria"
    return Table("style-full", title, POINTS, ("dataset", "criterion"), _titles(STYLE_METHODS), tuple(rows))


def style_and_task(grid: Grid) -> Table:
    """The table of style and task."""
    rows = [
        _row((*words, metric), [cell(method, metric) for method in TASK_METHODS])
        for dataset in datasets()
        for words, cell in _lines(grid, dataset)
        for metric in METRICS
    ]
    head = ("dataset", "criterion", "score")
    return Table("style-and-task", "Style and task", POINTS, head, _titles(TASK_METHODS), tuple(rows))


Cell = Callable[[str, Metric], Entry]


def _lines(grid: Grid, dataset: str) -> list[tuple[tuple[str, str], Cell]]:
    """The rows of a dataset: the mean over its criteria, then each of them."""

    def over_all(method: str, metric: Metric) -> Entry:
        return _over(grid, dataset, method, metric)

    def of_pair(pair: Pair) -> Cell:
        return lambda method, metric: Entry(
            value(grid, pair, method, metric), figure(dataset, pair.short, method, metric)
        )

    return [((dataset, "all"), over_all), *(((dataset, pair.short), of_pair(pair)) for pair in pairs_of(dataset))]


def _over(grid: Grid, dataset: str, method: str, metric: Metric) -> Entry:
    return Entry(over_criteria(grid, dataset, method, metric), figure(dataset, "all", method, metric))


ESTIMATED = {"sorl": "sorl_beta0", "sciql": "sciql_style"}
"""The paper's names of the methods that estimate p(z | s, a), and ours."""


def estimator_table(variants: Mapping[str, Grid]) -> Table:
    """The ablation of the estimators; `variants` are the cells by estimator."""
    columns = [(theirs, ours, name) for theirs, ours in ESTIMATED.items() for name in variants]
    rows = []
    for dataset in datasets():
        found = [over_criteria(variants[name], dataset, ours, "style") for _, ours, name in columns]
        printed = [chi_figure(dataset, f"{theirs}_{name}") for theirs, _, name in columns]
        rows.append(_row((dataset,), [Entry(*both) for both in zip(found, printed, strict=True)]))
    means = [_as_value([row.entries[place].ours for row in rows]) for place in range(len(columns))]
    printed = [chi_figure("all_datasets", f"{theirs}_{name}") for theirs, _, name in columns]
    rows.append(_row(("all datasets",), [Entry(*both) for both in zip(means, printed, strict=True)]))
    titles = tuple(f"{theirs.upper()} ({'MINE' if name == 'mine' else name})" for theirs, _, name in columns)
    return Table("estimators", "Style alignment by estimator of p(z | s, a)", POINTS, ("dataset",), titles, tuple(rows))


def _as_value(entries: Sequence[Value | int | None]) -> Value | None:
    return mean_value([entry if isinstance(entry, Value) else None for entry in entries])


def robust_table(grid: Grid) -> Table:
    """Interquartile means."""
    rows = [
        _row((dataset, metric), [Entry(robust(grid, dataset, method, metric)) for method in GRID_METHODS])
        for dataset in datasets()
        for metric in METRICS
    ]
    note = (
        "Ours: interquartile mean over criteria, styles and seeds, and the interval that holds it in 95 of 100 samples "
        "of seeds drawn anew for each style (seeded); no interval with a single seed. The paper prints none."
    )
    return Table("robust", "Interquartile means", note, ("dataset", "score"), _titles(GRID_METHODS), tuple(rows))


COUNTS = ("labels", "datasets", "seeds", "trainings", "episodes")


def complexity_table(grid: Grid) -> Table:
    """How much was trained and judged."""
    printed = {(row.environment, row.criterion): row for row in complexity()}
    rows = [
        Row((environment.name, name), _counts(grid, environment, name, printed.get((environment.name, name))))
        for environment in ENVIRONMENTS
        for name in environment.criteria
    ]
    note = (
        f"Ours, of one method ({get_method('sciql_style').title}), and the paper's in parentheses. The paper counts a "
        f"training for every label; ours learns all labels of a criterion in one. {len(SEEDS)} seeds are the full grid."
    )
    return Table("complexity", "Scale of the experiments", note, ("environment", "criterion"), COUNTS, tuple(rows))


def _counts(grid: Grid, environment: Environment, name: str, printed: Complexity | None) -> tuple[Entry, ...]:
    """How much we have of SCIQL, style only, beside how much the paper has of each of its methods."""
    found = [
        scores for key, scores in grid.items() if key[1:] == (name, "sciql_style") and key[0] in environment.datasets
    ]
    labels = len(judged_by(environment.criterion(name)).prompts)
    trainings = sum(len(scores.seeds) for scores in found)
    seeds = min((len(scores.seeds) for scores in found), default=0)
    ours = (labels, len(found), seeds, trainings, trainings * labels * EPISODES)
    theirs = [None if printed is None else getattr(printed, count) for count in COUNTS]
    return tuple(Entry(*both) for both in zip(ours, theirs, strict=True))


def _titles(methods: Sequence[str]) -> tuple[str, ...]:
    return tuple(get_method(method).title for method in methods)


def _row(words: tuple[str, ...], entries: Sequence[Entry]) -> Row:
    """A row whose best cells are marked; cells that read alike are equally good."""
    ours = [round(entry.ours.mean, 1) if isinstance(entry.ours, Value) else None for entry in entries]
    theirs = [round(entry.paper.mean, 1) if isinstance(entry.paper, Figure) else None for entry in entries]
    marked = [
        replace(entry, best=_is_best(mine, ours), paper_best=_is_best(their, theirs))
        for entry, mine, their in zip(entries, ours, theirs, strict=True)
    ]
    return Row(words, tuple(marked))


def _is_best(mine: float | None, others: Sequence[float | None]) -> bool:
    there = [other for other in others if other is not None]
    return mine is not None and len(there) > 1 and mine == max(there)
