"""The page of attacks on explanations: the service, its attackers and defences; what they recovered, and one victim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from riskkit import language, registry
from riskkit.core import Schema
from riskkit.dashboard.forms import launch, plugin_forms
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import results, state, switches, verdicts, views
from riskkit.dashboard.frame.shell import option, plain
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.errors import ParameterError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import again, counted, say
from riskkit.questions.explanations import present, words
from riskkit.questions.explanations.plan import CHANGES, MOST_AUXILIARY, SYNTHETIC, ExplanationPlan
from riskkit.questions.explanations.result import ExplanationsResult
from riskkit.show.model import Block, RunFinding
from riskkit.show.names import Names

CHANGED = tuple(f"{name}={count}" for name, counts in zip(CHANGES, ((10, 50), (5,)), strict=True) for count in counts)
"""Settings of the service that can be tried like a defence."""
SWEPT = (100, 200, 400, 800, 1600)
"""Rows of a sweep, as far as there are so many."""


def page() -> QuestionPage:
    """The page of attacks on explanations; they are of a model, so what the file gives away is not said there."""
    return QuestionPage(
        name=ExplanationPlan.question,
        warns=False,
        about=say(
            "This page is for those who run a prediction service that shows explanations (Shapley values). "
            "If you publish only the table, skip it."
        ),
        show=show,
        heading=say("Set up the service and its attackers"),
        form=_plan,
        expect=_before,
    )


def _plan(audit: Audit) -> ExplanationPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan, or it cannot be played on these tables.
    """
    schema = state.tables(audit).real.schema
    asked = Form(ExplanationPlan, audit, state.columns(audit))
    left, right = st.columns(2, gap="large")
    with left:
        _service(asked, schema)
    with right:
        st.markdown(say("Attackers"))
        asked.methods("attackers", columns=1)
        rows = asked.draw(
            st.number_input,
            "rows",
            say("Rows the attacker holds"),
            1,
            1_000_000,
            None,
            placeholder=say("as many as there are, up to {most_auxiliary:,}", most_auxiliary=MOST_AUXILIARY),
            help=words.GLOSSARY["rows"],
        )
        asked.values["auxiliary"] = () if rows is None else (int(rows),)
        about = say("Runs the same attackers with fewer rows as well, to see how many rows they need.")
        sweep = bool(asked.draw(switches.toggle, "sweep", say("Sweep over fewer rows too"), False, help=about))
    _beside(asked)
    with st.expander(say("More settings")):
        label, first = say("A number counts as right within (% of the range)"), 100 * asked.default.tolerance
        asked.values["tolerance"] = asked.draw(st.number_input, "tolerance", label, 0.0, 99.0, first, 1.0, "%.1f") / 100
        asked.rest()
    if not asked.values["attackers"]:
        raise ParameterError(say("Choose at least one attacker."))
    plan = asked.made()
    most = plan.sizes(plan.deal(state.tables(audit)))[-1]
    return replace(plan, auxiliary=(*(size for size in SWEPT if size < most), most)) if sweep else plan


def _service(asked: Form[ExplanationPlan], schema: Schema) -> None:
    """What the model answers, which model, what it learns from, and what it compares with."""
    there = [column.name for column in schema.modelled]
    asked.values["target"] = asked.draw(
        st.selectbox,
        "target",
        say("Answered column"),
        there,
        there.index(asked.default.target_of(schema)),
        option,
        help=say("What the model predicts; every other column in use is an input."),
    )
    asked.method("model")
    sources = ["real", *(["synthetic"] if "synthetic" in asked.audit.files else [])]
    asked.ask("trained_on", key=("source",), options=sources)
    asked.ask("references", max_value=1_000)
    asked.ask("explainer", options=words.OFFERED, help=words.GLOSSARY["explainer"])


def _beside(asked: Form[ExplanationPlan]) -> None:
    """Defences to be tried, and optimisers to be compared."""
    left, right = st.columns(2, gap="large")
    rooms = registry.plugins("defences")
    with left:
        names = asked.draw(
            st.multiselect,
            "defences",
            say("Defences to try"),
            [*rooms, *CHANGED, *([SYNTHETIC] if "synthetic" in asked.audit.files else [])],
            format_func=_defence_title,
            placeholder=say("None"),
            help=say(
                "Each defence is attacked too, beside the service without a defence. Each adds the same time again."
            ),
            wrap=True,
        )
        asked.values["defences"] = tuple(asked.spell("defences", name) if name in rooms else name for name in names)
    asked.ask("optimisers", right, placeholder=say("No"))


