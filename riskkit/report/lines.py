"""A question on one line, as page, paper and command line say it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from riskkit import wording
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import EPSILON, TITLES, Judgement, Verdict
from riskkit.language import again, counted, joined, kept, phrase, say
from riskkit.questions import REMEDY, questions
from riskkit.report import texts
from riskkit.show.model import Answer, Findings, RunFinding, WhatIf


def verdict(answer: Answer) -> tuple[str, str]:
    """Icon and word."""
    if answer.judgement is not None:
        return TITLES[answer.judgement.verdict]
    return ("◇", again(texts.WHAT_IF)) if answer.is_what_if else ("–", again(texts.NOT_RUN))


def _limit(answer: Answer) -> str:
    judged = answer.judgement
    if judged is None or judged.verdict is Verdict.DESCRIBED:
        return "–"
    if judged.limit is None:
        return again(texts.NO_LIMIT)
    measured = None if answer.shown is None else answer.shown.measured
    limit = judged.limit.value
    return wording.level(limit) if measured is None else measured.level_in_words(limit)


def line(answer: Answer) -> tuple[str, str, str, str, str]:
    """One question on one line: title, verdict, worst attack, value with interval, limit. Page and CLI show it too."""
    icon, word = verdict(answer)
    finding = answer.shown
    measured = None if finding is None else finding.measured
    who = "" if measured is None else measured.who
    if answer.finding is None and answer.what_ifs:
        word = say("{word}. {what_if}", word=word, what_if=if_made(answer.what_ifs[0]))
    judged = answer.judgement
    limit = None if judged is None or judged.limit is None else judged.limit.value
    value = "–" if measured is None else measured.in_words(limit)
    return answer.title, f"{icon} {word}", who or "–", value, _limit(answer)


def if_made(what_if: WhatIf) -> str:
    """What a what-if comes to: ``If it had been made by PRAM: above the limit``."""
    word = TITLES[what_if.judgement.verdict][1]
    return say("{what_if}: {word}", what_if=what_if.finding.what_if, word=word[0].lower() + word[1:])


SAID = ("no_limit", "above_guessing", "above_limit", "gives_away", "one_training", "games_show")
"""Reasons of the judge that the sentence of a finding, the number beside it, or what stands above all questions say."""
OPEN = ("no_limit", "gives_away")
"""Reasons of the judge that say nothing of what was found."""
PAIRS: Mapping[str, str] = {
    "records": kept(
        "Of two releases, one with the most exposed person, an attack picks the right one in {share} of cases, {far} "
        "guessing ({guess})."
    ),
    "released": kept(
        "Of two people, one in the data, the strongest attack picks the right one in {share} of cases, {far} guessing "
        "({guess})."
    ),
    "": kept(
        "Of two releases, one with the person, the strongest attack picks the right one in {share} of cases, {far} "
        "guessing ({guess})."
    ),
}
"""What an AUC is a share of, by question; any other is like that about one person."""
FAR = ((0.1, phrase("slightly above")), (0.4, phrase("clearly above")), (math.inf, phrase("far above")))
"""How serious an AUC is, up to that share of the way from guessing to certainty."""


def first_sentence(finding: RunFinding, judged: Judgement | None, *, in_list: bool = False) -> str:
    """What stands under a verdict: the reason of that very verdict, as briefly as it can be said.

    In a list its numbers stand beside it.
    """
    if judged is None or judged.code in SAID or judged.verdict is Verdict.DESCRIBED:
        return (finding.brief if in_list else "") or finding.plain or finding.sentence
    return judged.reason or judged.why


def reason(finding: RunFinding, judged: Judgement | None) -> str:
    """The same, and of a leak how serious it is where its sentence does not count people on both sides.

    Where nothing is decided, that chance can explain it.
    """
    first = first_sentence(finding, judged)
    return f"{first} {weight(finding, judged)}".strip()


def weight(finding: RunFinding, judged: Judgement | None) -> str:
    """What the sentence under a verdict weighs: how serious a leak is, or that chance can explain what was found."""
    if judged is None:
        return ""
    if judged.shows_leak:
        return serious(finding)
    measured = finding.measured
    strongest = measured.strongest
    if judged.code not in OPEN or measured.scale == EPSILON or strongest is None:
        return ""
    if strongest.low > measured.guess:
        return ""
    if strongest.high < measured.guess:
        return say("No leak is shown.")
    return counted(
        max(measured.looks, 1),
        "Chance can explain the difference.",
        "It is the strongest of {n:,} tests: chance can explain the difference.",
    )


def serious(finding: RunFinding) -> str:
    """How often an attack above guessing is right; empty of a scale whose sentences count people.

    Of records one by one it is that of the worst alone.
    """
    measured = finding.measured
    strongest = measured.strongest
    if strongest is None or strongest.low <= measured.guess or measured.scale not in ("auc", "residual"):
        return ""
    share = wording.percent(strongest.value)
    if measured.scale == "residual":
        return say(
            "Of 100 members who would otherwise be guessed wrong, {hits:.0f} are guessed right.",
            hits=100 * strongest.value,
        )
    way = (strongest.value - measured.guess) / (1 - measured.guess)
    far = again(next(text for end, text in FAR if way < end))
    text = PAIRS.get(finding.question, PAIRS[""])
    return say(text, share=share, far=far, guess=wording.percent(measured.guess))


# What page one says: the reasons of the verdict on the release, the gravest first, and what to do, in an order.

FEW = 3
"""Reasons that page one gives."""
OF_METHODS = ("membership", "records", "one-run")
"""Questions that are about this release once it is known which method made it."""
OF_PEOPLE = ("membership", "records")
"""Questions that are mended by leaving people out, whom only a restricted report names."""


def reasons(findings: Findings) -> list[str]:
    """The answer in one sentence, and why: what the file shows by itself, then the gravest tests."""
    judged = findings.overall
    shown = [each.brief or each.sentence for each in findings.give_aways if each.state is State.SHOWN]
    tests = sorted(filter(None, (_test(answer) for answer in findings.answered())), key=lambda test: test[:2])
    decisive = [text for gravity, _, text in tests if gravity <= judged.verdict.gravity]
    if shown or judged.shows_leak:
        return [say("Do not release this file as it is."), *shown, *decisive]
    return [in_one_sentence(findings) or judged.why, *decisive]


def further(findings: Findings, listed: Sequence[str]) -> str:
    """The tests of this release that those reasons leave out: leaks by name, and how many found none."""
    judged = [(own.title, own.finding, own.judgement) for own in findings.answers if own.finding and own.judgement]
    leaks = [title for title, finding, own in judged if own.shows_leak and reason(finding, own) not in listed]
    undecided = [own for *_, own in judged if own.verdict is Verdict.UNDECIDED]
    within = sum(own.verdict is Verdict.WITHIN for *_, own in judged)
    parts = (
        say("Also a leak: {questions}.", questions=joined(leaks)) if leaks else "",
        counted(
            len(undecided),
            "{n:,} test found no leak and cannot rule one out.",
            "{n:,} tests found no leak and cannot rule one out.",
        )
        if undecided
        else "",
        counted(within, "{n:,} test is within its limit.", "{n:,} tests are within their limits.") if within else "",
        say("No limit is set to judge them by.") if undecided and not findings.limits else "",
    )
    return " ".join(filter(None, parts))


def _test(answer: Answer) -> tuple[int, float, str] | None:
    """Gravity, size from the largest down, and sentence of a test about this release."""
    if answer.finding is None or answer.judgement is None or answer.judgement.verdict is Verdict.DESCRIBED:
        return None
    strongest, text = answer.finding.measured.strongest, reason(answer.finding, answer.judgement)
    size = -math.inf if strongest is None else strongest.low - answer.finding.measured.guess
    return answer.judgement.verdict.gravity, -size, text


def steps(findings: Findings) -> list[str]:
    """What to do, in order: make the release again where its method leaks, then take away what the file shows, then
    change what other tests show; or decide what is open.
    """
    shown = [give_away.repair for give_away in findings.give_aways if give_away.state is State.SHOWN]
    tests = sorted(
        ((test[:2], answer) for answer in findings.answered() if (test := _test(answer)) is not None),
        key=lambda pair: pair[0],
    )
    leaks = [answer for _, answer in tests if answer.judgement is not None and answer.judgement.shows_leak]
    of_method = [answer for answer in leaks if answer.question in OF_METHODS]
    others = [answer for answer in leaks if answer.question not in OF_METHODS]
    again_made = _remedy(of_method, is_restricted=findings.is_restricted)
    changes = [_remedy([answer], is_restricted=findings.is_restricted) for answer in others]
    if shown or findings.overall.shows_leak:
        return list(dict.fromkeys(filter(None, [again_made, *shown, *changes])))
    if findings.overall.verdict is not Verdict.UNDECIDED:
        return []
    if findings.overall.code != "questions":
        return [*filter(None, [findings.overall.settle, again_made]), *changes]
    open_ones: dict[str, list[str]] = {}
    for answer in findings.answers:
        if answer.judgement is not None and answer.judgement.settle:
            open_ones.setdefault(answer.judgement.settle, []).append(answer.title)
    return [say("{title}: {text}", title=joined(titles), text=settle) for settle, titles in open_ones.items()]


def _remedy(answers: Sequence[Answer], *, is_restricted: bool) -> str:
    """What to change where these tests show a leak, under their titles, and who names the people it speaks of.

    One change helps against all of them: that of the first, the gravest.
    """
    first = next((answer for answer in answers if answer.finding is not None), None)
    if first is None or first.finding is None:
        return ""
    text = remedy(first.finding)
    if first.question in OF_PEOPLE and not is_restricted:
        text = f"{text} {say('The restricted report lists these people.')}"
    return say("{title}: {text}", title=joined(answer.title for answer in answers), text=text)


def remedy(finding: RunFinding) -> str:
    """What to change where that run shows a leak."""
    known = questions().get(finding.question)
    return finding.change or again(REMEDY if known is None else known.remedy)


def in_one_sentence(findings: Findings) -> str:
    """How many of the tests leave a leak open, or, under the word that says so, show one; empty where others decide."""
    overall = findings.overall
    judged = [(answer.title, answer.judgement) for answer in findings.answered() if answer.judgement is not None]
    tests = [(title, own) for title, own in judged if own.verdict is not Verdict.DESCRIBED]
    if overall.verdict is Verdict.WITHIN:
        return counted(
            len(tests),
            "{n:,} test was run, and it stays within its limit.",
            "{n:,} tests were run, and all stay within their limits.",
        )
    if overall.verdict is Verdict.UNDECIDED and overall.code == "questions":
        return counted(
            len(tests),
            "{n:,} test was run: it shows no leak, and {undecided:,} cannot rule one out.",
            "{n:,} tests were run: none shows a leak, and {undecided:,} cannot rule one out.",
            undecided=sum(own.verdict is Verdict.UNDECIDED for _, own in tests),
        )
    leaks = [title for title, own in tests if own.shows_leak]
    if not overall.shows_leak or not leaks or not all(name in overall.why for name in leaks):
        return ""
    return counted(
        len(tests),
        "{leaks} of {n:,} test: {names}.",
        "{leaks} of {n:,} tests: {names}.",
        leaks=len(leaks),
        names=joined(leaks),
    )


def gaps(findings: Findings) -> str:
    """What was not tested: questions that nobody asked, people whom a test left out, and what does not apply."""
    open_ones = [answer for answer in findings.answers if answer.finding is None and answer.applies]
    silent = [answer.title for answer in open_ones if answer.shown is None]
    others = [answer.title for answer in open_ones if answer.shown is not None]
    people = counted(findings.people, "{n:,} person", "{n:,} people")
    some = [
        say("{title} {tested:,} of {people}", title=answer.title, tested=tested, people=people)
        for answer in findings.answers
        if answer.finding is not None
        and 0 < (tested := max(own.tested for own in (answer.finding, *answer.others))) < findings.people
    ]
    parts = (
        say("Not asked: {questions}.", questions=joined(silent)) if silent else "",
        say("Not everybody was tested: {tests}.", tests=joined(some)) if some else "",
        unguessed(findings),
        inapplicable(findings),
        say("Not about this release: {questions}.", questions=joined(others)) if others else "",
    )
    return " ".join(filter(None, parts)) or say("Every question that applies was asked.")


def unguessed(findings: Findings) -> str:
    """The columns that look sensitive and were not guessed: their names, or how many, as the reader may see them."""
    columns = findings.unguessed
    if not columns:
        return ""
    if findings.tells_columns:
        return say("Attributes did not guess {columns}.", columns=joined(columns))
    return counted(
        len(columns),
        "Attributes did not guess {n:,} column that looks sensitive.",
        "Attributes did not guess {n:,} columns that look sensitive.",
    )


def inapplicable(findings: Findings) -> str:
    """The questions about something that the files do not have."""
    beside = [answer.title for answer in findings.answers if not answer.applies]
    return say("Does not apply to these files: {questions}.", questions=joined(beside)) if beside else ""


def guess(answer: Answer) -> str:
    """What guessing reaches, the reference that stands beside the value; a dash where there is no value."""
    measured = None if answer.shown is None else answer.shown.measured
    return "–" if measured is None or measured.strongest is None else measured.level_in_words(measured.guess)


def class_of(findings: Findings) -> str:
    """Who may read it, and what it holds."""
    return texts.CLASSES["named" if findings.tells_columns and not findings.is_restricted else str(findings.kind)]
