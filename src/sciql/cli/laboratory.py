"""The laboratory of labels in a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sciql.cli.command import table
from sciql.laboratory.figures import percent

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from sciql.laboratory import Laboratory, PairSupport, Windowed

BAR = 28  # characters that stand for 100 %
NAMED = 3  # styles that a style leads to


def show(laboratory: "Laboratory") -> Sequence["RenderableType"]:
    """Everything, one table below the other."""
    return [
        _histogram(laboratory),
        *(_pair(pair) for pair in laboratory.pairs),
        _windows(laboratory),
        _moves(laboratory),
        *_findings(laboratory),
    ]


def shown_briefly(laboratory: "Laboratory") -> Sequence["RenderableType"]:
    """One of several criteria: the histogram, and what is odd."""
    return [_histogram(laboratory), *_findings(laboratory)]


def _histogram(laboratory: "Laboratory") -> "Table":
    from rich.bar import Bar
    from rich.markup import escape

    report = laboratory.report
    title = (
        f"{report.criterion} in {report.dataset}: {report.episodes:,} episodes, {report.steps:,} steps\n"
        f"[not bold]flicker {100 * report.flicker:.2f} %, a label lasts {report.mean_run:.1f} steps; an episode shows "
        f"{laboratory.styles_an_episode:.1f} styles and changes {laboratory.changes:.1f} times, "
        f"{100 * laboratory.constant:.0f} % of them never[/]"
    )
    shown = table(title, ("style", "share of steps", "%", "per episode"), [])
    shown.columns[1].justify = "left"
    for style in report.styles:
        name = escape(style.style)
        shown.add_row(
            name if style.promptable else f"[dim]{name} (cannot be asked for)[/]",
            Bar(1.0, 0.0, style.share, width=BAR, color="cyan" if style.promptable else "bright_black"),
            percent(style.share),
            f"{100 * style.episode_mean:.1f} ± {100 * style.episode_std:.1f}",
        )
    return shown


def _pair(pair: "PairSupport") -> "Table":
    rows = [(name, *(percent(share) for share in line)) for name, line in zip(pair.rows, pair.shares, strict=True)]
    title = f"{pair.names[0]} and {pair.names[1]} together, % of steps"
    return table(title, (pair.names[0], *pair.columns), rows)


def _windows(laboratory: "Laboratory") -> "Table":
    """Flicker and shares by the radius of the majority vote."""
    rows = [
        (str(one.radius), f"{100 * one.flicker:.2f}", f"{one.mean_run:.1f}", *_moved(laboratory, one))
        for one in laboratory.windows
    ]
    columns = ("window", "flicker %", "a label lasts", "styles lost", "share moved by at most")
    shown = table("What a majority vote does", columns, rows)
    shown.columns[0].justify = "right"
    return shown


def _moved(laboratory: "Laboratory", one: "Windowed") -> tuple[str, str]:
    """How many styles a window leaves without a step, and how far it moves a share."""
    plain, shares = np.array(laboratory.windows[0].shares), np.array(one.shares)
    return str(int(((plain > 0) & (shares == 0)).sum())), f"{100 * np.abs(shares - plain).max():.1f} points"


def _moves(laboratory: "Laboratory") -> "Table":
    """What follows each style at once, later in the same episode, and by changes of any episodes."""
    rows = [_leads(laboratory, style) for style in laboratory.alive]
    columns = ("style", "changes", "most often to", "then in the same episode", "can lead to")
    shown = table("Which style leads to which", columns, rows)
    shown.columns[2].justify = "left"
    return shown


def _leads(laboratory: "Laboratory", style: int) -> tuple[str, ...]:
    from rich.markup import escape

    moves, others = laboratory.moves[style], len(laboratory.alive) - 1
    shares = moves / max(int(moves.sum()), 1)
    order = np.argsort(-moves, kind="stable")[:NAMED]
    most = [f"{laboratory.brief(to)} {100 * shares[to]:.0f} %" for to in order.tolist() if shares[to] > 0.005]
    later = int((np.delete(laboratory.later[style], style) > 0).sum())
    reached = int(laboratory.reached[style].sum()) - 1
    return (
        escape(laboratory.brief(style)),
        f"{int(moves.sum()):,}",
        escape("; ".join(most)) or "nothing",
        f"{later} of {others}",
        f"{reached} of {others}",
    )


def _findings(laboratory: "Laboratory") -> Iterator[str]:
    from rich.markup import escape

    for finding in laboratory.findings():
        yield f"[yellow]•[/] {escape(finding)}"
