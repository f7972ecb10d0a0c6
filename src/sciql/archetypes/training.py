"""Training an archetype in a folder: plays and scans by turns, judged now and then, gone on with after a break."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from sciql.archetypes.actor import Actor, load_actor
from sciql.archetypes.experience import Experience, Transitions, empty, left_by
from sciql.archetypes.judging import judge_actor
from sciql.archetypes.sac import SCALE, Learner, SacSettings, adopt, explore, init_learner, learn
from sciql.archetypes.shapes import Archetype, get_archetype
from sciql.archives import load_arrays, save_arrays
from sciql.checkpoints import load_tree, save_tree
from sciql.envs.halfcheetah import HORIZON, HalfCheetahSimulator
from sciql.envs.halfcheetah_body import MOTORS, POSITIONS, VELOCITIES
from sciql.errors import SciqlError
from sciql.files import write_json
from sciql.fitting import Report, Row
from sciql.folders import CHECKPOINT, DOCUMENT, METRICS, POLICY, finished, held, written_down
from sciql.progress import reporting

EVALUATED = 32  # scans between two evaluations
WATCHED, HELD_OUT = 1000, 2000  # seeds of the starts that a training watches itself on, and is judged by at its end
LEARNER, EXPERIENCE = "learner.npz", "experience.npz"
SECONDS_BETWEEN_CHECKPOINTS = 120.0
PACKAGES = ("jax", "equinox", "optax", "numpy", "mujoco")
SEEDS = 2**31


@dataclass(frozen=True)
class Progress:
    """Where a training stands; what is not in here is computed anew."""

    learner: Learner
    experience: Experience
    simulator: HalfCheetahSimulator
    observations: np.ndarray
    ages: np.ndarray
    """Steps that each cheetah's episode has lasted."""
    episodes: int
    """Episodes begun so far."""
    scans: int
    best: Actor | None
    """The best actor at any evaluation, with its figures."""
    curve: list[Row]


def train_archetype(
    name: str,
    out: Path,
    *,
    seed: int = 0,
    settings: SacSettings | None = None,
    others: Sequence[Path] = (),
    resume: bool = False,
) -> Actor:
    """Train an archetype into a folder; finished trainings of `others` lend their networks and all they have seen."""
    archetype, settings = get_archetype(name), settings or SacSettings()
    if not 0 <= seed < SEEDS:
        raise SciqlError(f"a seed is a whole number from 0 to {SEEDS - 1}, not {seed}")
    for folder in others:
        if not all((folder / part).is_file() for part in (LEARNER, EXPERIENCE, DOCUMENT)):
            raise SciqlError(f"{folder} holds no finished training of an archetype; train one there first")
    document = describe(archetype, seed, settings, others)
    with held(out):
        if finished(out, document, resume):
            return load_actor(out / POLICY)
        with reporting() as shown:
            report = written_down(out / METRICS, shown)
            return _train(archetype, out, settings, tuple(others), document, report)


def describe(archetype: Archetype, seed: int, settings: SacSettings, others: Sequence[Path]) -> dict[str, Any]:
    """Everything that a training depends on, as run.json holds it."""
    document = {
        "method": f"archetype {archetype.name}",
        "seed": seed,
        "dataset": [folder.name for folder in others],
        "criterion": None,
        "settings": asdict(settings),
        "archetype": asdict(archetype),
        "versions": {package: version(package) for package in ("sciql", *PACKAGES)},
        "finished": False,
    }
    # As JSON gives it back, so that a resumed run can be compared with what it wrote down.
    return json.loads(json.dumps(document))


