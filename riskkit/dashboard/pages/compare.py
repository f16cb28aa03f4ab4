"""The page Compare: two releases of one real table, question by question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from riskkit.audit import comparison_words as words
from riskkit.audit.comparison import (
    NOT_COMPARED,
    ONLY_ONE,
    ComparedAudits,
    ComparedQuestion,
    compare,
    leave_out,
    method_leaks,
)
from riskkit.audit.report_facts import read_given
from riskkit.dashboard.frame import shell, state, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import SCALES
from riskkit.language import counted, say, unbroken
from riskkit.show.model import Bar, Chart, Class
from riskkit.show.pairs import NOT_SHOWN, twins

KEY = "compare"
EVERY = 1.5
"""Seconds between two looks at questions that are under way."""
SIDES = (("left", "A"), ("right", "B"))


def show(opened: Audit | None) -> None:
    """The two menus, the sentence, the pictures, and the details of every question."""
    ready = _ready()
    if len(ready) < 2 and opened is None:
        shell.empty(None)
        return
    before, after = (None, None) if len(ready) < 2 else _pick_audits(ready, opened)
    if before is None or after is None:
        _lacking()
        return
    comparison = state.cached(_what(before, after), before, lambda: _comparison(before, after))
    by_themselves, asked = words.by_themselves(comparison), words.sentence(comparison)
    st.header(unbroken(plain(by_themselves or asked)), anchor=False)
    if by_themselves:
        st.markdown(plain(asked))
    if uncured := words.method_leaks(method_leaks(before, after, (comparison.before, comparison.after))):
        st.markdown(plain(uncured))
    if not _under_way(before, after) and all(line.change == ONLY_ONE for line in comparison.questions):
        _lead_on(comparison, before, after)
    alike = [line for line in comparison.questions if line.change in (NOT_SHOWN, NOT_COMPARED)]
    alone = [line for line in comparison.questions if line.change == ONLY_ONE]
    changed = [line for line in comparison.questions if line not in (*alike, *alone)]
    for line in changed:
        _line(line)
    _give_aways(comparison)
    _pictures(changed, "changed")
    if alone:
        many = counted(
            len(alone), "Asked of one release alone: {n:,} question", "Asked of one release alone: {n:,} questions"
        )
        with st.expander(many):
            for line in alone:
                _line(line)
    if alike:
        many = counted(len(alike), "No difference shown: {n:,} question", "No difference shown: {n:,} questions")
        with st.expander(many, expanded=len(alike) == len(comparison.questions)):
            for line in alike:
                _line(line)
            _pictures(alike, "alike")
    st.caption(plain(" ".join(words.notes(comparison))))


def _comparison(before: Audit, after: Audit) -> ComparedAudits:
    """The two as they stand; what needs their files alone is read once, however often a run ends meanwhile."""
    facts = tuple(read_given(audit, state.tables(audit), verdicts.found_give_aways(audit)) for audit in (before, after))
    return compare(before, after, kind=Class.RESTRICTED, facts=(facts[0], facts[1]))


# --------------------------------------------------------------------------------------------------------------
# Which two


def _ready() -> list[Audit]:
    """Every audit with a real table and a release, newest first; a damaged one hides no other."""
    ready = []
    for audit in state.store().audits():
        with suppress(RiskkitError):
            if {"real", "synthetic"} <= set(audit.files):
                ready.append(audit)
    return ready


def _lacking() -> None:
    """What the page shows where there are no two."""
    st.header(say("There are no two releases yet"), anchor=False)
    st.markdown(
        say(
            "Load a second release of the same real table as a new audit, or let riskkit make one: on the page "
            "Audit, *What can you do about it?* says how a release could be changed, makes the changed release "
            "and audits it."
        )
    )
    st.page_link(shell.AUDIT_PAGE, label=say("Open the page Audit"), icon=":material/arrow_forward:")


def _pick_audits(ready: Sequence[Audit], opened: Audit | None) -> tuple[Audit, Audit | None]:
    """The audits in the two menus: what the address or a button says, else the open one beside one that fits.

    The second is None where none fits and nobody has picked one.
    """
    known = {audit.id: audit for audit in ready}
    first, second = _first_choice(known, opened)
    picked = []
    for cell, (name, letter), usual in zip(st.columns(2, gap="large"), SIDES, (first, second), strict=True):
        key = f"{KEY}.{name}"
        if st.session_state.get(key) not in known:
            st.session_state[key] = usual or None
        with cell:
            chosen = st.selectbox(
                say("Release {letter}", letter=letter),
                list(known),
                None,
                key=key,
                placeholder=say("Choose a release of the same real table"),
                format_func=lambda audit: (
                    f"{known[audit].files['synthetic']['name']} · {known[audit].name} · {audit[:6]}"
                ),
            )
        if chosen is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(chosen)
        picked.append(known.get(str(chosen)))
    first_picked, second_picked = picked
    return first_picked or known[first], second_picked


def _first_choice(known: dict[str, Audit], opened: Audit | None) -> tuple[str, str]:
    """What stands in the menus first."""
    asked = [str(st.query_params.get(name, "")) for name, _ in SIDES]
    start = opened.id if opened is not None and opened.id in known else next(iter(known))
    of = known[start].mending.get("of")
    first = asked[0] if asked[0] in known else of if of in known else start
    if asked[1] in known:
        return first, asked[1]
    others = sorted((audit for audit in known.values() if audit.id != first), key=lambda audit: audit.id != start)
    return first, next((audit.id for audit in others if _fits(known[first], audit)), "")


def _fits(audit: Audit, other: Audit) -> bool:
    """Whether the two are about one real table."""
    try:
        leave_out(audit, other)
    except RiskkitError:
        return False
    return True


def _what(before: Audit, after: Audit) -> str:
    """What the numbers on the page follow from."""
    parts = []
    for audit in (before, after):
        runs = [(run.id, run.state) for run in audit.runs()]
        parts.append((audit.id, audit.revision, str(audit.provenance), repr(audit.limits), runs))
    return f"compare {hashlib.sha256(repr(parts).encode()).hexdigest()}"


def _lead_on(comparison: ComparedAudits, *audits: Audit) -> None:
    """The way to what is missing: the audit of the release that was asked less, where one button asks it all."""
    asked = [(line.before.estimate is not None, line.after.estimate is not None) for line in comparison.questions]
    less = int(sum(b for _, b in asked) < sum(a for a, _ in asked))
    label = say("Open release {letter} to run the same tests", letter=SIDES[less][1])
    if st.button(label, key=f"{KEY}.ask", icon=":material/arrow_forward:"):
        state.show(audits[less])
        st.switch_page(shell.AUDIT_PAGE)


def _under_way(*audits: Audit) -> int:
    """How many questions of either are being asked; the page is drawn anew when one has ended."""
    live = sum(run.state in LIVE for audit in audits for run in audit.runs())
    if live:
        st.fragment(_look_again, run_every=EVERY)(audits, live)
    return live


def _look_again(audits: Sequence[Audit], live: int) -> None:
    with shell.guard():
        now = sum(run.state in LIVE for audit in audits for run in audit.runs())
        many = counted(now, "{n:,} question is under way", "{n:,} questions are under way")
        st.markdown(f":material/hourglass_top: {say('{many}. The page then shows the result.', many=many)}")
    if now != live:
        st.rerun()


# --------------------------------------------------------------------------------------------------------------
# Pictures and lines


def _pictures(asked: Sequence[ComparedQuestion], key: str) -> None:
    for index, chart in enumerate(pictures(asked)):
        views.picture(chart, f"{KEY}.{key}.{index}")


def pictures(asked: Sequence[ComparedQuestion]) -> list[Chart]:
    """A picture for each scale on which both releases, or one of them, have a number."""
    out = []
    names = [say("Release {letter}", letter=letter) for _, letter in SIDES]
    for scale in dict.fromkeys(line.scale for line in asked):
        lines = [line for line in asked if line.scale == scale]
        guess = next(g for line in lines for g in (line.before.guess, line.after.guess) if g is not None)
        bars: list[Bar] = []
        for line in lines:
            about = f"{words.CHANGES[line.change][0]} {line.title}"
            if line.limit is not None:
                about += say("  ┊ limit {limit:.2f}", limit=line.limit)
            bars += twins(about, names, (line.before.estimate, line.after.estimate), line.limit)
        known, every = SCALES[scale], [bar.estimate for bar in bars]
        ends = min(known.low, *(side.low for side in every)), max(known.high, *(side.high for side in every))
        axis = say("{scale} (guessing {guess:.2f})", scale=known.title, guess=guess)
        out.append(Chart(words.picture_in_words(lines), axis, tuple(bars), guess, ends))
    return out


def _line(line: ComparedQuestion) -> None:
    """One question: the change, either verdict, and what else was compared."""
    arrow, word = words.CHANGES[line.change]
    with st.container(key=f"{KEY}.line.{line.question}"):
        title, first, second = st.columns((4, 2, 2), vertical_alignment="center")
        heading = plain(say("{title}: {change}", title=line.title, change=word))
        title.markdown(f"**{arrow} {heading}**  \n{plain(words.line(line))}", help=line.asks)
        for cell, (_, letter), side, number in zip(
            (first, second), SIDES, (line.before, line.after), words.numbers(line), strict=True
        ):
            with cell, st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(f"{shell.quiet(letter)} {plain(number)}", width="content")
                if side.judgement is not None:
                    verdicts.badge(side.judgement)
        sentences = [
            words.movers_in_words(pair.moved, line.limit)
            for pair in line.pairs
            if pair.moved and line.limit is not None
        ]
        for sentence in sentences:
            st.markdown(plain(sentence))
        if len(line.pairs) > 1:
            with st.expander(say("All {n:,} differences on the same people", n=len(line.pairs))):
                _all(line)


def _all(line: ComparedQuestion) -> None:
    rows = [
        {
            say("about"): pair.who,
            say("change"): " ".join(words.CHANGES[pair.change]),
            say(
                "difference B − A"
            ): f"{pair.estimate.value:+.3f} [{pair.estimate.low:+.3f}, {pair.estimate.high:+.3f}]",
            "N": pair.estimate.n,
        }
        for pair in line.pairs
    ]
    st.dataframe(rows, hide_index=True, alt=say("Every difference with its interval"))
    st.caption(line.pairs[0].of)


def _give_aways(comparison: ComparedAudits) -> None:
    """What either file gives away by itself, one by one."""
    rows = []
    for ours, theirs in comparison.give_aways:
        give_away = ours or theirs
        assert give_away is not None
        first, second = words.give_away(ours, theirs)
        rows.append({say("Direct disclosure"): words.GIVE_AWAYS[give_away.code], "A": first, "B": second})
    if rows:
        st.markdown(say("**What either file shows by itself**"))
        st.dataframe(rows, hide_index=True, alt=say("The direct disclosures of both files"))
