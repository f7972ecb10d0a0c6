"""Training steps a second, beside what plain matrix products of the same shapes reach in the same minute.

Run with `python benchmarks/steps.py`. The steps are the real ones with the default settings, at the size of Circle2d:
12 observations, 2 actions, 8 labels. The yardstick does nothing but their matrix products, forward and backward. A
joint step is one of the task's values, one of the style's and one of the policy, as SCIQL's style > task needs them.
The target is a share of 75 %.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sciql.fitting import tick
from sciql.networks import NetworkSettings
from sciql.regression import PolicyData, PolicySettings, Regression, init_policy, policy_step
from sciql.transitions import Columns
from sciql.values import ValueData, ValueSettings, init_values, value_step
from sciql.weights import Evidence, Weight, sorl

OBSERVATIONS, ACTIONS, LABELS = 12, 2, 8
ROWS = 100_000  # of random data; a step's cost does not depend on it
TARGET = 0.75


@dataclass(frozen=True)
class Pass:
    """What a step does with one network."""

    widths: tuple[int, ...]
    forward_only: int
    """Forward passes besides the one that is trained on."""
    slow: bool = False
    """Whether those are of the network's slow copy."""

    @property
    def layers(self) -> list[tuple[int, int]]:
        return list(zip(self.widths[:-1], self.widths[1:], strict=True))

    def operations(self, batch: int) -> int:
        """Two a multiplication and addition; nobody needs the gradient of the first layer's inputs."""
        forward = sum(2 * batch * i * o for i, o in self.layers)
        first = 2 * batch * self.widths[0] * self.widths[1]
        return forward * (1 + self.forward_only) + 2 * forward - first


def value_passes(observations: int, actions: int, labels: int) -> list[Pass]:
    """V at the state and the next one; both Q and their slow copies."""
    hidden = NetworkSettings().hidden
    q = Pass((observations + actions, *hidden, labels), forward_only=1, slow=True)
    return [Pass((observations, *hidden, labels), forward_only=1), q, q]


def policy_passes(observations: int, actions: int, labels: int) -> list[Pass]:
    return [Pass((observations, *NetworkSettings().hidden, labels * actions), forward_only=0)]


def random_columns(observations: int, actions: int) -> Columns:
    rng = np.random.default_rng(0)
    return Columns(
        states=jnp.asarray(rng.standard_normal((ROWS + 1, observations), np.float32)),
        following=jnp.arange(1, ROWS + 1),
        actions=jnp.asarray(rng.standard_normal((ROWS, actions), np.float32)),
        continues=jnp.ones(ROWS),
        memory=jnp.ones(observations),
    )


Timer = Callable[[int], float]
"""From a number of steps to the seconds that they take."""


def value_timer(columns: Columns, labels: int) -> Timer:
    settings = ValueSettings()
    sizes = columns.states.shape[1], columns.actions.shape[1], labels
    own = jax.nn.one_hot(jnp.arange(ROWS) % labels, labels)
    data = ValueData(columns, own - 1, jnp.full((1, labels), 1 / labels))
    state = init_values(*sizes, NetworkSettings(), settings, jax.random.key(0))
    return _timer(state, data, value_step, settings)


def policy_timer(columns: Columns, labels: int, weight: Weight = sorl) -> Timer:
    settings = PolicySettings()
    sizes = columns.states.shape[1], columns.actions.shape[1], labels
    # The tables that a weight does not read are never gathered.
    evidence = Evidence(*[jnp.full((ROWS, labels), 1 / labels)] * len(Evidence._fields))
    data = PolicyData(columns, evidence)
    state = init_policy(*sizes, NetworkSettings(), settings, jax.random.key(0))
    return _timer(state, data, policy_step, Regression(settings, weight, beta=1.0))


def _timer(state: Any, data: Any, step: Callable[..., Any], settings: Any) -> Timer:
    """Runs the training loop's own tick, and goes on from where it stopped."""

    def run(steps: int) -> float:
        nonlocal state
        begun = time.perf_counter()
        state, *rest = tick(state, data, jax.random.key(1), jnp.int32(0), step=step, settings=settings, length=steps)
        jax.block_until_ready((state, rest))
        return time.perf_counter() - begun

    return run


def product_timer(passes: list[Pass], batch: int) -> Timer:
    """Only the matrix products of a step.

    Weights become their own gradients, and slow ones what the fast ones were, so that no product can be left out or
    moved out of the loop; all are 0 and stay so, which costs the same and never overflows.
    """
    inputs = [jnp.zeros((1 + one.forward_only, batch, one.widths[0])) for one in passes]
    weights = [[jnp.zeros(layer) for layer in one.layers] for one in passes]

    def step(carried: Any, _: None) -> tuple[Any, Any]:
        changed, ends = [], []
        for one, rows, (fast, slow) in zip(passes, inputs, carried, strict=True):
            ends.extend(_forward(extra, slow if one.slow else fast)[-1] for extra in rows[1:])
            changed.append((_backward(_forward(rows[0], fast), fast), fast))
        return changed, [end.sum() for end in ends]

    run = jax.jit(lambda carried, steps: jax.lax.scan(step, carried, None, length=steps), static_argnums=1)
    carried = [(fast, fast) for fast in weights]

    def seconds(steps: int) -> float:
        begun = time.perf_counter()
        jax.block_until_ready(run(carried, steps))
        return time.perf_counter() - begun

    return seconds


