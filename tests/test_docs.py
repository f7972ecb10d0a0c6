"""What the pages say is true: their blocks run, and what they name is there."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hand_written import small_dataset
from tiny import tiny_settings

from sciql.cli import main
from sciql.cli.arguments import COMMANDS, FAMILIES
from sciql.fitted_q import FittedQSettings
from sciql.methods import METHODS
from sciql.networks import NetworkSettings
from sciql.settings import PRESETS

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
WRITTEN = re.compile(r"<!-- file: (\S+) -->\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUNNABLE = re.compile(r"<!-- run -->\n```(python|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code(page: Path) -> Iterator[str]:
    """Every line of a block and every piece of code within a sentence."""
    text = page.read_text(encoding="utf-8")
    for block in FENCED.findall(text):
        yield from block.splitlines()[1:-1]
    yield from INLINE.findall(FENCED.sub("", text))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A small dataset under the name of the large one, and presets of tiny networks and a few steps."""
    with small_dataset(tmp_path_factory.mktemp("minari")), pytest.MonkeyPatch.context() as patch:
        for preset in PRESETS:
            patch.setitem(PRESETS, preset, tiny_settings(preset))
        patch.setattr("sciql.offline.ESTIMATES", FittedQSettings(steps=6, batch=16, networks=NetworkSettings((8,))))
        yield


def run(command: str) -> None:
    """A line of a shell block, in this process."""
    program, *words = shlex.split(command)
    assert program == "sciql", f"only commands of sciql can be marked to be run, not {command!r}"
    assert main(words) == 0, command


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if RUNNABLE.search(page.read_text(encoding="utf-8"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
@pytest.mark.usefixtures("small")
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order and in one folder, as a reader would run them."""
    monkeypatch.chdir(tmp_path)
    # Pages may add methods, which other tests must not meet.
    monkeypatch.setattr("sciql.methods.METHODS", dict(METHODS))
    for name, text in WRITTEN.findall(page.read_text(encoding="utf-8")):
        Path(name).write_text(text, encoding="utf-8")
    for language, block in RUNNABLE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, f"<{page.name}>", "exec"), {"__name__": "__main__"})
            continue
        for line in block.splitlines():
            run(line)


def test_the_guide_leaves_no_command_untried() -> None:
    """All blocks of the way from a CSV to an ONNX file are run but the first, which installs."""
    text = (ROOT / "docs" / "logs-to-engine.md").read_text(encoding="utf-8")
    tried = [block for _, block in (*RUNNABLE.findall(text), *WRITTEN.findall(text))]
    every = re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert [block for block in every if block not in tried] == ["pip install 'sciql[onnx,tables]'\n"]


@each_page
def test_commands_exist(page: Path) -> None:
    for piece in code(page):
        for name, second in re.findall(r"(?:^|bin/)sciql ([a-z]\w*)(?: ([a-z]\w*))?", piece):
            assert name in COMMANDS, piece
            assert name not in FAMILIES or not second or second in FAMILIES[name], piece
            assert name != "train" or not second or second in METHODS, piece


@each_page
def test_files_exist(page: Path) -> None:
    for piece in code(page):
        for name in re.findall(r"(?:^|\s)((?:src|docs|tests|benchmarks|examples|\.ci)/[\w./-]*)", piece):
            assert (ROOT / name).exists(), piece


@each_page
def test_names_exist(page: Path) -> None:
    for piece in code(page):
        for name in re.findall(r"^(sciql(?:\.\w+)+)", piece):
            assert found(name) is not None, name


def found(name: str) -> Any:
    """A module, or what a module holds."""
    *above, last = name.split(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(found(".".join(above)), last)


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> list[str]:
    """What links may add after the #."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_every_option_is_listed() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"--([a-z]+)", page)) - {"help", "version"}
    commands = (*COMMANDS.values(), *(part for family in FAMILIES.values() for part in family.values()))
    names = {"name": "as"}  # which Python keeps for itself
    given = (field.name for command in commands for field in fields(command) if field.default is not MISSING)
    options = {names.get(name, name) for name in given}
    assert listed == options


def test_every_method_is_listed() -> None:
    assert METHODS.keys() <= set(code(ROOT / "docs" / "methods.md"))


@pytest.mark.parametrize("name", ["demo", "test"])
def test_readme_has_its_command(name: str) -> None:
    """One line that sets all up and does the job: the check of a clean copy runs the one for the tests."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    marked = re.findall(rf"<!-- command: {name} -->\n```bash\n(.*)\n```", text)
    assert len(marked) == 1
    assert marked[0].startswith("python3 -m venv ")
