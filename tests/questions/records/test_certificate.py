"""The certificate of a record: against the attack itself, played; against other attacks; and what it says beside it."""

import json
import time
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.copula import Copula
from riskkit.generators.engines.ratios import Ratio
from riskkit.generators.histogram import Histogram
from riskkit.generators.stat import Stat
from riskkit.generators.synthpop import Synthpop
from riskkit.generators.whole_rows import Bootstrap
from riskkit.plain import plain
from riskkit.questions.records import certificate
from riskkit.questions.records.certificate import CURVE, Certificate, Terms, certify, is_certified
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.table.load import Tables
from tests.generators.networks import leaning
from tests.tables import adult, mixed, needs_adult

NOBODY_ELSE = 1e6
"""What a row counts that only one of the fits can put out."""


def summed(inside: Floats, outside: Floats, n: int) -> Floats:
    """The summed log ratio of releases of ``n`` rows, from the log-probabilities of the rows under either fit."""
    both = np.isfinite(inside) & np.isfinite(outside)
    ratio = np.where(np.isfinite(inside), NOBODY_ELSE, 0.0) - np.where(np.isfinite(outside), NOBODY_ELSE, 0.0)
    ratio[both] = inside[both] - outside[both]
    sums: Floats = ratio.reshape(-1, n).sum(axis=1)
    return sums


def played(generator: Any, table: Table, rows: Ints, n: int, releases: int, seed: int) -> Floats:
    """(k, 3) AUC, advantage and chance of a proof of the best attack, each from as many releases a side.

    All records share the releases with everybody.
    """
    rng = np.random.default_rng(seed)
    fitted = generator.fit(table, rng)
    with_all = fitted.sample(n * releases, rng)
    of_all, achieved = fitted.log_prob(with_all), []
    for row in rows:
        without = fitted.without(int(row))
        without = without.count() if hasattr(without, "count") else without
        with_others = without.sample(n * releases, rng)
        inside = summed(of_all, without.log_prob(with_all), n)
        outside = summed(fitted.log_prob(with_others), without.log_prob(with_others), n)
        auc = stats.mannwhitneyu(inside, outside).statistic / releases**2
        cut = np.concatenate([inside, outside])
        tpr, fpr = ((side[:, None] >= cut[None, ::7]).mean(axis=0) for side in (inside, outside))
        achieved.append((auc, (tpr - fpr).max(), (inside > NOBODY_ELSE / 2).mean()))
    return np.array(achieved)


def error_of_auc(auc: Floats, releases: int) -> Floats:
    """Hanley and McNeil's standard error."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance: Floats = (auc * (1 - auc) + (releases - 1) * (q1 + q2 - 2 * auc**2)) / releases**2
    return np.sqrt(variance)


def values(certificates: list[Certificate]) -> Floats:
    """(k, 3) AUC, advantage and chance of a proof, and in (k, 3) their stated errors."""
    return np.array(
        [[certificate.auc.value, certificate.advantage.value, certificate.proof.value] for certificate in certificates]
    )


SMALL = [
    (BayesNet(), leaning(60, 1)),
    (BayesNet(smoothing=0.2), leaning(60, 2)),
    (BayesNet(degree=2), leaning(60, 3)),
    (BayesNet(degree=2, smoothing=0.2), leaning(60, 3)),
    (BayesNet(bins=4), mixed(60)),
    (Histogram(), mixed(60)),
]


@pytest.mark.parametrize(("generator", "table"), SMALL)
def test_it_is_what_the_best_attack_achieves_when_played(generator: Any, table: Table) -> None:
    """Eight records, 1,500 releases a side: AUC and chance of a proof within 3.5 standard errors of both numbers."""
    n, releases = 40, 1500
    risk = values(certify(table, BayesNet(), range(len(table)), Terms(n), 0))[:, 0]
    rows = np.argsort(-risk)[np.linspace(0, len(table) - 1, 8).astype(int)]
    certificate = certify(table, generator, rows.tolist(), Terms(n), 1)
    wanted, seen = values(certificate), played(generator, table, rows, n, releases, 2)
    own = np.array([entry.auc.high - entry.auc.value for entry in certificate]) / 1.96
    error = np.sqrt(error_of_auc(wanted[:, 0], releases) ** 2 + own**2)
    assert np.all(np.abs(seen[:, 0] - wanted[:, 0]) <= 3.5 * error + 1e-3)
    assert np.all(np.abs(seen[:, 1] - wanted[:, 1]) <= 0.06)
    proof = np.maximum(np.sqrt(wanted[:, 2] * (1 - wanted[:, 2]) / releases), 1e-3) + 2 * own
    assert np.all(np.abs(seen[:, 2] - wanted[:, 2]) <= 3.5 * proof)
    assert np.ptp(wanted[:, 0]) > 0.05


def test_a_network_counted_with_one_more_would_be_seen() -> None:
    """A certificate of the table with the record twice is none of the table: the check above can fail."""
    table = leaning(60, 1)
    twice = table.plus(table.rows([0]))
    (wrong,), right = (
        certify(twice, BayesNet(), [0], Terms(40), 1),
        played(BayesNet(), table, np.array([0]), 40, 1500, 2),
    )
    assert abs(wrong.auc.value - right[0, 0]) > 4 * error_of_auc(right[0, 0], 1500)


def test_rows_drawn_near_a_record_say_what_the_exact_way_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where columns lean on several there is no other way; along a tree it can be held against the exact one."""
    table, terms = leaning(60, 1), Terms(40)
    exact = values(certify(table, BayesNet(), range(0, 60, 6), terms, 1))
    real = BayesNet().fit(table, np.random.default_rng(0)).ratios

    class Unworked:
        def ratio(self, row: int) -> Ratio:
            return Ratio(real().ratio(row).cells, None)

    monkeypatch.setattr("riskkit.generators.bayesnet.FittedBayesNet.ratios", lambda *_: Unworked())
    drawn = certify(table, BayesNet(), range(0, 60, 6), terms, 1)
    for estimated, wanted in zip(drawn, exact, strict=True):
        for estimate, value in zip((estimated.auc, estimated.advantage, estimated.proof), wanted, strict=True):
            assert abs(estimate.value - value) <= (estimate.high - estimate.low) + 1e-3  # four standard errors


