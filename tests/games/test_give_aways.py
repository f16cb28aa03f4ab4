"""Copies counted by hand and by another hand, and the order of rows through the tables it is looked for in."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.core import Column, Kind, Schema, Table
from riskkit.games import give_aways
from riskkit.games.give_aways import Copied, count_copies, count_near, count_near_in_one, order_of
from riskkit.stats import copies
from riskkit.table.people.persons import Persons
from tests.tables import mixed, numeric

LEVELS = tuple(f"v{index}" for index in range(40))


def coded(rows: list[int]) -> Table:
    """A table of one column of categories."""
    schema = Schema((Column("x", Kind.CATEGORICAL, levels=LEVELS),))
    return Table(schema, np.array(rows, dtype=np.int64)[:, None], np.empty((len(rows), 0)))


def counted(real: list[int], release: list[int], holdout: list[int] | None, seed: int = 0) -> Copied:
    own = None if holdout is None else coded(holdout)
    return count_copies(coded(real), coded(release), own, np.random.default_rng(seed))


# --------------------------------------------------------------------------------------------------------------
# Counted by hand


def test_records_of_both_tables_are_left_out_and_equal_rows_are_one_record() -> None:
    """Real has 1, 2, 2, 3, 9, holdout 3, 5, 6, 9, 9; the release shows 2, 3, 5. Asked about are 1 and 2, 5 and 6."""
    count = counted([1, 2, 2, 3, 9], [2, 3, 5, 2], [3, 5, 6, 9, 9])
    # rows of the real table that stand in the release: both 2 and the 3; that the holdout has the 3 too is no matter
    assert (count.rows, count.alone, count.has_holdout) == (3, 1, True)
    assert (count.k_out, count.n_out) == (1, 2)
    assert (count.k_in, count.n_in) in ((1, 2), (0, 1)), "the record of two rows may be thinned away"


def test_without_a_holdout_every_record_is_counted() -> None:
    expected = Copied(2, 4, 0, 0, 3, 2, has_holdout=False, alike=(4, 3), again=1)
    assert counted([1, 2, 2, 3, 9], [2, 3, 5, 2], None) == expected, "the 2 is released twice"


def test_nobody_is_left_where_both_tables_hold_the_same_records() -> None:
    assert counted([1, 2, 3], [1, 2], [3, 2, 1]) == Copied(0, 0, 0, 0, 2, 0, has_holdout=True, apart=0.0, alike=(2, 1))


def test_rows_that_are_alike_but_for_one_column_are_counted_by_hand() -> None:
    """Without the first column two rows are (1, 1) and two (2, 3); without the second one pair is left, as in whole."""
    columns = tuple(Column(name, Kind.CATEGORICAL, levels=LEVELS) for name in "xyz")
    rows = np.array([[1, 1, 1], [2, 1, 1], [3, 2, 3], [3, 2, 3], [4, 5, 6]])
    table = Table(Schema(columns), rows, np.empty((5, 0)))
    assert count_copies(table, table, None, np.random.default_rng(0)).alike == (2, 2)
    alone = count_copies(table, table.rows([0, 2]), None, np.random.default_rng(0))
    assert (alone.rows, alone.alike) == (3, (2, 0))
    again = count_copies(table, table.rows([0, 2, 2, 2, 0, 0]), None, np.random.default_rng(0))
    assert again.alike == (2, 2), "rows that stand there again and again count once"


def test_missing_equals_missing_and_zero_equals_minus_zero() -> None:
    numbers = np.array([[np.nan], [0.0], [1.0]])
    schema = Schema((Column("x", Kind.NUMERIC, low=0, high=1, mean=0, sd=1, has_missing=True),))
    real, release = (Table(schema, np.empty((3, 0)), values) for values in (numbers, -numbers))
    assert count_copies(real, release, None, np.random.default_rng(0)).rows == 2


def test_a_row_that_differs_in_one_cell_is_no_copy() -> None:
    real = mixed(300)
    moved = Table(real.schema, real.codes, real.numbers + np.array([0.0, 1000.0]))
    rows = count_copies(real, moved, None, np.random.default_rng(0)).rows
    assert rows == int(np.isnan(real.numbers[:, 1]).sum()), "what is missing has not moved"


# --------------------------------------------------------------------------------------------------------------
# Counted by another hand


ROWS = st.lists(st.integers(0, 12), min_size=1, max_size=30)


@settings(max_examples=200)
@given(ROWS, ROWS, ROWS, st.integers(0, 5))
def test_as_sets_count_them(real: list[int], release: list[int], holdout: list[int], seed: int) -> None:
    """Sets and counters in place of sorted keys. Records of one row are never thinned, others may be."""
    count = counted(real, release, holdout, seed)
    own, others, shown = Counter(real), Counter(holdout), set(release)
    alone_in, alone_out = set(own) - set(others), set(others) - set(own)
    assert count.rows == sum(row in shown for row in real)
    assert count.alone == len(alone_in & shown)
    larger = own if len(real) >= len(holdout) else others
    least_in = {row for row in alone_in if larger is not own or own[row] == 1}
    least_out = {row for row in alone_out if larger is not others or others[row] == 1}
    assert len(least_in) <= count.n_in <= len(alone_in)
    assert len(least_out) <= count.n_out <= len(alone_out)
    assert len(least_in & shown) <= count.k_in <= len(alone_in & shown)
    assert len(least_out & shown) <= count.k_out <= len(alone_out & shown)


@given(ROWS, ROWS, ROWS, st.randoms(use_true_random=False))
def test_no_order_of_rows_matters(real: list[int], release: list[int], holdout: list[int], random: Random) -> None:
    turned = [random.sample(rows, len(rows)) for rows in (real, release, holdout)]
    assert counted(real, release, holdout) == counted(turned[0], turned[1], turned[2])


# --------------------------------------------------------------------------------------------------------------
# Chance


def chance(real: int, holdout: int, seed: int) -> Copied:
    """A release drawn like both tables, of a column with common and rare values: whoever has a copy has it by luck."""
    rng = np.random.default_rng(seed)
    share = np.arange(1, 41) ** -1.5
    drawn = [rng.choice(40, n, p=share / share.sum()).tolist() for n in (real, 25, holdout)]
    return counted(drawn[0], drawn[1], drawn[2], seed)


def lean(sizes: tuple[int, int], audits: int = 600) -> float:
    """How far copies lean to the real table over many audits, in standard errors; 0 where nobody was copied.

    Of each audit the copies of either side times the records of the other are compared, which cancel on average.
    """
    counts = [chance(*sizes, seed) for seed in range(audits)]
    gap = np.array([count.k_in * count.n_out - count.k_out * count.n_in for count in counts], dtype=float)
    return float(gap.mean() / (gap.std(ddof=1) / np.sqrt(audits)))


@pytest.mark.parametrize("sizes", [(90, 30), (30, 90), (45, 45)])
def test_copies_that_are_chance_lean_to_neither_side(sizes: tuple[int, int]) -> None:
    """Common values stand in the release oftener, and a larger table has more of the records that hold them twice."""
    assert abs(lean(sizes)) < 4


@pytest.mark.parametrize(("sizes", "side"), [((90, 30), 1), ((30, 90), -1)])
def test_the_fault_of_not_thinning(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int], side: int) -> None:
    """The planted fault: the larger table seems copied, for its records of several rows are the common ones."""
    monkeypatch.setattr(give_aways, "balanced_records", lambda real, holdout, rng: np.ones(len(real), dtype=bool))
    assert side * lean(sizes) > 4


def test_a_copy_of_somebody_whom_the_holdout_has_too_is_nobodys() -> None:
    """All that is released stands in both tables; without the holdout it would look like fifteen people copied."""
    real, holdout = list(range(30)), list(range(15, 40))
    assert counted(real, list(range(15, 30)), holdout).k_in == 0
    assert counted(real, list(range(15, 30)), None).k_in == 15


# --------------------------------------------------------------------------------------------------------------
# The order of rows


def test_rows_are_compared_in_the_order_of_their_files() -> None:
    """The planted fault would be to compare them as they were sorted for other uses: then no order is one."""
    real = mixed(400)
    turned = real.rows(np.arange(400)[::-1])
    order = order_of(turned, turned, np.random.default_rng(1))
    beside = order_of(real, turned, np.random.default_rng(1))
    assert order is not None
    assert beside is not None
    assert (order.kind, beside.kind) == ("row by row", "none")


@pytest.mark.parametrize("seed", range(6))
def test_copies_in_mixed_tables_are_those_of_sets_of_rows(seed: int) -> None:
    """Ties, missing numbers, both zeros, rare levels, rows that stand several times: by Python's own sets."""
    rng = np.random.default_rng(seed)
    schema = Schema(
        (
            Column("x", Kind.CATEGORICAL, levels=LEVELS),
            Column("y", Kind.NUMERIC, low=-1, high=300, mean=0, sd=1, has_missing=True),
            Column("z", Kind.CATEGORICAL, levels=LEVELS),
        )
    )
    values = np.array([0.0, -0.0, -1.0, 1.0, 256.0, np.nan, 1e-300])
    tables = [
        Table(
            schema,
            np.column_stack([rng.integers(0, 3, n), np.where(rng.random(n) < 0.9, 0, rng.integers(0, 40, n))]),
            values[rng.integers(0, 7, n)][:, None],
        )
        for n in (60, 50, 60)
    ]

    def rows(table: Table) -> list[tuple[int, int, str]]:
        cells = zip(table.codes.tolist(), table.numbers[:, 0].tolist(), strict=True)
        return [(code[0], code[1], str(number + 0.0)) for code, number in cells]

    real, release, holdout = map(rows, tables)
    copies = count_copies(tables[0], tables[1], tables[2], rng)
    assert copies.rows == sum(row in set(release) for row in real)
    assert copies.alone == len((set(real) & set(release)) - set(holdout))
    alone = count_copies(tables[0], tables[1], None, rng)
    assert (alone.k_in, alone.n_in) == (len(set(real) & set(release)), len(set(real)))


