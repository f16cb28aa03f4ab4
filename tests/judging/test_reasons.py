"""Reasons why a verdict may not be given, and how a release was made: by its steward, matched by nothing else."""

from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest

import riskkit
from riskkit.errors import DesignError, ParameterError
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Measured, Verdict
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.judging.reasons import REASONS, Bars, Reason
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.standard import provenance
from tests.judging.made import FIGURES, limit, measured, reason

BARS = {
    "sides_differ": Bars.EVERYTHING,
    "sides_differ_too": Bars.ABSENCE,
    "no_holdout": Bars.EVERYTHING,
    "no_holdout_for_secrets": Bars.EVERYTHING,
    "not_compared": Bars.EVERYTHING,
    "members_easier_anyway": Bars.EVERYTHING,
    "members_harder": Bars.ABSENCE,
    "values_apart": Bars.ABSENCE,
    "kinds_apart": Bars.ABSENCE,
    "ambiguous_dates": Bars.ABSENCE,
    "unclear_dates": Bars.ABSENCE,
    "zones_differ": Bars.ABSENCE,
    "missing_code": Bars.ABSENCE,
    "value_labels": Bars.ABSENCE,
    "unread_column": Bars.ABSENCE,
    "unread_parts": Bars.ABSENCE,
    "people_in_both": Bars.ABSENCE,
    "grids_differ": Bars.EVERYTHING,
    "holdout_swapped": Bars.EVERYTHING,
    "gives_away": Bars.ABSENCE,
    "not_read": Bars.ABSENCE,
    "codes_apart": Bars.ABSENCE,
    "line_apart": Bars.ABSENCE,
    "rows_not_people": Bars.ABSENCE,
    "another_method": Bars.ABSENCE,
    "fewer_rows": Bars.ABSENCE,
    "more_rows": Bars.LEAK,
    "parts_of_people": Bars.ABSENCE,
    "planted_missed": Bars.ABSENCE,
    "one_training": Bars.ABSENCE,
    "games_show": Bars.ABSENCE,
    "evaded": Bars.ABSENCE,
    "result_unread": Bars.ABSENCE,
    "unknown_question": Bars.EVERYTHING,
}
"""What each stands in the way of, written down once more: whoever adds a reason says it here too."""
LEAKS, CLEAN = measured(0.7, 0.8, 0.9), measured(0.45, 0.5, 0.55)


def test_every_reason_is_listed_here() -> None:
    assert {code: text.bars for code, text in REASONS.items()} == BARS


@pytest.mark.parametrize("code", BARS)
def test_each_bars_what_it_says_and_nothing_else(code: str) -> None:
    own = (reason(code),)
    leak, absence = (judge(_with(measured, own), limit(0.6)) for measured in (LEAKS, CLEAN))
    assert (leak.verdict is Verdict.ABOVE) == (BARS[code] is Bars.ABSENCE)
    assert (absence.verdict is Verdict.WITHIN) == (BARS[code] is Bars.LEAK)
    for judged in (leak, absence):
        if judged.verdict is Verdict.UNDECIDED:
            assert (judged.code, judged.settle) == (code, own[0].settle)
            assert judged.why.startswith(own[0].why)


def _with(measured: Measured, reasons: tuple[Reason, ...]) -> Measured:
    return replace(measured, reasons=reasons)


@pytest.mark.parametrize("code", BARS)
def test_of_a_part_it_bars_an_absence_alone(code: str) -> None:
    own = (reason(code, of_a_part=True),)
    assert own[0].bars is Bars.ABSENCE
    assert judge(_with(LEAKS, own), limit(0.6)).verdict is Verdict.ABOVE
    assert judge(_with(CLEAN, own), limit(0.6)).code == code


@pytest.mark.parametrize("code", BARS)
def test_each_sentence_takes_its_figures_and_leaves_no_place_open(code: str) -> None:
    text, own = REASONS[code], reason(code)
    places = {name for source in (text.why, text.settle) for _, name, _, _ in Formatter().parse(source) if name}
    assert places == set(FIGURES.get(code, {}))
    for sentence in (own.why, own.settle):
        assert sentence.endswith(".")
        assert "{" not in sentence


