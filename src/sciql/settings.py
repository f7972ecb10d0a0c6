"""All settings of a training in one frozen place, and the two presets."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sciql.errors import SciqlError, unknown
from sciql.estimators import Estimator, EstimatorSettings
from sciql.labels import require_shares
from sciql.networks import NetworkSettings
from sciql.regression import PolicySettings
from sciql.values import ValueSettings

Preset = Literal["exact", "paper"]
Relabels = Literal["mixture", "excess"]


@dataclass(frozen=True)
class Mixture:
    """p_m = c p_c + f p_f + r p_r; the three shares sum to 1."""

    c: float = 0.0
    f: float = 0.0
    r: float = 0.0

    def __post_init__(self) -> None:
        require_shares(self.c, self.f, self.r)


@dataclass(frozen=True)
class Settings:
    """Everything that a training depends on besides its data, its criterion, its method and its seed."""

    networks: NetworkSettings = field(default_factory=NetworkSettings)
    task_values: ValueSettings = field(default_factory=ValueSettings)
    style_values: ValueSettings = field(default_factory=ValueSettings)
    style_reward: Estimator = "ind"
    """chi in the style's reward chi - 1."""
    chi: Estimator = "softmax"
    """chi in SORL's weight."""
    estimator: EstimatorSettings = field(default_factory=EstimatorSettings)
    """How estimators are fitted; `style_reward`, `chi` and the method say which."""
    policy: PolicySettings = field(default_factory=PolicySettings)
    value_labels: Mixture = Mixture(r=1.0)
    """p_m of the style values."""
    relabels: Relabels = "excess"
    """How SCIQL's policies learn from steps of other labels: `mixture` as in the paper, weighed by p_m; `excess` as
    far as the values speak for them."""
    policy_labels: Mixture = Mixture(r=1.0)
    """p_m of SCIQL's policies."""
    beta: float = 3.0
    """Temperature of the advantages, where a method's name says nothing else."""

    def __post_init__(self) -> None:
        if self.relabels == "excess" and self.policy.drawn:
            raise SciqlError("excess relabels are summed over all labels; draw none (policy.drawn) or use the mixture")

    def document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


EXACT = Settings()

PAPER_VALUES = ValueSettings(steps=1_000_000, learning_rate=3e-4, decay=False, averaged=False, slow_v=False)
PAPER = Settings(
    networks=NetworkSettings(conditioning="embedding", normalise=False),
    task_values=PAPER_VALUES,
    style_values=replace(PAPER_VALUES, drawn=True),
    estimator=EstimatorSettings(steps=100_000, drawn=True),
    policy=PolicySettings(steps=1_000_000, learning_rate=3e-4, drawn=True, spread_per_style=False, blur=0.0),
    relabels="mixture",
)

PRESETS: dict[str, Settings] = {"exact": EXACT, "paper": PAPER}


def preset_settings(preset: str, steps: int | None = None) -> Settings:
    """A preset's settings; `steps`, if given, is how many each stage takes; estimators never take more than theirs."""
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    settings = PRESETS[preset]
    if steps is None:
        return settings
    if steps < 1:
        raise SciqlError(f"a training takes at least 1 step, not {steps}")
    return replace(
        settings,
        task_values=replace(settings.task_values, steps=steps),
        style_values=replace(settings.style_values, steps=steps),
        estimator=replace(settings.estimator, steps=min(steps, settings.estimator.steps)),
        policy=replace(settings.policy, steps=steps),
    )
