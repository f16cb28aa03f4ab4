"""A finished run for many records, on a page: the sentence, everybody's risk, one person, the details folded."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from riskkit.core import Estimate
from riskkit.dashboard import (
    again,
    asking,
    estimates,
    for_whom,
    promises,
    records_people,
    records_remedy,
    results,
    verdicts,
)
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.membership import words
from riskkit.questions.records import findings
from riskkit.questions.records import words as record_words
from riskkit.questions.records.findings import RecordsFinding
from riskkit.questions.records.result import RecordsResult

key = partial(asking.key, "records")

COMPARED = {
    "miss_rate": say("Missed by the average over tables, of those above"),
    "miss_rate_halves": say("Missed with half of the trainings of each game"),
    "miss_rate_null": say("Missed by luck alone: one half of the game against the other"),
    "rmsd": say("Typical difference of the two games (RMSD)"),
    "rmsd_corrected": say("Typical difference without noise"),
    "rmsd_null": say("Typical difference by luck alone: one half of the game against the other"),
}
"""Figures that compare the two games, in the order of a table."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    limit = verdicts.limit_of(audit, run)
    finding = findings.read(RecordsResult.of(run.result), None if limit is None else limit.value)
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    promises.show(judged)
    records_people.show(audit, run)
    for_whom.show(judged)
    records_remedy.show(audit, run)
    _numbers(finding)
    with st.expander(say("Notes, and what this does not show")):
        limits = record_words.limits(finding.result.plan.releases)
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*finding.notes, *limits])))
    again.settings(audit, run, run.result, say("It holds row numbers and names of columns, but no value of a row."))


# --------------------------------------------------------------------------------------------------------------
# The details


def _numbers(finding: RecordsFinding) -> None:
    """How many lie above each limit, and how far the two games are apart."""
    with st.expander(say("All numbers")):
        counted = [each for each in finding.result.overall if each.name == "records_above"]
        rows = [{"limit": float(each.labels["limit"]), "count": _count(each), "n": each.n} for each in counted]
        columns: dict[str, Any] = {
            "limit": st.column_config.NumberColumn(say("Risk above"), format="%.2f"),
            "count": say("People of {total:,}", total=finding.result.counted),
            "n": st.column_config.NumberColumn(say("Trainings"), help=words.GLOSSARY["training"]),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("How many people lie above each limit"))
        compared = [each for each in finding.result.overall if each.name in COMPARED]
        if compared:
            st.dataframe(
                [
                    {"what": COMPARED[e.name], "limit": e.labels.get("limit", ""), "found": str(e), "n": e.n}
                    for e in compared
                ],
                hide_index=True,
                column_config={
                    "what": say("The two games"),
                    "limit": say("Risk above"),
                    "found": say("Found"),
                    "n": say("Trainings"),
                },
                alt=say("How far the two games are apart"),
            )
        fresh = [person for person in finding.people if person.is_fresh and person.first_auc is not None]
        if fresh:
            st.dataframe(
                [{"row": person.row, "first": str(person.first_auc), "fresh": str(person.auc)} for person in fresh],
                hide_index=True,
                column_config={"row": say("Record"), "first": say("First look"), "fresh": say("Fresh trainings")},
                alt=say("Records played again on fresh trainings"),
            )
            st.caption(record_words.GLOSSARY["fresh"])


def _count(estimate: Estimate) -> str:
    return f"{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]"
