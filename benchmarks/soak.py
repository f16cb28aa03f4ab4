"""Whether a dashboard that people come to and leave all day keeps its memory and its descriptors.

Run it alone: ``python benchmarks/soak.py [sessions [minutes [at once]]]``. A dashboard with the sample audit and a game
that was played is started; so many tabs are opened, used as in ``benchmarks/sessions.py`` and closed, evenly over that
time, a few at once. What the server holds is read from the system: first after a tenth of them, but no fewer than twice
as many as come at once, has come and gone, then at the end, each time when the last tab has been closed for longer than
the server keeps a closed tab. 200 sessions in 30 minutes are what was asked for; it ends with 1 where memory is then
more than 10 % above what it was, or where a descriptor of any kind was added.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sessions import PAGES, Session, prepared
from tests.conftest import Server, dashboard

SESSIONS, MINUTES, AT_ONCE = 200, 30.0, 10
FORGOTTEN = 100.0
"""Seconds after which the server has let go of a closed tab and of its memory: it keeps one for 60, looks every 10, and
gives memory back when it looks next."""
MOST_GROWTH = 1.10
"""Memory at the end, as a multiple of the memory after the first tenth."""


@dataclass
class Held:
    """What the server holds at a moment: bytes of memory, open descriptors by kind, threads, processes of its own."""

    memory: int
    descriptors: Counter[str]
    threads: int
    children: int
    load: float

    @classmethod
    def of(cls, pid: int) -> Held:
        """What that process holds now."""
        status = Path(f"/proc/{pid}/status").read_text()
        lines = dict(line.split(":", 1) for line in status.splitlines())
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return cls(
            int(lines["VmRSS"].split()[0]) * 1024,
            Counter(kinds(pid)),
            int(lines["Threads"]),
            len(below),
            os.getloadavg()[0],
        )

    def told(self) -> str:
        """In one line of a table."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.descriptors.items()))
        counts = f"{self.descriptors.total()} ({kinds}) | {self.threads} | {self.children}"
        return f"{self.memory / 2**20:,.0f} MB | {counts} | {self.load:.1f}"


def kinds(pid: int) -> Iterator[str]:
    """What each descriptor of that process leads to: a kind such as ``socket``, or the name of a file."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            target = str(link.readlink())
            kind, _, number = target.partition(":")
            yield target.rpartition("/")[2] if target.startswith("/") else number[1:-1] if kind[0] == "a" else kind


@dataclass
class Soaked:
    """What the server held on the way, by when in seconds, and how long its pages took."""

    moments: list[tuple[str, Held]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    sessions: int = 0

    @property
    def growth(self) -> float:
        """Memory at the end as a multiple of that after the first tenth."""
        return self.moments[-1][1].memory / self.moments[0][1].memory


def server_process(server: Server) -> int:
    """The number of the server's process."""
    port = server.url.rpartition(":")[2].encode()
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if port in words and {b"riskkit.dashboard", b"tests.untimed"} & set(words):
            return int(place.parent.name)
    raise RuntimeError("the server is not there")


async def come_and_go(server: Server, query: str, sessions: int, seconds: float, at_once: int, into: Soaked) -> None:
    """Open that many tabs one after the other over that time, and close each after some pages."""
    free = asyncio.Semaphore(at_once)

    async def visit(visitor: int) -> None:
        async with free:
            rng, session = np.random.default_rng(visitor), Session(server.url, query, server.cookie)
            await session.open()
            for step in range(int(rng.integers(2, 5))):
                await session.click(PAGES[(visitor + step) % len(PAGES)])
                await asyncio.sleep(float(rng.exponential(1.0)))
            into.seconds += [taken for _, taken in (*session.first, *session.seconds)]
            await session.close()
            into.sessions += 1

    async with asyncio.TaskGroup() as group:
        for visitor in range(sessions):
            group.create_task(visit(visitor))
            await asyncio.sleep(seconds / sessions)


def soak(home: Path, sessions: int, minutes: float, at_once: int) -> Soaked:
    """Use a dashboard of that home for so long."""
    audit = prepared(home)
    soaked, query = Soaked(), f"audit={audit.id}"
    with dashboard(home) as server:
        pid = server_process(server)
        first = max(sessions // 10, 2 * at_once)
        parts = [first, *[(sessions - first) // 3] * 3]
        for index, part in enumerate(parts):
            asyncio.run(come_and_go(server, query, part, 60 * minutes * part / sessions, at_once, soaked))
            if index in (0, len(parts) - 1):
                time.sleep(FORGOTTEN)
            soaked.moments.append((f"after {soaked.sessions}", Held.of(pid)))
    return soaked


def main() -> None:
    """Measure and print; ends with 1 where the server holds more than it may."""
    arguments = sys.argv[1:]
    sessions = int(arguments[0]) if arguments else SESSIONS
    minutes = float(arguments[1]) if len(arguments) > 1 else MINUTES
    at_once = int(arguments[2]) if len(arguments) > 2 else AT_ONCE
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a worker may still be ending
        soaked = soak(Path(folder) / "home", sessions, minutes, at_once)
    print(f"\n{soaked.sessions} sessions, {minutes:g} min, {os.cpu_count()} cores, load {before:.1f} before\n")
    print("| sessions | memory | descriptors | threads | processes | load |\n|---|---|---|---|---|---|")
    for when, held in soaked.moments:
        print(f"| {when} | {held.told()} |")
    print(f"\n{len(soaked.seconds):,} pages, 95 % within {np.quantile(soaked.seconds, 0.95):.2f} s.")
    first, last = soaked.moments[0][1], soaked.moments[-1][1]
    more = last.descriptors - first.descriptors
    print(f"Memory {soaked.growth - 1:+.1%}, descriptors {last.descriptors.total() - first.descriptors.total():+d}.")
    for kind, count in more.items():
        print(f"More of: {kind}, {count:+d}.")
    sys.exit(int(soaked.growth > MOST_GROWTH or bool(more)))


if __name__ == "__main__":
    main()
