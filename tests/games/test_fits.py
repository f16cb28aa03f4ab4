"""Trainings side by side: every game deals the worlds and the chance that it deals to trainings one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from riskkit.core import Brief, Fitted, Knowledge, Table, Targets
from riskkit.games import fits
from riskkit.games.crowd import Crowd
from riskkit.games.membership import Design, Game
from riskkit.games.records import Deal, FixedTable, OtherPeople
from tests.oracles import Bootstrap, ExactMatch
from tests.tables import mixed
from tests.worlds import fixed_worlds


@dataclass(frozen=True)
class Paired(Bootstrap):
    """Copies people at random; notes how many worlds it was given at a time."""

    seen: ClassVar[list[int]] = []

    @staticmethod
    def at_once() -> int:
        return 4

    def fit_together(self, tables: Sequence[Table], rngs: Sequence[np.random.Generator]) -> list[Fitted]:
        self.seen.append(len(tables))
        return [self.fit(table, rng) for table, rng in zip(tables, rngs, strict=True)]


@pytest.fixture(autouse=True)
def _nothing_seen() -> Iterator[None]:
    Paired.seen.clear()
    yield
    Paired.seen.clear()


def bytes_of(tables: Sequence[Table]) -> list[bytes]:
    return [table.codes.tobytes() + table.numbers.tobytes() for table in tables]


def game(generator: Bootstrap) -> Game:
    table = mixed(60)
    worlds = fixed_worlds(table, Targets(np.array([3]), table.rows([3])))
    return Game(worlds, generator, Design(trainings=10, generations=2, n_syn=40), 7, ("test",))


def test_a_generator_says_how_many_belong_side_by_side() -> None:
    assert isinstance(Paired(), fits.SideBySide)
    assert not isinstance(Bootstrap(), fits.SideBySide)
    assert (fits.batch_size(Paired()), fits.batch_size(Bootstrap())) == (4, 1)
    assert (game(Paired()).at_once, game(Bootstrap()).at_once) == (4, 1)


def test_releases_of_an_attacker_are_those_of_one_training_after_another() -> None:
    units = [(number, is_in, Knowledge.EXACT) for is_in in (True, False) for number in range(4)]
    together = game(Paired()).shadows(units)
    assert Paired.seen == [8]
    assert bytes_of(together) == bytes_of([game(Bootstrap()).shadows([unit])[0] for unit in units])
    assert len(set(bytes_of(together))) == 8


def test_counted_trainings_are_those_of_one_after_another() -> None:
    dealt, alone = game(Paired()), game(Bootstrap())
    trials = [(number, bool(side)) for number, side in enumerate(dealt.coin())]
    attacks = [ExactMatch().fit(Brief(dealt.worlds.targets), dealt.rng())]
    together = dealt.trials(trials, attacks)
    assert Paired.seen == [10]
    for trial, scores in zip(trials, together, strict=True):
        assert (scores == alone.trials([trial], attacks)).all()
    assert len({scores.tobytes() for scores in together}) > 1


@pytest.mark.parametrize("kind", [FixedTable, OtherPeople])
def test_releases_about_records_are_those_of_one_after_another(kind: type) -> None:
    def dealt(generator: Bootstrap) -> FixedTable | OtherPeople:
        deal, people = Deal(generator, 50, 1, ("here",)), mixed(260)
        table, pool = people.rows(np.arange(60)), people.rows(np.arange(60, 260))
        return (
            FixedTable(deal, table)
            if kind is FixedTable
            else OtherPeople(deal, table, pool, False, Crowd.group(np.arange(200)), 60)
        )

    together = [*dealt(Paired()).own(7, "first", range(3)), *dealt(Paired()).shared("first", range(4))]
    assert Paired.seen == [3, 4]
    alone = dealt(Bootstrap())
    each = [next(iter(alone.own(7, "first", [number]))) for number in range(3)]
    assert bytes_of(together) == bytes_of([*each, *(alone.shared("first", [number])[0] for number in range(4))])
    assert len(set(bytes_of(together))) == 7
