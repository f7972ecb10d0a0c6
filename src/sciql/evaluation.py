"""How well a policy shows the styles it is asked for, and how well it does the task meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from sciql.envs.registration import get_spec
from sciql.errors import SciqlError
from sciql.metrics import Summary, alignment, normalised_return, summary
from sciql.rollout import Player, Rollouts, rollout

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.policy import Policy


@dataclass(frozen=True)
class StyleScore:
    """Mean and spread over the episodes that were asked for one style, in points of 0 to 100."""

    style: str
    index: int
    alignment: Summary
    task: Summary


@dataclass(frozen=True)
class Evaluation:
    """The episodes a policy was judged on, and their scores in points of 0 to 100."""

    method: str
    environment: str
    seed: int
    episodes: int
    """How many episodes each style was asked for."""
    criterion: "Criterion | None"
    """What the styles are about; None when only the task was judged."""
    rollouts: Rollouts
    labels: Int[np.ndarray, " n"] | None
    """The style that each step shows."""
    alignments: Float[np.ndarray, " e"] | None
    """How much of each episode shows the style asked for."""
    tasks: Float[np.ndarray, " e"]
    """Normalised return of each episode."""

    @property
    def style(self) -> Summary | None:
        """Alignment over all episodes; every style has as many of them, so its mean is the mean over styles."""
        return None if self.alignments is None else summary(self.alignments)

    @property
    def task(self) -> Summary:
        """Normalised return over all episodes."""
        return summary(self.tasks)

    def scores(self) -> Iterator[StyleScore]:
        """One row a style asked for."""
        asked = self.rollouts.asked
        if self.criterion is None or self.alignments is None or asked is None:
            return
        for index in self.criterion.prompts:
            mine = asked == index
            yield StyleScore(
                self.criterion.styles[index], index, summary(self.alignments[mine]), summary(self.tasks[mine])
            )

    def matrix(self) -> Float[np.ndarray, "k z"]:
        """Of the steps asked for a style (rows), the share that shows each style (columns), in points."""
        asked = self.rollouts.asked
        if self.criterion is None or self.labels is None or asked is None:
            raise SciqlError("without a criterion there are no styles to compare; evaluate with one")
        of_step = asked[self.rollouts.episodes.episode_of]
        count = len(self.criterion.styles)
        steps = np.bincount(of_step * count + self.labels, minlength=count**2).reshape(count, count)
        rows = steps[list(self.criterion.prompts)]
        return 100 * rows / rows.sum(axis=1, keepdims=True)

    def document(self) -> dict[str, Any]:
        """The scores in JSON's own types, without the episodes."""
        return {
            "method": self.method,
            "environment": self.environment,
            "criterion": None if self.criterion is None else self.criterion.name,
            "seed": self.seed,
            "episodes": self.episodes,
            "style": _plain(self.style),
            "task": _plain(self.task),
            "styles": [
                {"style": row.style, "index": row.index, "alignment": _plain(row.alignment), "task": _plain(row.task)}
                for row in self.scores()
            ],
            "matrix": None if self.labels is None else self.matrix().tolist(),
        }


def _plain(score: Summary | None) -> dict[str, float] | None:
    return None if score is None else {"mean": score.mean, "std": score.std}


def evaluate(
    policy: "Policy | Player",
    env_id: str | None = None,
    criterion: "Criterion | None" = None,
    *,
    episodes: int = 10,
    seed: int = 0,
) -> Evaluation:
    """Ask a policy for every style of its criterion, in the environment of its data, or in other ones given here.

    A policy that knows no styles is judged on those of `criterion` all the same: that is what chance achieves.
    """
    env_id = env_id or policy.environment
    if env_id is None:
        raise SciqlError("the policy's data names no environment; say where to evaluate it, such as sciql/Circle2d-v0")
    criterion = asked_for(policy, criterion or policy.criterion)
    spec = get_spec(env_id)
    played = rollout(policy, env_id, () if criterion is None else criterion.prompts, episodes=episodes, seed=seed)
    recorded = played.episodes
    labels = alignments = None
    if criterion is not None and played.asked is not None:
        labels = criterion.label_columns(recorded.columns, recorded.starts, f"a rollout in {env_id}")
        alignments = 100 * alignment(labels, recorded.starts, played.asked)
    return Evaluation(
        method=policy.method,
        environment=env_id,
        seed=seed,
        episodes=episodes,
        criterion=criterion,
        rollouts=played,
        labels=labels,
        alignments=alignments,
        tasks=normalised_return(recorded.returns(), spec),
    )


def asked_for(policy: "Policy | Player", criterion: "Criterion | None") -> "Criterion | None":
    """What a policy is judged on: one that learnt a criterion's styles cannot be asked for another's, or for more."""
    if not policy.conditioned:
        return criterion
    if criterion is None:
        raise SciqlError(
            f"this policy's styles ({', '.join(policy.styles)}) come from a criterion that is not known by name; "
            "hand it over: evaluate(policy, criterion=...)"
        )
    if policy.styles != criterion.styles:
        raise SciqlError(
            f"this policy knows the styles {', '.join(policy.styles)}, not those of {criterion.name}; "
            "evaluate it on the criterion that it was trained on"
        )
    known = getattr(policy, "prompts", criterion.prompts)
    return criterion if known == criterion.prompts else criterion.narrowed(known)
