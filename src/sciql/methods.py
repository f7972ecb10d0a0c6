"""The methods by name: a weight each, the labels it asks about, and what must be fitted before it."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sciql.errors import SciqlError, unknown

if TYPE_CHECKING:
    from sciql.weights import Weight

Need = Literal["task", "style", "chi", "information"]
Labels = Literal["own", "future", "mixed", "every", "none"]
"""What a method's p_m is: p_c, p_f, the settings' own mixture; or it sums over every label, or sees none."""


@dataclass(frozen=True)
class Method:
    """One row of the table of methods."""

    name: str
    title: str
    """What people read."""
    weight: "str | Weight"
    """Its function; those of weights.py by name, because they are imported with JAX only when something is trained."""
    needs: frozenset[Need] = field(default_factory=frozenset)
    """Which fits its weight reads."""
    labels: Labels = "own"
    beta: float | None = None
    """Its own temperature, where its name carries one; else the settings' is taken."""

    @property
    def conditioned(self) -> bool:
        """Whether the policy sees a style."""
        return self.labels != "none"


def _sorl(name: str, beta: float) -> Method:
    """At temperature 0 the task counts for nothing, and need not be fitted."""
    needs: frozenset[Need] = frozenset({"task", "chi"} if beta else {"chi"})
    return Method(name, f"SORL (β={beta:g})", "sorl", needs, "every", beta)


METHODS = {
    method.name: method
    for method in (
        Method("bc", "BC", "cloning", labels="none"),
        Method("cbc", "CBC", "cloning"),
        Method("scbc", "SCBC", "cloning", labels="future"),
        Method("bcpmi", "BCPMI", "bcpmi", frozenset({"information"})),
        _sorl("sorl_beta0", 0.0),
        _sorl("sorl_beta1", 1.0),
        _sorl("sorl_beta3", 3.0),
        Method("sciql_style", "SCIQL (λ)", "style_only", frozenset({"style"}), "mixed"),
        Method("sciql_style_task", "SCIQL (λ > r)", "style_over_task", frozenset({"style", "task"}), "mixed"),
        Method("sciql_task_style", "SCIQL (r > λ)", "task_over_style", frozenset({"style", "task"}), "mixed"),
        Method("iql", "IQL", "iql", frozenset({"task"}), "none"),
    )
}


def get_method(name: str) -> Method:
    """A method by its name; `sorl_beta<number>` is SORL at any temperature."""
    if name in METHODS:
        return METHODS[name]
    temperature = re.fullmatch(r"sorl_beta(\d+(?:\.\d+)?)", name)
    if not temperature:
        raise unknown("method", name, METHODS)
    beta = float(temperature.group(1))
    return next((method for method in METHODS.values() if method.beta == beta), _sorl(name, beta))


def require_criterion(method: Method, given: bool) -> None:
    """Only methods that see no style can do without a criterion."""
    if method.conditioned and not given:
        raise SciqlError(f"{method.name} learns styles and needs a criterion; bc and iql do without")


def require_rewards(method: Method, rewarded: bool, source: str) -> None:
    """Only methods that fit no task values can do without rewards."""
    if "task" in method.needs and not rewarded:
        without = ", ".join(name for name, other in METHODS.items() if "task" not in other.needs)
        raise SciqlError(
            f"{method.name} learns a task from rewards, and {source} has none; import it with a reward column, "
            f"or choose one that needs none: {without}"
        )
