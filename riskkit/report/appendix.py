"""The appendix of a report: what was audited, all numbers, people at risk, repairs, methods, how to get it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from riskkit.core import Estimate
from riskkit.judging.measured import Limit
from riskkit.language import again, joined, say
from riskkit.report import labels, plots, texts, views
from riskkit.report.blocks import Block, heading, paragraph, table, terms, whole
from riskkit.report.lines import line
from riskkit.show import glossary, lowered, noticed
from riskkit.show.model import Answer, Findings, RunFinding

NUMBERS = 12
"""Numbers of a question on paper; the CSV has them all."""


def appendix(findings: Findings) -> Iterator[Block]:
    """Everything behind the pages of the questions."""
    yield heading(say("Appendix"), new_page=True)
    yield heading(texts.SECTIONS["files"], 2)
    yield from files(findings)
    yield from columns(findings)
    yield from _all_numbers(findings)
    yield from whole(_risk(findings))
    yield from whole(groups(findings.answered()))
    yield from whole(_lowered(findings))
    yield heading(texts.SECTIONS["preparation"], 2)
    yield from repairs(findings)
    yield from _wp29(findings)
    yield from _methods()
    yield from _provenance(findings)
    yield from _glossary()


def files(findings: Findings) -> Iterator[Block]:
    """The files that were audited."""
    rows = [
        (texts.slot(file.slot), file.name or "–", f"{file.rows:,}", f"{file.columns}", file.sha256)
        for file in findings.files
    ]
    yield from table(
        (say("File"), say("Name"), say("Rows"), say("Columns"), say("SHA-256")),
        rows,
        (1, 2, 0.8, 0.8, 3.4),
        say("The files"),
    )


def columns(findings: Findings) -> Iterator[Block]:
    """The columns with their kinds and roles."""
    yield from table(
        (say("Column"), say("Kind"), say("Role")),
        [(name, labels.KINDS.get(kind, kind), labels.ROLES.get(role, role)) for name, kind, role in findings.schema],
        (3, 1.2, 1.2),
        say("The columns, as they were understood"),
    )


def _findings(findings: Findings) -> Iterator[RunFinding]:
    """What is shown of every question."""
    for answer in findings.answered():
        if answer.finding is not None:
            yield answer.finding
        yield from (what_if.finding for what_if in answer.what_ifs)


def groups(answers: Iterable[Answer]) -> Iterator[Block]:
    """Risk by groups of people, question by question: the picture, every group as a line, and how it was worked out."""
    for answer in answers:
        for finding in answer.findings:
            compared = finding.for_whom
            if compared is None or not compared.rows:
                continue
            yield heading(say("{title}: {part}", title=answer.title, part=compared.title), 2)
            picture = compared.chart()
            if picture is not None:
                yield plots.block(picture)
            yield from table(compared.head, compared.rows, (3, 1, 2, 2, 1), compared.title)
            yield terms(compared.terms)


def _lowered(findings: Findings) -> Iterator[Block]:
    """Every search for the least change: its picture, every value that was tried, and what it does not show."""
    for finding in _findings(findings):
        for search in finding.lowered:
            yield heading(search.title, 2)
            yield plots.block(search.chart(), search.limit)
            yield from (paragraph(text) for text in (search.cost, search.order) if text)
            title = say("Every value of the setting that was tried")
            yield from table(search.head, search.rows, (1.9, 1.2, 1.2, 1.9), title)
            yield {"kind": "list", "items": list(lowered.NOT_SHOWN), "style": "note"}


def _all_numbers(findings: Findings) -> Iterator[Block]:
    for answer in findings.answered():
        for finding in answer.findings:
            yield heading(say("{title}: numbers", title=answer.title), 3)
            yield from whole(_numbers(finding, findings.limits.get(answer.question), findings.titles))
            yield from whole(views.behind(finding, findings.titles))


def _numbers(finding: RunFinding, limit: Limit | None, titles: Mapping[str, str]) -> Iterator[Block]:
    """The numbers that matter most, and how many of the rest there are on which side of the limit.

    A number of the kind that the verdict is measured by has guessing and the limit in its row.
    """
    every = _foremost(finding)
    first, rest = every[:NUMBERS], every[NUMBERS:]
    abouts = [labels.about(estimate, titles) for estimate in first]
    same = [text for text in abouts[0] if all(text in each for each in abouts)] if len(abouts) > 1 else []
    rows = [
        (
            labels.measure(finding.question, estimate, titles),
            joined(text for text in about if text not in same) or "–",
            texts.shown(estimate),
            *_beside(finding, estimate, limit),
            f"{estimate.level:.4g}",
            f"{estimate.n:,}",
        )
        for estimate, about in zip(first, abouts, strict=True)
    ]
    columns = [views.COLUMNS[key] for key in ("measure", "of", "value", "guess", "limit", "level", "n")]
    title = texts.SECTIONS["numbers"]
    yield from table(
        [column.title for column in columns],
        rows,
        [column.width for column in columns],
        say("{title} ({about})", title=title, about=joined(same)) if same else title,
    )
    if rest:
        yield paragraph(_of_the_rest(finding, len(first), rest, limit, titles), style="small")


def _beside(finding: RunFinding, estimate: Estimate, limit: Limit | None) -> tuple[str, str]:
    """Guessing and the limit beside a number on their scale; dashes beside any other."""
    measured = finding.measured
    if measured.strongest is None or estimate.name != measured.strongest.name:
        return "–", "–"
    of = 1
    if measured.scale == "hits":  # counted, and judged as a share of the rows named; of several draws N counts draws
        if (finding.settings.get("draws") or 1) != 1:
            return "–", "–"
        of = estimate.n
    return f"{of * measured.guess:.2f}", "–" if limit is None else f"{of * limit.value:.2f}"


def _foremost(finding: RunFinding) -> list[Estimate]:
    """The numbers of the run: what the verdict is measured by first, the highest on top; then what is near it."""
    strongest = finding.measured.strongest
    about = {} if strongest is None else strongest.labels
    name = "" if strongest is None else strongest.name

    def others(estimate: Estimate) -> int:
        return sum(about.get(label, text) != text for label, text in estimate.labels.items())

    def place(estimate: Estimate) -> tuple[bool, float]:
        return (False, -estimate.low) if estimate.name == name else (True, others(estimate))

    return sorted(finding.estimates, key=place)


def _of_the_rest(
    finding: RunFinding, shown: int, rest: Sequence[Estimate], limit: Limit | None, titles: Mapping[str, str]
) -> str:
    """How many more numbers there are, and how many of the kind the verdict is measured by lie above the limit."""
    strongest = finding.measured.strongest
    sentence = texts.foremost(shown, shown + len(rest))
    of_kind = [estimate for estimate in rest if strongest is not None and estimate.name == strongest.name]
    if not of_kind:
        return sentence
    bound = finding.measured.guess if limit is None else limit.value
    above = sum(estimate.low > bound for estimate in of_kind)
    name = say("guessing") if limit is None else say("the limit")
    more = say(
        "Of the other {others:,} of {measure}, wholly above {name} ({bound:.2f}): {above:,}.",
        others=len(of_kind),
        measure=labels.measure(finding.question, of_kind[0], titles),
        above=above,
        name=name,
        bound=bound,
    )
    return f"{sentence} {more}"


def _risk(findings: Findings) -> Iterator[Block]:
    """The records at risk, question by question: their numbers are on the scale of their question."""
    asked = [
        (answer, answer.finding)
        for answer in findings.answered()
        if answer.finding is not None and answer.finding.at_risk
    ]
    if not asked:
        return
    yield heading(texts.SECTIONS["risk"], 2)
    if not findings.is_restricted:
        yield paragraph(say("References are pseudonyms: only somebody who has the real table can have them explained."))
    for answer, finding in asked:
        every = sorted(finding.at_risk, key=lambda risk: -risk.estimate.low)
        rows = [
            (
                risk.reference,
                risk.who,
                texts.shown(risk.estimate),
                *_beside(finding, risk.estimate, findings.limits.get(answer.question)),
            )
            for risk in every
        ]
        head = say("Record"), say("Strongest attack"), say("Value [interval]"), say("Guessing"), say("Limit")
        yield from table(head, rows, (1.6, 3.4, 1.8, 0.9, 0.7), answer.title)


def repairs(findings: Findings) -> Iterator[Block]:
    """What was noticed and repaired when the files were read."""
    if not findings.preparation:
        yield paragraph(say("Nothing needed repair, and nothing needed a decision."))
        return
    rows = [
        (
            texts.GRAVITIES.get(str(problem["gravity"]), str(problem["gravity"])),
            again(problem.get("what") or noticed.in_words(str(problem["code"]))),
            str(problem["column"] or "–"),
            str(problem["count"] or "–"),
        )
        for problem in findings.preparation
    ]
    yield from table(
        (say("Severity"), say("What"), say("Column"), say("Count")), rows, (1, 4, 1.6, 1), texts.SECTIONS["preparation"]
    )
    if not findings.is_restricted:
        yield paragraph(say(texts.SUPPRESSED), style="small")


def _wp29(findings: Findings) -> Iterator[Block]:
    yield heading(texts.SECTIONS["wp29"], 2)
    yield paragraph(texts.WP29_INTRO)
    of_question = {answer.question: answer for answer in findings.answers}
    rows = []
    for english_risk, bearing, english_how in texts.WP29:
        risk, how = say(english_risk), say(english_how)
        asked = [of_question[question] for question in bearing if question in of_question]
        bears = "; ".join(f"{answer.title}: {line(answer)[1]}" for answer in asked)
        rows.append((risk, how, bears or texts.NOT_RUN))
    yield from table(
        (say("Risk"), say("What bears on it here"), say("Verdicts")), rows, (1.3, 3.4, 2.4), texts.SECTIONS["wp29"]
    )


def _methods() -> Iterator[Block]:
    yield heading(texts.SECTIONS["methods"], 2)
    yield terms([(say(title), say(meaning)) for title, meaning in texts.METHODS])


def _provenance(findings: Findings) -> Iterator[Block]:
    yield heading(texts.SECTIONS["provenance"], 2)
    yield terms([*findings.versions.items()])
    for answer in findings.answered():
        for finding in answer.findings:
            yield heading(say("{title}: run {id}", title=answer.title, id=finding.id[:12]), 3)
            yield terms([(say("Run"), finding.id)])
            yield terms(labels.settings(finding, findings.titles))
            if finding.command:
                yield paragraph(say("To get the same numbers on the command line, in the folder of the files:"))
                yield {"kind": "code", "text": finding.command}
            yield from (paragraph(note, style="small") for note in finding.notes)


def versions(findings: Findings) -> Iterator[Block]:
    """What was calculated with: versions, and the seed of each run."""
    yield terms([*findings.versions.items()])
    runs = [
        (answer.title, finding.id[:12], str(finding.settings.get("seed", "–")))
        for answer in findings.answered()
        for finding in answer.findings
    ]
    yield from table((say("Question"), say("Run"), say("Seed")), runs, (2, 2, 1), say("Runs"))


def _glossary() -> Iterator[Block]:
    yield heading(texts.SECTIONS["glossary"], 2)
    yield terms(list(glossary.reported().items()))
