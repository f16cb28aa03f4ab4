"""People of two sides by many looks: against slow counts that share no code, and the faults it is there to catch."""

import itertools
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.base import stages
from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats import looks
from riskkit.stats.intervals import clopper_pearson, square_and_add
from riskkit.stats.looks import HypergeometricLaw, Looks, look_together


def drawn(n_in: int, n_out: int, shares: tuple[float, float], n_looks: int = 1, seed: int = 0) -> tuple[Any, Any]:
    """Hits of so many independent looks, and the truth."""
    rng = np.random.default_rng(seed)
    is_in = np.arange(n_in + n_out) < n_in
    return rng.random((n_looks, n_in + n_out)) < np.where(is_in, *shares), is_in


def test_labels_are_dealt_in_parts_to_the_same_bits() -> None:
    is_in = np.arange(70) < 30
    whole = np.tile(is_in, (250, 1))
    np.random.default_rng(5).permuted(whole, axis=1, out=whole)
    assert (looks.permute_labels(is_in, 250, np.random.default_rng(5)) == whole).all()


def test_looks_together_say_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "BLOCK", 2)
    heard: list[stages.Stage] = []
    with stages.listener(heard.append):
        look_together(*drawn(30, 40, (0.3, 0.3), 6), np.random.default_rng(1))
    assert [(stage.done, stage.total) for stage in heard] == [(0, 6), (2, 6), (4, 6)]


def test_the_law_is_that_of_counting_every_way_to_deal_the_labels() -> None:
    for population, members, named in ((7, 3, 4), (9, 8, 2), (6, 3, 6), (8, 4, 0), (10, 2, 5)):
        law = HypergeometricLaw.tabulate(population, members, named)
        every = [
            sum(person < named for person in chosen) for chosen in itertools.combinations(range(population), members)
        ]
        for count in range(named + 1):
            above, below = law.tails(np.array([count]))[:, 0]
            if sum(number == count for number in every) > 0:
                assert above == pytest.approx(sum(number >= count for number in every) / comb(population, members))
                assert below == pytest.approx(sum(number <= count for number in every) / comb(population, members))


def test_the_law_of_a_large_crowd_is_scipys() -> None:
    law, known = HypergeometricLaw.tabulate(20_000, 12_000, 900), stats.hypergeom(20_000, 12_000, 900)
    count = np.arange(500, 600)
    assert law.tails(count)[0] == pytest.approx(known.sf(count - 1), rel=1e-9)
    assert law.tails(count)[1] == pytest.approx(known.cdf(count), rel=1e-9)
    assert law.tails(np.array([0, 900]))[:, 0] == pytest.approx([1.0, 0.0], abs=1e-9)


def test_one_look_has_fishers_test() -> None:
    hits, is_in = drawn(60, 40, (0.4, 0.2), seed=3)
    result = look_together(hits, is_in, stream(1))
    table = [
        [int(hits[0, is_in].sum()), int((~hits[0, is_in]).sum())],
        [int(hits[0, ~is_in].sum()), int((~hits[0, ~is_in]).sum())],
    ]
    exact = stats.fisher_exact(table, alternative="greater").pvalue
    error = (exact * (1 - exact) / result.deals) ** 0.5
    assert result.p[0] == pytest.approx(exact, abs=4 * error + 1 / result.deals)


def test_p_values_are_those_of_a_slow_count_over_all_looks() -> None:
    hits, is_in = drawn(8, 6, (0.5, 0.3), n_looks=4, seed=5)
    result = look_together(hits, is_in, stream(2))

    def tail(inside: int, named: int) -> float:
        ways = [comb(8, x) * comb(6, named - x) for x in range(inside, min(named, 8) + 1)]
        return sum(ways) / comb(14, named)

    def smallest(labels: Any) -> float:
        return min(tail(int(row[labels].sum()), int(row.sum())) for row in hits)

    every = [smallest(np.isin(np.arange(14), chosen)) for chosen in itertools.combinations(range(14), 8)]
    for look, row in enumerate(hits):
        own = tail(int(row[is_in].sum()), int(row.sum()))
        exact = np.mean(np.array(every) <= own + 1e-12)
        assert result.p[look] == pytest.approx(exact, abs=4 * (exact * (1 - exact) / result.deals) ** 0.5 + 1e-3)


