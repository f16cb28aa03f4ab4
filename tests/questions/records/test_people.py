"""The game for every person, where people have several rows: worlds, who is asked about, and what is said of them."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Ints, Table
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd, population_of_people
from riskkit.questions.records.people import crowd_of, people_asked, play_tables
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import field_of, forecast, play_table, run_records
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from tests.games.records import tables
from tests.tables import mixed

PLAN = RecordsPlan("histogram", inside=20, outside=20, shadows=10, again=0, n_syn=40)


def crowded(real: Table, person: Ints, holdout: Table | None = None, others: Ints | None = None) -> Tables:
    """Tables whose rows belong to these people."""
    return replace(tables(real, holdout), persons=Persons("who", person, others))


def halves(rows: int, others: int, *, missing: bool = True) -> tuple[Table, Table]:
    """A table of so many rows and one of other rows, of one schema."""
    table = mixed(rows + others, missing=missing)
    return table.rows(np.arange(rows)), table.rows(np.arange(rows, rows + others))


def clusters(rows: int, seed: int = 0, most: int = 6) -> Ints:
    """Whose each row is: people of one to so many rows, in no order."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, size=rows)
    return rng.permutation(np.repeat(np.arange(rows), sizes)[:rows])


def test_a_crowd_counted_by_hand() -> None:
    crowd = Crowd.group(np.array([7, 3, 7, 9, 3, 7]))
    assert len(crowd) == 3
    assert crowd.person.tolist() == [0, 1, 0, 2, 1, 0]
    assert crowd.first.tolist() == [0, 1, 3]
    assert crowd.sizes.tolist() == [3, 2, 1]
    assert [crowd.own(index).tolist() for index in range(3)] == [[0, 2, 5], [1, 4], [3]]
    assert crowd.total(np.array([1.0, 5, 4, 2, 3, 0])).tolist() == [5, 8, 2]
    assert crowd.rows(np.array([2, 1])).tolist() == [1, 3, 4]


