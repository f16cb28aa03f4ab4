"""Which worlds a membership game is played in, and what its attackers know: the folded part of its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.dashboard import both_tables, plan_forms
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.membership.plan import MembershipPlan

WORLDS = wording.choices(MembershipPlan, "worlds")
RELATIONS = wording.choices(MembershipPlan, "relation")
KNOWING = wording.choices(MembershipPlan, "knowledge")


def choices(audit: Audit, key: Callable[..., str]) -> dict[str, Any]:
    """The fields of a plan that say which worlds there are. ``key`` names widgets."""
    default = MembershipPlan()
    across = both_tables.ask(audit, key)
    with st.expander(say("Worlds, and what attackers know")):
        left, right = st.columns(2, gap="large")
        worlds = left.selectbox(
            say("Who is in the data beside the target"),
            list(WORLDS),
            format_func=WORLDS.__getitem__,
            key=key("worlds"),
            persist_state="session",
            help=say(
                "The same people: how exposed the target is in this very table. Other people, drawn anew from "
                "the table for every training: the usual game of the literature. It averages over tables, so it "
                "can overlook a record that is exposed in yours."
            ),
        )
        relation = right.selectbox(
            say("The data without the target has"),
            list(RELATIONS),
            format_func=RELATIONS.__getitem__,
            key=key("relation"),
            persist_state="session",
            help=say(
                "The release has the same number of rows in both cases. Methods that promise differential "
                "privacy with a public number of rows promise it for somebody else in the target's place."
            ),
        )
        knowing = list(KNOWING) if worlds == "fixed" else ["auxiliary"]
        knowledge = left.selectbox(
            say("What attackers know"),
            knowing,
            format_func=KNOWING.__getitem__,
            key=key("knowledge", str(worlds)),
            persist_state="session",
            help=say(
                "Attackers who know other people train on worlds made of these people, who are in no world that "
                "counts. If other people are in the data for every training, no attacker can know them all."
            ),
        )
        rows = right.number_input(
            say("Rows of the data with the target"),
            0,
            10_000_000,
            None,
            placeholder=plan_forms.left_out(MembershipPlan, "rows"),
            key=key("world_rows"),
            persist_state="session",
            help=say(
                "0 takes all rows. Where people are drawn anew, 0 takes half of the rows, so that there are "
                "others to draw."
            ),
        )
        share = default.auxiliary
        if knowledge == "auxiliary" and "holdout" not in audit.files:
            share = left.slider(
                say("Share of the table that attackers have"),
                0.05,
                0.95,
                default.auxiliary,
                0.05,
                key=key("auxiliary"),
                persist_state="session",
                help=say(
                    "There is no holdout, so the people attackers know are split off from the table and are in "
                    "no world that counts. With a holdout, attackers know the holdout."
                ),
            )
    return {
        "worlds": str(worlds),
        "relation": str(relation),
        "knowledge": str(knowledge),
        "rows": default.rows if rows is None else int(rows),
        "auxiliary": float(share),
        "second_table": across,
    }
