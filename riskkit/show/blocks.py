"""The blocks of a view: what a question shows, before a page, a paper or a voice shows it.

A block holds texts and estimates, no colour and no pixel. :mod:`riskkit.dashboard.blocks` draws each for a page,
:mod:`riskkit.report.views` for paper, and :mod:`riskkit.show.in_words` says it to those who cannot see it. One more
kind, intervals, stands in :mod:`riskkit.show.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import say
from riskkit.show.model import Block, Chart

Cell = str | int | Estimate | None
"""What stands in a table; None where there is no number."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of its own; ``meaning`` explains its terms."""

    key: str
    text: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures; ``ends`` where they are fixed, else it reaches from 0 to the highest end."""

    title: str
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """What guessing reaches, with what stands beside its line."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Series:
    """One thing that was measured in every row, None where it has no number there.

    ``kind`` is ``measured`` (what the picture is about), ``compared`` (one of several alike), ``guess``, or
    ``constant`` (the guess to be beaten, drawn from 0).
    """

    who: str
    kind: str
    estimates: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """Rows of marks: what is measured in each, beside guesses; ``beaten`` are the rows in which it beats them."""

    key: str
    sentence: str
    axis: Axis
    rows: tuple[str, ...]
    series: tuple[Series, ...]
    beaten: frozenset[str] = frozenset()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a curve: an estimate at each place."""

    who: str
    at: tuple[int, ...]
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """How numbers grow with a count of ``unit``, on a logarithmic axis."""

    key: str
    sentence: str
    across: Axis
    up: Axis
    lines: tuple[Line, ...]
    unit: str
    reference: Reference | None = None
    caption: str = ""

    @property
    def places(self) -> tuple[int, ...]:
        """Every place at which a line has a number."""
        return tuple(sorted({place for line in self.lines for place in line.at}))


@dataclass(frozen=True, slots=True)
class Point:
    """One thing with two numbers, and what is said of it beside its name.

    ``kind`` is ``above`` (wholly above guessing), ``leak`` (the same, and to be seen at once), ``stopped`` (no longer
    above guessing), or empty.
    """

    who: str
    across: Estimate
    up: Estimate
    about: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Points:
    """Two numbers of each of several things against each other; ``what`` says what they are.

    ``is_measured_across`` draws the intervals of the numbers across too.
    """

    key: str
    sentence: str
    what: str
    across: Axis
    up: Axis
    points: tuple[Point, ...]
    is_measured_across: bool = False
    reference: Reference | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A heatmap of gains; None where there is no number. ``title`` is what is gained, ``across`` what columns are.

    ``marked`` are the fields with a sign, and ``mark`` is what that says; ``leaks`` those whose leak about members is
    shown, whatever is marked. ``about`` is what hovering says of a field.
    """

    key: str
    sentence: str
    title: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]
    marked: tuple[tuple[bool, ...], ...]
    mark: str
    leaks: tuple[tuple[bool, ...], ...]
    about: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, declared once: its name in files, its title for people, and what it means.

    ``width`` is its share of a line on paper; without any it is left to screens and files.
    """

    key: str
    title: str
    meaning: str = ""
    width: float = 1.4


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table; ``alt`` says what it holds to those who come to it without seeing it."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    meaning: str = ""
    alt: str = ""

    def texts(self) -> Iterator[tuple[str | int, ...]]:
        """The rows as they are read; counts stay numbers."""
        return (tuple(map(in_cell, row)) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together, under a title; folded where they are details. ``on_paper``: else for files alone."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    is_folded: bool = False
    caption: str = ""
    on_paper: bool = True


Picture = Chart | Dots | Curve | Points | Grid
"""The blocks that are drawn."""


def in_cell(cell: Cell) -> str | int:
    """What stands in a table for that value."""
    if cell is None:
        return say("no number")
    return wording.number(cell) if isinstance(cell, Estimate) else cell


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, those in groups too, without the groups."""
    for block in blocks:
        if isinstance(block, Group):
            yield from flat(block.blocks)
        else:
            yield block


def grids(blocks: Iterable[Block]) -> Iterator[Grid]:
    """The maps among these blocks, those in groups too."""
    return (block for block in flat(blocks) if isinstance(block, Grid))


def mapped(block: Block, each: Callable[[Estimate], Estimate]) -> Block:
    """The same block with what ``each`` makes of every estimate in it."""

    def known(estimate: Estimate | None) -> Estimate | None:
        return None if estimate is None else each(estimate)

    match block:
        case Chart():
            return replace(block, bars=tuple(replace(bar, estimate=each(bar.estimate)) for bar in block.bars))
        case Dots():
            rows = [replace(series, estimates=tuple(map(known, series.estimates))) for series in block.series]
            return replace(block, series=tuple(rows))
        case Curve():
            lines = [replace(line, estimates=tuple(map(each, line.estimates))) for line in block.lines]
            return replace(block, lines=tuple(lines))
        case Points():
            points = [replace(point, across=each(point.across), up=each(point.up)) for point in block.points]
            return replace(block, points=tuple(points))
        case Grid():
            return replace(block, cells=tuple(tuple(map(known, row)) for row in block.cells))
        case Numbers():
            cells = [tuple(each(cell) if isinstance(cell, Estimate) else cell for cell in row) for row in block.rows]
            return replace(block, rows=tuple(cells))
        case Group():
            return replace(block, blocks=tuple(mapped(inner, each) for inner in block.blocks))
    return block


def estimates(blocks: Iterable[Block]) -> list[Estimate]:
    """Every estimate that is to be seen in these blocks."""
    shown: list[Estimate] = []

    def seen(estimate: Estimate) -> Estimate:
        shown.append(estimate)
        return estimate

    for block in blocks:
        mapped(block, seen)
    return shown
