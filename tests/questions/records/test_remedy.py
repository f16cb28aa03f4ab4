"""The least change that is enough: against direct search, against counts by hand, and where nothing is in order."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines.noisy_counts import rho_of_delta
from riskkit.questions.records import remedy as remedies
from riskkit.questions.records import words
from riskkit.questions.records.certificate import Terms, Three, certify
from riskkit.questions.records.remedy import SHARING, Knob, RemedyPoint, Search, Trial, knobs, remedy
from tests.generators.networks import leaning
from tests.tables import mixed

EPSILON = Knob("epsilon", 0.01, 100.0, False, False, 1.0)


def one_column() -> Table:
    """Forty people of one column of three levels."""
    schema = Schema((Column("ward", Kind.CATEGORICAL, levels=("east", "north", "west")),))
    return Table(schema, np.arange(40)[:, None] % 3, np.empty((40, 0)))


# --- what is tried ---------------------------------------------------------------------------------------------------


def test_values_run_from_least_to_most_protection() -> None:
    assert EPSILON.grid() == (100.0, 15.8, 2.51, 1.0, 0.398, 0.0631, 0.01)
    assert Knob("degree", 1, 3, True, False, 2.0).grid() == (3.0, 2.0, 1.0)
    assert Knob("sharing", 1, 32, True, True, 1.0).grid() == (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    assert Knob("smoothing", 0.0, 100.0, False, True, 0.0).grid()[:3] == (0.0, 0.001, 0.01)


def test_halving_ends() -> None:
    assert EPSILON.between(1.0, 4.0) == 2.0
    assert EPSILON.between(1.0, 1.04) is None
    whole = Knob("bins", 2, 100, True, False, 10.0)
    assert (whole.between(4, 100), whole.between(7, 9), whole.between(7, 8)) == (20.0, 8.0, None)
    at_nought = Knob("smoothing", 0.0, 100.0, False, True, 0.0)
    assert (at_nought.between(0.0, 0.05), at_nought.between(0.0, 0.001)) == (0.005, None)


def test_a_method_names_its_settings() -> None:
    assert [knob.name for knob in knobs("bayesnet:bins=7", 400)] == ["smoothing", "bins", "degree", SHARING]
    assert [(knob.low, knob.high, knob.now) for knob in knobs("bayesnet:bins=7", 400)[1:]] == [
        (2, 100, 7.0),
        (1, 3, 1.0),
        (1, 100, 1.0),
    ]
    assert [(knob.name, knob.low, knob.high) for knob in knobs("privbayes:epsilon=2", 400)] == [("epsilon", 0.02, 200)]
    assert [knob.name for knob in knobs("histogram", 400)] == [SHARING]
    assert knobs("stat", 400) == ()


# --- known noise -----------------------------------------------------------------------------------------------------


def test_epsilon_is_the_largest_that_holds_the_limit() -> None:
    """On one column MST is a normal mechanism of mu = sqrt(2 rho / 3), and its best AUC is Phi(mu / sqrt 2)."""

    def auc(epsilon: float) -> float:
        return float(stats.norm.cdf(math.sqrt(rho_of_delta(epsilon, 1e-5) / 3)))

    truth = optimize.brentq(lambda epsilon: auc(epsilon) - 0.6, 0.01, 100)
    lowered = remedy(one_column(), Search("mst", "epsilon", 0.6, "histogram", 40, 2))
    assert lowered.chosen is not None
    assert truth / 1.05 <= lowered.chosen.value < truth
    assert lowered.chosen.highest.high == pytest.approx(auc(lowered.chosen.value), abs=1e-4)
    assert lowered.rises == ()
    assert [point.above for point in lowered.points] == [40 * (point.value > truth) for point in lowered.points]


# --- certificates of records -----------------------------------------------------------------------------------------


@pytest.mark.second
def test_everybody_is_below_the_limit_and_not_before() -> None:
    """Every record's certificate, worked out here, at the value named and at the one before it."""
    table, search = leaning(60, 3), Search("bayesnet", "smoothing", 0.75, "pairs", 60, 2)
    lowered = remedy(table, search)
    assert lowered.chosen is not None
    before = lowered.points[lowered.points.index(lowered.chosen) - 1]
    for point, is_enough in ((lowered.chosen, True), (before, False)):
        made = certify(table, BayesNet(smoothing=point.value), range(60), Terms(60), 1)
        aucs = [certificate.auc.value for certificate in made]
        assert (max(aucs) < 0.75) == is_enough
        assert point.highest.value == max(aucs)
        assert point.above == sum(auc >= 0.75 for auc in aucs)


