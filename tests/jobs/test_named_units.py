"""What is trained once is found again: by a run of more trainings, and by one about other people."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from riskkit.core import Floats, Role, Table
from riskkit.games.subsets import Subsets
from riskkit.jobs import retention
from riskkit.jobs.database import trainings
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.questions import parts
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.runs import work
from riskkit.table.kinds.choice import ColumnChoice
from tests.faults.workers import again, asked, made
from tests.games.records import noted_trainings

PLAN = RecordsPlan(generator="histogram", by="subsets", trainings=12, n_syn=60)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path, 60)


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The trainings that were made, in order; blocks of twelve, and one quick attack alone."""
    monkeypatch.setattr(parts, "BLOCK", 12)
    return noted_trainings(monkeypatch)


def play(audit: Audit, plan: RecordsPlan) -> Run:
    run = asked(audit, plan)
    work(run.path)
    assert run.state == "finished", run.progress
    return run


def test_a_longer_run_trains_only_what_a_shorter_one_did_not(audit: Audit, log: list[int]) -> None:
    """And says what it says alone, to the last bit."""
    play(audit, PLAN)
    assert log == list(range(12))
    log.clear()
    longer = play(audit, replace(PLAN, trainings=20))
    assert log == list(range(12, 20))
    alone = run_records(audit.tables(), replace(PLAN, trainings=20)).plain()
    assert longer.result["records"] == alone["records"]
    assert any("12 of 12 were there already" in line for line in longer.log())


def test_other_people_are_asked_about_without_any_training(audit: Audit, log: list[int]) -> None:
    play(audit, PLAN)
    log.clear()
    some = play(audit, replace(PLAN, records="ids:3,5", fpr=0.2))
    assert log == []
    assert [person["row"] for person in some.result["records"]] == [3, 5]


@pytest.mark.parametrize("changed", [{"seed": 7}, {"n_syn": 80}, {"share": 0.75}, {"generator": "bayesnet"}])
def test_what_was_trained_otherwise_is_not_taken(audit: Audit, log: list[int], changed: dict[str, object]) -> None:
    play(audit, PLAN)
    log.clear()
    play(audit, replace(PLAN, **changed))  # type: ignore[arg-type]
    assert log == list(range(12))


def test_what_was_trained_on_other_data_is_not_taken(audit: Audit, log: list[int]) -> None:
    play(audit, PLAN)
    log.clear()
    audit.choose({audit.tables().schema.columns[0].name: ColumnChoice(role=Role.IGNORED)})
    play(audit, PLAN)
    assert log == list(range(12))


def test_an_altered_release_is_made_anew(audit: Audit, log: list[int]) -> None:
    play(audit, PLAN)
    log.clear()
    with audit.base.write() as connection:
        name = connection.scalar(sa.select(trainings.c.name).order_by(trainings.c.name))
        connection.execute(trainings.update().where(trainings.c.name == name).values(payload=b"pnonsense"))
    play(audit, replace(PLAN, fpr=0.2))
    assert len(log) == 1


def count(audit: Audit) -> int:
    with audit.base.read() as connection:
        return int(np.asarray(connection.scalar(sa.select(sa.func.count()).select_from(trainings))))


def test_kept_trainings_go_with_what_was_kept_of_people(audit: Audit) -> None:
    play(audit, PLAN)
    assert count(audit) == 12
    receipt = retention.strip(audit.path, datetime.now(UTC))
    assert receipt.rows["kept trainings"] == 12
    assert count(audit) == 0


def test_kept_trainings_go_with_the_audit(audit: Audit) -> None:
    play(audit, PLAN)
    assert audit.delete().rows["kept trainings"] == 12


def test_a_run_that_was_stopped_while_it_scored_trains_nothing_again(
    audit: Audit, log: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And comes to what it comes to in peace."""
    scores = Subsets.scores

    def stopping(game: Subsets, release: Table, training: int) -> Floats:
        if training == 3:
            raise KeyboardInterrupt
        return scores(game, release, training)

    monkeypatch.setattr(Subsets, "scores", stopping)
    run = asked(audit, PLAN)
    with suppress(KeyboardInterrupt):
        work(run.path)
    assert run.state == "interrupted"
    monkeypatch.setattr(Subsets, "scores", scores)
    again(run)
    work(run.path)
    assert run.state == "finished"
    assert log == list(range(12))
    assert run.result["records"] == run_records(audit.tables(), PLAN).plain()["records"]
