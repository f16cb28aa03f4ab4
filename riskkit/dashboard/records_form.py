"""The form of the game for many records: by which method, for whom, how often, and what that costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.dashboard import asking, both_tables, forms, heavy, plan_forms, running, state, steps
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.records import words
from riskkit.questions.records.bound import is_bounded
from riskkit.questions.records.certificate import has_certificates
from riskkit.questions.records.chosen import IDS, TOP
from riskkit.questions.records.forecast import RecordsForecast, forecast
from riskkit.questions.records.plan import KNOWING, RANKS, RecordsPlan

ROOM = "generators"
WHO = {
    "all": say("Everybody"),
    "sieve": say("Those who stand out, and a sample"),
    "top": say("Those who stand out"),
    "random": say("A random sample"),
    "ids": say("Rows I name"),
}
"""Whom the game is played for, and what that is called."""
EVERYBODY = 1_000
"""Rows of a real table up to which everybody is the default."""
TRAININGS, AGAIN = 200, 10
KNOWLEDGE = wording.choices(RecordsPlan, "knowledge")
RANKED = wording.choices(RecordsPlan, "rank")
CHEAP_CELLS = 60_000
"""Cells of all tables up to which a plan is timed without being asked for."""

BY_HAND = frozenset(
    {
        "generator",
        "records",
        "inside",
        "outside",
        "rank",
        "certificate",
        "traditional",
        "n_syn",
        "shadows",
        "again",
        "screen",
        "screen_limit",
        "knowledge",
        "together",
        "second_table",
    }
)
"""Settings that the form asks for in its own words; it draws all others from the plan."""

key = partial(asking.key, "records")


def form(audit: Audit) -> RecordsPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan.
    """
    tables = state.tables(audit)
    left, right = st.columns(2, gap="large")
    with left:
        generator = _generator(audit)
        across = both_tables.ask(audit, partial(key, audit))
    with right:
        records = _records(audit, len(tables.real))
        together = _together(audit, records)
        has_best = bool(generator) and has_certificates(registry.parse(ROOM, generator), tables.real)
        rank = _rank(audit, records, has_best=has_best)
        trainings = st.number_input(
            say("Trainings a side"),
            5,
            5_000,
            TRAININGS,
            50,
            key=key(audit, "trainings"),
            persist_state="session",
            help=say("This many releases with everybody, which all records share, and this many without each record."),
        )
    if not generator:
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    has_others = tables.holdout is not None and len(tables.holdout) > len(tables.real)
    is_of_one = not together and not (tables.persons and tables.persons.has_several_rows)
    has_bound = not has_best and is_of_one and is_bounded(registry.parse(ROOM, generator))
    more = _switches(audit, has_best=has_best or has_bound, has_bound=has_bound, has_others=has_others)
    more |= _more(audit, len(tables.real), has_others=has_others)
    if more.pop("traditional"):
        more["traditional"] = int(trainings)
    sides = {"inside": int(trainings), "outside": int(trainings)}
    if isinstance(records, ParameterError):  # only now: a field that is wrong hides no other
        raise records
    both_tables.check(audit, [generator], across=across)
    return RecordsPlan(
        generator=generator,
        records=records,
        rank=rank,
        together=together,
        second_table=across,
        **{**sides, **more},
    )


def _generator(audit: Audit) -> str:
    """The method, spelled; empty where its form cannot be used."""
    there = steps.offered(ROOM)
    name = st.selectbox(
        say("Method that makes the release"),
        there,
        there.index(RecordsPlan().generator),
        lambda plugin: forms.title(ROOM, plugin),
        key=key(audit, "generator"),
        persist_state="session",
    )
    return steps.form(ROOM, str(name), key(audit, ROOM, str(name)))


