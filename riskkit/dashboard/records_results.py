"""A finished run for many records, on a page: the sentence, everybody's risk, one person, the details folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit.core import Estimate
from riskkit.dashboard import again, asking, estimates, records_charts, records_one, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.membership import words
from riskkit.questions.records import findings as told
from riskkit.questions.records import words as said
from riskkit.questions.records.findings import Finding, Person

key = partial(asking.key, "records")

SHOWN = {
    "everybody": say("Everybody"),
    "listed": say("Listed"),
    "above": say("Above the limit"),
    "missed": say("Missed by the average"),
    "best": say("Best attack above the limit, not listed"),
}
"""Whom the pictures and the table show."""
ABOVE_GUESSING = say("Above guessing")
"""What ``above`` is called while no limit is set."""
COMPARED = {
    "miss_rate": say("Missed by the average over tables, of those above"),
    "miss_rate_halves": say("Missed with half of the trainings of each game"),
    "miss_rate_null": say("Missed by luck alone: one half of the game against the other"),
    "rmsd": say("Typical difference of the two games (RMSD)"),
    "rmsd_corrected": say("Typical difference without noise"),
    "rmsd_null": say("Typical difference by luck alone: one half of the game against the other"),
}
"""Figures that compare the two games, in the order of a table."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    limit = verdicts.limit_of(audit, run)
    found = told.read(run.result, None if limit is None else limit.value)
    results.earlier(audit, run)
    verdicts.show(audit, run)
    _sentences(found)
    people = _filtered(audit, found)
    chosen = _chosen(audit, found, people)
    if people:
        _pictures(audit, found, people, chosen)
        _table(audit, people, chosen)
    person = None if chosen is None else found.person(chosen)
    if person is not None:
        records_one.show(audit, run, found, person)
    _numbers(found)
    with st.expander(say("Notes, and what this does not show")):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*found.notes, *said.LIMITS])))
    again.settings(audit, run, run.result, say("It holds row numbers and names of columns, but no value of a row."))


def _sentences(found: Finding) -> None:
    """What the best attack there can be reaches, whom an average would have missed, and on what each risk stands."""
    told = [*_best(found), *_missed(found)]
    if told:
        st.markdown(plain(" ".join(told)), help=said.GLOSSARY["certificate" if found.has_best else "traditional"])
    n = found.people[0].n if found.people else 0
    trainings = counted(n, "{n:,} training", "{n:,} trainings")
    stands_on = [say("Each risk is based on {trainings}; chance is 0.50.", trainings=trainings)]
    stands_on += [say("The interval of the count is at {level:.4g} %.", level=100 * found.above.level)] * found.is_set
    st.caption(" ".join(stands_on), help=said.GLOSSARY["auc"])


def _best(found: Finding) -> list[str]:
    if not found.has_best:
        return []
    more = sum(person.could_be(found.limit) for person in found.people)
    told = [
        say(
            "The best attack there can be lies above {limit:g} for {more:,} who are not listed.",
            limit=found.limit,
            more=more,
        )
    ]
    if found.ceiling is not None:
        told.append(say("For the most exposed record it reaches {ceiling:.2f}.", ceiling=found.ceiling))
    return told


def _missed(found: Finding) -> list[str]:
    above = [person for person in found.people if person.is_above(found.limit)]
    if not (found.has_traditional and above):
        return []
    return [
        say(
            "Averaging over tables would have missed {missed:,} of the {above:,} seen above {limit:g}.",
            above=len(above),
            limit=found.limit,
            missed=sum(person.is_missed(found.limit) for person in above),
        )
    ]


# --------------------------------------------------------------------------------------------------------------
# Who is shown, and who is chosen


def _filtered(audit: Audit, found: Finding) -> list[Person]:
    """The records that the filters leave."""
    rules: dict[str, Callable[[Person], bool]] = dict(
        zip(
            SHOWN,
            (
                lambda _: True,
                lambda person: person.is_listed,
                lambda person: person.is_above(found.limit),
                lambda person: person.is_missed(found.limit),
                lambda person: person.could_be(found.limit),
            ),
            strict=True,
        )
    )
    titles = SHOWN if found.is_set else {**SHOWN, "above": ABOVE_GUESSING}
    there = [name for name, rule in rules.items() if any(map(rule, found.people))]
    own = key(audit, "shown")
    if st.session_state.get(own) not in there:  # a limit that moved may leave nobody under a filter
        st.session_state[own] = there[0] if there else None
    picked = st.pills(  # pills go on in a second line where a window is narrow
        say("Show"), there, key=own, required=True,
        format_func=lambda name: f"{titles[name]} ({sum(map(rules[name], found.people)):,})",
    )  # fmt: skip
    most = max((person.outlierness for person in found.people), default=0.0)
    kept = [person for person in found.people if rules[str(picked)](person)]
    if most > 0:
        top = round(most + 0.005, 2)
        low, high = st.slider(
            say("Unlikeness to others"), 0.0, top, (0.0, top), 0.01, key=key(audit, "unlike"), width=420,
            help=said.GLOSSARY["outlierness"],
        )  # fmt: skip
        kept = [person for person in kept if low <= person.outlierness <= high]
    if not kept:
        st.markdown(say("No record passes these filters."))
    return kept


def _chosen(audit: Audit, found: Finding, people: Sequence[Person]) -> int | None:
    """The row number of the person looked at: clicked, ticked, or the one exposed most."""
    row = st.session_state.get(key(audit, "one"))
    if row is not None and found.person(int(row)) is not None:
        return int(row)
    ranked = [person for person in found.ranked() if person in set(people)]
    return ranked[0].row if ranked else None


