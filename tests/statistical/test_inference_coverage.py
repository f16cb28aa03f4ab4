"""Intervals of attribute inference hold the truth as often as they say, and no oftener than they must.

Records without copies are simulated by their counts, a thousand audits at once, through the lines the estimates go
through; that an estimate of such records is one of the many is tested too. Copies go through the public names.
"""

import numpy as np
import pytest

from riskkit.core import Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats.contrasts import ratio_of_correlated, ratio_of_independent, tango
from riskkit.stats.gains import Baseline, gain, leakage_ratio, most_frequent
from riskkit.stats.guesses import CategoryGuesses, NumberGuesses, Tolerance
from riskkit.stats.inference import attributable, delta, difference, estimate, residual
from riskkit.stats.intervals import critical, korn_graubard, square_and_add
from riskkit.stats.measures import covariance, measure_named
from tests.statistical.guessing import Interval, Pairs, Sides, guesses, share_held, share_of_held
from tests.statistical.simulate import fewest, most

MANY = 20_000
FEW = 200
LOW, HIGH = 0.93, 0.97
Z = critical(0.95)


def exact(share: Floats, n: int) -> Interval:
    """What :func:`riskkit.stats.inference.shares_of` gives a side without copies."""
    return korn_graubard(share, n, 0.95, None)


def _delta(game: Pairs) -> Interval:
    """The interval of :func:`delta`, many times."""
    _, ahead, behind, _ = game.counts(MANY) / game.n
    return tango(ahead, behind, game.n, Z)


def _unpaired(game: Pairs) -> Interval:
    """A mutant: the two shares as if they were of different people."""
    both, ahead, behind, _ = game.counts(MANY) / game.n
    first, second = both + ahead, both + behind
    return square_and_add(first, exact(first, game.n), second, exact(second, game.n))


def _wald(game: Pairs) -> Interval:
    """A mutant: value plus or minus standard errors."""
    _, ahead, behind, _ = game.counts(MANY) / game.n
    gap = ahead - behind
    reach = Z * np.sqrt((ahead + behind - gap**2) / game.n)
    return gap - reach, gap + reach


def _residual(game: Sides) -> Interval:
    """The interval of :func:`residual`, many times; those it refuses left out."""
    members, control = (side[game.right(MANY)[1] < 1] for side in game.right(MANY))
    low, high = _ratio(1 - members, game.n_members, 1 - control, game.n_control)
    return 1 - high, 1 - low


def _attributable(game: Sides) -> Interval:
    """The interval of :func:`attributable`, many times; those it refuses left out."""
    members, control = (side[game.right(MANY)[0] > 0] for side in game.right(MANY))
    low, high = _ratio(control, game.n_control, members, game.n_members)
    return 1 - high, 1 - low


def _ratio(top: Floats, n_top: int, bottom: Floats, n_bottom: int) -> Interval:
    return ratio_of_independent(top, exact(top, n_top), bottom, exact(bottom, n_bottom))


