"""Which audit is open, and its tables. Nothing of a user's data is kept in session state.

The open audit is in the address (``?audit=...``), so a reload, a second tab or a restarted server finds it again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from riskkit.audit import temporary
from riskkit.base import places
from riskkit.dashboard.frame import styles
from riskkit.errors import DesignError, RiskkitError
from riskkit.jobs import machine
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit, Store, Tables
from riskkit.language import choice, languages, say
from riskkit.questions.membership.people import OutlierMap, outlier_map

T = TypeVar("T")
DONE, BUSY = "done", "busy"
"""How a page stands: its result is there, or is being made."""
TOLD = "told"
DRAWN = "drawn"
"""Key in the session of the page that was drawn last."""
BEGUN = "begun"
"""Key in the session of an audit that a first file is being read into, until it is the open one."""
FIRST_SIGHT = 0.05
"""Seconds between the title of a page that was not drawn before and what stands below it."""
LANGUAGE = "language"
"""Where session and address have the language that somebody chose."""
FIRST = "audit"
"""The page that stands at the root of the address."""
ASKED_ON = {"membership": ("membership", "released")}
"""The questions of a page that asks several."""


def pages(folder: Path) -> list[st.Page]:
    """One page for each ``<number>_<name>.py``, in order; title and icon are its docstring's ``Title · icon`` line."""
    scripts = sorted(folder.glob("[0-9]*_*.py"), key=lambda path: (int(path.name.split("_")[0]), path.name))
    return [_page(path) for path in scripts]


def exists(page: str) -> bool:
    """Whether this installation has that page."""
    return (places.project() / page).is_file()


def _page(path: Path) -> st.Page:
    # Not by ast: in Python 3.11 two sessions that parse at the same moment can end each other with a SystemError.
    with path.open(encoding="utf-8") as page:
        title, _, icon = page.readline().strip().strip('"').partition(" · ")
    return st.Page(path, title=say(title), icon=icon.strip() or None)


def mark(page: str, audit: Audit | None) -> str:
    """How the page of that name stands: done, busy, or nothing to say."""
    with suppress(RiskkitError):
        if audit is None:
            return ""
        if page == FIRST:
            return BUSY if any(run.state in LIVE for run in audit.runs()) else ""
        marks = {_mark_of(question, audit) for question in ASKED_ON.get(page, (page,))}
        return next((standing for standing in (BUSY, DONE) if standing in marks), "")
    return ""


def _mark_of(question: str, audit: Audit) -> str:
    """How one question stands."""
    runs = audit.runs(question)
    revision = audit.revision if runs else ""
    states = {run.state for run in runs if run.revision == revision}
    if states & {"queued", "running"}:
        return BUSY
    return DONE if "finished" in states else ""


def answered_in_part(page: str, audit: Audit | None) -> list[str]:
    """The questions of a page that have a result, where another one of that page has none."""
    asked = ASKED_ON.get(page, ())
    with suppress(RiskkitError):
        there = [question for question in asked if audit is not None and _mark_of(question, audit) == DONE]
        return there if len(there) < len(asked) else []
    return []


def keep(widget: Callable[..., Any], key: str, value: Any, save: Callable[[Any], Any], *what: Any, **how: Any) -> Any:
    """A field that says what is kept, whatever another page has made of it; what is entered in it is kept at once.

    ``save`` is given what was entered; ``what`` and ``how`` are what the widget takes.
    """
    st.session_state[key] = value
    return widget(*what, key=key, on_change=lambda: save(st.session_state[key]), **how)


def tell(text: str, icon: str, within: int = styles.ANYWHERE) -> None:
    """Have the page say that in passing when it is drawn next, and go up to what it speaks of: a run, its answer.

    Whoever is more than ``within`` windows below the top has gone on to read, and stays there.
    """
    st.session_state[TOLD] = (text, icon, within)


def say_what_was_told() -> None:
    """Say in passing what :func:`tell` was given."""
    if TOLD in st.session_state:
        text, icon, within = st.session_state.pop(TOLD)
        st.toast(text, icon=icon)
        styles.go_up(within)


def store() -> Store:
    """The store of this installation. A server puts uploads into a folder of it before it reads them."""
    here = Store.default()
    if _is_served():
        temporary.begin(here.home)
    return here


def _is_served() -> bool:
    """Whether a server draws the page for a browser, and no test does."""
    return runtime.exists() and issubclass(type(runtime.get_instance()), runtime.Runtime)  # a mock says it is one


def let_browser_draw() -> None:
    """At the first sight of a page, wait until the browser has what was drawn so far.

    A browser draws at once what comes within 10 ms of each other, so that a title would wait for the form below it.
    """
    context = get_script_run_ctx()
    page = "" if context is None else context.page_script_hash
    if st.session_state.get(DRAWN) != page:
        st.session_state[DRAWN] = page
        if _is_served():
            time.sleep(FIRST_SIGHT)


def forget(file: UploadedFile) -> None:
    """Let the server forget an upload whose bytes are in the store; by itself it keeps it until the tab is closed."""
    context = get_script_run_ctx()
    manager = None if context is None else context.uploaded_file_mgr
    if context is not None and isinstance(manager, MemoryUploadedFileManager):
        manager.remove_file(session_id=context.session_id, file_id=file.file_id)


