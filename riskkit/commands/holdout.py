"""``riskkit holdout``: leaves people out of a real table, so that a release of the rest can be audited."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from riskkit.audit.output_files import write
from riskkit.commands import _options
from riskkit.commands._output import print_json
from riskkit.errors import DesignError
from riskkit.mend.holdout import SHARE, part, part_children
from riskkit.table.read.files import read_together

ABOUT = "leave people out of a real table, before a release is made of the rest"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--real", type=Path, required=True, help=_options.REAL)
    parser.add_argument("--share", type=float, default=SHARE, help=f"share of the people that is left out ({SHARE})")
    parser.add_argument("--seed", type=int, default=1, help="the same seed leaves the same people out (1)")
    parser.add_argument(
        "--person", default="", metavar="COLUMN", help="says whose row it is; all rows of a person stay together"
    )
    parser.add_argument(
        "--children",
        type=Path,
        metavar="FILE",
        help="a second table with several rows a person: parted by the same people, into files beside it",
    )
    parser.add_argument("--kept", type=Path, metavar="FILE", help="where to write the rows to make the release from")
    parser.add_argument("--holdout", type=Path, metavar="FILE", help="where to write the rows that are left out")
    _options.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Write both files, and those of a second table; returns the exit code."""
    files = _parts(options.real, options.kept, options.holdout)
    second = [] if options.children is None else _parts(options.children, None, None)
    if options.children is not None and not options.person:
        raise DesignError("A second table is parted by the column that both tables share; name it with --person.")
    limits = _options.limits(options)
    encodings = _options.encodings(options)
    named = {"real": options.real, "children_real": options.children}
    texts = read_together({slot: path for slot, path in named.items() if path}, limits=limits, encodings=encodings)
    text = texts["real"]
    parted = part(text, options.share, seed=options.seed, person=options.person)
    both = [(files, parted)]
    if options.children is not None:
        children = texts["children_real"]
        both.append((second, part_children(children, text, parted.is_out, options.person)))
    for paths, sides in both:
        for path, content in zip(paths, (sides.kept, sides.holdout), strict=True):
            write({path.name: content}, path.parent)
    if options.json:
        print_json(
            {
                f"{before}{name}": {"file": str(path), "rows": rows, "people": n}
                for before, (paths, sides) in zip(("", "children_"), both, strict=False)
                for name, path, rows, n in zip(("kept", "holdout"), paths, sides.rows, sides.people, strict=True)
            }
        )
        return 0
    for (kept, holdout), sides in both:
        print(
            f"{kept}: {sides.rows[0]:,} rows of {sides.people[0]:,} people. Make the release again, from these alone."
        )
        print(f"{holdout}: {sides.rows[1]:,} rows of {sides.people[1]:,} people who are left out.")
    names = [shlex.quote(str(path)) for path in (*files, *second)]
    asked = f"--real {names[0]} --synthetic RELEASE --holdout {names[1]}"
    if second:
        asked += f" --person {shlex.quote(options.person)}"
        asked += f" --children-real {names[2]} --children-synthetic RELEASE2 --children-holdout {names[3]}"
    print("Then ask about the new release:")
    print(f"  riskkit audit {asked}")
    return 0


def _parts(real: Path, kept: Path | None, holdout: Path | None) -> list[Path]:
    """The two files that a table is parted into.

    Raises
    ------
    DesignError
        They are not three different files with it.
    """
    parts = (("kept", kept), ("holdout", holdout))
    files = [path or real.with_name(f"{real.stem}_{name}.csv") for name, path in parts]
    if len({real.resolve(), *(path.resolve() for path in files)}) < 3:
        raise DesignError("The real table and both parts need three different files; say --kept and --holdout.")
    return files
