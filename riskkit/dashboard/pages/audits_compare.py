"""Two finished runs of one question beside each other: what was found, and what was asked differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.audit.report_facts import titles
from riskkit.dashboard.forms import plugin_forms
from riskkit.dashboard.frame import run_state, shell, state, views
from riskkit.dashboard.frame.run_state import RunStanding
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import data
from riskkit.dashboard.pages.audits import Found
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import again, counted, joined, phrase, say
from riskkit.questions.runs import plan_of
from riskkit.report import compare, labels
from riskkit.report.compare import Pair
from riskkit.report.views import about as number_about
from riskkit.show.model import Bar, Chart
from riskkit.show.pairs import twins
from riskkit.wording import shorten

TOO_FEW = phrase(
    "Here you can compare two finished runs of one question, from one audit or from two: with another seed, "
    "another generator or another release. There are no two such runs yet."
)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One finished run with the audit it belongs to."""

    audit: Audit
    now: RunStanding

    @property
    def run(self) -> Run:
        """The run itself."""
        return self.now.run

    @property
    def id(self) -> str:
        """Its name in the address."""
        return f"{self.audit.id}-{self.run.id}"

    @property
    def label(self) -> str:
        """The run in one line."""
        return f"{self.now.about} · {self.audit.name}"


def show(kept: Found, opened: Audit | None) -> None:
    """The menus, the sentence, the chart, the numbers and the differences."""
    order = sorted(kept, key=lambda pair: opened is None or pair[0].id != opened.id)
    sides = [ComparedRun(audit, now) for audit, runs in order for now in runs if now.state == "finished"]
    questions = [name for name in dict.fromkeys(map(_question, sides)) if [*map(_question, sides)].count(name) > 1]
    if not questions:
        st.markdown(again(TOO_FEW))
        return
    asked = _pick_question(questions)
    fit = [side for side in sides if _question(side) == asked]
    first, other = st.columns(2, gap="large")
    with first:
        left = _pick_run("A", fit, "left")
    with other:
        right = _pick_run("B", [side for side in fit if side.id != left.id], "right")
    _compare(left, right)


def _question(side: ComparedRun) -> str:
    return side.now.question


def _pick_question(questions: Sequence[str]) -> str:
    """The question whose runs are compared."""
    if len(questions) == 1:
        return questions[0]
    key = "audits.compare.question"
    return str(st.selectbox(say("Question"), questions, format_func=run_state.question, key=key))


def _pick_run(letter: str, sides: Sequence[ComparedRun], name: str) -> ComparedRun:
    """The run chosen in that menu; the address keeps it."""
    known = {side.id: side for side in sides}
    lines = shell.tell_apart(
        {side.id: side.label for side in sides}, lambda own: "/".join(part[:6] for part in own.split("-"))
    )
    asked, key = st.query_params.get(name, ""), f"audits.compare.{name}"
    if st.session_state.get(key) not in known:
        st.session_state[key] = asked if asked in known else next(iter(known))
    chosen = str(
        st.selectbox(say("Run {letter}", letter=letter), list(known), format_func=lambda side: lines[side], key=key)
    )
    st.query_params[name] = chosen
    st.caption(plain(lines[chosen]))
    return known[chosen]


def _compare(left: ComparedRun, right: ComparedRun) -> None:
    question = left.now.question
    both = state.cached(
        f"beside {left.id} {right.id}",
        left.audit,
        lambda: compare.beside(left.run.result, right.run.result),
    )
    st.markdown(f"### {plain(compare.sentence(both))}")
    parts = [
        say("{numbers} only in {letter}", numbers=counted(count, "{n:,} number", "{n:,} numbers"), letter=letter)
        for letter, count in (("A", both.only_left), ("B", both.only_right))
        if count
    ]
    if parts:
        st.caption(say("Not compared: {told}.", told=joined(parts)))
    if both.pairs:
        name = both.measures[0]
        if len(both.measures) > 1:
            name = str(
                st.selectbox(
                    say("Measure"),
                    both.measures,
                    format_func={pair.name: measure(question, pair) for pair in both.pairs}.__getitem__,
                    key=f"audits.compare.measure.{question}",
                )
            )
        views.picture(chart(question, [pair for pair in both.pairs if pair.name == name]), "audits.compare.chart")
        _numbers(question, both.pairs)
    _differences(left, right)


def _numbers(question: str, pairs: Sequence[Pair]) -> None:
    rows = [
        {
            say("measure"): measure(question, pair),
            say("about"): about(pair),
            "A": wording.number(pair.left),
            say("N of A"): pair.left.n,
            "B": wording.number(pair.right),
            say("N of B"): pair.right.n,
            say("intervals"): _intervals(pair),
        }
        for pair in pairs
    ]
    st.dataframe(rows, hide_index=True, alt=say("Every number of both runs with its interval"))
    levels = sorted({f"{100 * estimate.level:.4g} %" for pair in pairs for estimate in (pair.left, pair.right)})
    st.caption(
        say(
            "Value [low, high] at level {levels}, each for one test alone. Both runs may rest on the same people "
            "or the same trainings, so the table says only whether the intervals overlap and gives no interval of "
            "the difference.",
            levels=say(" and ").join(levels),
        )
    )


