"""Setting up what is guessed from the release: the secret, what is known, by which model, and what that costs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from riskkit.core import Schema
from riskkit.dashboard import asking, frame, plan_forms, running, state, steps
from riskkit.dashboard import attributes_fields as fields
from riskkit.dashboard.frame import plain
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs.store import Audit, Tables
from riskkit.language import counted, say
from riskkit.questions.attributes import randomised_words as again_said
from riskkit.questions.attributes import words
from riskkit.questions.attributes.forecast import AttributesForecast, forecast_attributes
from riskkit.questions.attributes.known_sets import FIRST, SECOND, WHOLE, greedy_size, offered
from riskkit.questions.attributes.plan import AttributePlan

CHEAP_CELLS = 100_000
"""Cells of all three tables up to which a plan is timed without being asked for."""


def setup(audit: Audit) -> None:
    """The form, what it could detect, how long it takes, and *Run*."""
    st.header(say("Set up the guessing"), anchor=False)
    asking.ask(audit, fields.key(audit, "run"), _plan, _before)


def _without_holdout() -> None:
    """What can be done all the same, and the way to more."""
    st.info(plain(say(words.WITHOUT_HOLDOUT)), icon=":material/info:")
    st.page_link(frame.DATA_PAGE, label=say("Load a holdout on the Data page"), icon=":material/upload_file:")


def _plan(audit: Audit) -> AttributePlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    tables = state.tables(audit)
    _as_shown(audit, tables)
    if tables.holdout is None:
        _without_holdout()
    across = _across(audit, tables)
    schema = _offered(audit, across=across)
    left, right = st.columns(2, gap="large")
    with left:
        secrets = fields.secrets(audit, schema)
        known = fields.known(audit, schema, secrets, across=across)
    with right:
        model = fields.model(audit)
    again = {} if across else fields.generator(audit)
    sweep = fields.sweep(audit, _asked(audit, AttributePlan(second_table=across)).schema, known)
    about = schema.modelled if sweep else [schema.column(name) for name in secrets]
    more = {**fields.tolerance(audit, [column for column in about if column.is_numeric]), **fields.more(audit, schema)}
    if not secrets:
        raise asking.Unanswered(say("Choose at least one secret: a column that the attacker wants to know."))
    if () in known:
        raise ParameterError(say("Choose at least one column that is known, or take all other columns."))
    if not model or again.get("generator") == "":
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    plan = AttributePlan(
        secrets=tuple(secrets), known=known, model=model, sweep=sweep, second_table=across, **again, **more
    )
    plan.units(_asked(audit, plan).schema)
    return plan


def _across(audit: Audit, tables: Tables) -> bool:
    """Whether both tables are asked about together; nothing is asked where there is one alone."""
    if tables.children is None:
        return False
    return bool(
        st.toggle(
            say("Ask across both tables"),
            False,
            key=fields.key(audit, "second_table"),
            persist_state="session",
            help=say(
                "What each person's rows in the second table are like becomes columns of the person: how many there "
                "are, the most frequent value of a category, the mean, least and greatest number, the first and last "
                "date. They can be secrets, and they can be known."
            ),
        )
    )


def _offered(audit: Audit, *, across: bool) -> Schema:
    """The columns that can be asked about; what was chosen of others before is chosen no more.

    Raises
    ------
    DesignError
        The second table of a file is missing.
    """
    tables = state.tables(audit)
    schema = state.kept("summaries offered", audit, lambda: offered(tables)).schema if across else tables.schema
    there = [column.name for column in schema.modelled]
    sets = [name for name in fields.KNOWN if across or name not in (FIRST, SECOND)]
    for name, choices in (("secrets", there), ("columns", there), ("groups", there), ("known", sets)):
        chosen = st.session_state.get(fields.key(audit, name)) or ()
        if not set(chosen) <= set(choices):
            st.session_state[fields.key(audit, name)] = [choice for choice in chosen if choice in choices]
    return schema


def _asked(audit: Audit, plan: AttributePlan) -> Tables:
    """The tables that the plan is asked of."""
    if not plan.second_table:
        return state.tables(audit)
    asked = f"summaries {plan.secrets} {plan.known} {plan.groups}"
    return state.kept(asked, audit, lambda: plan.asked_of(state.tables(audit)))


def _as_shown(audit: Audit, tables: Tables) -> None:
    """Begin with what was asked of the run that is shown, each time another one is: page and form speak of the same."""
    run = running.shown(audit, AttributePlan.question)
    own = fields.key(audit, "as")
    if run is None or run.revision != audit.revision or st.session_state.get(own) == run.id:
        return
    st.session_state[own] = run.id
    with suppress(RiskkitError):  # settings of another version
        _fill(audit, run.plan.asked_of(tables).schema, run.plan)


def _fill(audit: Audit, schema: Schema, plan: AttributePlan) -> None:
    """Put a plan into the fields."""
    there = [column.name for column in schema.modelled]
    named = [known for known in plan.known if isinstance(known, tuple)]
    greedy = [greedy_size(known) for known in plan.known if greedy_size(known)]
    if not set(plan.secrets) <= set(there) or len(named) > 1 or len(greedy) > 1:
        return  # asked elsewhere, in a way that the fields cannot say
    name, _, more = plan.model.partition(":")
    generator = plan.generator.partition(":")[0]
    values: dict[str, Any] = {
        "secrets": list(plan.secrets_of(schema)),
        "known": [name for name in WHOLE if name in plan.known] + ["chosen"] * bool(named) + ["greedy"] * bool(greedy),
        "model": name,
        "generator": generator or None,
        "tolerance": 100 * plan.tolerance,
        **{field: getattr(plan, field) for field in fields.AS_THEY_ARE},
        "groups": list(plan.groups),
        **({"columns": list(named[0])} if named else {}),
        **({"size": greedy[0]} if greedy else {}),
        **({"randomised": plan.randomised, "targets": plan.targets} if generator else {}),
        **plan_forms.as_entered(plan, fields.BY_HAND),
    }
    st.session_state.update({fields.key(audit, field): value for field, value in values.items()})
    if more:
        steps.fill(fields.ROOM, plan.model, fields.key(audit, fields.ROOM, name))
    if generator:
        steps.fill("generators", plan.generator, fields.key(audit, "generators", generator))


def _before(audit: Audit, plan: AttributePlan) -> None:
    """What these records could show, and how long it takes; timed at once where that is quick, else when asked for."""
    st.markdown(say("**Before you run**"))
    left, right = st.columns(2, gap="large")
    with right:
        forecast = _forecast(audit, plan)
    if isinstance(forecast, str):
        right.error(plain(forecast), icon=":material/cancel:")
    elif forecast is None:
        right.markdown(say("How long it takes is not known yet."))
    else:
        right.markdown(
            say(
                "This takes **{duration}**: {sets}, {detailed:,} of them in detail.",
                duration=asking.duration(forecast.seconds),
                sets=counted(forecast.units, "{n:,} secret and known set", "{n:,} secret and known sets"),
                detailed=forecast.detailed,
            )
            + (
                say(
                    " This includes {trainings} of the generator.",
                    trainings=counted(forecast.trainings, "{n:,} new training", "{n:,} new trainings"),
                )
                if forecast.trainings
                else ""
            )
        )
    if plan.generator:
        asked = sum(unit.detailed for unit in plan.units(_asked(audit, plan).schema))
        right.caption(plain(again_said.asks(plan.generator, plan.randomised, plan.targets, asked)))
    left.markdown(plain(_power(audit, plan, forecast)))


def _power(audit: Audit, plan: AttributePlan, forecast: AttributesForecast | str | None) -> str:
    """What could be shown: by the forecast where there is one, else for half of the people guessed rightly."""
    if isinstance(forecast, AttributesForecast) and forecast.detectable_residual is not None:
        return words.shows(forecast.n_members, forecast.n_control, forecast.units, forecast.detectable_residual)
    tables = _asked(audit, plan)
    asked = [0 if table is None else min(len(table), plan.max_rows) for table in (tables.real, tables.holdout)]
    looks = len({(unit.secret, unit.known) for unit in plan.units(tables.schema)})
    return words.could_show(asked[0], asked[1], looks, plan.level)


def _forecast(audit: Audit, plan: AttributePlan) -> AttributesForecast | str | None:
    """What the plan costs, why it cannot be played, or nothing where nobody asked."""
    return asking.foreseen(
        audit,
        plan,
        fields.key(audit),
        lambda: forecast_attributes(state.tables(audit), plan, workers=running.workers()),
        telling=say("Guessing on a few rows, to time it"),
        is_cheap=asking.is_light(audit, fields.key(audit), CHEAP_CELLS),
    )
