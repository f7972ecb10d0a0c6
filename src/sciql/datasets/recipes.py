"""The datasets that sciql makes itself; another joins by one line."""

from collections.abc import Callable
from dataclasses import dataclass
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
    )
}
