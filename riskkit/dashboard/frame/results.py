"""What every finished run has on its page: whose data it is of, what stands beside it, and how to get it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from riskkit.audit.report_facts import titles
from riskkit.dashboard.frame import views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.frame.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import again, counted, phrase, say
from riskkit.plain import estimate
from riskkit.questions.runs import plan_of
from riskkit.report.views import estimate_table
from riskkit.show.for_whom import without_values
from riskkit.show.promise import with_readings

PURGED = phrase(
    "The scores of single records were deleted because of their age, and so were the charts made from them. The "
    "estimates are kept. The same settings on the same files give the scores again."
)


def earlier(audit: Audit, run: Run) -> None:
    """Say so where the data is no longer that of the run."""
    if run.revision != audit.revision:
        st.warning(
            say(
                "These results are of an earlier version of the data: a file or a column was changed since. Run again "
                "to see the table as it is now."
            ),
            icon=":material/history:",
        )


def purged_result(audit: Audit, run: Run) -> None:
    """What is left of a result whose scores of single records were removed."""
    st.info(again(PURGED), title=say("What is kept of this result"), icon=":material/mop:")
    table(run.question, run.result)
    settings(audit, run, run.result, say("It holds estimates, settings and notes, but no scores."))


def table(question: str, result: Mapping[str, Any]) -> None:
    """All estimates with their intervals, levels and numbers of trainings or records."""
    views.table(estimate_table(question, map(estimate, result["estimates"]), titles()))


def promises(judged: Sequence[Judged]) -> None:
    """Every method that promises epsilon: what it promises, allows and shows; in red where these cannot all be true."""
    for index, promised in enumerate(promised for finding, _ in judged for promised in finding.promises):
        if promised.is_contradicted:
            st.error(plain(promised.verdict), icon=":material/error:")
        with st.expander(
            plain(say("What {method} promises, and what is seen", method=promised.method)),
            expanded=promised.is_contradicted,
        ):
            picture = promised.chart()
            if picture is not None:
                views.picture(picture, f"promised.{index}")
            st.markdown("\n".join(f"- **{plain(term)}**: {plain(text)}" for term, text in promised.terms if text))
            if not promised.is_contradicted:
                st.caption(plain(promised.verdict))


def for_whom(judged: Sequence[Judged]) -> None:
    """The groups of every finding that compares some: the sentence, the picture, every group and how it was done."""
    for index, block in enumerate(finding.for_whom for finding, _ in judged if finding.for_whom is not None):
        with st.expander(plain(block.title), icon=":material/groups:"):
            picture = block.chart()
            if picture is None:
                st.markdown(plain(block.sentence))
                continue
            views.picture(picture, f"for_whom.{index}")
            rows = [dict(zip(block.head, row, strict=True)) for row in block.rows]
            st.dataframe(
                rows, hide_index=True, alt=say("Every group, with its number and how far it lies above the others")
            )
            st.markdown("\n".join(f"- **{plain(term)}**: {plain(text)}" for term, text in block.terms if text))


def notes(lines: Iterable[str], *, is_open: bool = False) -> None:
    """What must be said beside the numbers, and what they do not show, each once."""
    with st.expander(say("Notes, and what this does not show"), expanded=is_open):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys(lines)))


def settings(audit: Audit, run: Run, result: Mapping[str, Any], holds: str, beside: str = "") -> None:
    """What gives the same numbers again: command line, plan and time of a run; and the result to take away.

    ``result`` is what may be taken away, without values of groups of people, and ``holds`` says what it holds and what
    not; ``beside`` is a remark on the command line.
    """
    if result.get("for_whom") is not None:
        result = {**result, "for_whom": without_values(result["for_whom"])}
    with st.expander(say("Settings, to copy and to download")):
        st.markdown(say("This command gives the same numbers; run it in the folder of your files:"))
        st.code(plan_of(run).command(**{"real": "real.csv", **audit.file_names}), language="bash", wrap_lines=True)
        if beside:
            st.caption(beside)
        st.markdown(say("The plan:"))
        st.code(json.dumps(plan_of(run).as_dict(), ensure_ascii=False, indent=1), language="json")
        st.caption(
            say(
                "It took {seconds:,.1f} s with {processes}.",
                seconds=result.get("seconds", 0),
                processes=counted(run.workers, "{n:,} process", "{n:,} processes"),
            )
        )
        st.download_button(
            say("Download the result (JSON)"),
            data=lambda: json.dumps(with_readings(result), ensure_ascii=False, sort_keys=True, indent=1),
            file_name=f"{run.question}_{run.id[:12]}.json",
            mime="application/json",
            key=f"{run.question}.download",
            on_click="ignore",
            help=say("Every estimate, setting and note. {holds}", holds=holds),
        )
