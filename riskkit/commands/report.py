"""``riskkit report``: the report of an audit that is kept here, or the check of an evidence pack."""

from __future__ import annotations

import argparse
from pathlib import Path

from riskkit.audit.report_facts import read_given
from riskkit.commands import _report
from riskkit.commands._audit import audit_named
from riskkit.errors import DesignError
from riskkit.judging.measurement import limits_as_dict
from riskkit.report.pack import verify

ABOUT = "the report of an audit: PDF, CSV, JSON and an evidence pack"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "audit",
        metavar="AUDIT|PACK",
        help="name of an audit, or the first letters of its id (see riskkit audits); with --verify an evidence pack",
    )
    parser.add_argument(
        "--verify", action="store_true", help="check the hashes of a pack, and with --sign its signature"
    )
    _report.add_options(parser, needs_folder=False)


def run(options: argparse.Namespace) -> int:
    """Write the report or check the pack; returns the exit code: 0, 3 or 4 by the verdict, 1 for a changed pack."""
    if options.verify:
        return _verify(Path(options.audit), options)
    if options.out is None:
        raise DesignError("Say where the report goes: --out DIR.")
    _report.kind_of(options)  # before the files are read
    _report.profile_of(options)
    audit = audit_named(options.audit)
    facts = read_given(audit)
    asked = {run.question for run in facts.runs}
    if idle := [question for question in _report.limits_of(options) if question not in asked]:
        raise DesignError(
            f"A limit is set for {', '.join(idle)}, but this audit did not ask that. Ask that question first, or leave "
            "the limit out."
        )
    return _report.report(options, facts, {"limits": limits_as_dict(audit.limits)}, audit=audit)


def _verify(path: Path, options: argparse.Namespace) -> int:
    key = _report.key_of(options.sign)
    if path.exists() and not path.is_file():
        raise DesignError("The pack cannot be read (it is no plain file).")
    try:
        wrong = verify(path, key)
    except OSError as error:
        raise DesignError(f"The pack cannot be read ({error.strerror}).") from error
    print("\n".join(wrong) if wrong else "Every file is as the manifest says.")
    return 1 if wrong else 0
