"""A second table with several rows a person: the key that joins it, and on the page Data the join and what it holds."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from riskkit import wording
from riskkit.core import Column, Kind, Role, Schema, Table
from riskkit.dashboard.frame import chart_tools, shell, state
from riskkit.figures import data_charts
from riskkit.jobs.store import CHILD_SLOTS, SLOTS, Audit, Tables
from riskkit.language import kept, say
from riskkit.report.texts import slot as slot_title

CHARTS = 11
"""Columns of the second table that are drawn, beside how many rows a person has."""
SIZES = kept("Rows of the second table, of each person")


def key(audit: Audit) -> None:
    """The column that both tables share and that names the person; chosen at once where there is one alone."""
    if "real" not in audit.files or not any(slot in audit.files for slot in CHILD_SLOTS):
        return
    shared = _shared_columns(audit)
    named = [name for name, choice in audit.choices.items() if choice.role is not None and choice.role.names_unit]
    if not named and len(shared) == 1:
        _join_by(audit, shared[0])
        st.rerun()
    if not shared:
        st.warning(
            say("The two tables share no column, so they cannot be joined. Give both the key, under one name."),
            icon=":material/link_off:",
        )
        return
    state.keep(  # the page Audit asks for the same column in its own words
        st.selectbox,
        f"join_{audit.id}",
        named[0] if named else None,
        partial(_join_by, audit),
        say("The column that joins both tables"),
        [*named, *(name for name in shared if name not in named)],
        placeholder=say("Choose the column that names the person"),
        help=say("It stands in both tables, under one name. It gets the role person, and nothing is learnt from it."),
    )


def _shared_columns(audit: Audit) -> list[str]:
    """The columns that stand in every file of either table, in the order of the first."""
    slots = [slot for slot in (*SLOTS, *CHILD_SLOTS) if slot in audit.files]
    names = [set(audit.head(slot, 1).column_names) for slot in slots]
    return [name for name in audit.head("real", 1).column_names if all(name in each for each in names)]


def _join_by(audit: Audit, name: str) -> None:
    """Have that column alone name the unit; one that named it before gets its own role back."""
    audit.choose_unit(name, Role(audit.unit or Role.PERSON))


def show(audit: Audit, tables: Tables) -> None:
    """The join of both tables, and the columns of the second one; nothing where there is none."""
    children = tables.children
    if children is None:
        return
    st.markdown(f"### {say('The second table')}")
    st.markdown(
        say(
            "Its rows belong to people by the column **{key}**. Attacks on the released file read it alone, the "
            "first table alone, and both together.",
            key=shell.plain(children.key),
        )
    )
    rows = [_join_row(tables, slot) for slot in SLOTS if slot in children.joins]
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, alt=say("How the rows of the second table belong to people, file by file")
    )
    every = state.cached("second shares", audit, lambda: _child_shares(tables))
    st.caption(say("**Real**: grey, filled. **Synthetic**: purple, dashed or hatched."))
    for first in range(0, len(every), 3):
        for beside, (place, shares) in enumerate(
            zip(st.columns(3, gap="medium"), every[first : first + 3], strict=False)
        ):
            with place:
                heading = f"**{shell.plain(wording.shorten(shares.column.name, 40))}**"
                chart_tools.draw(
                    data_charts.figure(shares), f"data.second.{first + beside}", heading, data_charts.alt(shares)
                )
    if len(children.schema.modelled) > CHARTS:
        st.caption(say("The first {n:,} columns of the second table are drawn.", n=CHARTS))


def _join_row(tables: Tables, slot: str) -> dict[str, str]:
    """What is shown of the join of one slot."""
    assert tables.children is not None
    join = tables.children.joins[slot]
    sizes = join.sizes
    return {
        say("Table"): slot_title(slot),
        say("People"): f"{len(sizes):,}",
        say("Rows of the second table"): f"{int(sizes.sum()):,}",
        say("Rows a person"): say("{mean:.1f} on average, {most:,} at most", mean=sizes.mean(), most=int(sizes.max())),
        say("People without one"): f"{int((sizes == 0).sum()):,}",
        say("Rows that belong to nobody"): f"{join.orphans:,}",
        say("Keys of several people"): f"{join.repeated:,}",
    }


def _child_shares(tables: Tables) -> list[data_charts.ColumnShares]:
    """How many rows people have, and the columns of the second table."""
    children = tables.children
    assert children is not None
    sizes = {slot: join.sizes for slot, join in children.joins.items()}
    column = Column(say(SIZES), Kind.NUMERIC, low=0, high=float(max(each.max() for each in sizes.values())))
    counted = {
        slot: Table(Schema((column,)), np.empty((len(each), 0), dtype=np.int32), each[:, None].astype(np.float64))
        for slot, each in sizes.items()
    }
    real, release = children.tables["real"], children.tables.get("synthetic")
    columns = [data_charts.shares(modelled.name, real, release) for modelled in children.schema.modelled[:CHARTS]]
    return [data_charts.shares(say(SIZES), counted["real"], counted.get("synthetic")), *columns]
