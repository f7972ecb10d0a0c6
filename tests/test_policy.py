"""The policy that acts with numpy alone: as the network it came from, for every way to ask for a style."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sciql.criteria import Criterion, criterion
from sciql.errors import SciqlError
from sciql.networks import Conditioning, NetworkSettings, StyleNetwork
from sciql.normaliser import Normaliser
from sciql.policy import Policy, load_policy

OBSERVATIONS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
NORMALISER = Normaliser(np.array([1, 2, 3], np.float32), np.array([2, 1, 4], np.float32))
FACTS: dict[str, Any] = {
    "method": "cbc",
    "conditioned": True,
    "styles": ["left", "middle", "right"],
    "promptable": [True, False, True],
    "criterion": None,
    "environment": None,
    "discrete": False,
    "observation_names": ["near", "far", "height"],
    "action_names": ["turn", "speed"],
    "action_bounds": [[-1.0, -1.0], [1.0, 1.0]],
}


def network(conditioning: Conditioning) -> StyleNetwork:
    settings = NetworkSettings(hidden=(8, 8), conditioning=conditioning, embedding=4)
    return StyleNetwork(3, 3, 2, settings, jax.random.key(0))


def policy(conditioning: Conditioning = "heads", **facts: Any) -> Policy:
    net = jax.device_get(network(conditioning))
    return Policy(
        weights=tuple(layer.weight for layer in net.mlp.layers),
        biases=tuple(layer.bias for layer in net.mlp.layers),
        embedding=net.embedding,
        spread=np.full((3, 2), 0.5, np.float32),
        drawn=np.zeros((3, 2), bool),
        observations=NORMALISER,
        actions=Normaliser(np.array([0.1, -0.1], np.float32), np.array([0.2, 0.3], np.float32)),
        facts=FACTS | facts,
    )


@pytest.mark.parametrize("conditioning", ["heads", "embedding"])
def test_it_says_what_the_network_says(conditioning: Conditioning) -> None:
    styles = np.array([0, 2, 2, 0, 2, 0])
    said = network(conditioning)(jnp.asarray(NORMALISER(OBSERVATIONS)), jnp.asarray(styles))[:, 0]
    np.testing.assert_allclose(policy(conditioning).outputs(OBSERVATIONS, styles), said, rtol=1e-4, atol=1e-5)
    expected = np.clip(np.asarray(said) * [0.2, 0.3] + [0.1, -0.1], -1, 1)
    np.testing.assert_allclose(policy(conditioning).act(OBSERVATIONS, styles), expected, rtol=1e-4, atol=1e-5)


def test_a_style_is_a_name_a_number_or_one_number_a_row() -> None:
    player = policy()
    actions = player.act(OBSERVATIONS, "right")
    assert actions.dtype == np.float32
    for style in (2, np.int32(2), np.full(6, 2), np.full(6, 2, np.int32)):
        np.testing.assert_array_equal(player.act(OBSERVATIONS, style), actions)
    mixed = player.act(OBSERVATIONS, np.array([0, 2, 0, 2, 0, 2]))
    np.testing.assert_array_equal(mixed[1::2], actions[1::2])
    assert (mixed[::2] != actions[::2]).any()


def test_one_observation_gives_one_action() -> None:
    action = policy().act(OBSERVATIONS[0], "left")
    assert action.shape == (2,)
    np.testing.assert_allclose(action, policy().act(OBSERVATIONS, "left")[0], rtol=1e-5)
    assert policy().act(OBSERVATIONS[:0], "left").shape == (0, 2)


@pytest.mark.parametrize(
    ("style", "sentence"),
    [
        (None, "a style is needed; choose one of left, right"),
        ("lfet", "no style 'lfet'; did you mean left"),
        ("middle", "no style 'middle'"),
        (1, r"no style number 1 to ask for; choose one of 0 \(left\), 2 \(right\)"),
        (-1, "no style number -1"),
        (3, "no style number 3"),
        (np.array([0, 0, 1, 0, 0, 7]), "no style number 1"),
        (np.array([0, 2]), "6 of them, one an observation"),
        (np.zeros(6), "float64 cannot be asked for"),
        (True, "bool cannot be asked for"),
    ],
)
def test_another_style_is_refused(style: Any, sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence):
        policy().act(OBSERVATIONS, style)


@pytest.mark.parametrize("observations", [OBSERVATIONS[:, :2], OBSERVATIONS[None], np.float32(1)])
def test_observations_of_another_shape_are_refused(observations: np.ndarray) -> None:
    with pytest.raises(SciqlError, match=r"this policy reads \[3\] or \[B, 3\]"):
        policy().act(observations, "left")


def test_a_policy_without_styles_ignores_them() -> None:
    player = policy(conditioned=False, styles=[], promptable=[])
    np.testing.assert_array_equal(player.act(OBSERVATIONS), player.act(OBSERVATIONS, "anything"))


def test_vectors_are_in_the_units_of_the_data() -> None:
    bounds = [[0.0, -90.0], [2.0, 10.0]]
    plain, scaled = policy().act(OBSERVATIONS * 20, "left"), policy(action_bounds=bounds).act(OBSERVATIONS * 20, "left")
    assert (np.abs(plain) == 1).any()
    np.testing.assert_allclose(scaled, plain * [1, 50] + [1, -40], rtol=1e-6, atol=1e-5)
    assert (scaled >= bounds[0]).all() and (scaled <= bounds[1]).all()


def test_styles_that_are_played_by_drawing_draw_from_the_seed() -> None:
    drawn = np.array([[False, False], [False, False], [False, True]])
    player = replace(policy(), drawn=drawn)
    np.testing.assert_array_equal(player.act(OBSERVATIONS, "left", seed=1), player.act(OBSERVATIONS, "left", seed=2))
    once, again, other = (player.act(OBSERVATIONS, "right", seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(once[:, 0], other[:, 0])
    assert (once[:, 1] != other[:, 1]).all()
    play = player.actor(1)
    np.testing.assert_array_equal(play(OBSERVATIONS, "right"), once)
    assert (play(OBSERVATIONS, "right")[:, 1] != once[:, 1]).all()


def test_discrete_actions_are_the_likeliest() -> None:
    player = replace(policy(discrete=True), actions=Normaliser.identity(2), spread=np.zeros((3, 0), np.float32))
    actions = player.act(OBSERVATIONS, "left")
    assert actions.dtype == np.int32
    assert actions.tolist() == player.outputs(OBSERVATIONS, np.zeros(6, int)).argmax(axis=1).tolist()


@pytest.mark.parametrize("conditioning", ["heads", "embedding"])
def test_a_file_holds_all_of_it(conditioning: Conditioning, tmp_path: Path) -> None:
    player = policy(conditioning)
    player.save(tmp_path / "policy.npz")
    for path in (tmp_path, tmp_path / "policy.npz", str(tmp_path)):
        again = load_policy(path)
        np.testing.assert_array_equal(again.act(OBSERVATIONS, "left"), player.act(OBSERVATIONS, "left"))
        assert (again.facts, again.prompts) == (player.facts, (0, 2))


def test_loading_and_acting_need_neither_jax_nor_what_trains(tmp_path: Path) -> None:
    """A game or a robot holds the file and numpy; nothing slow or large may ride along."""
    policy().save(tmp_path / "policy.npz")
    program = """
import sys, numpy, sciql
policy = sciql.load_policy(sys.argv[1])
assert policy.act(numpy.zeros(3), "left").shape == (2,)
learning = {"sciql." + name for name in ("training", "fits", "networks", "values", "transitions", "rollout")}
heavy = {"jax", "jaxlib", "equinox", "optax", "minari", "gymnasium", "matplotlib", "onnx"} | learning
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
"""
    words = [sys.executable, "-c", program, str(tmp_path / "policy.npz")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_its_criterion_is_built_again_if_it_is_registered() -> None:
    registered = criterion("circle2d/speed", count=2, noise=0.1)
    assert policy(criterion=registered.document()).criterion == registered
    own = Criterion(name="own", styles=("a",), signals=(), function=lambda columns, starts: starts)
    assert policy(criterion=own.document()).criterion is None


def test_a_folder_or_file_without_a_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match="holds no finished policy"):
        load_policy(tmp_path)
    (tmp_path / "policy.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(SciqlError, match="damaged"):
        load_policy(tmp_path)
    with pytest.raises(SciqlError, match="there is no file"):
        load_policy(tmp_path / "nothing.npz")
