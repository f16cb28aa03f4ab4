"""Attribute audits end to end: verdicts, controls, sweep, records, order, workers, what is kept."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.games.attribute import play
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, Measured, Verdict
from riskkit.questions import question
from riskkit.questions.attributes import outcome
from riskkit.questions.attributes import play as attributes_forecast
from riskkit.questions.attributes import units as attribute_units
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import fits, forecast_attributes, run_attributes
from riskkit.show.model import Part
from riskkit.stats import inference
from riskkit.table.load import Tables
from tests.judged import judged, judgement_of, word

TREE = "tree:leaf=1"
PLAN = AttributePlan(("job",), model=TREE, sweep_model=TREE)
LETTERS = "abcd"


def people(n: int, seed: int, jobs: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)) -> Table:
    """A place that tells something of the job, a pay that tells nothing, a fine number that tells rows apart."""
    rng = np.random.default_rng(seed)
    job = rng.choice(4, n, p=jobs)
    place = np.where(rng.random(n) < 0.5, job, rng.integers(0, 4, n))
    schema = Schema(
        (
            Column("place", Kind.CATEGORICAL, levels=tuple(LETTERS)),
            Column("weight", Kind.NUMERIC, low=0.0, high=1.0, mean=0.5, sd=0.3, decimals=6),
            Column("pay", Kind.NUMERIC, low=-60.0, high=60.0, mean=0.0, sd=10.0, decimals=1, has_missing=True),
            Column("job", Kind.CATEGORICAL, levels=tuple(LETTERS)),
        )
    )
    pay = np.where(rng.random(n) < 0.05, np.nan, np.round(10 * rng.standard_normal(n), 1))
    pay[rng.random(n) < 0.2] = 0.0
    return Table(schema, np.column_stack([place, job]), np.column_stack([rng.random(n), pay]))


def files(real: Table, synthetic: Table | None, holdout: Table | None) -> Tables:
    return Tables(real, synthetic, holdout, real.schema, (), ())


def apart(n: int = 1000, seed: int = 1) -> Tables:
    """A release of other people: what leaks is true of everybody."""
    return files(*(people(n, seed + number) for number in (0, 100, 200)))


def copied(n: int = 1000, seed: int = 1) -> Tables:
    """The release is the real table."""
    tables = apart(n, seed)
    return replace(tables, synthetic=tables.real)


def result(tables: Tables, plan: AttributePlan = PLAN, **how: Any) -> dict[str, Any]:
    return run_attributes(tables, plan, **how).as_dict()


def parts(kept: dict[str, Any], plan: AttributePlan, limit: float | None = None) -> list[tuple[Part, Judgement]]:
    """Every secret and known set with its own judgement."""
    ((finding, judgement),) = judged(kept, plan, limit)
    return [(part, judge(part.measured, judgement.limit)) for part in finding.parts]


def named(kept: dict[str, Any], name: str, **labels: str) -> dict[str, Any]:
    return next(e for e in kept["estimates"] if e["name"] == name and labels.items() <= e.items())


def test_a_copy_is_a_leak_about_the_members_and_a_fresh_sample_is_not() -> None:
    copy, fresh = result(copied()), result(apart(5_000))
    assert [word(copy, PLAN, limit) for limit in (None, 0.1)] == ["leak shown", "above the limit"]
    assert copy["compared"][0]["residual"]["low"] > 0.9
    ((part, _),) = parts(copy, PLAN)
    assert "about the very people" in part.sentence
    assert [word(fresh, PLAN, limit) for limit in (None, 0.1)] == ["undecided", "within the limit"]
    assert fresh["compared"][0]["planted"]["low"] > 0.1
    ((part, _),) = parts(fresh, PLAN)
    assert "fact about the population" in part.sentence


def test_a_limit_is_used_in_both_directions() -> None:
    """The same numbers: above a limit below the interval, undecided within it, never within a limit not ruled out."""
    kept = result(copied(60))
    residual = kept["compared"][0]["residual"]
    around = [residual["low"] - 0.01, (residual["low"] + residual["high"]) / 2]
    assert [word(kept, PLAN, limit) for limit in around] == ["above the limit", "undecided"]


def test_the_ratio_cannot_tell_them_apart_but_the_residual_can() -> None:
    plan = replace(PLAN, model="linear")
    ratios = [named(result(tables, plan), "leakage_ratio")["value"] for tables in (copied(4000), apart(4000))]
    assert all(0.8 < ratio < 1.2 for ratio in ratios)


def test_few_people_leave_it_undecided() -> None:
    judgement = judgement_of(result(apart(150)), PLAN, 0.1)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "interval_holds_limit")


def check_sides_are_not_swapped() -> None:
    kept = result(copied())
    assert named(kept, "residual", trained_on="release")["value"] > 0.9
    assert named(kept, "accuracy", trained_on="release", tested_on="members")["value"] == 1.0


def check_looks_are_allowed_for() -> None:
    plan = replace(PLAN, known=(("weight",), ("place",), ("pay",), ("weight", "pay")), secrets=("job",))
    kept = result(apart(400), plan)
    judged_by = [part.measured.strongest for part, _ in parts(kept, plan)]
    for residual, known in zip(judged_by, ("weight", "place", "pay", "weight, pay"), strict=True):
        plain = named(kept, "residual", trained_on="release", known=known)
        assert residual is not None
        assert residual.level == pytest.approx(1 - 0.05 / 4)
        assert residual.low < plain["low"]
        assert residual.high > plain["high"]


def shifted() -> Tables:
    """The real people are of another sort than the holdout, easier to guess by anybody; nothing leaks of them."""
    easy = (0.9, 0.1, 0.0, 0.0)
    return files(people(3000, 1, easy), people(3000, 2, easy), people(3000, 3))


def check_other_people_are_no_leak() -> None:
    kept = result(shifted())
    assert named(kept, "residual", trained_on="release")["low"] > 0.2
    for limit in (None, 0.1, 0.9):
        judgement = judgement_of(kept, PLAN, limit)
        assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "members_easier_anyway")
    assert "different people" in judgement.why
    ((part, _),) = parts(kept, PLAN)
    assert "not because of the release" in part.sentence


def check_a_model_that_finds_nothing_planted_shows_no_absence() -> None:
    """A constant known column: every model says the same of everybody."""
    plan = replace(PLAN, known=(("place",),), model="linear")
    kept = result(flat(), plan)
    assert kept["compared"][0]["residual"]["high"] < 0.2
    judgement = judgement_of(kept, plan, 0.2)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")
    assert "planted" in judgement.why


def flat(n: int = 3000) -> Tables:
    tables = apart(n)

    def level(table: Table | None) -> Table:
        assert table is not None
        codes = table.codes.copy()
        codes[:, 0] = 0
        return Table(table.schema, codes, table.numbers)

    return files(level(tables.real), level(tables.synthetic), level(tables.holdout))


CHECKS: list[Callable[[], None]] = [
    check_sides_are_not_swapped,
    check_looks_are_allowed_for,
    check_other_people_are_no_leak,
    check_a_model_that_finds_nothing_planted_shows_no_absence,
]


@pytest.mark.parametrize("check", CHECKS)
def test_what_a_verdict_stands_on(check: Callable[[], None]) -> None:
    check()


def swap_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = inference.residual
    monkeypatch.setattr(inference, "residual", lambda inside, outside, level: whole(outside, inside))


def ignore_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribute_units, "level_of_each", lambda level, looks: level)


def ignore_other_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome.Sides, "is_easier_anyway", False)


def ignore_the_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = outcome.measure

    def measured(sides: Sequence[outcome.Sides], *arguments: Any, **more: Any) -> Measured:
        residuals = [side.residual for side in sides]
        planted = [
            None if residual is None else replace(residual, value=0.9, low=0.8, high=1.0) for residual in residuals
        ]
        every = [replace(side, planted=other) for side, other in zip(sides, planted, strict=True)]
        return whole(every, *arguments, **more)

    monkeypatch.setattr(outcome, "measure", measured)


FAULTS = (swap_sides, ignore_looks, ignore_other_people, ignore_the_planted)


@pytest.mark.parametrize(("mutant", "check"), list(zip(FAULTS, CHECKS, strict=True)))
def test_each_fault_is_caught(
    mutant: Callable[[pytest.MonkeyPatch], None], check: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant(monkeypatch)
    with pytest.raises((AssertionError, StopIteration)):
        check()


def test_a_holdout_too_small_to_plant_a_leak_in_shows_no_absence() -> None:
    kept = result(files(people(300, 1), people(300, 2), people(16, 3)))
    assert kept["compared"][0]["planted"] is None
    judgement = judgement_of(kept, PLAN, 0.99)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "no_control")
    assert "too few different people in the holdout" in judgement.why
    assert judgement.settle == "Load a holdout with more different people."


def test_without_a_holdout_nothing_is_said_of_members() -> None:
    kept = result(replace(copied(), holdout=None))
    ((finding, judgement),) = judged(kept, PLAN, 0.1)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "no_holdout_for_secrets")
    assert {e["name"] for e in kept["estimates"]}.isdisjoint({"residual", "attributable", "difference", "exposed"})
    assert named(kept, "accuracy", trained_on="real", tested_on="members")["value"] < 0.9  # out of fold
    assert outcome.NO_HOLDOUT in kept["notes"]
    assert "Without a holdout" in finding.parts[0].sentence


def test_the_same_numbers_whatever_the_order_of_the_rows_and_others_of_another_seed() -> None:
    plan = replace(
        PLAN, known=("others", "greedy:1"), secrets=("job", "pay"), sweep=True, groups=("place",), max_rows=150
    )
    tables = apart(200)
    by_one = run_attributes(tables, plan)
    rng = np.random.default_rng(5)

    def shuffled(table: Table | None) -> Table:
        assert table is not None
        return table.rows(rng.permutation(len(table)))

    shuffled_files = files(shuffled(tables.real), shuffled(tables.synthetic), shuffled(tables.holdout))
    assert rounded(by_one.as_dict()) == rounded(result(shuffled_files, plan))  # sums differ in their last bits
    assert json.dumps(by_one.as_dict()) != json.dumps(result(tables, replace(plan, seed=2)))


def rounded(kept: Any) -> Any:
    """The same without the last digits of numbers."""
    if isinstance(kept, dict):
        return {key: rounded(value) for key, value in kept.items()}
    if isinstance(kept, list):
        return [rounded(value) for value in kept]
    return f"{kept:.6g}" if isinstance(kept, float) else kept


def test_records_are_kept_for_the_page_and_never_passed_on() -> None:
    tables = copied(300)
    done = run_attributes(tables, replace(PLAN, max_rows=200))
    assert "records" not in done.as_dict()
    (kept,) = done.plain()["records"]
    assert len(kept["row"]) == 200 == len(set(kept["row"]))
    assert all(kept["right"])
    majority = np.bincount(tables.real.codes[:, 1]).argmax()
    is_majority = tables.real.codes[kept["row"], 1] == majority
    assert kept["baseline_right"] == is_majority.tolist()
    by_rule = [
        not b and not n and c >= 0.9
        for b, n, c in zip(*(kept[k] for k in ("baseline_right", "never_in_right", "confidence")), strict=True)
    ]
    assert kept["exposed"] == by_rule
    assert named(done.as_dict(), "exposed")["value"] == pytest.approx(sum(by_rule))


def test_the_sweep_asks_every_column_with_every_set_once() -> None:
    plan = replace(PLAN, known=("others", ("place", "pay"), "greedy:1"), sweep=True)
    done = run_attributes(apart(300), plan)
    cells = done.as_dict()["sweep"]
    assert [(c["secret"], c["set"]) for c in cells if c["secret"] != "job"] == [
        (secret, known)
        for secret in ("place", "weight", "pay")
        for known in ("all other columns", "place, pay", "the worst 1")
    ]
    assert len([c for c in cells if c["secret"] == "job"]) == 3  # those asked in detail serve as cells
    assert len(done.sweep) == 12
    assert done.as_dict()["settings"]["looks"] == 12
    assert all(c["secret"] not in c["columns"] for c in cells)
    assert next(c for c in cells if (c["secret"], c["set"]) == ("job", "the worst 1"))["columns"] == ["place"]


def test_the_sweep_marks_no_leak_where_the_two_tables_hold_different_people() -> None:
    kept = result(shifted(), replace(PLAN, sweep=True))
    (cell,) = (cell for cell in kept["sweep"] if cell["secret"] == "job")
    assert cell["corrected"]["low"] > 0
    assert not cell["shown"]
    assert any(cell["shown"] for cell in result(copied(300), replace(PLAN, sweep=True))["sweep"])


def test_greedy_looks_at_the_release_and_never_at_the_people() -> None:
    tables = apart(600)
    plan = replace(PLAN, known=("greedy:1",))
    assert result(tables, plan)["compared"][0]["columns"] == ["place"]
    assert tables.real.schema == tables.schema
    released = people(600, 9)
    codes = released.codes.copy()
    codes[:, 0] = np.random.default_rng(0).permutation(codes[:, 0])  # the release says nothing of place and job
    numbers = released.numbers.copy()
    numbers[:, 0] = released.codes[:, 1] / 4  # but has the job in the weight
    other = replace(tables, synthetic=Table(released.schema, codes, numbers))
    assert result(other, plan)["compared"][0]["columns"] == ["weight"]


def test_best_of_the_population_is_chosen_on_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = registry.plugins("inference")
    monkeypatch.setattr(registry, "plugins", lambda _: {name: rooms[name] for name in ("cap", "linear")})
    kept = result(apart(600), replace(PLAN, model="best", best_at="population", sweep_model="cap"))
    assert kept["compared"][0]["model"] == "linear"
    assert any("cross-validation on the release alone" in note for note in kept["notes"])


def test_numbers_with_negative_zero_and_missing_values_are_asked_about() -> None:
    plan = replace(PLAN, secrets=("pay",))
    kept = result(copied(), plan)
    ((part, judgement),) = parts(kept, plan)
    assert judgement.verdict is Verdict.LEAK
    assert kept["compared"][0]["kind"] == "number"
    assert "to within 5 %" in part.sentence
    assert "(or" not in part.sentence, "half of the last decimal is nobody's tolerance"
    zeros = named(kept, "within", trained_on="baseline_majority", tested_on="control")
    assert 0.15 < zeros["value"] < 0.3  # the median is 0, and a fifth are
    assert any("were neither learnt from nor asked about" in note for note in kept["notes"])


def refuse_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on nobody can be asked about the secret ``pay``."""

    def refusing(*arguments: Any, **how: Any) -> Any:
        if arguments[3].secret == "pay":
            raise DesignError("No row has a value.")
        return play(*arguments, **how)

    monkeypatch.setattr(attribute_units, "play", refusing)


