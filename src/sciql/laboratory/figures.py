"""The figures of the laboratory: how labels last, what a window does to them, which styles lead to which."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from sciql.criteria import Criterion, LabelReport, labelled
from sciql.criteria.joint import combined, short_names
from sciql.criteria.report import change_rows, label_report
from sciql.criteria.windows import majority
from sciql.episodes import Episodes
from sciql.labels import RARE, support

RADII = (1, 2, 3, 5, 9, 17, 33)
RESTLESS = 0.1
"""Flicker above which a wider window is worth a look."""

LITTLE = 0.0005
"""Share that one decimal of a percent would round to nothing."""


@dataclass(frozen=True)
class Windowed:
    """What the labels are with a majority vote of this radius."""

    radius: int
    flicker: float
    mean_run: float
    shares: tuple[float, ...]
    """Of all steps, a share a style."""


@dataclass(frozen=True)
class PairSupport:
    """How often the styles of two parts of a joint criterion meet."""

    names: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shares: Float[np.ndarray, "r c"]


@dataclass(frozen=True)
class Laboratory:
    """One criterion on one dataset."""

    criterion: Criterion
    episodes: Episodes
    labels: Int[np.ndarray, " n"]
    report: LabelReport
    windows: tuple[Windowed, ...]
    """Without noise, for each radius."""
    changes: float
    """Mean number of changes in an episode."""
    styles_an_episode: float
    """Mean number of styles that an episode shows."""
    constant: float
    """Share of the episodes that keep to one style."""
    moves: Int[np.ndarray, "z z"]
    """How often a step of one style (row) is followed at once by another (column)."""
    later: Float[np.ndarray, "z z"]
    """Of the episodes that show a style (row), the share that shows another (column) later on."""
    reached: Bool[np.ndarray, "z z"]
    """Whether changes that are in the data, maybe of several episodes, lead from a style (row) to another (column)."""
    pairs: tuple[PairSupport, ...]
    """For each two parts of a joint criterion."""

    @property
    def dead(self) -> list[str]:
        """Styles that can be asked for and never occur."""
        return [style.style for style in self.report.styles if style.promptable and not style.share]

    @property
    def rare(self) -> list[str]:
        """Styles that can be asked for and hardly occur."""
        return [style.style for style in self.report.styles if style.promptable and 0 < style.share < RARE]

    @property
    def alive(self) -> list[int]:
        """The styles that occur."""
        return [index for index, style in enumerate(self.report.styles) if style.share]

    def brief(self, style: int) -> str:
        """A style's name for a narrow place: a combination without the names of its parts."""
        name = self.criterion.styles[style]
        return ", ".join(word.partition("=")[2] for word in name.split(", ")) if self.criterion.parts else name

    def unreached(self) -> list[tuple[str, str]]:
        """Styles of which no changes in the data lead from the first to the second."""
        names = self.criterion.styles
        asked = [index for index in self.alive if self.criterion.promptable[index]]
        return [(names[a], names[b]) for a in self.alive for b in asked if a != b and not self.reached[a, b]]

    def findings(self) -> Iterator[str]:
        """What is odd, in sentences; none if nothing is."""
        if self.dead:
            yield f"never in the data: {'; '.join(self.dead)}. Training refuses them; --least 0 leaves them out."
        if self.rare:
            yield f"in under {100 * RARE:g} % of the steps: {'; '.join(self.rare)}. --least {RARE:g} leaves them out."
        if calmer := self._calmer():
            yield (
                f"labels flicker: {100 * self.report.flicker:.1f} % of the steps change it. A window of {calmer.radius}"
                f" would bring that to {100 * calmer.flicker:.1f} % and keep every style."
            )
        if self.constant == 1 and len(self.alive) > 1:
            yield "every episode keeps to one style: how to change from one to another is nowhere in the data."
        elif pairs := self.unreached():
            others = f", nor for {len(pairs) - 1} other pairs" if len(pairs) > 1 else ""
            yield f"nowhere in the data do changes lead from {pairs[0][0]} to {pairs[0][1]}{others}."

    def _calmer(self) -> Windowed | None:
        """The narrowest window that halves the flicker of restless labels, and loses none of their styles."""
        if self.report.flicker < RESTLESS:
            return None
        halved = (one for one in self.windows if one.flicker < self.report.flicker / 2)
        return next((one for one in halved if all(one.shares[index] for index in self.alive)), None)

    def document(self) -> dict[str, Any]:
        """All of it in JSON's own types."""
        return {
            **asdict(self.report),
            "dead": self.dead,
            "rare": self.rare,
            "findings": list(self.findings()),
            "windows": [asdict(one) for one in self.windows],
            "changes_per_episode": self.changes,
            "styles_per_episode": self.styles_an_episode,
            "constant_episodes": self.constant,
            "moves": self.moves.tolist(),
            "later": self.later.tolist(),
            "unreached": self.unreached(),
            "pairs": [asdict(pair) | {"shares": pair.shares.tolist()} for pair in self.pairs],
        }


