"""What running the grid costs beside the training itself: sharing, workers, scheduling, restart.

    python benchmarks/grid.py                 # all four
    python benchmarks/grid.py workers --steps 2000

- sharing: all nine policies of a pair beside SCIQL's style-only run alone, each from nothing. Target: 2.2 times.
- workers: two workers beside one, which uses all cores, on the same cells; one worker before and after. Target: 1.15.
- scheduling: the share of a run that is neither training nor judging. Target: under 3 %.
- restart: the answer of `sciql benchmark run` about 500 cells that are there. Target: under 3 s.

Each run is a process of its own with a folder of fits of its own; the dataset is made beforehand. `--steps` shortens
the stages, which makes compiling and judging weigh more than they do.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NINE = ("cbc", "scbc", "bcpmi", "sorl_beta0", "sorl_beta1", "sorl_beta3")
NINE += ("sciql_style", "sciql_style_task", "sciql_task_style")
DATASET, CRITERION = "circle2d-inplace-v0", "speed"
SHARING, WORKERS, SCHEDULING, RESTART = 2.2, 1.15, 0.03, 3.0
CELLS = 500


def run(methods: tuple[str, ...], seeds: tuple[int, ...], workers: int, steps: int | None) -> dict[str, Any]:
    """What `sciql benchmark run` says about these cells, made from nothing."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["benchmark", "run", "--json", "--results", f"{folder}/results", "--workers", str(workers)]
        words += ["--datasets", DATASET, "--criteria", CRITERION, "--methods", *methods]
        words += ["--seeds", *map(str, seeds), *([] if steps is None else ["--steps", str(steps)])]
        environment = os.environ | {"SCIQL_HOME": f"{folder}/home"}
        return json.loads(sciql(words, environment))


def sciql(words: list[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", "from sciql.cli import main; raise SystemExit(main())", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def sharing(steps: int | None) -> dict[str, Any]:
    alone = run(("sciql_style",), (0,), 1, steps)["seconds"]
    nine = run(NINE, (0,), 1, steps)["seconds"]
    return {"alone": alone, "nine": nine, "ratio": nine / alone, "target": SHARING, "met": nine / alone <= SHARING}


def workers(steps: int | None) -> dict[str, Any]:
    methods, seeds = ("cbc", "scbc", "sciql_style"), (0, 1)
    before = run(methods, seeds, 1, steps)["seconds"]
    two = run(methods, seeds, 2, steps)["seconds"]
    after = run(methods, seeds, 1, steps)["seconds"]
    gain = (before + after) / 2 / two
    return {"one": [before, after], "two": two, "gain": gain, "target": WORKERS, "met": gain >= WORKERS}


def scheduling(steps: int | None) -> dict[str, Any]:
    outcome = run(("cbc", "scbc", "sciql_style"), (0,), 1, steps)
    share = 1 - (outcome["busy"] - outcome["saving"]) / outcome["seconds"]
    return {"seconds": outcome["seconds"], "share": share, "target": SCHEDULING, "met": share < SCHEDULING}


def restart(steps: int | None) -> dict[str, Any]:
    from sciql.benchmark.cells import judged_by
    from sciql.benchmark.grid import EPISODES
    from sciql.benchmark.run import content_of
    from sciql.benchmark.store import held, save
    from sciql.benchmark.studies import Slice, cells_of

    every = cells_of(Slice(steps=steps, seeds=(0,)))["default"]
    seeds = tuple(range(-(-CELLS // len(every))))
    cells = cells_of(Slice(steps=steps, seeds=seeds))["default"]
    with tempfile.TemporaryDirectory() as folder:
        with held(Path(folder)):
            for cell in cells:
                criterion = judged_by(cell.pair.criterion)
                shown = [[0.1] * len(criterion.styles)] * len(criterion.prompts)
                scores = [[12.34] * EPISODES] * len(criterion.prompts)
                measured = {"alignments": scores, "tasks": scores, "matrix": shown, "steps": {}, "seconds": {}}
                save(Path(folder), cell, measured | {"data": content_of(cell.pair.dataset), "made": {}})
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.json"))
        words = ["benchmark", "run", "--json", "--results", folder, "--seeds", *map(str, seeds)]
        begun = time.perf_counter()
        outcome = json.loads(sciql([*words, *([] if steps is None else ["--steps", str(steps)])], dict(os.environ)))
        seconds = time.perf_counter() - begun
        assert outcome["made"] == 0, "all cells were there"
    return {"cells": len(cells), "bytes": size, "seconds": seconds, "target": RESTART, "met": seconds < RESTART}


MEASURES = {"sharing": sharing, "workers": workers, "scheduling": scheduling, "restart": restart}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"{', '.join(MEASURES)}; all unless told")
    parser.add_argument("--steps", type=int, help="steps of each stage, instead of the preset's")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    if wrong := set(words.measures) - MEASURES.keys():
        parser.error(f"there is no measure {', '.join(sorted(wrong))}; choose among {', '.join(MEASURES)}")
    found = {name: MEASURES[name](words.steps) for name in words.measures or MEASURES}
    if words.json:
        print(json.dumps(found, indent=2))
        return
    for name, measured in found.items():
        figures = ", ".join(f"{key} {value}" for key, value in measured.items() if key != "met")
        print(f"{name}: {figures}: {'met' if measured['met'] else 'MISSED'}")


if __name__ == "__main__":
    main()
