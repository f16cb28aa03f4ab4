"""What every command that asks a question says first: give-aways, then the verdict that pages and reports give too."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.audit.provenance import provenance
from riskkit.audit.reporting import made_from
from riskkit.judging import limits
from riskkit.judging.give_aways import State
from riskkit.judging.judge import judge
from riskkit.judging.measured import Judgement, Limit
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.questions.limits import read as read_limit
from riskkit.questions.limits import scales
from riskkit.report.build import counted_at, read, said_of
from riskkit.show.model import Class, GiveAwayLine, Part, Played, RunFinding
from riskkit.table.load import Tables


def add_options(parser: argparse.ArgumentParser, question: str, *, about_a_method: bool = False) -> None:
    """The limit, and for a question about a method how the release was made."""
    scale = limits.SCALES[scales()[question]]
    listed = ", ".join(source.key for source in limits.SOURCES if source.scale == scales()[question])
    parser.add_argument(
        "--limit",
        metavar="VALUE|SOURCE" if listed else "VALUE",
        help=f"the most leak that is tolerable, as {scale.title} ({scale.low:g} is guessing)"
        + (f"; or one of {listed}" if listed else "")
        + "; without it a leak can be shown, never its absence",
    )
    if about_a_method:
        parser.add_argument(
            "--made-by",
            default=NOBODY_SAID,
            metavar="NAME[:FIELD=VALUE,...]",
            help="the method that made the release; the verdict is about the release only where it is the one asked "
            "about (default: %(default)s)",
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says of a verdict: the limit, None where it names none, and how the release was made."""

    limit: Limit | None
    made_by: Provenance


def asked(options: argparse.Namespace, question: str) -> Asked:
    """The same as the options have it; to be read before anything is run, which may take hours.

    Raises
    ------
    DesignError, ParameterError
        The limit cannot be read, or there is no such method.
    """
    limit = None if options.limit is None else read_limit(question, options.limit)
    return Asked(limit, provenance(getattr(options, "made_by", NOBODY_SAID)))


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a run comes to: give-aways, and each finding with its judgement; those about this release come first."""

    give_aways: tuple[GiveAwayLine, ...]
    judged: tuple[tuple[RunFinding, Judgement], ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "give_aways": [
                {"code": one.code, "state": str(one.state), "sentence": one.sentence, "repair": one.repair}
                for one in self.give_aways
            ],
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


def _parts(finding: RunFinding, judgement: Judgement) -> list[tuple[Part, Judgement]]:
    """Each thing that the run asked with a judgement of its own, under the same limit."""
    return [(part, judge(part.measured, judgement.limit)) for part in finding.parts]


def warnings(give_aways: Iterable[GiveAwayLine]) -> Iterator[str]:
    """A line for every give-away that is shown, then for every one that is open."""
    every = tuple(give_aways)
    yield from (
        f"THE FILE GIVES PEOPLE AWAY. {one.sentence} {one.repair}\n" for one in every if one.state is State.SHOWN
    )
    yield from (f"{one.sentence} {one.repair}\n" for one in every if one.state is State.OPEN)


def reached(asked: Asked, tables: Tables, plan: Any, kept: Mapping[str, Any]) -> Verdicts:
    """The verdicts on a run of that plan; ``kept`` is its result with what verdicts are made from."""
    given = made_from("", tables, (), asked.made_by)
    played = Played(plan.question, "", "finished", plan.as_dict(), kept)
    findings = read(played, given, kind=Class.RESTRICTED)
    judged = tuple((counted_at(finding, asked.limit), judge(finding.measured, asked.limit)) for finding in findings)
    return Verdicts(said_of(given, kind=Class.RESTRICTED), judged)
