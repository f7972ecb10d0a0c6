"""`sciql export`: a trained policy as a file for other programs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from sciql.cli.command import Command, print_json, stdout, writable_folder
from sciql.cli.words import FileWord, RunWord

if TYPE_CHECKING:
    from sciql.exports import Export as Exported
    from sciql.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Write a trained policy for engines, robots and other languages, and check that it acts the same."""

    trained: RunWord
    to: Literal["onnx", "stablehlo"] = "onnx"
    """onnx: for game engines and robots; stablehlo: for JAX."""
    out: FileWord = None
    """The file; policy.onnx or policy.stablehlo in the run's folder unless told."""
    dataset: Annotated[str | None, tyro.conf.arg(metavar="DATASET")] = None
    """Check on the observations of this dataset; of the run's own unless told."""

    def run(self) -> int:
        from sciql.cli.runs import open_run
        from sciql.datasets import load_dataset
        from sciql.errors import SciqlError
        from sciql.exports import export, require_onnx

        if self.to == "onnx":
            require_onnx("onnx", "onnxruntime")
        opened = open_run(self.trained)
        source = self.dataset or opened.dataset
        if source is None:
            raise SciqlError(f"{self.trained} does not say what it was trained on; name data to check on by --dataset")
        path = self.out or opened.folder / f"policy.{self.to}"
        writable_folder(path.parent)
        made = export(opened.policy, path, load_dataset(source).observations, self.to)
        if self.json:
            print_json(self._document(opened.policy, made, source))
        else:
            self._show(opened.policy, made, source)
        return 0

    def _document(self, policy: "Policy", made: "Exported", source: str) -> dict[str, object]:
        return {
            "file": str(made.path),
            "form": made.form,
            "bytes": made.path.stat().st_size,
            "checked_on": {"dataset": source, "observations": made.observations},
            "difference": made.difference,
            "styles": {policy.styles[index]: index for index in policy.prompts},
            "observation_names": policy.observation_names,
            "action_names": policy.action_names,
            "action_bounds": policy.action_bounds,
            "noise": bool(policy.drawn.any()),
        }

    def _show(self, policy: "Policy", made: "Exported", source: str) -> None:
        styles = ", ".join(f"{index} {policy.styles[index]}" for index in policy.prompts)
        lines = [
            f"{made.path}  {made.path.stat().st_size / 1000:.0f} kB",
            f"acts as ours on {made.observations} observations of {source}: largest difference {made.difference:.0e}",
            f"observation: {', '.join(policy.observation_names)}",
            f"style: {styles or 'none; whatever is given is ignored'}",
            f"action: {', '.join(policy.action_names)}",
        ]
        if policy.drawn.any():
            lines.append("noise: styles of this policy show in how much actions vary; see docs/export.md")
        stdout().print("\n".join(lines), markup=False, soft_wrap=True)