def _train(
    archetype: Archetype,
    out: Path,
    settings: SacSettings,
    others: tuple[Path, ...],
    document: dict[str, Any],
    report: Report,
) -> Actor:
    seed = document["seed"]
    progress = _begin(seed, settings, others)
    if (out / CHECKPOINT).exists():
        progress = _go_on(progress, out)
    for row in progress.curve:
        report(row, settings.updates)
    key = jax.random.fold_in(jax.random.key(seed), 1)
    before = progress.curve[-1]["seconds"] if progress.curve else 0.0
    begun, saved = time.perf_counter(), time.monotonic()
    while not _over(progress, settings):
        progress = _play(progress, seed, settings, key)
        if _too_little(progress.experience, settings):
            continue
        progress = _learn(archetype, progress, settings, key)
        if progress.scans % EVALUATED == 0:
            seconds = round(before + time.perf_counter() - begun, 1)
            progress = _evaluated(archetype, progress, seed, settings, seconds)
            report(progress.curve[-1], settings.updates)
            if time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                _save(progress, out)
                saved = time.monotonic()
    return _finish(archetype, progress, out, document)


def _begin(seed: int, settings: SacSettings, others: tuple[Path, ...]) -> Progress:
    """The first state: with others, the networks of the first of them and the transitions of all."""
    learner = init_learner(POSITIONS - 1 + VELOCITIES, MOTORS, settings, jax.random.key(seed))
    if others:
        theirs, _ = load_tree(others[0] / LEARNER, learner)
        learner = adopt(theirs.actor, theirs.critics, settings)
    simulator, count = HalfCheetahSimulator(threads=1), settings.cheetahs
    return Progress(
        learner=learner,
        experience=empty(left_by(others, EXPERIENCE), settings.capacity, count * settings.played),
        simulator=simulator,
        observations=simulator.reset(_starts(seed, 0), count),
        # Their episodes end by turns, so that starts are never far back.
        ages=np.arange(count) * HORIZON // count,
        episodes=1,
        scans=0,
        best=None,
        curve=[],
    )


def _starts(seed: int, episode: int) -> np.random.Generator:
    return np.random.default_rng((seed, episode))


def _over(progress: Progress, settings: SacSettings) -> bool:
    """Whether all updates are done, or the demands are met well enough."""
    best = -np.inf if progress.best is None else progress.best.record["quality"]
    good = settings.enough is not None and best >= settings.enough
    return good or progress.scans * settings.scan >= settings.updates


def _too_little(experience: Experience, settings: SacSettings) -> bool:
    """Whether there is nothing yet to learn from; until then actions are drawn uniformly."""
    return not experience.others and experience.written < settings.random


def _learn(archetype: Archetype, progress: Progress, settings: SacSettings, key: PRNGKeyArray) -> Progress:
    """One scan of updates."""
    experience, scans = progress.experience, progress.scans
    learner, _ = learn(
        progress.learner,
        experience.rows,
        jnp.int32(experience.others),
        jnp.int32(experience.filled),
        jax.random.fold_in(key, 2 * scans + 1),
        reward=archetype.reward,
        settings=settings,
        moving=not experience.others or scans * settings.scan >= settings.alone,
    )
    return replace(progress, learner=learner, scans=scans + 1)


def _play(progress: Progress, seed: int, settings: SacSettings, key: PRNGKeyArray) -> Progress:
    """A few steps of every cheetah, written down."""
    experience, observations, ages = progress.experience, progress.observations, progress.ages
    by_chance = _too_little(experience, settings)
    keys = jax.random.split(jax.random.fold_in(jax.random.fold_in(key, 0), experience.written), settings.played)
    episodes, rows = progress.episodes, []
    for step_key in keys:
        if by_chance:
            actions = np.asarray(jax.random.uniform(step_key, (settings.cheetahs, MOTORS), minval=-1, maxval=1))
        else:
            actions = np.asarray(explore(progress.learner.actor, jnp.asarray(observations), step_key))
        step = progress.simulator.step(actions)
        rows.append((observations, actions, step.observations, step.signals["velocity"]))
        observations, ages = step.observations, ages + 1
        over = np.flatnonzero(ages >= HORIZON)
        if len(over):
            observations = progress.simulator.restart(_starts(seed, episodes), over.tolist())
            ages[over], episodes = 0, episodes + 1
    new = Transitions(*(jnp.asarray(np.concatenate(column)) for column in zip(*rows, strict=True)))
    return replace(progress, experience=experience.add(new), observations=observations, ages=ages, episodes=episodes)


