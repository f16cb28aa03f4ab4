"""What all pages that ask a question share below their forms: what to expect before a run, and the way to start it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from riskkit import wording
from riskkit.dashboard.forms import pilots
from riskkit.dashboard.frame import run_view, shell, state, styles
from riskkit.errors import ParameterError, RiskkitError, message_of
from riskkit.jobs import machine
from riskkit.jobs.store import Audit, Tables
from riskkit.language import again, say
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.forecasts import Forecast, start_seconds

P = TypeVar("P", bound=Plan)
UNKNOWN = Forecast(math.inf)
"""The forecast of what cannot be run, or of which nothing can be said."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a plan was timed to: its forecast, the most bytes that took, and why it cannot be run, where it cannot."""

    forecast: Forecast = UNKNOWN
    memory: int | None = None
    refusal: str = ""


class Unanswered(ParameterError):
    """The form waits for something that nobody but the user can say: asked for, and not shown as a fault."""


class Unnamed(Unanswered):
    """The method that made the release is trained anew, and nobody has said which one it is."""


class Inapplicable(Unanswered):
    """The tables lack what the question is about, which the page says at its top: there is nothing to run."""


def miss_holdout(words: str) -> None:
    """Say what cannot be asked without a holdout, and lead to where one is loaded."""
    st.info(shell.plain(words), icon=":material/info:")
    st.page_link(shell.DATA_PAGE, label=say("Load a holdout on the Data page"), icon=":material/upload_file:")


def key(question: str, audit: Audit, *parts: str) -> str:
    """The key of a widget; each question and audit has its own, so that no setting leaks into another."""
    return ".".join((question, audit.id, *parts))


@dataclass(frozen=True, slots=True)
class Fold:
    """Where the form stands, and what to expect of it (above *Run* where ``expects`` is None), and *Run* itself.

    Of a first run only how long it takes stands above *Run*; the rest stands among the settings.
    """

    form: DeltaGenerator
    expects: DeltaGenerator | None = None
    run: DeltaGenerator | None = None


def ask(
    audit: Audit, run_key: str, plan_of: Callable[[Audit], P], before: Callable[[Audit, P], None], fold: Fold
) -> None:
    """Draw the form, what it could show and cost, and *Run*; a sentence and a dead button where it makes no plan.

    ``plan_of`` draws the form and returns its plan, or raises what is wrong with it; ``before`` says what to expect.
    """
    try:
        with fold.form:
            plan = plan_of(audit)
    except Inapplicable:
        return
    except RiskkitError as error:
        with fold.run or st.container():
            if isinstance(error, Unanswered):
                st.info(shell.plain(str(error)), icon=":material/help:")
            else:
                shell.sentence_error(error)
            if isinstance(error, Unnamed):
                to = ":material/arrow_forward:"
                if st.button(say("Name the method on the page Audit"), key=f"{run_key}.name", type="tertiary", icon=to):
                    st.switch_page(shell.AUDIT_PAGE)
                label = say("Or attack the released file alone: this needs no method")
                if {"synthetic", "holdout"} <= set(audit.files) and st.button(
                    label, key=f"{run_key}.released", type="tertiary", icon=to
                ):
                    st.switch_page(shell.MEMBERSHIP_PAGE, query_params={"question": "released"})
            st.button(say("Run"), key=run_key, type="primary", disabled=True)
        return
    with fold.run or st.container():
        above = fold.expects or st.container()
        styles.place("run")
        if not run_view.instead(audit, plan) and not run_view.is_stopped_above(audit, plan):
            if st.button(say("Run"), key=run_key, type="primary", icon=":material/play_arrow:"):
                run_view.start(audit, plan)
            with above:
                run_view.there(audit, plan)
        with above:  # after the button, which need not wait for the timing
            if is_brief := is_first(audit, plan):
                _say_time(audit, plan)
        with fold.form if is_brief else above:
            before(audit, plan)
            _memory(audit, plan)


