"""Codebooks of other programs: each form says the same of one table, and what contradicts the table comes out."""

import json
from pathlib import Path
from typing import Any

import pytest

import riskkit as rk
from riskkit.core import Kind, Role
from riskkit.errors import InputError
from riskkit.table.codebook import Codebook, read_codebook
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable

ROWS = 60
SEX = ("1", "2")
WORDS = {"1": "female", "2": "male"}


def table(*, words: bool = False, first: int = 0) -> TextTable:
    """A file whose columns are read otherwise than its codebook says: codes, -9 for missing, days before months."""
    lines = ["key,sex,income,born"]
    for row in range(first, first + ROWS):
        sex = SEX[row % 2]
        income = "-9" if row % 10 == 3 else str(1000 + 37 * row)
        lines.append(f"p{row},{WORDS[sex] if words else sex},{income},{1 + row % 12:02}/{1 + row % 11:02}/1980")
    return read_csv("\n".join(lines).encode(), name="words.csv" if words else "codes.csv")


SDV = {
    "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
    "primary_key": "key",
    "columns": {
        "key": {"sdtype": "id"},
        "sex": {"sdtype": "categorical"},
        "income": {"sdtype": "numerical"},
        "born": {"sdtype": "datetime", "datetime_format": "%d/%m/%Y"},
    },
}
SEVERAL = {
    "METADATA_SPEC_VERSION": "MULTI_TABLE_V1",
    "tables": {"other": {"columns": {"x": {"sdtype": "id"}}}, "own": SDV},
}
OLD_SDV = {
    "primary_key": "key",
    "tables": {
        "own": {
            "primary_key": "key",
            "fields": {
                "key": {"type": "id"},
                "sex": {"type": "categorical"},
                "income": {"type": "numerical"},
                "born": {"type": "datetime", "format": "%d/%m/%Y"},
            },
        }
    },
}
SCHEMA = {
    "fields": [
        {"name": "key", "type": "string"},
        {
            "name": "sex",
            "type": "integer",
            "categories": [{"value": 1, "label": "female"}, {"value": 2, "label": "male"}],
        },
        {"name": "income", "type": "number", "title": "Income a year", "missingValues": ["-9"]},
        {"name": "born", "type": "date", "format": "%d/%m/%Y"},
    ],
    "primaryKey": "key",
}
PACKAGE = {"name": "study", "resources": [{"path": "a.csv"}, {"path": "codes.csv", "schema": SCHEMA}]}
CROISSANT = {
    "@context": {"cr": "http://mlcommons.org/croissant/"},
    "recordSet": [
        {
            "@id": "own",
            "key": {"@id": "own/key"},
            "field": [
                {"@id": "own/key", "name": "key", "dataType": "sc:Text"},
                {"@id": "own/sex", "name": "s", "dataType": ["sc:Boolean"], "source": {"extract": {"column": "sex"}}},
                {"@id": "own/income", "name": "income", "dataType": "sc:Float", "description": "Income a year"},
                {"@id": "own/born", "name": "born", "dataType": "sc:Date", "source": {"format": "%d/%m/%Y"}},
            ],
        }
    ],
}
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="KEY"><labl>Key</labl><varFormat type="character"/></var>
<var name="SEX" intrvl="discrete"><labl>Sex
  of the person</labl><catgry><catValu>1</catValu><labl>female</labl></catgry>
