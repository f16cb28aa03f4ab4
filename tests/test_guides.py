"""Every command of README and of the guides runs on the sample, in a folder where nothing is but the sample.

What a page says is run in its order, in one folder and one home, so that a command finds what the one above it left.
"""

import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from riskkit.cli import main
from sample_data import two_tables
from tests.test_documentation import RUN, blocks

ROOT = Path(__file__).resolve().parents[1]
DONE = (0, 3, 4)
"""The exit codes of what was done: of an audit and a report they say the verdict."""

NOT_RUN: Mapping[str, str] = {
    "/home/me/": "runs a program of the reader's own",
    "my_package": "runs a package of the reader's own",
    "arfpy": "installs a package of others from an index",
    "--trainings 64": "trains a network for five minutes and more",
    "--halves 64": "trains a network for five minutes and more",
    "homes.csv": "the sample names nobody's household",
    "app --shared": "serves until it is stopped; the tests of the dashboard start it",
}
"""Commands that cannot run here, by words of theirs, and why."""


def guides() -> list[Path]:
    """README and the pages of the shelf Guides."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    shelves = yaml.safe_load(text[text.index("\nnav:") : text.index("\nplugins:")])["nav"]
    (shelf,) = (part["Guides"] for part in shelves if "Guides" in part)
    return [ROOT / "README.md", *(ROOT / "docs" / place for page in shelf for place in page.values())]


def commands(page: Path) -> list[str]:
    """The command lines of riskkit, and of what writes the second tables, that stand in the blocks of a page."""
    joined = "\n".join(blocks(page.read_text(encoding="utf-8"))).replace("\\\n", " ").splitlines()
    lines = (re.sub(r"\s+", " ", line.strip().removeprefix("$ ")) for line in joined)
    return [line for line in lines if RUN.search(line) or WRITES in line]


CONFIGURED = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
"""A file that a page writes down under its name."""
WRITES = "python -m sample_data.two_tables"


def first_pages() -> dict[str, Path]:
    """Every command, with the first page that it stands on."""
    first: dict[str, Path] = {}
    for page in guides():
        for line in commands(page):
            first.setdefault(line, page)
    return first


EVERY = first_pages()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """A folder for each page, made when it is first asked for."""
    made = {}
    for page in guides():
        made[page] = tmp_path_factory.mktemp(page.stem)
        text = page.read_text(encoding="utf-8")
        for name, written in CONFIGURED.findall(text):
            (made[page] / name).write_text(written, encoding="utf-8")
        shutil.copytree(ROOT / "sample_data", made[page] / "sample_data", ignore=shutil.ignore_patterns("__pycache__"))
    return made


@pytest.mark.second
@pytest.mark.parametrize("line", [line for line in EVERY if not any(words in line for words in NOT_RUN)])
def test_it_runs_on_the_sample(
    line: str, folders: Mapping[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folders[EVERY[line]]
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RISKKIT_HOME", str(folder / "home"))
    words = shlex.split(line)
    if WRITES in line:
        place, leak, people, seed = words[words.index("-m") + 2 :]
        two_tables.write(Path(place), leak, int(people), int(seed))
        return
    assert main(words[words.index("riskkit") + 1 :]) in DONE, capsys.readouterr().err
    assert capsys.readouterr().out


def test_every_reason_is_one_of_a_command_on_a_page() -> None:
    assert [words for words in NOT_RUN if not any(words in line for line in EVERY)] == []
    assert all(NOT_RUN.values())
    assert len(EVERY) - sum(any(words in line for words in NOT_RUN) for line in EVERY) > 20
