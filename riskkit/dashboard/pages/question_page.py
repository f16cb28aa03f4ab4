"""The page of a question: its form follows from the plan, its result from the finding; hooks where a page does more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from riskkit.audit import sample
from riskkit.base import places
from riskkit.dashboard.forms import launch, plan_forms
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import results, run_state, run_view, shell, state, styles, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import what_you_can_do
from riskkit.errors import RiskkitError
from riskkit.figures import blocks, canvas
from riskkit.jobs.runs import Run
from riskkit.jobs.store import SLOTS, Audit
from riskkit.language import again, say
from riskkit.plans import Plan
from riskkit.questions import Question, names, question, questions
from riskkit.show.blocks import Sentence
from riskkit.show.model import RunFinding

MOST_LISTED = 1_000
"""People that the page lists."""


def pages(others: Sequence[st.Page]) -> list[st.Page]:
    """A page for each question that none of the others asks, in the order of a report."""
    asked = {question for page in others for question in state.ASKED_ON.get(page.url_path, (page.url_path,))}
    if not names() - asked:
        return []
    return [_page(known) for name, known in questions().items() if name not in asked]


def page_of(name: str, *, has_icon: bool = True) -> str | st.Page | None:
    """The page that asks the question of that name, as links take it; None where this version does not know it.

    A page of a file has no icon in a link; one that is drawn from its plan has its own unless that is not wanted.
    """
    asked = next((page for page, several in state.ASKED_ON.items() if name in several), name)
    written = next(iter(sorted((places.project() / "pages").glob(f"[0-9]*_{asked}.py"))), None)
    if written is not None:
        return f"pages/{written.name}"
    return _page(questions()[name], has_icon=has_icon) if name in questions() else None


def _page(known: Question, *, has_icon: bool = True) -> st.Page:
    icon = f":material/{known.icon}:" if has_icon else None
    return st.Page(partial(page, known.name), title=again(known.title), icon=icon, url_path=known.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """What the page of one question says and does.

    Parameters
    ----------
    name
        The name of the question.
    needs, named
        The files without which nothing can be asked, and those that the page names where one of these is missing.
    warns
        Whether what the file shows by itself stands under the title.
    heading
        What stands above the form.
    form, expect
        Draw the settings and return their plan; say what such a run could show and how long it takes.
    show
        Draws a finished run.
    beneath, after
        What stands under the result, and under the form.
    about
        For whom the page is, where that is not everybody.
    is_answered
        Whether what stands beneath answers before any run, so that no example is needed.
    """

    name: str
    form: Callable[[Audit], Plan]
    expect: Callable[[Audit, Any], None]
    show: Callable[[Audit, Run], None]
    heading: str = ""
    needs: tuple[str, ...] = ("real",)
    named: tuple[str, ...] = ("real", "synthetic")
    warns: bool = True
    beneath: Callable[[Audit], None] = lambda _: None
    after: Callable[[Audit], None] = lambda _: None
    about: str = ""
    is_answered: Callable[[Audit], bool] = lambda _: False


def draw(title: str, first: QuestionPage, pick: Callable[[Audit], QuestionPage] | None = None) -> None:
    """The whole page of a question; of several, that of the one which ``pick`` draws a switch for.

    It stands within :func:`riskkit.dashboard.frame.shell.guard`, as does whatever says a text for it: whether rows are
    people or households is settled there.
    """
    audit = state.current()
    shell.header(title, audit)
    if audit is None or not set(first.needs) <= set(audit.files):
        shell.empty(audit, first.named)
        return
    if first.about:
        st.markdown(plain(first.about))
    if first.warns:
        verdicts.warn(audit)
    drawn = first if pick is None else pick(audit)
    if not set(drawn.needs) <= set(audit.files):
        shell.empty(audit, drawn.named)
        return
    _run(audit, drawn)
    drawn.beneath(audit)
    _ask(audit, drawn)
    drawn.after(audit)


def _ask(audit: Audit, drawn: QuestionPage) -> None:
    """The settings in a fold, and *Run*: above them before a first run; else they begin with what was asked."""
    run = run_view.current_run(audit, drawn.name)
    place = st.container() if run is None else None
    styles.place("settings")
    with st.expander(drawn.heading or say("Settings"), icon=":material/tune:"):
        if run is not None:
            st.caption(plain(say("Above: {plan}", plan=run_state.standing(run, run.revision).about)))
        fold = launch.Fold(st.container(), None if run is None else st.container(), place)
    launch.ask(audit, launch.key(drawn.name, audit, "run"), drawn.form, drawn.expect, fold)


def _run(audit: Audit, drawn: QuestionPage) -> None:
    """The run that is shown: its result, how far it is, or that there is none yet."""
    run = run_view.current_run(audit, drawn.name)
    if run is None:
        if not drawn.is_answered(audit):
            _first(audit, question(drawn.name))
        return
    run_view.picker(audit, run)
    if run.state != "finished":
        run_view.progress(audit, run)
    elif run.result.get("purged"):
        results.purged_result(audit, run)
    else:
        results.earlier(audit, run)
        drawn.show(audit, run)


def _first(audit: Audit, known: Question) -> None:
    """What a question shows before its first run: what it asks in a sentence, and what an answer may look like.

    Where the tables lack what it is about, that it does not apply and why, and no example.
    """
    lacking = ""
    with suppress(RiskkitError):
        lacking = known.lacks(state.tables(audit), known.plan(**plan_forms.columns_entered(known.plan, audit)))
    if lacking:
        st.header(say("This test does not apply to these files."), anchor=False)
        st.markdown(plain(lacking))
    else:
        st.markdown(plain(again(known.meaning)))
    if known.example is not None and not lacking:
        example = again(known.example)
        st.markdown(f"**{plain(example.sentence)}**")
        drawn = blocks.figure(example)
        canvas.wrap_titles(drawn)
        st.plotly_chart(drawn, key=f"{known.name}.example", config={"staticPlot": True}, alt=example.sentence)
        st.caption(say("The numbers of this example are made up."))
    if known.name == sample.HOUSEHOLDS.question:
        _elsewhere()


def _elsewhere() -> None:
    """The way to an audit that is answered what a table without households cannot be asked."""
    if st.button(
        say("Open an example with households (another audit)"), key="households.sample", icon=":material/home:"
    ):
        with st.spinner(say("Opening the sample audit")):
            state.show(sample.homes(state.store(), workers=run_view.workers()))
        st.rerun()


def page(name: str) -> None:
    """The whole page of the question of that name, which follows from its plan and its finding alone."""
    with shell.guard():
        known = question(name)
        needed = tuple(slot for slot in SLOTS if slot == "real" or slot in known.plan.needs)
        made = QuestionPage(
            name=known.name,
            form=partial(_form, known),
            expect=_before,
            show=show,
            needs=needed,
            named=needed,
            warns=known.reads_files,
        )
        draw(again(known.asks or known.title), made)


def show(audit: Audit, run: Run) -> None:
    """Verdict, sentence, picture; then the numbers, and what gives them again."""
    judged = verdicts.show(audit, run)
    finding, _ = judged[0]
    lines = [block for block in finding.view if isinstance(block, Sentence)]
    views.draw_all((block for block in finding.view if block not in lines), run.question)
    if finding.chart is not None and finding.chart not in finding.view:
        views.picture(finding.chart, f"{run.question}.{finding.chart.key}")
    unsaid = views.unsaid(finding)
    if lines or unsaid:
        with st.expander(say("Line by line")):
            views.draw_all(lines, run.question)
            st.markdown("\n".join(f"- {plain(line)}" for line in unsaid))
    if finding.mendings and run.revision == audit.revision:
        what_you_can_do.offer(audit, finding.mendings)
    results.promises(judged)
    results.for_whom(judged)
    verdicts.what_ifs(judged)
    _who(finding)
    with st.expander(say("All numbers")):
        results.table(run.question, run.result)
    results.notes([*finding.notes, *finding.limits])
    public = {**question(run.question).result.from_plain(run.result).as_dict(), "seconds": run.result.get("seconds", 0)}
    results.settings(audit, run, public, say("It holds estimates, settings and notes; no score of a person."))


def _who(finding: RunFinding) -> None:
    """Who is named by what, for those who may see rows."""
    if not finding.at_risk:
        return
    with st.expander(plain(finding.named or say("People named: {people:,}", people=len(finding.at_risk)))):
        st.markdown(say("Rows of the real table, counted from 0; the strongest finding first."))
        listed = [
            {say("Row"): risk.reference, say("Named by"): risk.who, say("Value [interval]"): str(risk.estimate)}
            for risk in finding.at_risk[:MOST_LISTED]
        ]
        st.dataframe(listed, hide_index=True)
        if len(finding.at_risk) > MOST_LISTED:
            st.markdown(say("The first {shown:,}; the restricted report has all.", shown=MOST_LISTED))


def _form(known: Question, audit: Audit) -> Plan:
    """Every setting of the plan, drawn from what the plan says of it."""
    asked = Form(known.plan, audit, state.columns(audit))
    asked.rest()
    plan = asked.made()
    tables = state.tables(audit)
    if lacking := known.lacks(tables, plan):
        is_told = run_view.current_run(audit, known.name) is None and not known.applies(tables)
        raise launch.Inapplicable(lacking) if is_told else launch.Unanswered(lacking)
    return plan


def _before(audit: Audit, plan: Plan) -> None:
    """How long it takes and what it could show; nothing where nobody wrote how to foretell it."""
    if question(plan.question).forecast is None:
        return
    expected = launch.foretell(audit, plan)
    if expected is not None and expected.forecast.could_show:
        st.markdown(plain(expected.forecast.could_show))
