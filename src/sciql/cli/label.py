"""`sciql label`: what criteria say about a dataset, before anybody trains on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from sciql.cli.command import Command, picture_path, print_json, stdout, told, writable_folder
from sciql.cli.words import CriteriaWord, CriterionWord, DatasetWord, LeastWord
from sciql.errors import SciqlError

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.episodes import Episodes


@dataclass(frozen=True, kw_only=True)
class Label(Command):
    """A laboratory of labels: how often styles occur, how they flicker, what a window does, which lead to which."""

    dataset: DatasetWord
    criterion: CriterionWord = None
    """A criterion's name, such as position, or position+speed for both at once; without it, all that fit the data."""
    criteria: CriteriaWord = None
    noise: float = 0.0
    """Share of the labels to replace by wrong ones."""
    least: LeastWord = None
    beside: Annotated[tuple[str, ...], tyro.conf.arg(metavar="DATASET...")] = ()
    """Other datasets to draw beside this one."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Draw the histogram into this file, .png or .svg, too."""
    html: Annotated[Path | None, tyro.conf.arg(metavar="PAGE")] = None
    """Write all there is to see, with typical clips of each style, into this HTML page."""

    def run(self) -> int:
        out = None if self.out is None else picture_path(self.out)
        if self.beside and out is None:
            raise SciqlError("other datasets are drawn beside this one; say with --out where the picture goes")
        page = None if self.html is None else _page_path(self.html)
        criteria, episodes = self._chosen()
        from sciql.cli.laboratory import show, shown_briefly
        from sciql.laboratory import examine

        with told():
            laboratories = [examine(one, episodes) for one in criteria]
        if out is not None:
            from sciql.criteria import label_report
            from sciql.datasets import load_dataset
            from sciql.plots import histograms, save

            others = [load_dataset(name) for name in self.beside]
            reports = [[one.report, *(label_report(one.criterion, other) for other in others)] for one in laboratories]
            drawn = [one for one in criteria for _ in range(1 + len(others))]
            save(histograms(drawn, [*chain.from_iterable(reports)]), out.with_suffix(""), [out.suffix[1:]])
        if page is not None:
            from sciql.files import write_text
            from sciql.laboratory.page import page as html

            write_text(page, html(laboratories))
        if self.json:
            made = {"picture": out and str(out), "page": page and str(page)}
            print_json({"dataset": episodes.name, "criteria": [one.document() for one in laboratories], **made})
            return 0
        for one in laboratories:
            stdout().print(*(shown_briefly(one) if len(laboratories) > 1 else show(one)))
        self._next(out, page, criteria)
        return 0

    def _chosen(self) -> "tuple[Sequence[Criterion], Episodes]":
        """The criterion that is named, those of the file, or all whose signals the data has."""
        from sciql.criteria import criterion, load_criteria
        from sciql.datasets import load_dataset, signals_of

        # Names are looked up first: a wrong one is answered at once.
        named, signals = None, signals_of(self.dataset)
        if self.criterion is not None:
            named = [criterion(self.criterion, file=self.criteria, signals=signals, noise=self.noise)]
        if named is None and self.criteria is not None:
            named = [one.with_noise(self.noise) for one in load_criteria(self.criteria).values()]
        episodes = load_dataset(self.dataset)
        chosen = named or _fitting(episodes, self.noise)
        return (chosen if self.least is None else [one.supported(episodes, self.least) for one in chosen]), episodes

    def _next(self, out: Path | None, page: Path | None, criteria: "Sequence[Criterion]") -> None:
        """What was written, and what to do now."""
        import shlex

        if out is not None:
            stdout().print(f"picture: {out}", markup=False)
        if page is not None:
            stdout().print(f"open {page}", markup=False)
        if self.criterion is None and len(criteria) > 1:
            return
        words = ["sciql", "train", "sciql_style", self.dataset, *([self.criterion] if self.criterion else [])]
        words += ["--criteria", str(self.criteria)] if self.criteria is not None else []
        words += ["--least", f"{self.least:g}"] if self.least is not None else []
        stdout().print(f"next: {shlex.join(words)}", markup=False)


def _page_path(path: Path) -> Path:
    """The path of a page that can be written; asked before work starts."""
    if path.suffix not in (".html", ".htm"):
        raise SciqlError(f"{path} is no name of a page; end it in .html")
    writable_folder(path.parent)
    return path


def _fitting(episodes: "Episodes", noise: float) -> "Sequence[Criterion]":
    """The criteria whose signals the data has."""
    from sciql.criteria import CRITERIA, criterion

    known = [criterion(name, noise=noise) for name in CRITERIA]
    fitting = [one for one in known if set(one.signals) <= set(episodes.columns)]
    if not fitting:
        signals = ", ".join(episodes.columns) or "none"
        raise SciqlError(
            f"no criterion of sciql's own reads the signals of {episodes.name} ({signals}); name one to see why, or "
            "bring your own with --criteria"
        )
    return fitting
