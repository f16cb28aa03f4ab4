"""One person on the Records page: the bracket of the risk, what exposes them, what helps, what was released near."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import state, switches, views
from riskkit.dashboard.frame.chart_tools import show as draw
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import record
from riskkit.figures import records_charts
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.records import words
from riskkit.questions.records.certificate import Terms, is_certified
from riskkit.questions.records.people import rows_of
from riskkit.questions.records.remedy import PEOPLE, Change, if_coarsened, if_dropped
from riskkit.questions.records.result import Person, RecordsFinding, nearest_released
from riskkit.questions.runs import plan_of
from riskkit.show.model import RunFinding

key = partial(launch.key, "records")

COLUMNS = 4
"""Columns that are coarsened at once, those that tell most; all of them when asked for."""
OTHERS = 20
"""Other people whose risk is looked at when one is left out, those exposed most."""
QUICK_ROWS = 5_000
"""Rows drawn for a what-if where no exact way is known: it is to be quick, and its interval says how far it is off."""
NEAR = 5


def show(audit: Audit, run: Run, finding: RecordsFinding, person: Person, answer: RunFinding) -> None:
    """Everything about one person, without a value of theirs unless asked for."""
    st.header(words.person_title(person), anchor=False)
    st.markdown(plain(words.bracket(person)), help=words.GLOSSARY["certificate"])
    views.draw_all((block for block in answer.view if block.key == f"same {person.row}"), run.question)
    left, right = st.columns(2, gap="large")
    with left:
        draw(records_charts.bracket(person, finding.limit if finding.is_set else None), key(audit, "bracket"))
        _exposed_by(person)
    with right:
        draw(records_charts.trade_off(finding, person), key(audit, "trade"))
    with st.expander(say("All numbers of this record")):
        _figures(person)
    if run.revision != audit.revision:
        st.caption(say("What helps, and what was released near this person, is shown for the data of this run only."))
        return
    if person.is_group:
        st.caption(say("What helps, and what was released nearby, is shown for single people, not for a group."))
        return
    _near(audit, person)
    with st.expander(say("What if a column were coarser, or this person left out")):
        _what_if(audit, run, finding, person)


def _exposed_by(person: Person) -> None:
    """The columns that expose the person, a sentence each."""
    if person.best is None:
        return
    if person.best.proof.value > 0:  # the gravest reason stands first
        st.markdown(
            plain(
                say(
                    "{value} of releases show a combination of values that could not be there without this person: "
                    "proof that they are in the data.",
                    value=wording.percent(person.best.proof.value),
                )
            ),
            help=words.GLOSSARY["proof"],
        )
    lines = [words.telling(telling) for telling in person.best.telling[:2] if telling.part > words.TELLS]
    if lines:
        st.markdown(say("**What tells most about this person**"))
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def _figures(person: Person) -> None:
    """The other figures, for who wants them."""
    rows = [
        {"what": name, "found": str(value)}
        for name, value in (
            (say("Advantage (guessing 0.00)"), person.advantage),
            (say("Advantage of the best attack"), None if person.best is None else person.best.advantage),
            (say("Risk, as if nobody else had been tested"), person.alone),
            (say("The same in the first round, before fresh trainings"), person.first_auc),
        )
        if value is not None
    ]
    bound, ceiling = person.epsilon
    rows.append(
        {
            "what": say("ε is at least"),
            "found": wording.epsilon(bound, ceiling, person.n),
        }
    )
    if person.copies:
        rows.append({"what": say("Exact copies among the other rows"), "found": f"{person.copies:,}"})
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"what": say("Figure"), "found": say("Found")},
        alt=say("Other figures of this record"),
    )
    trainings = say("{told}.", told=counted(person.n, "{n:,} training", "{n:,} trainings"))
    st.caption(plain(f"{trainings} {words.GLOSSARY['epsilon_lower']}"))


# --------------------------------------------------------------------------------------------------------------
# What helps


def _what_if(audit: Audit, run: Run, finding: RecordsFinding, person: Person) -> None:
    """The best attack if a column were coarser, or the person left out; fitted anew at once."""
    generator = registry.parse("generators", plan_of(run).generator)
    if not is_certified(generator):
        st.markdown(
            say(
                "For this method, riskkit cannot work out at once what a coarser column would change. Coarsen the "
                "column in your file and run again."
            )
        )
        return
    if plan_of(run).yearly:
        st.markdown(say("Of a table that grew it is not worked out what a coarser column would change."))
        return
    table = state.tables(audit).real
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    people = left.slider(
        say("Coarsen until this many people share a value"),
        2,
        max(min(200, len(table)), 3),
        min(PEOPLE, len(table)),
        key=key(audit, "people"),
        help=say("Neighbouring numbers are merged and become their median; of categories, the rarest are merged."),
    )
    with right:
        every = switches.toggle(say("Try every column"), key=key(audit, "every"))
    names = [column.name for column in table.schema.modelled]
    if not every:
        telling = person.best.telling if person.best is not None else ()
        first = [name for tells in telling for name in tells.columns]
        names = list(dict.fromkeys([*first, *names]))[:COLUMNS]
    plan = finding.result.plan
    terms = Terms(plan.n_seen, drawn=QUICK_ROWS)
    own = rows_of(state.tables(audit), person.row)
    changes = _cached(
        f"coarser {run.id} {person.row} {people} {names}",
        audit,
        lambda: if_coarsened(table, generator, own, names, int(people), terms, plan.seed),
    )
    _coarser(audit, changes, int(people))
    _without_person(audit, run, finding, person, terms)


def _coarser(audit: Audit, changes: list[Change], people: int) -> None:
    """The picture where some column helps; the sentence alone where none does: there is nothing to see."""
    if not changes:
        st.markdown(say("None of these columns can be made coarser: each holds a single value."))
        return
    rows = [(change.column, change.people, change.after.auc.value) for change in changes]
    figure = records_charts.coarser(changes[0].before.auc.value, rows, people)
    if records_charts.helps(changes[0].before.auc.value, rows):
        draw(figure, key(audit, "coarser"))
        return
    st.markdown(f"**{plain(say('{told}.', told=figure.layout.meta))}**")
    st.markdown(say("Let more people share a value, try every column, or leave this person out."))


def _cached(what: str, audit: Audit, make: Callable[[], list[Change]]) -> list[Change]:
    """What would change, worked out once; a page is drawn again for every click."""

    def fit_anew() -> list[Change]:
        with st.spinner(say("Fitting the method anew")):
            return make()

    return state.cached(what, audit, fit_anew)


def _without_person(audit: Audit, run: Run, finding: RecordsFinding, person: Person, terms: Terms) -> None:
    """What leaving the person out does to the others who are exposed most."""
    if not switches.toggle(say("Leave this person out"), key=key(audit, "drop")):
        return
    tables, generator = state.tables(audit), registry.parse("generators", plan_of(run).generator)
    ranked = [other for other in finding.ranked() if other.row != person.row][:OTHERS]
    others, own = [rows_of(tables, other.row) for other in ranked], rows_of(tables, person.row)
    changes = _cached(
        f"dropped {run.id} {person.row}",
        audit,
        lambda: if_dropped(tables.real, generator, own, others, terms, finding.result.plan.seed),
    )
    moved = [change for change in changes if abs(change.after.auc.value - change.before.auc.value) >= 0.005]
    up = sum(change.after.auc.value > change.before.auc.value for change in moved)
    looked = counted(len(changes), "{n:,} other record", "{n:,} other records")
    if finding.result.counts_people:
        looked = counted(len(changes), "{n:,} other person", "{n:,} other people")
    st.markdown(
        say(
            "A release made without this person holds nothing of them. Of the {looked} exposed most, the best attack "
            "gets better on {up:,} and worse on {moved:,}.",
            looked=looked,
            up=up,
            moved=len(moved) - up,
        )
    )
    if moved:
        st.dataframe(
            [
                {
                    "row": change.before.record,
                    "before": f"{change.before.auc.value:.2f}",
                    "after": f"{change.after.auc.value:.2f}",
                }
                for change in moved
            ],
            hide_index=True,
            column_config={
                "row": say("Person (first row)") if finding.result.counts_people else say("Record"),
                "before": say("Best attack now"),
                "after": say("Without this person"),
            },
            alt=say("Other people whose risk changes when this one is left out"),
        )


# --------------------------------------------------------------------------------------------------------------
# What was released near this person


def _near(audit: Audit, person: Person) -> None:
    """The released rows most like this person; values only when asked for."""
    tables = state.tables(audit)
    if tables.synthetic is None:
        st.caption(say("No release is loaded, so nothing released near this person can be shown."))
        return
    with st.expander(say("The released rows most like this person")):
        near = nearest_released(tables.real, tables.synthetic, person.row, NEAR)
        count = len(tables.real.schema.modelled)
        rows = [
            {
                "row": neighbour.row,
                "distance": neighbour.distance,
                "same": say("{same} of {count}", same=len(neighbour.same), count=count),
            }
            for neighbour in near
        ]
        columns: dict[str, Any] = {
            "row": st.column_config.NumberColumn(say("Row of the release (from 0)"), format="%d"),
            "distance": st.column_config.NumberColumn(say("Distance"), format="%.2f"),
            "same": say("Columns with the same value"),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Released rows most like this person"))
        if (person.rows or 0) > 1:
            st.caption(say("Of this person's rows the first is compared."))
        st.caption(say("A near row describes and proves nothing: people outside the data have near rows too."))
        st.markdown(f":material/visibility: {say(record.CONFIDENTIAL)}")
        if not switches.toggle(say("Show the values"), key=key(audit, "reveal")):
            return
        released = {
            place: record.cells(tables.synthetic, neighbour.row) for place, neighbour in enumerate(near, start=1)
        }
        lines = [
            {say("Column"): column, say("This person"): own}
            | {say("Released {place}", place=place): others[position][1] for place, others in released.items()}
            for position, (column, own) in enumerate(record.cells(tables.real, person.row))
        ]
        st.dataframe(lines, hide_index=True, alt=say("Values of this person and of the released rows most like them"))