def test_a_row_drawn_with_replacement_has_the_published_auc() -> None:
    table = mixed(200)
    row = int(np.flatnonzero((table.keys()[:, None] == table.keys()[None]).sum(axis=0) == 1)[0])
    (certificate,) = certify(table, Bootstrap(), [row], Terms(200), 0)
    assert certificate.auc.value == pytest.approx(0.8165, abs=5e-5)  # KA2
    assert (certificate.auc.low, certificate.auc.high) == (certificate.auc.value, certificate.auc.value)


def test_a_category_that_one_person_has_exposes_them_through_columns_drawn_apart() -> None:
    """KA9: independent marginals are no null."""
    table = leaning(1000, 4, (2, 2, 2))
    codes = np.array(table.codes)
    codes[17, 0] = 2
    (certificate,) = certify(Table(table.schema, codes, table.numbers), Histogram(), [17], Terms(1000), 0)
    assert certificate.auc.value == pytest.approx(0.8165, abs=6e-3)  # the other columns tell a little too
    assert certificate.proof.value == pytest.approx(1 - 0.999**1000, abs=1e-9)
    first = certificate.telling[0]
    assert (first.columns, first.both, first.above, first.is_proof) == (("column 0",), 1, 1000, True)
    assert first.seen == pytest.approx(0.632, abs=1e-3)


def test_blocks_give_the_same_numbers() -> None:
    table, terms = leaning(60, 3), Terms(60, drawn=5_000)
    for generator in (BayesNet(), BayesNet(degree=2)):
        together = certify(table, generator, range(10), terms, 5)
        apart = [certificate for row in range(10) for certificate in certify(table, generator, [row], terms, 5)]
        assert together == apart


def test_what_is_kept_is_plain() -> None:
    table = mixed(60)
    (certificate,) = certify(table, BayesNet(), [4], Terms(60, curve=(0.0, 0.1, 1.0)), 5)
    kept = plain(certificate)
    assert json.loads(json.dumps(kept)) == kept
    assert kept["auc"][1] <= kept["auc"][0] <= kept["auc"][2]
    assert len(kept["curve"]) == 3
    assert kept["curve"][-1] == pytest.approx(1.0)
    assert sum(part["part"] for part in kept["telling"]) == pytest.approx(1.0)
    assert {name for part in kept["telling"] for name in part["columns"]} <= {"ward", "age", "smoker", "score"}
    estimates = certificate.estimates("bayesnet", 0.95)
    assert [estimate.name for estimate in estimates] == [
        "certificate",
        "certificate_advantage",
        "certificate_tpr",
        "certificate_proof",
    ]
    assert {estimate.labels["record"] for estimate in estimates} == {"4"}


def test_methods_without_a_known_probability_have_none() -> None:
    for generator in (Stat(), Copula(), Synthpop(proper=True), Synthpop(smoothing="density")):
        assert not is_certified(generator)
        with pytest.raises(DesignError, match="no optimal-attack bound"):
            certify(mixed(30), generator, [0], Terms(30), 0)
    assert is_certified(BayesNet())
    assert is_certified(Synthpop(smoothing="gap"))


def test_copies_of_a_record_lower_its_certificate() -> None:
    table = leaning(60, 1)
    row = int(np.argmax(values(certify(table, BayesNet(), range(60), Terms(60), 0))[:, 0]))
    alone, with_copy = (
        certify(world, BayesNet(), [row], Terms(60), 0)[0] for world in (table, table.plus(table.rows([row] * 3)))
    )
    assert with_copy.auc.value < alone.auc.value - 0.05
    assert with_copy.proof.value == 0.0


@needs_adult
@pytest.mark.slow
def test_every_record_of_adult_within_a_minute() -> None:
    """1,000 x 15, degree 1: measured 4 s on one core."""
    start = time.process_time()
    certificate = certify(adult(1000), BayesNet(), range(1000), Terms(1000), 0)
    assert time.process_time() - start < 60
    aucs = values(certificate)[:, 0]
    assert 0.5 < aucs.min() < 0.6
    assert 0.95 < aucs.max() <= 1


def test_curve_positions_are_rates() -> None:
    assert CURVE[0] == 0
    assert list(CURVE) == sorted(CURVE)
    assert CURVE[-1] == pytest.approx(1.0)
    assert certificate.SHOWN >= 3


def test_no_attack_is_shown_to_do_better() -> None:
    """Every record of a table, by the attack of the Records page at a level that allows for looking at all of them."""
    table = mixed(60)
    plan = RecordsPlan(inside=60, outside=60, shadows=40, again=0, n_syn=60, certificate=True, level=0.9999)
    people = run_records(Tables(table, None, None, table.schema, (), ()), plan).records
    shown = np.array([person.auc.low for person in people if person.auc])
    best = np.array([person.best.auc.high for person in people if person.auc and person.best])
    assert np.all(shown <= best)
    assert (shown > 0.5).sum() >= 5  # the attack shows something of somebody
    assert not np.all(shown <= 0.5 + 0.4 * (best - 0.5))  # and a bound that is far too low would be seen
