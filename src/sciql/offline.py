"""What logs alone can tell about a policy: how likely it finds their actions, how far it agrees with them, and
estimates of the style and the task that it would show. No environment is asked."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from sciql.criteria import Criterion
from sciql.envs.registration import ENVIRONMENTS, get_spec
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.evaluation import asked_for
from sciql.files import sha256
from sciql.fits import kept
from sciql.fitted_q import (
    Asked,
    FittedQ,
    FittedQData,
    FittedQSettings,
    FittedQState,
    expected,
    fitted_q_step,
    init_fitted_q,
)
from sciql.fitting import Report, Stage, silent
from sciql.forward import numbers, outline
from sciql.holdout import hold_out
from sciql.imitation import imitation
from sciql.metrics import normalised_return
from sciql.normaliser import Normaliser
from sciql.transitions import Transitions, transitions

if TYPE_CHECKING:
    from sciql.policy import Policy

MOST_STARTS = 1000
"""Episodes whose first states the estimates are averaged over."""
ESTIMATES = FittedQSettings()
"""How the estimates are fitted unless told."""


@dataclass(frozen=True)
class StyleEstimate:
    """One style; what nothing can be said about is None."""

    style: str
    index: int
    steps: int
    """Steps that show the style and were looked at."""
    likelihood: float | None
    """Mean log-likelihood of their actions, in nats a step."""
    agreement: float | None
    """Share of the variance of their actions that the policy's explain; the share that is equal, of discrete ones."""
    alignment: float
    """Estimate: the share of steps that would show the style if it were asked for, in points."""
    task: float | None
    """Estimate: the task meanwhile, in points where the environment is known, else the mean reward of a step."""


@dataclass(frozen=True)
class OfflineEvaluation:
    """What logs tell about a policy."""

    method: str
    dataset: str
    criterion: str | None
    held_out: bool
    """Whether likelihood and agreement are about steps that the policy did not learn from."""
    episodes: int
    """How many episodes they are about."""
    points: bool
    """Whether the task is told in points, or as the mean reward of a step."""
    discount: float
    """Of the estimates: they look about 1 / (1 - discount) steps ahead."""
    likelihood: float | None
    """Over all steps looked at, each under its own style."""
    agreement: float | None
    styles: tuple[StyleEstimate, ...]
    task: float | None
    """Estimate: mean over the styles, or what the policy earns if it knows none."""

    @property
    def alignment(self) -> float | None:
        """Estimate: mean over the styles."""
        return float(np.mean([row.alignment for row in self.styles])) if self.styles else None

    def document(self) -> dict[str, Any]:
        """The same in JSON's own types; what is only an estimate stands under `estimates`."""
        rows = [asdict(row) for row in self.styles]
        return {
            "method": self.method,
            "dataset": self.dataset,
            "criterion": self.criterion,
            "held_out": self.held_out,
            "episodes": self.episodes,
            "likelihood": self.likelihood,
            "agreement": self.agreement,
            "estimates": {"style": self.alignment, "task": self.task, "discount": self.discount, "points": self.points},
            "styles": [row | {"estimates": {"style": row.pop("alignment"), "task": row.pop("task")}} for row in rows],
        }


def evaluate_offline(
    policy: "Policy",
    episodes: Episodes,
    criterion: Criterion | None = None,
    *,
    holdout: float = 0.0,
    unseen: bool = False,
    settings: FittedQSettings | None = None,
    seed: int = 0,
    report: Report = silent,
) -> OfflineEvaluation:
    """Judge a policy by logs.

    `holdout` is the share that was set aside when the policy was trained on these episodes; `unseen` says that it was
    trained on none of them. Otherwise likelihood and agreement are about steps that the policy learnt from.
    """
    criterion = asked_for(policy, criterion or policy.criterion)
    _check_fit(policy, episodes)
    settings = settings or ESTIMATES
    judged = hold_out(episodes, holdout)[1] or episodes
    imitated = imitation(policy, judged, _labels(criterion, judged), seed)
    shown, earned = estimate(policy, episodes, judged, criterion, settings, seed, report)
    task, points = in_points(earned, episodes)
    prompts = {} if criterion is None else {index: criterion.styles[index] for index in criterion.prompts}
    styles = tuple(
        StyleEstimate(
            style,
            index,
            *imitated.over(imitated.labels == index),
            alignment=100 * float(shown[index]),
            task=None if task is None else float(task[index]),
        )
        for index, style in prompts.items()
    )
    asked = [row.index for row in styles] or [0]
    _, likelihood, agreement = imitated.over(np.ones(len(imitated.labels), bool))
    return OfflineEvaluation(
        method=policy.method,
        dataset=episodes.name,
        criterion=None if criterion is None else criterion.name,
        held_out=unseen or holdout > 0,
        episodes=judged.count,
        points=points,
        discount=settings.discount,
        likelihood=likelihood,
        agreement=agreement,
        styles=styles,
        task=None if task is None else float(task[asked].mean()),
    )


