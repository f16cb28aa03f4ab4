"""The verdict on a file does not depend on how the file was written: order of rows and columns, names, codes."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.seeds import stream
from riskkit.table.load import load
from riskkit.table.read.csv_text import read_csv
from tests.judged import judgement_of

SAMPLE = Path(__file__).resolve().parents[3] / "sample_data"
SLOTS = {"real": "real.csv", "synthetic": "release_bayesnet.csv", "holdout": "holdout.csv"}
NAMES = ("a b", "x@y", "年齢", "query", "index", "0", "ヴ")
PLAN = ReleasedPlan(attacks=("all",), reference_share=0.4, max_rows=120)

Rows = list[dict[str, str]]


def rows(slot: str) -> Rows:
    """The first rows of a sample file, a few columns of them."""
    with (SAMPLE / SLOTS[slot]).open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))[:160]
    return [{name: row[name] for name in list(row)[1:8]} for row in every]


def numbers_of(change: Callable[[str, Rows], Rows]) -> dict[str, object]:
    """All that a run says, of files changed so."""
    texts = []
    for slot in SLOTS:
        changed, out = change(slot, rows(slot)), io.StringIO()
        writer = csv.DictWriter(out, list(changed[0]))
        writer.writeheader()
        writer.writerows(changed)
        texts.append(read_csv(out.getvalue().encode(), name=f"{slot}.csv"))
    result = run_released(load(*texts), PLAN)
    numbers = {name: result.as_dict()[name] for name in ("estimates", "blind", "control", "power", "base_rates")}
    return {**numbers, "verdict": judgement_of(result.plain(), PLAN, 0.55).as_dict()}


def as_it_is(slot: str, rows: Rows) -> Rows:
    return rows


def other_rows(slot: str, rows: Rows) -> Rows:
    return [rows[row] for row in stream(1, "test", slot).permutation(len(rows))]


def other_columns(slot: str, rows: Rows) -> Rows:
    names = [list(rows[0])[column] for column in stream(2, "test").permutation(len(rows[0]))]
    return [{name: row[name] for name in names} for row in rows]


def other_names(slot: str, rows: Rows) -> Rows:
    names = dict(zip(rows[0], NAMES, strict=True))
    return [{names[name]: value for name, value in row.items()} for row in rows]


def other_levels(slot: str, rows: Rows) -> Rows:
    """Every text of a category another text, whose order is another."""
    names = [name for name in rows[0] if not any(row[name][:1].isdigit() for row in rows)]
    assert names
    return [{name: cell[::-1] if name in names else cell for name, cell in row.items()} for row in rows]


@pytest.fixture(scope="module")
def plain() -> dict[str, object]:
    return numbers_of(as_it_is)


@pytest.mark.parametrize("change", [other_rows, other_columns, other_names, other_levels])
def test_how_a_file_is_written_changes_no_number(change: Callable[[str, Rows], Rows], plain: dict[str, object]) -> None:
    assert json.dumps(numbers_of(change), sort_keys=True) == json.dumps(plain, sort_keys=True)


def test_another_value_changes_numbers(plain: dict[str, object]) -> None:
    """The comparison can fail: one real row more like the release, and the numbers move."""

    def one_cell(slot: str, rows: Rows) -> Rows:
        return [rows[1], *rows[1:]] if slot == "real" else rows

    assert json.dumps(numbers_of(one_cell), sort_keys=True) != json.dumps(plain, sort_keys=True)
