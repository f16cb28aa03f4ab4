"""Classes, minimal uniques and models of the population beside enumeration, and beside published numbers."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Ints
from riskkit.questions.keys import classes, population, replication

ADULT = {
    1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29, 12: 18, 13: 23, 14: 14,
    15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3, 24: 2, 25: 1, 26: 3, 27: 5, 29: 1, 30: 2, 32: 1,
    34: 1, 35: 1, 36: 1, 45: 1,
}  # fmt: skip
"""How many classes have how many rows by all nine columns of the Adult table of 30,162 rows that ARX is tested with."""
SIZES = np.repeat(list(ADULT), list(ADULT.values())).astype(np.int64)
ROWS = int(SIZES.sum())


def levels(*columns: Any) -> Ints:
    return np.stack([np.unique(column, return_inverse=True)[1] for column in columns], axis=1).astype(np.int64)


def nasty(seed: int, rows: int = 40, columns: int = 5) -> Ints:
    """A table of few rows in which columns hold one value, all different ones, copies of each other, and skew."""
    rng = np.random.default_rng(seed)
    made = [rng.integers(0, high, rows) for high in (1, 2, 3, rows, 4)]
    made[4] = np.where(rng.random(rows) < 0.8, made[1], made[4])
    table = np.stack(made[:columns], axis=1)
    table[rows // 2 :] = table[: rows - rows // 2] if seed % 2 else table[rows // 2 :]
    return table.astype(np.int64)


# --------------------------------------------------------------------------------------------------------------
# Minimal uniques


def slow_minimal(table: Ints, most: int) -> dict[int, set[tuple[int, ...]]]:
    """By row its minimal uniques, by the definition: the only row with these values, and not so by any smaller set."""
    rows = [tuple(row) for row in table.tolist()]
    out: dict[int, set[tuple[int, ...]]] = {}
    for row, values in enumerate(rows):
        alone = [
            chosen
            for size in range(1, most + 1)
            for chosen in combinations(range(table.shape[1]), size)
            if sum(all(other[c] == values[c] for c in chosen) for other in rows) == 1
        ]
        out[row] = {own for own in alone if not any(set(less) < set(own) for less in alone)}
    return out


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_minimal_uniques_are_those_of_enumeration(seed: int, most: int) -> None:
    table = nasty(seed)
    right, made = slow_minimal(table, most), classes.minimal_uniques(table, most)
    assert {row: set(made.of_row(row)) for row in range(len(table))} == right
    worth = {row: sum(math.factorial(5 - len(own)) for own in sets) for row, sets in right.items()}
    assert made.score().tolist() == list(worth.values())
    assert made.smallest().tolist() == [min(map(len, sets), default=0) for sets in right.values()]


def test_a_set_that_is_not_minimal_would_be_seen() -> None:
    table = nasty(0)
    every = classes.minimal_uniques(table, 5)
    planted = classes.MinimalUniques((*every.subsets, (0, 3)), (*every.rows, np.arange(40)), 5, 40)
    assert planted.score().tolist() != [
        sum(math.factorial(5 - len(own)) for own in sets) for sets in slow_minimal(table, 5).values()
    ]


def test_scores_are_those_of_the_guide_of_sdcmicro() -> None:
    """Its tests of 'sdc guideline', 'book example' and 'simple example': scores, and shares of columns."""
    residence = ["Urban"] * 4 + ["Rural"] + ["Urban"] * 5
    gender = ["F", "F", "F", "M", "F", "M", "F", "M", "F", "F"]
    education = ["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"]
    labor = ["E", "E", "N", "E", "U", "E", "N", "U", "N", "N"]
    made = classes.minimal_uniques(levels(residence, gender, education, labor), 4)
    assert made.score().tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    age, sex = ["20s"] * 7 + ["60s"], ["m"] * 4 + ["f"] * 3 + ["m"]
    income, school = ["50k+"] * 2 + ["50k-"] * 6, ["high"] * 4 + ["uni", "high", "middle", "uni"]
    assert classes.minimal_uniques(levels(age, sex, income, school), 4).score()[4:].tolist() == [4, 2, 6, 8]
    simple = classes.minimal_uniques(levels([2, 1, 1], [0, 3, 0], [0, 6, 0]), 3)
    np.testing.assert_allclose(simple.contributions(), [0.5, 0.375, 0.375])


def test_the_share_that_is_right_follows_from_uniques_and_pairs() -> None:
    """Skinner and Elliot: by enumeration of a population of pairs and single ones, of which a tenth is drawn."""
    assert classes.share_right(30, 5, 0.1) == pytest.approx(30 * 0.1 / (30 * 0.1 + 10 * 0.9))
    assert classes.share_right(0, 0, 0.1) == 0
    score = np.array([0.0, 6.0, 12.0, 6.0, 10.0])
    dis = classes.dis_scores(score, 4, 1, 4, 0.1)
    assert dis[0] == 0
    assert dis[2] > dis[4] > dis[1] == dis[3] > 0
    assert classes.dis_scores(score, 4, 0, 4, 1.0)[1:] == pytest.approx(1)
    assert not classes.dis_scores(score, 4, 1, 4, 0.0).any()


def test_dis_suda_is_what_the_guide_of_sdcmicro_prints() -> None:
    """Table 4.5 of its practice guide: four uniques, three pairs, a hundredth of the population.

    Its program weighs a set of one key 1.75 and one of two keys .5 there; the guide prints Elliot's scores beside it.
    """
    score = np.array([0, 0, 1.75, 0, 3.25, 0, 1.75, 2.75, 0, 0])
    made = classes.dis_scores(score, uniques=4, pairs=3, columns=4, fraction=0.01)
    assert made.round(4).tolist() == [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]


# --------------------------------------------------------------------------------------------------------------
# k, l and t


def slow_diversity(own: list[int], secret: list[int], *, is_ordered: bool) -> tuple[int, float, float, int]:
    """By the definitions, in fractions; the ordered distance by moving what is too much from value to value."""
    values = sorted(set(secret))
    whole = {value: Fraction(secret.count(value), len(secret)) for value in values}
    distinct, entropies, apart, single = [], [], [], 0
    for name in set(own):
        inside = [value for part, value in zip(own, secret, strict=True) if part == name]
        share = {value: Fraction(inside.count(value), len(inside)) for value in values}
        distinct.append(len(set(inside)))
        single += len(inside) if len(set(inside)) == 1 else 0
        entropies.append(math.exp(-sum(float(p) * math.log(p) for p in share.values() if p)))
        if is_ordered:
            carried, moved = Fraction(0), Fraction(0)
            for value in values[:-1]:
                carried += share[value] - whole[value]
                moved += abs(carried)
            apart.append(float(moved) / max(len(values) - 1, 1))
        else:
            apart.append(float(sum(abs(share[value] - whole[value]) for value in values)) / 2)
    return min(distinct), min(entropies), max(apart), single


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_ordered", [True, False])
def test_k_l_and_t_are_those_of_the_definitions(seed: int, is_ordered: bool) -> None:
    table = nasty(seed, rows=60)
    for keys, secret in (((0, 1, 2), 4), ((1,), 3), ((0,), 4), ((3,), 1), ((1, 4), 0)):
        own = classes.classes_of(table[:, keys])
        made = classes.diversity(own, table[:, secret], is_ordered=is_ordered)
        right = slow_diversity(own.tolist(), table[:, secret].tolist(), is_ordered=is_ordered)
        assert (made.distinct, made.told) == (right[0], right[3])
        assert (made.entropy, made.closeness) == pytest.approx(right[1:3])
        counts = Counter(map(tuple, table[:, keys].tolist()))
        assert classes.sizes_of(own).tolist() == [counts[tuple(row)] for row in table[:, keys].tolist()]


def test_distances_are_those_of_the_paper() -> None:
    """Li, Li and Venkatasubramanian (2007): salaries of nine, {3k, 4k, 5k} is 0.375 from all, {6k, 8k, 11k} 0.167."""
    salary = np.array([3, 4, 5, 6, 11, 8, 7, 9, 10])
    own = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    first = classes.diversity(np.where(own == 0, 0, 1), salary, is_ordered=True)
    assert first.closeness == pytest.approx(0.375)
    second = classes.diversity(np.where(own == 1, 0, 1), salary, is_ordered=True)
    assert second.closeness == pytest.approx(1 / 6, abs=5e-4)


# --------------------------------------------------------------------------------------------------------------
# The population


@pytest.mark.parametrize(
    ("fraction", "model", "share"),
    [(0.1, "pitman", 0.27684993883653597), (0.01, "pitman", 0.1446083531167384), (1.0, "snb", 0.5142895033485844),
     (0.1, "zayatz", 0.3207402393466189), (0.2, "zayatz", 0.3577099234829125)],
)  # fmt: skip
def test_shares_of_the_population_are_those_that_arx_is_tested_with(fraction: float, model: str, share: float) -> None:
    """TestRiskMetrics of ARX compares four digits; of a fifth it has Zayatz', for its SNB finds no solution there."""
    people = ROWS / fraction
    made = population.population_uniques(SIZES, people)
    assert getattr(made, model) / people == pytest.approx(share, abs=1e-7)
    assert len(SIZES) / ROWS == 0.6465751607983555, "the average risk"
    chosen = {0.1: "pitman", 0.01: "pitman", 1.0: "snb", 0.2: "snb"}[fraction]
    assert made.chosen == chosen


