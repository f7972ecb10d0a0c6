"""A run folder, or a policy file alone, as `evaluate` and `plot` open them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sciql.policy import Policy


@dataclass(frozen=True)
class OpenedRun:
    """What is known of a trained policy."""

    policy: "Policy"
    folder: Path
    """Where its pictures go."""
    curve: list[dict[str, Any]]
    dataset: str | None
    title: str
    """Method, criterion and dataset, for people."""


def open_run(path: Path) -> OpenedRun:
    """The policy at `path` and what its folder tells of it."""
    from sciql.methods import get_method
    from sciql.plots.house import spoken

    if path.is_file():
        from sciql.policy import load_policy

        policy, folder, curve, dataset = load_policy(path), path.parent, [], None
    else:
        from sciql.training import load_run

        run = load_run(path)
        policy, folder, curve, dataset = run.policy, path, run.curve, run.document["dataset"]["name"]
    criterion = "" if policy.criterion is None else f", {spoken(policy.criterion.name)}"
    title = f"{get_method(policy.method).title}{criterion}" + ("" if dataset is None else f" on {dataset}")
    return OpenedRun(policy, folder, curve, dataset, title)
