"""A unit that never ends: the run pauses in a sentence, others have their turn, and it goes on to the same bytes."""

import math
import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from riskkit.attacks.neighbour import FittedNeighbour, Neighbour
from riskkit.core import Brief
from riskkit.errors import DesignError
from riskkit.jobs import worker as worker_module
from riskkit.jobs.worker import PATIENCE, patience
from riskkit.parameters import parameter
from riskkit.questions.runs import work
from tests.faults.test_kills import helpers
from tests.faults.workers import PLAN, again, asked, busy, made, undisturbed, until
from tests.oracles import stand_beside

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="starts processes as only POSIX systems can")


@dataclass(frozen=True)
class Waiting(Neighbour):
    """Learns nothing, in whatever process, while that file is there; says in another that it has come so far."""

    name: ClassVar[str] = "waiting"
    trouble: str = parameter("", label="File", help="Whether there is trouble.")

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedNeighbour:
        Path(f"{self.trouble}.reached").touch()
        while Path(self.trouble).exists():
            time.sleep(0.05)
        return super().fit(brief, rng)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_beside(monkeypatch, {"generators": {}, "targets": {}, "attacks": {"waiting": Waiting}})
    monkeypatch.setattr(worker_module, "BEAT", 0.2)
    monkeypatch.setattr(worker_module, "GRACE", 0.2)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_unit_that_hangs_pauses_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    trouble, reached = tmp_path / "trouble", tmp_path / "trouble.reached"
    trouble.touch()
    attacks = (f"waiting:own=2,trouble={trouble}", "neighbour:own=3")
    plan = replace(PLAN, attacks=attacks, trainings=20, control=False)
    audit = made(tmp_path / "hangs")
    run, other = asked(audit, plan, workers=workers), asked(audit, replace(PLAN, trainings=10))

    def play() -> None:
        soon = property(lambda _: 1.0 if reached.exists() else math.inf, lambda *_: None)
        monkeypatch.setattr(worker_module.Watch, "patience", soon)
        work(run.path)

    with busy(play) as child:
        until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0), 180)
        until(lambda: not [left for left in helpers(child) if left != child], 180)
    assert run.state == "paused", run.progress
    error = run.progress["error"]
    assert re.match(r"Nothing was finished since \d{4}-\d\d-\d\d \d\d:\d\d UTC, at Attacks learn: histogram", error)
    assert error.endswith(f"set {PATIENCE} to more hours where a single step takes so long.")
    assert run.log()[-1].endswith(error)
    assert run.progress["done"] in (2 * 3, 2 * 3 + workers - 1), "the other fit may be done by another process"
    until(lambda: other.state == "finished", 180)
    trouble.unlink()
    again(run)
    assert work(run.path), run.progress
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_how_long_is_waited_is_chosen_in_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PATIENCE, raising=False)
    assert patience() == 24 * 3600
    for chosen, seconds in (("0.5", 1800.0), ("", 24 * 3600.0), ("inf", float("inf"))):
        monkeypatch.setenv(PATIENCE, chosen)
        assert patience() == seconds


@pytest.mark.parametrize("wrong", ["soon", "0", "-1", "nan", "1h"])
def test_what_is_no_number_of_hours_ends_the_run_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv(PATIENCE, wrong)
    with pytest.raises(DesignError, match=rf"{PATIENCE} is '{wrong}'. It says after how many hours"):
        patience()
    run = asked(made(tmp_path), PLAN)
    assert not work(run.path)
    assert run.state == "failed"
    assert run.progress["error"].startswith(f"{PATIENCE} is '{wrong}'.")
