"""The whole way on one dataset and one criterion: data, labels, two methods, scores, pictures, a page."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sciql.evaluation import Evaluation, evaluate
from sciql.files import write_json, write_text

if TYPE_CHECKING:
    from sciql.criteria import Criterion
    from sciql.episodes import Episodes
    from sciql.training import Run

DATASET = "circle2d-inplace-v0"
METHODS = ("sciql_style_task", "cbc")
"""The one that is shown, and the one that it is shown against."""


@dataclass(frozen=True)
class Act:
    """One method of the demo."""

    method: str
    title: str
    curve: list[dict[str, Any]]
    evaluation: Evaluation


@dataclass(frozen=True)
class Result:
    """What a demo leaves behind."""

    dataset: str
    criterion: str
    acts: tuple[Act, ...]
    page: Path
    seconds: float

    @property
    def title(self) -> str:
        from sciql.plots.house import spoken

        return f"{spoken(self.criterion)} on {self.dataset}"

    def document(self) -> dict[str, Any]:
        """The scores, ours and the paper's, in JSON's own types."""
        return {
            "dataset": self.dataset,
            "criterion": self.criterion,
            "page": str(self.page),
            "seconds": self.seconds,
            "methods": [act.evaluation.document() | {"paper": _printed(self, act)} for act in self.acts],
        }


def demonstrate(criterion: "Criterion", folder: Path, *, steps: int | None, tell: Callable[[str], None]) -> Result:
    """Train, evaluate and draw into `folder`; what stands there already from the same demo is used again."""
    from sciql.datasets import load_dataset
    from sciql.demo.page import page
    from sciql.demo.pictures import exhibits
    from sciql.plots.exhibits import hang
    from sciql.video import film

    start = time.perf_counter()
    tell(f"[bold]1[/] the data: {DATASET}")
    episodes = load_dataset(DATASET)
    acts = []
    for number, method in enumerate(METHODS, start=2):
        tell(f"[bold]{number}[/] training {method}")
        acts.append(_act(method, criterion, episodes, folder / "runs" / method, steps))
    tell(f"[bold]{len(METHODS) + 2}[/] pictures")
    shot = film(acts[0].evaluation, folder / "film")
    result = Result(DATASET, criterion.name, tuple(acts), folder / "index.html", time.perf_counter() - start)
    pictures = hang(exhibits(result, criterion, episodes), folder / "pictures")
    write_text(result.page, page(result, criterion, pictures, shot))
    write_json(folder / "scores.json", result.document())
    return result


def _act(method: str, criterion: "Criterion", episodes: "Episodes", folder: Path, steps: int | None) -> Act:
    from sciql.methods import get_method
    from sciql.training import train

    run: Run = train(method, episodes, criterion, out=folder, steps=steps, resume=folder.exists())
    return Act(method, get_method(method).title, run.curve, evaluate(run.policy, criterion=criterion))


def _printed(result: Result, act: Act) -> dict[str, Any]:
    """The paper's figures for the same cell of its tables."""
    from dataclasses import asdict

    from sciql.paper import figure_of

    style = figure_of(result.dataset, result.criterion, act.method, "style")
    task = figure_of(result.dataset, result.criterion, act.method, "task")
    return {"style": style and asdict(style), "task": task and asdict(task)}
