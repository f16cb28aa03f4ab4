"""What would lower it: the least change of a setting that holds everybody's certificate below a limit, on a page."""

from __future__ import annotations

from functools import partial

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import state, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.pool import Progress
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.contest.points import measures
from riskkit.questions.records import words
from riskkit.questions.records.remedy import Remedy, Search, knobs, remedy, searches
from riskkit.questions.runs import plan_of
from riskkit.show.remedy import NOT_SHOWN

key = partial(launch.key, "records")

LARGEST = 5_000
"""The most rows of a table that a page searches itself; for more it names the command."""
QUICK_ROWS = 5_000
"""Rows drawn for a certificate where no exact way is known: its interval is wider for it, and the limit still holds."""
USUAL = 0.8
"""The limit asked about while nobody has set one."""


@st.fragment
def show(audit: Audit, run: Run) -> None:
    """What to change, the button, and what was found; nothing for a method without a certificate."""
    method = str(plan_of(run).generator)
    if run.revision != audit.revision or "real" not in audit.files or plan_of(run).yearly:
        return
    try:
        rows = len(state.tables(audit).real)
        there = {knob.name: knob for knob in knobs(method, rows)}
    except RiskkitError:  # a method of somebody's own that is not here
        return
    if not there:
        return
    with st.expander(say("What would lower it")):
        st.markdown(
            say(
                "A setting of the method is changed as little as it takes, until the best possible attack lies "
                "below the limit for everybody. Beside it stands what that costs in usefulness."
            )
        )
        search = _search_form(audit, run, method, list(there))
        if rows > LARGEST:
            st.markdown(say("This table has {rows:,} rows. Search it on the command line:", rows=rows))
            st.code(_command(audit, search), language="bash")
        elif st.button(say("Find the least change"), key=key(audit, "remedy", "go"), icon=":material/arrow_downward:"):
            _search(audit, search)
        kept_remedy = _kept_remedy(audit, search)
        if kept_remedy is not None:
            _draw(audit, kept_remedy)


def _kept_remedy(audit: Audit, search: Search) -> Remedy | None:
    """What was found with that setting, limit and measure, here or on the command line; the last where several were."""
    asked = search.setting, search.limit, search.measure
    kept = [
        kept_remedy
        for kept_remedy in searches(audit.remedies, search.generator)
        if (kept_remedy.search.setting, kept_remedy.search.limit, kept_remedy.search.measure) == asked
    ]
    return kept[-1] if kept else None


def _search_form(audit: Audit, run: Run, method: str, names: list[str]) -> Search:
    """What the form asks; at first what was asked last, with its answer below."""
    limit = verdicts.limit_of(audit, run)
    last = next(
        (
            kept_remedy.search
            for kept_remedy in reversed([*searches(audit.remedies, method)])
            if kept_remedy.search.setting in names
        ),
        None,
    )
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    start = last.limit if last is not None else USUAL if limit is None else limit.value
    start = min(max(start, 0.51), 0.99)
    wanted = left.number_input(
        say("Limit for every bound (AUC)"), 0.51, 0.99, start, 0.01, key=key(audit, "remedy", "limit")
    )
    setting = middle.selectbox(
        say("Setting to change"),
        names,
        index=0 if last is None else names.index(last.setting),
        format_func=lambda name: words.setting_title(method, name),
        key=key(audit, "remedy", "setting"),
    )
    measure = right.selectbox(
        say("Measure of usefulness"),
        list(measures()),
        index=list(measures()).index("pairs" if last is None or last.measure not in measures() else last.measure),
        format_func=words.measure_title,
        key=key(audit, "remedy", "measure"),
    )
    relation = str(getattr(registry.parse("generators", method), "guarantee", "add-one"))
    plan = plan_of(run)
    return Search(
        method, str(setting), float(wanted), str(measure), plan.n_syn, 5, relation, plan.seed, plan.level, QUICK_ROWS
    )


def _command(audit: Audit, search: Search) -> str:
    return (
        f"riskkit remedy --audit {audit.id[:8]} --generator {search.generator} --limit {search.limit:g} "
        f"--setting {search.setting} --measure {search.measure} --n-syn {search.n_syn} --seed {search.seed}"
    )


def _search(audit: Audit, search: Search) -> None:
    """Search, with a bar that says how far it is."""
    bar = st.progress(0.0, say("Trying values of the setting"))

    def tell(progress: Progress) -> None:
        bar.progress(min(progress.done / max(progress.total, 1), 1.0), say("Trying values of the setting"))

    try:
        lowered = remedy(state.tables(audit).real, search, progress=tell)
    except RiskkitError as refusal:
        bar.empty()
        st.error(plain(str(refusal)))
        return
    bar.empty()
    audit.keep_remedy(lowered.plain())


def _draw(audit: Audit, kept_remedy: Remedy) -> None:
    """The sentences, the picture and its numbers: those of the report."""
    lowered = words.remedy_in_words(kept_remedy)
    views.picture(lowered.points(), key(audit, "remedy", "frontier"))
    st.markdown("\n\n".join(plain(text) for text in (lowered.cost, lowered.order) if text))
    columns = ("value", "highest", "above", "useful")
    st.dataframe(
        [dict(zip(columns, row, strict=True)) for row in lowered.rows],
        hide_index=True,
        column_config={name: plain(head) for name, head in zip(columns, lowered.head, strict=True)},
        alt=say("Every value of the setting that was tried"),
    )
    st.caption(" ".join((*NOT_SHOWN, say("It is kept with the audit and stands in its report."))))
