"""Where units are worked out: in this process, in processes of this machine (loky), or on a cluster (Dask).

All three are given the same units and give the same results; they differ in the time they take.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from inspect import GEN_CLOSED, getgeneratorstate
from itertools import groupby
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from riskkit import own, registry
from riskkit.base import process
from riskkit.base.threads import single_thread, with_cores
from riskkit.errors import DesignError, RiskkitError, describe_error, keep_place

CHUNK_SECONDS, LARGEST = 0.5, 250
"""Units are handed out in chunks that take about that long, and hold no more than that many: little is lost when a
process dies, a cancel is heard soon, and handing out costs next to nothing."""

HELD = 0.1
"""Seconds that a helper process that was started early holds its first task."""

REMOVED = "ignore:resource_tracker"
"""How its warnings begin, as an option of Python's."""
_STARTED: list[int] = []
"""The helpers that were started, by their process ids."""
OURS = "RISKKIT_"
"""How the names of our settings begin."""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What is done with every unit, and what all units share."""

    play: Callable[..., list[Any]]
    game: Any
    units: Sequence[Any]
    rest: tuple[Any, ...]

    def parcel(self) -> tuple[Any, ...]:
        """All but the units: and the plug-ins that were registered here, which a helper process has never heard of."""
        return (self.play, self.game, self.rest, own.parcel())


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What came back of a chunk: the units that were tried, and results of all of them unless the last one raised."""

    at: Sequence[int]
    results: list[Any]
    error: Exception | None
    seconds: float


Engine = Callable[[Work, "Chunks"], Generator[Done]]


