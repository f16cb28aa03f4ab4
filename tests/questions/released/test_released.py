"""Auditing a released file end to end: verdicts, controls, order, workers, what is kept."""

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from riskkit import registry
from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.judging.measurement import Control, Judgement, Verdict
from riskkit.questions.released import findings as released_findings
from riskkit.questions.released.plan import SUITE, ReleasedPlan, control, forecast_released
from riskkit.questions.released.play import run_released
from riskkit.questions.released.result import ReleasedResult
from riskkit.table.load import Tables, load
from riskkit.table.points import RowPoints
from riskkit.table.read.csv_text import read_csv
from tests.games.test_released import wide
from tests.judged import judged, judgement_of
from tests.points import Nearness
from tests.tables import mixed

PLAN = ReleasedPlan(attacks=("dcr",))
LIMIT = 0.55


@dataclass(frozen=True)
class Coin(Nearness):
    """An attack that looks at nothing."""

    name: ClassVar[str] = "coin"

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return rng.standard_normal(len(targets))


def files(real: Table, synthetic: Table | None, holdout: Table | None) -> Tables:
    return Tables(real, synthetic, holdout, real.schema, (), ())


def apart(n: int = 400, seed: int = 1) -> Tables:
    """A release of other people: nothing leaks."""
    return files(*wide(n, seed))


def copied(share: float, n: int = 400, seed: int = 1) -> Tables:
    """A release in which that share are real rows."""
    real, other, holdout = wide(n, seed)
    k = int(share * n)
    return files(real, real.rows(slice(k)).plus(other.rows(slice(n - k))), holdout)


def text(tables: Tables, plan: ReleasedPlan = PLAN) -> str:
    return json.dumps(run_released(tables, plan).plain(), sort_keys=True)


def asked(tables: Tables, plan: ReleasedPlan = PLAN, limit: float | None = LIMIT) -> Judgement:
    return judgement_of(run_released(tables, plan).plain(), plan, limit)


def word(tables: Tables, plan: ReleasedPlan = PLAN, limit: float | None = LIMIT) -> str:
    return str(asked(tables, plan, limit).verdict)


def test_a_release_of_real_rows_is_a_leak_and_says_how_large() -> None:
    result = run_released(copied(1.0), PLAN).plain()
    ((finding, judgement),) = judged(result, PLAN)
    assert (str(judgement.verdict), finding.what_if) == ("leak shown", "")
    assert judgement_of(result, PLAN, LIMIT).verdict is Verdict.ABOVE
    assert finding.measured.strongest is not None
    assert finding.measured.strongest.labels["attack"] == "dcr"
    assert finding.measured.strongest.value == 1.0
    assert "[" in judgement.why


def test_no_leak_is_said_only_above_what_the_plan_named_and_with_the_control_found() -> None:
    tables, plan = apart(2000), replace(PLAN, attacks=("dcr", "density"))
    kept = run_released(tables, plan).plain()
    assert all(control["auc"]["low"] > LIMIT for control in kept["control"])
    ((finding, judgement),) = judged(kept, plan, LIMIT)
    assert str(judgement.verdict) == "within the limit"
    assert finding.measured.widest is not None
    assert finding.measured.widest.high < LIMIT
    assert judgement_of(kept, plan, 0.501).code == "interval_holds_limit"
    assert judgement_of(kept, plan).code == "no_limit"  # without one no absence is shown
    assert asked(apart(100)).code == "interval_holds_limit"  # too few records to rule anything out


def moved(step: float, n: int = 1000) -> Tables:
    """The real rows, ten numbers each, all moved by the same step."""
    rng = np.random.default_rng(1)
    real, holdout = rng.standard_normal((2, n, 10))
    every = np.vstack([real, holdout, real + step])
    schema = Schema(
        tuple(
            Column(f"x{index}", Kind.NUMERIC, low=low, high=high, mean=0.0, sd=1.0, decimals=9)
            for index, (low, high) in enumerate(zip(every.min(axis=0), every.max(axis=0), strict=True))
        )
    )
    parts = [Table(schema, np.empty((n, 0), dtype=np.int32), values) for values in (real, real + step, holdout)]
    return files(*parts)


