"""Findings for a pipeline: JUnit XML that its test page shows, a summary in Markdown, and a badge.

Whatever keeps a release from being within its limits is a failure in the XML, undecided questions too: a page of tests
must not be greener than the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from riskkit.judging.give_aways import State
from riskkit.judging.measured import TITLES, Verdict, title
from riskkit.language import counted, say
from riskkit.report.lines import line
from riskkit.show.model import Answer, Findings

COLOURS = {Verdict.WITHIN: "#2e7d32", Verdict.UNDECIDED: "#8a6d00", Verdict.ABOVE: "#b3261e", Verdict.LEAK: "#b3261e"}
"""Behind white letters, each with a contrast of 4.5 and more."""
LETTER, EDGE = 7, 12
"""Width of a letter and of an edge of the badge, in pixels."""


def for_pipelines(findings: Findings) -> dict[str, bytes]:
    """JUnit XML, Markdown and badge, by file name."""
    texts = {"junit.xml": junit(findings), "summary.md": markdown(findings), "badge.svg": badge(findings)}
    return {name: text.encode("utf-8", "replace") for name, text in texts.items()}


def junit(findings: Findings) -> str:
    """A case for each give-away and question, and one for the verdict over all."""
    cases = [*_give_aways(findings), *map(_case, findings.answers), _overall(findings)]
    failures, skipped = (sum(f"<{kind}" in case for case in cases) for kind in ("failure", "skipped"))
    head = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="riskkit" {head}>',
            f'<testsuite name="riskkit" {head} timestamp="{escape(findings.made)}">',
            f'<properties><property name="report" value="{escape(findings.id)}"/></properties>',
            *cases,
            "</testsuite>",
            "</testsuites>\n",
        ]
    )


def _give_aways(findings: Findings) -> Iterator[str]:
    for give_away in findings.give_aways:
        failed = give_away.state in (State.SHOWN, State.OPEN)
        yield _xml(
            "give_aways",
            give_away.code,
            f"{give_away.sentence} {give_away.repair}" if failed else "",
            str(give_away.state),
        )


def _case(answer: Answer) -> str:
    if answer.judgement is None:
        return _xml("questions", answer.question, skipped=line(answer)[1])
    failed = answer.judgement.verdict is not Verdict.WITHIN
    why = f"{answer.judgement.why} {answer.judgement.settle}".strip()
    return _xml("questions", answer.question, why if failed else "", str(answer.judgement.verdict))


def _overall(findings: Findings) -> str:
    failed = findings.overall.verdict is not Verdict.WITHIN
    why = f"{findings.overall.why} {findings.overall.settle}".strip()
    return _xml("verdict", "overall", why if failed else "", str(findings.overall.verdict))


def _xml(group: str, name: str, failure: str = "", kind: str = "", skipped: str = "") -> str:
    inside = ""
    if failure:
        inside = f'<failure type="{escape(kind)}" message="{escape(kind)}">{escape(_plain(failure))}</failure>'
    elif skipped:
        inside = f'<skipped message="{escape(_plain(skipped))}"/>'
    return f'<testcase classname="riskkit.{group}" name="{escape(name)}">{inside}</testcase>'


def _plain(text: str) -> str:
    """The text without the control characters that XML does not allow."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n")


def markdown(findings: Findings) -> str:
    """The verdict, a table of the questions and what would decide it, for the summary of a pipeline."""
    rows = [
        (say("Question"), say("Verdict"), say("Worst attack"), say("Value [interval]"), say("Limit")),
        ("---",) * 5,
        *map(line, findings.answers),
    ]
    table = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    shown = [give_away for give_away in findings.give_aways if give_away.state in (State.SHOWN, State.OPEN)]
    lines = [
        f"## {_cell(title(findings.overall.verdict))}",
        "",
        _cell(f"{findings.overall.why} {findings.overall.settle}".strip()),
        "",
        *(f"- **{_cell(give_away.sentence)}** {_cell(give_away.repair)}" for give_away in shown),
        *([""] * bool(shown)),
        *table,
        "",
        f"{_cell(findings.title)}. riskkit {findings.version}, {findings.made[:10]}, report {findings.id}.",
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text that stays in its cell and makes no markup of its own."""
    return "".join(f"\\{letter}" if letter in "\\|*_`<>[]" else letter for letter in " ".join(text.split()))


def badge(findings: Findings) -> str:
    """Verdict, date and limit in one line, as SVG without scripts, fonts or links."""
    verdict = findings.overall.verdict
    left = say("privacy audit")
    right = f"{TITLES[verdict][1].lower()} · {findings.made[:10]} · {_limits(findings)}"
    wide = [LETTER * len(text) + EDGE for text in (left, right)]
    words = escape(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(wide)}" height="20" role="img" aria-label="{words}">'
        f"<title>{words}</title><desc>{escape(findings.id)}</desc>"
        f'<rect width="{sum(wide)}" height="20" rx="3" fill="#444"/>'
        f'<rect x="{wide[0]}" width="{wide[1]}" height="20" rx="3" fill="{COLOURS[verdict]}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{wide[0] / 2:g}" y="14">{escape(left)}</text>'
        f'<text x="{wide[0] + wide[1] / 2:g}" y="14">{escape(right)}</text></g></svg>\n'
    )


def _limits(findings: Findings) -> str:
    if not findings.limits:
        return say("no limit")
    if len(findings.limits) == 1:
        ((question, limit),) = findings.limits.items()
        return say("limit {limit:g} on {question}", limit=limit.value, question=question)
    return counted(len(findings.limits), "{n:,} limit", "{n:,} limits")
