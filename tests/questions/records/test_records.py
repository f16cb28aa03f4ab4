"""Playing the plan for many records: oracles, who is chosen, who is played again, workers, what is kept."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.plain import plain
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import forecast, play_table, run_records, whom_again
from riskkit.questions.records.result import RecordsResult, read, risks
from riskkit.questions.records.units import Campaign
from riskkit.stats.campaign import CampaignAucs, Many, p_above, records_above
from riskkit.stats.epsilon import epsilon_ceiling
from riskkit.stats.multiplicity import benjamini_hochberg
from tests.games.records import Copies, Counted, crowd, marked, tables
from tests.judged import judged, word
from tests.oracles import stand_beside
from tests.tables import mixed


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    extra: dict[str, dict[str, Any]] = {
        "generators": {"counted": Counted, "copies": Copies}, "attacks": {}, "targets": {},
        "released": {}, "inference": {}, "explained": {}, "inverters": {}, "defences": {},
    }  # fmt: skip
    stand_beside(monkeypatch, extra)


def small(**settings: Any) -> RecordsPlan:
    return RecordsPlan(**{"inside": 30, "outside": 30, "shadows": 15, "n_syn": 80, "again": 0, **settings})


def play(real: Table, holdout: Table | None = None, **settings: Any) -> Campaign:
    return play_table(tables(real, holdout), small(**settings))


def rows_of(campaign: Campaign) -> Any:
    """A row for each record, as it is kept."""
    return plain(campaign.records())


def auc(campaign: Campaign) -> tuple[float, float, float]:
    value, low, high = rows_of(campaign)[0]["auc"]
    return value, low, high


def listed(campaign: Campaign, limit: float | None = None) -> set[int]:
    """Rows that are listed above the limit, as pages and reports read the kept result."""
    result = RecordsResult.from_plain(json.loads(json.dumps(campaign.result().plain())))
    return {person.row for person in read(result, limit).listed}


def test_the_table_itself_gives_everybody_away_and_never_with_certainty() -> None:
    """KA1: AUC 1 with a lower end of .960 at 100 trainings, epsilon at its ceiling."""
    result = play(mixed(40), generator="identity", n_syn=40, inside=50, outside=50)
    for row in rows_of(result):
        if not row["copies"]:
            assert row["auc"][0] == 1.0
            assert row["auc"][1] == pytest.approx(0.960, abs=5e-4)
            assert row["epsilon"] == [pytest.approx(epsilon_ceiling(50, 50))] * 2
            assert row["row"] in listed(result)
            assert row["row"] in listed(result, 0.8)


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_randomised_response_has_the_risk_that_its_epsilon_gives(epsilon: float) -> None:
    """A1.2 with two others who answer too: the AUC of the number of answers, exactly."""
    keep = float(np.exp(epsilon) / (1 + np.exp(epsilon)))
    others = stats.binom(2, 1 - keep).pmf(range(3))
    inside, outside = (np.convolve(others, own) for own in ([1 - keep, keep], [keep, 1 - keep]))
    below = np.concatenate([[0], np.cumsum(outside)[:-1]])
    truth = float((inside * (below + outside / 2)).sum())
    assert truth < keep  # the others only help
    result = play(
        marked([1, 0, 0]),
        marked([0]),
        generator=f"randomised_response:epsilon={epsilon}",
        records="ids:0",
        relation="replace-one",
        n_syn=3,
        inside=800,
        outside=800,
        shadows=100,
    )
    assert abs(auc(result)[0] - truth) <= 4 * 0.0141
    assert rows_of(result)[0]["epsilon"][0] <= epsilon


@pytest.mark.parametrize(("sigma", "truth"), [(0.5, 0.9214), (1.0, 0.7602)])
def test_normal_releases_have_the_risk_of_the_closed_form(sigma: float, truth: float) -> None:
    """A1.1: R_MS = Phi(1 / (sqrt 2 sigma))."""
    name = f"counted:sigma={sigma}"
    result = play(marked([1, 0, 0, 0, 0]), generator=name, records="ids:0", n_syn=2000, inside=500, outside=500)
    assert abs(auc(result)[0] - truth) <= 4 * 0.0141


def test_the_traditional_game_adds_the_variance_of_other_people() -> None:
    """A1.1: R_T = Phi(1 / sqrt(2 (sigma^2 + v))), v the variance of how many of four other people have the mark.

    The line was learnt in this very table, and more rows agree with the record in either game where it is in.
    """
    rng = np.random.default_rng(5)
    marks = (rng.random(4000) < 0.25).astype(np.int32)
    schema = crowd(1).schema
    table = Table(schema, np.column_stack([np.append(marks, [1, 0, 0, 0, 0])] * 3), np.arange(4005.0)[:, None] % 90)
    real, pool = table.rows(np.arange(4000, 4005)), table.rows(np.arange(4000))
    result = play(
        real,
        pool,
        generator="counted:sigma=0.5",
        records="ids:0",
        n_syn=2000,
        inside=500,
        outside=500,
        traditional=500,
    )
    truth = float(stats.norm.cdf(1 / np.sqrt(2 * (0.25 + 4 * 0.25 * 0.75))))
    assert auc(result)[0] == pytest.approx(0.9214, abs=4 * 0.0141)
    assert rows_of(result)[0]["traditional"][0] == pytest.approx(truth, abs=4 * 0.018)


def test_of_a_generator_that_copies_ten_people_exactly_these_are_listed() -> None:
    """KA12 in small (100 people, 10 of them copied); a thousand in the slow campaign."""
    table = crowd(100)
    copied = set(np.flatnonzero(table.numbers[:, 0] >= 90).tolist())
    result = play(table, generator="copies", n_syn=100, inside=50, outside=50)
    assert copied <= listed(result)
    assert len(listed(result)) <= 12


def test_the_same_seed_gives_the_same_bytes_whatever_the_workers() -> None:
    everyone = mixed(330)
    real, holdout = everyone.rows(np.arange(30)), everyone.rows(np.arange(30, 330))
    plan = small(traditional=10, knowledge="auxiliary", again=3, certificate=True, screen=10)
    first, second = (
        json.dumps(run_records(tables(real, holdout), plan, workers=workers).plain(), sort_keys=True)
        for workers in (1, 2)
    )
    assert first == second
    assert first != json.dumps(run_records(tables(real, holdout), small(seed=2)).plain(), sort_keys=True)


def test_trainings_as_units_give_the_same_as_records_as_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit made each time, one unit of work a training, scores exactly like the fit that gives rows up."""
    from riskkit.games.records import FixedTable

    quick = play(mixed(25), generator="bayesnet").first
    monkeypatch.setattr(FixedTable, "settled", None)
    slow = play(mixed(25), generator="bayesnet").first
    np.testing.assert_array_equal(quick.inside, slow.inside)
    np.testing.assert_array_equal(quick.outside, slow.outside)


