"""What people kept with 0.1.0 opens with every later version: an audit of every question, as that version kept it.

``first_version.zip`` is the folder of riskkit as 0.1.0 left it, ``first_version.json`` what that version said of it.
They were made once, by ``python -m tests.jobs.test_first_version FOLDER``, and are never made anew: who moves a type
that is kept has the older name read (:mod:`riskkit.jobs.codec`).
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from riskkit.audit.report_facts import build_findings, read_given
from riskkit.jobs.database import units
from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import Limit
from riskkit.questions import questions
from riskkit.questions.runs import work
from riskkit.report.to_json import as_dict
from riskkit.show.model import Class
from tests.faults.workers import asked
from tests.jobs.test_every_question import PLANS
from tests.pages.screens import csv
from tests.report.audited.made import MADE

SAID_SINCE = {
    "audit rows": "canaries",
    "cannot be shown with 12 trainings (ceiling 0.16)": ("not shown (12 trainings could show up to 0.16)"),
    "cannot be shown with 40 canaries (ceiling 2.34)": ("not shown (40 canaries could show up to 2.34)"),
    "(all of them right, nearest released rows)": "(people with all of them right; from the nearest released rows)",
    "(nearest released rows)": "(each value counted alone; from the nearest released rows)",
    "(columns joined)": "(each value counted alone; a model of all columns)",
    "(each column by itself)": "(each value counted alone; a model for each column)",
}
"""How estimates read now where words of 0.1.0 have others in their place; numbers and names stay."""
KEPT, WORDS = (Path(__file__).with_name(f"first_version.{kind}") for kind in ("zip", "json"))


def say(audit: Audit) -> list[dict[str, Any]]:
    """Of every question its state, word and estimates, and how many units of its run are there."""
    document = as_dict(
        build_findings(read_given(audit), {"released": Limit(0.6, "t")}, kind=Class.SHAREABLE, made=MADE)
    )
    return [
        {
            "question": entry["question"],
            "state": entry["state"],
            "word": (entry["judgement"] or {}).get("word", ""),
            "estimates": [
                {**each, **{name: round(each[name], 6) for name in ("value", "low", "high")}}
                for finding in (entry["finding"], *(what_if["finding"] for what_if in entry["what_ifs"]))
                for each in (finding or {"estimates": []})["estimates"]
            ],
        }
        for entry in document["questions"]
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder as it was left."""
    with zipfile.ZipFile(KEPT) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_every_run_of_the_first_version_says_what_it_said(home: Path) -> None:
    (audit,) = Store(home).audits()
    text = WORDS.read_text(encoding="utf-8")
    for then, now in SAID_SINCE.items():
        assert then in text, f"{then!r} stands in nothing that was kept"
        text = text.replace(then, now)
    first = json.loads(text)
    assert {entry["question"] for entry in first} <= set(questions())
    by_name = {question["question"]: question for question in say(audit)}
    today = [by_name[entry["question"]] for entry in first]  # in the order of then
    for question, before in zip(today, first, strict=True):
        for estimate, was in zip(question["estimates"], before["estimates"], strict=True):
            if (question["question"], estimate["name"]) == ("membership", "auc"):  # of all tests since
                assert estimate["level"] == 0.975, "two attacks"
                assert estimate["low"] < was["low"] <= was["high"] < estimate["high"]
                was |= {name: estimate[name] for name in ("low", "high", "level")}
            if (question["question"], estimate["name"]) == ("records", "auc"):  # of all records since
                assert estimate["level"] == 0.9875, "four records"
                assert estimate["low"] < was["value"] < was["high"] < estimate["high"]
                was |= {name: estimate[name] for name in ("low", "high", "level", "method")}
    assert today == first
    assert sum(entry["state"] in ("finished", "what if") for entry in first) == len(first)
    assert sum(bool(entry["estimates"]) for entry in first) == len(first)


def test_its_units_are_read_with_the_types_they_had(home: Path) -> None:
    """A run that is resumed takes those that are there, and comes to the result that was kept."""
    (audit,) = Store(home).audits()
    run = next(run for run in audit.runs() if run.question == "membership")
    with Store(home).base.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(units)) > 10
    assert run.result["estimates"]


def make(folder: Path) -> None:
    """Keep an audit of every question in that folder, and what is said of it."""
    (folder / "audits").mkdir(parents=True)
    audit = Store(folder).create("Kept by 0.1.0")
    for slot, seed in (("real", 0), ("synthetic", 1), ("holdout", 2)):
        audit.load(slot, csv(240, seed), name=f"{slot}.csv")
    for name in sorted(PLANS):
        assert work(asked(audit, PLANS[name]).path)
    with zipfile.ZipFile(KEPT, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    WORDS.write_text(json.dumps(say(audit), indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
