"""Figures of the choices that a method makes: estimators, sampling, the parts of the default."""

from collections.abc import Iterator, Sequence

from sciql.benchmark.figures.bars import Group, Panel, grouped
from sciql.benchmark.figures.rows import Panel as RowsPanel
from sciql.benchmark.figures.rows import rows
from sciql.benchmark.grid import datasets, pairs_of
from sciql.benchmark.scores import Grid, mean_value, over_criteria
from sciql.benchmark.studies import get_study
from sciql.benchmark.tables import ESTIMATED
from sciql.methods import get_method
from sciql.paper import chi_figure
from sciql.plots.exhibits import Exhibit
from sciql.plots.house import spoken

STUDIED = "sciql_style"
"""The method whose choices are studied."""


def estimators(variants: dict[str, Grid]) -> Iterator[Exhibit]:
    titles = {variant.name: variant.title for variant in get_study("estimators").variants}
    panels = []
    for theirs, ours in ESTIMATED.items():
        groups = [
            Group(
                dataset,
                tuple(over_criteria(grid, dataset, ours, "style") for grid in variants.values()),
                tuple(chi_figure(dataset, f"{theirs}_{name}") for name in variants),
            )
            for dataset in datasets()
        ]
        panels.append(Panel(get_method(ours).title, tuple(group for group in groups if any(group.ours))))
    there = [panel for panel in panels if sum(any(group.ours) for group in panel.groups)]
    if any(len([value for value in group.ours if value]) > 1 for panel in there for group in panel.groups):
        yield Exhibit(
            "estimators",
            "Ablations",
            "Style alignment by the estimator of p(z | s, a), mean over criteria. Lines across bars are the paper's.",
            lambda theme, columns: grouped(there, list(titles.values()), "How to estimate p(z | s, a)", theme, columns),
            panels=True,
        )


def sampling(variants: dict[str, Grid]) -> Iterator[Exhibit]:
    titles = [variant.title for variant in get_study("sampling").variants]
    panels = _by_criterion(variants, ("pr", "pc"))
    if panels:
        yield Exhibit(
            "sampling",
            "Ablations",
            f"{get_method(STUDIED).title}: labels asked about are drawn from the whole dataset (p_r) or are the step's "
            "own (p_c), both with the paper's weights; beside them the default.",
            lambda theme, columns: grouped(panels, titles, "Which labels a step is asked about", theme, columns),
            panels=True,
        )


def ablation(variants: dict[str, Grid]) -> Iterator[Exhibit]:
    titles = [variant.title for variant in get_study("ablation").variants]
    panels = [_as_rows(panel) for panel in _by_criterion(variants, ("default", "paper-way"))]
    if panels:
        yield Exhibit(
            "ablation",
            "Ablations",
            f"{get_method(STUDIED).title}: our default, the default without each of its parts, and the paper's way at "
            "the same number of steps.",
            lambda theme, columns: rows(panels, titles, "What the default adds to the paper's way", theme, columns),
            panels=True,
        )


def _as_rows(panel: Panel) -> RowsPanel:
    """The same numbers, a row a variant; the last of more than one group is their mean."""
    *parts, last = panel.groups
    parts = parts or [last]
    return RowsPanel(panel.title, last.ours, tuple((group.name, group.ours) for group in parts))


def _by_criterion(variants: dict[str, Grid], needed: Sequence[str]) -> list[Panel]:
    """A panel a dataset, a group a criterion that all of the needed variants have, and their mean."""
    panels = []
    for dataset in datasets():
        pairs = [
            pair
            for pair in pairs_of(dataset)
            if all((dataset, pair.short, STUDIED) in variants[name] for name in needed)
        ]
        groups = []
        for pair in pairs:
            found = [grid.get((dataset, pair.short, STUDIED)) for grid in variants.values()]
            groups.append(Group(spoken(pair.short), tuple(one.value("style") if one else None for one in found)))
        if len(groups) > 1:
            groups.append(
                Group("mean", tuple(mean_value(column) for column in zip(*(g.ours for g in groups), strict=True)))
            )
        if groups:
            panels.append(Panel(dataset, tuple(groups)))
    return panels
