"""The datasets that sciql makes itself; another joins by one line."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from sciql.episodes import Episodes


@dataclass(frozen=True)
class Recipe:
    """How a dataset is made: the same recipe gives the same episodes."""

    name: str
    environment: str
    """Gymnasium's id of the environment."""
    description: str
    agent: str
    """Who acts, for the metadata."""
    seed: int
    episodes: int
    steps: int
    """Steps of each episode."""
    act: "Act"


Act = Callable[[Recipe, Callable[[], None]], Episodes]
"""Plays the episodes of a recipe; the second argument is to be called after each step of all of them."""


def _circles(start: Literal["inplace", "navigate"]) -> Act:
    """The scripted agent of Circle2d."""

    def act(recipe: Recipe, tick: Callable[[], None]) -> Episodes:
        from sciql.envs.circle2d_agent import demonstrate

        return demonstrate(start, recipe.seed, recipe.episodes, recipe.name, recipe.steps, tick)

    return act


def _cheetahs(*, varied: bool) -> Act:
    """The shipped archetypes of HalfCheetah, one an episode or several."""

    def act(recipe: Recipe, tick: Callable[[], None]) -> Episodes:
        from sciql.archetypes.herd import demonstrate

        return demonstrate(recipe.seed, recipe.episodes, recipe.name, varied=varied, steps=recipe.steps, tick=tick)

    return act


def _pieces(whole: str) -> Act:
    """The episodes of another recipe, cut into pieces of `recipe.steps`."""

    def act(recipe: Recipe, tick: Callable[[], None]) -> Episodes:
        from sciql.archetypes.herd import cut

        source = RECIPES[whole]
        pieces = -(-source.steps // recipe.steps)
        source = replace(source, name=recipe.name, episodes=-(-recipe.episodes // pieces))
        ticks = count()
        return cut(source.act(source, lambda: tick() if next(ticks) % pieces == 0 else None), recipe.steps)

    return act


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="circle2d-inplace-v0",
            environment="sciql/Circle2d-v0",
            description="A scripted agent draws a circle of its own from the first step on.",
            agent="sciql circle drawer",
            seed=0,
            episodes=1000,
            steps=1000,
            act=_circles("inplace"),
        ),
        Recipe(
            name="circle2d-navigate-v0",
            environment="sciql/Circle2d-v0",
            description="A scripted agent goes to a circle of its own, then draws it.",
            agent="sciql circle drawer",
            seed=1,
            episodes=1000,
            steps=1000,
            act=_circles("navigate"),
        ),
        Recipe(
            name="halfcheetah-fix-v0",
            environment="sciql/HalfCheetah-v0",
            description="One of ten trained archetypes acts throughout an episode, with noise.",
            agent="sciql archetypes",
            seed=0,
            episodes=1000,
            steps=1000,
            act=_cheetahs(varied=False),
        ),
        Recipe(
            name="halfcheetah-stitch-v0",
            environment="sciql/HalfCheetah-v0",
            description="The episodes of halfcheetah-fix-v0, cut into pieces of 100 steps.",
            agent="sciql archetypes",
            seed=0,
            episodes=10_000,
            steps=100,
            act=_pieces("halfcheetah-fix-v0"),
        ),
        Recipe(
            name="halfcheetah-vary-v0",
            environment="sciql/HalfCheetah-v0",
            description="One of ten trained archetypes acts for 100 to 300 steps, then another, with noise.",
            agent="sciql archetypes",
            seed=1,
            episodes=1000,
            steps=1000,
            act=_cheetahs(varied=True),
        ),
    )
}
