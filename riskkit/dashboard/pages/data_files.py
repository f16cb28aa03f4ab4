"""The files of an audit: dropping one in, taking it out, further releases, and the audits kept here."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from riskkit import wording
from riskkit.dashboard.forms import provenance
from riskkit.dashboard.frame import shell, state, styles, switches
from riskkit.dashboard.pages import data_children, data_format
from riskkit.errors import DesignError, InputError, SheetError
from riskkit.jobs.store import CHILD_SLOTS, RELEASE_SLOTS, SLOTS, Audit
from riskkit.language import Readings, again, kept, phrase, say

FURTHER: Readings[str, str] = Readings(
    {slot: phrase("Release {number:,}", number=number) for number, slot in enumerate(RELEASE_SLOTS[1:], start=2)}
)
"""What the file of a further release is called, by slot."""
FURTHER_HELP = phrase("The same table, released again. An attacker has all of its releases.")
IN_A_ROW = 3


TITLES: Readings[str, str] = Readings(
    real=phrase("Real table"), synthetic=phrase("Synthetic table"), holdout=phrase("Holdout (recommended)")
)
NAMES = TITLES | {"holdout": phrase("Holdout")}
SECOND: Readings[str, str] = Readings(
    children_real=phrase("Second table, real"),
    children_synthetic=phrase("Second table, synthetic"),
    children_holdout=phrase("Second table, holdout"),
)
TITLES |= SECOND | FURTHER
NAMES |= SECOND | FURTHER
"""What a file that is there is called."""
HELP = {
    "real": kept("The confidential records that the release was made from. They stay on this computer."),
    "synthetic": kept("The table that is to be released."),
    "holdout": kept("People like those in the real table who are not in it. Some questions need them as a control."),
}
HELP |= dict.fromkeys(
    SECOND,
    kept(
        "Several rows for each person of the first table: visits, purchases, claims. A column that both tables have "
        "says whose a row is."
    ),
)
HELP |= dict.fromkeys(FURTHER, FURTHER_HELP)
KINDS = phrase(
    "A CSV or Parquet file, an Excel workbook, or a file of SPSS, Stata or SAS; also in a gzip or ZIP archive."
)


def twice(audit: Audit) -> str:
    """That one file lies in two places, which is a slip; empty where none does.

    Of real table and holdout, what reads them says it.
    """
    real, release, holdout = (audit.files.get(slot, {}).get("sha256") for slot in SLOTS)
    if release and release == real:
        return say("Real table and synthetic table are the same file. Remove one, and load the release.")
    if release and release == holdout:
        return say(
            "Synthetic table and holdout are the same file. Remove one: a holdout is a table of other real people."
        )
    return ""


def slots(audit: Audit | None) -> None:
    """The three places for files, side by side: what is in them, or where to drop one."""
    if audit is None or any(slot not in audit.files for slot in SLOTS):
        styles.place("files")  # above the three: in one of them it would push that one down
    for column, slot in zip(st.columns(3, gap="medium"), SLOTS, strict=True):
        with column:
            _place(audit, slot)
    if audit is not None and "synthetic" in audit.files:
        _further(audit)


def _further(audit: Audit) -> None:
    """The further releases that are loaded, and a place for the next."""
    there = RELEASE_SLOTS[1 : audit.releases]
    hint = say("For example a release every year, or several samples of one method, each in a file of its own.")
    if not there and not switches.checkbox(say("Several releases"), key=f"further_{audit.id}", help=hint):
        return
    every = RELEASE_SLOTS[1 : audit.releases + 1]
    for start in range(0, len(every), IN_A_ROW):
        for column, slot in zip(st.columns(IN_A_ROW, gap="medium"), every[start : start + IN_A_ROW], strict=False):
            with column:
                _place(audit, slot)


def _place(audit: Audit | None, slot: str) -> None:
    """What is in that place for a file, or where to drop one."""
    if audit is not None and slot in audit.files:
        _load(audit, slot)
    else:
        _upload(audit, slot)


def second(audit: Audit | None) -> None:
    """Places for a second table with several rows a person, for those who have one; nothing before the first file."""
    if audit is None or not audit.files:
        return
    has_some = any(slot in audit.files for slot in CHILD_SLOTS)
    hint = say("For example visits of patients, or purchases of customers, in files of their own.")
    if not has_some and not switches.checkbox(say("A second table"), key=f"second_{audit.id}", help=hint):
        return
    for column, slot in zip(st.columns(3, gap="medium"), CHILD_SLOTS, strict=True):
        with column:
            _place(audit, slot)
    data_children.key(audit)


def _load(audit: Audit, slot: str) -> None:
    facts = audit.files[slot]
    facts_line = say(
        "{rows:,} rows · {columns:,} columns",
        rows=facts["rows"],
        columns=facts["columns"],
    )
    form = say("{size} · {form}", size=_size(facts["size"]), form=shell.plain(_form(facts)))
    digest = say("SHA-256 of the file:  \n`{sha256}`", sha256=facts["sha256"])
    st.markdown(
        f"**{NAMES[slot]}**  \n{shell.plain(facts['name'])}  \n{shell.quiet(facts_line)}",
        help=f"{form}\n\n{digest}",
    )
    with st.container(horizontal=True):
        if "header" in facts and (data_format.is_text(facts) or facts["sheet"]):
            with st.popover(
                say("Change the format"), help=say("Another encoding, delimiter or first line for this file.")
            ):
                data_format.read_again(audit, slot)
        if st.button(
            say("Remove"), key=f"drop_{slot}", help=say("Take this file out of the audit: {name}", name=facts["name"])
        ):
            st.session_state[_gone(audit, slot)] = facts["sha256"]
            audit.drop(slot)
            if slot in RELEASE_SLOTS and "synthetic" in audit.files:
                provenance.as_many(audit)
            st.rerun()


def _gone(audit: Audit, slot: str) -> str:
    """Where the hash of the file is kept that was taken out: what was said of it holds when it comes back."""
    return f"gone_{audit.id}_{slot}"


def _form(facts: Mapping[str, Any]) -> str:
    """What kind of file it is; of a file of lines, how they are written."""
    if not data_format.is_text(facts):
        return str(facts["format"])
    delimiter = data_format.DELIMITERS.get(facts["delimiter"], say("Other")).lower()
    return say("{encoding} · {delimiter}-separated", encoding=facts["encoding"], delimiter=delimiter)


def _size(size: int) -> str:
    """Bytes for people."""
    for limit, unit in ((1_000_000, "MB"), (1_000, "kB")):
        if size >= limit:
            return f"{size / limit:,.1f} {unit}"
    return say("{size:,} bytes", size=size)


def _upload(audit: Audit | None, slot: str) -> None:
    """Where a file is dropped. Its bytes go to the store at once; only a refused file waits for another reading."""
    uploaded = st.file_uploader(TITLES[slot], key=f"upload_{slot}", help=f"{say(HELP[slot])} {again(KINDS)}")
    if uploaded is None:
        return
    how = {part: st.session_state.get(f"how_{slot}_{part}") for part in ("encoding", "delimiter", "header")}
    sheet = st.session_state.get(f"how_{slot}_sheet") or ""
    refused = _take(audit, slot, uploaded, {**how, "sheet": sheet})
    if refused is None:
        state.forget(uploaded)
        st.rerun()
    if isinstance(refused, SheetError):
        st.info(shell.plain(again(refused.problem.what)), icon=":material/help:")
        st.selectbox(
            say("Sheet"),
            refused.sheets,
            index=None,
            key=f"how_{slot}_sheet",
            placeholder=say("Choose the sheet that holds the table"),
            help=say("One sheet is one table. The file is read as soon as one is chosen."),
        )
        return
    st.error(shell.plain(wording.refusal(refused)), icon=":material/cancel:")
    with st.expander(say("Read it another way")):
        data_format.boxes("how", slot, {})


def _take(audit: Audit | None, slot: str, file: UploadedFile, how: Mapping[str, Any]) -> InputError | None:
    """Put the file into the audit, a new one where none is open; the error that refuses it, or None.

    It is read in a process of its own: whatever is in it, the pages of others go on.
    """
    attempt = (file.file_id, tuple(how.values()))
    known, refused = st.session_state.get(f"refused_{slot}", (None, None))
    if known == attempt and isinstance(refused, InputError):
        return refused
    target = audit or _begin_audit(file.name)
    try:
        with st.spinner(say("Reading the file")):
            target.load(slot, file.getvalue(), name=file.name[:100], is_strange=True, **how)
    except InputError as error:
        if audit is None:
            st.session_state.pop(state.BEGUN, None)
            target.delete()
        st.session_state[f"refused_{slot}"] = (attempt, error)
        return error
    if slot == "synthetic" and target.files[slot]["sha256"] != st.session_state.get(_gone(target, slot)):
        provenance.forget_answer(target)
    if slot in FURTHER:
        provenance.as_many(target)
    state.show(target)
    return None


def _begin_audit(name: str) -> Audit:
    """The audit that a first file goes into: a new one, or that of a reading which the browser broke off.

    Streamlit begins a page anew when the browser sends something, also where a file has just been read. Another audit
    for the same file would stay behind, with people's records in it that nobody looks for.
    """
    begun = st.session_state.get(state.BEGUN)
    with suppress(DesignError):
        if begun:
            return state.store().open(begun)
    made = state.store().create(say("Audit of {name}", name=name[:60]))
    st.session_state[state.BEGUN] = made.id
    return made
