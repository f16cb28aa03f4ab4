"""How long a page takes to answer while twenty people use the dashboard and an audit runs.

Run it alone: ``python benchmarks/sessions.py [sessions [seconds]]``. A dashboard with the sample audit is started, a
long game begun in it as its pages begin one, and every session is a websocket that does what a browser does: it asks
for a page, reads it until the last word has come, thinks, asks for the next, and has everything drawn anew that draws
itself anew meanwhile. A rerun is counted from the click to the last message of the server; what a browser then takes to
draw is its own machine's. Two measurements: people who think about five seconds between two clicks, and all sessions
clicking in the same instant. 95 % within one second, of people who think, on a quiet machine with two cores, were asked
for; it ends with 1 where they take longer.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.audit import sample
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from tests.conftest import Server, dashboard

SESSIONS, SECONDS, THINKS = 20, 60.0, 5.0
"""How many people, for how long, and the seconds they think between two clicks, on average."""
PAGES = ("", "membership", "attributes", "audits", "membership")
"""The way of every person through the dashboard, over and over; the first page has no name in the address."""
WITHIN, BEGUN_WITHIN = 240.0, 300.0
"""Seconds after which a page that does not come, and an audit that does not begin, is an error."""
WAVES = 5
ASKED_FOR = 1.0
"""Seconds within which 95 % of clicks are answered."""
QUIET = 0.5
"""Load before the start up to which nobody else is at work."""
PLAYED = MembershipPlan(trainings=40, n_syn=2000, seed=7)
"""The game whose result the Membership page shows."""
LONG = MembershipPlan(generators=("bayesnet:degree=2",), trainings=100_000, n_syn=2000, seed=8)
"""The audit that runs meanwhile; it is stopped in the end."""


class Stuck(RuntimeError):
    """A page did not come, or came as an error."""


@dataclass
class Session:
    """One person with one tab. ``seen`` are the pages that were shown in it before; the first time takes longer."""

    url: str
    query: str
    cookie: str = ""
    protocols: tuple[str, ...] = ()
    seconds: list[tuple[str, float]] = field(default_factory=list)
    first: list[tuple[str, float]] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    waiting: asyncio.Future[None] | None = None
    timers: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    sent: dict[str, float] = field(default_factory=dict)
    page: str = ""
    shown: str = ""
    is_begun: bool = False

    async def open(self) -> None:
        """Open the tab. A browser sends no pings: one that waits for their answers would hang up on a busy server."""
        self.socket: ClientConnection = await connect(
            f"{self.url.replace('http', 'ws')}/_stcore/stream",
            origin=Origin(self.url),
            additional_headers={"Cookie": self.cookie},
            subprotocols=[Subprotocol("streamlit"), *map(Subprotocol, self.protocols)],
            max_size=None,
            ping_interval=None,
            open_timeout=WITHIN,
        )
        self.reader = asyncio.create_task(self._read())

    async def click(self, page: str) -> None:
        """Ask for another page and wait until it stands; counted.

        Raises
        ------
        Stuck
            It did not come in time, shows an exception, or the server hung up.
        """
        self._forget_timers()
        self.waiting, self.page, self.is_begun = asyncio.get_running_loop().create_future(), page, False
        started = time.monotonic()
        await self._send(page)
        try:
            await asyncio.wait_for(self.waiting, WITHIN)
        except TimeoutError as error:
            raise Stuck(f"The page {page or 'data'!r} did not come within {WITHIN:.0f} s.") from error
        taken = time.monotonic() - started
        self.seconds.append((page, taken)) if page in self.seen else self.first.append((page, taken))
        self.seen.add(page)

    async def close(self) -> None:
        """Close the tab."""
        self._forget_timers()
        self.reader.cancel()
        await self.socket.close()

    def _forget_timers(self) -> None:
        for timer in self.timers.values():
            timer.cancel()
        self.timers.clear()
        self.sent.clear()

    async def _send(self, page: str, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = page
        if fragment:
            message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = fragment, True
        await self.socket.send(message.SerializeToString())

    async def _read(self) -> None:
        """Read until the tab is closed; whatever ends it earlier is told to whoever waits for a page."""
        try:
            async for frame in self.socket:
                message = ForwardMsg()
                message.ParseFromString(frame if isinstance(frame, bytes) else frame.encode())
                self._take(message)
            raise Stuck("The server hung up.")
        except Exception as error:  # noqa: BLE001  handed on
            if self.waiting is not None and not self.waiting.done():
                self.waiting.set_exception(error)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":
            # Every click is for another page than the one before, so this tells its run from an older one's.
            self.is_begun = self.is_begun or message.navigation.page_script_hash != self.shown
            if self.is_begun:
                self.shown = message.navigation.page_script_hash
        elif kind == "script_finished":
            self._finished(message.script_finished)
        elif kind == "auto_rerun":
            name, every = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if name not in self.timers:
                self.timers[name] = asyncio.create_task(self._again(name, every))
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
            raise Stuck(f"The page {self.page or 'data'!r} shows an exception.")

    def _finished(self, how: int) -> None:
        """A page stands when its script has ended, or a part of it is drawn anew: its script has ended before that.

        Streamlit keeps the word that a script has ended to itself where a part asks to be drawn anew in that moment.
        """
        if how == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            raise Stuck(f"The page {self.page or 'data'!r} could not be read.")
        if how == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY and self.sent:
            self.drawn.append(time.monotonic() - self.sent.pop(next(iter(self.sent))))
        stands = how in (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
        if stands and self.is_begun and self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(None)

    async def _again(self, name: str, every: float) -> None:
        """Have a part of the page drawn anew every so many seconds, as a browser does."""
        with suppress(ConnectionClosed):  # the reader tells of it
            while True:
                await asyncio.sleep(every)
                self.sent.setdefault(name, time.monotonic())
                await self._send(self.page, name)


async def used(server: Server, query: str, sessions: int, seconds: float) -> tuple[list[Session], list[float]]:
    """The sessions after they were used so long, and the reruns of the waves in which all click at once."""
    people = [Session(server.url, query, server.cookie) for _ in range(sessions)]
    steps = [person % len(PAGES) for person in range(sessions)]

    async def onward(person: int) -> None:
        await people[person].click(PAGES[steps[person] % len(PAGES)])
        steps[person] += 1

    async def use(person: int) -> None:
        rng = np.random.default_rng(person)
        while time.monotonic() < end:
            await asyncio.sleep(float(rng.exponential(THINKS)))
            await onward(person)

    async def all_of(what: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        async with asyncio.TaskGroup() as group:  # one that is stuck ends them all
            for person in range(sessions):
                group.create_task(what(person))

    for session in people:
        await session.open()
    await all_of(onward)
    for session in people:  # the first page also imports what the server needs; nobody waits for that twice
        session.first.clear()
    end = time.monotonic() + seconds
    await all_of(use)
    at_once: list[float] = []
    for _ in range(WAVES):
        before = [len(session.seconds) for session in people]
        await all_of(onward)
        for session, known in zip(people, before, strict=True):
            at_once += [taken for _, taken in session.seconds[known:]]
            del session.seconds[known:]
    for session in people:
        await session.close()
    return people, at_once


@contextmanager
def busy(audit: Audit) -> Iterator[Run]:
    """A long run in that audit, stopped at the end."""
    run = audit.start(LONG, workers=max((os.cpu_count() or 2) - 1, 1))
    try:
        _until(run, "running")
        yield run
    finally:
        run.cancel()
        _until(run, "cancelled")


def prepared(home: Path) -> Audit:
    """The sample audit in that home, with a game that was played."""
    os.environ["RISKKIT_HOME"] = str(home)
    audit = sample.load_sample(Store.default())
    _until(audit.start(PLAYED, workers=2), "finished")
    return audit


def _until(run: Run, wanted: str) -> None:
    """Wait for that state; on a busy machine a worker may be taken for dead before it has come up."""
    end = time.monotonic() + BEGUN_WITHIN
    while (now := run.progress)["state"] != wanted:
        if time.monotonic() > end:
            raise Stuck(f"The audit is not {wanted} after {BEGUN_WITHIN:.0f} s: {now}")
        if now["state"] == "interrupted":
            run.resume()
        time.sleep(0.2)


def line(what: str, seconds: list[float]) -> str:
    """Count, median, 95th percentile and maximum in one line."""
    if not seconds:
        return f"| {what} | 0 | | | |"
    middle, high, most = np.quantile(seconds, (0.5, 0.95, 1.0))
    return f"| {what} | {len(seconds):,} | {middle:.2f} | {high:.2f} | {most:.2f} |"


@dataclass(frozen=True)
class Measured:
    """What every session saw, the reruns of all at once, and the processor seconds of the server with its start."""

    people: list[Session]
    at_once: list[float]
    server_seconds: float

    @property
    def reruns(self) -> list[float]:
        """Seconds of every click, the first visits of a page included."""
        return [taken for session in self.people for _, taken in (*session.first, *session.seconds)]

    @property
    def drawn(self) -> list[float]:
        """Seconds of every part that was drawn anew."""
        return [taken for session in self.people for taken in session.drawn]


def measure(home: Path, sessions: int = SESSIONS, seconds: float = SECONDS) -> Measured:
    """Use a dashboard of that home while an audit runs."""
    audit = prepared(home)
    with busy(audit) as run:
        before = _processor_seconds()
        with dashboard(home) as server:
            people, at_once = asyncio.run(used(server, f"audit={audit.id}", sessions, seconds))
        used_up = _processor_seconds() - before  # of the server alone: the run is still going on
        assert run.state == "running", run.progress
    return Measured(people, at_once, used_up)


def _processor_seconds() -> float:
    """What the children of this process that have ended took."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def main() -> None:
    """Measure and print."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    before = os.getloadavg()[0]
    others = " (others are at work: the figures are not those of a quiet machine)" if before > QUIET else ""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a worker may still be ending
        measured = measure(Path(folder) / "home", sessions, seconds)
    load = f"load {before:.1f} before{others}, {os.getloadavg()[0]:.1f} after"
    print(f"\n{sessions} sessions beside a running audit, {seconds:.0f} s, {os.cpu_count()} cores, {load}\n")
    print("| reruns | count | median s | 95 % within s | longest s |\n|---|---|---|---|---|")
    print(line("all pages", measured.reruns))
    for page in dict.fromkeys(PAGES):
        name = page or "data"
        print(line(name, [taken for session in measured.people for asked, taken in session.seconds if asked == page]))
        print(
            line(
                f"{name}, first visit",
                [taken for session in measured.people for visited, taken in session.first if visited == page],
            )
        )
    print(line("parts drawn anew", measured.drawn))
    print(line("all at once", measured.at_once))
    count = len(measured.reruns) + len(measured.at_once) + sessions
    print(
        f"\nThe server took {measured.server_seconds:.1f} s of processor time in all, its start and {count:,} reruns "
        f"and {len(measured.drawn):,} redrawn parts together."
    )
    high = float(np.quantile(measured.reruns, 0.95))
    print(f"95 % of clicks within {high:.2f} s; {ASKED_FOR:g} s were asked for.")
    sys.exit(int(high > ASKED_FOR))


if __name__ == "__main__":
    main()
