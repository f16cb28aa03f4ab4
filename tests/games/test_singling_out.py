"""Who is alone in a crowd and stands in the release, and whose halves are linked: against slow counts."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import linkage
from riskkit.games.linkage import Linking, splits, together
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


def names(table: Table) -> list[str]:
    return [column.name for column in table.schema.modelled]


def test_the_likelihood_is_that_of_adding_up_kernels() -> None:
    rng = np.random.default_rng(1)
    first, other = (rng.integers(0, 4, (n, 9)).astype(np.float32) / 2 for n in (3, 5))
    likelihoods = together(first, other)
    for i, j in itertools.product(range(3), range(5)):
        total = 0.0
        for width in (0.3, 0.15):
            a, b = ([math.exp(-float(away) / width) for away in half] for half in (first[i], other[j]))
            total += math.log(sum(x * y for x, y in zip(a, b, strict=True))) - math.log(sum(a)) - math.log(sum(b))
        assert likelihoods[i, j] == pytest.approx(total / 2, abs=1e-3)


def test_differences_are_those_of_a_loop_over_cells() -> None:
    table, release, holdout = thirds(40, 3)
    mixture = mix(table, release, holdout, max_rows=100, seed=1)
    link = Linking.split(mixture, names(table), 10)
    half = [0, 1, 2, 3]
    ours, theirs = link._half(mixture.people, half), link._half(mixture.release, half)
    away = linkage._apart(ours, tuple(np.ascontiguousarray(part.T) for part in theirs), np.arange(12))
    unit = [column.sd for column in table.schema.numeric]
    for i, r in itertools.product(range(12), range(40)):
        right = float((mixture.people.codes[i] != mixture.release.codes[r]).sum())
        for index in range(2):
            a, b = mixture.people.numbers[i, index], mixture.release.numbers[r, index]
            if math.isnan(a) or math.isnan(b):
                right += math.isnan(a) != math.isnan(b)
            else:
                right += min(abs(a - b) / unit[index], 1.0)
        assert away[i, r] == pytest.approx(right, abs=1e-4)


def test_the_assignment_is_the_likeliest_of_all() -> None:
    real, release, holdout = thirds(40, 2)
    mixture = mix(real.rows(np.arange(6)), release, holdout.rows(np.arange(6)), max_rows=3, seed=2)
    link = Linking.split(mixture, names(mixture.people), 6)
    split = ((0, 1), (2, 3))
    hit = link.link(split)
    halves = [
        linkage._apart(
            link._half(mixture.people.rows(mixture.asked), half),
            tuple(np.ascontiguousarray(part.T) for part in link._half(mixture.release, half)),
            np.arange(6),
        )
        for half in split
    ]
    likely = together(*halves)
    totals = {order: sum(likely[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(6))}
    best = [order for order, total in totals.items() if total >= max(totals.values()) - 1e-4]
    assert hit.tolist() in [[i == j for i, j in enumerate(order)] for order in best]
    assert len(best) < len(totals) / 10, "few are as likely as the likeliest"


def test_a_release_of_the_people_themselves_links_nearly_everybody_who_was_in() -> None:
    digits = np.random.default_rng(1).integers(0, 10, (800, 12)).astype(str)
    whole = from_frame(pd.DataFrame(digits, columns=[f"c{index}" for index in range(12)]))
    real, holdout = whole.rows(np.arange(400)), whole.rows(np.arange(400, 800))
    mixture = mix(real, real, holdout, max_rows=400, seed=1)
    hit = Linking.split(mixture, names(real), 50).link((tuple(range(6)), tuple(range(6, 12))))
    inside = mixture.is_in[mixture.asked]
    assert hit[inside].mean() > 0.98
    assert hit[~inside].mean() < 0.1


def test_where_everything_is_alike_one_of_so_many_is_linked() -> None:
    """Ties: a place in the file must be nobody's advantage. 2,000 people in groups of 20; a hit has the chance 1/20."""
    same = mixed(10, 1).rows(np.zeros(1_000, dtype=np.int64))
    mixture = mix(same, same, same, max_rows=1_000, seed=1)
    share = Linking.split(mixture, names(same), 20).link(((0, 1), (2, 3))).mean()
    assert share == pytest.approx(1 / 20, abs=4 * (0.05 * 0.95 / 2_000) ** 0.5 * 1.1)


def test_independent_columns_link_one_of_so_many() -> None:
    rng = np.random.default_rng(1)
    base = mixed(3_000, 1, missing=False)
    drawn = Table(
        base.schema,
        np.column_stack([rng.permutation(column) for column in base.codes.T]),
        np.column_stack([rng.permutation(column) for column in base.numbers.T]),
    )
    mixture = mix(
        *(drawn.rows(np.arange(number, number + 1_000)) for number in (0, 1_000, 2_000)), max_rows=1_000, seed=1
    )
    share = Linking.split(mixture, names(base), 20).link(((0, 1), (2, 3))).mean()
    assert share == pytest.approx(1 / 20, abs=4 * (0.05 * 0.95 / 2_000) ** 0.5 * 1.1)


def test_splits_are_even_first_each_once_and_of_all_columns() -> None:
    assert len(splits(2, 10, stream(1, "s"))) == 1
    every = splits(5, 100, stream(1, "s"))
    assert len({frozenset(map(frozenset, split)) for split in every}) == len(every) == 2**4 - 1
    assert all(sorted((*first, *other)) == list(range(5)) for first, other in every)
    assert [len(half) for half, _ in every] == [2] * 10 + [1] * 5
    many = splits(16, 6, stream(1, "s"))
    assert len({frozenset(map(frozenset, split)) for split in many}) == 6
    assert all(len(first) == len(other) == 8 for first, other in many)
