"""The demo, with policies written by hand in the place of trained ones."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hand_written import Pacer, small_dataset

from sciql import video
from sciql.cli import main

CURVE = [{"stage": "policy", "step": step, "seconds": 0.1, "loss": 1 / step} for step in range(1, 9)]


@dataclass(frozen=True)
class FakeRun:
    policy: Pacer
    curve: list[dict[str, Any]]


@pytest.fixture(scope="module")
def calls() -> list[dict[str, Any]]:
    """How the trainings were asked for."""
    return []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, calls: list[dict[str, Any]]) -> Iterator[Path]:
    """What `sciql demo` leaves behind."""

    def train(method: str, *_: object, **settings: object) -> FakeRun:
        calls.append({"method": method, **settings})
        return FakeRun(Pacer(deaf=method == "cbc", method=method), CURVE)

    out = tmp_path_factory.mktemp("demo") / "out"
    with small_dataset(tmp_path_factory.mktemp("minari")), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sciql.training.train", train)
        scene = video.SCENES["sciql/Circle2d-v0"]
        patch.setitem(video.SCENES, "sciql/Circle2d-v0", scene._replace(stride=251))
        assert main(["demo", "--out", str(out), "--criterion", "speed", "--steps", "9", "--json"]) == 0
        yield out


def test_both_methods_are_trained_for_the_steps_asked_for(folder: Path, calls: list[dict[str, Any]]) -> None:
    assert [(call["method"], call["steps"], call["out"].parent) for call in calls] == [
        ("sciql_style_task", 9, folder / "runs"),
        ("cbc", 9, folder / "runs"),
    ]


def test_the_scores_stand_beside_the_papers(folder: Path) -> None:
    ours, baseline = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["methods"]
    assert ours["style"]["mean"] == 100
    assert baseline["style"]["mean"] == pytest.approx(100 / 3)
    assert ours["paper"] == {"style": {"mean": 94.5, "std": 7.6}, "task": {"mean": 91.5, "std": 2.1}}
    assert baseline["paper"]["task"] is None


def test_the_page_needs_nothing_but_itself(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|srcset|href)="([^"]{0,40})', page)
    assert len(sources) > 10
    assert all(source.startswith("data:") for source in sources)
    assert "$" not in re.sub(r'"data:[^"]*"', "", page)
    for word in ("One policy, 3 styles", "100.0", "prefers-color-scheme: dark", "Beside the paper", "CBC"):
        assert word in page


def test_pictures_and_film_are_files_too(folder: Path) -> None:
    names = {path.name for path in (folder / "pictures").iterdir()}
    assert {"scores.png", "scores.svg", "labels.png", "rollouts-cbc.png", "matrix-sciql_style_task.svg"} <= names
    assert (folder / "film.mp4").exists()
