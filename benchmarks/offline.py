"""Estimates from logs alone beside rollouts: how far `sciql evaluate --offline` can be trusted to tell policies apart.

Run with `python benchmarks/offline.py --out FOLDER`. It trains a few policies of Circle2d for a few steps, so that good
and bad ones are among them, judges each by its logs and by rollouts, and prints both with their correlation over all
policies and styles. Rollouts count whole episodes of 1000 steps, and once more discounted as the estimates are.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import sciql
from sciql.envs.registration import get_spec
from sciql.evaluation import Evaluation
from sciql.metrics import normalised_return
from sciql.offline import ESTIMATES, OfflineEvaluation, evaluate_offline

DATASET, ENVIRONMENT = "circle2d-inplace-v0", "sciql/Circle2d-v0"
CRITERIA, METHODS = ("speed", "position"), ("bc", "cbc", "sciql_style")
STEPS, EPISODES = 4000, 2


@dataclass(frozen=True)
class Pair:
    """One style of one policy; style and task in points."""

    method: str
    criterion: str
    style: str
    estimated_style: float
    rolled_out_style: float
    discounted_style: float
    estimated_task: float
    rolled_out_task: float
    discounted_task: float


def pairs(estimated: OfflineEvaluation, rolled_out: Evaluation, name: str) -> list[Pair]:
    """Estimates and rollouts of one policy, style by style."""
    asked, labels, episodes = rolled_out.rollouts.asked, rolled_out.labels, rolled_out.rollouts.episodes
    assert asked is not None and labels is not None
    spec = get_spec(ENVIRONMENT)
    fading = estimated.discount ** np.arange(spec.horizon)
    fading /= fading.sum()
    shown = (labels.reshape(len(asked), -1) == asked[:, None]) @ fading
    earned = episodes.rewards.reshape(len(asked), -1) @ fading
    tasks = normalised_return(earned * spec.horizon, spec)
    return [
        Pair(
            estimated.method,
            name,
            row.style,
            row.alignment,
            score.alignment.mean,
            100 * float(shown[asked == row.index].mean()),
            float("nan") if row.task is None else row.task,
            score.task.mean,
            float(tasks[asked == row.index].mean()),
        )
        for row, score in zip(estimated.styles, rolled_out.scores(), strict=True)
    ]


def judged(method: str, name: str, folder: Path, steps: int) -> list[Pair]:
    episodes, criterion = sciql.load_dataset(DATASET), sciql.criterion(name)
    run = sciql.train(method, episodes, criterion, steps=steps, out=folder / f"{name}-{method}", resume=True)
    estimated = evaluate_offline(run.policy, episodes, criterion, settings=ESTIMATES)
    return pairs(estimated, sciql.evaluate(run.policy, ENVIRONMENT, criterion, episodes=EPISODES), name)


def ranks(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values)).astype(float)


def agreement(estimates: np.ndarray, truths: np.ndarray) -> dict[str, float]:
    """Pearson's and Spearman's correlation, and the mean distance in points."""
    return {
        "pearson": float(np.corrcoef(estimates, truths)[0, 1]),
        "spearman": float(np.corrcoef(ranks(estimates), ranks(truths))[0, 1]),
        "mean_error": float(np.abs(estimates - truths).mean()),
        "bias": float((estimates - truths).mean()),
    }


def summed_up(found: list[Pair]) -> dict[str, dict[str, float]]:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(pair, name) for pair in found])

    return {
        f"{what}, {truth.replace('_', ' ')}": agreement(column(f"estimated_{what}"), column(f"{truth}_{what}"))
        for what in ("style", "task")
        for truth in ("rolled_out", "discounted")
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs, found again if they are there")
    parser.add_argument("--steps", type=int, default=STEPS, help="gradient steps of each stage")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = [pair for name in CRITERIA for method in METHODS for pair in judged(method, name, given.out, given.steps)]
    if given.json:
        print(json.dumps({"pairs": [asdict(pair) for pair in found], "agreement": summed_up(found)}, indent=2))
        return
    print(f"{'':<40}{'style: estimate':>16}{'rollout':>9}{'discounted':>12}{'task: estimate':>16}{'rollout':>9}")
    for pair in found:
        name = f"{pair.criterion} {pair.method} {pair.style}"
        style = f"{pair.estimated_style:>16.1f}{pair.rolled_out_style:>9.1f}{pair.discounted_style:>12.1f}"
        print(f"{name:<40}{style}{pair.estimated_task:>16.1f}{pair.rolled_out_task:>9.1f}")
    for what, figures in summed_up(found).items():
        print(f"{what:<24}" + ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