def _intervals(pair: Pair) -> str:
    if pair.is_bound:
        return say("none, a bound")
    return say("apart") if pair.is_apart else say("overlap")


def _differences(left: ComparedRun, right: ComparedRun) -> None:
    """What the two were asked and on which data, where it is not the same."""
    rows = [
        {say("setting"): name, "A": ours, "B": theirs}
        for name, ours, theirs in compare.differences(settings(left), settings(right))
    ]
    st.markdown(say("**What differs in settings and data**"))
    if not rows:
        st.markdown(say("Nothing: the same settings, on the same files and columns."))
        return
    st.dataframe(rows, hide_index=True, alt=say("Settings that differ between the two runs"))


def settings(side: ComparedRun) -> Mapping[str, Any]:
    """Everything the numbers of a run depend on: its plan, and the data it was started on."""
    return {
        **dict(labels.plan_settings(side.run.question, plan_of(side.run).as_dict(), plugin_forms.plugin_title)),
        **_data(side),
    }


def _data(side: ComparedRun) -> Mapping[str, Any]:
    """The audit, its files and its choices; of an earlier version of the data only that is known."""
    if not side.now.is_current:
        return {
            "audit": side.audit.name,
            "data": say("an earlier version, {revision}", revision=side.run.revision[:12]),
        }
    files = {slot: f"{facts['name']} {facts['sha256'][:12]}" for slot, facts in side.audit.files.items()}
    decided = {
        data.column_title(name): joined(
            str(part) for part in (choice.kind, choice.role, *choice.missing_tokens) if part
        )
        for name, choice in side.audit.choices.items()
    }
    return {"audit": side.audit.name, "files": files, "columns": decided}


# --------------------------------------------------------------------------------------------------------------
# The picture of two runs beside each other


ROWS = 12
"""Numbers that are drawn; where there are more, those that differ most."""
NAME = 110
"""Letters of what a number is about."""


def drawn_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that are drawn, in their order: those furthest apart in units of their intervals' widths."""
    if len(pairs) <= ROWS:
        return list(pairs)
    chosen = sorted(range(len(pairs)), key=lambda place: -_distance(pairs[place]))[:ROWS]
    return [pairs[place] for place in sorted(chosen)]


def _distance(pair: Pair) -> float:
    width = (pair.left.high - pair.left.low) + (pair.right.high - pair.right.low)
    return abs(pair.left.value - pair.right.value) / max(width, 1e-12)


def about(pair: Pair) -> str:
    """What a number of both runs is about, plug-ins by what people call them; empty where its name says it all."""
    return number_about(replace(pair.left, labels=pair.labels), titles())


def chart(question: str, pairs: Sequence[Pair]) -> Chart:
    """The numbers of one measure: A above B, each with its interval, and what guessing reaches where that is known."""
    shown = drawn_pairs(pairs)
    guess, title = compare.reference(question, shown[0].name), measure(question, shown[0])
    runs = say("Run {letter}", letter="A"), say("Run {letter}", letter="B")
    bars: list[Bar] = []
    for pair in shown:
        what = shorten(about(pair) or title, NAME)
        bars += twins(f"{what} ({say('apart')})" if pair.is_apart else what, runs, (pair.left, pair.right))
    ends = [end for bar in bars for end in (bar.estimate.low, bar.estimate.high)] + ([] if guess is None else [guess])
    axis = say("{title}, with intervals", title=title)
    return Chart(_finding(question, shown, len(pairs)), axis, tuple(bars), guess, (min(ends), max(ends)))


def _finding(question: str, shown: Sequence[Pair], count: int) -> str:
    name = measure(question, shown[0])
    apart = [pair for pair in shown if pair.is_apart]
    more = (
        say("; the picture shows the {shown} of {count:,} that differ most", shown=len(shown), count=count)
        if len(shown) < count
        else ""
    )
    if not apart:
        return say("{name}: the intervals of A and B overlap everywhere{more}", name=name, more=more)
    furthest = max(apart, key=_distance)
    which = say("higher in A") if furthest.left.value > furthest.right.value else say("higher in B")
    whose = about(furthest)
    named = f" ({shorten(whose, NAME)})" if whose and len(shown) > 1 else ""
    numbers = say("{left} against {right}", left=wording.number(furthest.left), right=wording.number(furthest.right))
    return say(
        "{name}{about} is {which}: {numbers}{more}", name=name, about=named, which=which, numbers=numbers, more=more
    )


def measure(question: str, pair: Pair) -> str:
    """What people call the measure of a number."""
    return labels.measure(question, pair.left, titles())
