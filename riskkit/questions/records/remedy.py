"""What would bring everybody's certificate below a limit: the least change of one setting, and what it costs in use.

A method says in ``protected_by`` which of its settings protect people, and whether they do when ``raised`` or when
``lowered``. The setting is tried over its whole range, from where it protects least; then the range between the last
value that is not enough and the next one is halved. A method of known noise has one certificate for everybody, that of
its noise; of the others everybody's is worked out at every value. That more of a setting protects more is looked at and
not taken for granted: a value is chosen only where all tried beyond it hold the limit too, and where the highest
certificate rises on the way that is said.

For methods with certificates of single records there is one setting more, :data:`SHARING`: before the method is fitted,
the values of every column are put together until so many people share each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Bools, Estimate, Floats, Generator, Ints, Table
from riskkit.errors import DesignError, StoreError, nearest
from riskkit.jobs.pool import Pool, Steering
from riskkit.mend.coarsening import rare
from riskkit.phrases import phrase
from riskkit.plain import from_plain, plain
from riskkit.questions import promises
from riskkit.questions.records.certificate import (
    DRAWN,
    Certificate,
    Terms,
    Three,
    certify,
    certify_blocks,
    is_certified,
)
from riskkit.questions.records.result import ceiling
from riskkit.seeds import stream
from riskkit.stats.intervals import critical
from riskkit.table.usefulness import ComparedTables, tree_questions

# Values that several people share: every column of a table put together until so many rows have each value.


def share_values(table: Table, people: int) -> Table:
    """The table with the values of every column put together until so many rows share each.

    Neighbouring numbers become their middle one; the rarest categories the most frequent of them. Missing numbers stay
    missing, however few. The frozen domain stays.
    """
    if people < 2:
        return table
    codes, numbers = np.array(table.codes), np.array(table.numbers)
    for column in range(codes.shape[1]):
        counts = np.bincount(codes[:, column])
        pooled = rare(counts, people)
        if len(pooled):
            codes[np.isin(codes[:, column], pooled), column] = pooled[int(counts[pooled].argmax())]
    for column in range(numbers.shape[1]):
        numbers[:, column] = _group_values(numbers[:, column], people)
    return Table(table.schema, codes, numbers)


def _group_values(values: Floats, people: int) -> Floats:
    """(n,) the values, groups of neighbours replaced by their middle one; equal values stay together."""
    out, known = values.copy(), np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    starts = [0]
    for place in range(1, len(order)):
        if place - starts[-1] >= people and values[order[place]] != values[order[place - 1]]:
            starts.append(place)
    if len(starts) > 1 and len(order) - starts[-1] < people:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        group = order[start:end]
        if len(group):
            out[group] = values[group[(len(group) - 1) // 2]]
    return out


RAISED = "raised"
"""How a setting is changed that protects more the higher it is; another is lowered."""
SHARING = "sharing"
"""The setting of every method with certificates of records: how many people share each value before it is fitted."""
MOST_SHARING = 0.25
"""The largest part of the rows that is made to share a value."""
POINTS = 6
"""Values tried over the range of a setting before it is halved; all of a range of no more whole numbers."""
CLOSE = 1.05
"""Halving ends where two values of a number that is not whole are no further apart than this factor."""
SMALLEST = 0.001
"""A setting that may be 0 is tried at 0 and from here on."""
FAR = 100.0
"""A number that is not whole is tried up to so many times what it is now, and down to that part of it."""
RISE = 0.001
"""By so much a certificate may rise for the grid on which it is found."""
TOGETHER = 50
"""Records of one unit of work."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting that protects: its range, and where in it a method stands now (None where it stands nowhere).

    ``is_raised`` says that higher values protect more.
    """

    name: str
    low: float
    high: float
    is_whole: bool
    is_raised: bool
    now: float | None

    def grid(self) -> tuple[float, ...]:
        """The values tried at first, the one that protects least in front."""
        if self.is_whole and self.high - self.low < POINTS:
            values = {float(value) for value in range(int(self.low), int(self.high) + 1)}
        else:
            low = max(self.low, SMALLEST)
            values = set(np.geomspace(low, self.high, POINTS).tolist()) | {self.high}
            values |= {self.low} if self.low < low else set()
            values = {float(round(value)) if self.is_whole else float(f"{value:.3g}") for value in values}
        values |= set() if self.now is None else {self.now}
        return tuple(sorted(values, reverse=not self.is_raised))

    def between(self, first: float, other: float) -> float | None:
        """A value half way between two, on the scale of factors; None where they are as close as is asked for."""
        low, high = sorted((first, other))
        if self.is_whole:
            middle = round(math.sqrt(low * high)) if high > 2 * low else int(low + high) // 2
            return None if high - low <= 1 else float(min(max(middle, low + 1), high - 1))
        if low == 0:
            return None if high <= SMALLEST else max(high / 10, SMALLEST)
        return None if high / low <= CLOSE else float(f"{math.sqrt(low * high):.3g}")


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked: for which method and setting, below which limit, and by which measure usefulness is told.

    ``n_syn`` rows make a release, ``draws`` releases of as many trainings tell of its usefulness. ``relation`` is that
    of the worlds of a method whose noise is known. ``drawn`` rows are drawn for a certificate that has no exact way.
    """

    generator: str
    setting: str
    limit: float
    measure: str = "pairs"
    n_syn: int = 1000
    draws: int = 5
    relation: str = "add-one"
    seed: int = 1
    level: float = 0.95
    drawn: int = DRAWN


