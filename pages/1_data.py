"""Data · :material/table_chart:

The files of an audit: loading them, what is wrong with them, and what their columns are.
"""

import streamlit as st

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import data, data_children, data_files, data_format, data_pairs, data_recodes
from riskkit.errors import Gravity, RiskkitError
from riskkit.jobs.store import SLOTS, Audit, Tables
from riskkit.language import joined, say


def welcome(audit: Audit | None) -> None:
    """No file is loaded: the sample, or the places to drop files."""
    st.header(say("Nothing is loaded yet"), anchor=False)
    st.markdown(
        say(
            "riskkit asks whom a synthetic table exposes before it is released. Load the real table and the synthetic "
            "table made from it (CSV, Parquet, Excel), or look around in the sample. Nothing leaves this computer."
        )
    )
    shell.sample_button()
    st.markdown(f"### {say('Or load your files')}")
    data_files.slots(audit)


def unready(audit: Audit, why: RiskkitError | None) -> None:
    """There is no real table, or the files do not fit together: every way to mend that is open."""
    if why is not None:
        shell.sentence_error(why)
    else:
        st.markdown(f"## {say('The real table is still missing; load it to go on.')}")
    data_files.slots(audit)
    data_files.second(audit)
    data_format.encoding_questions(audit)
    data_recodes.name_questions(audit)
    data.forget_button(audit)
    data.first_rows(audit)


def ready(audit: Audit, tables: Tables) -> None:
    """The sentence, what needs the user, the files, the picture, the decisions, the details."""
    st.markdown(f"## {data.sentence(tables)}")
    repairs = [problem for problem in tables.problems if problem.gravity is Gravity.REPAIR]
    shell.problem_list(problem for problem in tables.problems if problem not in repairs)
    names = joined(audit.files[slot]["name"] for slot in SLOTS if slot in audit.files)
    is_whole = set(SLOTS) <= set(audit.files)
    with st.expander(say("Files: {names}", names=shell.plain(names)), expanded=not is_whole):
        data_files.slots(audit)
        data_files.second(audit)
        shell.problem_list(repairs)
    data_format.encoding_questions(audit)
    data_recodes.questions(audit, tables)
    data_recodes.doubts(audit, tables)
    data.picture(audit, tables)
    data_pairs.show(audit, tables)
    data_children.show(audit, tables)
    st.markdown(f"### {say('Kinds and roles')}")
    data.columns_editor(audit, tables)
    data.first_rows(audit)
    data.fingerprints(audit)


def page(audit: Audit | None) -> None:
    """Whatever the open audit has to show."""
    if audit is None or not audit.files:
        welcome(audit)
        return
    if "real" not in audit.files:
        unready(audit, None)
        return
    try:
        tables = state.tables(audit)
    except RiskkitError as error:
        unready(audit, error)
    else:
        ready(audit, tables)


with shell.guard():
    opened = state.current()
    shell.header(say("What do your files hold?"), opened)
    page(opened)
