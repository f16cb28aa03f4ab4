"""``generators try``: one run on sample data, what is wrong with its release, and which option mends it."""

import io
import json
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from riskkit import registry
from riskkit.cli import main
from riskkit.generators import external
from riskkit.generators.engines import recipes
from riskkit.generators.engines.outside_release import faults, release
from riskkit.generators.external import External
from riskkit.table.write import to_csv
from tests.generators.own_generator import MODELS, command
from tests.generators.own_program import CANARY
from tests.tables import mixed

WRONG = """
import csv, sys
train, n, out, how = sys.argv[1:]
rows = list(csv.reader(open(train, encoding="utf-8")))
names, rows = rows[0], rows[1:int(n) + 1]
age, bmi, ward, day = (names.index(name) for name in ("age", "bmi", "ward", "admission_date"))
for row in rows[:7]:
    if "decimals" in how: row[age] = "42.4"
    if "range" in how: row[bmi] = "1000"
    if "level" in how: row[ward] = "quokka-canary"
    if "date" in how: row[day] = "2024-13-45"
if "column" in how: names.append("index"); rows = [[*row, "0"] for row in rows]
print("I printed", rows[0][ward])
csv.writer(open(out, "w", encoding="utf-8", newline="")).writerows([names, *rows])
"""
"""A program that gives its table back, wrong in the ways that it is told."""


@pytest.fixture(autouse=True)
def _not_allowed_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command allows what it is told to run; whatever it allows is gone after the test."""
    for name in (external.ALLOWED, external.OFFERED):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG, encoding="utf-8")
    return f"{shlex.join([sys.executable, str(file)])} {{train}} {{n}} {{out}}"


def tried(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["generators", "try", *words])
    outputs = capsys.readouterr()
    return code, outputs.out, outputs.err


def test_a_program_that_does_well_is_usable_and_its_method_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = tried(capsys, command(), "--rows", "60")
    assert code == 0
    assert "An audit can use this release" in out
    assert "60 rows and 12 columns of a made-up hospital cohort" in err
    (line,) = (line for line in out.splitlines() if line.startswith("As a method: "))
    spelled, flag = shlex.split(line.removeprefix("As a method: "))
    assert registry.parse("generators", spelled) == External(command=command())
    assert flag == "--allow-external"


def test_every_fault_is_named_at_once_with_the_cells_it_has(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = tried(capsys, f"{program} decimals,range,level,date,column", "--rows", "60", "--json")
    document = json.loads(out)
    assert code == 1
    assert document["usable"] is False
    assert document["mended_by"] is None
    assert document["generator"] is None
    assert [(fault["column"], fault["count"], fault["mended"]) for fault in document["faults"]] == [
        ("", 1, False),
        ("admission_date", 7, False),
        ("age", 7, True),
        ("ward", 0, False),
        ("bmi", 7, True),
    ]
    assert CANARY not in out
    assert "It printed:\nI printed quokka-canary" in err  # its owner reads what it says; it saw made-up records alone


def test_numbers_that_an_option_mends_are_said_so_and_the_option_does(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = tried(capsys, f"{program} decimals,range", "--rows", "60")
    assert code == 1
    assert "an option mends it. Try again with --outside nearest." in out
    assert "column 'age', line 2: The number has more than the 0 decimals of the column." in out
    assert "(So are 7 cells of the column.)" in out
    assert "outside=nearest' --allow-external" in out
    code, out, _ = tried(capsys, f"{program} decimals,range", "--rows", "60", "--outside", "nearest")
    assert code == 0
    assert "with the nearest number taken of these" in out


TWO = """
import csv, sys
train, below, n, out, second, how = sys.argv[1:]
people, visits = (list(csv.reader(open(path, encoding="utf-8"))) for path in (train, below))
if "range" in how: visits[5][4] = "99999999"
if "orphan" in how: visits[7][0] = "quokka-canary"
if "twice" in how: people[3][0] = people[2][0]
if "level" in how: people[3][2] = "quokka-canary"
for path, rows in ((out, people[:int(n) + 1]), (second, visits)):
    csv.writer(open(path, "w", encoding="utf-8", newline="")).writerows(rows)
