"""Who is alone in a crowd and stands in the release: against counting by hand, and by a dictionary for each set."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games.mixture import MixedCrowd, mix
from riskkit.games.singling_out import CodedRows, Key, keys, single_out
from riskkit.seeds import stream
from riskkit.stats.looks import look_together
from tests.tables import from_frame, mixed


def three(real: pd.DataFrame, release: pd.DataFrame, holdout: pd.DataFrame) -> tuple[Table, Table, Table]:
    """Tables of one schema."""
    whole = from_frame(pd.concat([real, release, holdout], ignore_index=True))
    ends = np.cumsum([len(real), len(release), len(holdout)])
    return whole.rows(np.arange(ends[0])), whole.rows(np.arange(*ends[:2])), whole.rows(np.arange(*ends[1:]))


def crowd(*tables: pd.DataFrame, max_rows: int = 1_000, seed: int = 1) -> MixedCrowd:
    return mix(*three(*tables), max_rows=max_rows, seed=seed)


def thirds(n: int, seed: int, *, missing: bool = True) -> tuple[Table, Table, Table]:
    """A real table, a release and a holdout of one schema, of so many rows each."""
    whole = mixed(3 * n, seed, missing=missing)
    first, second, third = (whole.rows(np.arange(index * n, (index + 1) * n)) for index in range(3))
    return first, second, third


def named(mixture: MixedCrowd, columns: list[str], size: int = 1) -> dict[tuple[str, ...], set[tuple[bool, int]]]:
    """For each set of columns the people it singles out: side and row."""
    readings = CodedRows.code(mixture, columns, 20)
    wanted = [key for key in keys(readings, size, 1_000, stream(1, "keys")) if not key.is_coarse]
    return {
        tuple(readings.names[column] for column in key.columns): {
            (bool(mixture.is_in[place]), int(mixture.row[place])) for place in np.flatnonzero(hit)
        }
        for key, hit in zip(wanted, single_out(readings, wanted), strict=True)
    }


def test_a_small_crowd_by_hand() -> None:
    real = pd.DataFrame({"town": ["a", "a", "b", "c"], "age": [30, 31, 30, 40]})
    holdout = pd.DataFrame({"town": ["c", "d", "a", "e"], "age": [41, 42, 30, 43]})
    release = pd.DataFrame({"town": ["b", "e", "a", "c"], "age": [31, 43, 31, 77]})
    people_named = named(crowd(real, release, holdout), ["town", "age"], size=2)
    assert people_named["town",] == {(True, 2), (False, 3)}, "b and e; c has two people, d is not released"
    assert people_named["age",] == {(True, 1), (False, 3)}, "31 and 43"
    assert people_named["town", "age"] == {(True, 1), (False, 3)}, (
        "(a, 31) and (e, 43); (b, 30) is not released as a pair"
    )


def oracle(mixture: MixedCrowd, columns: tuple[int, ...]) -> set[int]:
    """The same by counting texts; it shares no code with the product."""
    frames = []
    for table in (mixture.people, mixture.release):
        parts = [[str(v) for v in column] for column in (*table.codes.T, *(table.numbers.T + 0.0))]
        names = [c.name for c in (*table.schema.categorical, *table.schema.numeric)]
        ordered = [parts[names.index(c.name)] for c in table.schema.modelled]
        frames.append([tuple(ordered[column][row] for column in columns) for row in range(len(table))])
    people, released = Counter(frames[0]), set(frames[1])
    return {row for row, values in enumerate(frames[0]) if people[values] == 1 and values in released}


@pytest.mark.parametrize("seed", range(4))
def test_every_set_of_a_nasty_table_is_that_of_counting(seed: int) -> None:
    """Duplicates within and across the sides, missing values, a rare chain, and minus nought."""
    base = mixed(120, seed)
    numbers = base.numbers.copy()
    numbers[::7, 0], numbers[1::7, 0] = 0.0, -0.0
    base = Table(base.schema, base.codes, numbers)
    rows = np.random.default_rng(seed).integers(0, 120, (3, 60))
    mixture = mix(*(base.rows(row) for row in rows), max_rows=1_000, seed=seed)
    readings = CodedRows.code(mixture, [c.name for c in base.schema.modelled], 5)
    wanted = [key for key in keys(readings, 4, 1_000, stream(1, "keys")) if not key.is_coarse]
    assert len(wanted) == 15
    for key, hit in zip(wanted, single_out(readings, wanted), strict=True):
        assert set(np.flatnonzero(hit)) == oracle(mixture, key.columns), key


def test_sets_out_of_order_are_the_same() -> None:
    mixture = mix(*thirds(80, 1), max_rows=100, seed=1)
    readings = CodedRows.code(mixture, [c.name for c in mixture.people.schema.modelled], 5)
    wanted = keys(readings, 3, 1_000, stream(1, "keys"))
    assert any(key.is_coarse for key in wanted)
    right = dict(zip(wanted, single_out(readings, wanted), strict=True))
    shuffled = [wanted[place] for place in np.random.default_rng(1).permutation(len(wanted))]
    assert all((right[key] == hit).all() for key, hit in zip(shuffled, single_out(readings, shuffled), strict=True))


def test_grouped_numbers_are_quantiles_of_the_people_and_a_missing_one_is_its_own() -> None:
    numbers = pd.DataFrame({"pay": np.arange(40.0), "sex": ["f", "m"] * 20})
    holdout, release = numbers.assign(pay=numbers.pay + 40), numbers.assign(pay=[np.nan] + [500.0] * 39)
    readings = CodedRows.code(crowd(numbers, release, holdout), ["pay"], 4)
    assert readings.is_coarse.tolist() == [True]
    people = readings.coarse[0, :80]
    assert np.bincount(people).tolist() == [20, 20, 20, 20]
    assert readings.coarse[0, 80:].tolist() == [4] + [3] * 39


def test_all_small_sets_come_first_and_of_the_rest_a_part_is_drawn() -> None:
    mixture = mix(*thirds(60, 1, missing=False), max_rows=9, seed=1)
    readings = CodedRows.code(mixture, [c.name for c in mixture.people.schema.modelled], 1_000)
    sets = [key.columns for key in keys(readings, 3, 8, stream(1, "keys"))]
    assert sets[:4] == [(0,), (1,), (2,), (3,)]
    assert len(set(sets)) == len(sets) == 8
    assert set(sets[4:]) < set(itertools.combinations(range(4), 2))
    assert keys(readings, 1, 100, stream(1, "keys")) == [Key((index,)) for index in range(4)]


def test_the_order_of_files_and_rows_says_nothing() -> None:
    real, release, holdout = thirds(90, 1)
    turned = np.random.default_rng(1).permutation(90)
    first, other = (mix(table, release, holdout, max_rows=50, seed=4) for table in (real, real.rows(turned)))
    assert (first.people.keys() == other.people.keys()).all()
    assert (first.is_in == other.is_in).all()
    assert first.count(True) == first.count(False) == 50


def test_planted_people_were_not_in_and_half_of_the_named_side_is_copied() -> None:
    mixture = mix(*thirds(200, 1), max_rows=1_000, seed=1)
    planted = mixture.plant()
    assert len(planted.people) == 200
    assert len(planted.release) == 200
    assert (planted.copies, int(planted.is_in.sum())) == (40, 80), "a fifth of 200 rows, and twice as many people"
    before, after = set(map(bytes, mixture.release.keys())), Counter(map(bytes, planted.release.keys()))
    assert sum(count for key, count in after.items() if key not in before) <= planted.copies
    real, release, holdout = thirds(60, 1)
    with pytest.raises(DesignError, match="too few people"):
        mix(real, release, holdout.rows(np.arange(15)), max_rows=100, seed=1).plant()


def test_a_table_without_rows_is_a_sentence() -> None:
    empty = mixed(60, 1).rows(np.arange(0))
    with pytest.raises(DesignError, match="The holdout has no row"):
        mix(mixed(60, 1), mixed(60, 2), empty, max_rows=10, seed=1)


def test_members_alone_among_members_would_be_a_leak_of_none_and_is_seen() -> None:
    """Planted fault: of tables of other sizes more people of the smaller one are alone in their own."""
    whole = mixed(1_000, 5)
    tables = whole.rows(np.arange(60)), whole.rows(np.arange(60, 500)), whole.rows(np.arange(500, 1_000))
    mixture = mix(*tables, max_rows=1_000, seed=1)
    readings = CodedRows.code(mixture, [c.name for c in whole.schema.modelled], 20)
    wanted = keys(readings, 2, 100, stream(1, "keys"))
    fair = np.array(list(single_out(readings, wanted)))
    own = np.zeros_like(fair)
    for side in (True, False):
        places = np.flatnonzero(mixture.is_in == side)
        kept = np.r_[places, np.arange(len(mixture.people), readings.exact.shape[1])]
        alone = replace(readings, exact=readings.exact[:, kept], coarse=readings.coarse[:, kept], people=len(places))
        own[:, places] = np.array(list(single_out(alone, wanted)))
    assert look_together(fair, mixture.is_in, stream(1, "labels")).p.min() > 0.05
    assert look_together(own, mixture.is_in, stream(1, "labels")).p.min() < 0.001