def test_a_lower_end_lies_above_nothing_just_where_the_test_says_so() -> None:
    for seed in range(12):
        hits, is_in = drawn(80, 50, (0.35, 0.2), n_looks=6, seed=seed)
        result = look_together(hits, is_in, stream(seed))
        value, low, high = result.residual
        assert ((low > 0) == (result.p <= 0.025)).all()
        assert ((high < 0) == (result.p_fewer <= 0.025)).all()
        assert ((low <= value) & (value <= high)).all()


def test_looks_that_go_together_need_less_than_bonferroni_and_others_as_much() -> None:
    hits, is_in = drawn(300, 300, (0.2, 0.2), n_looks=200, seed=1)
    apart = look_together(hits, is_in, stream(1)).tails
    alike = look_together(np.repeat(hits[:1], 200, axis=0), is_in, stream(1)).tails
    assert min(alike) > 0.01
    assert max(apart) < 0.0015
    assert min(apart) > 0.4 * 0.025 / 200


def tables(n_in: int, n_out: int, level: float = 0.95) -> Looks:
    """Every table of two by two there can be of so many people, each as if it were the only look."""
    inside, outside = (grid.ravel() for grid in np.meshgrid(np.arange(n_in + 1), np.arange(n_out + 1)))
    half = (1 - level) / 2
    p = stats.hypergeom.sf(inside - 1, n_in + n_out, n_in, inside + outside)
    fewer = stats.hypergeom.cdf(inside, n_in + n_out, n_in, inside + outside)
    return Looks(inside, outside, n_in, n_out, p, fewer, (half, half), level, 0)


def wrong(every: Looks, p_in: float, p_out: float) -> tuple[float, float]:
    """The chance that a lower end lies above the true difference, and that an upper end lies below."""
    _, low, high = every.residual
    weight = stats.binom.pmf(every.inside, every.n_in, p_in) * stats.binom.pmf(every.outside, every.n_out, p_out)
    return float(weight[low > p_in - p_out].sum()), float(weight[high < p_in - p_out].sum())


@pytest.mark.parametrize(("n_in", "n_out"), [(5, 5), (12, 30), (40, 20)])
def test_no_end_is_wrong_more_often_than_its_share_by_enumeration(n_in: int, n_out: int) -> None:
    every = tables(n_in, n_out)
    for p_in, p_out in itertools.product((0.0, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1.0), repeat=2):
        assert max(wrong(every, p_in, p_out)) <= 0.025 + 1e-9, (p_in, p_out)


def test_each_share_of_a_difference_gives_half_of_an_ends_error() -> None:
    """By scipy's beta law: 30 of 50 members and 5 of 40 others, either end wrong once in 40."""
    single = np.array([1])
    looks = Looks(30 * single, 5 * single, 50, 40, 0.0 * single, 1.0 * single, (0.025, 0.05), 0.95, 0)
    _, low, high = (float(part[0]) for part in looks.residual)
    beta = stats.beta.ppf
    assert low == pytest.approx(beta(0.0125, 30, 21) - beta(1 - 0.0125, 6, 35))
    assert high == pytest.approx(beta(1 - 0.025, 31, 20) - beta(0.025, 5, 36))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_look_has_half_of_the_error_at_either_end(level: float) -> None:
    """As Fisher's test of so many people has: close to the half, never beyond it."""
    half = (1 - level) / 2
    for tail in look_together(*drawn(3_000, 3_000, (0.3, 0.3)), stream(1), level=level).tails:
        assert 0.8 * half < tail <= half


