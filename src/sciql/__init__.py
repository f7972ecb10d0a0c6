"""From behaviour logs and labelling functions to one policy whose style a person can choose.

The public names are imported when they are first used, so that `import sciql` is instant. Whoever imported gymnasium
before finds our environments in it; otherwise `import sciql.envs` puts them there.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sciql.criteria import Criterion, bins, criterion, stored, styles
    from sciql.datasets import load_dataset
    from sciql.episodes import Episodes
    from sciql.errors import SciqlError, SciqlWarning
    from sciql.evaluation import Evaluation, evaluate
    from sciql.exports import export
    from sciql.offline import OfflineEvaluation, evaluate_offline
    from sciql.policy import Policy, load_policy
    from sciql.training import Run, load_run, train

    __version__: str

__all__ = [
    "Criterion",
    "Episodes",
    "Evaluation",
    "OfflineEvaluation",
    "Policy",
    "Run",
    "SciqlError",
    "SciqlWarning",
    "__version__",
    "bins",
    "criterion",
    "evaluate",
    "evaluate_offline",
    "export",
    "load_dataset",
    "load_policy",
    "load_run",
    "stored",
    "styles",
    "train",
]

_HOMES = {
    "Criterion": "criteria",
    "Episodes": "episodes",
    "Evaluation": "evaluation",
    "OfflineEvaluation": "offline",
    "Policy": "policy",
    "Run": "training",
    "SciqlError": "errors",
    "SciqlWarning": "errors",
    "bins": "criteria",
    "criterion": "criteria",
    "evaluate": "evaluation",
    "evaluate_offline": "offline",
    "export": "exports",
    "load_dataset": "datasets",
    "load_policy": "policy",
    "load_run": "training",
    "stored": "criteria",
    "styles": "criteria",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value = version("sciql")
    elif name in _HOMES:
        value = getattr(import_module(f"sciql.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'sciql' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if "gymnasium" in sys.modules:
    import_module("sciql.envs")
