"""From a dataset, a method and a criterion to a policy in a folder."""

import json
import subprocess
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sciql import weights
from sciql.criteria import Criterion, labelled
from sciql.datasets.soundness import require_sound
from sciql.drawing import told_by_spread
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.files import sha256, write_json, write_text
from sciql.fits import Fits
from sciql.fitting import Report, Row, Stage
from sciql.folders import CHECKPOINT, DOCUMENT, METRICS, POLICY, finished, held, read_document, written_down
from sciql.holdout import hold_out
from sciql.labels import require_support
from sciql.methods import Method, get_method, require_criterion, require_rewards
from sciql.policy import Policy, load_policy
from sciql.progress import reporting
from sciql.regression import LOG_STD_RANGE, Actor, PolicyData, Regression, init_policy, policy_step
from sciql.settings import Preset, Relabels, Settings, preset_settings
from sciql.weights import Weight

PACKAGES = ("jax", "equinox", "optax", "numpy")
SEEDS = 2**31


@dataclass(frozen=True)
class Run:
    """A finished training."""

    folder: Path | None
    """Where it lies; None when it was not to be kept."""
    policy: Policy
    document: dict[str, Any]
    """What run.json holds."""
    curve: list[Row]
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
    report: Report | None = None,
    holdout: float = 0.0,
) -> Run:
    """Train a method and, with `out`, keep the run in that folder.

    `settings` replaces the preset's. What is shared between methods is found again if it was fitted before. Progress
    goes to `report`, and to the terminal where none is given. `holdout` is a share of the episodes that is set aside
    for `evaluate_offline`.
    """
    if settings is not None and steps is not None:
        raise SciqlError("both `settings` and `steps` say how long to train; give one of them")
    chosen = get_method(method)
    learnt = criterion if chosen.conditioned else None
    named = preset if settings is None else None
    settings = settings or preset_settings(preset, steps)
    _check(chosen, episodes, learnt, seed)
    taught, _ = hold_out(episodes, holdout)
    if holdout and learnt is not None:
        require_support(learnt.label(taught), learnt, f"the episodes of {episodes.name} that are not held out")
    document = describe(chosen, episodes, learnt, settings, named, seed, holdout)
    if out is None:
        with _told(report) as shown:
            return learn(chosen, Fits(taught, learnt, settings, seed, shown), document, None)
    folder = Path(out)
    with held(folder):
        if finished(folder, document, resume):
            return load_run(folder)
        with _told(report) as shown:
            told = written_down(folder / METRICS, shown)
            run = learn(chosen, Fits(taught, learnt, settings, seed, told), document, folder)
        _keep(folder, run)
    return run


def _told(report: Report | None) -> AbstractContextManager[Report]:
    """Who is told of progress."""
    return reporting() if report is None else nullcontext(report)


