"""Labels dealt anew: every deal of the labels to records and nothing else, and p-values that count them."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Floats, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import _kernels, permutation, records
from riskkit.stats.permutation import Joint, joint_aucs

VALUES = np.array([3.0, 1.0, 1.0, 0.0, 2.0, 1.0])
RECORD = np.arange(6)
IS_IN = np.array([True, True, True, False, False, False])


def area(value: Floats, is_in: Bools) -> float:
    """Pairs of a row that was in and one that was not in which the first scores higher, ties one half."""
    wins = [(inside > outside) + (inside == outside) / 2 for inside in value[is_in] for outside in value[~is_in]]
    return float(np.mean(wins))


def all_deals(value: Floats, record: np.ndarray, inside: int) -> list[float]:
    """The AUC by every choice of so many records."""
    return [area(value, np.isin(record, chosen)) for chosen in combinations(np.unique(record), inside)]


def test_deals_are_all_choices_of_as_many_records_alike() -> None:
    true, dealt = permutation.aucs(VALUES[:, None], IS_IN, RECORD, 20_000, stream(1, "test"))
    assert true[0] == pytest.approx(area(VALUES, IS_IN))
    every = np.round(all_deals(VALUES, RECORD, 3), 9)
    values, counts = np.unique(np.round(dealt[:, 0], 9), return_counts=True)
    expected = np.array([(every == value).sum() for value in values])
    assert expected.sum() == len(every) == 20
    off = (counts - 1000 * expected) / np.sqrt(20_000 * expected / 20 * (1 - expected / 20))
    assert np.abs(off).max() < 4


@pytest.mark.parametrize("inside", [1, 2, 4, 5])
def test_every_choice_of_records_is_dealt_as_often(inside: int) -> None:
    """By sums that tell every choice apart; the smaller side is drawn, whichever it is."""
    is_in = np.arange(6) < inside
    records = permutation.Records.group(is_in, np.arange(6))
    sums = records.sums(2 ** np.arange(6)[:, None], 30_000, stream(inside, "test"))[:, 0]
    choices = {sum(2**each for each in chosen) for chosen in combinations(range(6), inside)}
    values, counts = np.unique(sums, return_counts=True)
    assert set(values.tolist()) == choices
    share = 1 / len(choices)
    assert np.abs((counts - 30_000 * share) / np.sqrt(30_000 * share * (1 - share))).max() < 4


def test_deals_are_those_of_a_shuffle_in_plain_python() -> None:
    """From the generator's own words, lower half first; deals go on from where the last one left the records."""
    is_in, times = np.arange(11) % 4 == 0, 40
    values = np.random.default_rng(3).integers(0, 10**12, (11, 2))
    sums = permutation.Records.group(is_in, np.arange(11)).sums(values, times, np.random.default_rng(7))
    words = np.random.default_rng(7).bit_generator.random_raw(1_000).tolist()
    halves = iter([half for word in words for half in (word % 2**32, word >> 32)])
    order, theirs = list(range(11)), []
    for _ in range(times):
        for index in range(int(is_in.sum())):
            left = 11 - index
            draw = next(halves)
            while draw * left % 2**32 < 2**32 % left:
                draw = next(halves)
            place = index + draw * left // 2**32
            order[index], order[place] = order[place], order[index]
        theirs.append(values[order[: int(is_in.sum())]].sum(axis=0))
    np.testing.assert_array_equal(sums, theirs)


@pytest.mark.parametrize("most", [2**31 - 1, 2**31])
def test_sums_are_exact_beyond_the_size_of_a_value(most: int) -> None:
    """Values are held in 32 bits where each fits; their sums are not."""
    is_in = np.arange(9) < 4
    sums = permutation.Records.group(is_in, np.arange(9)).sums(np.full((9, 1), most), 20, stream(1, "test"))
    np.testing.assert_array_equal(sums, np.full((20, 1), 4 * most))


