"""What was guessed from a release, on a page: the sentences, the pictures, the details folded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard import again, attributes_charts, estimates, for_whom, forms, results, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measured import Judgement
from riskkit.language import counted, say
from riskkit.questions.attributes import exposure_words, findings, words
from riskkit.questions.attributes import gain_words as attributes_gains
from riskkit.questions.attributes import match_words as matches_said
from riskkit.questions.attributes import randomised_words as again_said
from riskkit.questions.attributes.findings import Answer, AttributesFinding, Cell
from riskkit.questions.attributes.result import AttributesResult
from riskkit.show.model import Part
from riskkit.show.names import known as known_set

ROOM = "inference"
OPEN = 3
"""Answers whose sentence stands open; the others are folded under them."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = AttributesResult.of(kept)
    all_answers = findings.read(result)
    results.earlier(audit, run)
    by_sentence = {findings.sentence(answer): answer for answer in all_answers.answers}

    def split(sentence: str) -> tuple[str, str]:
        return findings.headline(by_sentence[sentence]) if sentence in by_sentence else (sentence, "")

    judged = verdicts.show(audit, run, split=split, control=False)
    ((finding, _),) = judged
    if finding.sentence in by_sentence:
        _about(by_sentence[finding.sentence])
    parts = verdicts.each(finding, verdicts.limit_of(audit, run))
    _sentences(all_answers, parts, finding.sentence, is_current=run.revision == audit.revision)
    looked_at = _looked_at(all_answers)
    if looked_at is not None:
        _pictures(looked_at)
        _groups(looked_at)
    for_whom.show(judged)
    if all_answers.sweep:
        _sweep(all_answers.sweep)
    if looked_at is not None:
        if not result.plan.second_table:  # secrets drawn anew are of one table
            _again_and_again(looked_at)
        _numbers(looked_at)
        _looked_up(looked_at)
        _exposed(looked_at)
    _notes(all_answers)
    passed_on = {**result.as_dict(), "seconds": kept["seconds"]}
    again.settings(audit, run, passed_on, say("It holds no value of a row and no row number."))


# --------------------------------------------------------------------------------------------------------------
# What was found


def _sentences(
    finding: AttributesFinding, parts: Sequence[tuple[Part, Judgement]], header: str, *, is_current: bool
) -> None:
    """Verdict and sentence of every secret and known set where several were asked, the gravest first.

    What stands in the header is not said again.
    """
    every = [
        (part, judgement, answer)
        for (part, judgement), answer in zip(parts, finding.answers, strict=True)
        if part.sentence != header
    ]
    ranked = sorted(every, key=lambda part: part[1].verdict.gravity)
    for sentence_parts in ranked[:OPEN]:
        _sentence(*sentence_parts, is_current=is_current)
    if ranked[OPEN:]:
        with st.expander(counted(len(ranked) - OPEN, "{n:,} more answer", "{n:,} more answers")):
            for sentence_parts in ranked[OPEN:]:
                _sentence(*sentence_parts, is_current=is_current)


def _sentence(part: Part, judgement: Judgement, answer: Answer, *, is_current: bool) -> None:
    if is_current:
        verdicts.badge(judgement)
    large, small = findings.headline(answer)
    st.markdown(f"**{plain(large)}** {plain(small)}")
    is_said = not is_current or judgement.why in part.sentence
    _about(answer, "" if is_said else judgement.why)


def _about(answer: Answer, why: str = "") -> None:
    """Which model guessed, why the verdict is what it is where that is not said above, and what it stands on."""
    named = findings.models(answer, partial(forms.named, ROOM))
    about = [f"{named[:1].upper()}{named[1:]}.", why, findings.stands_on(answer)]
    st.caption(plain(" ".join(filter(None, about))), help=words.GLOSSARY["residual"])
    if reading := attributes_gains.reading(answer):
        st.caption(plain(reading), help=words.GLOSSARY["leakage_ratio"])


def _looked_at(finding: AttributesFinding) -> Answer | None:
    """The answer whose picture is shown, a leak's unless another is picked."""
    answers = finding.answers
    if len(answers) < 2:
        return next(iter(answers), None)
    first = next((position for position, answer in enumerate(answers) if answer.is_shown), 0)
    names = [
        plain(say("{secret}, knowing {known}", secret=answer.secret, known=known_set(answer.known)))
        for answer in answers
    ]
    chosen = st.selectbox(
        say("Secret looked at"), range(len(answers)), first, lambda place: names[place], key="attributes.answer"
    )
    return answers[chosen]


