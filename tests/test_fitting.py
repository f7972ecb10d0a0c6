"""The loop, with a step so simple that its end is known."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from tiny import ticks_of

from sciql import fitting
from sciql.errors import SciqlError
from sciql.fitting import Row, Stage, fit


class Walk(NamedTuple):
    """A random walk, and how many steps it took."""

    place: jax.Array
    steps: jax.Array


@dataclass(frozen=True)
class WalkSettings:
    steps: int = 25
    breaks_at: int = 10**6
    """The step whose loss is no number."""
    bursts_at: int = 10**6
    """The step that leads out of the numbers, though its loss does not tell."""


def walk(state: Walk, data: jax.Array, key: jax.Array, settings: WalkSettings) -> tuple[Walk, dict[str, jax.Array]]:
    number = state.steps + 1
    place = state.place + data * jax.random.normal(key)
    loss = jnp.where(number == settings.breaks_at, jnp.nan, place)
    return Walk(jnp.where(number == settings.bursts_at, jnp.inf, place), number), {"loss": loss, "one": jnp.ones(())}


def stage(settings: WalkSettings | None = None, seed: int = 0, name: str = "walk") -> Stage[Walk, jax.Array]:
    chosen = settings or WalkSettings()
    begin = Walk(jnp.float32(0), jnp.int32(0))
    return Stage(name, lambda key: jax.tree.map(jnp.copy, begin), walk, chosen, jnp.float32(1), seed, {"of": [1, 2]})


@pytest.fixture(autouse=True)
def short_ticks() -> Iterator[None]:
    with ticks_of(10):
        yield


def test_every_step_is_made_and_every_tick_told() -> None:
    told: list[tuple[Row, int]] = []
    fitted = fit(stage(), report=lambda row, steps: told.append((row, steps)))
    assert int(fitted.state.steps) == 25
    assert [(row["stage"], row["step"], row["one"]) for row in fitted.curve] == [
        ("walk", 10, 1.0),
        ("walk", 20, 1.0),
        ("walk", 25, 1.0),
    ]
    assert told == [(row, 25) for row in fitted.curve]
    assert fitted.curve[0]["seconds"] <= fitted.curve[2]["seconds"]


def test_a_fit_that_was_cut_ends_in_the_same_bits(tmp_path: Path) -> None:
    class Cut(Exception):
        pass

    def cut(row: Row, steps: int) -> None:
        if row["step"] == 20:
            raise Cut

    checkpoint = tmp_path / "checkpoint.npz"
    with pytest.raises(Cut):
        fit(stage(), checkpoint, cut)
    told: list[int] = []
    resumed, whole = fit(stage(), checkpoint, lambda row, steps: told.append(row["step"])), fit(stage())
    assert told == [10, 20, 25]
    assert resumed.state.place == whole.state.place
    assert [row["loss"] for row in resumed.curve] == [row["loss"] for row in whole.curve]


def test_a_finished_fit_is_found_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fit(stage(), tmp_path / "checkpoint.npz")

    def never(*words: Any, **named: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(fitting, "tick", never)
    again = fit(stage(), tmp_path / "checkpoint.npz")
    assert again.state.place == first.state.place
    assert again.curve == first.curve


def test_checkpoints_wait_for_their_time_but_the_last_is_always_written(tmp_path: Path) -> None:
    seen: list[bool] = []
    with ticks_of(10, seconds_between_checkpoints=1e9):
        fit(stage(), tmp_path / "late.npz", lambda row, steps: seen.append((tmp_path / "late.npz").exists()))
    assert seen == [False] * 3
    assert (tmp_path / "late.npz").exists()


def test_seeds_and_stages_draw_independently() -> None:
    places = {float(fit(one).state.place) for one in (stage(), stage(seed=1), stage(name="other"))}
    assert len(places) == 3
    assert fit(stage()).state.place == fit(stage()).state.place


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            WalkSettings(breaks_at=23),
            r"the walk went wrong: loss is nan at step 23.*npz holds .* of step 20",
        ),
        (WalkSettings(breaks_at=4), r"the walk went wrong: loss is nan at step 4; .* \(none was saved\)"),
        (WalkSettings(bursts_at=25), r"the walk went wrong: a parameter is not finite after step 25.* of step 20"),
    ],
)
def test_what_is_no_number_stops_the_fit(settings: WalkSettings, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SciqlError, match=sentence):
        fit(stage(settings), tmp_path / "checkpoint.npz")


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    fit(stage(), tmp_path / "checkpoint.npz")
    with pytest.raises(SciqlError, match="other settings; remove it or choose another folder"):
        fit(replace(stage(), header={"of": [1, 3]}), tmp_path / "checkpoint.npz")