def test_square_and_add_would_be_wrong_and_is_seen_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the narrower ends that are usual for two shares."""

    def narrower(self: Looks, tail: float) -> tuple[Any, Any]:
        inside, outside = clopper_pearson(self.inside, self.n_in, tail), clopper_pearson(self.outside, self.n_out, tail)
        return square_and_add(self.inside / self.n_in, inside, self.outside / self.n_out, outside)

    monkeypatch.setattr(Looks, "_ends", narrower)
    assert wrong(tables(40, 20), 0.01, 0.99)[0] > 0.04


def test_the_interval_closes_in_where_people_are_many() -> None:
    hits, is_in = drawn(5_000, 5_000, (0.3, 0.1), seed=2)
    value, low, high = (float(part[0]) for part in look_together(hits, is_in, stream(1)).residual)
    assert low < 0.2 < high
    assert low < value < high < low + 0.06


def test_shares_and_their_difference_are_counts() -> None:
    hits, is_in = drawn(50, 20, (0.5, 0.1), n_looks=3, seed=4)
    members, others, residual = look_together(hits, is_in, stream(1)).estimates(1, "named")
    assert (members.name, members.value, members.n) == ("named", hits[1, is_in].mean(), 50)
    assert (others.labels["tested_on"], others.value, others.n) == ("holdout", hits[1, ~is_in].mean(), 20)
    assert residual.value == pytest.approx(members.value - others.value)
    assert residual.name == "residual"


def test_nobody_hit_still_leaves_room_for_some() -> None:
    hits, is_in = np.zeros((2, 60), dtype=bool), np.arange(60) < 30
    result = look_together(hits, is_in, stream(1))
    _, low, high = result.residual
    assert (low <= 0).all()
    assert (high >= 1 - 0.025 ** (1 / 30) - 1e-9).all()


def test_what_cannot_be_judged_is_a_sentence() -> None:
    with pytest.raises(ScoreError, match="Nothing was looked at"):
        look_together(np.zeros((0, 20), dtype=bool), np.arange(20) < 10, stream(1))
    with pytest.raises(ScoreError, match="too few for an interval"):
        look_together(np.zeros((1, 20), dtype=bool), np.arange(20) < 4, stream(1))


def alarms(fault: str, nulls: int) -> int:
    """How many of so many nulls of a hundred looks show a leak, with a fault planted."""
    shown = 0
    for seed in range(nulls):
        hits, is_in = drawn(60, 60, (0.3, 0.3), n_looks=30, seed=1000 + seed)
        result = look_together(hits, is_in, stream(seed))
        if fault == "each look for itself":
            p = np.array([stats.hypergeom(120, 60, int(row.sum())).sf(int(row[is_in].sum()) - 1) for row in hits])
            result = replace(result, p=p)
        shown += bool((result.residual[1] > 0).any())
    return shown


@pytest.mark.second
@pytest.mark.parametrize(("nulls", "most"), [(80, 7), pytest.param(200, 13, marks=pytest.mark.slow)])
def test_many_looks_raise_no_more_alarms_than_one_and_uncorrected_ones_do(nulls: int, most: int) -> None:
    """Of so many nulls at 2.5 %, more than the most have a chance below 1e-3."""
    assert alarms("none", nulls) <= most
    assert alarms("each look for itself", nulls) > nulls // 5


def test_labels_dealt_within_a_side_alone_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: deals that change nothing make any leak look usual."""
    hits, is_in = drawn(200, 200, (0.5, 0.2), seed=1)
    assert look_together(hits, is_in, stream(1)).p[0] == pytest.approx(1 / 2000)

    class Still:
        def permuted(self, labels: object, **_: object) -> object:
            return labels

    assert look_together(hits, is_in, Still()).p[0] == 1.0  # type: ignore[arg-type]
    assert looks.DEALS == 1_999
