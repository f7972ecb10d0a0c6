"""A trained archetype at play: numpy is all it needs, and one small file is all it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from sciql.errors import SciqlError

FORMAT = "sciql archetype 1"


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
        hidden = np.asarray(observations, np.float32) / self.scale
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = np.maximum(hidden @ weight + bias, 0)
        return np.tanh(hidden @ self.weights[-1] + self.biases[-1])

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