def test_figures_stand_in_the_sentence() -> None:
    fewer = Reason("fewer_rows", {"played": 500, "released": 1200})
    assert "have 500 rows and yours has 1,200" in fewer.why
    assert fewer.settle == "Run the game with releases of 1,200 rows."
    assert "values of ward, age hardly meet" in reason("values_apart").why
    assert reason("evaded").why.startswith("Closest row found fewer members than guessing would")


@pytest.mark.parametrize("code", BARS)
def test_each_is_given_somewhere(code: str) -> None:
    """A reason that no question gives would be a rule that cannot fail."""
    package = Path(riskkit.__file__).parent
    sources = [path for path in package.rglob("*.py") if path != package / "judging" / "reasons.py"]
    assert any(f'"{code}"' in path.read_text(encoding="utf-8") for path in sources)


def test_the_first_reason_of_its_kind_is_told() -> None:
    both = (reason("evaded"), reason("values_apart"))
    assert judge(_with(CLEAN, both), limit(0.6)).code == "evaded"
    graver = (reason("evaded"), reason("sides_differ"))
    assert judge(_with(CLEAN, graver), limit(0.6)).code == "sides_differ"


@pytest.mark.parametrize("text", ["", "  ", "unknown", " unknown "])
def test_nobody_said(text: str) -> None:
    nobody = provenance(text)
    assert nobody == UNKNOWN
    assert not nobody.is_known
    assert str(nobody) == "unknown"
    assert not nobody.covers("")
    assert not nobody.covers("stat")
    assert not nobody.covers("unknown")


def test_a_method_covers_itself_with_these_settings_alone() -> None:
    made_by = provenance("bayesnet:degree=2")
    assert made_by.is_known
    assert made_by.covers("bayesnet:degree=2")
    for other in ("bayesnet", "bayesnet:degree=3", "stat", "bayesnet:degree=2|stat", ""):
        assert not made_by.covers(other)


def test_it_is_spelled_as_plans_spell_it() -> None:
    """A setting that is the default, or written in another way, is the same method."""
    assert provenance("bayesnet:degree=1") == provenance("bayesnet"), "one parent is the default"
    for text in ("stat", " stat ", "bayesnet:degree=1", "pram:p=0.70"):
        spelled = provenance(text).method
        (planned,) = MembershipPlan(generators=(text.strip(),)).generators
        assert provenance(text).covers(planned)
        assert provenance(spelled).method == spelled
        assert provenance(text).covers(RecordsPlan(generator=text.strip()).generator)
    assert provenance(str(provenance("stat"))) == Provenance("stat")


@pytest.mark.parametrize("text", ["no such method", "bayesnet:no_such=1", "bayesnet:degree=many"])
def test_a_method_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        provenance(text)


def test_how_often_a_table_was_released_decides_what_a_run_is_about() -> None:
    made_by = provenance("bayesnet", 4)
    assert made_by.settings == {"releases": 4, "one_fit": False}
    assert made_by.is_as_often({"releases": 4})
    assert not made_by.is_as_often({"releases": 3})
    assert not made_by.is_as_often({"releases": 4, "one_fit": True})
    assert not made_by.is_as_often({}), "a run from before releases were counted played one"
    once = provenance("bayesnet", 1, one_fit=True)
    assert once == Provenance("bayesnet")
    assert once.settings == {}
    assert once.is_as_often({})
    assert once.is_as_often({"releases": 1, "one_fit": True}), "one release has one fit"
    assert str(made_by) != str(provenance("bayesnet", 5)) != str(provenance("bayesnet", 5, one_fit=True))


@pytest.mark.parametrize("releases", [0, -1, 1_001, 2.5, "4", True])
def test_a_number_of_releases_that_cannot_be_is_refused(releases: object) -> None:
    with pytest.raises(DesignError, match="1 to 1,000 times"):
        provenance("bayesnet", releases)
