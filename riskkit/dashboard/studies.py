"""Stored studies of the literature on the page of their question: choose one, read what was published, play it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from riskkit.audit.studies import ABOUT, names, study
from riskkit.audit.studies_toy import ToyPlan
from riskkit.dashboard import frame, running
from riskkit.dashboard.frame import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.membership import words


def again(audit: Audit, key: Callable[..., str], question: str) -> None:
    """A study, what its source says, what playing a part of it takes, and the button. ``key`` names widgets."""
    with st.expander(say("Repeat a published study")):
        left, right = st.columns(2, gap="large")
        name = left.selectbox(say("Study"), names(question=question), key=key("study"), persist_state="session")
        try:
            asked = study(name)
        except RiskkitError as error:
            frame.sentence_error(error)
            return
        part = asked.part(
            right.selectbox(
                say("Part"), [part.name for part in asked.parts], key=key("study", name), persist_state="session"
            )
        )
        st.markdown(plain(f"{asked.title}. {asked.source}: {asked.claim}"))
        took = say("{trainings} on your table", trainings=counted(part.trainings, "{n:,} training", "{n:,} trainings"))
        st.caption(
            plain(
                say(
                    "The study was played on: {table}. Here it is played with {took}. {cost}",
                    table=asked.table,
                    took=took,
                    cost=asked.cost,
                )
            )
        )
        for figure in part.published:
            about = ", ".join(str(figure[name]) for name in ABOUT if name in figure)
            if figure["hindsight"]:
                about = say("{about}, a setting chosen in hindsight on the releases that are counted", about=about)
            published = words.published(float(figure["accuracy"]), asked.support(float(figure["accuracy"])))
            st.caption(plain(say("Published for {about}: {told}.", about=about, told=published)))
        # A study with rows of its own stands in no menu of a page: there is nothing to be played on an audit's table.
        if not isinstance(part.plan, ToyPlan) and st.button(say("Play this part"), key=key("study", "play")):
            running.start(audit, part.plan)
