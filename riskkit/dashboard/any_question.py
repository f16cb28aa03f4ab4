"""The page of a question that has no page of its own: its form from the plan, its result from the finding's blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit.dashboard import again, asking, blocks, estimates, frame, plan_forms, results, running, state, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.plans import Plan
from riskkit.questions import Question, names, question, questions


def pages(others: Sequence[st.Page]) -> list[st.Page]:
    """A page for each question that none of the others asks, in the order of a report."""
    asked = {question for page in others for question in state.ASKED_ON.get(page.url_path, (page.url_path,))}
    if not names() - asked:
        return []
    missing = {name: known for name, known in questions().items() if name not in asked}
    return [
        st.Page(partial(page, name), title=say(known.title), icon=":material/help_center:", url_path=name)
        for name, known in missing.items()
    ]


def page(name: str) -> None:
    """The whole page of the question of that name."""
    known = question(name)
    with frame.guard():
        audit = state.current()
        frame.header(say(known.title), audit)
        if audit is None or not {"real", *known.plan.needs} <= set(audit.files):
            frame.empty(audit)
            return
        st.markdown(plain(say(known.meaning)))
        run = running.shown(audit, name)
        if run is None:
            st.markdown(say("Nothing has been asked yet. Run it as it is set up below, or change it first."))
        else:
            running.picker(audit, run)
            if run.state == "finished":
                show(audit, run)
            else:
                running.progress(audit, run)
        st.divider()
        asking.ask(audit, asking.key(name, audit, "run"), partial(_form, known), _before)


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """Verdict, sentence, picture; then the numbers, and what gives them again."""
    results.earlier(audit, run)
    judged = verdicts.show(audit, run)
    finding, _ = judged[0]
    if finding.chart is not None:
        draw(blocks.intervals(finding.chart), f"{run.question}.chart")
    for line in finding.extra:
        st.markdown(plain(line))
    verdicts.what_ifs(judged)
    with st.expander(say("All numbers")):
        estimates.table(run.question, run.result)
    with st.expander(say("Notes, and what this does not show")):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*finding.notes, *finding.limits])))
    again.settings(audit, run, _public(run), say("It holds estimates, settings and notes; no score of a person."))


def _public(run: Run) -> Mapping[str, Any]:
    private = question(run.question).private
    return {name: value for name, value in run.result.items() if name not in private}


def _form(known: Question, audit: Audit) -> Plan:
    """Every setting of the plan, drawn from what the plan says of it."""
    return known.plan(**plan_forms.rest(known.plan, (), partial(asking.key, known.name, audit)))


def _before(audit: Audit, plan: Plan) -> None:
    """Nothing is known before a run of what it takes: nobody has written how to foretell it."""
