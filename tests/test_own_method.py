"""A method of one's own is a weight function and a line."""

import re
from pathlib import Path

import jax
import pytest
from tiny import SIDE, Case, bits, tiny_episodes, tiny_settings

from sciql.cli.runs import open_run
from sciql.methods import METHODS, Method
from sciql.training import train
from sciql.weights import Evidence

PAGE = Path(__file__).parents[1] / "docs" / "own-method.md"


def mine(evidence: Evidence, beta: float) -> jax.Array:
    return evidence.own


def test_its_own_weight_is_what_trains_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weight of cbc under another name gives cbc's policy, bit for bit; and others can open the run."""
    monkeypatch.setitem(METHODS, "mine", Method("mine", "Mine", mine))
    run = train("mine", tiny_episodes(), SIDE, settings=tiny_settings(), out=tmp_path / "run")
    assert bits(run.policy) == bits(Case("cbc").train().policy)
    assert open_run(tmp_path / "run").title.startswith("Mine")
    monkeypatch.delitem(METHODS, "mine")
    assert open_run(tmp_path / "run").title.startswith("mine")


def test_its_needs_are_fitted_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaning(evidence: Evidence, beta: float) -> jax.Array:
        return evidence.proposal * jax.nn.sigmoid(beta * (evidence.style + evidence.task))

    line = Method("leaning", "Leaning", leaning, frozenset({"style", "task"}), "mixed")
    monkeypatch.setitem(METHODS, "leaning", line)
    run = train("leaning", tiny_episodes(), SIDE, settings=tiny_settings())
    assert [row["stage"] for row in run.curve] == ["task values", "style values", "policy"]
    assert bits(run.policy) != bits(Case("sciql_style_task").train().policy)


def test_the_guide_adds_one_in_fewer_than_15_lines() -> None:
    """What the page shows is run by tests/test_docs.py."""
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    assert len([line for line in block.group(1).splitlines() if line.strip()]) < 15
