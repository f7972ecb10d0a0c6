"""Criteria by name; another environment joins by one line."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sciql.criteria import circle2d, halfcheetah
from sciql.criteria.criterion import Criterion
from sciql.criteria.joint import joint
from sciql.criteria.sources import load_criteria, reopened
from sciql.errors import SciqlError, unknown

CRITERIA: dict[str, Callable[..., Criterion]] = {
    "circle2d/position": circle2d.position,
    "circle2d/movement_direction": circle2d.movement_direction,
    "circle2d/turn_direction": circle2d.turn_direction,
    "circle2d/radius": circle2d.radius,
    "circle2d/speed": circle2d.speed,
    "circle2d/curvature_noise": circle2d.curvature_noise,
    "halfcheetah/speed": halfcheetah.speed,
    "halfcheetah/angle": halfcheetah.angle,
    "halfcheetah/torso_height": halfcheetah.torso_height,
    "halfcheetah/backfoot_height": halfcheetah.backfoot_height,
    "halfcheetah/frontfoot_height": halfcheetah.frontfoot_height,
}


def criterion(
    name: str,
    *,
    file: str | Path | None = None,
    signals: Collection[str] | None = None,
    noise: float = 0.0,
    noise_seed: int = 0,
    **settings: Any,
) -> Criterion:
    """The criterion of that name, such as "circle2d/radius" or "radius", with its own settings and label noise.

    A name may also be one of those in a Python `file`, or several names, "position+speed", for a joint criterion.
    Where environments share a short name, `signals` chooses among them: what the data at hand have. Without it the
    first one is meant.
    """
    mine = {} if file is None else load_criteria(file)
    names = [name] if name in mine else [part.strip() for part in name.split("+")]
    if len(names) > 1 and settings:
        raise SciqlError(f"{name} joins criteria; build each with its own settings and add them up")
    parts = [mine[part] if part in mine else _registered(part, mine, signals, settings) for part in names]
    made = joint(parts) if len(parts) > 1 else parts[0]
    return made.with_noise(noise, noise_seed) if noise else made


def only_criterion(file: str | Path) -> str:
    """The name of the one criterion in a Python file."""
    names = list(load_criteria(file))
    if len(names) > 1:
        raise SciqlError(f"{file} has the criteria {', '.join(names)}; name one of them, or several as in a+b")
    return names[0]


def from_record(record: Mapping[str, Any], file: str | Path | None = None) -> Criterion | None:
    """The criterion that `record` tells of; None if it was neither registered nor in a file.

    With `file`, what came from a file is taken from this one instead.
    """
    parts = [from_record(part, file) for part in record["settings"].get("parts", ())]
    if "source" in record:
        made = reopened(record["source"]) if file is None else _own(record["source"]["name"], file)
    elif parts:
        known = [part for part in parts if part is not None]
        made = joint(known) if len(known) == len(parts) else None
    else:
        made = criterion(record["name"], **record["settings"]) if record["name"] in CRITERIA else None
    if made is None:
        return None
    noise = {} if made.parts else {name: record[name] for name in ("noise", "noise_seed")}
    return replace(made, promptable=_promptable(made, record), **noise)


def _own(name: str, file: str | Path) -> Criterion:
    found = load_criteria(file)
    if name not in found:
        raise unknown(f"criterion in {file}", name, found)
    return found[name]


def _promptable(made: Criterion, record: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which styles could be asked for, if they are still the same ones."""
    if list(made.styles) != record["styles"]:
        raise SciqlError(f"{made.name} has the styles {', '.join(made.styles)} now, and had others when it was learnt")
    return tuple(record["promptable"])


def _registered(
    name: str, mine: Iterable[str], signals: Collection[str] | None, settings: Mapping[str, Any]
) -> Criterion:
    """One of sciql's own, built with these settings."""
    full_name = _resolve(name, mine, signals)
    build = CRITERIA[full_name]
    known = inspect.signature(build).parameters
    for setting in settings:
        if setting not in known:
            raise unknown(f"setting of {full_name}", setting, known)
    try:
        return build(**settings)
    except (TypeError, ValueError) as mistake:
        given = ", ".join(f"{setting}={value!r}" for setting, value in settings.items())
        raise SciqlError(f"{full_name} cannot be built with {given}: {mistake}") from mistake


def _resolve(name: str, mine: Iterable[str], signals: Collection[str] | None) -> str:
    """A full name, from itself or from the part after the slash: of the criterion that reads these signals."""
    if name in CRITERIA:
        return name
    matches = [full for full in CRITERIA if full.split("/")[-1] == name]
    if not matches:
        known = CRITERIA if "/" in name else [full.split("/")[-1] for full in CRITERIA]
        raise unknown("criterion", name, [*mine, *known])
    fitting = [full for full in matches if signals is not None and set(CRITERIA[full]().signals) <= set(signals)]
    return (fitting or matches)[0]
