"""What is wrong or odd with episodes in memory."""

from typing import Any

import numpy as np
import pytest

from sciql.datasets import check_episodes, require_sound
from sciql.episodes import Episodes
from sciql.errors import SciqlError


def in_memory(**changed: Any) -> Episodes:
    columns = {
        "observations": np.random.default_rng(0).normal(size=(6, 2)),
        "actions": np.array([0, 1, 2, 0, 1, 2]),
        "rewards": np.arange(6.0),
        "terminations": np.zeros(6, bool),
        "truncations": np.arange(6) == 3,
        "final_observations": np.zeros((2, 2)),
        "discrete_actions": 3,
    }
    return Episodes.from_arrays(**(columns | changed))


def test_constant_columns_are_a_hint() -> None:
    still = in_memory(rewards=np.zeros(6), observations=np.arange(12).reshape(6, 2) % 2, signals={"x": np.ones(6)})
    finding = next(finding for finding in check_episodes(still) if finding.name == "columns")
    assert finding.state == "hint"
    assert finding.detail == "observation observation_0, observation observation_1, signal 'x', rewards never change"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"actions": np.array([0, 1, 3, 0, 1, 2])},
            "leave 0 to 2 in episode 0, step 2: 3; number them so",
        ),
        ({"final_observations": np.array([[0, 0], [np.inf, 0]])}, "final_observations .* infinite values in episode 1"),
        ({"signals": {"x": np.array([0, 0, 0, 0, 0, np.nan])}}, "signal 'x' of episodes hold NaN .* in episode 1"),
        ({"truncations": np.arange(6) == 4}, "episodes has too few steps in episode 1, which has 1 step;"),
    ],
)
def test_episodes_in_memory_are_judged_the_same(changed: dict[str, Any], sentence: str) -> None:
    require_sound(in_memory())
    with pytest.raises(SciqlError, match=sentence):
        require_sound(in_memory(**changed))
