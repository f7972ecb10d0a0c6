"""Episodes that are set aside: whole ones, the same for everybody, and never learnt from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny import SIDE, bits, tiny_episodes, tiny_settings

from sciql.errors import SciqlError
from sciql.holdout import hold_out, only
from sciql.training import train


def test_every_episode_is_on_one_side() -> None:
    episodes = tiny_episodes()
    taught, held = hold_out(episodes, 0.25)
    assert held is not None
    assert (taught.count, held.count) == (6, 2)
    both = {tuple(row) for part in (taught, held) for row in part.observations.tolist()}
    assert both == {tuple(row) for row in episodes.observations.tolist()}
    assert hold_out(episodes, 0.25)[1].content == held.content  # pyright: ignore[reportOptionalMemberAccess]


def test_chosen_episodes_keep_all_their_columns() -> None:
    episodes = tiny_episodes()
    chosen = only(episodes, np.array([5, 2]))
    for part, number in enumerate((5, 2)):
        of_part, of_all = slice(12 * part, 12 * part + 12), slice(12 * number, 12 * number + 12)
        for name in ("observations", "actions", "rewards", "terminations", "truncations"):
            np.testing.assert_array_equal(getattr(chosen, name)[of_part], getattr(episodes, name)[of_all])
        np.testing.assert_array_equal(chosen.signals["side"][of_part], episodes.signals["side"][of_all])
        np.testing.assert_array_equal(chosen.final_observations[part], episodes.final_observations[number])
    assert chosen.starts.tolist() == [0, 12, 24]


@pytest.mark.parametrize("share", [-0.1, 0.01, 0.99, 1.0, float("nan")])
def test_a_share_that_leaves_nothing_is_refused(share: float, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match="of the 8 episodes of tiny cannot be held out"):
        train("bc", tiny_episodes(), settings=tiny_settings(), holdout=share, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_policy_never_sees_what_was_held_out() -> None:
    """Other numbers in the held-out episodes change no bit of it; in the others they do."""
    episodes = tiny_episodes()
    held = hold_out(episodes, 0.25)[1]
    assert held is not None
    of_held = (episodes.observations[:, None] == held.observations[None]).all(axis=2).any(axis=1)

    def policy_with(rows: np.ndarray) -> list[bytes]:
        rewards = np.where(rows, episodes.rewards + 1, episodes.rewards)
        observations = np.where(rows[:, None], episodes.observations * 0.9, episodes.observations)
        other = replace(episodes, rewards=rewards.astype(np.float32), observations=observations.astype(np.float32))
        return bits(train("iql", other, settings=tiny_settings(), holdout=0.25).policy)

    untouched = policy_with(np.zeros(96, bool))
    assert policy_with(of_held) == untouched
    assert policy_with(~of_held) != untouched


def test_the_run_says_what_was_held_out(tmp_path: Path) -> None:
    words = {"settings": tiny_settings(), "out": tmp_path / "run"}
    run = train("cbc", tiny_episodes(), SIDE, holdout=0.25, **words)
    assert run.document["dataset"]["holdout"] == 0.25
    assert run.document["dataset"]["content"] == tiny_episodes().content
    with pytest.raises(SciqlError, match="holds a run of another dataset"):
        train("cbc", tiny_episodes(), SIDE, resume=True, **words)
    assert "holdout" not in train("cbc", tiny_episodes(), SIDE, settings=tiny_settings()).document["dataset"]
