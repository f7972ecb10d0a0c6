"""The laboratory of labels: its figures beside loops and by hand, its clips, and its page."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hand_written import NAME, small_dataset
from hypothesis import given, settings
from hypothesis import strategies as st

from sciql.cli import main
from sciql.criteria import Criterion, bins, criterion, stored
from sciql.episodes import Episodes
from sciql.laboratory import Laboratory, examine
from sciql.laboratory.charts import lines
from sciql.laboratory.clips import LONGEST, SHORTEST, typical_clips
from sciql.laboratory.figures import closure, percent
from sciql.laboratory.page import page

LABEL = stored("label", ["a", "b", "c"])


def episodes_of(*labels: str, environment: str | None = None) -> Episodes:
    """Episodes whose signal spells their labels."""
    column = np.array([ord(letter) - ord("a") for letter in "".join(labels)])
    ends = np.cumsum([len(episode) for episode in labels]) - 1
    steps = len(column)
    return Episodes.from_arrays(
        observations=np.zeros((steps, 1)),
        actions=np.zeros((steps, 1)),
        rewards=np.zeros(steps),
        terminations=np.zeros(steps, bool),
        truncations=np.isin(np.arange(steps), ends),
        final_observations=np.zeros((len(labels), 1)),
        signals={"label": column, "other": column % 2, "x": column, "y": column, "heading": column},
        name="letters",
        environment=environment,
    )


LETTERS = st.lists(st.text("abc", min_size=2, max_size=9), min_size=1, max_size=5)


def test_figures_by_hand() -> None:
    seen = examine(LABEL, episodes_of("aabb", "bbbb", "abab"))
    assert seen.moves.tolist() == [[0, 3, 0], [1, 0, 0], [0, 0, 0]]
    assert (seen.changes, seen.styles_an_episode, seen.constant) == (4 / 3, 5 / 3, 1 / 3)
    # "a" is shown twice, and "b" follows in both; of three episodes with "b", one shows "a" later on.
    assert seen.later[:2, :2].tolist() == [[1, 1], [1 / 3, 1]]
    assert seen.report.flicker == 4 / 9
    assert (seen.dead, seen.rare, seen.alive) == (["c"], [], [0, 1])


@settings(deadline=None, max_examples=60)
@given(LETTERS)
def test_moves_and_what_comes_later_are_those_of_a_loop(letters: list[str]) -> None:
    seen = examine(LABEL, episodes_of(*letters))
    for a, one in enumerate("abc"):
        showing = [episode for episode in letters if one in episode]
        for b, other in enumerate("abc"):
            moves = sum(pair == (one, other) for episode in letters for pair in pairwise(episode))
            assert seen.moves[a, b] == (moves if a != b else 0)
            later = sum(other in episode[episode.index(one) + 1 :] for episode in showing)
            assert seen.later[a, b] == (later / len(showing) if showing else 0)
    # Windows: the radius of 1 is the labels themselves, and shares always sum to 1.
    assert (seen.windows[0].radius, seen.windows[0].flicker) == (1, seen.report.flicker)
    assert all(sum(one.shares) == pytest.approx(1) for one in seen.windows)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_what_can_be_reached_is_found_by_walking(count: int, seed: int) -> None:
    moves = np.random.default_rng(seed).random((count, count)) < 0.25
    found = closure(moves)
    for start in range(count):
        seen, border = {start}, [start]
        while border:
            border = [b for a in border for b in np.flatnonzero(moves[a]).tolist() if b not in seen]
            seen.update(border)
        assert set(np.flatnonzero(found[start]).tolist()) == seen


def said(made: Criterion, *letters: str) -> str:
    return " ".join(examine(made, episodes_of(*letters)).findings())


def test_what_is_odd_is_said() -> None:
    two = stored("label", ["a", "b"])
    assert said(two, ("a" * 30 + "b" * 30) * 2) == ""
    assert "never in the data: c. Training refuses" in said(LABEL, "ab", "ba")
    assert "in under 0.1 % of the steps: b." in said(two, "a" * 2000 + "b" + "a" * 2000)
    assert "every episode keeps to one style" in said(two, "aaaa", "bbbb")
    assert "changes lead from b to a, nor for 2 other pairs" in said(LABEL, "aabbcc", "abbccc")
    flickering = "aaaaabaaaaa" * 4 + "bbbbbabbbbb" * 4
    assert re.search(r"labels flicker: 19.5 % .* A window of 2 would bring that to 1.\d %", said(two, flickering))


def test_a_window_votes_in_every_part_of_a_joint_criterion() -> None:
    both = LABEL + bins("other", [0.5], ["even", "odd"], window=2)
    seen = examine(both, episodes_of("aabaa", "bbabb"))
    by_radius = {one.radius: one for one in seen.windows}
    assert by_radius[1].flicker == 4 / 8
    assert by_radius[2].flicker == 0
    (pair,) = seen.pairs
    assert (pair.names, pair.rows, pair.columns) == (("label", "other"), ("a", "b", "c"), ("even", "odd"))
    # The part with a window of 2 has lost its flicker, the other has not.
    np.testing.assert_allclose(pair.shares, [[0.4, 0.1], [0.1, 0.4], [0, 0]])
    np.testing.assert_allclose(pair.shares.sum(), 1)
    assert seen.brief(0) == "a, even"


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text("abc", min_size=2, max_size=200), min_size=1, max_size=6))
def test_clips_lie_in_their_episode_and_show_their_style(letters: list[str]) -> None:
    episodes = episodes_of(*letters)
    labels = np.asarray(episodes.signals["label"])
    for style in range(3):
        clips = typical_clips(labels, episodes.starts, style)
        assert len(clips) <= 3
        assert bool(clips) == bool((labels == style).any())
        for clip in clips:
            assert episodes.starts[clip.episode] <= clip.first < clip.end <= episodes.starts[clip.episode + 1]
            assert style in labels[clip.first : clip.end]
            assert clip.end - clip.first <= max(LONGEST, SHORTEST)


def test_clips_are_typical_and_of_several_episodes() -> None:
    episodes = episodes_of(*["b" * 50 + "a" * 40 + "bab" for _ in range(4)])
    clips = typical_clips(np.asarray(episodes.signals["label"]), episodes.starts, 0)
    assert len({clip.episode for clip in clips}) == 3
    assert all(clip.end - clip.first == 40 for clip in clips)


def test_shares_are_never_rounded_to_nothing() -> None:
    assert [percent(share) for share in (0, 0.00001, 0.0004, 0.0006, 0.5)] == ["–", "0.001", "0.04", "0.1", "50.0"]


def test_lines_stay_in_their_picture() -> None:
    drawn = lines([("a", "red", [0.0, 50.0, 99.0])], [1, 2, 3], "shares")
    points = [tuple(map(float, point.split(","))) for point in re.findall(r'points="(.*?)"', drawn)[0].split()]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert all(0 <= x <= 340 and 0 <= y <= 210 for x, y in points)
    assert "100 %" in drawn


@pytest.fixture(scope="module")
def circles(tmp_path_factory: pytest.TempPathFactory) -> Episodes:
    from sciql.datasets import load_dataset

    with small_dataset(tmp_path_factory.mktemp("minari")):
        return load_dataset(NAME)


@pytest.fixture(scope="module")
def seen(circles: Episodes) -> Laboratory:
    return examine(criterion("turn_direction+speed"), circles)


def test_the_page_needs_nothing_but_itself(seen: Laboratory) -> None:
    text = page([seen])
    sources = re.findall(r"""(?:src|href)=["']([^"']{0,30})""", text)
    assert len(sources) > len(seen.alive)
    assert all(source.startswith("data:image/png;base64") for source in sources)
    assert not re.search(r"\$\w", re.sub(r"data:[^']*", "", text))
    for word in ("turn direction + speed in", "cannot be asked for", "prefers-color-scheme: dark", "Typical clips"):
        assert word in text
    assert text.count("<div class='film'>") == sum(
        len(typical_clips(seen.labels, seen.episodes.starts, style)) for style in seen.alive
    )


def test_names_are_escaped_and_nothing_is_drawn_without_an_environment() -> None:
    made = stored("label", ["<b>a</b>", "b & c"])
    text = page([examine(made, episodes_of("abab", "ba"))])
    assert "<b>a" not in text
    assert "b &amp; c" in text
    assert "Typical clips" not in text


def test_the_document_is_json(seen: Laboratory) -> None:
    document = json.loads(json.dumps(seen.document(), allow_nan=False))
    assert document["criterion"] == "circle2d/turn_direction+circle2d/speed"
    assert {"dead", "rare", "findings", "windows", "moves", "later", "unreached", "pairs"} <= document.keys()


STYLES = """
import sciql

@sciql.styles("west", "east")
def side(x):
    return x > 0

pace = sciql.bins("dx", [0], ["back", "forth"], name="pace")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(STYLES)
    return tmp_path


@pytest.fixture(autouse=True, scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> object:
    with small_dataset(tmp_path_factory.mktemp("minari")):
        yield


def test_label_shows_the_laboratory(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["label", NAME, "side+speed", "--criteria", "mine.py", "--least", "0", "--html", "new/lab.html"]
    assert main(words) == 0
    out = capsys.readouterr().out
    for word in ("side=west, speed=slow", "side and speed together", "majority vote", "leads to which", "open new/lab"):
        assert word in out
    assert f"next: sciql train sciql_style {NAME} side+speed --criteria mine.py --least 0" in out
    assert (place / "new" / "lab.html").stat().st_size > 10_000
    assert main(["label", NAME, "--criteria", "mine.py", "--json"]) == 0
    assert [one["criterion"] for one in json.loads(capsys.readouterr().out)["criteria"]] == ["side", "pace"]


MISTAKES = {
    f"label {NAME} side": "no criterion 'side'",
    f"label {NAME} sied --criteria mine.py": "no criterion 'sied'; did you mean side",
    f"label {NAME} side --criteria yours.py": "there is no file yours.py with criteria",
    f"label {NAME} side --criteria mine.py --html lab.txt": "lab.txt is no name of a page; end it in .html",
    f"train cbc {NAME} --criteria mine.py": "mine.py has the criteria side, pace; name one of them, or several as in",
    f"train cbc {NAME} side+sped --criteria mine.py": "no criterion 'sped'; did you mean speed",
    "demo --criterion side": "no criterion 'side'",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_mistakes_are_one_sentence(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert MISTAKES[command] in said.err
    assert {path.name for path in place.iterdir()} == {"mine.py"}


def test_one_criterion_in_a_file_needs_no_name(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "mine.py").write_text(STYLES.replace("pace =", "# pace ="))
    assert main(["train", "cbc", NAME, "--criteria", "mine.py", "--steps", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["folder"] == f"runs/{NAME}/side/cbc/seed0"
    assert document["criterion"]["source"]["file"] == str(place / "mine.py")
    assert main(["evaluate", document["folder"], "--episodes", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["styles"]) == 2

    (place / "mine.py").rename(place / "moved.py")
    for command in ("evaluate", "plot"):
        assert main([command, document["folder"], "--episodes", "1"]) == 2
        assert "mine.py, which is gone" in capsys.readouterr().err
    assert main(["evaluate", document["folder"], "--episodes", "1", "--criteria", "moved.py"]) == 0
    assert "west" in capsys.readouterr().out


def test_what_hardly_occurs_is_a_note(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "mine.py").write_text(
        'import sciql\nimport numpy as np\n@sciql.styles("often", "once")\ndef rare(starts, x):\n'
        "    return np.isin(np.arange(len(x)), starts[:1])"
    )
    assert main(["train", "cbc", NAME, "rare", "--criteria", "mine.py", "--steps", "2", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["finished"]
    assert "sciql: note: hardly a step of" in said.err
