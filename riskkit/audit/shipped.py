"""Finished runs that come with riskkit: written where they were played, and put into a store as if played there.

A file holds one run: what was asked, by which code and libraries it was played, and the result with its hash. It counts
for the same plan, the same data and the same version of riskkit, as a run of the store does; a file that was altered,
or that answers anything else, is left alone, and the run is played.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from riskkit.jobs.codec import seal
from riskkit.jobs.database import runs
from riskkit.jobs.facts import written
from riskkit.jobs.leases import beaten, note, place
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.plans import Plan

FAR = ("stage", "done", "total", "seconds")
"""How far a run came, and the time it took."""


def write(run: Run, folder: Path) -> Path:
    """Write a finished run into a file of that folder; returns the file.

    Raises
    ------
    StoreError
        It has no result.
    """
    result = run.result_bytes
    row = run._row(*(runs.c[name] for name in FAR))
    content = {
        "id": run.id,
        "asked": run.asked,
        "result": json.loads(result),
        "result_sha": seal(run.id, written(run.asked), result).hex(),
        **{name: getattr(row, name) for name in FAR},
    }
    folder.mkdir(exist_ok=True)
    file = _file(folder, run.question)
    file.write_bytes(json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return file


def read(run: Run, plan: Plan, revision: str, folder: Path) -> dict[str, Any] | None:
    """What the folder holds of that run, ``result`` as bytes; None where it holds nothing that answers it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content: dict[str, Any] = json.loads(_file(folder, plan.question).read_bytes())
        asked, result = content["asked"], written(content["result"])
        wanted = {"question": plan.question, "plan": json.loads(written(plan.as_dict())), "revision": revision}
        same = content["id"] == run.id and {name: asked[name] for name in wanted} == wanted
        if same and asked["environment"] and seal(run.id, written(asked), result).hex() == content["result_sha"]:
            return {**content, "result": result}
    return None


def put(audit: Audit, plan: Plan, folder: Path) -> bool:
    """Put the run of that plan into the audit as finished, where it was never started; whether it was put there."""
    run, revision = audit.run_of(plan), audit.revision
    content = read(run, plan, revision, folder)
    if content is None:
        return False
    asked, result = written(content["asked"]), content["result"]
    base, name, own = place(run.path)
    with base.write() as connection:
        here = (runs.c.audit == name) & (runs.c.id == own)
        if connection.scalar(sa.select(runs.c.number).where(here)) is not None:
            return False
        now = time.time()
        number = connection.execute(
            runs.insert().values(
                audit=name,
                id=own,
                asked=asked,
                asked_sha=seal(own, asked),
                state="finished",
                token=1,
                created=now,
                finished=now,
                result=result,
                result_sha=seal(own, asked, result),
                **beaten(connection),
                **{part: content[part] for part in FAR},
            )
        ).inserted_primary_key[0]  # type: ignore[index]
        note(
            connection,
            number,
            f"Comes with riskkit: it was played beforehand by {content['asked']['environment']}, not on this computer.",
        )
    return True


def _file(folder: Path, question: str) -> Path:
    return folder / f"{question}.json"
