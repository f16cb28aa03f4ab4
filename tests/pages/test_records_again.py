"""The page of a run on parts of the people: the most exposed are run again on the whole table by one button."""

from functools import partial
from typing import Any, ClassVar

import pytest

from riskkit.dashboard.forms import games
from riskkit.dashboard.pages import records
from riskkit.games.released import ReleasedAttack
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.questions.records import subsets
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.result import RecordsResult, read
from riskkit.questions.runs import plan_of
from riskkit.released.distances import Dcr
from tests.pages.runs import faked, finished
from tests.pages.screens import csv, field, healthy, loaded, opened, press, shown

PAGE = "pages/3_records.py"
PLAN = RecordsPlan("histogram", by="subsets", trainings=12, n_syn=60)
key = partial(field, "records")


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> Audit:
    attacks: tuple[tuple[str, ReleasedAttack], ...] = (("dcr", Dcr()),)
    monkeypatch.setattr(subsets, "attacks", lambda: attacks)
    made = loaded(real=csv(60, 0), synthetic=csv(60, 2))
    finished(made, PLAN)
    return made


def run_of(audit: Audit) -> Run:
    return next(run for run in audit.runs() if run.state == "finished")


def test_one_button_runs_the_most_exposed_on_the_whole_table(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = healthy(opened(audit, PAGE))
    assert "most exposed people on the whole table" in shown(screen)
    monkeypatch.setattr(Audit, "start", lambda _, plan, **__: faked(audit, "queued", plan, run="f" * 32))
    press(screen, key(audit, "again", "go"))
    result = RecordsResult.from_plain(run_of(audit).result)
    (run,) = (each for each in audit.runs() if each.state == "queued")
    plan = plan_of(run)
    assert plan == subsets.run_again(result, None)
    assert not plan.is_by_subsets
    assert plan.named[0] == read(result).ranked()[0].row
    assert plan.certificate


def test_of_a_method_that_trains_long_it_says_the_time_by_what_the_run_took(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve trainings on halves took 60 seconds, so one on the whole takes about ten."""
    result = RecordsResult.from_plain(run_of(audit).result)
    monkeypatch.setattr(games, "is_heavy", lambda _: True)
    plan = RecordsPlan("histogram", "ids:1,2", inside=10, outside=10, shadows=5, again=0)

    class Slow:
        result: ClassVar[dict[str, float]] = {"seconds": 60.0}

    sentence = records._cost(audit, Slow(), result, plan)  # type: ignore[arg-type]
    assert "45 trainings" in sentence
    assert "7 minutes" in sentence or "8 minutes" in sentence


def test_a_run_of_the_whole_table_has_no_such_button(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(
        audit, RecordsPlan("histogram", "ids:1,2", inside=10, outside=10, shadows=4, again=0, n_syn=60), run="f" * 32
    )
    assert "on the whole table, with and without" not in shown(healthy(opened(audit, PAGE)))


def test_of_a_method_that_trains_long_five_are_run_again(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    result: Any = RecordsResult.from_plain(run_of(audit).result)
    quick = subsets.run_again(result, None)
    monkeypatch.setattr("riskkit.generators.histogram.Histogram.heavy", True, raising=False)
    long = subsets.run_again(result, None)
    assert quick is not None
    assert long is not None
    assert len(long.named) <= 5
    assert (quick.inside, long.inside) == (200, 40)
    assert subsets.trainings_of(long) == 40 + 20 + len(long.named) * 60
