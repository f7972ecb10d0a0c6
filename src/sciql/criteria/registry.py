"""Criteria by name; another environment joins by one line."""

import inspect
from collections.abc import Callable
from typing import Any

from sciql.criteria import circle2d
from sciql.criteria.criterion import Criterion
from sciql.errors import SciqlError, unknown

CRITERIA: dict[str, Callable[..., Criterion]] = {
    "circle2d/position": circle2d.position,
    "circle2d/movement_direction": circle2d.movement_direction,
    "circle2d/turn_direction": circle2d.turn_direction,
    "circle2d/radius": circle2d.radius,
    "circle2d/speed": circle2d.speed,
    "circle2d/curvature_noise": circle2d.curvature_noise,
}


def criterion(name: str, *, noise: float = 0.0, noise_seed: int = 0, **settings: Any) -> Criterion:
    """The criterion of that name, such as "circle2d/radius" or "radius", with its own settings and label noise."""
    full_name = _resolve(name)
    build = CRITERIA[full_name]
    known = inspect.signature(build).parameters
    for setting in settings:
        if setting not in known:
            raise unknown(f"setting of {full_name}", setting, known)
    try:
        made = build(**settings)
    except (TypeError, ValueError) as mistake:
        given = ", ".join(f"{setting}={value!r}" for setting, value in settings.items())
        raise SciqlError(f"{full_name} cannot be built with {given}: {mistake}") from mistake
    return made.with_noise(noise, noise_seed) if noise else made


def _resolve(name: str) -> str:
    """A full name, from itself or from the part after the slash where only one criterion has it."""
    if name in CRITERIA:
        return name
    matches = [full for full in CRITERIA if full.split("/")[-1] == name]
    if not matches:
        raise unknown("criterion", name, CRITERIA if "/" in name else [full.split("/")[-1] for full in CRITERIA])
    if len(matches) > 1:
        raise SciqlError(f"{name!r} could be {' or '.join(matches)}; write the whole name")
    return matches[0]