@pytest.mark.parametrize("n", [50, 200, 1000, 10_000])
@pytest.mark.parametrize("apart", [0.001, 0.005, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("both", [0.0, 0.3, None])
def test_no_difference_is_held_as_often_as_said(n: int, apart: float, both: float | None) -> None:
    game = Pairs(n, 1 - 2 * apart if both is None else both, apart, apart)
    held = share_of_held(_delta(game), 0.0)
    assert held >= LOW
    if n * apart >= 4:  # with fewer records guessed by one alone, the difference has few values to fall on
        assert held <= HIGH


@pytest.mark.parametrize(
    "game", [Pairs(50, 0.5, 0.3, 0.1), Pairs(1000, 0.75, 0.08, 0.02), Pairs(200, 0, 0.9, 0)], ids=str
)
def test_a_difference_is_held_as_often_as_said(game: Pairs) -> None:
    assert LOW <= share_of_held(_delta(game), game.delta) <= HIGH


def test_taking_the_two_guesses_for_those_of_different_people_is_seen() -> None:
    alike, apart = Pairs(200, 0.7, 0.1, 0.1), Pairs(2_000, 0.0, 0.5, 0.5)  # many: exact ends of few are wider
    assert share_of_held(_unpaired(alike), 0.0) > HIGH
    assert share_of_held(_unpaired(apart), 0.0) < 0.86  # never right together: the difference scatters more


def test_standard_errors_about_a_rare_difference_do_not_cover() -> None:
    game = Pairs(200, 0.99, 0.008, 0.002)
    assert share_of_held(_wald(game), game.delta) < 0.9
    assert share_of_held(_delta(game), game.delta) >= LOW


def test_an_estimate_is_one_of_the_many() -> None:
    for model, base in Pairs(80, 0.5, 0.2, 0.1).draw(10):
        estimated = delta(guesses(model), guesses(base))
        low, high = tango((model & ~base).mean(), (base & ~model).mean(), 80, Z)
        assert (estimated.low, estimated.high) == pytest.approx((float(low), float(high)))
    for members, control in Sides(80, 50, 0.8, 0.6).draw(10):
        ends = [_ratio(1 - members.mean(), 80, 1 - control.mean(), 50), _ratio(control.mean(), 50, members.mean(), 80)]
        for statistic, (low, high) in zip((residual, attributable), ends, strict=True):
            estimated = statistic(guesses(members), guesses(control))
            assert (estimated.low, estimated.high) == pytest.approx((float(1 - high), float(1 - low)))


@pytest.mark.parametrize("copies", [2, 5])
def test_taking_copies_of_a_record_for_records_does_not_cover(copies: int) -> None:
    known_copies, unknown_copies = [], []
    for model, base in Pairs(200, 0.6, 0.1, 0.1).draw(FEW):
        known_copies.append(delta(guesses(model, copies), guesses(base, copies)))
        unknown_copies.append(delta(guesses(model, copies, False), guesses(base, copies, False)))
    assert fewest(FEW) <= FEW * share_held(known_copies, 0.0)
    assert share_held(unknown_copies, 0.0) < 0.88


def test_copies_of_members_and_control_do_not_make_a_leak_of_none() -> None:
    known_copies, unknown_copies = [], []
    for members, control in Sides(200, 200, 0.8, 0.8).draw(FEW):
        known_copies.append(residual(guesses(members, 2), guesses(control, 2)))
        unknown_copies.append(residual(guesses(members, 2, False), guesses(control, 2, False)))
    assert fewest(FEW) <= FEW * share_held(known_copies, 0.0)
    assert share_held(unknown_copies, 0.0) < 0.88


def test_a_baseline_that_reads_the_answers_does_not_cover() -> None:
    rng = stream(8, "peeking")
    held: dict[str, list[bool]] = {"from the release": [], "from the answers": []}
    for _ in range(FEW):
        truth, guess, release = rng.integers(0, 40, (3, 200))
        for name, read in (("from the release", release), ("from the answers", truth)):
            constant = np.full(200, np.bincount(read, minlength=40).argmax())
            difference = delta(CategoryGuesses(truth, guess), CategoryGuesses(truth, constant))
            held[name].append(difference.low <= 0 <= difference.high)
    assert sum(held["from the release"]) >= fewest(FEW)
    assert np.mean(held["from the answers"]) < 0.8


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.3, 0.3, 0.2, 0.2), (0.025,) * 40], ids=["two", "four", "forty"])
def test_a_constant_of_the_tested_is_covered_where_several_levels_are_as_frequent(shares: tuple[float, ...]) -> None:
    """The model is right in a fiftieth, the true constant in its share; the one seen oftenest is oftener right."""
    rng, n, times, truth = stream(8, "ties", repr(shares)), 200, 100, 0.02 - max(shares)
    held: dict[str, list[Estimate]] = {"every constant": [], "the one seen": []}
    for _ in range(times):
        secret = rng.choice(len(shares), n, p=shares)
        model = CategoryGuesses(secret, np.where(rng.random(n) < 0.02, secret, -1))
        seen = CategoryGuesses(secret, np.full(n, np.bincount(secret).argmax()))
        held["every constant"].append(gain(model, most_frequent(seen)))
        held["the one seen"].append(gain(model, Baseline(seen)))
    assert times * share_held(held["every constant"], truth) >= fewest(times)
    if len(shares) == 40:
        assert share_held(held["the one seen"], truth) < 0.85


