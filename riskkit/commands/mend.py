"""``riskkit mend``: a release, shuffled, without copies or some columns, coarser; as a file, or as an audit too."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from riskkit.audit.output_files import write
from riskkit.audit.repair import ask_again, effect, mend_audit, without_people
from riskkit.commands import _columns, _options
from riskkit.commands._audit import audit_named
from riskkit.commands._output import print_json
from riskkit.errors import DesignError, ParameterError
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Audit
from riskkit.mend.coarsening import FORM, Coarsening
from riskkit.mend.release import Mending, mend
from riskkit.table.evidence.column_names import name_columns
from riskkit.table.load import load

ABOUT = "shuffle a release, remove copied rows, drop columns, make columns coarser, leave people out"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--real", type=Path, help=_options.REAL)
    parser.add_argument("--synthetic", type=Path, help="table of the release")
    parser.add_argument(
        "--audit",
        metavar="ID",
        help="instead of files: the first letters of an audit that is kept here. The mended release gets an audit of "
        "its own, and what the old one has answered is asked again",
    )
    parser.add_argument("--shuffle", action="store_true", help="put the rows into a new order, drawn at random")
    parser.add_argument(
        "--remove-copies",
        action="store_true",
        help="remove every row that equals a real one, and shuffle the rest. The gaps that they leave may show who was "
        "in, which an audit looks for; a new release by a method that copies no row is better",
    )
    parser.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave out a column; repeatable")
    parser.add_argument(
        "--coarsen",
        action="append",
        default=[],
        type=_coarsening,
        metavar=FORM.partition(",")[0],
        help=f"make a column coarser: {FORM}. bins hold about as many rows each, width is that of each bin (of dates "
        "in days), and rare makes one level of all that stand in fewer than N rows; repeatable",
    )
    parser.add_argument(
        "--leave-out",
        type=_rows,
        default=(),
        metavar="ROW,...",
        help="with --audit: make the release anew by its method from the real table without these rows, counted from 0",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the mended release, as a CSV")
    parser.add_argument(
        "--seed",
        type=int,
        help="of the new order; drawn fresh where it is not given. Whoever knows it can put the rows back",
    )
    _columns.add_option(parser)
    _options.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Mend it; returns the exit code."""
    files = options.real is not None and options.synthetic is not None
    if files == (options.audit is not None):
        raise DesignError("Name the files of the release with --real and --synthetic, or an audit with --audit.")
    if files and options.out is None:
        raise DesignError("Say with --out where the mended release is written.")
    if files and options.leave_out:
        raise DesignError("To leave people out the release is made anew by its method, which an audit knows: --audit.")
    answer, lines = _mend_files(options) if files else _mend_audit(options)
    if options.json:
        print_json(answer)
    else:
        print("\n".join(lines))
    return 0


def _mend_files(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The mended file."""
    files = _options.files(options)
    text = name_columns(files.texts, files.choices)["synthetic"]
    tables = load(files.texts["real"], text, choices=files.choices)
    done = mend(text, tables, _mending(options), seed=options.seed)
    _write(options.out, done.content)
    effects = {coarsened.coarsening.column: effect(coarsened) for coarsened in done.coarsened}
    lines = [f"{options.out}: {done.text.rows:,} rows, {len(done.text.columns)} columns."]
    lines += [f"Copied rows removed: {done.removed:,}."] if options.remove_copies else []
    lines += [f"{coarsened.coarsening.column}: {effect(coarsened)}" for coarsened in done.coarsened]
    return {
        "out": str(options.out),
        "rows": done.text.rows,
        "columns": len(done.text.columns),
        "removed": done.removed,
        "effects": effects,
    }, lines


def _mend_audit(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The audit of the mended release, and the file where it is asked for."""
    audit = audit_named(options.audit)
    if options.leave_out and (options.shuffle or options.remove_copies or options.drop or options.coarsen):
        raise DesignError("Leave people out first, and mend the release of the new audit then.")
    made: Audit = (
        without_people(audit, options.leave_out, seed=options.seed)
        if options.leave_out
        else mend_audit(audit, _mending(options), seed=options.seed)
    )
    if options.out is not None:
        _write(options.out, made.source("synthetic"))
    again = ask_again(audit, made, workers=workers())
    lines = [
        f"{made.name}: {made.id}",
        f"{len(again.runs)} questions are asked again; see riskkit audits show {made.id[:8]}.",
        *again.left,
        f"Side by side: riskkit compare {audit.id[:8]} {made.id[:8]}",
    ]
    runs = [asked.id for asked in again.runs]
    return {"audit": made.id, "of": audit.id, "runs": runs, "not_asked": list(again.left)}, lines


def _mending(options: argparse.Namespace) -> Mending:
    return Mending(options.shuffle, tuple(options.drop), tuple(options.coarsen), options.remove_copies)


def _write(path: Path, content: bytes) -> None:
    """The whole file or nothing of it, for its owner alone."""
    write({path.name: content}, path.parent)


def _coarsening(text: str) -> Coarsening:
    try:
        return Coarsening.parse(text)
    except ParameterError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None


def _rows(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(row) for row in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("rows are whole numbers with commas between them, 3,17") from None
