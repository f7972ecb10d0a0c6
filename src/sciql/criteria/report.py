"""What a criterion says about a dataset, in a few figures a person reads before training on it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sciql.criteria.criterion import Criterion
from sciql.episodes import Episodes
from sciql.labels import support


@dataclass(frozen=True)
class StyleReport:
    """How often one style occurs."""

    style: str
    promptable: bool
    share: float
    """Share of all steps."""
    episode_mean: float
    """Mean over episodes of the share of each episode's steps."""
    episode_std: float
    """Standard deviation of the same: 0 when all episodes are alike, large when each keeps to a style."""


@dataclass(frozen=True)
class LabelReport:
    """Shares of the styles, and how long a style lasts."""

    criterion: str
    dataset: str
    episodes: int
    steps: int
    styles: tuple[StyleReport, ...]
    flicker: float
    """Share of the steps whose label differs from that of the step before."""
    mean_run: float
    """Mean number of steps in a row with one label."""


def label_report(criterion: Criterion, episodes: Episodes, labels: Int[np.ndarray, " n"] | None = None) -> LabelReport:
    """The figures of a dataset's labels, which are made if they are not there already."""
    labels = criterion.label(episodes) if labels is None else labels
    shares = support(labels, len(criterion.styles))
    per_episode = episode_shares(labels, episodes.starts, len(criterion.styles))
    columns = zip(
        criterion.styles,
        criterion.promptable,
        shares.tolist(),
        per_episode.mean(axis=0).tolist(),
        per_episode.std(axis=0).tolist(),
        strict=True,
    )
    changes = len(change_rows(labels, episodes.starts))
    return LabelReport(
        criterion=criterion.name,
        dataset=episodes.name,
        episodes=episodes.count,
        steps=episodes.steps,
        styles=tuple(StyleReport(*column) for column in columns),
        flicker=changes / max(episodes.steps - episodes.count, 1),
        mean_run=episodes.steps / (changes + episodes.count),
    )


def change_rows(labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"]) -> Int[np.ndarray, " k"]:
    """The rows whose next step bears another label; a change from one episode to the next is none."""
    changes = np.diff(labels) != 0
    changes[starts[1:-1] - 1] = False
    return np.flatnonzero(changes)


def episode_shares(
    labels: Int[np.ndarray, " n"], starts: Int[np.ndarray, " e_1"], count: int
) -> Float[np.ndarray, "e z"]:
    """Share of each label among the steps of each episode."""
    lengths = np.diff(starts)
    cell = np.repeat(np.arange(len(lengths)) * count, lengths) + labels
    return np.bincount(cell, minlength=len(lengths) * count).reshape(-1, count) / lengths[:, None]
