"""People who carry their rows of a second table: whoever takes some of them takes their rows, and nobody else's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import riskkit as rk
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.table.fold import TwoTables, fold_children, with_second
from riskkit.table.load import Tables
from tests import two_files

FILES = 20
"""Made tables that are taken apart at random."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return with_second(two_files.tables(tmp_path_factory.mktemp("two"), 60, 60))


def bags(people: TwoTables) -> list[set[tuple[float, float]]]:
    """Of each person the ward and the cost of every row."""
    rows = np.column_stack([people.second.codes[:, 0], people.second.numbers[:, 0]])
    return [set(map(tuple, rows[people.owner == place].tolist())) for place in range(len(people))]


def people_of(tables: Tables, slot: str = "real") -> TwoTables:
    people = getattr(tables, slot)
    assert isinstance(people, TwoTables)
    return people


def test_every_person_has_the_rows_of_the_file(tables: Tables, tmp_path: Path) -> None:
    two_files.tables(tmp_path, 60, 60)
    people = people_of(tables)
    _, *patients = two_files.lines(tmp_path / "patients_real.csv")
    _, *visits = two_files.lines(tmp_path / "visits_real.csv")
    wards = people.second.schema.column("ward").levels
    for place, (patient, *_) in enumerate(patients):
        own = {(float(wards.index(ward)), float(cost)) for key, ward, cost in visits if key == patient}
        assert bags(people)[place] == own
    assert people.sizes.tolist() == [sum(visit[0] == patient[0] for visit in visits) for patient in patients]


@pytest.mark.parametrize("seed", range(FILES))
def test_whoever_is_taken_has_their_own_rows(tables: Tables, seed: int) -> None:
    rng, people = np.random.default_rng(seed), people_of(tables)
    every = bags(people)
    index = rng.permutation(len(people))[: rng.integers(1, len(people))]
    mask = np.isin(np.arange(len(people)), index)
    for taken, places in (
        (people.rows(index), index),
        (people.rows(mask), np.flatnonzero(mask)),
        (people.rows(slice(3, 9)), np.arange(3, 9)),
        (people.without(index), np.flatnonzero(~mask)),
    ):
        assert isinstance(taken, TwoTables)
        assert bags(taken) == [every[place] for place in places]
        assert len(taken.second) == taken.sizes.sum() == people.sizes[places].sum()


def test_two_sides_together_keep_the_rows_of_each(tables: Tables) -> None:
    real, others = people_of(tables), people_of(tables, "holdout")
    both = real.rows([4, 2]).plus(others.rows([7]))
    assert isinstance(both, TwoTables)
    assert bags(both) == [bags(real)[4], bags(real)[2], bags(others)[7]]
    nobody = real.rows([])
    assert (len(nobody), len(nobody.second)) == (0, 0)


def test_people_without_a_second_table_leave_the_summaries_alone(tables: Tables) -> None:
    real = people_of(tables)
    plain = Table(real.schema, real.codes, real.numbers)
    assert not isinstance(real.plus(plain), TwoTables)
    assert not isinstance(plain.plus(real), TwoTables)


def test_the_first_table_is_as_it_was_loaded(tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path)
    first = people_of(with_second(loaded)).first
    assert first.schema == loaded.real.schema
    assert (first.keys() == loaded.real.keys()).all()


def test_the_summaries_are_those_of_attribute_inference(tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path, 60, 60)
    wide, plain = people_of(with_second(loaded)), fold_children(loaded).real
    assert [column.name for column in wide.schema.columns] == [column.name for column in plain.schema.columns]
    assert (wide.codes == plain.codes).all()
    assert np.array_equal(wide.numbers, plain.numbers, equal_nan=True)


def test_a_release_of_the_same_people_is_seen_as_they_are(tables: Tables, tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path, 60, 60)
    people, children = people_of(tables), loaded.children
    assert children is not None
    seen = people.view(loaded.real, children.tables["real"], children.joins["real"])
    assert (seen.keys() == Table(people.schema, people.codes, people.numbers).keys()).all()


def test_a_person_without_rows_fits_in_though_nobody_loaded_is_one(tables: Tables) -> None:
    people = people_of(tables)
    assert (people.sizes > 0).all()
    child = people.second.rows([0])
    loaded = people.first.rows([0, 1])
    from riskkit.table.people.second_table import Join

    seen = people.view(loaded, child, Join(np.array([0]), np.array([0, 1]), np.array([True]), 0))
    numbers = dict(zip([column.name for column in people.schema.numeric], seen.numbers[1].tolist(), strict=True))
    assert numbers["rows()"] == people.schema.column("rows()").low == 1  # nobody has fewer: the end of the range
    assert all(np.isnan(numbers[name]) for name in ("least(cost)", "greatest(cost)", "mean(cost)"))
    most = people.schema.column("most_frequent(ward)")
    assert most.levels[seen.codes[1, people.schema.categorical.index(most)]] == ""


def test_a_key_of_two_rows_is_refused(tmp_path: Path) -> None:
    two_files.tables(tmp_path)
    path = tmp_path / "patients_real.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("real-705", "real-704"), encoding="utf-8")
    loaded = rk.load(path, person="patient", children={"real": tmp_path / "visits_real.csv"})
    with pytest.raises(DesignError, match="A key stands in several rows of the first table"):
        with_second(loaded)
