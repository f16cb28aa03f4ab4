"""``python -m riskkit holdout``: leaves people out of a real table, so that a release of the rest can be audited."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from riskkit.audit.exporting import write
from riskkit.commands import _options
from riskkit.commands._printing import print_json
from riskkit.errors import DesignError
from riskkit.mend.holdout import SHARE, part
from riskkit.table.reader import read_path

ABOUT = "leave people out of a real table, before a release is made of the rest"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--real", type=Path, required=True, help=_options.FILES["real"])
    parser.add_argument("--share", type=float, default=SHARE, help=f"share of the people that is left out ({SHARE})")
    parser.add_argument("--seed", type=int, default=1, help="the same seed leaves the same people out (1)")
    parser.add_argument(
        "--person", default="", metavar="COLUMN", help="says whose row it is; all rows of a person stay together"
    )
    parser.add_argument("--kept", type=Path, metavar="FILE", help="where to write the rows to make the release from")
    parser.add_argument("--holdout", type=Path, metavar="FILE", help="where to write the rows that are left out")
    _options.add_largest(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Write both files; returns the exit code."""
    real: Path = options.real
    files = [
        path or real.with_name(f"{real.stem}_{name}.csv")
        for name, path in (("kept", options.kept), ("holdout", options.holdout))
    ]
    if len({real.resolve(), *(path.resolve() for path in files)}) < 3:
        raise DesignError("The real table and both parts need three different files; say --kept and --holdout.")
    text = read_path(real, limits=_options.limits(options))
    parted = part(text, options.share, seed=options.seed, person=options.person)
    for path, content in zip(files, (parted.kept, parted.holdout), strict=True):
        write({path.name: content}, path.parent)
    if options.json:
        sides = zip(("kept", "holdout"), files, parted.rows, parted.people, strict=True)
        print_json({name: {"file": str(path), "rows": rows, "people": n} for name, path, rows, n in sides})
        return 0
    kept, holdout = files
    names = [shlex.quote(str(path)) for path in files]
    print(f"{kept}: {parted.rows[0]:,} rows of {parted.people[0]:,} people. Make the release again, from these alone.")
    print(f"{holdout}: {parted.rows[1]:,} rows of {parted.people[1]:,} people who are left out.")
    print("Then ask about the new release:")
    print(f"  python -m riskkit audit --real {names[0]} --synthetic RELEASE --holdout {names[1]}")
    return 0