# --------------------------------------------------------------------------------------------------------------
# Near copies


def blur(table: Table, by: float, seed: int) -> Table:
    """Its rows with every number moved by so much of the column's spread."""
    noise = np.random.default_rng(seed).standard_normal(table.numbers.shape)
    return Table(table.schema, table.codes, table.numbers + noise * by * [column.sd for column in table.schema.numeric])


def near_by_definition(real: Table, release: Table, holdout: Table) -> tuple[int, int, int, int]:
    """Person by person: is a released row less than half as far away as the nearest other person?"""

    def points(table: Table) -> list[tuple[float, ...]]:
        units = [column.sd for column in table.schema.numeric]
        rows = zip(table.codes.tolist(), table.numbers.tolist(), strict=True)
        return [(*codes, *(x / unit for x, unit in zip(numbers, units, strict=True))) for codes, numbers in rows]

    many = len(real.schema.categorical)

    def apart(a: tuple[float, ...], b: tuple[float, ...]) -> float:
        codes = sum(x != y for x, y in zip(a[:many], b[:many], strict=True))
        return float(np.sqrt(codes + sum((x - y) ** 2 for x, y in zip(a[many:], b[many:], strict=True))))

    own, others, released = map(points, (real, holdout, release))
    people = set(own) | set(others)
    near = {
        person: min(apart(person, row) for row in released)
        < min(apart(person, other) for other in people if other != person) / 2 - 1e-12
        for person in people
    }
    alone = Counter(set(own) ^ set(others))
    inside, outside = set(own) & set(alone), set(others) & set(alone)
    return sum(near[p] for p in inside), len(inside), sum(near[p] for p in outside), len(outside)


