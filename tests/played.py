"""What commands and pages play and look at, once for all tests with the same tables, which ask what is said of it."""

import hashlib
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from riskkit.audit import give_aways, report_facts
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.table.load import Tables

_RESULTS: dict[bytes, Any] = {}


def once(make: Callable[[], Any], *made_of: Any) -> Any:
    """What ``make`` gave for things of the same content in an earlier test of this process."""
    name = hashlib.sha256(pickle.dumps(made_of)).digest()
    if name not in _RESULTS:
        _RESULTS[name] = make()
    return _RESULTS[name]


def look_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give-aways and usefulness of the same tables are from now on those of an earlier test."""

    def patch(module: Any, name: str) -> None:
        look = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda tables, **how: once(partial(look, tables, **how), name, tables, tuple(how.items()))
        )

    patch(give_aways, "look")
    patch(report_facts, "measure_usefulness")


@pytest.fixture
def played_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A question gives the result that it gave for the same plan and the same tables in an earlier test.

    The same files give the same away. All else a command does anew: files are read, the run is kept, verdicts are
    given and reports written.
    """

    def ask_once(play: Callable[..., Any], tables: Tables, plan: Plan, **how: Any) -> Any:
        return once(partial(play, tables, plan, **how), tables, plan)

    look_once(monkeypatch)
    played = [(question, question.run) for question in questions().values()]
    for question, play in played:
        object.__setattr__(question, "run", partial(ask_once, play))
    yield
    for question, play in played:
        object.__setattr__(question, "run", play)