@dataclass(frozen=True, slots=True)
class RemedyPoint:
    """One value of the setting.

    ``highest`` is the highest certificate of anybody, its ends at a level that allows for everybody; ``above`` how many
    people have one above the limit (for known noise all or nobody). ``useful`` is the usefulness of its releases, None
    where the measure has nothing to ask of this table.
    """

    value: float
    highest: Three
    above: int
    useful: Estimate | None


@dataclass(frozen=True, slots=True)
class Remedy:
    """What was tried, from where the setting protects least; ``chosen`` is the least change that holds the limit.

    ``rises`` are the pairs of neighbouring values between which the highest certificate rises though the setting
    protects more.
    """

    search: Search
    people: int
    now: float | None
    points: tuple[RemedyPoint, ...]
    chosen: RemedyPoint | None
    rises: tuple[tuple[float, float], ...]

    @property
    def best(self) -> RemedyPoint:
        """The point of the lowest certificate."""
        return min(self.points, key=lambda point: point.highest.high)

    def plain(self) -> dict[str, Any]:
        """It with all that was asked, as it is kept with an audit."""
        values: dict[str, Any] = plain(self)
        return values

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Remedy:
        """What :meth:`plain` wrote.

        Raises
        ------
        StoreError
            Another version wrote it.
        """
        return from_plain(cls, values)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: what was asked beside what was tried."""
        values = self.plain()
        return {**values.pop("search"), **values}


def searches(kept: Iterable[Mapping[str, Any]], generator: str) -> Iterator[Remedy]:
    """The kept searches about that method; one that another version wrote is left out, for it can be made again."""
    for values in kept:
        with suppress(StoreError):
            kept_remedy = Remedy.from_plain(values)
            if kept_remedy.search.generator == generator:
                yield kept_remedy


def knobs(generator: str, rows: int) -> tuple[Knob, ...]:
    """The settings of a method that protect, for a table of so many rows; none where it has no certificate.

    The one that its class names first is the one to try first.
    """
    made = registry.parse("generators", generator)
    is_noisy = isinstance(made, promises.LossDeclared)
    if not (is_noisy or is_certified(made)):
        return ()
    settings = {setting.name: setting for setting in registry.settings(type(made))}
    out = []
    for name, how in getattr(made, "protected_by", {}).items():
        own = settings[name]
        assert own.low is not None
        assert own.high is not None
        now, low, high = float(getattr(made, name)), own.low, own.high
        if own.type is not int and now > 0:
            low, high = max(low, now / FAR), min(high, now * FAR)
        out.append(Knob(name, low, high, own.type is int, how == RAISED, now))
    most = max(int(rows * MOST_SHARING), 1)
    return tuple(out) if is_noisy or most < 2 else (*out, Knob(SHARING, 1, most, True, True, 1.0))


def remedy(table: Table, search: Search, **steering: Unpack[Steering]) -> Remedy:
    """Find the least change of the setting that brings everybody's certificate below the limit.

    Raises
    ------
    DesignError
        The method has no certificate, or not this setting; the limit is no AUC that can be asked for.
    """
    if not 0.5 < search.limit < 1:
        raise DesignError.phrase("The limit is {limit:g}; it must be above 0.5 and below 1.", limit=search.limit)
    there = knobs(search.generator, len(table))
    knob = next((candidate for candidate in there if candidate.name == search.setting), None)
    if knob is None:
        names = tuple(candidate.name for candidate in there)
        raise DesignError(
            phrase(
                "{setting!r} is no setting of {generator!r} that protects people; choose {names}.",
                setting=search.setting,
                generator=search.generator,
                names=names,
            )
            if names
            else phrase(
                "Generator {generator!r} has no optimal-attack bound, so no setting can be found by it. Choose "
                "bayesnet, histogram, synthpop, mst, aim_tree, private_gsd or privbayes.",
                generator=search.generator,
            )
        )
    trial = Trial(table, search, knob, Pool.open(0, **steering))
    clock = trial.pool.clock
    with single_thread():
        values = knob.grid()
        clock.total = (len(values) + 4) * trial.units
        points = {value: trial.point(value) for value in values}
        for value in _bisect(knob, points, search.limit):
            clock.total = max(clock.total, clock.done + trial.units)
            points[value] = trial.point(value)
    ordered = tuple(points[value] for value in sorted(points, reverse=not knob.is_raised))
    first = _first_below(ordered, search.limit)
    rises = tuple(  # beyond what their intervals allow
        (point.value, other.value)
        for point, other in pairwise(ordered)
        if other.highest.low > point.highest.high + RISE
    )
    return Remedy(search, len(table), knob.now, ordered, None if first is None else ordered[first], rises)


def _first_below(points: Sequence[RemedyPoint], limit: float) -> int | None:
    """The first position from which on all points hold the limit; None where not even the last does."""
    above = [place for place, point in enumerate(points) if point.highest.high >= limit]
    first = above[-1] + 1 if above else 0
    return first if first < len(points) else None


def _bisect(knob: Knob, points: dict[float, RemedyPoint], limit: float) -> Iterator[float]:
    """The values to try next, one by one; ``points`` must hold each before the next is asked for."""
    while True:
        ordered = [points[value] for value in sorted(points, reverse=not knob.is_raised)]
        first = _first_below(ordered, limit)
        middle = knob.between(ordered[first - 1].value, ordered[first].value) if first else None
        if middle is None or middle in points:
            return
        yield middle


# --------------------------------------------------------------------------------------------------------------
# One value of the setting


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Tries values of one setting."""

    table: Table
    search: Search
    knob: Knob
    pool: Pool

    @property
    def is_noisy(self) -> bool:
        """Whether one certificate, that of the method's noise, is everybody's."""
        return isinstance(registry.parse("generators", self.search.generator), promises.LossDeclared)

    @property
    def units(self) -> int:
        """Units of work of a value."""
        return 1 if self.is_noisy else -(-len(self.table) // TOGETHER)

    def point(self, value: float) -> RemedyPoint:
        """The highest certificate at that value, and the usefulness of its releases."""
        made = self._make(value)
        changed = share_values(self.table, int(value)) if self.knob.name == SHARING else self.table
        highest, above = self._noise(made) if self.is_noisy else self._records(made, changed)
        return RemedyPoint(value, highest, above, self._useful(made, changed, value))

    def _make(self, value: float) -> Any:
        """The method with the setting at that value."""
        made = registry.parse("generators", self.search.generator)
        if self.knob.name == SHARING:
            return made
        settings = {setting.name: getattr(made, setting.name) for setting in registry.settings(type(made))}
        return type(made)(**{**settings, self.knob.name: int(value) if self.knob.is_whole else value})

    def _noise(self, made: Any) -> tuple[Three, int]:
        """The certificate of the noise that the method adds."""
        search, columns = self.search, len(self.table.schema.modelled)
        auc = promises.certificate(registry.spell(made), search.relation, len(self.table), columns)
        assert auc is not None
        self.pool.clock.tick(str(search.setting), 1)
        return Three(auc, auc, auc), len(self.table) * (auc >= search.limit)

    def _records(self, made: Generator, table: Table) -> tuple[Three, int]:
        """The highest certificate of all records, and how many of them lie above the limit."""
        search = self.search
        rows = list(range(len(table)))
        blocks = [rows[start : start + TOGETHER] for start in range(0, len(rows), TOGETHER)]
        terms = Terms(search.n_syn, curve=(), drawn=search.drawn, level=search.level)
        maps = self.pool.map(search.setting, certify_blocks, (table, made), blocks, terms, search.seed)
        each = [best.auc for block in maps for best in block]
        top = max(each, key=lambda person: person.value)
        high = ceiling(each, search.level)
        assert high is not None
        return Three(top.value, top.low, max(high, top.value)), sum(person.value >= search.limit for person in each)

    def _useful(self, made: Generator, changed: Table, value: float) -> Estimate | None:
        """How much releases keep of the table as it is, over trainings of their own."""
        search = self.search
        measure: Any = registry.parse("utility", search.measure)
        questions, values = tree_questions(self.table.schema), []
        for number in range(search.draws):
            rng = stream(search.seed, "remedy", search.setting, f"{value:g}", number)
            release = made.fit(changed, rng).sample(search.n_syn, rng)
            values.append(measure.measure(ComparedTables(release, self.table, self.table, questions)))
        kept = np.array([value for value in values if value is not None], dtype=np.float64)
        return None if len(kept) < 2 else _mean(kept, measure, search)


def _mean(values: Floats, measure: Any, search: Search) -> Estimate:
    """The mean over trainings, with a t interval within the measure's ends."""
    mean, error = float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))
    reach = error * critical(search.level, len(values))
    lowest, highest = measure.ends
    low, high = max(mean - reach, lowest), min(mean + reach, highest)
    return Estimate("useful", mean, low, high, search.level, "mean over trainings, t", len(values), {})


