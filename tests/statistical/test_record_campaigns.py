"""Whole campaigns over many records: nothing where there is nothing, and exactly those who were planted."""

import logging

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import play_table
from riskkit.questions.records.result import read, risks
from riskkit.stats.roc import auc_value
from tests.games.records import Copies, crowd, tables
from tests.oracles import stand_beside

FIGURES = logging.getLogger("riskkit.statistical")
"""What was measured; shown by pytest with --log-cli-level=INFO."""
ROOMS = ("attacks", "targets", "released", "inference", "explained", "inverters", "defences")


def test_the_attacker_never_learns_from_what_is_counted() -> None:
    """M2: 60 records, a generator that ignores the table; learnt from counted releases, every AUC would be near 1."""
    plan = RecordsPlan(generator="independent", inside=20, outside=20, shadows=20, again=5, n_syn=50)
    result = play_table(tables(crowd(60)), plan)
    auc = auc_value(*result.first.arms)
    assert abs(float(auc.mean()) - 0.5) < 0.04
    assert not risks(result.result()).listed(0.5).any()
    assert result.fresh is not None
    assert abs(float(auc_value(*result.fresh.arms).mean()) - 0.5) < 0.13


@pytest.mark.slow
def test_a_generator_that_copies_nobody_lists_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEG1 through the whole engine: 100 campaigns of 60 records at N = 40, releases shared as they always are."""
    stand_beside(monkeypatch, {"generators": {"copies": Copies}, **{room: {} for room in ROOMS}})
    table, campaigns_with_a_name, top, p_values = crowd(60, copied=0), 0, [], []
    for seed in range(100):
        plan = RecordsPlan(generator="copies", inside=20, outside=20, shadows=5, again=0, n_syn=30, seed=seed)
        result = play_table(tables(table), plan)
        campaign = risks(result.result())
        campaigns_with_a_name += bool(campaign.listed(0.5).any())
        top.append(float(auc_value(*result.first.arms).max()))
        p_values.append(campaign.p(0.5))
    assert campaigns_with_a_name <= 15
    # Normal with the exact variance of 20 and 20 trials: the highest of 60 lies at 2.32 standard errors on average.
    assert np.mean(top) == pytest.approx(0.5 + 2.32 * np.sqrt(41 / (12 * 400)), abs=0.02)
    assert 0.02 <= np.mean(np.concatenate(p_values) <= 0.05) <= 0.065


def maxima(records: int, counted: int, rounds: int) -> Floats:
    """(rounds,) the highest AUC of so many records that are not in, each with so many releases a side of its own."""
    rng, highest = np.random.default_rng(5), []
    for _ in range(rounds):
        ranks = rng.random((records, 2 * counted)).argsort(axis=1).argsort(axis=1)[:, :counted].sum(axis=1)
        highest.append((ranks.max() - counted * (counted - 1) / 2) / counted**2)
    return np.array(highest)


@pytest.mark.slow
def test_a_method_that_ignores_the_table_lists_nobody_and_its_highest_auc_is_that_of_chance() -> None:
    """100 campaigns of 60 records, 40 + 40 counted releases of `independent`, drawn and scored as in any audit.

    The highest AUC of a campaign is spread as the largest of 60 rank sums is. Records share the releases with
    everybody, but each looks at other rows of them, so they hardly move together. Uncorrected, most campaigns would
    have named somebody.
    """
    records, counted, named, uncorrected, top, p_values = 60, 40, 0, 0, [], []
    table = crowd(records, copied=0)
    for seed in range(100):
        plan = RecordsPlan(
            generator="independent", inside=counted, outside=counted, shadows=8, again=0, n_syn=30, seed=seed
        )
        result = play_table(tables(table), plan)
        campaign = risks(result.result())
        named += bool(campaign.listed(0.5).any())
        uncorrected += bool((campaign.p(0.5) <= 0.05).any())
        top.append(float(auc_value(*result.first.arms).max()))
        p_values.append(campaign.p(0.5))
    chance = maxima(records, counted, 4000)
    assert named <= 15
    assert uncorrected >= 60, "the count above could not have failed"
    assert abs(np.mean(top) - chance.mean()) <= 4 * chance.std() / np.sqrt(len(top))
    assert stats.ks_2samp(top, chance).pvalue > 1e-3
    assert 0.03 <= np.mean(np.concatenate(p_values) <= 0.05) <= 0.065
    FIGURES.info(
        "%d of 100 campaigns list somebody (%d uncorrected); highest AUC %.3f on average, by chance %.3f (SD %.3f)",
        named,
        uncorrected,
        np.mean(top),
        chance.mean(),
        chance.std(),
    )


@pytest.mark.slow
def test_ten_copied_people_of_a_thousand_are_listed_and_nearly_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """KA12: the mean AUC is about .505, and ten of ten are listed at N = 100."""
    stand_beside(monkeypatch, {"generators": {"copies": Copies}, **{room: {} for room in ROOMS}})
    table = crowd(1000)
    copied = set(np.flatnonzero(table.numbers[:, 0] >= 90).tolist())
    plan = RecordsPlan(generator="copies", inside=50, outside=50, shadows=20, again=10, n_syn=200)
    result = play_table(tables(table), plan)
    named = {person.row for person in read(result.result()).listed}
    assert copied <= named
    assert len(named) <= 12
    assert float(auc_value(*result.first.arms).mean()) == pytest.approx(0.505, abs=0.01)
    assert set(result.rows[result.again].tolist()) == copied
    assert all(row.auc and row.auc.value == 1.0 for row in result.records() if row.is_fresh)
