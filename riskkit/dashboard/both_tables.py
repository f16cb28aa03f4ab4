"""Whether a game is played across both tables of the same people: asked where the audit has a second one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from riskkit.dashboard import state
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions import second_table


def ask(audit: Audit, key: Callable[[str], str]) -> bool:
    """The switch; nothing is asked, and the first table alone is meant, where there is no second one."""
    if state.tables(audit).children is None:
        return False
    return bool(
        st.toggle(
            say("Across both tables"),
            False,
            key=key("second_table"),
            persist_state="session",
            help=say(
                "A program of yours is trained on both tables and writes both: its command has {train_children} and "
                "{out_children}. People are seen with summaries of their rows in the second table."
            ),
        )
    )


def check(audit: Audit, generators: Iterable[str], *, across: bool) -> None:
    """Refuse methods that do not go with what is asked, before anything is timed.

    Raises
    ------
    DesignError
        A method takes two tables and the game is of one, or the other way round.
    """
    second_table.check(state.tables(audit), generators, second_table=across)