# What becomes of a certificate if the table is changed first: a column coarsened, a person left out.
#
# The method is fitted anew to the changed table and certified: milliseconds for a table of a thousand rows.


PEOPLE = 10
"""As many people share a value after coarsening, if nothing else is asked."""


@dataclass(frozen=True, slots=True)
class Change:
    """A certificate before and after the table was changed; ``column`` is empty where a person was left out.

    Where a person was, rows of ``after`` are those of the smaller table.
    """

    column: str
    people: int
    before: Certificate
    after: Certificate


def coarsen(table: Table, row: int, column: str, people: int = PEOPLE) -> tuple[Table, int]:
    """The table with the record's value put together with others until so many people share it, and how many do.

    A number is put together with the numbers nearest to it and all of them become their median; a category with the
    rarest other ones and all of them become the most frequent. Other rows with these values change too; the frozen
    domain stays.

    Raises
    ------
    DesignError
        The table has no such column, or fewer rows than that, or the record's number is missing.
    """
    names = [own.name for own in table.schema.modelled]
    if column not in names:
        raise DesignError.phrase(
            "There is no column {column!r} to coarsen{near}; choose {names}.",
            column=column,
            near=nearest(column, names),
            names=tuple(names),
        )
    if not 1 <= people <= len(table):
        raise DesignError.phrase(
            "{people} people cannot share a value in a table of {rows} rows; ask for fewer.",
            people=people,
            rows=len(table),
        )
    codes, numbers, place = np.array(table.codes), np.array(table.numbers), table.schema.places[column]
    if table.schema.column(column).is_numeric:
        values = numbers[:, place]
        if np.isnan(values[row]):
            raise DesignError.phrase(
                "This record has no value in {column!r}, so there is nothing to coarsen; choose another.",
                column=column,
            )
        distance = np.abs(values - values[row])
        reach = np.sort(distance)[people - 1]
        if np.isnan(reach):
            raise DesignError.phrase(
                "Fewer than {people} people have a value in {column!r}; ask for fewer.", people=people, column=column
            )
        shared: Bools = distance <= reach
        values[shared] = np.sort(values[shared])[int(shared.sum()) // 2]
    else:
        own, counts = codes[row, place], np.bincount(codes[:, place])
        rarest = np.argsort(counts, kind="stable")
        order = np.append(own, rarest[(counts[rarest] > 0) & (rarest != own)])
        pooled = order[: int(np.searchsorted(np.cumsum(counts[order]), people)) + 1]
        shared = np.isin(codes[:, place], pooled)
        codes[shared, place] = pooled[int(counts[pooled].argmax())]
    return Table(table.schema, codes, numbers), int(shared.sum())


def if_coarsened(
    table: Table, generator: Generator, row: int | Ints, columns: Sequence[str], people: int, terms: Terms, seed: int
) -> list[Change]:
    """The record's certificate if each of these columns alone is coarsened; columns without its value are left out.

    Of a person with several rows (k,) the value of each row is put together with others, one after another.

    Raises
    ------
    DesignError
        The method has no certificate; see also :func:`coarsen`.
    """
    (before,) = certify(table, generator, [row], terms, seed)
    changes = []
    for name in columns:
        own = table.schema.column(name)
        rows = np.unique(row).tolist()
        if own.is_numeric:
            rows = [other for other in rows if not np.isnan(table.column(own)[other])]
        if not rows:
            continue
        shared, changed = [], table
        for twin in rows:
            changed, others = coarsen(changed, twin, name, people)
            shared.append(others)
        (after,) = certify(changed, generator, [row], terms, seed)
        changes.append(Change(name, min(shared), before, after))
    return changes


def if_dropped(
    table: Table, generator: Generator, row: int | Ints, others: Sequence[int | Ints], terms: Terms, seed: int
) -> list[Change]:
    """The certificates of other records, or people, if this one is left out of the table; its own risk is then gone.

    Raises
    ------
    DesignError
        The method has no certificate, or nobody would be left to compare with.
    """
    gone = np.unique(row)
    kept = [other for other in others if not np.isin(other, gone).any()]
    before = certify(table, generator, kept, terms, seed)
    moved = [other - np.searchsorted(gone, other) for other in kept]
    after = certify(table.without(gone), generator, moved, terms, seed)
    return [Change("", 0, first, two) for first, two in zip(before, after, strict=True)]
