"""Films of rollouts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_written import Pacer
from PIL import Image

from sciql import SciqlError, evaluate, video
from sciql.evaluation import Evaluation


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(Pacer(), episodes=1)


@pytest.fixture
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "STRIDE", 251)


def test_frames_have_a_panel_a_style_and_change(evaluation: Evaluation, few_frames: None) -> None:
    first, *_, last = video.frames(evaluation)
    assert first.shape == (video.PANEL + video.CAPTION, 3 * video.PANEL, 3)
    for panel in range(3):
        columns = slice(panel * video.PANEL, (panel + 1) * video.PANEL)
        assert (first[:, columns] != last[:, columns]).any()


def test_a_caption_shows_the_colours_of_what_is_asked_and_shown(evaluation: Evaluation) -> None:
    same, different = (video._caption(evaluation, asked, row=0) for asked in (0, 2))
    np.testing.assert_array_equal(same[8:18, 60:66], same[26:36, 60:66])
    assert (different[8:18, 60:66] != different[26:36, 60:66]).any()


def test_an_mp4_is_written(evaluation: Evaluation, few_frames: None, tmp_path: Path) -> None:
    path = video.film(evaluation, tmp_path / "film")
    assert path == tmp_path / "film.mp4"
    assert path.read_bytes()[4:8] == b"ftyp"
    assert list(tmp_path.iterdir()) == [path]


def test_without_ffmpeg_it_is_a_gif(
    evaluation: Evaluation, few_frames: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video, "has_mp4", lambda: False)
    path = video.film(evaluation, tmp_path / "film")
    assert path == tmp_path / "film.gif"
    with Image.open(path) as opened:
        assert opened.n_frames == 4  # pyright: ignore[reportAttributeAccessIssue]


def test_what_has_no_picture_cannot_be_filmed(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match="can be filmed in sciql/Circle2d-v0"):
        video.film(replace(evaluation, environment="Elsewhere-v0"), tmp_path / "film")
    assert list(tmp_path.iterdir()) == []
