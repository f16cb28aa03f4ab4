"""Units on a Dask cluster: the same units, the same results. Only this process writes to the store.

What the units of one map share (the game with its tables, attackers that have read their briefs) goes to every worker
once; a unit carries its numbers alone.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from functools import cache
from typing import Any

from riskkit.audit.engines import Chunks, Done, Engine, Work, play_alone
from riskkit.audit.versions import environment
from riskkit.errors import DesignError

AHEAD = 2
"""Chunks handed out for each thread of the cluster."""
WITHIN = "20s"


def cluster(address: str) -> Engine:
    """The engine of the scheduler at that address.

    Raises
    ------
    DesignError
        Dask is not installed, nobody answers there, or a worker has another version of riskkit or its libraries.
    """
    client = _client(address)
    told = set(client.run(_theirs).values())
    if not told:
        raise DesignError(f"The Dask scheduler at {address} has no worker. Start one: dask worker {address}")
    if told != {environment()}:
        raise DesignError(
            f"A worker of the Dask cluster at {address} has another version of riskkit, Python or a library than this "
            "machine, so its numbers could differ. Give all of them the same."
        )
    return lambda work, chunks: _answered(client, address, work, chunks)


def _theirs() -> str:
    """What a worker runs on; asked there."""
    return environment()


@cache
def _client(address: str) -> Any:
    try:
        import distributed
    except ImportError as error:
        raise DesignError("A Dask cluster needs Dask on this machine too: pip install distributed.") from error
    try:
        return distributed.Client(address, timeout=WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise DesignError(f"No Dask scheduler answers at {address}. Check --dask or RISKKIT_DASK.") from error


def _answered(client: Any, address: str, work: Work, chunks: Chunks) -> Generator[Done]:
    try:
        yield from _play(client, work, chunks)
    except (OSError, TimeoutError) as error:
        raise DesignError(
            f"The Dask cluster at {address} stopped answering. Start it again and resume; nothing that is done is lost."
        ) from error


def _play(client: Any, work: Work, chunks: Chunks) -> Generator[Done]:
    import distributed
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    lost: tuple[type[Exception], ...] = (KilledWorker, FutureCancelledError)
    threads = max(sum(client.nthreads().values()), 1)
    chunks.workers = threads
    (shared,) = client.scatter([work.shared()], broadcast=True, hash=False)
    waiting = iter(chunks)
    going: Any = distributed.as_completed(loop=client.loop)
    try:
        for at in _some(waiting, AHEAD * threads):
            going.add(_handed(client, shared, work, at))
        for future in going:
            try:
                done: Done = future.result()
            except lost as error:  # with the table, or again and again: hand out anew what is left
                raise BrokenExecutor from error
            chunks.learn(done)
            yield done
            for at in _some(waiting, 1):
                going.add(_handed(client, shared, work, at))
    finally:
        with suppress(Exception):  # whatever is still going on there is not waited for
            client.cancel([*going.futures, shared], force=True)


def _handed(client: Any, shared: Any, work: Work, at: Any) -> Any:
    return client.submit(play_alone, shared, at, [work.units[n] for n in at], pure=False)


def _some(waiting: Any, most: int) -> Any:
    """At most so many of what is waiting."""
    return [at for _, at in zip(range(most), waiting, strict=False)]
