"""What the commands that write a report share: its options, limits from text, and the lines they print."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from riskkit import registry
from riskkit.audit.output_files import REPORTS, outputs, register, write, write_restricted
from riskkit.audit.report_facts import build_findings
from riskkit.audit.selftest_result import last
from riskkit.base import places
from riskkit.errors import DesignError
from riskkit.jobs.files import AuditFiles
from riskkit.judging import measurement
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import Limit, Verdict
from riskkit.judging.provenance import Cover
from riskkit.language import counting
from riskkit.questions.limits import read as read_limit
from riskkit.questions.limits import scales
from riskkit.report.build import give_away_lines
from riskkit.report.labels import sentences
from riskkit.report.pack import read_back
from riskkit.report.to_gate import for_pipelines
from riskkit.session.verdicts import lines, warnings
from riskkit.show.model import Class, Given
from riskkit.show.profile import PLAIN, ROOM, Profile
from riskkit.show.run_finding import named_by

CODES = {Verdict.WITHIN: 0, Verdict.ABOVE: 3, Verdict.LEAK: 3, Verdict.UNDECIDED: 4}
"""Exit codes by the overall verdict; 2 stays what it always is: there is none, and a sentence says why."""


CONFIRMED = "whoever reads it may see the real table, and it stays where nobody else can open it"
"""What is confirmed before a restricted report is written."""


COVER = {
    "title": "title of the report",
    "by": "who answers for it; printed on the cover",
    "organisation": "who releases the data",
    "data_set": "what the data are called",
    "use": "what they are released for",
    "recipients": "who gets them",
    "setting": "public, partners or team: who may open them",
}
"""What page one says in the steward's own words, each an option; what none says is as the audit keeps it."""


def add_options(parser: argparse.ArgumentParser, *, needs_folder: bool = True) -> None:
    """The options of every report."""
    parser.add_argument("--out", type=Path, required=needs_folder, metavar="DIR", help="folder of the report")
    parser.add_argument(
        "--class",
        dest="kind",
        choices=[str(kind) for kind in Class],
        default=None,
        help="who may read it: anybody (shareable), or those who may see the real table (restricted) "
        "(default: shareable, or what a configuration says)",
    )
    parser.add_argument(
        "--asked-by", default="", metavar="NAME", help="who asks for a restricted report; kept in its log"
    )
    parser.add_argument(
        "--purpose", default="", metavar="TEXT", help="what a restricted report is for; kept in its log"
    )
    parser.add_argument("--confirm", action="store_true", help=f"confirm of a restricted report: {CONFIRMED}")
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="QUESTION=VALUE|SOURCE",
        help=f"the most leak that is tolerable, for {', '.join(scales())}: a number, or one of "
        f"{', '.join(source.key for source in measurement.SOURCES)}",
    )
    parser.add_argument(
        "--limit-by", default="", metavar="TEXT", help="who set the limits, and when; printed beside them"
    )
    for name, about in COVER.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, metavar="TEXT", help=about)
    parser.add_argument(
        "--profile",
        metavar="NAME",
        default=None,
        help=f"how the findings are laid out: {', '.join(registry.plugins(ROOM))} (default: {PLAIN}, or what a "
        "configuration says); no number changes",
    )
    parser.add_argument("--appendix", action="store_true", help="print the appendix in the PDF too; the HTML has it")
    parser.add_argument("--name-columns", action="store_true", help="name the columns in a shareable report too")
    parser.add_argument("--sign", type=Path, metavar="FILE", help="key that signs the evidence pack; 16 bytes or more")
    parser.add_argument("--made", metavar="TIME", help="time on the report (ISO 8601), for the same bytes again")


def kind_of(options: argparse.Namespace, config: Mapping[str, Any] | None = None) -> Class:
    """Who may read the report: as the command line says, else as the configuration does.

    Raises
    ------
    DesignError
        There is no such class; or it is restricted, and who asks, what for, or the confirmation is missing.
    """
    named = str(options.kind or (config or {}).get("class", Class.SHAREABLE))
    if named not in list(Class):
        raise DesignError(f"There is no class of report {named!r}; there are {' and '.join(Class)}.")
    kind = Class(named)
    answers = {"--asked-by NAME": options.asked_by.strip(), "--purpose TEXT": options.purpose.strip()}
    missing = [option for option, text in {**answers, "--confirm": options.confirm}.items() if not text]
    if kind is Class.RESTRICTED and missing:
        raise DesignError(
            f"A restricted report is written only with {', '.join(missing)}: who asks for it, what for, and the "
            f"confirmation that {CONFIRMED}."
        )
    return kind