def test_the_rule_takes_the_lower_of_two_of_a_large_sample_and_what_there_is() -> None:
    models: dict[str, float | None] = {"pitman": 5.0, "zayatz": 7.0, "snb": 6.0}
    assert population.choose(models, 0.1) == "pitman"
    assert population.choose(models, 0.11) == "snb"
    assert population.choose({**models, "snb": 8.0}, 0.11) == "zayatz"
    assert population.choose({**models, "snb": None}, 0.11) == "zayatz"
    assert population.choose({**models, "pitman": None}, 0.05) == "zayatz"


def test_one_of_a_class_is_drawn_as_often_as_the_hypergeometric_law_has_it() -> None:
    size = np.array([1, 2, 5, 40])
    right = [stats.hypergeom(500, own, 60).pmf(1) for own in size]
    np.testing.assert_allclose(population._once(size.astype(float), 500, 60), right, rtol=1e-9)


def test_expected_classes_are_those_of_summing_over_all_sizes() -> None:
    alpha, beta, fraction, total = 0.7, 0.2, 0.3, 1000.0
    size = np.arange(1, 3000)
    share = stats.nbinom(alpha, beta).pmf(size - 1)
    right = [total * (share * stats.binom(size, fraction).pmf(wanted)).sum() for wanted in (1, 2)]
    np.testing.assert_allclose(population.expected_classes(total, alpha, beta, fraction), right, rtol=1e-9)


