"""A holdout has to hold other people, written alike: what it is else is refused, left out, counted, or asked about."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import Gravity, SchemaError
from riskkit.games.mixture import mix
from riskkit.table.evidence import other_people
from riskkit.table.evidence.other_people import shared_people
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table import files

People = Mapping[str, list[object]]
N = 400


def people(seed: int, rows: int = N) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, rows).tolist(),
        "ward": rng.choice(["north", "south", "east"], rows).tolist(),
        "bmi": np.round(rng.normal(27, 4, rows), 2).tolist(),
    }


def some(table: People, rows: slice) -> dict[str, list[object]]:
    return {name: values[rows] for name, values in table.items()}


def both(first: People, second: People) -> dict[str, list[object]]:
    return {name: first[name] + second[name] for name in first}


def codes(tables: Tables, *wanted: str) -> list[tuple[str, str]]:
    return [(problem.code, problem.column) for problem in tables.problems if problem.code in wanted]


REAL, RELEASE, HOLDOUT = people(1), people(2), people(3)


def plain(values: Floats) -> Table:
    """A table of one column of whole numbers."""
    return Table(Schema((Column("x", Kind.NUMERIC),)), np.zeros((len(values), 0), np.int32), values[:, None])


# --------------------------------------------------------------------------------------------------------------
# The same people


def test_a_holdout_that_is_the_real_table_is_refused_in_any_order() -> None:
    turned = {name: values[::-1] for name, values in REAL.items()}
    for holdout in (REAL, turned):
        with pytest.raises(SchemaError) as refusal:
            files.loaded(REAL, RELEASE, holdout)
        assert refusal.value.problem.code == "holdout_is_real"
        assert refusal.value.problem.file == "hold.csv"


def test_people_of_both_files_are_counted_and_said_first() -> None:
    tables = files.loaded(REAL, RELEASE, both(some(REAL, slice(0, 200)), some(HOLDOUT, slice(0, 200))))
    first = tables.problems[0]
    assert (first.code, first.gravity, first.count) == ("people_in_both", Gravity.QUESTION, 200)
    assert tables.in_both is not None
    assert np.flatnonzero(tables.in_both.real).tolist() == list(range(200))
    assert np.flatnonzero(tables.in_both.holdout).tolist() == list(range(200))
    assert not codes(tables, "holdout_overlap"), "it is said once"


def test_a_few_are_left_out_and_bar_nothing() -> None:
    wide, others = ({**people(seed, 2000), "cost": list(range(seed, 10 * 2000, 10))} for seed in (5, 6))
    release = {**RELEASE, "cost": list(range(7, 10 * N, 10))}
    tables = files.loaded(wide, release, both(some(wide, slice(0, 30)), some(others, slice(30, 2000))))
    (problem,) = [problem for problem in tables.problems if problem.code == "people_in_both"]
    assert (problem.gravity, problem.count) == (Gravity.WARNING, 30)


def test_equal_rows_of_different_people_are_chance() -> None:
    """Twelve different rows: nearly every row of one table stands in the other, and nobody stands in both."""
    rng = np.random.default_rng(4)
    tables = [plain(rng.integers(0, 12, 300).astype(float)) for _ in range(2)]
    assert shared_people(*tables) is None


def test_chance_never_takes_other_people_for_the_same() -> None:
    """Tables of all grains, dealt at random from one population: 3.5 standard deviations are passed by none of 300."""
    rng = np.random.default_rng(7)
    taken = 0
    for kinds in (3, 30, 300, 3000, 30_000):
        for _ in range(60):
            population = plain(np.floor(kinds * rng.random(600) ** 2))
            cut = int(rng.integers(150, 450))
            taken += shared_people(population.rows(slice(0, cut)), population.rows(slice(cut, None))) is not None
    assert taken == 0


@pytest.mark.parametrize("kinds", [300, 3000, 30_000])
def test_half_a_holdout_of_real_people_is_seen_at_any_grain(kinds: int) -> None:
    rng = np.random.default_rng(8)
    real, others = (np.floor(kinds * rng.random(600) ** 2) for _ in range(2))
    holdout = np.concatenate([real[:300], others[:300]])
    assert shared_people(plain(real), plain(holdout)) is not None


def test_the_law_of_pairs_agrees_with_every_deal_counted_out() -> None:
    """Records of 2, 3 and 1 rows dealt independently with share 0.4: all deals of six rows, by hand."""
    times, share = np.array([2, 3, 1]), 0.4
    first = second = 0.0
    for deal in itertools.product((0, 1), repeat=6):
        chance = float(np.prod([share if side else 1 - share for side in deal]))
        j = deal[0] + deal[1], deal[2] + deal[3] + deal[4], deal[5]
        pairs = sum(min(a, k - a) for a, k in zip(j, times.tolist(), strict=True))
        first += chance * pairs
        second += chance * pairs**2
    mean, spread = other_people._by_chance(times, share)
    assert mean == pytest.approx(first)
    assert spread == pytest.approx((second - first**2) ** 0.5)


def test_people_of_both_tables_are_in_no_crowd() -> None:
    holdout = both(some(REAL, slice(0, 200)), some(HOLDOUT, slice(0, 200)))
    tables = files.loaded(REAL, RELEASE, holdout)
    assert tables.synthetic is not None
    assert tables.holdout is not None
    crowd = mix(tables.real, tables.synthetic, tables.holdout, max_rows=N, seed=1, in_both=tables.in_both)
    assert sorted(crowd.row[crowd.is_in].tolist()) == list(range(200, 400))
    assert sorted(crowd.row[~crowd.is_in].tolist()) == list(range(200, 400))
    for is_in, table in ((True, tables.real), (False, tables.holdout)):
        own = crowd.is_in == is_in
        assert (crowd.people.rows(np.flatnonzero(own)).keys() == table.rows(crowd.row[own]).keys()).all()


# --------------------------------------------------------------------------------------------------------------
# Written alike


def changed(name: str, change) -> dict[str, list[object]]:
    return {**HOLDOUT, name: [change(value) for value in HOLDOUT[name]]}


@pytest.mark.parametrize(
    ("holdout", "column"),
    [
        (changed("bmi", lambda value: round(value, 1)), "bmi"),
        (changed("bmi", lambda value: value + 0.00137), "bmi"),
        (changed("age", lambda value: 5 * round(value / 5)), "age"),
        (changed("bmi", lambda value: "" if value < 25 else value), "bmi"),
        (changed("ward", lambda value: "" if value == "east" else value), "ward"),
        (changed("ward", lambda value: f"{value} ward of the clinic"), "ward"),
        (changed("age", lambda value: 10_000 + value), "age"),
    ],
    ids=["rounded", "jittered", "heaped", "gaps", "gaps of a category", "other words", "another origin"],
)
def test_a_holdout_on_another_grid_is_asked_about(holdout: People, column: str) -> None:
    assert codes(files.loaded(REAL, RELEASE, holdout), "grids_differ") == [("grids_differ", column)]


def test_a_column_left_out_is_asked_about_no_more() -> None:
    choice = {"bmi": ColumnChoice(kind=Kind.ID)}
    holdout = changed("bmi", lambda value: round(value, 1))
    assert not codes(files.loaded(REAL, RELEASE, holdout, **choice), "grids_differ")


def test_other_people_written_alike_are_not_asked_about() -> None:
    for seed in range(20):
        tables = files.loaded(people(3 * seed + 10), people(3 * seed + 11), people(3 * seed + 12, 150 + 20 * seed))
        assert not codes(tables, "grids_differ", "people_in_both", "holdout_swapped")


# --------------------------------------------------------------------------------------------------------------
# Swapped


def test_holdout_and_release_in_each_others_place_are_recognised() -> None:
    copy = both(some(REAL, slice(0, 200)), some(RELEASE, slice(0, 200)))
    assert codes(files.loaded(REAL, HOLDOUT, copy), "holdout_swapped") == [("holdout_swapped", "")]
    assert not codes(files.loaded(REAL, copy, HOLDOUT), "holdout_swapped")
    # copies of real people in both: which is which, nobody can say
    assert not codes(files.loaded(REAL, copy, {**copy, "age": copy["age"][::-1]}), "holdout_swapped")


def test_one_file_in_both_places_is_asked_about() -> None:
    (problem,) = [
        problem for problem in files.loaded(REAL, RELEASE, RELEASE).problems if problem.code == "holdout_swapped"
    ]
    assert "the same file" in problem.what


@pytest.mark.parametrize(
    ("release", "holdout", "is_asked"),
    [
        ("synthetic.csv", "holdout.csv", False),
        ("holdout.csv", "other.csv", True),
        ("a.csv", "release_2024.csv", True),
        ("a.csv", "b.csv", False),
        ("holdout_release.csv", "holdout.csv", False),
    ],
)
def test_names_of_files_say_that_they_are_swapped(release: str, holdout: str, is_asked: bool) -> None:
    texts = {
        "real": files.text(REAL),
        "synthetic": files.text(RELEASE, release),
        "holdout": files.text(HOLDOUT, holdout),
    }
    problems = other_people.swapped_problem({}, texts, False)
    assert bool(problems) == is_asked
