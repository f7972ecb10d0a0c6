"""`sciql doctor`: does everything that the other commands need work on this machine?"""

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from sciql.cli.command import Command, print_json, stdout
from sciql.cli.findings import findings_table, healthy
from sciql.errors import reason

PACKAGES = ("jax", "equinox", "optax", "jaxtyping", "numpy", "gymnasium", "mujoco", "minari", "h5py", "matplotlib")
ROOMY = 2e9  # bytes: both Circle2d datasets, the fits and a few runs


@dataclass(frozen=True)
class Finding:
    """One thing looked at, and what to do about it if it is not as it should be."""

    name: str
    state: Literal["ok", "hint", "broken"]
    detail: str


@dataclass(frozen=True, kw_only=True)
class Doctor(Command):
    """Check this machine: versions, compute, folders, the environment and video."""

    def run(self) -> int:
        """Print every finding; the exit code is 1 when something is broken."""
        findings = [finding for check in CHECKS for finding in _guarded(check)]
        sound = healthy(findings)
        if self.json:
            print_json({"healthy": sound, "findings": [asdict(finding) for finding in findings]})
        else:
            stdout().print(findings_table("sciql doctor", findings))
        return 0 if sound else 1


def _guarded(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A check that fails is a finding, not the end of the examination."""
    try:
        yield from check()
    except Exception as problem:
        yield Finding(check.__name__.strip("_"), "broken", reason(problem))


def _python() -> Iterator[Finding]:
    yield Finding("python", "ok", f"{platform.python_version()} at {sys.executable}")
    for package in PACKAGES:
        try:
            yield Finding(package, "ok", version(package))
        except PackageNotFoundError:
            yield Finding(package, "broken", "not installed; install sciql again with pip")


def _compute() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("cores", "ok", str(cores))
    import jax
    import jax.numpy as jnp

    devices = ", ".join(sorted({device.platform for device in jax.devices()}))
    square = jnp.ones((1024, 1024))
    product = jax.jit(lambda a: a @ a)
    product(square).block_until_ready()
    repeats = 5
    start = time.perf_counter()
    for _ in range(repeats):
        product(square).block_until_ready()
    rate = repeats * 2 * 1024**3 / (time.perf_counter() - start)
    yield Finding(
        "compute", "ok", f"{devices}, {rate / 1e9:.0f} thousand million operations a second on a matrix product"
    )


def _folders() -> Iterator[Finding]:
    from minari.storage import get_dataset_path

    from sciql.files import home

    for name, folder in (("sciql folder", home()), ("minari folder", Path(get_dataset_path()))):
        standing = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not os.access(standing, os.W_OK | os.X_OK):
            yield Finding(name, "broken", f"{folder} cannot be written to; set SCIQL_HOME or MINARI_DATASETS_PATH")
            continue
        free = shutil.disk_usage(standing).free
        state = "ok" if free > ROOMY else "hint"
        yield Finding(name, state, f"{folder}, {free / 1e9:.1f} GB free" + ("" if state == "ok" else "; little room"))


def _environment() -> Iterator[Finding]:
    import gymnasium

    from sciql.envs import register

    register()
    environment = gymnasium.make("sciql/Circle2d-v0")
    environment.reset(seed=0)
    environment.step(environment.action_space.sample())
    environment.close()
    yield Finding("environment", "ok", "sciql/Circle2d-v0 makes a step")


def _datasets() -> Iterator[Finding]:
    from sciql.datasets import list_datasets

    for dataset in list_datasets():
        state = "made" if dataset.made else "not made yet; it is made when first asked for"
        yield Finding(dataset.name, "ok", state)


def _video() -> Iterator[Finding]:
    from sciql.video import has_mp4

    if has_mp4():
        yield Finding("video", "ok", "mp4 and gif")
    else:
        yield Finding("video", "hint", "gif; for mp4, smaller and sharper: pip install 'sciql[video]'")


CHECKS = (_python, _compute, _folders, _environment, _datasets, _video)
