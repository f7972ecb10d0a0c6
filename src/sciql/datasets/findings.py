"""One thing that was looked at in a dataset: what, where, why it hurts, what to do."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    name: str
    state: Literal["ok", "hint", "broken"]
    """`hint`: odd, yet usable; `broken`: nothing can be learnt from the data as it is."""
    detail: str
    """What was found."""
    episode: int | None = None
    """Where it is first met."""
    step: int | None = None
    """Within the episode."""
    why: str = ""
    """What it does to a training."""
    remedy: str = ""

    @property
    def place(self) -> str:
        """Where, in words."""
        numbers = {"episode": self.episode, "step": self.step}
        return ", ".join(f"{word} {number}" for word, number in numbers.items() if number is not None)