@pytest.mark.second
def test_processes_change_no_number_and_a_run_can_be_stopped() -> None:
    table, search = leaning(60, 3), Search("histogram", SHARING, 0.7, "histogram", 30, 2)
    assert remedy(table, search, workers=2).as_dict() == remedy(table, search).as_dict()
    with pytest.raises(Cancelled):
        remedy(table, search, cancelled=lambda: True)


def test_usefulness_is_that_of_new_releases_of_the_table_as_it_is() -> None:
    """Two releases of everybody in one group keep no histogram of numbers; those of the table as it is nearly do."""
    lowered = remedy(mixed(80), Search("histogram", SHARING, 0.51, "histogram", 400, 3))
    first, last = (lowered.points[index].useful for index in (0, -1))
    assert first is not None
    assert last is not None
    assert first.low > last.high
    assert first.n == 3


# --- where nothing is in order ---------------------------------------------------------------------------------------


def bumpy(monkeypatch: pytest.MonkeyPatch, highest: dict[float, float]) -> Any:
    """A search over whole numbers 1 to 32 (raised) whose certificates are these, and 0.55 elsewhere."""

    def point(_: Trial, value: float) -> RemedyPoint:
        auc = highest.get(value, 0.55)
        return RemedyPoint(value, Three(auc, auc, auc), int(auc >= 0.7), None)

    monkeypatch.setattr(Trial, "point", point)
    return remedy(leaning(128, 1), Search("histogram", SHARING, 0.7))


def test_a_certificate_that_rises_is_said_and_not_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough at 4, not at 8, enough from 12 on: bisection between 1 and 32 alone would look at 6 and name 4 or less."""
    highest = {1.0: 0.9, 2.0: 0.8, 8.0: 0.75, 10.0: 0.74, 11.0: 0.72}
    lowered = bumpy(monkeypatch, highest)
    assert lowered.chosen.value == 12
    assert lowered.rises == ((4.0, 8.0),)
    assert "rises from 4 to 8" in words.remedy_in_words(lowered).order
    in_order = bumpy(monkeypatch, {1.0: 0.9, 2.0: 0.8})
    assert (in_order.chosen.value, in_order.rises) == (3.0, ())
    assert words.remedy_in_words(in_order).order.startswith("Wherever it was tried")


def test_that_no_value_is_enough_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = bumpy(monkeypatch, {32.0: 0.71, 16.0: 0.705})
    assert lowered.chosen is None
    assert "No value of People who share a value brings" in words.remedy_in_words(lowered).sentence
    assert lowered.best.value in (1.0, 2.0, 4.0, 8.0)
    whole = bumpy(monkeypatch, {})
    assert whole.chosen.value == whole.now == 1.0  # as it is, it is enough


def test_what_cannot_be_searched_is_refused() -> None:
    table = leaning(20, 1)
    with pytest.raises(DesignError, match=r"must be above 0\.5"):
        remedy(table, Search("histogram", SHARING, 0.5))
    with pytest.raises(DesignError, match=r"'colour' is no setting of 'bayesnet'.*smoothing"):
        remedy(table, Search("bayesnet", "colour", 0.7))
    with pytest.raises(DesignError, match="has no optimal-attack bound"):
        remedy(table, Search("stat", "epsilon", 0.7))


# --- values that several people share --------------------------------------------------------------------------------


@pytest.mark.parametrize("people", [1, 2, 5, 17])
@pytest.mark.parametrize("seed", range(5))
def test_so_many_people_share_each_value(people: int, seed: int) -> None:
    """On tables with ties, missing values and rare levels; numbers keep their order, missing ones stay missing."""
    table = mixed(70, seed=seed)
    table = replace(table, numbers=np.where(table.numbers > 50, np.round(table.numbers, -1), table.numbers))
    made = remedies.share_values(table, people)
    for column in made.codes.T:
        assert min(Counter(column.tolist()).values()) >= people
    for own, old in zip(made.numbers.T, table.numbers.T, strict=True):
        known = ~np.isnan(old)
        assert (np.isnan(own) == ~known).all()
        assert min(Counter(own[known].tolist()).values()) >= people
        assert set(own[known]) <= set(old[known])
        assert all(len(set(own[old == value])) == 1 for value in set(old[known]))  # ties stay together
        assert (np.diff(own[np.argsort(old, kind="stable")][: known.sum()]) >= 0).all()
    if people == 1:
        assert made is table


def test_numbers_are_grouped_by_hand() -> None:
    """Groups of three: 1 2 2 | 4 5 6, and 9 alone joins the last; the middle ones are 2 and 5."""
    values = np.array([9.0, 1.0, 2.0, np.nan, 2.0, 4.0, 6.0, 5.0])
    np.testing.assert_array_equal(remedies._group_values(values, 3), [5.0, 2.0, 2.0, np.nan, 2.0, 5.0, 5.0, 5.0])
