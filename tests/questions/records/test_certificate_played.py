"""Certificates of Adult against the best attack itself, played by fits made anew; and what would be seen of a fault."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Ints, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Certificate, Terms, certify
from tests.questions.records.exactness import FALSE, ROUNDS, Judgement, aucs_of, score
from tests.questions.records.test_certificate import summed
from tests.tables import adult, needs_adult

ROWS = 1000
TERMS = Terms(ROWS, curve=tuple(FALSE.tolist()))
SHIFTS = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
"""Normal scores of one side against the other: AUCs from .53 to .9998."""


def normal(shift: float) -> Floats:
    """The curve of two normal laws so far apart."""
    curve: Floats = stats.norm.cdf(stats.norm.ppf(FALSE) + shift)
    return curve


def judged_alike(
    certified: Sequence[float], real: Sequence[float], campaigns: int, rng: np.random.Generator
) -> list[bool]:
    """Whether certificates of ``certified`` agree with what was played of ``real``, campaign by campaign."""
    releases, each = 60, 7
    z = []
    for shift, true in zip(certified, real, strict=True):
        law = aucs_of(normal(shift), releases, ROUNDS, rng)
        seen = aucs_of(normal(true), releases, campaigns * each, rng)
        z.append([score(auc, law, 0.0, rng) for auc in seen])
    return [Judgement(part.ravel()).agrees for part in np.array(z).reshape(len(SHIFTS), campaigns, each).swapaxes(0, 1)]


def test_certificates_that_are_right_are_nearly_always_found_to_be() -> None:
    """Eight curves, the last with one wrong pair in 5,000; the three looks refuse 3 of 1,000 campaigns."""
    agreed = judged_alike(SHIFTS, SHIFTS, 80, np.random.default_rng(1))
    assert sum(agreed) >= 77


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_certificates_that_are_a_little_off_are_found_to_be(factor: float) -> None:
    """By a fifth of the shift, which moves the AUC by .04 at most."""
    agreed = judged_alike([factor * shift for shift in SHIFTS], SHIFTS, 10, np.random.default_rng(2))
    assert sum(agreed) <= 1


@cache
def by_risk() -> Ints:
    """(n,) all records by their certificate along a tree, the highest first."""
    certificates = certify(adult(ROWS), BayesNet(), range(ROWS), TERMS, 1)
    return np.argsort([-certificate.auc.value for certificate in certificates])


@cache
def played(degree: int, records: int, releases: int) -> tuple[Ints, Floats]:
    """Records over the whole range of risk, and the best attack's AUC for each.

    Every record has releases of its own on both sides, from a fit to the table and a fit to the table without it.
    """
    table, generator, rng = adult(ROWS), BayesNet(degree=degree), np.random.default_rng(3)
    order = by_risk()
    rows, aucs = order[np.linspace(0, len(order) - 1, records).astype(int)], []
    fitted = generator.fit(table, rng)
    for row in rows.tolist():
        without = generator.fit(table.without(row), rng)
        sides = (method.sample(ROWS * releases, rng) for method in (fitted, without))
        inside, outside = (summed(fitted.log_prob(side), without.log_prob(side), ROWS) for side in sides)
        aucs.append(float(stats.mannwhitneyu(inside, outside).statistic) / releases**2)
    return rows, np.array(aucs)


def judgement(certificates: Sequence[Certificate], seen: Floats, releases: int) -> Judgement:
    """How far what was seen of each record lies from its certificate."""
    rng, z = np.random.default_rng(4), []
    for certificate, auc in zip(certificates, seen.tolist(), strict=True):
        law = aucs_of(np.array(certificate.curve), releases, ROUNDS, rng)
        z.append(score(auc, law, (certificate.auc.high - certificate.auc.low) / (2 * 1.96), rng))
    return Judgement(np.array(z))


@needs_adult
@pytest.mark.slow
@pytest.mark.parametrize(("degree", "records", "releases", "spread"), [(1, 56, 300, 0.4), (2, 16, 200, 0.35)])
def test_certificates_of_adult_are_what_the_best_attack_achieves(
    degree: int, records: int, releases: int, spread: float
) -> None:
    """Differences in standard errors are as chance has them, over records of AUCs from .55 to .99."""
    rows, seen = played(degree, records, releases)
    certificate = certify(adult(ROWS), BayesNet(degree=degree), rows.tolist(), TERMS, 1)
    verdict = judgement(certificate, seen, releases)
    assert verdict.agrees, str(verdict)
    assert np.ptp([entry.auc.value for entry in certificate]) > spread


@needs_adult
@pytest.mark.parametrize(
    ("row", "auc", "advantage", "tpr"), [(678, 0.6637, 0.2351, 0.0471), (753, 0.6874, 0.2704, 0.0566)]
)
def test_two_records_of_adult_have_the_certificates_they_had(
    row: int, auc: float, advantage: float, tpr: float
) -> None:
    """Two with many hints and no proof. Played 4,000 times a side they gave .657 (SE .006) and .693 (SE .005)."""
    (certificate,) = certify(adult(ROWS), BayesNet(), [row], Terms(ROWS), 1)
    wanted = pytest.approx((auc, advantage, tpr), abs=1.5e-3)
    assert (certificate.auc.value, certificate.advantage.value, certificate.tpr.value) == wanted
    assert certificate.proof.value == pytest.approx(0, abs=1e-9)


def of_twice(table: Table, row: int) -> Certificate:
    """The certificate of the record where it stands in the table twice: one copy is never dropped from the counts."""
    return certify(table.plus(table.rows([row])), BayesNet(), [row], TERMS, 1)[0]


@needs_adult
@pytest.mark.slow
@pytest.mark.parametrize("fault", ["own count kept", "next in order", "next in the table", "shorter releases"])
def test_a_fault_in_the_certificates_of_adult_is_seen(fault: str) -> None:
    """Counts that keep the dropped record; the certificate of a neighbour; releases of 800 rows taken for 1,000."""
    rows, seen = played(1, 56, 300)
    table = adult(ROWS)
    if fault == "own count kept":
        wrong = [of_twice(table, row) for row in rows.tolist()]
    elif fault == "shorter releases":
        wrong = certify(table, BayesNet(), rows.tolist(), replace(TERMS, n_syn=800), 1)
    else:
        order = by_risk() if fault == "next in order" else np.arange(ROWS)
        place = np.empty(ROWS, dtype=np.int64)
        place[order] = np.arange(ROWS)
        near = order[(place[rows] + 20) % ROWS] if fault == "next in order" else order[(place[rows] + 1) % ROWS]
        wrong = certify(table, BayesNet(), near.tolist(), TERMS, 1)
    verdict = judgement(wrong, seen, 300)
    assert not verdict.agrees, str(verdict)
