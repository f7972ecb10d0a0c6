"""Files that are whole or not there at all, locks between processes, and the hash of columns."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sciql.errors import SciqlError

REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space and start again",
    errno.EDQUOT: "your disk quota is used up; free some space and start again",
    errno.EFBIG: "files may not grow that large here; raise the limit and start again",
    errno.EACCES: "permission denied; choose a place that you may write to",
    errno.EPERM: "permission denied; choose a place that you may write to",
    errno.EROFS: "the file system is read-only; choose another place",
    errno.EEXIST: "a part of this path is a file; name a folder",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.ENOTDIR: "a part of this path is a file; name a folder",
}


def home() -> Path:
    """The folder of all that sciql keeps for its user: SCIQL_HOME, or `sciql` in the user's data folder."""
    if chosen := os.environ.get("SCIQL_HOME"):
        return Path(chosen).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "sciql"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say what the operating system refuses to write at `path` in one sentence."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in REMEDIES:
            raise
        raise SciqlError(f"cannot write {path}: {REMEDIES[problem.errno]}") from problem


@contextmanager
def write_aside(path: Path) -> Iterator[Path]:
    """A free path next to `path` for a new file or folder, which takes its place only when all went well.

    The folder above is made if needed. After a failure, the old file or folder stands as it was and nothing is left.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        room = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".aside", dir=path.parent))
        try:
            yield room / path.name
            _to_disk(room / path.name)
            _take_place(room / path.name, path)
            _sync(path.parent)
        finally:
            shutil.rmtree(room, ignore_errors=True)


def _take_place(new: Path, path: Path) -> None:
    """Rename `new` onto `path`; a folder cannot replace another in one step, so the old one steps aside first."""
    if path.is_dir() and not new.is_dir():
        raise SciqlError(f"cannot write {path}: this is a folder; name a file")
    if path.is_dir() and not path.is_symlink():
        path.rename(new.with_name("old"))
    new.replace(path)


def _to_disk(path: Path) -> None:
    """Nothing may be renamed into place before its bytes are safe."""
    if path.is_dir():
        for inner in path.rglob("*"):
            _sync(inner)
    _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of writing `path`; only for the one who holds its lock."""
    for room in path.parent.glob(f".{path.name}.*.aside"):
        shutil.rmtree(room, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    with write_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_json(path: Path, document: Any) -> None:
    write_text(path, json.dumps(document, indent=2, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SciqlError(f"there is no file {path}") from None
    except (ValueError, OSError) as problem:
        raise SciqlError(f"{path} cannot be read ({problem}); remove it and make it again") from problem


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path` among processes; wait for whoever holds it.

    A folder that exists is locked itself, so that nothing is added to it; anything else by a hidden file next to it,
    which goes with the lock. A folder must therefore be there before it is locked.
    """
    descriptor = _acquire(path, wait=True)
    try:
        yield
    finally:
        _release(path, descriptor)


@contextmanager
def claim(path: Path) -> Iterator[None]:
    """The same lock, for who will not wait."""
    try:
        descriptor = _acquire(path, wait=False)
    except BlockingIOError:
        raise SciqlError(f"{path} is in use by another process; wait for it or choose another place") from None
    try:
        yield
    finally:
        _release(path, descriptor)


def _lock_file(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _acquire(path: Path, *, wait: bool) -> int:
    """The open descriptor that holds the lock."""
    how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    while True:
        with writing(path):
            if path.is_dir():
                descriptor = os.open(path, os.O_RDONLY)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, how)
        except BaseException:
            os.close(descriptor)
            raise
        if _still_there(path, descriptor):
            return descriptor
        os.close(descriptor)


def _still_there(path: Path, descriptor: int) -> bool:
    """Whether the locked file is the one that others will find: its last holder may have removed it meanwhile."""
    place = path if path.is_dir() else _lock_file(path)
    try:
        return os.path.samestat(os.fstat(descriptor), place.stat())
    except FileNotFoundError:
        return False


def _release(path: Path, descriptor: int) -> None:
    """Remove the hidden file while the lock is still held, then let go."""
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        _lock_file(path).unlink(missing_ok=True)
    os.close(descriptor)


def sha256(arrays: Mapping[str, np.ndarray]) -> str:
    """One hash of named arrays: their names, types, shapes and bytes, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data.cast("B") if array.size else b"")
    return digest.hexdigest()


def free_space_for(path: Path, size: float) -> None:
    """Refuse at once what the disk of `path` has no room for."""
    standing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    free = shutil.disk_usage(standing).free
    if free < size:
        raise SciqlError(f"{path} needs {size / 1e6:.0f} MB and its disk has {free / 1e6:.0f} MB free; free some space")
