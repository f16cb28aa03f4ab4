"""For whom risk is highest, from a finished run to what pages, reports and the command line show of it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from riskkit.errors import DesignError
from riskkit.plain import plain
from riskkit.questions.for_whom import by_certificates
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.questions.released.result import ReleasedResult
from riskkit.report import to_json
from riskkit.report.appendix import groups, question
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom, ShownForWhom, read
from riskkit.show.model import Answer, Class
from riskkit.show.names import Names
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable
from tests.judged import judged

ALL = Names(Class.RESTRICTED, b"key", ("sex", "age", "job"), {}, tells_columns=True)
SHAREABLE = Names(Class.SHAREABLE, b"key", ("sex", "age", "job"), {})


def texted(frame: pd.DataFrame) -> TextTable:
    return read_csv(frame.to_csv(index=False).encode(), name="people.csv")


def people(seed: int, n: int = 240) -> pd.DataFrame:
    rng = stream(seed, "people")
    return pd.DataFrame(
        {
            "sex": rng.choice(["Zelda", "Quentin"], n),
            "age": rng.integers(18, 90, n),
            "job": rng.choice([f"job{index}" for index in range(60)], n),
            "town": rng.choice(["Ulm", "Aix", "Bath"], n, p=[0.6, 0.38, 0.02]),
        }
    )


def leaky() -> Tables:
    """A release that holds the rows of everybody whose sex is Zelda, and otherwise those of strangers."""
    real, holdout, others = people(1), people(2), people(3)
    release = pd.concat([real[real.sex == "Zelda"], others[others.sex == "Quentin"]]).sample(frac=1, random_state=1)
    return load(texted(real), texted(release), texted(holdout))


PLAN = ReleasedPlan(attacks=("dcr",), seed=5)


@pytest.fixture(scope="module")
def result() -> ReleasedResult:
    return run_released(leaky(), PLAN)


def test_the_group_whose_rows_were_copied_is_at_highest_risk(result: ReleasedResult) -> None:
    for_whom = result.for_whom
    assert for_whom is not None
    assert (for_whom.each[0].by, for_whom.each[0].name) == ("sex", "Zelda")
    assert for_whom.each[0].p < 0.05
    assert for_whom.each[0].inside.value > 0.9
    assert set(for_whom.columns) == {"sex", "age", "town"}, "jobs are too many to be groups"
    assert for_whom.small == {"town": 1}
    shown = ShownForWhom(for_whom, ALL)
    assert shown.sentence.startswith("Risk is highest for sex: Zelda: the AUC is ")
    assert any(row[0] == "sex: Zelda" for row in shown.rows)
    assert shown.chart() is not None


def test_what_is_kept_reads_back_as_it_was(result: ReleasedResult) -> None:
    kept = json.loads(json.dumps(result.plain()))
    assert ReleasedResult.from_plain(kept).for_whom == result.for_whom
    block = read(kept, ALL)
    assert block is not None
    assert block.compared == result.for_whom
    assert read({}, ALL) is None


def test_whoever_may_not_see_values_sees_none_and_no_count_that_gives_a_small_group_away(
    result: ReleasedResult,
) -> None:
    assert result.for_whom is not None
    block = ShownForWhom(result.for_whom, SHAREABLE)
    text = json.dumps([block.as_dict(), block.rows, block.sentence, str(block.chart()), result.as_dict()])
    for value in ("Zelda", "Quentin", "Ulm", "Aix", "Bath", "up to", "above 3"):
        assert value not in text
    for name in ("sex", "town"):
        assert name not in json.dumps([block.as_dict(), block.rows])
    counts = {entry.by: block.count(entry) for entry in result.for_whom.each}
    assert counts["town"] == ""
    assert counts["sex"] != ""
    assert all(
        group["inside"]["n"] is None for group in block.as_dict()["groups"] if group["group"].startswith("a col")
    )
    passed_on = result.as_dict()["for_whom"]["each"]
    assert all(group["name"] == "" for group in passed_on)
    assert {group["inside"]["n"] for group in passed_on if group["by"] == "town"} == {0}


def test_only_columns_that_were_declared_are_looked_at() -> None:
    for_whom = run_released(leaky(), ReleasedPlan(attacks=("dcr",), groups=("job",))).for_whom
    assert for_whom is not None
    assert for_whom.columns == ()
    assert set(for_whom.small) == {"job"}
    nobody = "No groups are compared: no column has two groups of at least 10 people asked about."
    assert ShownForWhom(for_whom, ALL).sentence == nobody
    with pytest.raises(DesignError):
        run_released(leaky(), ReleasedPlan(attacks=("dcr",), groups=("nothing",)))
    assert ReleasedPlan(groups=("job", "sex")).without(("job",)) == ReleasedPlan(groups=("sex",))


def test_nothing_is_said_without_a_holdout() -> None:
    without = load(texted(people(1)), texted(people(3)))
    assert run_released(without, PLAN).for_whom is None


def test_certificates_are_compared_where_those_asked_about_stand_for_everybody() -> None:
    tables = load(texted(people(1)))
    how = {"generator": "histogram", "inside": 5, "outside": 5, "shadows": 2, "again": 0, "n_syn": 100}
    result = run_records(tables, RecordsPlan(records="random:60", certificate=True, groups=("sex",), **how))
    assert result.for_whom is not None
    assert {entry.by for entry in result.for_whom.each} == {"sex"}
    best = {person.row: person.best.auc.value for person in result.records if person.best is not None}
    sexes = people(1).sex
    for group in result.for_whom.each:
        own = [value for row, value in best.items() if sexes[row] == group.name]
        assert group.inside.value == pytest.approx(np.mean(own))
        assert group.inside.n == len(own)
    assert result.plain()["for_whom"] == plain(result.for_whom)
    assert all(entry["name"] == "" for entry in result.as_dict()["for_whom"]["each"])
    for other in (
        {"records": "top:60", "certificate": True},
        {"records": "top:30+random:30", "certificate": True},
    ):
        assert run_records(tables, RecordsPlan(**how, **other)).for_whom is None


def test_people_are_grouped_by_the_first_of_their_rows() -> None:
    real = load(texted(people(1))).real
    best = np.linspace(0.5, 0.9, 60)
    rows = np.arange(0, 240, 4)
    compared: ForWhom = by_certificates(real, rows, best, ("sex",), stream(1, "rows"), 0.95)
    sexes = people(1).sex.to_numpy()[rows]
    for entry in compared.each:
        assert entry.inside.value == pytest.approx(best[sexes == entry.name].mean())


def test_the_report_and_its_json_have_the_block(result: ReleasedResult) -> None:
    ((finding, judgement),) = judged(result.plain(), PLAN, tables=leaky())
    assert finding.for_whom is not None
    answer = Answer("released", "Released file", "", "", finding=finding, judgement=judgement)
    blocks = list(question(answer))
    place = next(n for n, block in enumerate(blocks) if block.get("text") == "For whom risk is highest")
    assert blocks[place + 1]["text"].startswith("Risk is highest for sex: Zelda")
    title, picture, table, terms = groups([answer])
    assert title["text"] == "Released file: For whom risk is highest"
    assert [block["kind"] for block in (picture, table, terms)] == ["image", "table", "terms"]
    assert table["rows"][0][0] == "sex: Zelda"
    assert "fewer than 10 people" in str(terms)
    for_whom = to_json._answer(answer)["finding"]["for_whom"]
    assert for_whom["groups"][0]["group"] == "sex: Zelda"
    assert for_whom["small"] == 1
