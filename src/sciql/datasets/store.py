"""Episodes in Minari's own format on disk, and back into columns."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from jaxtyping import Float

from sciql.datasets.growing import Growing
from sciql.datasets.index import INDEX, SEEN, SIGNAL, Offsets, read_columns, write_index
from sciql.datasets.recipes import RECIPES
from sciql.datasets.spaces import Leaf, bounds_of, flattened, leaves, numeric, refuse_image
from sciql.episodes import Episodes, as_numbers
from sciql.errors import SciqlError, reason
from sciql.files import writing
from sciql.memory import fits

if TYPE_CHECKING:
    import h5py
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.spaces import Space
    from minari.dataset.minari_storage import MinariStorage

DATA = "data"  # Minari's name for the folder that holds a dataset's files
OURS = "sciql"  # our own part of Minari's metadata
FILE = "main_data.hdf5"  # and for the file of its episodes


@dataclass(frozen=True)
class Facts:
    """What a dataset's metadata says without reading its steps."""

    environment: str | None
    episodes: int
    steps: int
    description: str
    made_by: Mapping[str, Any]
    """Seed, versions and content of a dataset that sciql wrote; empty for others."""


def registry() -> Path:
    """Minari's folder of datasets, which MINARI_DATASETS_PATH can name."""
    from minari.storage import get_dataset_path

    with writing(Path("the folder of Minari's datasets")):
        return get_dataset_path()


def holds_dataset(folder: Path) -> bool:
    return (folder / DATA / "metadata.json").is_file()


def remedy(folder: Path) -> str:
    """What to do about a dataset whose files are broken."""
    again = "it is made again" if folder.name in RECIPES else "get it again from where it came"
    return f"remove it with `rm -r {folder}` and {again}"


def write(
    folder: Path, dataset_id: str, episodes: Episodes, metadata: Mapping[str, Any], tick: Callable[[], None]
) -> None:
    """A new Minari dataset in a folder that is not there yet; `tick` is called after each episode."""
    from minari import __version__ as minari_version
    from minari.dataset.minari_storage import MinariStorage

    (folder / DATA).mkdir(parents=True)
    storage = MinariStorage.new(folder / DATA, *_described(episodes))
    file = folder / DATA / FILE
    if fits(episodes.size):
        image, offsets = _hdf5(episodes, tick)
        file.write_bytes(image)
        write_index(folder / DATA / INDEX, image, offsets, _stored(episodes), episodes.lengths)
    else:
        _stream(episodes, file, tick)
    size = file.stat().st_size / 1e6
    counts = {"total_episodes": episodes.count, "total_steps": episodes.steps, "dataset_size": size}
    ours = {
        "environment": episodes.environment,
        "sha256": episodes.content,
        "observation_names": episodes.observation_names,
        "action_names": episodes.action_names,
        "rewarded": episodes.rewarded,
        **metadata.get(OURS, {}),
    }
    told = {"dataset_id": dataset_id, "minari_version": minari_version, **counts, **metadata, OURS: ours}
    storage.update_metadata(told)


def _described(episodes: Episodes) -> "tuple[Space[Any], Space[Any], EnvSpec | None]":
    """The spaces of observations and actions, and the environment as gymnasium knows it, if it does."""
    import gymnasium
    from gymnasium.spaces import Box, Discrete

    from sciql.envs.registration import ENVIRONMENTS, register

    register()
    spec = None if episodes.environment is None else gymnasium.registry.get(episodes.environment)
    seen = Box(-np.inf, np.inf, episodes.observations.shape[1:], np.float32)
    if spec is not None and episodes.environment in ENVIRONMENTS:
        seen = gymnasium.make(spec).observation_space
    if episodes.discrete_actions is not None:
        return seen, Discrete(episodes.discrete_actions), spec
    low, high = (np.array(bound, np.float32) for bound in episodes.action_bounds)
    return seen, Box(low, high, dtype=np.float32), spec


