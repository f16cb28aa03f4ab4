"""The sample audit: the made cohort of ``sample_data``, its games played for chosen people and for those who stand out,
its release attacked, a secret guessed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from riskkit.base import places
from riskkit.core import Role
from riskkit.jobs.codec import seal
from riskkit.jobs.database import runs
from riskkit.jobs.files import dump
from riskkit.jobs.leases import beat, note, place
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.language import kept, say
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import PEOPLE, ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.singling_out.play import SinglingOutPlan
from riskkit.questions.standard import provenance
from riskkit.table.kinds.choice import ColumnChoice

# Finished runs that come with riskkit: written where they were played, and put into a store as if played there.
#
# A file holds one run: what was asked, by which code and libraries it was played, and the result with its hash. It
# counts for the same plan, the same data and the same version of riskkit, as a run of the store does; a file that was
# altered, or that answers anything else, is left alone, and the run is played.

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
        "asked": run.request,
        "result": json.loads(result),
        "result_sha": seal(run.id, dump(run.request), result).hex(),
        **{name: getattr(row, name) for name in FAR},
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = _file(folder, run.question)
    file.write_bytes(json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return file


def read(run: Run, plan: Plan, revision: str, folder: Path) -> dict[str, Any] | None:
    """What the folder holds of that run, ``result`` as bytes; None where it holds nothing that answers it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content: dict[str, Any] = json.loads(_file(folder, plan.question).read_bytes())
        asked, result = content["asked"], dump(content["result"])
        wanted = {"question": plan.question, "plan": json.loads(dump(plan.as_dict())), "revision": revision}
        same = content["id"] == run.id and {name: asked[name] for name in wanted} == wanted
        if same and asked["environment"] and seal(run.id, dump(asked), result).hex() == content["result_sha"]:
            return {**content, "result": result}
    return None


def put(audit: Audit, plan: Plan, folder: Path) -> bool:
    """Put the run of that plan into the audit as finished, where it was never started; whether it was put there."""
    run, revision = audit.run_of(plan), audit.revision
    content = read(run, plan, revision, folder)
    if content is None:
        return False
    asked, result = dump(content["asked"]), content["result"]
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
                **beat(connection),
                **{part: content[part] for part in FAR},
            )
        ).inserted_primary_key[0]  # type: ignore[index]
        note(
            connection,
            number,
            f"Comes with riskkit: it was run beforehand by {content['asked']['environment']}, not on this computer.",
        )
    return True


def _file(folder: Path, question: str) -> Path:
    return folder / f"{question}.json"


NAME = kept("Sample audit: a made-up hospital cohort")
MADE_BY = provenance("bayesnet")
"""What sample_data/make.py made the release with."""
FILES = {"real": "real.csv", "synthetic": "release_bayesnet.csv", "holdout": "holdout.csv"}
PLAN = MembershipPlan(
    generators=("stat", "bayesnet"),
    targets=("selective",),
    attacks=("mvl", "neighbour", "queries"),
    trainings=60,
    generations=5,
    n_syn=2000,
    seed=2022,
)
RELEASED = ReleasedPlan(seed=2022)
SINGLING_OUT, LINKABILITY = SinglingOutPlan(seed=2022), LinkabilityPlan(seed=2022)
ATTRIBUTES = AttributePlan(secrets=("diagnosis",), seed=2022)
KEYS = KeysPlan(keys=("age", "sex", "district", "insurance", "ward"), secrets=("diagnosis",), fraction=0.05)
RECORDS = RecordsPlan(
    records="top:60+random:60",
    inside=100,
    outside=100,
    again=10,
    shadows=50,
    n_syn=2000,
    certificate=True,
    seed=2022,
)
"""A sieve: everyone who stands out and a share of the others, so that it takes seconds."""

RECONSTRUCTION = ReconstructionPlan(seed=2022)
ONE_RUN = OneRunPlan(generator="bayesnet", seed=2022)
EXPLANATIONS = ExplanationPlan(target="readmitted", model="forest", victims=100, seed=2022)
CONTEST = ContestPlan(
    anonymisers=("bayesnet", "stat", "pram:p=0.8", "kanonymity"), source=PEOPLE, rules="none", seed=2022
)

PLANS = (
    *(RELEASED, SINGLING_OUT, LINKABILITY, RECONSTRUCTION, ATTRIBUTES, KEYS),
    *(CONTEST, EXPLANATIONS, ONE_RUN, RECORDS, PLAN),
)
"""All that the sample is asked; the games last, so that the strip of a page names them."""

HOMES = kept("Sample audit: the households of a made-up town")
HOMES_FILES = {"real": "homes.csv"}
HOUSEHOLDS = HouseholdsPlan(seed=2022)
"""What only a table can be asked that says who lives together; nobody knows that of the cohort."""

DEMO = kept("Demo: a leaky release")
LEAKY = {**FILES, "synthetic": "release_leaky.csv"}
"""The release of the sample in the order of the real table, with fourteen people copied."""


def sample_folder() -> Path:
    """Where the sample files are."""
    return places.project() / "sample_data"


def load_sample(store: Store, name: str = NAME, files: Mapping[str, str] = FILES) -> Audit:
    """The sample audit of that store, made where it is not there yet; its games may still be unplayed."""
    audit, is_new = _load(store, name, files)
    if is_new:
        audit.set_provenance(MADE_BY)
    return audit


def load_homes(store: Store) -> Audit:
    """The audit of the town of that store, made where it is not there yet; its households may still be unasked."""
    audit, is_new = _load(store, HOMES, HOMES_FILES)
    if is_new:
        audit.choose({"household": ColumnChoice(role=Role.HOUSEHOLD)})
    return audit


def _load(store: Store, name: str, files: Mapping[str, str]) -> tuple[Audit, bool]:
    """The audit of that name with these files, and whether it was made just now."""
    for audit in store.audits():
        if audit.name in (name, say(name)) and set(files) <= set(audit.files):
            return audit, False
    audit = store.create(say(name))
    for slot, file in files.items():
        audit.load(slot, (sample_folder() / file).read_bytes(), name=file)
    return audit, True


def sample_audit(store: Store, *, workers: int = 1, folder: Path | None = None) -> Audit:
    """The sample audit with everything in it finished."""
    return _finish(load_sample(store), PLANS, _finished(folder), workers)


def homes(store: Store, *, workers: int = 1, folder: Path | None = None) -> Audit:
    """The audit of a town whose table says who lives together, with its households asked about."""
    return _finish(load_homes(store), (HOUSEHOLDS,), _finished(folder) / "homes", workers)


def demo(store: Store, *, workers: int = 1, folder: Path | None = None) -> Audit:
    """The audit of the leaky release, finished like that of its repair, which is made beside it.

    Two releases of one cohort: this one stands in the order of the real table and copies people, that of the sample
    audit does neither.
    """
    place = _finished(folder)
    sample_audit(store, workers=workers, folder=place)
    return _finish(load_sample(store, DEMO, LEAKY), PLANS, place / "leaky", workers)


def _finished(folder: Path | None) -> Path:
    """Where finished runs are read: those that come with riskkit, unless another folder is named."""
    return sample_folder() / "finished" if folder is None else folder


def _finish(audit: Audit, plans: Sequence[Plan], folder: Path, workers: int) -> Audit:
    """The audit with a run of each of these plans.

    They come with riskkit, in that folder; one that is not there, or does not answer what is asked now, is played, and
    waited for.
    """
    for plan in plans:
        put(audit, plan, folder)
        run: Run = audit.start(plan, workers=workers)
        while run.state in ("queued", "running"):
            time.sleep(0.2)
    return audit
