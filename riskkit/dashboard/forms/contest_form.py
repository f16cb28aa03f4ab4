"""The form of a contest: who takes part, who attacks, among how many people, by which rules, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from riskkit import registry
from riskkit.core import Kind, Role, Schema
from riskkit.dashboard.forms import launch, plugin_forms, steps
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import run_state, shell, state, switches
from riskkit.dashboard.frame.shell import option, plain
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import Readings, again, counted, phrase, say
from riskkit.questions.contest import words
from riskkit.questions.contest.entries import HandedIn, dealing, first_sample, read_guesses
from riskkit.questions.contest.plan import BASE, FEWEST_ROUNDS, PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.opponents import ALIASES, SUITE
from riskkit.questions.runs import plan_of

# Handing in to a contest: a release made elsewhere of the sample that is dealt to it, and rows somebody names.


key = partial(launch.key, "contest")


def section(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The folded section, and the plan with everything that was handed in for its deal.

    Raises
    ------
    DesignError
        What was handed in does not fit the plan, which its sentence says; all is drawn before.
    """
    handed = HandedIn.read(audit)
    deal = dealing(plan, audit.revision)
    with st.expander(say("Hand in a release made elsewhere, or rows that somebody names"), key=key(audit, "handed")):
        _releases(audit, plan, handed, deal)
        st.divider()
        _rows(audit, plan, handed, deal)
    releases, own = handed.fitting(deal)
    return replace(plan, given=releases, own=own)


def _releases(audit: Audit, plan: ContestPlan, handed: HandedIn, deal: str) -> None:
    """Deal a sample to a name, take the release that was made of it, and list those there are."""
    st.markdown(say("**A release made elsewhere**"))
    of_people = plan.source == PEOPLE
    st.caption(again(words.HAND_IN_PEOPLE) if of_people else again(words.HAND_IN))
    name = st.text_input(
        say("Name it takes part under"),
        key=key(audit, "handed", "name"),
        persist_state="session",
        max_chars=80,
        placeholder=say("team 1"),
        help=say("Letters, digits and spaces. Another name gets another sample."),
    ).strip()
    if name and not of_people:
        _sample(audit, plan, name)
    if name:
        uploaded = st.file_uploader(
            say("CSV of the release of {name}", name=plain(name)),
            key=key(audit, "handed", "release", name, deal),
            help=say(
                "With the columns of the real table, in any order, and no value that the loaded files do not hold."
            ),
        )
        _take(
            uploaded,
            lambda source, file: handed.take_release(
                name, source, file, state.tables(audit).schema, deal, is_strange=True
            ),
        )
    for known, facts in handed.releases.items():
        text = say(
            "**{known}** · {file}, {rows:,} rows, {sha256}",
            known=plain(known),
            file=plain(facts["file"]),
            rows=facts["rows"],
            sha256=facts["sha256"][:8],
        )
        gone = partial(handed.drop_release, known)
        _line(
            text, facts["deal"] == deal, key(audit, "handed", "drop", known), say("Remove {known}", known=known), gone
        )


def _sample(audit: Audit, plan: ContestPlan, name: str) -> None:
    """The sample of that name, made when it is asked for."""
    mark = f"contest.sample.{name}.{dealing(plan, audit.revision)}"
    asked = key(audit, "handed", "dealt")
    if st.button(
        say("Draw its sample"), key=key(audit, "handed", "deal"), help=say("Draws the sample, as this contest will.")
    ):
        st.session_state[asked] = mark
    if st.session_state.get(asked) != mark:
        return
    try:
        with st.spinner(say("Making the population and dealing")):
            data = state.cached(mark, audit, lambda: first_sample(state.tables(audit), plan, name))
    except RiskkitError as error:
        shell.sentence_error(error)
        return
    st.download_button(
        say("Download the sample of {name} ({sample:,} rows)", name=plain(name), sample=plan.sample),
        data=data,
        file_name="sample.csv",
        mime="text/csv",
        key=key(audit, "handed", "sample"),
        on_click="ignore",
        icon=":material/download:",
        help=say("Make your release of these rows alone. Attackers must not see them."),
    )


