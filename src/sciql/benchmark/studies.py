"""The questions that are asked of the grid: a slice of it, and the settings under which it is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import product
from typing import Any

from sciql.benchmark.cells import Cell
from sciql.benchmark.grid import (
    GRID_METHODS,
    STYLE_METHODS,
    Pair,
    all_pairs,
    choose_methods,
    choose_pairs,
    choose_seeds,
)
from sciql.errors import SciqlError, unknown
from sciql.settings import PRESETS, Mixture, Settings, preset_settings

Change = Callable[[Settings], Settings]


@dataclass(frozen=True)
class Variant:
    """One way to run the cells of a study."""

    name: str
    title: str
    """What figures call it."""
    change: Change = lambda settings: settings
    """From the settings of the preset to this variant's."""
    noise: float = 0.0
    """zeta: share of the labels that are replaced by wrong ones."""


@dataclass(frozen=True)
class Study:
    """A question, and the cells that answer it unless a slice says otherwise."""

    name: str
    about: str
    methods: tuple[str, ...]
    variants: tuple[Variant, ...]
    pairs: tuple[Pair, ...] | None = None
    """All of the grid unless told."""


@dataclass(frozen=True)
class Slice:
    """A part of the grid, as the command line names it; what is empty stands for all that the study asks for."""

    study: str = "main"
    datasets: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    preset: str = "exact"
    steps: int | None = None


def _estimated(estimator: Any) -> Change:
    """chi by this estimator, in SORL's weight and in the reward of SCIQL's style values."""
    return lambda settings: replace(settings, chi=estimator, style_reward=estimator)


def _sampled(mixture: Mixture) -> Change:
    """The paper's weights with p_m for values and policy alike."""
    return lambda settings: replace(settings, relabels="mixture", value_labels=mixture, policy_labels=mixture)


def lengthened(factor: float) -> Change:
    """The same with more or fewer steps in every stage."""

    def change(settings: Settings) -> Settings:
        stages = ("task_values", "style_values", "estimator", "policy")
        longer = {
            name: replace(stage, steps=_scaled(stage.steps, factor))
            for name in stages
            if (stage := getattr(settings, name))
        }
        return replace(settings, **longer)

    return change


def _scaled(steps: int, factor: float) -> int:
    return max(1, round(steps * factor))


PARTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("normalisation", "standardised inputs", ("networks.normalise",)),
    ("heads", "all labels in a step", ("networks.conditioning", "style_values.drawn")),
    (
        "decay",
        "falling step size",
        ("style_values.decay", "task_values.decay", "style_values.learning_rate", "task_values.learning_rate"),
    ),
    ("averaged", "averaged values", ("style_values.averaged", "task_values.averaged")),
    ("slow-v", "slow V", ("style_values.slow_v", "task_values.slow_v")),
    ("excess", "excess relabels", ("relabels",)),
    ("spread", "a spread per style", ("policy.spread_per_style",)),
    ("blur", "noise on what a state remembers", ("policy.blur",)),
    ("policy-rate", "larger steps of the policy", ("policy.learning_rate",)),
)
"""What the exact preset adds to the paper's way: a name, a title, and the settings that make it up."""
NO_PART = ("steps", "drawn")
"""How long a stage lasts is a study of its own; draws of the policy go with the mixture alone."""


def differing(ours: Any, theirs: Any, above: str = "") -> list[str]:
    """The names of the settings in which two presets differ, such as `policy.blur`."""
    found: list[str] = []
    for field in fields(ours):
        mine, other = getattr(ours, field.name), getattr(theirs, field.name)
        name = f"{above}{field.name}"
        if is_dataclass(mine) and type(mine) is type(other):
            found += differing(mine, other, f"{name}.")
        elif mine != other:
            found.append(name)
    return found


def _as_in_paper(names: Sequence[str]) -> Change:
    """These settings as the paper has them, and all others as they are."""
    paper = PRESETS["paper"]

    def change(settings: Settings) -> Settings:
        for name in names:
            stage, _, field = name.rpartition(".")
            if stage:
                part = replace(getattr(settings, stage), **{field: getattr(getattr(paper, stage), field)})
                settings = replace(settings, **{stage: part})
            else:
                settings = replace(settings, **{field: getattr(paper, field)})
        return settings

    return change


