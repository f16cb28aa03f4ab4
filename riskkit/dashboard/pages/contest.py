"""The page of a contest: its view, each release with a verdict of its own, and a choice of usefulness."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from riskkit.dashboard.forms import contest_form
from riskkit.dashboard.frame import results, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import Limit
from riskkit.language import again, counted, say
from riskkit.questions.contest import present, words
from riskkit.questions.contest.entries import HandedIn
from riskkit.questions.contest.plan import PEOPLE, ContestPlan
from riskkit.questions.contest.points import LESSON, UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.runs import plan_of
from riskkit.show.blocks import Group, Sentence
from riskkit.show.blocks import frontiers as frontiers_of
from riskkit.show.model import Block, RunFinding

ABOVE = ("frontiers",)
"""What the page has above the fold of the verdict."""


def page() -> QuestionPage:
    """The page of a contest."""
    return QuestionPage(
        name=ContestPlan.question,
        show=show,
        heading=say("Set up the contest"),
        form=contest_form.form,
        expect=contest_form.expect,
    )


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = ContestResult.from_plain(run.result)
    if result.standings:
        _view(audit, run, result)
    else:
        st.warning(say("No release could be made and attacked; the notes say why."), icon=":material/pause_circle:")
    results.notes([*map(again, result.notes), again(LESSON), *again(words.LIMITS)], is_open=not result.standings)
    _bundle(audit, run)
    results.settings(
        audit,
        run,
        run.result,
        say("It holds no row and no row number but those that were handed in."),
        say("With `--bundle FOLDER` it also writes population, samples, releases, guesses and scores as CSV."),
    )


def _view(audit: Audit, run: Run, result: ContestResult) -> None:
    """The view of the run; releases are judged one by one, and the measure of usefulness is picked."""
    names = views.names()
    where = {block.key: block for block in present.uploads(result, names)}

    def beneath(finding: RunFinding) -> None:
        shown = [block for block in finding.view if block.key in ABOVE]
        views.draw_all(shown, run.question, {"frontiers": partial(_frontiers, audit, result)})

    def more(_: str) -> None:
        views.draw_all(where.values(), run.question)

    judged = verdicts.show(audit, run, control=not result.controls, beneath=beneath, more=more)
    finding, _ = judged[0]

    def matrix(block: Block) -> None:
        with st.expander(say("Attacker by attacker")):
            views.draw(block, run.question)

    def methods(_: Block) -> None:
        _methods(audit, result, finding, verdicts.limit_of(audit, run))

    def lesson(block: Block) -> None:
        if isinstance(block, Sentence) and not block.is_small:  # in general it stands among the notes
            st.info(plain(block.text), icon=":material/lightbulb:")

    def planted(block: Block) -> None:
        assert isinstance(block, Sentence)
        with st.expander(say("Was the planted leak found?")):
            st.markdown(plain(block.text), help=block.meaning or None)

    def standings(block: Block) -> None:
        assert isinstance(block, Group)
        views.draw(replace(block, is_folded=True), run.question)

    hooks = {
        **dict.fromkeys((*where, *ABOVE), views.nowhere),
        "matrix": matrix,
        "methods": methods,
        "lesson": lesson,
        "standings": standings,
    }
    views.show(finding, {**hooks, "planted": planted})


def _methods(audit: Audit, result: ContestResult, finding: RunFinding, limit: Limit | None) -> None:
    """Other releases that were handed in; folded under them every anonymiser, the one that gives away most first."""
    sentences = present.methods(result, views.names())
    every = zip(result.standings, sentences, verdicts.each(finding, limit), strict=True)
    rows = [row for row in every if finding.what_if or row[0].name != UPLOADED]  # else the header has said it
    rows.sort(key=lambda row: -row[0].worst.value)
    for standing, sentence, (_, judgement) in rows:
        if standing.is_uploaded:
            verdicts.part_verdict(sentence.text, judgement, "")
    others = [row for row in rows if not row[0].is_uploaded]
    many = sum(not audit.provenance.covers(standing.name) for standing, *_ in others)
    if others:
        title = counted(
            many, "If it had been made otherwise: {n:,} method", "If it had been made otherwise: {n:,} methods"
        )
        with st.expander(title if many == len(others) else say("{others}, and your method again", others=title)):
            for _, sentence, (part, judgement) in others:
                verdicts.part_verdict(sentence.text, judgement, part.title)


def _frontiers(audit: Audit, result: ContestResult, group: Block) -> None:
    """Privacy against usefulness, by the measure that is picked; the method that made the release is named so."""
    assert isinstance(group, Group)
    drawn = dict(zip(result.pictures, frontiers_of((group,)), strict=True))
    chart = st.container()
    measure = st.selectbox(
        say("Usefulness by"), list(drawn), format_func=lambda name: drawn[name].measure, key="contest.measure"
    )
    caption = f"{drawn[measure].caption} {words.GLOSSARY['unnamed']}"
    names = views.names()
    own = [words.release(each, names) for each in result.standings if audit.provenance.covers(each.name)]
    spots = tuple(
        replace(spot, who=say("the same again")) if spot.who in own else spot for spot in drawn[measure].spots
    )
    with chart:
        views.picture(replace(drawn[measure], spots=spots, caption=caption), "contest.frontier")


def _bundle(audit: Audit, run: Run) -> None:
    """The bundle that was asked for, to take away."""
    if not plan_of(run).bundle:
        return
    path = HandedIn.read(audit).bundle(plan_of(run), run.revision)
    if not path.is_file():
        st.caption(
            say("The bundle of this contest is not kept here any more; run it again with other settings to make one.")
        )
        return
    st.download_button(
        say("Download the bundle (ZIP)"),
        data=path.read_bytes,
        file_name=f"contest_{run.id[:12]}.zip",
        mime="application/zip",
        key="contest.bundle",
        on_click="ignore",
        icon=":material/folder_zip:",
        help=say(
            "Population, sample, releases, guesses and scores as CSV, and a README that says what attackers must "
            "not see."
        ),
    )
    if plan_of(run).source == PEOPLE:
        st.caption(f":material/warning: {say('The population is the people themselves: the bundle holds real rows.')}")