def _rows(audit: Audit, plan: ContestPlan, handed: HandedIn, deal: str) -> None:
    """Take the rows that an attacker names for one of the releases, and list those there are."""
    st.markdown(say("**Rows that an attacker of yours names**"))
    st.caption(again(words.HAND_ROWS_SEEK) if plan.mode == SEEK else again(words.HAND_ROWS))
    there = [*handed.fitting(deal)[0], *((name, "") for name in plan.anonymisers)]
    names = [name for name, _ in there] + [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    left, right = st.columns(2, gap="large")
    attacker = left.text_input(
        say("Name of the attacker"),
        key=key(audit, "handed", "attacker"),
        persist_state="session",
        max_chars=80,
        placeholder=say("our attack"),
    ).strip()
    against = right.selectbox(
        say("Release attacked"),
        names,
        key=key(audit, "handed", "against"),
        persist_state="session",
        format_func=lambda name: say("your release") if name == UPLOADED else name,
    )
    if attacker and against:
        uploaded = st.file_uploader(
            say("Row numbers, {wanted:,} of them, one on each line", wanted=plan.n_named),
            key=key(audit, "handed", "rows", attacker, str(against), deal),
            help=again(words.ROWS_HELP),
        )

        def take(source: bytes, file: str) -> None:
            rows = read_guesses(source, _population(audit, plan), plan.n_named, name=file)
            handed.take_rows(attacker, str(against), rows.tolist(), deal)

        _take(uploaded, take)
    for answer in handed.own:
        count = counted(len(answer["rows"]), "{n:,} row", "{n:,} rows")
        text = say(
            "**{attacker}** names {count} for {anonymiser}",
            attacker=plain(answer["attacker"]),
            count=count,
            anonymiser=plain(answer["anonymiser"]),
        )
        gone = partial(handed.drop_rows, answer["attacker"], answer["anonymiser"])
        mark = key(audit, "handed", "drop", answer["attacker"], answer["anonymiser"])
        _line(
            text,
            answer["deal"] == deal,
            mark,
            say("Remove {attacker} against {anonymiser}", attacker=answer["attacker"], anonymiser=answer["anonymiser"]),
            gone,
        )


def _population(audit: Audit, plan: ContestPlan) -> int:
    """Rows of the population, without making one that is drawn."""
    if plan.source not in ("base", PEOPLE):
        return plan.population
    people: Any = state.cached(
        f"contest.rows.{plan.source}.{plan.population}", audit, lambda: len(plan.people(state.tables(audit)))
    )
    return int(people)


def _take(file: UploadedFile | None, keep: Callable[[bytes, str], None]) -> None:
    """Keep a file once; a file that is refused says why as long as it lies there."""
    taken: list[str] = st.session_state.setdefault("contest.taken", [])
    if file is None or file.file_id in taken:
        return
    try:
        with st.spinner(say("Reading the file")):
            keep(file.getvalue(), file.name[:100])
    except RiskkitError as error:
        shell.sentence_error(error)
    else:
        taken.append(file.file_id)
        state.forget(file)
        st.rerun()


def _line(text: str, fits: bool, mark: str, remove: str, gone: Callable[[], None]) -> None:
    """One thing that was handed in, and the way to take it out again."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            text
            if fits
            else say("{told} · :orange[of another draw: population, sample, rules or seed differ]", told=text)
        )
        st.button(say("Remove"), key=mark, type="tertiary", icon=":material/close:", on_click=gone, help=plain(remove))


ANONYMISERS = ("stat", "evasion")
"""Chosen at first, beside the sweeps: the organisers' own, and what misled their attack."""
SWEEPS = ("pram:p=0.5", "pram:p=0.7", "pram", "kanonymity:k=3", "kanonymity:k=10", "noise:scale=0.1", "noise:scale=0.5")
"""The same methods with several settings each, chosen at first."""
MODELS = ("tree",)
"""Learns from each release at first, where there is a category to tell."""
LARGEST = 100_000
"""Rows of a population at first, at most: as many as in the PWS Cup 2020."""

DECLARED = Readings(
    k=(phrase("k-anonymity: k"), 1.0, 1e9),
    pk=(phrase("Pk-anonymity: k"), 1.0, 1e9),
    presence=(phrase("δ-presence, at most"), 0.0, 1.0),
    epsilon=(phrase("ε"), 0.0, 1e6),
    delta=(phrase("δ"), 0.0, 1.0),
)
"""What can be declared of a release: its name and range."""

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
    st.caption(words.MODES_ABOUT[asked.ask("mode")])
    source = asked.values["source"] = _source(asked)
    is_uploaded = source == PEOPLE and "synthetic" in audit.files
    _sizes(asked, source)
    st.markdown(say("**Anonymisers**"))
    chosen = asked.methods("anonymisers", ANONYMISERS)
    usual = tuple(registry.spelling("generators", text) for text in SWEEPS)
    picked = steps.pick("generators", say("With several settings each"), usual, asked.key("swept"))
    anonymisers = asked.values["anonymisers"] = (*chosen, *picked)
    st.markdown(say("**Attackers**"))
    names = [ALIASES.get(name, name) for name in SUITE]
    attackers = asked.methods("attackers", names)
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
                "Population, sample, releases, guesses and scores as CSV in one ZIP file, so that others can go "
                "on. Where the people themselves are the population it holds real rows."
            ),
        )
    if not attackers:
        raise ParameterError(say("Choose at least one attacker."))
    plan = _declarations(audit, _preliminary(audit, section(audit, asked.made())))
    if not anonymisers and not plan.given and not is_uploaded:
        raise ParameterError(say("Choose at least one anonymiser, or hand in a release: nothing takes part."))
    return plan


