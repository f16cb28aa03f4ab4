"""The page of many records: the sentence, everybody's risk, one person; what would lower it; whom the file names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit import language, registry, wording
from riskkit.dashboard.forms import games, launch, plugin_forms, records_form
from riskkit.dashboard.frame import results, run_view, shell, state, verdicts, views
from riskkit.dashboard.frame.shell import guard, plain
from riskkit.dashboard.pages import records_people
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.errors import RiskkitError
from riskkit.jobs.pool import Progress
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import again, counted, say
from riskkit.questions.contest.points import measures
from riskkit.questions.records import present, subsets, words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.remedy import Remedy, Search, knobs, remedy, searches
from riskkit.questions.records.result import RecordsResult
from riskkit.questions.released import result as people
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.result import ReleasedResult
from riskkit.questions.runs import plan_of
from riskkit.show import names
from riskkit.show.remedy import NOT_SHOWN

key = partial(launch.key, "records")

LARGEST = 5_000
"""The most rows of a table that a page searches itself; for more it names the command."""
QUICK_ROWS = 5_000
"""Rows drawn for a certificate where no exact way is known: its interval is wider for it, and the limit still holds."""
USUAL = 0.8
"""The limit asked about while nobody has set one."""


def page() -> QuestionPage:
    """The page of many records."""
    return QuestionPage(
        name=RecordsPlan.question,
        show=show,
        beneath=_without_method,
        is_answered=lambda audit: _newest(audit) is not None,
        heading=say("Set up the game for many records"),
        form=records_form.form,
        expect=records_form.expect,
        after=lambda audit: games.repeat_study(audit, RecordsPlan.question),
    )


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = RecordsResult.from_plain(run.result)
    judged = verdicts.show(audit, run)
    results.promises(judged)
    run_whole(audit, run, result)
    records_people.show(audit, run, judged[0][0])
    results.for_whom(judged)
    _remedy(audit, run)
    views.draw_all((block for block in views.every(judged[0][0]) if block.key == "numbers"), run.question)
    says = [*map(say, present.limits_of(result))] if result.plan.is_by_subsets else words.limits(result.plan.releases)
    results.notes([*map(language.again, result.notes), *says])
    results.settings(audit, run, run.result, say("It holds row numbers and names of columns, but no value of a row."))


# --------------------------------------------------------------------------------------------------------------
# Without the method


def _without_method(audit: Audit) -> None:
    """Who is listed by the newest attacks on this release; where to ask, if nobody did."""
    if "synthetic" not in audit.files:
        return
    is_first = run_view.current_run(audit, RecordsPlan.question) is None and _newest(audit) is not None
    with st.expander(say("Without the method: whom the file names by itself"), expanded=is_first):
        _named_by_file(audit)


def _named_by_file(audit: Audit) -> None:
    run = _newest(audit)
    if run is None:
        st.markdown(
            say(
                "The risk of each person needs the method. Attacks on the released file need only the three files, and "
                "list the people whom the file names by itself."
            )
        )
        _onward(say("Attack the released file"))
        return
    result = run.result
    if result.get("purged"):
        st.info(again(results.PURGED), icon=":material/mop:")
        return
    released = ReleasedResult.from_plain(result)
    lines = people.lines(released.named, names.exactly)
    st.markdown(plain(" ".join(lines) or say("No list was made: no attack gave a score.")))
    listed = people.surest(released.records)
    if listed:
        _table(listed)
        st.caption(
            say(
                "The file does not say by which columns they stand out. To see that, name their rows below and run the "
                "method."
            )
        )
        st.caption(f":material/lock: {say('Restricted: row numbers of the real table.')}")
    _onward(say("All attacks on the released file"))


def _newest(audit: Audit) -> Run | None:
    """The newest finished attacks on the files as they are now."""
    runs = audit.runs(ReleasedPlan.question)
    return next((run for run in runs if run.state == "finished" and run.revision == audit.revision), None)


def _table(listed: Sequence[people.ListedPerson]) -> None:
    """Everybody who is listed, the surest first: by which attack, and how many others score as high."""
    rows = [
        {
            "row": person.row,
            "attack": plugin_forms.full_title(RELEASED, person.attack),
            "p": say("at most 1 in {people:,}", people=int(1 / person.p + 1e-9)),
        }
        for person in listed
    ]
    columns: dict[str, Any] = {
        "row": st.column_config.NumberColumn(say("Record"), format="%d"),
        "attack": say("Attack"),
        "p": say("Of people outside the data, so many score as high"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Everybody whom the file names by itself"))


def _onward(label: str) -> None:
    """The way to the attacks."""
    st.page_link(
        shell.MEMBERSHIP_PAGE,
        label=label,
        icon=":material/arrow_forward:",
        query_params={"question": ReleasedPlan.question},
    )


@st.fragment
@guard()
def _remedy(audit: Audit, run: Run) -> None:
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
    st.caption(" ".join((*again(NOT_SHOWN), say("It is kept with the audit and stands in its report."))))


RELEASED = "released"

# --------------------------------------------------------------------------------------------------------------
# Those whom trainings on parts of the people expose most, once more on the whole table: its time, and a button


def run_whole(audit: Audit, run: Run, result: RecordsResult) -> None:
    """What such a run is, how long it takes, and the button; nothing for a run that was of the whole table."""
    if not result.plan.is_by_subsets or run.revision != audit.revision or "real" not in audit.files:
        return
    limit = verdicts.limit_of(audit, run)
    plan = subsets.run_again(result, None if limit is None else limit.value)
    if plan is None:
        return
    people = counted(len(plan.named), "the {n:,} most exposed person", "the {n:,} most exposed people")
    about = say(
        "Each training had a part of the people. Run {people} on the whole table, with and without each of them, on "
        "trainings that did not choose them.",
        people=people,
    )
    takes = _cost(audit, run, result, plan)
    st.markdown(plain(f"{about} {takes}"))
    if not takes:
        launch.timing(audit, [plan], say("Timing it on this computer …"))
    if run_view.instead(audit, plan):
        return
    if st.button(say("Run the most exposed again"), key=key(audit, "again", "go"), icon=":material/replay:"):
        run_view.start(audit, plan)


def _cost(audit: Audit, run: Run, result: RecordsResult, plan: RecordsPlan) -> str:
    """How long it takes: timed beside the pages, or where a training takes long, by what this run took.

    Empty until it is timed.
    """
    trainings = subsets.trainings_of(plan)
    if not games.is_heavy([plan.generator]):
        expected = launch.expectation(audit, state.tables(audit), plan)
        if expected is None:
            return ""
        if expected.forecast.is_timed:
            return say("This takes {duration}.", duration=launch.duration(expected.forecast.seconds))
        return say("It takes {trainings:,} trainings.", trainings=trainings)
    each = float(run.result.get("seconds", 0.0)) / result.plan.trainings / result.plan.share
    if not each:
        return say("It takes {trainings:,} trainings.", trainings=trainings)
    return say(
        "It takes {trainings:,} trainings: {duration}, by what this run took.",
        trainings=trainings,
        duration=wording.duration(trainings * each),
    )
