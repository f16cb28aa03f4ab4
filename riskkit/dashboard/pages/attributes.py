"""The page of guessed secrets: the sentences, the pictures, the details folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit.dashboard.forms import attributes_form, plugin_forms
from riskkit.dashboard.frame import results, switches, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import Judgement
from riskkit.language import again, counted, say, unbroken
from riskkit.questions.attributes import findings, present, words
from riskkit.questions.attributes.findings import SecretAnswer
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.result import AttributesResult
from riskkit.show.blocks import Grid, Group
from riskkit.show.model import Block, Chart, Part
from riskkit.show.names import known_set_title as known_set

ROOM = "inference"
OPEN = 3
"""Answers of which a line stands open; all of them are folded under it in full."""


def page() -> QuestionPage:
    """The page of guessed secrets."""
    return QuestionPage(
        name=AttributePlan.question,
        needs=("real", "synthetic"),
        show=show,
        heading=say("Set up the guessing"),
        form=attributes_form.form,
        expect=attributes_form.expect,
    )


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = AttributesResult.from_plain(kept)
    answers = findings.summarise(result)
    by_sentence = {findings.sentence(answer): answer for answer in answers}

    def split(sentence: str) -> tuple[str, str]:
        """The sentence and what it means; its numbers stand in a table under it."""
        answer = by_sentence.get(sentence)
        return (sentence, "") if answer is None else (findings.headline(answer)[0], findings.meaning(answer))

    def numbers(sentence: str) -> None:
        if sentence in by_sentence:
            views.table(present.in_numbers(by_sentence[sentence]))
            _about(by_sentence[sentence])

    judged = verdicts.show(audit, run, split=split, control=False, more=numbers)
    ((finding, _),) = judged
    parts = verdicts.each(finding, verdicts.limit_of(audit, run))
    _sentences(answers, parts, finding.sentence, is_current=run.revision == audit.revision)
    place = _looked_at(answers)
    shown = views.every(replace(finding, view=present.answer_blocks(answers, result.sweep, views.names(), place)))
    answer = answers[place] if answers else None
    pictures = [block for block in shown if isinstance(block, Chart)]
    instead: dict[str, Callable[[Block], None]] = {"sweep": partial(_sweep, run.question), "others": lambda _: None}
    if answer is not None:
        bars = partial(_bars, answer, run.question)
        instead |= {block.key: bars for block in pictures if block.key.startswith("bars")}
    views.draw_all(pictures, run.question, instead)
    results.for_whom(judged)
    if answer is not None and not answer.again and not result.plan.second_table:  # drawn anew in one table alone
        with st.expander(say("Secrets drawn anew: not asked")):
            st.markdown(say(words.NO_GENERATOR))
    views.draw_all((block for block in shown if block not in pictures), run.question, instead)
    if answer is not None:
        _exposed_members(answer)
    limits = map(say, words.LIMITS)
    results.notes([*map(again, result.notes), *limits], is_open=not answers)
    passed_on = {**result.as_dict(), "seconds": kept["seconds"]}
    results.settings(audit, run, passed_on, say("It holds no value of a row and no row number."))


# --------------------------------------------------------------------------------------------------------------
# What was found


def _sentences(
    answers: Sequence[SecretAnswer], parts: Sequence[tuple[Part, Judgement]], header: str, *, is_current: bool
) -> None:
    """A line for the gravest of several secrets and known sets, and all of them in full in a fold.

    What stands in the header is not said again.
    """
    every = [
        (part, judgement, answer)
        for (part, judgement), answer in zip(parts, answers, strict=True)
        if part.sentence != header
    ]
    ranked = sorted(every, key=lambda part: (part[1].verdict.gravity, part[2].compared.residual is None))
    for _, judgement, answer in ranked[:OPEN]:
        with st.container(horizontal=True, vertical_alignment="center"):
            if is_current:
                verdicts.badge(judgement)
            line = findings.plain(answer, secret=answer.secret, known=known_set(answer.known))
            open_end = say("“{secret}”: members and others could not be compared.", secret=answer.secret)
            st.markdown(plain(line or open_end), width="stretch")
    if ranked:
        with st.expander(counted(len(ranked), "{n:,} more answer in full", "{n:,} more answers in full")):
            for sentence_parts in ranked:
                _sentence(*sentence_parts, is_current=is_current)


def _sentence(part: Part, judgement: Judgement, answer: SecretAnswer, *, is_current: bool) -> None:
    if is_current:
        verdicts.badge(judgement)
    large, small = findings.headline(answer)
    st.markdown(f"**{plain(large)}** {plain(small)}")
    is_said = not is_current or judgement.why in part.sentence
    _about(answer, "" if is_said else judgement.why)


def _about(answer: SecretAnswer, why: str = "") -> None:
    """Which model guessed, why the verdict is what it is where that is not said above, and what it stands on."""
    named = findings.models(answer, partial(plugin_forms.full_title, ROOM))
    about = [f"{named[:1].upper()}{named[1:]}.", why, findings.stands_on(answer)]
    st.caption(plain(" ".join(filter(None, about))), help=words.GLOSSARY["residual"])
    if reading := findings.reading(answer):
        with st.expander(say("Guesses from the release beside guesses from the real data")):
            st.markdown(plain(reading), help=words.GLOSSARY["leakage_ratio"])


def _looked_at(answers: Sequence[SecretAnswer]) -> int:
    """The place of the answer whose picture is shown, that of the sentence above unless another is picked."""
    first = findings.foremost(answers)
    if len(answers) < 2:
        return first
    names = [
        plain(say("{secret}, knowing {known}", secret=answer.secret, known=known_set(answer.known)))
        for answer in answers
    ]
    return st.selectbox(
        say("Secret shown"), range(len(answers)), first, lambda place: names[place], key="attributes.answer"
    )


def _bars(answer: SecretAnswer, question: str, block: Block) -> None:
    """Members, others, baseline and ceiling by one measure."""
    measure = answer.measure
    if len(answer.measures) > 1:
        place = answer.measures.index(measure)
        measure = st.selectbox(
            say("Measure"), answer.measures, place, words.TITLES.__getitem__, key="attributes.measure"
        )
    views.draw(present.bars(answer, measure, views.names(), block.key), question)


def _sweep(question: str, block: Block) -> None:
    """Every secret with every known set: the map that is picked, and the table."""
    assert isinstance(block, Group)
    st.header(unbroken(block.title), anchor=False)
    there = [inner.key for inner in block.blocks if isinstance(inner, Grid)]
    what = st.segmented_control(
        say("Shown"),
        there,
        default=next(iter(there), None),
        required=bool(there),
        key="attributes.what",
        format_func=words.CONTRASTS.__getitem__,
        label_visibility="collapsed",
    )
    views.draw_all((inner for inner in block.blocks if inner.key == what or inner.key not in there), question)


def _exposed_members(answer: SecretAnswer) -> None:
    """Row numbers of the members that nothing but the release gives away; never a value of theirs."""
    title = findings.title(answer)
    if not title:
        return
    with st.expander(title):
        st.markdown(plain(findings.rule(answer)))
        if not answer.exposed:
            return
        st.markdown(
            f":material/lock: {say('Restricted: row numbers of the real table, left out of what is downloaded below.')}"
        )
        if switches.toggle(say("Show the row numbers"), key="attributes.reveal"):
            rows = [{"row": person.row, "confidence": person.confidence} for person in answer.exposed]
            columns: dict[str, Any] = {
                "row": st.column_config.NumberColumn(say("Row of the real table (from 0)"), format="%d"),
                "confidence": st.column_config.NumberColumn(say("Confidence of the guess"), format="%.2f"),
            }
            st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Row numbers of exposed people"))