def test_rows_of_one_record_keep_one_label() -> None:
    record = np.array([0, 0, 0, 1, 2, 3])
    is_in = np.isin(record, [0, 1])
    true, dealt = permutation.aucs(VALUES[:, None], is_in, record, 500, stream(2, "test"))
    assert true[0] == pytest.approx(area(VALUES, is_in))
    whole = set(np.round(all_deals(VALUES, record, 2), 9).tolist())
    assert set(np.round(dealt[:, 0], 9).tolist()) == whole
    alone = set(np.round(permutation.aucs(VALUES[:, None], is_in, RECORD, 500, stream(2, "test"))[1][:, 0], 9).tolist())
    assert alone != whole, "the twin that deals to rows is told from it"


def test_all_attacks_see_the_same_deals() -> None:
    both = np.column_stack([VALUES, 2 * VALUES + 1, -VALUES])
    true, dealt = permutation.aucs(both, IS_IN, RECORD, 50, stream(3, "test"))
    assert np.array_equal(dealt[:, 0], dealt[:, 1])
    np.testing.assert_allclose(dealt[:, 0] + dealt[:, 2], 1.0)
    assert true[0] == true[1]


def test_blocks_change_no_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = permutation.aucs(VALUES[:, None], IS_IN, RECORD, 33, stream(4, "test"))[1]
    monkeypatch.setattr(permutation, "WORDS", 1)
    assert np.array_equal(whole, permutation.aucs(VALUES[:, None], IS_IN, RECORD, 33, stream(4, "test"))[1])


def test_one_truth_is_refused() -> None:
    with pytest.raises(ScoreError, match="same truth"):
        permutation.aucs(VALUES[:, None], np.ones(6, dtype=bool), RECORD, 9, stream(5, "test"))


def test_a_learner_that_has_seen_the_label_it_is_asked_about_shows_nothing() -> None:
    """It scores 1 on the true labels and on any others; a p-value from ranks alone would be tiny."""
    p, deals = permutation.p_of_relearnt(lambda labels: labels.astype(float), IS_IN, RECORD, 999, stream(6, "test"))
    assert (p, deals) == (1.0, permutation.ENOUGH)


def test_the_p_value_of_a_learner_that_ignores_labels_counts_the_choices_as_high() -> None:
    """20 choices of three records; three in all rank the true ones as high."""
    value = np.array([5.0, 4.0, 1.0, 3.0, 2.0, 0.0])
    at_least = sum(dealt >= area(value, IS_IN) - 1e-12 for dealt in all_deals(value, RECORD, 3))
    p, deals = permutation.p_of_relearnt(
        lambda labels: np.tile(value, (len(labels), 1)), IS_IN, RECORD, 9_999, stream(7, "test")
    )
    assert p == pytest.approx(at_least / 20, abs=4 * np.sqrt(at_least / 20 / deals))


def test_the_p_value_is_never_below_one_over_the_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    record, is_in = np.arange(60), np.arange(60) < 30
    score = lambda labels: np.tile(is_in.astype(float), (len(labels), 1))  # noqa: E731
    assert permutation.p_of_relearnt(score, is_in, record, 99, stream(8, "test")) == (0.01, 99)


def test_stopping_early_does_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    record, is_in = np.arange(60), np.arange(60) < 30
    value = stream(1, "test", "value").standard_normal(60)
    results = []
    for cells in (60, 600, 60_000):
        monkeypatch.setattr(permutation, "CELLS", cells)
        results.append(
            permutation.p_of_relearnt(
                lambda labels: np.tile(value, (len(labels), 1)), is_in, record, 4_999, stream(9, "test")
            )
        )
    assert results[0] == results[1] == results[2]
    p, deals = results[0]
    assert p == permutation.ENOUGH / deals
    assert deals < 4_999


