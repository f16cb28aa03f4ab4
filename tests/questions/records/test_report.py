"""What the game for every record says in a report: counted by hand, and careful about having looked at many."""

from statistics import NormalDist
from typing import Any

import pytest

from riskkit.audit.report_facts import titles
from riskkit.core import Estimate
from riskkit.judging.measurement import Judgement, Limit, Verdict
from riskkit.judging.provenance import Provenance
from riskkit.questions.records.present import TOGETHER
from riskkit.questions.records.result import RecordsResult, risks
from riskkit.report import labels
from riskkit.show.model import Answer, Class, Played, RunFinding
from riskkit.show.names import Names
from tests.report.audited import made
from tests.report.audited.made import record

MADE_BY = Provenance("bayesnet")
"""The method of these games made the release."""


def run(records: list[dict[str, Any]], **plan: Any) -> Played:
    return made.records(records, **plan)


def answer(played: Played, limit: float | None = None, kind: Class = Class.SHAREABLE) -> Answer:
    limits = {} if limit is None else {"records": Limit(limit, "t")}
    findings = made.findings(made.audit(played, provenance=MADE_BY), limits, kind)
    return next(answer for answer in findings.answers if answer.question == "records")


def judged(played: Played, limit: float | None = None) -> Judgement:
    judgement = answer(played, limit).judgement
    assert judgement is not None
    return judgement


def finding(played: Played, limit: float | None = None, kind: Class = Class.SHAREABLE) -> RunFinding:
    own = answer(played, limit, kind).finding
    assert own is not None
    return own


def test_the_strongest_record_is_judged_as_the_best_of_all() -> None:
    """At 95 % it lies above one half by itself; of 100 it would have to be 3.3 standard errors above, 0.63."""
    many = [record(row, 0.5, 0.05) for row in range(99)] + [record(99, 0.6, 0.05)]
    assert judged(run(many)).verdict is Verdict.UNDECIDED
    assert judged(run(many[-1:])).verdict is Verdict.LEAK
    assert judged(run([*many[:-1], record(99, 0.65, 0.05)])).verdict is Verdict.LEAK


def test_the_lower_end_is_the_highest_limit_above_which_anybody_is_listed() -> None:
    """Of 20 alike all are listed or none: at one in twenty. Of one among 20, at one in 400."""
    alike = finding(run([record(row, 0.9) for row in range(20)])).measured.strongest
    assert alike is not None
    assert alike.low == pytest.approx(made.lower_limit(0.9, 0.05), abs=1e-4)
    alone = finding(run([record(0, 0.9), *(record(row, 0.5) for row in range(1, 20))])).measured.strongest
    assert alone is not None
    assert alone.low == pytest.approx(made.lower_limit(0.9, 0.05 / 20), abs=1e-4)


def test_the_upper_end_is_as_much_wider_as_the_normal_law_says() -> None:
    widest = finding(run([record(row, 0.7) for row in range(20)])).measured.widest
    assert widest is not None
    wide = NormalDist().inv_cdf(1 - 0.05 / 40) / NormalDist().inv_cdf(0.975)
    assert widest.high == pytest.approx(0.7 + 0.05 * wide)
    assert widest.level == pytest.approx(1 - 0.05 / 20)


MIXED = [record(0, 0.9), record(1, 0.8), record(2, 0.75), *(record(row, 0.5) for row in range(3, 30))]
FRESH = [record(0, 0.95, fresh=(0.7, 0.1)), *MIXED[1:]]
"""After the first look record 0 was played again, and showed much less."""


@pytest.mark.parametrize("each", [MIXED, FRESH, MIXED[3:]])
@pytest.mark.parametrize("limit", [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9])
def test_a_limit_is_exceeded_exactly_where_somebody_is_listed_above_it(
    each: list[dict[str, Any]], limit: float
) -> None:
    played = run(each)
    assert played.result is not None
    listed = int(risks(RecordsResult.from_plain(played.result)).listed(limit).sum())
    assert (judged(played, limit).verdict is Verdict.ABOVE) == (listed > 0)
    sentence = finding(played, limit, Class.RESTRICTED).sentence
    assert sentence.startswith(f"Of {len(each)} records tested, {listed} are listed above {limit:g};")


def test_without_a_limit_those_above_guessing_are_counted() -> None:
    assert finding(run(MIXED), None, Class.RESTRICTED).sentence == ("Of 30 records tested, at least 3 are exposed.")


def test_the_sentence_says_by_which_columns_most_of_those_listed_stand_out() -> None:
    """Whoever may not see names of columns, or fewer than ten people counted out, is not told."""

    def exposed(row: int, *columns: str) -> dict[str, Any]:
        tells = {"columns": list(columns), "above": 9, "both": 2, "proof": False, "seen": 0.5, "part": 0.5}
        return record(row, 0.9, certificate={**made.certificate(0.9, 0.9), "telling": [tells]})

    stays = [exposed(0, "stay"), exposed(1, "age", "stay"), exposed(2, "age"), exposed(3, "ward", "stay")]
    played = run([*stays, *(record(row, 0.5) for row in range(4, 30))])
    own, shared = (finding(played, None, kind).sentence for kind in (Class.RESTRICTED, Class.SHAREABLE))
    assert own == "Of 30 records tested, at least 4 are exposed, mainly by “stay”, “age”."
    assert shared == "Of 30 records tested, fewer than 10 are exposed."
    above = finding(played, 0.6, Class.RESTRICTED).sentence
    assert above.startswith("Of 30 records tested, 4 are listed above 0.6, mainly by “stay”, “age”; ")


