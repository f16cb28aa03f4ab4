"""Two releases of one real table: which people are the same, what is paired, what is refused, what the words say."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.audit import comparison_words as words
from riskkit.audit.comparison import NOT_COMPARED, ONLY_ONE, compare
from riskkit.audit.repair import mend_audit, without_people
from riskkit.core import Estimate, Role
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import own
from riskkit.mend.release import Mending
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import provenance
from riskkit.show.model import Class
from riskkit.show.pairs import HIGHER, LOWER, NOT_SHOWN, SOME_HIGHER, Paired
from riskkit.stats.same import Moved
from riskkit.table.kinds.choice import ColumnChoice
from tests.pages.runs import changed, faked

ROWS = 120
RELEASED = ReleasedPlan(attacks=("dcr", "mc"), reference="aside")
ATTRIBUTES = AttributePlan(secrets=("job",), model="tree")
GAMES = {"targets": ("random",), "attacks": ("neighbour",), "trainings": 12, "generations": 1, "n_syn": 130, "seed": 1}
RECORDS = {"records": "top:8", "inside": 12, "outside": 12, "again": 0, "shadows": 5, "n_syn": 130, "seed": 1}


def table(seed: int) -> bytes:
    """People of whom age tells the job, but for a few."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, ROWS)
    job = np.where(rng.random(ROWS) < 0.7, np.array(["nurse", "clerk", "smith"])[age % 3], "judge")
    pay = rng.integers(0, 5000, ROWS)
    return "\n".join(["age,job,pay", *(f"{a},{j},{p}" for a, j, p in zip(age, job, pay, strict=True))]).encode()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Audit]:
    """Makes audits in one store."""
    store = Store(tmp_path)

    def audit(name: str, release: bytes, *, real: int = 1, holdout: int = 2) -> Audit:
        made = store.create(name)
        for slot, content in (("real", table(real)), ("synthetic", release), ("holdout", table(holdout))):
            made.load(slot, content, name=f"{slot}.csv")
        made.limit_to({"released": own(0.6, "the board"), "records": own(0.6, "the board")})
        return made

    return audit


PLAYED: dict[tuple[str, str], Any] = {}
"""What was played of these tables before: the same plan on the same tables gives the same result."""


def play(audit: Audit, plan: Plan, run: str) -> None:
    """A finished run of that plan."""
    key = audit.revision, repr(plan)
    if key not in PLAYED:
        PLAYED[key] = question(plan.question).work_out(audit, plan)
    changed(faked(audit, "finished", plan, run=run * 32), result=PLAYED[key])


def asked(audit: Audit) -> Audit:
    """The audit with the two questions that files answer."""
    play(audit, RELEASED, "a")
    play(audit, ATTRIBUTES, "b")
    return audit


# --------------------------------------------------------------------------------------------------------------
# Which two


def test_audits_of_different_real_tables_are_refused(make: Callable[..., Audit]) -> None:
    with pytest.raises(DesignError, match=r"different real tables.*different people"):
        compare(make("A", table(1)), make("B", table(1), real=5))


def test_one_audit_twice_and_one_without_a_release_are_refused(make: Callable[..., Audit]) -> None:
    audit = make("A", table(1))
    with pytest.raises(DesignError, match="one audit twice"):
        compare(audit, audit)
    bare = make("B", table(1))
    bare.drop("synthetic")
    with pytest.raises(DesignError, match="B has no real table or no release"):
        compare(audit, bare)


# --------------------------------------------------------------------------------------------------------------
# The files


def test_a_release_that_copies_people_is_worse_than_one_that_does_not(make: Callable[..., Audit]) -> None:
    comparison = compare(asked(make("copy", table(1))), asked(make("other", table(3))))
    by_name = {line.question: line for line in comparison.lines}
    released, attributes = by_name["released"], by_name["attributes"]
    assert released.change == LOWER
    assert len(released.pairs) == 2
    assert all(pair.looks == 2 and pair.estimate.high < 0 for pair in released.pairs)
    assert attributes.change == LOWER
    assert by_name["contest"].change == ONLY_ONE
    assert comparison.count(LOWER) == 2
    assert words.sentence(comparison) == "Of the 2 questions that both were asked, release B shows less in 2."
    assert words.summary(comparison)[:2] == (
        "B is better: 2 tests found no leak in it.",
        "Its file no longer exposes people by: order of the rows, copied rows, single values of one person alone.",
    )
    copies = next(pair for pair in comparison.give_aways if pair[0] and pair[0].code == "copies")
    assert words.give_away(*copies) == ("exposes people", "nothing found")