@pytest.mark.parametrize("seed", range(6))
def test_near_copies_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    every = mixed(160, seed, missing=False)
    distinct = np.unique(np.column_stack([every.codes, every.numbers]), axis=0, return_index=True)[1]
    everybody = every.rows(rng.permutation(distinct))
    half = len(everybody) // 2
    real, holdout = everybody.rows(np.arange(half)), everybody.rows(np.arange(half, 2 * half))
    release = blur(every.rows(rng.permutation(len(every))[:60]), 0.1, seed)
    count = count_near(real, release, holdout, np.random.default_rng(seed))
    expected = near_by_definition(real, release, holdout)
    assert (count.k_in, count.n_in, count.k_out, count.n_out) == expected
    assert expected[0] + expected[2] > 0


def test_rows_of_the_same_person_are_no_other_person() -> None:
    """Three rows a person that are nearly alike: a copy of one is nearer to a row of theirs than to anybody else's."""
    rng = np.random.default_rng(4)
    middles = rng.standard_normal((120, 4))
    rows = np.repeat(middles, 3, axis=0) + 0.02 * rng.standard_normal((360, 4))
    schema = Schema(tuple(numeric(f"x{index}", column, decimals=6) for index, column in enumerate(rows.T)))
    table = Table(schema, np.empty((360, 0), dtype=np.int64), rows)
    real, holdout = table.rows(np.arange(180)), table.rows(np.arange(180, 360))
    release = blur(real.rows(np.arange(0, 60, 3)), 0.02, 5)
    persons = Persons("person", np.arange(180) // 3, np.arange(180) // 3 + 60)
    people, alone = (count_near(real, release, holdout, np.random.default_rng(0), who) for who in (persons, None))
    assert (people.k_in, people.n_in, people.k_out, people.n_out) == (20, 60, 0, 60)
    assert alone.k_in < 20


def test_no_order_of_rows_makes_other_near_copies() -> None:
    real, holdout = mixed(200, 1), mixed(200, 2)
    release = blur(real.rows(np.arange(40)), 0.2, 3)
    mix = np.random.default_rng(5)
    first, second, third = (table.rows(mix.permutation(len(table))) for table in (real, release, holdout))
    count = count_near(real, release, holdout, np.random.default_rng(0))
    assert count == count_near(first, second, third, np.random.default_rng(0))


def test_of_a_large_table_some_people_are_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(give_aways, "PAIRS", 1)
    monkeypatch.setattr(give_aways, "LEAST_ASKED", 100)
    real, holdout = mixed(300, 1), mixed(300, 2)
    count = count_near(real, blur(real, 0.05, 3), holdout, np.random.default_rng(0))
    assert 80 <= count.n_in + count.n_out <= 100
    assert count.k_in > count.n_in / 2 > count.k_out


@pytest.mark.parametrize("columns", [2, 6])
def test_near_copies_that_are_chance_are_shown_no_oftener_than_they_may(columns: int) -> None:
    """Real table, holdout and release are drawn alike: of 400 audits at most a share of 0.025, but for chance."""
    shown = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        drawn = np.round(rng.standard_normal((180, columns)), 1)
        drawn[:, 0] = np.abs(drawn[:, 0]).round()  # ties
        schema = Schema(tuple(numeric(f"x{index}", column, decimals=1) for index, column in enumerate(drawn.T)))
        real, release, holdout = (Table(schema, np.empty((60, 0), dtype=np.int64), part) for part in np.split(drawn, 3))
        count = count_near(real, release, holdout, rng)
        shown += copies.is_more(count.k_in, count.n_in, count.k_out, count.n_out)
    assert shown <= 400 * 0.025 + 3 * np.sqrt(400 * 0.025)


def drawn_rows(kind: str, n: int, rng: np.random.Generator) -> Table:
    """Rows of two numbers, of coarse ones with ties, of the same few rows again and again, or of clumps."""
    numbers = {
        "two": lambda: rng.standard_normal((n, 2)).round(2),
        "coarse": lambda: rng.poisson(2, (n, 4)).astype(float),
        "again": lambda: np.random.default_rng(0).standard_normal((n, 5))[rng.integers(0, n, n)].round(2),
        "clumps": lambda: rng.integers(0, 30, (n, 1)) * 9 + 0.1 * rng.standard_normal((n, 5)).round(2),
        "wide": lambda: rng.standard_normal((n, 8)).round(2),
    }[kind]()
    schema = Schema(tuple(numeric(f"x{index}", column, decimals=2) for index, column in enumerate(numbers.T)))
    return Table(schema, np.empty((n, 0), dtype=np.int64), numbers)


@pytest.mark.parametrize("kind", ["two", "coarse", "again", "clumps", "wide"])
def test_no_table_by_itself_has_more_near_copies_than_chance_makes(kind: str) -> None:
    """Of rows drawn alike, few or many, and of values drawn column by column; a release of blurred copies has more."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table, fresh = drawn_rows(kind, 100 + 5 * seed, rng), drawn_rows(kind, int(rng.choice([80, 300, 900])), rng)
        columns = replace(fresh, numbers=rng.permuted(fresh.numbers, axis=0))
        for release in (fresh, columns):
            near, *chance = count_near_in_one(table, release, rng, None)
            assert near <= copies.most_near(*chance)
    if kind in ("clumps", "wide"):
        near, *chance = count_near_in_one(table, blur(table, 1e-5, 1), rng, None)
        assert near > copies.most_near(*chance)


def test_near_copies_of_a_table_by_itself_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    table = drawn_rows("two", 60, rng)
    release = blur(table.rows(np.arange(40)), 0.05, 2)
    units = [column.sd for column in table.schema.numeric]
    own, released = (Counter(map(tuple, part.numbers / units)) for part in (table, release))
    gaps = [sorted(np.hypot(a - x, b - y) for x, y in own) for a, b in own]
    to_release = [min(np.hypot(a - x, b - y) for x, y in released) for a, b in own]
    by_chance = sum(gap[1] < gap[2] / 2 for gap in gaps)
    expected = sum(near < gap[1] / 2 for near, gap in zip(to_release, gaps, strict=True))
    assert count_near_in_one(table, release, rng, None) == (expected, by_chance, 40 / 59)
    # one row stands for each person, however alike the others are
    twice = table.rows(np.repeat(np.arange(60), 2))
    assert count_near_in_one(twice, release, rng, np.arange(120) // 2)[0] == expected
    assert count_near_in_one(twice, release, rng, None)[0] == 0
