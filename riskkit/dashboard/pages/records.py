"""The page of many records: the sentence, everybody's risk, one person; and whom the file names without the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from riskkit import language
from riskkit.dashboard.forms import games, plugin_forms, records_form
from riskkit.dashboard.frame import results, run_view, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import records_people, records_remedy
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.records import present, words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.result import RecordsResult
from riskkit.questions.released import result as people
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.result import ReleasedResult
from riskkit.show import names

MEMBERSHIP_PAGE, RELEASED = "pages/2_membership.py", "released"


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
    records_people.show(audit, run)
    results.for_whom(judged)
    records_remedy.show(audit, run)
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
        st.info(results.PURGED, icon=":material/mop:")
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
        MEMBERSHIP_PAGE,
        label=label,
        icon=":material/arrow_forward:",
        query_params={"question": ReleasedPlan.question},
    )