def test_the_other_way_round_is_the_same_with_the_sign_turned(make: Callable[..., Audit]) -> None:
    first, second = asked(make("copy", table(1))), asked(make("other", table(3)))
    there, back = (
        {line.question: line for line in comparison.lines}
        for comparison in (compare(first, second), compare(second, first))
    )
    for asked_of in ("released", "attributes"):
        forwards = {pair.who: pair.estimate for pair in there[asked_of].pairs}
        backwards = {pair.who: pair.estimate for pair in back[asked_of].pairs}
        assert forwards.keys() == backwards.keys()
        for who, estimate in forwards.items():
            turned = backwards[who]
            assert (turned.value, turned.low, turned.high) == pytest.approx(
                (-estimate.value, -estimate.high, -estimate.low)
            )
    assert back["released"].change == HIGHER


def test_the_share_of_right_guesses_is_counted_by_hand(make: Callable[..., Audit]) -> None:
    first, second = asked(make("copy", table(1))), asked(make("other", table(3)))
    right = []
    for audit in (first, second):
        (run,) = audit.runs("attributes")
        (kept,) = run.result["records"]
        right.append(dict(zip(kept["row"], kept["right"], strict=True)))
    assert right[0].keys() == right[1].keys() == set(range(ROWS))
    by_hand = sum(right[1].values()) / ROWS - sum(right[0].values()) / ROWS
    line = next(line for line in compare(first, second).lines if line.question == "attributes")
    assert line.pairs[0].estimate.value == pytest.approx(by_hand)


def test_a_shuffled_release_shows_no_difference(make: Callable[..., Audit]) -> None:
    old = asked(make("copy", table(1)))
    comparison = compare(old, asked(mend_audit(old, Mending(shuffle=True), seed=1)))
    for line in comparison.questions:
        assert line.change == NOT_SHOWN, line.question
        assert all(pair.estimate.low <= 0 <= pair.estimate.high for pair in line.pairs)
    assert "no difference in 2" in words.sentence(comparison)
    order = next(pair for pair in comparison.give_aways if pair[0] and pair[0].code == "row_order")
    assert words.give_away(*order) == ("exposes people", "nothing found")
    assert words.summary(comparison)[0] == "B is better, not safe."
    leaks = {line.question for line in comparison.questions if line.after.shows_leak}
    assert leaks, "the copies are there still"
    assert [line.after.shows_leak for line in comparison.questions] == sorted(
        (line.after.shows_leak for line in comparison.questions), reverse=True
    )


def test_other_holdouts_are_not_paired(make: Callable[..., Audit]) -> None:
    comparison = compare(asked(make("copy", table(1))), asked(make("other", table(3), holdout=7)))
    assert not any(line.pairs for line in comparison.lines)
    assert not comparison.has_same_holdout
    assert words.OTHER_HOLDOUT in words.notes(comparison)


def test_a_file_is_not_clean_where_its_audit_had_no_holdout(make: Callable[..., Audit]) -> None:
    people, others = (table(seed).decode().splitlines() for seed in (1, 3))
    rows = [
        f"{other.rpartition(',')[0]},{person.rpartition(',')[2]}" for person, other in zip(people, others, strict=True)
    ]
    rows[1:] = np.random.default_rng(1).permutation(rows[1:]).tolist()
    old, new = (make(name, "\n".join(rows).encode()) for name in ("holdout", "none"))
    assert words.summary(compare(old, make("other", table(3))))[:2] == (
        "B is better. No test of it has finished yet.",
        "Its file no longer exposes people by: single values of one person alone.",
    )
    new.drop("holdout")
    comparison = compare(old, new)
    asked_of_none = "No question was asked of both releases yet."
    assert words.summary(comparison)[0] == words.summary(compare(new, old))[0] == asked_of_none
    assert words.summary(comparison)[1].startswith("Its file may expose people by: ")
    assert words.summary(compare(new, old))[1].startswith("Its file exposes people by: ")
    values = next(pair for pair in comparison.give_aways if pair[0] and pair[0].code == "values")
    assert words.give_away(*values) == ("exposes people", "may expose people")
    assert words.give_away(
        *next(pair for pair in compare(new, old).give_aways if pair[1] and pair[1].code == "values")
    ) == ("may expose people", "exposes people")


