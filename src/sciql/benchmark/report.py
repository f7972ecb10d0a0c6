"""All tables, figures and verdicts as one HTML page that needs nothing else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from sciql.benchmark.figures import score_exhibits
from sciql.benchmark.grid import GRID_METHODS, all_pairs
from sciql.benchmark.printing import html, plus_minus
from sciql.benchmark.shelf import Shelf
from sciql.benchmark.tables import Table, all_tables
from sciql.benchmark.verdicts import RULE, Judged, counts, judge
from sciql.methods import get_method
from sciql.plots.exhibits import Exhibit, figure_element, hang, section_element


def page(shelf: Shelf, extra: Iterable[Exhibit] = ()) -> str:
    """The whole page; `extra` are figures beside those of the scores, such as those of the data."""
    judged = judge(shelf.main)
    tables = [table for table in all_tables(shelf.main, shelf.grids("estimators")) if not table.empty]
    first = [table for table in tables if table.name == "style"]
    rest = [table for table in tables if table.name != "style"]
    drawn = hang([*score_exhibits(shelf), *extra])
    figures = [
        section_element(heading, [figure_element(hung) for hung in group])
        for heading, group in groupby(
            sorted(drawn, key=lambda hung: _rank(hung.exhibit.section)), key=lambda hung: hung.exhibit.section
        )
    ]
    template = Template((files("sciql.benchmark") / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        cells=f"{sum(len(scores.seeds) for scores in shelf.main.values()):,}",
        pairs=len({key[:2] for key in shelf.main}),
        wanted=len(list(all_pairs())),
        methods=len({key[2] for key in shelf.main}),
        all_methods=len(GRID_METHODS),
        preset=escape(shelf.preset if shelf.steps is None else f"{shelf.preset}, {shelf.steps:,} steps a stage"),
        verdicts=_tally(judged),
        first="".join(map(_table, first)),
        figures="\n".join(figures),
        tables=section_element("All tables", [_table(table) for table in rest]),
        judged=_judged(judged),
        rule=escape(RULE),
        made=_made(shelf),
    )


SECTIONS = ("Style and task", "Asked for and shown", "What it costs", "Ablations")


def _rank(section: str) -> tuple[int, str]:
    """Sections of scores in this order, then all others."""
    return (SECTIONS.index(section), "") if section in SECTIONS else (len(SECTIONS), section)


def _table(table: Table) -> str:
    return (
        f"<h3>{escape(table.title)}</h3>\n<div class='wide' tabindex='0'>{html(table)}</div>\n"
        f"<p class='note'>{escape(table.note)}</p>\n"
    )


def _tally(judged: Sequence[Judged]) -> str:
    """How often each verdict was given, as a row of numbers."""
    items = counts(judged).items()
    return "".join(f"<div class='{name}'><dt>{name}</dt><dd>{count}</dd></div>" for name, count in items)


def _judged(judged: Sequence[Judged]) -> str:
    """The verdicts of all figures of which ours are there."""
    rows = [
        f"<tr><th>{escape(cell.dataset)}</th><th>{escape(cell.criterion)}</th>"
        f"<th>{escape(get_method(cell.method).title)}</th><th>{cell.metric}</th><td>{escape(plus_minus(cell.ours))}</td><td>{cell.paper}</td>"
        f"<td>{cell.interval[0]:+.1f} to {cell.interval[1]:+.1f}</td>"
        f"<td class='{cell.verdict}'>{cell.verdict}</td></tr>"
        for cell in judged
        if cell.interval is not None
    ]
    head = "".join(
        f"<th>{name}</th>"
        for name in ("dataset", "criterion", "method", "score", "ours", "paper", "ours - paper", "verdict")
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table>"


def _made(shelf: Shelf) -> str:
    """What the cells were made by and on, most cells first."""
    documents = [document for scores in shelf.main.values() for document in scores.documents]
    words = Counter(_words(document["made"]) for document in documents)
    hours = sum(sum(document["seconds"].values()) for document in documents) / 3600
    lines = "".join(f"<li>{escape(line)}: {count:,} cells</li>" for line, count in words.most_common())
    return (
        f"<p>{hours:.1f} hours of computing; shared fits are counted in each cell that reads them.</p><ul>{lines}</ul>"
    )


def _words(made: dict[str, object]) -> str:
    """Versions, commit and machine in one line."""
    versions, machine = made.get("versions"), made.get("machine")
    parts = [f"sciql {made['sciql']} at {made['commit'] or 'no commit'}"]
    if isinstance(versions, dict):
        parts.append(", ".join(f"{name} {version}" for name, version in versions.items()))
    if isinstance(machine, dict):
        parts.append(", ".join(f"{name} {value}" for name, value in machine.items()))
    return "; ".join(part for part in parts if part)
