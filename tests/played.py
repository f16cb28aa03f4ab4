"""What commands play, played once for all tests with the same tables and plan, which ask what is said of it."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import pytest

from riskkit.plans import Plan
from riskkit.questions import Question
from riskkit.table.load import Tables

_RESULTS: dict[bytes, Any] = {}


@pytest.fixture
def played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question gives the result that it gave for the same plan and the same tables in an earlier test.

    All else a command does anew: files are read, the run is kept, verdicts are given and reports written.
    """
    play = Question.asked

    def once(asked: Question, tables: Tables, plan: Plan, **how: Any) -> Any:
        name = hashlib.sha256(pickle.dumps((tables, plan))).digest()
        if name not in _RESULTS:
            _RESULTS[name] = play(asked, tables, plan, **how)
        return _RESULTS[name]

    monkeypatch.setattr(Question, "asked", once)
