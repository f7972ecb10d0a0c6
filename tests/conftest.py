"""Settings of every test session: strict JAX, and folders of its own so that nothing of the user's is touched."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

SESSION_FOLDER = Path(tempfile.mkdtemp(prefix="sciql-tests-"))
os.environ.update(
    JAX_NUMPY_RANK_PROMOTION="raise",
    JAX_PLATFORMS="cpu",
    MPLBACKEND="Agg",
    SCIQL_HOME=str(SESSION_FOLDER / "home"),
    MINARI_DATASETS_PATH=str(SESSION_FOLDER / "minari"),
)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(SESSION_FOLDER, ignore_errors=True)
