"""Does a tree that was grown on a release answer like one that was grown on the real rows?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from riskkit.core import Bools, Column, Floats, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import one_hot
from riskkit.utility.marginals import same_kind


@dataclass(frozen=True, slots=True)
class Question:
    """What the trees are asked: is ``column`` at ``level``? Trees are ``depth`` questions deep at most."""

    column: str
    level: str
    depth: int


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """How alike two trees answer ``n`` test rows.

    ``f`` is the F-measure of "is at that level", the tree of the real rows taken as the truth; ``match`` the share of
    rows to which both give the same answer, yes or no.
    """

    f: float
    match: float
    n: int


OFFICIAL = (Question("income", ">50K", 5), Question("relationship", "Husband", 3))
"""What the PWS Cup 2020 asked of census rows."""


def questions(schema: Schema) -> tuple[Question, ...]:
    """The contest's questions where the table has their columns and levels, else one of each of two categories.

    Those are the columns with the role secret, or the last ones, of two levels or more; the level asked about is the
    last in the schema. The first question may be 5 deep, the second 3, as the contest's.
    """
    there = [question for question in OFFICIAL if _has(schema, question)]
    if len(there) == len(OFFICIAL):
        return tuple(there)
    wide = [column for column in schema.categorical if len(column.levels) > 1]
    wanted = sorted(wide, key=lambda column: (column.role is not Role.SECRET, -wide.index(column)))[:2]
    return tuple(Question(c.name, c.levels[-1], depth) for c, depth in zip(wanted, (5, 3), strict=False))


def tree_agreement(release: Table, sample: Table, test: Table, question: Question) -> TreeAgreement:
    """Grow a tree on the release and one on the real rows, and let both answer the test rows.

    The trees are scikit-learn's with ``random_state=0`` on one-hot rows of all other columns. They learn yes or no, at
    that level or not, as the contest and its paper have it: a tree that learnt every level would spend its few
    questions on telling levels apart that nobody asks about. ``f`` is the PWS Cup's:
    precision is the share of the release tree's "yes" that the real tree says too, recall the share of the real tree's
    "yes" that the release tree says too. ``match`` is the paper's. Where neither tree ever says "yes", ``f`` is 1, and
    where only one does, 0.

    Parameters
    ----------
    test
        Rows that neither tree has seen: the holdout, where there is one.

    Raises
    ------
    DesignError
        The tables have different schemas or no row, or there is no such category or level.
    """
    same_kind(release, sample)
    same_kind(test, sample)
    at, level = _place(sample.schema, question)
    asked = _others(test, at)
    ours, theirs = (_answers(rows, asked, at, level, question.depth) for rows in (release, sample))
    return TreeAgreement(f_measure(ours, theirs), float((ours == theirs).mean()), len(test))


def f_measure(said: Bools, truth: Bools) -> float:
    """The harmonic mean of precision and recall: ``2 TP / (2 TP + FP + FN)``; 1 where both are all "no"."""
    hits, misses = int((said & truth).sum()), int((said ^ truth).sum())
    return 2 * hits / (2 * hits + misses) if hits + misses else 1.0


def _has(schema: Schema, question: Question) -> bool:
    return any(column.name == question.column and question.level in column.levels for column in schema.categorical)


def _place(schema: Schema, question: Question) -> tuple[int, int]:
    """Where the column stands among the categories, and the code of its level."""
    column = schema.column(question.column)
    if column.kind is not Kind.CATEGORICAL or column not in schema.categorical or question.level not in column.levels:
        raise DesignError(
            f"Column {question.column!r} has no such level to grow trees for. Name a category in use and one of its "
            "levels."
        )
    return schema.categorical.index(column), column.levels.index(question.level)


def _others(table: Table, at: int) -> Floats:
    """(n, width) one-hot rows of all columns but that category, and a constant one so that there always is one."""
    hidden = np.delete(np.arange(len(table.schema.categorical)), at)
    schema = Schema(_without(table.schema, at))
    matrix = one_hot(Table(schema, table.codes[:, hidden], table.numbers), drop_first=False)
    return np.hstack([matrix, np.zeros((len(table), 1))])


def _without(schema: Schema, at: int) -> tuple[Column, ...]:
    return tuple(column for column in schema.columns if column != schema.categorical[at])


def _answers(rows: Table, asked: Floats, at: int, level: int, depth: int) -> Bools:
    """(n_test,) whether a tree that those rows taught says that a test row is at the level."""
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(_others(rows, at), rows.codes[:, at] == level)
    answers: Bools = tree.predict(asked)
    return answers


def worst(found: Sequence[TreeAgreement]) -> float:
    """The smallest F-measure of several questions; 1 where none was asked."""
    return min((one.f for one in found), default=1.0)
