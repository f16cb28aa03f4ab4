"""Several attacks on the same records: known answers of the joint test and of its intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import permuted, records
from riskkit.stats.joint import Joint, joint_aucs


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
    _, dealt = permuted.aucs(
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
    _, dealt = permuted.aucs(values, np.arange(600) < 300, np.arange(600), 999, stream(3, "test"))
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
    assert (usual.permutations, high.permutations) == (permuted.PERMUTATIONS, 49_999)
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