def _pictures(answer: Answer) -> None:
    """The four bars of one measure."""
    measures = answer.measures
    if not measures:
        return
    measure = answer.measure
    if len(measures) > 1:
        measure = st.selectbox(
            say("Measure"), measures, measures.index(answer.measure), words.TITLES.__getitem__, key="attributes.measure"
        )
    draw(attributes_charts.bars(answer, measure), "attributes.bars")
    st.caption(words.GLOSSARY[measure])


def _groups(answer: Answer) -> None:
    """Every group of every column that was asked for."""
    for index, groups in enumerate(answer.groups):
        if groups.each:
            draw(attributes_charts.groups(groups), f"attributes.groups.{index}")
        if groups.refused:
            st.caption(
                counted(
                    groups.refused,
                    "{n:,} group by {column} is too small for a number.",
                    "{n:,} groups by {column} are too small for a number.",
                    column=plain(groups.column),
                )
            )


def _sweep(cells: Sequence[Cell]) -> None:
    """Every secret with every known set."""
    st.header(say("Every column in turn"), anchor=False)
    there = [what for what in ("delta", "residual") if any(getattr(cell, what) for cell in cells)]
    what = st.segmented_control(
        say("Shown"),
        there,
        default=next(iter(there), None),
        required=bool(there),
        key="attributes.what",
        format_func=words.CONTRASTS.__getitem__,
        label_visibility="collapsed",
    )
    if what is None:
        st.markdown(say("No field of the sweep has a number; the notes say why."))
        return
    draw(attributes_charts.heatmap(cells, what), "attributes.sweep")
    st.caption(f"{words.GLOSSARY[what]} {words.MARKED[what]}")
    with st.expander(say("The sweep as a table")):
        rows = [
            {"secret": c.secret, "known": known_set(c.columns), "delta": _cell(c.delta), "residual": _cell(c.residual)}
            for c in cells
        ]
        text = st.column_config.TextColumn
        columns: dict[str, Any] = {
            "secret": say("Secret"),
            "known": say("Known"),
            **{name: text(words.CONTRASTS[name], help=words.GLOSSARY[name]) for name in ("delta", "residual")},
        }
        st.dataframe(
            rows, hide_index=True, column_config=columns, alt=say("Every field of the sweep with its intervals")
        )


def _cell(estimate: Estimate | None) -> str:
    return say("no number") if estimate is None else wording.number(estimate)


# --------------------------------------------------------------------------------------------------------------
# The details


def _numbers(answer: Answer) -> None:
    """Every measure of every side, and what they come to."""
    with st.expander(say("All numbers")):
        sides = answer.sides
        rows = [
            {"measure": words.TITLES[measure], **{side: _cell(answer.bar(side, measure)) for side in sides}}
            for measure in answer.measures
        ]
        columns: dict[str, Any] = {"measure": say("Measure"), **{side: words.SAID[side] for side in sides}}
        columns |= _baselines(answer)
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Every measure with its intervals"))
        _gains(answer)
        _contrasts(answer)
        n = max((estimate.n for estimate in answer.estimates), default=0)
        level = next((estimate.level for estimate in answer.estimates), 0.95)
        st.caption(
            say("Value [low, high]; {level:.4g} % intervals over at most {n:,} records.", level=100 * level, n=n)
        )


def _baselines(answer: Answer) -> dict[str, str]:
    """What the columns of the two constant guesses are called."""
    first, other = ("tested", "released") if answer.baseline == "tested" else ("released", "tested")
    named = {"baseline": words.OVER[first], "other baseline": words.OVER[other]}
    return {side: say("Baseline: {over}", over=over) for side, over in named.items()}


def _gains(answer: Answer) -> None:
    """What release and real data add to a constant guess by each measure, the ratio, and how it reads."""
    rows = [
        {
            "measure": words.TITLES[gain.measure],
            "over": words.OVER[gain.over],
            "release": _cell(gain.delta),
            "real": _cell(gain.below),
            "ratio": _cell(gain.ratio),
            "risk": words.RISK[_risk(gain)],
        }
        for gain in attributes_gains.gains(answer)
    ]
    text = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "measure": say("Measure"),
        "over": text(say("Compared with"), help=words.GLOSSARY["baseline"]),
        "release": text(words.CONTRASTS["delta"], help=words.GLOSSARY["delta"]),
        "real": text(say("Gain of the real data"), help=words.GLOSSARY["ceiling"]),
        "ratio": text(words.CONTRASTS["leakage_ratio"], help=words.GLOSSARY["leakage_ratio"]),
        "risk": text(say("Read by itself"), help=say(attributes_gains.NO_VERDICT)),
    }
    if rows:
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Gains and leakage ratios by measure"))
    if missing := attributes_gains.no_ratio(answer):
        st.markdown(f"**{words.CONTRASTS['leakage_ratio']}:** {plain(missing)}")


