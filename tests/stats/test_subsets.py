"""What is exact of a person in trainings on random parts: by enumeration, by hand, on the worst shapes."""

import logging
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Floats
from riskkit.games.subsets import combine, deal_subsets, standardise
from riskkit.stats import subsets
from riskkit.stats.campaign import CampaignAucs, Many, p_above
from riskkit.stats.multiplicity import benjamini_hochberg, simes
from riskkit.stats.summary import auc_interval

FIGURES = logging.getLogger("riskkit.statistical")
"""What was measured; shown by pytest with --log-cli-level=INFO."""


def auc_of(inside: list[int], outside: list[int]) -> Fraction:
    """Wins and half of the ties, counted pair by pair."""
    wins = sum(2 * (a > b) + (a == b) for a in inside for b in outside)
    return Fraction(wins, 2 * len(inside) * len(outside))


@pytest.mark.parametrize("values", [[3, 1, 4, 1, 5, 9, 2, 6], [0, 0, 0, 1, 1, 1, 1, 2], [7, 7, 7, 7, 7, 7, 7, 8]])
@pytest.mark.parametrize("chosen", [4, 2, 6])
def test_the_chance_without_a_leak_is_that_of_all_deals_counted_one_by_one(values: list[int], chosen: int) -> None:
    """8 trainings, every way of being in so many of them; ties included."""
    deals = [set(deal) for deal in combinations(range(8), chosen)]
    aucs = [auc_of([values[i] for i in deal], [values[i] for i in range(8) if i not in deal]) for deal in deals]
    for deal, auc in zip(deals[::7], aucs[::7], strict=True):
        inside = np.array([[values[i] for i in sorted(deal)]], dtype=float)
        outside = np.array([[values[i] for i in range(8) if i not in deal]], dtype=float)
        chance = Fraction(sum(other >= auc for other in aucs), comb(8, chosen))
        assert subsets.by_luck(inside, outside)[0] == pytest.approx(float(chance), abs=1e-12)


def test_of_scores_that_never_differ_nobody_is_listed() -> None:
    many = Many(np.ones((3, 16)), np.ones((3, 16)))
    achieved = CampaignAucs(np.full(3, 0.5), np.zeros(3), 16, 16, many.is_decided(), subsets.by_luck(*sides(many)))
    np.testing.assert_array_equal(p_above(achieved, 0.5), 1.0)


def sides(many: Many) -> tuple[Floats, Floats]:
    return many.inside, many.outside


@pytest.mark.parametrize(("n", "limit"), [(16, 0.8), (32, 0.8), (32, 0.6)])
def test_a_perfect_record_by_hand(n: int, limit: float) -> None:
    """A method that shows a person in none of ``n`` releases with a chance of ``limit ** n`` is no rarer than that."""
    assert subsets.beyond([1.0], limit, n)[0] == pytest.approx(limit**n, rel=1e-12)
    low = subsets.ends(np.array([1.0]), n, 0.95)[0][0]
    assert low == pytest.approx(0.025 ** (1 / n), rel=1e-9)


def worst(n: int, limit: float, rounds: int, rng: np.random.Generator) -> Many:
    """Releases with the person all look alike; of those without, one in five of ``1 - limit`` looks like more."""
    return Many(np.ones((rounds, n)), np.where(rng.random((rounds, n)) < limit, 0.0, 2.0))


def test_the_shape_that_newcombe_does_not_hold_for_is_held() -> None:
    """True AUC .8, 16 trainings a side: an AUC of 1 in 2.8 % of games. The usual law takes it for one in thousands.

    This is the planted fault: with it a list of a thousand people would hold whoever is at the limit.
    """
    many = worst(16, 0.8, 4000, np.random.default_rng(3))
    usual = CampaignAucs.measure(many)
    exact = CampaignAucs(usual.auc, usual.variance, 16, 16, usual.decided, np.zeros(4000))
    assert 0.02 <= (usual.auc == 1).mean() <= 0.037
    for error in (0.05, 0.03, 0.01):
        assert (p_above(exact, 0.8) <= error).mean() <= error + 3 * np.sqrt(error / 4000)
    assert p_above(usual, 0.8)[usual.auc == 1].max(initial=0) < 0.01


