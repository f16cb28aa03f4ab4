"""A view on paper: each of its blocks, and the numbers of a run that stand in none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.language import Readings, counted, joined, phrase, say
from riskkit.report import labels, plots
from riskkit.report.blocks import Block as Set
from riskkit.report.blocks import heading, paragraph, table, terms
from riskkit.show import blocks
from riskkit.show.blocks import (
    Cell,
    Column,
    Distribution,
    Group,
    Numbers,
    Picture,
    RocCurve,
    Sentence,
    Swarm,
    estimates,
)
from riskkit.show.model import Block, RunFinding

ACROSS = 6
"""Columns of a table that paper has room for; one with more is set in parts."""
OF_VALUES = RocCurve | Distribution | Swarm
"""Pictures that need no estimate to show something."""
REST = "rest"
COLUMNS: Mapping[str, Column] = Readings(
    {
        column.key: column
        for column in (
            Column("measure", phrase("Measure"), width=1.7),
            Column("of", phrase("Of"), width=3),
            Column("value", phrase("Value [interval]"), width=1.8),
            Column("guess", phrase("Guessing"), width=0.9),
            Column("limit", phrase("Limit"), width=0.7),
            Column("level", phrase("Level"), width=0.7),
            Column("n", "N", width=0.7),
            Column("method", phrase("Method"), width=0),
        )
    }
)
"""The columns of a table of any numbers, on a page and in an appendix."""
FURTHER: Mapping[str, Callable[[int], str]] = {
    "rows": lambda number: counted(number, "{n:,} row", "{n:,} rows"),
    "seeds": lambda number: counted(number, "{n:,} model", "{n:,} models"),
}
"""Labels that say how many of something stand behind a number, in words."""
LISTED = ("measure", "of", "value", "level", "n", "method")


def estimate_table(question: str, estimates: Iterable[Estimate], titles: Mapping[str, str]) -> Numbers:
    """Any estimates of a question in a table, a line each."""
    rows: list[tuple[Cell, ...]] = [
        (
            labels.measure(question, estimate, titles),
            about(estimate, titles) or "–",
            estimate,
            f"{estimate.level:.4g}",
            estimate.n,
            estimate.method,
        )
        for estimate in estimates
    ]
    columns = tuple(COLUMNS[key] for key in LISTED)
    return Numbers(REST, say("Other numbers"), columns, tuple(rows))


def about(estimate: Estimate, titles: Mapping[str, str]) -> str:
    """What a number is about, with all of its labels; those without words by the names of the engine."""
    further = (
        FURTHER[name](int(text)) if name in FURTHER and text.isdecimal() else f"{name.replace('_', ' ')} {text}"
        for name, text in estimate.labels.items()
        if name not in labels.ABOUT and name != "fpr"
    )
    return joined([*labels.about(estimate, titles), *further])


def whole(finding: RunFinding, titles: Mapping[str, str], *, on_paper: bool = False) -> tuple[Block, ...]:
    """The view of a run, and in its group of all numbers a table of those that no block shows; new measures first.

    For paper these are only those of measures that stand nowhere else: the CSV has all.
    """
    shown = estimates(finding.view)
    identities = {_identity(e) for e in shown}
    measures = {e.name for e in (*shown, finding.measured.strongest) if e is not None}
    rest = [e for e in finding.estimates if _identity(e) not in identities]
    rest = sorted((e for e in rest if not (on_paper and e.name in measures)), key=lambda e: e.name in measures)
    if not rest:
        return finding.view
    others = estimate_table(finding.question, rest, titles)
    if not any(_is_of_numbers(block) for block in finding.view):
        return (*finding.view, Group("numbers", say("All numbers"), (others,), is_folded=True))
    return tuple(
        replace(block, blocks=(*block.blocks, others)) if isinstance(block, Group) and _is_of_numbers(block) else block
        for block in finding.view
    )


def _is_of_numbers(block: Block) -> bool:
    return isinstance(block, Group) and block.key == "numbers"


def _identity(estimate: Estimate) -> tuple[object, ...]:
    numbers = (estimate.value, estimate.low, estimate.high, estimate.level, estimate.n)
    return estimate.name, *numbers, *sorted(estimate.labels.items())


def behind(finding: RunFinding, titles: Mapping[str, str], *, on_paper: bool = True) -> Iterator[Set]:
    """What stands in the appendix of a view: all but the picture and the sentences of the page of its question."""
    if finding.view or not on_paper:
        view = whole(finding, titles, on_paper=on_paper)
        rest = (each for each in view if each is not finding.chart and not blocks.is_on_page(each))
        yield from printed_blocks(rest, 4, on_paper=on_paper)


def printed_blocks(view: Iterable[Block], level: int, *, on_paper: bool = True) -> Iterator[Set]:
    """The blocks of a view; for paper without those that are for files alone."""
    for block in view:
        if isinstance(block, Group):
            yield from _group(block, level, on_paper=on_paper)
        elif isinstance(block, Sentence):
            yield terms([(block.about, block.text)]) if block.about else paragraph(block.text)
        elif isinstance(block, Numbers):
            yield from _table(block, on_paper=on_paper)
        elif isinstance(block, OF_VALUES) or (isinstance(block, Picture) and estimates([block])):
            yield plots.block(block)
            if block.caption:
                yield paragraph(block.caption, style="small")


def _group(group: Group, level: int, *, on_paper: bool) -> Iterator[Set]:
    """What is printed of a group, under its title where it has one."""
    if on_paper and not group.on_paper:
        return
    if group.title:
        yield heading(group.title, level)
    yield from printed_blocks(group.blocks, min(level + 1, 4) if group.title else level, on_paper=on_paper)
    if group.caption:
        yield paragraph(group.caption, style="small")


def _table(numbers: Numbers, *, on_paper: bool) -> Iterator[Set]:
    """A table; one that is wider than the paper in parts, each with the first column."""
    rows = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in numbers.texts()]
    others = [place for place, column in enumerate(numbers.columns) if place and (column.width or not on_paper)]
    for start in range(0, len(others), ACROSS - 1):
        part = [0, *others[start : start + ACROSS - 1]]
        columns = [numbers.columns[place] for place in part]
        head, widths = [column.title for column in columns], [column.width for column in columns]
        yield from table(
            head, [[row[place] for place in part] for row in rows], widths, numbers.title, on_paper=on_paper
        )
