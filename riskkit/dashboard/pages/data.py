"""The pieces of the Data page: what was found in the files, and what the user decides about the columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from riskkit import wording
from riskkit.core import Column, Kind, Role
from riskkit.dashboard.frame import chart_tools, shell, state
from riskkit.errors import Gravity, RiskkitError
from riskkit.figures import data_charts
from riskkit.jobs.files import EVERY_SLOT
from riskkit.jobs.store import OF_CHILDREN, Audit, ColumnChoice, Tables
from riskkit.language import Readings, again, counted, joined, kept, say
from riskkit.questions.standard import likely_secrets, secrets_of
from riskkit.report.texts import slot as slot_title

MUCH = 0.02
"""Shares of missing values that differ by more are said beside a chart."""
CHARTS = 6
"""Charts on one leaf of the picture."""
TALL = 20
"""Columns that the editor shows without a scrollbar of its own."""
KINDS = [str(kind) for kind in Kind]
ROLES = [str(role) for role in Role]
NAMES = Readings(
    {
        "numeric": kept("numeric"),
        "categorical": kept("categorical"),
        "date": kept("date"),
        "text": kept("text"),
        "constant": kept("constant"),
        "known": kept("known"),
        "secret": kept("secret"),
        "id": kept("id"),
        "person": kept("person"),
        "household": kept("household"),
        "weight": kept("weight"),
        "ignored": kept("ignored"),
    }
)
"""Kinds and roles as the menus of a table say them."""
EDITOR = "columns_edited"


def attention(tables: Tables) -> str:
    """How many things the user should look at, the same on every page; empty where there are none."""
    eye = sum(problem.gravity is not Gravity.REPAIR for problem in tables.problems)
    return counted(eye, "{n:,} thing needs your attention", "{n:,} things need your attention") if eye else ""


def sentence(tables: Tables) -> str:
    """What is loaded and whether it needs the user, in one sentence."""
    needs = attention(tables) or say("nothing needs your attention")
    columns, real = len(tables.schema.columns), len(tables.real)
    if tables.synthetic is None:
        return say(
            "{real:,} real rows in {columns:,} columns; {needs}. The synthetic table is still missing.",
            real=real,
            columns=columns,
            needs=needs,
        )
    return say(
        "{real:,} real and {synthetic:,} synthetic rows share {columns:,} columns; {needs}.",
        real=real,
        synthetic=len(tables.synthetic),
        columns=columns,
        needs=needs,
    )


def guessed_secrets(audit: Audit, tables: Tables) -> None:
    """Say which columns are taken for secret by their names, where nobody has said so: tests stand on it."""
    is_said = audit.answers.within(tables.schema).secrets or any(
        column.role is Role.SECRET for _, column in editable(tables)
    )
    guessed = [name for name, is_secret in _secrets(audit, tables).items() if is_secret]
    if is_said or not guessed:
        return
    columns = joined(map(shell.plain, guessed))
    st.markdown(
        say(
            "Taken for secret, by their names: **{columns}**; an attacker is taken to know the others. Change it "
            "below.",
            columns=columns,
        )
    )


def picture(audit: Audit, tables: Tables) -> None:
    """Real and synthetic drawn over each other, column by column, those that differ most first."""
    every = state.cached("shares", audit, lambda: data_charts.all_shares(tables.real, tables.synthetic))
    order = "" if tables.synthetic is None else say(" **Synthetic**: purple, dashed or hatched.")
    about = say(
        "How far apart the two are at one bar or step, in points of a percentage. Columns that differ most come first."
    )
    st.caption(say("**Real**: grey.{order}", order=order), help=about)
    leaves = -(-len(every) // CHARTS)
    leaf = st.session_state.get("picture_leaf", 1)
    start = (min(leaf, leaves) - 1) * CHARTS
    drawn = every[start : start + CHARTS]
    figures = state.cached(f"figures from {start}", audit, lambda: [data_charts.figure(shares) for shares in drawn])
    for first in range(0, len(drawn), 3):
        row = list(zip(drawn, figures, strict=True))[first : first + 3]
        for beside, (place, (drawn_column, figure)) in enumerate(zip(st.columns(3, gap="medium"), row, strict=False)):
            with place:
                name = drawn_column.column.name
                notes = (
                    []
                    if drawn_column.gap is None
                    else [say("up to {points:.1f} points apart", points=100 * drawn_column.gap)]
                )
                if drawn_column.missing is not None and drawn_column.column.has_missing:
                    real, synthetic = drawn_column.missing
                    if synthetic is None:
                        notes.append(say("missing {real:.1%}", real=real))
                    elif abs(real - synthetic) > MUCH:
                        notes.append(say("missing {real:.1%} and {synthetic:.1%}", real=real, synthetic=synthetic))
                heading = f"**{shell.plain(wording.shorten(name, 40))}**"
                whole = f"{heading}  \n{shell.quiet(joined(notes))}" if notes else heading
                chart_tools.draw(
                    figure, f"data.column.{(start + first + beside)}", whole, data_charts.alt(drawn_column)
                )
    if leaves > 1:
        st.pagination(leaves, key="picture_leaf")
    kept = tables.free_texts
    others = [column for column in tables.schema.columns if not column.is_modelled and column.name not in kept]
    if others:
        names = joined(f"{shell.plain(column.name)} ({_why_not(column)})" for column in others)
        st.caption(say("Not drawn and not used by attacks: {told}.", told=names))
    if kept:
        st.caption(
            counted(
                len(kept),
                "Free text, read as it stands, and only by attacks on the released file that read texts: {told}.",
                "Free texts, read as they stand, and only by attacks on the released file that read texts: {told}.",
                told=joined(map(shell.plain, kept)),
            )
        )


def _why_not(column: Column) -> str:
    usable = column.kind in (Kind.NUMERIC, Kind.DATE, Kind.CATEGORICAL)
    return str(column.role if usable else column.kind)


# --------------------------------------------------------------------------------------------------------------
# Kinds and roles


def columns_editor(audit: Audit, tables: Tables) -> None:
    """The table of columns with the user's decisions; kept only where the files bear them."""
    every = editable(tables)
    first = {column.name for column in tables.schema.columns}
    secrets = _secrets(audit, tables)
    shown = [
        _row(column, column_title(own, first), audit.choices.get(own), is_secret=secrets[own]) for own, column in every
    ]
    if not any(row["label"] for row in shown):
        shown = [{name: value for name, value in row.items() if name != "label"} for row in shown]
    with st.form("columns", border=False):
        edited = st.data_editor(
            pd.DataFrame(shown),
            key=f"{EDITOR}_{audit.revision}",
            hide_index=True,
            height="content" if len(shown) <= TALL else "auto",
            disabled=["column", "label", "holds", "reason"],
            column_config=_config(),
            alt=say("Columns with kind, role, texts that mean missing, what they hold, and why"),
        )
        hint = say("Keeps your decisions about columns; every page uses them from then on.")
        saved = st.form_submit_button(say("Save kinds and roles"), key="columns_save", type="primary", help=hint)
    if saved:
        named = [{**row, "column": own} for row, (own, _) in zip(shown, every, strict=True)]
        rows = edited.to_dict("records")
        save(audit, choices_after_edit(named, rows, audit.choices), names_secrets=_secret(shown) != _secret(rows))
    confirm_texts(audit, tables)
    codebook(audit)
    forget_button(audit)


