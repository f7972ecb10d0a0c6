"""Exported policies act as ours do, for every kind of policy, and are read back to the same bits."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import onnx
import onnxruntime
import pytest
from jax import export as jax_export
from test_policy import FACTS, OBSERVATIONS, policy

import sciql.exports
from sciql.errors import SciqlError
from sciql.exports import Form, export
from sciql.exports.onnx_graph import Graph, Node
from sciql.networks import Conditioning, NetworkSettings, StyleNetwork
from sciql.normaliser import Normaliser
from sciql.policy import Policy, load_policy

EXAMPLES = Path(__file__).parents[1] / "examples"
JAVASCRIPT = EXAMPLES / "javascript"
RECORDED = np.random.default_rng(1).normal(size=(1500, 3)).astype(np.float32)
NODE = shutil.which("node")


def without_styles(outputs: int) -> StyleNetwork:
    return StyleNetwork(3, 1, outputs, NetworkSettings(hidden=(8, 8)), jax.random.key(1))


def unconditioned(**facts: Any) -> Policy:
    """One group of outputs and one row of spreads."""
    mlp = jax.device_get(without_styles(2)).mlp
    return replace(
        policy(conditioned=False, styles=[], promptable=[], **facts),
        weights=tuple(layer.weight for layer in mlp.layers),
        biases=tuple(layer.bias for layer in mlp.layers),
        spread=np.full((1, 2), 0.5, np.float32),
        drawn=np.zeros((1, 2), bool),
    )


def drawing(conditioning: Conditioning) -> Policy:
    """Draws the second component in one of its styles."""
    spread = np.array([[0.1, 0.2], [1, 1], [0.3, 0.9]], np.float32)
    return replace(policy(conditioning), drawn=np.array([[False, False]] * 2 + [[False, True]]), spread=spread)


def choosing(player: Policy) -> Policy:
    none = np.zeros((len(player.spread), 0))
    facts = {**player.facts, "discrete": True, "action_bounds": [[], []]}
    return replace(
        player,
        actions=Normaliser.identity(2),
        spread=none.astype(np.float32),
        drawn=none.astype(bool),
        facts=facts,
    )


POLICIES = {
    "heads": policy("heads"),
    "embedding": policy("embedding"),
    "no styles": unconditioned(),
    "drawing by heads": drawing("heads"),
    "drawing by embedding": drawing("embedding"),
    "other units": policy(action_bounds=[[-3, 10], [5, 10.5]]),
    "discrete by heads": choosing(policy("heads")),
    "discrete by embedding": choosing(policy("embedding")),
    "discrete without styles": choosing(unconditioned()),
}
each = pytest.mark.parametrize("kind", POLICIES)


def session(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])


def ran(path: Path, inputs: dict[str, np.ndarray]) -> dict[str, Any]:
    """The outputs of a file by name."""
    found = session(path)
    return dict(zip((known.name for known in found.get_outputs()), found.run(None, inputs), strict=True))


def noise_of(player: Policy, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """The noise that `act` draws from this seed, for policies that draw."""
    noise = np.random.default_rng(seed).standard_normal((count, 2), np.float32)
    return {"noise": noise} if player.drawn.any() else {}


@each
@pytest.mark.parametrize("to", ["onnx", "stablehlo"])
def test_it_acts_as_ours_does(kind: str, to: Form, tmp_path: Path) -> None:
    player, path = POLICIES[kind], tmp_path / "new" / "policy"
    made = export(player, path, RECORDED, to)
    assert (made.path, made.observations) == (path, 1000)
    assert made.difference <= 1e-5
    for seen in (OBSERVATIONS, OBSERVATIONS[:1]):
        styles = np.array([2, 0, 2, 0, 0, 2])[: len(seen)]
        inputs = {"observation": seen, "style": styles, **noise_of(player, len(seen))}
        if to == "onnx":
            action = ran(path, inputs)["action"]
        else:
            call = jax_export.deserialize(bytearray(path.read_bytes())).call
            action = call(seen, styles.astype(np.int32), *noise_of(player, len(seen)).values())["action"]
        np.testing.assert_allclose(action, player.act(seen, styles), atol=5e-5)


@each
def test_onnx_is_read_back_to_the_same_bits(kind: str, tmp_path: Path) -> None:
    player, path = POLICIES[kind], tmp_path / "policy.onnx"
    export(player, path, RECORDED)
    again = load_policy(path)
    assert again.facts == player.facts
    for name, array in player.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], array, strict=True)
    np.testing.assert_array_equal(again.act(OBSERVATIONS, "right"), player.act(OBSERVATIONS, "right"))


def test_an_engine_finds_all_it_needs_in_the_file(tmp_path: Path) -> None:
    export(POLICIES["drawing by heads"], tmp_path / "policy.onnx", RECORDED)
    model = onnx.load(tmp_path / "policy.onnx")
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 15)]
    assert model.ir_version == 8
    found = session(tmp_path / "policy.onnx")
    inputs = {known.name: (known.type, known.shape) for known in found.get_inputs()}
    assert inputs == {
        "observation": ("tensor(float)", ["batch", 3]),
        "style": ("tensor(int64)", ["batch"]),
        "noise": ("tensor(float)", ["batch", 2]),
    }
    assert [known.name for known in found.get_outputs()] == ["action", "mean", "log_std"]
    about = found.get_modelmeta().custom_metadata_map
    assert json.loads(about["styles"]) == FACTS["styles"]
    assert json.loads(about["promptable"]) == [True, False, True]
    assert json.loads(about["observation_names"]) == ["near", "far", "height"]
    assert json.loads(about["action_names"]) == ["turn", "speed"]
    assert json.loads(about["action_bounds"]) == [[-1, -1], [1, 1]]


def test_mean_and_spread_are_in_the_units_of_the_actions(tmp_path: Path) -> None:
    player = replace(drawing("heads"), facts=POLICIES["other units"].facts)
    export(player, tmp_path / "policy.onnx", RECORDED)
    reach = np.array([4, 0.25], np.float32)
    styles, inputs = np.full(6, 2), {"observation": OBSERVATIONS, "style": np.full(6, 2)}
    zeros = {"noise": np.zeros((6, 2), np.float32)}
    said = ran(tmp_path / "policy.onnx", inputs | zeros)
    expected = player.actions.invert(player.outputs(OBSERVATIONS, styles)) * reach + [1, 10.25]
    np.testing.assert_allclose(said["mean"], expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(said["log_std"][0]), player.spread[2] * player.actions.scale * reach, 1e-5)
    np.testing.assert_allclose(said["action"], expected.clip(*player.action_bounds), atol=1e-5)


def test_a_file_that_acts_otherwise_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(graph: Graph, x: Node) -> Node:
        return graph.node("Abs", x)

    monkeypatch.setattr(Graph, "relu", wrong)
    for kind in ("heads", "discrete by heads"):
        with pytest.raises(SciqlError, match=r"the exported policy is off by .* nothing was written"):
            export(POLICIES[kind], tmp_path / "new" / "policy.onnx", RECORDED)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_exported_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SciqlError, match="no form of export 'onxx'; did you mean onnx"):
        export(policy(), tmp_path / "policy.onnx", RECORDED, "onxx")  # pyright: ignore[reportArgumentType]
    with pytest.raises(SciqlError, match="give at least one"):
        export(policy(), tmp_path / "policy.onnx", RECORDED[:0])
    with pytest.raises(SciqlError, match="this policy reads"):
        export(policy(), tmp_path / "policy.onnx", RECORDED[:, :2])
    with pytest.raises(SciqlError, match="is off by nan"):
        export(policy(), tmp_path / "policy.onnx", np.full_like(RECORDED, np.nan))
    with pytest.raises(SciqlError, match="this is a folder; name a file"):
        export(policy(), tmp_path, RECORDED)
    monkeypatch.setattr(sciql.exports.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SciqlError, match=r"ONNX needs onnx and onnxruntime; install with: pip install 'sciql\[onnx\]'"):
        export(policy(), tmp_path / "policy.onnx", RECORDED)
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_no_policies(tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match="there is no file"):
        load_policy(tmp_path / "nothing.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"\x08 not ONNX")
    with pytest.raises(SciqlError, match="damaged or no ONNX file"):
        load_policy(tmp_path / "broken.onnx")
    export(policy(), tmp_path / "policy.onnx", RECORDED)
    model = onnx.load(tmp_path / "policy.onnx")
    del model.metadata_props[:]
    (tmp_path / "other.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(SciqlError, match="holds no policy of this version of sciql"):
        load_policy(tmp_path / "other.onnx")


def example(words: list[str], observations: np.ndarray) -> np.ndarray:
    """What an example prints for these observations."""
    text = json.dumps(observations.tolist())
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout))


@each
def test_the_example_in_python_acts_as_ours_does(kind: str, tmp_path: Path) -> None:
    player, path = POLICIES[kind], tmp_path / "policy.onnx"
    export(player, path, RECORDED)
    words = [sys.executable, str(EXAMPLES / "python" / "act.py"), str(path), "right"]
    calm = replace(player, drawn=np.zeros_like(player.drawn))
    np.testing.assert_allclose(example(words, OBSERVATIONS), calm.act(OBSERVATIONS, "right"), atol=5e-5)


needs_node = pytest.mark.skipif(
    NODE is None or not (JAVASCRIPT / "node_modules" / "onnxruntime-web").is_dir(),
    reason="needs Node.js and onnxruntime-web: npm install --prefix examples/javascript",
)


@needs_node
def test_the_example_in_javascript_acts_as_ours_does(tmp_path: Path) -> None:
    """All kinds in one process, because starting one takes seconds."""
    for kind, player in POLICIES.items():
        export(player, tmp_path / f"{kind}.onnx", RECORDED)
    program = f"""
