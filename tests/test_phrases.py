"""What is said of a file: English wherever it goes, and the language of the process where it is read."""

import ast
import copy
import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit import wording
from riskkit.dashboard.pages import data
from riskkit.errors import DesignError, Gravity, LayoutError, Problem
from riskkit.language import MARKS, again
from riskkit.phrases import (
    Phrase,
    as_plain,
    as_text,
    counted_phrase,
    from_plain,
    from_text,
    phrase,
    phrase_hook,
    with_phrases,
)
from riskkit.table.encode import refuse_too_large
from riskkit.table.load import load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.files import read_apart
from tests.speaking import speak

ROOT = Path(__file__).resolve().parents[1]
BLANK = "{n:,} blank line among the records was left out.", "{n:,} blank lines among the records were left out."


@pytest.fixture
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, "ja")


def blank(count: int) -> Problem:
    return Problem(Gravity.REPAIR, "blank_lines", counted_phrase(count, *BLANK), "", "a.csv", count=count)


def test_a_phrase_is_its_english() -> None:
    assert phrase("Column {name!r} has {n:,} rows", name="age", n=1200) == "Column 'age' has 1,200 rows"
    assert [counted_phrase(n, *BLANK)[:13] for n in (1, 2)] == ["1 blank line ", "2 blank lines"]
    assert phrase("{names}", names=("a", "b")) == "a, b"
    assert phrase("Write {n} rows.") == "Write {n} rows."
    assert json.dumps({"what": phrase("{n:.0%}", n=0.25)}) == '{"what": "25%"}'


@pytest.mark.usefixtures("japanese")
def test_it_is_said_again_in_the_language_with_its_figures_and_names() -> None:
    assert again(counted_phrase(1200, *BLANK)) == "レコードの間の空行1,200行を除きました。"
    nested = phrase("This is {what}, not a CSV.", what=phrase("a ZIP archive"))
    assert (nested, again(nested)) == ("This is a ZIP archive, not a CSV.", "これはCSVではなく、ZIPアーカイブです。")
    assert again(phrase("{names} and more", names=("'a'", "'b'"))) == "'a'、'b'など"
    assert again("Never seen") == "Never seen"
    assert again("Close the quote.") == "Close the quote."


@pytest.mark.usefixtures("japanese")
def test_a_name_is_neither_translated_nor_read_as_a_format() -> None:
    text = phrase("{names} and more", names=("{0.__class__}", "Close the quote."))
    assert again(text) == "{0.__class__}、Close the quote.など"


def test_marks_stand_around_a_phrase(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, MARKS)
    assert again(counted_phrase(2, *BLANK)) == "2⟦ blank lines among the records were left out.⟧"


@pytest.mark.usefixtures("japanese")
@pytest.mark.parametrize(
    "way",
    [
        lambda problem: pickle.loads(pickle.dumps(problem)),
        copy.deepcopy,
        lambda problem: replace(problem, line=3),
        lambda problem: Problem.from_plain(json.loads(json.dumps(problem.plain()))),
    ],
    ids=["pickle", "copy", "replace", "kept"],
)
def test_it_passes_through(way: Any) -> None:
    passed = way(blank(3))
    assert passed.what == "3 blank lines among the records were left out."
    assert again(passed.what) == "レコードの間の空行3行を除きました。"


@pytest.mark.usefixtures("japanese")
def test_what_keeps_its_english_alone_is_said_in_english() -> None:
    kept = json.loads(json.dumps(blank(3).plain()))
    plain = Problem.from_plain(json.loads(json.dumps(blank(3).as_dict())))
    assert (plain, again(plain.what)) == (blank(3), blank(3).what)
    for altered in ({"n": 4}, {}, {"n": "3"}, None):
        kept["phrases"]["what"]["values"] = altered
        problem = Problem.from_plain(kept)
        assert (problem.what, type(problem.what)) == (blank(3).what, str)


