"""Figures and the report, of cells whose scores are known."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_written import NAME, small_dataset
from made_results import INPLACE, cells, shelve

from sciql.benchmark.figures import data_exhibits, score_exhibits
from sciql.benchmark.figures.bars import Group, grouped
from sciql.benchmark.figures.bars import Panel as BarPanel
from sciql.benchmark.figures.fronts import Front, _steps, front
from sciql.benchmark.figures.growth import noise
from sciql.benchmark.grid import SCIQL, SORL, STYLE_METHODS, TASK_METHODS
from sciql.benchmark.report import page
from sciql.benchmark.scores import Value
from sciql.benchmark.shelf import Shelf, open_shelf
from sciql.benchmark.studies import Slice, cells_of
from sciql.cli import main
from sciql.datasets import make_dataset
from sciql.metrics import hypervolume
from sciql.paper import Figure
from sciql.plots.house import LIGHT

POINTS = {"sorl_beta0": (60, 10), "sorl_beta1": (50, 70), "sorl_beta3": (40, 60)}
POINTS |= {"sciql_style": (90, 5), "sciql_style_task": (80, 80), "sciql_task_style": (50, 95)}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """One seed of the six methods of the fronts, and two variants of the sampling study."""
    folder = tmp_path_factory.mktemp("shelf") / "results"
    studied = cells_of(Slice("sampling", datasets=(INPLACE,), criteria=("speed",), seeds=(0,)))
    listed = [*cells(TASK_METHODS, (0,)), *(cell for variant in studied.values() for cell in variant)]
    shelve(folder, listed, lambda cell: POINTS[cell.method])
    return open_shelf(folder)


def test_fronts_hold_our_points_and_the_paper_s(shelf: Shelf) -> None:
    found = front(shelf.main, INPLACE)
    assert isinstance(found, Front)
    np.testing.assert_allclose(found.sorl, [POINTS[method] for method in SORL])
    np.testing.assert_allclose(found.sciql, [POINTS[method] for method in SCIQL])
    # The paper's mean over all criteria, which it prints rounded.
    np.testing.assert_allclose(found.paper_sciql, [(74.6, 6.6), (71.6, 68.6), (47.9, 89.1)], atol=0.11)
    assert len(found.criteria) == 6
    assert front(shelf.main, "circle2d-navigate-v0") is None


def test_the_outline_of_a_front_encloses_its_hypervolume() -> None:
    points = np.array([(60.0, 10.0), (50.0, 70.0), (40.0, 60.0)])
    x, y = _steps(points)
    assert np.trapezoid(y, x) == pytest.approx(hypervolume(points))
    assert hypervolume(points) == pytest.approx(50 * 70 + 10 * 10)


def test_figures_are_of_the_cells_that_are_there(shelf: Shelf, tmp_path: Path) -> None:
    assert [exhibit.name for exhibit in score_exhibits(shelf)] == ["fronts", "sampling", f"matrices-{INPLACE}"]
    shelve(tmp_path, cells(("cbc",), (0,)), lambda cell: (1, 1))
    assert score_exhibits(open_shelf(tmp_path)) == []


def test_bars_stand_where_the_scores_are() -> None:
    values = (Value(40.0, 2.0, 3), None, Value(60.0, None, 1))
    group = Group("here", values, (Figure(50.0, 1.0), None, None))
    (axes,) = grouped([BarPanel("title", (group,))], ["a", "b", "c"], "Title", LIGHT).axes
    assert [bar.get_height() for bar in axes.patches] == [40.0, 60.0]  # pyright: ignore[reportAttributeAccessIssue]
    assert [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2] == [50.0]  # pyright: ignore[reportIndexIssue, reportArgumentType]


def test_noise_has_a_line_a_method_and_the_threshold(tmp_path: Path) -> None:
    studied = cells_of(Slice("noise", datasets=(INPLACE,), criteria=("speed",), seeds=(0,)))
    listed = [cell for variant in studied.values() for cell in variant]
    shelve(tmp_path, listed, lambda cell: (100 - 50 * cell.noise, 0))
    (exhibit,) = noise(open_shelf(tmp_path))
    (axes,) = exhibit.draw(LIGHT, 4).axes
    lines = {str(line.get_label()): line for line in axes.lines}
    assert len([name for name in lines if not name.startswith("_")]) == len(STYLE_METHODS)
    np.testing.assert_allclose(np.asarray(lines["CBC"].get_ydata()), [100, 90, 80, 70, 60, 50])
    threshold = next(line for name, line in lines.items() if name.startswith("_"))
    assert list(np.asarray(threshold.get_xdata())) == pytest.approx([2 / 3, 2 / 3])


def test_cost_counts_steps_and_seconds_of_training(tmp_path: Path) -> None:
    studied = cells_of(Slice("steps", datasets=(INPLACE,), criteria=("speed",), seeds=(0,), methods=("cbc",)))
    shelve(tmp_path, [cell for variant in studied.values() for cell in variant], lambda cell: (50, 0))
    exhibit = next(exhibit for exhibit in score_exhibits(open_shelf(tmp_path)) if exhibit.name == "cost")
    steps, seconds = exhibit.draw(LIGHT, 4).axes
    assert set(np.asarray(steps.lines[0].get_xdata())) == {50.0}
    assert set(np.asarray(seconds.lines[0].get_xdata())) == {3.0}


@pytest.fixture
def small(tmp_path: Path) -> Iterator[None]:
    with small_dataset(tmp_path / "minari"):
        make_dataset(NAME)
        yield


@pytest.mark.usefixtures("small")
def test_the_data_has_trajectories_labels_and_histograms() -> None:
    exhibits = {exhibit.name: exhibit for exhibit in data_exhibits([NAME])}
    assert exhibits.keys() == {f"trajectories-{NAME}", f"labels-{NAME}", f"histograms-{NAME}"}
    drawn = exhibits[f"trajectories-{NAME}"].draw(LIGHT, 4)
    # Of 20 episodes 5, 20, 50 and 100 %.
    assert [len(axes.collections[0].get_paths()) for axes in drawn.axes] == [1, 4, 10, 20]
    assert len(exhibits[f"labels-{NAME}"].draw(LIGHT, 4).axes) == 12


def test_the_report_needs_nothing_else_and_says_all(shelf: Shelf) -> None:
    text = page(shelf)
    assert not re.search(r"(?:src|href|srcset)=[\"'](?!data:)", text)
    assert "http" not in re.sub(r"base64,[\w+/=]+", "", text)
    assert "$" not in re.sub(r"base64,[\w+/=]+", "", text)
    for words in (
        "Style alignment, all criteria",
        "hypervolumes",
        "prefers-color-scheme: dark",
        "viewport",
        "inconclusive",
    ):
        assert words in text
    assert text.count("<figure>") == 3


@pytest.mark.usefixtures("small")
def test_figures_and_report_on_the_command_line(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--results", str(shelf.results.folder)]
    monkeypatch.setattr("sciql.benchmark.figures.data_exhibits", lambda names: iter(()))
    assert main(["benchmark", "figures", *words, "--out", "drawn"]) == 0
    assert "no figures of circle2d-navigate-v0" in capsys.readouterr().err
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert names == {
        f"{name}.{kind}" for name in ("fronts", "sampling", f"matrices-{INPLACE}") for kind in ("png", "pdf")
    }
    assert main(["benchmark", "report", *words]) == 0
    assert capsys.readouterr().out == "open benchmark.html\n"
    assert (tmp_path / "benchmark.html").stat().st_size > 50_000
    assert main(["benchmark", "report", *words, "--out", __file__ + "/page.html"]) == 2


def test_other_settings_have_figures_of_their_own(shelf: Shelf) -> None:
    assert score_exhibits(replace(shelf, preset="paper")) == []