def _risk(gain: attributes_gains.Gain) -> str:
    """The entry of :data:`riskkit.questions.attributes.words.RISK` for it."""
    if gain.risk is not None:
        return gain.risk
    return "" if gain.ratio is None else "luck"


def _contrasts(answer: Answer) -> None:
    """The comparisons, with a sentence where one could not be made."""
    rows = [
        {"what": words.CONTRASTS[name], "found": _cell(estimate), "means": words.GLOSSARY[name]}
        for name in words.CONTRASTS
        if name not in ("delta", "leakage_ratio") and (estimate := answer.contrast(name))
    ]
    columns: dict[str, Any] = {"what": say("Comparison"), "found": say("Found"), "means": say("What it means")}
    if rows:
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Comparisons with their intervals"))


def _again_and_again(answer: Answer) -> None:
    """What was guessed of secrets drawn anew, or why nothing was."""
    st.header(say("Secrets drawn anew"), anchor=False)
    if not answer.again:
        st.markdown(say(again_said.NO_GENERATOR))
        return
    st.markdown(plain(answer.again))
    titles = again_said.TITLES if answer.measure == "accuracy" else again_said.OF_NUMBERS
    rows = [{"what": titles[estimate.name], "found": _cell(estimate), "n": estimate.n} for estimate in answer.rerun]
    columns: dict[str, Any] = {"what": say("Measure"), "found": say("Found"), "n": say("Trainings")}
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("What was guessed of secrets drawn anew"))
    st.caption(say(again_said.WHAT))


def _looked_up(answer: Answer) -> None:
    """CAP, DCAP and TCAP of both sides, with the shares they stand on."""
    if not answer.looked_up:
        return
    by_side = {(estimate.name, estimate.labels.get("tested_on", "")): estimate for estimate in answer.looked_up}
    with st.expander(say("Rows that match exactly (CAP)")):
        st.markdown(plain(matches_said.sentence(answer.looked_up)))
        rows = [
            {
                "measure": matches_said.TITLES[name],
                **{side: _maybe(by_side.get((name, side))) for side in ("control", "members")},
                "apart": _maybe(by_side.get((matches_said.APART.get(name, ""), ""))),
                "means": matches_said.GLOSSARY[name],
            }
            for name in matches_said.ALONE
        ]
        columns: dict[str, Any] = {
            "measure": say("Measure"),
            "control": say("Control: people who were not in"),
            "members": say("Members: people who were in"),
            "apart": say("Members minus control"),
            "means": say("What it means"),
        }
        st.dataframe(rows, hide_index=True, column_config=columns, alt=say("CAP, DCAP and TCAP with their intervals"))
        st.caption(
            say(
                "{handling} {exact} Intervals are for one look each.",
                handling=matches_said.handling(answer.looked_up),
                exact=say(matches_said.EXACT),
            )
        )


def _maybe(estimate: Estimate | None) -> str:
    return "–" if estimate is None else wording.number(estimate)


def _exposed(answer: Answer) -> None:
    """Row numbers of the members that nothing but the release gives away; never a value of theirs."""
    title = exposure_words.title(answer)
    if not title:
        return
    with st.expander(title):
        st.markdown(plain(exposure_words.rule(answer)))
        if not answer.exposed:
            return
        st.markdown(
            f":material/lock: {say('Restricted: row numbers of the real table, left out of what is downloaded below.')}"
        )
        if st.toggle(say("Show the row numbers"), key="attributes.reveal"):
            rows = [{"row": person.row, "confidence": person.confidence} for person in answer.exposed]
            columns: dict[str, Any] = {
                "row": st.column_config.NumberColumn(say("Row of the real table (from 0)"), format="%d"),
                "confidence": st.column_config.NumberColumn(say("Confidence of the guess"), format="%.2f"),
            }
            st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Row numbers of exposed people"))


def _notes(finding: AttributesFinding) -> None:
    """What must be said beside the numbers, and what they do not show."""
    with st.expander(say("Notes, and what this does not show"), expanded=not finding.answers):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*finding.notes, *map(say, words.LIMITS)])))
