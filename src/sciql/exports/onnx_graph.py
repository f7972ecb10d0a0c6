"""A policy as an ONNX graph: one file that game engines and robots run, and that sciql reads back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from sciql.errors import SciqlError
from sciql.forward import forward, numbers, outline
from sciql.policy import FORMAT, Policy

OPSET, IR_VERSION = 15, 8  # the pair of ONNX 1.10; engines of the last years read both
GUIDE = (
    "inputs: observation, one row each in the data's own units and in the order of observation_names; "
    "style, the place of its name in styles; noise, if there is one, standard normal numbers, or zeros for the mean"
)


@dataclass(frozen=True)
class Node:
    """A value of the graph, by its name."""

    graph: "Graph"
    name: str

    def __add__(self, other: "Node") -> "Node":
        return self.graph.node("Add", self, other)

    def __sub__(self, other: "Node") -> "Node":
        return self.graph.node("Sub", self, other)

    def __mul__(self, other: "Node") -> "Node":
        return self.graph.node("Mul", self, other)

    def __truediv__(self, other: "Node") -> "Node":
        return self.graph.node("Div", self, other)


@dataclass
class Graph:
    """The steps of `forward`, written down instead of done."""

    numbers: Mapping[str, np.ndarray]
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)

    def node(self, kind: str, *inputs: Node, **attributes: Any) -> Node:
        made = Node(self, f"{kind.lower()}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(kind, [x.name for x in inputs], [made.name], made.name, **attributes))
        return made

    def named(self, x: Node, name: str) -> None:
        """The same value under a name of its own."""
        self.nodes.append(helper.make_node("Identity", [x.name], [name], name))

    def constant(self, name: str, value: np.ndarray) -> Node:
        self.constants[name] = value
        return Node(self, name)

    def number(self, name: str) -> Node:
        return self.constant(name, self.numbers[name])

    def dense(self, x: Node, weight: Node, bias: Node) -> Node:
        return self.node("Gemm", x, weight, bias)

    def relu(self, x: Node) -> Node:
        return self.node("Relu", x)

    def log(self, x: Node) -> Node:
        return self.node("Log", x)

    def beside(self, left: Node, right: Node) -> Node:
        return self.node("Concat", left, right, axis=1)

    def rows(self, table: Node, index: Node) -> Node:
        return self.node("Gather", table, index, axis=0)

    def group(self, x: Node, count: int, index: Node) -> Node:
        # A 0 in a shape keeps what is there, so that the batch stays free.
        grouped = self.node("Reshape", x, self.constant(f"groups_of_{count}", np.array([0, count, -1])))
        column = self.node("Unsqueeze", index, self.constant("column", np.array([1])))
        return self.node("GatherND", grouped, column, batch_dims=1)

    def where(self, mask: Node, x: Node) -> Node:
        return self.node("Where", mask, x, self.constant("zero", np.zeros(1, np.float32)))

    def bounded(self, x: Node, low: Node, high: Node) -> Node:
        return self.node("Min", self.node("Max", x, low), high)

    def argmax(self, x: Node) -> Node:
        return self.node("ArgMax", x, axis=1, keepdims=0)


def onnx_model(policy: Policy) -> onnx.ModelProto:
    """The policy as a graph of plain operators, with everything that is known of it inside."""
    plan, graph = outline(policy), Graph(numbers(policy))
    seen, done = len(policy.observations.mean), len(policy.actions.mean)
    inputs = {"observation": (TensorProto.FLOAT, ["batch", seen]), "style": (TensorProto.INT64, ["batch"])}
    if plan.draws:
        inputs["noise"] = (TensorProto.FLOAT, ["batch", done])
    made = forward(graph, plan, **{name: Node(graph, name) for name in inputs})
    for name, node in made.items():
        graph.named(node, name)
    choice = (TensorProto.INT64, ["batch"]) if plan.discrete else (TensorProto.FLOAT, ["batch", done])
    others = dict.fromkeys([name for name in made if name != "action"], (TensorProto.FLOAT, ["batch", done]))
    body = helper.make_graph(
        graph.nodes,
        "policy",
        [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
        [helper.make_tensor_value_info(name, *kind) for name, kind in ({"action": choice} | others).items()],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        doc_string=GUIDE,
    )
    model = helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="sciql",
        producer_version=version("sciql"),
        doc_string=GUIDE,
    )
    helper.set_model_props(model, _properties(policy, graph))
    onnx.checker.check_model(model, full_check=True)
    return model


def _properties(policy: Policy, graph: Graph) -> dict[str, str]:
    """Names and bounds for those who run the file, and for `read_onnx` what the graph itself does not hold."""
    unused = {name: array for name, array in policy.arrays().items() if name not in graph.constants}
    shown = {
        "styles": policy.styles,
        "promptable": policy.facts["promptable"],
        "observation_names": policy.observation_names,
        "action_names": policy.action_names,
        "action_bounds": policy.action_bounds.tolist(),
        "facts": dict(policy.facts),
        "unused": {name: [array.dtype.str, array.shape, array.ravel().tolist()] for name, array in unused.items()},
    }
    return {"format": FORMAT, **{name: json.dumps(value) for name, value in shown.items()}}


def read_onnx(path: Path) -> Policy:
    """The policy in a file that `onnx_model` made."""
    try:
        model = onnx.load_model_from_string(path.read_bytes())
    except FileNotFoundError:
        raise SciqlError(f"there is no file {path}") from None
    # protobuf has an error of its own for damaged files, of no name that it promises.
    except Exception as problem:
        raise SciqlError(f"{path} is damaged or no ONNX file; export the policy again") from problem
    known = {entry.key: entry.value for entry in model.metadata_props}
    if known.get("format") != FORMAT:
        raise SciqlError(f"{path} holds no policy of this version of sciql; export it again")
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    unused = {
        name: np.array(values, kind).reshape(shape)
        for name, (kind, shape, values) in json.loads(known["unused"]).items()
    }
    return Policy.from_arrays(stored | unused, json.loads(known["facts"]))
