"""Certificates of people of a real table, 1 to 23 rows each: the best attack is played on releases of its own.

The game asks nothing of the code of certificates: a fit to the table and a fit without all rows of the person are made
anew, and released rows are scored by the probabilities of both. Planted fault: the certificate of the person's most
exposed single row in its place.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from riskkit.core import Ints, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Terms, certify
from tests.tables import DATA, from_frame

FILE = DATA / "diabetes130" / "diabetic_data.csv.gz"
PATIENTS = 2_000
COLUMNS = (
    "race", "gender", "age", "admission_type_id", "discharge_disposition_id", "admission_source_id", "time_in_hospital",
    "num_lab_procedures", "num_procedures", "num_medications", "number_inpatient", "number_diagnoses", "insulin",
    "change", "readmitted",
)  # fmt: skip
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="diabetes130 (shared/data) is not on this machine")


def patients(people: int) -> tuple[Table, Ints]:
    """The stays of the first so many patients, and whose each is."""
    frame = pd.read_csv(FILE, keep_default_na=False)
    person = pd.factorize(frame["patient_nbr"])[0]
    some = person < people
    return from_frame(frame.loc[some, list(COLUMNS)].reset_index(drop=True)), person[some].astype(np.int64)


def played(table: Table, rows: Ints, n_syn: int, releases: int, rng: np.random.Generator) -> float:
    """The AUC of the likelihood ratio of both fits, on so many releases of each."""
    method: Any = BayesNet()
    inside, outside = method.fit(table, rng), method.fit(table.rows(np.delete(np.arange(len(table)), rows)), rng)
    sums = []
    for world in (inside, outside):
        every = world.sample(n_syn * releases, rng)
        gap = inside.log_prob(every) - outside.log_prob(every)
        sums.append(gap.reshape(releases, n_syn).sum(axis=1))
    return float(stats.mannwhitneyu(sums[0], sums[1]).statistic) / releases**2


def deviations(people: int, asked: int, releases: int) -> tuple[list[float], list[float], list[int]]:
    """How many standard errors the games of so many people with several rows lie from their certificates, and from
    those of their most exposed row; and how many rows they have."""
    (table, person), rng = patients(people), np.random.default_rng(20)
    sizes = np.bincount(person)
    several = np.flatnonzero(sizes > 1)
    whom = several[np.argsort(sizes[several], kind="stable")][np.linspace(0, len(several) - 1, asked).astype(int)]
    terms, own, single = Terms(people, curve=()), [], []
    for who in whom.tolist():
        rows = np.flatnonzero(person == who)
        (whole,) = certify(table, BayesNet(), [rows], terms, 1)
        row = max(certificate.auc.value for certificate in certify(table, BayesNet(), rows.tolist(), terms, 1))
        auc = played(table, rows, people, releases, rng)
        error = np.sqrt(variance(auc, releases))
        own.append((auc - whole.auc.value) / error)
        single.append((auc - row) / error)
    return own, single, sizes[whom].tolist()


def variance(auc: float, n: int) -> float:
    """Hanley and McNeil's of an AUC from so many a side, away from 0 where it is 1."""
    auc = min(max(auc, 1 / (2 * n)), 1 - 1 / (2 * n))
    same = auc * (1 - auc) + (n - 1) * (auc / (2 - auc) - auc**2) + (n - 1) * (2 * auc**2 / (1 + auc) - auc**2)
    return same / n**2


@pytest.mark.slow
def test_the_first_two_thousand_patients() -> None:
    own, single, sizes = deviations(PATIENTS, 30, 200)
    assert (min(sizes), max(sizes)) == (2, 23)
    square = float(np.square(own).sum())
    assert stats.chi2.sf(square, len(own)) > 1e-3, (square, np.round(own, 1).tolist())
    assert max(map(abs, own)) < 4
    assert stats.chi2.sf(float(np.square(single).sum()), len(own)) < 1e-9, "one row in the place of all would be seen"


def test_a_few_patients_of_a_smaller_table() -> None:
    own, _, sizes = deviations(300, 5, 100)
    assert max(sizes) > 3
    assert max(map(abs, own)) < 4, np.round(own, 1).tolist()
