"""Scores of policies whose behaviour is known beforehand."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hand_written import Pacer

from sciql import SciqlError, criterion, evaluate
from sciql.evaluation import Evaluation
from sciql.rollout import rollout


@pytest.fixture(scope="module")
def obedient() -> Evaluation:
    return evaluate(Pacer(), episodes=3, seed=1)


@pytest.fixture(scope="module")
def deaf() -> Evaluation:
    return evaluate(Pacer(deaf=True), episodes=3, seed=1)


def test_an_obedient_policy_has_full_alignment_in_every_style(obedient: Evaluation) -> None:
    assert obedient.style is not None
    assert (obedient.style.mean, obedient.style.std) == (100, 0)
    assert [(score.style, score.alignment.mean) for score in obedient.scores()] == [
        ("slow", 100),
        ("medium", 100),
        ("fast", 100),
    ]
    np.testing.assert_array_equal(obedient.matrix(), 100 * np.eye(3))


def test_a_deaf_policy_aligns_with_the_one_style_that_it_always_shows(deaf: Evaluation) -> None:
    assert [score.alignment.mean for score in deaf.scores()] == [100, 0, 0]
    assert deaf.style is not None
    assert deaf.style.mean == pytest.approx(100 / 3)
    np.testing.assert_array_equal(deaf.matrix(), [[100, 0, 0]] * 3)


def test_task_points_are_the_share_of_the_best_return(obedient: Evaluation) -> None:
    np.testing.assert_allclose(obedient.tasks, obedient.rollouts.episodes.returns() / 10)
    assert obedient.task.mean == pytest.approx(np.mean([score.task.mean for score in obedient.scores()]))


def test_policies_meet_the_same_starts(obedient: Evaluation, deaf: Evaluation) -> None:
    first, other = (evaluation.rollouts.episodes for evaluation in (obedient, deaf))
    np.testing.assert_array_equal(first.observations[first.starts[:-1]], other.observations[other.starts[:-1]])
    elsewhere = evaluate(Pacer(), episodes=3, seed=2).rollouts.episodes
    assert (first.observations[first.starts[:-1]] != elsewhere.observations[elsewhere.starts[:-1]]).any()


def test_styles_that_cannot_be_asked_for_are_columns_of_the_matrix_and_not_rows() -> None:
    turning = replace(Pacer(deaf=True), criterion=criterion("turn_direction"))
    evaluation = evaluate(turning, episodes=1)
    np.testing.assert_array_equal(evaluation.matrix(), [[0, 100, 0], [0, 100, 0]])


def test_without_a_criterion_only_the_task_is_judged() -> None:
    evaluation = evaluate(replace(Pacer(deaf=True), criterion=None), episodes=2)
    assert evaluation.style is None
    assert list(evaluation.scores()) == []
    assert len(evaluation.tasks) == 2
    with pytest.raises(SciqlError, match="without a criterion"):
        evaluation.matrix()
    assert evaluation.document()["style"] is None


def test_the_document_is_json(obedient: Evaluation) -> None:
    document = json.loads(json.dumps(obedient.document(), allow_nan=False))
    assert document["criterion"] == "circle2d/speed"
    assert document["episodes"] == 3
    assert document["styles"][2]["alignment"] == {"mean": 100, "std": 0}


def test_a_rollout_keeps_the_styles_in_turn() -> None:
    played = rollout(Pacer(), "sciql/Circle2d-v0", (0, 2), episodes=2, seed=0)
    assert played.asked is not None
    assert played.asked.tolist() == [0, 0, 2, 2]
    np.testing.assert_array_equal(played.episodes.lengths, [1000] * 4)


@pytest.mark.parametrize(
    ("policy", "arguments", "sentence"),
    [
        (Pacer(), {"episodes": 0}, "at least 1 episode"),
        (Pacer(), {"criterion": criterion("position")}, "knows the styles slow, medium, fast, not those of"),
        (replace(Pacer(), criterion=None), {}, "not known by name; hand it over"),
        (replace(Pacer(), environment=None), {}, "names no environment"),
        (Pacer(), {"env_id": "sciql/Circel2d-v0"}, "did you mean sciql/Circle2d-v0"),
    ],
)
def test_mistakes_are_one_sentence(policy: Pacer, arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(SciqlError, match=sentence) as mistake:
        evaluate(policy, **arguments)  # pyright: ignore[reportArgumentType]
    assert "\n" not in str(mistake.value)