def _check_fit(policy: "Policy", episodes: Episodes) -> None:
    """Logs of another kind cannot say anything about a policy."""
    policy.checked(episodes.observations[:1])
    width = episodes.actions.shape[1] if episodes.discrete_actions is None else episodes.discrete_actions
    if policy.discrete != (episodes.discrete_actions is not None) or width != len(policy.actions.mean):
        raise SciqlError(f"the actions of {episodes.name} are not of the policy's kind; name the data it was made for")


def _labels(criterion: Criterion | None, episodes: Episodes) -> Int[np.ndarray, " n"]:
    """What the steps really show, without noise; without a criterion all show the same."""
    if criterion is None:
        return np.zeros(episodes.steps, np.int32)
    return criterion.label_columns(episodes.columns, episodes.starts, episodes.name)


def estimate(
    policy: "Policy",
    episodes: Episodes,
    judged: Episodes,
    criterion: Criterion | None,
    settings: FittedQSettings,
    seed: int,
    report: Report,
) -> tuple[Float[np.ndarray, " z"], Float[np.ndarray, " z"] | None]:
    """Of every style: the share of steps that would show it, and the mean reward of a step, None without rewards.

    The fit reads all episodes, since the policy is judged and not the fit; futures begin where the judged ones do.
    """
    seen, plan = transitions(episodes, settings.networks), outline(policy)
    styles = 1 if criterion is None else len(criterion.styles)
    labels = _labels(criterion, episodes)
    low, reach = float(episodes.rewards.min()), float(np.ptp(episodes.rewards)) or 1.0
    asked = _asked(policy, episodes, seen)
    stage = Stage(
        name="fitted q",
        init=lambda key: init_fitted_q(seen.state_size, seen.action_size, styles, settings, key),
        step=fitted_q_step,
        settings=FittedQ(settings, plan),
        data=FittedQData(
            seen.columns,
            jnp.asarray(1 - episodes.terminations.astype(np.float32)),
            jnp.asarray((labels[:, None] == np.arange(styles)).astype(np.float32)),
            jnp.asarray((episodes.rewards - low) / reach),
            asked,
        ),
        seed=seed,
    )
    depends_on = {
        "policy": sha256(policy.arrays()),
        "facts": dict(policy.facts),
        "data": episodes.content,
        "labels": sha256({"labels": labels}),
        "settings": asdict(settings),
        "seed": seed,
    }
    state: FittedQState = kept(stage, depends_on, report)[0].state
    starts = judged.observations[judged.starts[:-1]][:MOST_STARTS]
    futures = expected(state.q, asked, plan, jnp.asarray(seen.observations(starts)), jax.random.key(seed))
    shown, earned = np.asarray(futures).T
    return shown, low + reach * earned if episodes.rewarded else None


def _asked(policy: "Policy", episodes: Episodes, seen: Transitions) -> Asked:
    """The policy, as a fit on these transitions asks it."""
    units = Normaliser.between(episodes.action_bounds)
    # Discrete actions are columns of ones and zeros, in no units.
    middle, half = (np.zeros(1, np.float32), np.ones(1, np.float32)) if seen.discrete else (units.mean, units.scale)
    return Asked(
        {name: jnp.asarray(array) for name, array in numbers(policy).items()},
        jnp.asarray(seen.observations.mean[None]),
        jnp.asarray(seen.observations.scale[None]),
        jnp.asarray((middle + half * seen.actions.mean)[None]),
        jnp.asarray((half * seen.actions.scale)[None]),
    )


def in_points(
    earned: Float[np.ndarray, " z"] | None, episodes: Episodes
) -> tuple[Float[np.ndarray, " z"] | None, bool]:
    """The mean reward of a step as the task's score, where the environment says how long and how good episodes are."""
    if earned is None or episodes.environment not in ENVIRONMENTS:
        return earned, False
    spec = get_spec(episodes.environment)
    return normalised_return(earned * spec.horizon, spec), True
