"""A run whose result cannot be read stands in the way of "within the limit", and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.questions import questions
from riskkit.report import build
from tests.report.audited.made import audit, findings, released


def test_of_two_runs_the_one_that_cannot_be_read_bars_an_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    runs = released(rng), released(rng, run="c" * 32)
    read = questions()["released"].read

    def broken(run: Any, *rest: Any) -> Any:
        if run.id.startswith("c"):
            raise StopIteration
        return read(run, *rest)

    every = {**questions(), "released": replace(questions()["released"], read=broken)}
    monkeypatch.setattr(build, "questions", lambda: every)
    (answer,) = (each for each in findings(audit(*runs)).answers if each.question == "released")
    assert answer.finding is not None
    assert not answer.others
    assert [reason.code for reason in answer.finding.measured.reasons][-1] == "result_unread"
    assert answer.stopped == 1
