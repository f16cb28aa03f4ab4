"""One question of a report as blocks: what it found, what was played, the picture, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator

from riskkit.judging.measured import Judgement
from riskkit.language import say
from riskkit.report import plots, texts
from riskkit.report.blocks import Block, heading, paragraph, terms
from riskkit.report.lines import if_made, verdict
from riskkit.show.model import Answer, RunFinding


def question(answer: Answer, *, level: int = 1, is_first: bool = False) -> Iterator[Block]:
    """A question: the run its verdict stands on, then what was asked of methods that did not make this release."""
    yield heading(answer.title, level, new_page=is_first, fits=level == 1)
    if answer.finding is not None:
        icon, word = verdict(answer)
        yield {"kind": "verdict", "icon": icon, "word": word, "why": _why(answer.judgement)}
        yield from _finding(answer.finding, answer.judgement, level + 1)
    elif answer.judgement is not None:
        yield paragraph(_why(answer.judgement), style="lead")
    for what_if in answer.what_ifs:
        yield heading(if_made(what_if), level + 1)
        yield paragraph(_why(what_if.judgement), style="small")
        yield from _finding(what_if.finding, what_if.judgement, level + 1)


def _why(judgement: Judgement | None) -> str:
    return "" if judgement is None else f"{judgement.why} {judgement.settle}".strip()


def _finding(finding: RunFinding, judgement: Judgement | None, level: int) -> Iterator[Block]:
    """One run: what it found, what was played, the picture, and what it does not show."""
    yield paragraph(finding.sentence, style="lead")
    limit = None if judgement is None or judgement.limit is None else judgement.limit.value
    if finding.chart is not None:
        yield plots.block(finding.chart, limit)
    if finding.growing is not None:
        yield plots.block(finding.growing.chart(limit), limit)
    yield terms([*finding.game, (say("Planted leak"), finding.measured.control.sentence)])
    for promised in finding.promises:
        yield heading(say("What {method} promises, and what is seen", method=promised.method), level)
        picture = promised.chart()
        if picture is not None:
            yield plots.block(picture)
        yield terms(promised.terms)
        yield paragraph(promised.verdict, style="contradiction" if promised.is_contradicted else "note")
    if finding.for_whom is not None:  # its groups are many: the appendix has them
        yield heading(finding.for_whom.title, level)
        yield paragraph(finding.for_whom.sentence)
    yield from (paragraph(text, style="note") for text in finding.extra)
    if finding.lowered:
        yield terms([(search.title, f"{search.sentence} {search.cost}".strip()) for search in finding.lowered])
    yield heading(texts.SECTIONS["not_shown"], level)
    yield {"kind": "list", "items": list(finding.limits), "style": "note"}
