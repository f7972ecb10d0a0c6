"""`sciql plot`: the pictures of a run."""

from dataclasses import dataclass

from sciql.cli.command import Command, print_json, stdout, writable_folder
from sciql.cli.words import CriteriaWord, EpisodesWord, FolderWord, RunWord, StartsWord


@dataclass(frozen=True, kw_only=True)
class Plot(Command):
    """Draw a run: rollouts of every style, what was asked against what was shown, and the learning curve."""

    trained: RunWord
    episodes: EpisodesWord = 10
    seed: StartsWord = 0
    criteria: CriteriaWord = None
    out: FolderWord = None
    """Folder of the pictures; RUN/pictures unless told."""

    def run(self) -> int:
        from sciql.cli.runs import judged_on, open_run

        opened = open_run(self.trained)
        folder = writable_folder(self.out or opened.folder / "pictures")
        chosen = judged_on(opened.policy, None, self.criteria)
        from sciql.evaluation import evaluate
        from sciql.plots import curves, has_paths, matrix, paths, save

        evaluation = evaluate(opened.policy, criterion=chosen, episodes=self.episodes, seed=self.seed)
        made = []
        if has_paths(evaluation):
            made += save(paths(evaluation, opened.title), folder / "rollouts")
        if evaluation.labels is not None:
            made += save(matrix(evaluation, opened.title), folder / "matrix")
        if opened.curve:
            made += save(curves(opened.curve, f"Training {opened.title}"), folder / "learning")
        if self.json:
            print_json({"pictures": [str(path) for path in made]})
        else:
            stdout().print("\n".join(str(path) for path in made), markup=False)
        return 0
