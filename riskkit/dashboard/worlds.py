"""Which worlds a membership game is played in, and what its attackers know: the folded part of its form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.membership.plan import MembershipPlan

WORLDS: Mapping[str, str] = {
    "fixed": say("The same people in every training"),
    "resampled": say("Other people in every training"),
}
RELATIONS: Mapping[str, str] = {
    "add-one": say("One person fewer (add-one)"),
    "replace-one": say("Somebody else in their place (replace-one)"),
}
KNOWING: Mapping[str, str] = {
    "own": say("What each attack says"),
    "exact": say("Every other row of the data"),
    "auxiliary": say("Other people of the population"),
}
"""What a form calls the choices of a plan."""


def choices(audit: Audit, key: Callable[..., str]) -> dict[str, Any]:
    """The fields of a plan that say which worlds there are. ``key`` names widgets."""
    default = MembershipPlan()
    with st.expander(say("Worlds, and what attackers know")):
        left, right = st.columns(2, gap="large")
        worlds = left.selectbox(
            say("Who is in the data beside the target"), list(WORLDS), format_func=WORLDS.__getitem__,
            key=key("worlds"),
            persist_state="session",
            help=say("The same people: how exposed the target is in this very table. Other people, drawn anew from the "
            "table for every training: the usual game of the literature, an average over tables in which a record "
            "that is exposed in yours can go unseen."),
        )  # fmt: skip
        relation = right.selectbox(
            say("The data without the target has"), list(RELATIONS), format_func=RELATIONS.__getitem__,
            key=key("relation"), persist_state="session",
            help=say("The released rows are as many either way. Methods that promise differential privacy with a "
                     "public "
            "number of rows promise it for somebody else in the target's place."),
        )  # fmt: skip
        knowing = list(KNOWING) if worlds == "fixed" else ["auxiliary"]
        knowledge = left.selectbox(
            say("What attackers know"), knowing, format_func=KNOWING.__getitem__, key=key("knowledge", str(worlds)),
            persist_state="session",
            help=say("Attackers who know other people train on worlds made of those, who are in no world that counts. "
            "Where other people are in the data every time, nobody can know them all."),
        )  # fmt: skip
        rows = right.number_input(
            say("Rows of the data with the target"), 0, 10_000_000, default.rows, key=key("world_rows"),
            persist_state="session",
            help=say("0 takes all there are; of data drawn anew half of them, so that there is something to draw."),
        )  # fmt: skip
        share = default.auxiliary
        if knowledge == "auxiliary" and "holdout" not in audit.files:
            share = left.slider(
                say("Share of the table that attackers have"), 0.05, 0.95, default.auxiliary, 0.05,
                key=key("auxiliary"),
                persist_state="session",
                help=say("There is no holdout, so the people they know are split off the table, never to be in a world "
                "that counts. With a holdout they have that."),
            )  # fmt: skip
    return {
        "worlds": str(worlds), "relation": str(relation), "knowledge": str(knowledge), "rows": int(rows),
        "auxiliary": float(share),
    }  # fmt: skip
