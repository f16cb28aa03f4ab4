"""What a run that was stopped has so far, on its page and on the Audits page: numbers with their own N, no verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from riskkit.dashboard import frame, results, state
from riskkit.dashboard.frame import plain
from riskkit.dashboard.standing import RunStanding
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import again, counted, say
from riskkit.questions.membership import words
from riskkit.questions.membership.partial import NO_PART, partial
from riskkit.questions.membership.plan import MembershipPlan

ONE_LOOK = say(
    "Each interval is for the trainings it names and for one look. It does not hold if you look, go on, and look "
    "again until you like the numbers. A verdict needs the whole run."
)


def show(audit: Audit, now: RunStanding, key: str) -> None:
    """A switch that shows what is done, for a run that was stopped; why not, where a part says nothing."""
    if not (now.is_stopped and now.done and now.is_current):
        return
    if now.question != MembershipPlan.question:
        st.caption(NO_PART)
        return
    if not st.toggle(say("Show what is done so far"), key=f"{key}.partial"):
        return
    try:
        with st.spinner(say("Counting what is done")):
            mark = f"partial {now.run.id} {now.done}"
            result: dict[str, Any] = state.kept(mark, audit, lambda: partial(audit, now.run))
    except RiskkitError as error:
        frame.sentence_error(error)
        return
    _drawn(result)


def _drawn(result: Mapping[str, Any]) -> None:
    games = {(game["generator"], game["target"], game["position"]): game for game in result["partial"]}
    if not games:
        st.caption(
            say("No counted training is done yet: so far the attackers made releases of their own to learn from.")
        )
        return
    lines = [
        say(
            "- {generator}, {record}: **{done:,}** of {all}",
            generator=plain(game["generator"]),
            record=words.record(game),
            done=game["trainings"],
            all=counted(game["of"], "{n:,} training", "{n:,} trainings"),
        )
        for game in games.values()
    ]
    st.markdown("\n".join(lines))
    if result["estimates"]:
        results.table(MembershipPlan.question, result)
    for note in result["notes"]:
        st.caption(plain(again(note)))
    st.caption(ONE_LOOK)
