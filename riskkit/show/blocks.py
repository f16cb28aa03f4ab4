"""The blocks of a view: what a question shows, before a page, a paper or a voice shows it.

A block holds texts and estimates, no colour and no pixel. A picture is described once, by such a block:
:mod:`riskkit.figures.blocks` draws it for a page, :mod:`riskkit.report.plots` for paper, and
:mod:`riskkit.show.in_words` says it to those who cannot see it. One more kind, intervals, stands in
:mod:`riskkit.show.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar, cast

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import phrase, say
from riskkit.show.model import Block, Chart

Cell = str | int | Estimate | None
"""What stands in a table; None where there is no number."""
MOST_NAMED = 12
"""Names of an axis that stand side by side."""
MORE, FEWER = "▲", "▽"
"""The signs of a count that lies wholly above guessing, and wholly below."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of its own; ``meaning`` explains its terms.

    A page sets one with ``about``, what it is about in a word, among others in a list. One that ``is_small`` is a
    detail: a page sets it smaller, and a report in its appendix.
    """

    key: str
    text: str
    meaning: str = ""
    about: str = ""
    is_small: bool = False


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

    ``kind`` is ``measured`` (what the picture is about), ``compared`` (one of several alike), or ``constant`` (the
    guess to be beaten, drawn from 0).
    """

    who: str
    kind: str
    estimates: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """Rows of marks: what is measured in each, beside guesses; ``beaten`` are the rows in which it beats them.

    ``as_shares`` says that its values are shares, told in per cent.
    """

    key: str
    sentence: str
    axis: Axis
    rows: tuple[str, ...]
    series: tuple[Series, ...]
    beaten: frozenset[str] = frozenset()
    caption: str = ""
    as_shares: bool = False

    def label(self, estimate: Estimate) -> str:
        """A value without an interval as it stands beside its mark."""
        return wording.percent(estimate.value) if self.as_shares else f"{estimate.value:.2f}"

    @property
    def is_exact(self) -> bool:
        """Whether no mark has an interval: then each has room for its name and number beside it, and needs no key."""
        return all(e.low == e.high for series in self.series for e in series.estimates if e is not None)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a curve: an estimate at each place.

    ``intervals`` are drawn as ``bars`` at each place, as a ``band``, or not at all where it is empty.
    """

    who: str
    at: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    intervals: str = "bars"


@dataclass(frozen=True, slots=True)
class Curve:
    """How numbers grow with a count of ``unit``, on a logarithmic axis.

    Where there are ``names``, places are the numbers of these, evenly apart, and no counts; ``chosen`` is the place
    that was taken.
    """

    key: str
    sentence: str
    across: Axis
    up: Axis
    lines: tuple[Line, ...]
    unit: str = ""
    reference: Reference | None = None
    caption: str = ""
    names: tuple[str, ...] = ()
    chosen: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """Every place at which a line has a number."""
        return tuple(sorted({place for line in self.lines for place in line.at}))

    def name(self, place: int) -> str:
        """What stands at that place of the axis."""
        return self.names[place] if self.names else f"{place:,}"

    @property
    def named(self) -> tuple[int, ...]:
        """The places that the axis names: all counts; of many names every so manieth, and the last."""
        every = max(-(-len(self.names) // MOST_NAMED), 1)
        return tuple(place for place in self.places if place % every == 0 or not self.names or place == self.places[-1])


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
class RocLine:
    """Share named against share falsely accused of one thing, as the cut comes down; ``about`` is its number."""

    who: str
    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class RocBand:
    """Between which ends the line at that place lies, at each share of false alarms by itself."""

    who: str
    line: int
    fpr: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RocCurve:
    """ROC curves beside what guessing reaches; ``marks`` are shares named at the false alarms of their label ``fpr``.

    ``floor`` is the smallest share of false alarms that can be seen, below which logarithmic axes show nothing.
    ``most`` is the most that a promise allows.
    """

    key: str
    sentence: str
    across: Axis
    up: Axis
    lines: tuple[RocLine, ...]
    marks: tuple[Estimate, ...]
    floor: float
    is_log: bool = True
    band: RocBand | None = None
    most: RocLine | None = None
    caption: str = ""

    @property
    def start(self) -> float:
        """Where both axes begin."""
        return self.floor if self.is_log else 0.0

    @property
    def ticks(self) -> list[float]:
        """Shares that logarithmic axes name: powers of ten, and between them where there are few."""
        powers = (0.0001, 0.001, 0.01, 0.1)
        steps = (1, 2, 5) if self.start > 0.004 else (1,)
        return [tick for power in powers for times in steps if (tick := times * power) >= self.start] + [1.0]

    @property
    def marked(self) -> tuple[tuple[float, Estimate], ...]:
        """The marks that can be seen, with their places across."""
        return tuple((float(e.labels["fpr"]), e) for e in self.marks if e.value > self.start)


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the values of either side are spread: a share for each step between edges.

    ``sides`` are what people call one, whether it is of people who were in, and its shares. ``cut`` is from where on an
    attack says "in".
    """

    key: str
    sentence: str
    across: Axis
    up: Axis
    edges: tuple[float, ...]
    sides: tuple[tuple[str, bool, tuple[float, ...]], ...]
    caption: str = ""
    cut: Reference | None = None


