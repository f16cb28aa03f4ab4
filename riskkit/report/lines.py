"""A question on one line, as page, paper and command line say it."""

from __future__ import annotations

from riskkit import wording
from riskkit.judging.measured import TITLES, Judgement, Verdict
from riskkit.language import counted, joined, say
from riskkit.report import texts
from riskkit.show.model import Answer, Findings, RunFinding, WhatIf


def verdict(answer: Answer) -> tuple[str, str]:
    """Icon and word."""
    if answer.judgement is not None:
        return TITLES[answer.judgement.verdict]
    return ("◇", texts.WHAT_IF) if answer.is_what_if else ("–", texts.NOT_RUN)


def _limit(answer: Answer) -> str:
    judged = answer.judgement
    if judged is None or judged.verdict is Verdict.DESCRIBED:
        return "–"
    return texts.NO_LIMIT if judged.limit is None else wording.level(judged.limit.value)


def line(answer: Answer) -> tuple[str, str, str, str, str]:
    """One question on one line: title, verdict, worst attack, value with interval, limit. Page and CLI show it too."""
    icon, word = verdict(answer)
    finding = answer.shown
    measured = None if finding is None else finding.measured
    who = "" if measured is None else measured.who
    if answer.finding is None and answer.what_ifs:
        word = say("{word}. {what_if}", word=word, what_if=if_made(answer.what_ifs[0]))
    judged = answer.judgement
    bar = () if judged is None or judged.limit is None else (judged.limit.value,)
    value = "–" if measured is None else texts.number_in_words(measured.strongest, measured.guess, *bar)
    return answer.title, f"{icon} {word}", who or "–", value, _limit(answer)


def if_made(what_if: WhatIf) -> str:
    """What a what-if comes to: ``If it had been made by PRAM: above the limit``."""
    word = TITLES[what_if.judgement.verdict][1]
    return say("{what_if}: {word}", what_if=what_if.finding.what_if, word=word[0].lower() + word[1:])


SAID = ("no_limit", "above_guessing", "above_limit")
"""Reasons of the judge that the sentence of a finding and the number beside it say already."""


def first_sentence(finding: RunFinding, judged: Judgement | None) -> str:
    """What stands under a verdict: the reason of that very verdict, as briefly as it can be said."""
    if judged is None or judged.code in SAID or judged.verdict is Verdict.DESCRIBED:
        return finding.plain or finding.sentence
    return judged.why


def leaks_found(findings: Findings) -> str:
    """How many of the tests found a leak, where the verdict rests on these very ones; else empty."""
    judged = [(answer.title, answer.judgement) for answer in findings.answered() if answer.judgement is not None]
    tests = [(title, own) for title, own in judged if own.verdict is not Verdict.DESCRIBED]
    leaks = [title for title, own in tests if own.shows_leak]
    if not findings.overall.shows_leak or not leaks or not all(name in findings.overall.why for name in leaks):
        return ""
    return counted(
        len(tests),
        "{leaks} of {n:,} test found a leak: {names}.",
        "{leaks} of {n:,} tests found a leak: {names}.",
        leaks=len(leaks),
        names=joined(leaks),
    )


def guess(answer: Answer) -> str:
    """What guessing reaches, the reference that stands beside the value; a dash where there is no value."""
    measured = None if answer.shown is None else answer.shown.measured
    return "–" if measured is None or measured.strongest is None else wording.level(measured.guess)


def class_of(findings: Findings) -> str:
    """Who may read it, and what it holds."""
    return texts.CLASSES["named" if findings.tells_columns and not findings.is_restricted else str(findings.kind)]
