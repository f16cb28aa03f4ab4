"""What a run comes to: give-aways, then each finding with its judgement, as pages and reports give them too.

:func:`answer_shape` is the one shape of an answer as plain values: what every command prints with ``--json``, and
Python gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from riskkit.audit.report_facts import build_given, versions
from riskkit.base import stages
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, Limit, title
from riskkit.judging.provenance import Provenance
from riskkit.phrases import phrase
from riskkit.plain import plain
from riskkit.report.appendix import details
from riskkit.report.blocks import in_columns, to_text
from riskkit.report.build import at_limit, give_away_lines, read
from riskkit.report.lines import line
from riskkit.show.model import Class, Findings, GiveAwayLine, Part, Played, RunFinding
from riskkit.show.promise import with_readings
from riskkit.table.load import Tables

SCHEMA = "riskkit.answer/1"
"""Name and version. A field may be added under the same number; one that goes or changes its meaning takes the next."""
SHAPE = ("schema", "verdict", "estimates", "notes", "settings", "files", "versions")
"""What every answer has. A question puts what is its own beside them."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a run comes to: give-aways, and each finding with its judgement; those about this release come first.

    ``titles`` are what people call a plug-in.
    """

    give_aways: tuple[GiveAwayLine, ...]
    judged: tuple[tuple[RunFinding, Judgement], ...]
    titles: Mapping[str, str]

    @property
    def word(self) -> str:
        """The verdict on this release, the gravest of several; empty where nothing was asked about it."""
        own = [judgement.verdict for finding, judgement in self.judged if not finding.what_if]
        return str(min(own, key=lambda verdict: verdict.gravity)) if own else ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "give_aways": [plain(give_away, "release", "brief") for give_away in self.give_aways],
            "verdicts": [
                {
                    "what_if": finding.what_if,
                    "sentence": finding.sentence,
                    **judgement.as_dict(),
                    "parts": [{"title": part.title, **own.as_dict()} for part, own in _parts(finding, judgement)],
                }
                for finding, judgement in self.judged
            ],
        }

    def lines(self) -> Iterator[str]:
        """The same for people."""
        yield from warnings(self.give_aways)
        for finding, judgement in self.judged:
            if finding.what_if:
                yield f"{finding.what_if}:"
            yield f"{str(judgement.verdict).upper()}. {finding.sentence}"
            yield f"{judgement.why} {judgement.settle}".strip()
            parts = _parts(finding, judgement)
            if len(parts) > 1:
                yield from (f"  {part.title}: {own.verdict}" for part, own in parts)
            yield ""

    def details(self) -> Iterator[str]:
        """What stands behind each finding: all that the page of its question and a report show."""
        for finding, judgement in self.judged:
            if len(self.judged) > 1 and finding.what_if:
                yield f"\n{finding.what_if}:"
            yield from to_text(details(finding, judgement, self.titles))


def _parts(finding: RunFinding, judgement: Judgement) -> list[tuple[Part, Judgement]]:
    """Each thing that the run asked with a judgement of its own, under the same limit."""
    return [(part, judge(part.measured, judgement.limit)) for part in finding.parts]


def warnings(give_aways: Iterable[GiveAwayLine]) -> Iterator[str]:
    """A line for every give-away that is shown, then for every one that is open."""
    every = tuple(give_aways)
    yield from (
        f"THE FILE EXPOSES PEOPLE. {give_away.sentence} {give_away.repair}\n"
        for give_away in every
        if give_away.state is State.SHOWN
    )
    yield from (f"{give_away.sentence} {give_away.repair}\n" for give_away in every if give_away.state is State.OPEN)


def verdicts(
    limit: Limit | None,
    made_by: Provenance,
    tables: Tables,
    plan: Any,
    kept: Mapping[str, Any],
    *,
    kind: Class = Class.RESTRICTED,
    give_aways: tuple[GiveAway, ...] | None = None,
) -> Verdicts:
    """The verdicts on a run of that plan; ``kept`` is its result with what verdicts are made from.

    Give-aways are looked for where they are not given.

    Sentences for the class ``shareable`` hold no value and no row number of the real table; they may name columns.
    """
    facts = build_given("", tables, (), made_by, give_aways)
    stages.say(phrase("The verdict"))
    played = Played(plan.question, "", "finished", plan.as_dict(), kept)
    findings = read(played, facts, kind=kind, tells_columns=True)
    judged = tuple((at_limit(finding, limit), judge(finding.measured, limit)) for finding in findings)
    seen = give_away_lines(replace(facts, runs=(played,)), kind=kind, tells_columns=True)
    return Verdicts(seen, judged, facts.titles)


def lines(findings: Findings) -> Iterator[str]:
    """The verdicts of a whole audit: one line a question, then the overall one and what would decide it."""
    rows = [("Question", "Verdict", "Worst attack", "Value [interval]", "Limit"), *map(line, findings.answers)]
    yield from in_columns(rows)
    yield f"\n{title(findings.overall.verdict).upper()}. {findings.overall.why}"
    if findings.overall.settle:
        yield findings.overall.settle


def answer_shape(result: Mapping[str, Any], tables: Tables, verdicts: Verdicts | None = None) -> dict[str, Any]:
    """An answer: ``result`` is what a question says, with its estimates, settings and notes.

    ``verdict`` is the word of the judge on this release; it is empty where nothing was asked about this release. A note
    has the code of what was noticed in the files; those of the run itself have the code ``run``.
    """
    verdict_fields = {} if verdicts is None else verdicts.as_dict()
    own = [{"code": "run", "text": str(text)} for text in result.get("notes", ())]
    noticed = [{"code": problem.code, "text": problem.sentence()} for problem in tables.problems]
    return {
        "estimates": [],
        "settings": {},
        **with_readings(result),
        **verdict_fields,
        "schema": SCHEMA,
        "verdict": "" if verdicts is None else verdicts.word,
        "notes": [*own, *noticed],
        "files": files(tables),
        "versions": versions(),
    }


def files(tables: Tables) -> list[dict[str, Any]]:
    """The files of an answer: slot, name, hash and size."""
    return [
        {"slot": file.slot, "name": file.name, "sha256": file.sha256, "rows": file.rows, "columns": file.columns}
        for file in tables.files
    ]
