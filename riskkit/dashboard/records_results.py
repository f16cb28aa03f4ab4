"""A finished run for many records, on a page: the sentence, everybody's risk, one person, the details folded."""

from __future__ import annotations

import streamlit as st

from riskkit import language
from riskkit.dashboard import (
    again,
    estimates,
    for_whom,
    promises,
    records_people,
    records_remedy,
    results,
    verdicts,
    views,
)
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.records import words
from riskkit.questions.records.result import RecordsResult


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = RecordsResult.of(run.result)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    promises.show(judged)
    records_people.show(audit, run)
    for_whom.show(judged)
    records_remedy.show(audit, run)
    views.draw_all((block for block in views.every(judged[0][0]) if block.key == "numbers"), run.question)
    with st.expander(say("Notes, and what this does not show")):
        limits = words.limits(result.plan.releases)
        st.markdown(
            "\n".join(f"- {plain(line)}" for line in dict.fromkeys([*map(language.again, result.notes), *limits]))
        )
    again.settings(audit, run, run.result, say("It holds row numbers and names of columns, but no value of a row."))