def test_a_secret_that_nobody_can_guess_is_a_note_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_pay(monkeypatch)
    kept = result(apart(300), replace(PLAN, secrets=("pay", "job")))
    assert [compared["secret"] for compared in kept["compared"]] == ["job"]
    assert any("'pay'" in note and "No row has a value" in note for note in kept["notes"])


def test_a_secret_that_nobody_can_guess_takes_back_that_no_leak_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert word(result(apart(6000)), PLAN, 0.2) == "within the limit"

    refuse_pay(monkeypatch)
    plan = replace(PLAN, secrets=("pay", "job"))
    kept = result(apart(6000), plan)
    assert [judgement.verdict for _, judgement in parts(kept, plan, 0.2)] == [Verdict.WITHIN]
    whole = judgement_of(kept, plan, 0.2)
    assert (whole.verdict, whole.code) == (Verdict.UNDECIDED, "silent")
    assert "pay from all other columns" in whole.why
    assert [(refused["secret"], refused["why"]) for refused in kept["refused"]] == [("pay", "No row has a value.")]


def test_it_stops_when_told() -> None:
    with pytest.raises(Cancelled):
        run_attributes(apart(300), PLAN, cancelled=lambda: True)


def test_the_worker_plays_it_by_its_name() -> None:
    asked = question("attributes")
    plan = asked.plan.from_dict(json.loads(json.dumps(PLAN.as_dict())))
    kept = asked.run(apart(300), plan).plain()
    assert {"estimates", "compared", "records"} <= set(json.loads(json.dumps(kept)))
    assert {"verdict", "verdicts", "sentences"}.isdisjoint(kept)  # words are made where they are read


