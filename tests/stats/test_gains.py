"""Gains over a constant guess, the leakage ratio, groups and the people whom the release exposes, counted by hand."""

import numpy as np
import numpy.typing as npt
import pytest
from sklearn import metrics

from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats.exposure import confidence, exposed_people, exposure
from riskkit.stats.gains import MOST_RIVALS, Baseline, gain, leakage_ratio, most_frequent
from riskkit.stats.guesses import CategoryGuesses, NumberGuesses, Tolerance
from riskkit.stats.inference import delta

RARE = [0, 0, 0, 0, 0, 0, 1, 1]
"""Six people have not what two have."""
HIGHER = {"release": [0.1, 0.1, 0.1, 0.3, 0.3, 0.4, 0.3, 0.4], "real": [0.1, 0.1, 0.1, 0.1, 0.3, 0.6, 0.4, 0.6]}
"""How likely two models take each of them to have it."""


def likely(score: list[float]) -> CategoryGuesses:
    """Guesses by the likelier of two levels."""
    chance = np.array(score)
    return CategoryGuesses(RARE, chance > 0.5, np.column_stack([1 - chance, chance]))


def constant(truth: list[int] | np.ndarray, level: int) -> CategoryGuesses:
    """One of two levels, said of everybody."""
    return CategoryGuesses(truth, np.full(len(truth), level), np.tile(np.eye(2)[level], (len(truth), 1)))


RELEASE, REAL, BASE = likely(HIGHER["release"]), likely(HIGHER["real"]), Baseline(constant(RARE, 0))


@pytest.mark.parametrize(
    ("metric", "release", "real"),
    [
        # Nobody of the release's reaches .5, so it guesses as the constant does; the real table's finds one of two.
        ("accuracy", 6 / 8 - 6 / 8, 6 / 8 - 6 / 8),
        ("balanced_accuracy", 1 / 2 - 1 / 2, (5 / 6 + 1 / 2) / 2 - 1 / 2),
        ("macro_f1", 0.0, (10 / 12 + 2 / 4) / 2 - (12 / 14 + 0) / 2),
        # Of the 12 pairs: release .3 beats 3 and ties 2, .4 beats 5 and ties 1; real .4 beats 5, .6 beats 5, ties 1.
        ("auc", (3 + 2 / 2 + 5 + 1 / 2) / 12 - 1 / 2, (5 + 5 + 1 / 2) / 12 - 1 / 2),
    ],
)
def test_gains_of_eight_people_by_hand(metric: str, release: float, real: float) -> None:
    for model, expected in ((RELEASE, release), (REAL, real)):
        gained = gain(model, BASE, metric=metric)
        assert gained.value == pytest.approx(expected, abs=1e-12)
        assert gained.low < expected < gained.high


def test_ratios_of_eight_hundred_people_by_hand() -> None:
    """The eight, a hundred times: of the AUC (.7917 - .5) / (.875 - .5); in the share right nothing is gained."""
    alone = [
        CategoryGuesses(np.tile(RARE, 100), np.tile(of.guess, 100), np.tile(of.probability, (100, 1)))  # type: ignore[arg-type]
        for of in (RELEASE, REAL)
    ]
    base = Baseline(constant(np.tile(RARE, 100), 0))
    auc = leakage_ratio(*alone, base, metric="auc")
    assert auc.value == pytest.approx((9.5 / 12 - 0.5) / (10.5 / 12 - 0.5))
    assert auc.low < auc.value < auc.high < 1
    for metric in ("balanced_accuracy", "macro_f1"):
        ratio = leakage_ratio(*alone, base, metric=metric)
        assert ratio.value == pytest.approx(0, abs=1e-12)
        assert ratio.low < 0 < ratio.high
    with pytest.raises(ScoreError, match="not clearly better than the baseline in right guesses"):
        leakage_ratio(*alone, base)


