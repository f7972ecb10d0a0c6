"""The trained policy alone: numpy is all it needs to act, and one file is all it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from sciql.criteria import Criterion, from_record, parts_of, spelled
from sciql.errors import SciqlError, unknown
from sciql.normaliser import Normaliser

FORMAT = "sciql policy 1"
Style = str | Mapping[str, str] | int | np.integer | Int[np.ndarray, " b"] | None
Act = Callable[[np.ndarray, Style], np.ndarray]


@dataclass(frozen=True, eq=False)
class Policy:
    """pi(a | s, z) with everything that acting needs: the normalisers, the names of the styles, the bounds."""

    weights: tuple[Float[np.ndarray, "i o"], ...]
    biases: tuple[Float[np.ndarray, " o"], ...]
    embedding: Float[np.ndarray, "z e"] | None
    """A code for each style beside the input; None where each style has outputs of its own."""
    spread: Float[np.ndarray, "z m"]
    """Standard deviation of the standardised actions; no columns where actions are discrete."""
    drawn: Bool[np.ndarray, "z m"]
    """Which components of an action are drawn, because the style shows in their spread; the others are the mean."""
    observations: Normaliser
    actions: Normaliser
    facts: Mapping[str, Any]
    """method, styles, promptable, criterion, environment, discrete, observation_names, action_names, action_bounds: as
    JSON holds them."""

    @property
    def method(self) -> str:
        return self.facts["method"]

    @property
    def conditioned(self) -> bool:
        """Whether the policy looks at the style at all."""
        return bool(self.facts["conditioned"])

    @property
    def discrete(self) -> bool:
        return bool(self.facts["discrete"])

    @cached_property
    def styles(self) -> tuple[str, ...]:
        return tuple(self.facts["styles"])

    @cached_property
    def prompts(self) -> tuple[int, ...]:
        """Indices of the styles that can be asked for."""
        return tuple(index for index, allowed in enumerate(self.facts["promptable"]) if allowed)

    @property
    def observation_names(self) -> tuple[str, ...]:
        """What each number of an observation is called."""
        return tuple(self.facts["observation_names"])

    @property
    def action_names(self) -> tuple[str, ...]:
        """What each component of an action is called, or each of the actions to choose from."""
        return tuple(self.facts["action_names"])

    @cached_property
    def action_bounds(self) -> Float[np.ndarray, "2 m"]:
        """Lowest and highest value of each component of an action, in the units of the data; no columns if discrete."""
        return np.array(self.facts["action_bounds"], np.float32)

    @cached_property
    def _units(self) -> Normaliser:
        """From the data's units into [-1, 1]."""
        return Normaliser.between(self.action_bounds)

    @property
    def environment(self) -> str | None:
        return self.facts["environment"]

    @cached_property
    def criterion(self) -> Criterion | None:
        """The labelling function that the styles come from, if it is a registered one or in a file."""
        document = self.facts["criterion"]
        return None if document is None else from_record(document)

    def act(self, observations: np.ndarray, style: Style = None, *, seed: int = 0) -> np.ndarray:
        """The actions for observations [B, d], or the action for one [d], in the style asked for.

        Vectors are in the data's units and within `action_bounds`; discrete actions are the numbers of their names.
        """
        return self.actor(seed)(observations, style)

    def actor(self, seed: int = 0) -> Act:
        """`act` for many calls in a row, with one stream of random numbers through all of them."""
        rng = np.random.default_rng(seed)

        def act(observations: np.ndarray, style: Style = None) -> np.ndarray:
            seen = self.checked(observations)
            rows = np.atleast_2d(seen)
            styles = self.style_indices(style, len(rows))
            actions = self.play(self.outputs(rows, styles), styles, rng)
            return actions if seen.ndim == 2 else actions[0]

        return act

    def style_indices(self, style: Style, count: int) -> Int[np.ndarray, " b"]:
        """One index a row, from a name, a combination, a number or an array of numbers."""
        if not self.conditioned:
            return np.zeros(count, np.int64)
        askable = [self.styles[index] for index in self.prompts]
        if style is None:
            raise SciqlError(f"a style is needed; choose one of {', '.join(askable)}")
        if isinstance(style, Mapping) or (isinstance(style, str) and style not in askable and "=" in style):
            style = spelled(style, parts_of(self.facts["criterion"]))
        if isinstance(style, str):
            if style not in askable:
                raise unknown("style", style, askable)
            return np.full(count, self.styles.index(style))
        indices = np.asarray(style)
        if indices.dtype.kind not in "iu" or indices.shape not in ((), (count,)):
            raise SciqlError(
                f"styles of shape {indices.shape} and type {indices.dtype} cannot be asked for; "
                f"give a name, a whole number, or {count} of them, one an observation"
            )
        allowed = (indices[..., None] == self.prompts).any(axis=-1)
        if not allowed.all():
            wrong = np.ravel(indices)[np.argmin(allowed)]
            numbers = ", ".join(f"{index} ({name})" for index, name in zip(self.prompts, askable, strict=True))
            raise SciqlError(f"there is no style number {wrong} to ask for; choose one of {numbers}")
        return np.broadcast_to(indices, (count,))

    def checked(self, observations: np.ndarray) -> np.ndarray:
        """Observations as numbers of the width that this policy reads."""
        seen, width = np.asarray(observations, np.float32), len(self.observations.mean)
        if seen.ndim not in (1, 2) or seen.shape[-1] != width:
            raise SciqlError(f"observations have shape {seen.shape}; this policy reads [{width}] or [B, {width}]")
        return seen

    def outputs(self, rows: Float[np.ndarray, "b d"], styles: Int[np.ndarray, " b"]) -> Float[np.ndarray, "b m"]:
        """What the network says for one style a row: the standardised mean, or a logit an action."""
        hidden = self.observations(rows)
        if self.embedding is not None:
            hidden = np.concatenate([hidden, self.embedding[styles]], axis=1)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = hidden @ weight
            hidden += bias
            np.maximum(hidden, 0, out=hidden)
        every, width = hidden @ self.weights[-1] + self.biases[-1], len(self.actions.mean)
        heads = every.shape[1] // width
        return every.reshape(len(rows), heads, width)[np.arange(len(rows)), styles if heads > 1 else 0]

    def play(
        self, outputs: Float[np.ndarray, "b m"], styles: Int[np.ndarray, " b"], rng: np.random.Generator
    ) -> np.ndarray:
        """The actions for what the network says: the likeliest ones, with noise where they are to be drawn."""
        if self.discrete:
            return outputs.argmax(axis=1).astype(np.int32)
        if self.drawn.any():
            noise = rng.standard_normal(outputs.shape, np.float32)
            outputs = outputs + np.where(self.drawn[styles], self.spread[styles] * noise, 0)
        return self._units.invert(self.actions.invert(outputs)).clip(*self.action_bounds)

    def arrays(self) -> dict[str, np.ndarray]:
        """Every number of the policy by name: what its file holds beside the facts."""
        return {
            **{f"weight{k}": weight for k, weight in enumerate(self.weights)},
            **{f"bias{k}": bias for k, bias in enumerate(self.biases)},
            **({} if self.embedding is None else {"embedding": self.embedding}),
            "spread": self.spread,
            "drawn": self.drawn,
            "observation_mean": self.observations.mean,
            "observation_scale": self.observations.scale,
            "action_mean": self.actions.mean,
            "action_scale": self.actions.scale,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> "Policy":
        """The policy that `arrays` came from."""
        depth = sum(name.startswith("weight") for name in arrays)
        return cls(
            weights=tuple(arrays[f"weight{k}"] for k in range(depth)),
            biases=tuple(arrays[f"bias{k}"] for k in range(depth)),
            embedding=arrays.get("embedding"),
            spread=arrays["spread"],
            drawn=arrays["drawn"],
            observations=Normaliser(arrays["observation_mean"], arrays["observation_scale"]),
            actions=Normaliser(arrays["action_mean"], arrays["action_scale"]),
            facts=_named(facts, len(arrays["observation_mean"]), len(arrays["action_mean"])),
        )

    def save(self, path: str | Path) -> None:
        """Write the policy into one file."""
        from sciql.archives import save_arrays

        save_arrays(Path(path), self.arrays(), {"format": FORMAT, "facts": dict(self.facts)})


def _named(facts: Mapping[str, Any], observations: int, actions: int) -> dict[str, Any]:
    """The facts of a policy; those that knew no names have numbered ones, and actions in [-1, 1]."""
    return {
        "observation_names": [f"observation_{number}" for number in range(observations)],
        "action_names": [f"action_{number}" for number in range(actions)],
        "action_bounds": [[], []] if facts["discrete"] else [[-1.0] * actions, [1.0] * actions],
        **facts,
    }


def load_policy(path: str | Path) -> Policy:
    """The policy in a file (also one exported to ONNX), or in the folder of a run."""
    from sciql.archives import load_arrays

    file = Path(path)
    if file.suffix == ".onnx":
        from sciql.exports import read_back

        return read_back(file)
    if file.is_dir():
        file /= "policy.npz"
        if not file.exists():
            raise SciqlError(
                f"{path} holds no finished policy; train one into it, or finish its training with --resume"
            )
    arrays, header = load_arrays(file)
    if header.get("format") != FORMAT:
        raise SciqlError(f"{file} is no policy of this version of sciql; train it again")
    return Policy.from_arrays(arrays, header["facts"])