def test_the_forecast_counts_units_and_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = attributes_forecast._seconds

    def seconds(deal: Any, *arguments: Any) -> tuple[float, Any]:
        """A machine that takes a millisecond a row."""
        return len(deal.members) / 1000, whole(deal, *arguments)[1]

    monkeypatch.setattr(attributes_forecast, "_seconds", seconds)
    few, many = (forecast_attributes(apart(n), replace(PLAN, sweep=True)) for n in (400, 6000))
    assert (few.numbers["units"], few.numbers["detailed"]) == (4, 1)
    assert many.seconds > 10 * few.seconds > 0
    assert 0 < many.numbers["detectable_residual"] < few.numbers["detectable_residual"] < 1
    assert forecast_attributes(replace(apart(300), holdout=None), PLAN).numbers["detectable_residual"] is None


@pytest.mark.parametrize("has_equal", [False, True])
def test_the_forecast_knows_how_many_models_a_unit_trains(monkeypatch: pytest.MonkeyPatch, has_equal: bool) -> None:
    tables = apart(300)
    if has_equal:
        tables = replace(tables, real=tables.real.plus(tables.real.rows([0])))
    counted = 0

    def counting(*arguments: Any) -> Any:
        nonlocal counted
        counted += 1
        return honest(*arguments)

    model = type(registry.parse("inference", TREE))
    honest = model.fit
    monkeypatch.setattr(model, "fit", counting)
    run_attributes(tables, PLAN)
    assert counted == fits(tables.real)


def test_verdicts_name_known_sets_apart() -> None:
    columns = [Column(f"column {index}", Kind.CATEGORICAL, levels=("a", "b")) for index in range(9)]
    rng = np.random.default_rng(0)
    real, release, holdout = (
        Table(Schema(tuple(columns)), rng.integers(0, 2, (60, 9)), np.empty((60, 0))) for _ in "abc"
    )
    first = [column.name for column in columns[:4]]
    sets = ((*first, "column 5", "column 6", "column 7"), (*first, "column 4", "column 6", "column 7"))
    done = run_attributes(files(real, release, holdout), AttributePlan(("column 8",), sets, model=TREE))
    known = [compared["known"] for compared in done.as_dict()["compared"]]
    assert len(set(known)) == 2
    assert {e["known"] for e in done.as_dict()["estimates"]} == set(known)
