"""Seconds until `import sciql` and `sciql --help` are done, each in a process of its own, beside an empty one.

Run with `python benchmarks/imports.py`. The target is under 0.5 s for both.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

REPEATS = 10
TARGET = 0.5
COMMANDS = {
    "an empty process": [sys.executable, "-c", ""],
    "import sciql": [sys.executable, "-c", "import sciql"],
    "sciql --help": [str(Path(sys.executable).with_name("sciql")), "--help"],
}


def seconds(words: list[str]) -> float:
    """The median of a few runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    taken = {name: seconds(words) for name, words in COMMANDS.items()}
    if parser.parse_args().json:
        print(json.dumps({"seconds": taken, "target": TARGET}, indent=2))
        return
    for name, its in taken.items():
        print(f"{name:<20}{its:>7.3f} s    {'' if name == 'an empty process' else verdict(its)}".rstrip())


def verdict(its: float) -> str:
    return f"under {TARGET:g} s: {'met' if its < TARGET else 'MISSED'}"


if __name__ == "__main__":
    main()
