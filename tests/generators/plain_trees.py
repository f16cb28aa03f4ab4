"""Sequential trees in plain Python and fractions: slow, and no line of them is the product's.

Written after the words of the docstrings: every split that leaves the least impurity, the first column and the lowest
cut of equal ones, levels by the answer of their rows, a random value of the leaf, moved in its gap where asked.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from riskkit.core import Column, Table

Row = tuple[float | None, ...]
"""A code for each category, a number or None for each number, in file order."""


def plain_rows(table: Table) -> list[Row]:
    """The rows of a table."""
    out = []
    for codes, numbers in zip(table.codes.tolist(), table.numbers.tolist(), strict=True):
        own, other = iter(numbers), iter(codes)
        out.append(tuple(_plain(next(own)) if c.is_numeric else next(other) for c in table.schema.modelled))
    return out


def _plain(number: float) -> float | None:
    return None if math.isnan(number) else number


@dataclass
class Leaf:
    """The training rows of a leaf."""

    rows: list[int]


@dataclass
class Split:
    """Rows whose feature is at most ``cut`` go to the left; ``rank`` has the places of a category's levels."""

    feature: int
    rank: list[int] | None
    cut: Fraction
    left: Any
    right: Any


class PlainTrees:
    """The fit, and the exact chance of any row."""

    def __init__(self, rows: list[Row], columns: tuple[Column, ...], minimum: int, smoothing: str = "none") -> None:
        self.rows, self.columns, self.minimum, self.smoothing = rows, columns, minimum, smoothing
        self.trees: list[tuple[Any, Any]] = []
        for index, column in enumerate(columns):
            everyone = list(range(len(rows)))
            missing = None
            if column.is_numeric and column.has_missing:
                missing = self._tree(everyone, [int(row[index] is None) for row in rows], 2, index)
            held = [i for i in everyone if rows[i][index] is not None]
            tree = None
            if held and column.is_numeric:
                units = [
                    0 if row[index] is None else round((row[index] - column.low) * 10**column.decimals) for row in rows
                ]
                tree = self._tree(held, units, 0, index)
            elif held:
                tree = self._tree(held, [row[index] for row in rows], len(column.levels), index)
            self.trees.append((missing, tree))

    def _features(self, row: Row, before: int) -> list[tuple[float, int]]:
        """What is shown of the columns before: a value, and how many levels it has (0 for a number)."""
        out: list[tuple[float, int]] = []
        for column, value in zip(self.columns[:before], row[:before], strict=True):
            if not column.is_numeric:
                out.append((int(value or 0), len(column.levels)))
                continue
            units = (column.mean if value is None else value) * 10**column.decimals
            units = round(units) if abs(units - round(units)) < 1e-3 else units  # a mean can lie between
            out.append((units, 0))
            if column.has_missing:
                out.append((float(value is None), 0))
        return out

    def _tree(self, held: list[int], answer: list[Any], classes: int, before: int) -> Any:
        shown = {i: self._features(self.rows[i], before) for i in held}
        ranks: list[list[int] | None] = []
        for index, (_, levels) in enumerate(shown[held[0]]):
            ranks.append(self._ranks([(int(shown[i][index][0]), answer[i]) for i in held], levels, classes))
        return self._grown(held, shown, ranks, answer, classes)

    @staticmethod
    def _ranks(pairs: list[tuple[int, int]], levels: int, classes: int) -> list[int] | None:
        if not levels:
            return None
        whole = [answer for _, answer in pairs]
        present = sorted(set(whole))
        scores: list[Any]
        if classes and len(present) > 2:
            scores = _component(pairs, levels, present)
        else:
            scores = []
            for level in range(levels):
                own = [answer for code, answer in pairs if code == level] or whole
                sums = sum(answer == present[-1] for answer in own) if classes else sum(own)
                scores.append(Fraction(sums, len(own)))
        order = sorted(range(levels), key=lambda level: (scores[level], level))
        return [order.index(level) for level in range(levels)]

    def _grown(self, held: list[int], shown: Any, ranks: Any, answer: list[Any], classes: int) -> Any:
        if len({answer[i] for i in held}) == 1:
            return Leaf(held)
        best: tuple[Fraction, Split, list[int], list[int]] | None = None
        for index, rank in enumerate(ranks):
            place = {i: Fraction(rank[int(shown[i][index][0])] if rank else shown[i][index][0]) for i in held}
            values = sorted(set(place.values()))
            for low, high in itertools.pairwise(values):
                left, right = [i for i in held if place[i] <= low], [i for i in held if place[i] > low]
                if min(len(left), len(right)) < self.minimum:
                    continue
                gain = sum((_purity([answer[i] for i in side], classes) for side in (left, right)), Fraction(0))
                if best is None or gain > best[0]:
                    best = gain, Split(index, rank, (low + high) / 2, None, None), left, right
        if best is None:
            return Leaf(held)
        _, split, left, right = best
        split.left = self._grown(left, shown, ranks, answer, classes)
        split.right = self._grown(right, shown, ranks, answer, classes)
        return split

    def _leaf(self, tree: Any, row: Row, before: int) -> list[int]:
        shown = self._features(row, before)
        while isinstance(tree, Split):
            value = shown[tree.feature][0]
            place = Fraction(tree.rank[int(value)] if tree.rank else value)
            tree = tree.left if place <= tree.cut else tree.right
        rows: list[int] = tree.rows
        return rows

    def chance(self, row: Row) -> Fraction:
        """How likely a released row is this one."""
        out = Fraction(1)
        for index, (column, (missing, tree)) in enumerate(zip(self.columns, self.trees, strict=True)):
            if missing is not None:
                held = self._leaf(missing, row, index)
                absent = Fraction(sum(self.rows[i][index] is None for i in held), len(held))
                out *= absent if row[index] is None else 1 - absent
            if row[index] is not None and out:
                held = self._leaf(tree, row, index)
                moved = [self._moved(self.rows[i][index], row[index], index, column) for i in held]
                out *= sum(moved, Fraction(0)) / len(held)
        return out

    def _moved(self, value: Any, to: Any, place: int, column: Column) -> Fraction:
        """How likely this number of the table comes out as that one."""
        if not column.is_numeric or self.smoothing == "none":
            return Fraction(value == to)
        units = [round(row[place] * 10**column.decimals) for row in self.rows if row[place] is not None]  # type: ignore[operator]
        value, to = round(value * 10**column.decimals), round(to * 10**column.decimals)
        distinct = sorted(set(units))
        own = distinct.index(value)
        start = Fraction(distinct[max(own - 1, 0)] + value, 2)
        stop = Fraction(distinct[min(own + 1, len(distinct) - 1)] + value, 2)
        if 10 * units.count(value) > 7 * len(units) or start == stop:
            return Fraction(value == to)
        half = Fraction(1, 2)
        return max(min(stop, to + half) - max(start, to - half), Fraction(0)) / (stop - start)