def test_a_release_is_not_lower_by_a_column_that_its_audit_leaves_out(make: Callable[..., Audit]) -> None:
    old, new = asked(make("all", table(1))), make("fewer", table(1))
    new.choose({"pay": ColumnChoice(role=Role.IGNORED, reason="too much")})
    released = next(line for line in compare(old, asked(new)).lines if line.question == "released")
    lower = replace(released, pairs=(pair(-0.2, -0.1, -0.05),))
    assert lower.change == NOT_COMPARED
    assert words.line(lower) == "Release B cannot be called lower. Its audit reads pay otherwise than the other one."
    assert replace(released, pairs=(pair(0.05, 0.1, 0.2),)).change == HIGHER


def test_a_release_is_not_lower_by_values_that_hardly_meet_the_real_ones(make: Callable[..., Audit]) -> None:
    renumbered = (
        table(1).replace(b"nurse", b"1").replace(b"clerk", b"2").replace(b"smith", b"3").replace(b"judge", b"4")
    )
    comparison = compare(asked(make("copy", table(1))), asked(make("codes", renumbered)))
    assert not comparison.count(LOWER)
    attributes = next(line for line in comparison.lines if line.question == "attributes")
    assert "Release B cannot be called lower. Real and released values of job hardly meet." in words.line(attributes)


def test_numbers_of_other_settings_are_not_compared(make: Callable[..., Audit]) -> None:
    old, new = asked(make("copy", table(1))), make("other", table(3))
    play(new, AttributePlan(secrets=("pay",), model="tree"), "b")
    line = next(line for line in compare(old, new).lines if line.question == "attributes")
    assert line.change == NOT_COMPARED
    assert words.line(line) == "The two were asked with different settings, so their numbers are not compared."


def test_a_release_is_not_lower_by_one_attack_where_another_tells_more(make: Callable[..., Audit]) -> None:
    released = next(
        line for line in compare(asked(make("copy", table(1))), asked(make("b", table(1)))).lines if line.pairs
    )
    lower, higher = pair(-0.2, -0.1, -0.05), pair(0.05, 0.1, 0.2)
    both = replace(released, pairs=(lower, higher))
    assert both.change == SOME_HIGHER
    assert words.line(both) == f"{words.pair(lower)} {words.pair(higher)}"
    assert replace(both, pairs=(lower,)).change == LOWER
    assert replace(both, pairs=(higher, lower)).change == HIGHER


def test_a_question_that_one_alone_was_asked_is_said_so(make: Callable[..., Audit]) -> None:
    old, new = asked(make("copy", table(1))), make("other", table(3))
    play(new, RELEASED, "a")
    line = next(line for line in compare(old, new).lines if line.question == "attributes")
    assert line.change == ONLY_ONE
    assert words.line(line) == "Only release A was asked."


def test_a_shareable_comparison_names_no_row(make: Callable[..., Audit]) -> None:
    comparison = compare(asked(make("copy", table(1))), asked(make("other", table(3))), kind=Class.SHAREABLE)
    text = " ".join(words.line(line) for line in comparison.questions)
    assert "job, knowing all other columns" in text


# --------------------------------------------------------------------------------------------------------------
# Games on methods


def games(audit: Audit, method: str) -> Audit:
    """The audit with games on the method that made it."""
    audit.set_provenance(provenance(method))
    play(audit, MembershipPlan(generators=(method,), **GAMES), "c")  # type: ignore[arg-type]
    play(audit, RecordsPlan(generator=method, **RECORDS), "d")  # type: ignore[arg-type]
    return audit


