"""The search for extreme records that are possible and not in the table."""

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Floats, Table, Targets
from riskkit.errors import DesignError, ParameterError
from riskkit.targets import adaptive
from riskkit.targets._mahalanobis import ellipsoid, outlierness
from riskkit.targets._plausible import moves
from riskkit.targets.adaptive import Adaptive
from tests.tables import adult, from_frame, mixed, needs_adult
from tests.targets.made import all_records, reference, school, small_domain, unguarded


def chosen(table: Table, k: int, seed: int = 0) -> Targets:
    return Adaptive().choose(table, k, np.random.default_rng(seed))


@pytest.mark.parametrize("table", [mixed(), mixed(missing=False), school(), small_domain()], ids=list("abcd"))
def test_records_are_new_different_inside_the_domain_and_on_its_steps(table: Table) -> None:
    targets = chosen(table, 12)
    keys = targets.table.keys()
    assert targets.index.tolist() == [-1] * 12
    assert len(np.unique(keys)) == 12
    assert not np.isin(keys, table.keys()).any()
    for position, column in enumerate(table.schema.numeric):
        values = targets.table.numbers[:, position]
        values = values[~np.isnan(values)]
        assert (values >= column.low).all()
        assert (values <= column.high).all()
        assert (values == np.round(values, column.decimals)).all()
    for position in range(len(table.schema.categorical)):
        assert np.isin(targets.table.codes[:, position], table.codes[:, position]).all()


@pytest.mark.parametrize("table", [mixed(), mixed(missing=False), school()], ids=list("abc"))
def test_the_first_record_stands_out_more_than_any_row_and_the_others_follow_in_order(table: Table) -> None:
    distance = ellipsoid(table).distance(chosen(table, 12).table)
    assert distance[0] > outlierness(table).max()
    assert (np.diff(distance) <= 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_what_trying_every_record_finds(seed: int) -> None:
    table = small_domain(seed)
    records = all_records(table)
    number = records.numbers[:, 0]
    new = ~np.isin(records.keys(), table.keys()) & ((number == 0) | (number == 3))
    best = np.sort(reference(table, records.rows(new)))[::-1][:5]
    assert reference(table, chosen(table, 5).table) == pytest.approx(best, rel=1e-9)


def test_all_new_records_are_found_where_all_are_asked_for() -> None:
    table = small_domain()
    records = all_records(table)
    new = records.rows(~np.isin(records.keys(), table.keys()))
    assert set(chosen(table, len(new)).table.keys().tolist()) == set(new.keys().tolist())
    with pytest.raises(DesignError, match=f"only {len(new)} possible records"):
        chosen(table, len(new) + 1)


def test_no_record_is_left_where_the_table_holds_them_all() -> None:
    full = from_frame(pd.DataFrame({"a": list("xxyyx"), "b": list("ststs")}))
    with pytest.raises(DesignError, match="only 0 possible records"):
        chosen(full, 1)


def test_a_table_of_one_row_leaves_nothing_to_search() -> None:
    with pytest.raises(DesignError, match="only 0 possible records"):
        chosen(mixed().rows([0]), 1)


def test_a_column_that_follows_from_another_follows_in_made_up_records(monkeypatch: pytest.MonkeyPatch) -> None:
    table = school()
    assert broken(table, chosen(table, 30).table) == 0
    monkeypatch.setattr(adaptive, "rules", lambda _: ())
    assert broken(table, chosen(table, 30).table) > 0, "without the rules the search takes impossible records"


def test_a_pseudo_inverse_without_tolerance_prizes_the_impossible() -> None:
    table = school()
    codes, numbers = table.codes[:1].copy(), table.numbers[:1].copy()
    numbers[0, 0] = numbers[0, 0] % 6 + 1
    impossible = Table(table.schema, codes, numbers)
    assert unguarded(table, impossible)[0] > 1e4, "the fault that is guarded against has gone"
    assert ellipsoid(table).distance(impossible)[0] < np.sqrt(len(table))


def test_levels_and_missing_values_that_do_not_occur_are_not_made_up() -> None:
    table = mixed(missing=True)
    keep = (table.codes[:, 0] != 1) & ~np.isnan(table.numbers[:, 1])
    made = chosen(table.rows(keep), 40).table
    assert not (made.codes[:, 0] == 1).any()
    assert not np.isnan(made.numbers).any()


def test_where_bounds_are_too_few_numbers_move_inward_one_step() -> None:
    table = from_frame(pd.DataFrame({"x": [0, 10, 4, 5, 6, 5], "y": [0, 8, 5, 4, 4, 3]}))
    made = chosen(table, 3).table
    assert set(made.numbers.ravel()) <= {0.0, 1.0, 7.0, 8.0, 9.0, 10.0}
    assert len(made) == 3


def test_a_climb_ends_where_no_single_change_is_better() -> None:
    table = mixed()
    search = adaptive._Search(table, ellipsoid(table), moves(table, (), 1))
    tops = search.tops(np.arange(5), 5, np.random.default_rng(0))
    for top in tops:
        assert search._value(top) >= max(-value for value, _ in search._neighbours(top)) * (1 - 1e-6)


def test_one_start_is_enough_to_answer_and_none_is_refused() -> None:
    assert len(Adaptive(starts=1).choose(mixed(), 3, np.random.default_rng(0))) == 3
    with pytest.raises(ParameterError, match="at least 1"):
        Adaptive(starts=0)


@needs_adult
@pytest.mark.parametrize("drop", [(), ("education-num",)])
def test_adult_reaches_the_published_distance(drop: tuple[str, ...]) -> None:
    table = adult(drop=drop)
    targets = chosen(table, 10)
    distance = ellipsoid(table).distance(targets.table)
    assert distance[0] == pytest.approx(196.73, abs=0.01)
    assert distance.min() > 196
    assert not np.isin(targets.table.keys(), table.keys()).any()


@needs_adult
def test_adult_never_pairs_an_education_with_another_ones_number() -> None:
    table = adult()
    names = [column.name for column in table.schema.categorical]
    education, number = table.codes[:, names.index("education")], table.numbers[:, 2]
    assert table.schema.numeric[2].name == "education-num"
    made = chosen(table, 200).table
    pairs = set(zip(education.tolist(), number.tolist(), strict=True))
    assert set(zip(made.codes[:, names.index("education")].tolist(), made.numbers[:, 2].tolist(), strict=True)) <= pairs


@needs_adult
def test_adult_doctorate_with_one_year_is_what_an_unguarded_search_would_take() -> None:
    table = adult()
    education = [column.name for column in table.schema.categorical].index("education")
    codes, numbers = table.codes[:1].copy(), table.numbers[:1].copy()
    codes[0, education] = table.schema.column("education").levels.index("Doctorate")
    numbers[0, 2] = 1
    impossible = Table(table.schema, codes, numbers)
    assert unguarded(table, impossible)[0] > 1e5
    assert ellipsoid(table).distance(impossible)[0] < 20


def broken(table: Table, made: Table) -> int:
    """How many records break grade -> number or town -> region."""
    return int(sum((~np.isin(tied(made, pair), tied(table, pair))).sum() for pair in ("grade", "town")))


def tied(table: Table, pair: str) -> Floats:
    first = table.codes[:, 0 if pair == "grade" else 1]
    second = table.numbers[:, 0] if pair == "grade" else table.codes[:, 2]
    return np.asarray(first * 100.0 + second)
