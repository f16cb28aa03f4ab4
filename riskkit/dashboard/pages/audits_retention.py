"""What is kept here, where, and for how long; removing what is old now; and the receipts of what was removed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs import people
from riskkit.jobs.retention import Receipt
from riskkit.jobs.store import Store
from riskkit.language import Readings, again, counted, phrase, say

RECEIPT, AGE = "audits.receipt", "audits.age"
AGES: Mapping[int, str] = Readings(
    {
        0: phrase("Until they are deleted"),
        1: phrase("A day"),
        7: phrase("A week"),
        30: phrase("30 days"),
        90: phrase("90 days"),
        365: phrase("A year"),
    }
)
"""Days, and what they are called."""
GOES = phrase(
    "After that time, your files, their columns and the scores of single records are removed; estimates, verdicts, "
    "settings and logs stay. An audit with a run in progress is left alone until that run has ended."
)
MEMORY = phrase(
    "Closing the page or the browser deletes nothing. The dashboard holds the tables of the open audit in memory; "
    "they leave the memory when the audit is closed or another audit is opened."
)


def show() -> None:
    """The sentence on what is kept where, the age, *Purge now* and the receipts."""
    store = state.store()
    rows = say("in the database that `RISKKIT_STORE` names") if os.environ.get("RISKKIT_STORE") else say("beside them")
    st.markdown(
        say(
            "The files you load, with the text of their columns, are in {home} ({size}), a folder that only the "
            "account that runs riskkit may open. Settings, results and logs are kept {rows}. Nothing is sent anywhere "
            "else.",
            home=plain(str(store.home)),
            size=_size(store.home),
            rows=rows,
        )
    )
    st.caption(again(MEMORY))
    if not people.is_admin():
        age = AGES[0] if store.retention is None else _kind_title(store.retention)
        st.markdown(say("Files and scores of single records are kept: {age}. An administrator chooses that.", age=age))
        return
    left, right = st.columns([2, 3], gap="large", vertical_alignment="bottom")
    with left:
        chosen = store.retention or 0
        state.keep(
            st.selectbox,
            AGE,
            chosen,
            lambda days: store.keep_for(int(days) or None),
            say("Keep files and scores of single records"),
            sorted({*AGES, chosen}),
            format_func=_kind_title,
            help=say(
                "{goes} The age is checked whenever a run ends and whenever somebody opens the dashboard.", goes=GOES
            ),
        )
    with right:
        _purge(store)
    if lines := store.receipts():
        with st.expander(say("Receipts of what was removed so far ({receipts:,})", receipts=len(lines))):
            st.caption(say("Times, hashes and counts; no name of yours and no value."))
            st.code("\n".join(reversed(lines)), language=None, wrap_lines=True)


def _size(folder: Path) -> str:
    """The room that folder takes."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:  # a worker removes what it no longer needs
            continue
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if total >= size:
            return f"{total / size:.1f} {unit}"
    return say("{size} bytes", size=total)


def _kind_title(days: int) -> str:
    return AGES.get(days, counted(days, "{n:,} day", "{n:,} days"))


def _purge(store: Store) -> None:
    with st.popover(
        say("Purge now…"), icon=":material/mop:", help=say("Removes what is older than an age; asks once more.")
    ):
        days = st.number_input(
            say("Older than, in days"),
            0,
            36_500,
            store.retention or 30,
            key="audits.purge_days",
            help=say("0 removes everything that no run is using at this moment."),
        )
        st.markdown(again(GOES))
        if st.button(say("Yes, purge now"), key="audits.purge", type="primary"):
            purge(store, float(days))


def purge(store: Store, days: float) -> None:
    """Remove what is older than that, and keep the receipt for this page."""
    try:
        with st.spinner(say("Purging, and overwriting what was removed")):
            st.session_state[RECEIPT] = store.purge(days)
    except RiskkitError as error:
        shell.sentence_error(error)
    else:
        st.rerun()


# --------------------------------------------------------------------------------------------------------------
# Receipts


def receipt() -> None:
    """The receipt of what was removed last, to read and to take away, until it is closed."""
    kept: Receipt | None = st.session_state.get(RECEIPT)
    if kept is None:
        return
    with st.container(key="audits.receipt.box"):
        st.success(plain(sentence(kept)), icon=":material/delete_forever:")
        with st.expander(say("Receipt")):
            st.caption(say("Hashes and counts; no name of yours and no value."))
            st.code("\n".join(line for line in kept.lines() if line), language=None, wrap_lines=True)
        with st.container(horizontal=True):
            stamp = "".join(sign for sign in kept.at if sign.isdigit())
            st.download_button(
                say("Download the receipt (JSON)"),
                data=json.dumps(kept.as_dict(), ensure_ascii=False, indent=1, sort_keys=True),
                file_name=f"receipt_{stamp}_{''.join(kept.audits)[:8]}.json",
                mime="application/json",
                key="audits.receipt.download",
                on_click="ignore",
            )
            if st.button(say("Close"), key="audits.receipt.close"):
                st.session_state.pop(RECEIPT)
                st.rerun()


def sentence(kept: Receipt) -> str:
    """A receipt in a sentence."""
    if not kept.audits:
        return say("{what}: there was nothing to remove.", what=kept.what)
    sizes = sum(file.size for file in kept.files)
    rows = sum(kept.rows.values())
    what = say(
        "{files} ({bytes:,} bytes) and {rows} of the store",
        files=counted(len(kept.files), "{n:,} file", "{n:,} files"),
        bytes=sizes,
        rows=counted(rows, "{n:,} row", "{n:,} rows"),
    )
    return say(
        "{what}, {at}: {removed}, of {audits}. It cannot be undone.",
        what=kept.what,
        at=kept.at,
        removed=what,
        audits=counted(len(kept.audits), "{n:,} audit", "{n:,} audits"),
    )
