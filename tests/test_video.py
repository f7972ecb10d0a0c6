"""Films of rollouts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_written import Kicker, Pacer
from PIL import Image

from sciql import SciqlError, evaluate, video
from sciql.envs.circle2d_render import LABELS
from sciql.evaluation import Evaluation
from sciql.plots.house import shades


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(Pacer(), episodes=1)


@pytest.fixture
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, scene in video.SCENES.items():
        monkeypatch.setitem(video.SCENES, name, scene._replace(stride=251, steps=1000))


def test_frames_have_a_panel_a_style_and_change(evaluation: Evaluation, few_frames: None) -> None:
    first, *_, last = video.frames(evaluation)
    assert first.shape == (video.PANEL + video.CAPTION, 3 * video.PANEL, 3)
    for panel in range(3):
        columns = slice(panel * video.PANEL, (panel + 1) * video.PANEL)
        assert (first[:, columns] != last[:, columns]).any()


def test_a_cheetah_is_drawn_where_it_is_and_in_the_colour_of_what_it_shows(few_frames: None) -> None:
    evaluation = evaluate(Kicker(), episodes=1)
    assert evaluation.labels is not None and evaluation.criterion is not None
    for first, row in ((0, 0), (1000, 1200)):
        picture = video.SCENES[evaluation.environment].painter(evaluation, row, first, 90)
        colour = LABELS[shades(evaluation.criterion)[evaluation.labels[row]]]
        inside = np.argwhere((np.abs(picture.astype(int) - colour) < 3).all(axis=2))
        assert 40 < inside[:, 1].mean() < 55, "the torso's middle is the picture's"
        assert inside[:, 0].max() < 90 * 0.8, "the ground bears it"
    assert len(list(video.frames(evaluation))) == 4


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
    with pytest.raises(SciqlError, match="can be filmed in sciql/Circle2d-v0, sciql/HalfCheetah-v0, and"):
        video.film(replace(evaluation, environment="Elsewhere-v0"), tmp_path / "film")
    assert list(tmp_path.iterdir()) == []
