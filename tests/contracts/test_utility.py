"""What every file of riskkit/utility promises. A new measure is held to this without a line being added here."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.questions.contest import points, words
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.points import RULES
from riskkit.questions.contest.run import run_contest
from riskkit.table.load import Tables
from riskkit.table.usefulness import ComparedTables, Measure, tree_questions
from tests.contracts import rooms
from tests.tables import mixed

MEASURES = sorted(registry.plugins("utility"))
EVERY = pytest.mark.parametrize("name", MEASURES)
ROWS = 300


@cache
def people(part: int = 0) -> Table:
    """Rows of one population; those of other parts are other people."""
    return mixed(3 * ROWS).rows(np.arange(part * ROWS, (part + 1) * ROWS))


def measure(name: str) -> Measure:
    made: Measure = registry.make("utility", name)
    return made


def compared(release: Table, sample: Table, scale: str = "raw") -> ComparedTables:
    return ComparedTables(release, sample, people(2), tree_questions(sample.schema), scale)


def apart(table: Table, seed: int = 1) -> Table:
    """Every column dealt anew by itself."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.permutation(column) for column in table.codes.T])
    return Table(table.schema, codes, np.column_stack([rng.permutation(column) for column in table.numbers.T]))


def bad(table: Table) -> Table:
    """Half of the rows, all of them the first row of the table."""
    return table.rows(np.zeros(len(table) // 2, dtype=int))


def best(name: str) -> float:
    low, high = measure(name).ends
    return high if measure(name).more_is_better else low


@EVERY
def test_its_range_holds_what_rules_ask_of_it(name: str) -> None:
    own = measure(name)
    low, high = own.ends
    assert low < high
    assert np.isfinite(best(name)), "the best there is has a number"
    assert set(own.thresholds) < set(RULES) - {"none"} or not own.thresholds
    assert all(low < value < high for value in own.thresholds.values())
    assert own.more_is_better or not own.frontier, "on a frontier right is more useful"


def test_no_two_measures_have_one_place() -> None:
    for places in ([measure(name).place for name in MEASURES], [measure(name).frontier for name in MEASURES]):
        shown = [place for place in places if place]
        assert len(shown) == len(set(shown))


# --- what it measures -----------------------------------------------------------------------------------------------


@EVERY
def test_the_real_rows_themselves_are_best(name: str) -> None:
    table = people()
    assert measure(name).measure(compared(table, table)) == best(name)


@EVERY
@pytest.mark.parametrize("scale", ["raw", "standard"])
def test_a_poor_release_is_worse_and_within_the_range(name: str, scale: str) -> None:
    own, table = measure(name), people()
    low, high = own.ends
    poor = own.measure(compared(bad(table), table, scale))
    assert poor is not None
    assert low <= poor <= high
    assert poor < best(name) if own.more_is_better else poor > best(name)
    shuffled = own.measure(compared(apart(table), table, scale))
    assert shuffled is not None
    assert low <= shuffled <= high


@EVERY
def test_the_order_of_rows_says_nothing(name: str) -> None:
    own, table, release = measure(name), people(), people(1)
    turned = compared(release.rows(np.arange(ROWS)[::-1]), table)
    assert own.measure(turned) == pytest.approx(own.measure(compared(release, table)), rel=1e-9)


@EVERY
def test_the_same_tables_give_the_same_bytes_and_are_left_as_they_were(name: str) -> None:
    own, table, release = measure(name), people(), people(1)
    before = [(rows.codes.tobytes(), rows.numbers.tobytes()) for rows in (table, release)]
    with rooms.only_its_own_chance():
        values = {own.measure(compared(release, table)) for _ in range(2)}
    assert len(values) == 1
    assert [(rows.codes.tobytes(), rows.numbers.tobytes()) for rows in (table, release)] == before


@EVERY
def test_few_rows_have_a_number(name: str) -> None:
    table = people()
    for rows in (1, 2):
        value = measure(name).measure(compared(table.rows(np.arange(rows)), table))
        assert value is not None
        assert np.isfinite(value)


@EVERY
def test_tables_that_cannot_be_compared_are_refused_with_a_sentence(name: str) -> None:
    table = people()
    for release in (mixed(ROWS, missing=False), table.rows([])):
        with pytest.raises(DesignError, match=r"^[A-Z].*\.$"):
            measure(name).measure(compared(release, table))


def test_a_faulty_measure_is_seen(tmp_path: Path) -> None:
    """One that takes an empty release for a good one, and one that reads rows in their order."""
    order = PLANTED.replace("return SHARE", "return float((release.codes[:n] == sample.codes[:n]).mean())")
    with rooms.one_more_file("utility", "planted", order, tmp_path), pytest.raises(AssertionError):
        test_the_order_of_rows_says_nothing("planted")
    kind = PLANTED.replace("return SHARE", "return 1.0")
    with rooms.one_more_file("utility", "planted", kind, tmp_path), pytest.raises(AssertionError):
        test_a_poor_release_is_worse_and_within_the_range("planted", "raw")


PLANTED = '''
"""A planted measure."""

from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure


@dataclass(frozen=True)
class Planted(Measure):
    """Planted."""

    name: ClassVar[str] = "planted"
    title: ClassVar[str] = "Planted"
    card: ClassVar[str] = "Planted."
    place: ClassVar[int] = 999

    def measure(self, compared):
        release, sample = compared.release, compared.sample
        n = min(len(release), len(sample))
        return SHARE


PLUGIN = Planted
'''


def test_one_new_file_is_measured_shown_and_asked_by_rules(tmp_path: Path) -> None:
    """By the contest, its rules, its frontiers and its page, which reads from the result what measures there were."""
    planted = PLANTED.replace("return SHARE", "return n / (2 * len(sample))").replace(
        "place: ClassVar[int] = 999",
        'place: ClassVar[int] = 15\n    thresholds = {"official": 0.75}\n    frontier: ClassVar[int] = 1',
    )
    with rooms.one_more_file("utility", "planted", planted, tmp_path):
        plan = ContestPlan(("identity",), ("distance",), source="base", population=200, sample=50, guesses=20)
        result = run_contest(Tables(people(), None, None, people().schema, (), ()), plan)
        assert words.threshold("planted", "official") == "at least 0.75"
        assert "planted" in rooms.spellings("utility")  # what every test above walks
    assert list(result.about)[:3] == ["histogram", "planted", "histogram_counts"]
    assert words.title(result, "planted") == "Planted"
    (standing,) = result.standings
    assert standing.usefulness["planted"] == 0.5
    assert standing.elsewhere["planted"] == pytest.approx(50 / (2 * 150))
    assert standing.misses == ("planted",)
    assert "planted" in result.pictures


def test_what_is_shared_is_worked_out_once() -> None:
    table, calls = people(), []

    def count(tables: ComparedTables) -> int:
        calls.append(tables)
        return len(tables.release)

    both = compared(table, table)
    assert [both.once(count), both.once(count), compared(table, table).once(count)] == [ROWS] * 3
    assert len(calls) == 2


def test_of_other_people_only_what_tells_something_is_measured() -> None:
    table = people()
    others = points.usefulness(ComparedTables(table, people(2), people(2)), of_others=True)
    left_out = set(MEASURES) - set(others)
    assert left_out == {"histogram_counts", "trees", "trees_paper"}
