"""Synthpop: one column after another, each drawn from a decision tree on the columns before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.cart import TreeFeatures, features_of
from riskkit.generators.engines.leave_one_out import in_turn
from riskkit.generators.engines.ratios import refuse_all_rows
from riskkit.generators.engines.ratios_drawn import NearbyRows, log_ratios
from riskkit.generators.engines.sequential_trees import ListedLaw, Step
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import layout

Bend = Callable[[int, Floats, Floats], Floats]
"""What becomes of the drawn values of a column, given the features before it."""

LISTED = 1 << 14
"""Of so many rows at most the whole domain is listed."""

MORE, FEW = 5, 10
"""So many times the rows are drawn where splits change and fewer proofs of either kind than the second turned up."""

FITS, NEAR = 0.25, (0.3, 0.6, 0.9)
"""The share of rows that are drawn from either fit; the others take the record's values with one of these chances."""


@dataclass(frozen=True)
class Synthpop(CheckedPlugin):
    """Draws the first column from its values, then each next one from a tree on those before it.

    A tree splits the rows of the table into leaves of at least ``minimum_leaf`` rows. A synthetic row falls into one
    of them by the columns it already has, and takes the value of a random row of that leaf. Where a number is missing
    is a column of its own, drawn before the number; a missing category is a level like the others.

    Of two splits that are equally good the one by the column drawn earlier is taken, and of the same column the one
    with the lowest cut (see :mod:`riskkit.generators.engines.cart`). So the trees are a function of the table: unless
    the table is resampled first, a fit draws nothing at random, it can leave a row out, and the probability of every
    row is known.

    A category enters a tree as the rank of its levels by what the tree predicts: their mean for a number, the first
    principal component of their class shares for a category. So one split can part levels that are alike however they
    are named, which codes in the order of their names and a dimension for each level cannot. All three keep Adult's
    pairs of columns about equally well (total variation .034, .035 and .035 at 1,000 rows); a dimension for each level
    takes twice the time.

    References
    ----------
    .. [1] Nowok, Raab and Dibben 2016, synthpop: bespoke creation of synthetic data in R, Journal of Statistical
       Software 74(11), https://doi.org/10.18637/jss.v074.i11
    .. [2] Breiman, Friedman, Olshen and Stone 1984, Classification and regression trees, section 9.4 (the order of
       levels); Coppersmith, Hong and Hosking 1999, https://doi.org/10.1023/A:1009869804967 (more than two classes)
    """

    name: ClassVar[str] = "synthpop"
    title: ClassVar[str] = "Sequential trees (synthpop, CART)"
    card: ClassVar[str] = (
        "Draws the first column from its values in the table, grows a decision tree for each next column on those "
        "before it, and gives every synthetic row the value of a random real row in the leaf it falls into. Of "
        "equally good splits the first is taken, so training is random only where it resamples the table first; "
        "each release draws anew. A thousand rows of 15 columns take a hundredth of a second, 30,000 rows half a "
        "second, categories of thousands of levels longer. Leaves one row out without growing all trees again, "
        "and says how probable every row is. Trees and method are written anew after CART (Breiman and others "
        "1984) and the R package synthpop (Nowok, Raab and Dibben 2016). Every value is that of a real row among "
        "a few similar ones, so small leaves keep the table close and expose people."
    )

    protected_by: ClassVar[Mapping[str, str]] = {"minimum_leaf": "raised"}

    visit: str = parameter(
        "file",
        label="Order of the columns",
        help="Columns with few possible values may come before those with many; numbers are then usually last.",
        choices={"file": "As in the file", "few_levels_first": "Few values first"},
    )
    minimum_leaf: int = parameter(
        5,
        label="Smallest leaf",
        help="Each value is drawn from at least this many real rows. Larger leaves follow the table less closely.",
        low=1,
        high=1_000,
        unit="rows",
    )
    smoothing: str = parameter(
        "none",
        label="Smoothing of numbers",
        help=(
            "Without it, numbers of the table are released as they are. Within the gap: uniform up to half way to the "
            "next numbers of the column. By a density: normal noise as wide as a kernel density estimate of the column "
            "needs. Neither leaves the column's domain or decimals."
        ),
        choices={
            "none": "No smoothing",
            "gap": "Within the gap to the next numbers",
            "density": "By a density of the column",
        },
    )
    proper: bool = parameter(
        False,
        label="Resample the table first",
        help="Grows the trees on rows drawn from the table with replacement, as proper synthesis asks.",
    )

    @property
    def certified(self) -> bool:
        """Whether the best attack can be worked out: where the trees are a function of the table.

        Normal noise is left out: rows of its tails say so much that no number of drawn rows finds their law.
        """
        return not self.proper and self.smoothing != "density"

    def fit(self, table: Table, rng: np.random.Generator) -> FittedSynthpop:
        """Grow the trees.

        Raises
        ------
        DesignError
            The table has no rows, or no column to model.
        """
        schema = table.schema
        _refuse_nothing(table, len(table))
        visited = visiting(schema, self.visit)
        if self.proper:
            table = table.rows(rng.integers(len(table), size=len(table)))
        shown, columns = _tree_features(table, visited)
        steps = []
        features = 0
        for position, values in zip(visited, columns, strict=True):
            column = schema.modelled[position]
            steps.append(Step.learnt(column, values, shown, features, self.minimum_leaf))
            features += 1 + (column.is_numeric and column.has_missing)
        if self.proper:
            return FittedSynthpop(self, table, tuple(steps))
        return SettledSynthpop(self, table, tuple(steps))