def _paper_at_our_length(settings: Settings) -> Settings:
    """The paper's way with as many steps as ours."""
    paper = PRESETS["paper"]
    stages = ("task_values", "style_values", "estimator", "policy")
    return replace(
        paper, **{name: replace(getattr(paper, name), steps=getattr(settings, name).steps) for name in stages}
    )


def _ablations() -> tuple[Variant, ...]:
    """The default, the default without each of its parts, and the paper's way at our number of steps."""
    changed = differing(PRESETS["exact"], PRESETS["paper"])
    listed = {name for _, _, names in PARTS for name in names}
    rest = [name for name in changed if name not in listed and name.rpartition(".")[2] not in NO_PART]
    parts = [part for part in PARTS if set(part[2]) & set(changed)]
    parts += [(name.replace(".", "-"), name.rpartition(".")[2].replace("_", " "), (name,)) for name in rest]
    without = [Variant(f"without-{name}", f"without {title}", _as_in_paper(names)) for name, title, names in parts]
    return (Variant("default", "our default"), *without, Variant("paper-way", "paper's way", _paper_at_our_length))


ZETAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0)
DEFAULT = Variant("default", "default")


def studies() -> dict[str, Study]:
    """All studies by name; they follow the presets as these are now."""
    noisy = [pair for pair in all_pairs() if pair.dataset == "halfcheetah-fix-v0" and pair.short in ("speed", "angle")]
    estimators = [("ind", "ind"), ("mine", "MINE"), ("sigmoid", "sigmoid"), ("softmax", "softmax")]
    listed = (
        Study("main", "every method on every pair: the paper's tables and fronts", GRID_METHODS, (DEFAULT,)),
        Study(
            "estimators",
            "how p(z | s, a) is estimated",
            ("sorl_beta0", "sciql_style"),
            tuple(Variant(name, title, _estimated(name)) for name, title in estimators),
        ),
        Study(
            "sampling",
            "which labels a step is asked about: p_r or p_c",
            ("sciql_style",),
            (
                DEFAULT,
                Variant("pr", "p_r", _sampled(Mixture(r=1.0))),
                Variant("pc", "p_c", _sampled(Mixture(c=1.0))),
            ),
        ),
        Study(
            "noise",
            "labels replaced by wrong ones",
            STYLE_METHODS,
            tuple(Variant(f"zeta{zeta:g}", f"ζ = {zeta:g}", noise=zeta) for zeta in ZETAS),
            tuple(noisy),
        ),
        Study("ablation", "what our default adds to the paper's way", ("sciql_style",), _ablations()),
        Study(
            "steps",
            "alignment against steps and time",
            STYLE_METHODS,
            tuple(Variant(f"steps{factor:g}", f"{factor:g}×", lengthened(factor)) for factor in FACTORS),
        ),
    )
    return {study.name: study for study in listed}


def get_study(name: str) -> Study:
    known = studies()
    if name not in known:
        raise unknown("study", name, known)
    return known[name]


def cells_of(part: Slice) -> dict[str, list[Cell]]:
    """The cells of a slice, by variant; those that share fits are next to each other, a whole seed before the next."""
    study, settings = get_study(part.study), preset_settings(part.preset, part.steps)
    if part.datasets or part.criteria or study.pairs is None:
        pairs = choose_pairs(part.datasets, part.criteria)
    else:
        pairs = list(study.pairs)
    if not pairs:
        raise SciqlError(
            f"the {study.name} study is made for halfcheetah-fix-v0, which is not in the grid; name --datasets for it"
        )
    methods, seeds = choose_methods(part.methods, study.methods), choose_seeds(part.seeds)
    return {
        variant.name: [
            Cell(pair, method, seed, variant.change(settings), variant.noise)
            for seed, pair, method in product(seeds, pairs, methods)
        ]
        for variant in study.variants
    }
