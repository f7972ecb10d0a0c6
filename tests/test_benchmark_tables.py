"""Tables and verdicts of cells whose scores are known."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import INPLACE, SPEED, cells, shelve

from sciql.benchmark.cells import Cell
from sciql.benchmark.grid import STYLE_METHODS
from sciql.benchmark.printing import comma_separated, html, latex, markdown, plus_minus, write_page
from sciql.benchmark.scores import Value
from sciql.benchmark.shelf import Shelf, open_shelf
from sciql.benchmark.tables import Entry, Row, Table, all_tables
from sciql.benchmark.verdicts import counts, difference, judge, verdict
from sciql.cli import main
from sciql.errors import SciqlError
from sciql.metrics import stratified_interval
from sciql.paper import Figure, complexity
from sciql.settings import EXACT

RANK = {method: place for place, method in enumerate(STYLE_METHODS)}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Method k of Table 1 scores 10 k - 1 on seed 0 and 10 k + 1 on seed 1; the task twice that."""

    def score(cell: Cell) -> tuple[float, float]:
        style = 10 * RANK[cell.method] + (1 if cell.seed else -1) + 10
        return style, 2 * style

    shelve(tmp_path / "results", cells(STYLE_METHODS, (0, 1)), score)
    return open_shelf(tmp_path / "results")


def tables(shelf: Shelf) -> dict[str, Table]:
    return {table.name: table for table in all_tables(shelf.main, shelf.grids("estimators"))}


def row(table: Table, *words: str) -> Row:
    return next(row for row in table.rows if row.words == words)


def test_table_1_has_means_spreads_the_paper_and_the_best(shelf: Shelf) -> None:
    line = row(tables(shelf)["style"], INPLACE)
    assert [entry.ours for entry in line.entries] == [Value(10.0 + 10 * k, 1.0, 2) for k in range(6)]
    assert line.entries[0].paper == Figure(29.1, 6.3)
    assert [entry.best for entry in line.entries] == [False] * 5 + [True]
    assert [entry.paper_best for entry in line.entries] == [False] * 5 + [True]
    assert line.seeds == "2"
    # Nothing is said of a dataset of which criteria are missing.
    assert all(entry.ours is None for entry in row(tables(shelf)["style"], "circle2d-navigate-v0").entries)


def test_the_spread_is_the_paper_s(tmp_path: Path) -> None:
    """Over seeds for each style, then averaged; a single seed has none."""
    shelve(tmp_path, [Cell(SPEED, "cbc", seed, EXACT) for seed in range(3)], lambda cell: (cell.seed * 3.0, 0))
    assert plus_minus(open_shelf(tmp_path).main[INPLACE, "speed", "cbc"].value("style")) == "3.0 ± 2.4"
    shelve(tmp_path / "one", [Cell(SPEED, "cbc", 0, EXACT)], lambda cell: (7, 0))
    assert plus_minus(open_shelf(tmp_path / "one").main[INPLACE, "speed", "cbc"].value("style")) == "7.0"


def test_the_other_tables_hold_the_same_cells(shelf: Shelf) -> None:
    made = tables(shelf)
    assert row(made["style-full"], INPLACE, "speed").entries[5].ours == Value(60.0, 1.0, 2)
    task = row(made["style-and-task"], INPLACE, "speed", "task")
    assert [entry.ours for entry in task.entries[:1]] == [Value(80.0, 2.0, 2)]
    assert task.entries[0].paper == Figure(21.0, 8.2)
    estimators = row(made["estimators"], INPLACE).entries
    assert estimators[3].ours == Value(40.0, 1.0, 2)  # SORL's own is softmax, SCIQL's the indicator
    assert estimators[4].ours == Value(60.0, 1.0, 2)
    assert [entry.paper.mean for entry in estimators if isinstance(entry.paper, Figure)][:2] == [29.4, 59.1]
    robust = row(made["robust"], INPLACE, "style").entries[0].ours
    assert isinstance(robust, Value)
    assert robust.interval is not None
    assert robust.interval[0] <= robust.mean <= robust.interval[1]


def test_the_scale_of_the_experiments(shelf: Shelf) -> None:
    counted = row(tables(shelf)["complexity"], "circle2d", "position").entries
    assert [(entry.ours, entry.paper) for entry in counted] == [(8, 8), (1, 2), (2, 5), (2, 80), (160, 800)]
    assert sum(line.trainings for line in complexity()) == 565
    assert sum(line.episodes for line in complexity()) == 5650


def test_markdown_csv_latex_and_html_say_the_same(shelf: Shelf) -> None:
    table = tables(shelf)["style"]
    assert "| circle2d-inplace-v0 | 10.0 ± 1.0 (29.1 ± 6.3) |" in markdown(table)
    assert "**60.0 ± 1.0** (**74.6 ± 9.3**)" in markdown(table)
    lines = list(csv.DictReader(io.StringIO(comma_separated(table))))
    best = next(line for line in lines if line["dataset"] == INPLACE and line["column"] == "SCIQL (λ)")
    assert (float(best["ours_mean"]), float(best["ours_std"]), best["paper_mean"]) == (60.0, 1.0, "74.6")
    tex = latex(table)
    assert r"\textbf{60.0 $\pm$ 1.0} (\textbf{74.6 $\pm$ 9.3})" in tex
    assert not re.search(r"(?<!\\)_", tex.replace(r"\label{tab:style}", ""))
    assert "<td><b>60.0 ± 1.0</b><small>(<b>74.6 ± 9.3</b>)</small></td>" in html(table)


