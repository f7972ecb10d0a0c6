"""Criterion: a labelling function over whole columns, with the names of the styles that it tells apart."""

import json
import operator
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from sciql.criteria.windows import majority
from sciql.episodes import Episodes
from sciql.errors import SciqlError, unknown
from sciql.labels import pollute, support

LISTED = 20  # names of columns in a sentence
Columns = Mapping[str, np.ndarray]
Labelling = Callable[[Columns, np.ndarray], np.ndarray]
"""From the columns of a criterion's signals and the episodes' starts to one style index a step."""


@dataclass(frozen=True)
class Source:
    """Where a criterion of one's own comes from."""

    file: str
    name: str
    """Its name among the criteria of that file."""
    sha256: str
    """Of the file, as it was."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Criterion:
    """What a style is about: `function` gives every step of every episode the index of a style.

    Two criteria of the same name, styles and settings are the same.
    """

    name: str
    styles: tuple[str, ...]
    """Name of each label, in the order of the indices."""
    signals: tuple[str, ...]
    """Names of the columns that `function` reads."""
    function: Labelling = field(repr=False)
    promptable: tuple[bool, ...] = ()
    """Which styles a policy can be asked for; all of them unless told."""
    window: int = 1
    """Radius w of the majority vote over the steps t-w+1 ... t+w-1; with 1 each step speaks for itself."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The arguments that the criterion was built with."""
    noise: float = 0.0
    """Share of the labels of a dataset that are replaced by wrong ones."""
    noise_seed: int = 0
    parts: tuple["Criterion", ...] = ()
    """What a joint criterion is the product of; none for others."""
    source: Source | None = None
    """The file that it was loaded from; no part of what tells it from others."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "styles", tuple(self.styles))
        object.__setattr__(self, "signals", tuple(self.signals))
        object.__setattr__(self, "promptable", tuple(self.promptable) or (True,) * len(self.styles))
        self._check()

    def _check(self) -> None:
        if not self.styles or len(set(self.styles)) < len(self.styles):
            raise SciqlError(f"{self.name} needs styles of different names, and got {', '.join(self.styles) or 'none'}")
        if len(self.promptable) != len(self.styles) or not any(self.promptable):
            raise SciqlError(
                f"{self.name} has {len(self.styles)} styles: `promptable` needs as many truth values, at least one true"
            )
        if self.window < 1:
            raise SciqlError(f"{self.name} has a window radius of {self.window}; the smallest is 1, the step alone")
        if not 0 <= self.noise <= 1 or (self.noise and len(self.styles) == 1):
            raise SciqlError(
                f"{self.name} cannot have {self.noise} as noise: a share of 0 to 1 and two styles are needed"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Criterion) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __add__(self, other: "Criterion") -> "Criterion":
        """Both at once: a joint criterion, with a style for each combination."""
        from sciql.criteria.joint import joint

        return joint([self, other])

    @property
    def prompts(self) -> tuple[int, ...]:
        """Indices of the styles that can be asked for."""
        return tuple(index for index, allowed in enumerate(self.promptable) if allowed)

    @property
    def noisy(self) -> bool:
        """Whether any of the labels of a dataset are replaced by wrong ones."""
        return self.noise > 0 or any(part.noisy for part in self.parts)

    def document(self) -> dict[str, Any]:
        """What tells this criterion from others, in JSON's own types."""
        return {
            "name": self.name,
            "styles": list(self.styles),
            "promptable": list(self.promptable),
            "window": self.window,
            "settings": dict(self.settings),
            "noise": self.noise,
            "noise_seed": self.noise_seed,
        }

    def key(self) -> str:
        """`document` as one line, the same in every process."""
        return json.dumps(self.document(), sort_keys=True)

    def record(self) -> dict[str, Any]:
        """`document`, and the file that the criterion came from: what a run keeps to find it again."""
        return self.document() | ({} if self.source is None else {"source": asdict(self.source)})

    def narrowed(self, styles: Iterable[int]) -> "Criterion":
        """The same criterion, of which only these styles can be asked for."""
        kept = set(styles)
        return replace(self, promptable=tuple(index in kept for index in range(len(self.styles))))

    def supported(self, episodes: Episodes, least: float = 0.0) -> "Criterion":
        """The same criterion without asking for styles that never occur, or that fewer than this share of steps show.

        Noise lends no support.
        """
        labels = self.label_columns(episodes.columns, episodes.starts, episodes.name)
        shares = support(labels, len(self.styles))
        kept = [index for index in self.prompts if shares[index] and shares[index] >= least]
        if not kept:
            raise SciqlError(f"no style of {self.name} fills a share of {least:g} of {episodes.name}; ask for less")
        return self.narrowed(kept)

    def with_noise(self, zeta: float, seed: int = 0) -> "Criterion":
        """The same criterion with a share `zeta` of a dataset's labels replaced by others."""
        return replace(self, noise=float(zeta), noise_seed=seed)

    def style_index(self, style: str | int | Mapping[str, str]) -> int:
        """Index of a style that can be asked for, by its name, its number or the combination that it is."""
        if isinstance(style, Mapping) or (isinstance(style, str) and style not in self.styles and "=" in style):
            from sciql.criteria.joint import parts_of, spelled

            style = spelled(style, parts_of(self.document()))
        askable = [self.styles[index] for index in self.prompts]
        if isinstance(style, str):
            if style not in self.styles:
                raise unknown(f"style of {self.name}", style, askable)
            index = self.styles.index(style)
        else:
            index = operator.index(style)
            if not 0 <= index < len(self.styles):
                raise SciqlError(f"{self.name} has no style number {index}; it has 0 to {len(self.styles) - 1}")
        if not self.promptable[index]:
            raise SciqlError(f"{self.styles[index]!r} of {self.name} cannot be asked for; choose {', '.join(askable)}")
        return index

    def label(self, episodes: Episodes) -> Int[np.ndarray, " n"]:
        """One style index a step of a dataset, polluted by `noise`."""
        labels = self.label_columns(episodes.columns, episodes.starts, episodes.name)
        return pollute(labels, len(self.styles), self.noise, self.noise_seed) if self.noise else labels

    def label_columns(
        self, signals: Columns, starts: Int[np.ndarray, " e_1"], source: str = "the data"
    ) -> Int[np.ndarray, " n"]:
        """One style index a step without noise: how rollouts are judged. `source` is what sentences call the data."""
        columns = self._read(signals, int(starts[-1]), source)
        with told_by(f"the function of {self.name}"):
            answer = np.asarray(self.function(columns, starts))
        labels = self._checked(answer, int(starts[-1]))
        return majority(labels, starts, self.window, len(self.styles)).astype(np.int32)

    def _read(self, signals: Columns, steps: int, source: str) -> dict[str, np.ndarray]:
        """The columns that the function reads, if they are all there and sound."""
        missing = [name for name in self.signals if name not in signals]
        if missing:
            known = ", ".join(list(signals)[:LISTED]) + (", ..." if len(signals) > LISTED else "")
            raise SciqlError(
                f"{self.name} reads {', '.join(missing)}, which {source} does not have; its signals are "
                f"{known or 'none'}: add the missing column or choose another criterion"
            )
        columns = {name: np.asarray(signals[name]) for name in self.signals}
        for name, column in columns.items():
            if column.shape != (steps,):
                raise SciqlError(
                    f"signal {name!r} of {source} has shape {column.shape}; {(steps,)} is one number a step"
                )
            finite = np.isfinite(column)
            if not finite.all():
                row = int(np.argmin(finite))
                raise SciqlError(
                    f"signal {name!r} of {source} is {column[row]} at step {row}; repair or drop that episode"
                )
        return {name: _read_only(column) for name, column in columns.items()}

    def _checked(self, labels: np.ndarray, steps: int) -> Int[np.ndarray, " n"]:
        """The function's answer, if it is one index of a style a step."""
        if labels.shape != (steps,):
            raise SciqlError(
                f"the function of {self.name} gives labels of shape {labels.shape}; {(steps,)} is one a step"
            )
        if labels.dtype.kind not in "biu":
            raise SciqlError(f"the function of {self.name} gives {labels.dtype} labels; they must be whole numbers")
        labels = labels.astype(np.int64)
        wrong = (labels < 0) | (labels >= len(self.styles))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise SciqlError(
                f"the function of {self.name} labels step {row} with {labels[row]}; "
                f"its {len(self.styles)} styles are numbered 0 to {len(self.styles) - 1}"
            )
        return labels


@contextmanager
def told_by(code: str) -> Iterator[None]:
    """Say in one sentence what a user's code stumbles over, and where; what it prints goes to stderr.

    stdout is for results, and may be a document that a program reads.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SciqlError:
        raise
    except (Exception, SystemExit) as problem:
        said = " ".join(f"{type(problem).__name__}: {problem}".rstrip(": ").split())
        raise SciqlError(f"{code} fails{_where(problem)} ({said}); mend it there") from problem


def _where(problem: BaseException) -> str:
    """The line of the user's that was reached: above it lie ours, below it those of libraries."""
    ours = Path(__file__).parents[1]
    frames = (
        frame for frame in traceback.extract_tb(problem.__traceback__) if ours not in Path(frame.filename).parents
    )
    line, file = next(((frame.lineno, frame.filename) for frame in frames), (None, ""))
    if isinstance(problem, SyntaxError):
        line, file = problem.lineno, problem.filename or file
    return "" if line is None else f" in line {line} of {Path(file).name}"


def _read_only(column: np.ndarray) -> np.ndarray:
    """A view that cannot be written through: a labelling function must leave the data as they are."""
    view = column.view()
    view.flags.writeable = False
    return view
