"""How long after Ctrl-C, a signal to end, or *Cancel* a run has ended, at random instants of every question.

``python benchmarks/stopping.py [--each 5] [case ...]``. A case is a question on tables at which single units
take long: Adult in halves of 22,600 x 15, the first 20,000 hospital encounters x 50, 271,000 x 15. Each is begun anew
for every instant, stopped there, and timed until none of its processes is left (*ended*); for *Cancel* also until the
run reads as cancelled (*said*). Instants are drawn with a fixed seed over the seconds that are named for the case, from
the first import on. Beside wall seconds stand processor seconds that its processes used meanwhile: those do not depend
on what else the machine does. Where a process is still there after ``--slow`` seconds, the line below says
what each of its threads was doing then. Needs the shared data folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sizes import DATA, FILES, adult_frame, halves, larger
from riskkit.jobs.machine import environment
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Store

ROOT = Path(__file__).resolve().parents[1]
MARK = "RISKKIT_BENCHMARK_OF_STOPPING"
"""A name in the environment of a run, by which all its processes are known."""
WAYS = {"Ctrl-C": signal.SIGINT, "ended": signal.SIGTERM, "Cancel": None}
LOOK, LONGEST = 0.01, 60.0
TICKS = os.sysconf("SC_CLK_TCK")
TELLS = "import faulthandler, os, signal\nfaulthandler.register(signal.SIGUSR2, open(f'{folder}/{os.getpid()}', 'a'))\n"
"""Has every Python process that finds it write down where it is when it is asked."""


@dataclass(frozen=True)
class Case:
    """A question, its files, the seconds in which it is stopped, and how many processes work."""

    words: Sequence[str]
    make: Callable[[Path], None]
    seconds: float = 30.0
    workers: int = 2

    @property
    def command(self) -> list[str]:
        """The words of the command."""
        return [*self.words, "--workers", str(self.workers), "--json"]


def adult(folder: Path) -> None:
    """Adult in two halves, a release of the first, and a column of made households."""
    adult_of(folder, 22_600)


def adult_of(folder: Path, rows: int) -> None:
    """So many rows of Adult a side, with a column of made households."""
    halves(folder, adult_frame(), rows, 1)
    for file in list(folder.glob("*.csv")):
        read = pd.read_csv(file)
        read.assign(home=[f"home {row // 6}" for row in range(len(read))]).to_csv(
            folder / f"homes-{file.name}", index=False
        )


def encounters(folder: Path) -> None:
    """The first 20,000 hospital encounters in two halves, and a release of the first."""
    frame = pd.read_csv(DATA / "diabetes130" / "diabetic_data.csv.gz", dtype=str, keep_default_na=False, nrows=20_000)
    halves(folder, frame, 10_000, 5)


def many(folder: Path) -> None:
    """Adult's rows drawn again."""
    larger(folder, 271_000, 15)


REAL = FILES[:2]
HOMES = tuple(word.replace("real.csv", "homes-real.csv") for word in REAL)
CASES: Mapping[str, Case] = {
    "released": Case(("released", *FILES), adult),
    "released, one worker": Case(("released", *FILES), adult, 40.0, 1),
    "released, 271,000 x 15": Case(("released", *FILES), many, 50.0),
    "released, diabetes130": Case(("released", *FILES), encounters, 40.0),
    "membership": Case(("membership", *REAL, "--generator", "bayesnet"), adult),
    "membership, one worker": Case(("membership", *REAL, "--generator", "bayesnet"), adult, 30.0, 1),
    "membership, ctgan": Case(("membership", *REAL, "--generator", "ctgan"), adult),
    "records": Case(("records", *REAL, "--generator", "bayesnet"), adult),
    "records, one worker": Case(("records", *REAL, "--generator", "bayesnet"), adult, 30.0, 1),
    "attributes": Case(("attributes", *FILES), adult),
    "attributes, diabetes130, one worker": Case(("attributes", *FILES), encounters, 30.0, 1),
    "one-run, one worker": Case(("one-run", *REAL, "--generator", "bayesnet"), adult, 30.0, 1),
    "singling-out, one worker": Case(("singling-out", *FILES), adult, 15.0, 1),
    "linkability, one worker": Case(("linkability", *FILES), adult, 15.0, 1),
    "linkability, 271,000 x 15": Case(("linkability", *FILES), many),
    "reconstruction, one worker": Case(("reconstruction", *FILES), adult, 20.0, 1),
    "reconstruction, diabetes130": Case(("reconstruction", *FILES), encounters, 20.0),
    "explanations, one worker": Case(("explanations", *REAL, "--target", "income"), adult, 20.0, 1),
    "contest, one worker": Case(("contest", "--base", "real.csv"), adult, 30.0, 1),
    "households": Case(("households", *HOMES, "--household", "home"), adult),
    "households, one worker": Case(("households", *HOMES, "--household", "home"), adult, 30.0, 1),
}


@dataclass(slots=True)
class Stopped:
    """What was measured at the instants of one case in one way."""

    ended: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    notices: list[float] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    too_late: int = 0


@dataclass(frozen=True)
class Processes:
    """All processes that bear a mark."""

    mark: str

    def ids(self) -> list[int]:
        """Those that have not ended."""
        return [
            pid
            for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
            if self._is_ours(pid)
        ]

    def _is_ours(self, pid: int) -> bool:
        try:
            if f"{MARK}={self.mark}\0".encode() not in Path(f"/proc/{pid}/environ").read_bytes():
                return False
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:  # it has just ended, or is somebody else's
            return False

    def used(self) -> dict[int, float]:
        """Processor seconds that each has used."""
        seconds = {}
        for pid in self.ids():
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            seconds[pid] = (int(fields[11]) + int(fields[12])) / TICKS
        return seconds


