"""What one column says of another without exception."""

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Table
from riskkit.targets._plausible import ColumnRule, moves, rules, twins
from tests.tables import adult, from_frame, mixed, needs_adult
from tests.targets.made import school, with_category, with_number


def test_twins_and_a_column_that_follows_from_another_are_found() -> None:
    column_rules = rules(school())
    assert set(column_rules) == {ColumnRule(0, 1), ColumnRule(1, 0), ColumnRule(2, 3)}
    assert twins(column_rules) == (1,)


def test_one_exception_is_enough_to_break_a_rule() -> None:
    table = school()
    numbers = table.numbers.copy()
    numbers[7, 0] = numbers[7, 0] % 6 + 1
    assert set(rules(Table(table.schema, table.codes, numbers))) == {ColumnRule(2, 3)}


def test_an_exception_beyond_the_first_rows_is_seen() -> None:
    table = school(n=5_000)
    numbers = table.numbers.copy()
    numbers[-1, 0] = numbers[-1, 0] % 6 + 1
    assert set(rules(table)) - set(rules(Table(table.schema, table.codes, numbers))) == {
        ColumnRule(0, 1),
        ColumnRule(1, 0),
    }


def test_unrelated_columns_have_no_rules() -> None:
    assert rules(mixed()) == ()
    assert twins(()) == ()


def test_a_number_that_differs_in_every_row_determines_nothing() -> None:
    table = mixed()
    assert rules(with_number(table, "serial", np.arange(300.0))) == ()
    assert rules(with_number(table, "pair", np.arange(300.0) // 2)) == ()


def test_a_number_seen_three_times_a_value_determines_nothing() -> None:
    group = np.arange(300.0) // 3
    assert rules(with_number(with_number(mixed(), "group", group), "follows", group % 4)) == ()


def test_agreement_by_luck_is_no_rule() -> None:
    few = from_frame(pd.DataFrame({"a": list("xxxxxyyyyy"), "b": list("sssssttttt")}))
    assert rules(few) == (), "10 rows agree by luck with a chance of about 1 in 256"
    rare = pd.DataFrame({"a": ["x"] * 999 + ["y"], "b": ["s"] * 999 + ["t"]})
    assert rules(from_frame(rare)) == (), "two rare values that meet once say nothing"
    assert len(rules(few.plus(few).plus(few))) == 2, "30 rows would agree with a chance of 1 in 3e8"


def test_a_constant_column_follows_from_nothing() -> None:
    assert rules(with_category(mixed(), "always", ("x",), 0)) == ()


def test_missing_is_a_value_like_any_other() -> None:
    table = school()
    numbers = table.numbers.copy()
    numbers[numbers[:, 0] == 3, 0] = np.nan
    assert set(rules(Table(table.schema, table.codes, numbers))) == {
        ColumnRule(0, 1),
        ColumnRule(1, 0),
        ColumnRule(2, 3),
    }
    numbers[np.flatnonzero(table.numbers[:, 0] == 2)[0], 0] = np.nan
    assert set(rules(Table(table.schema, table.codes, numbers))) == {ColumnRule(2, 3)}


def test_tied_columns_move_together_and_numbers_last() -> None:
    table = school()
    options = moves(table, rules(table), 1)
    assert [move.columns for move in options] == [(0, 1), (2, 3), (4,), (5,)]
    assert [len(move) for move in options] == [6, 5, 2, 2]
    assert set(options[3].numbers[:, 1]) == {table.numbers[:, 1].min(), table.numbers[:, 1].max()}


def test_rules_in_a_chain_tie_all_their_columns() -> None:
    table = school()
    assert [move.columns for move in moves(table, (ColumnRule(4, 3), ColumnRule(2, 3), ColumnRule(1, 0)), 1)] == [
        (0, 1),
        (2, 3, 4),
        (5,),
    ]


@pytest.mark.parametrize("reach", [1, 2, 5])
def test_a_number_may_be_as_many_steps_inward_as_asked(reach: int) -> None:
    table = mixed(missing=True)
    score = moves(table, (), reach)[-1].numbers[:, 1]
    column = table.schema.column("score")
    wanted = np.arange(reach) / 10
    assert np.isnan(score[-1])
    assert score[:-1] == pytest.approx(np.sort(np.concatenate([column.low + wanted, column.high - wanted])))


def test_a_number_that_is_always_the_same_stays() -> None:
    table = mixed(missing=False)
    numbers = table.numbers.copy()
    numbers[:, 0] = 30
    assert moves(Table(table.schema, table.codes, numbers), (), 4)[1].numbers[:, 0].tolist() == [30.0]


def test_no_further_steps_than_the_domain_has() -> None:
    table = from_frame(pd.DataFrame({"a": list("xyxy"), "d": [0, 1, 2, 3]}))
    assert moves(table, (), 10**12)[1].numbers[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


@needs_adult
def test_adult_ties_education_to_its_number_and_nothing_else() -> None:
    table = adult()
    names = [column.name for column in table.schema.modelled]
    pairs = {(names[rule.cause], names[rule.effect]) for rule in rules(table)}
    assert pairs == {("education", "education-num"), ("education-num", "education")}
