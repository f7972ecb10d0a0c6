"""What a folder of results says about the studies, and which of its cells belong to none of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sciql.benchmark.cells import Cell
from sciql.benchmark.grid import Pair, all_pairs
from sciql.benchmark.scores import Grid, gather
from sciql.benchmark.store import Results, read_results
from sciql.benchmark.studies import Study, get_study, studies
from sciql.methods import METHODS
from sciql.settings import PRESETS, Settings, preset_settings


@dataclass(frozen=True)
class Shelf:
    """The cells of a folder under the present settings of a preset."""

    results: Results
    preset: str = "exact"
    steps: int | None = None

    @property
    def settings(self) -> Settings:
        return preset_settings(self.preset, self.steps)

    def grids(self, name: str) -> dict[str, Grid]:
        """The scores of a study by variant, on every pair and for every method that was run."""
        study = get_study(name)
        return {
            variant.name: gather(self.results, _cells(self.results, variant.change(self.settings), variant.noise))
            for variant in study.variants
        }

    @cached_property
    def main(self) -> Grid:
        return self.grids("main")["default"]

    @cached_property
    def strays(self) -> list[Path]:
        """Cells that no study reads under the present settings: of an older recipe, or of another number of steps."""
        known: set[Path] = set()
        for preset in PRESETS:
            for steps in {None, self.steps}:
                known |= _known(self.results, list(studies().values()), preset_settings(preset, steps))
        return sorted(path for path in self.results.found if path not in known)


def open_shelf(folder: Path, preset: str = "exact", steps: int | None = None) -> Shelf:
    return Shelf(read_results(folder), preset, steps)


def _cells(results: Results, settings: Settings, noise: float) -> list[Cell]:
    """The cells of these settings for all seeds that a folder has anything of."""
    seeds = sorted({document["seed"] for document in results.found.values()})
    return [Cell(pair, method, seed, settings, noise) for pair, method in _held(results) for seed in seeds]


def _held(results: Results) -> list[tuple[Pair, str]]:
    """The pairs and methods that a folder has anything of."""
    pairs = {(pair.dataset, pair.short): pair for pair in all_pairs()}
    places = dict.fromkeys(path.parent for path in results.found)
    parts = [place.parts for place in places]
    return [
        (pairs[dataset, criterion], method)
        for dataset, criterion, method in parts
        if (dataset, criterion) in pairs and method in METHODS
    ]


def _known(results: Results, listed: Sequence[Study], settings: Settings) -> set[Path]:
    """The places of all cells of these studies."""
    ways = {(variant.change(settings), variant.noise) for study in listed for variant in study.variants}
    return {cell.path for changed, noise in ways for cell in _cells(results, changed, noise)}


def said(strays: Sequence[Path], folder: Path) -> str:
    """The sentence about cells of other settings."""
    one = len(strays) == 1
    return (
        f"{len(strays)} cell{'' if one else 's'} in {folder} {'is' if one else 'are'} of other settings than the "
        f"present ones (an older recipe, or other steps) and left out; `sciql benchmark tidy` removes them"
    )
