"""What tells a cell from others, what cells share, and how their files stand."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_results import INPLACE, SPEED, cells, measured, shelve

from sciql.benchmark.cells import Cell, _computed, stages_of, weight_source
from sciql.benchmark.grid import GRID_METHODS, Pair, all_pairs
from sciql.benchmark.plan import plan
from sciql.benchmark.shelf import open_shelf
from sciql.benchmark.store import MARK, held, read_results, save
from sciql.benchmark.studies import Slice, cells_of, differing, studies
from sciql.criteria.registry import CRITERIA
from sciql.datasets.recipes import RECIPES
from sciql.errors import SciqlError
from sciql.methods import get_method
from sciql.settings import EXACT, PAPER, Settings

POLICY = replace(EXACT, policy=replace(EXACT.policy, blur=0.5))
VALUES = replace(EXACT, style_values=replace(EXACT.style_values, expectile=0.9))
ESTIMATOR = replace(EXACT, estimator=replace(EXACT.estimator, steps=7))
OTHERS: list[tuple[Settings, set[str]]] = [
    (POLICY, set(GRID_METHODS)),
    (VALUES, {"sciql_style", "sciql_style_task", "sciql_task_style"}),
    (ESTIMATOR, {"bcpmi", "sorl_beta0", "sorl_beta1", "sorl_beta3"}),
    (replace(EXACT, beta=1.0), {"sciql_style", "sciql_style_task", "sciql_task_style"}),
    (replace(EXACT, chi="ind"), {"sorl_beta0", "sorl_beta1", "sorl_beta3"}),
    (replace(EXACT, style_reward="mine"), {"sciql_style", "sciql_style_task", "sciql_task_style"}),
]


@pytest.mark.parametrize(
    ("settings", "changed"), OTHERS, ids=["policy", "values", "estimator", "beta", "chi", "reward"]
)
def test_a_cell_depends_on_what_its_method_reads_and_on_nothing_else(settings: Settings, changed: set[str]) -> None:
    def place(method: str, settings: Settings) -> Path:
        return Cell(SPEED, method, 0, settings).path

    assert {method for method in GRID_METHODS if place(method, settings) != place(method, EXACT)} == changed


def test_noise_is_of_the_labels_that_are_learnt() -> None:
    clean, noisy = Cell(SPEED, "cbc", 3, EXACT), Cell(SPEED, "cbc", 3, EXACT, 0.4)
    assert clean.path != noisy.path
    assert noisy.learnt is not None
    assert (noisy.learnt.noise, noisy.learnt.noise_seed) == (0.4, 3)
    # bc learns no labels, so that no noise reaches it.
    assert Cell(SPEED, "bc", 3, EXACT, 0.4).path == Cell(SPEED, "bc", 3, EXACT).path


def computed(code: str) -> str:
    return _computed(ast.parse(code).body[0])


def test_a_weight_is_known_by_what_it_computes() -> None:
    plain = "def w(a: int, b):\n    return a + b"
    assert computed(plain) == computed('def w(a, b):\n    """Says why."""\n    return a + b  # both')
    assert computed(plain) != computed("def w(a, b):\n    return a - b")
    assert computed(plain) != computed("def w(b, a):\n    return a + b")
    assert len({weight_source(name) for name in ("cloning", "sorl", "style_only", "style_only_excess")}) == 4


def test_the_weight_of_the_relabels_in_use_counts() -> None:
    mixture = replace(EXACT, relabels="mixture")
    assert Cell(SPEED, "sciql_style", 0, mixture).path != Cell(SPEED, "sciql_style", 0, EXACT).path


def test_the_grid_names_what_there_is() -> None:
    for pair in all_pairs():
        assert pair.dataset in RECIPES
        assert pair.criterion in CRITERIA


def test_nine_methods_share_what_they_fit() -> None:
    methods = [method for method in GRID_METHODS if method != "bc"]
    tasks = plan([Cell(SPEED, method, 0, EXACT) for method in methods])
    fits = [task.stage for task in tasks if task.stage is not None]
    assert sorted(fits) == ["mine estimator", "softmax estimator", "style values", "task values"]
    done: set[str] = set()
    for task in tasks:
        assert task.needs <= done
        done.add(task.name)
    by_method = {task.cells[0].method: task for task in tasks if task.stage is None}
    assert len(by_method) == 9
    stage_of = {task.name: task.stage for task in tasks}
    assert {stage_of[name] for name in by_method["sciql_style_task"].needs} == {"style values", "task values"}
    assert {stage_of[name] for name in by_method["sorl_beta0"].needs} == {"softmax estimator"}
    assert by_method["cbc"].needs == frozenset()


def test_task_values_serve_all_criteria_and_bc_is_trained_once() -> None:
    tasks = plan(cells(("bc", "sorl_beta1"), (0, 1)))
    assert sum(task.stage == "task values" for task in tasks) == 2
    assert [len(task.cells) for task in tasks if task.cells[0].method == "bc"] == [6, 6]


def test_style_values_of_an_estimated_reward_come_after_the_estimator() -> None:
    estimated = replace(EXACT, style_reward="sigmoid")
    assert stages_of(get_method("sciql_style"), estimated) == ("sigmoid estimator", "style values")
    estimator, values, policy = plan([Cell(SPEED, "sciql_style", 0, estimated)])
    assert values.needs == {estimator.name}
    assert policy.needs == {estimator.name, values.name}


def test_variants_that_come_to_the_same_settings_share_their_cells() -> None:
    by_name = cells_of(Slice("estimators", datasets=(INPLACE,), criteria=("speed",), seeds=(0,)))
    default = cells_of(Slice(datasets=(INPLACE,), criteria=("speed",), seeds=(0,)))["default"]
    main = {cell.method: cell.path for cell in default}
    assert [cell.path for cell in by_name["softmax"] if cell.method == "sorl_beta0"] == [main["sorl_beta0"]]
    assert [cell.path for cell in by_name["ind"] if cell.method == "sciql_style"] == [main["sciql_style"]]


def test_the_ablation_takes_away_each_difference_from_the_paper() -> None:
    variants = {variant.name: variant.change(EXACT) for variant in studies()["ablation"].variants}
    assert variants["default"] == EXACT
    assert all(settings != EXACT for name, settings in variants.items() if name != "default")
    assert len(set(variants.values())) == len(variants)
    paper = variants["paper-way"]
    assert all(name.endswith("steps") for name in differing(paper, PAPER))
    assert paper.policy.steps == EXACT.policy.steps


SLICES: dict[str, tuple[Slice, str]] = {
    "dataset": (Slice(datasets=("circle2d-inplac-v0",)), "no dataset of the grid 'circle2d-inplac-v0'; did you mean"),
    "criterion": (Slice(criteria=("sped",)), "no criterion of the grid 'sped'; did you mean speed"),
    "method": (Slice(methods=("cbb",)), "no method 'cbb'"),
    "seed": (Slice(seeds=(-1,)), "a seed is a whole number from 0 on, not -1"),
    "study": (Slice(study="mian"), "no study 'mian'; did you mean main"),
    "preset": (Slice(preset="papers"), "no preset 'papers'"),
    "steps": (Slice(steps=0), "at least 1 step"),
}


@pytest.mark.parametrize("name", SLICES)
def test_a_wrong_slice_is_one_sentence(name: str) -> None:
    part, sentence = SLICES[name]
    with pytest.raises(SciqlError, match=sentence):
        cells_of(part)


def test_a_cell_is_read_as_it_was_saved_and_is_small(tmp_path: Path) -> None:
    cell = Cell(Pair(INPLACE, "circle2d/position"), "sciql_style", 4, EXACT)
    with held(tmp_path / "results"):
        saved = save(tmp_path / "results", cell, measured(12.5, 3.25, 8))
    results = read_results(tmp_path / "results")
    assert results.of(cell) == saved
    assert saved["cell"]["settings"]["policy"]["steps"] == EXACT.policy.steps
    assert saved["seed"] == 4
    file = tmp_path / "results" / cell.path
    assert file.stat().st_size < 4096
    assert file.read_text().count("\n") < 15


def corrupt(change: Callable[[Path], object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        change(folder / Cell(SPEED, "cbc", 0, EXACT).path)

    return apply


DAMAGE: dict[str, Callable[[Path], None]] = {
    "half": corrupt(lambda file: file.write_text(file.read_text()[:300])),
    "empty": corrupt(lambda file: file.write_text("")),
    "other version": corrupt(lambda file: file.write_text(file.read_text().replace('"format":1', '"format":0'))),
    "binary": corrupt(lambda file: file.write_bytes(b"\xff\x00")),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_cells_are_told_and_lose_nothing_else(how: str, tmp_path: Path) -> None:
    shelve(tmp_path, [Cell(SPEED, "cbc", seed, EXACT) for seed in (0, 1)], lambda cell: (1, 2))
    DAMAGE[how](tmp_path)
    results = read_results(tmp_path)
    assert results.damaged == (tmp_path / Cell(SPEED, "cbc", 0, EXACT).path,)
    assert list(results.found) == [Cell(SPEED, "cbc", 1, EXACT).path]


def test_results_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text('{"sciql results": 99}')
    for use in (lambda: read_results(tmp_path), lambda: held(tmp_path).__enter__()):
        with pytest.raises(SciqlError, match="holds results of version 99 and this sciql writes version 1"):
            use()


def test_no_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match=r"there is no folder .*; make results with `sciql benchmark run`"):
        read_results(tmp_path / "nothing")


def test_two_runs_on_one_folder_are_refused(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(SciqlError, match="in use by another process"), held(tmp_path):
        pass


def test_cells_of_other_settings_are_not_taken_for_present_ones(tmp_path: Path) -> None:
    older = Cell(SPEED, "sciql_style", 0, replace(EXACT, beta=2.0))
    present, ablated = Cell(SPEED, "sciql_style", 1, EXACT), Cell(SPEED, "sciql_style", 0, POLICY)
    without_blur = next(v for v in studies()["ablation"].variants if v.name == "without-blur")
    ablated = Cell(SPEED, "sciql_style", 0, without_blur.change(EXACT))
    shelve(tmp_path, [older, present, ablated], lambda cell: (50 + cell.seed, 1))
    shelf = open_shelf(tmp_path)
    assert shelf.strays == [older.path]
    assert shelf.main[INPLACE, "speed", "sciql_style"].seeds == (1,)