def test_a_median_of_the_tested_is_covered() -> None:
    """Skewed numbers: by how much the constant is right depends on which number it is."""
    rng, n, tolerance = stream(8, "medians"), 200, Tolerance(0.0, 0.3)
    middle = float(np.log(2))
    truth = 0.5 - float(np.exp(-(middle - 0.3)) - np.exp(-(middle + 0.3)))
    gains = []
    for _ in range(FEW):
        secret = rng.exponential(size=n)
        model = NumberGuesses(secret, np.where(rng.random(n) < 0.5, secret, -9.0), tolerance)
        seen = NumberGuesses(secret, np.full(n, np.median(secret)), tolerance)
        gains.append(gain(model, most_frequent(seen)))
    assert FEW * share_held(gains, truth) >= fewest(FEW)


@pytest.mark.parametrize("n", [50, 200, 1000, 10_000])
@pytest.mark.parametrize("control", [0.05, 0.5, 0.75, 0.95])
@pytest.mark.parametrize("truth", [0.0, 0.3, 0.8])
def test_residual_is_held_as_often_as_said(n: int, control: float, truth: float) -> None:
    game = Sides(n, n, control + truth * (1 - control), control)
    held = share_of_held(_residual(game), game.residual)
    assert held >= LOW
    if game.scarcest >= 8:  # exact limits of fewer are wider than they must be: their ends are a person apart
        assert held <= HIGH


@pytest.mark.parametrize("n", [50, 200, 1000, 10_000])
@pytest.mark.parametrize("control", [0.05, 0.5, 0.75, 0.95])
@pytest.mark.parametrize("truth", [0.0, 0.3, 0.8])
def test_the_attributable_share_is_held_as_often_as_said(n: int, control: float, truth: float) -> None:
    game = Sides(n, n, control / (1 - truth) if control < 1 - truth else 0.999, control)
    held = share_of_held(_attributable(game), game.attributable)
    assert held >= LOW
    if game.scarcest >= 4:
        assert held <= HIGH


@pytest.mark.parametrize("game", [Sides(2000, 100, 0.8, 0.8), Sides(100, 2000, 0.9, 0.5)], ids=str)
def test_sides_of_different_size_are_held_as_often_as_said(game: Sides) -> None:
    assert LOW <= share_of_held(_residual(game), game.residual) <= HIGH
    assert LOW <= share_of_held(_attributable(game), game.attributable) <= HIGH


def test_cutting_the_residual_at_nought_would_make_a_leak_of_none() -> None:
    members, control = Sides(300, 300, 0.8, 0.8).right(MANY)
    excess = (members - control) / (1 - control)
    assert abs(excess.mean()) < 0.02  # a ratio of shares is itself off by about its variance
    assert np.maximum(excess, 0.0).mean() > 0.05
    for inside, outside in Sides(300, 300, 0.8, 0.8).draw(20):
        value = residual(guesses(inside), guesses(outside)).value
        assert value == pytest.approx((inside.mean() - outside.mean()) / (1 - outside.mean()))


@pytest.mark.parametrize("control", [0.1, 0.5, 0.9])
def test_no_excess_over_the_control_is_held_on_both_sides_and_never_cut_off(control: float) -> None:
    """CAL8 through the statistics that an audit prints: nothing owed to having been in, 400 audits of 300 and 300.

    The interval holds 0 in .93 to .97 and a little more of them, either end misses as often, and values lie on both
    sides of 0; limits are those of 400 draws.
    """
    each = [(guesses(inside), guesses(outside)) for inside, outside in Sides(300, 300, control, control).draw(400)]
    for measure in (residual, difference):
        estimates = [measure(*sides) for sides in each]
        held = sum(e.low <= 0 <= e.high for e in estimates)
        assert fewest(400, 0.93) <= held <= fewest(400, 0.97, 1 - 1e-4)
        for missed in (sum(e.low > 0 for e in estimates), sum(e.high < 0 for e in estimates)):
            assert missed <= most(400, 0.035)
        assert 400 - most(400, 0.52) <= sum(e.value < 0 for e in estimates) <= most(400, 0.52), "cut off at nought"


