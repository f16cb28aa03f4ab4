"""Certificates of several releases against every sequence of releases of small tables, and against play on Adult."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.games.several_releases import repeat
from riskkit.generators.bayesnet import BayesNet
from riskkit.plain import plain
from riskkit.questions.records.certificate import Certificate, Terms, certify
from tests.questions.records.enumeration import FPR, of_releases
from tests.questions.records.exactness import FALSE, ROUNDS, Judgement, aucs_of, score
from tests.questions.records.fuzzed import method, small
from tests.questions.records.tally import Tally
from tests.questions.records.test_certificate import summed
from tests.tables import adult, needs_adult


def compared(seeds: range, *, rows_more: int = 0) -> Tally:
    """The first record of every table and one by chance; ``rows_more`` plants a count that is wrong."""
    tally = Tally()
    for seed in seeds:
        table, (generator, n) = small(seed), method(seed)
        rng = np.random.default_rng([seed, 4])
        for row in {0, int(rng.integers(len(table)))}:
            best, n, releases = of_releases(generator, table, row, n, int(rng.integers(2, 5)))
            terms = Terms(n * releases + rows_more, fpr=FPR, releases=releases)
            (certificate,) = certify(table, generator, [row], terms, seed)
            tally.add(certificate, best, generator.name, seed, row)
    return tally


def test_several_releases_against_every_sequence_of_them() -> None:
    tally = compared(range(20))
    assert not tally.far, str(tally)
    assert tally.exact.total() > 20


@pytest.mark.slow
def test_a_thousand_tables_against_every_sequence_of_releases() -> None:
    tally = compared(range(6_000, 7_000))
    assert not tally.far, str(tally)
    assert tally.exact.total() > 1_500
    assert np.mean(tally.outside) <= 0.1


def test_one_row_too_many_would_be_seen() -> None:
    assert len(compared(range(10), rows_more=1).far) > 6


def test_after_each_count_it_is_the_certificate_of_that_count() -> None:
    table = small(7)
    (certificate,) = certify(table, BayesNet(), [0], Terms(4 * 3, releases=4), 1)
    alone = [certify(table, BayesNet(), [0], Terms(3 * count), 1)[0].auc.value for count in (1, 2, 3, 4)]
    assert [after.releases for after in certificate.after] == [1, 2, 3, 4]
    assert [after.auc for after in certificate.after] == alone
    assert alone == sorted(alone), "more releases tell more"


def test_one_release_keeps_its_bytes() -> None:
    (certificate,) = certify(small(7), BayesNet(), [0], Terms(5), 1)
    assert certificate.after == ()
    assert "after" not in plain(certificate)


@pytest.mark.slow
@needs_adult
def test_sixty_people_of_two_tables_of_adult_after_1_2_5_10_and_30_releases() -> None:
    """Medians near .62, .67, .76, .84 and .96 were foretold; how far they lie from these is the table's."""
    medians = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        table = adult().rows(np.sort(rng.permutation(30_162)[:1000]))
        rows = rng.permutation(1000)[:60].tolist()
        each = [certify(table, BayesNet(), rows, Terms(1000 * count, curve=()), 1) for count in (1, 2, 5, 10, 30)]
        medians.append([float(np.median([certificate.auc.value for certificate in entry])) for entry in each])
    assert medians[0] == pytest.approx([0.615, 0.661, 0.744, 0.823, 0.946], abs=0.002)
    assert medians[1] == pytest.approx([0.639, 0.692, 0.787, 0.870, 0.974], abs=0.002)
    assert np.mean(medians, axis=0) == pytest.approx([0.62, 0.67, 0.76, 0.84, 0.96], abs=0.015)


def _played(releases: int, records: int, sequences: int) -> tuple[list[int], list[float]]:
    """The best attack's AUC on records over the whole range of risk, each with sequences of its own on both sides."""
    table, rng = adult(1000), np.random.default_rng(11)
    method: Any = repeat(BayesNet(), releases)
    order = np.argsort([-each.auc.value for each in certify(table, BayesNet(), range(1000), Terms(1000), 0)])
    rows, aucs = order[np.linspace(0, len(order) - 1, records).astype(int)].tolist(), []
    fitted, seen = method.fit(table, rng), 1000 * releases
    for row in rows:
        without = method.fit(table.without(row), rng)
        sums = []
        for method_fitted in (fitted, without):
            shown = (method_fitted.sample(seen, rng) for _ in range(sequences))
            sums.append(np.concatenate([summed(fitted.log_prob(all_), without.log_prob(all_), seen) for all_ in shown]))
        aucs.append(float(stats.mannwhitneyu(sums[0], sums[1]).statistic) / sequences**2)
    return rows, aucs


def _judged(certificates: list[Certificate], aucs: list[float], sequences: int) -> Judgement:
    rng, z = np.random.default_rng(4), []
    for certificate, auc in zip(certificates, aucs, strict=True):
        z.append(score(auc, aucs_of(np.array(certificate.curve), sequences, ROUNDS, rng), 0.0, rng))
    return Judgement(np.array(z))


@needs_adult
@pytest.mark.slow
@pytest.mark.parametrize("releases", [2, 10])
def test_the_best_attack_played_on_several_releases_of_adult(releases: int) -> None:
    """And certificates of half as many releases are refused."""
    rows, aucs = _played(releases, 14, 120)
    terms = [Terms(1000 * count, curve=tuple(FALSE.tolist())) for count in (releases, max(releases // 2, 1))]
    right, wrong = (certify(adult(1000), BayesNet(), rows, term, 1) for term in terms)
    judgement = _judged(right, aucs, 120)
    assert judgement.agrees, str(judgement)
    assert not _judged(wrong, aucs, 120).agrees
