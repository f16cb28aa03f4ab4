"""The recipes of ``docs/adding.md``, followed as they stand: their code, put where they say, gives what they say."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import unfinished

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
RECIPES: dict[str, str] = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
KINDS = {
    "An attack": "attacks",
    "A generator": "generators",
    "A question": "questions",
    "A measure of usefulness": "utility",
    "A profile of a report": "profiles",
    "A page": "pages",
    "A language": "locale",
}
COPIED = (
    "riskkit",
    "riskkit_bench",
    "pages",
    "sample_data",
    "studies",
    "tests",
    "app.py",
    "pyproject.toml",
    ".streamlit",
)


def files_of(recipe: str) -> dict[str, str]:
    """Every file of a recipe, by its path, as the page has it."""
    return dict(re.findall(r"^`([^`]+)`:\n\n```\w+\n(.*?)^```$", recipe, re.MULTILINE | re.DOTALL))


def commands_of(recipe: str) -> list[str]:
    """Its command lines: first the contract tests, then what shows it."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", recipe, re.MULTILINE | re.DOTALL)
    (block,) = (text for language, text in every if not language)
    return str(block).splitlines()


def test_every_recipe_is_one_new_file_or_folder_in_its_place() -> None:
    assert set(RECIPES) == set(KINDS)
    for title, room in KINDS.items():
        paths = [Path(name) for name in files_of(RECIPES[title])]
        assert len({path.parent for path in paths}) == 1
        assert room in paths[0].parts
        assert not any((ROOT / path).exists() for path in paths), "a recipe adds, it changes nothing"
        assert len(commands_of(RECIPES[title])) == 2


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which every recipe was followed."""
    folder = tmp_path_factory.mktemp("clone")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=unfinished)
        else:
            shutil.copy(ROOT / name, folder / name)
    for recipe in RECIPES.values():
        for name, text in files_of(recipe).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def call(clone: Path, *words: str, **environ: str) -> str:
    """What a command says that runs in the copy and ends well."""
    env = {**os.environ, "PYTHONPATH": str(clone), "RISKKIT_HOME": str(clone / "home"), **environ}
    done = subprocess.run(
        [sys.executable, *words], cwd=clone, env=env, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode in (0, 3, 4), done.stdout + done.stderr
    return done.stdout


@pytest.mark.second
@pytest.mark.parametrize("title", KINDS)
def test_its_contract_tests_pass(clone: Path, title: str) -> None:
    words = shlex.split(commands_of(RECIPES[title])[0])[1:]
    output = call(clone, *words, "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    assert re.search(r"^[1-9]\d* passed", output, re.MULTILINE), output
    assert "failed" not in output


@pytest.mark.second
@pytest.mark.parametrize(
    ("title", "says"),
    [
        ("An attack", "share_of_values"),
        ("A generator", "part_of_rows:share=0.3"),
        ("A question", "of the members stand in the release as they are."),
        ("A measure of usefulness", "Levels kept"),
        ("A profile of a report", "report.pdf"),
    ],
)
def test_its_command_shows_it(clone: Path, title: str, says: str) -> None:
    program, *words = shlex.split(commands_of(RECIPES[title])[1])
    assert program == "riskkit"
    assert says in call(clone, "-m", program, *words)


SCREEN = """
import json
from pathlib import Path
from streamlit.testing.v1 import AppTest
from riskkit.jobs.store import Store
audit = Store.default().create("Files")
audit.load("real", Path("sample_data/real.csv").read_bytes(), name="people.csv")
at = AppTest.from_file("app.py", default_timeout=120)
at.query_params["audit"] = audit.id
at.run()
first = [str(one.value) for one in at.exception]
at.switch_page("pages/9_files.py").run()
from riskkit.language import counted, languages, refusal, say
print(json.dumps({
    "exceptions": first + [str(one.value) for one in at.exception],
    "shown": [one.value.to_dict("list") for one in at.dataframe],
    "titles": [one.value for one in at.title],
    "said": [say("Contest"), say("Attributes"), counted(2, "{n:,} training", "{n:,} trainings")],
    "languages": languages(), "refused": refusal(),
}))
"""


@pytest.mark.second
def test_the_page_and_the_language_are_shown(clone: Path) -> None:
    screen = json.loads(call(clone, "-c", SCREEN, RISKKIT_LANGUAGE="de").splitlines()[-1])
    assert screen["exceptions"] == []
    assert screen["titles"] == ["Files"]
    assert screen["shown"] == [{"Slot": ["real"], "File": ["people.csv"]}]
    assert screen["said"] == ["Wettbewerb", "Attributes", "2 Trainings"]
    assert "de" in screen["languages"]
    assert screen["refused"] == ""


READ_EVERY_FILE = (
    "tests/test_imports.py::test_every_file_keeps_the_rules",
    "tests/test_names.py::test_every_name_says_what_it_holds",
    "tests/test_phrases.py::test_every_text_of_an_error_is_a_phrase",
    "tests/test_language.py::test_texts_stand_where_they_are_said_and_every_value_has_its_place",
    "tests/test_language.py::test_the_list_of_all_texts_is_what_the_code_says",
    "tests/contracts/test_languages.py::test_every_translation_belongs_to_a_text_and_keeps_its_values[de]",
    "tests/jobs/test_every_question.py::test_a_run_and_a_resumed_run_give_the_bytes_of_the_engine[repeats]",
)


@pytest.fixture(scope="module")
def listed(clone: Path) -> Path:
    """The copy, with its texts listed anew, as the recipes say."""
    call(clone, "-m", "tests.texts")
    return clone


@pytest.mark.second
def test_what_is_added_passes_the_tests_that_read_every_file(listed: Path) -> None:
    """But for Japanese, which whoever adds a text translates or leaves to others."""
    output = call(listed, "-m", "pytest", *READ_EVERY_FILE, "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    assert f"{len(READ_EVERY_FILE)} passed" in output, output


@pytest.mark.second
def test_what_is_there_changes_in_no_file_but_the_list_of_texts(listed: Path) -> None:
    added = {Path(name) for recipe in RECIPES.values() for name in files_of(recipe)}
    texts = (path.relative_to(listed) for name in COPIED for path in [listed / name, *(listed / name).rglob("*.[pt]*")])
    theirs = {path for path in texts if (listed / path).is_file() and path.suffix in (".py", ".po", ".pot", ".toml")}
    other = {path for path in theirs - added if (listed / path).read_bytes() != (ROOT / path).read_bytes()}
    assert other == {Path("riskkit/locale/riskkit.pot")}
    assert added <= theirs


@pytest.mark.second
def test_what_is_added_keeps_the_style_of_the_house(clone: Path) -> None:
    names = [name for recipe in RECIPES.values() for name in files_of(recipe) if name.endswith(".py")]
    call(clone, "-m", "ruff", "check", *names)
    call(clone, "-m", "mypy", *names)
