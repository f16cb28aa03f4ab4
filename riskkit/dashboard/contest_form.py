"""The form of a contest: who takes part, who attacks, among how many people, by which rules, and what that costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.core import Kind, Role, Schema
from riskkit.dashboard import asking, contest_handed, forms, frame, plan_forms, running, standing, state, steps
from riskkit.dashboard.frame import option, plain
from riskkit.errors import ParameterError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.plans import listed
from riskkit.questions.contest import words
from riskkit.questions.contest.declared import FORM
from riskkit.questions.contest.forecast import forecast_contest
from riskkit.questions.contest.plan import BASE, FEWEST_ROUNDS, PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.opponents import ALIASES, SUITE

ANONYMISERS = ("stat", "evasion")
"""Chosen at first, beside the sweeps: the organisers' own, and what misled their attack."""
SWEEPS = "pram:p={0.5/0.7/0.9}\nkanonymity:k={3/10}\nnoise:scale={0.1/0.5}"
MODELS = ("tree",)
"""Learns from each release at first, where there is a category to tell."""
LARGEST = 100_000
"""Rows of a population at first, at most: as many as in the PWS Cup 2020."""

BY_HAND = frozenset(
    {
        "anonymisers",
        "attackers",
        "source",
        "population",
        "sample",
        "guesses",
        "mode",
        "rules",
        "condition",
        "classifiers",
        "secret",
        "rounds",
    }
)
"""Settings that the form asks for in its own words; it draws all others from the plan."""

MODES = wording.choices(ContestPlan, "mode")
RULES = wording.choices(ContestPlan, "rules")

key = partial(asking.key, "contest")


def form(audit: Audit) -> ContestPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    schema = state.tables(audit).real.schema
    mode = _mode(audit)
    source = _source(audit)
    settings = _sizes(audit, source)
    st.markdown(say("**Anonymisers**"))
    anonymisers = _anonymisers(audit)
    st.markdown(say("**Attackers**"))
    names = [ALIASES.get(name, name) for name in SUITE]
    attackers = steps.room("released", say("Attackers"), list(registry.plugins("released")), names, partial(key, audit))
    st.markdown(say("**Usefulness and rounds**"))
    settings |= _rules(audit, source, schema)
    settings |= _more(audit)
    if "" in (*anonymisers, *attackers):
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    if not attackers:
        raise ParameterError(say("Choose at least one attacker."))
    plan = ContestPlan(anonymisers=tuple(anonymisers), attackers=tuple(attackers), source=source, mode=mode, **settings)
    plan = _declared(audit, _preliminary(audit, contest_handed.section(audit, plan)))
    if not anonymisers and not plan.given and not _is_uploaded(audit, source):
        raise ParameterError(say("Choose at least one anonymiser, or hand in a release: nothing takes part."))
    return plan


def _mode(audit: Audit) -> str:
    """What attackers do: which rules of which challenge."""
    mode = st.selectbox(
        say("What attackers do"),
        list(MODES),
        format_func=MODES.__getitem__,
        key=key(audit, "mode"),
        persist_state="session",
    )
    st.caption(words.MODES_ABOUT[str(mode)])
    return str(mode)


def _is_uploaded(audit: Audit, source: str) -> bool:
    return source == PEOPLE and "synthetic" in audit.files


def _source(audit: Audit) -> str:
    """Where the population comes from; at first the people, where the loaded release can take part."""
    there = [name for name in words.SOURCES if name != PEOPLE or "holdout" in audit.files]
    picked = st.selectbox(
        say("Who might have been in"),
        there,
        0,
        words.SOURCES.__getitem__,
        key=key(audit, "source"),
        persist_state="session",
        help=say("Everybody may see the population. The secret is who of it was in the sample."),
    )
    st.caption(words.ABOUT[str(picked)])
    if PEOPLE not in there:
        st.info(words.WITHOUT_HOLDOUT, icon=":material/info:")
        st.page_link(frame.DATA_PAGE, label=say("Load a holdout on the Data page"), icon=":material/upload_file:")
    return str(picked)


