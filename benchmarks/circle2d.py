"""The learning results of Circle2d: trains what is missing, judges it, and keeps one JSON file a cell.

    python benchmarks/circle2d.py run --methods sciql_style --seeds 0 1 2
    python benchmarks/circle2d.py table
    python benchmarks/circle2d.py write

A cell is one dataset, criterion, method and seed. `--variant` names other settings than the default ones: the parts
that the exact preset adds, left out one at a time, and other lengths of training.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, get_args

from sciql.criteria import criterion
from sciql.datasets import load_dataset
from sciql.evaluation import evaluate
from sciql.files import write_json, write_text
from sciql.methods import METHODS
from sciql.paper import Metric, figure
from sciql.settings import EXACT, PAPER, Mixture, Settings
from sciql.training import train

RESULTS = Path(__file__).parent.parent / "results" / "circle2d"
DATASETS = ("circle2d-inplace-v0", "circle2d-navigate-v0")
CRITERIA = ("position", "movement_direction", "turn_direction", "radius", "speed", "curvature_noise")
EPISODES = 10


def longer(settings: Settings, factor: float) -> Settings:
    """The same with more steps of values and policy."""
    return replace(
        settings,
        style_values=replace(settings.style_values, steps=int(settings.style_values.steps * factor)),
        task_values=replace(settings.task_values, steps=int(settings.task_values.steps * factor)),
        policy=replace(settings.policy, steps=int(settings.policy.steps * factor)),
    )


VARIANTS: Mapping[str, Settings] = {
    "default": EXACT,
    "half": longer(EXACT, 0.5),
    "double": longer(EXACT, 2.0),
    "without-excess": replace(EXACT, relabels="mixture", policy_labels=Mixture(c=0.5, r=0.5)),
    "without-blur": replace(EXACT, policy=replace(EXACT.policy, blur=0.0)),
    "without-decay": replace(EXACT, style_values=replace(EXACT.style_values, decay=False)),
    "without-normalisation": replace(EXACT, networks=replace(EXACT.networks, normalise=False)),
    "drawn-labels": replace(
        EXACT,
        networks=replace(EXACT.networks, conditioning="embedding"),
        style_values=replace(EXACT.style_values, drawn=True),
    ),
    "paper": PAPER,
}


def cells(arguments: argparse.Namespace) -> Iterator[tuple[Path, str, str, str, int]]:
    """The cells asked for, those that share fits next to each other."""
    for dataset, seed, name, method in product(
        arguments.datasets, arguments.seeds, arguments.criteria, arguments.methods
    ):
        yield RESULTS / arguments.variant / dataset / name / method / f"seed{seed}.json", dataset, name, method, seed


def run(arguments: argparse.Namespace) -> None:
    """Make every cell that is not there."""
    for path, dataset, name, method, seed in cells(arguments):
        if path.exists():
            continue
        begun = time.perf_counter()
        made = train_and_judge(dataset, name, method, seed, VARIANTS[arguments.variant])
        write_json(path, {"variant": arguments.variant, **made})
        style, task = made["style"]["mean"], made["task"]["mean"]
        print(f"{dataset} {name} {method} seed {seed}: style {style:.1f}, task {task:.1f}", end=" ")
        print(f"in {time.perf_counter() - begun:.0f} s", flush=True)


def train_and_judge(dataset: str, name: str, method: str, seed: int, settings: Settings) -> dict[str, Any]:
    """One cell: the scores of every episode, and all that made them."""
    episodes, chosen = load_dataset(dataset), criterion(name)
    trained = train(method, episodes, chosen, seed=seed, settings=settings)
    judged = evaluate(trained.policy, criterion=chosen, episodes=EPISODES, seed=seed)
    alignments = judged.alignments.reshape(-1, EPISODES) if judged.alignments is not None else []
    kept = ("seed", "settings", "versions", "commit", "seconds")
    return {
        "dataset": dataset,
        "criterion": name,
        "method": method,
        **{key: trained.document[key] for key in kept},
        **{key: judged.document()[key] for key in ("episodes", "style", "task", "styles", "matrix")},
        "alignments": [[round(float(value), 2) for value in row] for row in alignments],
        "tasks": [[round(float(value), 2) for value in row] for row in judged.tasks.reshape(-1, EPISODES)],
    }


def table(arguments: argparse.Namespace) -> None:
    """All tables, on stdout."""
    print(tables(arguments, get_args(Metric)))


def write(arguments: argparse.Namespace) -> None:
    """All tables into results/README.md, and those of the styles into the project's README."""
    command = "python benchmarks/circle2d.py run"
    about = f"# Results on Circle2d\n\nMade by `{command}` and written down by `python benchmarks/circle2d.py write`.\n"
    write_text(RESULTS.parent / "README.md", about + tables(arguments, get_args(Metric)))
    readme = RESULTS.parent.parent / "README.md"
    before, _, after = readme.read_text(encoding="utf-8").split("<!-- results -->")
    shown = tables(arguments, ("style",))
    write_text(readme, f"{before}<!-- results -->\n{shown}\n<!-- results -->{after}")


def tables(arguments: argparse.Namespace, metrics: Sequence[Metric]) -> str:
    """Ours beside the paper's, mean and standard deviation over seeds, in Markdown."""
    lines: list[str] = []
    for dataset, metric in product(arguments.datasets, metrics):
        lines += [f"\n**{dataset}, {metric}** (ours, and the paper's in parentheses; points of 100)\n"]
        lines += ["| method | " + " | ".join((*arguments.criteria, "mean")) + " | seeds |"]
        lines += ["|---" * (len(arguments.criteria) + 3) + "|"]
        lines += [made for method in arguments.methods if (made := row(arguments, dataset, metric, method))]
    return "\n".join(lines) + "\n"


def row(arguments: argparse.Namespace, dataset: str, metric: Metric, method: str) -> str:
    """One method over all criteria; nothing where no cell is made."""
    scores = {
        name: [
            json.loads(path.read_text())[metric]["mean"]
            for path in sorted((RESULTS / arguments.variant / dataset / name / method).glob("seed*.json"))
        ]
        for name in arguments.criteria
    }
    if not any(scores.values()):
        return ""
    cells = [spoken(scores[name], figure(dataset, name, method, metric)) for name in arguments.criteria]
    # A mean over some of the criteria would not stand beside the paper's over all of them.
    whole = [fmean(values) for values in scores.values()] if all(scores.values()) else []
    mean = spoken(whole, figure(dataset, "all", method, metric), spread=False)
    counts = sorted({len(values) for values in scores.values()})
    return f"| {METHODS[method].title} | {' | '.join(cells)} | {mean} | {'-'.join(map(str, counts))} |"


def spoken(scores: list[float], printed: object, *, spread: bool = True) -> str:
    """A cell of the table."""
    if not scores:
        return "–"
    around = f" ± {pstdev(scores):.1f}" if spread and len(scores) > 1 else ""
    return f"{fmean(scores):.1f}{around}" + (f" ({printed})" if printed else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "table", "write"))
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=DATASETS)
    parser.add_argument("--criteria", nargs="+", choices=CRITERIA, default=CRITERIA)
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=[m for m in METHODS if m != "iql"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--variant", choices=tuple(VARIANTS), default="default")
    arguments = parser.parse_args()
    {"run": run, "table": table, "write": write}[arguments.action](arguments)


if __name__ == "__main__":
    main()