def test_a_copy_that_was_moved_is_not_called_free_of_a_leak() -> None:
    """KA11: the nearest rows of people who were in are as far as those of others; who undoes the step knows all."""
    tables = moved(3.0 / np.sqrt(10))
    limit = 0.56
    played = run_released(tables, PLAN)
    result = played.as_dict()
    (auc,) = [estimate for estimate in result["estimates"] if estimate["name"] == "auc"]
    assert result["control"][0]["auc"]["low"] > limit
    assert auc["low"] < 0.5 < auc["high"] < limit, "the twin that goes by this alone would say that there is no leak"
    judgement = judgement_of(played.plain(), PLAN, limit)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")
    assert "describe a release without judging it" in judgement.why
    assert tables.holdout is not None
    assert tables.synthetic is not None
    back = Table(tables.schema, tables.real.codes, tables.synthetic.numbers - 3.0 / np.sqrt(10))
    undone = run_released(files(tables.real, back, tables.holdout), PLAN).as_dict()
    assert next(e["value"] for e in undone["estimates"] if e["name"] == "auc") == 1.0


def test_an_attack_that_finds_nothing_planted_shows_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, {"coin": Coin})
    plan = ReleasedPlan(attacks=("coin",))
    result = run_released(apart(1500), plan)
    (planted,) = result.control
    assert planted.auc is not None
    assert "lacks power on this data" in control("coin", planted.auc, planted.planted, LIMIT)
    judgement = judgement_of(result.plain(), plan, LIMIT)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")
    assert "planted" in judgement.why


