"""What a person decided about columns, on the command line: the likely meaning written, corrected and given back."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskkit import cli

N = 120
AGE = [str(20 + 7 * row % 61) for row in range(N)]
SEX = ["female" if row % 3 else "male" for row in range(N)]
CODED = ["2" if row % 3 else "1" for row in range(N)]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on a real file and a release of the same people in other words."""
    for name, words in (("real", SEX), ("syn", CODED)):
        lines = [f"{age},{word}" for age, word in zip(AGE, words, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["age,sex", *lines]) + "\n")

    def ran(*options: str) -> tuple[int, str, str]:
        code = cli.main(["check", str(tmp_path / "real.csv"), str(tmp_path / "syn.csv"), *options])
        return code, *capsys.readouterr()

    return ran


def problems(printed: str) -> dict[str, Any]:
    return {problem["code"]: problem for problem in json.loads(printed)["problems"]}


def test_the_likely_meaning_is_written_read_and_used(run: Run, tmp_path: Path) -> None:
    likely = tmp_path / "likely.json"
    code, printed, _ = run("--likely", str(likely), "--json")
    assert (code, "values_apart" in problems(printed)) == (0, True)
    assert json.loads(likely.read_text()) == {
        "sex": {
            "kind": None,
            "role": None,
            "missing_tokens": [],
            "read_as": {"1": "male", "2": "female"},
            "differs": False,
        }
    }
    assert stat.S_IMODE(likely.stat().st_mode) == 0o600
    assert "female" not in printed, "values stand in the file alone"
    code, printed, _ = run("--columns", str(likely), "--json")
    noticed = problems(printed)
    assert (noticed["values_read_as"]["count"], noticed["verbatim_copies"]["count"]) == (N, N)
    assert "values_apart" not in noticed


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"sex": 1}',
        '{"sex": {"kind": "canary"}}',
        '{"sex": {"canary": 1}}',
        '{"sex": {"read_as": ["canary"]}}',
        "\udcff",
    ],
)
def test_a_file_that_says_something_else_is_refused(run: Run, tmp_path: Path, content: str) -> None:
    (tmp_path / "columns.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    code, _, error = run("--columns", str(tmp_path / "columns.json"))
    assert code != 0
    assert "columns.json: It is no file about columns that riskkit knows." in error
    assert 'Decisions are written as {"COLUMN": {"kind":' in error
    assert "canary" not in error


def test_a_column_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "columns.json").write_text('{"gender": {"differs": true}}')
    code, _, error = run("--columns", str(tmp_path / "columns.json"))
    assert code != 0
    assert "real.csv, column 'gender': 1 column that something was decided about is not in the file." in error


def test_a_file_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, error = run("--columns", str(tmp_path / "nowhere.json"))
    assert code != 0
    assert "nowhere.json: The file cannot be read: no such file or directory." in error


def test_a_codebook_of_another_program_decides_too(run: Run, tmp_path: Path) -> None:
    """What it says against the table is among the problems, and its kinds hold."""
    book = {"fields": [{"name": "sex", "constraints": {"enum": ["no", "yes"]}}, {"name": "height", "type": "number"}]}
    (tmp_path / "schema.json").write_text(json.dumps(book))
    code, printed, _ = run("--columns", str(tmp_path / "schema.json"), "--json")
    problems = {problem["code"]: problem for problem in json.loads(printed)["problems"]}
    assert code == 0
    assert problems["codebook_lacking"]["count"] == 1
    assert problems["codebook_values"]["column"] == "sex"


def test_the_person_of_a_row_is_named_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """120 rows of 60 people: the attack counts people, and a question that counts rows says why it is refused."""
    files = []
    for slot, shift in (("real", 0), ("synthetic", 5), ("holdout", 9)):
        lines = [
            f"{(int(age) + shift * row) % 83},{sex},{slot}-{row // 2}"
            for row, (age, sex) in enumerate(zip(AGE, SEX, strict=True))
        ]
        (tmp_path / f"{slot}.csv").write_text("\n".join(["age,sex,who", *lines]) + "\n")
        files += [f"--{slot}", str(tmp_path / f"{slot}.csv")]
    how = [*files, "--no-keep", "--quiet", "--person", "who"]
    cli.main(["released", *how, "--attacks", "dcr", "--json", "--of-person", "best"])
    document = json.loads(capsys.readouterr().out)
    settings = document["settings"]
    assert (settings["unit"], settings["most_rows"], settings["of_person"]) == ("person", 2, "best")
    assert settings["n_in"] + settings["n_out"] <= 120
    code = cli.main(["singling-out", *how])
    assert code == 2
    assert "counts rows, and people have several rows here (by the column 'who')" in capsys.readouterr().err
    code = cli.main(["released", *files, "--no-keep", "--person", "nobody"])
    assert code == 2
    assert "not in the file" in capsys.readouterr().err


def test_the_likely_unit_and_missing_codes_are_written_and_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same people: heights in inches, and a blank for -99."""
    heights = [150 + 7 * row % 50 for row in range(N)]
    amounts = [None if row % 6 == 0 else 200 + 37 * row * row % 9001 for row in range(N)]
    for name, unit, missing in (("real", 1.0, -99), ("syn", 2.54, "")):
        rows = zip(AGE, heights, amounts, strict=True)
        lines = [f"{age},{round(cm / unit, 2):g},{missing if amount is None else amount}" for age, cm, amount in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["age,height,amount", *lines]) + "\n")
    files, likely = [str(tmp_path / "real.csv"), str(tmp_path / "syn.csv")], tmp_path / "likely.json"
    assert cli.main(["check", *files, "--likely", str(likely), "--json"]) == 0
    noticed = problems(capsys.readouterr().out)
    assert {"values_apart", "missing_code"} <= set(noticed)
    written = json.loads(likely.read_text())
    assert (written["height"]["scale"], written["height"]["offset"]) == (2.54, 0.0)
    assert written["amount"]["missing_tokens"] == ["-99"]
    assert cli.main(["check", *files, "--columns", str(likely), "--json"]) == 0
    noticed = problems(capsys.readouterr().out)
    assert {"values_apart", "missing_code", "line_apart"}.isdisjoint(noticed)
    assert noticed["verbatim_copies"]["count"] == N
