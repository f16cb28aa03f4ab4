"""Units of work, on one core or several, in order, with a clock, a way to stop, and a book of what is done.

A unit is a pure function of what the plan fixes and of its own number, so it does not matter where it is worked out, in
which order, or whether it was found in the book. What is made between two maps is in no book: it follows from the seed
and the units before it, and is made again when a run goes on, so nothing that takes long is made there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from typing import Any, TypedDict, TypeVar

from riskkit.base import stages
from riskkit.base.stages import Stage
from riskkit.errors import Cancelled, DesignError
from riskkit.jobs.engines import Chunks, Done, Engine, Work, batch_size, beside, elsewhere, here

PATIENCE = 3
"""How often in a row worker processes may vanish without a single unit done, before the run gives up."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: what it is doing, units done of all, and seconds left (None before it is known)."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None


class Steering(TypedDict, total=False):
    """How a run is steered while it is worked out: by so many ``workers``, processes that change no number.

    After every unit ``progress`` is told how far it is, and ``cancelled`` asked whether to stop: then
    :class:`~riskkit.errors.Cancelled` is raised.
    """

    workers: int
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]


class Clock:
    """Counts units and tells the caller how long the rest will take at the pace so far."""

    def __init__(self, total: int, tell: Callable[[Progress], None]) -> None:
        self.total, self.done, self.tell = total, 0, tell
        self.found = 0
        self.started = time.monotonic()

    def tick(self, stage: str, units: int) -> None:
        """Note that ``units`` more are done and tell the caller."""
        self.done += units
        made = self.done - self.found
        pace = (time.monotonic() - self.started) / made if made else None
        self.tell(Progress(stage, self.done, self.total, None if pace is None else pace * (self.total - self.done)))

    def skip(self, stage: str, units: int) -> None:
        """Note that ``units`` were done before; they say nothing of the pace."""
        self.found += units
        self.tick(stage, units)


class Page:
    """The results of one map in a book; in one of this very type nothing is kept."""

    def results(self) -> dict[int, Any]:
        """What is there already, by the number of the unit."""
        return {}

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        """Commit these; when it returns they outlive this process. Returns them as they will be read again."""
        return results

    def fail(self, unit: int, error: Exception) -> None:
        """Note that this unit raised."""


class Book:
    """Where the results of a run are kept as they arrive, and found again; in one of this very type nothing is.

    Of a closed one nothing is worked out: what is there is all there is.
    """

    is_closed: bool = False

    def page(self, stage: str, work: str, units: int, names: Sequence[str] = ()) -> Page:  # noqa: ARG002
        """The page of the next map; a run that goes on asks for the same pages in the same order.

        Units that have ``names`` are found by these in every run on the same data.
        """
        return Page()


@dataclass(slots=True, eq=False)
class NamedUnits(Book):
    """A book in memory of units that have names: what one question of an audit trained, the next one finds."""

    kept: dict[tuple[str, str], Any] = field(default_factory=dict)

    def page(self, stage: str, work: str, units: int, names: Sequence[str] = ()) -> Page:  # noqa: ARG002
        """See :meth:`Book.page`; units without names are not kept."""
        return _NamedUnitsPage(self.kept, tuple((work, name) for name in names)) if names else Page()


@dataclass(slots=True, eq=False)
class _NamedUnitsPage(Page):
    kept: dict[tuple[str, str], Any]
    names: Sequence[tuple[str, str]]

    def results(self) -> dict[int, Any]:
        return {unit: self.kept[name] for unit, name in enumerate(self.names) if name in self.kept}

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        self.kept.update({self.names[unit]: result for unit, result in results.items()})
        return results


_BOOK: ContextVar[Book] = ContextVar("riskkit_book", default=Book())  # noqa: B039  it holds nothing


