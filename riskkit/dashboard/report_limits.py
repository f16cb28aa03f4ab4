"""The limits of the page Report: chosen by the user, never by the program; moving one judges again at once."""

from __future__ import annotations

import streamlit as st

from riskkit.language import say
from riskkit.report.audited import limits, texts
from riskkit.report.audited.model import Findings, Limit

NONE, OWN = "none", "own"


def _key(question: str, what: str) -> str:
    return f"report.limit.{question}.{what}"


def _questions(found: Findings) -> list[str]:
    """The answered questions that a limit can be set for."""
    return [answer.question for answer in found.answered() if answer.question in limits.ON]


def chosen(found: Findings) -> dict[str, Limit]:
    """The limits as they are set; a question without one is judged against guessing alone."""
    out = {}
    for question in _questions(found):
        kind = st.session_state.get(_key(question, "kind"), NONE)
        published = limits.source(kind)
        if published is not None:
            out[question] = published.limit
        elif kind == OWN:
            scale = limits.SCALES[limits.ON[question]]
            value = float(st.session_state.get(_key(question, "value"), _first(scale)))
            out[question] = limits.own(value, str(st.session_state.get(_key(question, "who"), "")).strip())
    return out


def _first(scale: limits.Scale) -> float:
    """Where the slider of a limit begins: in the middle, which is nobody's recommendation."""
    return round((scale.low + scale.high) / 2, 2)


def controls(found: Findings) -> None:
    """A line of controls for each answered question."""
    questions = _questions(found)
    if not questions:
        return
    with st.expander(say("Limits: how much leak is tolerable, and who says so"), expanded=True):
        st.caption(
            say(
                "Nothing is run again when a limit moves. Without a limit a leak can be shown, but never its absence. "
                "No limit is built in as a good one."
            )
        )
        for question in questions:
            _one(question)


def _one(question: str) -> None:
    name = limits.ON[question]
    scale, title = limits.SCALES[name], texts.QUESTIONS[question][0]
    there = [NONE, OWN, *(source.key for source in limits.SOURCES if source.scale == name)]
    left, middle, right = st.columns((2, 3, 3), vertical_alignment="bottom")
    kind = left.selectbox(
        say("{question}: limit on the {scale}", question=title, scale=scale.title), there, key=_key(question, "kind"),
        format_func=_called,
        persist_state="session", help=scale.plain,
    )  # fmt: skip
    if kind == OWN:
        middle.slider(
            say("{question}: tolerable {scale}", question=title, scale=scale.title), scale.low + 0.01,
            scale.high - 0.01, _first(scale), 0.01,
            key=_key(question, "value"), persist_state="session",
        )  # fmt: skip
        right.text_input(
            say("{question}: who set it, and when", question=title), key=_key(question, "who"), persist_state="session",
            max_chars=200,
            placeholder=say("for example: data protection board, 3 March 2026"),
        )  # fmt: skip
        return
    source = limits.source(str(kind))
    if source is not None:
        middle.markdown(f"**{source.limit.value:.2f}**, {source.limit.source} ({source.limit.date})")
        right.caption(source.note)


def _called(kind: str) -> str:
    if kind == NONE:
        return say("No limit")
    source = limits.source(kind)
    return say("A limit of your own") if source is None else f"{source.limit.value:.2f}: {source.limit.source}"
