"""The form about guessed secrets: the secret, what is known, by which model, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from riskkit.core import Column, Kind, Schema
from riskkit.dashboard.forms import launch, plugin_forms, steps
from riskkit.dashboard.forms.plan_forms import Form, as_entered
from riskkit.dashboard.frame import run_view, state
from riskkit.dashboard.frame.shell import option, plain
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs.store import Audit, Tables
from riskkit.language import Readings, again, counted, phrase, say
from riskkit.questions.attributes import words
from riskkit.questions.attributes.plan import (
    BEST,
    FEWEST_RERUNS,
    FIRST,
    GREEDY,
    OTHERS,
    SECOND,
    WHOLE,
    AttributePlan,
    KnownSet,
    greedy_size,
    tables_with_summaries,
)
from riskkit.questions.forecasts import Forecast
from riskkit.questions.runs import plan_of
from riskkit.questions.standard import secrets_of

ROOM = "inference"
KNOWN = Readings(
    {
        OTHERS: phrase("All others"),
        FIRST: phrase("The first table"),
        SECOND: phrase("The second table"),
        "chosen": phrase("Chosen columns"),
        "greedy": phrase("The worst few"),
    }
)
"""What an attacker may know, and what it is called."""
AS_THEY_ARE = ("sweep", "second_table", "absolute", "confidence", "no_match", "baseline")
"""Settings whose fields hold what the plan does."""
TURNED = ("secrets", "known", "model", "generator", "randomised", "targets", "tolerance", "groups")
"""Settings whose fields hold it in another form."""
Asked = Form[AttributePlan]
key = partial(launch.key, "attributes")


def form(audit: Audit) -> AttributePlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    tables, asked = state.tables(audit), Form(AttributePlan, audit)
    _as_shown(audit, tables)
    if tables.holdout is None:
        launch.miss_holdout(say(words.WITHOUT_HOLDOUT))
    across = tables.children is not None and bool(asked.ask("second_table"))
    schema = _askable_columns(audit, across=across)
    left, right = st.columns(2, gap="large")
    with left:
        secrets = _secrets(asked, schema)
        known = _known_sets(asked, schema, secrets, across=across)
    with right:
        _model(asked)
    if not across:
        _generator(asked)
    sweep = _sweep(asked, _tables_of_plan(audit, AttributePlan(second_table=across)).schema, known)
    about = schema.modelled if sweep else [schema.column(name) for name in secrets]
    _tolerance(asked, [column for column in about if column.is_numeric])
    _more(asked, schema)
    if not secrets:
        raise launch.Unanswered(say("Choose at least one secret: a column that the attacker wants to know."))
    if () in known:
        raise ParameterError(say("Choose at least one column that is known, or take all other columns."))
    plan = asked.made(secrets=tuple(secrets), known=known)
    plan.units(_tables_of_plan(audit, plan).schema)
    return plan


def _askable_columns(audit: Audit, *, across: bool) -> Schema:
    """The columns that can be asked about; what was chosen of others before is chosen no more.

    Raises
    ------
    DesignError
        The second table of a file is missing.
    """
    tables = state.tables(audit)
    schema = (
        state.cached("summaries offered", audit, lambda: tables_with_summaries(tables)).schema
        if across
        else tables.schema
    )
    there = [column.name for column in schema.modelled]
    sets = [name for name in KNOWN if across or name not in (FIRST, SECOND)]
    for name, choices in (("secrets", there), ("columns", there), ("groups", there), ("known", sets)):
        chosen = st.session_state.get(key(audit, name)) or ()
        if not set(chosen) <= set(choices):
            st.session_state[key(audit, name)] = [choice for choice in chosen if choice in choices]
    return schema


def _tables_of_plan(audit: Audit, plan: AttributePlan) -> Tables:
    """The tables that the plan is asked of."""
    if not plan.second_table:
        return state.tables(audit)
    asked = f"summaries {plan.secrets} {plan.known} {plan.groups}"
    return state.cached(asked, audit, lambda: plan.summarise(state.tables(audit)))


def _as_shown(audit: Audit, tables: Tables) -> None:
    """Begin with what was asked of the run that is shown, each time another one is: page and form speak of the same.

    Before a first run with the secrets of the page Audit: those that were named there, or that it guesses.
    """
    run = run_view.current_run(audit, AttributePlan.question)
    own = key(audit, "as")
    secrets = secrets_of(audit.answers, tables.schema)
    if own not in st.session_state or (run is None and st.session_state[own] != secrets):
        st.session_state.update({own: secrets, key(audit, "secrets"): list(secrets)})
    if run is None or run.revision != audit.revision or st.session_state.get(own) == run.id:
        return
    st.session_state[own] = run.id
    with suppress(RiskkitError):  # settings of another version
        _fill(audit, plan_of(run).summarise(tables).schema, plan_of(run))


def _fill(audit: Audit, schema: Schema, plan: AttributePlan) -> None:
    """Put a plan into the fields."""
    there = [column.name for column in schema.modelled]
    named = [known for known in plan.known if isinstance(known, tuple)]
    greedy = [greedy_size(known) for known in plan.known if greedy_size(known)]
    if not set(plan.secrets_of(schema)) <= set(there) or len(named) > 1 or len(greedy) > 1:
        return  # asked elsewhere, in a way that the fields cannot say
    name, _, more = plan.model.partition(":")
    generator = plan.generator.partition(":")[0]
    values: dict[str, Any] = {
        "secrets": list(plan.secrets_of(schema)),
        "known": [name for name in WHOLE if name in plan.known] + ["chosen"] * bool(named) + ["greedy"] * bool(greedy),
        "model": name,
        "generator": generator or None,
        "tolerance": 100 * plan.tolerance,
        **{field: getattr(plan, field) for field in AS_THEY_ARE},
        "groups": list(plan.groups),
        **({"columns": list(named[0])} if named else {}),
        **({"size": greedy[0]} if greedy else {}),
        **({"randomised": plan.randomised, "targets": plan.targets} if generator else {}),
        **as_entered(plan, (*AS_THEY_ARE, *TURNED)),
    }
    st.session_state.update({key(audit, field): value for field, value in values.items()})
    if more:
        steps.fill(ROOM, plan.model, key(audit, ROOM, name))
    if generator:
        steps.fill("generators", plan.generator, key(audit, "generators", generator))


# --------------------------------------------------------------------------------------------------------------
# Fields: each asks for one setting, or a few that belong together


def _columns(asked: Asked, name: str, label: str, there: Sequence[str], about: str, nothing: str) -> list[str]:
    """A menu of several columns."""
    how: dict[str, Any] = {"format_func": option, "placeholder": nothing, "help": about}
    return list(asked.draw(st.multiselect, name, label, list(there), **how, wrap=True))


def _secrets(asked: Asked, schema: Schema) -> list[str]:
    """The columns to be guessed."""
    about = say("What the attacker wants to know of a person.")
    there = [column.name for column in schema.modelled]
    return _columns(asked, "secrets", say("Secret"), there, about, say("Choose at least one"))


def _known_sets(asked: Asked, schema: Schema, secrets: Sequence[str], *, across: bool) -> tuple[KnownSet, ...]:
    """What the attacker has, one entry a set; an empty one where no column was chosen yet."""
    st.session_state.setdefault(asked.key("known"), [OTHERS])
    picked = asked.draw(
        st.pills,
        "known",
        say("Known to the attacker"),
        [name for name in KNOWN if across or name not in (FIRST, SECOND)],
        selection_mode="multi",
        format_func=KNOWN.__getitem__,
        help=say(
            "Each set is asked about separately. “The worst few” are the columns that tell most, found on "
            "the release by cross-validation."
        ),
    )
    known: list[KnownSet] = [name for name in WHOLE if name in picked]
    if "chosen" in picked:
        there = [column.name for column in schema.modelled if [column.name] != list(secrets)]
        about = say("What somebody may know of a neighbour: age, sex, district.")
        columns = _columns(asked, "columns", say("Columns known"), there, about, say("Choose at least one"))
        known += [tuple(columns)]
    if "greedy" in picked:
        most = max(len(schema.modelled) - 1, 1)
        size = asked.draw(st.number_input, "size", say("How many columns"), 1, most, min(3, most))
        known += [f"{GREEDY}{size}"]
    return tuple(known)


def _model(asked: Asked) -> None:
    """The model that guesses."""

    def beneath(name: str) -> str:
        return say(words.BEST) if name == BEST else ""

    asked.method("model", more={BEST: again(words.BEST_TITLE)}, beneath=beneath)


def _generator(asked: Asked) -> None:
    """The generator that is run again with secrets drawn anew, where one is named."""

    def beneath(name: str) -> str:
        return say(words.WHAT) if name else say(words.NO_GENERATOR)

    how: dict[str, Any] = {"placeholder": say("None"), "help": say(words.WHAT), "beneath": beneath}
    if not asked.method("generator", say("Generator to run again"), **how):
        return
    left, right = st.columns(2, gap="large")
    asked.ask("randomised", left, value=20, min_value=FEWEST_RERUNS, max_value=1000)
    asked.ask("targets", right, max_value=100_000)


def _sweep(asked: Asked, schema: Schema, known: Sequence[KnownSet]) -> bool:
    """Whether every column is asked about, with the number of questions first."""
    on = asked.ask("sweep")
    title = plugin_forms.title(ROOM, asked.default.sweep_model)
    st.caption(words.asks(len(schema.modelled), len(known)) + say(", guessed by: {title}.", title=title))
    return bool(on)


def _tolerance(asked: Asked, numeric: Sequence[Column]) -> None:
    """When a guessed number counts as right; nothing is asked where no number is guessed."""
    if not numeric:
        return
    dates = all(column.kind is Kind.DATE for column in numeric)
    unit = (
        say("days")
        if dates
        else say("in the unit of {name}", name=plain(numeric[0].name))
        if len(numeric) == 1
        else say("in its own unit")
    )
    left, right = st.columns(2, gap="large")
    label, first = say("A number is right within (% of the true value)"), 100 * asked.default.tolerance
    about = say("For dates only the distance counts.")
    ends = (0.0, 100.0, first, 1.0, "%.1f")
    asked.values["tolerance"] = (
        asked.draw(left.number_input, "tolerance", label, *ends, disabled=dates, help=about) / 100
    )
    half, label = say("half a unit of the last decimal"), say("or within this distance ({unit})", unit=unit)
    asked.ask("absolute", right, label, placeholder=half, format=None)


def _more(asked: Asked, schema: Schema) -> None:
    """Groups, and the settings that few will change."""
    about = say(
        "Are the people of some group easier to guess? The interval of the worst group is corrected for testing "
        "all groups."
    )
    there = [column.name for column in schema.modelled]
    groups = _columns(asked, "groups", say("Groups to report separately"), there, about, say("None"))
    asked.values["groups"] = tuple(groups)
    with st.expander(say("More settings")):
        left, right = st.columns(2, gap="large")
        asked.ask("confidence", right, is_slider=True, step=0.05, format=None)
        asked.ask("no_match", right)
        asked.ask("baseline", left)
        asked.rest(*AS_THEY_ARE, *TURNED)


# --------------------------------------------------------------------------------------------------------------
# Before


def expect(audit: Audit, plan: AttributePlan) -> None:
    """What these records could show, and how long it takes."""
    again = ""
    if plan.generator:
        asked = sum(unit.detailed for unit in plan.units(_tables_of_plan(audit, plan).schema))
        again = words.cost_in_trainings(plan.generator, plan.randomised, plan.targets, asked)
    launch.expect(
        audit,
        plan,
        counts=_counts,
        power=partial(_power, audit, plan),
        more=again,
    )


def _counts(forecast: Forecast) -> str:
    count = forecast.numbers
    about = say(
        "{sets}, {detailed:,} of them in detail.",
        sets=counted(count["units"], "{n:,} secret and known set", "{n:,} secret and known sets"),
        detailed=count["detailed"],
    )
    if not count["trainings"]:
        return about
    trainings = counted(count["trainings"], "{n:,} new training", "{n:,} new trainings")
    return about + say(" This includes {trainings} of the generator.", trainings=trainings)


def _power(audit: Audit, plan: AttributePlan, forecast: Forecast | None) -> None:
    """What could be shown: by the forecast where there is one, else for half of the people guessed rightly."""
    numbers = {} if forecast is None else forecast.numbers
    if (reach := numbers.get("detectable_residual")) is not None:
        shows = words.shows(numbers["n_members"], numbers["n_control"], numbers["units"], reach)
    else:
        tables = _tables_of_plan(audit, plan)
        asked = [0 if table is None else min(len(table), plan.max_rows) for table in (tables.real, tables.holdout)]
        looks = len({(unit.secret, unit.known) for unit in plan.units(tables.schema)})
        shows = words.could_show(asked[0], asked[1], looks, plan.level)
    st.markdown(plain(shows))