@contextmanager
def keeping(book: Book) -> Iterator[None]:
    """Every map within this block keeps its results in that book."""
    token = _BOOK.set(book)
    try:
        yield
    finally:
        _BOOK.reset(token)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Runs units in chunks, in this process, in several or on a cluster, and yields their results in order."""

    workers: int
    clock: Clock
    cancelled: Callable[[], bool]

    @classmethod
    def open(
        cls,
        units: int,
        *,
        workers: int = 1,
        progress: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Pool:
        """A pool for so many units, steered as :class:`Steering` says."""
        return cls(workers, Clock(units, progress), cancelled)

    def map(
        self,
        stage: str,
        work: Callable[..., list[Any]],
        game: Any,
        units: Sequence[Any],
        *rest: Any,
        is_here: bool = False,
        names: Sequence[str] = (),
    ) -> Iterator[Any]:
        """The results of all units, in order; stops between two chunks when cancelled.

        ``work(game, units, *rest)`` returns one result a unit, each a pure function of game, unit and rest. Of several
        units that raise, the error of the first in order is raised, whichever came up first. Units that would
        take longer to send than to work out are worked out in this process (``is_here``). Where a unit follows from the
        data and its own name alone (``names``), another run on the same data finds what is kept of it.
        """
        arrived: dict[int, Any] = {}
        following = 0
        for results in self._arrivals(stage, Work(work, game, units, rest), is_here, names):
            arrived.update(results)
            while following in arrived:
                yield arrived.pop(following)
                following += 1

    def _arrivals(self, stage: str, work: Work, is_here: bool, names: Sequence[str]) -> Iterator[Mapping[int, Any]]:
        """The results by the number of their unit: first those in the book, then the others as they get done."""
        book = _BOOK.get()
        page = book.page(stage, f"{work.play.__module__}.{work.play.__qualname__}", len(work.units), names)
        known = page.results()
        stages.say(stage)
        self.clock.skip(stage, len(known))
        left, error = set(range(len(work.units))) - known.keys(), None
        yield known
        if left and book.is_closed:
            raise Cancelled("The rest of this run was never worked out.")
        while left:
            for done in self._play(work, sorted(left), is_here):
                results: Mapping[int, Any] = dict(zip(done.at, done.results, strict=False))
                if results:
                    results = page.keep(results)
                left -= results.keys()
                self.clock.tick(stage, len(results))
                yield results
                if done.error is not None:
                    failed, error = done.at[len(results)], done.error
                    page.fail(failed, error)
                    left = {unit for unit in left if unit < failed}
                    break
                if self.cancelled():
                    raise Cancelled("The run was cancelled.")
        if error is not None:
            raise error

    def _play(self, work: Work, todo: list[int], is_here: bool) -> Iterator[Done]:
        """Every unit of ``todo``, in chunks as they get done; goes on where worker processes vanish."""
        left, vanished = set(todo), 0
        while left:
            before = len(left)
            play = here if is_here else engine(self.workers, before)
            # What is made here trains nothing, and hears a cancel sooner.
            together = 1 if is_here else batch_size(work.game)
            played = play(work, Chunks(sorted(left), max(self.workers, 1), together))
            try:
                for done in played:
                    left -= set(done.at)
                    yield done
            except BrokenExecutor as error:
                vanished = vanished + 1 if len(left) == before else 0
                if vanished == PATIENCE:
                    raise DesignError.phrase(
                        "The processes that do the work were stopped from outside again and again, most "
                        "likely because memory ran out, or because a plug-in ends its process. Ask for "
                        "fewer workers, or for a smaller plan."
                    ) from error
            finally:
                played.close()


def engine(workers: int, units: int) -> Engine:
    """The engine for so many units: the cluster named in ``RISKKIT_DASK``, else this machine."""
    if address := elsewhere():
        from riskkit.jobs.cluster import cluster  # with it comes Dask, where somebody asks for it

        return cluster(address)
    return here if workers <= 1 or units <= 1 else lambda work, chunks: beside(work, chunks, workers)


T = TypeVar("T")
LOOK = 0.1
"""Seconds between two looks, of whoever waits for the work, at what it says."""


def aside(work: Callable[[], T], *, is_aside: bool = True) -> Callable[[], T]:
    """Begin that work in a thread; returns what waits for its result, and raises what it raised.

    What the caller has chosen for its texts, such as what a row is called, holds in the thread too. What it does is
    said while somebody waits for it, and heard by whoever listens to them. Where it is not to be done aside, it is done
    now, and says what it does to whoever listens. Of a run that ends before anybody asked for the result the thread is
    left alone: it ends with its work, or with the process.
    """
    if not is_aside:
        done = work()
        return lambda: done
    results: list[T] = []
    errors: list[BaseException] = []
    newest: list[Stage] = []

    def hear(stage: Stage) -> None:
        newest[:] = [stage]

    def play() -> None:
        try:
            with stages.listener(hear, alone=True):
                results.append(work())
        except BaseException as error:  # noqa: BLE001  whoever asks for the result hears of it
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(play,), daemon=True)
    thread.start()

    def result() -> T:
        shown: list[Stage] = []
        while thread.is_alive():
            if (now := newest[:]) != shown:
                shown = now
                stages.say(now[0].words, now[0].done, now[0].total)
            thread.join(LOOK)
        if errors:
            raise errors[0]
        return results[0]

    return result
