"""`sciql data`: the datasets that can be had, made and checked."""

from dataclasses import dataclass

from sciql.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class List(Command):
    """The datasets: which are known, which are made."""


@dataclass(frozen=True, kw_only=True)
class Data(Command):
    """Datasets: list, make, check."""
    action: List
