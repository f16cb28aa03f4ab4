"""What a coarser column or a missing person does to a certificate, counted by hand and against a refit."""

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.histogram import Histogram
from riskkit.questions.records.certificate import Terms, certify
from riskkit.questions.records.remedy import coarsen, if_coarsened, if_dropped
from tests.tables import mixed, numeric

AGES = np.array([20.0, 30, 31, 33, 40, 90])
JOBS = ("clerk", "cook", "diver", "smith")


def people() -> Table:
    """Six people: ages, and jobs clerk, clerk, clerk, cook, cook, diver; nobody is a smith."""
    schema = Schema((numeric("age", AGES), Column("job", Kind.CATEGORICAL, levels=JOBS)))
    return Table(schema, np.array([[0], [0], [0], [1], [1], [2]], dtype=np.int32), AGES[:, None])


def test_a_number_joins_the_nearest_ones_at_their_median() -> None:
    changed, shared = coarsen(people(), 2, "age", 3)
    assert changed.numbers[:, 0].tolist() == [20, 31, 31, 31, 40, 90]
    assert shared == 3
    assert coarsen(people(), 5, "age", 2)[0].numbers[:, 0].tolist() == [20, 30, 31, 33, 90, 90]


def test_numbers_equally_far_join_together() -> None:
    schema = Schema((numeric("age", AGES), Column("job", Kind.CATEGORICAL, levels=JOBS)))
    ages = np.array([30.0, 31, 32, 33, 40, 90])
    table = Table(schema, people().codes, ages[:, None])
    assert coarsen(table, 1, "age", 2)[1] == 3


def test_a_category_joins_the_rarest_and_takes_the_name_of_the_largest() -> None:
    changed, shared = coarsen(people(), 5, "job", 3)
    assert changed.codes[:, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert shared == 3
    assert coarsen(people(), 0, "job", 3)[0].codes.tolist() == people().codes.tolist()


def test_the_domain_stays() -> None:
    assert coarsen(people(), 5, "job", 3)[0].schema == people().schema


def test_what_cannot_be_coarsened_says_so() -> None:
    missing = mixed()
    row = int(np.flatnonzero(np.isnan(missing.numbers[:, 1]))[0])
    for table, row_asked, column, least, message in (
        (people(), 0, "name", 2, "no column"),
        (people(), 0, "age", 7, "ask for fewer"),
        (missing, row, "score", 5, "no value"),
    ):
        with pytest.raises(DesignError, match=message):
            coarsen(table, row_asked, column, least)


def test_coarsening_the_column_that_exposes_lowers_the_certificate() -> None:
    """The diver of 90: the job alone is a proof, the age another."""
    table, terms = people(), Terms(6)
    changes = {change.column: change for change in if_coarsened(table, Histogram(), 5, ["age", "job"], 3, terms, 0)}
    for name, change in changes.items():
        again = certify(coarsen(table, 5, name, 3)[0], Histogram(), [5], terms, 0)[0]
        assert change.after == again
        assert change.after.auc.value < change.before.auc.value
        assert change.before == certify(table, Histogram(), [5], terms, 0)[0]


def test_a_missing_number_is_left_out_of_the_question() -> None:
    table = mixed()
    row = int(np.flatnonzero(np.isnan(table.numbers[:, 1]))[0])
    asked = if_coarsened(table, BayesNet(), row, ["score", "age"], 10, Terms(300), 0)
    assert [change.column for change in asked] == ["age"]


def test_dropping_one_of_two_alike_exposes_the_other() -> None:
    """Two people share what nobody else has; without the first the second has it alone."""
    table = people()
    codes = np.array(table.codes)
    codes[4] = 2
    pair = Table(table.schema, codes, table.numbers)
    (change,) = if_dropped(pair, Histogram(), 4, [4, 5], Terms(6), 0)
    assert (change.before.record, change.after.record) == (5, 4)
    assert change.after == certify(pair.without(4), Histogram(), [4], Terms(6), 0)[0]
    assert change.after.auc.value > change.before.auc.value
    assert change.after.telling[0].is_proof


def test_the_most_exposed_of_a_mixed_table_gains_most_by_the_column_named_first() -> None:
    table, terms = mixed(), Terms(300)
    own = max(certify(table, BayesNet(), range(len(table)), terms, 0), key=lambda certificate: certificate.auc.value)
    row = own.record
    names = [column.name for column in table.schema.modelled]
    changes = if_coarsened(table, BayesNet(), row, names, 30, terms, 0)
    best = min(changes, key=lambda change: change.after.auc.value)
    assert best.column in {name for part in own.telling[:2] for name in part.columns}
    assert best.after.auc.value < own.auc.value - 0.05
