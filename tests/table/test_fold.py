"""A second table folded into the first: every summary beside one counted person by person, and beside numpy's own."""

from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riskkit as rk
from riskkit.attacks.groundhog import correlations, figures, histograms
from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.stat import Stat
from riskkit.table.encode import onehot
from riskkit.table.features import beside
from riskkit.table.fold import fold_children, values_of
from riskkit.table.load import Tables
from tests.tables import adult, mixed, needs_adult

PARENTS = [("a", 30, "x"), ("b", 41, "y"), ("b", 42, "x"), ("c", 50, "y"), ("d", 60, "x"), ("", 70, "y")]
CHILDREN = [
    ("a", "red", "2.5", "2024-01-03"), ("a", "blue", "1.5", "2024-01-01"), ("a", "blue", "", "2024-02-01"),
    ("b", "red", "4.0", "2024-03-01"), ("b", "green", "6.0", "2024-03-02"),  # a tie
    ("c", "", "", ""), ("c", "", "7.0", ""),  # no colour at all
    ("z", "red", "9.9", "2024-05-05"),  # nobody's
    ("", "red", "9.9", "2024-05-05"),
]  # fmt: skip
"""Repeated keys, ties, missing values, a person without rows, rows of nobody."""


def written(folder: Path, name: str, header: str, rows: list[tuple[Any, ...]]) -> Path:
    path = folder / name
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def loaded(folder: Path, shuffled: int = 0, times: int = 12) -> Tables:
    """The rows above so many times over, with keys of their own, in every slot."""
    rng = np.random.default_rng(shuffled)
    parents = [(f"{key}{copy}" if key else "", age, sex) for copy in range(times) for key, age, sex in PARENTS]
    children = [(f"{key}{copy}" if key else "", *rest) for copy in range(times) for key, *rest in CHILDREN]
    files: list[Path] = []
    second: dict[str, Path] = {}
    for slot in ("real", "synthetic", "holdout"):
        own = [children[row] for row in rng.permutation(len(children))] if shuffled else children
        files.append(written(folder, f"{slot}.csv", "who,age,sex", parents))
        second[slot] = written(folder, f"{slot}_2.csv", "who,colour,cost,day", own)
    return rk.load(*files, person="who", children=second)


def value(tables: Tables, name: str, row: int) -> Any:
    """One cell of the real table: a level, or a number."""
    column = tables.schema.column(name)
    if column.is_numeric:
        return float(tables.real.numbers[row, tables.schema.numeric.index(column)])
    return column.levels[tables.real.codes[row, tables.schema.categorical.index(column)]]


def day(text: str) -> float:
    return float((date.fromisoformat(text) - date(1970, 1, 1)).days)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return loaded(tmp_path)


NOTHING = float("nan")
BY_HAND: dict[str, list[Any]] = {
    "rows()": [3, 2, 2, 2, 0, 0],
    "rows_band()": ["2-3", "2-3", "2-3", "2-3", "0", "0"],
    "most_frequent(colour)": ["blue", "green", "green", MISSING, MISSING, MISSING],
    "different(colour)": [2, 2, 2, 0, 0, 0],
    "any(colour=red)": ["yes", "yes", "yes", "no", "no", "no"],
    "least(cost)": [1.5, 4.0, 4.0, 7.0, NOTHING, NOTHING],
    "greatest(cost)": [2.5, 6.0, 6.0, 7.0, NOTHING, NOTHING],
    "mean(cost)": [2.0, 5.0, 5.0, 7.0, NOTHING, NOTHING],
    "first(day)": [day("2024-01-01"), day("2024-03-01"), day("2024-03-01"), NOTHING, NOTHING, NOTHING],
    "last(day)": [day("2024-02-01"), day("2024-03-02"), day("2024-03-02"), NOTHING, NOTHING, NOTHING],
}
"""What is to be said of each row of the first table."""


@pytest.mark.parametrize("name", BY_HAND)
def test_summaries_by_hand(tables: Tables, name: str) -> None:
    made = fold_children(tables, ["any(colour=red)"])
    values = [value(made, name, row) for row in range(len(PARENTS))]
    assert [str(summary) for summary in values] == [
        str(float(expected)) if isinstance(expected, int) else str(expected) for expected in BY_HAND[name]
    ]


def test_every_summary_has_its_source_and_its_kind(tables: Tables) -> None:
    made = fold_children(tables, ["any(colour=red)"])
    sources = {column.name: column.source for column in made.schema.modelled}
    assert sources.pop("age") == sources.pop("sex") == ""
    assert set(sources) == set(BY_HAND)
    assert {name: source for name, source in sources.items() if source == "rows"} == dict.fromkeys(
        ("rows()", "rows_band()"), "rows"
    )
    assert all(f"({source}" in name for name, source in sources.items() if source != "rows")
    assert made.schema.column("first(day)").kind is Kind.DATE
    assert made.schema.column("mean(cost)").decimals == made.schema.column("least(cost)").decimals + 1
    assert made.schema.column("most_frequent(colour)").levels == ("blue", "green", "red", MISSING)