<catgry><catValu>2</catValu><labl>male</labl></catgry></var>
<var name="INCOME" intrvl="contin"><labl>Income a year</labl><invalrng><range min="-9" max="-7"/></invalrng></var>
<var name="BORN"><varFormat type="numeric" category="date"/></var>
</dataDscr></codeBook>"""


def written(folder: Path, content: Any) -> Path:
    """The codebook as a file."""
    path = folder / "book"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "title", "has_dates", "has_missing"),
    [
        (SDV, "SDV", True, False),
        (SEVERAL, "SDV", True, False),
        (OLD_SDV, "SDV", True, False),
        (SCHEMA, "Frictionless", True, True),
        (PACKAGE, "Frictionless", True, True),
        (CROISSANT, "Croissant", True, False),
        (DDI, "DDI", False, True),
    ],
    ids=["sdv", "sdv-several", "sdv-old", "schema", "package", "croissant", "ddi"],
)
def test_every_form_says_the_same_of_one_table(
    tmp_path: Path, content: Any, title: str, has_dates: bool, has_missing: bool
) -> None:
    """What riskkit reads otherwise by itself is decided; what it reads so anyway is left to it and its questions."""
    book = read_codebook(written(tmp_path, content))
    assert book.title == title
    texts = {"real": table(), "synthetic": table(first=3)}
    decided, problems = book.decisions(texts)
    assert not problems
    assert decided["sex"].kind is Kind.CATEGORICAL
    assert ("born" in decided) == has_dates
    if has_dates:
        assert (decided["born"].kind, decided["born"].date_format) == (Kind.DATE, "%d/%m/%Y")
    income = decided.get("income", ColumnChoice())
    assert income.kind is None
    assert income.missing_tokens == (("-9",) if has_missing else ())
    if title != "DDI":
        assert decided["key"].role is Role.ID
    if has_missing:
        assert income.label == "Income a year"


def test_tables_are_typed_by_it(tmp_path: Path) -> None:
    """Days before months, codes as categories, and -9 as missing: as counted by hand."""
    book = written(tmp_path, SCHEMA)
    alone, with_book = (rk.load(table(), table(first=3), columns=columns) for columns in (None, book))
    assert alone.schema.column("sex").kind is Kind.NUMERIC
    assert with_book.schema.column("sex").levels == ("1", "2")
    assert with_book.schema.column("born").date_format == "%d/%m/%Y"
    assert alone.schema.column("income").low == -9
    assert with_book.schema.column("income").low == 1000
    place = [column.name for column in with_book.schema.numeric].index("income")
    assert (with_book.real.numbers[:, place] != with_book.real.numbers[:, place]).sum() == 6


def test_released_labels_are_read_as_the_real_codes(tmp_path: Path) -> None:
    """A release that holds the words of the labels shares its values with the codes."""
    book = read_codebook(written(tmp_path, SCHEMA))
    decided, problems = book.decisions({"real": table(), "synthetic": table(words=True)})
    assert not problems
    assert decided["sex"].read_as == (("female", "1"), ("male", "2"))
    turned, _ = book.decisions({"real": table(words=True), "synthetic": table()})
    assert turned["sex"].read_as == (("1", "female"), ("2", "male"))
    with_book = rk.load(table(), table(words=True), columns=written(tmp_path, SCHEMA))
    assert not with_book.apart


@pytest.mark.parametrize(
    ("changed", "code", "count"),
    [
        ({"name": "sex", "constraints": {"enum": [1, 3]}}, "codebook_values", ROWS // 2),
        ({"name": "income", "type": "number", "constraints": {"minimum": 1000}}, "codebook_range", 6),
        ({"name": "key", "type": "number"}, "codebook_kind", ROWS),
        ({"name": "born", "type": "date", "format": "%Y-%m-%d"}, "codebook_format", ROWS),
        ({"name": "income", "constraints": {"required": True}, "missingValues": ["-9"]}, "codebook_required", 6),
    ],
)
def test_what_contradicts_the_table_is_said_and_left_undone(
    tmp_path: Path, changed: dict[str, Any], code: str, count: int
) -> None:
    """Each with its column and how many rows, in no cell's words; the column is read as without the codebook."""
    book = read_codebook(written(tmp_path, {"fields": [changed]}))
    decided, problems = book.decisions({"real": table()})
    contradictions = [problem for problem in problems if problem.code == code]
    assert [(problem.file, problem.column, problem.count) for problem in contradictions] == [
        ("codes.csv", changed["name"], count)
    ]
    assert decided.get(changed["name"], ColumnChoice()).date_format == ""
    assert not any(text in problem.sentence() for problem in problems for text in ("p1", "female", "-9"))


def test_an_identifier_that_repeats_is_none(tmp_path: Path) -> None:
    """It is read as before, so that attacks still see the column."""
    decided, problems = read_codebook(
        written(tmp_path, {"fields": [], "primaryKey": "sex"} | {"fields": [{"name": "sex", "type": "string"}]})
    ).decisions({"real": table()})
    assert "sex" not in decided
    assert [(problem.code, problem.count) for problem in problems if problem.column] == [("codebook_id", ROWS - 2)]


