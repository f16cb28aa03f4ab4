"""The attack on a model's counts: its log ratio from definitions, and played against what a private method allows."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.attacks.f_error import ModelErrors
from riskkit.core import Brief, Knowledge, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.membership import Design, Game, view_for
from riskkit.generators import aim_tree, mst, private_gsd
from riskkit.generators.aim_tree import AimTree
from riskkit.generators.engines.tree_fit import Noisy, noisy, on_simplex, rows_of
from riskkit.generators.histogram import Histogram
from riskkit.generators.mst import Mst
from riskkit.generators.private_gsd import PrivateGsd
from riskkit.generators.privbayes import PrivBayes
from riskkit.generators.whole_rows import Identity
from riskkit.questions.promises import certificate
from riskkit.table.noisy_counts import LAPLACE, NORMAL, CountsKept, NoisyCounts
from tests.generators.networks import leaning
from tests.generators.plain_private import networks
from tests.tables import mixed
from tests.worlds import fixed_worlds

METHODS = [
    Mst(epsilon=3.0, delta=0.01),
    AimTree(epsilon=3.0, delta=0.01),
    PrivBayes(epsilon=3.0, degree=1),
    PrivBayes(epsilon=3.0),
]


# --- the log ratio, from definitions --------------------------------------------------------------------------------


@pytest.mark.parametrize(("law", "plain"), [(NORMAL, stats.norm), (LAPLACE, stats.laplace)])
def test_noisy_counts_are_weighed_by_the_law_of_their_noise(law: str, plain: Any) -> None:
    counts, scale = np.array([3.2, -1.0, 0.4]), np.array([2.0, 2.0, 0.5])
    inside, outside = np.array([3.0, 0.0, 1.0]), np.array([2.0, 0.0, 0.0])
    wanted = plain.logpdf(counts, inside, scale).sum() - plain.logpdf(counts, outside, scale).sum()
    assert NoisyCounts(counts, scale, law).log_ratio(inside, outside) == pytest.approx(wanted)
    assert NoisyCounts(counts, scale, law).errors(outside) == pytest.approx(0.6)


@pytest.mark.parametrize("generator", METHODS)
def test_counts_are_those_of_the_rows_and_their_noise_is_what_was_drawn(generator: Any) -> None:
    """Over fits, noisy less exact counts of the fitted table have the law of the noise; each row is in every table."""
    table, drawn = leaning(60, 2), list[float]()
    laws = set()
    for seed in range(25):
        fitted = generator.fit(table, np.random.default_rng(seed))
        assert isinstance(fitted, CountsKept)
        for taken, exact in zip(fitted.noisy_counts(), fitted.exact_counts(table), strict=True):
            assert exact.sum() == 60
            drawn.extend(((taken.counts - exact) / taken.scale).ravel().tolist())
            laws.add(taken.law)
    (law,) = laws
    assert stats.kstest(drawn, (stats.norm if law == NORMAL else stats.laplace).cdf).pvalue > 1e-3


def trees(fitted: mst.FittedMst, table: Table) -> dict[tuple[int, ...], float]:
    """The chance of every order of picks of three columns, from the definition of the exponential mechanism."""
    places = np.array([m.place[c] for m, c in zip(fitted.merged, table.codes.T, strict=True)])
    own = [levels.counts(each) for levels, each in zip(fitted.merged, fitted.drawn.own, strict=True)]
    total = rows_of(own)
    alone = [on_simplex(each, total) for each in own]
    pairs, weight = [(0, 1), (0, 2), (1, 2)], []
    for a, b in pairs:
        seen = Counter(zip(places[a].tolist(), places[b].tolist(), strict=True))
        cells = ((i, j) for i in range(len(alone[a])) for j in range(len(alone[b])))
        weight.append(sum(abs(seen[i, j] - alone[a][i] * alone[b][j] / total) for i, j in cells))
    power = [math.exp(fitted.drawn.epsilon * each / 2) for each in weight]
    whole = sum(power)
    return {(p, q): power[p] / whole * power[q] / (whole - power[p]) for p, q in permutations(range(3), 2)}


@pytest.mark.parametrize("seed", range(5))
def test_the_picks_of_a_tree_have_their_chances(seed: int) -> None:
    """Of the table that was fitted and of one with a row less; the chances of all trees sum to 1."""
    table = leaning(25, seed, (3, 2, 3))
    fitted = Mst(epsilon=30.0, delta=0.01).fit(table, np.random.default_rng(seed))
    for world in (table, table.without(seed)):
        wanted, got = trees(fitted, world), {}
        for picks in wanted:
            again = replace(fitted, drawn=replace(fitted.drawn, picks=picks))
            got[picks] = math.exp(again.log_picks(world))
        assert got == pytest.approx(wanted)
        assert sum(got.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_picks_of_a_network_have_their_chances(seed: int) -> None:
    """Against networks enumerated in plain Python; the first column is drawn evenly, which tells nothing."""
    table, generator = leaning(12, seed, (3, 2, 3)), PrivBayes(epsilon=12.0, degree=1)
    fitted = generator.fit(table, np.random.default_rng(seed))
    joined = [fitted.drawn.families[0][0], *(conditional.family[-1] for conditional in fitted.conditionals[1:])]
    above = [conditional.family[0] for conditional in fitted.conditionals[1:]]
    picks = (joined[0], *(each for pair in zip(joined[1:], above, strict=True) for each in pair))
    for world in (table, table.without(seed)):
        rows = [tuple(row) for row in world.codes.tolist()]
        chances = dict(networks(rows, (4, 3, 4), generator.epsilon_of_pick(3)))
        assert math.exp(fitted.log_picks(world)) / 3 == pytest.approx(chances[picks])


@pytest.mark.second
@pytest.mark.parametrize(
    "generator", [Mst(epsilon=1.0, delta=0.01), AimTree(epsilon=1.0, delta=0.01), PrivBayes(epsilon=2.0, degree=1)]
)
def test_the_ratio_weighs_fits_with_the_record_as_fits_without(generator: Any) -> None:
    """The mean of exp(-L) over fits with the record is 1 for a log ratio, and so is that of exp(L) without."""
    table = leaning(20, 1, (3, 2, 3))
    attack = fitted_attack(table, 4)
    for world, sign in ((table, -1), (table.without(4), 1)):
        fits = [generator.fit(world, np.random.default_rng([sign + 1, seed])) for seed in range(600)]
        weight = np.exp([sign * attack.score(fitted)[0] for fitted in fits])
        assert abs(weight.mean() - 1) < 4 * weight.std() / math.sqrt(len(weight))
        assert abs(np.exp(2 * np.log(weight)).mean() - 1) > 4 * weight.std() / math.sqrt(len(weight))  # twice the ratio


def fitted_attack(table: Table, row: int, weigh: str = "likelihood") -> Any:
    brief = Brief(targets=table.rows([row]), data=table.without(row))
    return ModelErrors(weigh).fit(brief, np.random.default_rng(0))


def test_errors_are_counted_by_hand() -> None:
    """Of four noiseless rows one is the target: three are counted without it, so the error is 1, half of it past 0."""
    table = leaning(4, 3)
    model = Identity().fit(table, np.random.default_rng(0))
    assert fitted_attack(table, 2, "errors").score(model).tolist() == [0.5]
    less = Identity().fit(table.without(2), np.random.default_rng(0))
    assert fitted_attack(table, 2, "errors").score(less).tolist() == [-0.5]


# --- played -------------------------------------------------------------------------------------------------------


def scores(generator: Any, table: Table, row: int, trainings: int) -> Iterator[list[float]]:
    attack = fitted_attack(table, row)
    for side, world in enumerate((table, table.without(row))):
        rngs = (np.random.default_rng([side, seed]) for seed in range(trainings))
        yield [float(attack.score(generator.fit(world, rng))[0]) for rng in rngs]


def auc(inside: list[float], outside: list[float]) -> float:
    return float((np.array(inside)[:, None] > np.array(outside)[None]).mean())


@pytest.mark.second
@pytest.mark.parametrize(("factor", "is_kept"), [(1.0, True), (0.2, False)])
@pytest.mark.parametrize(
    ("module", "method"),
    [
        (mst, Mst(epsilon=2.0, delta=0.01)),
        (aim_tree, AimTree(epsilon=2.0, delta=0.01)),
        (private_gsd, PrivateGsd(epsilon=2.0, delta=0.01, rows=10, tries=1)),
    ],
)
def test_no_more_than_the_noise_allows(
    module: ModuleType, method: Any, factor: float, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Near the certificate and never above it; noise of a fifth of what is stated is planted and seen above it."""

    def stated(counts, sd, rng):  # type: ignore[no-untyped-def]
        return Noisy(noisy(counts, factor * sd, rng).counts, np.full(counts.shape, sd))

    monkeypatch.setattr(module, "noisy", stated)
    most = certificate(f"{method.name}:epsilon=2,delta=0.01", "add-one", 40, 5)
    assert most is not None
    reached = auc(*scores(method, leaning(40, 1), 7, 250))
    error = math.sqrt(most * (1 - most) / 250)  # no AUC of so many a side has more
    assert (reached < most + 3 * error) == is_kept
    assert reached > most - 5 * error


