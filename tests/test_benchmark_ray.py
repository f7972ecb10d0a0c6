"""The grid on a real Ray cluster of two nodes, of which one dies."""

import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hand_written import NAME, small_dataset
from tiny import tiny_settings

from sciql.benchmark.cells import Cell
from sciql.benchmark.cluster import RayPool, died, pack, unpack
from sciql.benchmark.run import ray_pool, run_slice
from sciql.benchmark.store import read_results
from sciql.benchmark.studies import Slice
from sciql.datasets import make_dataset
from sciql.errors import SciqlError
from sciql.settings import PRESETS

PART = Slice(
    datasets=(NAME,), criteria=("speed",), seeds=(0,), methods=("cbc", "scbc", "sorl_beta1", "sciql_style_task")
)


@pytest.mark.slow
def test_a_node_that_dies_loses_no_cell_and_doubles_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    utilities = pytest.importorskip("ray.cluster_utils")
    monkeypatch.setitem(PRESETS, "exact", tiny_settings())
    with small_dataset(tmp_path / "minari"):
        make_dataset(NAME)
        # Each node has a folder of its own, as machines that share no disk have.
        nodes = [{"num_cpus": 1, "env_vars": {"SCIQL_HOME": str(tmp_path / name)}} for name in ("first", "second")]
        cluster = utilities.Cluster(initialize_head=True, head_node_args=nodes[0])
        try:
            doomed: list[Any] = [cluster.add_node(**nodes[1])]
            saved: Counter[Path] = Counter()

            def seen(cell: Cell, document: dict[str, Any]) -> None:
                saved[cell.path] += 1
                if doomed:
                    cluster.remove_node(doomed.pop(), allow_graceful=False)

            outcome = run_slice(
                PART,
                tmp_path / "results",
                lambda: RayPool(cluster.address),
                tell=lambda sentence: None,
                saved=seen,
                showing=lambda: nullcontext(lambda board: None),
            )
        finally:
            cluster.shutdown()
    assert not doomed
    assert outcome.failed == {}
    assert outcome.made == 4
    assert set(saved.values()) == {1}
    assert set(read_results(tmp_path / "results").found) == set(saved)


def test_without_the_extra_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SciqlError, match=r"needs the extra `ray`: pip install 'sciql\[ray\]'"):
        RayPool(None)


def test_one_address_at_most() -> None:
    with pytest.raises(SciqlError, match="--ray takes one address, not a b"):
        ray_pool(("a", "b"))


def test_fits_travel_and_never_take_the_place_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path / "here"))
    (tmp_path / "here" / "fits").mkdir(parents=True)
    (tmp_path / "here" / "fits" / "one.npz").write_bytes(b"values")
    carried = pack(["fits/one.npz"])
    monkeypatch.setenv("SCIQL_HOME", str(tmp_path / "there"))
    unpack(carried)
    assert (tmp_path / "there" / "fits" / "one.npz").read_bytes() == b"values"
    unpack({"fits/one.npz": b"others"})
    assert (tmp_path / "there" / "fits" / "one.npz").read_bytes() == b"values"
    assert [path.name for path in (tmp_path / "there" / "fits").iterdir()] == ["one.npz"]


def test_what_ray_gave_up_is_one_sentence() -> None:
    class OutOfMemoryError(Exception):
        pass

    class NodeDiedError(Exception):
        pass

    assert "memory ran out on its node" in died(OutOfMemoryError())
    assert "died 6 times (NodeDiedError)" in died(NodeDiedError())
