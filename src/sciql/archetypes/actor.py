"""A trained archetype at play: numpy is all it needs, and one small file is all it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from sciql.errors import SciqlError

FORMAT = "sciql archetype 1"
GRID = 2.0**-16
"""Steps of an action."""


@dataclass(frozen=True, eq=False)
class Actor:
    """The mean action of a trained archetype."""

    scale: Float[np.ndarray, " d"]
    """What observations are divided by."""
    weights: tuple[Float[np.ndarray, "i o"], ...]
    biases: tuple[Float[np.ndarray, " o"], ...]
    record: dict[str, Any]
    """How it was trained and what it achieved."""

    def __call__(self, observations: Float[np.ndarray, "count d"]) -> Float[np.ndarray, "count m"]:
        """Actions in steps of GRID.

        How products of matrices are rounded depends on the number of threads, and a cheetah's way on every bit. In
        double precision the difference is so much smaller than a step that the actions are the same.
        """
        hidden = np.asarray(observations, np.float64) / self.scale
        for weight, bias in self._layers[:-1]:
            hidden = np.maximum(hidden @ weight + bias, 0)
        weight, bias = self._layers[-1]
        return (np.round(np.tanh(hidden @ weight + bias) / GRID) * GRID).astype(np.float32)

    @cached_property
    def _layers(self) -> list[tuple[Float[np.ndarray, "i o"], Float[np.ndarray, " o"]]]:
        """Weights and biases in double precision."""
        layers = zip(self.weights, self.biases, strict=True)
        return [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers]

    def arrays(self) -> dict[str, np.ndarray]:
        """All but the record, by name."""
        weights = {f"weight{k}": weight for k, weight in enumerate(self.weights)}
        return {"scale": self.scale, **weights, **{f"bias{k}": bias for k, bias in enumerate(self.biases)}}

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray], record: dict[str, Any]) -> "Actor":
        """The actor with these arrays."""
        depth = sum(name.startswith("weight") for name in arrays)
        weights, biases = (tuple(arrays[f"{part}{k}"] for k in range(depth)) for part in ("weight", "bias"))
        return cls(arrays["scale"], weights, biases, record)

    def save(self, path: Path) -> None:
        """Write the actor into one file."""
        from sciql.archives import save_arrays

        save_arrays(path, self.arrays(), {"format": FORMAT, "record": self.record})


def load_actor(path: Path) -> Actor:
    """The actor in a file."""
    from sciql.archives import load_arrays

    arrays, header = load_arrays(path)
    if header.get("format") != FORMAT:
        raise SciqlError(f"{path} is no archetype's actor; train one with `sciql archetypes train`")
    return Actor.of(arrays, header["record"])