@pytest.mark.parametrize("lines", [1, 20, 10**6])
def test_areas_of_lines_are_counted_pair_by_pair(monkeypatch: pytest.MonkeyPatch, lines: int) -> None:
    """Records of several rows; of equal scores the record that comes first counts as the lower one."""
    monkeypatch.setattr(permutation, "LINES", lines)
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 4, 13)
    labels = np.array([rng.permutation(np.arange(13) < 5) for _ in range(9)])
    scores = rng.integers(0, 4, (9, 13)) + np.where(rng.random((9, 1)) < 0.5, 0.0, rng.random((9, 13)))
    scores[3] = 0.0
    theirs = []
    for score, is_in in zip(scores.tolist(), labels, strict=True):
        places = [(value, place) for place, value in enumerate(score)]
        pairs = [(inside, outside) for inside in np.flatnonzero(is_in) for outside in np.flatnonzero(~is_in)]
        wins = sum(int(rows[inside] * rows[outside]) for inside, outside in pairs if places[inside] > places[outside])
        theirs.append(wins / int(rows[is_in].sum() * rows[~is_in].sum()))
    np.testing.assert_array_equal(permutation._areas(scores, labels, rows), theirs)


def test_a_tie_is_seen_wherever_it_stands() -> None:
    """The two lowest scores, the two highest, and every two neighbours between."""
    n = 400
    line = stream(1, "test").permutation(n).astype(float)
    scores = np.array([np.where(line == place + 1, place, line) for place in range(n - 1)])
    assert np.array_equal(_kernels.lines_with_ties(scores, np.argsort(scores, axis=1)), np.ones(n - 1, dtype=bool))
    assert not _kernels.lines_with_ties(line[None], np.argsort(line[None], axis=1)).any()


def world(shift: float, n: int = 60, m: int = 60, attacks: int = 3, seed: int = 1) -> list[Scores]:
    """Attacks that share half of their scores' variance; members score higher by ``shift``."""
    rng, is_in = stream(seed, "test", "joint"), np.arange(n + m) < n
    shared = rng.standard_normal(n + m)
    values = [shared + rng.standard_normal(n + m) + shift * is_in for _ in range(attacks)]
    return [asked(value, n) for value in values]


def asked(value: Floats, n: int) -> Scores:
    """Scores of which the first n were in; every row is a record."""
    index = np.arange(len(value))
    return Scores(value, index < n, index, index * 0, "made")


def judged(scores: list[Scores], level: float = 0.95) -> Joint:
    return joint_aucs(scores, stream(1, "test", "labels"), level=level)


def test_the_p_values_are_those_of_a_slow_count() -> None:
    scores = world(0.4)
    joint = judged(scores)
    values = np.column_stack([scored.value for scored in scores])
    _, dealt = permutation.aucs(
        values, scores[0].is_in, scores[0].training, joint.permutations, stream(1, "test", "labels")
    )
    true = np.array([stats.mannwhitneyu(scored.value[:60], scored.value[60:]).statistic / 3600 for scored in scores])
    spread = np.array([np.std([true[attack], *dealt[:, attack]]) for attack in range(3)])
    largest = [max((line[attack] - 0.5) / spread[attack] for attack in range(3)) for line in dealt]
    for attack in range(3):
        beyond = sum(gap >= (true[attack] - 0.5) / spread[attack] - 1e-12 for gap in largest)
        assert joint.p[attack] == pytest.approx((beyond + 1) / (joint.permutations + 1))


def test_one_attack_has_the_rank_sum_test() -> None:
    (scores,) = world(0.4, attacks=1)
    exact = stats.mannwhitneyu(scores.value[:60], scores.value[60:], alternative="greater").pvalue
    joint = judged([scores])
    assert joint.p[0] == pytest.approx(exact, abs=4 * np.sqrt(exact / joint.permutations))
    assert joint.reach == pytest.approx((1.645, 1.645), abs=0.06)


