"""The audit of a mended release: what it keeps of the old one, and what it asks again."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.audit.give_aways import look
from riskkit.audit.repair import ask_again, effect, mend_audit, suggestions, try_mend, without_people
from riskkit.core import Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.whole_rows import Independent
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import own
from riskkit.mend.coarsening import Coarsening
from riskkit.mend.release import Mending
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import provenance
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.people.second_table import Children
from tests.pages.runs import faked

ROWS = 120
RELEASED = ReleasedPlan(attacks=("dcr",))
ATTRIBUTES = AttributePlan(secrets=("job", "sick"), known=(("age", "job"), "others"), groups=("job",), model="tree")
GAMES = MembershipPlan(generators=("independent",), targets=("random",), attacks=("neighbour",), trainings=10, n_syn=50)


def table(seed: int, *, first: int = 0) -> bytes:
    """People with a number of their own, in no order."""
    rng = np.random.default_rng(seed)
    lines = ["id,age,job,sick"]
    for row in range(ROWS):
        job = ["nurse", "clerk", "smith"][rng.integers(3)]
        lines.append(f"P{(7919 * (first + row)) % 99991:05d},{rng.integers(20, 80)},{job},{rng.integers(2)}")
    return "\n".join(lines).encode()


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """An audit of a release that was copied row by row, identifiers and all, with limits, choices and provenance."""
    made = Store(tmp_path).create("March")
    made.load("real", table(1), name="people.csv")
    made.load("synthetic", table(1).replace(b",1\n", b",0\n"), name="release.v2.csv")
    made.load("holdout", table(2, first=500), name="others.csv")
    made.choose({"id": ColumnChoice(kind=ColumnChoice.from_dict({"kind": "id"}).kind)})
    made.limit_to({"released": own(0.6, "the board")})
    made.set_provenance(provenance("independent"))
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """The plans that were started, none of which is played."""
    plans: list[Plan] = []

    def start(audit: Audit, plan: Plan, **_: Any) -> Run:
        plans.append(plan)
        return audit.run_of(plan)

    monkeypatch.setattr(Audit, "start", start)
    return plans


def answered(audit: Audit, *plans: Plan) -> None:
    """Have the audit answered these."""
    for number, plan in enumerate(plans):
        faked(audit, "finished", plan, run=f"{number:032d}")


SHUFFLE = Mending(shuffle=True)


def test_what_gives_people_away_is_what_is_suggested(audit: Audit) -> None:
    seen = look(audit.tables())
    assert suggestions(seen) == (True, True, ("id",))


def test_the_new_audit_has_all_that_the_old_one_has_but_the_release(audit: Audit) -> None:
    made = mend_audit(audit, SHUFFLE, seed=3)
    for slot in ("real", "holdout"):
        assert made.files[slot]["sha256"] == audit.files[slot]["sha256"]
        assert made.source(slot) == audit.source(slot)
    assert made.files["synthetic"]["name"] == "release_shuffled.csv"
    assert made.files["synthetic"]["sha256"] != audit.files["synthetic"]["sha256"]
    assert (made.limits, made.choices, made.provenance) == (audit.limits, audit.choices, audit.provenance)
    assert made.name == "March, changed"
    assert made.mending["of"] == audit.id
    assert not made.runs()


def test_what_gave_people_away_is_gone_but_for_the_copies(audit: Audit) -> None:
    seen = look(mend_audit(audit, Mending(shuffle=True, drop=("id",))).tables())
    assert suggestions(seen) == (False, True, ())


def half_copied(audit: Audit) -> None:
    """Load a release that copies every second person, and has a hundred years more for each of the others."""
    lines = table(1).splitlines()
    own = [line.replace(b",", b",1", 1) for line in lines[2::2]]
    audit.load("synthetic", b"\n".join([lines[0], *lines[1::2], *own]), name="release.csv")


def test_copied_rows_are_suggested_and_removed_and_no_method_made_what_is_left(audit: Audit) -> None:
    half_copied(audit)
    before = audit.tables()
    assert suggestions(look(before))[1]
    made = mend_audit(audit, Mending(copies=True))
    after = made.tables()
    assert before.synthetic is not None
    assert after.synthetic is not None
    (copies,) = [problem for problem in before.problems if problem.code == "verbatim_copies"]
    assert len(before.synthetic) - len(after.synthetic) == copies.count
    assert not suggestions(look(after))[1]
    assert not made.provenance.is_known


def test_copied_people_of_two_tables_are_not_removed_from_one(audit: Audit) -> None:
    half_copied(audit)
    tables = audit.tables()
    children = Children(key="id", names={}, tables={"synthetic": tables.real}, joins={}, schema=tables.schema)
    with pytest.raises(ParameterError, match="a second one is loaded"):
        try_mend(audit, replace(tables, children=children), Mending(copies=True))


@pytest.mark.parametrize(
    ("mending", "is_known"),
    [
        (SHUFFLE, True),
        (Mending(drop=("id",)), True),  # no method makes identifiers
        (Mending(drop=("job",)), False),
        (Mending(coarsen=(Coarsening("age", "bins", 5),)), False),
    ],
)
def test_no_method_made_a_release_whose_columns_were_changed(
    audit: Audit, started: list[Plan], mending: Mending, is_known: bool
) -> None:
    answered(audit, RELEASED, GAMES)
    made = mend_audit(audit, mending)
    again = ask_again(audit, made)
    assert made.provenance.is_known == is_known
    assert (GAMES in started) == is_known
    assert RELEASED in started
    assert bool(again.left) != is_known


def test_the_questions_that_were_answered_are_asked_again(audit: Audit, started: list[Plan]) -> None:
    answered(audit, RELEASED, ATTRIBUTES)
    faked(audit, "failed", ReleasedPlan(attacks=("mc",)), run="f" * 32)
    faked(audit, "finished", MembershipPlan(generators=("stat",), targets=("random",)), run="a" * 32)  # a what-if
    again = ask_again(audit, mend_audit(audit, SHUFFLE))
    assert sorted(started, key=lambda plan: plan.question) == [ATTRIBUTES, RELEASED]
    assert len(again.runs) == 2
    assert again.left == ()


def test_questions_about_a_column_that_is_gone_ask_about_the_rest(audit: Audit, started: list[Plan]) -> None:
    only = AttributePlan(secrets=("job",), known=("others",), model="tree")
    answered(audit, ATTRIBUTES, only)
    again = ask_again(audit, mend_audit(audit, Mending(drop=("job",))))
    (plan,) = started
    assert plan == AttributePlan(secrets=("sick",), known=(("age",), "others"), groups=(), model="tree")
    assert again.left == ("Attributes asks about columns that are gone.",)


# --------------------------------------------------------------------------------------------------------------
# Without some people


def test_people_who_are_left_out_are_in_neither_table(audit: Audit) -> None:
    made = without_people(audit, (0, 5), seed=1)
    old, new = audit.tables(), made.tables()
    assert new.synthetic is not None
    assert (len(new.real), len(new.synthetic)) == (ROWS - 2, ROWS)
    kept = [row for row in range(ROWS) if row not in (0, 5)]
    assert [*new.real.keys()] == [*old.real.rows(kept).keys()]
    assert made.provenance == audit.provenance
    assert made.mending["left_out"] == [0, 5]


def test_the_method_never_saw_whom_was_left_out(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Table] = []
    fit = Independent.fit

    def watched(self: Independent, rows: Table, rng: np.random.Generator) -> Any:
        seen.append(rows)
        return fit(self, rows, rng)

    monkeypatch.setattr(Independent, "fit", watched)
    without_people(audit, (7,))
    assert len(seen[0]) == ROWS - 1


def test_rows_that_have_moved_are_not_asked_about_by_number(audit: Audit, started: list[Plan]) -> None:
    named = RecordsPlan(generator="independent", records="ids:3,9", inside=10, outside=10, shadows=5, n_syn=50)
    answered(audit, RELEASED, named)
    again = ask_again(audit, without_people(audit, (0,)))
    assert started == [RELEASED]
    assert again.left == ("Records names rows by their numbers, which have moved.",)


@pytest.mark.parametrize(
    ("rows", "why"),
    [((), "Nobody is left out"), ((ROWS,), "rows 0 to 119"), ((-1,), "rows 0 to"), (range(80), "at least 50")],
)
def test_who_cannot_be_left_out_is_a_sentence(audit: Audit, rows: tuple[int, ...], why: str) -> None:
    with pytest.raises(DesignError, match=why):
        without_people(audit, rows)


def test_without_a_method_nobody_can_be_left_out(audit: Audit) -> None:
    audit.set_provenance(provenance("unknown"))
    with pytest.raises(DesignError, match="which method made it"):
        without_people(audit, (1,))


# --------------------------------------------------------------------------------------------------------------
# What it would change


def test_an_effect_is_a_sentence(audit: Audit) -> None:
    tables = audit.tables()
    (bins,) = try_mend(audit, tables, Mending(coarsen=(Coarsening("age", "width", 10),))).coarsened
    assert effect(bins).startswith(f"{bins.before} different values become 6; ")
    (rare,) = try_mend(audit, tables, Mending(coarsen=(Coarsening("job", "rare", 5),))).coarsened
    assert effect(rare) == f"Nothing changes: the rarest value stands in {rare.fewest} rows."


def test_a_column_that_is_not_there_is_a_sentence(audit: Audit) -> None:
    with pytest.raises(ParameterError, match="'ward'"):
        mend_audit(audit, Mending(drop=("ward",)))
    assert len(Store(audit.path.parents[1]).audits()) == 1