def test_a_constant_guess_reaches_chance_and_its_own_f1() -> None:
    truth = stream(3, "levels").choice(4, 500, p=[0.1, 0.2, 0.3, 0.4])
    model = CategoryGuesses(truth, (truth + (np.arange(500) % 3 == 0)) % 4, np.eye(4)[truth])
    base = Baseline(CategoryGuesses(truth, np.full(500, 3), np.tile(np.eye(4)[3], (500, 1))))
    right = metrics.balanced_accuracy_score(truth, model.guess)
    assert gain(model, base, metric="balanced_accuracy").value == pytest.approx(right - 1 / 4)
    assert gain(model, base, metric="auc").value == pytest.approx(1 - 1 / 2)
    f1 = [metrics.f1_score(truth, guesses.guess, average="macro", zero_division=0) for guesses in (model, base.guesses)]
    assert gain(model, base, metric="macro_f1").value == pytest.approx(f1[0] - f1[1])


def people(*counts: int) -> CategoryGuesses:
    """So many of each level, the most frequent said of all."""
    truth = np.repeat(np.arange(len(counts)), counts)
    return CategoryGuesses(truth, np.full(len(truth), int(np.argmax(counts))))


@pytest.mark.parametrize(
    ("counts", "others"),
    [
        ((900, 100), []),
        ((520, 480), [1]),
        ((300, 360, 340), [2, 0]),
        ((20,) * 40, [*range(1, MOST_RIVALS + 1), -1]),  # as frequent all: the rest stands for by one never right
    ],
)
def test_the_levels_that_may_be_the_most_frequent(counts: tuple[int, ...], others: list[int]) -> None:
    baseline = most_frequent(people(*counts))
    assert [int(rival.guess[0]) for rival in baseline.rivals if isinstance(rival, CategoryGuesses)] == others


