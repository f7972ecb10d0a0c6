"""The names that `import sciql` offers, and what it must not import."""

import subprocess
import sys

import pytest

import sciql

HEAVY = ("jax", "equinox", "optax", "matplotlib", "minari", "h5py", "rich", "gymnasium", "numpy", "tyro")


@pytest.mark.parametrize("name", sciql.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(sciql, name) is not None
    assert name in dir(sciql)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        sciql.trian  # noqa: B018


@pytest.mark.parametrize(
    ("program", "allowed"),
    [
        ("import sciql", ()),
        ("from sciql.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass", ("rich", "tyro")),
        ("from sciql.cli import main\nmain(['trian'])", ("rich", "tyro")),
    ],
    ids=["import", "help", "mistake"],
)
def test_nothing_heavy_is_imported_before_it_is_needed(program: str, allowed: tuple[str, ...]) -> None:
    forbidden = [name for name in HEAVY if name not in allowed]
    check = (
        f"{program}\nimport sys\nfound = [name for name in {forbidden} if name in sys.modules]\nassert not found, found"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
