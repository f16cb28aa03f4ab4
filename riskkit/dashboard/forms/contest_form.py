"""The form of a contest: who takes part, who attacks, among how many people, by which rules, and what that costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.core import Kind, Role, Schema
from riskkit.dashboard.forms import asking, contest_handed, plugin_forms, steps
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import running, shell, standing, state, switches
from riskkit.dashboard.frame.shell import option, plain
from riskkit.errors import ParameterError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.plans import split_list
from riskkit.questions.contest import words
from riskkit.questions.contest.forecast import forecast_contest
from riskkit.questions.contest.plan import BASE, FEWEST_ROUNDS, FORM, PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.opponents import ALIASES, SUITE
from riskkit.questions.runs import plan_of

ANONYMISERS = ("stat", "evasion")
"""Chosen at first, beside the sweeps: the organisers' own, and what misled their attack."""
SWEEPS = "pram:p={0.5/0.7/0.9}\nkanonymity:k={3/10}\nnoise:scale={0.1/0.5}"
MODELS = ("tree",)
"""Learns from each release at first, where there is a category to tell."""
LARGEST = 100_000
"""Rows of a population at first, at most: as many as in the PWS Cup 2020."""

Asked = Form[ContestPlan]


def form(audit: Audit) -> ContestPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    schema = state.tables(audit).real.schema
    asked = Form(ContestPlan, audit)
    st.caption(words.MODES_ABOUT[asked.ask("mode", say("What attackers do"))])
    source = asked.values["source"] = _source(asked)
    is_uploaded = source == PEOPLE and "synthetic" in audit.files
    _sizes(asked, source)
    st.markdown(say("**Anonymisers**"))
    asked.values["anonymisers"] = anonymisers = _anonymisers(asked)
    st.markdown(say("**Attackers**"))
    names = [ALIASES.get(name, name) for name in SUITE]
    attackers = steps.room("released", say("Attackers"), list(registry.plugins("released")), names, asked.key)
    asked.values["attackers"] = tuple(attackers)
    st.markdown(say("**Usefulness and rounds**"))
    _rules(asked, schema, is_uploaded=is_uploaded)
    with st.expander(say("More settings")):
        asked.rest("population", "sample", "rounds", "classifiers", "secret")
        asked.values["bundle"] = asked.draw(
            switches.toggle,
            "bundle",
            say("Keep a bundle to download"),
            asked.default.bundle,
            help=say(
                "Population, who was in, releases, guesses and scores as CSV in one ZIP file, so that others "
                "can play on. Where the people themselves are the population it holds real rows."
            ),
        )
    if "" in (*anonymisers, *attackers):
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    if not attackers:
        raise ParameterError(say("Choose at least one attacker."))
    plan = _declarations(audit, _preliminary(audit, contest_handed.section(audit, asked.made())))
    if not anonymisers and not plan.given and not is_uploaded:
        raise ParameterError(say("Choose at least one anonymiser, or hand in a release: nothing takes part."))
    return plan


def _source(asked: Asked) -> str:
    """Where the population comes from; at first the people, where the loaded release can take part."""
    there = [name for name in words.SOURCES if name != PEOPLE or "holdout" in asked.audit.files]
    about = say("Everybody may see the population. The secret is who of it was in the sample.")
    label, title = say("Who might have been in"), words.SOURCES.__getitem__
    picked = str(asked.draw(st.selectbox, "source", label, there, 0, title, help=about))
    st.caption(words.ABOUT[picked])
    if PEOPLE not in there:
        st.info(words.WITHOUT_HOLDOUT, icon=":material/info:")
        st.page_link(shell.DATA_PAGE, label=say("Load a holdout on the Data page"), icon=":material/upload_file:")
    return picked