def test_no_planted_leak_no_absence() -> None:
    clean = run([record(row, 0.5, 0.01) for row in range(5)])
    assert judged(clean, 0.7).code == "no_control"


def certified(row: int, value: float, high: float) -> dict[str, Any]:
    return record(row, 0.5, 0.01, certificate=made.certificate(value, high))


def test_the_best_attack_there_can_be_rules_a_leak_out() -> None:
    """Exact, so nothing is widened: every record at .64 or below, and no attack can do better."""
    exact = [certified(row, 0.60 + row / 100, 0.60 + row / 100) for row in range(5)]
    within = judged(run(exact), 0.7)
    assert within.verdict is Verdict.WITHIN
    assert "no attack can reach more than 0.64 on any record" in within.why
    above = judged(run(exact), 0.63)
    assert above.verdict is Verdict.UNDECIDED
    assert "More trainings cannot rule it out" in above.settle


def test_one_record_without_the_best_attack_leaves_it_undecided() -> None:
    judgement = judged(run([certified(0, 0.6, 0.6), record(1, 0.5, 0.01)]), 0.7)
    assert judgement.verdict is Verdict.UNDECIDED
    assert "not computed for every record" in judgement.why
    assert "page Membership" in judgement.settle


def test_a_best_attack_found_on_drawn_rows_is_widened_for_all_of_them() -> None:
    """.60 + .05 is below .66 by itself; as one of 100 it reaches .60 + .05 · 3.48 / 1.96 = .69."""
    drawn = [certified(row, 0.60, 0.65) for row in range(100)]
    assert judged(run(drawn[:1]), 0.66).verdict is Verdict.WITHIN
    assert judged(run(drawn), 0.66).verdict is Verdict.UNDECIDED
    widest = finding(run(drawn)).measured.widest
    assert widest is not None
    assert widest.high == pytest.approx(0.6888, abs=2e-4)


def test_a_leak_is_shown_whatever_the_best_attack() -> None:
    seen = record(0, 0.9, 0.02, certificate=made.certificate(0.95, 0.95))
    assert judged(run([seen]), 0.7).verdict is Verdict.ABOVE


def test_a_table_that_was_drawn_is_another_one() -> None:
    drawn = answer(run([record(0, 0.9)], people=50))
    assert (drawn.finding, len(drawn.what_ifs)) == (None, 1)
    assert drawn.what_ifs[0].finding.what_if == "If other people had been in the table"


def test_releases_of_another_size_bar_one_direction() -> None:
    """The release has 300 rows."""
    exact = [certified(row, 0.60, 0.60) for row in range(5)]
    assert judged(run(exact, n_syn=200), 0.7).code == "fewer_rows"
    assert judged(run(exact, n_syn=400), 0.7).verdict is Verdict.WITHIN
    assert judged(run([record(0, 0.9)], n_syn=200), 0.7).verdict is Verdict.ABOVE
    assert judged(run([record(0, 0.9)], n_syn=400), 0.7).code == "more_rows"


def test_records_whose_scores_never_differ_say_nothing() -> None:
    silent = record(0, 0.5, auc=None, first=None)
    judgement = judged(run([silent]), 0.7)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "no_number")


def test_records_at_risk_are_sorted_and_named_by_reference_only() -> None:
    played = run([record(17, 0.6), record(18, 0.9), record(19, 0.5)])
    shared, own = (finding(played, kind=kind) for kind in Class)
    assert [person.reference for person in own.at_risk] == ["record 18", "record 17"]
    assert all("R-" in person.reference for person in shared.at_risk)
    assert shared.sentence == "Of 3 records tested, some are exposed.", "not that of 3 fewer than 10 are"
    limited = finding(played, kind=Class.SHAREABLE).counts
    assert limited is not None
    assert "Of 3 records tested, some are listed above 0.7" in limited.sentence(0.7)
    assert "fewer than 10 of 3" not in limited.sentence(0.7)
    assert "2 are exposed" in own.sentence
    assert not [e for e in shared.estimates if e.name == "records_above"]
    assert [e for e in own.estimates if e.name == "records_above"]


def test_what_all_attacks_reach_is_called_so_and_low_shares_are_told_apart() -> None:
    """Nobody takes it for a method of somebody's own, nor for the attacks of that name on single people."""
    low = {"generator": "bayesnet", "fpr": "0.001"}
    shown = [Estimate("tpr_at_fpr", 0.1, 0.1, 0.1, 0.95, "made up", 64, {"attack": name, **low}) for name in TOGETHER]
    reader = Names(Class.SHAREABLE, b"k", (), titles())
    called = [labels.about(reader.estimate(each), titles()) for each in shown]
    assert [words[0] for words in called] == [*TOGETHER.values()]
    assert {words[-1] for words in called} == {"at 0.1 % false alarms"}
