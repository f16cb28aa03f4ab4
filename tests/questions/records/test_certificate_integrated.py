"""Certificates that integrate over noise: their numbers, their intervals, whom they refuse, and played on real fits."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines import noisy_releases
from riskkit.generators.privbayes import PrivBayes
from riskkit.plain import plain
from riskkit.questions.promises import certificate
from riskkit.questions.records import play
from riskkit.questions.records.certificate import Certificate, Terms, Weighed, certify, has_certificates, is_integrated
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.table.encode import bin_columns
from riskkit.table.load import Tables
from tests.generators.test_privbayes import categories
from tests.tables import mixed

GENERATOR = PrivBayes(epsilon=6.0, degree=1)


def few(seed: int, n: int = 8) -> Table:
    """A small table of three columns of two and three values."""
    rng = np.random.default_rng([5, seed])
    return categories([tuple(map(int, row)) for row in rng.integers((2, 3, 2), size=(n, 3))], (2, 3, 2))


def tables(table: Table) -> Tables:
    """A session that holds that table alone."""
    return Tables(table, None, None, table.schema, (), ())


def auc(scores: np.ndarray, others: np.ndarray) -> float:
    gap = scores[:, None] - others[None]
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


def test_numbers_of_listed_releases_by_hand() -> None:
    """Three releases of chances .5, .3, .2 with and .2, .3, .5 without: of pairs .5 * .8 + .3 * .5 + ties."""
    best = Weighed.weigh(np.log([0.5, 0.3, 0.2]), np.log([0.2, 0.3, 0.5]), is_listed=True)
    assert best.auc[0] == pytest.approx(0.5 * 0.8 + 0.3 * 0.5 + (0.5 * 0.2 + 0.3 * 0.3 + 0.2 * 0.5) / 2)
    assert best.advantage[0] == pytest.approx(0.3)
    assert best.auc[1] == best.advantage[1] == 0.0
    np.testing.assert_allclose(best.tpr(np.array([0.0, 0.1, 0.2, 0.35, 1.0]))[0], [0.0, 0.25, 0.5, 0.65, 1.0])


def test_drawn_releases_have_the_errors_that_they_state() -> None:
    """Two normal laws one apart: their AUC, advantage and share named at .3 are known; 400 sets of 150 draws a side."""
    off = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        ratio = np.concatenate([rng.normal(0.5, 1.0, 150), rng.normal(-0.5, 1.0, 150)])
        best = Weighed.weigh(np.zeros(300), -ratio, is_listed=False)
        (named,), (error,) = best.tpr(np.array([0.3]))
        pairs, truths = (best.auc, best.advantage, (named, error)), (0.76025, 0.38292, 0.68282)
        for (value, own), truth in zip(pairs, truths, strict=True):
            off.append((value - truth) / own)
    z = np.array(off).reshape(-1, 3)
    assert np.abs(z.mean(axis=0)).max() < 0.3
    assert np.abs(z.std(axis=0) - 1).max() < 0.2


def drawn(table: Table, rows: list[int], terms: Terms, seed: int, monkeypatch: pytest.MonkeyPatch) -> list[Certificate]:
    """Certificates from releases that are drawn, though they could be listed."""
    with monkeypatch.context() as patch:
        patch.setattr(noisy_releases, "LISTED", 0)
        return certify(table, GENERATOR, rows, terms, seed)


@pytest.mark.second
def test_drawn_certificates_hold_the_listed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 tables, three numbers each: no more outside their intervals than chance puts there."""
    outside, apart = 0, []
    for seed in range(40):
        table, terms = few(seed), Terms(3, fpr=0.1, drawn=5_000)
        (truth,), (about,) = certify(table, GENERATOR, [2], terms, 1), drawn(table, [2], terms, seed, monkeypatch)
        assert truth.method == "best attack, exact"
        assert about.method == "best attack, 500 drawn releases"
        for exact, own in zip(truth.numbers[:3], about.numbers[:3], strict=True):
            assert exact.low == exact.value == exact.high
            outside += not own.low <= exact.value <= own.high
        apart.append(about.auc.value - truth.auc.value)
    assert outside <= 15  # 6 of 120 expected
    assert abs(np.mean(apart)) < 4 * np.std(apart) / 40**0.5


def test_what_a_release_tells_is_less_than_what_its_noise_allows() -> None:
    table = few(1)
    (told_by_release,) = certify(table, GENERATOR, [0], Terms(3), 1)
    allowed = certificate("privbayes:epsilon=6,degree=1", "add-one", len(table), 3)
    assert allowed is not None
    assert 0.5 < told_by_release.auc.value < allowed
    assert told_by_release.proof.value == 0.0
    assert told_by_release.telling == ()


