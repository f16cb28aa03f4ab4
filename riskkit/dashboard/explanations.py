"""Setting up the attack on explanations: the model, what it learns from, the attackers, the defences, and the cost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.core import Schema
from riskkit.dashboard import asking, forms, plan_forms, running, state, steps
from riskkit.dashboard.frame import option, plain
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.explanations import words
from riskkit.questions.explanations.forecast import ExplanationsForecast, forecast_explanations
from riskkit.questions.explanations.plan import CHANGES, MOST_AUXILIARY, RATES, SYNTHETIC, ExplanationPlan
from riskkit.questions.explanations.play import defence_title

CHANGED = tuple(f"{name}={count}" for name, counts in zip(CHANGES, ((10, 50), (5,)), strict=True) for count in counts)
"""Settings of the service that can be tried like a defence."""
SWEPT = (100, 200, 400, 800, 1600)
"""Rows of a sweep, as far as there are so many."""
SOURCES = wording.choices(ExplanationPlan, "trained_on")

BY_HAND = frozenset(
    {
        "target",
        "model",
        "attackers",
        "auxiliary",
        "trained_on",
        "explainer",
        "references",
        "defences",
        "optimisers",
        "tolerance",
    }
)
"""Settings that the form asks for in its own words; it draws all others from the plan."""

key = partial(asking.key, "explanations")


def setup(audit: Audit) -> None:
    """The form, what it could detect, how long it takes, and *Run*."""
    st.header(say("Set up the service and its attackers"), anchor=False)
    asking.ask(audit, key(audit, "run"), _plan, _before)


def _plan(audit: Audit) -> ExplanationPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan, or it cannot be played on these tables.
    """
    schema = state.tables(audit).real.schema
    left, right = st.columns(2, gap="large")
    with left:
        service = _service(audit, schema)
    with right:
        attackers = _attackers(audit)
        rows, sweep = _rows(audit)
    defences, optimisers = _beside(audit)
    more = _more(audit)
    if not service["model"] or "" in attackers:
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    if not attackers:
        raise ParameterError(say("Choose at least one attacker."))
    plan = ExplanationPlan(
        **service, attackers=attackers, auxiliary=rows, defences=defences, optimisers=optimisers, **more
    )
    most = plan.sizes(plan.deal(state.tables(audit)))[-1]
    return replace(plan, auxiliary=(*(size for size in SWEPT if size < most), most)) if sweep else plan


def _service(audit: Audit, schema: Schema) -> dict[str, Any]:
    """What the model answers, which model, what it learns from, and what it compares with."""
    there = [column.name for column in schema.modelled]
    default = ExplanationPlan()
    target = st.selectbox(
        say("Answered column"),
        there,
        there.index(default.target_of(schema)),
        format_func=option,
        key=key(audit, "target"),
        persist_state="session",
        help=say("What the model predicts; every other column in use is an input."),
    )
    models = list(registry.plugins("explained"))
    model = st.selectbox(
        say("Model that is explained"),
        models,
        models.index(default.model),
        lambda name: forms.title("explained", name),
        key=key(audit, "model"),
        persist_state="session",
    )
    spelled = steps.form("explained", str(model), key(audit, "explained", str(model)))
    sources = [name for name in SOURCES if name == "real" or "synthetic" in audit.files]
    source = st.segmented_control(
        say("Trained on"),
        sources,
        default="real",
        required=True,
        format_func=SOURCES.__getitem__,
        key=key(audit, "source"),
        persist_state="session",
        help=say("Whatever the model is trained on, the victims are real people."),
    )
    references = st.number_input(
        say("Reference rows"),
        1,
        1_000,
        default.references,
        key=key(audit, "references"),
        persist_state="session",
        help=words.GLOSSARY["references"],
    )
    explainer = st.selectbox(
        say("Shapley values are computed by"),
        words.OFFERED,
        words.OFFERED.index(default.explainer),
        format_func=words.EXPLAINERS.__getitem__,
        key=key(audit, "explainer"),
        persist_state="session",
        help=words.GLOSSARY["explainer"],
    )
    return {
        "target": str(target),
        "model": spelled,
        "trained_on": str(source),
        "references": int(references),
        "explainer": str(explainer),
    }