def test_the_order_of_rows_leaves_no_bit(tmp_path: Path) -> None:
    before, after = fold_children(loaded(tmp_path)), fold_children(loaded(tmp_path, shuffled=7))
    assert before.schema == after.schema
    for first, second in zip((before.real, before.synthetic), (after.real, after.synthetic), strict=True):
        assert first is not None
        assert second is not None
        assert first.codes.tobytes() == second.codes.tobytes()
        assert first.numbers.tobytes() == second.numbers.tobytes()


@pytest.mark.parametrize("seed", range(8))
def test_summaries_agree_with_a_count_person_by_person(tmp_path: Path, seed: int) -> None:
    """Random bags with ties, missing values and people without rows; every other seed repeats keys."""
    rng = np.random.default_rng(seed)
    keys = [f"k{person if seed % 2 else person % 50}" for person in range(60)]
    rows = [
        (
            f"k{rng.integers(0, 70)}",
            rng.choice(["p", "q", "r", ""], p=[0.4, 0.3, 0.2, 0.1]),
            "" if rng.random() < 0.2 else f"{rng.integers(0, 8) / 4:.2f}",
        )
        for _ in range(150)
    ]
    parents = [(key, rng.integers(20, 30)) for key in keys]
    parents_file = written(tmp_path, "p.csv", "who,age", parents)
    children_file = written(tmp_path, "c.csv", "who,tag,cost", rows)
    tables = rk.load(
        parents_file, parents_file, person="who", children={"real": children_file, "synthetic": children_file}
    )
    made = fold_children(tables, ["any(tag=q)"])
    for person, key in enumerate(keys):
        own = [row for row in rows if row[0] == key]
        tags = Counter(str(tag) for _, tag, _ in own if tag)
        costs = [float(cost) for *_, cost in own if cost]
        ranked = sorted(tags, key=lambda tag, times=tags: (-times[tag], tag))  # type: ignore[misc]
        wanted = {
            "rows()": float(len(own)),
            "different(tag)": float(len(tags)),
            "most_frequent(tag)": ranked[0] if ranked else MISSING,
            "any(tag=q)": "yes" if "q" in tags else "no",
            "least(cost)": min(costs, default=NOTHING),
            "greatest(cost)": max(costs, default=NOTHING),
        }
        for name, counted in wanted.items():
            assert str(value(made, name, person)) == str(counted), (name, key)
        mean = sum(costs) / len(costs) if costs else NOTHING
        assert value(made, "mean(cost)", person) == pytest.approx(mean, abs=0.00051, nan_ok=True)


def test_values_stand_in_names_only_where_they_were_asked_for(tables: Tables) -> None:
    assert tables.children is not None
    plain = [column.name for column in fold_children(tables).schema.columns]
    assert not any(level in name for name in plain for level in ("red", "blue", "green"))
    assert values_of(tables.children, 20) == ["any(colour=blue)", "any(colour=green)", "any(colour=red)"]
    assert values_of(tables.children, 3) == []  # three colours, and none


def test_beside_a_secret_stand_no_other_summaries_of_its_column(tables: Tables) -> None:
    schema = fold_children(tables, ["any(colour=red)"]).schema
    known = beside(schema, "most_frequent(colour)")
    assert "different(colour)" not in known
    assert "any(colour=red)" not in known
    assert {"age", "sex", "rows()", "mean(cost)"} <= set(known)
    assert set(beside(schema, "age")) == {column.name for column in schema.modelled} - {"age"}


def test_a_summary_that_is_the_same_for_all_is_not_in_use(tmp_path: Path) -> None:
    people = [(person, person % 7) for person in range(60)]
    parents_file = written(tmp_path, "p.csv", "who,age", people)
    children_file = written(tmp_path, "c.csv", "who,tag", [(person, "pq"[person % 2]) for person in range(60)])
    made = fold_children(
        rk.load(parents_file, parents_file, person="who", children={"real": children_file, "synthetic": children_file})
    )
    assert not made.schema.column("rows()").is_modelled
    assert not made.schema.column("different(tag)").is_modelled
    assert made.schema.column("most_frequent(tag)").is_modelled


@pytest.mark.parametrize("slot", ["synthetic", "holdout"])
def test_every_file_needs_its_second_table(tables: Tables, slot: str) -> None:
    assert tables.children is not None
    left = {name: table for name, table in tables.children.tables.items() if name != slot}
    with pytest.raises(DesignError, match="for some of the files alone"):
        fold_children(replace(tables, children=replace(tables.children, tables=left)))