def _source(asked: Asked) -> str:
    """Where the population comes from; at first the people, where the loaded release can take part."""
    there = [name for name in words.SOURCES if name != PEOPLE or "holdout" in asked.audit.files]
    about = say("Everybody may see the population. The secret is who of it is in the sample.")
    label, title = say("Who may be a member"), words.SOURCES.__getitem__
    picked = str(asked.draw(st.selectbox, "source", label, there, 0, title, help=about))
    st.caption(words.ABOUT[picked])
    if PEOPLE not in there:
        launch.miss_holdout(again(words.WITHOUT_HOLDOUT))
    return picked


def _sizes(asked: Asked, source: str) -> None:
    """How many might have been in, how many were, and how many are named."""
    rows = int(asked.audit.files["real"]["rows"])
    left, middle, right = st.columns(3, gap="large")
    if source == PEOPLE:
        right, asked.values["condition"] = left, ""
    else:
        population = rows if source == BASE else min(max(10 * rows, 100), LARGEST)
        for name, place, first in (
            ("population", left, max(population, 2)),
            ("sample", middle, max(population // 10, 1)),
        ):
            asked.ask(name, place, key=(source, name), value=first, max_value=1_000_000)
        with left:
            asked.values["condition"] = _condition(asked, source)
    first = min(asked.default.guesses, max(rows // 2, 1))
    asked.ask("guesses", right, value=first, max_value=1_000_000)


def _condition(asked: Asked, source: str) -> str:
    """Who can be in, as the plan takes it: a column, and its category or the end of its range; empty for everybody."""
    about = say("Only people who meet this condition can be members, and every attacker knows it.")
    columns = {column.name: column for column in state.tables(asked.audit).real.schema.modelled}
    key = (source, "condition")
    name = asked.draw(
        st.selectbox,
        key,
        say("Who can be a member"),
        list(columns),
        None,
        option,
        placeholder=say("everybody"),
        help=about,
    )
    if name is None:
        return ""
    column, own = columns[name], (*key, name)
    if column.kind is Kind.CATEGORICAL:
        return f"{name}={asked.draw(st.selectbox, own, say('Its category'), list(column.levels), 0, option)}"
    signs = {">=": say("at least"), "<=": say("at most")}
    sign = asked.draw(st.selectbox, (*own, "sign"), say("Its value is"), list(signs), 0, signs.__getitem__)
    end = asked.draw(st.number_input, own, say("this number"), value=float(column.low), format="%g")
    return f"{name}{sign}{end:g}"


def _rules(asked: Asked, schema: Schema, *, is_uploaded: bool) -> None:
    """How usefulness is measured and judged, and how often all is played."""
    left, middle, right = st.columns(3, gap="large")
    asked.ask("rules", left)
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
    """Table 3 of the contest's paper: who declares, what, and *Add*; and the plan with all that was added.

    Raises
    ------
    DesignError
        Something is declared for somebody who takes no part.
    """
    key = partial(launch.key, ContestPlan.question, audit, "declared")
    known: dict[str, str] = st.session_state.setdefault(key("kept"), {})
    taking = [*plan.anonymisers, *(name for name, _ in plan.given)]
    taking += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)

    def called(name: str) -> str:
        return plugin_forms.plugin_title("generators", name)

    st.markdown(
        say("**What anonymisers declare**"),
        help=say("As Table 3 of the contest's paper; k and δ-presence are counted beside it."),
    )
    for name, text in known.items():
        gone = partial(known.__delitem__, name)
        _line(plain(f"{called(name)}: {text}"), True, key("drop", name), say("Remove {known}", known=name), gone)
    who = st.selectbox(say("Who declares"), taking, None, called, key=key("who"), placeholder=say("Nobody"))
    if who is not None:
        parts = {}
        for place, (name, (label, low, high)) in zip(st.columns(len(DECLARED)), DECLARED.items(), strict=True):
            with place:
                parts[name] = st.number_input(
                    label, low, high, None, format="%g", key=key(who, name), placeholder=say("none")
                )
        methods = st.text_input(say("Methods, in words"), key=key(who, "methods"), max_chars=200)
        written = ",".join(f"{name}={value:g}" for name, value in parts.items() if value is not None)
        written = ",".join(filter(None, (written, f"methods={methods}" * bool(methods.strip()))))
        st.button(say("Add"), key=key("add"), disabled=not written, on_click=known.update, args=({who: written},))
    return replace(plan, declared=tuple(known.items()))


def _preliminary(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The menu of earlier contests, where there are any, and the plan with what was found in the one that is picked."""
    finished = (run for run in audit.runs(ContestPlan.question) if run.state == "finished")
    earlier = {run.id: run for run in finished if run.result["anonymisers"]}
    if not earlier:
        return plan
    picked = st.selectbox(
        say("Preliminary round"),
        ["", *earlier],
        key=launch.key(ContestPlan.question, audit, "preliminary"),
        persist_state="session",
        format_func=lambda known: plain(run_state.short(plan_of(earlier[known]))) if known in earlier else say("None"),
        help=say(
            "A contest that was run before. For those who took part in both, its points weigh 1 and those of the "
            "new contest 9."
        ),
    )
    if picked not in earlier:
        return plan
    names = [*(name for name, _ in plan.given), *plan.anonymisers]
    names += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    result = ContestResult.from_plain(earlier[picked].result)
    shares = {run_state.name: run_state.worst.value / result.guessing.guesses for run_state in result.standings}
    return replace(plan, preliminary=tuple((name, shares[name]) for name in names if name in shares))


# --------------------------------------------------------------------------------------------------------------
# Before


def expect(audit: Audit, plan: ContestPlan) -> None:
    """What such a contest could show, and how long it takes."""
    launch.expect(
        audit,
        plan,
        counts=lambda forecast: say(
            "{releases}{planted}, each shown to {attackers}.",
            releases=counted(forecast.numbers["releases"], "{n:,} release", "{n:,} releases"),
            planted=say(" (the planted control is one of them)") if plan.control else "",
            attackers=counted(forecast.numbers["attackers"], "{n:,} attacker", "{n:,} attackers"),
        ),
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