def forget_uploads() -> None:
    """Let the server forget what this session has uploaded, refused files too."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def _forget_all() -> None:
    """Let this process forget the tables of the audit that was open, and what was uploaded for it."""
    for made in (_tables, _outliers, _cached):
        made.clear()
    forget_uploads()
    machine.release()


def _remove_what_is_old() -> None:
    """Remove what is older than the chosen age; a store that cannot be used is said by the page, not here."""
    with suppress(RiskkitError):
        kept_here = store()
        if kept_here.retention is not None:
            kept_here.purge()


def _first_shown() -> str | None:
    """The audit to begin with: the one opened last, none where a new one was begun, else what the server was told.

    A store that cannot be used is said by the page.
    """
    with suppress(RiskkitError):
        if (last := store().last) is not None:
            return last or None
    return os.environ.get("RISKKIT_OPEN")


def keep_address() -> None:
    """Put the open audit and the language back into the address after a change of page, which clears it.

    Every visit begins with removing what is older than the chosen age. A visitor who names no audit is shown the one
    that was opened last; where none was, the one in ``RISKKIT_OPEN``, which is the sample where ``riskkit app`` started
    the dashboard.
    """
    asked = st.query_params.get("audit")
    if "visited" not in st.session_state:
        _remove_what_is_old()
        asked = asked or _first_shown()
    st.session_state["visited"] = True
    if asked is not None:
        st.session_state["audit"] = asked
    if "audit" in st.session_state:
        st.query_params["audit"] = st.session_state["audit"]
    if language():
        st.session_state[LANGUAGE] = st.query_params[LANGUAGE] = language()


def language() -> str:
    """The language that the reader chose in this browser; empty where nobody did, for that of the process."""
    asked = str(st.query_params.get(LANGUAGE) or st.session_state.get(LANGUAGE, ""))
    return asked if asked in languages() else ""


def speak(language: str) -> None:
    """Speak that language in this browser from now on.

    What was chosen in a menu stays chosen: the browser knows it by its words alone, so each menu is told it anew.
    """
    st.query_params[LANGUAGE] = language
    for key, value in list(st.session_state.items()):
        every = value if isinstance(value, list) else [value]
        if every and all(isinstance(each, str | int) and not isinstance(each, bool) for each in every):
            st.session_state[key] = value


def current() -> Audit | None:
    """The open audit, or None where none is open or it is gone."""
    asked = st.session_state.get("audit") or st.query_params.get("audit")
    if not asked:
        return None
    try:
        return store().open(str(asked))
    except DesignError:
        close()
        return None


def unit() -> str:
    """What a column of the open audit names: ``person``, ``household``, or empty."""
    try:
        audit = current()
        return "" if audit is None else audit.unit
    except RiskkitError:
        return ""


def show(audit: Audit) -> None:
    """Make that audit the open one; of another that was open before nothing stays in memory."""
    if st.session_state.get("audit", audit.id) != audit.id:
        _forget_all()
    st.session_state["audit"] = audit.id
    st.session_state.pop(BEGUN, None)
    st.query_params["audit"] = audit.id
    store().remember(audit)


def close() -> None:
    """Have no audit open, and nothing of the one that was in memory."""
    _forget_all()
    st.session_state.pop("audit", None)
    st.session_state.pop(BEGUN, None)
    st.query_params.pop("audit", None)
    with suppress(RiskkitError):
        store().remember(None)


def tables(audit: Audit) -> Tables:
    """The typed tables of an audit; read again only when a file or a choice has changed.

    Raises
    ------
    InputError, DesignError
        As :meth:`riskkit.jobs.store.Audit.tables`.
    """
    return _tables(str(audit.path), audit.revision)


def columns(audit: Audit) -> list[str]:
    """The columns in use, in the order of the file, for settings that name some.

    Raises
    ------
    InputError, DesignError
        As :func:`tables`.
    """
    return [column.name for column in tables(audit).schema.modelled]


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
def _tables(folder: str, revision: str) -> Tables:  # noqa: ARG001  the revision is the hash of what is read
    """Keyed by a folder of this user and the SHA-256 of what is in it, never by a table; never shared by sessions."""
    with st.spinner(say("Reading the tables")):
        return Audit(Path(folder)).tables()


def outliers(audit: Audit) -> OutlierMap:
    """Who stands out in the real table; measured again only when a file or a choice has changed."""
    return _outliers(str(audit.path), audit.revision)


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
def _outliers(folder: str, revision: str) -> OutlierMap:
    """Keyed as the tables it is made from, and kept beside them: the next session reads it."""
    tables = _tables(folder, revision)
    with st.spinner(say("Measuring who stands out")):
        return Audit(Path(folder)).note("outliers", lambda: outlier_map(tables.real))


def cached(what: str, audit: Audit, make: Callable[[], T]) -> T:
    """What ``make`` returns for this audit's tables, made again only when a file, a choice or the language changed."""
    value: T = _cached(f"{choice()} {what}", str(audit.path), audit.revision, make)
    return value


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _cached(what: str, folder: str, revision: str, _make: Callable[[], Any]) -> Any:  # noqa: ARG001  keys, not values
    """Keyed as the tables are; ``_make`` is no part of the key."""
    return _make()
