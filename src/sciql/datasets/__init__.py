"""Datasets by name or by folder: known ones are made when they are first asked for; Minari is the store.

Minari's id of a dataset is its name: `minari.load_dataset("circle2d-inplace-v0")` reads what `load_dataset` made.
"""

from sciql.datasets.check import check_dataset, check_episodes
from sciql.datasets.findings import Finding
from sciql.datasets.importing import Imported, import_dataset
from sciql.datasets.library import DatasetInfo, list_datasets, load_dataset, make_dataset, signals_of
from sciql.datasets.recipes import RECIPES, Recipe
from sciql.datasets.soundness import require_sound

__all__ = [
    "RECIPES",
    "DatasetInfo",
    "Finding",
    "Imported",
    "Recipe",
    "check_dataset",
    "check_episodes",
    "import_dataset",
    "list_datasets",
    "load_dataset",
    "make_dataset",
    "require_sound",
    "signals_of",
]
