"""What all pages that ask a question share below their forms: what to expect before a run, and the way to start it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from riskkit import wording
from riskkit.dashboard.forms import pilots
from riskkit.dashboard.frame import run_view, shell, state, styles
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs import machine
from riskkit.jobs.store import Audit, Tables
from riskkit.language import say
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.forecasts import Forecast, start_seconds

T = TypeVar("T")
P = TypeVar("P", bound=Plan)
MEMORY = "pilot.memory"
"""Bytes that pilots had, by what they were about; in the session, because only who timed one is told."""
SLOW_PILOT = 4.0
"""Seconds of a pilot after which no other is timed unless asked for."""
UNKNOWN = Forecast(math.inf)
"""The forecast of what cannot be run, or of which nothing can be said."""


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
                takes = seconds(audit, state.tables(audit), plan)
                if takes is None:
                    timing(audit, [plan], say("Timing it on this computer …"))
                else:
                    st.markdown(_time(takes))
        with fold.form if is_brief else above:
            before(audit, plan)
            _memory(audit, plan)


def is_light(audit: Audit, question: str, cells: int) -> bool:
    """Whether a plan is timed without being asked for: the tables have few cells, and no pilot was slow so far."""
    prefix = key(question, audit)
    size = sum(facts["rows"] * facts["columns"] for facts in audit.files.values())
    return size <= cells and not st.session_state.get(f"{prefix}.slow")


def _memory(audit: Audit, plan: Plan) -> None:
    """How much memory the run will need, where a pilot of it was timed."""
    extra = st.session_state.get(MEMORY, {}).get(_mark(audit, plan))
    if extra is None:
        return
    workers = run_view.workers()
    many = say("one process") if workers == 1 else say("{workers} processes", workers=workers)
    st.caption(
        say(
            "The run needs about {size} of memory with {many}.",
            size=machine.in_words(machine.bytes_needed(extra, workers)),
            many=many,
        )
    )


def _mark(audit: Audit, plan: Plan) -> str:
    """What a pilot is about."""
    return repr((plan, audit.revision))


def _value_or_sentence(make: Callable[[], T]) -> T | str:
    """What it makes, or the sentence that says why it cannot."""
    try:
        return make()
    except RiskkitError as error:
        return wording.refusal(error)


def expect(
    audit: Audit,
    plan: Plan,
    *,
    telling: str,
    counts: str | Callable[[Forecast], str],
    power: Callable[[Forecast | str | None], None],
    foretell: Callable[..., Forecast] | None = None,
    more: str = "",
    is_cheap: bool = False,
    slow: Callable[[], Any] | None = None,
) -> None:
    """What such a run could show, which ``power`` draws on the left, and on the right how long it takes.

    ``foretell`` makes the forecast, where the question's own would load too much. ``counts`` says what is worked
    through, in words or made of the forecast. ``more`` is said in small below it, and ``power`` is handed the forecast,
    a sentence that says why there is none, or None; the others are those of :func:`foreseen`. How long a first run
    takes is said above already.
    """
    foretell = foretell or question(plan.question).forecast
    assert foretell is not None, "a question with a form of its own has a forecast"
    make = partial(foretell, state.tables(audit), plan, workers=run_view.workers())
    st.markdown(say("**Before you run**"))
    left, right = st.columns(2, gap="large")
    with right:
        forecast = foreseen(audit, plan, make, telling=telling, is_cheap=is_cheap, slow=slow)
        say_time(audit, plan, forecast, counts)
        if more:
            st.caption(shell.plain(more))
    with left:
        try:
            power(forecast)
        except RiskkitError as error:
            shell.sentence_error(error)


def say_time(
    audit: Audit, plan: Plan, forecast: Forecast | str | None, counts: str | Callable[[Forecast], str] = ""
) -> None:
    """What is worked through, and how long it takes, which of a first run stands above *Run* already."""
    if isinstance(forecast, str):
        st.error(shell.plain(forecast), icon=":material/cancel:")
        return
    seconds = math.inf if forecast is None else forecast.seconds
    takes = _time(seconds) if math.isfinite(seconds) else say("How long it takes is not known yet.")
    what = counts if isinstance(counts, str) else "" if forecast is None else counts(forecast)
    st.markdown(" ".join(filter(None, ("" if is_first(audit, plan) else takes, what))))


def foretold(audit: Audit, tables: Tables, plan: Plan) -> Forecast | None:
    """The forecast of that plan, timed beside the pages; None until then."""
    make = partial(_foretell, tables, plan, run_view.workers())
    return pilots.beside((audit.id, audit.revision, plan), make, lost=UNKNOWN)


def seconds(audit: Audit, tables: Tables, plan: Plan) -> float | None:
    """Seconds that plan takes, timed beside the pages; None until then, infinitely many where it cannot be run."""
    forecast = foretold(audit, tables, plan)
    return None if forecast is None else forecast.seconds


def _foretell(tables: Tables, plan: Plan, workers: int) -> Forecast:
    forecast = question(plan.question).forecast
    try:
        return UNKNOWN if forecast is None else forecast(tables, plan, workers=workers)
    except RiskkitError:  # the run itself will say why
        return UNKNOWN


def is_first(audit: Audit, plan: Plan) -> bool:
    """Whether its question has no run yet, and may have one."""
    is_asked = run_view.current_run(audit, plan.question) is not None
    return not is_asked and seconds(audit, state.tables(audit), plan) != math.inf


def _time(seconds: float) -> str:
    return say("This takes **{duration}**.", duration=duration(seconds))


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


def foreseen(
    audit: Audit,
    plan: Plan,
    make: Callable[[], Forecast],
    *,
    telling: str,
    is_cheap: bool = False,
    slow: Callable[[], Any] | None = None,
) -> Forecast | str | None:
    """The forecast of ``make``, the sentence that says why there can be none, or None where nobody asked for one.

    It is made once for a plan and its data, whoever asks: of a first run beside the pages, else at once where
    ``is_cheap`` or when *Estimate time* is pressed. ``telling`` is shown meanwhile; ``slow`` is told of a pilot that
    took long, which :func:`is_light` remembers where nothing else does.
    """
    if is_first(audit, plan):
        return foretold(audit, state.tables(audit), plan)
    prefix = key(plan.question, audit)
    known: dict[str, Forecast | str] = st.session_state.setdefault(f"{prefix}.times", {})
    mark = _mark(audit, plan)
    asked = mark not in known and not is_cheap and st.button(say("Estimate time"), key=f"{prefix}.estimate")
    if mark in known or not (is_cheap or asked):
        return known.get(mark)
    started = time.monotonic()
    with st.spinner(telling):
        known[mark], extra = pilots.once(
            (audit.id, prefix, mark), lambda: machine.measure(lambda: _value_or_sentence(make))
        )
    st.session_state.setdefault(MEMORY, {})[mark] = None if isinstance(known[mark], str) else extra
    if time.monotonic() - started > SLOW_PILOT:
        if slow is None:
            st.session_state[f"{prefix}.slow"] = True
        else:
            slow()
    return known[mark]
