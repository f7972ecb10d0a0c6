"""Which columns of a table mean what: by the words of the user, else by what they are called."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypedDict

from sciql.datasets.arrow import require_numbers, width_of
from sciql.datasets.logs import Bounds
from sciql.errors import SciqlError, unknown

if TYPE_CHECKING:
    import pyarrow as pa

Patterns = str | Sequence[str]


class Words(TypedDict, total=False):
    """Which columns of a table mean what: names, or patterns such as obs_*; what is left out is guessed by its name."""

    episode: str
    """What tells one episode from another."""
    step: str
    """What grows from row to row within an episode."""
    observations: Patterns
    next_observations: Patterns
    actions: Patterns
    """Several columns, or one of fractions, are a vector; one of whole numbers or words is a choice."""
    reward: str
    terminations: str
    truncations: str
    signals: Patterns
    """What labelling functions read; every other column of numbers unless told."""
    action_bounds: Bounds
    """Lowest and highest value of the actions, for all components or pair by pair."""
    name: str


GUESSES: Mapping[str, tuple[str, ...]] = {
    "episode": ("episode", "episode_id", "episode_index", "episode_number", "trajectory", "trajectory_id"),
    "step": ("step", "step_id", "frame_index", "frame", "timestep", "t"),
    "observations": (
        "observation",
        "observation[!s]*",
        "observations*",
        "obs",
        "obs_*",
        "obs[0-9]*",
        "state",
        "state_*",
    ),
    "next_observations": ("next_observation*", "next_obs*", "next_state*"),
    "actions": ("action", "action[!s]*", "actions*", "act", "act[_.0-9]*"),
    "reward": ("reward", "rewards", "r", "next.reward"),
    "terminations": ("terminated", "terminations", "termination", "terminal", "terminals", "done", "next.done"),
    "truncations": ("truncated", "truncations", "truncation", "timeout", "timeouts"),
}
MANY = ("observations", "next_observations", "actions")


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they mean."""

    episode: str | None
    step: str | None
    reward: str | None
    terminations: str | None
    truncations: str | None
    observations: tuple[str, ...]
    next_observations: tuple[str, ...]
    actions: tuple[str, ...]
    signals: tuple[str, ...]
    choices: bool
    """Whether an action is one of several."""

    @property
    def numbers(self) -> set[str]:
        """Columns that are read as numbers of single precision."""
        vectors = () if self.choices else self.actions
        return {*self.observations, *self.next_observations, *vectors, *([self.reward] if self.reward else [])}

    @property
    def columns(self) -> list[str]:
        single = (self.episode, self.step, self.reward, self.terminations, self.truncations)
        many = chain(self.observations, self.next_observations, self.actions, self.signals)
        return list(dict.fromkeys([*(name for name in single if name), *many]))


def resolve(known: "pa.Schema", words: Words, source: str) -> Roles:
    """What each column means, by the words of the user and by the names of the columns."""
    names = known.names
    if twice := {name for name in names if names.count(name) > 1}:
        raise SciqlError(f"{source} has more than one column {min(twice)!r}; give each a name of its own")
    given: Mapping[str, Any] = words
    found = {role: _matches(given.get(role), guesses, names) for role, guesses in GUESSES.items()}
    for role in ("observations", "actions"):
        if not found[role]:
            raise SciqlError(
                f"no column of {source} is called like {role} ({GUESSES[role][0]}, ...): name them yourself; "
                f"the columns are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}"
            )
    choices = _choices(known, found["actions"], "action_bounds" in words)
    for name in (*found["observations"], *found["next_observations"], *(() if choices else found["actions"])):
        require_numbers(known.field(name).type, name, source)
    single: dict[str, Any] = {role: next(iter(found[role]), None) for role in GUESSES if role not in MANY}
    taken = {*chain.from_iterable(found[role] for role in MANY), *filter(None, single.values())} - {single["step"]}
    # A column without a name is the row number that some programs write.
    free = [name for name in names if name and name not in taken and width_of(known.field(name).type) is not None]
    signals = [name for name in _matches(words["signals"], (), names) if name] if "signals" in words else free
    return Roles(
        **single,
        observations=tuple(found["observations"]),
        next_observations=tuple(found["next_observations"]),
        actions=tuple(found["actions"]),
        signals=tuple(signals),
        choices=choices,
    )


def _matches(given: Patterns | None, guesses: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns that the user's patterns match, each of which must; or those of the first guess that matches."""
    if given is None:
        for guess in guesses:
            if matching := [name for name in names if fnmatch.fnmatchcase(name.lower(), guess)]:
                return matching
        return []
    patterns = [given] if isinstance(given, str) else list(given)
    patterns = list(chain.from_iterable([one] if one in names else one.split(",") for one in patterns))
    matching = []
    for pattern in filter(None, map(str.strip, patterns)):
        these = [pattern] if pattern in names else [name for name in names if fnmatch.fnmatchcase(name, pattern)]
        if not these:
            raise unknown("column", pattern, names)
        matching += these
    return list(dict.fromkeys(matching))


def _choices(known: "pa.Schema", actions: Sequence[str], bounded: bool) -> bool:
    """One column of words, truth values or whole numbers says which action; anything else is a vector."""
    import pyarrow.types as types

    if len(actions) != 1 or bounded:
        return False
    kind = known.field(actions[0]).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return any(is_one(kind) for is_one in (types.is_string, types.is_large_string, types.is_boolean, types.is_integer))
