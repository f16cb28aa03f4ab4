"""What a page, a report and a notebook show of a game for every record, block by block.

The pictures of the page that move with a limit, and in which people are picked, are its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.records import words
from riskkit.questions.records.person import Person
from riskkit.questions.records.result import RecordsResult
from riskkit.show import glossary
from riskkit.show.blocks import Cell, Column, Group, Numbers, mapped
from riskkit.show.model import Bar, Block, Chart
from riskkit.show.names import Names

BARS = 12
"""Records of the picture, those exposed most."""
COMPARED: Mapping[str, str] = {
    "miss_rate": say("Missed by the average over tables, of those above"),
    "miss_rate_halves": say("Missed with half of the trainings of each game"),
    "miss_rate_null": say("Missed by luck alone: one half of the game against the other"),
    "rmsd": say("Typical difference of the two games (RMSD)"),
    "rmsd_corrected": say("Typical difference without noise"),
    "rmsd_null": say("Typical difference by luck alone: one half of the game against the other"),
}
"""Figures that compare the two games, in the order of a table."""


def view(result: RecordsResult, names: Names) -> tuple[Block, ...]:
    """The most exposed, how many lie above each limit, and every record for those who may see rows."""
    every = (*_picture(result, names), *_people(result, names), *_numbers(result, names))
    return tuple(mapped(block, names.estimate) for block in every)


def risks(result: RecordsResult) -> list[Estimate]:
    """The risk of every record with a number, in the order played."""
    return [risk_of(record, result) for record in result.records if record.auc is not None]


def listed(every: Sequence[Estimate], names: Names) -> list[Estimate]:
    """Those that may be told one by one: a list of people counts them."""
    return [*every] if names.tells or not every else [highest(every)]


def highest(every: Sequence[Estimate]) -> Estimate:
    """The risk with the highest lower end."""
    return max(every, key=lambda auc: auc.low)


def risk_of(record: Person, result: RecordsResult) -> Estimate:
    """The risk of a record, of its row and stage."""
    assert record.auc is not None
    labels = {"record": str(record.row), "stage": record.stage}
    return Estimate("auc", *record.auc, result.plan.level, "AUC interval, by training", record.n, labels)


def who(record: str, result: RecordsResult) -> str:
    """The record, or the person or the group by the first of their rows."""
    if result.group:
        return say("the group of {rows:,} rows named by row {row}", rows=result.group, row=record)
    return say("person {row}", row=record) if result.counts_people else say("record {record}", record=record)


def many(n: int, *, of_people: bool) -> str:
    """So many records, or people."""
    if of_people:
        return counted(n, "{n:,} person", "{n:,} people")
    return counted(n, "{n:,} record", "{n:,} records")


def _picture(result: RecordsResult, names: Names) -> Iterator[Block]:
    """The highest of those that may be told one by one, of so many that were played."""
    every = risks(result)
    first = sorted(listed(every, names), key=lambda auc: -auc.low)[:BARS]
    sentence = say("The most exposed of {records}", records=many(len(every), of_people=result.counts_people))
    if result.group:
        sentence = say("What the attack reaches on the group")
    bars = tuple(Bar(who(names.record(auc.labels["record"]), result), auc) for auc in first)
    if bars:
        yield Chart(sentence, say("AUC (0.50 is guessing)"), bars, 0.5, (0.4, 1.0))


def _people(result: RecordsResult, names: Names) -> Iterator[Block]:
    """Every record with what was achieved and what could be; row numbers are for those who may see them."""
    if not names.tells or not result.records:
        return
    columns = (
        Column("record", say("Record"), words.GLOSSARY["row"]),
        Column("auc", say("Risk (chance 0.50)"), words.GLOSSARY["auc"]),
        Column("stage", say("Based on"), words.GLOSSARY["fresh"]),
        Column("first", say("First look")),
        Column("best", say("Best attack"), words.GLOSSARY["certificate"]),
        Column("traditional", say("Average over tables"), words.GLOSSARY["traditional"]),
        Column("outlierness", say("Unlikeness"), words.GLOSSARY["outlierness"]),
        Column("n", say("Trainings"), glossary.TERMS["membership.training"]),
    )
    title = say("Every record shown with its risk")
    table = Numbers("people", title, columns, tuple(_person(each, result) for each in result.records), alt=title)
    yield Group("people", title, (table,), is_folded=True, on_paper=False)


def _person(record: Person, result: RecordsResult) -> tuple[Cell, ...]:
    best = words.bounded(record) if record.best is None else str(record.best.auc)
    return (
        record.row,
        None if record.auc is None else risk_of(record, result),
        say("fresh trainings") if record.is_fresh else say("the first look"),
        "" if record.first_auc is None else str(record.first_auc),
        f"{record.best.auc.value:.2f}" if record.best is not None and record.best.is_exact else best,
        "" if record.traditional is None else str(record.traditional),
        f"{record.outlierness:.3f}",
        record.n,
    )


def _numbers(result: RecordsResult, names: Names) -> Iterator[Block]:
    """How many lie above each limit, how far the two games are apart, and who was played again."""
    overall = [*names.countable(result.overall)]
    fresh = [*_fresh(result)] if names.tells else []
    tables = (*_above(result, overall), *_compared(overall), *fresh)
    caption = words.GLOSSARY["fresh"] if fresh else ""
    if tables:
        yield Group("numbers", say("All numbers"), tables, is_folded=True, caption=caption)


def _above(result: RecordsResult, overall: Sequence[Estimate]) -> Iterator[Block]:
    rows = tuple((f"{float(e.labels['limit']):.2f}", e, e.n) for e in overall if e.name == "records_above")
    title = say("How many people lie above each limit")
    columns = (
        Column("limit", say("Risk above")),
        Column("count", say("People of {total:,}", total=result.counted)),
        Column("n", say("Trainings"), glossary.TERMS["membership.training"]),
    )
    if rows:
        yield Numbers("above", title, columns, rows, alt=title)


def _compared(overall: Sequence[Estimate]) -> Iterator[Block]:
    rows = tuple((COMPARED[e.name], e.labels.get("limit", ""), e, e.n) for e in overall if e.name in COMPARED)
    title = say("How far the two games are apart")
    columns = (
        Column("what", say("The two games"), width=3),
        Column("limit", say("Risk above")),
        Column("found", say("Found")),
        Column("n", say("Trainings")),
    )
    if rows:
        yield Numbers("games", title, columns, rows, alt=title)


def _fresh(result: RecordsResult) -> Iterator[Block]:
    """For screens and files: the list of people at risk is on paper."""
    fresh = [each for each in result.records if each.is_fresh and each.first_auc is not None and each.auc is not None]
    title = say("Records played again on fresh trainings")
    columns = (
        Column("row", say("Record"), width=0),
        Column("first", say("First look"), width=0),
        Column("fresh", say("Fresh trainings"), width=0),
    )
    if fresh:
        rows = tuple((each.row, str(each.first_auc), risk_of(each, result)) for each in fresh)
        yield Numbers("fresh", title, columns, rows, alt=title)
