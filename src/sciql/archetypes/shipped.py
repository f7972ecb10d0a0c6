"""The trained archetypes that come with sciql."""

from functools import cache
from importlib.resources import as_file, files

from sciql.archetypes.actor import Actor, load_actor
from sciql.archetypes.shapes import get_archetype
from sciql.errors import SciqlError


@cache
def shipped_actor(name: str) -> Actor:
    """The trained actor of an archetype, with the record of its training."""
    get_archetype(name)
    with as_file(files("sciql") / "archetypes" / "actors" / f"{name}.npz") as path:
        if not path.exists():
            raise SciqlError(f"no trained {name} comes with sciql yet; train one with `sciql archetypes train {name}`")
        return load_actor(path)
