"""`sciql archetypes`: the trained cheetahs that the HalfCheetah datasets are made from."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from sciql.cli.command import Command, picture_path, print_json, stdout, table
from sciql.cli.words import FolderWord

ArchetypeWord = Annotated[str, tyro.conf.arg(metavar="ARCHETYPE")]


@dataclass(frozen=True, kw_only=True)
class List(Command):
    """The archetypes, what each is rewarded for, and what the one that comes with sciql achieves."""

    def run(self) -> int:
        from sciql.archetypes.shapes import ARCHETYPES
        from sciql.archetypes.shipped import shipped_actor

        records = {name: shipped_actor(name).record for name in ARCHETYPES}
        if self.json:
            print_json({"archetypes": records})
            return 0
        rows = [(name, *_figures(record["judged"]), f"{record['updates']:,}") for name, record in records.items()]
        stdout().print(table("Archetypes of HalfCheetah", ("archetype", *FIGURES, "updates"), rows))
        return 0


FIGURES = ("quality", "velocity", "error", "share", "return", "task return")


def _figures(judged: dict[str, float]) -> tuple[str, ...]:
    """One cell a figure; a dash where an archetype has none."""
    formats = {"quality": "{:.2f}", "velocity": "{:.2f}", "error": "{:.3f}", "share": "{:.3f}", "reward": "{:.0f}"}
    formats["task"] = "{:.0f}"
    return tuple(shape.format(judged[name]) if name in judged else "-" for name, shape in formats.items())


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """Train an archetype by soft actor-critic; Ctrl-C or worse loses two minutes at most, --resume goes on."""

    archetype: ArchetypeWord
    """expert, speed-slow, speed-medium, speed-fast, angle-upright, angle-flat, angle-crouching, height-crawling,
    height-normal or height-running."""
    seed: int = 0
    """All that is random comes from it."""
    updates: int | None = None
    """Gradient steps at most; the default is 200,000."""
    enough: float | None = None
    """Stop early at this quality; at 1 all demands are just met."""
    after: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="FOLDER...")] = ()
    """Finished trainings to begin from: the networks of the first, and the transitions of all, rewarded anew."""
    out: FolderWord = None
    """Folder of the training; runs/archetypes/ARCHETYPE unless told."""
    resume: bool = False
    """Go on where an interrupted training of the same settings stopped."""

    @property
    def folder(self) -> Path:
        """Where the training goes."""
        return self.out or Path("runs") / "archetypes" / self.archetype

    def run(self) -> int:
        from sciql.archetypes.shapes import get_archetype

        get_archetype(self.archetype)
        # JAX is imported only now: mistakes in names are answered without waiting for it.
        from dataclasses import replace

        from sciql.archetypes.sac import SacSettings
        from sciql.archetypes.training import train_archetype

        settings = replace(SacSettings(), enough=self.enough)
        settings = settings if self.updates is None else replace(settings, updates=self.updates)
        actor = train_archetype(
            self.archetype, self.folder, seed=self.seed, settings=settings, others=self.after, resume=self.resume
        )
        if self.json:
            print_json({"folder": str(self.folder), **actor.record})
            return 0
        rows = [_figures(actor.record["judged"])]
        stdout().print(table(f"{self.archetype}, seed {self.seed}", FIGURES, rows))
        stdout().print(f"the actor: {self.folder / 'policy.npz'}", markup=False)
        return 0

    def after_interrupt(self) -> str:
        words = ["sciql", "archetypes", "train", self.archetype, "--seed", str(self.seed)]
        words += [] if self.updates is None else ["--updates", str(self.updates)]
        words += [] if self.enough is None else ["--enough", str(self.enough)]
        words += ["--after", *map(str, self.after)] if self.after else []
        return f"; go on with: {shlex.join([*words, '--out', str(self.folder), '--resume'])}"


@dataclass(frozen=True, kw_only=True)
class Draw(Command):
    """Film strips of the archetypes that come with sciql."""

    out: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path("archetypes.png")
    """The picture, .png or .svg."""

    def run(self) -> int:
        out = picture_path(self.out)
        from sciql.archetypes.shapes import ARCHETYPES
        from sciql.archetypes.shipped import shipped_actor
        from sciql.plots import save, strips

        save(strips({name: shipped_actor(name) for name in ARCHETYPES}), out.with_suffix(""), [out.suffix[1:]])
        if self.json:
            print_json({"picture": str(out)})
        else:
            stdout().print(f"picture: {out}", markup=False)
        return 0


ARCHETYPE_COMMANDS: dict[str, type[Command]] = {"list": List, "train": Train, "draw": Draw}


@dataclass(frozen=True, kw_only=True)
class Archetypes(Command):
    """HalfCheetah's archetypes: list, train, draw."""