def _three(n: int, release: float, real: float) -> list[tuple[CategoryGuesses, CategoryGuesses, CategoryGuesses]]:
    """Release, real and baseline guesses, many times: the baseline is right in half, the others that much oftener."""
    rng = stream(8, "ratio", n, repr((release, real)))
    drawn = []
    for _ in range(FEW):
        base, helped = rng.random((2, n))
        sides = [((base < 0.5) | (helped < 2.5 * more)) ^ (rng.random(n) < 0.1) for more in (release, real)]
        drawn.append((guesses(sides[0]), guesses(sides[1]), guesses((base < 0.5) ^ (rng.random(n) < 0.1))))
    return drawn


@pytest.mark.parametrize(("n", "release", "real"), [(300, 0.2, 0.3), (2000, 0.3, 0.3), (2000, 0.0, 0.2)])
def test_leakage_ratio_is_held_as_often_as_said(n: int, release: float, real: float) -> None:
    ratios = [leakage_ratio(*three[:2], Baseline(three[2])) for three in _three(n, release, real)]
    assert fewest(FEW) <= FEW * share_held(ratios, release / real) <= fewest(FEW, false_fail=1 - 1e-4)


def test_taking_the_two_gains_for_those_of_different_people_is_too_wide() -> None:
    held = []
    for three in _three(2000, 0.3, 0.3):
        sides = [delta(side, three[2]) for side in three[:2]]
        top, bottom = ((gained.value, (gained.low, gained.high)) for gained in sides)
        ends = ratio_of_correlated(*top, *bottom, 0.0)
        held.append(ends[0] <= 1 <= ends[1])
    assert sum(held) > fewest(FEW, false_fail=1 - 1e-4)


def test_where_the_real_data_teach_nothing_there_is_no_ratio() -> None:
    refused = 0
    for three in _three(500, 0.1, 0.0):
        try:
            leakage_ratio(*three[:2], Baseline(three[2]))
        except ScoreError:
            refused += 1
    assert refused >= fewest(FEW, 0.975)


def _guessed(rng: np.random.Generator, n: int, prior: Floats) -> tuple[CategoryGuesses, CategoryGuesses]:
    """Two models' guesses of a category, related but not the same."""
    truth = rng.choice(len(prior), n, p=prior)
    drawn = []
    for _ in range(2):
        score = rng.standard_normal((n, len(prior))) + np.log(prior)
        score[np.arange(n), truth] += 1.5
        drawn.append(np.exp(score) / np.exp(score).sum(axis=1, keepdims=True))
    mixed = 0.25 * drawn[0] + 0.75 * drawn[1]
    return tuple(CategoryGuesses(truth, chance.argmax(axis=1), chance) for chance in (drawn[0], mixed))  # type: ignore[return-value]


PRIORS = [
    (100, [0.5, 0.5]),
    (200, [0.9, 0.1]),
    (1000, [0.99, 0.01]),
    (300, [0.6, 0.3, 0.1]),
    (500, [0.4] + [0.04] * 15),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "prior"), PRIORS, ids=["even", "1 in 10", "1 in 100", "three", "sixteen"])
@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "macro_f1", "auc", "log_loss"])
def test_measures_of_a_category_and_their_differences_are_held(name: str, n: int, prior: list[float]) -> None:
    rng, prior_of_levels = stream(8, "measures", name, n), np.array(prior)
    large = _guessed(rng, 400_000, prior_of_levels)
    measure = measure_named(name, large[0])
    truth, other = (measure.of(side).value for side in large)
    alone, apart = [], []
    for _ in range(2 * FEW):
        model, base = _guessed(rng, n, prior_of_levels)
        alone.append(estimate(model, name))
        apart.append(delta(model, base, metric=name))
    assert fewest(2 * FEW, 0.94) <= 2 * FEW * share_held(alone, truth)
    assert fewest(2 * FEW, 0.94) <= 2 * FEW * share_held(apart, measure.better * (truth - other))


