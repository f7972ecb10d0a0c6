"""Logs of other programs, imported into Minari's folder under a name."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sciql.datasets import store
from sciql.datasets.check import check_episodes
from sciql.datasets.findings import Finding
from sciql.datasets.library import FIRST_VERSION, ON_DISK, PACKAGES, DatasetInfo, describe_dataset, find
from sciql.datasets.npz import HDF5, read_arrays
from sciql.datasets.progress import bar
from sciql.datasets.recipes import RECIPES
from sciql.datasets.tables import Words, read_table
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.files import free_space_for, locked, remove_leftovers, write_aside

PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".tsv", ".txt")


@dataclass(frozen=True)
class Imported:
    """A dataset that was imported, and what is to be said about it."""

    info: DatasetInfo
    episodes: Episodes
    findings: list[Finding]


def import_dataset(source: str | Path, name: str, words: Words | None = None, *, force: bool = False) -> Imported:
    """Keep a log under a name, by which every command finds it; `words` say what its columns mean.

    What is odd or wrong with it is told by the findings; only what cannot be read as episodes is refused.
    """
    name = _full_name(name)
    folder = store.registry() / name
    if store.holds_dataset(folder) and not force:
        raise SciqlError(f"there is a dataset {name} already in {folder}; choose another name or add --force")
    episodes = read_source(source, words or {})
    with locked(folder.with_name(f"{folder.name}.making")):
        remove_leftovers(folder)
        free_space_for(folder, ON_DISK * episodes.size)
        with bar(f"storing {name}", episodes.count) as tick, write_aside(folder) as aside:
            store.write(aside, name, episodes, _metadata(source, name), tick)
    return Imported(describe_dataset(name), episodes, list(check_episodes(episodes)))


def read_source(source: str | Path, words: Words) -> Episodes:
    """The episodes of a file, of a folder of files, or of a Minari dataset by its name or folder."""
    path = Path(source).expanduser()
    ending = path.name.lower()
    inside = [file.suffix for file in path.iterdir()] if path.is_dir() else []
    if ending.endswith(PARQUET) or any(suffix in PARQUET for suffix in inside):
        return read_table(path, "parquet", words)
    if ending.endswith(CSV) or ".csv" in inside:
        return read_table(path, "csv", words)
    told = [word for word in words if word not in ("action_bounds", "name")]
    if told:
        raise SciqlError(f"{told[0]} names columns of a CSV or Parquet table; {source} is none, so leave it out")
    if ending.endswith((".npz", *HDF5)):
        return read_arrays(path, words.get("name"), words.get("action_bounds"))
    if path.is_file():
        raise SciqlError(f"{path} is no log that sciql reads: a .csv, .parquet, .npz or .hdf5 file, or a Minari folder")
    if "action_bounds" in words:
        raise SciqlError(f"a Minari dataset tells the bounds of its actions itself; leave them out for {source}")
    return read_minari(source)


def read_minari(source: str | Path) -> Episodes:
    """A Minari dataset by its name or folder, sound or not."""
    name, folder = find(source)
    return store.read(folder, name)


def _full_name(name: str) -> str:
    """The name as Minari needs it, with a version at its end, if it can be one."""
    from minari.dataset.minari_dataset import DATASET_ID_RE

    match = DATASET_ID_RE.fullmatch(name)
    if match is None:
        raise SciqlError(f"a dataset cannot be called {name!r}; use letters, digits, - and _ (and / between folders)")
    full = name if match["version"] else name + FIRST_VERSION
    if full in RECIPES:
        raise SciqlError(f"{full} is a dataset that sciql makes itself; choose another name")
    return full


def _metadata(source: str | Path, name: str) -> dict[str, object]:
    versions = {package: version(package) for package in PACKAGES}
    return {
        "description": f"Imported from {Path(source).name}.",
        "requirements": [f"sciql=={versions['sciql']}"],
        store.OURS: {"source": str(source), "versions": versions},
    }
