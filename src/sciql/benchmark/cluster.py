"""The same tasks on a Ray cluster: fits travel to whoever needs them, and what dies with a node is done again."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from sciql.benchmark.plan import Task
from sciql.benchmark.pool import Event, Failed, Finished, done
from sciql.errors import SciqlError

RETRIES = 5
"""How often a task is begun anew when its node dies."""
THREADS = {"NPROC": "1", "OMP_NUM_THREADS": "1"}
"""A task has one core, and XLA and BLAS are to take no more."""

Carried = dict[str, bytes]
"""The files of fits by their names below the folder of sciql."""


class RayPool:
    """Those who do tasks on a cluster; a cluster of this machine alone is started where none runs."""

    def __init__(self, address: str | None):
        self._ray = _connected(address)
        resources = self._ray.cluster_resources()
        accelerated = resources.get("GPU", 0) >= 1
        options = (
            {"num_cpus": 1, "num_gpus": 1} if accelerated else {"num_cpus": 1, "runtime_env": {"env_vars": THREADS}}
        )
        self._remote = self._ray.remote(num_returns=2, max_retries=RETRIES, retry_exceptions=False, **options)(work)
        self._kind = "GPU" if accelerated else "CPU"
        self._fits: dict[str, Any] = {}
        """References to the files of finished fits, which Ray makes again if the node that holds them dies."""
        self._running: dict[Any, str] = {}

    @property
    def size(self) -> int:
        """How many tasks the cluster does at once; it may grow and shrink."""
        return max(1, int(self._ray.cluster_resources().get(self._kind, 1)))

    @property
    def free(self) -> int:
        return max(0, self.size - len(self._running))

    def start(self, task: Task) -> None:
        needed = [self._fits[name] for name in sorted(task.needs) if name in self._fits]
        told, files = self._remote.remote(task, *needed)
        self._running[told] = task.name
        if task.stage is not None:
            self._fits[task.name] = files

    def wait(self, seconds: float) -> Sequence[Event]:
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [self._heard(told) for told in ready]

    def _heard(self, told: Any) -> Event:
        name = self._running.pop(told)
        try:
            return self._ray.get(told)
        except self._ray.exceptions.RayError as problem:
            return Failed(name, died(problem))

    def close(self) -> None:
        for told in self._running:
            with suppress(Exception):  # It may be done, or its node dead: nothing is left to end.
                self._ray.cancel(told, force=True)
        self._ray.shutdown()


def _connected(address: str | None) -> Any:
    """The module `ray`, connected to a cluster."""
    try:
        ray = import_module("ray")
    except ImportError:
        raise SciqlError("running on a Ray cluster needs the extra `ray`: pip install 'sciql[ray]'") from None
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    # Else Ray waits for minutes for a cluster that is not there.
    os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", "10")
    try:
        if address is not None:
            ray.init(address, **quiet)
        else:
            _init_here(ray, quiet)
    except (ConnectionError, RuntimeError, ValueError, OSError) as problem:
        where = address or "this machine"
        raise SciqlError(
            f"no Ray cluster answers at {where} ({_first(problem)}); start one with `ray start --head`, "
            "or name the address of one that runs"
        ) from None
    return ray


def _init_here(ray: Any, quiet: Mapping[str, Any]) -> None:
    """The cluster that runs on this machine, or one that is started for us and ends with us."""
    try:
        ray.init("auto", **quiet)
    except ConnectionError:
        ray.init(include_dashboard=False, **quiet)


def _first(problem: BaseException) -> str:
    lines = str(problem).splitlines() or [type(problem).__name__]
    return lines[0].rstrip(".")[:120]


def died(problem: BaseException) -> str:
    """Why Ray gave a task up, for people."""
    name = type(problem).__name__
    if "OutOfMemory" in name:
        return "memory ran out on its node; give the cluster more memory or fewer cores"
    return f"its node or process died {RETRIES + 1} times ({name}); look at the cluster with `ray status`"


def work(task: Task, *needed: Carried) -> tuple[Finished | Failed, Carried]:
    """A task on some node, with the fits that it needs put where they are looked for."""
    for files in needed:
        unpack(files)
    event = done(task)
    return event, pack(event.files) if isinstance(event, Finished) else {}


def pack(names: Sequence[str]) -> Carried:
    """Files below sciql's folder as bytes."""
    from sciql.files import home

    return {name: (home() / name).read_bytes() for name in names}


def unpack(files: Carried) -> None:
    """Put files below sciql's folder, unless they are there."""
    from sciql.files import home, locked, write_aside

    for name, content in files.items():
        path = home() / name
        with locked(path):
            if not path.exists():
                with write_aside(path) as aside:
                    aside.write_bytes(content)