def test_worlds_that_hardly_meet_are_told_apart_for_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise to speak of, 2,000 rows of a table of 8 show who is missing; draws of one world do not."""
    monkeypatch.setattr(sys.modules[__name__], "GENERATOR", PrivBayes(epsilon=1e6, degree=1))
    (about,) = drawn(few(0), [2], Terms(2_000, drawn=500), 1, monkeypatch)
    assert about.auc.value > 0.999
    assert about.advantage.value > 0.99


def test_longer_releases_and_more_of_one_fit_tell_more_and_people_more_than_rows() -> None:
    table = few(2)
    (certificate,) = certify(table, GENERATOR, [0], Terms(9, releases=3), 1)
    assert [after.releases for after in certificate.after] == [1, 2, 3]
    assert certificate.after[0].auc < certificate.after[1].auc < certificate.after[2].auc == certificate.auc.value
    assert certificate.after[0].auc == certify(table, GENERATOR, [0], Terms(3), 1)[0].auc.value
    both = certify(table, GENERATOR, [np.array([0, 1])], Terms(3), 1)[0]
    assert both.record == 0
    assert both.auc.value != certificate.after[0].auc


def test_certificates_do_not_lean_on_who_else_is_asked() -> None:
    table, terms = few(3), Terms(40)
    certificate, many = certify(table, GENERATOR, [4], terms, 1), certify(table, GENERATOR, [0, 4], terms, 1)
    assert plain(certificate[0]) == plain(many[1])


def played(table: Table, row: int, n: int, trainings: int) -> tuple[float, float, float]:
    """The certificate; and the best attack on real fits and their releases, with its standard error."""
    generator = PrivBayes(epsilon=20.0, degree=1, bins=2)
    (certificate,) = certify(table, generator, [row], Terms(n), 1)
    law = generator.releases(table, n, 2, np.random.default_rng(0))
    scores = []
    for side, world in enumerate((table, table.without([row]))):
        seen = []
        for number in range(trainings):
            rng = np.random.default_rng([side, number, row])
            codes = bin_columns(generator.fit(world, rng).sample(n, rng), 2)[0]
            cells = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), law.sizes)
            seen.append(np.bincount(cells, minlength=int(np.prod(law.sizes))).reshape(law.sizes))
        own = replace(law, seen=np.array(seen), orders=np.zeros(trainings))
        scores.append(own.log_prob(table) - own.log_prob(table.without([row])))
    value = auc(*scores)
    return certificate.auc.value, value, (value * (1 - value) / trainings * 2 / 3 + 1 / (6 * trainings)) ** 0.5


@pytest.mark.second
@pytest.mark.parametrize("row", [0, 3, 7])
def test_the_attack_reaches_its_certificate_on_real_fits(row: int) -> None:
    """Numbers, missing values, 30 rows released of 20; 1,000 trainings a side."""
    certified, value, error = played(mixed(20), row, 30, 1_000)
    assert abs(value - certified) < 3.5 * error


def test_a_run_of_records_has_them() -> None:
    table = few(4, 12)
    plan = RecordsPlan(
        generator="privbayes:degree=1,epsilon=6",
        records="ids:0,5",
        inside=5,
        outside=5,
        shadows=5,
        again=0,
        n_syn=3,
        certificate=True,
    )
    result = play.play_table(tables(table), plan)
    assert [certificate.record for certificate in result.certificates] == [0, 5]
    assert all(0.5 < certificate.auc.value < 0.8 for certificate in result.certificates)


def test_of_large_tables_and_several_fits_the_noise_gives_a_bound() -> None:
    table = mixed(20)
    assert not is_integrated(PrivBayes(degree=1, bins=100), table, 20)
    assert not has_certificates(PrivBayes(degree=1, bins=100), table)
    assert has_certificates(PrivBayes(degree=1, bins=2), table)
    assert has_certificates(BayesNet(bins=100), table)
    plan = RecordsPlan(records="ids:0,5", inside=5, outside=5, shadows=5, certificate=True, n_syn=20, again=0)
    large, several = "privbayes:degree=1,bins=100", "privbayes:degree=1,bins=2"
    columns = len(table.schema.modelled)
    for asked, fits in ((replace(plan, generator=large), 1), (replace(plan, generator=several, releases=2), 2)):
        bounds = {person.bound for person in run_records(tables(table), asked).records}
        assert bounds == {certificate(asked.generator, "add-one", 20, columns, fits)}
