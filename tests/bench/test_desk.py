"""Tables are named by what numbers rest on: a cell that was played stays where it was until one of them moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from riskkit.core import Schema, Table
from riskkit_bench import play
from riskkit_bench.desk import Desk, desks
from riskkit_bench.origin import is_external
from riskkit_bench.plan import ReleasePart, read_plan
from riskkit_bench.results import read
from tests.bench.made import plan
from tests.tables import DATA, needs_adult

LEAKS = Path(__file__).resolve().parents[2] / "docs" / "leaks"


def other(desk: Desk, **changes: object) -> str:
    """The name of the table where its first column says something else."""
    real = desk.tables.real
    first, *rest = real.schema.columns
    schema = Schema((replace(first, **changes), *rest))
    return Desk(desk.part, replace(desk.tables, real=Table(schema, real.codes, real.numbers)), desk.rows).sha256


def test_a_table_keeps_its_name_until_a_number_can_move(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    desk = desks(of.plan, of.folder())["made"]
    assert other(desk) == desk.sha256
    assert other(desk, reason="for another reason", source="a summary") == desk.sha256
    assert other(desk, name="another name") != desk.sha256
    real = desk.tables.real
    numbers = real.numbers.copy()
    numbers[3, 0] = np.nextafter(numbers[3, 0], np.inf)
    moved = replace(desk.tables, real=Table(real.schema, real.codes, numbers))
    assert Desk(desk.part, moved, desk.rows).sha256 != desk.sha256
    assert Desk(desk.part, replace(desk.tables, holdout=None), desk.rows).sha256 != desk.sha256


def test_columns_of_a_number_name_their_table_too(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    desk = desks(of.plan, of.folder())["made"]
    columns = desk.tables.schema.columns
    place = next(place for place, column in enumerate(columns) if column.is_numeric)
    wider = replace(columns[place], high=columns[place].high + 1)
    schema = Schema((*columns[:place], wider, *columns[place + 1 :]))
    real = desk.tables.real
    changed = replace(desk.tables, real=Table(schema, real.codes, real.numbers))
    assert Desk(desk.part, changed, desk.rows).sha256 != desk.sha256


@needs_adult
@pytest.mark.second
def test_nothing_of_the_first_filling_would_be_played_again() -> None:
    """Every cell of riskkit's own methods is found under the name that the plan gives it today."""
    of = read_plan(LEAKS / "first.toml")
    there = {cell.key for cell in read(LEAKS / "first.json", of).cells}
    for job in play.jobs(of.plan, DATA):
        if isinstance(job.part, ReleasePart) or not is_external(job.part.use):
            assert there.issuperset(job.keys.values()), job.name
