"""``riskkit audits``: what is kept here, and what becomes of it."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from riskkit.commands import _options
from riskkit.commands._output import print_json
from riskkit.errors import DesignError, StoreError
from riskkit.jobs import journal
from riskkit.jobs.machine import workers
from riskkit.jobs.runs import LIVE, Run
from riskkit.jobs.store import Audit, Store

ABOUT = "list, show, resume, cancel, delete, give and purge the audits that are kept here, and who did what"
"""The command in a line."""
WHAT = "the first letters of an audit or of a run; of a run that several audits have, AUDIT/RUN"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command, one group for each thing that can be done."""
    does = parser.add_subparsers(required=True, metavar="WHAT", help="what to do")
    for name, action, about in (
        ("list", _list, "every audit and its runs"),
        ("show", _show, "settings, log and result of a run, or the files and runs of an audit"),
        ("resume", _resume, "go on with a run that stopped"),
        ("cancel", _cancel, "have a run stopped; what is done is kept"),
        ("delete", _delete, "remove an audit with its tables, runs and results"),
        ("give", _give, "make an audit that of a person who has logged in to a dashboard for several"),
        ("purge", _purge, "remove uploads and scores of single records that are old"),
        ("log", _log, "who started, exported, purged and asked for restricted reports"),
    ):
        own = does.add_parser(name, help=about)
        own.set_defaults(action=action)
        own.add_argument("--json", action="store_true", help="one JSON object instead of lines")
        if name == "give":
            own.add_argument("--to", required=True, metavar="NAME", help="the person, as their login names them")
        if name in ("show", "resume", "cancel", "delete", "give"):
            own.add_argument("which", metavar="ID", help=WHAT)
        if name == "resume":
            own.add_argument("--workers", type=int, default=workers(), help="processes that work side by side")
            _options.add_externals(own)
            own.add_argument("--dask", metavar="ADDRESS", help="train on the Dask cluster there (tcp://host:8786)")
            own.add_argument("--wait", action="store_true", help="come back when it has ended")
        if name == "log":
            own.add_argument("--verify", action="store_true", help="check that no entry was changed, added or removed")
            own.add_argument("--head", metavar="SHA256", help="the last hash as you wrote it down; with --verify")
        if name == "purge":
            own.add_argument(
                "--older-than", type=float, metavar="DAYS", help="of that age (default: the age that was chosen)"
            )


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit code."""
    action: Callable[[Store, argparse.Namespace], tuple[dict[str, Any], list[str]]] = options.action
    answer, lines = action(Store.default(), options)
    code = 1 if answer.get("wrong") else 0
    if options.json:
        print_json(answer)
    else:
        print("\n".join(lines))
    return code


def _list(store: Store, _: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    abouts = [_about_any(audit) for audit in store.audits()]
    lines = []
    for audit in abouts:
        lines.append(f"{audit['id'][:8]}  {audit['created'][:16]}  {audit.get('damaged') or audit['name']}")
        lines += [f"  {entry['id'][:8]}  {_far(entry)}" for entry in audit["runs"]]
    kept = "until they are deleted" if store.retention is None else f"for {store.retention} days"
    lines.append(f"{len(abouts)} audits in {store.home}; uploads and scores of single records are kept {kept}.")
    return {"audits": abouts, "home": str(store.home), "retention_days": store.retention}, lines


def _about_any(audit: Audit) -> dict[str, Any]:
    """What :func:`_about` says; of a damaged audit the sentence on why, so that it hides no other."""
    try:
        return _about(audit)
    except StoreError as error:
        return {"id": audit.id, "created": audit.creation_time, "damaged": str(error), "runs": []}


def _about(audit: Audit) -> dict[str, Any]:
    runs = list(map(_about_run, audit.runs()))
    return {"id": audit.id, "name": audit.name, "created": audit.creation_time, "files": audit.files, "runs": runs}


def _about_run(run: Run) -> dict[str, Any]:
    """How a run stands; of a damaged one the sentence on why."""
    try:
        return {"id": run.id, "question": run.question, **run.progress}
    except StoreError as error:
        return {"id": run.id, "question": "damaged", **run.progress, "error": str(error)}


def _far(entry: dict[str, Any]) -> str:
    done = f", {entry['done']:,} of {entry['total']:,} done" if entry.get("total") else ""
    why = f": {entry['error']}" if entry.get("error") else ""
    return f"{entry['question']:<14} {entry['state']}{done}{why}"


def _show(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    kept = _find(store, options.which)
    if isinstance(kept, Audit):
        about = _about(kept)
        lines = [f"{kept.name}, made {kept.creation_time[:16]}"]
        lines += [f"  {slot}: {file['name']}, {file['rows']:,} rows" for slot, file in kept.files.items()]
        return about, lines + [f"  {entry['id']}  {_far(entry)}" for entry in about["runs"]]
    about = {"id": kept.id, "settings": kept.settings(), "log": kept.log(), **kept.progress}
    lines = [f"{kept.id}  {_far({'question': kept.question, **about})}"]
    lines += [f"  {name} = {json.dumps(value, ensure_ascii=False)}" for name, value in about["settings"].items()]
    lines += [f"  {line}" for line in about["log"]]
    if about["state"] == "finished":
        about["result"] = kept.result
        lines += [_estimate(estimate) for estimate in about["result"].get("estimates", ())]
    return about, lines


def _estimate(estimate: dict[str, Any]) -> str:
    labels = " ".join(
        str(value) for key, value in estimate.items() if isinstance(value, str) and key not in ("name", "method")
    )
    interval = f"[{estimate['low']:.3g}, {estimate['high']:.3g}]"
    return f"  {estimate['name']} {estimate['value']:.3g} {interval}  N = {estimate['n']}  {labels}"


def _resume(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    _options.allow_externals(options)
    if options.dask:
        os.environ["RISKKIT_DASK"] = options.dask
    chosen = _a_run(store, options.which)
    kept = chosen.progress
    chosen.resume(options.workers)
    while options.wait and chosen.state in LIVE:
        time.sleep(0.5)
    return {"id": chosen.id, **chosen.progress}, [
        f"{chosen.id[:8]} goes on after {kept.get('done', 0):,} of {kept.get('total', 0):,}: {chosen.state}"
    ]


def _cancel(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    chosen = _a_run(store, options.which)
    chosen.cancel()
    return {"id": chosen.id, **chosen.progress}, [f"{chosen.id[:8]} is asked to stop; what is done is kept."]


def _delete(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    kept = _find(store, options.which)
    if not isinstance(kept, Audit):
        raise DesignError("A run goes with its audit; name the audit (riskkit audits list).")
    receipt = kept.delete()
    return receipt.as_dict(), receipt.lines()


def _give(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    kept = _find(store, options.which)
    if not isinstance(kept, Audit):
        raise DesignError(f"{options.which!r} is a run; name the audit it is in.")
    store.give(kept.id, options.to)
    return {"id": kept.id, "owner": options.to}, [f"{kept.id[:8]} is that of {options.to} now."]


def _purge(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    receipt = store.purge(options.older_than)
    return receipt.as_dict(), receipt.lines()


def _log(store: Store, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    written = journal.entries(store.base)
    lines = [entry.line() for entry in written]
    entries: dict[str, Any] = {"entries": [entry.as_dict() for entry in written]}
    if not options.verify:
        return entries, lines or ["Nothing has been done here yet."]
    wrong, last = journal.verify(store.base)
    if not wrong and options.head not in (None, *journal.hashes(store.base)):
        wrong = ["The chain does not hold the hash that you wrote down: it was made anew, or cut off before it."]
    whole = f"All {len(written):,} entries are as they were written. The last hash is {last}; keep it elsewhere."
    return {**entries, "wrong": wrong, "head": last}, wrong or [whole]


def _a_run(store: Store, which: str) -> Run:
    kept = _find(store, which)
    if isinstance(kept, Run):
        return kept
    runs = kept.runs()
    if len(runs) != 1:
        raise DesignError(f"Audit {which!r} has {len(runs)} runs; name one of them (riskkit audits show {which}).")
    return runs[0]


def _find(store: Store, which: str) -> Audit | Run:
    """The one audit or run whose id begins like that; of equal runs in two audits, one with its audit before it."""
    audit, sign, run = which.partition("/")
    if sign:
        inside = [candidate for candidate in store.audits() if audit and candidate.id.startswith(audit)]
        matching: list[Audit | Run] = [
            candidate for folder in inside for candidate in folder.runs() if run and candidate.id.startswith(run)
        ]
    else:
        matching = [candidate for candidate in _every(store) if which and candidate.id.startswith(which)]
    if len(matching) != 1:
        what = "No audit or run" if not matching else f"{len(matching)} audits and runs"
        raise DesignError(f"{what} here begin{'s' if not matching else ''} with {which!r}; see riskkit audits list.")
    return matching[0]


def _every(store: Store) -> Iterator[Audit | Run]:
    for audit in store.audits():
        yield audit
        yield from audit.runs()
