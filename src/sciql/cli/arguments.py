"""From the words after `sciql` to a command, or to one sentence about what is wrong with them."""

import contextlib
import io
import re
from collections.abc import Mapping, Sequence

import tyro

from sciql.cli.archetypes import ARCHETYPE_COMMANDS, Archetypes
from sciql.cli.benchmark import BENCHMARK, Benchmark
from sciql.cli.command import Command
from sciql.cli.data import DATA, Data
from sciql.cli.demo import Demo
from sciql.cli.doctor import Doctor
from sciql.cli.evaluate import Evaluate
from sciql.cli.export import Export
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
    "export": Export,
    "benchmark": Benchmark,
    "archetypes": Archetypes,
}
FAMILIES: dict[str, dict[str, type[Command]]] = {
    "data": DATA,
    "benchmark": BENCHMARK,
    "archetypes": ARCHETYPE_COMMANDS,
}
"""Commands that are made of others."""
DESCRIPTION = "From behaviour logs and labelling functions to one policy whose style a person can choose."


def parse(words: Sequence[str]) -> Command:
    """The command that the words ask for; help and version are printed and end the process."""
    if words and words[0] == "--version":
        from importlib.metadata import version

        print(f"sciql {version('sciql')}")
        raise SystemExit(0)
    if words and words[0] in FAMILIES:
        family = words[0]
        return _choose(FAMILIES[family], f"sciql {family}", COMMANDS[family].__doc__ or "", words[1:])
    return _choose(COMMANDS, "sciql", DESCRIPTION, words)


def _choose(commands: Mapping[str, type[Command]], program: str, description: str, words: Sequence[str]) -> Command:
    """One of the commands, with its arguments."""
    words = list(words) or ["--help"]
    if not words[0].startswith("-") and words[0] not in commands:
        raise unknown("command", words[0], commands)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.extras.subcommand_cli_from_dict(
                dict(commands), prog=program, description=description, args=words, config=_CONFIG
            )
    except SystemExit as end:
        if not end.code:
            raise
        where = f"{program} {words[0]}" if words[0] in commands else program
        raise SciqlError(_sentence(complaint.getvalue(), where)) from None


_CONFIG = (tyro.conf.PositionalRequiredArgs, tyro.conf.FlagCreatePairsOff, tyro.conf.OmitSubcommandPrefixes)


def _sentence(box: str, help_command: str) -> str:
    """tyro's complaint, a box of many lines, as one sentence."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    rows = [line[1:].rstrip(" │") for line in plain.splitlines() if line.startswith(("│", " "))]
    if not plain.startswith("╭"):
        # Where the terminal knows no lines, the box is of spaces and its title is two rows.
        rows = rows[2:]
    rules = [number for number, row in enumerate(rows) if set(row.strip()) in ({"─"}, {"-"})] or [len(rows)]
    remedy = f"; see {help_command} --help"
    if missing := re.search(r"Missing from (sciql[a-z ]*):", plain):
        names = [row.strip() for row in rows[: rules[-1]] if re.match(r" {5}\S", row)]
        return f"{missing.group(1)} needs {', '.join(names)}{remedy}"
    first = " ".join(" ".join(rows[: rules[0]]).split()).rstrip(".")
    if unfit := re.search(r"Error parsing (\S+): .*?(?:\['(.*?)'\]|'(.*?)')", first):
        return f"{unfit.group(1)} cannot be {unfit.group(2) or unfit.group(3)!r}{remedy}"
    if bare := re.search(r"Missing value for argument '(.*?)'", first):
        return f"{bare.group(1)} needs a value after it{remedy}"
    near = re.search(r"Perhaps you meant:\s*(--[a-z-]+)", " ".join(rows))
    guess = f"; did you mean {near.group(1)}?" if near else remedy
    return f"{first[:1].lower()}{first[1:]}{guess}"
