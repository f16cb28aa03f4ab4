"""The membership game where people have several rows: who is attacked, both worlds, and the score of a person."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson
from riskkit.games.crowd import AskedWorlds, TargetPeople, crowd_population
from riskkit.questions.membership.plan import Cell, MembershipPlan
from riskkit.questions.membership.play import forecast, run_membership
from riskkit.questions.membership.words import record
from riskkit.table.people.persons import Persons
from tests.questions.records.test_people import clusters
from tests.tables import mixed

PLAN = MembershipPlan(
    generators=("bootstrap",),
    targets=("random",),
    attacks=("neighbour",),
    trainings=20,
    generations=1,
    n_syn=60,
    control=False,
)


def both(plan: MembershipPlan, table: Table, persons: Persons, holdout: Table | None = None) -> tuple[Table, Table]:
    """The worlds with and without the first target."""
    chosen = plan.choose(table, plan.targets[0], persons)
    game = plan.game(plan.people(table, holdout, persons), Cell(plan.generators[0], plan.targets[0], 0), chosen)
    return game.worlds.draw(True, np.random.default_rng(1)), game.worlds.draw(False, np.random.default_rng(1))


def people_in(world: Table, table: Table, person: Ints) -> dict[int, int]:
    """How many rows of each person stand in that world, of a table without equal rows."""
    whose = dict(zip(table.keys().tolist(), person.tolist(), strict=True))
    out: dict[int, int] = {}
    for key in world.keys().tolist():
        out[whose[key]] = out.get(whose[key], 0) + 1
    return out


def different(rows: int) -> Table:
    """Rows that are all different."""
    table = mixed(rows * 3, missing=False)
    first = np.sort(np.unique(table.keys(), return_index=True)[1])
    assert len(first) >= rows
    return table.rows(first[:rows])


@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
@pytest.mark.parametrize("relation", ["add-one", "replace-one"])
def test_worlds_hold_whole_people(worlds: str, relation: str) -> None:
    table, person = different(120), clusters(120, 3)
    persons = Persons("who", person)
    plan = replace(PLAN, relation=relation)
    chosen = plan.choose(table, "random", persons)
    assert isinstance(chosen, TargetPeople)
    (target,) = set(person[chosen.index].tolist())
    made = both(plan, table, persons)
    if worlds == "resampled":
        drawn = crowd_population(table, person).resample(chosen, 60, relation, OfPerson.MEAN)
        made = drawn.draw(True, np.random.default_rng(1)), drawn.draw(False, np.random.default_rng(1))
    inside, outside = (people_in(world, table, person) for world in made)
    sizes = dict(zip(*(part.tolist() for part in np.unique(person, return_counts=True)), strict=True))
    assert inside[target] == sizes[target]
    assert target not in outside
    for world in (inside, outside):
        assert all(sizes[own] == rows for own, rows in world.items())
    if relation == "add-one":
        assert outside == {own: rows for own, rows in inside.items() if own != target}
    else:
        (stand_in,) = set(outside) - set(inside)
        assert set(inside) - set(outside) == {target}
        others = [rows for own, rows in sizes.items() if own != target]
        assert abs(sizes[stand_in] - sizes[target]) == min(abs(rows - sizes[target]) for rows in others)
    if worlds == "resampled":
        assert 60 - 6 < sum(inside.values()) <= 60


def test_people_are_chosen_and_by_lot_each_as_likely() -> None:
    """One person has 40 of 60 rows: by rows they would be drawn first in two of three games."""
    table = different(60)
    person = np.array([0] * 40 + list(range(1, 21)))
    persons = Persons("who", person)
    drawn = [replace(PLAN, seed=seed).choose(table, "random", persons) for seed in range(200)]
    share = float(np.mean([0 in person[target.index] for target in drawn]))
    assert share < 0.15
    plan = replace(PLAN, k=3)
    top = plan.choose(table, "selective", persons)
    assert isinstance(top, TargetPeople)
    by_row = replace(PLAN, k=60).choose(table, "selective").index
    wanted = list(dict.fromkeys(person[by_row].tolist()))[:3]
    assert person[top.first].tolist() == wanted
    assert [len(top.single(index)) for index in range(3)] == [int((person == who).sum()) for who in wanted]
    listed = replace(PLAN, targets=("listed:rows=3+45",)).choose(table, "listed:rows=3+45", persons)
    assert isinstance(listed, TargetPeople)
    assert listed.first.tolist() == [0, 45]
    with pytest.raises(DesignError, match="Two of the rows that are named are of one person"):
        PLAN.choose(table, "listed:rows=3+5", persons)
    with pytest.raises(DesignError, match="and the real table has 21 people who differ"):
        replace(PLAN, k=22).choose(table, "selective", persons)


@pytest.mark.parametrize("target", ["selective", "vulnerable"])
@pytest.mark.parametrize("seed", range(5))
def test_a_person_stands_out_by_the_sum_of_their_rows_or_by_the_one_that_does_most(target: str, seed: int) -> None:
    table, person = mixed(150, seed), clusters(150, seed)  # with equal rows, and ties
    standing = registry.parse("targets", target).standing(table)
    bags: dict[tuple[bytes, ...], list[int]] = {}
    for who in dict.fromkeys(person.tolist()):
        rows = np.flatnonzero(person == who)
        bags.setdefault(tuple(sorted(table.keys()[rows].tolist())), rows.tolist())
    sums = sorted(bags.values(), key=lambda rows: (-round(sum(standing[row] for row in rows), 9), rows[0]))
    highest = sorted(range(len(table)), key=lambda row: (-standing[row], row))
    plan = replace(PLAN, targets=(target,), k=4)
    chosen = plan.choose(table, target, Persons("who", person))
    assert list(dict.fromkeys(person[chosen.index].tolist())) == [person[rows[0]] for rows in sums[:4]]
    by_row = replace(plan, stands_out="row").choose(table, target, Persons("who", person))
    assert next(iter(dict.fromkeys(person[by_row.index].tolist()))) == person[highest[0]]
    alone = np.arange(len(table))
    assert plan.choose(table, target, Persons("who", alone)).index.tolist() == (
        plan.choose(table, target).index.tolist()
    ), "with one row a person nothing changes"


def test_more_people_than_differ_are_refused() -> None:
    table = mixed(30).rows(np.zeros(60, dtype=np.int64))
    plan = replace(PLAN, targets=("selective",), k=2)
    with pytest.raises(DesignError, match="1 people who differ"):
        plan.choose(table, "selective", Persons("who", np.arange(60) // 2))


def test_a_score_of_a_person_by_hand() -> None:
    values = np.array([[[1.0, 3, -2, 0, 4]]])
    asked = TargetPeople(np.arange(5), mixed(5), np.array([0, 0, 1, 1, 1]))
    assert AskedWorlds(asked, OfPerson.MEAN, 0).scores(values).tolist() == [[(2 + 2 / 3) / 2]]
    assert AskedWorlds(asked, OfPerson.BEST, 0).scores(values).tolist() == [[3.5]]
    assert AskedWorlds(asked, OfPerson.SUM, 0).scores(values).tolist() == [[3.0]]


def test_mean_and_sum_order_releases_alike_for_one_person_and_best_does_not() -> None:
    table, persons = different(60), Persons("who", np.arange(60) // 3)
    scores = {
        how: run_membership(table, replace(PLAN, of_person=how), None, persons).findings[0].scores.value
        for how in ("mean", "best", "sum")
    }
    np.testing.assert_allclose(scores["sum"], 3 * scores["mean"])
    assert not np.allclose(scores["best"], scores["mean"])
    assert (scores["best"] >= scores["mean"]).all()


def test_people_with_the_same_rows_are_in_no_world() -> None:
    base = different(40)
    table = base.rows([0, 1, 1, 0, *range(2, 40)])
    person = np.array([0, 0, 1, 1, *(2 + np.arange(38) // 2)])
    plan = replace(PLAN, targets=("listed:rows=0",))
    inside, outside = both(plan, table, Persons("who", person))
    assert (len(inside), len(outside)) == (40, 38)
    result = run_membership(table, plan, None, Persons("who", person))
    assert any("1 other person has the same rows as person 0" in note for note in result.notes)


@pytest.mark.parametrize("held", [True, False])
def test_an_attacker_who_knows_other_people_knows_none_of_a_counted_world(held: bool) -> None:
    whole = different(240)
    table, holdout = whole.rows(np.arange(120)), whole.rows(np.arange(100, 240))
    person = clusters(120, 5)
    others = np.concatenate([person[100:], 1_000 + clusters(120, 6)])
    persons = Persons("who", person, others if held else None)
    plan = replace(PLAN, attacks=("groundhog:own=5",), knowledge="auxiliary", worlds="resampled")
    chosen = plan.choose(table, "random", persons)
    people = plan.people(table, holdout if held else None, persons)
    game = plan.game(people, Cell("bootstrap", "random", 0), chosen)
    assert game.auxiliary is not None
    theirs = set(game.auxiliary.pool.keys().tolist())
    counted = set(game.worlds.pool.keys().tolist())  # type: ignore[union-attr]
    assert not theirs & counted
    whose = dict(zip(table.keys().tolist(), person.tolist(), strict=True))
    if held:
        assert not theirs & set(table.keys().tolist())
    else:
        assert not {whose[key] for key in theirs} & {whose[key] for key in counted}
    run_membership(table, plan, holdout if held else None, persons)


def test_a_result_says_people_and_what_a_forecast_takes() -> None:
    table, persons = different(60), Persons("who", np.arange(60) // 3)
    plan = replace(PLAN, k=2, control=True)
    result = run_membership(table, plan, None, persons)
    settings = result.plain()["settings"]
    assert (settings["unit"], settings["most_rows"], settings["of_person"]) == ("person", 3, "mean")
    labels = [record(outcome.labels) for outcome in result.outcomes]
    assert all(text.startswith("person ") for text in labels)
    assert len(labels) == 2
    assert forecast(table, plan, None, persons).numbers["trainings"] == plan.total_trainings()
    together = run_membership(table, replace(plan, together=True), None, persons)
    (group,) = together.outcomes
    assert record(group.labels).startswith("people ")


def test_one_row_a_person_is_the_game_of_rows() -> None:
    """The way of people, where each has one row but for the holdout, gives the same targets and worlds as rows."""
    table, holdout = different(90).rows(np.arange(60)), different(90).rows(np.arange(60, 90))
    plan = replace(PLAN, targets=("selective",), k=2)
    persons = Persons("who", np.arange(60), 100 + np.arange(30) // 2)
    rows, people = run_membership(table, plan, holdout), run_membership(table, plan, holdout, persons)
    for finding, other in zip(rows.findings, people.findings, strict=True):
        assert finding.labels["record"] == other.labels["record"]
        assert np.array_equal(finding.scores.value, other.scores.value)


def test_leaving_one_row_out_hides_who_is_seen_with_all_of_them() -> None:
    """Six equal rows of one person: without one of them a release looks the same, without all it does not."""
    base = different(54)
    table = base.plus(base.rows([3] * 6))
    person = np.array([*range(54), *[99] * 6])
    plan = replace(PLAN, targets=("listed:rows=57",), trainings=60, attacks=("likelihood",))
    whole = run_membership(table, plan, None, Persons("who", person)).estimates
    auc = next(estimate for estimate in whole if estimate.name == "auc")
    assert auc.low > 0.8
