"""The report as a row of blocks (headings, paragraphs, tables, charts), whatever it is set with.

Page one decides; then a page at most for each question that was asked, or the sections of the profile; the appendix,
where it is wanted, has the rest.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import segno

from riskkit import wording
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import SCALES, TITLES, Verdict
from riskkit.language import Readings, again, counted, joined, kept, phrase, say
from riskkit.report import plots, texts
from riskkit.report.appendix import appendix, columns, files, question, repairs, versions
from riskkit.report.blocks import Block, heading, paragraph, table, terms, whole_blocks
from riskkit.report.labels import sentences, warning
from riskkit.report.lines import FEW, class_of, further, gaps, guess, inapplicable, line, reason, reasons, steps
from riskkit.report.to_json import as_dict
from riskkit.show import in_words
from riskkit.show.model import Answer, File, Findings, RunFinding, releases_of
from riskkit.show.profile import Fact, Profile, Section

# Page one decides, in a minute: what was released, by whom and for whom, the answer, why, what to do, who signs. Behind
# it every test on a line.

ADVICE = Readings(
    {
        Verdict.ABOVE: phrase("Audit the new file beside this one before anything is published."),
        Verdict.LEAK: phrase("Change the release, or set a limit: nobody has said how much leak is tolerable."),
        Verdict.UNDECIDED: phrase(
            "Undecided is not an all-clear: do what would decide it, or decide without an answer."
        ),
        Verdict.WITHIN: phrase(
            "Every question asked is within its limit. Consider what was not asked before you sign."
        ),
        Verdict.DESCRIBED: "",
    }
)
"""What follows from a verdict on the whole release."""
MARKS = phrase("▲ above the limit, or a leak where no limit is set · ● within the limit · ◌ undecided")
"""What the marks of verdicts mean, where the first of them stands."""
REFERENCE = r"R-[0-9A-F]{8}"
"""A person to a reader who may not be told which (:meth:`riskkit.show.names.Names.record`)."""
DECISIONS = (phrase("release"), phrase("release after changes"), phrase("do not release"))
SETTINGS = Readings({"public": kept("public"), "partners": kept("partners under a contract"), "team": kept("one team")})
"""Who may open what is released; other words are the steward's own."""


def cover(findings: Findings) -> Iterator[Block]:
    """The one page that an officer reads."""
    icon, word = TITLES[findings.overall.verdict]
    digest, words = str(as_dict(findings)["sha256"]), partial(_by_number, is_told=findings.tells_columns)
    yield {"kind": "title", "text": findings.title, "sub": findings.cover.data_set or findings.audit}
    yield terms(_released(findings))
    listed = (reasons(findings) or [findings.overall.why])[: 1 + FEW]
    first, *others = map(words, listed)
    yield {"kind": "verdict", "icon": icon, "word": word, "why": first}
    yield paragraph(again(MARKS), style="small")
    yield from (paragraph(text) for text in sentences(findings) if warning(findings))
    if others:
        yield heading(say("Why"))
        yield {"kind": "list", "items": others, "is_ordered": True}
    if rest := further(findings, listed):
        yield paragraph(rest)
    shown = any(give_away.state is State.SHOWN for give_away in findings.give_aways)
    advice = ADVICE[Verdict.ABOVE if shown else findings.overall.verdict]
    yield heading(say("What to do first"))
    yield {"kind": "list", "items": [*map(words, steps(findings)[:FEW]), advice], "is_ordered": True}
    if findings.kept is not None:
        yield heading(say("Usefulness"))
        yield from whole_blocks(_picture(findings))
    yield heading(say("What was not tested"))
    yield paragraph(f"{gaps(findings)} {again(texts.NOT_PROOF)}", style="small")
    yield {
        "kind": "sign",
        "title": say("Decision"),
        "choices": list(again(DECISIONS)),
        "fields": [say("Name"), say("Role"), say("Date"), say("Signature")],
    }
    alt = say("QR code of the SHA-256 of report.json")
    out = io.BytesIO()
    segno.make(f"report.json sha256 {digest}", error="m", micro=False).save(
        out, kind="svg", scale=3, border=2, dark="#1c1c1c", light="#ffffff", xmldecl=False, svgns=True, nl=False
    )
    yield {"kind": "seal", "svg": out.getvalue().decode(), "alt": alt, "pairs": _facts(findings, digest)}