def _forward(rows: jax.Array, weights: list[jax.Array]) -> list[jax.Array]:
    """The inputs of every layer, and the last one's outputs."""
    values = [rows]
    for weight in weights:
        values.append(values[-1] @ weight)
    return values


def _backward(values: list[jax.Array], weights: list[jax.Array]) -> list[jax.Array]:
    """The gradients of all weights."""
    gradient, gradients = values[-1], []
    for depth in reversed(range(len(weights))):
        gradients.append(values[depth].T @ gradient)
        if depth:
            gradient = gradient @ weights[depth].T
    return gradients[::-1]


@dataclass(frozen=True)
class Rates:
    """One kind of step, and its yardstick."""

    step: str
    steps_per_second: float
    operations: int
    forward_passes: float
    """The operations in forward passes of the policy's network."""
    rate: float
    """Operations a second."""
    plain_rate: float
    """The same of the plain products."""
    share: float


def compare(steps: int, repeats: int, batch: int) -> Iterator[Rates]:
    """Every repeat times all of it in turn, so that a busy minute is busy for both; medians are kept."""
    columns = random_columns(OBSERVATIONS, ACTIONS)
    sizes = OBSERVATIONS, ACTIONS
    kinds: dict[str, tuple[Timer, list[Pass]]] = {
        "task values": (value_timer(columns, 1), value_passes(*sizes, 1)),
        "style values": (value_timer(columns, LABELS), value_passes(*sizes, LABELS)),
        "policy": (policy_timer(columns, LABELS), policy_passes(*sizes, LABELS)),
    }
    work = {name: sum(one.operations(batch) for one in passes) for name, (_, passes) in kinds.items()}
    plain = {name: product_timer(passes, batch) for name, (_, passes) in kinds.items()}
    timers = [(timer, plain[name]) for name, (timer, _) in kinds.items()]
    for pair in timers:
        [timer(steps) for timer in pair]
    taken = (
        np.array([[(timer(steps), its_plain(steps)) for timer, its_plain in timers] for _ in range(repeats)]) / steps
    )
    forward = sum(2 * batch * i * o for i, o in policy_passes(*sizes, LABELS)[0].layers)
    groups = {name: [number] for number, name in enumerate(kinds)}
    groups |= {"style values + policy": [1, 2], "joint": [0, 1, 2]}
    for name, members in groups.items():
        seconds = taken[:, members].sum(axis=1)
        operations = sum(list(work.values())[member] for member in members)
        ours, its_plain = operations / np.median(seconds, axis=0)
        share = float(np.median(seconds[:, 1] / seconds[:, 0]))
        yield Rates(name, ours / operations, operations, operations / forward, ours, its_plain, share)


def by_labels(steps: int, repeats: int) -> dict[int, float]:
    """Steps a second of style values and policy together, by the number of labels."""
    columns = random_columns(OBSERVATIONS, ACTIONS)
    timers = {labels: (value_timer(columns, labels), policy_timer(columns, labels)) for labels in (1, LABELS, 32)}
    for pair in timers.values():
        [timer(steps) for timer in pair]
    rounds = [{labels: sum(timer(steps) for timer in pair) for labels, pair in timers.items()} for _ in range(repeats)]
    return {labels: steps / statistics.median(one[labels] for one in rounds) for labels in timers}


def by_steps(steps: int, repeats: int) -> dict[int, float]:
    """Milliseconds a step of the style's values, by the length of the run."""
    timer = value_timer(random_columns(OBSERVATIONS, ACTIONS), LABELS)
    lengths = (steps, 2 * steps, 4 * steps)
    for length in lengths:
        timer(length)
    rounds = [{length: 1e3 * timer(length) / length for length in lengths} for _ in range(repeats)]
    return {length: statistics.median(one[length] for one in rounds) for length in lengths}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500, help="steps that are timed at once")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    batch = ValueSettings().batch
    rates = list(compare(words.steps, words.repeats, batch))
    labels, lengths = by_labels(words.steps, words.repeats), by_steps(words.steps, words.repeats)
    if words.json:
        document = {"batch": batch, "steps": [vars(one) for one in rates], "labels": labels, "milliseconds": lengths}
        print(json.dumps(document, indent=2))
        return
    print(f"batch {batch}, hidden {list(NetworkSettings().hidden)}, {LABELS} labels")
    print(
        f"{'step':<24}{'a second':>10}{'M operations':>14}{'forward passes':>16}{'G/s':>7}{'plain G/s':>11}{'share':>8}"
    )
    for one in rates:
        print(
            f"{one.step:<24}{one.steps_per_second:>10.0f}{one.operations / 1e6:>14.1f}{one.forward_passes:>16.1f}"
            f"{one.rate / 1e9:>7.1f}{one.plain_rate / 1e9:>11.1f}{one.share:>8.0%}"
        )
    met = "met" if rates[-1].share >= TARGET else "MISSED"
    print(f"target: a share of {TARGET:.0%} in the joint step: {met}")
    print("style values + policy, steps a second: " + ", ".join(f"{k} labels {v:.0f}" for k, v in labels.items()))
    print("style values, ms a step: " + ", ".join(f"{k} steps {v:.2f}" for k, v in lengths.items()))


if __name__ == "__main__":
    main()
