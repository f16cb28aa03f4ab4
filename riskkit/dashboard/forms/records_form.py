"""The form of the game for many records: by which method, for whom, how often, and what that costs."""

from __future__ import annotations

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import games, launch, plugin_forms
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import state, switches
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.language import Readings, counted, phrase, say
from riskkit.questions import standard
from riskkit.questions.forecasts import Forecast
from riskkit.questions.records import words
from riskkit.questions.records.certificate import has_certificates
from riskkit.questions.records.plan import (
    IDS,
    OF_ONE_PERSON,
    OF_PARTS,
    RANKS,
    SEEDS,
    SUBSETS,
    TOP,
    RecordsPlan,
    usual_way,
)
from riskkit.questions.records.refusals import is_bounded

ROOM = "generators"
WHO = Readings(
    all=phrase("Everybody"),
    sieve=phrase("Those who stand out, and a sample"),
    top=phrase("Those who stand out"),
    random=phrase("A random sample"),
    ids=phrase("Rows I name"),
)
"""Whom the game is played for, and what that is called."""
EVERYBODY = 1_000
"""Rows of a real table up to which everybody is the default."""
TRAININGS, AGAIN = 200, 10


def form(audit: Audit) -> RecordsPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan.
    """
    tables, asked = state.tables(audit), Form(RecordsPlan, audit, state.columns(audit))
    left, right = st.columns(2, gap="large")
    with left:
        generator = asked.method("generator")
        across = games.ask_across(asked)
    with right:
        records = _records(asked, len(tables.real))
        together = _together(asked, records)
        has_best = bool(generator) and has_certificates(registry.parse(ROOM, generator), tables.real)
        if _is_by_subsets(asked, generator):
            asked.ask("trainings", right, max_value=1_024, step=32)
            asked.ask("share", right, min_value=0.1, max_value=0.9, step=0.1)
            with st.expander(say("More settings")):
                asked.ask("n_syn", value=len(tables.real), max_value=10_000_000)
                asked.rest("records", *OF_ONE_PERSON)
            if isinstance(records, ParameterError):
                raise records
            asked.check_methods()
            standard.check(tables, [generator], second_table=across)
            return asked.made(records=records)
        _rank(asked, records, has_best=has_best)
        about = say("This many releases with everybody, which all records share, and this many without each record.")
        how = {"value": TRAININGS, "max_value": 5_000, "step": 50, "help": about}
        trainings = asked.ask("inside", label=say("Trainings a side"), key=("trainings",), **how)
    asked.check_methods()
    has_others = tables.holdout is not None and len(tables.holdout) > len(tables.real)
    is_of_one = not together and not (tables.persons and tables.persons.has_several_rows)
    has_bound = not has_best and is_of_one and is_bounded(registry.parse(ROOM, generator))
    _switches(asked, int(trainings), has_best=has_best or has_bound, has_bound=has_bound, has_others=has_others)
    _more(asked, len(tables.real), has_others=has_others)
    if isinstance(records, ParameterError):  # only now: a field that is wrong hides no other
        raise records
    standard.check(tables, [generator], second_table=across)
    return asked.made(records=records)


def _is_by_subsets(asked: Form[RecordsPlan], generator: str) -> bool:
    """Whether few trainings on random parts of the people serve everybody; at first as the method allows."""
    usual = usual_way(generator) if generator else SEEDS
    by = asked.ask("by", value=usual, key=("by", usual), options=[SEEDS, SUBSETS])
    return bool(by == SUBSETS)


def _records(asked: Form[RecordsPlan], rows: int) -> str | ParameterError:
    """Whom it is played for, as a plan spells it; why not, where the rows cannot be read."""
    who = asked.draw(
        st.selectbox,
        "who",
        say("For whom"),
        list(WHO),
        0 if rows <= EVERYBODY else 1,
        WHO.__getitem__,
        help=words.GLOSSARY["outlierness"],
    )
    if who == "all":
        return "all"
    if who == "ids":
        entered = asked.draw(st.text_input, "ids", say("Row numbers, counted from 0"), "", placeholder="3, 17")
        try:
            rows_named = plugin_forms.numbers(entered)
        except ParameterError as error:
            return error
        if not rows_named:
            return ParameterError(say("Name at least one row of the real table, or choose whom to test otherwise."))
        return "ids:" + ",".join(map(str, rows_named))
    parts = []
    for place, (kind, label, usual) in zip(
        st.columns(2),
        (("top", say("Of those who stand out most"), 100), ("random", say("Drawn at random"), 200)),
        strict=True,
    ):
        if who in (kind, "sieve"):
            count = asked.draw(place.number_input, kind, label, 1, rows, min(usual, max(rows // 3, 1)))
            parts.append(f"{kind}:{count}")
    return "+".join(parts)


def _together(asked: Form[RecordsPlan], records: str | ParameterError) -> bool:
    """Whether several rows that are named are one group; nothing is asked where no two are named."""
    if isinstance(records, ParameterError) or not records.startswith(IDS) or "," not in records:
        return False
    return bool(asked.ask("together"))


def _rank(asked: Form[RecordsPlan], records: str | ParameterError, *, has_best: bool) -> None:
    """What standing out means; nothing is asked where nobody is chosen by it, or where there is but one answer."""
    if isinstance(records, ParameterError) or not records.startswith(TOP) or not has_best:
        return
    asked.ask("rank", value=RANKS[1])


def _switches(asked: Form[RecordsPlan], trainings: int, *, has_best: bool, has_bound: bool, has_others: bool) -> None:
    """Whether certificates and the other game are wanted, with a sentence where they cannot be had."""
    left, right = st.columns(2, gap="large")
    with left:
        best = switches.toggle(
            say("The best possible attack"),
            has_best,
            key=asked.key("best", str(has_best)),
            disabled=not has_best,
            help=words.GLOSSARY["certificate"],
        )
    if not has_best:
        left.caption(
            say(
                "Not available for this method: it draws at random while it learns, or has no exact "
                "probabilities. Attacks are run all the same."
            )
        )
    elif has_bound:
        left.caption(say("For this method it is a bound: no attack can reach more. It is the same for every record."))
    label, about = say("Compare with the average over tables"), words.GLOSSARY["traditional"]
    with right:
        other = asked.draw(switches.toggle, "traditional", label, False, disabled=not has_others, help=about)
    if not has_others:
        right.caption(
            say(
                "This needs more other people of the same population than the table has rows. Load them as a holdout "
                "on the Data page."
            )
        )
    asked.values["certificate"] = bool(best and has_best)
    asked.values["traditional"] = trainings if other and has_others else 0


def _more(asked: Form[RecordsPlan], rows: int, *, has_others: bool) -> None:
    """The settings that few will change."""
    with st.expander(say("More settings")):
        left, right = st.columns(2, gap="large")
        asked.ask("n_syn", left, value=rows, max_value=10_000_000)
        asked.ask("shadows", right, max_value=5_000, step=50)
        asked.ask("again", left, value=AGAIN, max_value=10_000)
        screen = asked.ask("screen", right, min_value=0, max_value=5_000, step=10)
        limit = asked.audit.limits.get(RecordsPlan.question)
        asked.ask(
            "screen_limit",
            left,
            value=asked.default.screen_limit if limit is None else min(limit.value, 0.99),
            is_slider=True,
            max_value=0.99,
            step=0.01,
            format=None,
            disabled=not screen,
        )
        asked.ask("knowledge", left, disabled=not has_others)
        if not has_others:
            asked.values["knowledge"] = asked.default.knowledge
        outside = asked.draw(
            right.number_input,
            "outside",
            say("Trainings without each record"),
            1,
            100_000,
            None,
            placeholder=say("as many as with everybody"),
            help=say("Every record has such trainings of its own. All records share the trainings with everybody."),
        )
        asked.values["outside"] = asked.values["inside"] if outside is None else int(outside)
        asked.rest("records", "together", "rank", *OF_PARTS, values=asked.audit.provenance.settings)


def expect(audit: Audit, plan: RecordsPlan) -> None:
    """What these trainings could show, and how long it takes."""
    launch.expect(
        audit,
        plan,
        counts=lambda costs: say(
            "{records}, {trainings} in all.",
            records=counted(costs.numbers["records"], "{n:,} record", "{n:,} records"),
            trainings=counted(costs.numbers["trainings"], "{n:,} training", "{n:,} trainings"),
        ),
        power=_power,
    )


def _power(costs: Forecast | None) -> None:
    if costs is None or not costs.numbers:
        st.markdown(say("What it could show appears together with the time it takes."))
    else:
        st.markdown(
            say(
                "For one record it shows a risk of **{detectable_auc:.2f}** or more in 4 of 5 audits; corrected "
                "for {records}, of **{detectable_among:.2f}** or more (guessing 0.50).",
                detectable_auc=costs.numbers["detectable_auc"],
                records=counted(costs.numbers["records"], "{n:,} record", "{n:,} records"),
                detectable_among=costs.numbers["detectable_among"],
            )
        )
