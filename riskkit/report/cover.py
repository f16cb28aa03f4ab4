"""Page one of a report, on which somebody decides: the verdict, each question on a line, what to do, and who signs."""

from __future__ import annotations

import io
from collections.abc import Iterator

import segno

from riskkit import wording
from riskkit.judging.give_aways import State
from riskkit.judging.limits import SCALES
from riskkit.judging.verdict import TITLES, Verdict
from riskkit.language import joined, say
from riskkit.report import plots, texts
from riskkit.report.blocks import Block, heading, paragraph
from riskkit.report.lines import class_of, line
from riskkit.report.released import sentences, warning
from riskkit.report.to_json import as_dict
from riskkit.show import in_words
from riskkit.show.model import Answer, File, Findings, RunFinding, releases_of

ADVICE = {
    Verdict.ABOVE: say("Change the release before it is published, and audit the new file beside this one."),
    Verdict.LEAK: say(
        "Set a limit, or change the release: a leak is shown, and nobody has said how much leak is tolerable."
    ),
    Verdict.UNDECIDED: say("Undecided is not an all-clear: do what would decide it, or decide without an answer."),
    Verdict.WITHIN: say("Every question asked is within its limit. Consider what was not asked before you sign."),
}
"""What follows from a verdict on the whole release."""
DECISIONS = (say("release"), say("release after changes"), say("do not release"))


def cover(findings: Findings) -> Iterator[Block]:
    """The one page that an officer reads."""
    icon, word = TITLES[findings.overall.verdict]
    yield {"kind": "title", "text": findings.title, "sub": findings.audit}
    yield paragraph(_about(findings), style="small")
    yield from (paragraph(text, style="" if warning(findings) else "small") for text in sentences(findings))
    yield {"kind": "verdict", "icon": icon, "word": word, "why": findings.overall.why}
    yield from (
        paragraph(give_away.sentence) for give_away in findings.give_aways if give_away.state is not State.SHOWN
    )
    rows = [_row(answer, shown) for answer in findings.answers if (shown := answer.shown) is not None]
    yield heading(texts.SECTIONS["verdicts"])
    if rows:
        yield {"kind": "answers", "head": _head(), "rows": rows}
    yield from (paragraph(text, style="small") for text in _rest(findings))
    yield heading(say("What to do"), 2)
    yield {"kind": "list", "items": list(_advice(findings))}
    yield paragraph(f"{texts.OVERALL_NOTE} {texts.NOT_PROOF}", style="small")
    yield {
        "kind": "sign",
        "title": say("Decision"),
        "choices": list(DECISIONS),
        "fields": [say("Name"), say("Role"), say("Date"), say("Signature")],
    }
    digest = str(as_dict(findings)["sha256"])
    alt = say("QR code of the SHA-256 of report.json")
    yield {"kind": "seal", "svg": _code(digest), "alt": alt, "pairs": _facts(findings, digest)}


def _about(findings: Findings) -> str:
    """Which file it is about: its name where it may be told, its size, its hash."""
    every = releases_of(findings.files)
    if not every:
        return say("No release is loaded.")
    release: File = every[0]
    if len(every) > 1:
        return say(
            "{files:,} releases of one table: {rows:,} rows and {columns:,} columns together, SHA-256 {sha}, made by "
            "{made_by}.",
            files=len(every),
            rows=sum(file.rows for file in every),
            columns=release.columns,
            sha=joined(f"{file.sha256[:12]}…" for file in every),
            made_by=findings.made_by or say("a method that was not stated"),
        )
    named = f"“{release.name}”, " if release.name else ""
    return say(
        "The release: {named}{rows:,} rows and {columns:,} columns, SHA-256 {sha}…, made by {made_by}.",
        named=named,
        rows=release.rows,
        columns=release.columns,
        sha=release.sha256[:12],
        made_by=findings.made_by or say("a method that was not stated"),
    )


def _head() -> list[str]:
    """What stands over the columns of the answers."""
    return [say("Question"), say("Guessing ┆ and limit ┃"), say("Value [interval]"), say("Why")]


def _row(answer: Answer, finding: RunFinding) -> dict[str, str]:
    """One question: title and verdict, its bar, its value beside limit and guessing, and the reason."""
    judged = answer.judgement if answer.finding is not None else answer.what_ifs[0].judgement
    measured = finding.measured
    title, word, who, value, _ = line(answer)
    limit = None if judged is None else judged.limit
    scale = SCALES[measured.scale]
    beside = say("{scale}; guessing {guess:.2f}", scale=scale.title, guess=measured.guess)
    if limit is None:
        beside += f", {texts.NO_LIMIT}"
    else:
        source = joined(filter(None, (limit.source, limit.date)))
        beside += say(", limit {limit:.2f}: {source}", limit=limit.value, source=source)
    return {
        "title": title,
        "word": word,
        "svg": plots.bar(measured, None if limit is None else limit.value),
        "alt": in_words.of_bar(title, measured.strongest, beside),
        "value": value,
        "beside": beside,
        "why": say("{who}. {why}", who=who, why="" if judged is None else judged.why).strip(),
    }


def _rest(findings: Findings) -> Iterator[str]:
    """Questions without an answer about this release, and whose limits hold."""
    for answer in findings.answers:
        if answer.finding is None and answer.judgement is not None:
            yield say(
                "{title}: {text}", title=answer.title, text=f"{answer.judgement.why} {answer.judgement.settle}".strip()
            )
    silent = [answer.title for answer in findings.answers if answer.shown is None and answer.judgement is None]
    if silent:
        yield say("Not asked: {questions}.", questions=say(", ").join(silent))


def _advice(findings: Findings) -> Iterator[str]:
    """What follows from the verdict, and what would decide what is open."""
    shown = any(give_away.state is State.SHOWN for give_away in findings.give_aways)
    yield ADVICE[Verdict.ABOVE if shown else findings.overall.verdict]
    if findings.overall.settle:
        yield say("What would decide it: {settle}", settle=findings.overall.settle)


def _facts(findings: Findings, digest: str) -> list[list[str]]:
    """Who and when, and what the report can be checked against."""
    asked = " · ".join(filter(None, (findings.asked_by, findings.purpose)))
    facts = [
        (say("Responsible"), findings.by),
        (say("Requested by"), asked),
        (say("Made on"), wording.moment(findings.made)),
        (say("Report"), findings.id),
        (say("Evidence"), say("report.json, SHA-256 {digest}", digest=digest)),
        (say("Class"), class_of(findings)),
        (say("Profile"), "" if findings.profile is None else say(findings.profile.title)),
        ("riskkit", findings.version),
    ]
    return [[name, text] for name, text in facts if text]


def _code(digest: str) -> str:
    """The digest as a QR code, black on white: a telephone reads it, and it is compared with the evidence pack."""
    out = io.BytesIO()
    segno.make(f"report.json sha256 {digest}", error="m", micro=False).save(
        out, kind="svg", scale=3, border=2, dark="#1c1c1c", light="#ffffff", xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()