def visiting(schema: Schema, visit: str) -> tuple[int, ...]:
    """The positions of the modelled columns in the order they are drawn; the frozen domain alone decides."""
    positions = range(len(schema.modelled))
    if visit == "file":
        return tuple(positions)
    return tuple(sorted(positions, key=lambda position: _possible(schema.modelled[position])))


def _possible(column: Column) -> float:
    """How many values the column's domain has."""
    if column.is_numeric:
        return (column.high - column.low) * 10.0**column.decimals + 1 + column.has_missing
    return len(column.levels)


def _values(table: Table, position: int) -> Floats:
    """(n,) one modelled column: numbers with NaN where missing, or codes."""
    block = layout(table.schema)[position]
    if block.column.is_numeric:
        return table.numbers[:, block.source]
    return table.codes[:, block.source].astype(np.float64)


def _tree_features(table: Table, visited: tuple[int, ...]) -> tuple[TreeFeatures, tuple[Floats, ...]]:
    """What trees are shown of the table, its columns in the order they are visited, and those columns themselves."""
    columns = tuple(_values(table, position) for position in visited)
    features = [np.empty((0, len(table)))]
    levels: tuple[int, ...] = ()
    for position, values in zip(visited, columns, strict=True):
        more, counts = features_of(table.schema.modelled[position], values)
        features.append(more)
        levels += counts
    return TreeFeatures(np.concatenate(features), levels), columns