def load_run(folder: str | Path) -> Run:
    """A finished run from its folder."""
    folder = Path(folder)
    if not (folder / DOCUMENT).is_file():
        raise SciqlError(f"{folder} holds no run; train one with `sciql train`")
    document = read_document(folder)
    if not document["finished"]:
        raise SciqlError(f"the run in {folder} is not finished; go on with it by --resume")
    try:
        curve = [json.loads(line) for line in (folder / METRICS).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as problem:
        raise SciqlError(f"{folder / METRICS} is damaged or gone; train the run again in another folder") from problem
    return Run(folder, load_policy(folder), document, curve)


def _check(method: Method, episodes: Episodes, criterion: Criterion | None, seed: int) -> None:
    """Say what is wrong with the data, the criterion or the seed before anything is made."""
    require_criterion(method, criterion is not None)
    require_rewards(method, episodes.rewarded, episodes.name)
    if not 0 <= seed < SEEDS:
        raise SciqlError(f"a seed is a whole number from 0 to {SEEDS - 1}, not {seed}")
    require_sound(episodes)
    if criterion is None:
        return
    try:
        criterion.key()
    except TypeError as problem:
        raise SciqlError(f"settings of {criterion.name} are no JSON ({problem}); use numbers, text, lists") from problem
    require_support(labelled(criterion, episodes), criterion, episodes.name)


def describe(
    method: Method,
    episodes: Episodes,
    criterion: Criterion | None,
    settings: Settings,
    preset: str | None,
    seed: int,
    holdout: float = 0.0,
) -> dict[str, Any]:
    """Everything that a run depends on, as run.json holds it."""
    dataset = {"name": episodes.name, "content": episodes.content, "environment": episodes.environment}
    document = {
        "sciql": version("sciql"),
        "method": method.name,
        "seed": seed,
        "preset": preset or "own settings",
        "dataset": dataset | ({"holdout": holdout} if holdout else {}),
        "criterion": None if criterion is None else criterion.record(),
        "settings": settings.document(),
        "versions": {package: version(package) for package in PACKAGES},
        "commit": _commit(),
        "finished": False,
    }
    # Through JSON, so that it can be compared with what a file holds.
    return json.loads(json.dumps(document))


def _commit() -> str | None:
    """The commit of the checkout that sciql runs from, if this file is a part of one."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD", f"HEAD:./{Path(__file__).name}"]
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if answer.returncode else answer.stdout[:12]


def learn(method: Method, fits: Fits, document: dict[str, Any], folder: Path | None) -> Run:
    """All that a method's weight reads, then its policy; `document` is what `describe` says."""
    actor, curve = regress(method, fits, None if folder is None else folder / CHECKPOINT)
    document = document | {"seconds": fits.seconds | {"policy": curve[-1]["seconds"]}, "finished": True}
    return Run(folder, as_policy(actor, fits, document), document, curve)


def weight_of(method: Method, relabels: Relabels = "mixture") -> Weight:
    """W(s, a, z) of a method; only SCIQL's know more than one way with relabels."""
    if not isinstance(method.weight, str):
        return method.weight
    suffix = "_excess" if method.labels == "mixed" and relabels == "excess" else ""
    return getattr(weights, method.weight + suffix)


def regress(method: Method, fits: Fits, checkpoint: Path | None) -> tuple[Actor, list[Row]]:
    """The policy of a method, after all that its weight reads."""
    settings, seen = fits.settings, fits.transitions
    # Where every label is summed over by definition, none is drawn.
    drawn = settings.policy.drawn and method.labels in ("own", "future", "mixed")
    regression = Regression(
        settings=replace(settings.policy, drawn=drawn, blur=settings.policy.blur if seen.remembers else 0.0),
        weight=weight_of(method, settings.relabels),
        beta=settings.beta if method.beta is None else method.beta,
    )
    evidence = fits.evidence(method)
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
        header={
            "method": method.name,
            "settings": settings.document(),
            "data": fits.episodes.content,
            "labels": sha256({"labels": fits.labels}),
        },
    )
    fitted = fits.make(stage, checkpoint, fits.report)
    return fitted.state.actor, [*fits.curve, *fitted.curve]


def as_policy(actor: Actor, fits: Fits, document: dict[str, Any]) -> Policy:
    """The trained network with all that acting needs."""
    seen, net = fits.transitions, jax.device_get(actor.net)
    spread = np.zeros((fits.label_count, 0), np.float32)
    if actor.log_std is not None:
        log_std = np.clip(np.asarray(actor.log_std), *LOG_STD_RANGE)
        spread = np.broadcast_to(np.exp(log_std), (fits.label_count, seen.action_size)).astype(np.float32)
    criterion = fits.criterion
    styles = np.array([] if criterion is None else criterion.prompts, np.int64)
    drawn = told_by_spread(actor, seen.columns.states, styles, np.random.default_rng(fits.seed))
    facts = {
        "method": document["method"],
        "conditioned": criterion is not None,
        "styles": [] if criterion is None else list(criterion.styles),
        "promptable": [] if criterion is None else list(criterion.promptable),
        "criterion": document["criterion"],
        "environment": fits.episodes.environment,
        "discrete": seen.discrete,
        "observation_names": list(fits.episodes.observation_names),
        "action_names": list(fits.episodes.action_names),
        "action_bounds": fits.episodes.action_bounds.tolist(),
    }
    return Policy(
        weights=tuple(np.asarray(layer.weight) for layer in net.mlp.layers),
        biases=tuple(np.asarray(layer.bias) for layer in net.mlp.layers),
        embedding=None if net.embedding is None else np.asarray(net.embedding),
        spread=spread,
        drawn=np.broadcast_to(drawn[: spread.shape[1]], spread.shape).copy(),
        observations=seen.observations,
        actions=seen.actions,
        facts=facts,
    )


def _keep(folder: Path, run: Run) -> None:
    """Write what is to stay; run.json says last that all of it is there."""
    run.policy.save(folder / POLICY)
    write_text(folder / METRICS, "".join(json.dumps(row) + "\n" for row in run.curve))
    write_json(folder / DOCUMENT, run.document)
    (folder / CHECKPOINT).unlink(missing_ok=True)
