"""What may be told: all to those who may see the real table, and to others nothing that stands in it."""

import json

import numpy as np
import pytest

from riskkit.audit.report_facts import titles
from riskkit.core import Estimate
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Provenance
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import to_json
from riskkit.show.model import Class, File
from riskkit.show.names import FEW, Names, plugin_title
from tests.report.audited import made

SECRET = "Zqcanary"
MADE_BY = "external:command=Zqcanary"
OPEN = Names(Class.SHAREABLE, b"k" * 32, ("age", f"{SECRET}1"), made.TITLES)
CLOSED = Names(Class.RESTRICTED, b"k" * 32, ("age", f"{SECRET}1"), made.TITLES)


def audit():
    """An audit in which everything that comes from the real table begins with the token."""
    rng = np.random.default_rng(1)
    columns = (("Zqcanary0", "numeric", "known"), ("Zqcanary1", "categorical", "secret"))
    problem = {
        "gravity": "warning", "code": "rare", "what": "'Zqcanaryx' stands twice", "do": "Zqcanary", "count": 2,
        "file": "Zqcanary.csv", "column": "Zqcanary1",
    }  # fmt: skip
    runs = (
        made.membership(rng, generator=MADE_BY, rows=(77031,)),
        made.membership(rng, generator="Zqcanaryother", rows=(77031,), run="2" * 32),
        made.records([made.record(77031, 0.9)], generator=MADE_BY),
        made.explanations(),
        made.released(rng, n=30),
        made.attributes(secret=columns[1][0], known="Zqcanary0", columns=("Zqcanary0",), exposed=3),
        made.contest(name="Zqcanaryrelease", handed="Zqcanaryteam", evaded=("Zqcanaryattack",)),
    )
    files = tuple(File(slot, "Zqcanary.csv", "1" * 64, 300, 2) for slot in ("real", "synthetic"))
    return made.audit(
        *runs,
        audit="Zqcanary audit",
        columns=columns,
        preparation=(problem,),
        files=files,
        provenance=Provenance(MADE_BY),
        apart=("Zqcanary1",),
        give_aways=(made.identifiers(column="Zqcanary1"), made.copies(rows=7), made.row_order()),
    )


def test_no_shareable_output_holds_anything_of_the_real_table() -> None:
    findings = made.findings(
        audit(), {question: Limit(0.6, "board") for question in ("contest", "membership", "records")}
    )
    codes = [answer.judgement and answer.judgement.code for answer in findings.answers]
    assert "evaded" in codes, "an attacker that is somebody's own is named in a reason"
    for source in (to_json(findings), *to_csv(findings).values(), repr(findings).encode()):
        assert SECRET.encode() not in source
        assert b"77031" not in source
        assert b"secret.csv" not in source  # the command line


def test_the_restricted_one_does_hold_it() -> None:
    limit = {"contest": Limit(0.6, "board")}
    source = to_json(made.findings(audit(), limit, Class.RESTRICTED)).decode()
    tokens = ("Zqcanary1", "Zqcanary.csv", "77031", "--real secret.csv", "Zqcanaryrelease", "Zqcanaryattack")
    for token in (*tokens, "Zqcanaryother", MADE_BY):
        assert token in source


def test_columns_are_named_where_the_user_says_so_and_nothing_else_is() -> None:
    source = to_json(made.findings(audit(), tells_columns=True)).decode()
    assert "Zqcanary1" in source
    for token in ("Zqcanary.csv", "77031", "Zqcanary audit", "Zqcanaryrelease", "Zqcanaryx", "Zqcanaryattack"):
        assert token not in source