def _evaluated(archetype: Archetype, progress: Progress, seed: int, settings: SacSettings, seconds: float) -> Progress:
    """With a row of the curve, and the best actor so far."""
    actor = as_actor(progress.learner)
    judged = judge_actor(archetype, actor, seed + WATCHED, threads=1)
    updates = progress.scans * settings.scan
    figures = {"transitions": progress.experience.written, **judged.figures()}
    row = {"stage": archetype.name, "step": updates, "seconds": seconds, **figures}
    best = progress.best
    if best is None or judged.quality > best.record["quality"]:
        best = replace(actor, record=row)
    return replace(progress, best=best, curve=[*progress.curve, row])


def as_actor(learner: Learner) -> Actor:
    """The mean of the learner's actions, in numpy."""
    layers = jax.device_get(learner.actor.layers)
    weights, biases = [layer.weight for layer in layers], [layer.bias for layer in layers]
    weights[-1], biases[-1] = weights[-1][:, :MOTORS].copy(), biases[-1][:MOTORS].copy()
    return Actor(SCALE, tuple(weights), tuple(biases), {})


def _save(progress: Progress, out: Path) -> None:
    """All that `_begin` and the seed do not give again."""
    best, own = progress.best, progress.experience.own()
    arrays = {
        **{f"experience {name}": column for name, column in own.items()},
        "cheetahs": progress.simulator.snapshot(),
        "ages": progress.ages,
        **({} if best is None else {f"best {name}": array for name, array in best.arrays().items()}),
    }
    leaves = jax.device_get(jax.tree.leaves(progress.learner))
    arrays |= {f"learner {number:04d}": np.asarray(leaf) for number, leaf in enumerate(leaves)}
    header = {
        "written": progress.experience.written,
        "episodes": progress.episodes,
        "scans": progress.scans,
        "curve": progress.curve,
        "best": None if best is None else best.record,
    }
    save_arrays(out / CHECKPOINT, arrays, header)


def _go_on(begun: Progress, out: Path) -> Progress:
    """The training as its checkpoint left it."""
    arrays, header = load_arrays(out / CHECKPOINT)

    def part(word: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(word): array for name, array in arrays.items() if name.startswith(word)}

    leaves = [jnp.asarray(leaf) for _, leaf in sorted(part("learner ").items())]
    own = Transitions(**{name: jnp.asarray(column) for name, column in part("experience ").items()})
    return replace(
        begun,
        learner=jax.tree.unflatten(jax.tree.structure(begun.learner), leaves),
        experience=begun.experience.restored(own, header["written"]),
        observations=begun.simulator.restore(arrays["cheetahs"]),
        ages=arrays["ages"],
        episodes=header["episodes"],
        scans=header["scans"],
        best=None if header["best"] is None else Actor.of(part("best "), header["best"]),
        curve=header["curve"],
    )


def _finish(archetype: Archetype, progress: Progress, out: Path, document: dict[str, Any]) -> Actor:
    """Judge the best actor on starts that chose nothing, and leave what others can begin from."""
    if progress.best is None:
        raise SciqlError(f"an archetype is judged every {EVALUATED} scans; train it for as many updates at least")
    judged = judge_actor(archetype, progress.best, document["seed"] + HELD_OUT, threads=1)
    last = progress.curve[-1]
    trained = {
        "updates": last["step"],
        "transitions": last["transitions"],
        "seconds": last["seconds"],
        "chosen_at": progress.best.record["step"],
        "judged": judged.figures(),
    }
    document = document | trained | {"finished": True}
    actor = replace(progress.best, record=document)
    save_tree(out / LEARNER, progress.learner, {})
    progress.experience.hand_on(out / EXPERIENCE)
    actor.save(out / POLICY)
    write_json(out / DOCUMENT, document)
    (out / CHECKPOINT).unlink(missing_ok=True)
    return actor
