"""Criteria of one's own: a decorated function, or a column of the data that holds labels already."""

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from sciql.criteria.criterion import Columns, Criterion
from sciql.errors import SciqlError, unknown

STARTS = "starts"
"""The parameter that gets the first row of each episode, and the number of rows."""


def styles(
    *names: str, signals: Sequence[str] = (), unasked: Sequence[str] = (), window: int = 1, name: str | None = None
) -> Callable[[Callable[..., Any]], Criterion]:
    """A criterion out of a function that gives each step the number of one of these styles.

        @sciql.styles("west", "east")
        def side(x, border=0.0):
            return x > border

    The function's parameters name the signals that it reads; `starts` gets the episodes' first rows, and parameters
    with a default are settings. `signals` names the columns where they are no words of Python, `unasked` the styles
    that nobody can ask for, `window` is the radius of a majority vote.
    """
    if not names or not all(isinstance(style, str) for style in names):
        raise SciqlError('write the names of the styles behind the decorator: @sciql.styles("slow", "fast")')
    for style in unasked:
        if style not in names:
            raise unknown("style to leave unasked", style, names)

    def made(function: Callable[..., Any]) -> Criterion:
        called = name or function.__name__
        words, settings = _parameters(called, function)
        read = tuple(signals) or tuple(word for word in words if word != STARTS)
        if len(read) != len([word for word in words if word != STARTS]):
            raise SciqlError(f"{called} names {len(read)} signals; it needs one for each parameter: {', '.join(words)}")

        def label(columns: Columns, starts: Int[np.ndarray, " e_1"]) -> np.ndarray:
            given = iter(columns[signal] for signal in read)
            return np.asarray(function(*(starts if word == STARTS else next(given) for word in words)))

        return Criterion(
            name=called,
            styles=names,
            signals=read,
            function=label,
            promptable=tuple(style not in unasked for style in names),
            window=window,
            settings={"window": window} | _code(function) | settings,
        )

    return made


def stored(signal: str, styles: Sequence[str] | Mapping[int, str], *, name: str | None = None) -> Criterion:
    """A criterion on a column that holds labels already: 0 for the first style, 1 for the next, or as a mapping says.

    gait = sciql.stored("gait", {1: "walk", 2: "trot", 7: "gallop"})
    """
    called = name or signal
    codes = dict(styles) if isinstance(styles, Mapping) else dict(enumerate(styles))
    if not all(isinstance(code, int) and isinstance(style, str) for code, style in codes.items()):
        raise SciqlError(f"{called} needs the names of its styles, or a mapping from whole numbers to names")

    def label(columns: Columns, starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " n"]:
        column = columns[signal]
        labels = np.full(len(column), -1)
        for number, code in enumerate(codes):
            labels[column == code] = number
        if (labels < 0).any():
            row = int(np.argmin(labels))
            listed = ", ".join(f"{code} ({style})" for code, style in codes.items())
            raise SciqlError(f"signal {signal!r} holds {column[row]:g} at step {row}; {called} knows {listed}")
        return labels

    return Criterion(
        name=called,
        styles=tuple(codes.values()),
        signals=(signal,),
        function=label,
        settings={"signal": signal, "codes": [*codes]},
    )


def _parameters(name: str, function: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    """The names of what a labelling function is given, and the defaults of what it is not."""
    words, settings = [], {}
    for word, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise SciqlError(f"{name} takes *{word}; name the signals that it reads one by one")
        if parameter.default is not parameter.empty:
            settings[word] = parameter.default
        elif parameter.kind is parameter.KEYWORD_ONLY:
            raise SciqlError(f"{name} has a setting {word} without a value; give it a default")
        else:
            words.append(word)
    return words, settings


def _code(function: Callable[..., Any]) -> dict[str, str]:
    """A hash of the function's own text, where there is one: another text is another criterion."""
    try:
        return {"code": hashlib.sha256(inspect.getsource(function).encode()).hexdigest()}
    except (OSError, TypeError):
        return {}