def _by_number(text: str, *, is_told: bool) -> str:
    """A text of page one: columns that may not be named are counted there, and people are no references.

    Both have theirs behind it.
    """
    for person in (say("record {record}", record="#"), say("person {row}", row="#")):
        text = re.sub(re.escape(person).replace(r"\#", REFERENCE), say("one person"), text)
    if is_told:
        return text
    place = re.escape(say("column {place}", place="#")).replace(r"\#", r"\d+")
    several = rf"[“\"]?{place}(?:(?:{re.escape(say(', '))}|{re.escape(say(' and '))}){place})*[”\"]?"
    return re.sub(several, lambda run: counted(len(re.findall(place, run[0])), "{n:,} column", "{n:,} columns"), text)


def _released(findings: Findings) -> list[tuple[str, str]]:
    """What is released, by whom, to whom and for what, and how many people it is about."""
    words, unsaid = findings.cover, say("not stated")
    setting = SETTINGS.get(words.setting, words.setting)
    return [
        (say("Released"), _about(findings)),
        (say("By"), words.organisation or unsaid),
        (say("For"), joined(filter(None, (words.recipients, setting))) or unsaid),
        (say("Purpose"), words.use or unsaid),
        (say("About"), counted(findings.people, "{n:,} person", "{n:,} people") if findings.people else ""),
    ]


def verdicts(findings: Findings) -> Iterator[Block]:
    """Every test on a line: its sentence, verdict, bar and number; what the file shows; whose limits hold."""
    rows = [
        _row(answer, shown, has_limits=bool(findings.limits))
        for answer in findings.answers
        if (shown := answer.shown) is not None
    ]
    yield heading(texts.SECTIONS["verdicts"], new_page=True, fits=True)
    if rows:
        head = [say("Question"), say("Guessing ┆ and limit ┃"), say("Value [interval]"), say("Why")]
        yield {"kind": "answers", "head": head, "rows": rows}
        if not findings.limits:
            yield paragraph(say("Limits: {limits}.", limits=texts.NO_LIMIT), style="small")
    why = findings.overall.why
    yield paragraph(why)
    others = (line.sentence for line in findings.give_aways if line.sentence not in why)
    yield from (paragraph(sentence, style="note") for sentence in others)
    numbered = () if warning(findings) else sentences(findings)  # page one has them where they warn
    yield from (paragraph(text, style="small") for text in (*_rest(findings), *numbered))
    yield paragraph(again(texts.OVERALL_NOTE), style="small")


def _about(findings: Findings) -> str:
    """Which file it is: its name where it may be told, its size, and what made it."""
    every = releases_of(findings.files)
    if not every:
        return say("No release is loaded.")
    release: File = every[0]
    made_by = findings.made_by or say("a method that was not stated")
    if len(every) > 1:
        return say(
            "{files:,} releases of one table: {rows:,} rows and {columns:,} columns together, made by {made_by}.",
            files=len(every),
            rows=sum(file.rows for file in every),
            columns=release.columns,
            made_by=made_by,
        )
    named = f"“{release.name}”, " if release.name else ""
    return say(
        "{named}{rows:,} rows and {columns:,} columns, made by {made_by}.",
        named=named,
        rows=release.rows,
        columns=release.columns,
        made_by=made_by,
    )


def _row(answer: Answer, finding: RunFinding, *, has_limits: bool) -> dict[str, str]:
    """One question: title and verdict, its bar, its value beside limit and guessing, and the reason.

    That it has no limit is news where another has one.
    """
    judged = answer.judgement if answer.finding is not None else answer.what_ifs[0].judgement
    measured = finding.measured
    title, word, who, value, _ = line(answer)
    first = reason(finding, judged)
    limit = None if judged is None else judged.limit
    scale = SCALES[measured.scale]
    guess = measured.level_in_words(measured.guess)
    beside = say("{scale}; guessing {guess}", scale=scale.title, guess=guess)
    if judged is not None and judged.verdict is Verdict.DESCRIBED:
        beside = ""
    elif limit is None:
        beside = joined((beside, again(texts.NO_LIMIT))) if has_limits else beside
    else:
        source = joined(filter(None, again((limit.source, limit.date))))
        beside += say(", limit {limit}: {source}", limit=measured.level_in_words(limit.value), source=source)
    if who != "–":
        beside += say(". Strongest: {who}", who=who)
    return {
        "title": title,
        "word": word,
        "svg": plots.bar(measured, None if limit is None else limit.value),
        "alt": in_words.bar_in_words(title, measured.strongest, beside),
        "value": value,
        "beside": beside,
        "why": first,
    }