def test_plain_values_come_back() -> None:
    text = phrase("{names} {what} {share:.0%}", names=("a", phrase("b")), what=phrase("c"), share=0.5)
    back = from_plain(json.loads(json.dumps(as_plain(text))))
    assert (back, back.forms, back.values) == (text, text.forms, text.values)
    assert isinstance(back.values["what"], Phrase)


def test_an_unknown_form_of_kept_words_is_refused_quietly() -> None:
    assert from_plain({"text": "As it was.", "forms": ["{0.real}"], "values": {}}) == "As it was."
    assert from_plain({"text": "As it was."}) == "As it was."


@pytest.mark.usefixtures("japanese")
def test_it_passes_through_a_column_of_texts() -> None:
    text = phrase("This is {what}, not a CSV.", what=phrase("a ZIP archive"))
    assert (from_text(as_text(text)), again(from_text(as_text(text)))) == (text, again(text))
    assert [as_text("As it was."), from_text("As it was.")] == ["As it was.", "As it was."]
    for cut in ('{"text": "As', '{"text": "As it was."}', '{"text": 3, "forms": 4}'):
        assert type(from_text(cut)) is str


@pytest.mark.usefixtures("japanese")
def test_notes_of_a_kept_result_are_said_in_the_language_and_old_ones_in_english() -> None:
    note = phrase("{attack} was not run: {why}", attack="dcr", why=counted_phrase(np.int64(3), *BLANK))
    kept = json.dumps(with_phrases({"notes": [note, "As it was."], "n": 2.0, "control": {"why": note}}))
    assert json.loads(kept)["notes"][0]["text"] == note, "whoever reads the JSON alone finds the English"
    back = json.loads(kept, object_hook=phrase_hook)
    assert back == {"notes": [note, "As it was."], "n": 2.0, "control": {"why": note}}
    assert [again(note) for note in back["notes"]] == [again(note), "As it was."]
    assert "空行3行" in again(back["control"]["why"])
    assert json.loads('{"text": "a", "forms": 4}', object_hook=phrase_hook) == {"text": "a", "forms": 4}


ROWS = "age,job\n" + "".join(f"{20 + row % 50},{'Quokka' if row % 3 else 'baker'}\n" for row in range(60))


@pytest.mark.usefixtures("japanese")
def test_an_error_is_said_in_the_language_and_without_a_cell() -> None:
    with pytest.raises(LayoutError) as caught:
        read_csv(f"{ROWS}44,Quokka,Quokka\n".encode(), name="people.csv")
    assert str(caught.value) == (
        "people.csv, line 62: The record has 3 fields, the header has 2. Put texts that hold the delimiter in quotes."
    )
    again_raised = pickle.loads(pickle.dumps(caught.value))
    assert wording.refusal(again_raised) == (
        "people.csv、62行目：このレコードのフィールドは3個ですが、列名は2個です。"
        "区切り文字を含む文字列は引用符で囲んでください。"
    )
    assert wording.refusal(DesignError("As it stands.")) == "As it stands."


@pytest.mark.usefixtures("japanese")
def test_a_question_that_cannot_be_asked_is_refused_in_the_language() -> None:
    schema = load(read_csv(ROWS.encode(), name="people.csv"), least_rows=1).schema
    with pytest.raises(DesignError, match="Column 'job' has most levels: 2") as caught:
        refuse_too_large(schema, 10_000_000, 100)
    refused = wording.refusal(pickle.loads(pickle.dumps(caught.value)))
    assert "表は10,000,000行、100列、数値で8.0 GBになります。" in refused
    assert refused.endswith("列「job」です（2水準）。値をまとめるか、列を除くか、行の一部を無作為に抽出してください。")


@pytest.mark.usefixtures("japanese")
def test_why_a_kind_was_chosen_is_said_in_the_language() -> None:
    schema = load(read_csv(ROWS.encode(), name="people.csv"), least_rows=1).schema
    assert [column.reason for column in schema.columns] == ["whole numbers", "2 different texts"]
    assert [data._row(column)["reason"] for column in schema.columns] == ["整数", "異なる文字列が2種類"]


