"""The process that plays one run. Started by the store; ends when the run does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from riskkit.audit.questions import question
from riskkit.audit.run import Progress
from riskkit.audit.runs import Run, write_json
from riskkit.audit.store import Audit
from riskkit.errors import Cancelled, DesignError, RiskkitError


def work(folder: Path) -> bool:
    """Play the run kept in that folder and write its result there; True when it finished.

    An error of ours ends in the run's state as its sentence. Any other error is named by its kind alone, because
    its text may hold the value of a cell.
    """
    run = Run(folder)
    audit = Audit(folder.parents[1])
    with _heartbeat(run):
        try:
            run.report("running", stage="Reading the tables", done=0, total=0, seconds_left=None)
            started = time.monotonic()
            if audit.revision != run.revision:
                raise DesignError("The files or the columns were changed before the run began. Start it again.")
            plan = run.plan
            result = question(plan.question).played(
                audit,
                plan,
                workers=run.workers,
                progress=lambda progress: _tell(run, progress),
                cancelled=lambda: run.is_cancelled,
            )
            write_json(run.path / "result.json", {**result, "seconds": round(time.monotonic() - started, 1)})
            run.report("finished")
        except Cancelled:
            run.report("cancelled")
        except RiskkitError as error:
            run.report("failed", error=str(error))
        except Exception as error:  # noqa: BLE001  its text may hold a cell; its kind may not
            run.report("failed", error=f"The run stopped on an unexpected {type(error).__name__}. Nothing was lost.")
    return run.state == "finished"


def _tell(run: Run, progress: Progress) -> None:
    run.report(
        "running",
        stage=progress.stage,
        done=progress.done,
        total=progress.total,
        seconds_left=None if progress.seconds_left is None else round(progress.seconds_left, 1),
    )


@contextmanager
def _heartbeat(run: Run) -> Iterator[None]:
    """Beat every second, however long a training takes."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(1.0):
            run.beat()

    run.beat()
    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
