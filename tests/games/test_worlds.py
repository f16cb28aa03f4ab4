"""Two sources of worlds and two relations: who is in, who is never in, and what the attacker's own people are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Knowledge, Schema, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd, CrowdPopulation, WorldSource
from riskkit.games.membership import Design, Game
from riskkit.games.worlds import MADE, made_rows
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.people.persons import Persons
from tests.oracles import Bootstrap
from tests.tables import mixed, numeric
from tests.worlds import around, fixed_worlds, population, resampled_worlds

UNLIKE = mixed(400).rows(np.sort(np.unique(mixed(400).keys(), return_index=True)[1]))
TABLE, OTHERS = UNLIKE.rows(np.arange(200)), UNLIKE.rows(np.arange(200, 280))
"""200 people and 80 more, no two alike."""


def target(*rows: int) -> Targets:
    return Targets(np.array(rows), TABLE.rows(list(rows)))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def keys(table: Table) -> set[Any]:
    return set(table.keys().tolist())


def count(table: Table, row: Table) -> int:
    return int((table.keys() == row.keys()[0]).sum())


SOURCES: dict[tuple[str, str], Callable[[int], WorldSource]] = {
    ("fixed", "add-one"): lambda rows: fixed_worlds(TABLE, target(3), rows=rows, rng=rng()),
    ("fixed", "replace-one"): lambda rows: fixed_worlds(TABLE, target(3), rows=rows, relation="replace-one", rng=rng()),
    ("resampled", "add-one"): lambda rows: resampled_worlds(TABLE, target(3), rows=rows),
    ("resampled", "replace-one"): lambda rows: resampled_worlds(TABLE, target(3), rows=rows, relation="replace-one"),
}


@pytest.mark.parametrize(("worlds", "relation"), list(SOURCES))
def test_the_target_is_once_in_one_world_and_the_sizes_are_those_of_the_relation(worlds: str, relation: str) -> None:
    source: WorldSource = SOURCES[worlds, relation](50)
    for seed in range(5):
        inside, outside = source.draw(True, rng(seed)), source.draw(False, rng(seed))
        assert (count(inside, source.targets), count(outside, source.targets)) == (1, 0)
        assert (len(inside), len(outside)) == (50, 50 if relation == "replace-one" else 49)
        assert len(keys(outside) - keys(TABLE)) == 0
    assert source.rows == 50


@pytest.mark.parametrize("relation", ["add-one", "replace-one"])
def test_fixed_worlds_are_the_same_in_every_training_and_resampled_ones_are_not(relation: str) -> None:
    def drawn(source: WorldSource, is_in: bool) -> set[bytes]:
        return {source.draw(is_in, rng(seed)).keys().tobytes() for seed in range(10)}

    for is_in in (True, False):
        assert len(drawn(SOURCES["fixed", relation](50), is_in)) == 1
        assert len(drawn(SOURCES["resampled", relation](50), is_in)) == 10


def test_replaced_worlds_differ_in_the_target_and_its_stand_in_alone() -> None:
    worlds = fixed_worlds(TABLE, target(3), relation="replace-one", rng=rng())
    assert len(worlds.pos) == len(worlds.neg) == 199
    (gone,), (come,) = keys(worlds.pos) - keys(worlds.neg), keys(worlds.neg) - keys(worlds.pos)
    assert gone == TABLE.rows([3]).keys().tolist()[0]
    assert come in keys(TABLE)
    assert len(worlds.common) == 198
    assert come not in keys(worlds.common)


def test_all_the_data_is_in_a_fixed_world_where_no_rows_are_asked_for() -> None:
    plain, asked = fixed_worlds(TABLE, target(3)), fixed_worlds(TABLE, target(3), rows=200, rng=rng())
    assert (plain.pos.keys() == asked.pos.keys()).all()
    assert (plain.neg.keys() == asked.neg.keys()).all()


def test_everyone_of_the_pool_is_drawn_equally_often() -> None:
    """100 of 199 people a world: over 400 worlds each is in 201 of them, give or take four standard deviations."""
    source = resampled_worlds(TABLE, target(3), rows=101)
    place = {key: index for index, key in enumerate(source.pool.keys().tolist())}
    times = np.zeros(len(source.pool))
    for seed in range(400):
        times[[place[key] for key in source.draw(False, rng(seed)).keys().tolist()]] += 1
    share = 100 / 199
    assert (np.abs(times - 400 * share) <= 4 * np.sqrt(400 * share * (1 - share))).all()


def test_copies_of_the_target_are_in_no_world_and_not_with_the_attacker() -> None:
    table = TABLE.plus(TABLE.rows([3, 3, 7, 7]))
    people = population(table, None, 0.5, rng())
    data, own = around(people, target(3))
    assert own is not None
    worlds = resampled_worlds(data, target(3), rows=20)
    assert worlds.copies == 2
    assert count(worlds.pool, TABLE.rows([3])) == count(own, TABLE.rows([3])) == 0


@pytest.mark.parametrize("seed", range(8))
def test_no_record_is_both_the_attackers_and_in_a_world(seed: int) -> None:
    """KA13: equal rows are one record and lie on one side, however the people are split."""
    table = TABLE.plus(TABLE.rows(np.arange(100)))
    data, own = around(population(table, None, 0.4, rng(seed)), target(3))
    assert own is not None
    assert not keys(data) & keys(own)
    assert len(data) + len(own) == len(table)
    assert 0.3 * 200 < len(keys(own)) < 0.5 * 200


def test_a_split_by_row_would_put_copies_on_both_sides() -> None:
    """The fault planted: people split by row and not by record (M15)."""
    table = TABLE.plus(TABLE.rows(np.arange(100)))
    known = rng().random(len(table)) < 0.4
    data, own = around(CrowdPopulation(table, Crowd.group(np.arange(len(table))), known=known), target(3))
    assert own is not None
    assert keys(data) & keys(own)


def test_the_holdout_is_the_attackers_where_there_is_one_but_for_rows_that_are_in_the_table() -> None:
    holdout = OTHERS.plus(TABLE.rows([5, 6]))
    data, own = around(population(TABLE, holdout, 0.5, rng()), target(3))
    assert own is not None
    assert len(data) == 200
    assert len(own) == 80
    assert not keys(own) & keys(TABLE)


def played(source: WorldSource, auxiliary: bool = True) -> Game:
    own = resampled_worlds(OTHERS, target(3), rows=50) if auxiliary else None
    return Game(source, Bootstrap(), Design(10, 1, 40), 7, ("test",), own)


def test_the_attackers_own_releases_are_made_of_its_own_people() -> None:
    game = played(SOURCES["resampled", "add-one"](50))
    theirs, target_key = keys(OTHERS), TABLE.rows([3]).keys().tolist()[0]
    seen = [keys(game.shadows([(number, True, Knowledge.AUXILIARY)])[0]) for number in range(20)]
    assert all(release <= theirs | {target_key} for release in seen)
    assert any(target_key in release for release in seen)
    without = [keys(game.shadows([(number, False, Knowledge.AUXILIARY)])[0]) for number in range(20)]
    assert all(release <= theirs for release in without)
    brief = game.brief(Knowledge.AUXILIARY, {True: [], False: []}, 0)
    assert brief.data is None
    assert brief.reference is not None
    assert keys(brief.reference) == theirs


def test_shadows_of_both_kinds_and_counted_trainings_have_streams_of_their_own() -> None:
    """NEG5: no two trainings of a game share a random number, whatever they are for."""
    game = played(SOURCES["fixed", "add-one"](0))
    names: list[tuple[str | int, ...]] = [("trial", number) for number in range(40)]
    for side in ("in", "out"):
        names += [("shadow", side, number) for number in range(40)]
        names += [("shadow", "auxiliary", side, number) for number in range(40)]
    assert len({game.rng(*name).integers(2**63) for name in names}) == len(names)


def test_nobody_knows_every_other_row_of_resampled_worlds() -> None:
    game = played(SOURCES["resampled", "add-one"](50))
    with pytest.raises(DesignError, match="drawn anew"):
        game.brief(Knowledge.EXACT, {True: [], False: []}, 0)
    with pytest.raises(DesignError, match="drawn anew"):
        game.shadows([(0, True, Knowledge.EXACT)])
    with pytest.raises(DesignError, match="no auxiliary rows"):
        played(SOURCES["resampled", "add-one"](50), auxiliary=False).shadows([(0, True, Knowledge.AUXILIARY)])


def test_worlds_that_cannot_be_made_are_refused_with_a_sentence() -> None:
    with pytest.raises(DesignError, match="no room for anybody"):
        resampled_worlds(TABLE, target(3), rows=1)
    with pytest.raises(DesignError, match="need 300 rows of people"):
        fixed_worlds(TABLE, target(3), rows=301, rng=rng())
    with pytest.raises(DesignError, match="same record"):
        resampled_worlds(TABLE.plus(TABLE.rows([3])), Targets(np.array([3, 200]), TABLE.rows([3, 3])), rows=20)
    for share in (0.001, 0.999):
        with pytest.raises(DesignError, match="leaves nobody"):
            population(TABLE, None, share, rng())


# --------------------------------------------------------------------------------------------------------------
# Worlds that an adversary makes


def small() -> Table:
    """Six rows of two categories and a number; the first is the target. In columns they differ from it in 0 to 3."""
    codes = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [1, 2], [0, 1]])
    numbers = np.array([[5.0], [5.0], [5.0], [1.0], [2.0], [9.0]])
    columns = tuple(Column(name, Kind.CATEGORICAL, levels=("x", "y", "z")) for name in "ab")
    return Table(Schema((*columns, numeric("c", numbers[:, 0]))), codes, numbers)


def rows(table: Table) -> list[tuple[float, ...]]:
    return [(*codes, *numbers) for codes, numbers in zip(table.codes.tolist(), table.numbers.tolist(), strict=True)]


def test_made_rows_are_those_counted_by_hand() -> None:
    """The two copies of the target are left out; rows 3 and 4 differ from it in all three columns."""
    table = small()
    target = table.rows([0])
    assert rows(made_rows(table, target, "equal")) == [(1, 1, 1.0)] * 5
    assert rows(made_rows(table, target, "line")) == [(1, 1, number) for number in (1.0, 3.0, 5.0, 7.0, 9.0)]
    assert rows(made_rows(table, target, "canaries")) == [(1, 1, 1.0), (1, 2, 2.0)] * 2 + [(1, 1, 1.0)]
    with pytest.raises(DesignError, match="No row is left without the targets"):
        made_rows(target, target, "equal")


@pytest.mark.parametrize("how", MADE)
def test_a_made_world_holds_the_target_once_and_nobody_like_it(how: str) -> None:
    plan = MembershipPlan(generators=("bootstrap",), targets=("listed:rows=199",), worlds=how, rows=20)
    people, chosen = plan.people(TABLE), plan.choose(TABLE, plan.targets[0])
    worlds = plan.game(people, plan.cells()[0], chosen).worlds
    inside, outside = worlds.draw(True, rng()), worlds.draw(False, rng())
    assert (len(inside), len(outside)) == (20, 19)
    assert (count(inside, worlds.targets), count(outside, worlds.targets)) == (1, 0)
    assert worlds.copies == 0


def test_nothing_is_made_around_people_with_several_rows() -> None:
    plan = MembershipPlan(generators=("bootstrap",), worlds="equal")
    persons = Persons("person", np.arange(200) // 2, None)
    people = plan.people(TABLE, None, persons)
    with pytest.raises(DesignError, match="people with one row each"):
        plan.game(people, plan.cells()[0], plan.choose(TABLE, plan.targets[0], persons))
