"""Setting up the attacks on the released file alone: which ones, what they could show, and how long they take."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.dashboard import asking, frame, plan_forms, running, state, steps
from riskkit.dashboard.frame import plain
from riskkit.errors import ParameterError, RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.released import findings, no_holdout
from riskkit.questions.released.plan import ReleasedPlan, farthest_reach, forecast_released, what_it_can_show
from riskkit.questions.released.texts import attacks_for

ROOM = "released"
CHEAP_CELLS = 100_000
"""Cells of all three tables up to which the attacks are timed without being asked for."""

REFERENCES = wording.choices(ReleasedPlan, "reference")
"""Whom attacks that compare may compare with, as a plan names it."""

BY_HAND = frozenset({"attacks", "reference", "reference_share"})
"""Settings that the form asks for in its own words; it draws all others from the plan."""
OF_HOLDOUTS = frozenset({"max_rows", "level", "groups"})
"""Settings of numbers that need a holdout."""

key = partial(asking.key, "released")


def setup(audit: Audit) -> None:
    """The form, what it could detect, how long it takes, and *Run*."""
    st.header(say("Set up the attacks"), anchor=False)
    asking.ask(audit, key(audit, "run"), _plan, _before)


def _without_holdout(audit: Audit) -> ReleasedPlan:
    """What can be done all the same, and the way to more."""
    st.info(plain(say(findings.WITHOUT_HOLDOUT)), icon=":material/info:")
    st.page_link(frame.DATA_PAGE, label=say("Load a holdout on the Data page"), icon=":material/upload_file:")
    with st.expander(say("How to make a holdout"), icon=":material/route:"):
        st.markdown("\n\n".join(map(plain, no_holdout.path())))
    with st.expander(say("More settings")):
        return ReleasedPlan(**plan_forms.rest(ReleasedPlan, BY_HAND | OF_HOLDOUTS, partial(key, audit)))


def _plan(audit: Audit) -> ReleasedPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    if "holdout" not in audit.files:
        return _without_holdout(audit)
    st.markdown(say("**Attacks**"))
    names = list(attacks_for(state.tables(audit)))
    attacks = steps.room(ROOM, say("Attacks"), list(registry.plugins(ROOM)), names, partial(key, audit))
    compared = _compared(audit)
    more = _more(audit)
    if "" in attacks:
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    return ReleasedPlan(attacks=tuple(attacks), **compared, **more)


def _compared(audit: Audit) -> dict[str, Any]:
    """Whom attacks that compare may compare with."""
    default = ReleasedPlan()
    reference = st.selectbox(
        say("Whom attacks compare with"),
        list(REFERENCES),
        format_func=lambda name: REFERENCES[name],
        key=key(audit, "compared"),
        persist_state="session",
        help=say(
            "Some attacks compare with other people of the same population. These can be the other people asked "
            "about: people fall into two parts, each part is compared with the other, and everybody counts. Or they "
            "can be a share of the holdout set aside, as the attacks were published: nothing is asked about these "
            "people, and fewer are left to count."
        ),
    )
    if reference == default.reference:
        return {"reference": reference}
    share = st.slider(
        say("Share of the holdout set aside"),
        0.0,
        0.9,
        default.reference_share,
        0.05,
        key=key(audit, "reference"),
        persist_state="session",
        help=say("A larger share makes these attacks stronger and leaves fewer people to count."),
    )
    return {"reference": reference, "reference_share": float(share)}


def _more(audit: Audit) -> dict[str, Any]:
    """The settings that few will change."""
    with st.expander(say("More settings")):
        return plan_forms.rest(ReleasedPlan, BY_HAND, partial(key, audit), names=state.columns(audit))


def _before(audit: Audit, plan: ReleasedPlan) -> None:
    """What these records could show, and how long it takes; nothing can be shown without a holdout."""
    if "holdout" not in audit.files:
        return
    st.markdown(say("**Before you run**"))
    left, right = st.columns(2, gap="large")
    with left:
        _power(audit, plan)
    with right:
        _time(audit, plan)


def _power(audit: Audit, plan: ReleasedPlan) -> None:
    try:
        n_in, n_out = _records(audit, plan)
        power = what_it_can_show(n_in, n_out, *farthest_reach(plan))
        st.markdown(plain(findings.shows(power, len(plan.attacks), n_in, n_out)))
    except RiskkitError as error:
        frame.sentence_error(error)


def _records(audit: Audit, plan: ReleasedPlan) -> tuple[int, int]:
    """Records that would be asked about on either side."""

    def count() -> tuple[int, int]:
        game = plan.game(state.tables(audit))
        return game.records(True), game.records(False)

    name = f"released.{plan.reference}.{plan.reference_share}.{plan.max_rows}.{plan.seed}"
    return state.kept(name, audit, count)


def _time(audit: Audit, plan: ReleasedPlan) -> None:
    """How long it takes; timed at once where that is quick, else when asked for."""
    duration = asking.foreseen(
        audit,
        plan,
        key(audit),
        lambda: forecast_released(state.tables(audit), plan, workers=running.workers()).seconds,
        telling=say("Timing each attack on a few rows"),
        is_cheap=asking.is_light(audit, key(audit), CHEAP_CELLS),
    )
    attacks = counted(len(plan.attacks), "{n:,} attack", "{n:,} attacks")
    if isinstance(duration, float):
        st.markdown(
            say(
                "This takes **{duration}**: {attacks}, each also on a planted leak.",
                duration=asking.duration(duration),
                attacks=attacks,
            )
        )
    elif duration is not None:
        st.error(plain(duration), icon=":material/cancel:")
    else:
        st.markdown(
            say("{attacks}, each also on a planted leak. How long they take is not known yet.", attacks=attacks)
        )
