"""What the file gives away by itself, and values that hardly meet, in the verdict."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measurement import Limit, Verdict
from riskkit.report.lines import gaps
from riskkit.show.model import Class
from tests.report.audited import made
from tests.report.audited.answers import clean, judged, leaking
from tests.report.audited.made import STAT

_, WARD, ILLNESS = (name for name, _, _ in made.COLUMNS)
LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}


@pytest.mark.parametrize("make", [made.row_order, made.copies, made.identifiers, made.child_order])
def test_a_give_away_that_is_shown_decides_alone(make) -> None:
    shown = make(State.SHOWN)
    for runs in ((), (clean(),), (clean(), leaking())):
        findings = made.findings(made.audit(*runs, give_aways=(shown,), provenance=STAT), LIMITS)
        assert (findings.overall.verdict, findings.overall.code) == (Verdict.LEAK, "give_away")
        assert findings.give_aways[0].sentence in findings.overall.why
        assert findings.overall.settle == findings.give_aways[0].repair


@pytest.mark.parametrize("state", [State.SHOWN, State.OPEN])
def test_no_question_about_the_method_is_within_its_limit_beside_a_give_away(state: State) -> None:
    """A file that copies people, or may, is not what the method is known to make: its good word would stand over it."""
    run = made.membership(np.random.default_rng(1), shifts=(0.0,), trainings=200)
    limits = {"membership": Limit(0.95, "t")}
    assert judged(made.findings(made.audit(run, provenance=STAT), limits), "membership").verdict is Verdict.WITHIN
    beside = made.findings(made.audit(run, give_aways=(made.row_order(state),), provenance=STAT), limits)
    assert (judged(beside, "membership").verdict, judged(beside, "membership").code) == (
        Verdict.UNDECIDED,
        "gives_away",
    )
    leak = made.findings(made.audit(leaking(), give_aways=(made.row_order(state),), provenance=STAT), LIMITS)
    assert judged(leak, "membership").shows_leak, "a leak is shown as before"


def test_several_give_aways_are_all_told() -> None:
    both = (made.row_order(), made.copies(), made.identifiers(State.NOT_SHOWN))
    findings = made.findings(made.audit(clean(), give_aways=both), LIMITS)
    assert all(give_away.sentence in findings.overall.why for give_away in findings.give_aways[:2])
    assert findings.give_aways[2].sentence not in findings.overall.why
    assert all(give_away.repair in findings.overall.settle for give_away in findings.give_aways[:2])


def test_an_open_give_away_bars_within_and_nothing_else() -> None:
    audit = made.audit(clean(), give_aways=(made.row_order(State.OPEN),))
    findings = made.findings(audit, LIMITS)
    assert (findings.overall.verdict, findings.overall.code) == (Verdict.UNDECIDED, "give_away_open")
    assert findings.give_aways[0].sentence in findings.overall.why
    assert judged(findings, "released").code == "gives_away", "no question about the file says within beside it"
    leaks = made.findings(
        made.audit(clean(), leaking(), give_aways=(made.row_order(State.OPEN),), provenance=STAT), LIMITS
    )
    assert leaks.overall.verdict is Verdict.ABOVE


@pytest.mark.parametrize("state", [State.NOT_SHOWN, State.TOO_SMALL])
def test_what_is_not_shown_stands_in_nobodys_way(state: State) -> None:
    give_aways = (GiveAway("row_order", state, {"share": 0.5, "z": 0.1, "kind": "none"}),)
    findings = made.findings(made.audit(clean(), give_aways=give_aways), {"released": LIMITS["released"]})
    assert findings.overall.verdict is Verdict.WITHIN
    assert findings.give_aways[0].repair == "", "there is nothing to take away"


def test_columns_whose_values_hardly_meet_bar_within() -> None:
    audit = made.audit(clean(), made.attributes(half=0.02), apart=("ward", "age"))
    findings = made.findings(audit, LIMITS, Class.RESTRICTED)
    assert findings.overall.verdict is Verdict.UNDECIDED
    assert judged(findings, "released").code == judged(findings, "attributes").code == "values_apart"
    assert "ward, age" in judged(findings, "released").why
    assert "ward" not in repr(made.findings(audit, LIMITS).overall)
    # a question that does not speak of values is within its limit, and the overall verdict is not
    quiet = made.membership(np.random.default_rng(6), shifts=(0.0,), trainings=120)
    alone = made.findings(made.audit(quiet, apart=("ward",), provenance=STAT), LIMITS)
    assert judged(alone, "membership").verdict is Verdict.WITHIN
    assert (alone.overall.verdict, alone.overall.code) == (Verdict.UNDECIDED, "values_apart")
    leak = made.released(np.random.default_rng(2), shift=2.0)
    assert made.findings(made.audit(leak, apart=("ward",)), LIMITS).overall.verdict is Verdict.ABOVE


def test_a_column_that_no_question_read_bars_within() -> None:
    columns = (*made.COLUMNS, ("notes", "text", "text"))
    part = made.findings(made.audit(clean(), columns=columns), LIMITS, Class.RESTRICTED)
    assert (part.overall.verdict, part.overall.code) == (Verdict.UNDECIDED, "questions")
    assert judged(part, "released").code == "not_read"
    assert "has read notes:" in judged(part, "released").why
    read = replace(clean(), plan={**clean().plan, "attacks": ["dcr", "nearest-text"]})
    assert (
        made.findings(made.audit(read, columns=columns), {"released": LIMITS["released"]}).overall.verdict
        is Verdict.WITHIN
    )
    # what one question leaves out another reads: neither is barred
    some = replace(made.attributes(half=0.02), plan={**made.attributes().plan, "known": [["age"]], "secrets": ["ward"]})
    assert judged(made.findings(made.audit(some), LIMITS), "attributes").code == "not_read"
    both = made.findings(made.audit(some, clean()), LIMITS)
    assert judged(both, "attributes").code != "not_read"
    # nobody knows what a question that is no longer here read
    lost = replace(clean(), plan={})
    assert judged(made.findings(made.audit(lost), LIMITS), "released").code == "not_read"


def test_columns_that_look_sensitive_and_were_not_guessed_are_said() -> None:
    """Of two columns that look so one was named as the secret; nothing is said where all were, or none was named."""
    columns = (("ward", "categorical", "known"), ("income", "numeric", "known"), ("diagnosis", "categorical", "known"))
    run = made.attributes()

    def left(*secrets: str, kind: Class = Class.RESTRICTED) -> str:
        guessed = replace(run, plan={**run.plan, "known": [["ward"]], "secrets": list(secrets)})
        return gaps(made.findings(made.audit(guessed, columns=columns), kind=kind))

    assert "Attributes did not guess income." in left("diagnosis")
    shareable = left("diagnosis", kind=Class.SHAREABLE)
    assert "Attributes did not guess 1 column that looks sensitive." in shareable
    assert "income" not in shareable
    assert not any("did not guess" in text for text in (left("income", "diagnosis"), left("all"), left()))
    for beside in (clean(), replace(run, plan={})):  # nobody knows what a plan that is no longer here asked
        assert "did not guess" not in gaps(made.findings(made.audit(beside, columns=columns)))


def test_what_reading_noticed_bars_within_and_never_a_leak() -> None:
    noticed = (made.doubt("kinds_apart", "age"), made.doubt("values_apart", "ward"), made.doubt("other", "illness"))
    findings = made.findings(made.audit(clean(), preparation=noticed), LIMITS, Class.RESTRICTED)
    assert [doubt.code for doubt in findings.doubts] == ["kinds_apart", "values_apart"]
    assert judged(findings, "released").code == "kinds_apart"
    leak = made.released(np.random.default_rng(2), shift=2.0)
    assert made.findings(made.audit(leak, preparation=noticed), LIMITS).overall.verdict is Verdict.ABOVE


@pytest.mark.parametrize("code", ["grids_differ", "sides_differ_too", ""])
def test_what_a_holdout_of_other_people_shows_leaves_a_release_undecided(code: str) -> None:
    """Copies beside such a holdout are open, never green; what the real table itself shows stays."""
    noticed = (made.doubt("grids_differ", "age"),) if code == "grids_differ" else ()
    runs = (made.released(np.random.default_rng(1), differ=True),) if code == "sides_differ_too" else (clean(),)
    copies = [replace(made.copies(), code=code) for code in ("copies", "recoded_copies", "near_copies")]
    many = [replace(own, figures={**own.figures, "is_many": True}) for own in copies]
    words = [
        made.findings(made.audit(*runs, give_aways=(leak,), preparation=noticed), LIMITS).overall.verdict
        for leak in (*copies, *many)
    ]
    assert words == [*3 * [Verdict.UNDECIDED if code else Verdict.LEAK], *3 * [Verdict.LEAK]]
