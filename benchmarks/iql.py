"""Plain IQL's steps a second, ours beside d3rlpy's, with the same networks, batch and sizes.

Run with `python benchmarks/iql.py`. d3rlpy needs other versions of its libraries than we do, so this file makes an
environment for it once, in the user's cache folder, and runs itself there right before and right after ours. A step is
one update of the values and one of the policy, with sampling and without d3rlpy's logging. Ours fits its policy after
its values: the seconds of both are added, and those of the advantages in between, as many steps as they serve.
The target is 2.5 times d3rlpy's steps a second.
"""

import argparse
import json
import subprocess
import time

from theirs import environment

OBSERVATIONS, ACTIONS, ROWS, BATCH = 17, 6, 100_000, 256
HIDDEN = [256, 256]
PINS = ("d3rlpy==2.8.1", "torch==2.13.0")
TARGET = 2.5
THEIRS = "--theirs"


def theirs(steps: int) -> float:
    """d3rlpy's steps a second; only its own environment can run this."""
    import d3rlpy  # pyright: ignore[reportMissingImports]
    import numpy as np
    from d3rlpy.models import VectorEncoderFactory  # pyright: ignore[reportMissingImports]

    rng, encoder = np.random.default_rng(0), VectorEncoderFactory(HIDDEN)
    d3rlpy.seed(0)
    ends = np.zeros(ROWS, np.float32)
    ends[999::1000] = 1
    dataset = d3rlpy.dataset.MDPDataset(
        rng.standard_normal((ROWS, OBSERVATIONS), np.float32),
        rng.uniform(-1, 1, (ROWS, ACTIONS)).astype(np.float32),
        rng.standard_normal((ROWS, 1), np.float32),
        np.zeros(ROWS, np.float32),
        ends,
    )
    config = d3rlpy.algos.IQLConfig(
        batch_size=BATCH,
        actor_encoder_factory=encoder,
        critic_encoder_factory=encoder,
        value_encoder_factory=encoder,
    )
    algorithm = config.create(device=False)
    algorithm.build_with_dataset(dataset)

    def update(count: int) -> float:
        begun = time.perf_counter()
        for _ in range(count):
            algorithm.update(dataset.sample_transition_batch(BATCH))
        return time.perf_counter() - begun

    update(20)
    return steps / update(steps)


def ours(steps: int) -> float:
    """Our steps a second."""
    import jax
    from steps import policy_timer, random_columns, value_timer

    from sciql.networks import NetworkSettings
    from sciql.regression import PolicySettings
    from sciql.values import ValueSettings, advantages, init_values
    from sciql.weights import iql

    settings, networks = ValueSettings(), NetworkSettings()
    same = (settings.batch, PolicySettings().batch, list(networks.hidden)) == (BATCH, BATCH, HIDDEN)
    assert same, "both sides must use the same batch and networks"
    columns = random_columns(OBSERVATIONS, ACTIONS)
    values = init_values(OBSERVATIONS, ACTIONS, 1, networks, settings, jax.random.key(0)).values

    def estimate() -> float:
        begun = time.perf_counter()
        jax.block_until_ready(advantages(values, columns.states[:-1], columns.actions, settings))
        return time.perf_counter() - begun

    timers = value_timer(columns, 1), policy_timer(columns, 1, iql)
    for timer in timers:
        timer(steps)
    estimate()
    return 1 / (sum(timer(steps) for timer in timers) / steps + estimate() / settings.steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000, help="steps that are timed at once")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(THEIRS, action="store_true", help="used by this file itself, in d3rlpy's environment")
    words = parser.parse_args()
    if words.theirs:
        print(theirs(words.steps))
        return
    command = [str(environment("d3rlpy", PINS)), __file__, THEIRS, "--steps", str(words.steps)]

    def ask() -> float:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(answer.stdout.splitlines()[-1])

    before, mine, after = ask(), ours(words.steps), ask()
    # Both orders of d3rlpy's time, so that a machine that slows down or speeds up favours nobody.
    ratio = mine / ((before + after) / 2)
    if words.json:
        print(json.dumps({"d3rlpy": [before, after], "sciql": mine, "ratio": ratio, "target": TARGET}, indent=2))
        return
    print(f"d3rlpy, steps a second: {before:.0f} before, {after:.0f} after")
    print(f"sciql, steps a second:  {mine:.0f}")
    print(f"ratio {ratio:.2f}; target {TARGET:g}: {'met' if ratio >= TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
