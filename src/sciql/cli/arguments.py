"""From the words after `sciql` to a command, or to one sentence about what is wrong with them."""

import contextlib
import io
import re
from collections.abc import Sequence
from typing import Annotated

import tyro

from sciql.cli.command import Command
from sciql.cli.data import Data
from sciql.cli.demo import Demo
from sciql.cli.doctor import Doctor
from sciql.cli.evaluate import Evaluate
from sciql.cli.label import Label
from sciql.cli.plot import Plot
from sciql.cli.train import Train
from sciql.errors import SciqlError, unknown

COMMANDS: dict[str, type[Command]] = {
    "demo": Demo,
    "doctor": Doctor,
    "data": Data,
    "label": Label,
    "train": Train,
    "evaluate": Evaluate,
    "plot": Plot,
}
DESCRIPTION = "From behaviour logs and labelling functions to one policy whose style a person can choose."


def parse(words: Sequence[str]) -> Command:
    """The command that the words ask for; help and version are printed and end the process."""
    first = words[0] if words else "--help"
    if first == "--version":
        from importlib.metadata import version

        print(f"sciql {version('sciql')}")
        raise SystemExit(0)
    if not first.startswith("-") and first not in COMMANDS:
        raise unknown("command", first, COMMANDS)

    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.extras.subcommand_cli_from_dict(
                COMMANDS, prog="sciql", description=DESCRIPTION, args=list(words) or ["--help"], config=_CONFIG
            )
    except SystemExit as end:
        if not end.code:
            raise
        raise SciqlError(_sentence(complaint.getvalue())) from None


_CONFIG = (tyro.conf.PositionalRequiredArgs, tyro.conf.FlagCreatePairsOff, tyro.conf.OmitSubcommandPrefixes)


def _sentence(box: str) -> str:
    """tyro's complaint, a box of many lines, as one sentence."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    rows = [line.strip("│").rstrip() for line in plain.splitlines() if line.startswith("│")]
    rules = [number for number, row in enumerate(rows) if set(row.strip()) == {"─"}] or [len(rows)]
    help_command = re.search(r"(sciql[a-z -]*--help)", " ".join(row.strip() for row in rows[rules[-1] :]))
    remedy = f"; see {help_command.group(1)}" if help_command else ""

    missing = re.search(r"Missing from (sciql[a-z ]*):", plain)
    if missing:
        names = [row.strip() for row in rows if re.match(r" {5}\S", row)]
        return f"{missing.group(1)} needs {', '.join(names)}{remedy}"
    first = " ".join(" ".join(rows[: rules[0]]).split()).rstrip(".")
    near = re.search(r"Perhaps you meant:\s*(--[a-z-]+)", " ".join(rows))
    guess = f"; did you mean {near.group(1)}?" if near else remedy
    return f"{first[:1].lower()}{first[1:]}{guess}"