def test_cells_that_read_alike_are_equally_good() -> None:
    from sciql.benchmark.tables import _row

    entries = [Entry(Value(mean, None, 1)) for mean in (99.96, 100.0, 99.9)]
    assert [entry.best for entry in _row(("x",), entries).entries] == [True, True, False]


def test_a_page_is_written_between_its_marks(shelf: Shelf, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results: style -->\nold\n<!-- end of results -->\nafter\n")
    for _ in range(2):
        write_page(list(tables(shelf).values()), page)
    text = page.read_text()
    assert text.startswith("before\n<!-- results: style -->\n\n**Style alignment.**")
    assert text.endswith("<!-- end of results -->\nafter\n")
    assert "old" not in text
    assert text.count("| dataset |") == 1
    page.write_text("nothing")
    with pytest.raises(SciqlError, match="has no place for tables; add the lines"):
        write_page([], page)
    page.write_text("<!-- results: styel -->\n<!-- end of results -->")
    with pytest.raises(SciqlError, match="no table 'styel'; did you mean style"):
        write_page(list(tables(shelf).values()), page)


def test_the_rule_of_the_verdicts() -> None:
    # One seed against five with deviation 2 (population): s^2 = 5 * 4 / 4, t(4) = 2.776, reach 2.776 * sqrt(5 * 1.2).
    low, high = difference(Value(60.0, None, 1), Figure(50.0, 2.0))
    assert (low, high) == pytest.approx((10 - 6.8, 10 + 6.8), abs=0.01)
    assert verdict((low, high)) == "better"
    assert verdict((-4.9, 4.9)) == "reproduced"
    assert verdict((0.5, 1.0)) == "reproduced"
    assert verdict((-9.0, -1.0)) == "worse"
    assert verdict((-9.0, 1.0)) == "inconclusive"
    assert verdict(None) == "missing"
    assert difference(Value(50.0, 0.0, 3), Figure(50.0, 0.0)) == (0.0, 0.0)


def test_every_figure_of_the_paper_is_judged(shelf: Shelf) -> None:
    judged = [cell for cell in judge(shelf.main) if cell.dataset == INPLACE]
    # 7 rows: 10 methods with a style, 6 of them with a task; of ours 6 and 2.
    assert len(judged) == 7 * 16
    assert sum(counts(judged).values()) == len(judged)
    assert counts(judged)["missing"] == 7 * (16 - 8)
    bc = next(cell for cell in judged if (cell.dataset, cell.criterion, cell.method) == (INPLACE, "speed", "bc"))
    assert bc.verdict == "worse"


@given(st.lists(st.lists(st.floats(0, 100), min_size=1, max_size=5), min_size=1, max_size=8))
def test_stratified_intervals_are_seeded_and_within_the_scores(groups: list[list[float]]) -> None:
    arrays = [np.array(group) for group in groups]
    low, high = stratified_interval(arrays, draws=50)
    assert (low, high) == stratified_interval(arrays, draws=50)
    assert min(map(min, groups)) - 1e-9 <= low <= high <= max(map(max, groups)) + 1e-9
    if all(len(set(group)) == 1 for group in groups):
        assert low == pytest.approx(high)


def test_tables_and_verdicts_on_the_command_line(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--results", str(shelf.results.folder)]
    assert main(["benchmark", "tables", *words, "--out", str(tmp_path / "tables")]) == 0
    assert "60.0 ± 1.0" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        f"{name}.{ending}" for name in tables(shelf) for ending in ("md", "csv", "tex")
    }
    assert main(["benchmark", "tables", *words, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tables"]) == 6
    assert main(["benchmark", "verify", *words]) == 0
    assert "inconclusive" in capsys.readouterr().out
    assert main(["benchmark", "verify", *words, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["cells"]) == len(judge(shelf.main))
    assert main(["benchmark", "tables", "--results", str(tmp_path / "nowhere")]) == 2


def test_cells_of_other_settings_are_told_and_tidied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = Cell(SPEED, "sciql_style", 0, replace(EXACT, beta=2.0))
    shelve(tmp_path, [older, Cell(SPEED, "cbc", 0, EXACT)], lambda cell: (1, 1))
    words = ["--results", str(tmp_path)]
    assert main(["benchmark", "tables", *words]) == 0
    assert "1 cell in" in (said := capsys.readouterr().err)
    assert "is of other settings than the present ones" in said
    assert main(["benchmark", "tidy", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == [str(older.path)]
    assert open_shelf(tmp_path).strays == []
    assert (tmp_path / Cell(SPEED, "cbc", 0, EXACT).path).exists()
