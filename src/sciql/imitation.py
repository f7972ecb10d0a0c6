"""How a policy stands to logged steps when it is asked for the style that each of them shows."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from sciql.episodes import Episodes
from sciql.normaliser import Normaliser

if TYPE_CHECKING:
    from sciql.policy import Policy

MOST_STEPS = 100_000
"""Steps that are looked at; more change nothing that is shown."""
MARGIN = 1e-5  # the distance from their bounds at which actions are learnt


@dataclass(frozen=True)
class Imitation:
    """How the policy stands to each step looked at, when it is asked for the step's own style."""

    labels: Int[np.ndarray, " n"]
    likelihoods: Float[np.ndarray, " n"]
    errors: Float[np.ndarray, " n"]
    """Squared distance of its action from the logged one; 1 or 0 where actions are discrete."""
    deviations: Float[np.ndarray, " n"]
    """Squared distance of the logged action from the mean of its style; 1 where actions are discrete."""

    def over(self, mine: np.ndarray) -> tuple[int, float | None, float | None]:
        """Steps, mean log-likelihood and agreement of some of them."""
        if not mine.any():
            return 0, None, None
        variance = float(self.deviations[mine].sum())
        agreement = 1 - float(self.errors[mine].sum()) / variance if variance > 0 else None
        return int(mine.sum()), float(self.likelihoods[mine].mean()), agreement


def imitation(policy: "Policy", episodes: Episodes, labels: Int[np.ndarray, " n"], seed: int) -> Imitation:
    """What the policy makes of the episodes' steps, which bear these labels."""
    count = min(MOST_STEPS, episodes.steps)
    rows = np.linspace(0, episodes.steps - 1, count).astype(np.int64)
    labels, seen, done = labels[rows], episodes.observations[rows], episodes.actions[rows]
    styles = labels if policy.conditioned else np.zeros_like(labels)
    outputs = policy.outputs(seen, styles)
    # Not by `act`, which refuses the styles that cannot be asked for but are seen here all the same.
    acted = policy.play(outputs, styles, np.random.default_rng(seed))
    if policy.discrete:
        wrong = (acted != done).astype(np.float64)
        return Imitation(labels, log_softmax(outputs)[np.arange(count), done], wrong, np.ones(count))
    reach = Normaliser.between(policy.action_bounds).scale
    errors = (((done - acted) / reach) ** 2).sum(axis=1)
    deviations = (((done - _mean_of_label(done, labels)) / reach) ** 2).sum(axis=1)
    return Imitation(labels, log_density(policy, outputs, styles, done), errors, deviations)


def _mean_of_label(actions: Float[np.ndarray, "n m"], labels: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n m"]:
    """The mean action of all steps that bear a row's label."""
    sums = np.stack([np.bincount(labels, column) for column in actions.T], axis=1)
    return (sums / np.maximum(np.bincount(labels), 1)[:, None])[labels]


def log_softmax(logits: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def log_density(
    policy: "Policy",
    outputs: Float[np.ndarray, "n m"],
    styles: Int[np.ndarray, " n"],
    actions: Float[np.ndarray, "n m"],
) -> Float[np.ndarray, " n"]:
    """log pi(a | s, z) of actions in units of their bounds, so that policies of unlike normalisation compare."""
    within = Normaliser.between(policy.action_bounds)(actions).clip(-1 + MARGIN, 1 - MARGIN)
    spread = policy.spread[styles if policy.conditioned else np.zeros_like(styles)]
    error = (policy.actions(within) - outputs) / spread
    return (-0.5 * error**2 - np.log(spread * policy.actions.scale) - 0.5 * math.log(2 * math.pi)).sum(axis=1)
