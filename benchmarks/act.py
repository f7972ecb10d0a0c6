"""One action for one observation on one core: an exported policy in onnxruntime beside our own `act`, in one process.

Run with `python benchmarks/act.py [RUN]`; without a run, the policy is one of two layers of 256 whose numbers are
random, for the observations of Circle2d. The target is at most 50 microseconds a call through onnxruntime. Both take
turns, some calls at a time, and the fastest turn counts, which others on the machine disturb least.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sciql.normaliser import Normaliser
from sciql.policy import Policy, load_policy

TARGET = 50.0
CALLS, TURNS = 100, 200
WIDTHS, STYLES = (12, 256, 256, 2), 8


def random_policy() -> Policy:
    """As wide as those of Circle2d, with a group of outputs for each of eight styles."""
    rng = np.random.default_rng(0)
    outputs = (*WIDTHS[1:-1], WIDTHS[-1] * STYLES)
    names = {"styles": [f"style_{number}" for number in range(STYLES)], "promptable": [True] * STYLES}
    facts = {
        "observation_names": [f"observation_{number}" for number in range(WIDTHS[0])],
        "action_names": [f"action_{number}" for number in range(WIDTHS[-1])],
        "action_bounds": [[-1.0] * WIDTHS[-1], [1.0] * WIDTHS[-1]],
    }
    rest = {"method": "cbc", "conditioned": True, "criterion": None, "environment": None, "discrete": False}
    return Policy(
        weights=tuple(rng.normal(0, i**-0.5, (i, o)).astype(np.float32) for i, o in zip(WIDTHS, outputs, strict=False)),
        biases=tuple(np.zeros(o, np.float32) for o in outputs),
        embedding=None,
        spread=np.ones((STYLES, WIDTHS[-1]), np.float32),
        drawn=np.zeros((STYLES, WIDTHS[-1]), bool),
        observations=Normaliser.identity(WIDTHS[0]),
        actions=Normaliser.identity(WIDTHS[-1]),
        facts=names | facts | rest,
    )


def in_onnxruntime(policy: Policy, observation: np.ndarray) -> Callable[[], object]:
    """One call of the exported policy."""
    import onnxruntime

    from sciql.exports.onnx_graph import onnx_model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    content = onnx_model(policy).SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    inputs = {"observation": observation[None], "style": np.zeros(1, np.int64)}
    if policy.drawn.any():
        inputs["noise"] = np.zeros((1, policy.drawn.shape[1]), np.float32)
    return lambda: session.run(["action"], inputs)


def turn(call: Callable[[], object]) -> float:
    """Microseconds a call."""
    begun = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begun) / CALLS * 1e6


def measure(policy: Policy) -> dict[str, float]:
    observation = policy.observations.mean
    calls = {
        "onnxruntime": in_onnxruntime(policy, observation),
        "our own act": lambda: policy.act(observation, policy.prompts[0] if policy.prompts else None),
    }
    turns = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            turns[name].append(turn(call))
    return {name: min(times) for name, times in turns.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", help="the folder of a run, or its policy file")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    # numpy's products would take all cores otherwise.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    taken = measure(random_policy() if given.run is None else load_policy(given.run))
    if given.json:
        print(json.dumps({"microseconds": taken, "target": TARGET}, indent=2))
        return
    for name, its in taken.items():
        print(f"{name:<14}{its:>7.1f} us a call")
    met = taken["onnxruntime"] <= TARGET
    print(f"at most {TARGET:g} us through onnxruntime: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
