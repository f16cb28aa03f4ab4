"""Data · :material/table_chart:

The files of an audit: loading them, what is wrong with them, and what their columns are.
"""

import streamlit as st

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import data, data_children, data_files, data_format, data_pairs, data_recodes, release
from riskkit.errors import Gravity, RiskkitError
from riskkit.jobs.store import SLOTS, Audit, Tables
from riskkit.language import joined, say


def ready(audit: Audit, tables: Tables) -> None:
    """The sentence, what needs the user, the files, the picture, the decisions, the details."""
    st.markdown(f"## {data.sentence(tables)}")
    repairs = [problem for problem in tables.problems if problem.gravity is Gravity.REPAIR]
    data.guessed_secrets(audit, tables)
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
        release.welcome(audit)
        return
    if "real" not in audit.files:
        release.unready(audit, None)
        data.first_rows(audit)
        return
    try:
        tables = state.tables(audit)
    except RiskkitError as error:
        release.unready(audit, error)
        data.first_rows(audit)
    else:
        ready(audit, tables)


with shell.guard():
    opened = state.current()
    shell.header(say("What do your files hold?"), opened)
    page(opened)
