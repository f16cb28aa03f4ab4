"""``python -m riskkit bench``: plays a stored plan of tables, methods and attacks, and makes the table of leaks."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from riskkit.commands import BENCH, _options
from riskkit.commands._printing import print_json
from riskkit.commands._saying import bar
from riskkit.errors import DesignError
from riskkit.jobs.machine import environment
from riskkit_bench import orders, page, plan, play, results

ABOUT = BENCH["bench"]
"""The command in a line; it is listed where this package is not installed, too."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("plan", type=Path, metavar="PLAN", help="stored plan, a TOML file")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the tables (default: as the plan says)")
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="where cells are kept (default: the plan with the ending .json)"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the table of leaks: one HTML file")
    parser.add_argument(
        "--shard", default="1/1", metavar="I/N", help="play every N-th job alone, from the I-th; into a file of its own"
    )
    parser.add_argument(
        "--merge", type=Path, nargs="+", default=[], metavar="FILE", help="take over the cells of these results first"
    )
    parser.add_argument("--add-method", metavar=_options.PLUGIN, help="write this method into the plan before playing")
    parser.add_argument("--forecast", action="store_true", help="say what is left and what it costs; play nothing")
    parser.add_argument("--no-play", action="store_true", help="play nothing: merge, check the orders, write the page")
    parser.add_argument("--afresh", action="store_true", help="play cells again that another version has made")
    _options.add_ways(parser, may_run_programs=True)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; 1 where an order does not hold."""
    _options.allow_externals(options)
    shard = _shard(options.shard)
    if options.add_method:
        plan.add_method(options.plan, options.add_method)
    stored = plan.read_plan(options.plan)
    kept: Path = options.results or _beside(options.plan, shard)
    folder = stored.folder(options.data)
    known = results.read(kept, stored)
    before = [_beside(options.plan, (1, 1))] if shard[1] > 1 and not options.results else []
    for path in (*(path for path in before if path.exists()), *options.merge):
        if not path.exists():
            raise DesignError(f"{path.name} is not there; name results of this plan.")
        other = results.read(path, stored)
        known = results.Results(known.plan, known.plan_sha256, {**other.tables, **known.tables}, known.cells)
        known = known.with_cells(other.cells)
    if options.merge:
        known.save(kept)
    if options.afresh:
        known = known.only(cell.key for cell in known.cells if cell.made_with == environment())
    if options.forecast:
        return _forecast(options, play.forecast(stored, known, folder))
    if not options.no_play:
        known = play.run_bench(
            stored,
            known,
            folder,
            shard=shard,
            workers=options.workers,
            work=kept.with_name(f".{kept.name}.units"),
            save=lambda cells: cells.save(kept),
            progress=bar("steps", options),
        )
        known.save(kept)
    held = orders.check(known)
    if options.page is not None:
        page.save(known, held, options.page)
    if options.json:
        shape = {**known.as_dict(), "orders": [order.as_dict() for order in held]}
        print_json(shape)
    else:
        print("\n".join(_lines(known, held, kept)))
    return 0 if all(order.holds for order in held) else 1


def _shard(text: str) -> tuple[int, int]:
    """The part of the jobs that is played."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise DesignError(f"--shard is {text!r}; write it as 1/4, 2/4 and so on.")
    return int(match[1]), int(match[2])


def _beside(path: Path, shard: tuple[int, int]) -> Path:
    """Where cells are kept: beside the plan, those of a part in a file of their own."""
    return path.with_suffix(".json" if shard[1] == 1 else f".{shard[0]}-of-{shard[1]}.json")


def _forecast(options: argparse.Namespace, left: list[tuple[str, int, float]]) -> int:
    """Say what is left."""
    seconds, cells = sum(group[2] for group in left), sum(group[1] for group in left)
    if options.json:
        jobs = [{"job": name, "cells": count, "seconds": round(cost, 3)} for name, count, cost in left]
        print_json({"jobs": jobs, "cells": cells, "seconds": round(seconds, 3)})
        return 0
    for name, count, cost in left:
        print(f"{cost:>10.1f} s  {count:>3} cells  {name}")
    print(f"{seconds:>10.1f} s  {cells:,} cells in {len(left):,} jobs, on one processor.")
    return 0


def _lines(known: results.Results, held: list[orders.CheckedOrder], kept: Path) -> list[str]:
    """The results for people."""
    played = [cell for cell in known.cells if cell.auc is not None and cell.kind != results.CERTIFICATE]
    seconds = sum(cell.seconds for cell in known.cells)
    out = [f"{'table':<14} {'method':<28} {'strongest in the game':<34} {'strongest on a file':<34} best there can be"]
    out += ["".join(row) for row in page.lines(known)]
    out += ["", *(f"{'holds' if order.holds else 'DOES NOT HOLD'}: {order.text}" for order in held)]
    out += [f"{len(known.cells):,} cells, {len(played):,} with a number, {seconds:,.0f} s of a processor; {kept}"]
    return out
