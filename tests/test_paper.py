"""The paper's printed figures."""

import pytest

from sciql import paper


@pytest.mark.parametrize(
    ("cell", "mean", "std"),
    [
        (("circle2d-inplace-v0", "position", "sciql_style", "style"), 98.0, 0.3),
        (("circle2d-inplace-v0", "circle2d/position", "sciql_style_task", "task"), 17.3, 4.1),
        (("circle2d-navigate-v0", "all", "sciql_style_task", "style"), 76.5, 2.9),
        (("circle2d-inplace-v0", "all", "sciql_task_style", "task"), 89.1, 3.3),
        (("circle2d-inplace-v0", "position", "cbc", "style"), 15.0, 10.3),
        (("circle2d-inplace-v0", "radius", "sorl_beta3", "task"), 87.4, 2.3),
    ],
)
def test_figures_are_those_of_the_tables(cell: tuple[str, str, str, paper.Metric], mean: float, std: float) -> None:
    figure = paper.figure(*cell)
    assert figure == paper.Figure(mean, std)
    assert str(figure) == f"{mean} ± {std}"


def test_what_the_paper_does_not_print_is_none() -> None:
    assert paper.figure("circle2d-inplace-v0", "position", "cbc", "task") is None
    assert paper.figure("my-data", "position", "cbc") is None


def test_the_ablation_of_the_estimators() -> None:
    assert paper.chi_figure("halfcheetah-fix-v0", "sorl_mine") == paper.Figure(52.6, 12.4)


def test_the_two_tables_agree_where_they_overlap() -> None:
    both = {(r["dataset"], r["criterion"], r["algorithm"]): r for r in paper._rows("style_alignment")}
    for row in paper._rows("style_and_task"):
        other = both.get((row["dataset"], row["criterion"], row["algorithm"]))
        if row["metric"] == "style" and other is not None:
            assert (row["mean"], row["std"]) == (other["mean"], other["std"])
