"""The grid as data: environments with their datasets and criteria, and the methods of each of the paper's tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sciql.datasets.recipes import RECIPES
from sciql.errors import SciqlError, unknown
from sciql.methods import METHODS, get_method

EPISODES = 10
"""Episodes that a policy is judged on for every style."""
SEEDS = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class Environment:
    """One block of the paper's tables: all of its criteria are learnt on all of its datasets."""

    name: str
    datasets: tuple[str, ...]
    criteria: tuple[str, ...]
    """By their short names."""

    def criterion(self, name: str) -> str:
        """The whole name of a criterion."""
        return f"{self.name}/{name}"


LISTED = (
    Environment(
        "circle2d",
        ("circle2d-inplace-v0", "circle2d-navigate-v0"),
        ("position", "movement_direction", "turn_direction", "radius", "speed", "curvature_noise"),
    ),
    Environment(
        "halfcheetah",
        ("halfcheetah-fix-v0", "halfcheetah-stitch-v0", "halfcheetah-vary-v0"),
        ("speed", "angle", "torso_height", "backfoot_height", "frontfoot_height"),
    ),
)
"""Another environment joins by one entry."""
ENVIRONMENTS = tuple(environment for environment in LISTED if set(environment.datasets) <= RECIPES.keys())
"""Those whose datasets can be made here."""

STYLE_METHODS = ("bc", "cbc", "bcpmi", "sorl_beta0", "scbc", "sciql_style")
"""The columns of the paper's Table 1."""
SORL, SCIQL = ("sorl_beta0", "sorl_beta1", "sorl_beta3"), ("sciql_style", "sciql_style_task", "sciql_task_style")
TASK_METHODS = (*SORL, *SCIQL)
"""The columns of the paper's table of style and task."""
GRID_METHODS = tuple(method for method in METHODS if method in {*STYLE_METHODS, *TASK_METHODS})


@dataclass(frozen=True)
class Pair:
    """A dataset and a criterion, by its whole name."""

    dataset: str
    criterion: str

    @property
    def short(self) -> str:
        """The criterion as the paper's tables call it."""
        return self.criterion.rsplit("/", 1)[-1]


def all_pairs() -> Iterator[Pair]:
    """The whole grid, in the order of the paper's tables."""
    for environment in ENVIRONMENTS:
        for dataset in environment.datasets:
            for name in environment.criteria:
                yield Pair(dataset, environment.criterion(name))


def datasets() -> list[str]:
    return [dataset for environment in ENVIRONMENTS for dataset in environment.datasets]


def pairs_of(dataset: str) -> list[Pair]:
    """A dataset with each of its criteria."""
    return [pair for pair in all_pairs() if pair.dataset == dataset]


def environment_of(dataset: str) -> Environment:
    return next(environment for environment in ENVIRONMENTS if dataset in environment.datasets)


def choose_pairs(wanted_datasets: Sequence[str], wanted_criteria: Sequence[str]) -> list[Pair]:
    """The pairs of these datasets and criteria; nothing named stands for all of them."""
    _require_known("dataset of the grid", wanted_datasets, datasets())
    known = {name for pair in all_pairs() for name in (pair.short, pair.criterion)}
    _require_known("criterion of the grid", wanted_criteria, sorted(known))
    chosen = [
        pair
        for pair in all_pairs()
        if (not wanted_datasets or pair.dataset in wanted_datasets)
        and (not wanted_criteria or {pair.short, pair.criterion} & set(wanted_criteria))
    ]
    if not chosen:
        raise SciqlError(
            f"none of the datasets {', '.join(wanted_datasets)} is labelled by {', '.join(wanted_criteria)}; "
            f"choose criteria of their environment"
        )
    return chosen


def choose_methods(wanted: Sequence[str], among: Sequence[str]) -> list[str]:
    """These methods, or all of `among`."""
    for name in wanted:
        get_method(name)
    return list(dict.fromkeys(wanted)) or list(among)


def choose_seeds(wanted: Sequence[int]) -> list[int]:
    wrong = [seed for seed in wanted if seed < 0]
    if wrong:
        raise SciqlError(f"a seed is a whole number from 0 on, not {wrong[0]}")
    return list(dict.fromkeys(wanted)) or list(SEEDS)


def _require_known(kind: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)
