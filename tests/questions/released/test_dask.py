"""The released suite on a Dask cluster: every unit is worked out by a worker, and every number is the same."""

from collections.abc import Iterator
from typing import Any

import pytest

from riskkit.jobs import cluster
from riskkit.jobs.engines import Chunks, Work
from riskkit.questions.released.grades import work
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.table.load import Tables, load
from tests.table.test_coded import as_csv, people

distributed = pytest.importorskip("distributed", reason="the Dask engine needs distributed (pip install distributed)")
PLAN = ReleasedPlan(max_rows=40)


def three() -> Tables:
    """Real table, release and holdout of mixed columns."""
    slots = enumerate(("real", "synthetic", "holdout"))
    return load(*(as_csv(people(seed, 120).drop(columns=["who", "seen"]), f"{slot}.csv") for seed, slot in slots))


@pytest.fixture
def address() -> Iterator[str]:
    """A scheduler and a worker, in processes of their own."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as there:
        yield there.scheduler_address
        cluster._there(there.scheduler_address).client.close()
        cluster._there.cache_clear()


@pytest.mark.second
@pytest.mark.slow
def test_the_default_suite_is_worked_out_by_dask_workers_to_the_same_bytes(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = three()
    alone = run_released(tables, PLAN)
    handed: list[Any] = []
    play = cluster._play

    def counted(there: cluster.There, what: Work, chunks: Chunks) -> Any:
        if what.play is work:
            handed.extend(what.units)
        return play(there, what, chunks)

    monkeypatch.setattr(cluster, "_play", counted)
    monkeypatch.setattr("riskkit.questions.released.grades._work", refused)
    monkeypatch.setenv("RISKKIT_DASK", address)
    there = run_released(tables, PLAN)
    assert there.plain() == alone.plain()
    assert [scored.value.tobytes() for scored in there.scores] == [scored.value.tobytes() for scored in alone.scores]
    attacks = {text for text, _, _ in handed}
    assert {"", "dcr", "classifier", "gen-lra"} <= attacks, "the look without the release, and the suite"


def refused(*_: Any) -> None:
    """No unit is worked out in this process."""
    raise AssertionError("a unit was worked out here")