def test_numbers_of_chosen_records_come_from_fresh_trainings() -> None:
    result = play(mixed(25), again=4)
    assert len(result.again) == 4
    rows = rows_of(result)
    fresh = [row for row in rows if row["stage"] == "fresh"]
    assert len(fresh) == 4
    assert all(row["first_auc"] is not None and row["first_auc"] != row["auc"] for row in fresh)
    assert min(row["first_auc"][0] for row in fresh) >= max(row["auc"][0] for row in rows if row["stage"] == "first")


def test_a_first_look_plays_on_whoever_is_not_shown_to_be_below_the_limit() -> None:
    first = Many(
        np.array([[1.0] * 40, [0.0, 1.0] * 20, [0.0] * 40]), np.array([[0.0] * 40, [0.0, 1.0] * 20, [1.0] * 40])
    )
    assert whom_again(RecordsPlan(screen=40, again=1, screen_limit=0.5), first).tolist() == [0, 1]
    assert whom_again(RecordsPlan(screen=40, again=0, screen_limit=0.9), first).tolist() == [0]
    assert whom_again(RecordsPlan(again=0), first).tolist() == []


def test_of_a_first_look_only_those_played_on_can_be_listed() -> None:
    result = play(crowd(60, 6), generator="copies", screen=12, inside=40, outside=40, screen_limit=0.9)
    later = {row["row"] for row in rows_of(result) if row["stage"] == "fresh"}
    copied = set(np.flatnonzero(crowd(60, 6).numbers[:, 0] >= 90).tolist())
    assert [listed(result, limit) for limit in (0.8, 0.9)] == [copied, copied]
    assert copied <= later
    for limit in (0.5, 0.7, 0.9):
        p = risks(result.result()).p(limit)
        assert p[~np.isin(result.rows, list(later))].tolist() == [1.0] * (60 - len(later))


