"""The sample audit: the made cohort of ``sample_data``, its games played, its release attacked, a secret guessed."""

from __future__ import annotations

import time
from pathlib import Path

from riskkit.audit.attributes_plan import AttributePlan
from riskkit.audit.plan import MembershipPlan
from riskkit.audit.released_plan import ReleasedPlan
from riskkit.audit.runs import Run
from riskkit.audit.store import Audit, Store

NAME = "Sample audit: a made hospital cohort"
FILES = {"real": "real.csv", "synthetic": "release_bayesnet.csv", "holdout": "holdout.csv"}
PLAN = MembershipPlan(
    generators=("stat", "bayesnet"),
    targets=("selective",),
    attacks=("mvl", "neighbour"),
    trainings=60,
    generations=5,
    n_syn=2000,
    seed=2022,
)
RELEASED = ReleasedPlan(seed=2022)
ATTRIBUTES = AttributePlan(secrets=("diagnosis",), seed=2022)


def sample_folder() -> Path:
    """Where the project keeps the sample files."""
    return Path(__file__).resolve().parents[2] / "sample_data"


def load_sample(store: Store) -> Audit:
    """The sample audit of that store, made where it is not there yet; its games may still be unplayed."""
    for audit in store.audits():
        if audit.name == NAME and set(FILES) <= set(audit.files):
            return audit
    audit = store.create(NAME)
    for slot, name in FILES.items():
        audit.load(slot, (sample_folder() / name).read_bytes(), name=name)
    return audit


def sample_audit(store: Store, *, workers: int = 1) -> Audit:
    """The sample audit with its games played, its release attacked and a secret guessed; waits for them."""
    audit = load_sample(store)
    for plan in (RELEASED, ATTRIBUTES, PLAN):  # the games last, so that the strip of a page names them
        run: Run = audit.start(plan, workers=workers)
        while run.state in ("queued", "running"):
            time.sleep(0.2)
    return audit