def _hdf5(episodes: Episodes, tick: Callable[[], None]) -> tuple[bytes, Offsets]:
    """The file of Minari's layout: a group an episode of T steps, T + 1 observations, the signals as infos.

    It is made in memory, because HDF5 brings the whole process down when the disk is full.
    """
    import h5py

    with h5py.File("episodes", "w", driver="core", backing_store=False, track_order=True) as file:
        offsets = _fill(file, episodes, tick)
        file.flush()
        return file.id.get_file_image(), offsets


def _stream(episodes: Episodes, path: Path, tick: Callable[[], None]) -> None:
    """The same file where memory would not hold it, through Python's own files, which say when the disk is full."""
    import h5py

    with path.open("w+b") as opened:
        try:
            with h5py.File(opened, "w", track_order=True) as file:
                _fill(file, episodes, tick)
        except Exception as problem:
            cause: BaseException | None = problem
            while cause is not None and not isinstance(cause, OSError):
                cause = cause.__context__
            raise (cause or problem) from None


def _fill(file: "h5py.File", episodes: Episodes, tick: Callable[[], None]) -> Offsets:
    """Write every episode, and tell where the parts of the columns lie."""
    columns = _stored(episodes)
    offsets = {name: np.empty(episodes.count, np.int64) for name in columns}
    for number in range(episodes.count):
        rows = slice(episodes.starts[number], episodes.starts[number + 1])
        group = file.create_group(f"episode_{number}")
        group.attrs.update({"id": number, "total_steps": episodes.lengths[number]})
        for name, column in columns.items():
            part = column[rows]
            if name == SEEN:
                part = np.concatenate([part, episodes.final_observations[number, None]])
            place = f"infos/{name.removeprefix(SIGNAL)}" if name.startswith(SIGNAL) else name
            offsets[name][number] = group.create_dataset(place, data=part).id.get_offset()
        tick()
    return offsets


def _stored(episodes: Episodes) -> dict[str, np.ndarray]:
    """The columns that have a part in every episode's group."""
    names = (SEEN, "actions", "rewards", "terminations", "truncations")
    return {name: getattr(episodes, name) for name in names} | {
        SIGNAL + _key(name): column for name, column in episodes.signals.items()
    }


def _key(name: str) -> str:
    """The name of a signal as HDF5 can hold it, without what it takes for the name of a folder."""
    return re.sub(r"[%/\0]|^\.+$", lambda found: "".join(f"%{ord(sign):02X}" for sign in found.group()), name)


