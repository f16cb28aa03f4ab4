"""The game on many records: worlds, settled fits, the line that is learnt, and answers that are known."""

import pickle
import threading
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import records
from riskkit.games.crowd import Crowd, population_of_people
from riskkit.games.records import Deal, FixedTable, OtherPeople, WordWeights
from riskkit.table.agreements import CountSums
from tests.games.records import Copies, crowd, marked
from tests.tables import mixed


def deal(generator: str | Any = "bayesnet", n_syn: int = 50) -> Deal:
    made = registry.parse("generators", generator) if isinstance(generator, str) else generator
    return Deal(made, n_syn, 1, ("here",))


def trained(deal: Deal, world: Table, rng: np.random.Generator) -> Table:
    """One release of a training of its own."""
    return deal.release(deal.generator.fit(world, rng), rng)


def same(first: Table, second: Table) -> bool:
    return bool((first.keys() == second.keys()).all())


def holds(table: Table, key: Any) -> bool:
    return bool((table.keys() == key).any())


@pytest.mark.parametrize("generator", ["bayesnet", "bayesnet:degree=2", "histogram", "copula"])
def test_a_fit_made_once_gives_the_releases_of_a_fit_made_each_time(generator: str) -> None:
    game = FixedTable(deal(generator), mixed(60))
    assert game.settled is not None
    for row in (0, 7, 59):
        for number, release in enumerate(game.own(row, "first", range(2))):
            rng = game.deal.rng("first", "out", row, number)
            assert same(release, trained(game.deal, game.table.without(row), rng))
    assert same(game.shared("first", [3])[0], trained(game.deal, game.table, game.deal.rng("first", "in", 3)))


