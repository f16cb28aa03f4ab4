"""Pairs of columns of both tables: what was lost and made up is told from chance, by planting it."""

import numpy as np
import pandas as pd
import pytest

from riskkit.audit import dependence as module
from riskkit.audit.dependence import dependence
from riskkit.core import Schema, Table
from riskkit.dashboard.pages import data_pairs
from tests.tables import from_frame

LETTERS = np.array(["a", "b", "c", "d"])


def frame(rows: int, seed: int) -> pd.DataFrame:
    """Age and group go together, area and job do not; job and age neither."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    return pd.DataFrame(
        {
            "age": age,
            "group": LETTERS[np.clip((age - 20) // 15 + rng.integers(0, 2, rows), 0, 3)],
            "area": LETTERS[rng.integers(0, 4, rows)],
            "job": LETTERS[rng.integers(0, 4, rows)],
        }
    )


def both(real: pd.DataFrame, released: pd.DataFrame) -> tuple[Table, Table]:
    """Both under one schema."""
    whole = from_frame(pd.concat([real, released]))
    return whole.rows(np.arange(len(real))), whole.rows(np.arange(len(real), len(whole)))


def test_a_fresh_sample_has_lost_nothing() -> None:
    compared = dependence(*both(frame(1_500, 0), frame(1_500, 1)))
    assert compared is not None
    assert data_pairs.pair_rows(compared) == []
    assert "No pair" in data_pairs.finding(compared)
    age, group = (compared.columns.index(name) for name in ("age", "group"))
    assert compared.real[age, group] > 0.5
    assert 0 < compared.noise < 0.2


def test_a_shuffled_column_has_lost_its_partner_and_a_copied_one_has_gained_one() -> None:
    released = frame(1_500, 1)
    released["age"] = np.random.default_rng(2).permutation(released["age"])
    released["job"] = released["area"]
    compared = dependence(*both(frame(1_500, 0), released))
    assert compared is not None
    lost, *_, made_up = compared.pairs()
    assert {lost.first, lost.second} == {"age", "group"}
    assert {made_up.first, made_up.second} == {"area", "job"}
    assert made_up.released == pytest.approx(1)
    rows = data_pairs.pair_rows(compared)
    assert [row["what"] for row in rows] == ["▽ lost", "△ made up"]
    assert data_pairs.finding(compared).startswith("1 pair of columns lost dependence: ")
    assert data_pairs.finding(compared).endswith("from 0.00 to 1.00") or made_up.real > 0
    marks = data_pairs.figure(compared).data[1].marker.symbol
    assert sorted(marks) == ["triangle-down", "triangle-up"]


def test_numbers_are_cut_by_the_real_table_and_what_is_missing_is_a_group() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    np.testing.assert_array_equal(module._bins(values, np.array([1.0, 3.0])), [0, 1, 1, 2, 3])


def test_only_so_many_columns_are_looked_at_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COLUMNS", 3)
    compared = dependence(*both(frame(300, 0), frame(300, 1)))
    assert compared is not None
    assert len(compared.columns) == 3
    assert "Shown are the first 3 of 4 columns." in " ".join(data_pairs._about(compared))


def test_one_column_has_no_pair() -> None:
    real, released = both(frame(30, 0), frame(30, 1))
    schema = Schema(real.schema.categorical[:1])
    assert dependence(Table(schema, real.codes[:, :1], np.empty((30, 0))), released) is None
