"""Findings as CSV: one tidy file a kind, with nothing in it that a spreadsheet takes for a formula."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import Judgement
from riskkit.show.blocks import Numbers, flat, frontiers, grids
from riskkit.show.model import Answer, Findings, RunFinding
from riskkit.show.run_finding import in_its_unit
from riskkit.stats.epsilon import BOUNDS

BOM = "\ufeff"
ENDS = ("value", "low", "high", "level", "method", "n")
Row = Mapping[str, Any]


@in_its_unit
def to_csv(findings: Findings) -> dict[str, bytes]:
    """The files by name; a kind without a line is left out."""
    tables = {
        "verdicts.csv": _verdicts(findings),
        "estimates.csv": _of_each(findings, _estimates),
        "records.csv": _of_each(findings, _records),
        "groups.csv": _of_each(findings, _groups),
        "attributes.csv": _grid(findings),
        "frontier.csv": _of_each(findings, _frontier),
        "lowered.csv": _of_each(findings, _remedies),
        "tables.csv": _of_each(findings, _tables),
        "preparation.csv": findings.preparation,
        "files.csv": _files(findings),
    }
    rows = {name: list(lines) for name, lines in tables.items()}
    return {name: csv_bytes(findings.id, lines) for name, lines in rows.items() if lines}


def csv_bytes(run: str, rows: Sequence[Row]) -> bytes:
    """A file of these rows. Its first line names the report and the SHA-256 of all bytes after that line."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    body = wording.spreadsheet(columns, ([row.get(name) for name in columns] for row in rows)).encode(errors="replace")
    return f"{BOM}# riskkit report {run} SHA-256 {hashlib.sha256(body).hexdigest()}\r\n".encode() + body


def _verdicts(findings: Findings) -> Iterator[Row]:
    yield {
        "question": "overall",
        "title": "Overall",
        "verdict": str(findings.overall.verdict),
        "why": findings.overall.why,
    }
    for give_away in findings.give_aways:
        yield {
            "question": f"give-away: {give_away.code}",
            "verdict": str(give_away.state),
            "why": give_away.sentence,
            "settle": give_away.repair,
        }
    for answer in findings.answers:
        yield _verdict(answer, answer.judgement, answer.finding)
        for what_if in answer.what_ifs:
            yield {**_verdict(answer, what_if.judgement, what_if.finding), "what_if": what_if.finding.what_if}


def _verdict(answer: Answer, judged: Judgement | None, finding: RunFinding | None) -> Row:
    row: dict[str, Any] = {"question": answer.question, "title": answer.title, "what_if": ""}
    row["verdict"] = (
        str(judged.verdict) if judged is not None else "not about this release" if answer.is_what_if else "not run"
    )
    row["why"] = "" if judged is None else judged.why
    row["settle"] = "" if judged is None else judged.settle
    limit = None if judged is None else judged.limit
    row |= (
        {"limit": None, "limit_source": "", "limit_date": ""}
        if limit is None
        else {
            "limit": limit.value,
            "limit_source": limit.source,
            "limit_date": limit.date,
        }
    )
    strongest = None if finding is None else finding.measured.strongest
    row |= _ends(strongest) if strongest is not None else dict.fromkeys(ENDS)
    row |= {
        "scale": "" if finding is None else finding.measured.scale,
        "guess": None if finding is None else finding.measured.guess,
        "strongest": "" if finding is None else finding.measured.who,
        "looks": None if finding is None else finding.measured.looks,
        "run": "" if finding is None else finding.id,
    }
    return row


def _ends(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in ENDS}


def _every(findings: Findings) -> Iterable[tuple[str, RunFinding]]:
    for answer in findings.answered():
        for finding in answer.findings:
            yield answer.question, finding


def _of_each(findings: Findings, rows: Callable[[RunFinding], Iterable[Row]]) -> Iterator[Row]:
    """These rows of every finding, each behind what it is about."""
    for question, finding in _every(findings):
        about = {"question": question, "run": finding.id, "what_if": finding.what_if}
        yield from ({**about, **row} for row in rows(finding))


def _estimates(finding: RunFinding) -> Iterator[Row]:
    """Labels stand under their names; one that has the name of a column of ours gets another."""
    for estimate in finding.estimates:
        reads = {"reads": wording.number(estimate)} if estimate.name in BOUNDS else {}
        own = {"measure": estimate.name, **_ends(estimate), **reads}
        taken = {"question", "run", "what_if", *own}
        yield {**own, **{f"about_{name}" if name in taken else name: text for name, text in estimate.labels.items()}}


def _records(finding: RunFinding) -> Iterator[Row]:
    for risk in finding.at_risk:
        yield {"record": risk.reference, "by": risk.who, **_ends(risk.estimate)}


def _groups(finding: RunFinding) -> Iterator[Row]:
    for group in finding.for_whom.as_dict()["groups"] if finding.for_whom is not None else ():
        for measure in ("inside", "excess"):
            ends = {name: group[measure][name] for name in ENDS}
            yield {"by": group["by"], "group": group["group"], "measure": measure, **ends, "p": group["p"]}


def _grid(findings: Findings) -> Iterator[Row]:
    for question, finding in _every(findings):
        for grid in grids(finding.view):
            for row, cells, leaks in zip(grid.rows, grid.cells, grid.leaks, strict=True):
                for column, cell, is_leak in zip(grid.columns, cells, leaks, strict=True):
                    about = {"question": question, "run": finding.id, "secret": row, "known": column}
                    ends = dict.fromkeys(ENDS) if cell is None else _ends(cell)
                    yield {**about, "measure": grid.key, **ends, "leak_shown": is_leak}


def _frontier(finding: RunFinding) -> Iterator[Row]:
    """Every method on every frontier, its hits as a share of the rows named."""
    for frontier in frontiers(finding.view):
        for spot in frontier.spots:
            yield {
                "anonymiser": spot.who,
                "useful_measure": frontier.measure,
                "usefulness": spot.usefulness,
                "measure": "hits",
                **_ends(frontier.share(spot)),
                "uploaded": spot.is_uploaded,
                "beaten": bool(spot.beaten),
            }


def _remedies(finding: RunFinding) -> Iterator[Row]:
    for search in finding.lowered:
        for tried in search.tried:
            useful = dict.fromkeys(ENDS) if tried.useful is None else _ends(tried.useful)
            yield {
                "generator": search.method,
                "setting": search.setting,
                "limit": search.limit,
                "people": search.people,
                "tried": tried.value,
                "is_chosen": tried is search.chosen,
                "is_now": tried is search.now,
                "measure": "certificate",
                **_ends(tried.highest),
                "people_above": tried.above,
                "useful_measure": search.measure,
                **{f"useful_{name}": useful[name] for name in ENDS},
            }


def _tables(finding: RunFinding) -> Iterator[Row]:
    """Every table of a view, a line for each cell behind the first of its row, under the keys of its columns."""
    for table in (block for block in flat(finding.view) if isinstance(block, Numbers)):
        for of, *cells in table.rows:
            for column, cell in zip(table.columns[1:], cells, strict=True):
                ends = _ends(cell) if isinstance(cell, Estimate) else dict.fromkeys(ENDS)
                text = "" if isinstance(cell, Estimate) else cell
                yield {"table": table.key, "of": of, "column": column.key, "text": text, **ends}


def _files(findings: Findings) -> Iterator[Row]:
    for file in findings.files:
        yield {"slot": file.slot, "name": file.name, "sha256": file.sha256, "rows": file.rows, "columns": file.columns}
