"""The sections of a profile, filled with the findings: the same numbers as everywhere, in the order of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from riskkit.judging.verdict import TITLES
from riskkit.language import joined, say
from riskkit.report import texts
from riskkit.report.appendix import columns, files, repairs, versions
from riskkit.report.asked import question
from riskkit.report.blocks import Block, heading, paragraph, table, terms, whole
from riskkit.report.lines import guess, line
from riskkit.report.released import sentences
from riskkit.show.model import Answer, Findings
from riskkit.show.profile import Fact, Profile, Section


def profiled(findings: Findings, profile: Profile) -> Iterator[Block]:
    """The pages behind page one: the source, then each of its sections, then what it does not ask for.

    A question stands in full where a section first needs it, and on a line wherever else one does.
    """
    source = profile.source()
    yield heading(say(profile.title), new_page=True)
    yield terms(
        [
            (say("Source"), f"{source.title}. {source.publisher}, {source.date}. {source.address}"),
            (say("What a figure means there"), profile.figure()),
        ]
    )
    answers = {answer.question: answer for answer in findings.answers}
    full: set[str] = set()
    for section in profile.sections():
        yield from _section(section, findings, answers, full)
    rest = [answer for answer in findings.answered() if answer.question not in full]
    if rest:
        yield heading(say("Asked in this audit, and by no section of the source"), 2)
        for answer in rest:
            yield from whole(question(answer, level=3))


def _section(section: Section, findings: Findings, answers: Mapping[str, Answer], full: set[str]) -> Iterator[Block]:
    """One section; ``full`` are the questions that stood in full before, and then those of this section too."""
    yield heading(f"{section.number} {section.title}".strip(), 2)
    yield paragraph(section.asks, style="asks")
    if section.means:
        yield terms([(say("What a figure means here"), section.means)])
    asked = [answers[name] for name in section.questions if name in answers and answers[name].shown is not None]
    again = [answer for answer in asked if answer.question in full]
    for answer in asked:
        if answer.question not in full:
            full.add(answer.question)
            yield from whole(question(answer, level=3))
    if again:
        yield from lines(again)
    silent = [answers[name] for name in section.questions if name in answers and answers[name].shown is None]
    if silent:
        yield paragraph(say("Not answered in this audit: {questions}.", questions=joined(map(_silent, silent))))
    for fact in section.facts:
        yield from FACTS[fact](findings)
    if section.empty:
        yield terms([(say("Left empty"), section.empty)])


def _silent(answer: Answer) -> str:
    """A question without an answer, and how it stands where it was asked."""
    if answer.judgement is None:
        return answer.title
    return f"{answer.title} ({TITLES[answer.judgement.verdict][1]})"


def lines(answers: list[Answer]) -> Iterator[Block]:
    """Questions on a line each: verdict, strongest attack, value, guessing and limit."""
    rows = []
    for answer in answers:
        title, word, who, value, limit = line(answer)
        rows.append((title, word, who, value, guess(answer), limit))
    head = (
        say("Question"),
        say("Verdict"),
        say("Strongest attack"),
        say("Value [interval]"),
        say("Guessing"),
        say("Limit"),
    )
    yield from table(head, rows, (1.6, 1.8, 2.6, 1.9, 1, 1), say("The questions, one line each"))


def _verdict(findings: Findings) -> Iterator[Block]:
    icon, word = TITLES[findings.overall.verdict]
    yield {"kind": "verdict", "icon": icon, "word": word, "why": findings.overall.why}
    if findings.overall.settle:
        yield terms([(say("What would decide it"), findings.overall.settle)])
    yield paragraph(texts.NOT_PROOF, style="small")


def _release(findings: Findings) -> Iterator[Block]:
    yield terms([(say("Made by"), findings.made_by or say("a method that was not stated"))])
    yield from files(findings)


def _give_aways(findings: Findings) -> Iterator[Block]:
    if findings.give_aways:
        yield {"kind": "list", "items": [give_away.sentence for give_away in findings.give_aways]}
    else:
        yield paragraph(say("Give-aways of the file were not looked for."), style="small")


def _limits(findings: Findings) -> Iterator[Block]:
    titles = {answer.question: answer.title for answer in findings.answers}
    rows = [
        (titles.get(name, name), f"{limit.value:.2f}", joined(filter(None, (limit.source, limit.date))))
        for name, limit in findings.limits.items()
    ]
    if not rows:
        yield paragraph(say("No limit is set, so no question can be within one."))
    yield from table((say("Question"), say("Limit"), say("Set by")), rows, (2, 1, 4), say("Limits"))


def _attackers(findings: Findings) -> Iterator[Block]:
    name = say("The attacker knows")
    pairs = [
        (answer.title, text)
        for answer in findings.answered()
        if answer.shown is not None
        for term, text in answer.shown.game
        if term == name
    ]
    if pairs:
        yield paragraph(say("What each attacker is given:"))
        yield terms(pairs)


def _unseen(findings: Findings) -> Iterator[Block]:
    asked = joined(answer.title for answer in findings.answered())
    if asked:
        yield paragraph(say("What this does not show stands with each question: {questions}.", questions=asked))


def _reports(findings: Findings) -> Iterator[Block]:
    yield from (paragraph(text) for text in sentences(findings))


def _signature(findings: Findings) -> Iterator[Block]:  # noqa: ARG001  every fact is called alike
    yield paragraph(say("Page one has the place to sign, and the hash by which this report is checked."), style="small")


FACTS: Mapping[Fact, Callable[[Findings], Iterator[Block]]] = {
    Fact.VERDICT: _verdict,
    Fact.RELEASE: _release,
    Fact.COLUMNS: columns,
    Fact.PREPARATION: repairs,
    Fact.GIVE_AWAYS: _give_aways,
    Fact.LIMITS: _limits,
    Fact.ATTACKERS: _attackers,
    Fact.STRONGEST: lambda findings: lines(list(findings.answered())),
    Fact.UNSEEN: _unseen,
    Fact.PROVENANCE: versions,
    Fact.REPORTS: _reports,
    Fact.SIGNATURE: _signature,
}
"""How each fact is written."""