@pytest.mark.parametrize("auc", [0.6, 0.8])
@pytest.mark.parametrize("n", [16, 32])
def test_ends_hold_the_truth_of_normal_scores_more_often_than_they_say(auc: float, n: int) -> None:
    rng = np.random.default_rng(4)
    gap = np.sqrt(2) * stats.norm.ppf(auc)
    value, *usual = auc_interval(*Many(rng.normal(gap, 1, (2000, n)), rng.normal(0, 1, (2000, n))).arms, 0.95)
    low, high = subsets.ends(value, n, 0.95)
    assert ((low <= auc) & (auc <= high)).mean() >= 0.975
    assert (low <= value).all()
    assert (value <= high).all()
    assert np.mean(high - low) < 2 * np.mean(usual[1] - usual[0])


def test_a_higher_limit_is_never_easier() -> None:
    auc, luck = np.array([0.4, 0.5, 0.7, 0.95, 1.0]), np.array([0.9, 0.5, 0.01, 1e-6, 1e-9])
    rows = [subsets.tail(auc, luck, limit, 32, 1) for limit in np.arange(0.05, 1.0, 0.05)]
    assert (np.diff(rows, axis=0) >= 0).all()
    np.testing.assert_array_equal(subsets.tail(auc, luck, 1.0, 32, 1), 1.0)
    np.testing.assert_array_equal(subsets.tail(auc, luck, 0.5, 32, 1), luck)


