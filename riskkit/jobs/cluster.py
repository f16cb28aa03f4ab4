"""Units on a Dask cluster: the same units, the same results. Only this process writes to the store.

A table goes to every worker once in an audit, whatever number of maps use it: it is named by the hash of what it holds,
and stays with the workers until others were used more lately. What else the units of one map share (the game, attackers
that have read their briefs) goes to every worker once in a map; a unit carries its numbers alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from itertools import islice
from threading import Lock
from typing import Any

from riskkit.core import Table
from riskkit.errors import DesignError, WorkersGone
from riskkit.jobs.codec import encode, sha
from riskkit.jobs.engines import Chunks, Done, Engine, Work, play_alone
from riskkit.jobs.machine import environment

AHEAD = 2
"""Chunks handed out for each thread of the cluster."""
WITHIN = "20s"
ASKED = 3
"""How often workers are asked for their versions before they count as gone."""
HELD = 8
"""Tables that workers keep from one map to the next; those that were not used for longest go first."""


def cluster(address: str) -> Engine:
    """The engine of the scheduler at that address.

    Raises
    ------
    DesignError
        Dask is not installed, nobody answers there, or a worker has another version of riskkit or its libraries.
    """
    there = _there(address)
    environments = _answers(there.client, address)
    if not environments:
        raise DesignError.phrase(
            "The Dask scheduler at {address} has no worker. Start one: dask worker {address}", address=address
        )
    if environments != {environment()}:
        raise DesignError.phrase(
            "A worker of the Dask cluster at {address} has another version of riskkit, Python or a library "
            "than this machine, so its numbers could differ. Give all of them the same.",
            address=address,
        )
    return lambda work, chunks: _collect(there, address, work, chunks)


def _answers(client: Any, address: str) -> set[str]:
    """What the workers run on; a worker that is importing it all for the first time may be too busy to answer."""
    for asked in range(ASKED):
        try:
            return set(client.run(_theirs).values())
        except RuntimeError as error:  # what a client says that has given its scheduler up
            if is_there(client):
                raise
            raise _workers_gone(address) from error
        except (OSError, TimeoutError) as error:
            if asked == ASKED - 1:
                raise _workers_gone(address) from error
    return set()


def is_there(client: Any) -> bool:
    """Whether the client has a scheduler; one that has lost it and given it up raises whatever comes up."""
    return getattr(client, "status", "running") == "running"


def _workers_gone(address: str) -> WorkersGone:
    """The error that says so. Whoever asks for the cluster again gets a client of its own."""
    _there.cache_clear()
    return WorkersGone.phrase(
        "The Dask cluster at {address} stopped answering. Start it again and resume; nothing that is done is lost.",
        address=address,
    )


def _theirs() -> str:
    """What a worker runs on; asked there."""
    return environment()


@dataclass(slots=True)
class There:
    """A cluster, and the tables that it holds for us, the one that was used last at the end."""

    client: Any
    held: OrderedDict[str, Any] = field(default_factory=OrderedDict)

    def send(self, tables: dict[str, Table]) -> list[Any]:
        """Those tables as every worker has them; only what is not there yet is sent."""
        for name, table in tables.items():
            if name not in self.held:
                (self.held[name],) = self.client.scatter([table], broadcast=True, hash=False)
            self.held.move_to_end(name)
        while len(self.held) > max(HELD, len(tables)):
            self.held.popitem(last=False)
        return [self.held[name] for name in tables]


@cache
def _there(address: str) -> There:
    try:
        import distributed
    except ImportError as error:
        raise DesignError.phrase("A Dask cluster needs Dask on this machine too: pip install distributed.") from error
    try:
        return There(distributed.Client(address, timeout=WITHIN, set_as_default=False))
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkersGone.phrase(
            "No Dask scheduler answers at {address}. Check --dask or RISKKIT_DASK.", address=address
        ) from error


def _collect(there: There, address: str, work: Work, chunks: Chunks) -> Generator[Done]:
    try:
        yield from _play(there, work, chunks)
    except (OSError, TimeoutError) as error:
        raise _workers_gone(address) from error
    except RuntimeError as error:
        if isinstance(error, BrokenExecutor) or is_there(there.client):
            raise
        raise _workers_gone(address) from error


def _play(there: There, work: Work, chunks: Chunks) -> Generator[Done]:
    import distributed
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    lost: tuple[type[Exception], ...] = (KilledWorker, FutureCancelledError)
    client = there.client
    threads = max(sum(client.nthreads().values()), 1)
    chunks.workers = threads
    rest, tables = apart(work.parcel())
    held = there.send(tables)
    (shared,) = client.scatter([SharedInputs(rest, tuple(tables))], broadcast=True, hash=False)
    waiting = iter(chunks)
    going: Any = distributed.as_completed(loop=client.loop)

    def hand(places: Sequence[int]) -> None:
        going.add(client.submit(play_there, shared, places, [work.units[n] for n in places], *held, pure=False))

    try:
        for block in islice(waiting, AHEAD * threads):
            hand(block)
        for future in going:
            try:
                done: Done = future.result()
            except lost as error:  # with a table, or again and again: hand out anew what is left
                there.held.clear()
                raise BrokenExecutor from error
            chunks.learn(done)
            yield done
            for block in islice(waiting, 1):
                hand(block)
    finally:
        with suppress(Exception):  # whatever is still going on there is not waited for
            client.cancel([*going.futures, shared], force=True)


# --------------------------------------------------------------------------------------------------------------
# Tables apart from the rest


@dataclass(frozen=True, slots=True)
class TableName:
    """Stands where a table stood."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class SharedInputs:
    """What the units of a map share, without its tables; they are named in the order they are handed."""

    rest: Any
    tables: tuple[str, ...]


