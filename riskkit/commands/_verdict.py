"""What every command that asks a question says first: give-aways, then the verdict that pages and reports give too."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from riskkit.audit.give_aways import look
from riskkit.audit.provenance import provenance
from riskkit.audit.reporting import titles
from riskkit.commands import _options
from riskkit.judging import limits
from riskkit.judging.give_aways import GiveAway
from riskkit.judging.measured import Limit
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.questions.limits import read as read_limit
from riskkit.questions.limits import scales
from riskkit.session import verdicts
from riskkit.session.verdicts import Verdicts
from riskkit.table.large import is_large
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
class VerdictOptions:
    """What the command line says of a verdict: the limit, None where it names none, and how the release was made."""

    limit: Limit | None
    made_by: Provenance


def asked(options: argparse.Namespace, question: str) -> VerdictOptions:
    """The same as the options have it; to be read before anything is run, which may take hours.

    Raises
    ------
    DesignError, ParameterError
        The limit cannot be read, or there is no such method.
    """
    limit = None if options.limit is None else read_limit(question, options.limit)
    often = getattr(options, "releases", None) or max(_options.files_of(options), 1)
    made_by = provenance(getattr(options, "made_by", NOBODY_SAID), often, one_fit=bool(getattr(options, "one_fit", 0)))
    return VerdictOptions(limit, made_by)


def reached(
    asked: VerdictOptions,
    tables: Tables,
    plan: Any,
    kept: Mapping[str, Any],
    give_aways: tuple[GiveAway, ...] | None = None,
) -> Verdicts:
    """The verdicts on a run of that plan; ``kept`` is its result with what verdicts are made from."""
    return verdicts.reached(asked.limit, asked.made_by, tables, plan, kept, give_aways=give_aways)


class Meanwhile:
    """Looks for give-aways, and loads what verdicts are said with, while other processes work and this one waits.

    Nothing depends on it but the time. Large tables are looked at afterwards, when the memory of the run is free.
    """

    def __init__(self, tables: Tables, workers: int) -> None:
        is_small = not is_large(tables.real.codes.nbytes + tables.real.numbers.nbytes)
        self._tables, self._wanted = tables, workers > 1 and is_small
        self._give_aways: tuple[GiveAway, ...] | None = None
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin, where it has not begun yet."""
        if self._wanted:
            self._wanted = False
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()

    def _look(self) -> None:
        with suppress(Exception):  # whoever looks for them afterwards hears of it
            seen = look(self._tables)
            titles()
            self._give_aways = () if seen is None else seen.each()

    def give_aways(self) -> tuple[GiveAway, ...] | None:
        """What was seen; None where nobody has looked, or the look failed."""
        if self._thread is not None:
            self._thread.join()
        return self._give_aways
