"""Mistakes a user can make, each said in one sentence that names the thing and the remedy."""

import difflib
from collections.abc import Iterable

LONGEST = 200  # characters of somebody else's complaint


class SciqlError(Exception):
    """A user's mistake; the command line prints its sentence and ends with exit code 2."""


class SciqlWarning(UserWarning):
    """What a user should know before the work goes on; the command line prints its sentence on stderr."""


def reason(problem: BaseException) -> str:
    """What another library complained about, as a part of one of our sentences."""
    words = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."


def unknown(kind: str, name: object, known: Iterable[str]) -> SciqlError:
    """The error for a name that is not in a registry, with the nearest names that are."""
    names = list(known)
    near = difflib.get_close_matches(str(name), names, n=2, cutoff=0.5)
    if near:
        return SciqlError(f"there is no {kind} {str(name)!r}; did you mean {' or '.join(near)}?")
    if names:
        return SciqlError(f"there is no {kind} {str(name)!r}; choose one of {', '.join(names)}")
    return SciqlError(f"there is no {kind} {str(name)!r}, and none is known")