def codebook(audit: Audit) -> None:
    """Where a codebook is dropped: what it decides, what the files contradict, and a button that keeps it."""
    with st.expander(say("Read a codebook")):
        hint = say(
            "SDV metadata, a Frictionless table schema or package, Croissant, DDI, an SPSS, Stata or SAS file, or "
            "decisions that riskkit wrote. Nothing changes before you say so."
        )
        uploaded = st.file_uploader(say("Codebook"), key="codebook", help=hint)
        if uploaded is None:
            return
        try:
            decided, problems = audit.decisions(uploaded.getvalue(), uploaded.name[:100])
        except RiskkitError as error:
            shell.sentence_error(error)
            return
        new = [column for column, choice in decided.items() if choice != audit.choices.get(column)]
        st.markdown(
            counted(
                len(new),
                "It decides about {n:,} column: {columns}.",
                "It decides about {n:,} columns: {columns}.",
                columns=joined(map(shell.plain, new)),
            )
            if new
            else say("It decides nothing that riskkit does not find by itself.")
        )
        shell.problem_list(problems)
        keep = st.button(
            say("Use what it decides"),
            key="codebook_keep",
            disabled=not new,
            help=say("Keeps these decisions; what you decided about a column yourself stays."),
        )
    if keep:
        state.forget(uploaded)
        save(audit, decided)


def editable(tables: Tables) -> list[tuple[str, Column]]:
    """The columns that something can be decided about, each under the name by which that is kept.

    Those of the second table follow, but for the key, which the first one has too.
    """
    children = tables.children
    second = () if children is None else [column for column in children.schema.columns if column.name != children.key]
    return [
        *((column.name, column) for column in tables.schema.columns),
        *((f"{OF_CHILDREN}{column.name}", column) for column in second),
    ]


