"""One run of an audit on a page: which one is shown, how far it is, and the way on from every state it can be in."""

from __future__ import annotations

import os
from typing import Any

import streamlit as st

from riskkit.audit.plan import LATER, MembershipPlan
from riskkit.audit.questions import Plan
from riskkit.audit.runs import Run
from riskkit.audit.store import Audit
from riskkit.dashboard import frame
from riskkit.report import words

LIVE = ("queued", "running")
ENDED = {
    "failed": ("This run failed", "Try again"),
    "cancelled": ("This run was cancelled", "Run again"),
    "interrupted": ("This run was interrupted", "Run again"),
    "new": ("This run never started", "Run again"),
}
"""Title and way on of every state that has no result."""


def workers() -> int:
    """Processes that train side by side: all cores but the one that shows the pages."""
    return max((os.cpu_count() or 2) - 1, 1)


def shown(audit: Audit, question: str) -> Run | None:
    """The run of that question named in the address, else its newest; None where nothing was ever run."""
    named = audit.run(st.query_params.get("run", ""))
    if named is not None and named.question == question:
        return named
    return next(iter(audit.runs(question)), None)


def start(audit: Audit, plan: Plan) -> None:
    """Start that plan, or find it running or finished, and show it."""
    st.query_params["run"] = audit.start(plan, workers=workers()).id
    st.rerun()


def picker(audit: Audit, run: Run) -> None:
    """The menu of this audit's runs, where there are several."""
    runs = {known.id: known for known in audit.runs(run.question)}
    if len(runs) < 2:
        return
    ids = list(runs)
    picked = st.selectbox("Run shown", ids, ids.index(run.id), lambda known: _told(runs[known], audit.revision))
    if picked != run.id:
        st.query_params["run"] = picked
        st.rerun()


def _told(run: Run, revision: str) -> str:
    """A run in one line."""
    state = "being played" if run.state in LIVE else run.state
    parts = [*_plan_told(run), f"seed {run.plan.seed}", state]
    return " · ".join(parts + ["earlier data"] * (run.revision != revision))


def _plan_told(run: Run) -> list[str]:
    plan = run.plan
    if not isinstance(plan, MembershipPlan):
        return [plan.label]
    return [
        " + ".join(plan.generators),
        " + ".join(plan.attacks),
        f"{words.plural(sum(map(plan.count, plan.targets)), 'target')} by {' + '.join(plan.targets)}",
        words.plural(plan.trainings, "training"),
        *(f"{name} {value}" for name, value in plan.as_dict().items() if name in LATER),
    ]


def progress(audit: Audit, run: Run) -> None:
    """How far a run is, or why it ended without a result, with the way on."""
    now = run.progress
    if now["state"] in LIVE:
        _live(run)
        return
    title, onward = ENDED[now["state"]]
    told = {
        "failed": frame.plain(str(now.get("error", "It did not say why."))),
        "cancelled": "You stopped it, and nothing of it is kept. The same settings give the same numbers whenever "
        "they are run.",
        "interrupted": "Its process stopped without a word; the computer may have been switched off. Nothing of it is "
        "kept. Run it again: the same settings give the same numbers.",
    }.get(now["state"], "Its process did not come up. Run it again.")
    box, icon = (st.error, ":material/cancel:") if now["state"] == "failed" else (st.warning, ":material/pause_circle:")
    box(told, title=title, icon=icon)
    if st.button(onward, key=f"{run.question}.again", type="primary"):
        start(audit, run.plan)


@st.fragment(run_every=1.0)
def _live(run: Run) -> None:
    """Stage, trainings done, time left and the button to stop; draws itself anew every second, the page stays still."""
    with frame.guard():
        now = run.progress
        if now["state"] not in LIVE:
            st.rerun()
        done, total = int(now.get("done", 0)), int(now.get("total", 0))
        st.markdown(f"**{frame.plain(_stage(run, now))}**")
        st.progress(done / total if total else 0.0, text=_far(run.unit, done, total, now.get("seconds_left")))
        st.button("Cancel", key=f"{run.question}.cancel", disabled=run.is_cancelled, on_click=run.cancel)
        st.caption("The work goes on by itself: leave this page or close the tab, and find the result here later.")


def _stage(run: Run, now: dict[str, Any]) -> str:
    if run.is_cancelled:
        return f"Stopping as soon as the {run.unit}s in hand are done"
    return "Waiting for the work to start" if now["state"] == "queued" else str(now.get("stage", "Working"))


def _far(unit: str, done: int, total: int, seconds: float | None) -> str:
    """How much is done, and how long the rest will take."""
    if not total:
        return f"The {unit}s are being counted"
    left = "" if seconds is None or not done else f" · {words.duration(seconds)} left"
    return f"{done:,} of {words.plural(total, unit)} done{left}"
