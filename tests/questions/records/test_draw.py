"""A table drawn from the real one: the same person among other people."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.questions.records.people import play_tables
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import forecast, play_table
from tests.games.records import tables
from tests.tables import mixed

PLAN = RecordsPlan(
    "histogram",
    "ids:17,4",
    inside=20,
    outside=20,
    shadows=10,
    again=0,
    n_syn=40,
    traditional=20,
    people=40,
    knowledge="auxiliary",
)


def test_the_named_are_in_every_table_and_the_others_are_other_people() -> None:
    handed = tables(mixed(200))
    draws = [play_tables(handed, replace(PLAN, draw=draw)) for draw in range(3)]
    for drawn, rows in draws:
        assert rows[:2].tolist() == [17, 4]
        assert len(set(rows.tolist())) == len(drawn.real) == 40
        assert np.array_equal(drawn.real.keys(), handed.real.keys()[rows])
        assert drawn.holdout is not None
        assert len(drawn.holdout) == 200 - 40 - copies_of_named(handed.real)
    assert len({tuple(rows.tolist()) for _, rows in draws}) == 3
    assert np.array_equal(play_tables(handed, PLAN)[1], draws[0][1])
    assert play_tables(handed, RecordsPlan())[0] is handed


def copies_of_named(table: Table) -> int:
    """How many other rows equal one of the named."""
    return int(np.isin(table.keys(), table.keys()[[17, 4]]).sum()) - 2


def test_a_drawn_table_is_played_as_if_it_had_been_given() -> None:
    """Its rows keep the numbers of the real table, it says that it was drawn, and other tables give other numbers."""
    handed = tables(mixed(200))
    first, second = (play_table(handed, replace(PLAN, draw=draw)) for draw in (0, 1))
    assert first.rows.tolist() == [17, 4]
    assert (first.total, first.traditional is not None) == (40, True)
    assert "table 0 of 40 people drawn from the 200 rows" in first.notes[0]
    assert not np.array_equal(first.first.outside, second.first.outside)
    assert forecast(handed, PLAN).numbers["records"] == 2


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(DesignError, match="named records"):
        replace(PLAN, records="all")
    with pytest.raises(DesignError, match="fewer than there are"):
        play_tables(tables(mixed(30)), PLAN)
    with pytest.raises(DesignError, match="Row 17 is not in"):
        play_tables(tables(mixed(10)), PLAN)
