"""`sciql evaluate`: how well a trained policy shows its styles and does its task."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from sciql.cli.command import Command, print_json, stdout, writable_folder
from sciql.cli.scores import style_table
from sciql.cli.words import CriteriaWord, EpisodesWord, RunWord, StartsWord


@dataclass(frozen=True, kw_only=True)
class Evaluate(Command):
    """Ask a trained policy for every style it knows, and score what it shows."""

    trained: RunWord
    episodes: EpisodesWord = 10
    seed: StartsWord = 0
    criterion: Annotated[str | None, tyro.conf.arg(metavar="CRITERION")] = None
    """Judge on these styles; for policies that know none, such as those of bc and iql."""
    criteria: CriteriaWord = None
    video: bool = False
    """Film one episode of every style, as MP4 where imageio-ffmpeg is installed and as GIF elsewhere."""
    offline: bool = False
    """Judge by logs alone, without an environment: held-out likelihood, agreement, and estimates of style and task."""
    dataset: Annotated[str | None, tyro.conf.arg(metavar="DATASET")] = None
    """Judge offline by these logs, which the policy did not learn from; by the run's own unless told."""
    steps: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Gradient steps of the offline estimates."""

    def run(self) -> int:
        self._check()
        return self._offline() if self.offline else self._online()

    def _check(self) -> None:
        """Refuse what would be ignored."""
        from sciql.errors import SciqlError

        if self.offline and self.video:
            raise SciqlError("without an environment there is nothing to film; leave out --video or --offline")
        if not self.offline and (self.dataset is not None or self.steps is not None):
            raise SciqlError("--dataset and --steps say how to judge by logs; add --offline")

    def _offline(self) -> int:
        from sciql.cli.offline import judge

        return judge(
            self.trained, self.criterion, self.criteria, self.dataset, self.steps, self.seed, as_json=self.json
        )

    def _online(self) -> int:
        from sciql.cli.runs import judged_on, open_run

        opened = open_run(self.trained)
        chosen = judged_on(opened.policy, self.criterion, self.criteria)
        if self.video:
            writable_folder(opened.folder)
        # The simulation is imported only now: a wrong path is answered at once.
        from sciql.evaluation import evaluate

        evaluation = evaluate(opened.policy, criterion=chosen, episodes=self.episodes, seed=self.seed)
        film = None
        if self.video:
            from sciql.video import film as shoot

            film = shoot(evaluation, opened.folder / "video")
        if self.json:
            print_json({**evaluation.document(), "video": None if film is None else str(film)})
            return 0
        stdout().print(style_table(evaluation, opened.title, opened.dataset))
        if evaluation.criterion is None:
            stdout().print("this policy knows no styles; add --criterion to judge those that it happens to show")
        if film is not None:
            stdout().print(f"video: {film}", markup=False)
        return 0