"""
"""A program that gives both of its tables back, wrong in the ways that it is told."""


@pytest.fixture
def of_two(tmp_path: Path) -> str:
    file = tmp_path / "two.py"
    file.write_text(TWO, encoding="utf-8")
    return f"{shlex.join([sys.executable, str(file)])} {{train}} {{train_children}} {{n}} {{out}} {{out_children}}"


def test_a_program_of_two_tables_is_tried_on_both(of_two: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = tried(capsys, f"{of_two} fine", "--rows", "60")
    assert code == 0
    assert "60 patients and" in err
    assert "An audit can use this release" in out
    (line,) = (line for line in out.splitlines() if line.startswith("As a method: "))
    spelled, *flags = shlex.split(line.removeprefix("As a method: "))
    assert registry.parse("generators", spelled) == External(command=f"{of_two} fine")
    assert flags == ["--allow-external", "--second-table"]


def test_every_fault_of_both_tables_is_named_at_once(of_two: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = tried(capsys, f"{of_two} range,orphan,twice,level", "--rows", "60", "--json")
    document = json.loads(out)
    assert code == 1
    assert [(fault["code"], fault["column"], fault["mended"]) for fault in document["faults"]] == [
        ("outside_schema", "sex", False),
        ("outside_schema", "cost", True),
        ("repeated_keys", "patient", False),
        ("orphans", "patient", False),
    ]
    assert document["faults"][3]["line"] == 8
    assert CANARY not in out


def test_an_option_mends_numbers_of_the_second_table(of_two: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = tried(capsys, f"{of_two} range", "--rows", "60")
    assert code == 1
    assert "Try again with --outside nearest." in out
    code, out, _ = tried(capsys, f"{of_two} range", "--rows", "60", "--outside", "nearest")
    assert code == 0
    assert "The second table that the program wrote, column 'cost', line 6: The number lies outside" in out


def test_a_program_that_fails_has_its_last_words_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = tried(capsys, command("crash"), "--rows", "60")
    assert (code, out) == (2, "")
    assert f"KeyError: '{CANARY}'" in err
    assert "ended with exit status 1. Python named its reason: KeyError." in err
    assert "What it printed stands above." in err


@pytest.mark.second
def test_an_object_that_fails_has_its_last_words_shown(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = tried(capfd, "--python", f"{MODELS}:BreaksLater", "--rows", "60")
    assert code == 2
    assert f"ValueError: {CANARY}" in err
    assert "stopped in sample with ValueError. What it said stands above." in err
    assert tried(capfd, "--python", f"{MODELS}:Bootstrap", "--rows", "60")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Write the command of your generator in quotes"),
        (["mine {train}"], "command lacks {n} and {out}"),
        (["mine {train} {n} {out}", "--python", "a:B"], "it may have one of command, python, program and recipe"),
        (["mine {train} {n} {out}", "--rows", "3"], "--rows is 3; it must be at least 20 and at most 2,000."),
        (["no-such-program {train} {n} {out}"], "'no-such-program' cannot be started"),
    ],
)
def test_what_cannot_be_tried_is_said(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = tried(capsys, *words)
    assert code == 2
    assert sentence in err


def test_nothing_can_be_named_that_it_learns_from() -> None:
    """What a program prints is shown, so no option may hand it a table of anybody."""
    with pytest.raises(SystemExit):
        main(["generators", "try", command(), "--real", "real.csv"])


def test_faults_are_those_for_which_a_release_is_refused() -> None:
    table = mixed(60)
    good = to_csv(table)
    assert faults(good, table.schema, 60, name="it") == ()
    lines = good.decode().splitlines()
    place = table.schema.modelled.index(table.schema.column("age"))
    for cell, mended in (("50.25", True), ("1000000", True), ("word", False), ("", False)):
        cells = lines[5].split(",")
        cells[place] = cell
        bad = "\n".join([*lines[:5], ",".join(cells), *lines[6:]]).encode()
        (fault,) = faults(bad, table.schema, 60, name="it")
        assert (fault.problem.column, fault.problem.line, fault.is_mended) == ("age", 6, mended)
        with pytest.raises(Exception, match="line 6") as refusal:
            release(bad, table.schema, 60, name="it", nearest=False)
        assert str(refusal.value) == fault.problem.sentence()
        if mended:
            assert len(release(bad, table.schema, 60, name="it", nearest=True)) == 60


# --- recipes --------------------------------------------------------------------------------------------------------


def test_the_list_says_what_there_is_and_why_what_is_missing_is(
    call: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    recipes = {recipe["name"]: recipe for recipe in json.loads(call(["generators", "list", "--json"]))["recipes"]}
    assert recipes["arfpy"]["licence"] == "MIT"
    assert not recipes["arfpy"]["made"]
    assert "no method" in recipes["mbi"]["absent"]
    printed = call(["generators", "list"])
    assert all(name in printed for name in recipes)
    assert "cannot be had" in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "mbi"], "The method mbi cannot be used here."),
        (["add", "nonsense"], "There is no recipe 'nonsense'"),
        (["add", "arfpy"], "read it above, and say --yes"),
        (
            ["add", "arfpy", "--yes", "--interpreter", "/no/such/python"],
            "could not be made; what stands above says why",
        ),
        (["check", "arfpy"], "The environment of the recipe arfpy is not made here."),
    ],
)
def test_what_cannot_be_added_or_checked_is_said_and_leaves_nothing(
    words: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["generators", *words]) == 2
    outputs = capsys.readouterr()
    assert sentence in outputs.err
    assert not (tmp_path / "generators" / "arfpy").exists()
    if words[:2] == ["add", "arfpy"]:
        assert outputs.out.index("Licence: MIT") < outputs.out.index("numpy==")


@pytest.mark.second
def test_an_environment_is_made_of_its_pins_alone_and_used(
    call: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pins are a package that the test makes, so nothing is fetched."""
    wheel = tmp_path / "ours-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("ours/__init__.py", "HERE = 1\n")
        file.writestr("ours-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n")
        file.writestr("ours-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("ours-1.0.dist-info/RECORD", "")
    made = recipes.Recipe("ours", "Ours", "MIT", pins=(str(wheel),), needs="nothing", chance="none")
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(recipes, "recipes", lambda: {"ours": made})
    assert not recipes.recipe("ours").is_made
    assert main(["generators", "add", "ours", "--yes"]) == 0
    assert recipes.recipe("ours").is_made
    assert "is there" in call(["generators", "add", "ours"])
    done = subprocess.run([str(made.python), "-c", "import ours; print(ours.HERE)"], capture_output=True, check=True)
    assert done.stdout.split() == [b"1"]
