"""The likelihood ratio against numbers counted by hand, and against the best AUC there is."""

import numpy as np
import pytest
from scipy import stats

from riskkit.attacks.likelihood import PROOF, LikelihoodRatio
from riskkit.core import Brief, Column, Generator, Kind, Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.histogram import Histogram
from riskkit.generators.privbayes import PrivBayes
from riskkit.generators.stat import Stat
from riskkit.generators.whole_rows import Bootstrap
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from tests.tables import mixed

WARDS = Schema((Column("ward", Kind.CATEGORICAL, levels=("east", "north", "south")),))
RNG = np.random.default_rng(0)


def wards(*codes: int) -> Table:
    return Table(WARDS, np.array(codes)[:, None], np.empty((len(codes), 0)))


def brief(generator: Generator | None, *codes: int, target: int) -> Brief:
    return Brief(wards(target), data=wards(*codes), generator=generator)


def test_the_ratio_counted_by_hand() -> None:
    """East 1 of 3 without and 1 of 4 with, north 2 of 3 and 3 of 4."""
    fitted = LikelihoodRatio().fit(brief(Histogram(), 0, 1, 1, target=1), RNG)
    scored = fitted.score(wards(0, 1, 1))
    np.testing.assert_allclose(scored, [np.log(3 / 4) + 2 * np.log(9 / 8)])


def test_a_row_that_only_one_world_can_put_out_decides() -> None:
    fitted = LikelihoodRatio().fit(brief(Histogram(), 0, 1, 1, target=2), RNG)
    assert fitted.score(wards(0, 0, 0, 0, 2))[0] > PROOF / 2
    assert fitted.score(wards(0, 0, 0, 0, 0))[0] == pytest.approx(5 * np.log(3 / 4))


def test_a_row_that_neither_world_can_put_out_says_nothing() -> None:
    fitted = LikelihoodRatio().fit(brief(Histogram(), 0, 0, 1, target=1), RNG)
    assert fitted.score(wards(0, 2))[0] == pytest.approx(fitted.score(wards(0))[0])


def test_more_fits_of_a_method_without_randomness_change_nothing() -> None:
    knowledge = brief(Histogram(), 0, 1, 1, target=1)
    single_fit, three_fits = (LikelihoodRatio(fits=fits).fit(knowledge, RNG).score(wards(0, 1, 1)) for fits in (1, 3))
    np.testing.assert_allclose(single_fit, three_fits, atol=1e-6)


def test_likelihoods_of_noisy_fits_are_averaged_before_they_are_compared() -> None:
    table = mixed(60, missing=False)
    brief = Brief(table.rows([0]), data=table.without(0), generator=PrivBayes(epsilon=1.0))
    fitted = LikelihoodRatio(fits=4).fit(brief, np.random.default_rng(1))
    sides = [np.array([f.log_prob(table).sum() for f in side]) for side in (fitted.inside, fitted.outside)]
    assert np.ptp(sides[0]) > 0
    wanted = np.log(np.exp(sides[0] - sides[0].max()).mean()) + sides[0].max()
    wanted -= np.log(np.exp(sides[1] - sides[1].max()).mean()) + sides[1].max()
    np.testing.assert_allclose(fitted.score(table), [wanted])


def exact_auc(n: int, inside: float, outside: float) -> float:
    """The AUC of a count of ``n`` rows, each of the level with one chance or the other; ties are a half."""
    index = np.arange(n + 1)
    p_in, p_out = stats.binom.pmf(index, n, inside), stats.binom.pmf(index, n, outside)
    return float((p_in * (np.cumsum(p_out) - p_out / 2)).sum())


def test_it_reaches_the_best_auc_there_is() -> None:
    """Two levels: the count of the target's is all that a release says, and both its laws are known."""
    data, target = wards(*[0] * 20, *[1] * 4), wards(1)
    fitted = LikelihoodRatio().fit(Brief(target, data=data, generator=Histogram()), RNG)
    rng, sides = np.random.default_rng(3), []
    for world in (data.plus(target), data):
        source = Histogram().fit(world, rng)
        sides.append(np.array([fitted.score(source.sample(50, rng))[0] for _ in range(1_000)]))
    auc = stats.mannwhitneyu(sides[0], sides[1]).statistic / 1e6
    best = exact_auc(50, 5 / 25, 4 / 24)
    assert abs(auc - best) < 4 * np.sqrt((1 / 12) * 2 / 1_000)
    assert abs(1 - auc - best) > 4 * np.sqrt((1 / 12) * 2 / 1_000)  # the ratio turned over would be seen


def test_no_attack_on_the_same_releases_beats_it() -> None:
    attacks = ("likelihood", "queries:own=25", "groundhog:own=25", "neighbour", "mvl")
    plan = MembershipPlan(
        ("bayesnet",), ("vulnerable",), attacks, k=3, trainings=100, generations=1, n_syn=80, control=False
    )
    result = run_membership(mixed(80), plan)
    auc: dict[str, list[float]] = {attack: [] for attack in plan.attacks}
    for estimate in result.estimates:
        if estimate.name == "auc":
            auc[estimate.labels["attack"]].append(estimate.value)
    means = {attack: np.mean(values) for attack, values in auc.items()}
    assert means["likelihood"] > 0.6
    assert max(means, key=lambda attack: means[attack]) == "likelihood"


def test_the_bootstrap_has_its_very_likelihood() -> None:
    table = mixed(40).plus(mixed(40).rows([0, 0]))
    fitted = Bootstrap().fit(table, RNG)
    np.testing.assert_allclose(np.exp(fitted.log_prob(table.rows([0, 1]))), [3 / 42, 1 / 42])
    assert fitted.log_prob(mixed(40, seed=9).rows([0])).tolist() == [-np.inf]


def test_what_it_cannot_do_is_refused_with_a_sentence() -> None:
    table = mixed(60)
    with pytest.raises(DesignError, match=r"real table and the generator.*\.$"):
        LikelihoodRatio().fit(brief(None, 0, 1, target=1), RNG)
    with pytest.raises(DesignError, match=r"'stat' cannot say how probable a row is.*\.$"):
        LikelihoodRatio().fit(Brief(table.rows([0]), data=table.without(0), generator=Stat()), RNG)
    with pytest.raises(ParameterError, match="likelihood: fits is 0"):
        LikelihoodRatio(fits=0)
