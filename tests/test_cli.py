"""The command line: mistakes are one sentence and exit code 2, results are on stdout, --json is one document."""

import errno
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hand_written import NAME, small_dataset

from sciql import video
from sciql.cli import main


@pytest.fixture(scope="module", autouse=True)
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with small_dataset(tmp_path_factory.mktemp("minari")):
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a few steps."""
    folder = tmp_path_factory.mktemp("runs") / "cbc"
    assert run(["train", "cbc", NAME, "speed", "--steps", "5", "--out", str(folder), "--json"]) == 0
    return folder


def run(words: Sequence[str]) -> int:
    """The exit code of a command, however it ends."""
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


MISTAKES = {
    "trian": "no command 'trian'; did you mean train?",
    "--nope": "unrecognized options: --nope",
    "data mkae": "no command 'mkae'; did you mean make?",
    "data make": "sciql data make needs DATASET; see sciql data make --help",
    "data make circle2d-inplac-v0": "did you mean circle2d-inplace-v0",
    "data check nowhere": "no dataset 'nowhere'",
    "label": "sciql label needs DATASET",
    "label circle2d-inplac-v0": "no dataset 'circle2d-inplac-v0'; did you mean circle2d-inplace-v0",
    f"label {NAME} positoin": "no criterion 'positoin'; did you mean position?",
    f"label {NAME} position --out labels.pdf": "end it in .png or .svg",
    f"label {NAME} position --out {__file__}/labels.png": "is a file; name a folder",
    f"label {NAME} position --noise 2": "cannot have 2.0 as noise",
    "train cbc": "sciql train needs DATASET",
    f"train cbb {NAME} position": "no method 'cbb'; did you mean cbc",
    f"train cbc {NAME} posiiton": "no criterion 'posiiton'",
    f"train cbc {NAME}": "needs a criterion",
    f"train cbc {NAME} position --steps many": "--steps cannot be 'many'; see sciql train --help",
    f"train cbc {NAME} position --steps": "--steps needs a value after it",
    f"train cbc {NAME} position --stpes 3": "did you mean --steps?",
    f"train cbc {NAME} position --preset fast": "invalid choice 'fast' for argument '--preset'",
    f"train cbc {NAME} position extra": "unrecognized options: extra",
    f"train cbc {NAME} position --out {__file__}": "name a folder",
    "evaluate": "sciql evaluate needs RUN",
    "evaluate nowhere": "nowhere",
    f"evaluate {__file__}": "test_cli.py",
    "evaluate nowhere --offline": "nowhere holds no run",
    "evaluate nowhere --offline --video": "without an environment there is nothing to film",
    "evaluate nowhere --steps 3": "--dataset and --steps say how to judge by logs; add --offline",
    "evaluate nowhere --offline --steps 0": "an estimate takes at least 1 step, not 0",
    f"train cbc {NAME} speed --holdout 1.5": "a share of 1.5 of the 20 episodes",
    "plot nowhere": "nowhere",
    "export nowhere": "nowhere holds no run",
    "export": "sciql export needs RUN",
    "export nowhere --to onxx": "invalid choice 'onxx' for argument '--to'",
    "demo --criterion posiiton": "no criterion 'posiiton'; did you mean position?",
    f"demo --out {__file__}": "is a file; name a folder",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_code_2(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("sciql: ")
    assert said.err.count("\n") == 1
    assert MISTAKES[command] in said.err


def test_nothing_is_left_behind_by_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in MISTAKES:
        run(command.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "data list",
        f"data make {NAME}",
        f"data check {NAME}",
        f"label {NAME}",
        f"label {NAME} radius",
        "doctor",
    ],
)
def test_json_is_one_document_and_nothing_else(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--json"]) == 0
    said = capsys.readouterr()
    assert isinstance(json.loads(said.out), dict)
    assert said.err == ""


@pytest.mark.parametrize("command", ["", "--help", "data", "train --help", "--version"])
def test_help_and_version_are_no_mistakes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == 0
    assert "sciql" in capsys.readouterr().out


def test_label_shows_every_style_and_draws_the_histogram(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "new" / "labels.svg"
    assert run(["label", NAME, "turn_direction", "--out", str(picture)]) == 0
    out = capsys.readouterr().out
    for word in ("right", "left", "straight (cannot be asked for)", "flicker", "█", f"sciql train sciql_style {NAME}"):
        assert word in out
    assert picture.read_text(encoding="utf-8").count("<svg") == 1


def test_label_without_a_criterion_shows_all_that_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["label", NAME, "--json"]) == 0
    names = [report["criterion"] for report in json.loads(capsys.readouterr().out)["criteria"]]
    assert names == [
        f"circle2d/{name}"
        for name in ("position", "movement_direction", "turn_direction", "radius", "speed", "curvature_noise")
    ]


def test_label_noise_shows_in_the_shares(capsys: pytest.CaptureFixture[str]) -> None:
    def flicker(*noise: str) -> float:
        assert run(["label", NAME, "speed", "--json", *noise]) == 0
        return json.loads(capsys.readouterr().out)["criteria"][0]["flicker"]

    assert flicker() < 0.05 < 0.5 < flicker("--noise", "0.6")


def test_ctrl_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sciql.training.train", interrupted)
    assert run(["train", "cbc", NAME, "position", "--seed", "3", "--steps", "7"]) == 130
    assert capsys.readouterr().err == (
        f"sciql: interrupted; go on with: sciql train cbc {NAME} position --seed 3 --preset exact "
        f"--out runs/{NAME}/position/cbc/seed3 --steps 7 --resume\n"
    )


@pytest.mark.parametrize(
    ("number", "sentence"), [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "permission denied")]
)
def test_what_the_system_refuses_is_one_sentence(
    number: int, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, "refused", "/some/file")

    monkeypatch.setattr("sciql.datasets.list_datasets", refused)
    assert run(["data", "list"]) == 2
    assert f"/some/file: {sentence}" in capsys.readouterr().err


def test_train_tells_what_it_did_and_what_comes_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert run(["train", "bc", NAME, "--steps", "5", "--out", str(folder)]) == 0
    out = capsys.readouterr().out
    for word in ("bc, seed 0", "policy", f"sciql evaluate {folder}", f"sciql plot {folder}"):
        assert word in out
    assert run(["train", "bc", NAME, "--steps", "5", "--out", str(folder)]) == 2
    assert str(folder) in capsys.readouterr().err


def test_evaluate_shows_every_style_and_their_mean(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(trained), "--episodes", "2"]) == 0
    out = capsys.readouterr().out
    for word in ("slow", "medium", "fast", "mean", "paper"):
        assert word in out


def test_evaluate_takes_a_policy_file_too(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = []
    for path in (trained, trained / "policy.npz"):
        assert run(["evaluate", str(path), "--episodes", "1", "--json"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0] == documents[1]
    assert documents[0]["criterion"] == "circle2d/speed"


def test_evaluate_films(trained: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    name = "sciql/Circle2d-v0"
    monkeypatch.setitem(video.SCENES, name, video.SCENES[name]._replace(stride=251))
    assert run(["evaluate", str(trained), "--episodes", "1", "--video", "--json"]) == 0
    assert Path(json.loads(capsys.readouterr().out)["video"]).stat().st_size > 1000


def test_plot_draws_rollouts_matrix_and_learning_curve(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plot", str(trained), "--episodes", "1", "--out", str(tmp_path), "--json"]) == 0
    pictures = [Path(path) for path in json.loads(capsys.readouterr().out)["pictures"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in pictures)
    assert {path.stem for path in pictures} == {"rollouts", "matrix", "learning"}


def test_evaluate_offline_says_what_is_held_out_and_what_is_an_estimate(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", str(trained), "--offline", "--steps", "3"]) == 0
    out = capsys.readouterr().out
    for word in (
        "seen steps",
        "style, estimate",
        "task, estimate",
        "steps that the policy may have learnt from",
        "medium",
    ):
        assert word in out
    held = str(tmp_path / "held")
    assert run(["train", "cbc", NAME, "speed", "--steps", "5", "--holdout", "0.2", "--out", held, "--json"]) == 0
    capsys.readouterr()
    assert run(["evaluate", held, "--offline", "--steps", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["held_out"], document["episodes"]) == (True, 4)
    assert sum(row["steps"] for row in document["styles"]) == 4 * 120
    # What a policy file alone learnt from is not known.
    words = ["evaluate", str(trained / "policy.npz"), "--offline", "--steps", "3", "--json"]
    assert run(words) == 2
    assert run([*words, "--dataset", NAME]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["held_out"], document["episodes"]) == (False, 20)


@pytest.mark.parametrize("to", ["onnx", "stablehlo"])
def test_export_tells_what_the_file_reads_and_says(to: str, trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(trained), "--to", to]) == 0
    out = capsys.readouterr().out
    for word in (f"policy.{to}", f"acts as ours on 1000 observations of {NAME}", "0 slow, 1 medium, 2 fast"):
        assert word in out
    assert run(["export", str(trained), "--to", to, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert Path(document["file"]) == trained / f"policy.{to}"
    assert document["styles"] == {"slow": 0, "medium": 1, "fast": 2}
    assert document["difference"] <= 1e-5


def test_a_policy_file_alone_is_exported_on_data_that_is_named(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", str(trained / "policy.npz"), "--out", str(tmp_path / "mine.onnx")]
    assert run(words) == 2
    assert "name data to check on by --dataset" in capsys.readouterr().err
    assert run([*words, "--dataset", NAME]) == 0
    capsys.readouterr()
    assert run(["evaluate", str(tmp_path / "mine.onnx"), "--episodes", "1", "--json"]) == 0
    onnx = json.loads(capsys.readouterr().out)
    assert run(["evaluate", str(trained), "--episodes", "1", "--json"]) == 0
    assert onnx == json.loads(capsys.readouterr().out)


def test_a_policy_without_episodes_is_a_mistake(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(trained), "--episodes", "0"]) == 2
    assert "at least 1 episode" in capsys.readouterr().err


def test_a_policy_that_knows_no_styles_is_judged_on_those_of_a_criterion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["train", "bc", NAME, "--steps", "5", "--out", str(tmp_path / "bc"), "--json"]) == 0
    capsys.readouterr()
    assert run(["evaluate", str(tmp_path / "bc"), "--episodes", "1"]) == 0
    assert "add --criterion" in capsys.readouterr().out
    assert run(["evaluate", str(tmp_path / "bc"), "--episodes", "1", "--criterion", "speed"]) == 0
    assert "medium" in capsys.readouterr().out
