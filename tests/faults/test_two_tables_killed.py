"""A game with a program of two tables, killed at random moments: no finished training is lost, and the bytes are the
same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riskkit.core import Role
from riskkit.generators.external import ALLOWED, External
from riskkit.jobs.runs import Run
from riskkit.jobs.store import ColumnChoice, Store
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.runs import work
from riskkit.registry import spelling
from tests import two_files
from tests.faults.workers import asked, kept, killed_often

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as only POSIX systems can")


def waiting(home: Path) -> Run:
    """A run of a few trainings that waits for a worker, on patients and their visits."""
    (home / "audits").mkdir(parents=True)
    two_files.tables(home)
    audit = Store(home).create("Two tables")
    for slot, name in (("real", "patients_real.csv"), ("children_real", "visits_real.csv")):
        audit.load(slot, (home / name).read_bytes(), name=name)
    audit.choose({"patient": ColumnChoice(role=Role.PERSON)})
    generator = spelling("generators", External(command=two_files.command("copies")))
    plan = RecordsPlan(generator, "ids:3", inside=8, outside=8, shadows=8, again=0, n_syn=40, second_table=True)
    return asked(audit, plan)


@pytest.mark.usefixtures("impatient")
def test_a_run_that_is_killed_and_goes_on_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALLOWED, "1")
    run, peaceful = waiting(tmp_path / "killed"), waiting(tmp_path / "peace")
    kills, wrong = killed_often(run, 2, seed=3, most=2.0)
    assert kills >= 1
    assert wrong == 0
    before = len(kept(run))
    assert before > 0, "it was never killed in the middle"
    assert work(run.path)
    assert len(kept(run)) > before
    assert work(peaceful.path)
    assert run.result_bytes == peaceful.result_bytes
