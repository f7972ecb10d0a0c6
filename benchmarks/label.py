"""Seconds to label a million steps of Circle2d by each criterion, beside plain numpy over the same columns.

Run with `python benchmarks/label.py`; the target is at most 5 s for all six on one core.
"""

import time
from collections.abc import Callable

import numpy as np

from sciql.criteria import CRITERIA, criterion

EPISODES, LENGTH = 1000, 1000
REPEATS = 3


def circles(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Signals of agents that draw noisy circles of all sizes and speeds."""
    speed = rng.uniform(0.5, 3.0, (EPISODES, 1))
    radius = rng.uniform(3.0, 10.0, (EPISODES, 1))
    side = rng.choice([-1.0, 1.0], (EPISODES, 1))
    noise = rng.normal(size=(EPISODES, LENGTH)) * rng.uniform(0, 0.2, (EPISODES, 1))
    heading = np.arange(LENGTH) * side * speed / radius + noise
    turn = (np.diff(heading, append=heading[:, -1:]) + np.pi) % (2 * np.pi) - np.pi
    dx, dy = speed * np.cos(heading), speed * np.sin(heading)
    x, y = np.cumsum(dx, axis=1) - dx, np.cumsum(dy, axis=1) - dy
    columns = {"x": x, "y": y, "heading": heading, "dx": dx, "dy": dy, "turn": turn}
    return {name: column.astype(np.float32).ravel() for name, column in columns.items()}


def seconds(work: Callable[[], object]) -> float:
    """The shortest of a few runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    signals = circles(np.random.default_rng(0))
    starts = np.arange(EPISODES + 1) * LENGTH
    total = 0.0
    print(f"{'criterion':<30}{'seconds':>9}{'× cumsum':>10}")
    for name in CRITERIA:
        made = criterion(name)
        taken = seconds(lambda made=made: made.label_columns(signals, starts))
        yardstick = seconds(lambda made=made: [np.cumsum(signals[column], dtype=np.float64) for column in made.signals])
        print(f"{name:<30}{taken:>9.3f}{taken / yardstick:>10.1f}")
        total += taken
    print(f"{'all six':<30}{total:>9.3f}    target: 5 at most")


if __name__ == "__main__":
    main()