def examine(criterion: Criterion, episodes: Episodes) -> Laboratory:
    """Label a dataset and look at the labels; a function that is slow, or wrong, is named first."""
    labels, count = labelled(criterion, episodes), len(criterion.styles)
    changed = change_rows(labels, episodes.starts)
    moves = np.bincount(labels[changed] * count + labels[changed + 1], minlength=count**2).reshape(count, count)
    first, last = occurrences(labels, episodes, count)
    shown = last >= 0
    return Laboratory(
        criterion=criterion,
        episodes=episodes,
        labels=labels,
        report=label_report(criterion, episodes, labels),
        windows=tuple(_windows(criterion, episodes)),
        changes=len(changed) / episodes.count,
        styles_an_episode=float(shown.sum(axis=1).mean()),
        constant=float((shown.sum(axis=1) == 1).mean()),
        moves=moves,
        later=later(first, last),
        reached=closure(moves > 0),
        pairs=tuple(_pairs(criterion, labels)),
    )


def voted(criterion: Criterion, episodes: Episodes) -> Callable[[int], Int[np.ndarray, " n"]]:
    """The labels of a dataset by the radius of the majority vote, without noise; for all parts of a joint criterion."""
    parts = criterion.parts or (criterion,)
    columns = (episodes.columns, episodes.starts, episodes.name)
    single = [replace(part, window=1).label_columns(*columns) for part in parts]

    def vote(radius: int) -> Int[np.ndarray, " n"]:
        labels = [
            majority(of_step, episodes.starts, radius, len(part.styles))
            for part, of_step in zip(parts, single, strict=True)
        ]
        return combined(parts, labels)

    return vote


def _windows(criterion: Criterion, episodes: Episodes) -> Iterator[Windowed]:
    vote, own = voted(criterion, episodes), [part.window for part in criterion.parts or (criterion,)]
    for radius in sorted({*RADII, *own}):
        labels = vote(radius)
        changes = len(change_rows(labels, episodes.starts))
        yield Windowed(
            radius=radius,
            flicker=changes / max(episodes.steps - episodes.count, 1),
            mean_run=episodes.steps / (changes + episodes.count),
            shares=tuple(support(labels, len(criterion.styles)).tolist()),
        )


def occurrences(
    labels: Int[np.ndarray, " n"], episodes: Episodes, count: int
) -> tuple[Int[np.ndarray, "e z"], Int[np.ndarray, "e z"]]:
    """The first and the last row of each style in each episode; -1 as the last row of one that the episode lacks."""
    cells, rows = episodes.episode_of * count + labels, np.arange(episodes.steps)
    first, last = np.full(episodes.count * count, episodes.steps), np.full(episodes.count * count, -1)
    np.minimum.at(first, cells, rows)
    np.maximum.at(last, cells, rows)
    return first.reshape(-1, count), last.reshape(-1, count)


def later(first: Int[np.ndarray, "e z"], last: Int[np.ndarray, "e z"]) -> Float[np.ndarray, "z z"]:
    """Of the episodes that show a style (row), the share that shows another (column) after its first step."""
    shown = np.maximum((last >= 0).sum(axis=0), 1)
    return np.stack([(last > first[:, style, None]).sum(axis=0) / shown[style] for style in range(first.shape[1])])


def closure(moves: Bool[np.ndarray, "z z"]) -> Bool[np.ndarray, "z z"]:
    """What can be reached by any number of moves, none included."""
    reached = moves | np.eye(len(moves), dtype=bool)
    while True:
        wider = reached @ reached
        if (wider == reached).all():
            return reached
        reached = wider


def _pairs(criterion: Criterion, labels: Int[np.ndarray, " n"]) -> Iterator[PairSupport]:
    """The table of each two parts, the others summed over."""
    parts = criterion.parts
    names = short_names([part.name for part in parts])
    table = support(labels, len(criterion.styles)).reshape([len(part.styles) for part in parts] or [-1])
    for a, b in combinations(range(len(parts)), 2):
        others = tuple(axis for axis in range(len(parts)) if axis not in (a, b))
        yield PairSupport((names[a], names[b]), parts[a].styles, parts[b].styles, table.sum(axis=others))


def percent(share: float) -> str:
    """A share in percent for a table: never rounded to nothing, and a dash for nothing."""
    if not share:
        return "–"
    return f"{100 * share:.1f}" if share >= LITTLE else f"{100 * share:.1g}"
