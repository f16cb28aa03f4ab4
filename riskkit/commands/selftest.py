"""``riskkit selftest``: leaks of known size, and what the installed engine makes of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from riskkit.audit.selftest import selftest
from riskkit.audit.selftest_result import keep
from riskkit.base import places
from riskkit.commands._output import print_json
from riskkit.errors import DesignError

ABOUT = "plant leaks of known size and see whether the installed engine measures them rightly"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the JSON object to this file")


def run(options: argparse.Namespace) -> int:
    """Run every check; returns 0 where all agree, else 1."""
    result = selftest(_tell if sys.stderr.isatty() else lambda *_: None)
    content = keep(result, places.home())
    if options.out is not None:
        try:
            options.out.write_bytes(content)
        except OSError as error:
            raise DesignError(f"The result could not be written ({error.strerror}).") from error
    if options.json:
        print_json(result.as_dict())
    else:
        for check in result.checks:
            print(f"{'agrees  ' if check.passed else 'DIFFERS '} {check.plain} ({check.seconds:.0f} s)")
            print(f"         expected {check.expected}")
            print(f"         measured {check.measured}")
        wrong = sum(not check.passed for check in result.checks)
        print(f"\n{len(result.checks) - wrong} of {len(result.checks)} planted leaks were measured rightly.")
    return 0 if result.is_passed else 1


def _tell(done: int, total: int, plain: str) -> None:
    print(f"\r\033[K{done} of {total} {plain}", end="" if plain else "\r\033[K", file=sys.stderr)
