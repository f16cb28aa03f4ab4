"""Handing in to a contest: a release made elsewhere of the sample that is dealt to it, and rows somebody names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.contest import words
from riskkit.questions.contest.entries import HandedIn, dealing, first_sample, read_guesses
from riskkit.questions.contest.plan import PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.points import UPLOADED

key = partial(launch.key, "contest")


def section(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The folded section, and the plan with everything that was handed in for its deal.

    Raises
    ------
    DesignError
        What was handed in does not fit the plan, which its sentence says; all is drawn before.
    """
    handed = HandedIn.read(audit)
    deal = dealing(plan, audit.revision)
    with st.expander(say("Hand in a release made elsewhere, or rows that somebody names"), key=key(audit, "handed")):
        _releases(audit, plan, handed, deal)
        st.divider()
        _rows(audit, plan, handed, deal)
    releases, own = handed.fitting(deal)
    return replace(plan, given=releases, own=own)


def _releases(audit: Audit, plan: ContestPlan, handed: HandedIn, deal: str) -> None:
    """Deal a sample to a name, take the release that was made of it, and list those there are."""
    st.markdown(say("**A release made elsewhere**"))
    of_people = plan.source == PEOPLE
    st.caption(words.HAND_IN_PEOPLE if of_people else words.HAND_IN)
    name = st.text_input(
        say("Name it takes part under"),
        key=key(audit, "handed", "name"),
        persist_state="session",
        max_chars=80,
        placeholder=say("team 1"),
        help=say("Letters, digits and spaces. Another name gets another sample."),
    ).strip()
    if name and not of_people:
        _sample(audit, plan, name)
    if name:
        uploaded = st.file_uploader(
            say("CSV of the release of {name}", name=plain(name)),
            key=key(audit, "handed", "release", name, deal),
            help=say(
                "With the columns of the real table, in any order, and no value that the loaded files do not hold."
            ),
        )
        _take(
            uploaded,
            lambda source, file: handed.take_release(
                name, source, file, state.tables(audit).schema, deal, is_strange=True
            ),
        )
    for known, facts in handed.releases.items():
        text = say(
            "**{known}** · {file}, {rows:,} rows, {sha256}",
            known=plain(known),
            file=plain(facts["file"]),
            rows=facts["rows"],
            sha256=facts["sha256"][:8],
        )
        gone = partial(handed.drop_release, known)
        _line(
            text, facts["deal"] == deal, key(audit, "handed", "drop", known), say("Remove {known}", known=known), gone
        )


def _sample(audit: Audit, plan: ContestPlan, name: str) -> None:
    """The sample of that name, made when it is asked for."""
    mark = f"contest.sample.{name}.{dealing(plan, audit.revision)}"
    asked = key(audit, "handed", "dealt")
    if st.button(
        say("Draw its sample"), key=key(audit, "handed", "deal"), help=say("Draws the sample, as this contest will.")
    ):
        st.session_state[asked] = mark
    if st.session_state.get(asked) != mark:
        return
    try:
        with st.spinner(say("Making the population and dealing")):
            data = state.cached(mark, audit, lambda: first_sample(state.tables(audit), plan, name))
    except RiskkitError as error:
        shell.sentence_error(error)
        return
    st.download_button(
        say("Download the sample of {name} ({sample:,} rows)", name=plain(name), sample=plan.sample),
        data=data,
        file_name="sample.csv",
        mime="text/csv",
        key=key(audit, "handed", "sample"),
        on_click="ignore",
        icon=":material/download:",
        help=say("Make your release of these rows alone. Attackers must not see them."),
    )


def _rows(audit: Audit, plan: ContestPlan, handed: HandedIn, deal: str) -> None:
    """Take the rows that an attacker names for one of the releases, and list those there are."""
    st.markdown(say("**Rows that an attacker of yours names**"))
    st.caption(words.HAND_ROWS_SEEK if plan.mode == SEEK else words.HAND_ROWS)
    there = [*handed.fitting(deal)[0], *((name, "") for name in plan.anonymisers)]
    names = [name for name, _ in there] + [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    left, right = st.columns(2, gap="large")
    attacker = left.text_input(
        say("Name of the attacker"),
        key=key(audit, "handed", "attacker"),
        persist_state="session",
        max_chars=80,
        placeholder=say("our attack"),
    ).strip()
    against = right.selectbox(
        say("Release attacked"),
        names,
        key=key(audit, "handed", "against"),
        persist_state="session",
        format_func=lambda name: say("your release") if name == UPLOADED else name,
    )
    if attacker and against:
        uploaded = st.file_uploader(
            say("Row numbers, {wanted:,} of them, one on each line", wanted=plan.n_named),
            key=key(audit, "handed", "rows", attacker, str(against), deal),
            help=words.ROWS_HELP,
        )

        def take(source: bytes, file: str) -> None:
            rows = read_guesses(source, _population(audit, plan), plan.n_named, name=file)
            handed.take_rows(attacker, str(against), rows.tolist(), deal)

        _take(uploaded, take)
    for answer in handed.own:
        count = counted(len(answer["rows"]), "{n:,} row", "{n:,} rows")
        text = say(
            "**{attacker}** names {count} for {anonymiser}",
            attacker=plain(answer["attacker"]),
            count=count,
            anonymiser=plain(answer["anonymiser"]),
        )
        gone = partial(handed.drop_rows, answer["attacker"], answer["anonymiser"])
        mark = key(audit, "handed", "drop", answer["attacker"], answer["anonymiser"])
        _line(
            text,
            answer["deal"] == deal,
            mark,
            say("Remove {attacker} against {anonymiser}", attacker=answer["attacker"], anonymiser=answer["anonymiser"]),
            gone,
        )


def _population(audit: Audit, plan: ContestPlan) -> int:
    """Rows of the population, without making one that is drawn."""
    if plan.source not in ("base", PEOPLE):
        return plan.population
    people: Any = state.cached(
        f"contest.rows.{plan.source}.{plan.population}", audit, lambda: len(plan.people(state.tables(audit)))
    )
    return int(people)


def _take(file: UploadedFile | None, keep: Callable[[bytes, str], None]) -> None:
    """Keep a file once; a file that is refused says why as long as it lies there."""
    taken: list[str] = st.session_state.setdefault("contest.taken", [])
    if file is None or file.file_id in taken:
        return
    try:
        with st.spinner(say("Reading the file")):
            keep(file.getvalue(), file.name[:100])
    except RiskkitError as error:
        shell.sentence_error(error)
    else:
        taken.append(file.file_id)
        state.forget(file)
        st.rerun()


def _line(text: str, fits: bool, mark: str, remove: str, gone: Callable[[], None]) -> None:
    """One thing that was handed in, and the way to take it out again."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            text
            if fits
            else say("{told} · :orange[of another draw: population, sample, rules or seed differ]", told=text)
        )
        st.button(say("Remove"), key=mark, type="tertiary", icon=":material/close:", on_click=gone, help=plain(remove))
