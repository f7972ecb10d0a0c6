"""Criteria of a user's own: written in a file, found again for a run, and checked before they are trusted."""

import json
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import SIDE, sides, tiny_episodes, tiny_settings

import sciql
from sciql.criteria import Criterion, criterion, from_record, labelled, load_criteria
from sciql.criteria import trial as trials
from sciql.errors import SciqlError, SciqlWarning
from sciql.labels import require_support

MINE = """
import sciql
from neighbour import BORDER

@sciql.styles("left", "middle", "right", unasked=["middle"])
def side(side, border=BORDER):
    return side

low = sciql.bins("side", [border], ["low", "high"], name="low") if (border := 1) else None
both = side + low
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text("BORDER = 1")
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def labels_of(made: Criterion, starts: list[int] | None = None, **columns: Any) -> list[int]:
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    count = len(next(iter(arrays.values())))
    return made.label_columns(arrays, np.array(starts or [0, count])).tolist()


def test_a_functions_parameters_are_the_signals_that_it_reads() -> None:
    @sciql.styles("slow", "fast")
    def pace(dx, dy, limit=2.0):  # pyright: ignore[reportMissingParameterType]
        return np.hypot(dx, dy) > limit

    assert (pace.name, pace.styles, pace.signals, pace.prompts) == ("pace", ("slow", "fast"), ("dx", "dy"), (0, 1))
    assert pace.settings["limit"] == 2.0
    assert labels_of(pace, dx=[1.0, 3.0], dy=[0.0, 0.0]) == [0, 1]


def test_starts_come_where_the_function_wants_them() -> None:
    @sciql.styles("first", "later", signals=["torso height"], name="mine/half", window=2)
    def half(starts, height):  # pyright: ignore[reportMissingParameterType]
        return np.isin(np.arange(len(height)), starts, invert=True)

    assert (half.name, half.window, half.signals) == ("mine/half", 2, ("torso height",))
    single = replace(half, window=1)
    assert labels_of(single, [0, 2, 4], **{"torso height": np.zeros(4)}) == [0, 1, 0, 1]


def test_another_text_of_a_function_is_another_criterion() -> None:
    def made(text: str, folder: Path) -> Criterion:
        (folder / "mine.py").write_text(text)
        return criterion("side", file=folder / "mine.py")

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        first = made('import sciql\n@sciql.styles("a", "b")\ndef side(x):\n    return x > 0', Path(folder))
        moved = made('import sciql\n\n@sciql.styles("a", "b")\ndef side(x):\n    return x > 0', Path(folder))
        other = made('import sciql\n@sciql.styles("a", "b")\ndef side(x):\n    return x > 1', Path(folder))
    assert first == moved != other
    assert first.source != moved.source


def test_a_stored_column_is_a_criterion() -> None:
    gait = sciql.stored("gait", ["walk", "trot"])
    assert labels_of(gait, gait=np.array([0.0, 1.0, 1.0], np.float32)) == [0, 1, 1]
    mode = sciql.stored("mode", {7: "idle", 3: "chase"}, name="what")
    assert (mode.name, mode.styles) == ("what", ("idle", "chase"))
    assert labels_of(mode, mode=[3, 7]) == [1, 0]
    assert mode == sciql.stored("mode", {7: "idle", 3: "chase"}, name="what") != sciql.stored("mode", {7: "idle"})
    with pytest.raises(SciqlError, match=r"'mode' holds 4 at step 1; what knows 7 \(idle\), 3 \(chase\)"):
        labels_of(mode, mode=[3, 4])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_a_stored_column_is_its_own_label(column: list[int]) -> None:
    assert labels_of(sciql.stored("c", [f"s{k}" for k in range(5)]), c=column) == column


def test_a_file_brings_all_that_it_makes(mine: Path) -> None:
    found = load_criteria(mine)
    assert list(found) == ["side", "low", "side+low"]
    assert found["side"].settings["border"] == 1
    assert found["side"].prompts == (0, 2)
    assert {one.source.file for one in found.values() if one.source} == {str(mine)}
    assert from_record(found["side+low"].record()) == found["side+low"]
    assert criterion("side+low", file=mine) == found["side"] + found["low"]
    assert criterion("speed", file=mine) == criterion("speed")
    assert criterion("low+speed", file=mine).parts[1] == criterion("speed")


def test_ones_own_name_goes_before_sciqls(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text('import sciql\nspeed = sciql.bins("dx", [1], ["a", "b"], name="speed")')
    assert criterion("speed", file=tmp_path / "mine.py").styles == ("a", "b")
    assert criterion("circle2d/speed", file=tmp_path / "mine.py").styles == ("slow", "medium", "fast")


FILES = {
    "x =": r"mine.py fails in line 1 of mine.py \(SyntaxError",
    "\nx = 1 / 0": r"mine.py fails in line 2 of mine.py \(ZeroDivisionError: division by zero\)",
    "import nowhere": r"mine.py fails in line 1 of mine.py \(ModuleNotFoundError: No module named 'nowhere'\)",
    "raise SystemExit": r"mine.py fails in line 1 of mine.py \(SystemExit\)",
    "x = 1": "makes no criterion; decorate a function in it with @sciql.styles",
    'import sciql\na = sciql.stored("x", "ab")\nb = sciql.bins("x", [1], ["p", "q"])': "two criteria of the name x",
    "import sciql\n@sciql.styles\ndef side(x): return x": 'write the names of the styles .*: @sciql.styles\\("slow"',
    'import sciql\n@sciql.styles("a", "b")\ndef side(*x): return x': r"side takes \*x; name the signals",
    'import sciql\n@sciql.styles("a", "b", unasked=["c"])\ndef side(x): return x': "no style to leave unasked 'c'",
    'import sciql\n@sciql.styles("a", signals=["p", "q"])\ndef side(x): return x': "side names 2 signals; it needs one",
    'import sciql\n@sciql.styles("a")\ndef side(x, *, k): return x': "has a setting k without a value",
    'import sciql\nx = sciql.stored("x", {"a": 1})': "a mapping from whole numbers to names",
}


@pytest.mark.parametrize("text", FILES)
def test_a_wrong_file_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(SciqlError, match=FILES[text]) as caught:
        criterion("side", file=tmp_path / "mine.py")
    assert "\n" not in str(caught.value)


def test_files_and_names_that_are_not_there(mine: Path, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match=r"there is no file .*nowhere\.py with criteria"):
        load_criteria(tmp_path / "nowhere.py")
    with pytest.raises(SciqlError, match="no criterion 'sied'; did you mean side"):
        criterion("sied", file=mine)


def test_what_a_file_prints_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        'import sciql\nprint("made")\n@sciql.styles("a", "b")\ndef side(x):\n    print("asked")\n    return x'
    )
    assert labels_of(criterion("side", file=path), x=[0, 1]) == [0, 1]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "made\nasked\n")


def test_a_run_finds_its_criterion_again(mine: Path, tmp_path: Path) -> None:
    chosen = criterion("low+side", file=mine).supported(tiny_episodes())
    assert len(chosen.prompts) == 2  # "middle" cannot be asked for, low is never right, and high is never left
    run = sciql.train("cbc", tiny_episodes(), chosen, settings=tiny_settings(), out=tmp_path / "run")
    assert run.document["criterion"]["settings"]["parts"][0]["source"]["file"] == str(mine)
    found = sciql.load_policy(tmp_path / "run").criterion
    assert found == chosen
    assert found is not None
    assert found.prompts == chosen.prompts

    mine.write_text(MINE + "\n# another day")
    with pytest.raises(SciqlError, match=re.escape(f"{mine} has changed since this run was trained on its criterion")):
        print(sciql.load_policy(tmp_path / "run").criterion)
    assert from_record(run.document["criterion"], mine) == chosen

    moved = mine.rename(tmp_path / "moved.py")
    with pytest.raises(SciqlError, match="which is gone; put it back, or say where it is now with --criteria"):
        print(sciql.load_policy(tmp_path / "run").criterion)
    policy = sciql.load_policy(tmp_path / "run")
    assert policy.act(np.zeros(3), "low=low, side=left").shape == (2,)
    # The path is no part of a run: it goes on with the same criterion from elsewhere.
    again = criterion("low+side", file=moved).supported(tiny_episodes())
    sciql.train("cbc", tiny_episodes(), again, settings=tiny_settings(), out=tmp_path / "run", resume=True)


def test_a_criterion_that_has_other_styles_now_is_told(mine: Path) -> None:
    record = json.loads(json.dumps(criterion("low", file=mine).record()))
    mine.write_text(MINE.replace('"low", "high"', '"under", "over"'))
    with pytest.raises(SciqlError, match="low has the styles under, over now, and had others"):
        from_record(record, mine)


def own(function: Callable[..., Any], **changes: Any) -> Criterion:
    return replace(SIDE, function=function, **changes)


WRONG = {
    "fails": (lambda columns, starts: columns["side"][:, 2], r"fails in line \d+ of test_own_criteria.py \(IndexError"),
    "leaves": (lambda columns, starts: exit(), r"fails .*\(SystemExit"),
    "writes": (lambda columns, starts: columns["side"].sort(), "fails .*read-only"),
    "short": (lambda columns, starts: columns["side"][:-1], r"gives labels of shape \(83,\); \(84,\) is one a step"),
    "fraction": (lambda columns, starts: columns["side"] / 2, "gives float64 labels; they must be whole numbers"),
    "range": (lambda columns, starts: columns["side"] + 1, "its 3 styles are numbered 0 to 2"),
    "whim": (
        lambda columns, starts: np.random.default_rng().integers(0, 3, len(columns["side"])),
        r"is not repeatable: asked twice about the same steps, it labels \d+ of 84 otherwise",
    ),
    "others": (
        lambda columns, starts: (np.arange(len(columns["side"])) > np.median(np.arange(len(columns["side"])))).astype(
            int
        ),
        "depend on other episodes: .* % of those of the first 7 change",
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_function_is_one_sentence_before_anything_is_made(mistake: str, tmp_path: Path) -> None:
    function, sentence = WRONG[mistake]
    with pytest.raises(SciqlError, match=sentence) as caught:
        sciql.train("cbc", tiny_episodes(), own(function), settings=tiny_settings(), out=tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_slow_function_is_named_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(columns: Any, starts: np.ndarray) -> np.ndarray:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return sides(columns, starts)

    monkeypatch.setattr(trials, "PATIENCE", 0.01)
    with pytest.warns(SciqlWarning, match=r"tiny/side takes \d+\.\d µs a step, .* look for a loop over steps"):
        labels = labelled(own(slow), tiny_episodes())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (labelled(SIDE, tiny_episodes()) == labels).all()


def test_one_episode_longer_than_a_trial_is_labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "TRIED", 5)
    assert (labelled(SIDE, tiny_episodes()) == SIDE.label(tiny_episodes())).all()


def test_noise_comes_after_the_trial() -> None:
    noisy = SIDE.with_noise(0.5, seed=3)
    assert (labelled(noisy, tiny_episodes()) == noisy.label(tiny_episodes())).all()


def test_a_style_that_hardly_occurs_is_named_before_training() -> None:
    labels = np.zeros(5000, np.int32)
    labels[0] = 2
    with pytest.warns(SciqlWarning, match=r"hardly a step of the data shows right \(0.02 %\) of tiny/side"):
        require_support(labels, replace(SIDE, promptable=(True, False, True)))