@pytest.mark.parametrize("kept", [True, False])
def test_records_share_random_numbers_where_a_fit_lets_them(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked first, and whether the numbers are kept or drawn again, no byte changes."""
    monkeypatch.setattr(records, "KEPT_ROWS", 700_000 if kept else 0)
    monkeypatch.setattr(records, "_drawn", threading.local())
    first, second = (FixedTable(deal("stat"), mixed(60)) for _ in range(2))
    rows = (0, 7, 59)
    forwards = {row: list(first.own(row, "first", [0, 1])) for row in rows}
    assert len(first._kept()) == 2 * kept
    monkeypatch.setattr(records, "_drawn", threading.local())
    backwards = {row: next(iter(second.own(row, "first", [1]))) for row in rows[::-1]}
    assert first.settled is not None
    for row in rows:
        assert same(forwards[row][1], backwards[row])
        assert not same(forwards[row][0], forwards[row][1])
        for number in (0, 1):
            own = first.settled.without(row).sample(50, first.deal.rng("first", "out", number))
            assert own.codes.tobytes() == forwards[row][number].codes.tobytes()
            assert own.numbers.tobytes() == forwards[row][number].numbers.tobytes()
    assert not same(first.shared("first", [0])[0], forwards[0][0])


def test_random_numbers_outlive_the_game_they_were_drawn_for_and_go_to_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that helps gets the game anew with every few records, and then perhaps one of another table."""
    monkeypatch.setattr(records, "_drawn", threading.local())
    game = FixedTable(deal("stat"), mixed(60))
    before = next(iter(game.own(3, "first", [0])))
    (drawn,) = game._kept().values()
    again = pickle.loads(pickle.dumps(game))
    assert same(next(iter(again.own(3, "first", [0]))), before)
    assert next(iter(again._kept().values())) is drawn
    others = (FixedTable(deal("stat"), crowd(60, 3)), FixedTable(replace(deal("stat"), seed=9), mixed(60)))
    for other in others:
        next(iter(game.own(3, "first", [0])))
        release = next(iter(other.own(3, "first", [0])))
        monkeypatch.setattr(records, "_drawn", threading.local())
        assert same(next(iter(other.own(3, "first", [0]))), release)


@pytest.mark.parametrize("generator", ["privbayes", "synthpop:proper=True", "independent", "randomised_response"])
def test_a_random_fit_or_one_that_gives_no_row_up_is_made_each_time(generator: str) -> None:
    assert FixedTable(deal(generator), mixed(60)).settled is None


def test_whoever_stands_in_is_there_only_without_the_record() -> None:
    table, other = crowd(40, 10), crowd(1, 1, seed=9)
    game = FixedTable(deal(Copies(), 60), table, other)
    key = table.keys()
    copied = int(np.flatnonzero(table.numbers[:, 0] >= 90)[0])
    (out,) = game.own(copied, "first", [0])
    everyone = game.shared("first", [0])[0]
    assert holds(everyone, key[copied])
    assert not holds(out, key[copied])
    assert not holds(everyone, other.keys()[0])
    assert holds(out, other.keys()[0])


def test_releases_of_different_stages_and_sides_are_different() -> None:
    game = FixedTable(deal(), mixed(60))
    seen = [
        game.shared("shadow", [0])[0],
        game.shared("first", [0])[0],
        *game.own(0, "first", [0]),
        *game.own(1, "first", [0]),
    ]
    texts = {release.keys().tobytes() for release in seen}
    assert len(texts) == 4


def test_other_people_are_as_many_and_the_record_is_with_them() -> None:
    table, pool = crowd(20, 2), crowd(200, 2, seed=4)
    game = OtherPeople(deal(Copies(), 60), table, pool, False, Crowd.group(np.arange(200)), 20)
    row = int(np.flatnonzero(table.numbers[:, 0] >= 90)[0])
    (release,) = game.own(row, "first", [0])
    assert holds(release, table.keys()[row])
    assert len(game._people(19, "a")) == 19
    assert len(np.unique(game._people(19, "a").keys())) == 19


def of_rows(pool: Table, table: Table, *, auxiliary: bool) -> tuple[Table, Table | None]:
    """Where everybody has one row."""
    people = np.arange(len(pool)) + 1_000, np.arange(len(table))
    rng = np.random.default_rng(0)
    counted, known = population_of_people(pool, people[0], table, people[1], auxiliary=auxiliary, rng=rng)
    return counted[0], None if known is None else known[0]


def test_the_population_holds_nobody_of_the_table_and_no_one_twice() -> None:
    table, pool = marked([0, 1, 2], 9), marked([0, 3, 4, 4, 5, 6, 7, 8, 5], 9)
    counted, known = of_rows(pool, table, auxiliary=False)
    assert known is None
    assert sorted(counted.codes[:, 0].tolist()) == [3, 4, 4, 5, 5, 6, 7, 8]
    wide = marked([*range(3, 60)] * 2, 60)
    counted, known = of_rows(wide, marked([0, 1, 2], 60), auxiliary=True)
    assert known is not None
    assert not set(counted.codes[:, 0]) & set(known.codes[:, 0])
    with pytest.raises(DesignError, match="larger holdout"):
        of_rows(marked([3, 4], 9), table, auxiliary=False)


def test_the_line_looks_at_what_moves() -> None:
    """Two sets; the first counts 5 with the record and 3 without, the second is noise of the same mean."""
    rng = np.random.default_rng(0)

    def sums(level: float) -> CountSums:
        counts = np.column_stack([np.full(200, 10.0), level + rng.standard_normal(200), 50 + rng.standard_normal(200)])
        counts = np.column_stack([counts, np.zeros(200)])
        return CountSums(200, (counts.sum(axis=0),), ((counts**2).sum(axis=0),))

    line = WordWeights.learn(sums(5), sums(3))
    nothing, first, second, _ = line.worth[0]
    assert nothing == 0
    assert first > 0.4
    assert abs(second) < 1e-3
    assert line.cut == pytest.approx(4 * first + 50 * second, rel=0.1)


def test_a_release_of_another_size_is_refused() -> None:
    class Short:
        def sample(self, n: int, rng: np.random.Generator) -> Table:
            return mixed(n - 1)

    with pytest.raises(DesignError, match="public size"):
        deal().release(Short(), np.random.default_rng(0))


def test_streams_depend_on_nothing_but_their_names() -> None:
    """NEG5: every release of a game has a stream of its own, whatever else is played."""
    game = partial(FixedTable, deal())
    assert same(game(mixed(60)).shared("first", [1])[0], game(mixed(60)).shared("first", [1])[0])
    streams = {
        game(mixed(60)).deal.rng(*labels).integers(2**62)
        for labels in [("first", "in", 0), ("first", "out", 0, 0), ("first", "out", 0, 1), ("fresh", "in", 0)]
    }
    assert len(streams) == 4