def _rest(findings: Findings) -> Iterator[str]:
    """Questions without an answer about this release, and whose limits hold."""
    for answer in findings.answers:
        if answer.finding is None and answer.judgement is not None:
            yield say(
                "{title}: {text}", title=answer.title, text=f"{answer.judgement.why} {answer.judgement.settle}".strip()
            )
    silent = [
        answer.title
        for answer in findings.answers
        if answer.shown is None and answer.judgement is None and answer.applies
    ]
    if silent:
        yield say("Not asked: {questions}.", questions=say(", ").join(silent))
    if beside := inapplicable(findings):
        yield beside


def _facts(findings: Findings, digest: str) -> list[list[str]]:
    """Who and when, and what the report can be checked against."""
    asked = " · ".join(filter(None, (findings.asked_by, findings.purpose)))
    facts = [
        (say("Responsible"), findings.by),
        (say("Requested by"), asked),
        (say("Made on"), wording.moment(findings.made)),
        (say("Report"), findings.id),
        (say("Release"), joined(f"SHA-256 {file.sha256[:12]}…" for file in releases_of(findings.files))),
        (say("Evidence"), say("report.json, SHA-256 {digest}", digest=digest)),
        (say("Class"), class_of(findings)),
        (say("Profile"), "" if findings.profile is None else say(findings.profile.title)),
        ("riskkit", findings.version),
    ]
    return [[name, text] for name, text in facts if text]


# The sections of a profile, filled with the findings: the same numbers as everywhere, in the order of the source.


def profile_pages(findings: Findings, profile: Profile) -> Iterator[Block]:
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
            yield from whole_blocks(question(answer, level=3))


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
            yield from whole_blocks(question(answer, level=3))
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
    yield paragraph(again(texts.NOT_PROOF), style="small")


def _release(findings: Findings) -> Iterator[Block]:
    yield terms([(say("Made by"), findings.made_by or say("a method that was not stated"))])
    yield from files(findings)


def _give_aways(findings: Findings) -> Iterator[Block]:
    if findings.give_aways:
        yield {"kind": "list", "items": [give_away.sentence for give_away in findings.give_aways]}
    else:
        yield paragraph(say("Direct disclosures of the file were not checked."), style="small")


def _limits(findings: Findings) -> Iterator[Block]:
    titles = {answer.question: answer.title for answer in findings.answers}
    rows = [
        (titles.get(name, name), f"{limit.value:.2f}", joined(filter(None, again((limit.source, limit.date)))))
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


def _usefulness(findings: Findings) -> Iterator[Block]:
    """The picture of page one; a sentence where no release is there to compare."""
    if findings.kept is None:
        yield paragraph(say("Nothing of the release could be compared with the real table."))
    yield from whole_blocks(_picture(findings))


def _picture(findings: Findings) -> Iterator[Block]:
    """What the release keeps, where there is anything to compare."""
    if findings.kept is not None:
        yield plots.block(findings.kept)


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
    Fact.USEFULNESS: _usefulness,
    Fact.UNSEEN: _unseen,
    Fact.PROVENANCE: versions,
    Fact.REPORTS: _reports,
    Fact.SIGNATURE: _signature,
}
"""How each fact is written."""


def blocks(findings: Findings, *, with_appendix: bool = False) -> list[Block]:
    """Everything that is printed, in order."""
    every = [*cover(findings), *verdicts(findings)]
    if findings.profile is not None and findings.profile.sections():
        every += profile_pages(findings, findings.profile)
    else:
        for index, answer in enumerate(findings.answered()):
            every += whole_blocks(question(answer, is_first=index == 0))
    return [*every, *appendix(findings)] if with_appendix else every
