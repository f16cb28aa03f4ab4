"""The report as a row of blocks (headings, paragraphs, tables, charts), whatever it is printed with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.give_aways import State
from riskkit.judging.measured import Judgement
from riskkit.judging.verdict import TITLES
from riskkit.language import say
from riskkit.questions import questions
from riskkit.report import charts, texts
from riskkit.show.model import Answer, Findings, RunFinding, WhatIf

Block = dict[str, Any]
ABOUT: Mapping[str, Callable[[str], str]] = {
    "attack": str,
    "generator": lambda text: say("on {generator}", generator=text),
    "target": lambda text: say("{rule} target", rule=text),
    "record": lambda text: say("record {record}", record=text),
    "secret": str,
    "known": lambda text: say("from {known}", known=text),
    "model": str,
    "metric": str,
    "trained_on": lambda text: say("trained on {table}", table=text),
    "tested_on": lambda text: say("tested on {people}", people=text),
    "attacker": str,
    "anonymiser": lambda text: say("on {generator}", generator=text),
    "feature": str,
    "defence": lambda text: say("with {defence}", defence=text),
    "group": lambda text: say("group {group}", group=text),
}
"""Labels of a number that are printed, and how."""
SHOWN = 40
"""Lines of a table on paper; the CSV has them all."""
NUMBERS = 5
"""Numbers of a question on its own page."""


def blocks(found: Findings) -> list[Block]:
    """Everything that is printed, in order."""
    every = [*_cover(found), *_files(found)]
    for answer in found.answered():
        every += _question(answer)
    every += [
        *_risk(found),
        *_maps(found),
        *_preparation(found),
        *_wp29(found),
        *_methods(),
        *_provenance(found),
        *_glossary(),
    ]
    return every


def _heading(text: str, level: int = 1, *, new_page: bool = False) -> Block:
    return {"kind": "heading", "text": text, "level": level, "new_page": new_page}


def _p(text: str, *, style: str = "") -> Block:
    return {"kind": "p", "text": text, "style": style}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float], title: str) -> Iterator[Block]:
    """A table cut to what fits on paper, saying so."""
    if not rows:
        return
    kept = [[str(cell) for cell in row] for row in rows[:SHOWN]]
    yield {"kind": "table", "head": list(head), "rows": kept, "widths": list(widths), "title": title}
    if len(rows) > SHOWN:
        yield _p(texts.capped(SHOWN, len(rows)), style="small")


def _terms(pairs: Sequence[tuple[str, str]]) -> Block:
    return {"kind": "terms", "pairs": [[name, text] for name, text in pairs if text]}


def _drawing(svg: str, alt: str) -> Block:
    return {"kind": "image", "svg": svg, "alt": alt, "title": alt}


def _verdict(answer: Answer) -> tuple[str, str]:
    """Icon and word."""
    if answer.judgement is not None:
        return TITLES[answer.judgement.verdict]
    return ("◇", texts.WHAT_IF) if answer.is_what_if else ("–", texts.NOT_RUN)


def _limit(answer: Answer) -> str:
    judged = answer.judgement
    if judged is None:
        return "–"
    return texts.NO_LIMIT if judged.limit is None else f"{judged.limit.value:.2f}"


def line(answer: Answer) -> tuple[str, str, str, str, str]:
    """One question on one line: title, verdict, worst attack, value with interval, limit. Page and CLI show it too."""
    icon, word = _verdict(answer)
    finding = answer.shown
    measured = None if finding is None else finding.measured
    who = "" if measured is None else measured.who
    if answer.finding is None and answer.what_ifs:
        word = f"{word}. {if_made(answer.what_ifs[0])}"
    value = "–" if measured is None else texts.shown(measured.strongest)
    return answer.title, f"{icon} {word}", who or "–", value, _limit(answer)


def if_made(what_if: WhatIf) -> str:
    """What a what-if comes to: ``If it had been made by PRAM: above the limit``."""
    word = TITLES[what_if.judgement.verdict][1]
    return say("{what_if}: {word}", what_if=what_if.finding.what_if, word=word[0].lower() + word[1:])


def guess(answer: Answer) -> str:
    """What guessing reaches, the reference that stands beside the value; a dash where there is no value."""
    measured = None if answer.shown is None else answer.shown.measured
    return "–" if measured is None or measured.strongest is None else f"{measured.guess:.2f}"


def _cover(found: Findings) -> Iterator[Block]:
    icon, word = TITLES[found.overall.verdict]
    yield {"kind": "title", "text": found.title, "sub": found.audit}
    yield {"kind": "verdict", "icon": icon, "word": word, "why": found.overall.why}
    if found.overall.settle:
        yield _p(say("What would decide it. {settle}", settle=found.overall.settle))
    yield from (_p(one.sentence) for one in found.give_aways if one.state is not State.SHOWN)  # the verdict tells those
    told = [(line(answer), guess(answer)) for answer in found.answers]
    rows = [(*cells[:4], beside, cells[4]) for cells, beside in told]
    head = (
        say("Question"),
        say("Verdict"),
        say("Worst attack"),
        say("Value [interval]"),
        say("Guessing"),
        say("Limit"),
    )
    yield from _table(head, rows, (1.5, 1.9, 2.7, 1.8, 0.9, 0.9), texts.SECTIONS["verdicts"])
    for answer in found.answers:
        if answer.finding is None and answer.judgement is not None:
            yield _p(f"{answer.title}: {answer.judgement.why} {answer.judgement.settle}", style="small")
    yield from (_p(text, style="small") for text in _limits(found))
    yield _p(f"{texts.OVERALL_NOTE} {texts.NOT_PROOF}", style="small")
    asked = " · ".join(filter(None, (found.asked_by, found.purpose)))
    facts = [
        (say("The release was made by"), found.made_by or say("a method that nobody named")),
        (say("Answered for by"), found.by),
        (say("Asked for by"), asked),
        (say("Made"), found.made),
        (say("Report"), found.id),
    ]
    yield _terms([*facts, (say("Class"), class_of(found)), ("riskkit", found.version)])


def class_of(found: Findings) -> str:
    """Who may read it, and what it holds."""
    return texts.CLASSES["named" if found.tells_columns and not found.is_restricted else str(found.kind)]


def _limits(found: Findings) -> Iterator[str]:
    for question, limit in found.limits.items():
        title = questions()[question].title if question in questions() else question
        since = f" ({limit.date})" if limit.date else ""
        yield f"Limit of “{title}”: {limit.value:.2f}, {limit.source}{since}."


def _files(found: Findings) -> Iterator[Block]:
    yield _heading(texts.SECTIONS["files"], new_page=True)
    rows = [
        (texts.SLOTS.get(one.slot, one.slot), one.name or "–", f"{one.rows:,}", f"{one.columns}", one.sha256)
        for one in found.files
    ]
    yield from _table(
        (say("File"), say("Name"), say("Rows"), say("Columns"), say("SHA-256")),
        rows,
        (1, 2, 0.8, 0.8, 3.4),
        say("The files"),
    )
    yield from _table(
        (say("Column"), say("Kind"), say("Role")),
        found.schema,
        (3, 1.2, 1.2),
        say("The columns, as they were understood"),
    )


def _question(answer: Answer) -> Iterator[Block]:
    """A question: the run its verdict stands on, then what was asked of methods that did not make this release."""
    yield _heading(answer.title, new_page=True)
    if answer.finding is not None:
        icon, word = _verdict(answer)
        yield {"kind": "verdict", "icon": icon, "word": word, "why": _why(answer.judgement)}
        yield from _finding(answer.finding, answer.judgement)
    for what_if in answer.what_ifs:
        yield _heading(if_made(what_if), 2)
        yield _p(_why(what_if.judgement), style="small")
        yield from _finding(what_if.finding, what_if.judgement)


def _why(judgement: Judgement | None) -> str:
    return "" if judgement is None else f"{judgement.why} {judgement.settle}".strip()


def _finding(finding: RunFinding, judgement: Judgement | None) -> Iterator[Block]:
    """One run: what it found, what was played, the picture, the first numbers, and what it does not show."""
    yield _p(finding.sentence, style="lead")
    yield _terms([*finding.game, (say("Planted leak"), finding.measured.control.sentence)])
    limit = None if judgement is None or judgement.limit is None else judgement.limit.value
    if finding.chart is not None:
        yield _drawing(charts.intervals(finding.chart, limit), finding.chart.sentence)
    yield from _numbers(finding)
    yield from (_p(text) for text in finding.extra)
    yield _heading(texts.SECTIONS["not_shown"], 2)
    yield {"kind": "list", "items": list(finding.limits)}


def _findings(found: Findings) -> Iterator[RunFinding]:
    """What is shown of every question."""
    for answer in found.answered():
        if answer.finding is not None:
            yield answer.finding
        yield from (one.finding for one in answer.what_ifs)


def _maps(found: Findings) -> Iterator[Block]:
    """The drawings that are about more than one verdict: secrets against what is known, usefulness against privacy."""
    for finding in _findings(found):
        grid, frontier = finding.grid, finding.frontier
        if grid is not None:
            yield _heading(texts.SECTIONS["grid"], new_page=True)
            yield _drawing(charts.heatmap(grid), grid.sentence)
        if frontier is not None:
            yield _heading(texts.SECTIONS["frontier"], new_page=True)
            yield _drawing(charts.frontier(frontier), frontier.sentence)


def _numbers(finding: RunFinding) -> Iterator[Block]:
    first = _nearest(finding)[:NUMBERS]
    told = [_about(one) for one in first]
    same = [text for text in told[0] if all(text in each for each in told)] if len(told) > 1 else []
    rows = [
        (
            texts.MEASURES.get(one.name, one.name.replace("_", " ")),
            ", ".join(text for text in about if text not in same) or "–",
            texts.shown(one), f"{one.level:.4g}", f"{one.n:,}",
        )
        for one, about in zip(first, told, strict=True)
    ]  # fmt: skip
    head = (say("Measure"), say("Of"), say("Value [interval]"), say("Level"), "N")
    title = texts.SECTIONS["numbers"]
    yield from _table(head, rows, (1.7, 3.4, 1.9, 0.7, 0.8), f"{title} ({', '.join(same)})" if same else title)
    if len(finding.estimates) > NUMBERS:
        yield _p(texts.capped(NUMBERS, len(finding.estimates)), style="small")


def _nearest(finding: RunFinding) -> list[Estimate]:
    """The numbers of the run, those about what the verdict stands on first."""
    strongest = finding.measured.strongest
    about = {} if strongest is None else strongest.labels

    def others(estimate: Estimate) -> int:
        return sum(about.get(name, text) != text for name, text in estimate.labels.items())

    return sorted(finding.estimates, key=others)


def _about(estimate: Estimate) -> list[str]:
    """What a number is about, each thing in a few words."""
    labels = estimate.labels
    told = [ABOUT[name](text) for name, text in labels.items() if name in ABOUT and text and text != "none"]
    if "fpr" in labels:
        told.append(say("at {fpr} false alarms", fpr=wording.percent(float(labels["fpr"]))))
    return told


def _risk(found: Findings) -> Iterator[Block]:
    rows = [
        (one.reference, one.who, texts.shown(one.estimate))
        for answer in found.answered()
        if answer.finding is not None
        for one in answer.finding.at_risk
    ]
    if not rows:
        return
    yield _heading(texts.SECTIONS["risk"], new_page=True)
    if not found.is_restricted:
        yield _p(say("References are pseudonyms: whoever has the real table can have them explained, nobody else."))
    yield from _table(
        (say("Record"), say("Strongest attack"), say("Value [interval]")), rows, (1.6, 4, 1.8), texts.SECTIONS["risk"]
    )


def _preparation(found: Findings) -> Iterator[Block]:
    yield _heading(texts.SECTIONS["preparation"])
    if not found.preparation:
        yield _p(say("Nothing needed repair, and nothing needed a decision."))
        return
    rows = [
        (texts.GRAVITIES.get(str(one["gravity"]), str(one["gravity"])),
         str(one.get("what") or str(one["code"]).replace("_", " ")), str(one["column"] or "–"),
         str(one["count"] or "–"))
        for one in found.preparation
    ]  # fmt: skip
    yield from _table(
        (say("Gravity"), say("What"), say("Column"), say("Count")), rows, (1, 4, 1.6, 1), texts.SECTIONS["preparation"]
    )
    if not found.is_restricted:
        yield _p(texts.SUPPRESSED, style="small")


def _wp29(found: Findings) -> Iterator[Block]:
    yield _heading(texts.SECTIONS["wp29"], new_page=True)
    yield _p(texts.WP29_INTRO)
    said = {answer.question: answer for answer in found.answers}
    rows = []
    for risk, bearing, how in texts.WP29:
        asked = [said[question] for question in bearing if question in said]
        bears = "; ".join(f"{answer.title}: {line(answer)[1]}" for answer in asked)
        rows.append((risk, how, bears or texts.NOT_RUN))
    yield from _table(
        (say("Risk"), say("What bears on it here"), say("Verdicts")), rows, (1.3, 3.4, 2.4), texts.SECTIONS["wp29"]
    )


def _methods() -> Iterator[Block]:
    yield _heading(texts.SECTIONS["methods"])
    yield _terms(texts.METHODS)


def _provenance(found: Findings) -> Iterator[Block]:
    yield _heading(texts.SECTIONS["provenance"], new_page=True)
    yield _terms([*found.versions.items()])
    for answer in found.answered():
        for one in answer.findings:
            yield _heading(say("{title}: run {id}", title=answer.title, id=one.id[:12]), 2)
            processes = say("1 process") if one.workers == 1 else say("{workers:,} processes", workers=one.workers)
            took = say("{seconds:,.1f} s with {processes}", seconds=one.seconds, processes=processes)
            yield _terms([(say("Run"), one.id), (say("Seed"), str(one.settings.get("seed", "–"))), (say("Took"), took)])
            yield {"kind": "code", "text": json.dumps(dict(one.settings), ensure_ascii=False, sort_keys=True)}
            if one.command:
                yield _p(say("The same numbers on the command line, beside the files:"))
                yield {"kind": "code", "text": one.command}
            yield from (_p(note, style="small") for note in one.notes)


def _glossary() -> Iterator[Block]:
    yield _heading(texts.SECTIONS["glossary"], new_page=True)
    yield _terms(list(texts.GLOSSARY.items()))