def facts(folder: Path) -> Facts:
    """The metadata of a dataset that is there."""
    path = folder / DATA / "metadata.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        spec = document.get("env_spec")
        return Facts(
            environment=json.loads(spec)["id"] if spec else document.get(OURS, {}).get("environment"),
            episodes=int(document["total_episodes"]),
            steps=int(document["total_steps"]),
            description=str(document.get("description", "")),
            made_by=document.get(OURS, {}),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise SciqlError(f"the metadata of {folder} cannot be read ({problem}); {remedy(folder)}") from problem


def read(folder: Path, name: str) -> Episodes:
    """A Minari dataset as columns; infos of one number a step become signals."""
    known = facts(folder)
    with _readable(folder, name):
        from minari.dataset.minari_storage import MinariStorage

        storage = MinariStorage.read(folder / DATA)
        kinds = _Kinds.of(storage, name, known.made_by)
        small = fits((folder / DATA / FILE).stat().st_size)
        columns = read_columns(folder / DATA / FILE, folder / DATA / INDEX) if small else None
        if columns is None:
            growing = Growing(name, on_disk=not small)
            for number, episode in enumerate(storage.get_episodes(range(storage.total_episodes))):
                growing.add(_rows(episode, kinds, f"episode {number} of {name}"))
            columns = growing.columns()
        if not columns:
            raise SciqlError(f"{name} has no episodes; record some, or choose another dataset")
        found = {key.removeprefix(SIGNAL): columns.pop(key) for key in list(columns) if key.startswith(SIGNAL)}
        signals = {unquote(name): column for name, column in found.items()} if known.made_by else found
        rewards = columns.pop("rewards")
        return Episodes.from_arrays(
            **columns,
            rewards=rewards if known.made_by.get("rewarded", True) else None,
            signals=signals,
            name=name,
            environment=known.environment,
            discrete_actions=kinds.discrete_actions,
            observation_names=kinds.observation_names,
            action_names=kinds.action_names,
            action_bounds=None
            if kinds.bounds is None
            else bounds_of(as_numbers(name, "actions", columns["actions"]), kinds.bounds),
        )


def damage(folder: Path, episodes: Episodes) -> str | None:
    """A sentence if the episodes are not those that sciql wrote; nothing is known of others' datasets."""
    written = facts(folder).made_by.get("sha256")
    if written in (None, episodes.content):
        return None
    return f"{episodes.name} in {folder} is not what was written: its sha256 differs; {remedy(folder)}"


@contextmanager
def _readable(folder: Path, name: str) -> Iterator[None]:
    """Say in one sentence that a file is broken, however h5py and Minari say it."""
    try:
        yield
    except SciqlError:
        raise
    except Exception as problem:
        raise SciqlError(f"{name} in {folder} cannot be read ({reason(problem)}); {remedy(folder)}") from problem


@dataclass(frozen=True)
class _Kinds:
    """What observations and actions are."""

    parts: list[Leaf]
    """Of an observation."""
    observation_names: Sequence[str]
    action_names: Sequence[str]
    discrete_actions: int | None = None
    first_action: int = 0
    """Number of the first discrete action."""
    bounds: Float[np.ndarray, "2 m"] | None = None
    """Of vectors, infinite where there are none."""

    @classmethod
    def of(cls, storage: "MinariStorage", name: str, told: Mapping[str, Any]) -> "_Kinds":
        """By the spaces, and by what sciql itself told about a dataset that it wrote."""
        from gymnasium.spaces import Box, Discrete

        parts, actions = leaves(storage.observation_space, name), storage.action_space
        seen = told.get("observation_names") or [column for part in parts for column in part.names]
        done = told.get("action_names", ())
        if isinstance(actions, Discrete):
            count, first = int(actions.n), int(actions.start)
            return cls(parts, seen, done or [str(first + number) for number in range(count)], count, first)
        if not isinstance(actions, Box):
            raise SciqlError(f"actions of {name} are {actions}; a Box or a Discrete space is needed")
        refuse_image(actions.shape, actions.dtype, "actions", name)
        bounds = np.stack([actions.low.ravel(), actions.high.ravel()]).astype(np.float32)
        return cls(parts, seen, done, bounds=bounds)


def _rows(episode: Mapping[str, Any], kinds: _Kinds, name: str) -> dict[str, np.ndarray]:
    """One episode of Minari's as rows of our columns."""
    steps = len(episode["rewards"])
    terminations, truncations = (np.array(episode[flag], bool) for flag in ("terminations", "truncations"))
    if not steps:
        raise SciqlError(f"{name} has no steps; remove it from the dataset")
    observations = flattened(kinds.parts, episode["observations"])
    if len(observations) != steps + 1:
        raise SciqlError(f"{name} has {len(observations)} observations; {steps} steps need {steps + 1}")
    if (terminations | truncations)[:-1].any():
        raise SciqlError(f"{name} is flagged as ended before its last step; split it there")
    # A recording that stops without a flag was cut off there.
    truncations[-1] |= not terminations[-1]
    actions = np.asarray(episode["actions"])
    rows = {
        "observations": observations[:-1],
        "actions": actions.reshape(steps, -1) if kinds.discrete_actions is None else actions - kinds.first_action,
        "rewards": np.asarray(episode["rewards"]),
        "terminations": terminations,
        "truncations": truncations,
        "final_observations": observations[-1:],
    }
    for signal, info in numeric(episode["infos"]):
        # Where Minari recorded an environment live, the info of its reset stands before those of the steps.
        if len(info) >= steps:
            rows[SIGNAL + signal] = info[len(info) - steps :]
    return rows
