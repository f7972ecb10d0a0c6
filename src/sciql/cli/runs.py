"""A run folder, or a policy file alone, as `evaluate` and `plot` open them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.policy import Policy


@dataclass(frozen=True)
class OpenedRun:
    """What is known of a trained policy."""

    policy: "Policy"
    folder: Path
    """Where its pictures go."""
    curve: list[dict[str, Any]]
    dataset: str | None
    holdout: float
    """The share of its episodes that was set aside."""
    title: str
    """Method, criterion and dataset, for people."""


def open_run(path: Path) -> OpenedRun:
    """The policy at `path` and what its folder tells of it."""
    from sciql.plots.house import spoken

    if path.is_file():
        from sciql.policy import load_policy

        policy, folder, curve, dataset, holdout = load_policy(path), path.parent, [], None, 0.0
    else:
        from sciql.training import load_run

        run = load_run(path)
        policy, folder, curve, dataset = run.policy, path, run.curve, run.document["dataset"]["name"]
        holdout = run.document["dataset"].get("holdout", 0.0)
    learnt = policy.facts["criterion"]
    criterion = "" if learnt is None else f", {spoken(learnt['name'])}"
    title = f"{_title(policy.method)}{criterion}" + ("" if dataset is None else f" on {dataset}")
    return OpenedRun(policy, folder, curve, dataset, holdout, title)


def _title(method: str) -> str:
    """A method's title, or its name where it is somebody's own and not known to this process."""
    from sciql.errors import SciqlError
    from sciql.methods import get_method

    try:
        return get_method(method).title
    except SciqlError:
        return method


def judged_on(policy: "Policy", word: str | None, file: Path | None) -> "Criterion | None":
    """The criterion that is named, or the policy's own; with a file, from there. None leaves it to the evaluation."""
    from sciql.criteria import criterion, from_record, only_criterion
    from sciql.envs import signals_in

    if word is not None:
        return criterion(word, file=file, signals=signals_in(policy.environment))
    if file is None:
        return None
    learnt = policy.facts["criterion"]
    return criterion(only_criterion(file), file=file) if learnt is None else from_record(learnt, file)