def profile_of(options: argparse.Namespace, config: Mapping[str, Any] | None = None) -> Profile:
    """How the report is laid out: as the command line says, else as the configuration does.

    Raises
    ------
    ParameterError
        There is no such profile.
    """
    made: Profile = registry.parse(ROOM, str(options.profile or (config or {}).get("profile", PLAIN)))
    return made


def limits_of(options: argparse.Namespace, config: Mapping[str, Any] | None = None) -> dict[str, Limit]:
    """The limits of a configuration, those of the command line in their place.

    Raises
    ------
    DesignError
        One that cannot be read, or is out of range.
    """
    by_question = {str(question): read_limit(str(question), value) for question, value in (config or {}).items()}
    for text in options.limit:
        question, sign, value = text.partition("=")
        if not sign:
            raise DesignError(f"The limit {text!r} does not say what for; write it as membership=0.6.")
        by_question[question.strip()] = read_limit(question.strip(), value.strip(), options.limit_by)
    return by_question


def warn(options: argparse.Namespace, facts: Given, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Print what the file is shown to give away by itself, whoever stands in the holdout; returns the lines."""
    shown = [each for each in facts.give_aways if each.state is State.SHOWN and each.of_other_people() is each]
    sure = replace(facts, give_aways=tuple(shown))
    with counting(named_by(facts.columns)):
        seen = give_away_lines(sure, kind=kind_of(options, config), tells_columns=_tells_columns(options, config))
    texts = tuple(warnings(seen))
    for text in texts:
        print(text, flush=True)
    return texts


def _tells_columns(options: argparse.Namespace, config: Mapping[str, Any]) -> bool:
    """Whether columns are named."""
    return bool(options.name_columns or config.get("name_columns", False))


def report(
    options: argparse.Namespace,
    facts: Given,
    config: Mapping[str, Any] | None = None,
    *,
    audit: AuditFiles | None = None,
    counted_in: AuditFiles | None = None,
    has_warned: Collection[str] = (),
) -> int:
    """Write every output of the report, read it again and print its verdicts; returns the exit code of what was read.

    A restricted one leaves a line in the log of that audit's reports, else beside the report; the journal of the store
    has an entry for every report of an audit that is kept there, or was (``counted_in``) while it was played. What the
    file gives away is printed but for the lines that the command printed before it asked (``has_warned``).
    """
    settings = config or {}
    findings = build_findings(
        facts,
        limits_of(options, settings.get("limits")),
        kind=kind_of(options, settings),
        made=_time_of_making(options.made),
        cover=_cover_of(options, settings, audit),
        tells_columns=_tells_columns(options, settings),
        profile=profile_of(options, settings),
    )
    if findings.is_restricted:
        findings = replace(findings, asked_by=options.asked_by.strip(), purpose=options.purpose.strip())
    key, keeper = key_of(options.sign), audit or counted_in
    if keeper is not None:
        findings = register(keeper, findings, "report")
    files = outputs(findings, key, selftest=last(places.home()), with_appendix=options.appendix)
    files |= for_pipelines(findings)
    if findings.is_restricted:
        write_restricted(files, options.out, findings, options.out if audit is None else audit.path / REPORTS)
    else:
        write(files, options.out)
    code = CODES[read_back(options.out, files, findings)]
    warned = [text for text in warnings(findings.give_aways) if text not in has_warned]
    for text in (*warned, *lines(findings), *sentences(findings)):
        print(text)
    print(f"\n{', '.join(files)} written.")
    return code


def _cover_of(options: argparse.Namespace, settings: Mapping[str, Any], audit: AuditFiles | None) -> Cover:
    """The words of page one: of the command line, else of a configuration, else as the audit keeps them."""
    kept = {} if audit is None else asdict(audit.cover)
    options_set = {name: text for name in COVER if (text := getattr(options, name)) is not None}
    return Cover.from_dict({**kept, **settings, **options_set})


def key_of(path: Path | None) -> bytes | None:
    """The signature key in that file.

    Raises
    ------
    DesignError
        It cannot be read.
    """
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise DesignError(f"The signature key cannot be read ({error.strerror}).") from error


def _time_of_making(text: str | None) -> datetime:
    if text is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        made = datetime.fromisoformat(text)
    except ValueError as error:
        raise DesignError(f"The time {text!r} cannot be read; write it as 2026-11-21T09:00:00+00:00.") from error
    return made if made.tzinfo is not None else made.replace(tzinfo=UTC)