@dataclass(frozen=True, slots=True)
class SwarmArm:
    """What was made with a record, or without it: each value, and the number of the training it comes from."""

    who: str
    is_in: bool
    values: tuple[float, ...]
    trainings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Swarm:
    """Every value of either arm of a game, those of one training on one height.

    ``spread`` is the same as shares, in which every training counts as one: paper and words have that alone.
    """

    key: str
    sentence: str
    across: Axis
    up: Axis
    arms: tuple[SwarmArm, ...]
    spread: Distribution
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
class CountRow:
    """The counts in one row, one for each column, None where nothing was counted.

    ``best`` is the highest of them with the interval that allows for having looked at all, and ``by`` whose it is.
    ``is_own`` where the row is about what the reader brought.
    """

    who: str
    counts: tuple[Estimate | None, ...]
    best: Estimate
    by: str
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class CountMatrix:
    """A table of counts, each of ``most`` at the most, beside the ``guess``: what guessing counts on average.

    ``title`` says what is counted, ``across`` what the columns are. The highest count of each row stands behind it.
    """

    key: str
    sentence: str
    title: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[CountRow, ...]
    guess: float
    most: int
    caption: str = ""

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands over the columns, that of the highest count of each row too."""
        return (*self.columns, say("the best"))

    def sign(self, count: Estimate) -> str:
        """Whether guessing explains no such count: :data:`MORE`, :data:`FEWER`, or empty."""
        if count.low > self.guess:
            return MORE
        return FEWER if count.high < self.guess else ""

    def with_sign(self, count: Estimate) -> str:
        """A count behind its sign, as it stands in its field."""
        return " ".join(filter(None, (self.sign(count), f"{count.value:.4g}")))


@dataclass(frozen=True, slots=True)
class Spot:
    """One release method: how useful it is, and the hits of the attacker that did best.

    ``useful`` is the usefulness with its interval, None where it has none. ``beaten`` says by whom it is beaten: by
    methods that are no less useful and in which no more is found. ``is_uploaded`` where the reader brought its release.
    """

    who: str
    usefulness: float
    useful: Estimate | None
    hits: Estimate
    beaten: tuple[str, ...] = ()
    is_uploaded: bool = False


BEST_CORNER = phrase("▲ more found than by guessing. Grey: another beats it on both. Best: lower right")
"""Where in such a picture a release is useful and protects."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """Every method by its usefulness, of that ``measure``, and the hits of its best attacker, of ``most`` rows named.

    ``across`` and ``up`` are the titles of its axes. ``guess`` is what guessing finds, ``others`` how useful a table of
    other people is, None where that is not known.
    """

    key: str
    sentence: str
    measure: str
    across: str
    up: str
    spots: tuple[Spot, ...]
    guess: float
    most: int
    caption: str = ""
    others: float | None = None

    def share(self, spot: Spot) -> Estimate:
        """The hits of a spot as a share of the rows named."""
        hits = spot.hits
        return replace(hits, value=hits.value / self.most, low=hits.low / self.most, high=hits.high / self.most)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, declared once: its name in files, its title for people, and what it means.

    ``width`` is its share of a line on paper; without any it is left to screens and files. ``written`` says how its
    estimates are read.
    """

    key: str
    title: str
    meaning: str = ""
    width: float = 1.4
    written: Callable[[Estimate], str] = wording.number


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table; its title says what it holds to those who come to it without seeing it, too."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    meaning: str = ""

    def texts(self) -> Iterator[tuple[str | int, ...]]:
        """The rows as they are read; counts stay numbers."""
        return (
            tuple(in_cell(cell, column.written) for column, cell in zip(self.columns, row, strict=True))
            for row in self.rows
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that belong together, under a title where there is one; folded where they are details.

    A page that is wide enough draws those of a group that ``is_beside`` beside each other. ``on_paper``: else for files
    alone. ``is_first``: on the page of its question on paper too, others stand in the appendix.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    is_folded: bool = False
    caption: str = ""
    is_beside: bool = False
    on_paper: bool = True
    is_first: bool = False


T = TypeVar("T")
Columns = Mapping[Column, Callable[[T], Cell]]
"""Each column of a table beside what stands in it of a thing."""


def tabulate(key: str, title: str, things: Iterable[T], columns: Columns[T], meaning: str = "") -> Numbers:
    """A table with a line for each thing: every column beside what stands in it."""
    rows = tuple(tuple(cell(thing) for cell in columns.values()) for thing in things)
    return Numbers(key, title, tuple(columns), rows, meaning)


Picture = Chart | Dots | Curve | Points | RocCurve | Distribution | Swarm | Grid | CountMatrix | Frontier
"""The blocks that are drawn."""


def in_cell(cell: Cell, written: Callable[[Estimate], str] = wording.number) -> str | int:
    """What stands in a table for that value."""
    if cell is None:
        return say("no number")
    return written(cell) if isinstance(cell, Estimate) else cell


def is_on_page(block: Block) -> bool:
    """Whether it is for the page of its question on paper too: a sentence that is no detail, or a first group."""
    return (isinstance(block, Sentence) and not block.is_small) or (isinstance(block, Group) and block.is_first)


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, those in groups too, without the groups."""
    for block in blocks:
        if isinstance(block, Group):
            yield from flat(block.blocks)
        else:
            yield block


def printed_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, those in groups too, that is not for files alone."""
    for block in blocks:
        if not isinstance(block, Group):
            yield block
        elif block.on_paper:
            yield from printed_blocks(block.blocks)


def grids(blocks: Iterable[Block]) -> Iterator[Grid]:
    """The maps among these blocks, those in groups too."""
    return (block for block in flat(blocks) if isinstance(block, Grid))


def frontiers(blocks: Iterable[Block]) -> Iterator[Frontier]:
    """The frontiers among these blocks, those in groups too."""
    return (block for block in flat(blocks) if isinstance(block, Frontier))


def map_estimates(block: Block, each: Callable[[Estimate], Estimate]) -> Block:
    """The same block with what ``each`` makes of every estimate in it."""
    return cast(Block, _map(block, each))


def _map(value: object, each: Callable[[Estimate], Estimate]) -> object:
    """A block, or anything that is in one: what holds no estimate stays the very same."""
    if isinstance(value, Estimate):
        return each(value)
    if isinstance(value, tuple):
        changed = tuple(_map(part, each) for part in value)
        return value if all(new is old for new, old in zip(changed, value, strict=True)) else changed
    if not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {field.name: getattr(value, field.name) for field in fields(value)}
    made = {name: new for name, part in parts.items() if (new := _map(part, each)) is not part}
    return replace(value, **made) if made else value


def estimates(blocks: Iterable[Block]) -> list[Estimate]:
    """Every estimate that is to be seen in these blocks."""
    shown: list[Estimate] = []

    def seen(estimate: Estimate) -> Estimate:
        shown.append(estimate)
        return estimate

    for block in blocks:
        map_estimates(block, seen)
    return shown
