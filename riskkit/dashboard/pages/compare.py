"""The page Compare: two releases of one real table, question by question."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

import streamlit as st

from riskkit.audit import comparison_words as words
from riskkit.audit.comparison import ONLY_ONE, AuditSide, ComparedAudits, ComparedQuestion, compare, leave_out
from riskkit.audit.report_facts import read_given
from riskkit.dashboard.frame import shell, state, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import title
from riskkit.language import Readings, counted, phrase, say, unbroken
from riskkit.show.model import Class
from riskkit.show.pairs import HIGHER, LOWER, SOME_HIGHER

KEY = "compare"
EVERY = 1.5
"""Seconds between two looks at questions that are under way."""
SIDES = (("left", "A"), ("right", "B"))
MENUS: Mapping[str, str] = Readings(A=phrase("Old release (A)"), B=phrase("New release (B)"))


def show(opened: Audit | None) -> None:
    """The two menus, the answer, a line for each question, and what each stands on."""
    ready = _ready()
    if len(ready) < 2 and opened is None:
        shell.empty(None)
        return
    before, after = (None, None) if len(ready) < 2 else _pick_audits(ready, opened)
    if before is None or after is None:
        _invite()
        return
    comparison = state.cached(_what(before, after), before, lambda: _comparison(before, after))
    first, *sentences = words.summary(comparison)
    st.header(unbroken(plain(first)), anchor=False)
    st.markdown(plain(" ".join(sentences)))
    if not _under_way(before, after):
        _lead_on(comparison, before, after)
    _lines(comparison.questions)
    changed = [line for line in comparison.questions if line.change in (LOWER, HIGHER, SOME_HIGHER)]
    for line in changed:
        _in_full(line)
    for sentence in words.notes(comparison):
        st.caption(plain(sentence))
    _give_aways(comparison)
    if rest := [line for line in comparison.questions if line not in changed]:
        with st.expander(say("The other questions in full")):
            for line in rest:
                _in_full(line)


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


def _invite() -> None:
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
    labels, picked = _labels(known), []
    for cell, (name, letter), usual in zip(st.columns(2, gap="large"), SIDES, (first, second), strict=True):
        key = f"{KEY}.{name}"
        if st.session_state.get(key) not in known:
            st.session_state[key] = usual or None
        with cell:
            chosen = st.selectbox(
                MENUS[letter],
                list(known),
                None,
                key=key,
                placeholder=say("Choose a release of the same real table"),
                format_func=labels.__getitem__,
            )
        if chosen is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(chosen)
        picked.append(known.get(str(chosen)))
    first_picked, second_picked = picked
    return first_picked or known[first], second_picked


def _labels(known: Mapping[str, Audit]) -> Mapping[str, str]:
    """What each release is called: the name of its file, with that of its audit where several files have that name."""
    files = {key: str(audit.files["synthetic"]["name"]) for key, audit in known.items()}
    many = Counter(files.values())
    return {key: file if many[file] == 1 else f"{file} · {known[key].name} · {key[:6]}" for key, file in files.items()}


def _first_choice(known: dict[str, Audit], opened: Audit | None) -> tuple[str, str]:
    """What stands in the menus first."""
    asked = [str(st.query_params.get(name, "")) for name, _ in SIDES]
    start = opened.id if opened is not None and opened.id in known else next(iter(known))
    of = known[start].mending.get("of")
    first = asked[0] if asked[0] in known else of if of in known else start
    if asked[1] in known:
        return first, asked[1]
    others = [audit for audit in known.values() if audit.id != first]
    others.sort(key=lambda audit: (audit.id != start, audit.mending.get("of") != first))
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
    """The way to what is to do: to the same tests of the release that was asked less, or to what lowers B's leaks."""
    if all(line.change == ONLY_ONE for line in comparison.questions):
        asked = [(line.before.estimate is not None, line.after.estimate is not None) for line in comparison.questions]
        side = int(sum(b for _, b in asked) < sum(a for a, _ in asked))
        label = say("Open release {letter} to run the same tests", letter=SIDES[side][1])
    elif any(line.after.shows_leak for line in comparison.questions):
        side, label = 1, say("Open release B to see what you can do about its leaks")
    else:
        return
    if st.button(label, key=f"{KEY}.ask", icon=":material/arrow_forward:"):
        state.show(audits[side])
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
# Lines


def _lines(asked: Sequence[ComparedQuestion]) -> None:
    """A line for each question: its verdict and value in either release, and what became of it."""
    rows = []
    for line in asked:
        sides = map(_side, (line.before, line.after), words.numbers(line))
        both = dict(zip("AB", sides, strict=True))
        rows.append({say("Question"): line.title, say("change"): words.change(line), **both})
    if rows:
        about = say("Every question with verdict and value in both releases")
        st.dataframe(rows, hide_index=True, height="content", alt=about)


def _side(side: AuditSide, number: str) -> str:
    """The verdict on a release and its number, where that has one."""
    shown = None if side.answer is None else side.answer.shown
    number = "" if shown is not None and shown.measured.has_nothing_to_show else number
    verdict = "" if side.judgement is None else title(side.judgement.verdict)
    return " · ".join(filter(None, (verdict, number)))


def _in_full(line: ComparedQuestion) -> None:
    """What was compared of one question, and who moved over the limit."""
    st.markdown(f"**{plain(line.title)}.** {plain(words.line(line))}")
    for pair in line.pairs:
        if pair.moved and line.limit is not None:
            st.markdown(plain(words.movers_in_words(pair.moved, line.limit)))
    if len(line.pairs) > 1:
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
