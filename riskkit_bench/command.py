"""``python -m riskkit bench``: plays a stored plan of tables, methods and attacks, and makes the table of leaks."""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from riskkit.commands import BENCH, _options
from riskkit.commands._output import print_json
from riskkit.commands._progress import bar
from riskkit.errors import DesignError
from riskkit.jobs.machine import environment
from riskkit_bench import orders, page, plan, play, results
from riskkit_bench.html import three, value

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
    parser.add_argument(
        "--quick", action="store_true", help="play the few cells again that the plan names, and compare"
    )
    parser.add_argument("--afresh", action="store_true", help="play cells again that another version has made")
    _options.add_ways(parser)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; 1 where an order does not hold, or a cell that is played again is another one."""
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
    if options.quick:
        return _play_again(options, stored, known, folder, kept)
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


def _play_again(
    options: argparse.Namespace, stored: plan.Stored, known: results.Results, folder: Path, kept: Path
) -> int:
    """Play the cells that the plan calls quick anew and compare them with those that are kept; 1 where one differs."""
    there = {place: known.find(place) for place in stored.plan.quick}
    if missing := [place for place, cell in there.items() if cell is None]:
        raise DesignError(f"{kept.name} has no cell {missing[0]}, which {options.plan.name} names under quick.")
    if not there:
        raise DesignError(f"{options.plan.name} names no cells under quick; write some as table/method/attack.")
    keys = {cell.key for cell in there.values() if cell is not None}
    others = known.only(cell.key for cell in known.cells if cell.key not in keys)
    with tempfile.TemporaryDirectory() as work:
        now = play.run_bench(
            stored,
            others,
            folder,
            workers=options.workers,
            work=Path(work),
            only=keys,
            progress=bar("steps", options),
        )
    again = {place: now.find(place) for place in there}
    same = [place for place, cell in there.items() if _figures(cell) == _figures(again[place])]
    if options.json:
        print_json({"played": len(there), "equal": len(same), "other": [place for place in there if place not in same]})
    else:
        for place, cell in there.items():
            word = "same " if place in same else "OTHER"
            print(f"{word}  {place:<44} {_figures(cell)} kept, {_figures(again[place])} now")
        print(f"{len(same)} of {len(there)} cells have the same figures.")
    return 0 if len(same) == len(there) else 1


def _figures(cell: results.BenchCell | None) -> str:
    """Its AUC, its gain, or the measure of use, as it is printed."""
    if cell is None:
        return "not played"
    return three(cell.auc or cell.gain) if cell.use is None else value(cell.use[0])


def _lines(known: results.Results, held: list[orders.CheckedOrder], kept: Path) -> list[str]:
    """The results for people."""
    numbers = [cell for cell in known.cells if cell.kind != results.CERTIFICATE and cell.has_number]
    seconds = sum(cell.seconds for cell in known.cells)
    out = [f"{'table':<14} {'method':<28} {'strongest in the game':<34} {'strongest on a file':<34} best there can be"]
    out += ["".join(row) for row in page.lines(known)]
    out += ["", *(f"{'holds' if order.holds else 'DOES NOT HOLD'}: {order.text}" for order in held)]
    out += [f"{len(known.cells):,} cells, {len(numbers):,} with a number, {seconds:,.0f} s of a processor; {kept}"]
    return out
