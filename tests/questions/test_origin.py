"""Whether the method that was named can have made the release: its own releases can, and others cannot."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskkit import registry
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.jobs.pool import Pool
from riskkit.questions import origin
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.question import run as run_membership
from riskkit.questions.membership.result import MembershipResult
from riskkit.questions.origin import LEVEL, ReleaseOrigin, compare, origins_of, release_to_compare
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.seeds import stream
from riskkit.session import ask
from riskkit.table.load import Tables
from tests.tables import from_frame, mixed

PEOPLE = mixed(600)
REAL, HOLDOUT = PEOPLE.rows(np.arange(300)), PEOPLE.rows(np.arange(300, 600))
PLAN = MembershipPlan(generators=("bayesnet",), k=1, trainings=40, attacks=("neighbour:own=20",))


def release_of(method: str, real: Table, seed: int = 0, rows: int = 300) -> Table:
    rng = stream(seed, "test", method)
    return registry.parse("generators", method).fit(real, rng).sample(rows, rng)


def tables_with(release: Table | None) -> Tables:
    return Tables(REAL, release, HOLDOUT, REAL.schema, (), ())


def origin_of(tables: Tables) -> ReleaseOrigin:
    release = release_to_compare(tables, second_table=False)
    (likeness,) = origins_of(tables.real, release, ("bayesnet",), Pool.open(12)) or ()
    return likeness


def nasty(n: int = 200) -> Table:
    """A table of ties: every row many times, a level of one row, and a number that is nearly always the same."""
    plain = mixed(n)
    return plain.rows(np.where(np.arange(n) == 0, 11, np.arange(n) % 7))


@pytest.mark.parametrize("table", [mixed, nasty])
@pytest.mark.parametrize("method", ["bayesnet", "independent", "synthpop", "mst", "bootstrap"])
def test_a_release_of_the_method_is_hardly_ever_taken_for_anothers(method: str, table: type) -> None:
    """Of 40 releases each is set beside twelve of the others, many times over."""
    real = table(200)
    kept = np.array([origin._keeps(real, release_of(method, real, seed, 200)) for seed in range(40)])
    rng, times = np.random.default_rng(1), 1_000
    wrong = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origin, "_keeps", lambda _, place: kept[place])
        for _ in range(times):
            own, *others = rng.permutation(len(kept))[:13]
            wrong += compare(method, real, own, others).is_other
    assert wrong <= 10 * LEVEL * times


@pytest.mark.parametrize("method", ["independent", "synthpop", "bootstrap", "mst"])
def test_a_release_of_another_method_is_no_release_of_the_one_that_was_named(method: str) -> None:
    tables = tables_with(release_of(method, REAL))
    likeness = origin_of(tables)
    assert likeness.is_other
    assert not likeness.low <= likeness.value <= likeness.high
    assert likeness.releases == origin.RELEASES


def test_a_file_with_fewer_decimals_is_still_a_release_of_the_method() -> None:
    rng = np.random.default_rng(3)
    fine = from_frame(pd.DataFrame({"income": np.round(rng.gamma(3, 20, 400), 3), "age": rng.integers(18, 80, 400)}))
    release = release_of("bayesnet", fine)
    rounded = replace(release, numbers=np.round(release.numbers, 1))
    likeness = origin_of(Tables(fine, rounded, None, fine.schema, (), ()))
    assert not likeness.is_other


@pytest.mark.parametrize(("method", "rows"), [("identity", 250), ("randomised_response", 250), ("bayesnet", 700)])
def test_a_release_of_another_length_than_the_real_table_is_compared_too(method: str, rows: int) -> None:
    """Some methods make no fewer rows than there are real ones; whoever released fewer left some out."""
    tables = tables_with(release_of(method, REAL, rows=max(rows, len(REAL))).rows(np.arange(rows)))
    (likeness,) = run_membership(tables, replace(PLAN, generators=(method,))).origins or ()
    assert not likeness.is_other


def test_a_method_that_refuses_so_many_rows_is_left_out_and_the_game_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise DesignError("No more rows.")

    monkeypatch.setattr(origin, "_make", refuse)
    assert run_membership(tables_with(release_of("mst", REAL)), PLAN).origins == ()


def test_nothing_is_compared_without_a_release_or_on_made_worlds() -> None:
    assert run_membership(tables_with(None), PLAN).origins is None
    made = replace(PLAN, worlds="equal")
    assert run_membership(tables_with(release_of("mst", REAL)), made).origins is None


def test_a_method_named_by_mistake_clears_nobody() -> None:
    """Far below its limit, membership is within it for a release of the method, and open for that of another."""
    words = {}
    for method in ("bayesnet", "independent"):
        tables = replace(tables_with(release_of(method, REAL)), made_by="bayesnet")
        answer = ask.membership(tables, PLAN, limit=0.999)
        ((finding, _),) = answer.verdicts.judged
        words[method] = answer.verdict, [reason.code for reason in finding.measured.reasons]
    assert words == {"bayesnet": ("within the limit", []), "independent": ("undecided", ["another_method"])}


def test_what_was_compared_is_kept_and_shared_by_workers() -> None:
    tables = tables_with(release_of("independent", REAL))
    once, again = (run_membership(tables, PLAN, workers=workers) for workers in (1, 2))
    assert once.origins == again.origins == MembershipResult.from_plain(once.plain()).origins
    records = run_records(tables, RecordsPlan(generator="bayesnet", records="top:2", inside=20, outside=20))
    assert records.origins == once.origins
