"""What the noise of a method allows, in the place of certificates that nobody has: one bound for all."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from riskkit.commands.records import write_csv
from riskkit.errors import DesignError
from riskkit.generators.mst import Mst
from riskkit.judging.measurement import Limit, Verdict
from riskkit.judging.provenance import Provenance
from riskkit.questions.records import words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.records.present import view
from riskkit.questions.records.result import RecordsResult
from riskkit.show.blocks import Numbers, flat
from riskkit.show.model import Answer
from riskkit.show.names import Names
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from tests.report.audited import made
from tests.tables import mixed

NOISY = (
    "mst:epsilon=0.1",
    "aim_tree:epsilon=0.1",
    "private_gsd:epsilon=0.1",
    "privbayes:epsilon=0.1,degree=1,bins=100",
)
PLAN = RecordsPlan(records="ids:0,5", inside=6, outside=6, shadows=6, n_syn=20, again=0, certificate=True)


def tables(rows: int = 20, persons: Persons | None = None) -> Tables:
    """A session that holds one table of three kinds of columns."""
    table = mixed(rows)
    return Tables(table, None, None, table.schema, (), (), persons=persons)


def answer(result: RecordsResult, limit: float) -> Answer:
    """What a report says of it under that limit."""
    played = replace(made.records([made.record(0, 0.5)]), plan=result.plan.as_dict(), result=result.plain())
    audit = made.audit(played, provenance=Provenance(result.plan.generator))
    findings = made.findings(audit, {"records": Limit(limit, "t")})
    return next(each for each in findings.answers if each.question == "records")


@pytest.mark.parametrize("generator", NOISY)
def test_every_record_has_the_bound_and_it_is_named_as_one(generator: str, tmp_path: Path) -> None:
    result = run_records(tables(), replace(PLAN, generator=generator))
    (bound,) = {person.bound for person in result.records}
    assert bound is not None
    assert 0.5 < bound < 0.55, "of epsilon .1"
    assert all(person.best is None for person in result.records), "it is not the best attack"
    assert f"no attack on any record has an AUC above {bound:.3f}" in result.notes[0]
    (people,) = (block for block in flat(view(result, Names.all_told({}))) if block.key == "people")
    assert isinstance(people, Numbers)
    assert sum(f"bound: at most {bound:.3f}" in str(row) for row in people.texts()) == 2
    assert all(
        f"lets no attack reach more than {bound:.3f}" in words.bracket(each) for each in result.records if each.auc
    )
    write_csv(tmp_path / "out.csv", result.records)
    rows = [*csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines())]
    assert [(row["certificate"], float(row["bound"])) for row in rows] == [("", bound)] * 2
    assert RecordsResult.from_plain(result.plain()).records == result.records


def test_the_bound_of_normal_noise_is_that_of_two_normal_laws() -> None:
    """Steps of normal noise add up as squares: of a table of one pair all noise is that of two counts."""
    table = mixed(20)
    made_by = Mst(epsilon=1.0)
    columns = len(table.schema.modelled)
    sizes = [size for kind, size in made_by.losses("add-one", 20, columns) if kind == "gaussian"]
    (bound,) = {person.bound for person in run_records(tables(), replace(PLAN, generator="mst:epsilon=1")).records}
    assert bound is not None
    assert bound >= float(norm.cdf(np.sqrt(np.square(sizes).sum() / 2))), "picks come on top"


def test_several_fits_allow_more_than_one_and_several_releases_of_one_fit_do_not() -> None:
    def bound(**more: object) -> float:
        (own,) = {person.bound for person in run_records(tables(), replace(PLAN, generator="mst", **more)).records}  # type: ignore[arg-type]
        assert own is not None
        return own

    assert bound() == bound(releases=2, one_fit=True) < bound(releases=2)


def test_the_bound_decides_within_and_says_that_it_is_one() -> None:
    result = run_records(tables(), replace(PLAN, generator="mst:epsilon=0.1", n_syn=300))
    judgement = answer(result, 0.7).judgement
    assert judgement is not None
    assert judgement.verdict is Verdict.WITHIN
    assert "no attack can reach more than 0.5" in judgement.why
    close = answer(result, 0.501).judgement
    assert close is not None
    assert close.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"generator": "mst", "records": "top:2", "rank": "certificate"}, "puts none before another"),
        ({"generator": "mst", "together": True}, "not for several rows together"),
        ({"generator": "tvae"}, "has no optimal-attack bound"),
    ],
)
def test_where_the_bound_does_not_stand_in_it_is_refused(more: dict[str, object], text: str) -> None:
    with pytest.raises(DesignError, match=text):
        run_records(tables(), replace(PLAN, **more))  # type: ignore[arg-type]


def test_people_with_several_rows_have_no_bound() -> None:
    persons = Persons("person", np.repeat(np.arange(10), 2))
    with pytest.raises(DesignError, match="not for several rows together"):
        run_records(tables(persons=persons), replace(PLAN, generator="mst"))
