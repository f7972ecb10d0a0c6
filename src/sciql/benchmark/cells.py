"""A cell of the grid, and what tells it from all others: everything that its scores depend on."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sciql.benchmark.grid import EPISODES, Pair
from sciql.checkpoints import fingerprint
from sciql.criteria import Criterion
from sciql.criteria import criterion as criterion_named
from sciql.fits import GENERATION
from sciql.methods import Method, get_method
from sciql.settings import Settings

FORMAT = 1
"""Raised when what a cell's file holds changes its meaning."""
PROTOCOL = 1
"""Raised when what a regression, a policy or a rollout computes changes, so that older cells are made again."""


@dataclass(frozen=True)
class Cell:
    """One training and its scores."""

    pair: Pair
    method: str
    seed: int
    settings: Settings
    noise: float = 0.0
    """zeta, of the labels that are learnt from; scores are always by the clean ones."""

    @property
    def learnt(self) -> Criterion | None:
        """The criterion that the policy learns, with the noise of this seed; None where it sees no style."""
        if not get_method(self.method).conditioned:
            return None
        judged = judged_by(self.pair.criterion)
        return judged.with_noise(self.noise, self.seed) if self.noise else judged

    @property
    def title(self) -> str:
        """For people."""
        noise = f", noise {self.noise:g}" if self.noise else ""
        return f"{self.pair.dataset} {self.pair.short} {self.method} seed {self.seed}{noise}"

    @property
    def path(self) -> Path:
        """Its file below the folder of results; other settings have another name."""
        mark = _mark(self.pair, self.method, self.settings, self.noise)
        return Path(self.pair.dataset) / self.pair.short / self.method / f"{mark}-seed{self.seed}.json"


@cache
def judged_by(name: str) -> Criterion:
    return criterion_named(name)


def identity(cell: Cell) -> dict[str, Any]:
    """What decides a cell's scores besides its seed, in JSON's own types; settings that its method never reads stay
    out, so that they may change."""
    method = get_method(cell.method)
    return {
        "format": FORMAT,
        "dataset": cell.pair.dataset,
        "criterion": _criterion(cell.pair.criterion),
        "method": cell.method,
        "noise": cell.noise if method.conditioned else 0.0,
        "weight": _weight(method, cell.settings),
        "settings": settings_read(method, cell.settings),
        "fits": GENERATION if method.needs else None,
        "protocol": PROTOCOL,
        "episodes": EPISODES,
    }


@cache
def _mark(pair: Pair, method: str, settings: Settings, noise: float) -> str:
    """A short name for an identity."""
    return fingerprint(identity(Cell(pair, method, 0, settings, noise)))[:10]


@cache
def _criterion(name: str) -> dict[str, Any]:
    return judged_by(name).document()


@cache
def settings_read(method: Method, settings: Settings) -> dict[str, Any]:
    """The settings that a method's training depends on."""
    needs, unread = method.needs, set[str]()
    if "task" not in needs:
        unread |= {"task_values"}
    if "style" not in needs:
        unread |= {"style_values", "style_reward", "value_labels"}
    if "chi" not in needs:
        unread |= {"chi"}
    if not any(stage.endswith("estimator") for stage in stages_of(method, settings)):
        unread |= {"estimator"}
    if method.labels != "mixed":
        unread |= {"relabels", "policy_labels"}
    if method.beta is not None or not needs & {"task", "style"}:
        unread |= {"beta"}
    return {name: value for name, value in settings.document().items() if name not in unread}


@cache
def stages_of(method: Method, settings: Settings) -> tuple[str, ...]:
    """The fits that a method's weight reads, in an order in which they can be made."""
    found: list[str] = []
    if "task" in method.needs:
        found.append("task values")
    if "style" in method.needs:
        found += [] if settings.style_reward == "ind" else [f"{settings.style_reward} estimator"]
        found.append("style values")
    if "chi" in method.needs and settings.chi != "ind":
        found.append(f"{settings.chi} estimator")
    if "information" in method.needs:
        found.append("mine estimator")
    return tuple(dict.fromkeys(found))


def _weight(method: Method, settings: Settings) -> str:
    """A short name for what the function computes that a method learns by."""
    from sciql.training import weight_of

    function = weight_of(method, settings.relabels)
    if function.__module__ == "sciql.weights":
        return weight_source(function.__name__)
    return fingerprint({"own": inspect.getsource(function)})[:10]


@cache
def weight_source(name: str) -> str:
    """The same for one of weights.py: for its code and all that it calls, without comments and docstrings."""
    from sciql import weights

    known: dict[str, ast.AST] = {}
    for part in ast.parse(inspect.getsource(weights)).body:
        if isinstance(part, ast.FunctionDef):
            known[part.name] = part
        elif isinstance(part, ast.Assign):
            known |= {target.id: part for target in part.targets if isinstance(target, ast.Name)}
    return fingerprint({part: _computed(known[part]) for part in sorted(_reached(name, known))})[:10]


def _reached(name: str, known: dict[str, ast.AST]) -> set[str]:
    """A name of a module and all names of the module that it leads to."""
    reached, open_names = set[str](), [name]
    while open_names:
        current = open_names.pop()
        if current in known and current not in reached:
            reached.add(current)
            open_names += _names(known[current])
    return reached


def _names(part: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(part) if isinstance(node, ast.Name))


def _computed(part: ast.AST) -> str:
    """The code of a function without its docstring and annotations, which compute nothing."""
    if not isinstance(part, ast.FunctionDef):
        return ast.unparse(part)
    body = part.body[1:] if ast.get_docstring(part) is not None else part.body
    return "\n".join([", ".join(argument.arg for argument in part.args.args), *map(ast.unparse, body)])