@pytest.mark.second
def test_games_are_paired_on_the_same_targets(make: Callable[..., Audit]) -> None:
    old, new = games(make("copy", table(1)), "identity"), games(make("other", table(3)), "independent")
    by_name = {line.question: line for line in compare(old, new).lines}
    (target,) = by_name["membership"].pairs
    assert target.of == "AUC on the same target"
    assert target.estimate.high < 0
    (records,) = by_name["records"].pairs
    assert records.moved is not None
    with_number = [
        {record["row"] for record in audit.runs("records")[0].result["records"] if record["first"] is not None}
        for audit in (old, new)
    ]
    counted = len(with_number[0] & with_number[1])
    assert 5 <= counted <= 8
    assert (records.moved.records, records.moved.above_before) == (counted, counted)
    assert records.estimate.high < 0


@pytest.mark.second
def test_who_was_left_out_is_in_no_pair(make: Callable[..., Audit]) -> None:
    old = games(asked(make("copy", table(1))), "identity")
    gone = [int(record["row"]) for record in old.runs("records")[0].result["records"][:3]]
    new = asked(without_people(old, gone, seed=1))
    play(new, RecordsPlan(generator="identity", **RECORDS), "d")  # type: ignore[arg-type]
    for first, second, sign in ((old, new, 1), (new, old, -1)):
        comparison = compare(first, second)
        assert comparison.left_out == 3
        by_name = {line.question: line for line in comparison.lines}
        assert by_name["attributes"].pairs[0].estimate.n <= ROWS - 3
        (records,) = by_name["records"].pairs
        assert records.moved is not None
        assert records.moved.records == 5
        old_right = old.runs("attributes")[0].result["records"][0]
        new_right = new.runs("attributes")[0].result["records"][0]
        kept = [row for row in range(ROWS) if row not in gone]
        mine = dict(zip(old_right["row"], old_right["right"], strict=True))
        other = dict(zip(new_right["row"], new_right["right"], strict=True))
        by_hand = np.mean([int(other[index]) - int(mine[row]) for index, row in enumerate(kept)])
        assert by_name["attributes"].pairs[0].estimate.value == pytest.approx(sign * by_hand)


# --------------------------------------------------------------------------------------------------------------
# Words


def pair(low: float, value: float, high: float, moved: Moved | None = None) -> Paired:
    """A difference with that interval."""
    return Paired("dcr", "AUC", Estimate("auc_difference", value, low, high, 0.95, "", 100), 1, True, moved)


def test_what_a_difference_comes_to() -> None:
    assert pair(-0.2, -0.1, -0.05).change == LOWER
    assert pair(0.05, 0.1, 0.2).change == HIGHER
    assert pair(-0.05, 0.1, 0.2).change == NOT_SHOWN
    assert pair(0.0, 0.1, 0.2).change == NOT_SHOWN, "the interval holds 0"
    assert words.pair(pair(-0.05, 0.1, 0.2)) == "No difference shown: +0.10 [-0.05, +0.20] (AUC, dcr)."
    assert words.pair(pair(-0.2, -0.1, -0.05)) == "Lower by 0.10 [0.05, 0.20] (AUC, dcr)."
    assert words.pair(pair(0.001, 0.004, 0.2)) == "Higher by 0.004 [0.001, 0.200] (AUC, dcr)."


def test_somebody_who_came_above_the_limit_is_not_hidden_by_a_mean() -> None:
    moved = Moved(30, 5, 2, under=4, over=1, under_shown=3, over_shown=1)
    change = pair(-0.2, -0.1, -0.05, moved)
    assert change.change == SOME_HIGHER
    assert pair(-0.2, -0.1, -0.05, replace(moved, over_shown=0)).change == LOWER
    assert words.movers_in_words(moved, 0.7) == (
        "Of 30 records in both, 5 lay above 0.70 and 2 do now: 4 moved under it and 1 over it, 3 and 1 of them by more "
        "than chance."
    )


def test_every_change_has_an_arrow_and_a_word() -> None:
    assert set(words.CHANGES) == {LOWER, HIGHER, SOME_HIGHER, NOT_SHOWN, NOT_COMPARED, ONLY_ONE}
