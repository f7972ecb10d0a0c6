"""Datasets by name: where they are, which there are, and how they come to be."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sciql.datasets import store
from sciql.datasets.progress import bar
from sciql.datasets.recipes import RECIPES, Recipe
from sciql.datasets.soundness import require_sound
from sciql.envs.registration import signals_in
from sciql.episodes import Episodes
from sciql.errors import SciqlError, unknown
from sciql.files import free_space_for, locked, remove_leftovers, write_aside

PACKAGES = ("sciql", "numpy", "gymnasium", "minari")
FIRST_VERSION = "-v0"  # what Minari wants at the end of a name
ON_DISK = 1.5  # bytes of a Minari dataset for each byte of its columns, with room to spare


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a dataset without reading its steps."""

    name: str
    made: bool
    """Whether it is on the disk; a dataset that is not is made when it is first asked for."""
    environment: str | None
    episodes: int
    steps: int
    """Steps of all episodes together."""
    folder: Path
    description: str


def load_dataset(name_or_path: str | Path) -> Episodes:
    """The episodes of a dataset: one of sciql's own, another in Minari's registry, or a folder that Minari wrote."""
    name, folder = locate(name_or_path)
    episodes = store.read(folder, name)
    if damage := store.damage(folder, episodes):
        raise SciqlError(damage)
    require_sound(episodes)
    return episodes


def signals_of(name_or_path: str | Path) -> tuple[str, ...] | None:
    """The signals of one of sciql's own datasets, made or not; None for others, which would have to be read."""
    recipe = RECIPES.get(str(name_or_path))
    return None if recipe is None else signals_in(recipe.environment)


def locate(name_or_path: str | Path) -> tuple[str, Path]:
    """Name and folder of a dataset that is there; one of sciql's own is made first if it is not."""
    name = str(name_or_path)
    return (name, make_dataset(name).folder) if name in RECIPES else find(name_or_path)


def find(name_or_path: str | Path) -> tuple[str, Path]:
    """The same for what lies on the disk alone."""
    name = str(name_or_path)
    path, registry = Path(name_or_path).expanduser().absolute(), store.registry().absolute()
    beside = path.parent if path.name == store.DATA else path
    for folder in (beside, registry / name, registry / f"{name}{FIRST_VERSION}"):
        if store.holds_dataset(folder):
            inside = folder.is_relative_to(registry)
            return (folder.relative_to(registry).as_posix() if inside else folder.name), folder
    if path.exists():
        raise SciqlError(f"{path} is no folder of a Minari dataset: it has no {store.DATA}/metadata.json")
    if name.startswith((".", "/", "~")):
        raise SciqlError(f"there is no folder {path}; name a dataset or the folder of one")
    raise unknown("dataset", name, [info.name for info in list_datasets()])


def list_datasets() -> list[DatasetInfo]:
    """sciql's own datasets, made or not, then the others in Minari's registry."""
    return [_own(recipe) for recipe in RECIPES.values()] + _others()


def make_dataset(name: str, *, force: bool = False) -> DatasetInfo:
    """Make one of sciql's own datasets unless it is there; `force` makes it again."""
    if name not in RECIPES:
        raise unknown("dataset that can be made", name, RECIPES)
    recipe, folder = RECIPES[name], store.registry() / name
    if force or not store.holds_dataset(folder):
        # The lock has a name of its own, which stays the same while the folder comes and goes.
        with locked(folder.with_name(f"{name}.making")):
            if force or not store.holds_dataset(folder):
                remove_leftovers(folder)
                _make(recipe, folder)
    return _own(recipe)


def _make(recipe: Recipe, folder: Path) -> None:
    with bar(f"making {recipe.name}", recipe.steps + recipe.episodes) as tick:
        episodes = recipe.act(recipe, tick)
        free_space_for(folder, ON_DISK * episodes.size)
        with write_aside(folder) as aside:
            store.write(aside, recipe.name, episodes, _metadata(recipe, episodes), tick)


def _metadata(recipe: Recipe, episodes: Episodes) -> Mapping[str, Any]:
    """What Minari and we want to know of a dataset later."""
    versions = {package: version(package) for package in PACKAGES}
    return {
        "author": {"sciql"},
        "algorithm_name": recipe.agent,
        "description": recipe.description,
        "requirements": [f"sciql=={versions['sciql']}"],
        store.OURS: {"seed": recipe.seed, "versions": versions},
    }


def _own(recipe: Recipe) -> DatasetInfo:
    folder = store.registry() / recipe.name
    return DatasetInfo(
        name=recipe.name,
        made=store.holds_dataset(folder),
        environment=recipe.environment,
        episodes=recipe.episodes,
        steps=recipe.episodes * recipe.steps,
        folder=folder,
        description=recipe.description,
    )


def _others() -> list[DatasetInfo]:
    """What else lies there; a dataset of which nothing can be made is left out, and `load_dataset` says why."""
    registry = store.registry()
    found = {data.parents[1].relative_to(registry).as_posix() for data in registry.glob("**/data/metadata.json")}
    others = []
    for name in {name for name in found if not name.startswith(".") and "/." not in name} - RECIPES.keys():
        with suppress(SciqlError):
            others.append(describe_dataset(name))
    return sorted(others, key=lambda info: info.name)


def describe_dataset(name: str) -> DatasetInfo:
    """What is known of a dataset in Minari's folder."""
    folder = store.registry() / name
    known = store.facts(folder)
    return DatasetInfo(
        name=name,
        made=True,
        environment=known.environment,
        episodes=known.episodes,
        steps=known.steps,
        folder=folder,
        description=known.description,
    )
