"""Rows by number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from riskkit.errors import DesignError, ParameterError
from riskkit.registry import parse, spell
from riskkit.targets.listed import Listed
from tests.tables import mixed

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("k", [0, 3])
def test_exactly_the_listed_rows_in_their_order(k: int) -> None:
    table = mixed()
    targets = Listed(rows=(17, 3, 299)).choose(table, k, RNG)
    assert targets.index.tolist() == [17, 3, 299]
    assert (targets.table.keys() == table.keys()[[17, 3, 299]]).all()


@pytest.mark.parametrize("k", [-1, 1, 2, 4])
def test_another_number_of_targets_is_refused(k: int) -> None:
    with pytest.raises(DesignError, match="3 rows are listed: ask for as many"):
        Listed(rows=(17, 3, 299)).choose(mixed(), k, RNG)


def test_an_empty_list_can_be_made_but_not_used() -> None:
    with pytest.raises(DesignError, match="name at least one row"):
        Listed().choose(mixed(), 0, RNG)


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(DesignError, match="Row 300 is listed as a target, the real table has rows 0 to 299"):
        Listed(rows=(0, 300)).choose(mixed(), 2, RNG)


@pytest.mark.parametrize("rows", [(3, 3), (-1,), (1.0,), ("1",), (True,)])
def test_lists_that_are_no_row_numbers_are_refused(rows: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError, match="listed: "):
        Listed(rows=rows)


def test_the_written_form() -> None:
    assert spell(Listed(rows=(3, 17))) == "listed:rows=3+17"
    assert parse("targets", "listed:rows=3+17") == Listed(rows=(3, 17))
