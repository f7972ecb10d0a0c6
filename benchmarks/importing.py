"""How fast a million steps are imported from Parquet and CSV, beside pyarrow's own reading of the same file.

Run with `python benchmarks/importing.py`. Each way runs a few times in turn within one process, and the fastest run of
each counts. The target: at least 30 % of pyarrow's speed.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sciql import Episodes

OBSERVATIONS, ACTIONS, LENGTH, REPEATS = 17, 6, 1000, 5
TARGET = 0.3


def log(steps: int) -> pa.Table:
    """Random numbers in the columns of a robot's log."""
    rng = np.random.default_rng(0)
    columns = {"episode": np.arange(steps) // LENGTH}
    columns |= {f"obs_{number}": rng.normal(size=steps).astype(np.float32) for number in range(OBSERVATIONS)}
    columns |= {f"action_{number}": rng.uniform(-1, 1, steps).astype(np.float32) for number in range(ACTIONS)}
    columns |= {name: rng.normal(size=steps).astype(np.float32) for name in ("reward", "speed")}
    return pa.table(columns)


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        table, parquet, csv = log(arguments.steps), Path(folder, "log.parquet"), Path(folder, "log.csv")
        pyarrow.parquet.write_table(table, parquet)
        pyarrow.csv.write_csv(table, csv)
        for kind, plain, ours in (
            ("parquet", lambda: pyarrow.parquet.read_table(parquet), lambda: Episodes.from_parquet(parquet)),
            ("csv", lambda: pyarrow.csv.read_csv(csv), lambda: Episodes.from_csv(csv)),
        ):
            pairs = [(seconds(plain), seconds(ours)) for _ in range(REPEATS)]
            reading, importing = (min(column) for column in zip(*pairs, strict=True))
            measured[kind] = {"pyarrow": reading, "sciql": importing, "speed": reading / importing}
    if arguments.json:
        print(json.dumps({"seconds": measured, "steps": arguments.steps, "target": TARGET}, indent=2))
        return
    print(f"{arguments.steps:,} steps{'pyarrow':>14}{'sciql':>10}{'speed':>9}")
    for kind, row in measured.items():
        verdict = "met" if row["speed"] >= TARGET else "MISSED"
        share = f"{100 * row['speed']:.0f} %"
        print(
            f"{kind:<15}{row['pyarrow']:>12.3f} s{row['sciql']:>8.3f} s{share:>9}    at least {TARGET:.0%}: {verdict}"
        )


if __name__ == "__main__":
    main()