def _secrets(audit: Audit, tables: Tables) -> dict[str, bool]:
    """Whether every page takes each column for secret, under the name by which something is kept of it."""
    secret = set(secrets_of(audit.answers, tables.schema))
    if tables.children is not None:
        secret |= {f"{OF_CHILDREN}{name}" for name in likely_secrets(tables.children.schema)}
    return {own: own in secret for own, _ in editable(tables)}


def column_title(own: str, first: Collection[str] = ()) -> str:
    """What people call a column by the name under which something is kept of it; the ``first`` table has its own."""
    if not own.startswith(OF_CHILDREN) or own in first:
        return own
    return say("{column} (second table)", column=own.removeprefix(OF_CHILDREN))


def confirm_texts(audit: Audit, tables: Tables) -> None:
    """A button that keeps what was guessed to be free text; shown only where something was guessed."""
    guessed = [name for name in tables.free_texts if audit.choices.get(name, ColumnChoice()).role is not Role.TEXT]
    if not guessed:
        return
    label = counted(
        len(guessed),
        "Confirm that {columns} is free text",
        "Confirm that {columns} are free text",
        columns=joined(map(shell.plain, guessed)),
    )
    hint = say("Keeps the role text. The column is read only by attacks on the released file that read texts.")
    if st.button(label, key="columns_texts", help=hint, icon=":material/notes:"):
        before = audit.choices
        save(audit, {**before, **{name: replace(before.get(name, ColumnChoice()), role=Role.TEXT) for name in guessed}})


def _row(
    column: Column, title: str = "", choice: ColumnChoice | None = None, *, is_secret: bool = False
) -> dict[str, Any]:
    role = (Role.SECRET if is_secret else Role.KNOWN) if column.is_modelled else column.role
    values = _values(column)
    return {
        "column": title or column.name,
        "label": "" if choice is None else choice.label,
        "kind": str(column.kind),
        "role": str(role),
        "missing": list(column.missing_tokens),
        "unread": "" if choice is None else choice.reason,
        "holds": (say("{values}, some missing", values=values) if values and column.has_missing else values),
        "reason": again(column.reason),
    }


def _values(column: Column) -> str:
    if column.kind is Kind.CATEGORICAL:
        return say("{levels:,} categories", levels=len(column.levels) - column.has_missing)
    if column.kind is Kind.NUMERIC:
        low, high = (f"{end:,.{column.decimals}f}" for end in (column.low, column.high))
        return say("{low} to {high}", low=low, high=high)
    if column.kind is Kind.DATE:
        return say("{low} to {high}", low=data_charts.day(column.low), high=data_charts.day(column.high))
    return ""


def _in_words(name: object) -> str:
    """A kind or a role in the reader's language."""
    return NAMES[str(name)]


def _config() -> dict[str, Any]:
    kinds = say(
        "What the values are. Ids and constants are left out of every attack; free text is read only by attacks on the "
        "released file that read texts."
    )
    roles = say(
        "known: the attacker has it. secret: the attacker wants it. text: free text, kept as it stands for attacks "
        "that read texts. person: names whose row it is; people are then counted, with all of their rows. household: "
        "the same of households. weight: how many people of the population a row stands for. id and ignored: left out."
    )
    missing = say("Texts that stand for a missing value in this column, beside the empty one; one entry each.")
    unread = say(
        "Of an ignored column: why it says nothing about anybody. Without a reason no verdict can be “within the "
        "limit”, since no test reads the column."
    )
    return {
        "column": st.column_config.TextColumn(say("Column"), pinned=True),
        "label": st.column_config.TextColumn(say("About"), help=say("What the codebook says that the column holds.")),
        "kind": st.column_config.SelectboxColumn(
            say("Kind"), options=KINDS, required=True, help=kinds, format_func=_in_words
        ),
        "role": st.column_config.SelectboxColumn(
            say("Role"), options=ROLES, required=True, help=roles, format_func=_in_words
        ),
        "missing": st.column_config.ListColumn(say("Texts that mean missing"), help=missing),
        "unread": st.column_config.TextColumn(say("Why it is ignored"), help=unread),
        "holds": st.column_config.TextColumn(say("Holds"), help=say("The domain over all files together.")),
        "reason": st.column_config.TextColumn(say("Why this kind")),
    }