def _attackers(audit: Audit) -> tuple[str, ...]:
    """The attackers, spelled; an empty text for one whose form cannot be used."""
    st.markdown(say("Attackers"))
    there = list(registry.plugins("inverters"))
    own = key(audit, "inverters")
    if own not in st.session_state:
        st.session_state[own] = list(ExplanationPlan().attackers)
    names = st.multiselect(
        say("Attackers"),
        there,
        key=own,
        format_func=lambda name: forms.title("inverters", name),
        label_visibility="collapsed",
        persist_state="session",
        placeholder=say("Choose at least one"),
        wrap=True,
    )
    return tuple(steps.form("inverters", name, key(audit, "inverters", name)) for name in names)


def _rows(audit: Audit) -> tuple[tuple[int, ...], bool]:
    """How many rows the attacker holds, none named where it is to hold what there is; and whether fewer are tried."""
    rows = st.number_input(
        say("Rows the attacker holds"),
        1,
        1_000_000,
        None,
        key=key(audit, "rows"),
        persist_state="session",
        placeholder=say("as many as there are, up to {most_auxiliary:,}", most_auxiliary=MOST_AUXILIARY),
        help=words.GLOSSARY["rows"],
    )
    sweep = st.toggle(
        say("Sweep over fewer rows too"),
        False,
        key=key(audit, "sweep"),
        persist_state="session",
        help=say("Runs the same attackers with fewer rows as well, to see how many rows they need."),
    )
    return () if rows is None else (int(rows),), bool(sweep)


def _beside(audit: Audit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Defences to be tried, and optimisers to be compared."""
    left, right = st.columns(2, gap="large")
    there = [*registry.plugins("defences"), *CHANGED, *([SYNTHETIC] if "synthetic" in audit.files else [])]
    with left:
        names = st.multiselect(
            say("Defences to try"),
            there,
            key=key(audit, "defences"),
            format_func=_defence_title,
            persist_state="session",
            placeholder=say("None"),
            help=say(
                "Each defence is attacked too, beside the service without a defence. Each adds the same time again."
            ),
            wrap=True,
        )
        rooms = registry.plugins("defences")
        spelled = [steps.form("defences", n, key(audit, "defences", n)) if n in rooms else n for n in names]
    with right:
        rates = st.multiselect(
            say("Compare optimisers of the attacking network"),
            list(RATES),
            key=key(audit, "optimisers"),
            format_func=words.RATES.__getitem__,
            persist_state="session",
            placeholder=say("No"),
            help=say(
                "The learning rates of the papers differ between optimisers, so compare them at equal or tuned "
                "rates too."
            ),
            wrap=True,
        )
    if "" in spelled:
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    return tuple(spelled), tuple(rates)


def _defence_title(name: str) -> str:
    if name in registry.plugins("defences"):
        return forms.title("defences", name)
    title = defence_title(name)
    return title[0].upper() + title[1:]


def _more(audit: Audit) -> dict[str, Any]:
    """The settings that few will change."""
    default = ExplanationPlan()
    with st.expander(say("More settings")):
        within = st.number_input(
            say("A number counts as right within (% of the range)"),
            0.0,
            99.0,
            100 * default.tolerance,
            1.0,
            "%.1f",
            key=key(audit, "tolerance"),
            persist_state="session",
        )
        more = plan_forms.rest(ExplanationPlan, BY_HAND, partial(key, audit), names=state.columns(audit))
        return {"tolerance": within / 100, **more}


def _before(audit: Audit, plan: ExplanationPlan) -> None:
    """What the victims could show, and how long it takes, which is timed when asked for."""
    st.markdown(say("**Before you run**"))
    left, right = st.columns(2, gap="large")
    with right:
        forecast = _forecast(audit, plan)
    if isinstance(forecast, str):
        right.error(plain(forecast), icon=":material/cancel:")
        return
    tables = state.tables(audit)
    schema, victims = tables.schema, plan.victims_of(len(tables.real))
    models = counted(len(plan.units(plan.target_of(schema))), "{n:,} model", "{n:,} models")
    if forecast is None:
        right.markdown(say("{models} will be attacked. How long it takes is not known yet.", models=models))
    else:
        right.markdown(
            say(
                "This takes **{duration}**: {models} will be attacked.",
                duration=asking.duration(forecast.seconds),
                models=models,
            )
        )
    left.markdown(words.could_show(victims, len(plan.attackers) * len(schema.modelled), plan.level))


def _forecast(audit: Audit, plan: ExplanationPlan) -> ExplanationsForecast | str | None:
    """What the plan costs, why it cannot be played, or nothing where nobody asked."""
    return asking.foreseen(
        audit,
        plan,
        key(audit),
        lambda: forecast_explanations(state.tables(audit), plan, workers=running.workers()),
        telling=say("Attacking with a few rows, to time it"),
    )