def test_the_same_attack_twice_costs_nothing_and_another_one_does() -> None:
    """Bonferroni would pay for the copy."""
    first, second, _ = world(0.4)
    alone, twice, both = judged([first]), judged([first, first]), judged([first, second])
    assert twice.p == (alone.p[0], alone.p[0])
    ends = [(joint.aucs[0].low, joint.aucs[0].high) for joint in (twice, alone)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert both.p[0] > alone.p[0]
    assert both.aucs[0].low < alone.aucs[0].low
    assert both.aucs[0].high > alone.aucs[0].high


def test_attacks_that_hang_together_need_less_than_bonferroni() -> None:
    reach = judged(world(0.0, attacks=17, n=300, m=300)).reach
    assert stats.norm.isf(0.05 / 34) == pytest.approx(2.97, abs=0.01), "what two-sided Bonferroni over 17 asks for"
    assert stats.norm.isf(0.05 / 17) == pytest.approx(2.75, abs=0.01), "and one-sided"
    assert 1.645 < min(reach) <= max(reach) < 2.7


@pytest.mark.parametrize("shift", [0.0, 0.15, 0.25, 0.3, 0.35, 0.5, 1.5])
def test_a_lower_end_lies_above_one_half_just_where_the_test_says_so(shift: float) -> None:
    joint = judged(world(shift))
    for auc, p in zip(joint.aucs, joint.p, strict=True):
        assert (auc.low > 0.5) == (p <= 0.05)
        assert auc.low <= auc.value <= auc.high
        assert auc.level == pytest.approx(0.9)


def test_an_attack_of_few_answers_competes_in_its_own_units() -> None:
    """Ten of 300 members are hit and nobody else: an AUC of .517, and next to no chance. Beside an attack whose AUC
    scatters ten times as much, the largest AUC that is not studentised would hide it."""
    hits = np.zeros(600)
    hits[:10] = 1.0
    noise = stream(2, "test").standard_normal(600)
    joint = judged([asked(hits, 300), asked(noise, 300)])
    assert joint.aucs[0].value == pytest.approx(0.5 + 10 / 600)
    assert joint.p[0] < 0.02
    values = np.column_stack([hits, noise])
    _, dealt = permutation.aucs(values, np.arange(600) < 300, np.arange(600), 999, stream(3, "test"))
    assert (dealt.max(axis=1) >= joint.aucs[0].value).mean() > 0.2, "the twin that takes the largest plain AUC"


def test_rows_of_a_record_are_one() -> None:
    rng = stream(3, "test")
    value = rng.standard_normal(60) + 0.8 * (np.arange(60) < 30)
    once, record = asked(value, 30), np.repeat(np.arange(60), 4)
    many = Scores(np.repeat(value, 4), record < 30, record, record * 0, "made")
    apart = asked(np.repeat(value, 4), 120)
    single, together, mutant = (judged([scored]) for scored in (once, many, apart))
    assert together.p == pytest.approx(single.p, abs=0.01)
    assert together.aucs[0].high == pytest.approx(single.aucs[0].high, abs=0.02)
    assert mutant.p[0] < 0.2 * single.p[0], "the twin that takes rows for records"


def test_a_higher_level_deals_more_often_and_reaches_farther() -> None:
    usual, high, low = (judged(world(0.3), level) for level in (0.95, 0.999, 0.5))
    assert (usual.permutations, high.permutations) == (permutation.PERMUTATIONS, 49_999)
    assert high.reach > usual.reach > low.reach
    assert high.aucs[0].level == pytest.approx(0.998)
    extreme = judged(world(2.0, n=8, m=8), 0.999999)
    assert min(auc.low for auc in extreme.aucs) <= 0.5, "so few deals do not show so small a chance"


def test_the_same_seed_gives_the_same_numbers_and_another_nearly() -> None:
    scores = world(0.3)
    assert judged(scores).p == judged(scores).p
    other = joint_aucs(scores, stream(2, "test", "labels"))
    assert other.p != judged(scores).p
    assert other.p == pytest.approx(judged(scores).p, abs=0.03)


def test_what_cannot_be_judged_together_is_a_sentence() -> None:
    first, second, _ = world(0.3)
    with pytest.raises(ScoreError, match="others"):
        judged([first, asked(second.value, 59)])
    with pytest.raises(ScoreError, match="nothing to estimate"):
        judged([])
    with pytest.raises(ScoreError, match="every record the same score"):
        judged([first, asked(np.ones(120), 60)])
    with pytest.raises(TooFewTrainings):
        judged([asked(first.value[:8], 4)])


def test_the_value_is_that_of_one_attack_alone() -> None:
    scores = world(0.3)
    for auc, scored in zip(judged(scores).aucs, scores, strict=True):
        alone = records.auc(scored)
        assert (auc.value, auc.n) == (alone.value, alone.n)
        assert "3 attacks together" in auc.method
