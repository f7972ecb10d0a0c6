"""From a dataset, a method and a criterion to a policy in a folder."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sciql import weights
from sciql.criteria import Criterion
from sciql.datasets.soundness import require_sound
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.files import claim, read_json, remove_leftovers, write_json, write_text
from sciql.fits import Fits
from sciql.fitting import Report, Stage, fit
from sciql.labels import require_support
from sciql.methods import Method, get_method, require_criterion
from sciql.policy import Policy, load_policy
from sciql.progress import reporting
from sciql.regression import LOG_STD_RANGE, Actor, PolicyData, Regression, init_policy, policy_step
from sciql.settings import Preset, Settings, preset_settings

PACKAGES = ("jax", "equinox", "optax", "numpy")


@dataclass(frozen=True)
class Run:
    """A finished training."""

    folder: Path | None
    """Where it lies; None when it was not to be kept."""
    policy: Policy
    document: dict[str, Any]
    """What run.json holds."""
    curve: list[dict[str, Any]]
    """One row a progress tick: stage, step, seconds, metrics."""


def train(
    method: str,
    episodes: Episodes,
    criterion: Criterion | None = None,
    *,
    seed: int = 0,
    out: str | Path | None = None,
    preset: Preset = "exact",
    steps: int | None = None,
    settings: Settings | None = None,
    resume: bool = False,
) -> Run:
    """Train a method and, with `out`, keep the run in that folder.

    `settings` replaces the preset's. What is shared between methods is found again if it was fitted before.
    """
    chosen = get_method(method)
    settings = settings or preset_settings(preset, steps)
    _check(chosen, episodes, criterion)
    learnt = criterion if chosen.conditioned else None
    document = describe(chosen, episodes, learnt, settings, preset, seed)
    folder = None if out is None else Path(out)
    with _opened(folder, document, resume) as finished, reporting() as report:
        if finished and folder is not None:
            return load_run(folder)
        fits = Fits(episodes, learnt, settings, seed, report)
        actor, curve = regress(chosen, fits, None if folder is None else folder / "checkpoint.npz", report)
        policy = as_policy(actor, fits, document)
        document |= {"seconds": fits.seconds, "finished": True}
        if folder is not None:
            _close(folder, policy, document, curve)
    return Run(folder, policy, document, curve)


def load_run(folder: str | Path) -> Run:
    """A finished run from its folder."""
    folder = Path(folder)
    if not (folder / "run.json").is_file():
        raise SciqlError(f"{folder} holds no run; train one with `sciql train`")
    document = read_json(folder / "run.json")
    if not document["finished"]:
        raise SciqlError(f"the run in {folder} is not finished; go on with it by --resume")
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    import json

    return Run(folder, load_policy(folder), document, [json.loads(line) for line in lines])


def _check(method: Method, episodes: Episodes, criterion: Criterion | None) -> None:
    """Say what is wrong with the data or the criterion before anything is made."""
    require_criterion(method, criterion is not None)
    require_sound(episodes)
    if criterion is not None and method.conditioned:
        require_support(criterion.label(episodes), criterion, episodes.name)


def describe(
    method: Method, episodes: Episodes, criterion: Criterion | None, settings: Settings, preset: str, seed: int
) -> dict[str, Any]:
    """Everything that a run depends on, as run.json holds it."""
    return {
        "sciql": version("sciql"),
        "method": method.name,
        "seed": seed,
        "preset": preset if settings == preset_settings(preset, settings.policy.steps) else "own settings",
        "dataset": {"name": episodes.name, "content": episodes.content, "environment": episodes.environment},
        "criterion": None if criterion is None else criterion.document(),
        "settings": settings.document(),
        "versions": {package: version(package) for package in PACKAGES},
        "commit": _commit(),
        "finished": False,
    }


def _commit() -> str | None:
    """The commit of the checkout that sciql runs from, if it is one."""
    try:
        here = Path(__file__).parent
        answer = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


def regress(
    method: Method, fits: Fits, checkpoint: Path | None, report: Report
) -> tuple[Actor, list[dict[str, Any]]]:
    """The policy of a method, after all that its weight reads."""
    settings, seen = fits.settings, fits.transitions
    # Where every label is summed over by definition, none is drawn.
    drawn = settings.policy.drawn and method.labels in ("own", "future", "mixed")
    regression = Regression(
        settings=replace(settings.policy, drawn=drawn),
        weight=getattr(weights, method.weight),
        beta=settings.beta if method.beta is None else method.beta,
    )
    evidence = fits.evidence(method)
    begun = time.perf_counter()
    stage = Stage(
        name="policy",
        init=lambda key: init_policy(
            seen.state_size,
            seen.action_size,
            fits.label_count,
            settings.networks,
            settings.policy,
            key,
            discrete=seen.discrete,
        ),
        step=policy_step,
        settings=regression,
        data=PolicyData(seen.columns, evidence),
        seed=fits.seed,
        header={"method": method.name, "settings": settings.document(), "data": fits.episodes.content},
    )
    fitted = fit(stage, checkpoint, report)
    fits.seconds["policy"] = round(time.perf_counter() - begun, 2)
    return fitted.state.actor, [*fits.curve, *fitted.curve]


def as_policy(actor: Actor, fits: Fits, document: dict[str, Any]) -> Policy:
    """The trained network with all that acting needs."""
    seen, net = fits.transitions, jax.device_get(actor.net)
    spread = np.zeros((fits.label_count, 0), np.float32)
    if actor.log_std is not None:
        log_std = np.clip(np.asarray(actor.log_std), *LOG_STD_RANGE)
        spread = np.broadcast_to(np.exp(log_std), (fits.label_count, seen.action_size)).astype(np.float32)
    criterion = fits.criterion
    facts = {
        "method": document["method"],
        "conditioned": criterion is not None,
        "styles": [] if criterion is None else list(criterion.styles),
        "promptable": [] if criterion is None else list(criterion.promptable),
        "criterion": document["criterion"],
        "environment": fits.episodes.environment,
        "discrete": seen.discrete,
    }
    return Policy(
        weights=tuple(np.asarray(layer.weight) for layer in net.mlp.layers),
        biases=tuple(np.asarray(layer.bias) for layer in net.mlp.layers),
        embedding=None if net.embedding is None else np.asarray(net.embedding),
        spread=spread,
        drawn=np.zeros(spread.shape, bool),
        observations=seen.observations,
        actions=seen.actions,
        facts=facts,
    )


@contextmanager
def _opened(folder: Path | None, document: dict[str, Any], resume: bool) -> Iterator[bool]:
    """Hold a run's folder; True when it holds the finished run of these settings already."""
    if folder is None:
        yield False
        return
    with ExitStack() as held:
        fresh = not folder.exists()
        if folder.is_file():
            raise SciqlError(f"{folder} is a file; name a folder for the run")
        if not fresh and any(folder.iterdir()) and not (folder / "run.json").exists():
            raise SciqlError(f"{folder} holds other files; choose a new or an empty folder for the run")
        held.enter_context(claim(folder))
        before = read_json(folder / "run.json") if (folder / "run.json").exists() else None
        if before is not None:
            _require_same(folder, before, document, resume)
        yield_finished = before is not None and bool(before["finished"])
        if not yield_finished:
            remove_leftovers(folder / "checkpoint.npz")
            write_json(folder / "run.json", document)
        yield yield_finished


def _require_same(folder: Path, before: dict[str, Any], document: dict[str, Any], resume: bool) -> None:
    """A folder goes on only with the run that it began with, and only when asked to."""
    if not resume:
        state = "a finished" if before["finished"] else "an unfinished"
        raise SciqlError(f"{folder} holds {state} run; add --resume to go on with it or choose another folder")
    fixed = ("method", "seed", "dataset", "criterion", "settings")
    changed = [name for name in fixed if before[name] != _through_json(document[name])]
    if changed:
        raise SciqlError(
            f"{folder} holds a run of another {' and '.join(changed)}; resume it with its own or choose another folder"
        )


def _through_json(value: Any) -> Any:  # noqa: ANN401
    import json

    return json.loads(json.dumps(value))


def _close(folder: Path, policy: Policy, document: dict[str, Any], curve: list[dict[str, Any]]) -> None:
    """Write what is to stay; run.json says last that all of it is there."""
    import json

    policy.save(folder / "policy.npz")
    write_text(folder / "metrics.jsonl", "".join(json.dumps(row) + "\n" for row in curve))
    write_json(folder / "run.json", document)
    (folder / "checkpoint.npz").unlink(missing_ok=True)
