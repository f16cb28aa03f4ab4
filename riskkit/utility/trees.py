"""Decision trees: does one that was grown on a release answer like one that was grown on the real rows?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Floats, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import onehot
from riskkit.table.usefulness import ComparedTables, Measure, TreeQuestion, check_comparable


@dataclass(frozen=True)
class Trees(Measure):
    """The F-measure of the worst question asked of trees grown on the release and on the real rows."""

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "Decision trees (contest)"
    card: ClassVar[str] = (
        "How similarly a tree grown on the release and a tree grown on the real rows answer for people neither has "
        "seen: the F-measure of “yes”, for the worst question asked."
    )
    place: ClassVar[int] = 80
    thresholds: ClassVar[Mapping[str, float]] = {"official": 0.85, "final": 0.95}
    frontier: ClassVar[int] = 4

    def measure(self, compared: ComparedTables) -> float | None:
        """See :class:`riskkit.table.usefulness.Measure`."""
        answers = compared.once(agreements)
        return min((answer.f for answer in answers), default=None)


@dataclass(frozen=True)
class TreesPaper(Measure):
    """The share of equal answers to the worst question asked."""

    name: ClassVar[str] = "trees_paper"
    title: ClassVar[str] = "Decision trees (paper)"
    card: ClassVar[str] = "The share of people for whom both trees answer the same, for the worst question asked."
    place: ClassVar[int] = 90
    thresholds: ClassVar[Mapping[str, float]] = {"paper": 0.85}

    def measure(self, compared: ComparedTables) -> float | None:
        """See :class:`riskkit.table.usefulness.Measure`."""
        answers = compared.once(agreements)
        return min((answer.match for answer in answers), default=None)


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """How alike two trees answer ``n`` test rows.

    ``f`` is the F-measure of "is at that level", the tree of the real rows taken as the truth; ``match`` the share of
    rows to which both give the same answer, yes or no.
    """

    f: float
    match: float
    n: int


def agreements(compared: ComparedTables) -> tuple[TreeAgreement, ...]:
    """How alike trees of the release and of the real rows answer, question by question."""
    tables = compared.release, compared.sample, compared.test
    return tuple(tree_agreement(*tables, question) for question in compared.questions)


def tree_agreement(release: Table, sample: Table, test: Table, question: TreeQuestion) -> TreeAgreement:
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
    check_comparable(release, sample)
    check_comparable(test, sample)
    position, level = _place(sample.schema, question)
    asked = _others(test, position)
    ours, theirs = (_answers(rows, asked, position, level, question.depth) for rows in (release, sample))
    return TreeAgreement(f_measure(ours, theirs), float((ours == theirs).mean()), len(test))


def f_measure(answered: Bools, truth: Bools) -> float:
    """The harmonic mean of precision and recall: ``2 TP / (2 TP + FP + FN)``; 1 where both are all "no"."""
    hits, misses = int((answered & truth).sum()), int((answered ^ truth).sum())
    return 2 * hits / (2 * hits + misses) if hits + misses else 1.0


def _place(schema: Schema, question: TreeQuestion) -> tuple[int, int]:
    """Where the column stands among the categories, and the code of its level."""
    column = schema.column(question.column)
    if column.kind is not Kind.CATEGORICAL or column not in schema.categorical or question.level not in column.levels:
        raise DesignError.phrase(
            "Column {column!r} has no such level to grow trees for. Name a category in use and one of its levels.",
            column=question.column,
        )
    return schema.categorical.index(column), column.levels.index(question.level)


def _others(table: Table, position: int) -> Floats:
    """(n, width) one-hot rows of all columns but that category, and a constant one so that there always is one."""
    hidden = np.delete(np.arange(len(table.schema.categorical)), position)
    schema = Schema(tuple(column for column in table.schema.columns if column != table.schema.categorical[position]))
    matrix = onehot(Table(schema, table.codes[:, hidden], table.numbers), drop_first=False)
    return np.hstack([matrix, np.zeros((len(table), 1))])


def _answers(rows: Table, asked: Floats, position: int, level: int, depth: int) -> Bools:
    """(n_test,) whether a tree that those rows taught says that a test row is at the level."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(
        _others(rows, position), rows.codes[:, position] == level
    )
    answers: Bools = tree.predict(asked)
    return answers


PLUGIN = Trees, TreesPaper