def _records(audit: Audit, rows: int) -> str | ParameterError:
    """Whom it is played for, as a plan spells it; why not, where the rows cannot be read."""
    choices = list(WHO)
    who = st.selectbox(
        say("For whom"),
        choices,
        0 if rows <= EVERYBODY else 1,
        WHO.__getitem__,
        key=key(audit, "who"),
        persist_state="session",
        help=words.GLOSSARY["outlierness"],
    )
    if who == "all":
        return "all"
    if who == "ids":
        entered = st.text_input(
            say("Row numbers, counted from 0"), "", key=key(audit, "ids"), persist_state="session", placeholder="3, 17"
        )
        try:
            rows_named = forms.numbers(entered)
        except ParameterError as error:
            return error
        if not rows_named:
            return ParameterError(say("Name at least one row of the real table, or choose whom to play for otherwise."))
        return "ids:" + ",".join(map(str, rows_named))
    parts = []
    columns = st.columns(2)
    for index, (kind, label, usual) in enumerate(
        (("top", say("Of those who stand out most"), 100), ("random", say("Drawn at random"), 200))
    ):
        if who in (kind, "sieve"):
            count = columns[index].number_input(
                label, 1, rows, min(usual, max(rows // 3, 1)), key=key(audit, kind), persist_state="session"
            )
            parts.append(f"{kind}:{count}")
    return "+".join(parts)


def _together(audit: Audit, records: str | ParameterError) -> bool:
    """Whether several rows that are named are one group; nothing is asked where no two are named."""
    if isinstance(records, ParameterError) or not records.startswith(IDS) or "," not in records:
        return False
    return st.toggle(
        say("As one group"),
        key=key(audit, "together"),
        persist_state="session",
        help=say("The rows are in the data all together, or none of them: a family, say, or all visits to one doctor."),
    )


def _rank(audit: Audit, records: str | ParameterError, *, has_best: bool) -> str:
    """What standing out means; nothing is asked where nobody is chosen by it, or where there is but one answer."""
    if isinstance(records, ParameterError) or not records.startswith(TOP) or not has_best:
        return RANKS[0]
    picked = st.selectbox(
        say("Standing out means"),
        list(RANKS),
        1,
        RANKED.__getitem__,
        key=key(audit, "rank"),
        persist_state="session",
        help=say(
            "In a large table, it takes minutes to find who is unlike all others, and a second to find what the "
            "best attack reaches."
        ),
    )
    return str(picked)


def _switches(audit: Audit, *, has_best: bool, has_bound: bool, has_others: bool) -> dict[str, Any]:
    """Whether certificates and the other game are wanted, with a sentence where they cannot be had."""
    left, right = st.columns(2, gap="large")
    best = left.toggle(
        say("The best attack there can be"),
        has_best,
        key=key(audit, "best", str(has_best)),
        disabled=not has_best,
        help=words.GLOSSARY["certificate"],
    )
    if not has_best:
        left.caption(
            say(
                "Not available for this method: it draws at random while it learns, or has no exact "
                "probabilities. Attacks are played all the same."
            )
        )
    elif has_bound:
        left.caption(say("For this method it is a bound: no attack can reach more. It is the same for every record."))
    other = right.toggle(
        say("Compare with the average over tables"),
        False,
        key=key(audit, "traditional"),
        disabled=not has_others,
        persist_state="session",
        help=words.GLOSSARY["traditional"],
    )
    if not has_others:
        right.caption(
            say(
                "This needs more other people of the same population than the table has rows. Load them as a holdout "
                "on the Data page."
            )
        )
    return {"certificate": bool(best and has_best), "traditional": bool(other and has_others)}


def _more(audit: Audit, rows: int, *, has_others: bool) -> dict[str, Any]:
    """The settings that few will change."""
    default = RecordsPlan()
    with st.expander(say("More settings")):
        left, right = st.columns(2, gap="large")
        n_syn = left.number_input(
            say("Rows of a release"),
            1,
            10_000_000,
            rows,
            key=key(audit, "n_syn"),
            persist_state="session",
            help=say("A public constant, the same with the record and without it."),
        )
        shadows = right.number_input(
            say("The attacker's own trainings a side"),
            2,
            5_000,
            default.shadows,
            50,
            key=key(audit, "shadows"),
            persist_state="session",
            help=say("The attacker learns from these trainings. They are never counted."),
        )
        again = left.number_input(
            say("Played again on fresh trainings"),
            0,
            10_000,
            AGAIN,
            key=key(audit, "again"),
            persist_state="session",
            help=words.GLOSSARY["fresh"],
        )
        screen = right.number_input(
            say("Trainings of a first look at everybody"),
            0,
            5_000,
            0,
            10,
            key=key(audit, "screen"),
            persist_state="session",
            help=say("After it, only those who might be exposed are played in full. 0: no first look."),
        )
        limit = audit.limits.get(RecordsPlan.question)
        screen_limit = left.slider(
            say("After the first look, play on whoever may lie above (AUC)"),
            0.5,
            0.99,
            default.screen_limit if limit is None else min(limit.value, 0.99),
            0.01,
            key=key(audit, "screen_limit"),
            persist_state="session",
            disabled=not screen,
            help=say(
                "For the others, riskkit says nothing about risks below this AUC. Choose your limit, or a lower value."
            ),
        )
        knowledge = left.selectbox(
            say("What the attacker knows"),
            list(KNOWING),
            0,
            KNOWLEDGE.__getitem__,
            key=key(audit, "knowledge"),
            persist_state="session",
            disabled=not has_others,
        )
        outside = right.number_input(
            say("Trainings without each record"),
            1,
            100_000,
            None,
            key=key(audit, "outside"),
            persist_state="session",
            placeholder=say("as many as with everybody"),
            help=say("Every record has such trainings of its own. All records share the trainings with everybody."),
        )
        more = plan_forms.rest(
            RecordsPlan, BY_HAND, partial(key, audit), audit.provenance.asked, names=state.columns(audit)
        )
    return {
        **more,
        **({} if outside is None else {"outside": int(outside)}),
        "n_syn": int(n_syn),
        "shadows": int(shadows),
        "again": int(again),
        "screen": int(screen),
        "screen_limit": float(screen_limit),
        "knowledge": str(knowledge) if has_others else default.knowledge,
    }


def expect(audit: Audit, plan: RecordsPlan) -> None:
    """What these trainings could show, and how long it takes; timed at once where that is quick, else when asked."""
    is_light = asking.is_light(audit, RecordsPlan.question, CHEAP_CELLS)
    tables, workers = state.tables(audit), running.workers()
    asking.expect(
        audit,
        plan,
        lambda: heavy.foretold(forecast, [plan.generator], tables, plan, workers=workers),
        telling=say("Training a few times, to time it"),
        is_cheap=is_light and not heavy.is_heavy([plan.generator]),
        takes=lambda costs: say(
            "This takes **{duration}**: {records}, {trainings} in all.",
            duration=asking.duration(costs.seconds),
            records=counted(costs.records, "{n:,} record", "{n:,} records"),
            trainings=counted(costs.trainings, "{n:,} training", "{n:,} trainings"),
        ),
        unknown=say("How long it takes is not known yet."),
        power=_power,
    )


def _power(costs: RecordsForecast | str | None) -> None:
    if costs is None:
        st.markdown(say("What it could show appears together with the time it takes."))
    elif isinstance(costs, RecordsForecast):
        st.markdown(
            say(
                "For one record it shows a risk of **{detectable_auc:.2f}** or more in 4 of 5 audits; allowing for "
                "{records} looked at, of **{detectable_among:.2f}** or more (chance 0.50).",
                detectable_auc=costs.detectable_auc,
                records=counted(costs.records, "{n:,} record", "{n:,} records"),
                detectable_among=costs.detectable_among,
            )
        )
