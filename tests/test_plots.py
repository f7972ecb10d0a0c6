"""Pictures are made, whole and not empty."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hand_written import Pacer
from matplotlib.figure import Figure
from PIL import Image

from sciql import criterion, evaluate
from sciql.criteria import label_report
from sciql.envs.circle2d_agent import demonstrate
from sciql.evaluation import Evaluation
from sciql.metrics import Summary
from sciql.paper import Figure as Printed
from sciql.plots import DARK, LIGHT, Row, Theme, bars, curves, has_paths, histograms, matrix, paths, save
from sciql.plots.house import colours, png

LINES = [
    {"stage": stage, "step": step, "seconds": 0.1, "loss": 1 / (1 + step), "note": "text is no figure"}
    for stage in ("style values", "policy")
    for step in range(0, 100, 10)
]
ROWS = [
    Row("SCIQL", Summary(98, 1), Summary(20, 5), Printed(96.1, 1.9), Printed(17.3, 4.1)),
    Row("CBC", Summary(0, 0), Summary(100, 30), Printed(15.0, 10.3), None),
]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(Pacer(), episodes=2)


def _histograms(theme: Theme) -> Figure:
    episodes = demonstrate("inplace", 0, 4, "small", 100)
    criteria = [criterion(name) for name in ("position", "turn_direction")]
    return histograms(criteria, [label_report(one, episodes) for one in criteria], theme)


PICTURES: dict[str, Callable[[Evaluation, Theme], Figure]] = {
    "paths": lambda evaluation, theme: paths(evaluation, "paths", theme, columns=2),
    "matrix": lambda evaluation, theme: matrix(evaluation, "matrix", theme),
    "curves": lambda evaluation, theme: curves(LINES, "curves", theme),
    "bars": lambda evaluation, theme: bars(ROWS, "bars", theme),
    "histograms": lambda evaluation, theme: _histograms(theme),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_a_png_and_an_svg_with_something_on_it(name: str, evaluation: Evaluation, tmp_path: Path) -> None:
    image, drawing = save(PICTURES[name](evaluation, LIGHT), tmp_path / "folder" / name)
    assert (image.name, drawing.name) == (f"{name}.png", f"{name}.svg")
    with Image.open(image) as opened:
        pixels = np.asarray(opened.convert("RGB"))
    assert pixels.std() > 5
    assert "<svg" in drawing.read_text(encoding="utf-8")
    assert sorted(path.name for path in image.parent.iterdir()) == [image.name, drawing.name]


def test_the_same_picture_is_the_same_file(evaluation: Evaluation, tmp_path: Path) -> None:
    first, second = (save(matrix(evaluation, "same"), tmp_path / name, ["svg"])[0] for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_a_dark_picture_is_dark(evaluation: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "dark.png"
    path.write_bytes(png(matrix(evaluation, "dark", DARK)))
    with Image.open(path) as opened:
        assert opened.convert("L").getpixel((0, 0)) < 40  # pyright: ignore[reportOperatorIssue]


def test_styles_that_cannot_be_asked_for_are_grey_in_every_picture() -> None:
    right, left, straight = colours(criterion("turn_direction"), LIGHT)
    assert (right, left, straight) == (LIGHT.styles[0], LIGHT.styles[1], LIGHT.styles[-1])


def test_more_styles_than_colours_use_them_again() -> None:
    many = criterion("movement_direction", sectors=10)
    assert colours(many, LIGHT)[8] == LIGHT.styles[0]


def test_only_environments_with_a_map_have_paths(evaluation: Evaluation) -> None:
    from dataclasses import replace

    assert has_paths(evaluation)
    assert not has_paths(replace(evaluation, environment="Elsewhere-v0"))
