"""Pictures of rollouts, scores, labels and training, in one style."""

from sciql.plots.bars import Row, bars
from sciql.plots.curves import curves
from sciql.plots.histograms import histograms
from sciql.plots.house import DARK, LIGHT, Theme, save
from sciql.plots.matrix import matrix
from sciql.plots.paths import has_paths, paths
from sciql.plots.strips import strips

__all__ = [
    "DARK",
    "LIGHT",
    "Row",
    "Theme",
    "bars",
    "curves",
    "has_paths",
    "histograms",
    "matrix",
    "paths",
    "save",
    "strips",
]