def _three_models(
    rng: np.random.Generator, n: int, prior: Floats
) -> tuple[CategoryGuesses, CategoryGuesses, CategoryGuesses]:
    """A model of the release, a better one of the real data, and the most frequent level said of everybody."""
    truth = rng.choice(len(prior), n, p=prior)
    own, noise = rng.standard_normal((2, n, len(prior)))
    made = []
    for score, sharp in ((0.8 * own + 0.6 * noise, 1.05), (own, 1.5)):
        leaning = score + np.log(prior)
        leaning[np.arange(n), truth] += sharp
        chance = np.exp(leaning) / np.exp(leaning).sum(axis=1, keepdims=True)
        made.append(CategoryGuesses(truth, chance.argmax(axis=1), chance))
    most = int(prior.argmax())
    sure = np.broadcast_to(np.eye(len(prior))[most], (n, len(prior)))
    return made[0], made[1], CategoryGuesses(truth, np.full(n, most), sure)


def _by_standard_errors(
    name: str, release: CategoryGuesses, real: CategoryGuesses, base: CategoryGuesses
) -> tuple[float, float]:
    """A mutant: Fieller's interval, of plain standard errors."""
    measured = [measure_named(name, guesses).of(guesses) for guesses in (release, real, base)]
    values = [figure.value - measured[2].value for figure in measured[:2]]
    spread = covariance(release.clusters, *(figure.pull - measured[2].pull for figure in measured[:2]))
    reach = Z * np.sqrt(np.diag(spread))
    ends = [(value - half, value + half) for value, half in zip(values, reach, strict=True)]
    alike = float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))
    return ratio_of_correlated(values[0], ends[0], values[1], ends[1], alike)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "prior"),
    [(200, [0.9, 0.1]), (1000, [0.985, 0.015]), (300, [0.6, 0.3, 0.1])],
    ids=["1 in 10", "rare", "three"],
)
@pytest.mark.parametrize("name", ["balanced_accuracy", "macro_f1", "auc"])
def test_gains_and_ratios_of_measures_by_level_are_held(name: str, n: int, prior: list[float]) -> None:
    """Both over a constant guess. Where the real data may teach nothing there is no interval, which is not wrong."""
    rng, prior_of_levels = stream(8, "ratios", name, n), np.array(prior)
    large = _three_models(rng, 400_000, prior_of_levels)
    values = [measure_named(name, guesses).of(guesses).value for guesses in large]
    gains = [value - values[2] for value in values[:2]]
    apart, missed, plainly = [], 0, 0
    for _ in range(FEW):
        release, real, base = _three_models(rng, n, prior_of_levels)
        apart.append(gain(release, Baseline(base), metric=name))
        try:
            ratio = leakage_ratio(release, real, Baseline(base), metric=name)
        except ScoreError:
            continue
        low, high = _by_standard_errors(name, release, real, base)
        missed += not ratio.low <= gains[0] / gains[1] <= ratio.high
        plainly += not low <= gains[0] / gains[1] <= high
    assert fewest(FEW) <= FEW * share_held(apart, gains[0])
    assert fewest(FEW) <= FEW - missed
    if (name, n) == ("auc", 1000):
        assert plainly > FEW - fewest(FEW), "one person in seventy: standard errors are too sure of their ratio"


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 500])
@pytest.mark.parametrize("name", ["r2", "mae", "within"])
def test_measures_of_a_number_and_their_differences_are_held(name: str, n: int) -> None:
    rng = stream(8, "numbers", name, n)

    def draw(size: int) -> tuple[NumberGuesses, NumberGuesses]:
        truth, noise, more_noise = rng.standard_normal((3, size))
        return NumberGuesses(truth, truth + noise), NumberGuesses(truth, truth + 0.5 * noise + 0.7 * more_noise)

    large = draw(1_000_000)
    measure = measure_named(name, large[0])
    truth, other = (measure.of(side).value for side in large)
    pairs = [draw(n) for _ in range(2 * FEW)]
    assert fewest(2 * FEW, 0.94) <= 2 * FEW * share_held((estimate(model, name) for model, _ in pairs), truth)
    apart = (delta(model, base, metric=name) for model, base in pairs)
    assert fewest(2 * FEW, 0.94) <= 2 * FEW * share_held(apart, measure.better * (truth - other))
