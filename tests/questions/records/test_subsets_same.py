"""Trainings on random parts of the people give the same bytes, whoever makes them."""

from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from tests.games.records import tables
from tests.tables import mixed


def test_two_workers_give_the_bytes_of_one() -> None:
    plan = RecordsPlan(generator="histogram", by="subsets", trainings=12, n_syn=40)
    first, second = (run_records(tables(mixed(40)), plan, workers=workers) for workers in (1, 2))
    assert first.plain() == second.plain()
