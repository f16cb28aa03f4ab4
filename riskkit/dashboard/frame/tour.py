"""The tour: five steps through the demo, one line on top of a page each, that a stakeholder can be led through."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from riskkit.audit import sample
from riskkit.dashboard.frame import shell, state
from riskkit.jobs.machine import workers
from riskkit.language import again, phrase, say

KEY = "tour"


@dataclass(frozen=True, slots=True)
class TourStep:
    """A page of the demo, and what there is to see on it; ``is_repaired`` sets the repaired release beside it."""

    page: str
    text: str
    is_repaired: bool = False


STEPS = (
    TourStep(
        shell.AUDIT_PAGE,
        phrase(
            "A hospital wants to release this made-up table of 2,000 patients. The two red boxes need no test: the "
            "rows are in the order of the patients, and 14 patients are copied. **Remove the 14 copies and "
            "shuffle** makes a new file and compares it."
        ),
    ),
    TourStep(
        shell.RECORDS_PAGE,
        phrase(
            "That is not enough: some patients stand out in any release of this method. Pick one: the page says which "
            "of their values expose them, and what would lower that."
        ),
    ),
    TourStep(
        shell.COMPARE_PAGE,
        phrase(
            "The same method, used with care: no row is copied, none is in its old place. Left the leaky release, "
            "right the repaired one."
        ),
        is_repaired=True,
    ),
    TourStep(
        shell.REPORT_PAGE,
        phrase("Page one as it is printed: what is released, the answer, why, what to do first, and a place to sign."),
    ),
    TourStep(
        shell.AUDIT_PAGE,
        phrase("Now your own table: press **New audit**, drop the real table and the release, and press Run."),
    ),
)


def open_demo(*, is_asked: bool = False) -> None:
    """Open the audit of the leaky release; the tour begins where it was asked for, or nobody has seen it."""
    with st.spinner(say("Opening the demo")):
        state.show(sample.demo(state.store(), workers=workers()))
    if is_asked or not state.store().is_toured:
        st.session_state[KEY] = 0
    st.switch_page(shell.AUDIT_PAGE)


def button() -> None:
    """The sign that begins the tour, on every page."""
    about = say("Five steps through a made-up release that leaks, in three minutes.")
    if st.button(say("Tour"), key=f"{KEY}.begin", icon=":material/help:", help=about, width="stretch"):
        open_demo(is_asked=True)


def show() -> None:
    """The step that the tour has come to, and the way to the next; nothing outside of a tour."""
    place = st.session_state.get(KEY)
    if place is None:
        return
    with st.container(border=True, key=f"{KEY}.step"):
        st.markdown(
            f"**{say('Step {step} of {steps}', step=place + 1, steps=len(STEPS))}.** {again(STEPS)[place].text}"
        )
        with st.container(horizontal=True):
            is_last = place + 1 == len(STEPS)
            if not is_last and st.button(say("Next"), key=f"{KEY}.next", type="primary"):
                _go(place + 1)
            if st.button(say("End the tour") if is_last else say("Skip the tour"), key=f"{KEY}.end"):
                st.session_state.pop(KEY)
                state.store().note_tour()
                st.rerun()


def _go(place: int) -> None:
    st.session_state[KEY] = place
    store = state.store()
    leaky = sample.load_sample(store, sample.DEMO, sample.LEAKY)
    state.show(leaky)
    if again(STEPS)[place].is_repaired:
        shell.compare(leaky, sample.load_sample(store))
    st.switch_page(again(STEPS)[place].page)