def _memory(audit: Audit, plan: Plan) -> None:
    """How much memory the run will need, where a pilot of it was timed."""
    expected = expectation(audit, state.tables(audit), plan)
    if expected is None or expected.memory is None:
        return
    workers = run_view.workers()
    many = say("one process") if workers == 1 else say("{workers} processes", workers=workers)
    st.caption(
        say(
            "The run needs about {size} of memory with {many}.",
            size=machine.in_words(machine.bytes_needed(expected.memory, workers)),
            many=many,
        )
    )


def expect(
    audit: Audit,
    plan: Plan,
    *,
    counts: str | Callable[[Forecast], str],
    power: Callable[[Forecast | None], None],
    more: str = "",
) -> None:
    """What such a run could show, which ``power`` draws on the left, and on the right how long it takes.

    ``counts`` says what is worked through, in words or made of the forecast. ``more`` is said in small below it, and
    ``power`` is handed the forecast, None while there is none.
    """
    st.markdown(say("**Before you run**"))
    left, right = st.columns(2, gap="large")
    with right:
        expected = foretell(audit, plan, counts)
        if more:
            st.caption(shell.plain(more))
    if expected is not None and expected.refusal:
        return
    with left:
        try:
            power(None if expected is None else expected.forecast)
        except RiskkitError as error:
            shell.sentence_error(error)


def foretell(audit: Audit, plan: Plan, counts: str | Callable[[Forecast], str] = "") -> Expectation | None:
    """Say what is worked through, and how long it takes, which of a first run stands above *Run* already."""
    expected = expectation(audit, state.tables(audit), plan)
    if expected is not None and expected.refusal:
        st.error(shell.plain(again(expected.refusal)), icon=":material/cancel:")
        return expected
    if not is_first(audit, plan):
        _say_time(audit, plan)
    if not isinstance(counts, str):  # of a pilot that was killed there are no numbers
        counts = "" if expected is None or not expected.forecast.numbers else counts(expected.forecast)
    if counts:
        st.markdown(counts)
    return expected


def expectation(audit: Audit, tables: Tables, plan: Plan) -> Expectation | None:
    """What that plan is timed to beside the pages; None until then."""
    make = partial(_expectation, tables, plan, run_view.workers())
    return pilots.beside((audit.id, audit.revision, plan), make, lost=Expectation())


def _expectation(tables: Tables, plan: Plan, workers: int) -> Expectation:
    forecast = question(plan.question).forecast
    if forecast is None:
        return Expectation()
    try:
        return Expectation(*machine.measure(partial(forecast, tables, plan, workers=workers)))
    except RiskkitError as error:
        return Expectation(refusal=message_of(error))


def is_first(audit: Audit, plan: Plan) -> bool:
    """Whether its question has no run yet, and may have one."""
    if run_view.current_run(audit, plan.question) is not None:
        return False
    expected = expectation(audit, state.tables(audit), plan)
    return expected is None or expected.forecast.is_timed


def _say_time(audit: Audit, plan: Plan) -> None:
    """How long a run of that plan takes, or that it is being timed."""
    expected = expectation(audit, state.tables(audit), plan)
    if expected is None:
        timing(audit, [plan], say("Timing it on this computer …"))
    elif expected.forecast.is_timed:
        st.markdown(say("This takes **{duration}**.", duration=duration(expected.forecast.seconds)))
    else:
        st.markdown(say("How long it takes is not known yet."))


def timing(audit: Audit, plans: Sequence[Plan], words: str) -> None:
    """Say those words until all plans are timed."""

    def wait() -> None:
        with shell.guard():
            if all(pilots.is_known((audit.id, audit.revision, plan)) for plan in plans):
                st.rerun()
            st.markdown(shell.quiet(words))

    st.fragment(wait, run_every=run_view.EVERY)()


def duration(seconds: float) -> str:
    """How long a run takes that works for so many seconds, until its process is there and has loaded the engine."""
    return wording.duration(seconds + start_seconds(run_view.workers()))
