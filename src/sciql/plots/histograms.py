"""How often each style occurs in a dataset, and how much that differs between its episodes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from sciql.criteria import Criterion, LabelReport
from sciql.plots.house import LIGHT, Theme, canvas, colours, heading, spoken


def histograms(
    criteria: Sequence[Criterion], reports: Sequence[LabelReport], theme: Theme = LIGHT, columns: int = 3
) -> Figure:
    """A panel a criterion and dataset, a bar a style; the whisker spans a standard deviation between episodes.

    Several datasets stand side by side, in the order of their reports.
    """
    datasets = list(dict.fromkeys(report.dataset for report in reports))
    columns = len(datasets) if len(datasets) > 1 else min(columns, len(reports))
    rows = -(-len(reports) // columns)
    most = max(len(report.styles) for report in reports)
    with canvas(theme, max(5.0, 3.1 * columns), (0.2 * most + 0.75) * rows + 0.8) as figure:
        grid = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for axes, criterion, report in zip(grid, criteria, reports, strict=False):
            names = [style.style for style in report.styles]
            shares = 100 * np.array([style.share for style in report.styles])
            spread = 100 * np.array([style.episode_std for style in report.styles])
            # A share below 0 or above 100 % does not exist, so neither does that part of a whisker.
            whiskers = [np.minimum(spread, shares), np.minimum(spread, 100 - shares)]
            axes.barh(names, shares, color=colours(criterion, theme), height=0.72 if len(names) > most / 2 else 0.5)
            axes.errorbar(shares, names, xerr=whiskers, fmt="none", ecolor=theme.quiet, elinewidth=0.9)
            for place, share in enumerate(shares):
                axes.text(103, place, f"{share:.1f}", va="center", fontsize=8)
            axes.invert_yaxis()
            flicker = f"flicker {100 * report.flicker:.1f} %"
            beside = flicker if len(datasets) == 1 else report.dataset
            axes.set(xlim=(0, 100), title=f"{spoken(report.criterion)}  ·  {beside}")
            axes.grid(axis="x")
            axes.tick_params(axis="y", length=0)
        for axes in grid[len(reports) :]:
            axes.set_visible(False)
        for axes in grid[max(0, len(reports) - columns) : len(reports)]:
            axes.set_xlabel("share of steps (%)")
        counts = {f"{report.episodes:,} episodes, {report.steps:,} steps": None for report in reports}
        note = f"{' · '.join(counts)}\nwhiskers: ± 1 standard deviation between episodes"
        if not all(all(criterion.promptable) for criterion in criteria):
            note += "; grey: cannot be asked for"
        heading(figure, f"Styles in {', '.join(datasets)}", theme, note)
    return figure
