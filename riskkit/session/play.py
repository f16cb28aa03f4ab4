"""One question of a whole audit, played: what its report is made from, whether it could be asked or not."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from riskkit.errors import Cancelled, sentence_of
from riskkit.jobs import worker
from riskkit.jobs.pool import Progress
from riskkit.jobs.store import Audit
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.show.model import Played
from riskkit.table.load import Tables
from riskkit.version import __version__


def play(
    tables: Tables,
    plan: Plan,
    names: Mapping[str, str],
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
    decided: Mapping[str, Mapping[str, Any]] | None = None,
    kept_in: Audit | None = None,
) -> Played:
    """One question asked; one that cannot be is kept as failed, so that the report says so.

    ``names`` are those of the files in the command that gives the same numbers; ``tell`` is told why it failed;
    ``decided`` is what a person decided about columns. With ``kept_in`` the run is kept in that audit of the same
    tables, and what an earlier attempt has done there is not done again.

    Raises
    ------
    Cancelled
        A kept run was stopped from outside.
    """
    about = [plan.question, plan.as_dict(), [file.sha256 for file in tables.files], __version__]
    about += [decided] if decided else []
    run = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
    started = time.monotonic()
    result: dict[str, Any] | None = None
    error = ""
    try:
        if kept_in is None:
            result = questions()[plan.question].run(tables, plan, workers=workers, progress=progress).plain()
        else:
            work = partial(questions()[plan.question].run, tables, plan)
            result = worker.play(kept_in, plan, work, workers=workers, progress=progress).plain()
        result = {**result, "seconds": round(time.monotonic() - started, 1)}
    except Cancelled:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as stray:  # noqa: BLE001  a plug-in's: it may end its question, and no more
        error = sentence_of(stray)
    if error:
        tell(f"{plan.question} could not be asked. {error}")
    state = "failed" if result is None else "finished"
    return Played(plan.question, run, state, plan.as_dict(), result, plan.command(**names), workers, error)