def test_each_attack_is_asked_about_what_it_is_there_to_see_and_the_weakest_kind_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Values were planted for the attack on values, and rows for the other; a coin in place of either is no control."""
    plan = ReleasedPlan(attacks=("collision", "values"))
    result = run_released(apart(1500), plan)
    rows, values = result.control
    assert (rows.kind, values.kind) == ("rows", "values")
    assert "slightly changed copies" in rows.planted
    assert "each column in another order" in values.planted
    assert rows.auc is not None
    assert values.auc is not None
    assert min(rows.auc.low, values.auc.low) > 0.6
    assert judgement_of(result.plain(), plan, 0.6).verdict is Verdict.WITHIN
    blind = {"collision": registry.plugins("released")["collision"], "coin": CoinOnValues}
    _only(monkeypatch, blind)
    plan = ReleasedPlan(attacks=("collision", "coin"))
    missed = judgement_of(run_released(apart(1500), plan).plain(), plan, 0.6)
    assert (missed.verdict, missed.code) == (Verdict.UNDECIDED, "control_missed")


def test_where_values_name_nobody_rows_alone_are_planted() -> None:
    """Of four columns of few values nobody has one of his own, so an attack on values has nothing to find."""
    plan = ReleasedPlan(attacks=("classifier", "values"))
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Column(name, Kind.CATEGORICAL, levels=tuple("abcdef")) for name in "vwxy"))
    three = [Table(schema, rng.integers(0, 6, (400, 4)), np.empty((400, 0))) for _ in range(3)]
    control = next((each for each in run_released(files(*three), plan).control if each.attack == "values"), None)
    assert control is not None
    assert control.auc is None
    assert control.why.startswith("Too few people have a value that nobody else has")


@dataclass(frozen=True)
class CoinOnValues(Coin):
    """One that says it looks at values."""

    looks_for: ClassVar[str] = "values"


def _only(monkeypatch: pytest.MonkeyPatch, there: dict[str, type]) -> None:
    """A room of attacks that holds these plug-ins alone."""
    whole = registry.plugins
    monkeypatch.setattr(registry, "plugins", lambda room: there if room == "released" else whole(room))


def test_a_mutant_that_ignores_the_control_would_say_no_leak_of_a_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, {"coin": Coin})
    monkeypatch.setattr(released_findings, "_control", lambda *_: Control(True, 1.0, ""))
    plan = ReleasedPlan(attacks=("coin",))
    assert word(apart(1500), plan) == "within the limit"


def shifted(tables: Tables, step: float = 0.4) -> Tables:
    """Real people of another year than the holdout, and a release that leaks nothing but the year."""
    moved = [Table(t.schema, t.codes, t.numbers + step) for t in (tables.real, tables.synthetic)]  # type: ignore[union-attr]
    return files(moved[0], moved[1], tables.holdout)


def test_sides_that_differ_without_the_release_block_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    played = run_released(shifted(apart(1000)), PLAN)
    result = played.as_dict()
    auc = result["estimates"][0]
    assert auc["name"] == "auc"
    assert auc["low"] > 0.5  # the year alone looks like membership
    assert result["together"]["each"][0]["p"] < 0.01
    assert result["blind"]["apart"]
    assert result["blind"]["auc"]["low"] > 0.5
    for limit in (None, LIMIT, 0.9):
        judgement = judgement_of(played.plain(), PLAN, limit)
        assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "sides_differ")
    assert "without the release" in judgement.why
    assert result["blind"]["p"] == 1 / (result["blind"]["permutations"] + 1)
    (each,) = result["together"]["each"]
    assert each["beyond"]["high"] < 0.5, "the attack is worse than the one who never saw the release"
    whole = ReleasedResult.from_plain
    monkeypatch.setattr(ReleasedResult, "from_plain", lambda kept: unaware(whole(kept)))
    mutant = judgement_of(played.plain(), PLAN, None)
    assert mutant.verdict is Verdict.LEAK, "the mutant that does not compare is caught"


def unaware(result: ReleasedResult) -> ReleasedResult:
    """The result of one who does not look whether the sides differ without the release."""
    each = tuple(replace(reached, beyond=None) for reached in result.together.each)
    return replace(result, blind=None, together=replace(result.together, each=each))


def test_an_attack_that_goes_beyond_what_the_sides_differ_by_is_a_leak_and_no_absence_is_shown() -> None:
    """Half of the rows are copies of real rows, which no difference of the years explains."""
    tables = shifted(copied(0.5, 1000), 0.15)
    result = run_released(tables, PLAN).plain()
    (each,) = result["together"]["each"]
    assert result["blind"]["apart"]
    assert each["beyond"]["value"] == pytest.approx(0.5 + each["auc"]["value"] - result["blind"]["auc"]["value"])
    assert 0.5 < each["beyond"]["low"] < each["auc"]["low"]
    ((finding, judgement),) = judged(result, PLAN)
    assert finding.measured.strongest is not None
    assert (judgement.verdict, finding.measured.strongest.low) == (Verdict.LEAK, each["beyond"]["low"])
    assert "after taking off what can be said without the release" in finding.sentence
    high = judgement_of(result, PLAN, 0.999)
    assert (high.verdict, high.code) == (Verdict.UNDECIDED, "sides_differ_too"), "neither is its absence above a limit"


def test_the_look_without_is_the_same_whatever_the_release_and_the_attacks() -> None:
    looks = [
        run_released(tables, plan).as_dict()["blind"]
        for tables, plan in ((apart(), PLAN), (apart(), replace(PLAN, attacks=("mc", "dcr"))), (copied(0.5), PLAN))
    ]
    assert looks[0] == looks[1]
    assert looks[0]["auc"]["value"] == pytest.approx(looks[2]["auc"]["value"], abs=1e-9)


def test_swapped_labels_turn_a_leak_into_an_auc_below_one_half() -> None:
    real, other, holdout = wide(400)
    swapped = run_released(files(holdout, real, real.plus(other).rows(slice(400))), PLAN)
    ((finding, judgement),) = judged(swapped.plain(), PLAN, LIMIT)
    assert finding.measured.widest is not None
    assert finding.measured.widest.high < 0.5
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "wrong_way_round")
    assert "more often than guessing" in judgement.why


def test_without_a_holdout_nothing_is_said_of_membership() -> None:
    tables = apart()
    result = run_released(files(tables.real, tables.synthetic, None), PLAN).plain()
    assert result["estimates"] == result["scores"] == result["control"] == []
    judgement = judgement_of(result, PLAN, LIMIT)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "no_holdout")
    assert "nothing can be said about membership" in judgement.why
    assert "riskkit holdout" in judgement.settle
    assert result["panel"]
    extra = judged(result, PLAN)[0][0].extra
    assert any("riskkit holdout --real real.csv --share 0.2" in line for line in extra)
    assert any("no holdout: these people are in the data" in line for line in extra)
    assert any("What stays unknown" in line and "other people of the same population" in line for line in extra)
    with_others = judged(run_released(tables, PLAN).plain(), PLAN)[0][0].extra
    assert not any("riskkit holdout" in line for line in with_others)
    with pytest.raises(DesignError, match="No synthetic table"):
        run_released(files(tables.real, None, tables.holdout), PLAN)


def test_members_whose_rows_are_in_the_release_are_listed_and_nobody_else_is() -> None:
    """Of 300 people 120 stand in a release of strangers; the nearest row names them, and others by luck alone."""
    plan = ReleasedPlan(attacks=("dcr", "mc"))
    real, others, strangers = (numbers(seed) for seed in range(3))
    release = pd.concat([real[:120], strangers[120:]])
    result = run_released(frames(real, release, others), plan).plain()
    rows = {kept["row"] for kept in result["records"]}
    assert rows >= set(range(120))
    assert len(rows - set(range(120))) <= 18
    assert result["named"] == {"asked": 300, "listed": len(rows), "fewest": 80, "rate": 0.05, "why": ""}
    finding = judged(result, plan)[0][0]
    assert {person.reference for person in finding.at_risk} == {f"record {row}" for row in rows}
    assert any(f"{len(rows)} can be listed" in line for line in finding.extra)
    nothing = run_released(frames(real, strangers, others), plan).plain()
    assert nothing["records"] == []
    assert any("at least 80 members" in line for line in judged(nothing, plan)[0][0].extra)


def numbers(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(300, 4)).round(3), columns=list("abcd"))


def frames(*each: pd.DataFrame) -> Tables:
    return load(
        *(read_csv(entry.to_csv(index=False).encode(), name=f"{index}.csv") for index, entry in enumerate(each))
    )


def test_every_look_widens_the_interval_of_the_verdict_and_alike_ones_do_so_least() -> None:
    plans = [replace(PLAN, attacks=names) for names in (("dcr",), ("dcr", "contest"), ("dcr", "dcr-diff"))]
    each = [run_released(apart(), plan).as_dict()["together"]["each"] for plan in plans]
    assert [len(attacks) for attacks in each] == [1, 2, 2]
    assert [attacks[0]["auc"]["level"] for attacks in each] == [pytest.approx(0.95)] * 3
    widths = [attacks[0]["auc"]["high"] - attacks[0]["auc"]["low"] for attacks in each]
    assert widths[0] < widths[1] < widths[2]


def test_a_leak_is_shown_just_where_its_p_value_is_small_enough() -> None:
    plan = replace(PLAN, attacks=("dcr", "mc"))
    for share in (0.0, 0.1, 0.2, 0.5):
        result = run_released(copied(share), plan).plain()
        together = result["together"]
        p = min(each["p"] for each in together["each"])
        assert (judgement_of(result, plan).verdict is Verdict.LEAK) == (p <= 0.025)
        for each in together["each"]:
            assert (each["auc"]["low"] > 0.5) == (each["p"] <= 0.025)
            assert round(each["p"] * (together["permutations"] + 1), 6).is_integer()


def test_another_seed_gives_other_numbers() -> None:
    assert text(copied(0.3), PLAN) != text(copied(0.3), replace(PLAN, seed=2))


def test_adding_an_attack_moves_nobody_elses_estimates() -> None:
    alone, beside = (run_released(apart(), replace(PLAN, attacks=names)) for names in (("mc",), ("dcr", "mc")))
    kept = [e.as_dict() for e in beside.estimates if e.labels["attack"] == "mc"]
    auc, *named = [e.as_dict() for e in alone.estimates]
    assert named == kept[1:]
    assert (auc["name"], auc["value"]) == (kept[0]["name"], kept[0]["value"])
    assert kept[0]["low"] <= auc["low"] < auc["high"] <= kept[0]["high"], "two looks are allowed for, not one"


def test_the_interval_that_is_printed_is_the_one_that_decides() -> None:
    """No AUC in the table reaches down to guessing where a leak is shown, nor lies above it where none is."""
    plan = replace(PLAN, attacks=("dcr", "mc"))
    words = set()
    for share in (0.0, 0.06, 0.5):
        result = run_released(copied(share), plan)
        printed = [estimate for estimate in result.estimates if estimate.name == "auc"]
        assert [auc.low for auc in printed] == [reached.auc.low for reached in result.together.each]
        assert {auc.level for auc in printed} == {plan.level}
        verdict = judgement_of(result.plain(), plan).verdict
        assert (verdict is Verdict.LEAK) == (max(auc.low for auc in printed) > 0.5)
        words.add(verdict)
    assert words == {Verdict.LEAK, Verdict.UNDECIDED}


def test_what_is_kept_is_plain_and_scores_are_in_nothing_that_is_passed_on() -> None:
    result = run_released(copied(0.2), PLAN)
    shared = result.as_dict()
    assert not {"scores", "records"} & set(shared)
    assert set(shared) == {
        "estimates",
        "settings",
        "blind",
        "together",
        "control",
        "power",
        "base_rates",
        "panel",
        "named",
        "notes",
        "for_whom",
    }
    assert json.loads(json.dumps(result.plain()))["settings"]["question"] == "released"
    (scores,) = result.plain()["scores"]
    settings = shared["settings"]
    assert sum(scores["is_in"]) == settings["n_in"] == 400
    assert len(scores["row"]) == len(scores["value"]) == settings["n_in"] + settings["n_out"]
    nearest_of = dict(zip(zip(scores["is_in"], scores["row"], strict=True), scores["value"], strict=True))
    assert [nearest_of[True, row] for row in range(3)] == [0.0, 0.0, 0.0]  # the first fifth was copied
    assert nearest_of[True, 399] < 0
    assert "training" not in json.dumps(shared)
    assert "safe" not in json.dumps(shared)


def test_base_rates_and_power_are_what_the_formulas_give() -> None:
    result = run_released(copied(0.3), PLAN).as_dict()
    (tpr,) = [e for e in result["estimates"] if e["name"] == "tpr_at_fpr" and e["fpr"] == "0.1"]
    rate = {base_rate["prior"]: base_rate["posterior"] for base_rate in result["base_rates"]}
    assert set(rate) == {0.5, 0.1, 0.01}
    assert rate[0.01]["value"] == pytest.approx(0.01 * tpr["value"] / (0.01 * tpr["value"] + 0.99 * 0.1))
    assert rate[0.01]["low"] < rate[0.01]["value"] < rate[0.01]["high"] < rate[0.5]["high"]
    assert 0.5 < result["power"]["detectable_auc"] < 0.6


def test_an_attack_that_cannot_be_run_leaves_the_others_alone() -> None:
    plan = replace(PLAN, attacks=("dcr-diff", "dcr"), reference="aside", reference_share=0.0)
    result = run_released(apart(), plan)
    assert {e.labels["attack"] for e in result.estimates} == {"dcr"}
    assert any(note.startswith("dcr-diff was not run") for note in result.notes)
    assert judged(result.plain(), plan)[0][0].measured.looks == 1


def test_an_attack_that_cannot_be_run_takes_back_that_no_leak_is_shown() -> None:
    plan = replace(PLAN, attacks=("mc", "density"), reference="aside", reference_share=0.0)
    more = replace(plan, attacks=("mc", "density", "dcr-diff"))
    (without, within), (with_one, open_) = (judged(run_released(apart(), p).plain(), p, 0.65)[0] for p in (plan, more))
    assert within.verdict is Verdict.WITHIN
    assert with_one.measured.looks == without.measured.looks
    assert (open_.verdict, open_.code) == (Verdict.UNDECIDED, "silent")
    assert f"{registry.plugins('released')['dcr-diff'].title} gave no number" in open_.why


def test_progress_counts_attacks_and_a_cancelled_run_stops() -> None:
    reports: list[tuple[int, int]] = []
    plan = replace(PLAN, attacks=("dcr", "mc"))
    run_released(apart(), plan, progress=lambda progress: reports.append((progress.done, progress.total)))
    assert reports[:2] == [(0, 9), (1, 9)]  # searches, a look without the release, two attacks on both games, two tests
    assert reports[-1] == (9, 9)
    assert reports == sorted(reports)
    with pytest.raises(Cancelled):
        run_released(apart(), plan, cancelled=lambda: True)


def test_what_is_capped_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, people = replace(PLAN, attacks=("dcr",)), mixed(90)
    tables = files(*(people.rows(slice(start, start + 30)) for start in (0, 30, 60)))
    assert not any("Densities" in note for note in run_released(tables, plan).notes)
    monkeypatch.setattr("riskkit.questions.released.play.DENSITY_ROWS", 20)
    monkeypatch.setattr("riskkit.questions.released.play.WIDTH", 3)
    notes = run_released(tables, plan).notes
    assert any("Densities are taken of 20 rows" in note for note in notes)
    assert any("tell the 3 most frequent apart" in note for note in notes)


def test_rows_that_a_learned_attack_leaves_out_are_said() -> None:
    people = mixed(90)
    tables = files(*(people.rows(slice(start, start + 30)) for start in (0, 30, 60)))
    attacks = ("dcr", "ept:rows=29", "classifier:rows=30", "logan-d:rows=30")
    notes = [note for note in run_released(tables, replace(PLAN, attacks=attacks)).notes if "learns from" in note]
    assert notes == ["Error of predicted values (EPT) learns from 29 rows of a larger table, drawn at random."]


def test_a_plan_asks_for_the_attacks_that_its_words_mean() -> None:
    plan = ReleasedPlan(reference="aside", reference_share=0.25)
    assert "reference-share" not in replace(plan, reference="cross").command("r.csv")
    there = registry.plugins("released")
    assert ReleasedPlan().attacks == tuple(name for name in SUITE if name in there)
    by_name_alone = {"levenshtein", "logan-d", "nearest-text", "rare-phrases"}  # dear, or of texts alone
    of_two_tables = {name for name, attack in there.items() if getattr(attack, "needs_children", False)}
    assert set(ReleasedPlan(attacks=("all",)).attacks) == set(there) - by_name_alone - of_two_tables
    assert ReleasedPlan(attacks=("logan-d",)).attacks == ("logan-d",)


def test_a_forecast_says_what_can_be_shown_and_what_it_costs() -> None:
    forecast = forecast_released(apart(), replace(PLAN, attacks=("dcr", "mc")))
    assert forecast.seconds > 0
    assert [forecast.numbers[name] for name in ("n_in", "n_out", "n_reference")] == [400, 400, 400]
    aside = forecast_released(apart(), replace(PLAN, reference="aside")).numbers
    assert (aside["n_in"], aside["n_out"] + aside["n_reference"]) == (400, 400)
    power = run_released(apart(), replace(PLAN, attacks=("dcr", "mc"))).as_dict()["power"]
    assert 0.5 < power["detectable_auc"] < forecast.numbers["detectable_auc"], (
        "two attacks that hang together cost less than two"
    )
    assert 0.5 < power["upper_if_half"] < forecast.numbers["upper_if_half"]
    power_of_one = run_released(apart(), PLAN).as_dict()["power"]
    foreseen = forecast_released(apart(), PLAN)
    assert power_of_one["detectable_auc"] == pytest.approx(foreseen.numbers["detectable_auc"], abs=2e-3), (
        "one attack costs what it must"
    )