def test_a_codebook_of_another_table_is_seen(tmp_path: Path) -> None:
    """Columns that only one of the two has are named."""
    decided, problems = read_codebook(written(tmp_path, {"fields": [{"name": "height"}, {"name": "sex"}]})).decisions(
        {"real": table()}
    )
    assert not decided
    assert {problem.code: problem.count for problem in problems} == {"codebook_lacking": 1, "codebook_silent": 3}
    assert "height" in problems[0].sentence()


def test_of_the_second_table_too(tmp_path: Path) -> None:
    """Of a codebook of several tables each file takes the one whose columns it has."""
    visits = {"columns": {"key": {"sdtype": "id"}, "code": {"sdtype": "categorical"}}}
    book = {"METADATA_SPEC_VERSION": "MULTI_TABLE_V1", "tables": {"visits": visits, "own": SDV}}
    second = read_csv("\n".join(["key,code", *(f"p{row % 9},{row % 4}" for row in range(ROWS))]).encode(), name="v.csv")
    decided, _ = read_codebook(written(tmp_path, book)).decisions({"real": table(), "children_real": second})
    assert decided["children:code"].kind is Kind.CATEGORICAL
    assert decided["sex"].kind is Kind.CATEGORICAL


def test_a_file_of_statistics_is_a_codebook(tmp_path: Path) -> None:
    """Labels, missing values and measures of an SPSS file hold for a CSV of the same columns."""
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'statistics'")
    import pandas as pd

    path = tmp_path / "codes.sav"
    frame = pd.DataFrame({"sex": [1.0, 2.0], "income": [1000.0, -9.0]})
    pyreadstat.write_sav(
        frame,
        path,
        column_labels={"income": "Income a year"},
        variable_value_labels={"sex": {1: "female", 2: "male"}},
        missing_ranges={"income": [-9]},
        variable_measure={"sex": "nominal", "income": "scale"},
    )
    decided, problems = read_codebook(path).decisions({"real": table(), "synthetic": table(words=True)})
    assert decided["sex"].kind is Kind.CATEGORICAL
    assert decided["sex"].read_as == (("female", "1"), ("male", "2"))
    assert decided["income"] == ColumnChoice(missing_tokens=("-9",), label="Income a year")
    assert {problem.code for problem in problems} == {"codebook_silent"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[1, 2]",
        "{",
        '{"fields": [{"type": "number"}]}',
        '{"age": {"kind": "nonsense"}}',
        '{"recordSet": "x"}',
        "<a/>",
        "<codeBook><dataDscr/></codeBook>",
        '<!DOCTYPE a [<!ENTITY b "c">]><codeBook><var name="&b;"/></codeBook>',
        "[" * 100_000,
    ],
)
def test_what_is_no_codebook_is_refused(tmp_path: Path, content: str) -> None:
    """With a sentence that says what it may be, and nothing of what it holds."""
    with pytest.raises(InputError, match=r"book: It is no file about columns.*Frictionless"):
        read_codebook(written(tmp_path, content))


def test_own_decisions_hold_as_they_stand(tmp_path: Path) -> None:
    """A file of riskkit's own says what a person decided; it is not held against the tables."""
    own = {"sex": {"kind": "categorical", "role": "secret"}, "born": {"kind": "date", "date_format": "%d/%m/%Y"}}
    book = read_codebook(written(tmp_path, own))
    assert book.decisions({"real": table()}) == (book.choices, ())
    assert {name: choice.as_dict() for name, choice in book.choices.items()}["born"]["date_format"] == "%d/%m/%Y"
    assert Codebook("").decisions({"real": table()}) == ({}, ())
    with pytest.raises(InputError, match="written in the format"):
        rk.load(table(), columns={"born": {"kind": "date", "date_format": "%Q"}})


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"sex": {"rol": "secret"}}, "did you mean 'role'"),
        ({"sex": {"role": "hidden"}}, "(riskkit knows|no role 'hidden')"),
        ({"sexx": {"role": "secret"}}, "did you mean 'sex'"),
    ],
)
def test_a_misspelled_decision_gets_the_nearest(columns: dict[str, Any], says: str, tmp_path: Path) -> None:
    """In Python as in files."""
    written = tmp_path / "columns.json"
    written.write_text(json.dumps(columns), encoding="utf-8")
    for decisions in (columns, written):
        with pytest.raises(rk.RiskkitError, match=says):
            rk.load(table(), columns=decisions)
