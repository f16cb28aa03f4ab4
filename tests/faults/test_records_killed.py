"""A look at every record, killed at random moments: no finished unit is lost, and the result is the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.runs import work
from tests.faults.workers import asked, kept, killed_often, made, undisturbed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as only POSIX systems can")

SETTLED = RecordsPlan(
    "bayesnet", "random:25", inside=30, outside=30, shadows=20, again=5, n_syn=60, certificate=True
)  # a record is a unit of work
TRAINED = RecordsPlan(
    "bootstrap", records="top:6", inside=30, outside=30, shadows=30, again=2, n_syn=120
)  # every training is one


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("plan", [SETTLED, TRAINED], ids=["settled", "trained"])
def test_a_records_run_that_is_killed_and_goes_on_ends_with_the_same_bytes(tmp_path: Path, plan: RecordsPlan) -> None:
    """Everyone's look, the fresh trainings of the highest, and certificates."""
    run = asked(made(tmp_path / "killed"), plan)
    kills, wrong = killed_often(run, 4, seed=3, most=0.15, pace=0.02)
    assert kills >= 2
    assert wrong == 0
    before = len(kept(run))
    assert before > 0, "it was never killed in the middle"
    assert work(run.path)
    assert len(kept(run)) > before
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)
