"""A table as text for a terminal, as Markdown, CSV, LaTeX and HTML."""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from sciql.benchmark.scores import Value
from sciql.benchmark.tables import Entry, Table
from sciql.errors import SciqlError, unknown
from sciql.files import write_text
from sciql.paper import Figure

if TYPE_CHECKING:
    from rich.table import Table as RichTable

NOTHING = "–"
Bold = Callable[[str], str]
Escape = Callable[[str], str]


def plus_minus(entry: Value | int | None) -> str:
    """A score of ours."""
    if entry is None:
        return NOTHING
    if isinstance(entry, int):
        return f"{entry:,}"
    if entry.interval is not None:
        return f"{entry.mean:.1f} [{entry.interval[0]:.1f}, {entry.interval[1]:.1f}]"
    return f"{entry.mean:.1f}" + ("" if entry.std is None else f" ± {entry.std:.1f}")


def written(entry: Entry, bold: Bold) -> str:
    """A cell: ours, and the paper's in parentheses."""
    ours = bold(plus_minus(entry.ours)) if entry.best else plus_minus(entry.ours)
    if entry.paper is None:
        return ours
    printed = f"{entry.paper:,}" if isinstance(entry.paper, int) else str(entry.paper)
    return f"{ours} ({bold(printed) if entry.paper_best else printed})"


def lines(table: Table, bold: Bold) -> list[list[str]]:
    """Head and rows as text; the seeds of a row come last where it has any."""
    seeds = any(row.seeds for row in table.rows)
    head = [*table.head, *table.columns, *(["seeds"] if seeds else [])]
    rows = [
        [*row.words, *(written(entry, bold) for entry in row.entries), *([row.seeds or NOTHING] if seeds else [])]
        for row in table.rows
    ]
    return [head, *rows]


def terminal(table: Table) -> "RichTable":
    """For a terminal; ours over the paper's, so that many columns find room."""
    from rich import box
    from rich.markup import escape as plain
    from rich.table import Table as RichTable

    head, *rows = lines(table, lambda text: f"[bold]{text}[/]")
    made = RichTable(
        title=table.title, caption=table.note, title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD
    )
    for place, name in enumerate(head):
        made.add_column(
            plain(name), justify="left" if place < len(table.head) else "right", no_wrap=place < len(table.head)
        )
    for row in rows:
        made.add_row(
            *[cell.replace(" (", "\n(", 1) if place >= len(table.head) else cell for place, cell in enumerate(row)]
        )
    return made


def markdown(table: Table) -> str:
    head, *rows = lines(table, lambda text: f"**{text}**")
    ruled = [head, ["---"] * len(head), *rows]
    body = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in ruled)
    return f"**{table.title}.** {table.note}\n\n{body}\n"


def latex(table: Table) -> str:
    """A table environment of booktabs."""
    head, *rows = lines(table, lambda text: f"@@{text}@!")
    body = [" & ".join(map(_tex, row)) + r" \\" for row in rows]
    columns = "l" * len(table.head) + "c" * (len(head) - len(table.head))
    return "\n".join(
        [
            r"\begin{table*}",
            rf"\caption{{\textbf{{{_tex(table.title)}.}} {_tex(table.note)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\centering",
            r"\resizebox{\textwidth}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(map(_tex, head)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table*}",
            "",
        ]
    )


TEX = {
    "_": r"\_", "&": r"\&", "%": r"\%", "±": r"$\pm$", "–": "--", "β": r"$\beta$", "λ": r"$\lambda$", ">": "$>$",
    "|": "$|$", "ζ": r"$\zeta$", "@@": r"\textbf{", "@!": "}",
}  # fmt: skip
"""What LaTeX writes otherwise; the last two stand around what is bold."""


def _tex(text: str) -> str:
    for plain, written_so in TEX.items():
        text = text.replace(plain, written_so)
    return text


def comma_separated(table: Table) -> str:
    """A line a cell, with all digits: for other programs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    measured = ("ours_mean", "ours_std", "ours_seeds", "ours_low", "ours_high", "paper_mean", "paper_std")
    writer.writerow([*table.head, "column", *measured])
    for row in table.rows:
        for column, entry in zip(table.columns, row.entries, strict=True):
            writer.writerow([*row.words, column, *_numbers(entry)])
    return out.getvalue()


def _numbers(entry: Entry) -> list[float | int | str | None]:
    ours, paper = entry.ours, entry.paper
    if isinstance(ours, Value):
        low, high = ours.interval or (None, None)
        mine = [ours.mean, ours.std, ours.seeds, low, high]
    else:
        mine = [ours, None, None, None, None]
    return [*mine, *([paper.mean, paper.std] if isinstance(paper, Figure) else [paper, None])]


BLOCK = re.compile(r"(<!-- results: ([a-z, -]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def write_page(tables: Sequence[Table], page: Path) -> Path:
    """The tables that the comments of a Markdown page ask for, each block between its two comments."""
    known = {table.name: table for table in tables}
    text = page.read_text(encoding="utf-8") if page.is_file() else ""

    def block(found: re.Match[str]) -> str:
        shown = [markdown(_named(known, name.strip())) for name in found[2].split(",")]
        return f"{found[1]}\n{chr(10).join(shown)}\n{found[3]}"

    new, count = BLOCK.subn(block, text)
    if not count:
        raise SciqlError(
            f"{page} has no place for tables; add the lines <!-- results: style --> and <!-- end of results --> to it"
        )
    write_text(page, new)
    return page


def _named(known: Mapping[str, Table], name: str) -> Table:
    if name not in known:
        raise unknown("table", name, known)
    return known[name]


def write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Every table in every form of a file."""
    forms = {"md": markdown, "csv": comma_separated, "tex": latex}
    made = []
    for table in tables:
        for ending, form in forms.items():
            made.append(folder / f"{table.name}.{ending}")
            write_text(made[-1], form(table))
    return made


def html(table: Table) -> str:
    """A table element, with the paper's under ours in each cell."""
    head, *rows = lines(table, lambda text: f"\x02{text}\x03")
    words = len(table.head)

    def cell(place: int, text: str) -> str:
        ours, _, paper = escape(text).replace("\x02", "<b>").replace("\x03", "</b>").partition(" (")
        tag = "th" if place < words else "td"
        return f"<{tag}>{ours}" + (f"<small>({paper}</small>" if paper and place >= words else "") + f"</{tag}>"

    top = "".join(f"<th{' class=word' * (place < words)}>{escape(name)}</th>" for place, name in enumerate(head))
    body = "".join(f"<tr>{''.join(cell(place, text) for place, text in enumerate(row))}</tr>\n" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>"