def _purity(answers: list[Any], classes: int) -> Fraction:
    """What a side adds to the gain of a split."""
    if not classes:
        return Fraction(sum(answers) ** 2, len(answers))
    return Fraction(sum(answers.count(answer) ** 2 for answer in set(answers)), len(answers))


def _component(pairs: list[tuple[int, int]], levels: int, present: list[int]) -> list[float]:
    """The first principal component of the shares of classes after 30 rounds, to nine decimals."""
    mean = [sum(b == c for _, b in pairs) / len(pairs) for c in present]
    sizes = [sum(a == level for a, _ in pairs) for level in range(levels)]
    away = [[pairs.count((level, c)) / max(sizes[level], 1) for c in present] for level in range(levels)]
    away = [
        [(share - m) * (size > 0) for share, m in zip(own, mean, strict=True)]
        for own, size in zip(away, sizes, strict=True)
    ]
    stands = [sizes[level] * sum(x * x for x in away[level]) for level in range(levels)]
    most = max(stands)
    direction = away[next(level for level in range(levels) if stands[level] >= most * (1 - 1e-9))]
    for _ in range(30):
        length = math.sqrt(sum(x * x for x in direction))
        if not length:
            break
        unit = [x / length for x in direction]
        along = [sizes[level] * sum(x * y for x, y in zip(away[level], unit, strict=True)) for level in range(levels)]
        direction = [sum(along[level] * away[level][c] for level in range(levels)) for c in range(len(present))]
    length = math.sqrt(sum(x * x for x in direction)) or 1.0
    return [
        round(sum(x * y for x, y in zip(away[level], direction, strict=True)) / length * 1e9) for level in range(levels)
    ]
