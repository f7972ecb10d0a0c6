"""Which figures there are: each from the cells that are there, left out where there are none."""

from collections.abc import Iterator, Sequence

import numpy as np

from sciql.benchmark.cells import judged_by
from sciql.benchmark.figures.choices import STUDIED, ablation, estimators, sampling
from sciql.benchmark.figures.data import PERCENTS, has_map, label_maps, trajectories
from sciql.benchmark.figures.fronts import front, fronts
from sciql.benchmark.figures.growth import cost, noise
from sciql.benchmark.figures.matrices import Shares, matrices
from sciql.benchmark.grid import datasets, pairs_of
from sciql.benchmark.scores import Grid, Scores
from sciql.benchmark.shelf import Shelf
from sciql.criteria import label_report
from sciql.datasets import load_dataset
from sciql.methods import get_method
from sciql.plots import histograms
from sciql.plots.exhibits import Exhibit


def score_exhibits(shelf: Shelf) -> list[Exhibit]:
    """All figures of scores."""
    return [
        *_fronts(shelf.main),
        *estimators(shelf.grids("estimators")),
        *sampling(shelf.grids("sampling")),
        *noise(shelf),
        *_matrices(shelf.main),
        *cost(shelf),
        *ablation(shelf.grids("ablation")),
    ]


def _fronts(main: Grid) -> Iterator[Exhibit]:
    found = [one for dataset in datasets() if (one := front(main, dataset))]
    if found:
        yield Exhibit(
            "fronts",
            "Style and task",
            "Mean over criteria, styles, episodes and seeds. Areas are hypervolumes above (0, 0), in points squared; "
            "pale lines and small markers are the paper's, over the same criteria.",
            lambda theme, columns: fronts(found, theme, columns),
            panels=True,
        )


def _matrices(main: Grid) -> Iterator[Exhibit]:
    for dataset in datasets():
        found = [_shares(scores) for pair in pairs_of(dataset) if (scores := main.get((dataset, pair.short, STUDIED)))]
        if found:
            title = f"{get_method(STUDIED).title} on {dataset}"
            yield Exhibit(
                f"matrices-{dataset}",
                "Asked for and shown",
                f"{title}: a good policy draws diagonals. Mean over seeds.",
                lambda theme, columns, found=found, title=title: matrices(found, title, theme, columns),
                panels=True,
            )


def _shares(scores: Scores) -> Shares:
    criterion = scores.documents[0]["cell"]["criterion"]
    table = np.mean([document["matrix"] for document in scores.documents], axis=0)
    return Shares(criterion["name"], scores.styles, tuple(criterion["styles"]), table)


def data_exhibits(names: Sequence[str]) -> Iterator[Exhibit]:
    """The figures of these datasets, which are read for it."""
    for name in names:
        episodes = load_dataset(name)
        criteria = [judged_by(pair.criterion) for pair in pairs_of(name)]
        reports = [label_report(criterion, episodes) for criterion in criteria]
        section = f"The data: {name}"
        if has_map(episodes):
            yield Exhibit(
                f"trajectories-{name}",
                section,
                f"The paths of the first {', '.join(map(str, PERCENTS))} % of the episodes.",
                lambda theme, columns, e=episodes, n=name: trajectories(e, f"Episodes of {n}", theme, columns),
                panels=True,
            )
            yield Exhibit(
                f"labels-{name}",
                section,
                "What the labelling functions say about the steps of 5 % and of all episodes.",
                lambda theme, columns, e=episodes, c=criteria, n=name: label_maps(
                    c, e, f"Labels of {n}", theme, columns
                ),
                panels=True,
            )
        yield Exhibit(
            f"histograms-{name}",
            section,
            "How often each style occurs.",
            lambda theme, columns, c=criteria, r=reports: histograms(c, r, theme, max(1, columns - 1)),
            panels=True,
        )
