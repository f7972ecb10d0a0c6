"""How columns are standardised; numpy alone, so that a policy needs nothing else to act."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Normaliser:
    """The affine map that standardises columns by the data's own mean and spread."""

    mean: Float[np.ndarray, " d"]
    scale: Float[np.ndarray, " d"]

    @classmethod
    def of(cls, columns: Float[np.ndarray, "n d"]) -> "Normaliser":
        """A column that hardly varies is only shifted: its spread says nothing."""
        mean = columns.mean(axis=0, dtype=np.float64)
        spread = columns.std(axis=0, dtype=np.float64)
        return cls(mean.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32))

    @classmethod
    def between(cls, bounds: Float[np.ndarray, "2 d"]) -> "Normaliser":
        """The map of columns between these bounds onto [-1, 1]; a column whose bounds are one is only shifted."""
        half = (bounds[1] - bounds[0]) / 2
        return cls(bounds[0] + half, np.where(half > 0, half, np.float32(1)))

    @classmethod
    def identity(cls, width: int) -> "Normaliser":
        return cls(np.zeros(width, np.float32), np.ones(width, np.float32))

    def __call__(self, columns: Float[np.ndarray, "*n d"]) -> Float[np.ndarray, "*n d"]:
        return (columns - self.mean) / self.scale

    def invert(self, columns: Float[np.ndarray, "*n d"]) -> Float[np.ndarray, "*n d"]:
        return columns * self.scale + self.mean
