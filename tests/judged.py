"""A result judged as pages, reports and commands judge it: read by the reader of its question, then by the judge."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from riskkit.audit.report_facts import build_given, distances, knowledge, titles
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, own
from riskkit.judging.provenance import NOBODY_SAID
from riskkit.questions.standard import provenance
from riskkit.report.build import at_limit, findings, read
from riskkit.show.model import Class, File, Findings, Given, Played, RunFinding
from riskkit.table.load import Tables


def judged(
    result: Mapping[str, Any],
    plan: Any,
    limit: float | None = None,
    tables: Tables | None = None,
    made_by: str = NOBODY_SAID,
) -> list[tuple[RunFinding, Judgement]]:
    """Every finding of a result with its judgement, those about this release first.

    ``result`` is what was kept, ``limit`` on the scale of the question, ``made_by`` the method that made the release.
    Without ``tables`` there is a release of which nothing is known: neither rows nor columns whose values hardly meet.
    """
    limit_of_its_own = None if limit is None else own(limit)
    facts = _nothing(made_by) if tables is None else build_given("", tables, (), provenance(made_by), ())
    every = read(_played(result, plan), facts, kind=Class.RESTRICTED)
    return [(at_limit(finding, limit_of_its_own), judge(finding.measured, limit_of_its_own)) for finding in every]


def _nothing(made_by: str) -> Given:
    """What a report is made from where no file was looked at."""
    return Given(
        audit="",
        files=(File("synthetic", "", "", 0, 0),),
        columns=(),
        preparation=(),
        runs=(),
        titles=titles(),
        knows=knowledge(),
        key=b"",
        versions={},
        distances=distances(),
        provenance=provenance(made_by),
    )


def reported(result: Mapping[str, Any], plan: Any, limit: float) -> Findings:
    """The report of an audit with nothing but this result, under that limit."""
    made = datetime(2026, 1, 1, tzinfo=UTC)
    facts = replace(_nothing(NOBODY_SAID), runs=(_played(result, plan),))
    limits = {plan.question: own(limit)}
    return findings(facts, limits, kind=Class.RESTRICTED, made=made, version="0")


def _played(result: Mapping[str, Any], plan: Any) -> Played:
    """The run as it was kept."""
    kept, settings = json.loads(json.dumps([result, plan.as_dict()]))
    return Played(plan.question, "", "finished", settings, kept)


def judgement_of(result: Mapping[str, Any], plan: Any, limit: float | None = None, **about: Any) -> Judgement:
    """The judgement on the only finding of a result."""
    ((_, judgement),) = judged(result, plan, limit, **about)
    return judgement


def word(result: Mapping[str, Any], plan: Any, limit: float | None = None, **about: Any) -> str:
    """The word of that judgement."""
    return str(judgement_of(result, plan, limit, **about).verdict)
