"""How long after Ctrl-C, a signal to end, or *Cancel* a run has ended that is told so at a late step.

``python benchmarks/stopping_late.py [--files DIR] [--case "released"]``. The case is one of ``benchmarks/stopping.py``
about a released file, *released* with 271,000 x 15 a side, two workers, unless another is named. A run is stopped once
among its attacks and once when its labels are dealt anew; what is kept of it then is gone on with again and again,
which comes to a late step in a part of the time, and is stopped as soon as that step is shown. *Verdict* is a second
after the run has finished: then the command alone is left, and *Cancel* has nothing to stop. Needs the shared data
folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stopping import CASES, LOOK, MARK, ROOT, TELLS, WAYS, Case, Processes, Stopped, line, time_end
from riskkit.errors import RiskkitError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Store

LARGE = "released, 271,000 x 15"
ATTACKS, LABELS, VERDICT = "Attacks on the release", "Labels dealt anew", "The verdict"
STEPS: Mapping[str, str] = {
    ATTACKS: ATTACKS,
    LABELS: LABELS,
    "What each attack reaches": LABELS,
    "For whom risk is highest": LABELS,
    "Writing down the result": LABELS,
    VERDICT: LABELS,
}
"""The steps at which a run is stopped, and where the run was that is gone on with."""
AMONG = 20
"""Units that are done of a run that is among its attacks."""
LONGEST = 1_200.0


def the_run(home: Path) -> Run | None:
    """The one run of that store, once it is there."""
    if not home.exists():
        return None
    try:
        runs = [run for audit in Store(home).audits() for run in audit.runs()]
    except RiskkitError:  # it is being made
        return None
    return runs[0] if runs else None


def is_at(home: Path, step: str) -> bool:
    """Whether the run of that store has come to that step."""
    run = the_run(home)
    if run is None:
        return False
    now = run.progress
    if step == VERDICT:
        return bool(now["state"] == "finished")
    return now["state"] == "running" and str(now["stage"]).startswith(step) and now["done"] >= AMONG


def started(case: Case, way: str, folder: Path, home: Path, where: Path, mark: str) -> subprocess.Popen[bytes]:
    """The process that goes on with the run of that store, or begins it: a command, for *Cancel* a worker."""
    (where / "sitecustomize.py").write_text(f"folder = {str(where)!r}\n{TELLS}")
    paths = os.pathsep.join((str(where), str(ROOT)))
    settings = {MARK: mark, "PYTHONPATH": paths, "RISKKIT_HOME": str(home), "OMP_NUM_THREADS": "1"}
    if way == "Cancel" and (run := the_run(home)) is not None:
        before = dict(os.environ)
        os.environ.update(settings)
        run._queue({**run.request})  # what Resume does, but for the process, which is started here
        process = run.launch()
        os.environ.clear()
        os.environ.update(before)
        return process
    return subprocess.Popen(
        [sys.executable, "-m", "riskkit", *case.command, "--keep", "stopping"],
        cwd=folder,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(where / "stderr").open("wb"),
        start_new_session=True,
    )


def stop(case: Case, way: str, step: str, folder: Path, home: Path, stopped: Stopped, slow: float) -> None:
    """Go on with the run of that store, stop it at that step, and note how long it took."""
    mark = f"{time.time_ns()}"
    processes, where = Processes(mark), folder / f"where-{mark}"
    where.mkdir()
    process = started(case, way, folder, home, where, mark)
    end = time.monotonic() + LONGEST
    while process.poll() is None and not is_at(home, step) and time.monotonic() < end:
        time.sleep(5 * LOOK)
    if step == VERDICT:
        time.sleep(1.0)
    if process.poll() is not None:
        stopped.too_late += 1
    else:
        time_end(process, processes, the_run(home) if way == "Cancel" else None, WAYS[way], where, slow, stopped)
    for pid in processes.ids():
        os.kill(pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(where)


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=[name for name in CASES if name.startswith("released")], default=LARGE)
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--steps", nargs="*", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--slow", type=float, default=1.0, help="seconds after which it is asked what it is doing")
    parser.add_argument("--files", type=Path, help="where the tables are, or are put, to be used again")
    options: Any = parser.parse_args(words)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    case = CASES[options.case]
    head = ("step", "stopped by", "instants", "ended: median s", "max s", "processor s, max", "said: max s", "load")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    with TemporaryDirectory() as scratch:
        folder = (options.files or Path(scratch)) / f"stopping-{case.make.__name__}"
        if not folder.exists():
            folder.mkdir(parents=True)
            case.make(folder)
        begun = {first: Path(scratch) / f"until {first}" for first in dict.fromkeys(STEPS.values())}
        for first, home in begun.items():
            if first == LABELS:
                shutil.copytree(begun[ATTACKS], home)
            stop(case, "Ctrl-C", first, folder, home, stopped := Stopped(), options.slow)
            print(line(f"{first}, the first time", "Ctrl-C", stopped), flush=True)
        for step in options.steps:
            for way in options.ways:
                if (step, way) == (VERDICT, "Cancel"):
                    continue
                home, stopped = Path(scratch) / "home", Stopped()
                shutil.copytree(begun[STEPS[step]], home)
                stop(case, way, step, folder, home, stopped, options.slow)
                print(line(step, way, stopped), flush=True)
                for place in stopped.where:
                    print(place, file=sys.stderr, flush=True)
                shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
