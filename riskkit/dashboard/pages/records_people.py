"""The people of a finished run for many records: one limit to move, who lies above it, and those who are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import verdicts, views
from riskkit.dashboard.frame.chart_tools import show as draw
from riskkit.dashboard.frame.shell import guard, plain
from riskkit.dashboard.pages import records_one
from riskkit.figures import records_charts
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.questions.membership import words
from riskkit.questions.records import result
from riskkit.questions.records import words as record_words
from riskkit.questions.records.plan import IDS, who_in_words
from riskkit.questions.records.releases import GUESS, Growth, sentences
from riskkit.questions.records.result import Person, RecordsFinding, RecordsResult
from riskkit.show.blocks import Axis, Curve, Line, Reference
from riskkit.show.model import RunFinding

key = partial(launch.key, "records")

SHOWN = Readings(
    everybody=phrase("Everybody"),
    listed=phrase("Exposed"),
    above=phrase("Above the limit"),
    missed=phrase("Missed by the average"),
    best=phrase("Best attack above the limit, not shown to be exposed"),
)
"""Whom the pictures and the table show."""
ABOVE_GUESSING = phrase("Above guessing")
"""What ``above`` is called while no limit is set."""
WAYS = Readings(points=phrase("Click"), box=phrase("Box"), lasso=phrase("Lasso"))
"""How people are chosen in the picture."""
HIGHEST = 0.99
"""The highest limit to look at."""
CARDS, ACROSS = 6, 3
"""Cards of chosen people, at most, and in a row."""
OFFERED = 2_000
"""People whose numbers can be picked from a list, those exposed most."""


@st.fragment
@guard()
def show(audit: Audit, run: Run, answer: RunFinding) -> None:
    """Everything that moves with the limit; what is done here draws this part of the page anew and nothing else.

    ``answer`` is what page and report say of the run as a whole.
    """
    limit = verdicts.limit_of(audit, run)
    picture = st.container()  # what changes it stands below it
    played = RecordsResult.from_plain(run.result)
    finding = result.read(played, _bar(audit, None if limit is None else limit.value))
    _at_moved_limit(finding, None if limit is None else limit.value)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = str(
            st.segmented_control(
                say("Choose people in the picture"),
                list(WAYS),
                default="points",
                format_func=WAYS.__getitem__,
                required=True,
                key=key(audit, "by"),
                persist_state="session",
            )
        )
        with st.popover(say("Filter"), icon=":material/filter_alt:", key=key(audit, "filter")):
            people = _filter(audit, finding)
    several = _several(audit, finding)
    chosen = _chosen_row(audit, finding, several or people)
    marked = [person.row for person in several] or ([] if chosen is None else [chosen])
    if people:
        with picture:
            _clickable(audit, "everybody", records_charts.everybody(finding, people, marked, by=by), "box", "lasso")
            st.caption(
                say(
                    "Click a person for details. ▲: the whole interval lies above {limit:.2f}. Tested: {who}.",
                    limit=finding.limit,
                    who=_who(played.plan.records, len(finding.people)),
                ),
                help=say("The intervals allow for all {people:,} compared.", people=len(finding.people)),
            )
        _picked_people(audit, finding, several)
        _table(audit, several or people, chosen)
    else:
        st.markdown(say("No record passes these filters."))
    _reach(finding)
    person = None if chosen is None else finding.person(chosen)
    if person is not None:
        records_one.show(audit, run, finding, person, answer)
    growth(audit, finding)
    if people:
        drawn = {"outlierness": records_charts.against_outlierness(finding, people, marked)}
        if finding.has_traditional:
            drawn = {"traditional": records_charts.against_traditional(finding, people, marked), **drawn}
        with st.expander(
            say("Who is missed, and who stands out") if finding.has_traditional else say("Who stands out")
        ):
            for place, (name, figure) in zip(st.columns(len(drawn), gap="large"), drawn.items(), strict=True):
                with place:
                    _clickable(audit, name, figure)
                    st.caption(record_words.GLOSSARY[name])


def _who(records: str, people: int) -> str:
    """Who was tested, in words; of those that were named by their rows, how many."""
    return counted(people, "{n:,} row", "{n:,} rows") if records.startswith(IDS) else again(who_in_words(records))


# --------------------------------------------------------------------------------------------------------------
# One limit


def _bar(audit: Audit, limit: float | None) -> float | None:
    """The limit to look at, from the slider; None while nobody set one and nobody has moved it from guessing."""
    start = GUESS if limit is None else limit
    looked = st.slider(
        say("Try a limit"),
        min(GUESS, start),
        max(HIGHEST, start),
        start,
        0.01,
        key=key(audit, "bar", f"{start:g}"),
        persist_state="session",
        help=say(
            "Line, list and count follow; nothing is run again. The verdict keeps to the limit that was set, which is "
            "beside it above."
        ),
    )
    return None if limit is None and looked == GUESS else float(looked)


# --------------------------------------------------------------------------------------------------------------
# Who is shown, and who is chosen


def _filter(audit: Audit, finding: RecordsFinding) -> list[Person]:
    """The records that the filters leave."""
    rules: dict[str, Callable[[Person], bool]] = dict(
        zip(
            SHOWN,
            (
                lambda _: True,
                lambda person: person.is_listed,
                lambda person: person.is_above(finding.limit),
                lambda person: person.is_missed(finding.limit),
                lambda person: person.could_be(finding.limit),
            ),
            strict=True,
        )
    )
    titles = SHOWN if finding.is_set else {**SHOWN, "above": again(ABOVE_GUESSING)}
    there = [name for name, rule in rules.items() if any(map(rule, finding.people))]
    own = key(audit, "shown")
    if st.session_state.get(own) not in there:  # a limit that moved may leave nobody under a filter
        st.session_state[own] = there[0] if there else None
    picked = st.pills(  # pills go on in a second line where a window is narrow
        say("Show"),
        there,
        key=own,
        required=True,
        format_func=lambda name: titles[name],
    )
    most = max((person.outlierness for person in finding.people), default=0.0)
    kept = [person for person in finding.people if rules[str(picked)](person)]
    if most > 0:
        top = round(most + 0.005, 2)
        low, high = st.slider(
            say("Distance to others"),
            0.0,
            top,
            (0.0, top),
            0.01,
            key=key(audit, "unlike"),
            width=420,
            help=record_words.GLOSSARY["outlierness"],
        )
        kept = [person for person in kept if low <= person.outlierness <= high]
    return kept


def _chosen_row(audit: Audit, finding: RecordsFinding, people: Sequence[Person]) -> int | None:
    """The row number of the person looked at: clicked, ticked, or the one exposed most."""
    row = st.session_state.get(key(audit, "one"))
    if row is not None and finding.person(int(row)) is not None:
        return int(row)
    ranked = [person for person in finding.ranked() if person in set(people)]
    return ranked[0].row if ranked else None


def _several(audit: Audit, finding: RecordsFinding) -> list[Person]:
    """The people chosen together, the most exposed first; none where fewer than two are."""
    rows = set(st.session_state.get(key(audit, "several"), ()))
    return [person for person in finding.ranked() if person.row in rows] if len(rows) > 1 else []


def _choose(audit: Audit, row: int) -> None:
    st.session_state[key(audit, "one")] = row
    st.session_state[key(audit, "choices")] = st.session_state.get(key(audit, "choices"), 0) + 1


def rows_of(event: Mapping[str, Any]) -> list[int]:
    """The records of what was clicked, boxed or lassoed, each once."""
    points = event.get("selection", {}).get("points", [])
    told_of = [point["customdata"] for point in points if isinstance(point.get("customdata"), list)]
    return list(dict.fromkeys(int(telling[0]) for telling in told_of))


def choose(audit: Audit, rows: Sequence[int]) -> None:
    """Look at the one, or at several together and the first of them closely."""
    if rows:
        st.session_state[key(audit, "several")] = list(rows) if len(rows) > 1 else []
        _choose(audit, rows[0])


def _from_list(audit: Audit) -> None:
    """Look closely at whoever was added last."""
    rows = st.session_state[key(audit, "several")]
    if rows:
        _choose(audit, rows[-1])


def _from_table(audit: Audit, table: str, order: Sequence[int]) -> None:
    ticked = st.session_state.get(table, {}).get("selection", {}).get("rows", [])
    if ticked and order[ticked[0]] != st.session_state.get(key(audit, "one")):
        _choose(audit, order[ticked[0]])


def _clickable(audit: Audit, name: str, figure: Any, *modes: str) -> None:
    """A picture in which people are chosen; its key changes with each choice, or the same click tells nothing."""
    own = key(audit, name, str(st.session_state.get(key(audit, "choices"), 0)))
    draw(
        figure,
        own,
        key(audit, name, "chart"),
        on_select=lambda: choose(audit, rows_of(st.session_state.get(own, {}))),
        selection_mode=("points", *modes),
    )


def _picked_people(audit: Audit, finding: RecordsFinding, several: Sequence[Person]) -> None:
    """The list of those chosen together, to add to and take from by hand; a card for each of the first."""
    offered = [person.row for person in finding.ranked()[:OFFERED]]
    here = st.session_state.setdefault(key(audit, "several"), [])
    st.multiselect(
        say("People chosen, by their rows of the real table"),
        list(dict.fromkeys([*here, *offered])),
        key=key(audit, "several"),
        persist_state="session",
        on_change=_from_list,
        args=(audit,),
        placeholder=say("Box or lasso people in the picture, or pick them here"),
        wrap=True,
    )
    if not several:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(_about(several))}**", width="stretch")
        nobody: dict[str, list[int]] = {key(audit, "several"): []}
        st.button(
            say("Clear"),
            key=key(audit, "clear"),
            on_click=lambda: st.session_state.update(nobody),
            icon=":material/close:",
        )
    for start in range(0, min(len(several), CARDS), ACROSS):
        for place, person in zip(st.columns(ACROSS), several[start : min(start + ACROSS, CARDS)], strict=False):
            with place.container(border=True):
                _card(audit, person)
    if len(several) > CARDS:
        st.caption(say("Cards of the {cards} exposed most; the table has all {all:,}.", cards=CARDS, all=len(several)))


def _about(several: Sequence[Person]) -> str:
    """How many are chosen, how many of them are named, and by which columns most of them stand out."""
    first = counted(
        sum(person.is_listed for person in several),
        "Of {people:,} people chosen {n:,} is named with confidence",
        "Of {people:,} people chosen {n:,} are named with confidence",
        people=len(several),
    )
    named = [f"{name} ({times:,})" for name, times in record_words.shared_columns(several)[:3]]
    if not named:
        return say("{told}.", told=first)
    return say("{first}; several stand out by the same columns: {columns}.", first=first, columns=joined(named))


def _card(audit: Audit, person: Person) -> None:
    """Who, how exposed, by what; and the way to what lowers it."""
    mark = " ▲" if person.is_listed else ""
    st.markdown(
        say("**{who}**: risk {auc}{mark}", who=record_words.person_title(person), auc=person.auc, mark=mark),
        help=record_words.GLOSSARY["auc"],
    )
    why = [record_words.telling(telling) for telling in record_words.tells(person)]
    st.markdown(plain(why[0] if why else say("No column is known that exposes this person by itself.")))
    st.button(
        say("What lowers it"),
        key=key(audit, "card", str(person.row)),
        on_click=_choose,
        args=(audit, person.row),
        icon=":material/arrow_downward:",
        type="tertiary",
        help=say("Shows this person below: what exposes them, and what coarser columns or leaving them out would do."),
    )


def _table(audit: Audit, people: Sequence[Person], chosen: int | None) -> None:
    """The records shown as a table that shares its choice with the pictures. Row numbers and risks, never a value."""
    ranked = sorted(people, key=lambda person: -(person.auc.value if person.auc else -1.0))
    order = [person.row for person in ranked]
    own = key(audit, "table", str(hash(tuple(order))))
    st.session_state[own] = {"selection": {"rows": [order.index(chosen)] if chosen in order else []}}
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    who = say("Person (first row)") if any(person.rows for person in people) else say("Record")
    st.dataframe(
        [_line(person) for person in ranked],
        hide_index=True,
        height=min(36 * (len(ranked) + 1), 360),
        column_config={
            "row": number(who, format="%d", help=record_words.GLOSSARY["row"]),
            "rows": number(say("Rows"), help=say("How many rows of the real table are this person's.")),
            "auc": text(say("Risk (guessing 0.50)"), help=record_words.GLOSSARY["auc"]),
            "listed": text(say("Exposed"), help=record_words.GLOSSARY["listed"]),
            "stage": text(say("Based on"), help=record_words.GLOSSARY["fresh"]),
            "best": text(say("Best attack"), help=record_words.GLOSSARY["certificate"]),
            "traditional": text(say("Average over tables"), help=record_words.GLOSSARY["traditional"]),
            "outlierness": number(say("Distance to others"), format="%.3f", help=record_words.GLOSSARY["outlierness"]),
            "n": number(say("Trainings"), help=words.GLOSSARY["training"]),
        },
        on_select=lambda: _from_table(audit, own, order),
        selection_mode="single-row",
        key=own,
        alt=say("Every record shown with its risk"),
    )
    about = say("Every interval allows for all people compared, as ▲ does.")
    st.caption(f":material/lock: {say('Restricted: row numbers with their risks.')}", help=about)


def _line(person: Person) -> dict[str, Any]:
    line: dict[str, Any] = {
        "row": person.row,
        "auc": say("no number") if person.auc is None else str(person.auc),
        "listed": "▲" if person.is_listed else "",
    }
    if person.by_luck is None:  # else there is one round alone
        line["stage"] = say("fresh trainings") if person.is_fresh else say("the first round")
    line |= {"outlierness": person.outlierness, "n": person.n}
    if person.rows:
        line["rows"] = person.rows
    if best := record_words.best_attack(person):
        line["best"] = best
    if person.traditional is not None:
        line["traditional"] = str(person.traditional)
    return line


# --------------------------------------------------------------------------------------------------------------
# The sentences


def _at_moved_limit(finding: RecordsFinding, limit: float | None) -> None:
    """Who lies above a limit that was moved; at the limit that was set, the sentence of the page has said it."""
    if not finding.is_set or finding.limit == limit:
        return
    above = finding.above
    count = f"{above.value:,.0f} [{above.low:,.0f}, {above.high:,.0f}]"
    st.markdown(
        say(
            "At {limit:.2f}: **{count}** of {counted:,} people estimated above, **{listed:,}** named with "
            "confidence, **{played:,}** tested.",
            limit=finding.limit,
            count=count,
            counted=finding.result.counted,
            listed=len(finding.listed),
            played=len(finding.people),
        ),
        help=record_words.GLOSSARY["listed"],
    )


def _reach(finding: RecordsFinding) -> None:
    """What the best attack there can be reaches, whom an average would have missed, and on what each risk stands."""
    parts = [*_reach_best(finding), *_reach_missed(finding)]
    n = finding.people[0].n if finding.people else 0
    trainings = counted(n, "{n:,} training", "{n:,} trainings")
    stands_on = [say("Each risk is based on {trainings}; guessing reaches 0.50.", trainings=trainings)]
    if finding.is_set:
        stands_on.append(say("The interval of the count is at {level:.4g} %.", level=100 * finding.above.level))
    with st.expander(say("How far these risks reach, and what they stand on")):
        if parts:
            term = "certificate" if finding.has_best else "traditional"
            st.markdown(plain(" ".join(parts)), help=record_words.GLOSSARY[term])
        st.caption(" ".join(stands_on), help=record_words.GLOSSARY["auc"])


def _reach_best(finding: RecordsFinding) -> list[str]:
    if not finding.has_best:
        return []
    more = sum(person.could_be(finding.limit) for person in finding.people)
    parts = [
        say(
            "The best possible attack lies above {limit:g} for {more:,} who are not listed.",
            limit=finding.limit,
            more=more,
        )
    ]
    if finding.ceiling is not None:
        parts.append(say("For the most exposed record it reaches {ceiling:.2f}.", ceiling=finding.ceiling))
    return parts


def _reach_missed(finding: RecordsFinding) -> list[str]:
    above = [person for person in finding.people if person.is_above(finding.limit)]
    if not (finding.has_traditional and above):
        return []
    return [
        say(
            "Averaging over tables would have missed {missed:,} of the {above:,} seen above {limit:g}.",
            above=len(above),
            limit=finding.limit,
            missed=sum(person.is_missed(finding.limit) for person in above),
        )
    ]


# --------------------------------------------------------------------------------------------------------------
# Risk against the number of releases, on the page of a finished run for many records


def growth(audit: Audit, finding: RecordsFinding) -> None:
    """The picture with its sentence; nothing of one release."""
    if not finding.growth and not finding.played_growth:
        return
    st.header(say("With every further release"), anchor=False)
    views.picture(against_releases(finding), key(audit, "releases"))
    about = say("For the best possible attack, and for the attack that was run.")
    if not finding.played_growth:
        about = say("For the best possible attack.")
    elif not finding.growth:
        about = say("For the attack that was run, on the trainings of the first round.")
    elif finding.growth[0].people < finding.played_growth[0].people:
        who = say(
            "{certified:,} people have an optimal-attack bound; the attack was run on {played:,}.",
            certified=finding.growth[0].people,
            played=finding.played_growth[0].people,
        )
        about = f"{about} {who}"
    rows = say("It sees all releases up to that one. Each release has {rows:,} rows.", rows=finding.result.plan.n_syn)
    st.caption(f"{about} {rows}")


def against_releases(finding: RecordsFinding) -> Curve:
    """The share of people above the limit and the AUC of the median person, after each count of releases."""
    best, played = finding.growth, finding.played_growth
    grown = best or played
    headlines = [sentences(best, is_set=finding.is_set)] if best else []
    headlines += [sentences(played, is_set=finding.is_set, is_played=True)] if played else []
    lines = [_releases_line(say("AUC of the median person"), grown, [count.median for count in grown])]
    if finding.is_set:
        above = say("share of people above {limit:g}", limit=finding.limit)
        lines.append(_releases_line(above, grown, [count.share for count in grown]))
    if best and played:
        lines.append(
            _releases_line(say("AUC of the median person, attack run"), played, [count.median for count in played])
        )
    reference = Reference(say("limit {limit:g}", limit=finding.limit), finding.limit)
    return Curve(
        "releases",
        " ".join(headlines),
        Axis(say("Releases of this table")),
        Axis(say("AUC, and share of people"), (0.0, 1.0)),
        tuple(lines),
        unit=say("releases"),
        reference=reference if finding.is_set else Reference(say("guessing"), GUESS),
    )


def _releases_line(who: str, grown: Sequence[Growth], values: Sequence[float]) -> Line:
    """Those values after each count of releases; they describe these people and have no interval."""
    described = [
        Estimate("share", value, value, value, 1.0, wording.COUNTED, count.people)
        for count, value in zip(grown, values, strict=True)
    ]
    return Line(who, tuple(count.releases for count in grown), tuple(described), intervals="")
