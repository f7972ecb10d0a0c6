"""Train HalfCheetah's archetypes as the shipped ones were, each from those before it, and put them into the package.

Run with `python benchmarks/archetypes.py FOLDER`, and again after a break: what is finished is not trained again. It
takes about an hour on one core. `--ship` then copies the actors and their records into `src/sciql/archetypes/actors`.
"""

import argparse
import os
import shlex
from pathlib import Path

from sciql.archetypes.actor import load_actor
from sciql.archetypes.shapes import ARCHETYPES
from sciql.cli import main
from sciql.files import write_json

PLAN = """
expert --updates 240000
speed-fast --updates 100000 --enough 1.6 --after runs/archetypes/expert
speed-medium --updates 100000 --enough 1.6 --after runs/archetypes/expert
speed-slow --updates 100000 --enough 1.5 --after runs/archetypes/speed-medium runs/archetypes/expert
angle-flat --updates 90000 --enough 1.2 --after runs/archetypes/speed-medium runs/archetypes/expert
height-normal --updates 90000 --enough 1.2 --after runs/archetypes/speed-medium runs/archetypes/expert
angle-crouching --updates 90000 --enough 1.2 --after runs/archetypes/angle-flat runs/archetypes/expert \
runs/archetypes/speed-medium
angle-upright --updates 90000 --enough 1.2 --after runs/archetypes/angle-flat runs/archetypes/expert \
runs/archetypes/speed-medium --out runs/archetypes/angle-upright-early
height-running --updates 90000 --enough 1.2 --after runs/archetypes/height-normal runs/archetypes/expert \
runs/archetypes/angle-upright-early
height-crawling --updates 90000 --enough 1.2 --after runs/archetypes/height-normal runs/archetypes/expert \
runs/archetypes/angle-crouching
angle-upright --updates 200000 --enough 1.12 --after runs/archetypes/angle-upright-early runs/archetypes/expert \
runs/archetypes/angle-flat
"""
"""Each archetype from the nearest one that was there; upright needed a second round."""
COMMANDS = [line for line in PLAN.splitlines() if line]
PACKAGE = Path(__file__).parents[1] / "src" / "sciql" / "archetypes" / "actors"


def ship(folder: Path) -> None:
    """The actors into the package, each with a record that people can read beside it."""
    commands = {line.split()[0]: line for line in COMMANDS}
    for name in ARCHETYPES:
        actor = load_actor(folder / "runs" / "archetypes" / name / "policy.npz")
        actor.record["command"] = f"sciql archetypes train {commands[name]}"
        actor.save(PACKAGE / f"{name}.npz")
        write_json(PACKAGE / f"{name}.json", actor.record)
        print(name, actor.record["judged"])


def run() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("--ship", action="store_true", help="only copy what is trained into the package")
    given = words.parse_args()
    if given.ship:
        ship(given.folder)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    os.chdir(given.folder)
    for line in COMMANDS:
        if code := main(["archetypes", "train", *shlex.split(line), "--resume"]):
            raise SystemExit(code)


if __name__ == "__main__":
    run()