@dataclass(frozen=True, eq=False)
class FittedSynthpop:
    """The trees: ``steps`` are the modelled columns of ``table`` as they are visited."""

    generator: Synthpop
    table: Table
    steps: tuple[Step, ...]

    @property
    def schema(self) -> Schema:
        """The schema of its releases."""
        return self.table.schema

    @property
    def smoothing(self) -> str:
        """How numbers are moved."""
        return self.generator.smoothing

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """The modelled columns in the order they are drawn."""
        return visiting(self.schema, self.generator.visit)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows; without smoothing only values that the table holds."""
        return self._walk(n, rng, lambda _step, _shown, values: values)

    def _walk(self, n: int, rng: np.random.Generator, bent: Bend) -> Table:
        """``n`` rows drawn column by column, the values of each as ``bent`` leaves them."""
        codes = np.empty((n, len(self.schema.categorical)), dtype=np.int32)
        numbers = np.empty((n, len(self.schema.numeric)))
        blocks = layout(self.schema)
        shown = np.empty((len(self._features.levels), n))
        for index, (position, step) in enumerate(zip(self.positions, self.steps, strict=True)):
            values = bent(index, shown, step.draw(shown, self._features.rank_at, self.smoothing, rng))
            more = features_of(step.column, values)[0]
            shown[step.features : step.features + len(more)] = more
            into = numbers if step.column.is_numeric else codes
            into[:, blocks[position].source] = values
        return Table(self.schema, codes, numbers)

    def sample_near(self, record: Table, chance: float, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows that take the record's value with that chance in each column where it can be drawn."""
        own = _tree_features(record, self.positions)[1]

        def bent(position: int, shown: Floats, values: Floats) -> Floats:
            taken = (rng.random(n) < chance) & (self._shares(position, np.repeat(own[position], n), shown) > 0)
            return np.where(taken, own[position], values)

        return self._walk(n, rng, bent)

    def log_shares_of(self, record: Table, rows: Table) -> Floats:
        """(columns, n) logarithm of the chance of the record's value in each column, given the columns of each row."""
        shown, own = _tree_features(rows, self.positions)[0].values, _tree_features(record, self.positions)[1]
        shares = [self._shares(position, np.repeat(value, len(rows)), shown) for position, value in enumerate(own)]
        with np.errstate(divide="ignore"):
            return np.log(np.array(shares))

    def agreeing(self, record: Table, rows: Table) -> Bools:
        """(columns, n) whether each row has the record's value; missing equals missing."""
        pairs = zip(_tree_features(record, self.positions)[1], _tree_features(rows, self.positions)[1], strict=True)
        return np.array([(own == values) | (np.isnan(own) & np.isnan(values)) for own, values in pairs])

    def _shares(self, position: int, values: Floats, shown: Floats) -> Floats:
        """(n,) the chance of each value in that column, given the columns before it."""
        return self.steps[position].shares(values, shown, self._features.rank_at, self.smoothing)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row, exact; -inf where it is never released."""
        return self.log_shares(table).sum(axis=0)  # type: ignore[no-any-return]

    def log_shares(self, table: Table) -> Floats:
        """(columns, n) the same of each column given those before it, in the order they are drawn."""
        shown, columns = _tree_features(table, self.positions)
        shares = [self._shares(position, values, shown.values) for position, values in enumerate(columns)]
        with np.errstate(divide="ignore"):
            return np.log(np.array(shares))

    @cached_property
    def _features(self) -> TreeFeatures:
        return _tree_features(self.table, self.positions)[0]


class SettledSynthpop(FittedSynthpop):
    """A fit that is a function of its table, and can leave a row out."""

    @in_turn
    def without(self, row: int) -> SettledSynthpop:
        """The fit to the same table without that row; only the parts of trees grow anew that the row changes.

        Raises
        ------
        DesignError
            It is the only row.
        """
        _refuse_nothing(self.table, len(self.table) - 1)
        steps = tuple(step.without(row, self._features, self.generator.minimum_leaf) for step in self.steps)
        return SettledSynthpop(self.generator, self.table.without(row), steps)

    def ratios(self) -> TreesRatios:
        """What released rows say of each record; exact where the domain is small."""
        return TreesRatios(self)

    def drawn_near(self, rows: int | Ints, count: int, rng: np.random.Generator) -> NearbyRows:
        """``count`` rows drawn from the fit, from the one without that record, or a person's, and near it.

        A row near the record takes the record's value, column by column, with one of the chances :data:`NEAR` wherever
        the fit with the record can put it out there, and else is drawn from that fit. How likely such a row comes about
        is known, so each row is weighed by how much likelier the fit puts it out than it was drawn.
        """
        left: list[int] = np.atleast_1d(rows).tolist()
        outside = self.without(np.array(left))
        first = _draw_rows(self, outside, left, count, rng)
        if not first.unseen or min(np.count_nonzero(first.value == end) for end in (-np.inf, np.inf)) >= FEW:
            return first
        return _draw_rows(self, outside, left, MORE * count, rng)


@dataclass(frozen=True, slots=True, eq=False)
class TreesRatio:
    """One record: the law of the log ratio of a released row, None where it is not known exactly.

    A leaf holds people who are like the record in the columns of its path, not the same: no set of columns is named.
    """

    law: ListedLaw | None
    cells: tuple[()] = ()


@dataclass(frozen=True, eq=False)
class TreesRatios:
    """The ratios of every record of a fit."""

    fitted: SettledSynthpop

    @cached_property
    def _domain(self) -> tuple[Table, Floats] | None:
        """Every row that either fit can put out, and the logarithm of its chance; None where that is too many."""
        domain = domain_of(self.fitted.table, self.fitted.smoothing)
        return None if domain is None else (domain, self.fitted.log_prob(domain))

    def ratio(self, rows: int | Ints) -> TreesRatio:
        """The ratio of one record: a row, or the rows of a person.

        Raises
        ------
        DesignError
            It is the whole table: there is no fit without it.
        """
        refuse_all_rows(len(self.fitted.table), np.size(rows))
        if self._domain is None:
            return TreesRatio(None)
        domain, inside = self._domain
        return TreesRatio(ListedLaw.weigh(inside, self.fitted.without(rows).log_prob(domain)))


def domain_of(table: Table, smoothing: str) -> Table | None:
    """Every combination of the values that a fit to the table, or to a part of its rows, can put out.

    None where there are more than :data:`LISTED`, or where numbers are moved.
    """
    columns = [np.unique(column) for column in (*table.codes.T, *table.numbers.T)]
    if np.prod([float(len(column)) for column in columns]) > LISTED or (smoothing != "none" and table.numbers.size):
        return None
    rows = np.array(list(product(*(column.tolist() for column in columns))))
    categories = table.codes.shape[1]
    return Table(table.schema, rows[:, :categories].astype(np.int32), rows[:, categories:])


def _draw_rows(
    inside: SettledSynthpop, outside: SettledSynthpop, left: Sequence[int], count: int, rng: np.random.Generator
) -> NearbyRows:
    """So many rows drawn from both fits and near the rows that are left out."""
    ways = [(inside.table.rows([row]), chance) for row in left for chance in NEAR]
    amounts = rng.multinomial(count, [FITS, FITS, *[(1 - 2 * FITS) / len(ways)] * len(ways)]).tolist()
    parts = [inside.sample(amounts[0], rng), outside.sample(amounts[1], rng)]
    parts += [inside.sample_near(*way, amount, rng) for way, amount in zip(ways, amounts[2:], strict=True)]
    rows = parts[0]
    for part in parts[1:]:
        rows = rows.plus(part)
    logs = inside.log_shares(rows)
    value, by_fit = log_ratios(logs.sum(axis=0), outside.log_prob(rows))
    weight = np.full(count, 1 / FITS)
    likelier = sum(_nearness(inside, inside.table.rows([row]), rows, logs)[by_fit] for row in left) / len(left)
    weight[by_fit] = 1 / (FITS + FITS * np.exp(-value[by_fit]) + (1 - 2 * FITS) * likelier)
    is_moved = any(_is_moved(*pair, inside.smoothing) for pair in zip(inside.steps, outside.steps, strict=True))
    return NearbyRows(value, weight, 1 / FITS if is_moved else 0.0, np.empty(0))


def _is_moved(inside: Step, outside: Step, smoothing: str) -> bool:
    """Whether the column is drawn by other splits without the record, or numbers are moved in other gaps."""
    for before, after in ((inside.leaves, outside.leaves), (inside.missing, outside.missing)):
        if before is None or after is None:
            if before is not after:
                return True
            continue
        parts = ((tree.feature, tree.below, tree.above, tree.ranks) for tree in (before, after))
        if not all(np.array_equal(own, other) for own, other in zip(*parts, strict=True)):
            return True
    return smoothing != "none" and not np.array_equal(
        np.append(inside.distinct, inside.heap), np.append(outside.distinct, outside.heap), equal_nan=True
    )


def _nearness(inside: SettledSynthpop, record: Table, rows: Table, logs: Floats) -> Floats:
    """(m,) how much likelier each row is drawn near the record than from the fit; ``logs`` are its shares."""
    own = inside.log_shares_of(record, rows)
    same = inside.agreeing(record, rows)
    total = np.zeros(len(rows))
    for chance in NEAR:
        taken = np.where(np.isfinite(own), chance, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            likelier = (1 - taken) + np.where(same & np.isfinite(logs), taken * np.exp(-logs), 0.0)
        total += likelier.prod(axis=0) / len(NEAR)
    return total


def _refuse_nothing(table: Table, rows: int) -> None:
    """Refuse a table without rows, or without a column to model."""
    if not rows or not table.schema.modelled:
        raise DesignError.phrase(
            "The synthpop generator needs at least one row and one column with the role known or secret."
        )


PLUGIN = Synthpop
