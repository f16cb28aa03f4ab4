"""A growing table, released every year: against every sequence of releases of small tables."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Terms, certify, certify_growth
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import play_table, run_records
from riskkit.table.load import Tables
from tests.questions.records.enumeration import FPR, MOST, Best, fits_of, judged, listed, possible, releases_of
from tests.questions.records.fuzzed import method, small
from tests.questions.records.tally import Tally


def grown(seed: int) -> tuple[Table, Table]:
    """A small table, and the same with up to as many people more, who are like others with two columns mixed up."""
    first, rng = small(seed), np.random.default_rng([seed, 5])
    more = rng.integers(len(first), size=int(rng.integers(1, len(first) + 1)))
    codes, numbers = first.codes[more].copy(), first.numbers[more].copy()
    if codes.shape[1]:
        codes[:, 0] = rng.permutation(codes[:, 0])
    return first, first.plus(Table(first.schema, codes, numbers))


def best(tables: tuple[Table, Table], generator: Any, row: int, n: int) -> tuple[Best, int] | None:
    """The best attack on the two releases of so many rows, or fewer, by listing all pairs of them."""
    fits = [fits_of(generator, table, row) for table in tables]
    sizes = [possible(*pair) for pair in fits]
    while n > 1 and releases_of(sizes[0], n) * releases_of(sizes[1], n) > MOST:
        n -= 1
    if releases_of(sizes[0], n) * releases_of(sizes[1], n) > 20 * MOST:
        return None
    (chances, ratios), (others, more) = (listed(*pair, n) for pair in fits)
    both = (chances[:, :, None] * others[:, None, :]).reshape(2, -1)
    with np.errstate(invalid="ignore"):
        sums: Floats = np.add.outer(ratios, more).ravel()
    seen = both.any(axis=0)
    return judged(both[0, seen], both[1, seen], np.round(sums[seen], 9)), n


def compared(seeds: range, *, grows: bool = True) -> Tally:
    """One record of every growing table that can be listed; the planted fault is the first year's law for both."""
    tally = Tally()
    for seed in seeds:
        tables, (generator, n) = grown(seed), method(seed)
        by_hand = best(tables, generator, 0, n)
        if by_hand is None:
            continue
        attack, n = by_hand
        terms = Terms(2 * n, fpr=FPR, curve=(0.0, 1.0), releases=2)
        ((certificate,),) = certify_growth(([tables[0], tables[grows]], generator), [[0]], terms, seed)
        if certificate is None:
            continue
        tally.add(certificate, attack, generator.name, seed)
        assert [after.releases for after in certificate.after] == [1, 2]
        assert certificate.after[-1].auc == certificate.auc.value
    return tally


@pytest.mark.parametrize(
    ("seeds", "least"), [(range(32), 14), pytest.param(range(8_000, 9_060), 1_000, marks=pytest.mark.slow)]
)
def test_two_years_against_every_pair_of_releases(seeds: range, least: int) -> None:
    """AUC, advantage, true positive rate and chance of a proof, as the question asks for them."""
    tally = compared(seeds)
    assert tally.exact.total() > least
    assert not tally.far, str(tally)


def test_the_second_year_counts_its_own_table() -> None:
    assert len(compared(range(12), grows=False).far) > 4


def test_of_one_table_it_is_the_certificate_of_several_releases() -> None:
    table = small(7)
    ((grown_to,),) = certify_growth(([table, table], BayesNet()), [[0]], Terms(6, releases=2), 1)
    assert grown_to is not None
    (certificate,) = certify(table, BayesNet(), [0], Terms(6, releases=2), 1)
    assert [after.auc for after in grown_to.after] == pytest.approx(
        [after.auc for after in certificate.after], abs=1e-6
    )


def tables_of(table: Table, holdout: Table | None = None) -> Tables:
    return Tables(table, None, holdout, table.schema, (), ())


def years_of(tables: tuple[Table, Table]) -> str:
    return ",".join(str(len(table)) for table in tables)


def test_the_question_plays_and_certifies_those_of_the_first_release() -> None:
    first, last = grown(4)
    plan = RecordsPlan(
        "bayesnet",
        "all",
        inside=5,
        outside=5,
        shadows=3,
        again=0,
        n_syn=7,
        certificate=True,
        yearly=years_of((first, last)),
    )
    result = play_table(tables_of(last), plan)
    assert result.rows.tolist() == list(range(len(first)))
    assert plan.releases == 2
    assert plan.n_seen == 14
    terms, rows = Terms(14, plan.fpr, releases=2), [result.rows.tolist()]
    (certificates,) = certify_growth(([first, last], BayesNet()), rows, terms, plan.seed)
    assert [certificate.auc for certificate in result.certificates] == [
        certificate.auc for certificate in certificates if certificate is not None
    ]
    assert result.notes[0].startswith(f"The table grew from {len(first)} to {len(last)} rows over 2 releases")


def test_a_row_that_came_later_is_not_asked_about() -> None:
    first, last = grown(4)
    plan = RecordsPlan(records=f"ids:{len(first)}", inside=5, outside=5, yearly=years_of((first, last)))
    with pytest.raises(DesignError, match="is not in the real table"):
        run_records(tables_of(last), plan)


def test_a_real_table_that_is_not_the_last_stage_is_refused() -> None:
    with pytest.raises(DesignError, match="The table grew to 9 rows"):
        run_records(tables_of(small(4)), RecordsPlan(yearly="3,9"))


def test_people_without_an_exact_certificate_are_said() -> None:
    """A network of degree 2 that another one replaces has none; attacks are played on everybody all the same."""
    for seed in range(40):
        first, last = grown(seed)
        years = years_of((first, last))
        plan = RecordsPlan(
            "bayesnet", "all", inside=5, outside=5, shadows=2, again=0, n_syn=3, certificate=True, yearly=years
        )
        result = play_table(tables_of(last), plan)
        if len(result.certificates) < len(result.rows):
            break
    without = len(result.rows) - len(result.certificates)
    assert without
    assert result.notes[1].startswith(f"{without} of {len(result.rows)} people have no optimal-attack bound")
    named = {certificate.record for certificate in result.certificates}
    assert [person.row for person in result.records() if person.best is None] == [
        row for row in result.rows.tolist() if row not in named
    ]


@pytest.mark.parametrize("text", ["5", "9,5", "1,5", "5,x", "5,,6", "5;6", ",".join(map(str, range(2, 104)))])
def test_stages_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(DesignError, match="says no table that grew"):
        RecordsPlan(yearly=text)


@pytest.mark.parametrize(
    "more",
    [{"one_fit": True}, {"relation": "replace-one"}, {"traditional": 9}, {"knowledge": "auxiliary"}, {"releases": 3}],
)
def test_what_is_not_played_on_a_grown_table_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(DesignError, match=r"grew over|Of a table that grew"):
        RecordsPlan(yearly="5,9", **more)


def test_a_year_in_which_nobody_came_is_a_release_again() -> None:
    plan = RecordsPlan(yearly=[5, 9, 9])  # type: ignore[arg-type]
    assert (plan.yearly, plan.years, plan.releases) == ("5,9,9", (5, 9, 9), 3)
    assert RecordsPlan.from_dict(plan.as_dict()) == plan