def test_people_of_one_row_each_have_the_numbers_of_rows() -> None:
    """The way of people, taken where every person of the real table has one row, gives what the way of rows gives."""
    real, holdout = halves(60, 200)
    plan = replace(PLAN, records="top:4+random:6", again=3, certificate=True)
    rows = play_table(tables(real, holdout), plan)
    people = play_table(crowded(real, np.arange(60) + 5, holdout, np.arange(200) // 2 + 100), plan)
    assert np.array_equal(rows.rows, people.rows)
    assert np.array_equal(rows.first.inside, people.first.inside)
    assert np.array_equal(rows.first.outside, people.first.outside)
    assert list(rows.certificates) == list(people.certificates)
    assert rows.copies.tolist() == people.copies.tolist()


def test_a_world_without_a_person_has_none_of_their_rows() -> None:
    """Releases by a method that puts its table out as it is: the rows that are missing are the person's."""
    real, person = mixed(30, missing=False), clusters(30)
    files = crowded(real, person)
    plan = replace(PLAN, generator="bootstrap", n_syn=3_000)
    crowd = crowd_of(files)
    who = people_asked(crowd, plan, np.zeros(30), np.arange(30))
    field = field_of(files, plan, who)
    keys = real.keys()
    for index in range(len(crowd)):
        gone = set(keys[person == person[who.first[index]]].tolist()) - set(
            keys[person != person[who.first[index]]].tolist()
        )
        release = next(field.fixed_table.own(who.rows[index], "first", [0]))
        assert not gone & set(release.keys().tolist())
        assert set(release.keys().tolist()) == set(keys.tolist()) - gone


def test_rows_by_number_stand_for_their_people_and_people_are_counted() -> None:
    real, person = mixed(60), np.arange(60) // 3
    crowd = crowded(real, person)
    result = run_records(crowd, replace(PLAN, records="ids:4,5,30", certificate=True))
    assert [(person.row, person.rows) for person in result.records] == [(3, 3), (30, 3)]
    assert result.total == 20
    kept = result.plain()
    assert kept["settings"]["unit"] == "person"
    assert kept["settings"]["most_rows"] == 3
    assert any(
        "2 people were tested, each in or out with all of their rows, 3 at most" in note for note in kept["notes"]
    )
    everybody = run_records(crowd, PLAN)
    assert len(everybody.records) == 20
    with pytest.raises(DesignError, match="30 people were asked for; the real table has 20"):
        run_records(crowd, replace(PLAN, records="random:30"))
    assert forecast(crowd, PLAN).numbers["records"] == 20


def test_who_stands_out_does_so_by_the_sum_of_their_rows() -> None:
    real, person = mixed(60), np.arange(60) // 3
    files = crowded(real, person)
    crowd = crowd_of(files)
    order = np.zeros(60)
    order[[44, 7, 6, 20]] = 2, 1, 0.5, 1.4
    assert people_asked(crowd, replace(PLAN, records="top:2"), order, np.arange(60)).first.tolist() == [42, 6]
    ranked = replace(PLAN, generator="bootstrap", records="top:1", rank="certificate")
    many = crowded(real, np.repeat([0, 1, 2], [1, 30, 29]))
    assert [person.row for person in run_records(many, ranked).records] == [1]


def test_one_person_alone_is_refused() -> None:
    with pytest.raises(DesignError, match="All rows of the real table are of one person"):
        run_records(crowded(mixed(20), np.zeros(20, dtype=np.int64)), PLAN)


def test_people_with_the_same_rows_are_copies_and_nobodys_stand_in() -> None:
    """Persons 0 and 1 have the same two rows; the holdout has them too, and one person of the real table."""
    base = mixed(160, missing=False)
    real = base.rows([0, 1, 1, 0, *range(2, 40)])
    person = np.array([0, 0, 1, 1, *(2 + np.arange(38) // 2)])
    result = run_records(crowded(real, person), PLAN)
    assert [person.copies for person in result.records] == [1, 1, *[0] * 19]
    assert any("2 of 21 people have the same rows as somebody" in note for note in result.notes)
    pool = base.rows(np.arange(40, 160))
    held = pool.plus(base.rows([1, 0, 7, 8]))
    others = np.array([*(100 + np.arange(120) // 2), 500, 500, 3, 3])
    (left, crowd), known = population_of_people(
        held, others, real, person, auxiliary=True, rng=np.random.default_rng(0)
    )
    assert known is not None
    mine, theirs = (set(table.keys().tolist()) for table in (left, known[0]))
    assert len(crowd) + len(known[1]) == 60
    assert base.keys()[[7, 8]].tolist()[0] not in (mine | theirs) - set(pool.keys().tolist())


def test_the_game_of_other_people_draws_whole_people() -> None:
    real, holdout = halves(40, 300, missing=False)
    others = clusters(300, 4) + 1_000
    files = crowded(real, clusters(40, 2), holdout, others)
    plan = replace(PLAN, records="random:3", traditional=5, knowledge="auxiliary")
    crowd = crowd_of(files)
    who = people_asked(crowd, plan, np.zeros(40), np.arange(40))
    field = field_of(files, plan, who)
    game = field.games["traditional"]
    world = game._people(10, "first", "in", 0)  # type: ignore[union-attr]
    keys, alone = holdout.keys().tolist(), dict.fromkeys(holdout.keys().tolist(), 0)
    for key in keys:
        alone[key] += 1
    drawn = {
        own
        for key, own in zip(keys, others.tolist(), strict=True)
        if alone[key] == 1 and key in set(world.keys().tolist())
    }
    assert 8 <= len(drawn) <= 10
    inside = {key for key, own in zip(keys, others.tolist(), strict=True) if own in drawn}
    assert inside <= set(world.keys().tolist())
    run_records(files, plan)


def test_a_table_that_is_drawn_holds_whole_people() -> None:
    real, person = mixed(120), clusters(120, 1)
    crowd = crowded(real, person)
    plan = replace(PLAN, records="ids:9", people=12, traditional=20)
    drawn, rows = play_tables(crowd, plan)
    assert rows[: (person == person[9]).sum()].tolist() == np.flatnonzero(person == person[9]).tolist()
    inside = set(person[rows].tolist())
    assert len(inside) == 12
    assert sorted(np.flatnonzero(np.isin(person, list(inside))).tolist()) == sorted(rows.tolist())
    assert drawn.persons is not None
    assert not set(drawn.persons.real.tolist()) & set(drawn.persons.holdout_persons.tolist())
    run_records(crowd, plan)


@pytest.mark.parametrize("generator", ["bayesnet", "privbayes", "stat"])
def test_every_kind_of_fit_is_played(generator: str) -> None:
    crowd = crowded(mixed(60, missing=False), clusters(60))
    result = run_records(crowd, replace(PLAN, generator=generator, records="random:2", inside=5, outside=5, shadows=2))
    assert len(result.records) == 2
    assert registry.parse("generators", generator).name == generator


def test_a_person_of_many_rows_is_seen_where_each_row_is_hidden() -> None:
    """Nine equal rows among sixty: each has eight copies beside it, and all together are a tenth of the table."""
    real = mixed(51, missing=False)
    many = real.plus(real.rows([3] * 9))
    person = np.array([*range(51), *[99] * 9])
    plan = replace(PLAN, generator="bootstrap", inside=60, outside=60, shadows=30, n_syn=60, certificate=True)
    of_person = play_table(crowded(many, person), replace(plan, records="ids:55"))
    of_row = play_table(tables(many), replace(plan, records="ids:55"))
    assert of_person.certificates[0].auc.value > 0.99
    assert of_row.certificates[0].auc.value < 0.65
    assert of_person.stages["first"].intervals["auc"][0][0] > 0.95


def test_of_a_table_that_is_drawn_the_named_people_are_asked_about_with_all_their_rows() -> None:
    real, person = mixed(200), np.arange(200) // 2
    plan = replace(PLAN, records="ids:150,40", people=40)
    result = run_records(crowded(real, person), plan)
    assert [(each.row, each.rows) for each in result.records] == [(150, 2), (40, 2)]
    assert result.total == 40
    assert forecast(crowded(real, person), plan).numbers["records"] == 2
