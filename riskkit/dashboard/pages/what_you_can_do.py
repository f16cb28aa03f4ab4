"""What a steward can do about a release: each change with its effect, the new file, and its audit beside the old one.

The page that shows it calls :func:`draw` with the open audit. Nothing of a release is kept by the page: the mended one
is in the store, in an audit of its own, from the moment it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from riskkit import wording
from riskkit.audit.output_files import record_export
from riskkit.audit.repair import (
    Again,
    ask_again,
    effects,
    find_mended,
    mend_audit,
    refuse_several,
    suggestions,
    without_people,
)
from riskkit.core import Column
from riskkit.dashboard.frame import run_view, shell, state, switches, verdicts
from riskkit.dashboard.frame.plugin_names import plugin_title
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import DesignError, RiskkitError
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit, Tables
from riskkit.judging.give_aways import GiveAway, State, repair, sentence
from riskkit.language import Readings, again, counted, joined, kept, phrase, say
from riskkit.mend.coarsening import BINS, RARE, WIDTH, Coarsening
from riskkit.mend.release import Mending, rows_without_copies
from riskkit.show.model import GiveAwayLine

KEY = "mend"
HOW = Readings(
    {BINS: phrase("bins of equal size"), WIDTH: phrase("bins of one width"), RARE: phrase("rare values together")}
)
SIZES = Readings(
    {BINS: phrase("Number of bins"), WIDTH: phrase("Width of a bin"), RARE: phrase("Fewest rows a value may have")}
)
FIRST = {BINS: 10.0, RARE: 10.0}
"""The size that a field begins with; a width begins with a tenth of the range."""
EVERY = 1.5
"""Seconds between two looks at an audit that is under way."""
MAKE = phrase("Change this file and audit the new one")
STAYS = phrase(
    "The old release stays as it is. The new one is asked the same about the file; questions about a method are asked "
    "only where a method made it."
)
COARSER = kept(
    "People who stand out by a value stand out less, but true dependences fade too: compare before you decide."
)
GAPS = phrase(
    "Makes a file without every row that equals a real one, and shuffles the rest. The gaps that they leave may show "
    "who was in; the new audit looks for that. Better: a new release by a method that copies no row."
)
MADE = phrase("The new release has an audit of its own.")


def draw(audit: Audit, of_method: Sequence[str] = (), exposed: Sequence[int] = ()) -> None:
    """The changes, their effects, the button, and what was made before.

    ``of_method`` are the titles of tests that show a leak of the method, which no change of the file cures; the release
    is made again without ``exposed``, rows of the real table, first then.
    """
    st.header(say("What can you do about it?"), anchor=False)
    if not {"real", "synthetic"} <= set(audit.files):
        st.markdown(say("Load the real table and the release first. Then this page says what a change would do."))
        return
    tables, seen = state.tables(audit), verdicts.found_give_aways(audit)
    try:
        refuse_several(tables)
    except RiskkitError as error:
        st.markdown(plain(wording.refusal(error)))
        return
    shuffle, _, identifiers = suggestions(seen)
    first = [say("Shuffling removes the row order.")] * shuffle
    if identifiers:
        first.append(say("Dropping {columns} removes the identifiers.", columns=joined(identifiers)))
    first += [repair(give_away) for give_away in seen if give_away.code == "copies"]
    if of_method:
        again_made = say(
            "The leaks of {questions} come from the method: make the release again, without exposed people or "
            "by a method that promises an ε.",
            questions=wording.and_joined(of_method),
        )
        st.markdown(plain(again_made))
        _people(audit, exposed)
    if first or not of_method:
        nothing = say("Copies, row order and identifiers: nothing found.")
        st.markdown(plain(" ".join(filter(None, first)) or nothing))
    with st.expander(say("Change this file"), expanded=not of_method):
        mending = _choose(audit, tables, seen)
        is_pressed = st.button(
            again(MAKE),
            key=f"{KEY}.{audit.id}.make",
            type="primary",
            icon=":material/healing:",
            disabled=mending is None,
            help=again(STAYS),
        )
        if is_pressed and mending is not None:
            _make(audit, mending)
    if not of_method:
        _people(audit)
    _made_before(audit)


def offer(audit: Audit, ways: Sequence[Sequence[str]]) -> None:
    """The repaired file of one of these ways, each the columns that are made coarser, and what was made before."""
    try:
        refuse_several(state.tables(audit))
    except RiskkitError:
        return
    prefix = f"{KEY}.{audit.id}"
    way = st.selectbox(say("Make the release coarser"), ways, format_func=_way, key=f"{prefix}.way", help=say(COARSER))
    if st.button(again(MAKE), key=f"{prefix}.make_way", icon=":material/healing:", help=again(STAYS)):
        _make(audit, Mending(coarsen=tuple(map(Coarsening.parse, way))))
    _made_before(audit)


def _way(texts: Sequence[str]) -> str:
    """What is made coarser, and how, in words."""
    steps = map(Coarsening.parse, texts)
    return joined(f"{step.column} ({SIZES[step.how].lower()}: {step.size:g})" for step in steps)


def repair_button(audit: Audit, line: GiveAwayLine, beside: Sequence[GiveAwayLine] = ()) -> None:
    """Where one change takes away what the file shows: one click makes it and compares both files.

    Shuffling alone would leave the copies there, so it is not offered where they are among the lines ``beside`` and
    can be removed: that shuffles too.
    """
    if line.state is not State.SHOWN or audit.releases > 1:
        return
    key = f"{KEY}.{audit.id}"
    if line.code == "row_order":
        has_copies = any(each.code == "copies" and each.state is State.SHOWN for each in beside)
        if has_copies and _copied_rows(audit)[0]:
            return
        if st.button(
            say("Shuffle the rows"), key=f"{key}.at_once", type="primary", icon=":material/shuffle:", help=again(STAYS)
        ):
            _make_and_compare(audit, Mending(shuffle=True))
    elif line.code == "copies":
        label, about = _copied_rows(audit)
        is_pressed = st.button(
            label or say("Remove the copied rows"),
            key=f"{key}.copies_at_once",
            type="primary" if label else "secondary",
            icon=":material/group_remove:",
            help=about,
            disabled=not label,
        )
        if is_pressed:
            _make_and_compare(audit, Mending(copies=True))


def _copied_rows(audit: Audit) -> tuple[str, str]:
    """What removes the copied rows, and what is to be known of it; no label where they cannot be removed."""
    tables = state.tables(audit)
    try:
        copied = state.cached("copied rows", audit, lambda: tables.release_rows - len(rows_without_copies(tables)))
    except RiskkitError as error:
        return "", plain(wording.refusal(error))
    label = counted(copied, "Remove the copy and shuffle", "Remove the {n:,} copies and shuffle")
    return label, again(GAPS)


def _make_and_compare(audit: Audit, mending: Mending) -> None:
    with st.spinner(say("Making the new release")):
        made = mend_audit(audit, mending)
        asked = ask_again(audit, made, workers=run_view.workers())
    st.session_state[f"{KEY}.left.{made.id}"] = asked.left
    shell.compare(audit, made)


# --------------------------------------------------------------------------------------------------------------
# The changes


def _choose(audit: Audit, tables: Tables, seen: Sequence[GiveAway]) -> Mending | None:
    """The controls; what they ask for, or None where nothing is chosen or it cannot be done."""
    prefix = f"{KEY}.{audit.id}"
    shuffle_first, copies_first, identifiers = suggestions(seen)
    order = next((sentence(give_away) for give_away in seen if give_away.code == "row_order"), "")
    about = say("Nobody can tell any longer who is who by the place of a row. No value changes.")
    shuffle = switches.checkbox(
        say("Shuffle the rows"), shuffle_first, key=f"{prefix}.shuffle", help=plain(f"{about} {order}")
    )
    copies = False
    if any(give_away.code == "copies" and repair(give_away) for give_away in seen):
        label, about = _copied_rows(audit)
        copies = switches.checkbox(
            say("Remove the copied rows"),
            copies_first and bool(label),
            key=f"{prefix}.copies",
            help=about,
            disabled=not label,
        )
    columns = {column.name: column for column in tables.schema.columns}
    drop = st.multiselect(
        say("Drop columns"),
        list(columns),
        default=[name for name in identifiers if name in columns],
        key=f"{prefix}.drop",
        placeholder=say("None"),
        wrap=True,
        help=say("Nobody can look up what is not released. Nothing is asked about such a column any more."),
    )
    modelled = {column.name: column for column in tables.schema.modelled if column.name not in drop}
    chosen = st.multiselect(
        say("Make columns coarser"),
        list(modelled),
        key=f"{prefix}.coarsen",
        placeholder=say("None"),
        wrap=True,
        help=say(COARSER),
    )
    coarsen = [_coarser(audit, modelled[name]) for name in chosen if name in modelled]
    return _mending(audit, tables, (shuffle, copies), drop, coarsen)


def _mending(
    audit: Audit, tables: Tables, rows: tuple[bool, bool], drop: Sequence[str], coarsen: Sequence[Coarsening]
) -> Mending | None:
    """What is to be done; ``rows`` says whether they are shuffled, and copied ones removed."""
    shuffle, copies = rows
    if not (shuffle or copies or drop or coarsen):
        return None
    try:
        mending, what = Mending(shuffle, tuple(drop), tuple(coarsen), copies), f"mend {' '.join(map(str, coarsen))}"
        sentences = state.cached(what, audit, lambda: effects(audit, tables, coarsen)) if coarsen else ()
        for coarsening, effect in zip(coarsen, sentences, strict=True):
            _effect(f"{coarsening.column}: {effect}")
    except RiskkitError as error:
        shell.sentence_error(error)
        return None
    is_changed = copies or set(mending.columns) & {column.name for column in tables.schema.modelled}
    if is_changed and audit.provenance.is_known:
        _effect(say("No method made the changed file, so questions about a method are not asked of it."))
    return mending


def _coarser(audit: Audit, column: Column) -> Coarsening:
    """How that column is made coarser, as its two controls say."""
    prefix = f"{KEY}.{audit.id}.coarsen.{column.name}"
    ways = [BINS, WIDTH] if column.is_numeric else [RARE]
    name, how_at, size_at = st.columns((2, 3, 2), vertical_alignment="center")
    name.markdown(f"**{plain(column.name)}**")
    how = how_at.selectbox(
        say("How {column} is made coarser", column=plain(column.name)),
        ways,
        key=f"{prefix}.how",
        format_func=HOW.__getitem__,
        label_visibility="collapsed",
    )
    reach = max(column.high - column.low, 10.0**-column.decimals)
    size = size_at.number_input(
        SIZES[how],
        key=f"{prefix}.{how}",
        value=FIRST.get(how, float(f"{reach / 10:.0e}")),
        min_value=2.0 if how != WIDTH else None,
        step=1.0 if how != WIDTH else None,
        format="%.0f" if how != WIDTH else "%g",
    )
    return Coarsening(column.name, how, float(size or 0))


def _effect(effect: str) -> None:
    """What a change would do, in small beneath its control."""
    st.markdown(shell.quiet(plain(effect)))


# --------------------------------------------------------------------------------------------------------------
# Without some people


def _people(audit: Audit, exposed: Sequence[int] = ()) -> None:
    """Leave people out: where the method is known it makes the release anew from the others."""
    if not audit.provenance.is_known:
        return
    with st.expander(say("Make it again without some people"), expanded=bool(exposed)):
        st.markdown(
            plain(
                say(
                    "{method} makes the release anew from everybody else. People who were like them may then stand "
                    "out: the new audit shows it.",
                    method=plugin_title("generators", audit.provenance.method),
                )
            )
        )
        text = st.text_input(
            say("Rows of the real table (the first is 0)"),
            ", ".join(map(str, exposed)),
            key=f"{KEY}.{audit.id}.rows",
            placeholder="3, 17",
            help=say(
                "Row numbers as the page Records shows them, with commas between them. Those that a test shows to be "
                "exposed are filled in."
            ),
        )
        if st.button(
            say("Make it without them and audit it"),
            key=f"{KEY}.{audit.id}.without",
            type="primary" if exposed else "secondary",
            disabled=not text,
            icon=":material/group_remove:",
        ):
            with st.spinner(say("The method learns from everybody else")):
                _ask_again(audit, without_people(audit, _rows(text)))


def _rows(text: str) -> list[int]:
    """The row numbers in a text."""
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise DesignError(say("Rows are whole numbers with commas between them: 3, 17.")) from None


# --------------------------------------------------------------------------------------------------------------
# The new release


def _make(audit: Audit, mending: Mending) -> None:
    with st.spinner(say("Making the new release")):
        _ask_again(audit, mend_audit(audit, mending))


def _ask_again(audit: Audit, made: Audit) -> None:
    """Ask again what was asked, and draw the page anew with the new audit in the list."""
    asked: Again = ask_again(audit, made, workers=run_view.workers())
    state.tell(again(MADE), ":material/healing:")
    st.session_state[f"{KEY}.left.{made.id}"] = asked.left
    st.rerun()


def _made_before(audit: Audit) -> None:
    """Every release that was made of this one: its file, how far its audit is, and the ways on."""
    made = find_mended(state.store().audits(), audit)
    if not made:
        return
    st.subheader(say("Made from this release"), anchor=False)
    for mended_audit in made:
        is_live = any(run.state in LIVE for run in mended_audit.runs())
        st.fragment(_line, run_every=EVERY if is_live else None)(audit, mended_audit)


def _line(audit: Audit, made: Audit) -> None:
    prefix, facts = f"{KEY}.{made.id}", made.files["synthetic"]
    with shell.guard(), st.container(key=f"{prefix}.line", horizontal=True, vertical_alignment="center"):
        rows = counted(int(facts["rows"]), "{n:,} row", "{n:,} rows")
        st.markdown(f"**{plain(str(facts['name']))}**  \n{shell.quiet(f'{rows} · {_standing(made)}')}")
        st.download_button(
            say("Download"),
            _content(made),
            str(facts["name"]),
            "text/csv",
            key=f"{prefix}.file",
            on_click="ignore",
            icon=":material/download:",
            help=say("The new release as a CSV."),
        )
        if state.exists(shell.COMPARE_PAGE) and st.button(
            say("Compare with the old one"), key=f"{prefix}.compare", icon=":material/compare_arrows:"
        ):
            shell.compare(audit, made)
        if st.button(say("Open its audit"), key=f"{prefix}.open", icon=":material/arrow_forward:"):
            state.show(made)
            st.rerun(scope="app")
    for reason in st.session_state.get(f"{KEY}.left.{made.id}", ()):
        _effect(say("Not asked again: {why}", why=reason))


def _standing(made: Audit) -> str:
    """How far its questions are."""
    states = [run.state for run in made.runs()]
    live = sum(run_state in LIVE for run_state in states)
    done = counted(states.count("finished"), "{n:,} question answered", "{n:,} questions answered")
    return f"{done}, {counted(live, '{n:,} under way', '{n:,} under way')}" if live else done


def _content(made: Audit) -> Callable[[], bytes]:
    """What hands the file out when it is asked for, and writes down that it was."""

    def asked() -> bytes:
        record_export(made, "release", "mended release")
        return made.source("synthetic")

    return asked