def choices_after_edit(
    shown: Sequence[Mapping[str, Any]], edited: Sequence[Mapping[Any, Any]], before: Mapping[str, ColumnChoice]
) -> dict[str, ColumnChoice]:
    """The choices after an edit: the earlier ones, and whatever the user changed of what was shown.

    Where a column became secret, or is none any more, all others are said too, so that nothing is guessed beside them.
    """
    choices = dict(before)
    for old, new in zip(shown, edited, strict=True):
        changed: dict[str, Any] = {
            "kind": Kind(new["kind"]) if new["kind"] != old["kind"] else None,
            "role": Role(new["role"]) if new["role"] != old["role"] else None,
            "missing_tokens": tuple(new["missing"] or ()) if list(new["missing"] or ()) != old["missing"] else None,
        }
        reason = str(new.get("unread") or "").strip()
        if reason != old.get("unread", ""):
            changed["reason"] = reason
            changed["role"] = changed["role"] or (Role.IGNORED if reason else None)
        if changed["kind"] is not None and changed["role"] is None:
            changed["role"] = _role_of_kind(Kind(new["kind"]), old["role"])
        kept = {name: value for name, value in changed.items() if value is not None}
        if kept:
            choices[old["column"]] = replace(choices.get(old["column"], ColumnChoice()), **kept)
    if _secret(shown) == _secret(edited):
        return choices
    for old, is_secret in zip(shown, _secret(edited), strict=True):
        choice = choices.get(old["column"], ColumnChoice())
        if choice.role in (None, Role.KNOWN, Role.SECRET) and is_secret != (choice.role is Role.SECRET):
            choices[old["column"]] = replace(choice, role=Role.SECRET if is_secret else Role.KNOWN)
    return choices


def _secret(rows: Sequence[Mapping[Any, Any]]) -> list[bool]:
    """Of each column whether its role is secret there."""
    return [row["role"] == Role.SECRET for row in rows]


def _role_of_kind(kind: Kind, role: str) -> Role | None:
    """The role that follows where only the kind was changed; None where the role stays."""
    if kind is Kind.TEXT:
        return Role.TEXT
    return Role.KNOWN if role == Role.TEXT else None


def save(audit: Audit, choices: Mapping[str, ColumnChoice], *, names_secrets: bool = False) -> None:
    """Keep the choices if the files bear them; else say why not and keep the old ones.

    Where the choices say which columns are secret, those that the page Audit named so before are forgotten.
    """
    if choices == audit.choices:
        st.info(say("Nothing was changed."), icon=":material/info:")
        return
    try:
        with st.spinner(say("Reading the tables with your decisions")):
            audit.tables(choices)
    except RiskkitError as error:
        shell.sentence_error(error)
        st.caption(say("Nothing was saved; the decisions from before still hold."))
        return
    if names_secrets:
        audit.answer(replace(audit.answers, secrets=()))
    audit.choose(choices)
    st.toast(say("Your decisions about the columns are saved."), icon=":material/check:")
    st.rerun()


def forget_button(audit: Audit) -> None:
    """Back to what riskkit found by itself; shown only where something was decided."""
    count = len(audit.choices)
    if not count:
        return
    hint = say("Every column gets the kind and role that riskkit finds by itself.")
    decisions = json.dumps(
        {name: choice.as_dict() for name, choice in audit.choices.items()}, ensure_ascii=False, indent=1
    )
    st.download_button(
        say("Decisions as a file for the command line (--columns)"),
        decisions,
        "columns.json",
        "application/json",
        key="columns_file",
        on_click="ignore",
        help=say("Keep it as private as the tables: it may hold their values."),
    )
    if st.button(
        counted(count, "Forget the decisions about {n:,} column", "Forget the decisions about {n:,} columns"),
        key="columns_forget",
        help=hint,
    ):
        audit.choose({})
        st.rerun()


# --------------------------------------------------------------------------------------------------------------
# Details


def first_rows(audit: Audit) -> None:
    """The first records of each file, as text."""
    with st.expander(say("First rows")):
        for slot, _ in _captions(audit):
            about = say("The first rows of the {table} table", table=slot_title(slot))
            st.dataframe(audit.head(slot), hide_index=True, height=240, alt=about)


def fingerprints(audit: Audit) -> None:
    """The full SHA-256 of each file, to compare and to copy."""
    with st.expander(say("Fingerprints of the files")):
        st.caption(say("SHA-256 of the bytes as they came. Two files with the same fingerprint are the same file."))
        for _, facts in _captions(audit):
            st.code(facts["sha256"], language=None, wrap_lines=True)


def _captions(audit: Audit) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every file that is loaded, by its slot, each under a line with its name."""
    files = audit.files
    for slot in EVERY_SLOT:
        if slot in files:
            st.caption(f"{slot_title(slot)}: {shell.plain(files[slot]['name'])}")
            yield slot, files[slot]
