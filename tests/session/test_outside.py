"""A package from outside, installed with the wheel into a fresh environment: on pages, in commands and in Python."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.test_plugins import MODULE, PROJECT
from tests.test_package import ROOT, Installed, wheel

__all__ = ["wheel"]

MORE = """
[project.entry-points."riskkit.utility"]
rows-kept = "mine:RowsKept"
[project.entry-points."riskkit.questions"]
repeats = "mine_repeats:QUESTION"
"""
MEASURE = '''
from riskkit.table.usefulness import ComparedTables, Measure


@dataclass(frozen=True)
class RowsKept(Measure):
    """Rows of the real table that are left."""

    name: ClassVar[str] = "rows-kept"
    title: ClassVar[str] = "Rows kept, of mine"
    card: ClassVar[str] = "The share of the real rows that the release holds."
    place: ClassVar[int] = 36
    frontier: ClassVar[int] = 6

    def measure(self, compared):
        return float(np.isin(compared.sample.keys(), compared.release.keys()).mean())
'''
PAGES = '''
import os, sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
from riskkit.base import places
from riskkit.jobs.store import Store
from riskkit.questions import question

real, synthetic, holdout = sys.argv[1:]
audit = Store.default().create("Mine")
for slot, path in (("real", real), ("synthetic", synthetic), ("holdout", holdout)):
    audit.load(slot, Path(path).read_bytes(), name=f"{slot}.csv")

drawn = f"""
import streamlit as st
from riskkit.dashboard.pages import question_page
st.query_params["audit"] = {audit.id!r}
question_page.page("repeats")
"""
page = AppTest.from_string(drawn, default_timeout=120).run()
assert not page.exception, page.exception
assert [field.label for field in page.number_input] == ["Times a row must be repeated", "Level of the intervals"]

menu = AppTest.from_file(str(Path(places.project()) / "app.py"), default_timeout=120)
menu.query_params["audit"] = audit.id
menu.run()
assert not menu.exception, menu.exception
labels = [str(link.proto.label) for link in menu.get("page_link")]
assert any("Repeated rows" in label for label in labels), labels

membership = menu.switch_page("pages/2_membership.py").run()
assert not membership.exception, membership.exception
offered = [str(option) for box in (*membership.selectbox, *membership.multiselect) for option in box.options]
assert any("Equal rows of mine" in option for option in offered), offered
assert any("Rows drawn with replacement" in option for option in offered), offered
print("shown")
'''
PYTHON = """
import sys
import riskkit as rk

tables = rk.load(*sys.argv[1:])
small = {"trainings": 12, "generations": 1, "n_syn": 60}
played = [rk.membership(tables, "with-replacement", attacks="equal-rows", workers=n, **small) for n in (1, 2)]
assert played[0].as_dict() == played[1].as_dict()
asked = rk.repeats(tables, limit=0.2)
print(sorted({e.labels["attack"] for e in played[0].estimates}), asked.question, asked.estimates[0].name)
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installed:
    """The wheel, and beside it a package of somebody else, which pip installs as it does any other."""
    made, source = Installed(tmp_path_factory.mktemp("outside"), wheel), tmp_path_factory.mktemp("theirs")
    project = PROJECT.replace('py-modules = ["mine"]', 'py-modules = ["mine", "mine_repeats"]')
    (source / "pyproject.toml").write_text(project.replace("[tool.setuptools]", f"{MORE}[tool.setuptools]"))
    (source / "mine.py").write_text(MODULE + MEASURE, encoding="utf-8")
    question = ROOT / "tests" / "questions" / "planted" / "repeats" / "question.py"
    (source / "mine_repeats.py").write_text(question.read_text(encoding="utf-8"), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(made.bin / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-build-isolation", str(source)], check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def files() -> list[str]:
    return [str(ROOT / "sample_data" / f"{name}.csv") for name in ("real", "release_stat", "holdout")]


def test_a_command_asks_its_question_plays_its_plug_ins_and_measures_with_it(
    outside: Installed, files: list[str]
) -> None:
    assert "a question of the package mine" in " ".join(outside.run("riskkit", "--help").split())
    named = ["--real", files[0], "--synthetic", files[1]]
    document = json.loads(outside.run("riskkit", "repeats", *named, "--limit", "0.2", "--json"))
    assert document["estimates"][0]["name"] == "repeated"
    assert document["verdict"] in ("within the limit", "undecided", "above the limit")
    words = "--generator with-replacement --attack equal-rows:weight=2 --trainings 12 --generations 1 --n-syn 60"
    assert "equal-rows:weight=2.0" in outside.run("riskkit", "membership", "--real", files[0], *words.split())
    words = "--anonymiser identity,stat --attacker distance --source base --population 200 --sample 60 --guesses 20"
    contest = json.loads(outside.run("riskkit", "contest", "--base", files[0], *words.split(), "--json"))
    identity = next(anonymiser for anonymiser in contest["anonymisers"] if anonymiser["anonymiser"] == "identity")
    assert identity["usefulness"]["rows-kept"] == 1.0
    assert "rows-kept" in contest["frontiers"]


def test_its_promises_are_checked(outside: Installed) -> None:
    """A measure's, which stands in no other test; those of an attack are checked in ``test_plugins``."""
    assert "✗" not in outside.run("riskkit", "check-plugin", "mine:RowsKept")


def test_a_run_of_its_question_waits_for_a_worker_and_is_in_the_store(outside: Installed, files: list[str]) -> None:
    named = ["--real", files[0], "--synthetic", files[1]]
    waiting = json.loads(outside.run("riskkit", "repeats", *named, "--queue", "--json"))
    assert "finished" in outside.run("riskkit", "worker", "--once")
    shown = json.loads(outside.run("riskkit", "audits", "show", f"{waiting['audit']}/{waiting['run']}", "--json"))
    assert shown["result"]["estimates"][0]["name"] == "repeated"


def test_python_asks_and_plays_in_helper_processes(outside: Installed, files: list[str]) -> None:
    assert outside.run("python", "-c", PYTHON, *files).strip() == "['equal-rows'] repeats repeated"


def test_pages_offer_them(outside: Installed, files: list[str]) -> None:
    assert outside.run("python", "-c", PAGES, *files).split()[-1] == "shown"