class Chunks:
    """Hands out units in chunks whose size follows the time that units have taken so far.

    Units of a block of ``at_once`` belong side by side and are never parted: what is made side by side is then the same
    however many processes there are, to the last bit.
    """

    def __init__(self, todo: Sequence[int], workers: int, at_once: int = 1) -> None:
        self.todo, self.workers, self.at_once, self.size = todo, workers, at_once, 1

    def __iter__(self) -> Iterator[Sequence[int]]:
        start = 0
        while start < len(self.todo):
            fair = -(-(len(self.todo) - start) // (2 * self.workers)) if self.workers > 1 else LARGEST
            end = min(start + max(min(self.size, fair), 1), len(self.todo))
            while end < len(self.todo) and self.todo[end] // self.at_once == self.todo[end - 1] // self.at_once:
                end += 1
            yield self.todo[start:end]
            start = end

    def learn(self, done: Done) -> None:
        """Take the pace of a chunk into account; grow no faster than double."""
        pace = done.seconds / max(len(done.results), 1)
        wanted = int(CHUNK_SECONDS / pace) if pace > 0 else LARGEST
        self.size = max(min(wanted, 2 * self.size, LARGEST), 1)


def here(work: Work, chunks: Chunks) -> Generator[Done]:
    """In this process; where there are fewer units than workers, each has the cores of several."""
    for chunk in chunks:
        with with_cores(chunks.workers // len(chunks.todo)):
            done = play(work.parcel(), chunk, [work.units[n] for n in chunk])
        chunks.learn(done)
        yield done


def beside(work: Work, chunks: Chunks, workers: int) -> Generator[Done]:
    """In processes of this machine."""
    jobs = (
        delayed(_play_beside)(work.parcel(), chunk, [work.units[n] for n in chunk], _settings()) for chunk in chunks
    )
    helpers = _helpers(workers, return_as="generator_unordered")
    played: Generator[Done] | None = None
    try:
        with hold_interrupts():  # a helper of which joblib does not know yet would be ended by nobody
            played = helpers(jobs)
        for done in played:
            chunks.learn(done)
            yield done
    finally:
        with hold_interrupts():
            if played is not None:
                _take_back(played)


def _take_back(played: Generator[Done]) -> None:
    """End the helpers and let joblib hear of it, where units are still played or wait.

    joblib would end them by itself, but its thread could then look for a unit that it has just forgotten, and write a
    traceback onto the screen. Of helpers that died it takes leave in order.
    """
    if getgeneratorstate(played) != GEN_CLOSED:
        end_helpers()
        with suppress(Exception):  # what it says of helpers that are gone
            deque(played, maxlen=0)
        get_reusable_executor(reuse=True).shutdown(kill_workers=True)  # where all was played it has not heard of it


@contextmanager
def start(workers: int, load: Callable[[], object]) -> Iterator[None]:
    """Have the processes of this machine start, and load what they need, while this one describes and deals.

    Within the block they are on their way; behind it they are there. Nothing depends on it but the time.
    """
    if workers <= 1 or elsewhere():
        yield
        return
    jobs = [delayed(_load)(load) for _ in range(workers)]
    helpers = _helpers(workers)

    def begin() -> None:
        with suppress(Exception):  # they were ended while they started, or start again with the first units
            helpers(jobs)

    start = threading.Thread(target=begin, daemon=True)
    start.start()
    try:
        yield
        start.join()
    except KeyboardInterrupt:
        while start.is_alive():  # whoever stops the command does not wait until all is loaded
            end_helpers()
            start.join(0.05)
        raise
    finally:
        start.join()


def _helpers(workers: int, **how: Any) -> Parallel:
    """Helper processes, which live on from run to run where they are asked for with the very same words."""
    start_apart()
    # One that has grown by 300 MB, as by what it loads, is replaced between two units: nothing is lost, and nobody need
    # be told. Where warnings are errors, this one would leave the units without whoever hands them out.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    return Parallel(n_jobs=workers, initializer=_begin, initargs=(os.getpid(),), **how)


def _load(load: Callable[[], object]) -> None:
    """Load that, and hold the process for a moment so that the others have one each too."""
    load()
    time.sleep(HELD)


def elsewhere() -> str:
    """The address of the cluster that works units out; empty where this machine does."""
    return os.environ.get("RISKKIT_DASK", "")


@cache
def _single_thread() -> None:
    """Hold this worker process, and the programs it starts, to one thread and to this user for good."""
    process.end_loading()
    process.close()  # one of a cluster was started by somebody else
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    single_thread()


def die_with_parent() -> None:
    """End this process when the one that started it is gone."""
    die_with(os.getppid())


def die_with(parent: int) -> None:
    """End this process when its parent of that id is gone; left alone, it would hold tables in memory for minutes.

    The parent may be gone already: then this process has another one by now.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    if sys.platform != "win32":  # there nobody hears of a parent's end; idle helpers end after five minutes
        threading.Thread(target=watch, daemon=True).start()


def _begin(parent: int) -> None:
    """Begin as a helper: it ends with its parent, and has to load what the first units bring."""
    process.begin_loading()
    die_with(parent)


def _settings() -> dict[str, str]:
    """What riskkit was started with, such as the leave to run the steward's programs."""
    return {name: value for name, value in os.environ.items() if name.startswith(OURS)}


def _play_beside(
    shared: tuple[Any, ...], places: Sequence[int], units: Sequence[Any], started_with: Mapping[str, str]
) -> Done:
    """:func:`play_alone`, allowed what the process that asks is allowed now.

    A helper lives on from run to run: what was allowed when it was started may be less, or more, than now.
    """
    for name in _settings().keys() - started_with.keys():
        del os.environ[name]
    os.environ.update(started_with)
    return play_alone(shared, places, units)


def play_alone(shared: tuple[Any, ...], places: Sequence[int], units: Sequence[Any]) -> Done:
    """:func:`play` in a process that does nothing else."""
    _single_thread()
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    return play(shared, places, units)


def play(shared: tuple[Any, ...], places: Sequence[int], units: Sequence[Any]) -> Done:
    """Work these units out one by one, or a block side by side; those before one that raises are not lost."""
    work, game, rest, parcel = shared
    registry.adopt(parcel)
    results: list[Any] = []
    started = time.monotonic()
    error = None
    waiting = deque(_blocks(places, units, batch_size(game)))
    while waiting:
        block = waiting.popleft()
        try:
            results += work(game, block, *rest)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # noqa: BLE001  handed on to whoever asked, with what is done
            if len(block) > 1 and isinstance(raised, Exception):
                # one of them did: each alone, so that it is known which, and the others are not lost
                waiting.extendleft([unit] for unit in reversed(block))
                continue
            error = raised if isinstance(raised, Exception) else _refusal(raised)
            if not isinstance(error, RiskkitError):
                keep_place(error)
                error.add_note("".join(traceback.format_tb(raised.__traceback__)))
            break
        if time.monotonic() - started > 2 * CHUNK_SECONDS:  # slower than those before: hand out the rest anew
            break
    tried = len(results) + (error is not None)
    return Done(places[:tried], results, error, time.monotonic() - started)


def batch_size(game: Any) -> int:
    """How many units of that game belong side by side."""
    return getattr(game, "at_once", 1)


def _blocks(places: Sequence[int], units: Sequence[Any], size: int) -> Iterator[list[Any]]:
    """The units, those of a block of that size together."""
    for _, block in groupby(zip(places, units, strict=True), key=lambda pair: pair[0] // size):
        yield [unit for _, unit in block]


def _refusal(raised: BaseException) -> DesignError:
    """What a plug-in raised to end more than its unit (``SystemExit``), as an error that ends only the run."""
    return DesignError.phrase(
        "The work was stopped by {what}, which a generator, an attack or another plug-in raised. None of "
        "them may end the program: let it return, or raise an error.",
        what=describe_error(raised),
    )


# --------------------------------------------------------------------------------------------------------------
# Helper processes of this machine
#
# They stand apart from the terminal, which sends Ctrl-C to every process of the command in front. A helper that still
# loads its libraries has no answer to it but a traceback, and the first moments of a Python process belong to none of
# its modules. So a helper is started in a session of its own, where no terminal reaches it, and whoever asked ends it.


@cache
def start_apart() -> None:
    """Have joblib start its helpers in sessions of their own from now on; once is enough for a process."""
    if sys.platform != "win32":  # there helpers are started in another way, and a console tells every process
        from joblib.externals.loky.backend import fork_exec

        _tidy_up_in_silence()
        fork_exec.fork_exec = _start_helper
        process.call_last(end_helpers)


def _tidy_up_in_silence() -> None:
    """Start the process that removes what helpers share, once all others are gone, and have it say nothing of it.

    joblib starts it anyway. Where a program is ended at once there is always something to remove, and it would write
    names of files onto the screen behind the last word of the command.
    """
    from joblib.externals.loky.backend import resource_tracker

    sys.warnoptions.append(REMOVED)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(REMOVED)


def _start_helper(command: Sequence[str], kept: Iterable[int], env: Mapping[str, str] | None = None) -> int:
    """Start that program in a session of its own, with these descriptors open; its process id.

    It reads nothing: without a terminal an answer could never come.
    """
    helper = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        pass_fds=tuple(kept),
        env={**os.environ, **(env or {})},
        restore_signals=False,
        start_new_session=True,
    )
    helper.returncode = 0  # joblib waits for it by its id: this object is not to wait, nor to warn that it did not
    _STARTED.append(helper.pid)
    return helper.pid


def end_helpers() -> None:
    """Kill every helper at once, those too that still start, and all that they started in their sessions.

    None is waited for, and the next units start others.
    """
    for pid in _STARTED:
        with suppress(OSError):  # it has ended, and its number may be another's by now
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(pid, signal.SIGKILL)
    if sys.platform == "win32":  # there they are not known by a session
        for helper in multiprocessing.active_children():
            helper.kill()


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Ctrl-C that comes within the block is heard when it is left: what is done there is done wholly or not at all."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # it is heard elsewhere, or by nobody
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
