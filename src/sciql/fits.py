"""What is fitted once and shared (task values a dataset, style values and estimators a criterion), and its evidence."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from sciql import labels as label_tables
from sciql.checkpoints import fingerprint
from sciql.criteria import Criterion
from sciql.episodes import Episodes
from sciql.errors import SciqlError
from sciql.estimators import Activation, EstimatorData, chi, estimator_step, information_table, init_estimator
from sciql.files import home, locked, remove_leftovers, sha256
from sciql.fitting import Fitted, Report, Stage, fit, silent
from sciql.methods import Method
from sciql.networks import StyleNetwork
from sciql.settings import Mixture, Settings
from sciql.transitions import Transitions, transitions
from sciql.values import ValueData, Values, ValueSettings, advantages, init_values, value_step
from sciql.weights import Evidence

ROWS_AT_ONCE = 16_384
GENERATION = 3
"""Raised when what a fit computes changes, so that fits of older versions are not found."""
REWARD_RANGE = 1000.0
"""What rewards are scaled to: the difference between the best and the worst return of the data."""
MOST_PERSISTENT = 0.995
Make = Callable[[Stage[Any, Any], Path | None, Report], Fitted[Any]]


@dataclass
class Fits:
    """The fits of one dataset, criterion and seed: made when first asked for, kept on disk, found by their settings."""

    episodes: Episodes
    criterion: Criterion | None
    settings: Settings
    seed: int
    report: Report = silent
    make: Make = fit
    """How a stage is run; seeds that are fitted together are run by another."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    """What each fit took that was not found on disk."""
    files: list[str] = field(default_factory=list)
    """The files of the fits that were asked for, below sciql's folder."""

    @cached_property
    def transitions(self) -> Transitions:
        return transitions(self.episodes, self.settings.networks)

    @cached_property
    def labels(self) -> Int[np.ndarray, " n"]:
        """The label of every step; without a criterion all bear the one that there is."""
        if self.criterion is None:
            return np.zeros(self.episodes.steps, np.int32)
        return self.criterion.label(self.episodes)

    @property
    def label_count(self) -> int:
        return 1 if self.criterion is None else len(self.criterion.styles)

    @cached_property
    def own(self) -> Float[Array, "n z"]:
        return jnp.asarray(label_tables.own(self.labels, self.label_count))

    @cached_property
    def prior(self) -> Float[Array, " z"]:
        return jnp.asarray(label_tables.random(self.labels, self.label_count))

    @cached_property
    def persistence(self) -> Float[Array, " z"]:
        """kappa(z), a little below 1 so that every style is judged by the values as well."""
        kappa = label_tables.persistence(self.labels, self.episodes.starts, self.label_count)
        return jnp.minimum(jnp.asarray(kappa), MOST_PERSISTENT)

    def proposal(self, mixture: Mixture) -> Float[Array, "p z"]:
        """p_m as a table, of one row where it is the same for all steps."""
        if mixture == Mixture(r=1.0):
            return self.prior[None]
        table = label_tables.mixture(self.labels, self.episodes.starts, self.label_count, **asdict(mixture))
        return jnp.asarray(table)

    def task_values(self) -> Values:
        """V^r and Q^r."""
        reach = np.ptp(self.episodes.returns())
        scale = REWARD_RANGE / reach if reach > 0 else 1.0
        rewards = jnp.asarray(self.episodes.rewards[:, None] * np.float32(scale))
        document = {"rewards": "returns from worst to best span 1000"}
        return self._values("task values", rewards, jnp.ones((1, 1)), self.settings.task_values, document)

    def style_values(self) -> Values:
        """V^lambda and Q^lambda, for the reward chi - 1."""
        estimate = self.own if self.settings.style_reward == "ind" else self.chi(self.settings.style_reward)
        document = {
            **self._criterion_document(),
            "labels": asdict(self.settings.value_labels),
            "reward": self.settings.style_reward,
            "estimator": None if self.settings.style_reward == "ind" else asdict(self.settings.estimator),
        }
        proposal = self.proposal(self.settings.value_labels)
        return self._values("style values", estimate - 1, proposal, self.settings.style_values, document)

    def _values(
        self,
        name: str,
        rewards: Float[Array, "n z"],
        proposal: Float[Array, "p z"],
        settings: ValueSettings,
        document: dict[str, Any],
    ) -> Values:
        seen = self.transitions
        stage = Stage(
            name=name,
            init=lambda key: init_values(
                seen.state_size, seen.action_size, rewards.shape[1], self.settings.networks, settings, key
            ),
            step=value_step,
            settings=settings,
            data=ValueData(seen.columns, rewards, proposal),
            seed=self.seed,
            header={**document, "settings": asdict(settings)},
        )
        state = self._kept(stage).state
        return state.slow if settings.slow_v else Values(state.values.v, state.slow.q)

    def estimator(self, activation: Activation) -> StyleNetwork:
        """The network of one estimator."""
        settings, seen = replace(self.settings.estimator, activation=activation), self.transitions
        stage = Stage(
            name=f"{activation} estimator",
            init=lambda key: init_estimator(
                seen.state_size, seen.action_size, self.label_count, self.settings.networks, settings, key
            ),
            step=estimator_step,
            settings=settings,
            data=EstimatorData(seen.columns, self.own, self.prior),
            seed=self.seed,
            header={**self._criterion_document(), "settings": asdict(settings)},
        )
        return self._kept(stage).state.net

    def information(self, activation: Activation) -> Float[Array, "n z"]:
        """T(s, a, z) of every step."""
        net = self.estimator(activation)
        return self._over_steps(lambda states, actions: information_table(net, states, actions, self.prior, activation))

    def chi(self, activation: Activation) -> Float[Array, "n z"]:
        """chi(s, a, z) of every step."""
        return chi(self.information(activation), self.prior)

    def evidence(self, method: Method) -> Evidence:
        """The columns that a method's weight reads, for every step."""
        task = style = estimate = information = jnp.zeros((1, 1))
        if "task" in method.needs:
            values = self.task_values()
            task = self._over_steps(lambda s, a: advantages(values, s, a, self.settings.task_values))
        if "style" in method.needs:
            style_values = self.style_values()
            style = self._over_steps(lambda s, a: advantages(style_values, s, a, self.settings.style_values))
        if "chi" in method.needs:
            estimate = self.own if self.settings.chi == "ind" else self.chi(self.settings.chi)
        if "information" in method.needs:
            information = self.information("mine")
        mixture = {"own": Mixture(c=1.0), "future": Mixture(f=1.0), "mixed": self.settings.policy_labels}
        proposal = (
            self.proposal(mixture[method.labels]) if method.labels in mixture else jnp.ones((1, self.label_count))
        )
        return Evidence(self.own, proposal, self.persistence[None], estimate, information, task, style)

    def _over_steps(self, function: Callable[[Array, Array], Array]) -> Float[Array, "n z"]:
        """A function of states and actions over all steps, a part at a time so that memory stays small."""
        columns, steps = self.transitions.columns, self.episodes.steps
        parts = []
        for first in range(0, steps, ROWS_AT_ONCE):
            rows = slice(first, min(first + ROWS_AT_ONCE, steps))
            parts.append(np.asarray(function(columns.states[rows], columns.actions[rows])))
        return jnp.asarray(np.concatenate(parts))

    def _criterion_document(self) -> dict[str, Any]:
        if self.criterion is None:
            raise SciqlError("styles need a criterion")
        return {"criterion": self.criterion.document(), "labels_seen": sha256({"labels": self.labels})}

    def _kept(self, stage: Stage[Any, Any]) -> Fitted[Any]:
        """A fit of these settings, from disk if it is there."""
        document = {
            **stage.header,
            "data": self.episodes.content,
            "networks": asdict(self.settings.networks),
            "seed": self.seed,
        }
        fitted, seconds = kept(stage, document, self.report, self.make)
        if seconds is not None:
            self.seconds[stage.name] = seconds
        self.files.append(str(place(stage.name, document).relative_to(home())))
        self.curve.extend(fitted.curve)
        return fitted


def kept(
    stage: Stage[Any, Any], depends_on: dict[str, Any], report: Report, make: Make = fit
) -> tuple[Fitted[Any], float | None]:
    """A fit from disk if it is there, else made and kept, with the seconds that it took; who asks for the same at once
    waits for it."""
    path = place(stage.name, depends_on)
    document = path.stem.rpartition("-")[2]
    with locked(path):
        remove_leftovers(path)
        begun, there = time.perf_counter(), path.exists()
        fitted = make(replace(stage, header={"document": document}), path, report)
    return fitted, None if there else round(time.perf_counter() - begun, 2)


def place(name: str, depends_on: dict[str, Any]) -> Path:
    """Where a fit lies: its file is named after all that it depends on."""
    document = fingerprint({**depends_on, "generation": GENERATION, "stage": name})
    return home() / "fits" / f"{name.replace(' ', '-')}-{document}.npz"