def apart(value: Any) -> tuple[Any, dict[str, Table]]:
    """The value with names in place of tables, and the tables by these names: hashes of what they hold.

    Tables are looked for in tuples, lists, dictionaries and dataclasses; within anything else they stay where they are.
    """
    tables: dict[str, Table] = {}
    names: dict[int, TableName] = {}

    def taken(part: Any) -> Any:
        if type(part) is not Table:
            return part
        if id(part) not in names:
            names[id(part)] = TableName(fingerprint(part))
        tables.setdefault(names[id(part)].name, part)
        return names[id(part)]

    return swap(value, taken), tables


def together(rest: Any, tables: Mapping[str, Table]) -> Any:
    """What :func:`apart` took apart."""
    return swap(rest, lambda value: tables[value.name] if type(value) is TableName else value)


def fingerprint(table: Table) -> str:
    """The hash of what a table holds: equal names are equal tables."""
    arrays = (table.codes, table.numbers) if table.relaxed is None else (table.codes, table.numbers, table.relaxed)
    shapes = [list(array.shape) for array in arrays]
    return sha(encode(table.schema), encode(shapes), *(array.tobytes() for array in arrays)).hex()


def swap(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with ``change`` made to all that it holds; what holds nothing that changes is not copied."""
    changed = change(value)
    if changed is not value:
        return changed
    if type(value) in (tuple, list):
        parts = [swap(part, change) for part in value]
        return type(value)(parts) if _differ(parts, value) else value
    if type(value) is dict:
        parts = [swap(part, change) for part in value.values()]
        return dict(zip(value, parts, strict=True)) if _differ(parts, value.values()) else value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = [spec.name for spec in fields(value)]
    before = [getattr(value, name) for name in names]
    parts = [swap(part, change) for part in before]
    if not _differ(parts, before):
        return value
    made = copy(value)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(made, name, part)  # a frozen one too: it is ours alone
    return made


def _differ(parts: Iterable[Any], before: Iterable[Any]) -> bool:
    return any(new is not old for new, old in zip(parts, before, strict=True))


_LAST: list[tuple[SharedInputs, Any]] = []
_PUTTING = Lock()


def play_there(shared: SharedInputs, places: Sequence[int], units: Sequence[Any], *tables: Table) -> Done:
    """:func:`riskkit.jobs.engines.play_alone` on a worker; what the units share is put together once in a map."""
    with _PUTTING:
        if not _LAST or _LAST[0][0] is not shared:
            _LAST[:] = [(shared, together(shared.rest, dict(zip(shared.tables, tables, strict=True))))]
        whole = _LAST[0][1]
    return play_alone(whole, places, units)
