"""Settings of every test session: strict JAX, checked shapes, and folders that are not the user's."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from jaxtyping import install_import_hook

SESSION_FOLDER = Path(tempfile.mkdtemp(prefix="sciql-tests-"))
os.environ.update(
    JAX_NUMPY_RANK_PROMOTION="raise",
    JAX_PLATFORMS="cpu",
    # Tests compile many programs and run each for a moment.
    JAX_DISABLE_MOST_OPTIMIZATIONS="1",
    MPLBACKEND="Agg",
    SCIQL_HOME=str(SESSION_FOLDER / "home"),
    MINARI_DATASETS_PATH=str(SESSION_FOLDER / "minari"),
)
# The shapes that these modules write down are checked at every call.
LEARNING = (
    "networks",
    "transitions",
    "values",
    "estimators",
    "regression",
    "labels",
    "weights",
    "forward_jax",
    "fitted_q",
)
install_import_hook([f"sciql.{module}" for module in LEARNING], "beartype.beartype")


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(SESSION_FOLDER, ignore_errors=True)
