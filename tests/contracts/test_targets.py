"""What every target rule keeps to: found by walking the folder, so a new file is tested by being there."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Table, Targets
from riskkit.errors import DesignError
from riskkit.registry import spell
from tests.contracts import rooms
from tests.tables import from_frame, mixed

K = 4
GIVEN: dict[str, dict[str, Any]] = {"listed": {"rows": (3, 17, 5, 299)}}
"""Rules that cannot choose before the user has said something."""
RULES = pytest.mark.parametrize("rule", rooms.made("targets", GIVEN), ids=spell)
TABLES = pytest.mark.parametrize("table", [mixed(), mixed(missing=False)], ids=["missing", "complete"])


def choose(rule: Any, table: Table, k: int = K, seed: int = 0) -> Targets:
    targets = rule.choose(table, k, np.random.default_rng(seed))
    assert isinstance(targets, Targets)
    return targets


@RULES
def test_can_be_written_read_and_pickled(rule: Any) -> None:
    rooms.is_read_back_and_pickled("targets", rule)


@RULES
@TABLES
def test_gives_as_many_different_records_as_asked(rule: Any, table: Table) -> None:
    targets = choose(rule, table)
    assert len(targets) == K
    assert len(np.unique(targets.table.keys())) == K
    assert targets.table.schema == table.schema
    assert targets.table.relaxed is None


@RULES
@TABLES
def test_row_numbers_are_those_of_the_records(rule: Any, table: Table) -> None:
    targets = choose(rule, table)
    keys, real = targets.table.keys(), targets.index >= 0
    assert (table.keys()[targets.index[real]] == keys[real]).all()
    assert (targets.index[~real] == -1).all()
    assert not np.isin(keys[~real], table.keys()).any()


@RULES
def test_the_same_stream_gives_the_same_targets(rule: Any) -> None:
    first, again = choose(rule, mixed(), seed=3), choose(rule, mixed(), seed=3)
    assert (first.index == again.index).all()
    assert (first.table.keys() == again.table.keys()).all()


@RULES
def test_no_random_numbers_but_those_it_was_given(rule: Any) -> None:
    with rooms.only_its_own_chance():
        choose(rule, mixed())


@RULES
def test_the_table_is_left_as_it_was(rule: Any) -> None:
    table = mixed()
    codes, numbers = table.codes.copy(), table.numbers.copy()
    choose(rule, table)
    np.testing.assert_array_equal(table.codes, codes)
    np.testing.assert_array_equal(table.numbers, numbers)


@RULES
@pytest.mark.parametrize("k", [-1, 1_000])
def test_a_number_of_targets_that_cannot_be_is_refused_with_a_sentence(rule: Any, k: int) -> None:
    few = from_frame(pd.DataFrame({"sex": list("ffmm"), "number": [0, 1, 2, 3]}))
    with pytest.raises(DesignError, match=r"targets were asked for.*\.$"):
        choose(rule, few, k)


@RULES
def test_fewer_than_one_target_is_refused_as_such(rule: Any) -> None:
    with pytest.raises(DesignError, match=r"ask for (at least one|as many as are listed)"):
        choose(rule, mixed(), -1)


@RULES
def test_a_table_without_rows_is_refused(rule: Any) -> None:
    with pytest.raises(DesignError, match=r"\.$"):
        choose(rule, mixed().rows(np.empty(0, dtype=int)))