@pytest.mark.parametrize("fraction", [0.05, 0.3])
def test_models_are_near_the_truth_of_a_population_that_is_known(fraction: float) -> None:
    """A population drawn by Pitman's own law; a share of it is the table."""
    rng = np.random.default_rng(5)
    theta, alpha, people, counts = 200.0, 0.5, 40_000, [1]
    names = [0]
    for n in range(1, people):
        if rng.random() < (theta + alpha * len(counts)) / (theta + n):
            counts.append(1)
            names.append(len(counts) - 1)
        else:
            own = names[rng.integers(n)]
            while rng.random() < alpha / counts[own]:
                own = names[rng.integers(n)]
            counts[own] += 1
            names.append(own)
    sample = np.array(names)[rng.permutation(people)[: int(people * fraction)]]
    true = sum(count == 1 for count in counts)
    made = population.population_uniques(np.unique(sample, return_counts=True)[1], people)
    assert made.value is not None
    assert 0.5 * true < made.value < 2 * true


def test_without_a_unique_in_the_sample_there_is_none_in_the_population() -> None:
    made = population.population_uniques(np.array([2, 3, 9]), 1000)
    assert made.value == 0


def test_individual_risk_is_that_of_sdcmicro() -> None:
    """Its tests of indivRisk, method exact: classes of 3, 1, 1, 2 and 1 rows with their sums of weights."""
    size, weight = np.array([3, 1, 1, 2, 1]), np.array([108.0, 45.5, 17.0, 100.0, 123.5])
    right = [0.01355297, 0.08579129, 0.17707583, 0.01877883, 0.03931625]
    np.testing.assert_allclose(population.individual_risk(size, weight), right, atol=5e-9)
    assert population.individual_risk(np.array([4]), np.array([4.0])) == pytest.approx(0.25)


def test_individual_risk_is_the_mean_over_the_class_in_the_population() -> None:
    for size, weight in ((1, 10.0), (7, 40.0), (60, 90.0)):
        more = np.arange(0, 200_000)
        law = stats.nbinom(size, size / weight).pmf(more)
        right = float((law / (more + size)).sum())
        assert population.individual_risk(np.array([size]), np.array([weight]))[0] == pytest.approx(right, rel=1e-6)


# --------------------------------------------------------------------------------------------------------------
# What synthpop counts


def test_shares_of_synthpop_are_those_counted_by_hand() -> None:
    """Keys a to e; the secret is 0 or 1."""
    keys = {"real": "aabcd", "release": "abbce"}
    real, release = (np.array([ord(letter) - 97 for letter in own]) for own in keys.values())
    rows = replication.KeyedRows(real, release, None)
    shares = replication.identity(rows)
    assert (shares.uio, shares.uis, shares.uiois, shares.repu) == (3 / 5, 3 / 5, 2 / 5, 1 / 5)
    secrets = replication.attribute(rows, np.array([0, 1, 1, 0, 1]), np.array([1, 1, 1, 1, 0]))
    assert (secrets.dorig, secrets.dsyn, secrets.its, secrets.dis) == (
        3 / 5,
        1,
        4 / 5,
        4 / 5,
    )
    assert (secrets.disco, secrets.disdio) == (2 / 5, 1 / 5)


def test_others_stand_beside_members_and_a_planted_leak_is_shown() -> None:
    rng = np.random.default_rng(1)
    real, others = rng.integers(0, 3000, 400), rng.integers(0, 3000, 300)
    nobody = (np.zeros(400, dtype=bool), np.zeros(300, dtype=bool))
    copied = replication.KeyedRows(real, real.copy(), others)
    excess = replication.beside_others(copied, nobody, 0.95)[2]
    assert excess.low > 0.8
    fresh = replication.KeyedRows(real, rng.integers(0, 3000, 400), others)
    excess = replication.beside_others(fresh, nobody, 0.95)[2]
    assert excess.low <= 0 <= excess.high
