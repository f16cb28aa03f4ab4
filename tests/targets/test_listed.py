"""Rows by number and by lot."""

from typing import Any

import numpy as np
import pytest

from riskkit.errors import DesignError, ParameterError
from riskkit.registry import parse, spell
from riskkit.targets.listed import Listed
from riskkit.targets.random import Random
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


def test_every_row_is_as_likely_as_any_other() -> None:
    table = mixed(n=10)
    rng = np.random.default_rng(7)
    draws = 4_000
    seen = np.bincount(np.concatenate([Random().choose(table, 3, rng).index for _ in range(draws)]), minlength=10)
    # 0.3 of the draws each, standard error sqrt(.3 * .7 / draws); four of them cover ten rows comfortably.
    assert seen / draws == pytest.approx(np.full(10, 0.3), abs=4 * np.sqrt(0.21 / draws))


def test_all_rows_can_be_drawn_and_no_more() -> None:
    table = mixed(n=12)
    assert sorted(Random().choose(table, 12, np.random.default_rng(0)).index.tolist()) == list(range(12))
    with pytest.raises(DesignError, match="13 targets were asked for, the real table has 12 rows"):
        Random().choose(table, 13, np.random.default_rng(0))


def test_equal_rows_are_one_target() -> None:
    table = mixed(n=12)
    index = Random().choose(table.plus(table).plus(table), 12, np.random.default_rng(0)).index
    assert sorted(index % 12) == list(range(12))


def test_other_streams_draw_other_rows() -> None:
    draws = {tuple(Random().choose(mixed(), 3, np.random.default_rng(seed)).index.tolist()) for seed in range(20)}
    assert len(draws) == 20
