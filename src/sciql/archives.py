"""Named arrays and a JSON header in one file that is whole or not there; numpy alone, so that policies need no more."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sciql.errors import SciqlError
from sciql.files import sha256, write_aside


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
    """The arrays and the header with the hash of both, written aside and renamed."""
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    content = {**arrays, "header": text}
    buffer = io.BytesIO()
    np.savez(buffer, **content, sha256=np.array(sha256(content)))
    with write_aside(path) as aside:
        aside.write_bytes(buffer.getvalue())


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What `save_arrays` wrote, or one sentence about a file that is damaged or something else."""
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        raise SciqlError(f"there is no file {path}") from None
    except OSError as problem:
        raise SciqlError(f"{path} cannot be read ({problem.strerror}); name another file or mend this one") from problem
    try:
        with np.load(io.BytesIO(stored), allow_pickle=False) as archive:
            content = {name: archive[name] for name in archive.files}
        sound = str(content.pop("sha256")) == sha256(content)
        header = json.loads(content.pop("header").tobytes())
    # Damaged bytes make zipfile and numpy fail in more ways than can be listed.
    except Exception as problem:
        raise SciqlError(f"{path} is damaged or no file of ours; remove it and make it again") from problem
    if not sound:
        raise SciqlError(f"{path} is damaged: its content does not match its hash; remove it and make it again")
    return content, header
