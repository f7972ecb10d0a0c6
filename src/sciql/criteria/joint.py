"""Several criteria at once: a joint criterion has one style for each combination of its parts' styles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Int

from sciql.criteria.criterion import Columns, Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError, unknown

MOST = 128
"""Combinations of a joint criterion: each costs a column of every table over the steps."""
Asked = str | Mapping[str, str]
"""One combination: "position=left, speed=fast", or the same as a mapping."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint(Criterion):
    """The product of criteria; each part keeps its own window and its own noise.

    A style is "position=left, speed=fast", and they count up with the last part first.
    """

    def label(self, episodes: Episodes) -> Int[np.ndarray, " n"]:
        return combined(self.parts, [part.label(episodes) for part in self.parts])

    def with_noise(self, zeta: float, seed: int = 0) -> Criterion:
        """Every part with this share of its labels replaced, each by draws of its own."""
        parts = tuple(part.with_noise(zeta, seed + number) for number, part in enumerate(self.parts))
        return replace(joint(parts), promptable=self.promptable, source=self.source)

    def record(self) -> dict[str, Any]:
        return super().record() | {"settings": {"parts": [part.record() for part in self.parts]}}


def joint(criteria: Sequence[Criterion]) -> Criterion:
    """The product of two criteria or more; those that are joint themselves bring their parts."""
    parts = tuple(part for one in criteria for part in one.parts or (one,))
    names = short_names([part.name for part in parts])
    if len(parts) < 2 or len(set(names)) < len(names):
        raise SciqlError(f"{'+'.join(names)}: a joint criterion needs two parts or more, each of them once")
    for part in parts:
        for style in part.styles:
            if set(style) & set(",="):
                raise SciqlError(f"{style!r} of {part.name} cannot be part of a combination; name it without , and =")
    count = int(np.prod([len(part.styles) for part in parts]))
    if count > MOST:
        raise SciqlError(f"{'+'.join(names)} has {count} combinations, and {MOST} is the most; join fewer or coarser")
    polluted = [part.noise_seed for part in parts if part.noise]
    if len(set(polluted)) < len(polluted):
        raise SciqlError(f"the noises of {'+'.join(names)} are the same draws; give each part a noise_seed of its own")

    def label(signals: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        return combined(parts, [part.label_columns(signals, starts) for part in parts])

    return Joint(
        name="+".join(part.name for part in parts),
        styles=tuple(spell(names, chosen) for chosen in product(*(part.styles for part in parts))),
        signals=tuple(dict.fromkeys(signal for part in parts for signal in part.signals)),
        function=label,
        promptable=tuple(all(allowed) for allowed in product(*(one.promptable for one in criteria))),
        settings={"parts": [part.document() for part in parts]},
        parts=parts,
    )


def combined(parts: Sequence[Criterion], labels: Sequence[Int[np.ndarray, " n"]]) -> Int[np.ndarray, " n"]:
    """One index a step, from one a part."""
    return np.ravel_multi_index(tuple(labels), [len(part.styles) for part in parts]).astype(np.int32)


def short_names(names: Sequence[str]) -> list[str]:
    """The parts of names after the slash, where that keeps them apart."""
    short = [name.rsplit("/", 1)[-1] for name in names]
    return short if len(set(short)) == len(short) else list(names)


def spell(names: Sequence[str], chosen: Sequence[str]) -> str:
    """A combination as it is written everywhere."""
    return ", ".join(f"{name}={style}" for name, style in zip(names, chosen, strict=True))


def parts_of(record: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """The names of a recorded criterion's parts, and the styles of each; a single one is its own part."""
    if record is None:
        return {}
    parts = record["settings"].get("parts") or [record]
    names = short_names([part["name"] for part in parts])
    return {name: part["styles"] for name, part in zip(names, parts, strict=True)}


def spelled(asked: Asked, parts: Mapping[str, Sequence[str]]) -> str:
    """The style that a combination asks for, however it is ordered and spaced."""
    pairs = list(asked.items()) if isinstance(asked, Mapping) else [_pair(word, parts) for word in asked.split(",")]
    wanted = dict(pairs)
    if len(wanted) < len(pairs):
        raise SciqlError(f"{asked!r} asks for one thing twice; name each of {', '.join(parts)} once")
    for name, style in wanted.items():
        if name not in parts:
            raise unknown("criterion to ask this policy about", name, parts)
        if style not in parts[name]:
            raise unknown(f"style of {name}", style, parts[name])
    for name, known in parts.items():
        if name not in wanted:
            raise SciqlError(f"say which {name} is wanted too: {name}={known[0]}, or another of {', '.join(known)}")
    chosen = [wanted[name] for name in parts]
    return spell([*parts], chosen) if len(parts) > 1 else chosen[0]


def _pair(word: str, parts: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    name, sign, style = (piece.strip() for piece in word.partition("="))
    if not sign:
        example = spell([*parts], [known[0] for known in parts.values()])
        raise SciqlError(f"there is no style {word.strip()!r}; ask as in {example!r}")
    return name, style
