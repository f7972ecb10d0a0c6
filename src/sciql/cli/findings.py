"""Findings about a machine or a dataset, as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sciql.cli.command import table

if TYPE_CHECKING:
    from rich.table import Table

STATES = {"ok": "[green]ok[/]", "hint": "[yellow]hint[/]", "broken": "[red]broken[/]"}


class Seen(Protocol):
    """One thing looked at."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def detail(self) -> str: ...


def findings_table(title: str, findings: Sequence[Seen]) -> "Table":
    from rich.markup import escape

    rows = [(finding.name, STATES[finding.state], escape(finding.detail)) for finding in findings]
    shown = table(title, ("what", "state", "detail"), rows)
    shown.columns[1].justify = shown.columns[2].justify = "left"
    return shown


def healthy(findings: Sequence[Seen]) -> bool:
    return all(finding.state != "broken" for finding in findings)