def test_without_a_second_table_it_is_a_sentence(tables: Tables) -> None:
    with pytest.raises(DesignError, match="There is no second table"):
        fold_children(replace(tables, children=None))


def test_a_column_that_is_called_like_a_summary_is_refused(tables: Tables) -> None:
    columns = [replace(column, name="rows()") if column.name == "age" else column for column in tables.schema.columns]
    from riskkit.core import Schema, Table

    schema = Schema(tuple(columns))
    every = {
        slot: Table(schema, table.codes, table.numbers)
        for slot, table in (("real", tables.real), ("synthetic", tables.synthetic), ("holdout", tables.holdout))
        if table is not None
    }
    with pytest.raises(DesignError, match="name of a summary"):
        fold_children(replace(tables, **every, schema=schema))


SCHEMA = Schema(
    (
        Column("age", Kind.NUMERIC, low=0.0, high=9.0, mean=5.0, sd=2.0, has_missing=True),
        Column("ward", Kind.CATEGORICAL, levels=("east", "north", "south")),
    )
)
TINY = Table(SCHEMA, np.array([[2], [1], [2], [1], [2]]), np.array([[1.0], [2.0], [9.0], [np.nan], [0.0]]))


def by_numpy(table: Table) -> np.ndarray:
    """Pearson's correlations above the diagonal, 0 where one does not vary."""
    matrix = onehot(table, scale="standard")
    with np.errstate(invalid="ignore", divide="ignore"):
        full = np.asarray(np.corrcoef(matrix.T))
    flat = matrix.min(axis=0) == matrix.max(axis=0)
    return np.where(flat[:, None] | flat, 0.0, full)[np.triu_indices(matrix.shape[1], 1)]


def test_figures_counted_by_hand() -> None:
    """Ages 0, 1, 2, 9: mean 3, median 1.5, variance 50 / 3. South 3 times, north twice, east never."""
    np.testing.assert_allclose(figures(TINY), [3.0, 1.5, 50 / 3, 2, 1, 2])


def test_histograms_counted_by_hand() -> None:
    """Five bins of two whole numbers, one of missing ones, then the wards."""
    assert histograms(TINY, 5).tolist() == [2, 1, 0, 0, 1, 1, 0, 2, 3]


def test_bins_are_those_of_the_domain_whatever_the_rows() -> None:
    for part in (TINY, TINY.rows([0, 1]), TINY.rows([2])):
        one_by_one = [histograms(part.rows([row]), 5) for row in range(len(part))]
        assert histograms(part, 5).tolist() == np.sum(one_by_one, axis=0).tolist()


def test_correlations_counted_by_hand() -> None:
    """Ages 0 and 2 against north and south: -1 and 1 with the rest; nothing with a flag that never changes."""
    table = Table(SCHEMA, np.array([[1], [2]]), np.array([[0.0], [2.0]]))
    np.testing.assert_allclose(correlations(table), [0, -1, 1, 0, 0, -1], atol=1e-12)


@pytest.mark.parametrize("missing", [True, False])
def test_correlations_are_those_of_numpy(missing: bool) -> None:
    table = mixed(200, missing=missing)
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-12)


def test_a_relaxed_release_is_seen_as_it_was_published() -> None:
    rng = np.random.default_rng(0)
    table = Stat(post="none").fit(mixed(200, missing=False), rng).sample(150, rng)
    assert table.relaxed is not None
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-9)


@needs_adult
def test_features_of_adult_are_those_of_the_obvious_loops() -> None:
    table = adult(1_000)
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-12)
    counts, naive, start = histograms(table), figures(table), 0
    for position, column in enumerate(table.schema.modelled):
        if column.is_numeric:
            values = table.numbers[:, [c.name for c in table.schema.numeric].index(column.name)]
            wanted = [values.mean(), np.median(values), values.var(ddof=1)]
            bins = min(10, int(column.high - column.low) + 1)
            assert counts[start : start + bins].sum() == 1_000
            if (column.high - column.low + 1) % bins == 0:  # bins of whole numbers that numpy lays the same way
                edges = np.linspace(column.low - 0.5, column.high + 0.5, bins + 1)
                assert counts[start : start + bins].tolist() == np.histogram(values, edges)[0].tolist()
            start += bins
        else:
            codes = table.codes[:, [c.name for c in table.schema.categorical].index(column.name)]
            seen = np.array([(codes == code).sum() for code in range(len(column.levels))])
            least = min((count, code) for code, count in enumerate(seen) if count)[1]
            wanted = [seen.argmax(), least, (seen > 0).sum()]
            assert counts[start : start + len(seen)].tolist() == seen.tolist()
            start += len(seen)
        np.testing.assert_allclose(naive[3 * position : 3 * position + 3], wanted)
    assert start == len(counts)


def test_no_rows_have_no_correlation() -> None:
    assert not correlations(TINY.rows([])).any()