def _choose(audit: Audit, row: int) -> None:
    st.session_state[key(audit, "one")] = row
    st.session_state[key(audit, "choices")] = st.session_state.get(key(audit, "choices"), 0) + 1


def _from_chart(audit: Audit, chart: str) -> None:
    points = st.session_state.get(chart, {}).get("selection", {}).get("points", [])
    rows = [point["customdata"][0] for point in points if isinstance(point.get("customdata"), list)]
    if rows:
        _choose(audit, int(rows[0]))


def _from_table(audit: Audit, table: str, order: Sequence[int]) -> None:
    ticked = st.session_state.get(table, {}).get("selection", {}).get("rows", [])
    if ticked:
        _choose(audit, order[ticked[0]])


def _pictures(audit: Audit, found: Finding, people: Sequence[Person], chosen: int | None) -> None:
    """Everybody by falling risk; the two games against each other; risk against standing out."""
    choices = str(st.session_state.get(key(audit, "choices"), 0))  # a chart tells nothing of the same click twice

    def clickable(name: str, figure: Any) -> None:
        own = key(audit, name, choices)
        draw(figure, own, on_select=lambda: _from_chart(audit, own), selection_mode="points")

    clickable("everybody", records_charts.everybody(found, people, chosen))
    st.caption(
        say("Click a point, or tick a line of the table, to look at that person. Hover for numbers. ")
        + (say("Dashes mark the best attack there can be.") if found.has_best else "")
    )
    place = st.columns(2, gap="large") if found.has_traditional else [st.container()]
    if found.has_traditional:
        with place[0]:
            clickable("traditional", records_charts.against_traditional(found, people, chosen))
            st.caption(said.GLOSSARY["traditional"])
    with place[-1]:
        clickable("outlierness", records_charts.against_outlierness(found, people, chosen))
        st.caption(said.GLOSSARY["outlierness"])


def _table(audit: Audit, people: Sequence[Person], chosen: int | None) -> None:
    """The records shown as a table that shares its choice with the pictures. Row numbers and risks, never a value."""
    ranked = sorted(people, key=lambda person: -(person.auc.value if person.auc else -1.0))
    order = [person.row for person in ranked]
    own = key(audit, "table", str(hash(tuple(order))))
    st.session_state[own] = {"selection": {"rows": [order.index(chosen)] if chosen in order else []}}
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        [_line(person) for person in ranked],
        hide_index=True,
        height=min(36 * (len(ranked) + 1), 360),
        column_config={
            "row": number(say("Record"), format="%d", help=say("Row of the real table, counted from 0.")),
            "auc": text(say("Risk (chance 0.50)"), help=said.GLOSSARY["auc"]),
            "listed": text(say("Listed"), help=said.GLOSSARY["listed"]),
            "stage": text(say("Based on"), help=said.GLOSSARY["fresh"]),
            "best": text(say("Best attack"), help=said.GLOSSARY["certificate"]),
            "traditional": text(say("Average over tables"), help=said.GLOSSARY["traditional"]),
            "outlierness": number(say("Unlikeness"), format="%.3f", help=said.GLOSSARY["outlierness"]),
            "n": number(say("Trainings"), help=words.GLOSSARY["training"]),
        },
        on_select=lambda: _from_table(audit, own, order),
        selection_mode="single-row",
        key=own,
        alt=say("Every record shown with its risk"),
    )
    st.caption(f":material/lock: {say('Restricted: row numbers of the real table with their risks.')}")


def _line(person: Person) -> dict[str, Any]:
    line: dict[str, Any] = {
        "row": person.row,
        "auc": say("no number") if person.auc is None else str(person.auc),
        "listed": "▲" if person.is_listed else "",
        "stage": say("fresh trainings") if person.is_fresh else say("the first look"),
        "outlierness": person.outlierness,
        "n": person.n,
    }
    if person.best is not None:
        line["best"] = f"{person.best.auc.value:.2f}" if person.best.is_exact else str(person.best.auc)
    if person.traditional is not None:
        line["traditional"] = str(person.traditional)
    return line


# --------------------------------------------------------------------------------------------------------------
# The details


def _numbers(found: Finding) -> None:
    """How many lie above each limit, and how far the two games are apart."""
    with st.expander(say("All numbers")):
        counted = [one for one in found.estimates if one.name == "records_above"]
        rows = [{"limit": float(one.labels["limit"]), "count": _count(one), "n": one.n} for one in counted]
        columns: dict[str, Any] = {
            "limit": st.column_config.NumberColumn(say("Risk above"), format="%.2f"),
            "count": say("People of {total:,}", total=found.counted),
            "n": st.column_config.NumberColumn(say("Trainings"), help=words.GLOSSARY["training"]),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("How many people lie above each limit"))
        compared = [one for one in found.estimates if one.name in COMPARED]
        if compared:
            st.dataframe(
                [
                    {"what": COMPARED[one.name], "limit": one.labels.get("limit", ""), "found": str(one), "n": one.n}
                    for one in compared
                ],
                hide_index=True,
                column_config={
                    "what": say("The two games"),
                    "limit": say("Risk above"),
                    "found": say("Found"),
                    "n": say("Trainings"),
                },
                alt=say("How far the two games are apart"),
            )
        fresh = [person for person in found.people if person.is_fresh and person.first_auc is not None]
        if fresh:
            st.dataframe(
                [{"row": one.row, "first": str(one.first_auc), "fresh": str(one.auc)} for one in fresh],
                hide_index=True,
                column_config={"row": say("Record"), "first": say("First look"), "fresh": say("Fresh trainings")},
                alt=say("Records played again on fresh trainings"),
            )
            st.caption(said.GLOSSARY["fresh"])


def _count(one: Estimate) -> str:
    return f"{one.value:,.0f} [{one.low:,.0f}, {one.high:,.0f}]"