import {{ readFileSync }} from "node:fs";
import {{ loadPolicy }} from "{(JAVASCRIPT / "policy.mjs").as_uri()}";
const {{ files, observations }} = JSON.parse(readFileSync(0, "utf8"));
const said = [];
for (const file of files) {{
  const policy = await loadPolicy(new Uint8Array(readFileSync(file)));
  said.push([await policy.act(observations, "right", () => 0), await policy.act(observations, "right")]);
}}
console.log(JSON.stringify(said));
"""
    files = [str(tmp_path / f"{kind}.onnx") for kind in POLICIES]
    given = json.dumps({"files": files, "observations": OBSERVATIONS.tolist()})
    words = [str(NODE), "--input-type=module", "-e", program]
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for player, (calm, drawn) in zip(POLICIES.values(), json.loads(done.stdout), strict=True):
        mean = replace(player, drawn=np.zeros_like(player.drawn)).act(OBSERVATIONS, "right")
        np.testing.assert_allclose(calm, mean, atol=5e-5)
        assert (calm != drawn) == player.drawn.any()


@needs_node
def test_javascript_on_the_command_line(tmp_path: Path) -> None:
    export(policy(), tmp_path / "policy.onnx", RECORDED)
    words = [str(NODE), str(JAVASCRIPT / "act.mjs"), str(tmp_path / "policy.onnx")]
    np.testing.assert_allclose(example([*words, "left"], OBSERVATIONS), policy().act(OBSERVATIONS, "left"), atol=5e-5)
    done = subprocess.run([*words, "middle"], input="[[0, 0, 0]]", capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "there is no style middle to ask for" in done.stderr


def test_an_onnx_file_is_read_without_jax(tmp_path: Path) -> None:
    export(policy(), tmp_path / "policy.onnx", RECORDED)
    program = """
import sys, numpy, sciql
assert sciql.load_policy(sys.argv[1]).act(numpy.zeros(3), "left").shape == (2,)
assert not {"jax", "equinox", "onnxruntime", "sciql.training"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "policy.onnx")], check=True)
