"""An environment of its own for another library, made once in the user's cache folder."""

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path


def environment(module: str, pins: Sequence[str]) -> Path:
    """The interpreter of the environment that has these packages; it is made if `module` cannot be imported there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = cache / "sciql-benchmarks" / pins[0].replace("==", "-")
    python = folder / "bin" / "python"
    if not _works(python, module):
        print(f"making an environment for {module} in {folder}; this is done once", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *pins], check=True)
    return python


def _works(python: Path, module: str) -> bool:
    words = [str(python), "-c", f"import {module}"]
    return python.exists() and subprocess.run(words, capture_output=True, check=False).returncode == 0
