"""A trained policy as a file for other programs: ONNX for engines and robots, StableHLO for JAX.

Each file is run before it is kept, and must act as our own policy does.
"""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int

from sciql.errors import SciqlError, unknown
from sciql.files import write_aside
from sciql.forward import outline
from sciql.policy import Policy

Form = Literal["onnx", "stablehlo"]
Inputs = Mapping[str, np.ndarray]
Runner = Callable[[Inputs], Mapping[str, np.ndarray]]
"""From named inputs to named outputs: an exported file at work."""
OBSERVATIONS = 1000
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Export:
    """A file that was made and checked."""

    path: Path
    form: Form
    observations: int
    """How many recorded observations it was checked on, each in every style that can be asked for."""
    difference: float
    """The largest difference from our own policy that was seen."""


def export(policy: Policy, path: str | Path, observations: Float[np.ndarray, "n d"], to: Form = "onnx") -> Export:
    """Write a policy for other programs, if it acts on these recorded observations as ours does.

    The difference counts in units of each action's bounds, half their distance being 1; of discrete actions it is that
    of their probabilities.
    """
    if to not in FORMS:
        raise unknown("form of export", to, FORMS)
    content, run = FORMS[to](policy)
    seen = _spread_out(policy.checked(observations))
    worst = largest_difference(policy, run, seen)
    if not worst <= TOLERANCE:
        raise SciqlError(
            f"the exported policy is off by {worst:.1e} on recorded observations, and {TOLERANCE:g} is allowed: "
            "nothing was written; look for huge values in the observations, or train with normalised ones"
        )
    with write_aside(Path(path)) as aside:
        aside.write_bytes(content)
    return Export(Path(path), to, len(seen), worst)


def _spread_out(observations: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "k d"]:
    """At most so many rows, from the whole length of the recording."""
    if not len(observations):
        raise SciqlError("an export is checked on recorded observations; give at least one")
    count = min(OBSERVATIONS, len(observations))
    return observations[np.linspace(0, len(observations) - 1, count).astype(int)]


def largest_difference(policy: Policy, run: Runner, observations: Float[np.ndarray, "n d"]) -> float:
    """Between an exported policy and ours, over all styles that can be asked for."""
    noise = np.random.default_rng(0).standard_normal((len(observations), len(policy.actions.mean)), np.float32)
    worst = []
    for style in policy.prompts or (0,):
        styles = np.full(len(observations), style)
        inputs = {"observation": observations, "style": styles} | ({"noise": noise} if outline(policy).draws else {})
        worst.append(_difference(policy, run(inputs), observations, styles))
    # A number that is none must not pass for a small one.
    return float(np.max(worst))


def _difference(
    policy: Policy,
    said: Mapping[str, np.ndarray],
    observations: Float[np.ndarray, "n d"],
    styles: Int[np.ndarray, " n"],
) -> float:
    ours = policy.outputs(observations, styles)
    if policy.discrete:
        if (said["action"] != said["logits"].argmax(axis=1)).any():
            return float("inf")
        return float(np.abs(_softmax(said["logits"]) - _softmax(ours)).max())
    reach = np.diff(policy.action_bounds, axis=0) / 2
    # The very numbers that the exported policy was given as noise.
    gaps = [np.abs(said["action"] - policy.act(observations, styles, seed=0)) / np.where(reach > 0, reach, 1)]
    spread = policy.spread[styles if policy.conditioned else 0] * policy.actions.scale * np.where(reach > 0, reach, 1)
    gaps.append(np.abs(said["log_std"] - np.log(spread)))
    return float(np.max([gap.max() for gap in gaps]))


def _softmax(logits: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def require_onnx(*packages: str) -> None:
    """Say how to come by what reads and runs ONNX, before work starts."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        raise SciqlError(f"ONNX needs {' and '.join(missing)}; install with: pip install 'sciql[onnx]'")


def read_back(path: Path) -> Policy:
    """The policy in an ONNX file of ours."""
    require_onnx("onnx")
    from sciql.exports.onnx_graph import read_onnx

    return read_onnx(path)


def _onnx(policy: Policy) -> tuple[bytes, Runner]:
    require_onnx("onnx", "onnxruntime")
    import onnxruntime

    from sciql.exports.onnx_graph import onnx_model

    content = onnx_model(policy).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(inputs: Inputs) -> dict[str, np.ndarray]:
        return {name: np.asarray(said) for name, said in zip(names, session.run(names, dict(inputs)), strict=True)}

    return content, run


def _stablehlo(policy: Policy) -> tuple[bytes, Runner]:
    from jax import export as jax_export

    from sciql.exports.stablehlo import stablehlo_bytes

    content = stablehlo_bytes(policy)
    call: Callable[..., Any] = jax_export.deserialize(bytearray(content)).call

    def run(inputs: Inputs) -> dict[str, np.ndarray]:
        said = call(*(np.int32(array) if name == "style" else array for name, array in inputs.items()))
        return {name: np.asarray(array) for name, array in said.items()}

    return content, run


FORMS: dict[str, Callable[[Policy], tuple[bytes, Runner]]] = {"onnx": _onnx, "stablehlo": _stablehlo}
