"""Findings for a pipeline: JUnit XML that its test page shows, SARIF, a summary in Markdown, and a badge.

Whatever keeps a release from being within its limits is a failure in the XML, and an error or a warning in SARIF,
undecided questions too: a page of tests must not be greener than the exit code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any

from riskkit.judging.give_aways import State
from riskkit.judging.measurement import TITLES, Judgement, Verdict, title
from riskkit.language import counted, say
from riskkit.report.lines import line
from riskkit.show.model import Answer, Findings, GiveAwayLine

COLOURS = {Verdict.WITHIN: "#2e7d32", Verdict.UNDECIDED: "#8a6d00", Verdict.ABOVE: "#b3261e", Verdict.LEAK: "#b3261e"}
"""Behind white letters, each with a contrast of 4.5 and more."""
GRAVE = (str(State.SHOWN), str(Verdict.ABOVE), str(Verdict.LEAK))
"""Words of what is shown; any other that keeps a release from its limits is not decided."""
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
"""Where the schema of that format lies, as its readers know it; nothing is fetched."""
LETTER, EDGE = 7, 12
"""Width of a letter and of an edge of the badge, in pixels."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a pipeline shows as one line: a give-away, a question, or the verdict over all.

    ``why`` is what keeps the release from being within its limits, and what would settle it; empty where nothing does.
    ``skipped`` says why there is no ``word``.
    """

    group: str
    name: str
    word: str = ""
    why: str = ""
    skipped: str = ""


def for_pipelines(findings: Findings) -> dict[str, bytes]:
    """JUnit XML, SARIF, Markdown and badge, by file name."""
    texts = {
        "junit.xml": junit(findings),
        "report.sarif": sarif(findings),
        "summary.md": markdown(findings),
        "badge.svg": badge(findings),
    }
    return {name: text.encode("utf-8", "replace") for name, text in texts.items()}


def cases(findings: Findings) -> tuple[Case, ...]:
    """A case for each give-away and question, and one for the verdict over all."""
    return (*map(_give_away, findings.give_aways), *map(_question, findings.answers), _overall(findings))


def _give_away(give_away: GiveAwayLine) -> Case:
    why = f"{give_away.sentence} {give_away.repair}" if give_away.state in (State.SHOWN, State.OPEN) else ""
    return Case("give_aways", give_away.code, str(give_away.state), why)


def _question(answer: Answer) -> Case:
    if answer.judgement is None or answer.judgement.verdict is Verdict.DESCRIBED:
        return Case("questions", answer.question, skipped=line(answer)[1])
    return Case("questions", answer.question, str(answer.judgement.verdict), _why(answer.judgement))


def _overall(findings: Findings) -> Case:
    return Case("verdict", "overall", str(findings.overall.verdict), _why(findings.overall))


def _why(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.WITHIN:
        return ""
    return f"{judgement.why} {judgement.settle}".strip() or str(judgement.verdict)


def junit(findings: Findings) -> str:
    """Every case as a test: what is not within its limit has failed."""
    tests = [_test(case) for case in cases(findings)]
    failures, skipped = (sum(f"<{kind}" in test for test in tests) for kind in ("failure", "skipped"))
    head = f'tests="{len(tests)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="riskkit" {head}>',
            f'<testsuite name="riskkit" {head} timestamp="{escape(findings.made)}">',
            f'<properties><property name="report" value="{escape(findings.id)}"/></properties>',
            *tests,
            "</testsuite>",
            "</testsuites>\n",
        ]
    )


def _test(case: Case) -> str:
    inside = ""
    if case.why:
        word = escape(case.word)
        inside = f'<failure type="{word}" message="{word}">{escape(_plain(case.why))}</failure>'
    elif case.skipped:
        inside = f'<skipped message="{escape(_plain(case.skipped))}"/>'
    return f'<testcase classname="riskkit.{case.group}" name="{escape(case.name)}">{inside}</testcase>'


def sarif(findings: Findings) -> str:
    """Every case as a result of its rule, for whatever collects results of many tools (SARIF 2.1.0)."""
    there = cases(findings)
    rules = [
        {"id": f"{case.group}/{case.name}", "name": case.name, "shortDescription": {"text": case.name}}
        for case in there
    ]
    driver = {"name": "riskkit", "version": findings.version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"riskkit/{findings.id}"},
        "results": [{**_result(case), "ruleIndex": index} for index, case in enumerate(there)],
    }
    document = {"$schema": SARIF, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def _result(case: Case) -> dict[str, Any]:
    """What is above a limit or leaks is an error, what is undecided or open a warning."""
    kind = "fail" if case.why else "notApplicable" if case.skipped else "pass"
    level = "none" if kind != "fail" else "error" if case.word in GRAVE else "warning"
    return {
        "ruleId": f"{case.group}/{case.name}",
        "kind": kind,
        "level": level,
        "message": {"text": _plain(case.why or case.skipped or case.word)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "report.json"}}}],
    }


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