def test_copies_make_the_most_frequent_level_less_sure() -> None:
    truth = np.repeat([0, 1], [600, 400])
    alone = CategoryGuesses(truth, np.zeros(1000))
    copied = CategoryGuesses(truth, np.zeros(1000), cluster=np.arange(1000) // 50)
    assert [len(most_frequent(guesses).rivals) for guesses in (alone, copied)] == [0, 1]


def test_a_constant_read_off_the_tested_holds_for_every_one_it_may_be() -> None:
    base = people(52, 48)
    model = CategoryGuesses(base.truth, np.where(np.arange(100) % 4 == 0, 1 - base.truth, base.truth))
    whole, plain = gain(model, most_frequent(base)), gain(model, Baseline(base))
    assert whole.value == plain.value == pytest.approx(0.75 - 0.52)
    other = delta(model, CategoryGuesses(base.truth, np.ones(100)))
    assert whole.low < plain.low
    assert whole.high > other.high > plain.high
    assert (whole.level, whole.method) == (0.95, f"{plain.method}, over 2 constants")


def test_the_median_may_be_any_number_of_its_interval() -> None:
    truth = np.arange(1000.0)
    guesses = NumberGuesses(truth, np.full(1000, 499.5), Tolerance(0.0, 10.0))
    rivals = [float(rival.guess[0]) for rival in most_frequent(guesses).rivals]
    half = 3.023 * np.sqrt(1000) / 2  # a quarter of a per cent of the error, both ends: z of .00125
    assert (rivals[0], rivals[-1]) == pytest.approx((500 - half, 500 + half), abs=1)
    assert len(rivals) == MOST_RIVALS


def test_groups_keep_the_constant_of_all() -> None:
    whole = most_frequent(people(52, 48))
    part = whole.rows(np.arange(50, 100))
    assert part.is_of_the_tested
    assert [int(rival.guess[0]) for rival in part.every if isinstance(rival, CategoryGuesses)] == [0, 1]
    assert len(part.guesses) == 50


def guessed(right: npt.ArrayLike) -> CategoryGuesses:
    """Guesses that are right where asked."""
    return CategoryGuesses(np.zeros(np.size(right)), ~np.asarray(right, dtype=bool))


def test_exposed_is_who_only_the_release_gives_away() -> None:
    sure = np.array([[0.95, 0.05]] * 4 + [[0.6, 0.4]])
    release = CategoryGuesses(np.zeros(5), [0, 0, 0, 1, 0], sure)
    baseline, never_in = guessed([False, True, False, False, False]), guessed([False, False, True, False, False])
    assert exposed_people(release, baseline, never_in).tolist() == [True, False, False, False, False]
    assert exposed_people(release, baseline, never_in, least=0.6).tolist() == [True, False, False, False, True]
    assert confidence(release).tolist() == pytest.approx([0.95, 0.95, 0.95, 0.05, 0.6])


def test_guesses_of_numbers_are_exposed_whatever_their_confidence() -> None:
    truth = np.arange(1.0, 4.0)
    release, other = NumberGuesses(truth, [1.0, 2.0, 9.0]), NumberGuesses(truth, [9.0, 2.0, 3.0])
    assert exposed_people(release, other, other, least=1.0).tolist() == [True, False, False]


def test_exposed_asks_about_the_same_records() -> None:
    with pytest.raises(ScoreError, match="same records"):
        exposed_people(guessed([True] * 5), guessed([True] * 5), guessed([True] * 6))


def test_counts_of_members_beside_what_chance_names() -> None:
    counts = exposure(np.arange(1000) < 120, np.arange(500) < 20)
    assert (counts.members.value, counts.by_chance.value, counts.beyond_chance.value) == pytest.approx((120, 40, 80))
    assert 100 < counts.members.low < 120 < counts.members.high < 142
    assert 0 < counts.beyond_chance.low < 80 < counts.beyond_chance.high
    assert (counts.members.n, counts.by_chance.n, counts.beyond_chance.n) == (1000, 500, 1500)


def test_nobody_named_is_not_nobody_at_risk() -> None:
    counts = exposure(np.zeros(100, dtype=bool), np.zeros(100, dtype=bool))
    assert counts.members.value == counts.beyond_chance.value == 0
    assert counts.members.high > 3
    assert counts.beyond_chance.low < -3 < 3 < counts.beyond_chance.high


def test_copies_of_a_member_count_as_one() -> None:
    named = np.arange(200) < 60
    twice_each = np.repeat(np.arange(200), 2)
    once = exposure(named, named)
    twice = exposure(named[twice_each], named[twice_each], cluster_of_members=twice_each, cluster_of_control=twice_each)
    assert twice.members.value == 2 * once.members.value
    assert twice.members.n == 200
    assert twice.members.low == pytest.approx(2 * once.members.low, rel=0.01)


def test_people_alike_in_what_is_known_count_as_one() -> None:
    """Of 40 kinds of people ten a side: kinds named as a whole, in or out, are 40 matters and not 400."""
    kind = np.repeat(np.arange(40), 10)
    inside, outside = kind % 4 == 0, kind % 4 == 1
    alone = exposure(inside, outside).beyond_chance
    by_kind = exposure(inside, outside, known_of_members=kind, known_of_control=kind).beyond_chance
    both = exposure(inside, inside, known_of_members=kind, known_of_control=kind).beyond_chance
    assert by_kind.value == alone.value == 0
    width = (by_kind.high - by_kind.low) / (alone.high - alone.low)
    # a kind that is named on one side adds 10 times (1/400) of one sign: 13.3 = 10 (1 + 1/3) times as much by kinds
    assert width == pytest.approx(np.sqrt(40 / 3), rel=0.15)
    assert both.high - both.low == pytest.approx(alone.high - alone.low)  # named on both sides, they make no difference


def test_chance_beyond_the_control_holds_nought_when_nothing_leaks() -> None:
    rng = stream(9, "exposed")
    held = []
    for _ in range(400):
        beyond = exposure(rng.random(800) < 0.05, rng.random(400) < 0.05).beyond_chance
        held.append(beyond.low <= 0 <= beyond.high)
    assert 0.92 <= np.mean(held) <= 0.98