def test_the_game_shows_it_the_model_and_others_the_release() -> None:
    """A game of the table itself is won on the model; what a release holds is not looked at."""
    table = mixed(30)
    world = fixed_worlds(table, Targets(np.array([3]), table.rows([3])))
    game = Game(world, Identity(), Design(trainings=6, generations=2, n_syn=30), 1, ("shown",))
    attack = ModelErrors().fit(game.brief(Knowledge.EXACT, {True: [], False: []}, 0), np.random.default_rng(0))
    for number, is_in in enumerate(game.coin()):
        score = game.trials([(number, bool(is_in))], [attack])[0]
        assert score.shape == (1, 2, 1)
        assert ((score > 0) == is_in).all()
    release, model = table.rows([1, 2]), Identity().fit(table, np.random.default_rng(0))
    assert view_for(attack, model, release) is model
    assert view_for(object(), model, release) is release  # type: ignore[arg-type]


def test_a_method_without_noisy_counts_is_refused() -> None:
    table, rng = mixed(20), np.random.default_rng(0)
    with pytest.raises(DesignError, match=r"'histogram' keeps no noisy counts.*aim_tree, private_gsd or privbayes"):
        ModelErrors().check(Histogram(), table, rng)
    ModelErrors().check(Mst(), table, rng)
    ModelErrors().check(Mst(), table.rows([]), rng)  # refuses so few; nothing is known yet
    with pytest.raises(DesignError, match="needs the real table"):
        ModelErrors().fit(Brief(targets=table), rng)
