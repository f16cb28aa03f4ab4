"""How long a page takes to answer while twenty people use the dashboard and an audit runs.

Run it alone: ``python benchmarks/sessions.py [sessions [seconds]]``. A dashboard with the sample audit is started, a
long game begun in it as its pages begin one, and every session is a websocket that does what a browser does: it asks
for a page, reads it until the last word has come, thinks, asks for the next, and has everything drawn anew that draws
itself anew meanwhile. A rerun is counted from the click to the last message of the server; what a browser then takes to
draw is its own machine's. Two measurements: people who think about five seconds between two clicks, and all sessions
clicking in the same instant.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.audit import sample
from riskkit.audit.plan import MembershipPlan
from riskkit.audit.runs import LIVE, Run
from riskkit.audit.store import Audit, Store
from tests.conftest import dashboard

SESSIONS, SECONDS, THINKS = 20, 60.0, 5.0
"""How many people, for how long, and the seconds they think between two clicks, on average."""
PAGES = ("data", "membership", "attributes", "audits", "membership")
"""The way of every person through the dashboard, over and over."""
WAVES = 5
PLAYED = MembershipPlan(trainings=40, n_syn=2000, seed=7)
"""The game whose result the Membership page shows."""
LONG = MembershipPlan(generators=("bayesnet:degree=2",), trainings=100_000, n_syn=2000, seed=8)
"""The audit that runs meanwhile; it is stopped in the end."""


@dataclass
class Session:
    """One person with one tab."""

    url: str
    query: str
    seconds: list[tuple[str, float]] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    socket: ClientConnection | None = None
    waiting: asyncio.Future[None] | None = None
    timers: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    sent: dict[str, float] = field(default_factory=dict)
    page: str = ""

    async def open(self) -> None:
        """Open the tab."""
        self.socket = await connect(
            f"{self.url.replace('http', 'ws')}/_stcore/stream", origin=self.url, subprotocols=["streamlit"],
            max_size=None,
        )  # fmt: skip
        self.reader = asyncio.create_task(self._read())

    async def click(self, page: str) -> None:
        """Ask for a page and wait until it stands; counted."""
        for timer in self.timers.values():
            timer.cancel()
        self.timers.clear()
        self.waiting, self.page = asyncio.get_running_loop().create_future(), page
        started = time.monotonic()
        await self._send(page)
        await self.waiting
        self.seconds.append((page, time.monotonic() - started))

    async def close(self) -> None:
        """Close the tab."""
        for task in (*self.timers.values(), self.reader):
            task.cancel()
        if self.socket is not None:
            await self.socket.close()

    async def _send(self, page: str, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = page
        if fragment:
            message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = fragment, True
        assert self.socket is not None
        await self.socket.send(message.SerializeToString())

    async def _read(self) -> None:
        assert self.socket is not None
        with suppress(ConnectionClosed):
            async for given in self.socket:
                message = ForwardMsg()
                message.ParseFromString(given if isinstance(given, bytes) else given.encode())
                self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                if self.waiting is not None and not self.waiting.done():
                    self.waiting.set_result(None)
            elif message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY and self.sent:
                self.drawn.append(time.monotonic() - self.sent.pop(next(iter(self.sent))))
        elif kind == "auto_rerun":
            name, every = message.auto_rerun.fragment_id, message.auto_rerun.interval
            if name not in self.timers:
                self.timers[name] = asyncio.create_task(self._again(name, every))
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
            raise RuntimeError(f"The page {self.page} shows an exception.")

    async def _again(self, name: str, every: float) -> None:
        """Have a part of the page drawn anew every so many seconds, as a browser does."""
        while True:
            await asyncio.sleep(every)
            self.sent[name] = time.monotonic()
            await self._send(self.page, name)


async def used(url: str, query: str, sessions: int, seconds: float) -> tuple[list[Session], list[float]]:
    """The sessions after they were used so long, and the reruns of the waves in which all click at once."""
    people = [Session(url, query) for _ in range(sessions)]
    for one in people:
        await one.open()
    await asyncio.gather(*(one.click(PAGES[at % len(PAGES)]) for at, one in enumerate(people)))
    for one in people:  # the first page also imports what it needs; nobody waits for that twice
        one.seconds.clear()
        one.drawn.clear()
    end = time.monotonic() + seconds
    await asyncio.gather(*(_use(one, at, end) for at, one in enumerate(people)))
    at_once: list[float] = []
    for wave in range(WAVES):
        await asyncio.gather(*(one.click(PAGES[(at + wave) % len(PAGES)]) for at, one in enumerate(people)))
        at_once += [one.seconds.pop()[1] for one in people]
    for one in people:
        await one.close()
    return people, at_once


async def _use(one: Session, at: int, end: float) -> None:
    rng = np.random.default_rng(at)
    step = at
    while time.monotonic() < end:
        await asyncio.sleep(float(rng.exponential(THINKS)))
        await one.click(PAGES[step % len(PAGES)])
        step += 1


@contextmanager
def busy(audit: Audit) -> Iterator[Run]:
    """A long run in that audit, stopped at the end."""
    run = audit.start(LONG, workers=max((os.cpu_count() or 2) - 1, 1))
    while run.state != "running":
        time.sleep(0.2)
    try:
        yield run
    finally:
        run.cancel()


def prepared(home: Path) -> Audit:
    """The sample audit in that home, with a game that was played."""
    os.environ["RISKKIT_HOME"] = str(home)
    audit = sample.load_sample(Store.default())
    _until_played(audit.start(PLAYED, workers=2))
    return audit


def _until_played(run: Run) -> None:
    """Wait for a result; on a busy machine a worker may be taken for dead before it has come up."""
    while (now := run.state) != "finished":
        if now not in LIVE:
            run.resume()
        time.sleep(0.5)


def told(what: str, seconds: list[float]) -> str:
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
        """Seconds of every click."""
        return [taken for one in self.people for _, taken in one.seconds]

    @property
    def drawn(self) -> list[float]:
        """Seconds of every part that was drawn anew."""
        return [taken for one in self.people for taken in one.drawn]


def measure(home: Path, sessions: int = SESSIONS, seconds: float = SECONDS) -> Measured:
    """Use a dashboard of that home while an audit runs."""
    audit = prepared(home)
    with busy(audit) as run:
        before = _processor_seconds()
        with dashboard(home) as server:
            people, at_once = asyncio.run(used(server.url, f"audit={audit.id}", sessions, seconds))
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
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder) / "home", sessions, seconds)
    print(f"\n{sessions} sessions, {seconds:.0f} s, {os.cpu_count()} cores, load {before:.1f} before\n")
    print("| reruns | count | median s | 95 % within s | longest s |\n|---|---|---|---|---|")
    print(told("all pages", found.reruns))
    for page in dict.fromkeys(PAGES):
        print(told(page, [taken for one in found.people for name, taken in one.seconds if name == page]))
    print(told("parts drawn anew", found.drawn))
    print(told("all at once", found.at_once))
    count = len(found.reruns) + len(found.at_once) + sessions
    print(
        f"\nThe server took {found.server_seconds:.1f} s of processor time in all, its start and {count:,} reruns and "
        f"{len(found.drawn):,} redrawn parts together."
    )


if __name__ == "__main__":
    main()