def moving_together(people: int, n: int, leaks: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Scores of people who share releases: three quarters of the variance is the release's; and who was in."""
    trainings = 2 * n
    is_in = rng.permuted(np.tile(np.arange(trainings) < n, (people, 1)), axis=1)
    shared = np.sqrt(0.75) * rng.standard_normal(trainings)
    scores = shared + 0.5 * rng.standard_normal((people, trainings)) + leaks[:, None] * is_in
    return scores[is_in].reshape(people, n), scores[~is_in].reshape(people, n), is_in


@pytest.mark.parametrize(
    ("n", "audits"), [(16, 100), *(pytest.param(n, 1000, marks=pytest.mark.slow) for n in (16, 32, 128))]
)
def test_where_nobody_leaks_anybody_is_listed_in_one_of_twenty_audits(n: int, audits: int) -> None:
    """100 people whose scores move together: at most 5 % of lists have anybody on them."""
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(audits):
        inside, outside, _ = moving_together(100, n, np.zeros(100), rng)
        named += bool(benjamini_hochberg(subsets.by_luck(inside, outside)).any())
    FIGURES.info("no leak, %d trainings: anybody listed in %.1f %% of %d audits", 2 * n, 100 * named / audits, audits)
    assert named <= audits * 0.05 + 3 * np.sqrt(audits * 0.05 * 0.95)


def test_people_who_leak_take_nobody_else_on_the_list() -> None:
    """Of 100 people 20 leak, 100 audits: of those listed at most one in twenty is another, on average."""
    rng = np.random.default_rng(6)
    leaks = np.where(np.arange(100) < 20, 1.2, 0.0)
    wrong, right = [], []
    for _ in range(100):
        inside, outside, _ = moving_together(100, 32, leaks, rng)
        listed = benjamini_hochberg(subsets.by_luck(inside, outside))
        wrong.append(listed[20:].sum() / max(listed.sum(), 1))
        right.append(listed[:20].mean())
    assert np.mean(wrong) <= 0.05
    assert np.mean(right) > 0.5


def whole(people: int, n: int, leaks: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The same scores by training: (people, trainings), and who was in."""
    inside, outside, is_in = moving_together(people, n, leaks, rng)
    scores = np.empty(is_in.shape)
    scores[is_in], scores[~is_in] = inside.ravel(), outside.ravel()
    return scores, is_in


def test_what_an_attack_reaches_on_all_people_by_hand() -> None:
    """Two people, four trainings: AUCs of 1 and 1/2; no share is named of so few."""
    scores = np.array([[3.0, 4.0, 1.0, 2.0], [1.0, 4.0, 2.0, 3.0]])
    is_in = np.array([[True, True, False, False], [True, True, False, False]])
    (auc,) = subsets.pool(scores, is_in, 0.95)[:1]
    assert (auc.name, auc.value, auc.n) == ("mean_auc", 0.75, 4)
    assert len(subsets.pool(scores, is_in, 0.95)) == 1


def test_the_share_named_counts_people_wrongly_named() -> None:
    """Of 2,000 times that somebody was out, 20 may be named: the cut lies a third from the 20th to the 21st."""
    rng = np.random.default_rng(9)
    scores, is_in = rng.standard_normal((2, 2000)), np.arange(2000) % 2 == np.array([[0], [1]])
    highest, own = sorted(scores[~is_in].tolist(), reverse=True), scores[is_in].tolist()
    first, second = (sum(score > cut for score in own) / 2000 for cut in highest[19:21])
    _, named, *_ = subsets.pool(scores, is_in, 0.95)
    place = 0.01 * (2000 + 1 / 3) + 1 / 3
    assert named.value == pytest.approx(first + (place - 20) * (second - first))
    assert len(subsets.pool(scores, is_in, 0.95)) == 2, "at .1 % two people would be named"


def test_equal_scores_are_named_in_any_order() -> None:
    """Scores of three values alone, without a leak: at 1 % it names 1 %, where one cut would name nobody or a third."""
    rng = np.random.default_rng(14)
    scores, is_in = rng.integers(0, 3, (40, 200)).astype(float), np.tile(np.arange(200) % 2 == 0, (40, 1))
    _, named, *_ = subsets.pool(scores, is_in, 0.95)
    assert named.value == pytest.approx(0.01, rel=0.1)


LEAKS = {"nobody": (0.0, 0.0), "one in ten": (0.1, 1.2), "everybody": (1.0, 0.4)}
"""Whose scores are higher where they were in, and by how much."""


@pytest.mark.parametrize("whom", LEAKS)
@pytest.mark.parametrize(("n", "audits"), [(16, 60), *(pytest.param(n, 300, marks=pytest.mark.slow) for n in (16, 32))])
def test_the_whole_roc_curve_holds_with_no_leak_and_with_one(n: int, audits: int, whom: str) -> None:
    """500 people, point by point, from ten people wrongly named on: the truth is the mean of all audits."""
    rng, (share, leak), shown = np.random.default_rng(13), LEAKS[whom], []
    for _ in range(audits):
        scores, is_in = whole(500, n, np.where(np.arange(500) < share * 500, leak, 0.0), rng)
        points = subsets.pool(standardise(scores), is_in, 0.95, subsets.CURVE)[1:]
        shown.append([(e.value, e.low, e.high) for e in points])
    value, low, high = np.moveaxis(np.array(shown), 2, 0)
    truth = value.mean(axis=0)
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    places = [fpr for fpr in subsets.CURVE if fpr * 500 * n >= subsets.LEAST_NAMED]
    FIGURES.info("%s, %d trainings: %s", whom, 2 * n, dict(zip(places, held.round(2).tolist(), strict=True)))
    if whom == "nobody":
        np.testing.assert_allclose(truth, places, rtol=0.1)
    assert (held >= 0.92 - 2.5 * np.sqrt(0.05 * 0.95 / audits)).all()


@pytest.mark.parametrize(("n", "audits"), [(16, 60), *(pytest.param(n, 300, marks=pytest.mark.slow) for n in (16, 32))])
def test_intervals_over_all_people_count_trainings_and_hold(n: int, audits: int) -> None:
    """Three quarters of a score is the release's, so 200 people are worth few; counted as many, intervals would lie."""
    rng, held, far = np.random.default_rng(8), [], []
    for _ in range(audits):
        scores, is_in = whole(200, n, np.zeros(200), rng)
        auc, named, *_ = subsets.pool(scores, is_in, 0.95)
        held.append((auc.low <= 0.5 <= auc.high, named.low <= 0.01 <= named.high))
        far.append(auc.value)
    assert (np.mean(held, axis=0) >= 0.93 - 2 * np.sqrt(0.05 * 0.95 / audits)).all()
    assert np.std(far) < 0.02


@pytest.mark.slow
def test_power_by_trainings() -> None:
    """Of 1,000 people 100 leak: the share of them that is listed, by true AUC, limit and trainings."""
    rng, power = np.random.default_rng(10), {}
    for trainings in (32, 64, 256):
        for auc in (0.7, 0.8, 0.9, 0.97):
            leaks = np.where(np.arange(1000) < 100, np.sqrt(2) * stats.norm.ppf(auc), 0.0)
            for limit in (0.5, 0.6, 0.8):
                listed = []
                for _ in range(3):
                    inside, outside, _ = moving_together(1000, trainings // 2, leaks, rng)
                    many = Many(inside, outside)
                    achieved = replace(CampaignAucs.measure(many), by_luck=subsets.by_luck(inside, outside))
                    listed.append(benjamini_hochberg(p_above(achieved, limit))[:100].mean())
                power[trainings, auc, limit] = np.mean(listed)
                FIGURES.info("%d trainings, AUC %g: %.2f above %g", trainings, auc, np.mean(listed), limit)
    assert power[64, 0.9, 0.5] > 0.95
    assert power[256, 0.9, 0.6] > 0.95
    assert power[32, 0.97, 0.8] < 0.1
    assert all(power[256, auc, limit] >= power[32, auc, limit] - 0.05 for auc in (0.7, 0.9) for limit in (0.5, 0.8))


def test_of_two_blocks_the_chance_is_that_of_all_deals_within_them() -> None:
    """Four trainings and five, with ties: every deal of 2 of 4 and 2 of 5 is listed, ranks are those of a block."""
    blocks, rng = ((4, 2), (5, 2)), np.random.default_rng(11)
    for _ in range(20):
        scores = rng.integers(0, 4, 9).astype(float)
        own = [stats.rankdata(scores[:4]), stats.rankdata(scores[4:])]
        sums = [
            own[0][list(first)].sum() + own[1][list(second)].sum()
            for first in combinations(range(4), 2)
            for second in combinations(range(5), 2)
        ]
        observed = own[0][:2].sum() + own[1][:2].sum()
        inside, outside = scores[[0, 1, 4, 5]][None], scores[[2, 3, 6, 7, 8]][None]
        assert subsets.by_luck(inside, outside, blocks)[0] == pytest.approx(np.mean(np.array(sums) >= observed - 1e-9))


@pytest.mark.parametrize(
    ("blocks", "audits"), [(2, 60), *(pytest.param(n, 400, marks=pytest.mark.slow) for n in (2, 4))]
)
def test_dealt_in_blocks_nobody_is_listed_more_often_by_luck_and_power_stays(blocks: int, audits: int) -> None:
    """100 people, 64 trainings a block, scores that move together: a list of nobody's leak; then 20 with AUC .7."""
    rng, named, power = np.random.default_rng(12), 0, []
    whole = ((64, 32),) * blocks
    for leak in (0.0, np.sqrt(2) * stats.norm.ppf(0.7)):
        for _ in range(audits if leak == 0 else 20):
            sides = [moving_together(100, 32, np.where(np.arange(100) < 20, leak, 0.0), rng)[:2] for _ in whole]
            inside, outside = (np.hstack(side) for side in zip(*sides, strict=True))
            if leak == 0:
                named += bool(benjamini_hochberg(subsets.by_luck(inside, outside, whole)).any())
            else:
                both = subsets.by_luck(inside, outside, whole), subsets.by_luck(inside, outside)
                power.append([benjamini_hochberg(p)[:20].mean() for p in both])
    in_blocks, among_all = np.mean(power, axis=0)
    FIGURES.info(
        "%d blocks: by luck in %.1f %%; %.2f, among all %.2f", blocks, 100 * named / audits, in_blocks, among_all
    )
    assert named <= audits * 0.05 + 3 * np.sqrt(audits * 0.05 * 0.95)
    assert in_blocks > among_all - 0.05


# Whoever picks the highest of all people: by Bonferroni, by the law of the smallest p-value over all deals (maxT of
# Westfall and Young), or by Simes. The law is a product, since people are dealt independently of each other.


def p_of_highest(p: Floats) -> Floats:
    """(3,) p-values of the highest of these people by Bonferroni, by maxT and by Simes."""
    return np.array([len(p) * p.min(), 1 - (1 - p.min()) ** len(p), simes(p)])


def test_the_smallest_of_dependent_people_has_the_law_of_independent_ones() -> None:
    """Three people with the very same scores, each in two of four trainings: all 216 designs are counted."""
    scores = np.array([0.3, 1.1, 2.0, 2.7])
    deals = [list(deal) for deal in combinations(range(4), 2)]
    p = {tuple(own): float(luck_of(scores, own)) for own in deals}
    designs = [np.array([p[tuple(own)] for own in design]) for design in product(deals, repeat=3)]
    for cut in sorted(set(p.values())):
        alone = np.mean([value <= cut for value in p.values()])
        assert np.mean([values.min() <= cut for values in designs]) == pytest.approx(1 - (1 - alone) ** 3)
    for error in np.arange(0.05, 1.0, 0.05):
        assert np.mean([simes(values) <= error for values in designs]) <= error + 1e-12


def luck_of(scores: Floats, deal: list[int]) -> Floats:
    """The p-value of one person who is in these trainings."""
    is_in = np.isin(np.arange(len(scores)), deal)
    return subsets.by_luck(scores[is_in][None], scores[~is_in][None])[0]


def alike(how: str, people: int, trainings: int, rng: np.random.Generator) -> Floats:
    """(people, trainings) scores without a leak: of everybody the same, of ten each, or with a part of the release."""
    if how == "everybody":
        return np.tile(rng.standard_normal(trainings), (people, 1))
    if how == "tens":
        return np.repeat(rng.standard_normal((people // 10, trainings)), 10, axis=0)
    return np.sqrt(0.75) * rng.standard_normal(trainings) + 0.5 * rng.standard_normal((people, trainings))


def p_in_blocks(scores: Floats, is_in: list[Bools], blocks: subsets.Blocks) -> Floats:
    """(people,) the p-values of these scores, by who was in which training of each block."""
    parts = np.split(scores, np.cumsum([trainings for trainings, _ in blocks])[:-1], axis=1)
    pairs = list(zip(parts, is_in, strict=True))
    inside, outside = (
        np.hstack([part[own == side].reshape(len(part), -1) for part, own in pairs]) for side in (True, False)
    )
    return subsets.by_luck(inside, outside, blocks)


@pytest.mark.parametrize("how", ["everybody", "tens", "release"])
@pytest.mark.parametrize(
    ("blocks", "audits"),
    [
        (((32, 16),), 100),
        *(pytest.param(b, 1000, marks=pytest.mark.slow) for b in (((32, 16),), ((64, 32),), ((64, 32),) * 4)),
    ],
)
def test_the_highest_of_dependent_people_is_shown_in_one_of_twenty(
    how: str, blocks: subsets.Blocks, audits: int
) -> None:
    rng, shown = np.random.default_rng(20), np.zeros(3)
    for _ in range(audits):
        is_in = [deal_subsets(100, *block, rng) for block in blocks]
        shown += p_of_highest(p_in_blocks(alike(how, 100, sum(n for n, _ in blocks), rng), is_in, blocks)) <= 0.05
    FIGURES.info("no leak, %s, %s: Bonferroni, maxT, Simes %s %%", how, blocks, (100 * shown / audits).round(1))
    assert (shown <= audits * 0.05 + 3 * np.sqrt(audits * 0.05 * 0.95)).all()


@pytest.mark.parametrize("how", ["everybody", "release"])
@pytest.mark.parametrize("audits", [40, pytest.param(600, marks=pytest.mark.slow)])
def test_so_it_is_with_weights_that_are_learnt_from_the_coins_of_others(how: str, audits: int) -> None:
    """Three attacks, 60 people. Between the two halves of the people independence is not proved, but measured here."""
    rng, shown = np.random.default_rng(21), np.zeros(3)
    for _ in range(audits):
        scores, is_in = np.stack([alike(how, 60, 32, rng) for _ in range(3)]), deal_subsets(60, 32, 16, rng)
        scores += 1e-9 * rng.standard_normal(scores.shape)
        shown += p_of_highest(p_in_blocks(combine(scores, is_in, rng), [is_in], ((32, 16),))) <= 0.05
    FIGURES.info("no leak, %s, combined: Bonferroni, maxT, Simes %s %%", how, (100 * shown / audits).round(1))
    assert (shown <= audits * 0.05 + 3 * np.sqrt(audits * 0.05 * 0.95)).all()


PLANTED = ((1, 0.8), (10, 0.7), (100, 0.6), (100, 0.65))
"""Of 1,000 people so many leak, with that AUC."""


@pytest.mark.parametrize(
    ("n", "audits"), [(16, 10), *(pytest.param(n, 150, marks=pytest.mark.slow) for n in (16, 32, 128))]
)
def test_simes_shows_the_highest_at_least_as_often_as_maxt(n: int, audits: int) -> None:
    rng = np.random.default_rng(22)
    for leaking, auc in PLANTED:
        shown, leaks = np.zeros(3), np.where(np.arange(1000) < leaking, np.sqrt(2) * stats.norm.ppf(auc), 0.0)
        for _ in range(audits):
            scores, is_in = together(1000, n, leaks, rng)
            blocks = ((64, 32),) * (n // 32) or ((2 * n, n),)
            shown += p_of_highest(p_in_blocks(scores, is_in, blocks)) <= 0.05
        FIGURES.info("%d trainings, %d at %g: %s %%", 2 * n, leaking, auc, (100 * shown / audits).round(1))
        assert shown[2] >= shown[1] - 1
        assert abs(shown[1] - shown[0]) <= max(2, audits / 50)


def together(people: int, n: int, leaks: Floats, rng: np.random.Generator) -> tuple[Floats, list[Bools]]:
    """Scores of people who share releases, of whom some leak: (people, trainings); and who is in, block by block."""
    blocks = [(64, 32)] * (n // 32) or [(2 * n, n)]
    is_in = [deal_subsets(people, *block, rng) for block in blocks]
    return alike("release", people, 2 * n, rng) + leaks[:, None] * np.hstack(is_in), is_in
