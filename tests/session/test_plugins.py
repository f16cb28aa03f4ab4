"""Plug-ins of somebody else: a package that is installed, and classes of a program, in helper processes too."""

import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from riskkit import registry
from riskkit.errors import PluginError
from riskkit.session.contracts import check_plugin, room_of

pytestmark = pytest.mark.second
ROOT = Path(__file__).resolve().parents[2]

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "mine"
version = "1.0"
[project.entry-points."riskkit.attacks"]
equal-rows = "mine:EqualRows"
[project.entry-points."riskkit.generators"]
with-replacement = "mine:WithReplacement"
[project.entry-points."riskkit.released"]
same-row = "mine:SameRow"
[tool.setuptools]
py-modules = ["mine"]
"""
MODULE = '''
"""A tiny package of plug-ins."""
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from riskkit.core import Knowledge, Table
from riskkit.parameters import check_parameters, parameter


@dataclass(frozen=True)
class EqualRows:
    """Counts equal rows."""

    name: ClassVar[str] = "equal-rows"
    title: ClassVar[str] = "Equal rows of mine"
    card: ClassVar[str] = "Counts the released rows that equal the target."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    weight: float = parameter(1.0, label="Weight", help="What one counts.", low=0.0, high=9.0)

    def __post_init__(self):
        check_parameters(self)

    @property
    def shadows(self):
        return 0

    def fit(self, brief, rng):
        return Counting(brief.targets, self.weight)


@dataclass(frozen=True)
class Counting:
    targets: Table
    weight: float

    def score(self, release):
        return np.array([self.weight * np.mean(release.keys() == key) for key in self.targets.keys()]) - 1e-9


@dataclass(frozen=True)
class WithReplacement:
    """Draws rows."""

    name: ClassVar[str] = "with-replacement"
    title: ClassVar[str] = "Rows drawn with replacement"
    card: ClassVar[str] = "Releases rows of the table."

    def fit(self, table, rng):
        return Drawing(table)


@dataclass(frozen=True)
class Drawing:
    table: Table

    def sample(self, n, rng):
        return self.table.rows(rng.integers(len(self.table), size=n))


@dataclass(frozen=True)
class SameRow:
    """Nearest row."""

    name: ClassVar[str] = "same-row"
    title: ClassVar[str] = "Same row of mine"
    card: ClassVar[str] = "Asks whether the release holds the row."
    needs_reference: ClassVar[bool] = False
    is_distance: ClassVar[bool] = True

    def score(self, release, targets, reference, rng):
        return -np.abs(targets.matrix()[:, None, 0] - release.matrix()[None, :, 0]).min(axis=1)
'''
FAULTS = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from mine import Drawing, EqualRows, WithReplacement
from riskkit.parameters import parameter


@dataclass(frozen=True)
class Short(WithReplacement):
    name: ClassVar[str] = "short"

    def fit(self, table, rng):
        return ShortDrawing(table)


class ShortDrawing(Drawing):
    def sample(self, n, rng):
        return self.table.rows(rng.integers(len(self.table), size=max(n - 1, 1)))


@dataclass(frozen=True)
class Global(WithReplacement):
    name: ClassVar[str] = "global"

    def fit(self, table, rng):
        return GlobalDrawing(table)


class GlobalDrawing(Drawing):
    def sample(self, n, rng):
        return self.table.rows(np.random.randint(len(self.table), size=n))


@dataclass(frozen=True)
class Unbounded(EqualRows):
    name: ClassVar[str] = "unbounded"

    def __post_init__(self):
        pass


@dataclass(frozen=True)
class Bare(WithReplacement):
    name: ClassVar[str] = "bare"
    size: int = 3


@dataclass(frozen=True)
class Stops(WithReplacement):
    name: ClassVar[str] = "stops"

    def fit(self, table, rng):
        raise SystemExit(0)
"""
PAGE = '''
import sys
from streamlit.testing.v1 import AppTest

page = """
import streamlit as st
from riskkit import registry
from riskkit.dashboard.forms import plugin_forms
name = st.selectbox("Attack", list(registry.plugins("attacks")), key="attack")
st.write(plugin_forms.plugin_form("attacks", name, "form"))
"""
shown = AppTest.from_string(page, default_timeout=60).run()
assert not shown.exception, shown.exception
shown.selectbox(key="attack").select("equal-rows").run()
assert not shown.exception, shown.exception
assert any("Equal rows of mine" in one.value for one in shown.markdown), [one.value for one in shown.markdown]
assert shown.number_input(key="form.weight").value == 1.0
shown.number_input(key="form.weight").set_value(2.0).run()
assert any("equal-rows:weight=2.0" in one.value for one in shown.markdown)
print("shown")
'''
NOTEBOOK = """
import sys
import numpy as np
from dataclasses import dataclass
from typing import ClassVar
import riskkit as rk
real, synthetic, holdout = sys.argv[1:]
tables = rk.load(real, synthetic, holdout)
first = rk.released(tables, attacks=["dcr", "nndr"], workers=2)      # helper processes are started
twice = rk.released(tables, attacks=["same-row", "dcr"], workers=2)   # an entry point, read by name over there

@dataclass(frozen=True)
class Cell:
    name: ClassVar[str] = "cell"
    title: ClassVar[str] = "Written in a notebook"
    card: ClassVar[str] = "Knows a column."
    needs_reference: ClassVar[bool] = False
    sign: float = 1.0

    def score(self, release, targets, reference, rng):
        return -self.sign * np.abs(targets.matrix()[:, None, 0] - release.matrix()[None, :, 0]).min(axis=1)

here = rk.released(tables, attacks=["dcr", Cell(sign=2.0)])
beside = rk.released(tables, attacks=["dcr", Cell(sign=2.0)], workers=2)
assert here.as_dict() == beside.as_dict()

@dataclass(frozen=True)
class Cell(Cell):
    def score(self, release, targets, reference, rng):
        return -super(Cell, self).score(release, targets, reference, rng)

turned = rk.released(tables, attacks=["dcr", Cell(sign=2.0)], workers=2)
def auc(answer):
    return next(e.value for e in answer.estimates if (e.name, e.labels["attack"]) == ("auc", "cell:sign=2.0"))

aucs = auc(beside), auc(turned)
assert abs(sum(aucs) - 1) < 1e-9 and aucs[0] != aucs[1], aucs
small = {"trainings": 12, "generations": 1, "n_syn": 60}
played = rk.membership(tables, "with-replacement", attacks="equal-rows", workers=2, **small)
print(sorted({e.labels["attack"] for e in played.estimates}), sorted({e.labels["attack"] for e in twice.estimates}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it, as pip installs it there, and a module of faulty plug-ins beside."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    (source / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (source / "mine.py").write_text(MODULE, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps"]
    subprocess.run(
        [*pip, "--no-build-isolation", "--no-index", "--target", str(target), str(source)],
        check=True,
        capture_output=True,
    )
    (target / "faults.py").write_text(FAULTS, encoding="utf-8")
    return target


def run(package: Path, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Python in an environment that has the package."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}
    return subprocess.run(
        [sys.executable, *words], cwd=folder or package, env=environ, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The first rows of the sample: what is asked here is who plays, and not what comes out."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("real", "release_stat", "holdout"):
        with (ROOT / "sample_data" / f"{name}.csv").open(encoding="utf-8") as whole:
            (folder / f"{name}.csv").write_text("".join(islice(whole, 301)), encoding="utf-8")
    return [str(folder / f"{name}.csv") for name in ("real", "release_stat", "holdout")]


def test_a_form_of_a_page_shows_it(package: Path) -> None:
    done = run(package, "-c", PAGE)
    assert done.stdout.split() == ["shown"], done.stderr


def test_a_command_plays_it(package: Path, files: list[str]) -> None:
    words = "--generator with-replacement --attack equal-rows:weight=2 --trainings 12 --generations 1 --n-syn 60"
    done = run(package, "-m", "riskkit", "membership", "--real", files[0], *words.split())
    assert done.returncode == 0, done.stderr
    assert "equal-rows:weight=2.0" in done.stdout
    helped = run(package, "-m", "riskkit", "membership", "--real", files[0], "--attack", "equal-row")
    assert "There is no 'equal-row' in attacks (did you mean 'equal-rows'?)" in helped.stderr


def test_python_plays_it_and_a_class_of_a_notebook_in_helper_processes_that_were_started_before(
    package: Path, files: list[str], tmp_path: Path
) -> None:
    script = tmp_path / "notebook.py"
    script.write_text(NOTEBOOK, encoding="utf-8")
    done = run(package, str(script), *files)
    assert done.stdout.strip() == "['equal-rows'] ['dcr', 'same-row']", done.stderr


GOOD = ("EqualRows", "WithReplacement", "SameRow")
BROKEN = {
    "Short": "Asked for 37 rows it gave 36.",
    "Global": "It drew from the global random numbers",
    "Unbounded": "weight = -1.0 is taken; call check_parameters in __post_init__.",
    "Bare": "Write size with riskkit.parameters.parameter, a label and a help.",
    "Stops": "It raised SystemExit: 0",
}
CHECKS = """
import contextlib, io, json, sys
from riskkit.cli import main

