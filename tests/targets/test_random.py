"""Rows by lot."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.targets.random import Random
from tests.tables import mixed


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
