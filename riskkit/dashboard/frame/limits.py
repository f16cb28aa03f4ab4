"""Limits on a page: chosen by the user, never by the program, and kept with the audit; moving one judges again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from riskkit.jobs.store import Audit
from riskkit.judging import measurement
from riskkit.judging.measurement import Limit
from riskkit.language import again, phrase, say
from riskkit.questions import questions
from riskkit.questions.limits import keep, scales
from riskkit.show import glossary

NONE, OWN = "none", "own"
ABOUT = phrase(
    "A change of a limit runs nothing again. Without a limit, riskkit can show a leak, but never that there is none. "
    "riskkit recommends no limit of its own."
)
BESIDE = 3
"""Menus in a row on the page Report."""


def controls(audit: Audit, questions: Iterable[str], *, is_open: bool = True) -> None:
    """The limits of these questions: a menu for each, and under them what belongs to those that are set."""
    there = [question for question in questions if question in scales()]
    if not there:
        return
    with st.expander(say("Limits: how much leak is tolerable?"), expanded=is_open):
        st.caption(say("Without a limit a leak can be shown, and never that there is none."), help=again(ABOUT))
        kinds = {}
        for start in range(0, len(there), BESIDE):
            for place, question in zip(st.columns(BESIDE), there[start : start + BESIDE], strict=False):
                with place:
                    kinds[question] = _menu(audit, question)
        for question, kind in kinds.items():
            if kind != NONE:
                _details(audit, question, kind, st.columns(BESIDE, vertical_alignment="bottom"))


def beside(audit: Audit, question: str) -> None:
    """The limit of one question, folded away beside its verdict."""
    limit = audit.limits.get(question)
    title = say("No limit is set") if limit is None else say("Limit {value:.2f}", value=limit.value)
    with st.popover(title, icon=":material/tune:", help=glossary.TERMS["limit"]):
        st.caption(again(ABOUT))
        _details(audit, question, _menu(audit, question), [st.container()] * BESIDE)


def _key(audit: Audit, question: str, what: str) -> str:
    return f"limit.{audit.id}.{question}.{what}"


def _remember(audit: Audit, question: str, scale: measurement.Scale) -> None:
    """Have the widgets say what is kept, whatever another page or another session made of it meanwhile.

    What a user does to them is kept before the page is drawn again, so nothing of it is lost.
    """
    limit, state = audit.limits.get(question), st.session_state
    published = (
        None if limit is None else next((source for source in measurement.SOURCES if source.limit == limit), None)
    )
    middle = round((scale.low + scale.high) / 2, 2)  # nobody's recommendation
    first = {"value": middle, "who": "", "when": ""}
    if limit is None or published is not None:
        state[_key(audit, question, "kind")] = NONE if published is None else published.key
        for what, value in first.items():
            state.setdefault(_key(audit, question, what), value)
        return
    nobody = measurement.own(limit.value).source
    own = {"kind": OWN, "value": limit.value, "who": "" if limit.source == nobody else limit.source, "when": limit.date}
    for what, value in own.items():
        state[_key(audit, question, what)] = value


def _keep(audit: Audit, question: str) -> None:
    """Write what the widgets say into the audit, in place of what was kept."""
    limit = _limit_of_widgets(audit, question)
    rest = {name: kept_limit for name, kept_limit in audit.limits.items() if name != question}
    keep(audit, rest if limit is None else {**rest, question: limit})


def _limit_of_widgets(audit: Audit, question: str) -> Limit | None:
    """The limit that the widgets say."""
    state = st.session_state
    kind = state.get(_key(audit, question, "kind"), NONE)
    published = measurement.source(kind)
    if published is not None:
        return published.limit
    if kind != OWN:
        return None
    who, when = (str(state.get(_key(audit, question, what), "")).strip() for what in ("who", "when"))
    return measurement.own(float(state[_key(audit, question, "value")]), who, when)


def _menu(audit: Audit, question: str) -> str:
    """Which limit holds: none, one of one's own, or a published one."""
    name = scales()[question]
    scale, title = measurement.SCALES[name], again(questions()[question].title)
    _remember(audit, question, scale)
    there = [NONE, OWN, *(source.key for source in measurement.SOURCES if source.scale == name)]
    return str(
        st.selectbox(
            say("{question}: limit on the {scale}", question=title, scale=scale.title),
            there,
            key=_key(audit, question, "kind"),
            format_func=_scale_title,
            persist_state="session",
            help=again(scale.plain),
            on_change=_keep,
            args=(audit, question),
        )
    )


def _details(audit: Audit, question: str, kind: str, places: Sequence[Any]) -> None:
    """What belongs to a limit that is set: its value, who set it and when."""
    scale, title = measurement.SCALES[scales()[question]], again(questions()[question].title)
    left, middle, right = places
    source = measurement.source(kind)
    if source is not None:
        left.markdown(f"{title}: **{source.limit.value:.2f}**, {again(source.limit.source)} ({source.limit.date})")
        middle.caption(again(source.note))
    elif kind == OWN:
        on_change: dict[str, Any] = {"on_change": _keep, "args": (audit, question), "persist_state": "session"}
        value = float(st.session_state[_key(audit, question, "value")])
        low, high = min(scale.low + 0.01, value), max(scale.high - 0.01, value)
        left.slider(
            say("{question}: tolerable {scale}", question=title, scale=scale.title),
            low,
            high,
            step=0.01,
            key=_key(audit, question, "value"),
            **on_change,
        )
        middle.text_input(
            say("{question}: who set it", question=title),
            key=_key(audit, question, "who"),
            max_chars=200,
            placeholder=say("for example: data protection board"),
            **on_change,
        )
        right.text_input(
            say("{question}: when", question=title),
            key=_key(audit, question, "when"),
            max_chars=40,
            placeholder="2026-03-03",
            **on_change,
        )


def _scale_title(kind: str) -> str:
    if kind == NONE:
        return say("No limit")
    source = measurement.source(kind)
    return say("A limit of your own") if source is None else f"{source.limit.value:.2f}: {again(source.limit.source)}"