def test_the_list_at_any_limit_is_that_of_the_raw_scores() -> None:
    """What is kept of a record, an AUC with its variance, judges it by any limit as its scores would."""
    result = play(crowd(60, 6), generator="copies", again=5)
    for limit in (0.5, 0.6, 0.75, 0.9):
        right = result.rows[benjamini_hochberg(p_above(result.first, limit), 0.05)]
        assert listed(result, limit) == set(right.tolist()), limit
        counted = [records_above(CampaignAucs.measure(result.first), np.array([limit]), 0.95, drawn=0, total=60)[0]]
        counted.append(read(result.result(), limit).above)
        assert counted[0] == counted[1]
    screened = play(crowd(60, 6), generator="copies", screen=12, inside=40, outside=40, screen_limit=0.7)
    assert screened.fresh is not None
    for limit in (0.6, 0.8):
        p = np.ones(60)
        p[screened.again] = p_above(screened.fresh, limit)
        assert listed(screened, limit) == set(screened.rows[benjamini_hochberg(p, 0.05)].tolist())


@pytest.mark.parametrize("more", [{}, {"again": 5}, {"screen": 12, "screen_limit": 0.7}])
def test_a_limit_is_exceeded_exactly_where_somebody_is_listed(more: dict[str, Any]) -> None:
    result = play(crowd(60, 6), generator="copies", **more)
    shown = risks(result.result()).lows.max()
    assert 0.5 < shown < 1
    for limit in (shown - 1e-6, shown + 1e-6, 0.6, 0.7, 0.95):
        is_above = word(result.result().plain(), result.plan, limit) == "above the limit"
        assert is_above == bool(listed(result, limit)) == (limit < shown), limit
    assert (word(result.result().plain(), result.plan) == "leak shown") == bool(listed(result))


@pytest.mark.parametrize("more", [{}, {"again": 5}])
def test_the_interval_of_a_record_lies_above_a_limit_exactly_where_it_is_listed(more: dict[str, Any]) -> None:
    """So no interval says another thing than the mark, and the highest is the number that is judged."""
    result = play(crowd(60, 6), generator="copies", **more)
    people = read(result.result()).people
    ends = [person.auc.low for person in people if person.auc is not None and person.auc.low > 0.5]
    assert ends
    for limit in (0.5, *(end - 1e-9 for end in ends), *(end + 1 / 128 for end in ends)):
        own = {person.row for person in people if person.auc is not None and person.auc.low > limit}
        assert own == listed(result, limit), limit
    for person in people:
        assert person.auc is not None
        assert person.alone is not None
        assert person.auc.low <= person.auc.value <= person.auc.high
        assert person.auc.high >= person.alone.high or person.auc.value != person.alone.value
    ((finding, _),) = judged(result.result().plain(), result.plan)
    assert finding.measured.strongest is not None
    assert finding.measured.strongest.low == max(ends)


def test_that_fresh_trainings_show_less_takes_no_name_off_the_list_and_no_limit_back() -> None:
    """The list stands on the first look at everybody, and so does the number that is judged."""
    result = play(crowd(60, 6), generator="copies", again=10)
    kept = json.loads(json.dumps(result.result().plain()))
    for row in kept["records"]:
        if row["stage"] == "fresh":
            row["auc"] = [0.55, 0.45, 0.65]
    shown = risks(RecordsResult.from_plain(kept)).lows.max()
    ((finding, _),) = judged(kept, result.plan)
    strongest = finding.measured.strongest
    assert strongest is not None
    (own,) = (row for row in kept["records"] if str(row["row"]) == strongest.labels["record"])
    assert strongest.value == own["first_auc"][0] > strongest.low == shown > 0.65
    assert strongest.labels["stage"] == "first"
    for limit in (shown - 1e-6, shown + 1e-6):
        is_above = word(kept, result.plan, limit) == "above the limit"
        assert is_above == bool(read(RecordsResult.from_plain(kept), limit).listed) == (limit < shown)