for name in sys.argv[1:]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main(["check-plugin", name])
    print(json.dumps([code, printed.getvalue()]), flush=True)
"""
"""A program that checks one plug-in after the other; it and its helpers are loaded once."""


@pytest.fixture(scope="module")
def checked(package: Path) -> dict[str, tuple[int, str]]:
    """Exit code and words of the check of every plug-in of the package, and of every faulty one."""
    names = [*(f"mine:{name}" for name in GOOD), *(f"faults:{name}" for name in BROKEN)]
    done = run(package, "-c", CHECKS, *names)
    lines = done.stdout.splitlines()
    assert len(lines) == len(names), done.stderr
    return {name.partition(":")[2]: tuple(json.loads(line)) for name, line in zip(names, lines, strict=True)}


def test_the_command_that_checks_ends_with_its_code(package: Path) -> None:
    done = run(package, "-m", "riskkit", "check-plugin", "faults:Bare")
    assert (done.returncode, BROKEN["Bare"] in done.stdout) == (1, True), done.stdout + done.stderr


@pytest.mark.parametrize("name", GOOD)
def test_the_contract_holds_of_good_ones(checked: dict[str, tuple[int, str]], name: str) -> None:
    code, report = checked[name]
    assert code == 0, report
    assert "✗" not in report
    assert "helper processes" in report


@pytest.mark.parametrize("name", BROKEN)
def test_the_contract_sees_a_planted_fault(checked: dict[str, tuple[int, str]], name: str) -> None:
    code, report = checked[name]
    assert code == 1, report
    (broken, *_) = [line for line in report.splitlines() if line.startswith("✗")]
    assert BROKEN[name] in broken


def test_a_package_that_does_not_load_is_named(package: Path, tmp_path: Path) -> None:
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[riskkit.attacks]\ngone = nowhere:Gone\n", encoding="utf-8")
    done = run(tmp_path, "-c", "import riskkit; riskkit.plugins('attacks')")
    assert "nowhere:Gone of theirs does not load: ModuleNotFoundError. Mend or uninstall theirs." in done.stderr


@pytest.mark.parametrize(
    "room", ["generators", "attacks", "released", "targets", "inference", "explained", "inverters"]
)
def test_the_room_of_a_class_is_found_from_what_it_has(room: str) -> None:
    assert {room_of(plugin) for plugin in registry.plugins(room).values()} == {room}


@pytest.mark.parametrize(
    ("room", "name"), [("attacks", "neighbour"), ("generators", "histogram"), ("targets", "random")]
)
def test_plug_ins_of_this_house_keep_the_contract(room: str, name: str) -> None:
    checked = check_plugin(registry.plugins(room)[name])
    assert checked.holds, checked
    assert (checked.room, checked.name) == (room, name)


def test_what_is_no_plug_in_is_refused() -> None:
    with pytest.raises(PluginError, match="has no method fit, score or choose"):
        check_plugin(int)
