"""How long a command or a page shows nothing new while a run is played, from its start to its end.

``python benchmarks/signs.py [--ways terminal page] [case ...]``. Cases are those of ``benchmarks/stopping.py`` and,
under names that end in *few*, every question on 2,000 rows a side. Two kinds of signs are told apart. *A sign of life*
is anything that changes before somebody's eyes: also a clock that ticks, which says only that the process lives.
*Progress* is what else changes: another stage, another count of what is done; a clock and the seconds that are left are
no progress.

On a *terminal* a sign is what the command writes to one; time runs from the start of the command to its end. On a
*page* time runs from the press of *Run*, where the worker's process begins, to the result. A page draws itself anew
every second, and with it its clock, so signs of life are not measured there; progress is the record of the run as the
page reads it, looked at every :data:`LOOK` seconds, and reaches the eye up to a second later.

Of the longest times without progress, by processor seconds that the busiest process used meanwhile, the lines below say
which stage was shown and what the program was doing after every ``--slow`` seconds of it. Where the machine is shared,
processor seconds say how long it would have been on a machine of its own. Needs the shared data folder.

Whoever is asked writes down the calls of all its threads while they run, which may end a program that compiles its
loops: measure a first run (an empty ``NUMBA_CACHE_DIR``) with ``--slow 99``.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sizes import FILES
from benchmarks.sizes import encounters as whole_encounters
from benchmarks.stopping import CASES, HOMES, MARK, ROOT, TELLS, Case, Processes, adult, adult_of, queued

LOOK, COUNTED = 0.05, 0.5
SHOWN = 6
"""Gaps that are listed of each case and way."""
CLOCK = re.compile(r" · \d+:\d\d$|, [^,]* left\b|[;,] \d+ s since the last news")
"""What ticks without anything being done."""
BAYES = ("--generator", "bayesnet")
REAL = FILES[:2]
FEW = 2_000
"""Rows a side of the cases of which every question has one."""


def few(folder: Path) -> None:
    """Some of Adult in two halves, a release of the first, and a column of made households."""
    adult_of(folder, FEW)


FORMS = ("--base", "real.csv", "--anonymisers", "bayesnet,histogram", "--attackers", "distance")
SMALL: Mapping[str, Case] = {
    f"{words[0]}, few": Case(words, few)
    for words in (
        ("released", *FILES),
        ("membership", *REAL, *BAYES),
        ("records", *REAL, *BAYES, "--records", "random:10"),
        ("attributes", *FILES),
        ("one-run", *REAL, *BAYES),
        ("singling-out", *FILES),
        ("linkability", *FILES),
        ("reconstruction", *FILES),
        ("explanations", *REAL, "--target", "income"),
        ("contest", "--base", "real.csv"),
        ("households", *HOMES, "--household", "home"),
    )
}
MORE: Mapping[str, Case] = {
    **CASES,
    **SMALL,
    "released, diabetes130, halves x 50": Case(("released", *FILES), whole_encounters),
    "membership, 20 trainings": Case(("membership", *REAL, *BAYES, "--trainings", "20"), adult),
    "records, 20 of them": Case(("records", *REAL, *BAYES, "--records", "random:20"), adult),
    "attributes, one secret": Case(("attributes", *FILES, "--secret", "income"), adult),
    "contest, two methods": Case(("contest", *FORMS), adult),
}


@dataclass(frozen=True)
class Gap:
    """A time without progress: how long, processor seconds of the busiest process, and what was shown and done."""

    began: float
    seconds: float
    used: float
    shown: str
    doing: str


@dataclass
class Signs:
    """What was seen of one run."""

    began: float = field(default_factory=time.monotonic)
    life: list[tuple[float, str]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    first: float | None = None
    ended: float = 0.0

    def longest_life(self) -> tuple[float, str]:
        """The longest time between two signs of life, from the first of them on, and what was shown then."""
        signs = [*self.life, (self.ended, "")]
        return max(((after - before, shown) for (before, shown), (after, _) in pairwise(signs)), default=(0.0, ""))


class Watching:
    """Notes signs of one run as they come, and asks what the program does where none comes."""

    def __init__(self, processes: Processes, where: Path, slow: float) -> None:
        self.processes, self.where, self.slow = processes, where, slow
        self.signs = Signs()
        self.since, self.shown, self.asked, self.doing = self.signs.began, "", 0.0, dict[str, None]()
        self.used = processes.used()
        self.last, self.counted = self.used, self.since

    def see(self, text: str) -> None:
        """Something was shown."""
        now = time.monotonic()
        self.signs.life.append((now, text))
        if self.signs.first is None:
            self.signs.first = now - self.signs.began
        plain = CLOCK.sub("", text).strip()
        if plain != self.shown:
            self._end_gap(now)
            self.shown = plain

    def look(self) -> None:
        """Ask what it is doing, again and again in a gap, and count processor seconds."""
        if time.monotonic() > self.counted + COUNTED:
            self.last, self.counted = {**self.last, **self.processes.used()}, time.monotonic()
        if time.monotonic() > max(self.since, self.asked) + self.slow:
            self._hear()
            self.asked = time.monotonic()
            for pid in self.processes.ids():
                if (self.where / str(pid)).exists():
                    with suppress(OSError):
                        os.kill(pid, signal.SIGUSR2)

    def end(self) -> Signs:
        """The run has ended."""
        self.signs.ended = time.monotonic()
        self._end_gap(self.signs.ended)
        return self.signs

    def _end_gap(self, now: float) -> None:
        used = {**self.last, **self.processes.used()}
        most = max((seconds - self.used.get(pid, 0.0) for pid, seconds in used.items()), default=0.0)
        self._hear()
        doing = "; ".join(self.doing)
        self.signs.gaps.append(Gap(self.since - self.signs.began, now - self.since, most, self.shown, doing))
        self.since, self.used, self.last = now, used, used
        self.asked, self.doing = 0.0, {}

    def _hear(self) -> None:
        """What was answered to the last question."""
        if self.asked and (places := " / ".join(_places(self.where))):
            self.doing[places] = None


def _places(where: Path) -> Iterator[str]:
    """Where each process was when it was asked: the innermost function of ours, and the innermost of all."""
    for file in sorted(where.iterdir()):
        if not file.name.isdigit() or not file.stat().st_size:
            continue
        text = file.read_text(errors="replace")
        file.write_bytes(b"")
        main = text.split("\n\n")[-1] if "\n\n" in text else text
        calls = re.findall(r'File "([^"]*)", line (\d+) in (\S+)', main)
        own = [call for call in calls if "/riskkit/" in call[0]]
        if own and not any("loky" in call[0] and "poll" in call[2] for call in calls[:2]):
            yield f"{Path(own[0][0]).stem}.{own[0][2]}:{own[0][1]}" + (
                "" if own[0] == calls[0] else f" > {calls[0][2]}"
            )


def prepared(folder: Path) -> tuple[Processes, Path, Path, dict[str, str]]:
    """The processes of a run that is about to begin, its home, where it says what it does, and its environment."""
    mark = f"{time.time_ns()}"
    home, where = folder / f"home-{mark}", folder / f"where-{mark}"
    where.mkdir()
    (where / "sitecustomize.py").write_text(f"folder = {str(where)!r}\n{TELLS}")
    paths = os.pathsep.join((str(where), str(ROOT)))
    environment = {**os.environ, MARK: mark, "PYTHONPATH": paths, "RISKKIT_HOME": str(home), "OMP_NUM_THREADS": "1"}
    return Processes(mark), home, where, environment


def on_terminal(case: Case, folder: Path, slow: float) -> Signs:
    """The signs of a command whose standard error is a terminal."""
    processes, home, where, environment = prepared(folder)
    ours, theirs = pty.openpty()
    watching = Watching(processes, where, slow)
    process = subprocess.Popen(
        [sys.executable, "-m", "riskkit", *case.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    while process.poll() is None:
        if select.select([ours], [], [], LOOK)[0]:
            with suppress(OSError):  # it has closed the terminal
                text = os.read(ours, 65_536).decode(errors="replace")
                watching.see(re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).rstrip())[-1])
        watching.look()
    signs = watching.end()
    os.close(ours)
    if process.returncode:
        print(f"It ended with {process.returncode}.", file=sys.stderr)
    _tidy(home, where)
    return signs


def on_page(case: Case, folder: Path, slow: float) -> Signs:
    """The signs of a run that a page has started."""
    processes, home, where, environment = prepared(folder)
    run = queued(case, folder, home)
    before = dict(os.environ)
    os.environ.update(environment)
    watching = Watching(processes, where, slow)
    process = run.launch()
    os.environ.clear()
    os.environ.update(before)
    known: object = None
    while process.poll() is None and (now := run.progress)["state"] in ("queued", "running"):
        seen = tuple(str(now.get(name)) for name in ("state", "stage", "done", "total"))
        if seen != known:
            watching.see(" ".join(seen))
            known = seen
        watching.look()
        time.sleep(LOOK)
    signs = watching.end()
    process.wait()
    if run.state != "finished":
        print(f"It is {run.progress}.", file=sys.stderr)
    _tidy(home, where)
    return signs


def _tidy(home: Path, where: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(where, ignore_errors=True)


WAYS: Mapping[str, Callable[[Case, Path, float], Signs]] = {"terminal": on_terminal, "page": on_page}


def main(words: Sequence[str]) -> None:
    """Print the table, and below each line its longest gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", choices=[*MORE, []])
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--slow", type=float, default=1.0, help="seconds after which it is asked what it is doing")
    parser.add_argument("--files", type=Path, help="where the tables are, or are put, to be used again")
    options: Any = parser.parse_args(words)
    head = (
        "question",
        "way",
        "took s",
        "first sign s",
        "longest without a sign of life s",
        "gaps over 1 s without progress",
    )
    print(
        "| " + " | ".join((*head, "longest s (processor s)", "load")) + " |\n|" + "---|" * (len(head) + 2), flush=True
    )
    with TemporaryDirectory() as scratch:
        for name in options.cases or MORE:
            case = MORE[name]
            folder = (
                options.files or Path(scratch)
            ) / f"{case.make.__module__.rpartition('.')[2]}-{case.make.__name__}"
            if not folder.exists():
                folder.mkdir(parents=True)
                case.make(folder)
            for way in options.ways:
                signs = WAYS[way](case, folder, options.slow)
                print("\n".join(lines(name, way, signs)), flush=True)


def lines(name: str, way: str, signs: Signs) -> Iterator[str]:
    """A line of the table, and those of its longest gaps."""
    long = sorted(signs.gaps, key=lambda gap: -gap.used)
    over = sum(gap.seconds > 1 for gap in long)
    longest, shown = signs.longest_life()
    life = "-" if way == "page" else f"{longest:.2f} ({CLOCK.sub('', shown)})"
    figures = (f"{signs.ended - signs.began:.1f}", f"{signs.first or 0:.2f}", life, f"{over} of {len(long)}")
    most = f"{max(gap.seconds for gap in long):.1f} ({long[0].used:.1f})"
    yield " | ".join((f"| {name}", way, *figures, most, f"{os.getloadavg()[0]:.1f} |"))
    for gap in long[:SHOWN]:
        if gap.seconds > 1:
            yield f"  {gap.began:.1f} s: {gap.seconds:.2f} s ({gap.used:.2f}) at {gap.shown!r}: {gap.doing}"


if __name__ == "__main__":
    main(sys.argv[1:])