def test_of_the_method_that_made_the_release_it_is_about_the_release_and_else_a_what_if() -> None:
    result = play(crowd(60, 6), generator="copies")
    kept, plan = result.result().plain(), result.plan
    about = [judged(kept, plan, made_by=made_by)[0][0].what_if for made_by in ("copies", "counted", "unknown")]
    assert about[0] == ""
    assert all(about[1:])


def test_a_sieve_plays_those_who_stand_out_and_some_of_the_others() -> None:
    table = crowd(300, 10)
    result = play(table, generator="copies", records="top:5+random:20", n_syn=100, inside=20, outside=20)
    rows = rows_of(result)
    assert [row["drawn"] for row in rows] == [False] * 5 + [True] * 20
    assert min(row["outlierness"] for row in rows[:5]) >= max(row["outlierness"] for row in rows[5:])
    (count,) = [e for e in result.overall if e.name == "records_above" and e.labels["limit"] == "0.8"]
    assert count.low <= 10 <= count.high
    assert "drawn of 295" in count.method


def test_those_of_the_highest_certificates_are_chosen_where_they_rank() -> None:
    table = mixed(40)
    settings = {"generator": "histogram", "certificate": True, "inside": 10, "outside": 10}
    every = [row["certificate"]["auc"][0] for row in rows_of(play(table, **settings))]
    top = play(table, records="top:3", rank="certificate", **settings)
    assert [row["certificate"]["auc"][0] for row in rows_of(top)] == pytest.approx(sorted(every, reverse=True)[:3])
    achilles = play(table, records="top:3", **settings)
    assert achilles.rows.tolist() != top.rows.tolist()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"records": "some"}, "top:100"),
        ({"records": "ids:3,3"}, "twice"),
        ({"records": "ids:99"}, "rows 0 to 24"),
        ({"records": "top:26"}, "has 25 rows"),
        ({"screen": 3}, "at least 5"),
        ({"traditional": 10}, "load a holdout"),
        ({"generator": "stat", "certificate": True}, "optimal-attack bound"),
        ({"generator": "stat", "records": "top:2", "rank": "certificate"}, "optimal-attack bound"),
    ],
)
def test_a_plan_that_cannot_be_played_says_why(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(DesignError, match=why):
        play(mixed(25), **settings)


def test_copies_of_a_record_are_said() -> None:
    table = mixed(20)
    result = play(table.plus(table.rows([0])), records="ids:0,1")
    assert result.copies.tolist() == [1, 0]
    assert "equal row" in result.notes[0]


def test_the_half_width_of_an_error_rate_is_said_by_its_name() -> None:
    """sqrt(log(2 / .05) / (2 N)) of the counted trainings of either side."""
    result = play(mixed(20), records="ids:0,1")
    inside, outside = (math.sqrt(math.log(40) / (2 * n)) for n in (result.plan.inside, result.plan.outside))
    (note,) = (note for note in result.notes if "Propositions 1 and 2" in note)
    assert f"misses lies within {inside:.4f} of the true one and the rate of false alarms within {outside:.4f}" in note


def test_progress_ends_with_everything_done() -> None:
    for generator in ("bayesnet", "synthpop:proper=True"):
        seen: list[tuple[int, int]] = []
        plan = small(generator=generator, records="ids:1,2", inside=5, outside=5, shadows=2, again=1)
        run_records(tables(mixed(25)), plan, progress=lambda p, seen=seen: seen.append((p.done, p.total)))
        assert seen[-1][0] == seen[-1][1], generator


def test_the_forecast_counts_trainings_and_says_what_can_be_seen() -> None:
    foreseen = forecast(tables(mixed(25)), small(again=2))
    assert foreseen.numbers["trainings"] == (15 + 30 + 30) + 25 * 45 + 2 * 45
    assert forecast(tables(mixed(25)), small()).numbers["trainings"] == (15 + 30) + 25 * 45
    assert foreseen.seconds > 0
    assert foreseen.numbers["records"] == 25
    assert 0.5 < foreseen.numbers["detectable_auc"] < foreseen.numbers["detectable_among"] < 1
