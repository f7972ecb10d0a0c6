"""The folder of a run: nothing of others is touched, nothing half-made stays, and a finished run is found again."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tiny import Case, bits

from sciql.errors import SciqlError
from sciql.files import claim
from sciql.policy import load_policy
from sciql.training import load_run


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for out in (file, file / "run"):
        with pytest.raises(SciqlError, match="name a folder"):
            Case("bc").train(out=out)
    assert file.read_text() == "mine"


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(SciqlError, match="holds other files; choose a new or an empty folder"):
        Case("bc").train(out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_foreign_run_json_is_left_alone(tmp_path: Path) -> None:
    for content in ("[]", "{}", "{", '{"finished": true}'):
        (tmp_path / "run.json").write_text(content)
        for attempt in (lambda: Case("bc").train(out=tmp_path, resume=True), lambda: load_run(tmp_path)):
            with pytest.raises(SciqlError, match=r"run.json (does not describe a run|cannot be read)"):
                attempt()
        assert (tmp_path / "run.json").read_text() == content


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with claim(tmp_path), pytest.raises(SciqlError, match="is in use by another process"):
        Case("bc").train(out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*words: Any, **named: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", forbidden)
    with pytest.raises(SciqlError, match="permission denied; choose a place that you may write to"):
        Case("bc").train(out=tmp_path / "run")


@pytest.mark.parametrize("syncs", range(7))
def test_a_full_disk_leaves_nothing_but_what_can_be_gone_on_with(
    syncs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills up after so many files and folders are safe: run.json, then the checkpoint, then the rest."""
    left, sync = [syncs], os.fsync

    def filling(descriptor: int) -> None:
        if left[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", filling)
        with pytest.raises(SciqlError, match="the disk is full; free some space"):
            Case("bc").train(out=tmp_path / "deep" / "run")
    kept = {path.name for path in tmp_path.rglob("*.*")}
    assert not kept or {"run.json", "checkpoint.npz"} <= kept <= {
        "run.json",
        "checkpoint.npz",
        "metrics.jsonl",
        "policy.npz",
    }
    assert bool(kept) == (syncs > 2) == (tmp_path / "deep").exists()
    run = Case("bc").train(out=tmp_path / "deep" / "run", resume=True)
    assert bits(run.policy) == bits(Case("bc").train().policy)


def test_a_finished_run_is_found_again_and_not_trained_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Case("bc").train(out=tmp_path)
    with pytest.raises(SciqlError, match="holds a finished run; add --resume"):
        Case("bc").train(out=tmp_path)
    (tmp_path / "checkpoint.npz").write_bytes(b"of a process killed just before it removed this")
    monkeypatch.setattr("sciql.training.Fits", None)
    again = Case("bc").train(out=tmp_path, resume=True)
    assert (again.document, bits(again.policy)) == (run.document, bits(run.policy))
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "policy.npz", "metrics.jsonl"}


def test_a_run_of_other_settings_is_not_gone_on_with(tmp_path: Path) -> None:
    Case("bc").train(out=tmp_path)
    with pytest.raises(SciqlError, match="holds a run of another seed; resume it with its own"):
        Case("bc").train(seed=1, out=tmp_path, resume=True)
    with pytest.raises(SciqlError, match="another method and criterion and settings"):
        Case("cbc", "paper").train(out=tmp_path, resume=True)


def test_a_damaged_run_is_one_sentence_and_can_be_mended(tmp_path: Path) -> None:
    run = Case("bc").train(out=tmp_path)
    policy = tmp_path / "policy.npz"
    policy.write_bytes(policy.read_bytes()[:200])
    for open_it in (load_policy, load_run):
        with pytest.raises(SciqlError, match=r"policy.npz is damaged or no file of ours; remove it and make it again"):
            open_it(tmp_path)
    policy.unlink()
    assert bits(Case("bc").train(out=tmp_path, resume=True).policy) == bits(run.policy)
    (tmp_path / "metrics.jsonl").write_text("{")
    with pytest.raises(SciqlError, match=r"metrics.jsonl is damaged or gone"):
        load_run(tmp_path)


def test_only_a_finished_run_is_opened(tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match="holds no run; train one"):
        load_run(tmp_path)
    run = Case("bc").train(out=tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(run.document | {"finished": False}))
    with pytest.raises(SciqlError, match="is not finished; go on with it by --resume"):
        load_run(tmp_path)
