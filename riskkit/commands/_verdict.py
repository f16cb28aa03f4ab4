"""What every command that asks a question says first: give-aways, then the verdict that pages and reports give too."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from riskkit.audit.give_aways import give_aways_of
from riskkit.commands import _options
from riskkit.jobs.pool import aside
from riskkit.judging import measurement
from riskkit.judging.give_aways import GiveAway
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.questions.limits import read as read_limit
from riskkit.questions.limits import scales
from riskkit.questions.standard import provenance
from riskkit.session import verdicts
from riskkit.session.verdicts import Verdicts
from riskkit.table.load import Tables


def add_options(parser: argparse.ArgumentParser, question: str, *, about_a_method: bool = False) -> None:
    """The limit of a question that is judged, and for one about a method how the release was made."""
    if question in scales():
        scale = measurement.SCALES[scales()[question]]
        listed = ", ".join(source.key for source in measurement.SOURCES if source.scale == scales()[question])
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
class VerdictOptions:
    """What the command line says of a verdict: the limit, None where it names none, and how the release was made."""

    limit: Limit | None
    made_by: Provenance


def verdict_options(options: argparse.Namespace, question: str) -> VerdictOptions:
    """The same as the options have it; to be read before anything is run, which may take hours.

    Raises
    ------
    DesignError, ParameterError
        The limit cannot be read, or there is no such method.
    """
    text = getattr(options, "limit", None)
    limit = None if text is None else read_limit(question, text)
    often = getattr(options, "releases", None) or max(_options.files_of(options), 1)
    made_by = provenance(getattr(options, "made_by", NOBODY_SAID), often, one_fit=bool(getattr(options, "one_fit", 0)))
    return VerdictOptions(limit, made_by)


def verdicts_of_run(
    asked: VerdictOptions,
    tables: Tables,
    plan: Any,
    kept: Mapping[str, Any],
    give_aways: tuple[GiveAway, ...] | None = None,
) -> Verdicts:
    """The verdicts on a run of that plan; ``kept`` is its result with what verdicts are made from."""
    return verdicts.verdicts(asked.limit, asked.made_by, tables, plan, kept, give_aways=give_aways)


def look_for_give_aways(options: argparse.Namespace, tables: Tables) -> Callable[[], tuple[GiveAway, ...] | None]:
    """Begin to look for give-aways while helper processes attack; returns what waits for them.

    None where they are looked for with the verdict: nobody else works meanwhile, nothing is played, or tables are so
    large that memory counts for more than time.
    """
    if options.workers <= 1 or options.forecast or options.queue or tables.is_large:
        return lambda: None
    return aside(partial(give_aways_of, tables))
