"""Limits on a page: chosen by the user, never by the program, and kept with the audit; moving one judges again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from riskkit.dashboard.frame import state
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


def _set(audit: Audit, question: str, limit: Limit | None) -> None:
    """Keep that limit, or none, with the audit; the limits of other questions stay."""
    rest = {name: other for name, other in audit.limits.items() if name != question}
    keep(audit, rest if limit is None else {**rest, question: limit})


def _menu(audit: Audit, question: str) -> str:
    """Which limit holds: none, one of one's own, or a published one."""
    limit, name = audit.limits.get(question), scales()[question]
    scale, title = measurement.SCALES[name], again(questions()[question].title)
    known = next((source.key for source in measurement.SOURCES if source.limit == limit), OWN)

    def choose(kind: str) -> None:
        middle = measurement.own(round((scale.low + scale.high) / 2, 2))  # nobody's recommendation
        source = measurement.source(kind)
        _set(audit, question, source.limit if source is not None else middle if kind == OWN else None)

    return str(
        state.keep(
            st.selectbox,
            _key(audit, question, "kind"),
            NONE if limit is None else known,
            choose,
            say("{question}: limit on the {scale}", question=title, scale=scale.title),
            [NONE, OWN, *(source.key for source in measurement.SOURCES if source.scale == name)],
            format_func=_scale_title,
            help=again(scale.plain),
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
        return
    limit = audit.limits.get(question)
    if kind != OWN or limit is None:
        return
    who = "" if limit.source == measurement.own(limit.value).source else limit.source

    def change(value: float = limit.value, who: str = who, when: str = limit.date) -> None:
        _set(audit, question, measurement.own(value, who.strip(), when.strip()))

    state.keep(
        left.slider,
        _key(audit, question, "value"),
        limit.value,
        lambda value: change(value=float(value)),
        say("{question}: tolerable {scale}", question=title, scale=scale.title),
        min(scale.low + 0.01, limit.value),
        max(scale.high - 0.01, limit.value),
        step=0.01,
    )
    state.keep(
        middle.text_input,
        _key(audit, question, "who"),
        who,
        lambda who: change(who=who),
        say("{question}: who set it", question=title),
        max_chars=200,
        placeholder=say("for example: data protection board"),
    )
    state.keep(
        right.text_input,
        _key(audit, question, "when"),
        limit.date,
        lambda when: change(when=when),
        say("{question}: when", question=title),
        max_chars=40,
        placeholder="2026-03-03",
    )


def _scale_title(kind: str) -> str:
    if kind == NONE:
        return say("No limit")
    source = measurement.source(kind)
    return say("A limit of your own") if source is None else f"{source.limit.value:.2f}: {again(source.limit.source)}"
