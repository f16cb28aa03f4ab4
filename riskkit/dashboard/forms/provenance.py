"""How the release was made: asked once, kept with the audit. It decides which questions are about this release."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import plan_forms, plugin_forms, steps
from riskkit.dashboard.frame import shell, state, switches
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.language import again, counted, phrase, say
from riskkit.questions.standard import MOST_RELEASES, provenance

ROOM = "generators"
NOBODY = "unknown"
ABOUT = phrase(
    "Questions that train a method again (Membership, Records) are about this release only if that method, with the "
    "same settings, made it. For any other method they say what would have happened."
)
QUESTION = phrase("How was the release made?")


def fold(audit: Audit) -> None:
    """The question, folded under its answer."""
    with st.expander(f"{again(QUESTION)} {kept_answer(audit)}"):
        st.caption(again(ABOUT))
        menu(audit)


def menu(audit: Audit) -> None:
    """The question as a menu, answered with one click; the settings of a method are one click further."""
    offered, made_by = [NOBODY, *steps.menu(ROOM)], audit.provenance
    waiting = st.session_state.get(_key(audit, "waiting"), "")
    method = waiting or _method(made_by)
    if method not in offered:
        offered.append(method)
    state.keep(
        st.selectbox,
        _key(audit, "menu"),
        method,
        partial(_keep_method, audit),
        again(QUESTION),
        offered,
        format_func=_method_title,
        help=again(ABOUT),
    )
    if method not in registry.plugins(ROOM):
        if method == NOBODY:
            st.caption(say("Then no method is trained again."))
        _often(audit)
        return
    if not waiting:
        st.caption(kept_answer(audit))
    with st.popover(say("Its settings"), help=say("With other settings it is another method.")):
        if st.session_state.get(_key(audit, "filled")) != made_by and not waiting:
            steps.fill(ROOM, made_by.method, _fields(audit, method))
            st.session_state[_key(audit, "filled")] = made_by
        spelled = steps.form(ROOM, method, _fields(audit, method))
        if spelled:
            answer = _as_often(audit, provenance(spelled))
            st.button(
                say("Keep this answer"),
                key=_key(audit, "settings"),
                on_click=_keep_answer,
                args=(audit, answer),
                type="primary",
                disabled=answer == made_by,
            )
    _often(audit)


def _often(audit: Audit) -> None:
    """How many releases of this table there are, and whether they come from one fit."""
    made_by = audit.provenance
    state.keep(
        st.number_input,
        _key(audit, "releases"),
        made_by.releases,
        lambda releases: _keep_often(audit, int(releases), made_by.one_fit),
        say("How often was this table released?"),
        1,
        MOST_RELEASES,
        help=say(
            "With every further release of the same table an attacker sees more. Membership and Records then use "
            "as many releases."
        ),
    )
    if made_by.releases > 1 and audit.releases not in (0, made_by.releases):
        st.warning(
            counted(
                audit.releases,
                "{n:,} file of a release is loaded. Load every release: attacks on the released files see those that "
                "are loaded, and no other.",
                "{n:,} files of releases are loaded. This number should be the same: attacks on the released files see "
                "those that are loaded, and no other.",
            ),
            icon=":material/help:",
        )
    if made_by.releases > 1:
        state.keep(
            switches.toggle,
            _key(audit, "one_fit"),
            made_by.one_fit,
            lambda is_one: _keep_often(audit, made_by.releases, bool(is_one)),
            say("All releases come from one fit"),
            help=say("The method was trained once and sampled again; otherwise it was trained anew for every release."),
        )


def _keep_often(audit: Audit, releases: int, one_fit: bool) -> None:
    """Keep the number; the forms of questions begin with it."""
    audit.set_provenance(replace(audit.provenance, releases=releases, one_fit=one_fit and releases > 1))
    for name in [str(name) for name in st.session_state if audit.id in str(name)]:
        if name.endswith((f".{plan_forms.OWN}.releases", f".{plan_forms.OWN}.one_fit")):
            del st.session_state[name]


def _as_often(audit: Audit, answer: Provenance) -> Provenance:
    """That method, for as many releases as were said."""
    return replace(answer, releases=audit.provenance.releases, one_fit=audit.provenance.one_fit)


def _keep_method(audit: Audit, name: str) -> None:
    """Keep the method with its usual settings; one that has none waits for them to be said."""
    try:
        _keep_answer(audit, _as_often(audit, UNKNOWN if name == NOBODY else provenance(name)))
    except ParameterError:
        audit.set_provenance(_as_often(audit, UNKNOWN))
        st.session_state[_key(audit, "waiting")] = name


def _keep_answer(audit: Audit, answer: Provenance) -> None:
    st.session_state.pop(_key(audit, "waiting"), None)
    audit.set_provenance(answer)


def _method(made_by: Provenance) -> str:
    """The first step of what made it; the answer on the menu."""
    return registry.steps(made_by.method)[0].partition(":")[0] if made_by.is_known else NOBODY


def kept_answer(audit: Audit) -> str:
    """The answer that is kept, in a few words."""
    made_by = audit.provenance
    if not made_by.is_known:
        return say("Not answered.")
    try:
        named = shell.plain(plugin_forms.full_title(ROOM, made_by.method))
    except ParameterError:  # a method that is no longer here
        named = shell.plain(made_by.method)
    if made_by.releases == 1:
        return named
    return say("{method}; {releases:,} releases of this table.", method=named, releases=made_by.releases)


def forget_answer(audit: Audit) -> None:
    """Take the answer back: another file is the release now, and nobody has said how that was made."""
    if audit.provenance != UNKNOWN:
        audit.set_provenance(UNKNOWN)


def as_many(audit: Audit) -> None:
    """Say that the table was released as often as there are files of releases; its forms begin with that number."""
    _keep_often(audit, audit.releases, audit.provenance.one_fit)


def _method_title(name: str) -> str:
    if name == NOBODY:
        return say("I don't know")
    return plugin_forms.title(ROOM, name) if name in registry.plugins(ROOM) else name


def _fields(audit: Audit, method: str) -> str:
    return _key(audit, ROOM, method)


def _key(audit: Audit, *parts: str) -> str:
    return ".".join(("provenance", audit.id, *parts))
