"""Seeds that are trained in one program are the seeds that are trained alone."""

from pathlib import Path

import numpy as np
import pytest
from tiny import SIDE, tiny_episodes, tiny_settings

from sciql import seeds
from sciql.errors import SciqlError
from sciql.files import home
from sciql.seeds import train_together
from sciql.training import train


@pytest.mark.parametrize("preset", ["exact", "paper"])
def test_each_seed_equals_the_one_trained_alone(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    episodes, settings = tiny_episodes(), tiny_settings(preset, steps=20)
    alone = []
    for seed in (0, 3):
        monkeypatch.setenv("SCIQL_HOME", str(tmp_path / "alone"))
        alone.append(train("sciql_style_task", episodes, SIDE, seed=seed, settings=settings))
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path / "together"))
    both = train_together("sciql_style_task", episodes, [SIDE, SIDE], (0, 3), settings)
    for one, other in zip(alone, both, strict=True):
        assert one.document["seed"] == other.document["seed"]
        for mine, theirs in zip(one.policy.weights, other.policy.weights, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=2e-5)
        np.testing.assert_allclose(one.policy.spread, other.policy.spread, atol=2e-5)
        assert [(row["stage"], row["step"]) for row in one.curve] == [
            (row["stage"], row["step"]) for row in other.curve
        ]
        losses = [[row["loss"] for row in run.curve if "loss" in row] for run in (one, other)]
        np.testing.assert_allclose(*losses, rtol=1e-3)
    # Their fits lie where those of seeds alone would look for them.
    names = [{path.name for path in (tmp_path / kind / "fits").iterdir()} for kind in ("alone", "together")]
    assert names[0] == names[1]


def test_fits_of_one_seed_that_are_there_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path))
    episodes, settings = tiny_episodes(), tiny_settings()
    train("sciql_style", episodes, SIDE, seed=1, settings=settings)
    before = {path: path.read_bytes() for path in (home() / "fits").iterdir()}
    counts, fit = [], seeds.fit_together

    def counted(stages, report):  # pyright: ignore[reportMissingParameterType]
        counts.append((stages[0].name, len(stages)))
        return fit(stages, report)

    monkeypatch.setattr(seeds, "fit_together", counted)
    train_together("sciql_style", episodes, [SIDE] * 3, (0, 1, 2), settings)
    assert counts == [("style values", 2), ("policy", 3)]
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_seed_that_goes_wrong_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path))
    monkeypatch.setattr(seeds, "not_finite", lambda metrics, sound, first: "loss is nan at step 1")
    with pytest.raises(SciqlError, match="the policy of seed 0 went wrong: loss is nan at step 1; train it alone"):
        train_together("cbc", tiny_episodes(), [SIDE, SIDE], (0, 1), tiny_settings())