def _sizes(asked: Asked, source: str) -> None:
    """How many might have been in, how many were, and how many are named."""
    rows = int(asked.audit.files["real"]["rows"])
    left, middle, right = st.columns(3, gap="large")
    if source == PEOPLE:
        right, asked.values["condition"] = left, ""
    else:
        population = rows if source == BASE else min(max(10 * rows, 100), LARGEST)
        most: dict[str, Any] = {"max_value": 1_000_000}
        about = say("Rows that might have been in; everybody sees them.")
        label, key = say("Population (rows)"), (source, "population")
        asked.ask("population", label, about, left, key=key, value=max(population, 2), **most)
        about = say("Rows of the population that are in; each anonymiser is dealt a sample of its own.")
        label, key = say("Sample (rows)"), (source, "sample")
        asked.ask("sample", label, about, middle, key=key, value=max(population // 10, 1), **most)
        condition = asked.draw(
            left.text_input,
            (source, "condition"),
            say("Who can be in"),
            "",
            placeholder=say("everybody"),
            max_chars=200,
            help=say(
                "A condition that everybody knows: COLUMN=LEVEL, COLUMN>=NUMBER or COLUMN<=NUMBER. Only people "
                "who meet it can be in and are asked about."
            ),
        )
        asked.values["condition"] = condition.strip()
    first = min(asked.default.guesses, max(rows // 2, 1))
    label, about = say("Rows that an attacker names"), say("Those it is surest of.")
    asked.ask("guesses", label, about, right, value=first, max_value=1_000_000)


def _anonymisers(asked: Asked) -> tuple[str, ...]:
    """Those with a form of their own, then those that are written, sweeps among them."""
    chosen = steps.room("generators", say("Anonymisers"), steps.menu("generators"), ANONYMISERS, asked.key)
    written = asked.draw(
        st.text_area,
        "written",
        say("More, and sweeps"),
        SWEEPS,
        height=110,
        help=say(
            "One anonymiser on each line, written as for the command line. A setting in braces stands for each of "
            "its values: pram:p={0.5/0.9}, kanonymity:k={3/10}, privbayes:epsilon={0.1/1/10}. A bar makes a chain: "
            "rounding:base=5|pram:p=0.7."
        ),
    )
    return (*chosen, *split_list(written.splitlines()))


def _rules(asked: Asked, schema: Schema, *, is_uploaded: bool) -> None:
    """How usefulness is measured and judged, and how often all is played."""
    left, middle, right = st.columns(3, gap="large")
    about = say("A release that misses a threshold is still shown, with the threshold it misses.")
    asked.ask("rules", say("Useful enough to take part"), about, left)
    asked.values["rounds"] = 1
    if not is_uploaded:
        about = say(
            "The number of independent contests. With 5 or more, usefulness has an interval, and the hits "
            "describe the method instead of one release."
        )
        several = [1, FEWEST_ROUNDS, 10, 20]
        asked.values["rounds"] = int(asked.draw(left.selectbox, "rounds", say("Rounds"), several, help=about))
    categories = [column for column in schema.modelled if column.kind is Kind.CATEGORICAL]
    categories.sort(key=lambda column: column.role is not Role.SECRET)
    models = asked.draw(
        middle.multiselect,
        "classifiers",
        say("Models that learn from each release"),
        list(registry.plugins("inference")),
        list(MODELS) if categories else [],
        format_func=partial(plugin_forms.title, "inference"),
        placeholder=say("None"),
        help=say(
            "Their accuracy on other people is a further measure of usefulness; the accuracy of the same "
            "model learnt from the real rows stands beside it."
        ),
        wrap=True,
    )
    columns = [column.name for column in categories]
    label = say("Column that the models predict")
    secret = asked.draw(right.selectbox, "secret", label, columns, format_func=option)
    if models:
        asked.values |= {"classifiers": tuple(models), "secret": str(secret or "")}


def _declarations(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """Table 3 of the contest's paper, one anonymiser on each line, and the plan with it.

    Raises
    ------
    DesignError
        A line is no declaration, or of somebody who takes no part.
    """
    written = st.text_area(
        say("What anonymisers declare"),
        "",
        key=asking.key(ContestPlan.question, audit, "declared"),
        persist_state="session",
        height=70,
        placeholder=say("kanonymity => {form}", form=FORM),
        help=say(
            "Methods, k, Pk, δ-presence, ε and δ, as Table 3 of the contest's paper has them; one anonymiser on "
            "each line. They are kept with the result, and k and δ-presence are counted beside them."
        ),
    )
    parts = [line.partition("=>") for line in written.splitlines() if line.strip()]
    return replace(plan, declared=tuple((name.strip(), text.strip()) for name, _, text in parts))


def _preliminary(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The menu of earlier contests, where there are any, and the plan with what was found in the one that is picked."""
    earlier = {run.id: run for run in audit.runs(ContestPlan.question) if _counts(run)}
    if not earlier:
        return plan
    picked = st.selectbox(
        say("Preliminary round"),
        ["", *earlier],
        key=asking.key(ContestPlan.question, audit, "preliminary"),
        persist_state="session",
        format_func=lambda known: plain(standing.short(plan_of(earlier[known]))) if known in earlier else say("None"),
        help=say(
            "A contest that was played before. For those who took part in both, its points weigh 1 and those "
            "of the new contest 9."
        ),
    )
    if picked not in earlier:
        return plan
    names = [*(name for name, _ in plan.given), *plan.anonymisers]
    names += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    result = ContestResult.from_plain(earlier[picked].result)
    shares = {standing.name: standing.worst.value / result.guessing.guesses for standing in result.standings}
    return replace(plan, preliminary=tuple((name, shares[name]) for name in names if name in shares))


def _counts(run: Run) -> bool:
    return run.state == "finished" and bool(run.result["anonymisers"])


# --------------------------------------------------------------------------------------------------------------
# Before


def expect(audit: Audit, plan: ContestPlan) -> None:
    """What such a contest could show, and how long it takes.

    It is timed only when asked for: six attackers on three releases take seconds on the smallest tables too.
    """
    asking.expect(
        audit,
        plan,
        lambda: forecast_contest(state.tables(audit), plan, workers=running.workers()),
        telling=say("Playing it among a few people, to time it"),
        takes=lambda forecast: say(
            "This takes **{duration}**: {releases}{planted}, each shown to {attackers}.",
            duration=asking.duration(forecast.seconds),
            releases=counted(forecast.releases, "{n:,} release", "{n:,} releases"),
            planted=say(" (the planted control is one of them)") if plan.control else "",
            attackers=counted(forecast.attackers, "{n:,} attacker", "{n:,} attackers"),
        ),
        unknown=say("How long it takes is not known yet."),
        power=lambda _: _power(audit, plan),
    )


def _power(audit: Audit, plan: ContestPlan) -> None:
    population, members = plan.population, plan.sample
    if plan.condition:
        mark = f"contest.eligible.{plan.source}.{plan.population}.{plan.draws}.{plan.seed}.{plan.condition}"
        population = state.cached(mark, audit, lambda: len(plan.people(state.tables(audit)).eligible))
    if plan.source == PEOPLE:

        def sides() -> tuple[int, int]:
            people = plan.people(state.tables(audit))
            return len(people), 0 if people.is_in is None else int(people.is_in.sum())

        population, members = state.cached("contest.people", audit, sides)
    guesses = plan.guesses
    if plan.mode == SEEK:
        guesses = min(plan.sample, members, population - members)
        population, members = 2 * guesses, guesses
    limit = audit.limits.get(ContestPlan.question) if plan.control else None
    bar = None if limit is None else limit.value
    st.markdown(plain(words.could_show(population, members, guesses, len(plan.attackers), plan.level, bar)))
