"""Logs as arrays in one file, in the layouts of D4RL and OGBench: .npz, or D4RL's own HDF5."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sciql.datasets.growing import Growing, blocks
from sciql.datasets.logs import Bounds, Log, to_episodes
from sciql.datasets.spaces import refuse_image, split
from sciql.episodes import Episodes
from sciql.errors import SciqlError, reason
from sciql.memory import fits

MOST_ACTIONS = 1000  # to choose from
HDF5 = (".hdf5", ".h5")
ROLES = {
    "observations": "observations",
    "actions": "actions",
    "rewards": "rewards",
    "terminals": "terminations",
    "timeouts": "truncations",
    "next_observations": "next_observations",
}
INFOS = "infos/"


@dataclass(frozen=True)
class Array:
    """One array of a file, which is read part by part."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]
    parts: Callable[[], Iterator[np.ndarray]]

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else 0

    @property
    def size(self) -> int:
        """Bytes."""
        return int(np.prod(self.shape)) * self.kind.itemsize


def read_arrays(path: str | Path, name: str | None = None, action_bounds: Bounds | None = None) -> Episodes:
    """The episodes of an .npz or HDF5 file of D4RL's or OGBench's layout."""
    path = Path(path).expanduser()
    name = name or path.name.split(".")[0]
    with _readable(path):
        arrays = _hdf5(path) if path.suffix in HDF5 else _npz(path)
        return to_episodes(_log(arrays, name), action_bounds)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """One sentence about a file that is no such archive, however numpy and h5py say it."""
    if not path.is_file():
        raise SciqlError(f"there is no file {path}")
    try:
        yield
    except SciqlError:
        raise
    # Damaged bytes make zipfile, numpy and h5py fail in more ways than can be listed.
    except Exception as problem:
        sentence = f"{path} cannot be read as arrays ({reason(problem)}); mend the file or get it again"
        raise SciqlError(sentence) from problem


def _npz(path: Path) -> dict[str, Array]:
    """The arrays of an archive, none of them read yet."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return {name.removesuffix(".npy"): _member(path, archive, name) for name in names}


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> Array:
    with archive.open(name) as file:
        shape, fortran, kind = _header(file)

    def parts() -> Iterator[np.ndarray]:
        if fortran and len(shape) > 1:
            with np.load(path, allow_pickle=False) as loaded:
                yield loaded[name.removesuffix(".npy")]
            return
        with zipfile.ZipFile(path) as again, again.open(name) as file:
            _header(file)
            size = int(np.prod(shape[1:])) * kind.itemsize
            for rows in blocks(shape[0] if shape else 0):
                count = rows.stop - rows.start
                read = file.read(count * size)
                if len(read) < count * size:
                    raise ValueError(f"{name} ends early")
                yield np.frombuffer(read, kind).reshape(count, *shape[1:])

    return Array(tuple(shape), kind, parts)


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come first, and type of an array in numpy's format."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)


def _hdf5(path: Path) -> dict[str, Array]:
    import h5py

    found: dict[str, Array] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            shape, kind = item.shape, item.dtype

            def parts() -> Iterator[np.ndarray]:
                with h5py.File(path) as again:
                    for rows in blocks(shape[0]):
                        yield np.asarray(again[name][rows])  # pyright: ignore[reportIndexIssue]

            found[name] = Array(shape, kind, parts)

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def _log(arrays: dict[str, Array], name: str) -> Log:
    """What the arrays mean by their names; further ones of a row a step become signals."""
    for needed in ("observations", "actions"):
        if needed not in arrays:
            raise SciqlError(f"{name} has no array {needed!r}, which D4RL and OGBench have; it has {_told(arrays)}")
    rows = arrays["observations"].rows
    if len(arrays["observations"].shape) > 2:
        refuse_image(arrays["observations"].shape[1:], arrays["observations"].kind, "observations", name)
    for role in ROLES.keys() & arrays.keys():
        shape = arrays[role].shape
        if shape[:1] != (rows,) or len(shape) > 2 or not rows:
            raise SciqlError(
                f"{role} of {name} have shape {shape} beside observations of {arrays['observations'].shape}; "
                "each must be a row a step"
            )
        if arrays[role].kind.kind not in "biuf":
            raise SciqlError(f"{role} of {name} are of type {arrays[role].kind}; they must be numbers")
    others = [key for key, array in arrays.items() if key not in ROLES and _is_signal(array, rows)]
    told = [key for key in ROLES if key in arrays]
    on_disk = not fits(sum(arrays[key].size for key in (*told, *others)))
    columns: dict[str, Any] = {ROLES[key]: _whole(arrays[key], key, name, on_disk=on_disk) for key in told}
    signals = {
        part: column
        for key in others
        for part, column in split(key.removeprefix(INFOS), _whole(arrays[key], key, name, on_disk=on_disk))
    }
    return _as_log(columns, signals, name, on_disk=on_disk)


def _told(names: Sequence[str] | dict[str, Array]) -> str:
    return ", ".join(list(names)[:20]) or "none"


def _is_signal(array: Array, rows: int) -> bool:
    return array.shape[:1] == (rows,) and len(array.shape) in (1, 2) and array.kind.kind in "biuf"


def _whole(array: Array, key: str, name: str, *, on_disk: bool) -> np.ndarray:
    """All parts of an array; vectors are kept in single precision."""
    wide = key in ("observations", "next_observations") or (key == "actions" and array.kind.kind == "f")
    growing = Growing(name, on_disk=on_disk, rows=array.shape[0])
    for part in array.parts():
        with np.errstate(over="ignore"):
            growing.add({key: part.reshape(len(part), -1).astype(np.float32) if wide else part})
    return growing.columns()[key]


def _as_log(columns: dict[str, Any], signals: dict[str, np.ndarray], name: str, *, on_disk: bool) -> Log:
    """OGBench keeps the state after an episode's last step in a row of its own, which `terminals` flags."""
    for flag in ("terminations", "truncations"):
        if flag in columns:
            flagged = columns[flag].reshape(-1)
            if len(flagged) != len(columns["observations"]) or not np.isin(flagged, (0, 1)).all():
                raise SciqlError(f"{flag} of {name} flag the ends of episodes; they may hold true, false, 1 or 0 only")
            columns[flag] = flagged.astype(bool)
    if "terminations" in columns and not columns.keys() & {"rewards", "truncations", "next_observations"}:
        columns["final"] = columns.pop("terminations")
    if "rewards" in columns:
        columns["rewards"] = columns["rewards"].reshape(len(columns["observations"]), -1)[:, 0]
    actions = columns["actions"]
    discrete = None
    if actions.dtype.kind in "biu":
        if actions.ndim > 1 and actions.shape[1] > 1:
            columns["actions"] = actions.astype(np.float32)
        else:
            chosen = actions.reshape(-1)
            if chosen.min() < 0 or chosen.max() >= MOST_ACTIONS:
                raise SciqlError(
                    f"actions of {name} are whole numbers from {chosen.min()} to {chosen.max()}; "
                    f"number them from 0 to {MOST_ACTIONS - 1} at most, or write them as fractions"
                )
            columns["actions"], discrete = chosen.astype(np.int32), int(chosen.max()) + 1
    return Log(name, **columns, signals=signals, discrete_actions=discrete, on_disk=on_disk)
