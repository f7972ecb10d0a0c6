"""Updates a second of soft actor-critic: the archetypes' own scan beside stable-baselines3, on one core.

Run with `python benchmarks/sac.py`. stable-baselines3 brings torch, so this file makes an environment for it once, in
the user's cache folder, and runs itself there right before and right after ours. Networks, batch and sizes are the
same. An update of theirs moves critics and actor; ours moves the actor at every second update and has layer
normalisation in the critics, as the archetypes are trained. What ours would be with both at every update is said too.
"""

import argparse
import json
import os
import subprocess
import time

from theirs import environment

OBSERVATIONS, ACTIONS, ROWS, BATCH, HIDDEN = 17, 6, 20_000, 256, (256, 256)
PINS = ("stable-baselines3==2.9.2", "torch==2.13.0")
THEIRS = "--theirs"
ONE_CORE = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def theirs(updates: int) -> float:
    """stable-baselines3's updates a second; only its own environment can run this."""
    import gymnasium
    import numpy as np
    import torch  # pyright: ignore[reportMissingImports]
    from stable_baselines3 import SAC  # pyright: ignore[reportMissingImports]
    from stable_baselines3.common.logger import configure  # pyright: ignore[reportMissingImports]

    class Space(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (OBSERVATIONS,), np.float32)
        action_space = gymnasium.spaces.Box(-1, 1, (ACTIONS,), np.float32)

    torch.set_num_threads(1)
    model = SAC("MlpPolicy", Space(), batch_size=BATCH, buffer_size=ROWS, policy_kwargs={"net_arch": list(HIDDEN)})
    model.set_logger(configure(None, []))
    rng, rows = np.random.default_rng(0), model.replay_buffer
    rows.observations[:] = rng.standard_normal(rows.observations.shape)
    rows.next_observations[:] = rng.standard_normal(rows.observations.shape)
    rows.actions[:] = rng.uniform(-1, 1, rows.actions.shape)
    rows.full = True
    model.train(50, BATCH)
    begun = time.perf_counter()
    model.train(updates, BATCH)
    return updates / (time.perf_counter() - begun)


def ours(updates: int) -> dict[str, float]:
    """Our updates a second, with the actor at every second one, and the seconds that an update of each kind takes."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from sciql.archetypes.experience import Transitions
    from sciql.archetypes.sac import SacSettings, init_learner, learn
    from sciql.archetypes.shapes import ARCHETYPES

    settings = SacSettings()
    assert (settings.batch, settings.hidden) == (BATCH, HIDDEN), "both sides must use the same batch and networks"
    rng = np.random.default_rng(0)
    shapes = ((ROWS, OBSERVATIONS), (ROWS, ACTIONS), (ROWS, OBSERVATIONS), (ROWS,))
    rows = Transitions(*(jnp.asarray(rng.uniform(-1, 1, shape), jnp.float32) for shape in shapes))
    learner = init_learner(OBSERVATIONS, ACTIONS, settings, jax.random.key(0))
    others, filled, reward = jnp.int32(0), jnp.int32(ROWS), ARCHETYPES["expert"].reward
    scans, taken = -(-updates // settings.scan), {}
    for moving in (True, False):
        # The first scan is compiled, and not timed.
        begun = 0.0
        for scan in range(scans + 1):
            key = jax.random.key(scan)
            learner, loss = learn(learner, rows, others, filled, key, reward=reward, settings=settings, moving=moving)
            loss.block_until_ready()
            begun = begun or time.perf_counter()
        taken[moving] = (time.perf_counter() - begun) / (scans * settings.scan)
    # Half of the updates move the actor, so moving it takes twice what it adds on average.
    both = 2 * taken[True] - taken[False]
    return {"as trained": 1 / taken[True], "actor always": 1 / both, "critics alone": 1 / taken[False]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=1000, help="updates that are timed at once")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(THEIRS, action="store_true", help="used by this file itself, in the other environment")
    words = parser.parse_args()
    if words.theirs:
        print(theirs(words.updates))
        return
    os.environ.update(ONE_CORE)
    command = [str(environment("stable_baselines3", PINS)), __file__, THEIRS, "--updates", str(words.updates)]

    def ask() -> float:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(answer.stdout.splitlines()[-1])

    before, mine, after = ask(), ours(words.updates), ask()
    ratios = {name: rate / ((before + after) / 2) for name, rate in mine.items()}
    if words.json:
        print(json.dumps({"stable-baselines3": [before, after], "sciql": mine, "ratio": ratios}, indent=2))
        return
    print(f"stable-baselines3, updates a second: {before:.0f} before, {after:.0f} after")
    for name, rate in mine.items():
        print(f"sciql, {name + ',':<14} updates a second: {rate:.0f}, {ratios[name]:.2f} times as many")


if __name__ == "__main__":
    main()