def _defence_title(name: str) -> str:
    title = words.change_title(name) or plugin_forms.plugin_title("defences", name)
    return title[0].upper() + title[1:]


def _before(audit: Audit, plan: ExplanationPlan) -> None:
    """What the victims could show, and how long it takes."""
    schema = state.tables(audit).schema
    models = counted(len(plan.units(plan.target_of(schema))), "{n:,} model", "{n:,} models")

    def power(_: object) -> None:
        tables = state.tables(audit)
        victims = plan.victims_of(len(tables.real))
        st.markdown(words.could_show(victims, len(plan.attackers) * len(tables.schema.modelled), plan.level))

    launch.expect(audit, plan, counts=say("{models} will be attacked.", models=models), power=power)


# --------------------------------------------------------------------------------------------------------------
# What was found


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = ExplanationsResult.from_plain(kept)
    names, attacker = views.names(), result.best.attacker

    def beneath(_: RunFinding) -> None:
        nonlocal attacker
        views.draw_all(present.defence_results(result, names), run.question)
        if result.is_shown and not result.tried:
            st.markdown(
                say(
                    "**What lowers it.** Round the explanations, add noise, or show the top reasons alone. Not tested "
                    "yet: choose defences in the settings below."
                )
            )
        picture = st.container()
        attacker, measure = _looked_at(result, names)
        with picture:
            views.draw(present.features(result, names, attacker, measure), run.question)

    def more(_: str) -> None:
        views.draw_all(present.in_full(result), run.question)

    judged = verdicts.show(audit, run, beneath=beneath, more=more)

    def features(_: Block) -> None:
        if result.records.truth:
            with st.expander(say("One victim: recovered and true values")):
                _victim(result, attacker, names)

    def correlation(_: Block) -> None:
        with st.expander(say("Recovered inputs, by what the answer depends on")):
            views.draw(present.correlation(result, names, attacker), run.question)

    def numbers(block: Block) -> None:
        results.for_whom(judged)
        views.draw(block, run.question)

    hooks = dict.fromkeys((*present.IN_FULL, "stopped"), views.nowhere)
    views.show(judged[0][0], {**hooks, "features": features, "correlation": correlation, "numbers": numbers})
    results.notes([*map(language.again, result.notes), *again(words.LIMITS)])
    passed_on = {**result.as_dict(), "seconds": kept["seconds"]}
    results.settings(audit, run, passed_on, say("It holds no value of a row."))


def _looked_at(result: ExplanationsResult, names: Names) -> tuple[str, str]:
    """The attacker and the measure whose picture is shown."""
    left, right = st.columns(2, gap="large")
    attackers = list(result.attackers)
    attacker = left.selectbox(
        say("Attacker shown"),
        attackers,
        attackers.index(result.best.attacker),
        lambda name: present.who(name, names),
        key="explanations.attacker",
    )
    measure = right.selectbox(
        say("Measure"), list(present.SHOWN), 0, present.SHOWN.__getitem__, key="explanations.measure"
    )
    return str(attacker), str(measure)


def _victim(result: ExplanationsResult, attacker: str, names: Names) -> None:
    """One victim: input by input recovered or missed; the values themselves only when asked for."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    number = left.number_input(
        say("Victim"),
        1,
        len(result.records.truth),
        1,
        key="explanations.victim",
        help=say("Drawn at random from your table."),
    )
    with right:
        revealed = switches.toggle(
            say("Show the values"),
            key="explanations.reveal",
            help=say("True values of a real person; they are in no download."),
        )
    rows = present.victim(result, int(number) - 1, attacker, revealed=bool(revealed))
    hit = sum(row["right"].startswith("✓") for row in rows)
    st.markdown(
        say(
            "**{attacker} recovers {hit} of {values} of victim {at}**",
            attacker=plain(present.who(attacker, names)),
            hit=hit,
            values=counted(len(rows), "{n:,} value", "{n:,} values"),
            at=number,
        )
    )
    columns: dict[str, Any] = {
        "input": say("Input"),
        "true": say("True"),
        "recovered": say("Recovered"),
        "right": say("Right"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Recovered and true values of one victim"))
    st.caption(present.victim_sentence(result, int(number) - 1, attacker))
    if revealed:
        st.markdown(f":material/lock: {say('Restricted: values of a person in the real table.')}")
