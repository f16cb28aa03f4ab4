"""The side bar: which audit is open and the way to another, the pages in the order of the work, and how each stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from riskkit.dashboard.frame import shell, state, styles, tour, verdicts
from riskkit.errors import RiskkitError
from riskkit.jobs import people
from riskkit.jobs.store import SLOTS, Audit
from riskkit.judging.measurement import TITLES, Verdict
from riskkit.language import ENGLISH, MARKS, Readings, choice, languages, phrase, say, speaking

FURTHER = ("keys", "one-run", "explanations", "contest", "households")
"""Pages below the line: of questions that no verdict needs, or that most releases do not raise."""
LATER = ("compare", "report")
"""Pages that come after the questions which every release raises."""
SWITCH = "side.audit"
"""Where the menu of audits keeps its choice: a place for each audit that is open.

A page that draws a part of itself anew every second sends the choice each time, also when the browser has not yet heard
that another audit is open. In one place that would read as somebody choosing the former audit, and open it again.
"""
DONE_OF = Readings(membership=phrase("retrained"), released=phrase("file alone"))
"""What follows that of a page that asks several questions, while one of them has no result."""


def page_order(pages: Sequence[st.Page]) -> list[st.Page]:
    """The pages in the order of the work: what every release needs, the report, the rest, and last all audits."""
    usual = [page for page in pages if page.url_path not in (*LATER, *FURTHER)]
    named = {page.url_path: page for page in pages}
    return [*usual[:-1], *(named[path] for path in (*LATER, *FURTHER) if path in named), *usual[-1:]]


def show(pages: Sequence[st.Page], opened: st.Page) -> Callable[[], None]:
    """Draw it; an audit that cannot be read is said by the page, within its guard.

    Gives back what draws the links anew once the page is there: where it is the first to judge these tests, their marks
    are known only then.
    """
    audit = None
    with st.sidebar:
        with suppress(RiskkitError):
            audit = state.current()
            styles.skip_links(_places(opened, audit))
            _audits(audit)
            tour.button()
        links, known = st.empty(), _verdicts(audit)
        _links(links, pages, audit, known)
        choose_language()
        with suppress(RiskkitError):
            _person()

    def update() -> None:
        if (now := _verdicts(audit, is_to_judge=True)) != known:
            _links(links, pages, audit, now)

    return update


def _verdicts(audit: Audit | None, *, is_to_judge: bool = False) -> dict[str, Verdict]:
    with suppress(RiskkitError):
        return {} if audit is None else verdicts.verdict_of_each(audit, is_to_judge=is_to_judge)
    return {}


def _links(
    place: DeltaGenerator, pages: Sequence[st.Page], audit: Audit | None, verdict_of: Mapping[str, Verdict]
) -> None:
    with place.container():
        for page in pages:
            if page.url_path == FURTHER[0]:
                st.markdown(shell.quiet(say("More")))
            if page is pages[-1]:
                st.space("small")
            _link(page, audit, verdict_of)


def choose_language() -> None:
    """In which language this browser is spoken to; each is called what its catalogue makes of "English"."""
    names: dict[str, str] = {}
    for tag in languages():
        with speaking(tag):
            names[tag] = tag if say("English") in names.values() else say("English")
    if choice() != MARKS:
        del names[MARKS]
    if len(names) > 1:
        chosen = choice() if choice() in names else ENGLISH
        state.keep(
            st.selectbox,
            "side.language",
            chosen,
            state.speak,
            say("Language"),
            list(names),
            format_func=names.__getitem__,
            label_visibility="collapsed",
        )


def _person() -> None:
    """Who has logged in, and the way out; nothing where people are not told apart."""
    person = people.acting()
    if person is None:
        return
    st.markdown(shell.quiet(f":material/person: {shell.plain(person.name)}"))
    st.button(
        say("Log out"),
        key="sharing.out",
        icon=":material/logout:",
        on_click=st.logout,
        help=say("Ends your login in every browser."),
    )


def _places(opened: st.Page, audit: Audit | None) -> list[str]:
    """What there is on that page to skip to."""
    there = set() if audit is None else set(audit.files)
    files = ["files"] if opened.url_path in ("", "data") and len(there & set(SLOTS)) < len(SLOTS) else []
    if audit is None:
        return files
    if opened.url_path == "":
        is_ready = {"real", "synthetic"} <= there
        return [*files, *["run"] * is_ready, *["answers"] * (is_ready and bool(audit.runs())), "onward"]
    if opened.url_path == "report":
        return ["downloads"] if "real" in there else []
    has_form = opened.url_path not in ("data", "audits", "compare") and "real" in there
    return [*files, *["settings", "run"] * has_form, "onward"]


def _link(page: st.Page, audit: Audit | None, verdict_of: Mapping[str, Verdict]) -> None:
    """The link to a page, and behind it the gravest verdict of its questions; a dash where a result has none."""
    standing = state.mark(page.url_path or state.FIRST, audit)
    icon = "spinner" if standing == state.BUSY else page.icon
    beside = ""
    if standing == state.BUSY:
        beside = say("running")
    elif standing == state.DONE:
        asked = state.ASKED_ON.get(page.url_path, (page.url_path,))
        judged = [verdict_of[question] for question in asked if question in verdict_of]
        verdict = min(judged, key=lambda own: own.gravity, default=Verdict.DESCRIBED)
        # while nobody has judged them, a mark would say something of which nobody knows
        mark = [f":{'red' if verdict.shows_leak else 'gray'}[{TITLES[verdict][0]}]"] if verdict_of else []
        beside = " · ".join([*mark, *(DONE_OF[each] for each in state.answered_in_part(page.url_path, audit))])
    st.page_link(page, label=f"{page.title} {f':small[{beside}]' if beside else ''}".strip(), icon=icon)


def _audits(audit: Audit | None) -> None:
    """The open audit, the menu of the others, and the way to a new one."""
    kept = state.store().audits()
    if not kept:
        return
    names = shell.tell_apart({candidate.id: candidate.name for candidate in kept})
    opened = audit.id if audit is not None and audit.id in names else None
    key = f"{SWITCH}.{opened or 'none'}"
    st.session_state[key] = opened
    st.selectbox(
        say("Audit"),
        list(names),
        format_func=lambda audit_id: names[audit_id],
        key=key,
        on_change=_switch,
        args=(key, opened),
        placeholder=say("Choose an audit"),
        help=say("What all pages show. Another one opens on the same page."),
    )
    pressed = st.button(
        say("New audit"),
        key="side.new",
        icon=":material/add:",
        width="stretch",
        on_click=state.close,
        help=say("Begin with no files; the open audit is kept."),
    )
    if pressed:
        st.switch_page(shell.AUDIT_PAGE)


def _switch(key: str, opened: str | None) -> None:
    """Open the chosen audit; the run in the address belongs to the other one."""
    chosen = st.session_state.get(key)
    if chosen and chosen != opened:
        st.query_params.pop("run", None)
        with suppress(RiskkitError):
            state.show(state.store().open(str(chosen)))