@pytest.mark.second
@pytest.mark.usefixtures("japanese")
def test_it_passes_through_the_process_that_reads_a_file(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text(ROWS.replace("\n", "\n\n\n", 5), encoding="utf-8")
    (problem,) = read_apart(source, name="people.csv").problems
    assert problem.what == "10 blank lines among the records were left out."
    assert again(problem.what) == "レコードの間の空行10行を除きました。"


# --------------------------------------------------------------------------------------------------------------
# Every text of a problem is a phrase


def plain_texts(source: str) -> Iterator[int]:
    """The lines on which a problem is given a text that no language can say again."""
    for node in ast.walk(ast.parse(source)):
        expressions: list[ast.expr] = []
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            expressions = [node.value] if node.targets[0].id in ("what", "do", "reason") else []
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            expressions = {"of": node.args[1:3], "Problem": node.args[2:4], "problem": node.args[2:4]}.get(name, [])
            expressions = [*expressions, *(word.value for word in node.keywords if word.arg == "reason")]
        yield from (leaf.lineno for text in expressions for leaf in leaves(text))


def leaves(text: ast.expr) -> Iterator[ast.expr]:
    if isinstance(text, ast.IfExp):
        yield from (*leaves(text.body), *leaves(text.orelse))
    elif isinstance(text, ast.JoinedStr | ast.BinOp) or (isinstance(text, ast.Constant) and text.value):
        yield text


LIBRARY = {"riskkit/table/read/columnar.py": 1}
"""Files with texts of a library that is missing, which says in English what to install."""


def test_every_text_of_a_problem_is_a_phrase() -> None:
    files = sorted((ROOT / "riskkit" / "table").rglob("*.py"))
    lines_of = {
        path.relative_to(ROOT).as_posix(): list(plain_texts(path.read_text(encoding="utf-8"))) for path in files
    }
    assert len(lines_of) > 40
    assert {name: lines for name, lines in lines_of.items() if len(lines) != LIBRARY.get(name, 0)} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "FileError.of('code', f'{n} rows', '')",
        "Problem(gravity, 'code', '', 'Mend it.')",
        "what = 'One' if n else phrase('Two')",
        "Column(name, kind, reason=f'{n} texts')",
    ],
)
def test_a_planted_plain_text_is_seen(planted: str) -> None:
    assert list(plain_texts(planted)) == [1]


# --------------------------------------------------------------------------------------------------------------
# Every text of an error that a page can meet is a phrase

ERRORS = {"DesignError", "ProgramFailed", "ParameterError", "MissingLibrary", "StoreError", "WorkersGone"}
ROOMS = (
    "attacks",
    "audit",
    "dashboard",
    "games",
    "generators",
    "inference",
    "jobs",
    "mend",
    "questions",
    "released",
    "targets",
    "utility",
)
FILES = [
    *(path for room in ROOMS for path in sorted((ROOT / "riskkit" / room).rglob("*.py"))),
    *(ROOT / "riskkit" / name for name in ("errors.py", "base/extras.py", "parameters.py", "plans.py", "registry.py")),
]
COMMAND = {
    "riskkit/jobs/worker.py": 1,
    "riskkit/questions/released/play.py": 1,
    "riskkit/games/explanation.py": 2,
}
"""Files with texts that only the command line or a caller of arrays can meet."""


def plain_errors(source: str) -> Iterator[int]:
    """The lines on which an error is given a text that no language can say again."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
            yield from (leaf.lineno for leaf in leaves(node.args[0]))


def test_every_text_of_an_error_is_a_phrase() -> None:
    lines_of = {
        path.relative_to(ROOT).as_posix(): list(plain_errors(path.read_text(encoding="utf-8"))) for path in FILES
    }
    assert len(lines_of) > 300
    assert {name: lines for name, lines in lines_of.items() if len(lines) != COMMAND.get(name, 0)} == {}


@pytest.mark.parametrize(
    "planted", ["DesignError(f'{n} rows')", "ParameterError('No.')", "DesignError(phrase('No.') if n else 'One.')"]
)
def test_a_planted_plain_error_is_seen(planted: str) -> None:
    assert list(plain_errors(planted)) == [1]