def stop(case: Case, way: str, instant: float, folder: Path, slow: float, stopped: Stopped) -> None:
    """Begin the case, stop it at that instant, and note how long it took."""
    mark = f"{time.time_ns()}"
    processes, home, where = Processes(mark), folder / f"home-{mark}", folder / f"where-{mark}"
    where.mkdir()
    (where / "sitecustomize.py").write_text(f"folder = {str(where)!r}\n{TELLS}")
    paths = os.pathsep.join((str(where), str(ROOT)))
    environment = {**os.environ, MARK: mark, "PYTHONPATH": paths, "RISKKIT_HOME": str(home), "OMP_NUM_THREADS": "1"}
    run: Run | None = None
    if way == "Cancel":
        run = queued(case, folder, home)
        before = dict(os.environ)
        os.environ.update(environment)
        process = run.launch()
        os.environ.clear()
        os.environ.update(before)
    else:
        command = [sys.executable, "-m", "riskkit", *case.command]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(where / "stderr").open("wb"),
            start_new_session=True,
        )
    began = time.monotonic()
    while process.poll() is None and time.monotonic() < began + instant:
        time.sleep(LOOK)
    if process.poll() is not None:
        stopped.too_late += 1
    else:
        time_end(process, processes, run, WAYS[way], where, slow, stopped)
    for pid in processes.ids():
        os.kill(pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(where)


def time_end(
    process: subprocess.Popen[bytes],
    processes: Processes,
    run: Run | None,
    number: signal.Signals | None,
    where: Path,
    slow: float,
    stopped: Stopped,
) -> None:
    """Stop that process, and note how long it and all of its own took to end."""
    used, start, notice, is_asked = processes.used(), time.monotonic(), None, False
    if run is None:
        process.send_signal(number or signal.SIGTERM)
    else:
        run.cancel()
    last = used
    while (left := processes.used()) and time.monotonic() < start + LONGEST:
        last = {**last, **left}
        process.poll()
        if run is not None and notice is None and run.state == "cancelled":
            notice = time.monotonic() - start
        if not is_asked and time.monotonic() > start + slow:
            is_asked = True
            for pid in left:
                if (where / str(pid)).exists():
                    os.kill(pid, signal.SIGUSR2)
        time.sleep(LOOK)
    stopped.ended.append(time.monotonic() - start)
    stopped.used.append(sum(last.values()) - sum(used.values()))
    if run is not None:
        stopped.notices.append(stopped.ended[-1] if notice is None else notice)
    if is_asked:
        for file in where.iterdir():
            if file.name.isdigit() and file.stat().st_size:
                stopped.where.append(f"process {file.name}\n{file.read_text()}")
    errors = where / "stderr"
    if errors.exists() and b"Traceback" in errors.read_bytes():
        stopped.where.append("a traceback was printed:\n" + errors.read_text()[-1500:])


def queued(case: Case, folder: Path, home: Path) -> Run:
    """The run of that case in a store of its own, waiting to be played."""
    made_by = sha256(environment().encode()).hexdigest()[:12]
    template = folder / ("-".join(["store", made_by, *(word.lstrip("-") for word in case.words)]))
    if not template.exists():
        settings = {**os.environ, "PYTHONPATH": str(ROOT), "RISKKIT_HOME": str(template)}
        command = [sys.executable, "-m", "riskkit", *case.command, "--queue", "--keep", "stopping"]
        subprocess.run(command, cwd=folder, env=settings, check=True, capture_output=True)
    shutil.copytree(template, home)
    (audit,) = Store(home).audits()
    (run,) = audit.runs()
    return run


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", choices=[*CASES, []])
    parser.add_argument("--each", type=int, default=5, help="instants of each case and way")
    parser.add_argument("--slow", type=float, default=1.0, help="seconds after which it is asked what it is doing")
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--since", type=float, default=0.2, help="no sooner than after so many seconds")
    parser.add_argument("--within", type=float, default=60.0, help="no later than after so many seconds")
    parser.add_argument("--files", type=Path, help="where the tables are, or are put, to be used again")
    options: Any = parser.parse_args(words)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background is told not to listen
    head = ("question", "stopped by", "instants", "ended: median s", "max s", "processor s, max", "said: max s", "load")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    with TemporaryDirectory() as scratch:
        for name in options.cases or CASES:
            case, rng = CASES[name], np.random.default_rng([options.seed, list(CASES).index(name)])
            folder = (options.files or Path(scratch)) / case.make.__name__
            if not folder.exists():
                folder.mkdir(parents=True)
                case.make(folder)
            for way in options.ways:
                stopped = Stopped()
                for instant in rng.uniform(options.since, min(case.seconds, options.within), options.each):
                    stop(case, way, float(instant), folder, options.slow, stopped)
                print(line(name, way, stopped), flush=True)
                for place in stopped.where:
                    print(place, file=sys.stderr, flush=True)


def line(name: str, way: str, stopped: Stopped) -> str:
    """A line of the table."""
    if not stopped.ended:
        return f"| {name} | {way} | 0 (it had finished) | | | | | |"
    notice = f"{max(stopped.notices):.2f}" if stopped.notices else ""
    figures = (f"{np.median(stopped.ended):.2f}", f"{max(stopped.ended):.2f}", f"{max(stopped.used):.2f}")
    return " | ".join((f"| {name}", way, str(len(stopped.ended)), *figures, notice, f"{os.getloadavg()[0]:.1f} |"))


if __name__ == "__main__":
    main(sys.argv[1:])
