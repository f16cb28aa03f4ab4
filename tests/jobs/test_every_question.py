"""Every question gives the same bytes: alone or side by side, at once or resumed; and keeps every unit it works out."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from riskkit.jobs.database import database, trainings, units
from riskkit.jobs.files import dump
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.phrases import with_phrases
from riskkit.questions import question, questions
from riskkit.questions.runs import work
from tests.faults.workers import again, asked, kept
from tests.pages.runs import changed
from tests.pages.screens import csv

SMALL: dict[str, dict[str, Any]] = {
    "membership": {"generators": ("stat", "histogram"), "trainings": 12, "generations": 2, "n_syn": 60},
    "records": {
        "generator": "histogram", "records": "random:4", "inside": 12, "outside": 12, "again": 0, "shadows": 4,
        "n_syn": 40,
    },
    "released": {"attacks": ("dcr", "dcr-diff", "density")},
    "one-run": {"generator": "histogram", "rows": 40},
    "singling-out": {"size": 2},
    "linkability": {"splits": 2},
    "reconstruction": {"secrets": ("ward", "job")},
    "attributes": {"secrets": ("job",), "model": "tree", "generator": "histogram", "randomised": 6},
    "contest": {
        "anonymisers": ("identity", "stat"), "attackers": ("distance",), "source": "people", "guesses": 30,
        "rules": "none",
    },
    "households": {
        "household": "ward", "anonymisers": ("identity", "stat"), "attackers": ("distance",), "asked": 2,
    },
    "explanations": {
        "target": "job", "attackers": ("linear",), "victims": 10, "auxiliary": (50,), "model_seeds": 1,
        "permutations": 2,
    },
}  # fmt: skip
"""Settings of a small plan, of each question whose defaults take long or leave something to name."""
PLANS: dict[str, Any] = {name: known.plan(**SMALL.get(name, {})) for name, known in questions().items()}


def of_three(home: Path) -> Audit:
    """An audit of three tables of the same people."""
    (home / "audits").mkdir(parents=True)
    made = Store(home).create("All questions")
    for slot, seed in (("real", 0), ("synthetic", 1), ("holdout", 2)):
        made.load(slot, csv(240, seed), name=f"{slot}.csv")
    return made


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return of_three(tmp_path)


def direct(audit: Audit, name: str, workers: int = 1) -> bytes:
    """What the engine finds with no store around it."""
    return dump(with_phrases(question(name).work_out(audit, PLANS[name], workers=workers)))


def half_forgotten(run: Run) -> int:
    """Have a finished run look as if it had stopped with every second unit done; how many are left."""
    with database(run.path.parents[3]).write() as connection:
        connection.execute(units.delete().where(units.c.unit % 2 == 1))
    changed(run, state="interrupted", result=None, result_sha=None)
    return len(kept(run))


def test_every_small_plan_is_of_a_question() -> None:
    assert set(SMALL) <= set(questions())


@pytest.mark.parametrize("name", sorted(PLANS))
def test_a_run_and_a_resumed_run_give_the_bytes_of_the_engine(audit: Audit, name: str) -> None:
    run = asked(audit, PLANS[name])
    assert work(run.path), run.progress
    right = direct(audit, name)
    assert run.result_bytes == right
    read = question(name).result.from_plain(run.result)
    assert dump(with_phrases(read.plain())) == right, "a result that was read is written as it was"
    assert not [line for line in run.log() if "worked out again" in line], "every result of a unit can be kept"
    every = kept(run)
    left = half_forgotten(run)
    assert 0 < left < len(every)
    again(run)
    assert work(run.path)
    assert run.result_bytes == right
    assert {key: row[1] for key, row in kept(run).items()} == {key: row[1] for key, row in every.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PLANS))
@pytest.mark.parametrize("workers", [2, 4])
def test_workers_change_no_byte(audit: Audit, name: str, workers: int) -> None:
    run = asked(audit, PLANS[name], workers=workers)
    assert work(run.path), run.progress
    assert run.result_bytes == direct(audit, name)
    half_forgotten(run)
    again(run)
    assert work(run.path)
    assert run.result_bytes == direct(audit, name)


def test_the_units_of_a_run_are_counted_by_its_progress(audit: Audit) -> None:
    run = asked(audit, PLANS["membership"])
    assert work(run.path)
    with database(run.path.parents[3]).read() as connection:
        count = sum(connection.scalar(sa.select(sa.func.count()).select_from(each)) for each in (units, trainings))
    assert run.progress["done"] == run.progress["total"] == count
