"""What the forms of games share: whether they are played across both tables, heavy methods, and published studies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.audit.studies import ABOUT, names, study
from riskkit.audit.studies_toy import ToyPlan
from riskkit.dashboard.forms import launch
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import run_view, shell, state
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.membership import words


def ask_across(asked: Form[Any]) -> bool:
    """Whether it is played across both tables; where there is no second one, the first alone is meant and none asks."""
    asked.values["second_table"] = False
    if state.tables(asked.audit).children is not None:
        asked.ask("second_table")
    return bool(asked.values["second_table"])


def is_heavy(generators: Iterable[str]) -> bool:
    """Whether one training of one of them takes seconds, or loads what no page should hold in memory."""
    return any(getattr(registry.parse("generators", text), "heavy", False) for text in generators)


def repeat_study(audit: Audit, question: str) -> None:
    """A study, what its source says, what playing a part of it takes, and the button."""
    key = partial(launch.key, question, audit)
    with st.expander(say("Repeat a published study")):
        left, right = st.columns(2, gap="large")
        name = left.selectbox(say("Study"), names(question=question), key=key("study"), persist_state="session")
        try:
            asked = study(name)
        except RiskkitError as error:
            shell.sentence_error(error)
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
                    "The study was run on: {table}. Here it is run with {took}. {cost}",
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
            published = words.published_figure(float(figure["accuracy"]), asked.support(float(figure["accuracy"])))
            st.caption(plain(say("Published for {about}: {told}.", about=about, told=published)))
        # A study with rows of its own stands in no menu of a page: there is nothing to be played on an audit's table.
        if not isinstance(part.plan, ToyPlan) and st.button(say("Run this part"), key=key("study", "play")):
            run_view.start(audit, part.plan)
