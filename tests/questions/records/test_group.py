"""A declared group of rows in Records: the game of a person who has these rows, without a column that names them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from riskkit import registry
from riskkit.errors import DesignError
from riskkit.plain import plain
from riskkit.questions.records import people as engine
from riskkit.questions.records.people import as_group
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import field_of, play_table, run_records
from riskkit.questions.records.result import RecordsResult, read
from riskkit.questions.records.words import group as group_sentence
from riskkit.questions.records.words import person_title
from tests.games.records import tables
from tests.judged import judged
from tests.questions.records.enumeration import FPR, of_record
from tests.questions.records.fuzzed import method, small
from tests.questions.records.tally import CLOSE
from tests.questions.records.test_people import PLAN, clusters, crowded, halves

GROUP = replace(PLAN, records="ids:7,3,30", together=True)


def alone(rows: int, group: list[int]) -> np.ndarray:
    """Everybody has a row of their own but those of the group, who are one person."""
    person = np.arange(rows) + 1_000
    person[group] = 7
    return person


@pytest.mark.parametrize("generator", ["histogram", "bayesnet", "stat", "copula", "privbayes"])
def test_a_group_is_played_as_one_person_who_has_its_rows(generator: str) -> None:
    real, holdout = halves(60, 200)
    plan = replace(GROUP, generator=generator, certificate=generator in ("histogram", "bayesnet"))
    group = play_table(tables(real, holdout), plan)
    person = replace(plan, records="ids:3", together=False)
    same = play_table(crowded(real, alone(60, [7, 3, 30]), holdout, np.arange(200)), person)
    assert np.array_equal(group.first.inside, same.first.inside)
    assert np.array_equal(group.first.outside, same.first.outside)
    assert plain(group.certificates) == plain(same.certificates)
    assert group.rows_each is not None
    assert (group.rows.tolist(), group.total, group.rows_each.tolist()) == ([3], 58, [3])
    assert group.several is not None
    assert (group.several.unit, group.several.most_rows) == ("group", 3)
    assert "3 rows were tested as one group" in group.notes[0]


@pytest.mark.parametrize("seed", range(20))
def test_a_world_without_the_group_is_fitted_to_the_other_rows_alone(seed: int) -> None:
    """The release of that world, byte by byte, is one of a method that never saw the group; on tables with ties."""
    rng = np.random.default_rng(seed)
    real = halves(int(rng.integers(8, 40)), 10)[0]
    rows = np.sort(rng.permutation(len(real))[: int(rng.integers(2, 6))])
    named = f"ids:{','.join(map(str, rng.permutation(rows)))}"
    method = ("histogram", "bayesnet", "copula")[seed % 3]
    plan = replace(PLAN, generator=method, records=named, together=True, seed=seed)
    dealt = as_group(tables(real), plan)
    crowd = engine.crowd_of(dealt)
    who = engine.people_asked(crowd, plan, np.zeros(len(real)), np.arange(len(real)))
    assert who.rows[0].tolist() == rows.tolist()
    game = field_of(dealt, plan, who).fixed_table
    release = next(game.own(who.rows[0], "first", [0]))
    fitted = registry.parse("generators", plan.generator).fit(real.without(rows), np.random.default_rng(1))
    own = fitted.sample(plan.n_syn, game.deal.rng("first", "out", int(rows[0]), 0))
    assert np.array_equal(release.keys(), own.keys())


@pytest.mark.parametrize("seed", range(40))
def test_the_certificate_of_a_group_is_what_all_releases_say(seed: int) -> None:
    table, (generator, released) = small(seed), method(seed)
    rng = np.random.default_rng(seed)
    if len(table) < 3:
        return
    rows = rng.permutation(len(table))[: int(rng.integers(2, min(4, len(table))))].tolist()
    best, n = of_record(generator, table, sorted(rows), released)
    plan = RecordsPlan(
        registry.spell(generator), f"ids:{','.join(map(str, rows))}", inside=5, outside=5, shadows=2, again=0,
        n_syn=n, fpr=FPR, certificate=True, together=True,
    )  # fmt: skip
    (record,) = run_records(tables(table), plan).records
    assert record.best is not None
    assert record.is_group
    if record.best.method.endswith("exact"):
        assert abs(record.best.auc.value - best.values[0]) < CLOSE
    else:
        assert record.best.auc.low - 1e-6 <= best.values[0] <= record.best.auc.high + 1e-6


def test_a_group_of_people_has_all_of_their_rows() -> None:
    real, holdout = halves(60, 100)
    person = clusters(60)
    joined = as_group(crowded(real, person, holdout, np.arange(100) + 100), GROUP)
    assert joined.persons is not None
    named = np.isin(person, person[[7, 3, 30]])
    assert len(np.unique(joined.persons.real[named])) == 1
    assert np.array_equal(joined.persons.real[~named], person[~named])
    assert not np.isin(joined.persons.real[named][0], joined.persons.real[~named])
    both = as_group(crowded(real, person, holdout, np.full(100, person[30])), GROUP)
    assert both.persons is not None
    assert set(both.persons.holdout_persons) == set(both.persons.real[named]), "whoever is in both is in the group"
    ungrouped = crowded(real, person)
    assert as_group(ungrouped, replace(GROUP, together=False)) is ungrouped


def test_what_is_no_group_is_refused() -> None:
    for more in ({"records": "ids:3"}, {"records": "top:5"}, {"relation": "replace-one"}, {"yearly": "20,60"}):
        with pytest.raises(DesignError, match="A group consists of two named rows"):
            replace(GROUP, **more)
    real, _ = halves(8, 4)
    with pytest.raises(DesignError, match="The group is the whole real table"):
        run_records(tables(real), replace(GROUP, records="ids:0,1,2,3,4,5,6,7"))
    with pytest.raises(DesignError, match="is not in the real table"):
        run_records(tables(real), replace(GROUP, records="ids:0,8"))


def test_a_group_is_spoken_of_as_a_group_and_never_as_a_person() -> None:
    real, holdout = halves(60, 200)
    result = run_records(tables(real, holdout), replace(GROUP, certificate=True, traditional=10))
    kept = RecordsResult.from_plain(json.loads(json.dumps(result.plain())))
    assert (kept.group, kept.records[0].is_group, kept.records[0].rows) == (3, True, 3)
    for limit in (None, 0.9):
        group_finding = read(kept, limit)
        sentence = f"{group_sentence(group_finding)} {person_title(group_finding.people[0])}"
        assert "The group of 3 rows is " in sentence
        assert "person" not in sentence
        assert "people" not in sentence
    ((finding, _),) = judged(result.plain(), result.plan, tables=tables(real, holdout))
    assert "one group of 3 rows" in str(finding.game)
    assert "attack on the group was computed: at most" in finding.measured.control.sentence
    assert finding.for_whom is None
    assert all("person" not in text for text in (finding.sentence, str(finding.game), str(finding.chart)))


def test_planted_fault_a_group_of_which_one_row_stays_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were one row of the group left in the world without it, neither numbers nor certificates would be those."""
    real, _ = halves(60, 10)
    plan = replace(GROUP, certificate=True)
    whole = play_table(tables(real), plan)
    honest = engine.as_group
    monkeypatch.setattr(
        "riskkit.questions.records.people.as_group",
        lambda files, own: honest(files, replace(own, records="ids:3,7")),
    )
    less = play_table(tables(real), plan)
    assert whole.certificates[0].auc.value > less.certificates[0].auc.value
    assert not np.array_equal(whole.first.outside, less.first.outside)