def _sizes(audit: Audit, source: str) -> dict[str, Any]:
    """How many might have been in, how many were, and how many are named."""
    rows = int(audit.files["real"]["rows"])
    columns = st.columns(3, gap="large")
    sizes: dict[str, Any] = {}
    if source != PEOPLE:
        population = rows if source == BASE else min(max(10 * rows, 100), LARGEST)
        sizes["population"] = columns[0].number_input(
            say("Population (rows)"),
            2,
            1_000_000,
            max(population, 2),
            key=key(audit, source, "population"),
            persist_state="session",
            help=say("Rows that might have been in; everybody sees them."),
        )
        sizes["sample"] = columns[1].number_input(
            say("Sample (rows)"),
            1,
            1_000_000,
            max(population // 10, 1),
            key=key(audit, source, "sample"),
            persist_state="session",
            help=say("Rows of the population that are in; each anonymiser is dealt a sample of its own."),
        )
    condition = (
        ""
        if source == PEOPLE
        else columns[0].text_input(
            say("Who can be in"),
            "",
            key=key(audit, source, "condition"),
            persist_state="session",
            placeholder=say("everybody"),
            max_chars=200,
            help=say(
                "A condition that everybody knows: COLUMN=LEVEL, COLUMN>=NUMBER or COLUMN<=NUMBER. Only people "
                "who meet it can be in and are asked about."
            ),
        )
    )
    default = min(ContestPlan().guesses, max(rows // 2, 1))
    sizes["guesses"] = columns[2 if sizes else 0].number_input(
        say("Rows that an attacker names"),
        1,
        1_000_000,
        default,
        key=key(audit, "guesses"),
        persist_state="session",
        help=say("Those it is surest of."),
    )
    return {"condition": condition.strip(), **{name: int(value) for name, value in sizes.items()}}


def _anonymisers(audit: Audit) -> list[str]:
    """Those with a form of their own, then those that are written, sweeps among them."""
    there = steps.offered("generators")
    chosen = steps.room("generators", say("Anonymisers"), there, ANONYMISERS, partial(key, audit))
    written = st.text_area(
        say("More, and sweeps"),
        SWEEPS,
        key=key(audit, "written"),
        persist_state="session",
        height=110,
        help=say(
            "One anonymiser on each line, written as for the command line. A setting in braces stands for each of "
            "its values: pram:p={0.5/0.9}, kanonymity:k={3/10}, privbayes:epsilon={0.1/1/10}. A bar makes a chain: "
            "rounding:base=5|pram:p=0.7."
        ),
    )
    return [*chosen, *listed(written.splitlines())]


def _rules(audit: Audit, source: str, schema: Schema) -> dict[str, Any]:
    """How usefulness is measured and judged, and how often all is played."""
    default = ContestPlan()
    left, middle, right = st.columns(3, gap="large")
    rules = left.selectbox(
        say("Useful enough to take part"),
        list(RULES),
        format_func=RULES.__getitem__,
        key=key(audit, "rules"),
        persist_state="session",
        help=say("A release that misses a threshold is still shown, with the threshold it misses."),
    )
    rounds = (
        1
        if _is_uploaded(audit, source)
        else left.selectbox(
            say("Rounds"),
            [1, FEWEST_ROUNDS, 10, 20],
            key=key(audit, "rounds"),
            persist_state="session",
            help=say(
                "The number of independent contests. With 5 or more, usefulness has an interval, and the hits "
                "describe the method instead of one release."
            ),
        )
    )
    categories = [column for column in schema.modelled if column.kind is Kind.CATEGORICAL]
    categories.sort(key=lambda column: column.role is not Role.SECRET)
    models = middle.multiselect(
        say("Models that learn from each release"),
        list(registry.plugins("inference")),
        list(MODELS) if categories else [],
        key=key(audit, "classifiers"),
        format_func=lambda name: forms.title("inference", name),
        persist_state="session",
        placeholder=say("None"),
        help=say(
            "Their accuracy on other people is a further measure of usefulness; the accuracy of the same "
            "model learnt from the real rows stands beside it."
        ),
        wrap=True,
    )
    secret = right.selectbox(
        say("Column that the models predict"),
        [column.name for column in categories],
        key=key(audit, "secret"),
        format_func=option,
        persist_state="session",
    )
    learnt = {"classifiers": tuple(models), "secret": str(secret or "")} if models else {}
    return {"rules": str(rules), "rounds": int(rounds or default.rounds), **learnt}


def _more(audit: Audit) -> dict[str, Any]:
    """The settings that few will change."""
    with st.expander(say("More settings")):
        more = plan_forms.rest(ContestPlan, BY_HAND, partial(key, audit))
        more["bundle"] = st.toggle(
            say("Keep a bundle to download"),
            ContestPlan().bundle,
            key=key(audit, "bundle"),
            persist_state="session",
            help=say(
                "Population, who was in, releases, guesses and scores as CSV in one ZIP file, so that others "
                "can play on. Where the people themselves are the population it holds real rows."
            ),
        )
    return more


def _declared(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """Table 3 of the contest's paper, one anonymiser on each line, and the plan with it.

    Raises
    ------
    DesignError
        A line is no declaration, or of somebody who takes no part.
    """
    written = st.text_area(
        say("What anonymisers declare"),
        "",
        key=key(audit, "declared"),
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
        key=key(audit, "preliminary"),
        persist_state="session",
        format_func=lambda known: plain(standing.short(earlier[known].plan)) if known in earlier else say("None"),
        help=say(
            "A contest that was played before. For those who took part in both, its points weigh 1 and those "
            "of the new contest 9."
        ),
    )
    if picked not in earlier:
        return plan
    names = [*(name for name, _ in plan.given), *plan.anonymisers]
    names += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    result = ContestResult.of(earlier[picked].result)
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
        population = state.kept(mark, audit, lambda: len(plan.people(state.tables(audit)).eligible))
    if plan.source == PEOPLE:

        def sides() -> tuple[int, int]:
            people = plan.people(state.tables(audit))
            return len(people), 0 if people.is_in is None else int(people.is_in.sum())

        population, members = state.kept("contest.people", audit, sides)
    guesses = plan.guesses
    if plan.mode == SEEK:
        guesses = min(plan.sample, members, population - members)
        population, members = 2 * guesses, guesses
    limit = audit.limits.get(ContestPlan.question) if plan.control else None
    bar = None if limit is None else limit.value
    st.markdown(plain(words.could_show(population, members, guesses, len(plan.attackers), plan.level, bar)))
