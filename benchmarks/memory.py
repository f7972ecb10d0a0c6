"""Peak memory of a training on a million steps, as the operating system counted it for a process of its own.

Run with `python benchmarks/memory.py`. It runs `sciql train sciql_style_task` on circle2d-inplace-v0, the method that
holds most at once: both values, the estimates of every step and the regression. More gradient steps need no more
memory, so a few will do. The target is under 2.5 GB.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sciql.datasets import make_dataset

DATASET, CRITERION, METHOD = "circle2d-inplace-v0", "movement_direction", "sciql_style_task"
TARGET = 2.5e9


def peak(words: list[str], environment: dict[str, str]) -> int:
    """Bytes that a command held at its most."""
    child = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(words)} ended with exit code {code}")
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2000, help="gradient steps of each stage")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    steps = make_dataset(DATASET).steps
    sciql = str(Path(sys.executable).with_name("sciql"))
    with tempfile.TemporaryDirectory() as folder:
        words = [sciql, "train", METHOD, DATASET, CRITERION, "--steps", str(arguments.steps), "--out", f"{folder}/run"]
        # A home of its own, so that no fit is found on disk and left out.
        held = peak(words, os.environ | {"SCIQL_HOME": f"{folder}/home"})
    empty = peak([sys.executable, "-c", "import sciql.training"], dict(os.environ))
    if arguments.json:
        print(json.dumps({"peak": held, "libraries": empty, "dataset_steps": steps, "target": TARGET}, indent=2))
        return
    print(f"{METHOD}, {steps:,} steps: {held / 1e9:.2f} GB, of which the libraries alone {empty / 1e9:.2f} GB")
    print(f"target: under {TARGET / 1e9:g} GB: {'met' if held < TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
