"""HalfCheetah's simulated steps a second, ours in batches beside `env.step` in a loop, and the reading of its datasets.

Run with `python benchmarks/halfcheetah.py`. The yardstick of simulating is Gymnasium's own HalfCheetah-v5, one step
after the other; that of reading `halfcheetah-stitch-v0` is reading `halfcheetah-fix-v0`, which has the same steps in a
tenth of the episodes and may take half as long. Both datasets are made first if they are not there.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from contextlib import chdir
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np

from sciql.datasets import load_dataset
from sciql.envs.halfcheetah import HalfCheetahSimulator

COUNTS = (1, 40, 1000)
"""Episodes at once: one, those of an evaluation, those of a dataset."""
REPEATS = 3
READ = 2.0


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def loop(steps: int) -> float:
    """Steps a second of Gymnasium's environment."""
    # MuJoCo writes what it thinks of Gymnasium's model into the folder that it is in.
    with warnings.catch_warnings(), TemporaryDirectory() as folder, chdir(folder):
        warnings.simplefilter("ignore")
        env = gymnasium.make("HalfCheetah-v5", disable_env_checker=True)
    actions = np.random.default_rng(0).uniform(-1, 1, (steps, 6)).astype(np.float32)

    def work() -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)

    return steps / best(work)


def batch(count: int, threads: int, steps: int) -> float:
    """Steps a second of all episodes of a batch together."""
    simulator = HalfCheetahSimulator(threads)
    turns = max(1, steps // count)
    actions = np.random.default_rng(0).uniform(-1, 1, (turns, count, 6)).astype(np.float32)

    def work() -> None:
        simulator.reset(np.random.default_rng(0), count)
        for action in actions:
            simulator.step(action)

    return turns * count / best(work)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20_000, help="steps that are timed at once")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    plain = loop(min(words.steps, 1000))
    rates = {
        f"{count} episodes, {threads} threads": batch(count, threads, words.steps)
        for count in COUNTS
        for threads in sorted({1, cores})
    }
    reading = {name: best(lambda name=name: load_dataset(f"halfcheetah-{name}-v0")) for name in ("fix", "stitch")}
    ratio = reading["stitch"] / reading["fix"]
    if words.json:
        print(
            json.dumps({"cores": cores, "env.step": plain, "batch": rates, "read": reading, "ratio": ratio}, indent=2)
        )
        return
    print(f"env.step in a loop:{plain:>22,.0f} steps a second")
    for name, rate in rates.items():
        print(f"{name + ':':<26}{rate:>15,.0f} steps a second, {rate / plain:.1f} times as many")
    seconds = ", ".join(f"{name} {taken:.2f} s" for name, taken in reading.items())
    print(f"reading: {seconds}; ratio {ratio:.2f}; target {READ:g}: {'met' if ratio <= READ else 'MISSED'}")


if __name__ == "__main__":
    main()