def test_references_to_records_need_the_key_to_be_made() -> None:
    other = Names(Class.SHAREABLE, b"j" * 32, (), {})
    assert OPEN.record("17") == OPEN.record("17") != other.record("17")
    assert OPEN.record("17").startswith("R-")
    assert OPEN.record("3+17") == f"{OPEN.record('3')}+{OPEN.record('17')}"
    assert OPEN.record("made up") == "made up"
    assert CLOSED.record("17") == "17"
    assert len({OPEN.record(str(row)) for row in range(2_000)}) == 2_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("stat", "stat"),
        ("pram:p=0.7", "pram:p=0.7"),
        ("pram:p=0.7,columns=Zqcanary", "pram:p=0.7,…"),
        ("pram:law=Zqcanary", "pram:…"),
        ("pram:p=0.7|stat", "pram:p=0.7|stat"),
        ("uploaded", "uploaded"),
    ],
)
def test_settings_of_methods_pass_where_they_are_numbers(text: str, shown: str) -> None:
    assert OPEN.plugin(text) == shown


@pytest.mark.parametrize("text", ["Zqcanary", "Zqcanary:p=1", "external:command=Zqcanary x", "stat\nZqcanary", ""])
def test_a_method_of_ones_own_is_not_named(text: str) -> None:
    assert SECRET not in OPEN.plugin(text)
    assert OPEN.plugin(text).startswith("own method")


def test_labels_that_nobody_knows_are_left_out() -> None:
    labels = {"attack": "mvl", "group": "Zqcanary", "by": "Zqcanary1", "metric": "accuracy", "fpr": "0.1", "new": "x"}
    estimate = Estimate("auc", 0.5, 0.4, 0.6, 0.95, "m", 10, labels)
    shown = OPEN.estimate(estimate)
    assert shown.labels == {"attack": "mvl", "by": "column 2", "metric": "accuracy", "fpr": "0.1"}
    assert CLOSED.estimate(estimate).labels == labels


def test_small_counts_are_withheld() -> None:
    assert [OPEN.count(count) for count in (0, 1, 9, 10, 1234)] == ["0", FEW, FEW, "10", "1,234"]
    assert CLOSED.count(3) == "3"
    document = json.loads(to_json(made.findings(audit())))
    copies = next(give_away for give_away in document["give_aways"] if give_away["code"] == "copies")
    assert copies["sentence"].startswith(f"{FEW.capitalize()} rows of the real table stand")
    attributes = next(question for question in document["questions"] if question["question"] == "attributes")["finding"]
    assert FEW in attributes["extra"][0]
    assert not [
        estimate for estimate in attributes["estimates"] if estimate["name"] == "exposed" and estimate["value"] < 10
    ]
    assert document["preparation"][0]["count"] == FEW


def test_settings_keep_numbers_and_the_programs_own_words() -> None:
    settings = {"trainings": 60, "control": True, "worlds": "fixed", "targets": ["listed:rows=3"], "path": "Zqcanary"}
    assert OPEN.settings(settings) == {
        "trainings": 60,
        "control": True,
        "worlds": "fixed",
        "targets": ["…"],
        "path": "…",
    }
    assert CLOSED.settings(settings) == settings


def test_every_step_of_a_chain_has_its_title_and_one_of_somebodys_own_has_none() -> None:
    name = CLOSED.called("stat:post=none|zq:depth=3|bayesnet", "generators")
    assert name == "Mean and covariance · post=none, then zq · depth=3, then Bayesian network"
    assert OPEN.called("stat|zq", "generators").startswith("Mean and covariance, then own method ")


@pytest.mark.parametrize(
    ("room", "spelled", "text"),
    [
        ("attacks", "mvl", "Mean and covariance (MVL)"),
        ("attacks", "mvl:variant=syn,lam=0.3", "Mean and covariance (MVL) · Compare with: Own releases, λ: 0.3"),
        ("", "mvl:variant=syn", "Mean and covariance (MVL) · Compare with: Own releases"),
        ("attacks", "mvl:tune=true", "Mean and covariance (MVL) · Choose λ: on"),
        ("attacks", "mvl:…", "Mean and covariance (MVL) · …"),
        ("attacks", 'own:text="a,b",n=3', 'own · text="a,b", n=3'),
    ],
)
def test_settings_of_a_plug_in_are_called_what_its_form_calls_them(room: str, spelled: str, text: str) -> None:
    assert plugin_title(titles(), spelled, room) == text
