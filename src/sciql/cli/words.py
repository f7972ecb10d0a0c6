"""The words that several commands take, named as people read them in `--help`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

DatasetWord = Annotated[str, arg(metavar="DATASET", help="A dataset's name, or the folder of a Minari dataset.")]
CriterionWord = Positional[Annotated[str | None, arg(metavar="CRITERION")]]
LeastWord = Annotated[
    float | None,
    arg(metavar="SHARE", help="Leave out the styles that never occur, or in fewer than this share of the steps."),
]
CriteriaWord = Annotated[
    Path | None, arg(name="criteria", metavar="FILE", help="A Python file with criteria of your own.")
]
RunWord = Annotated[Path, arg(name="run", metavar="RUN", help="The folder of a run, or its policy file.")]
EpisodesWord = Annotated[int, arg(metavar="N", help="Episodes a style.")]
StartsWord = Annotated[int, arg(metavar="N", help="Where the episodes start; the same for every policy.")]
StepsWord = Annotated[int | None, arg(metavar="N", help="Gradient steps of each stage, instead of the preset's.")]
ColumnWord = Annotated[str | None, arg(metavar="COLUMN")]
FolderWord = Annotated[Path | None, arg(metavar="FOLDER")]
FileWord = Annotated[Path | None, arg(metavar="FILE")]
