"""Several releases of one table, and of a table that grows: rows, order, fits, and the best attack played on them."""

import pickle
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, LeaveOneOut, Likelihood, Table
from riskkit.errors import DesignError
from riskkit.games.records import Deal, FixedTable, SharedNoise
from riskkit.games.several_releases import Grown, Repeated, repeat, stages
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import play_table
from riskkit.table.load import Tables
from tests.questions.records.enumeration import coded, fits_of
from tests.questions.records.test_yearly import best, grown
from tests.tables import mixed

TABLE = mixed(60, missing=False)


@dataclass(frozen=True)
class Numbered:
    """Every fit draws a row of the table; its releases hold nothing else."""

    name: ClassVar[str] = "numbered"
    title: ClassVar[str] = "Numbered"
    card: ClassVar[str] = "For tests."

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        """Draw the row."""
        return OneRow(table.rows([int(rng.integers(len(table)))]))


@dataclass(frozen=True, eq=False)
class OneRow:
    """The row of one fit."""

    row: Table

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """The row, so often."""
        return self.row.rows(np.zeros(n, dtype=np.int64))


def test_one_release_is_the_method_itself() -> None:
    method = registry.parse("generators", "bayesnet")
    assert repeat(method, 1) is method
    assert repeat(method, 1, one_fit=True) is method


@pytest.mark.parametrize(("one_fit", "fits"), [(False, 3), (True, 1)])
def test_each_release_has_a_fit_of_its_own_or_all_have_one(one_fit: bool, fits: int) -> None:
    seen = []
    for seed in range(30):
        release = repeat(Numbered(), 3, one_fit=one_fit).fit(TABLE, np.random.default_rng(seed)).sample(30, rng(seed))
        seen.append(len(np.unique(release.keys())))
        assert all(len(np.unique(release.rows(np.arange(number, number + 10)).keys())) == 1 for number in (0, 10, 20))
    assert max(seen) == fits


@pytest.mark.parametrize("spelled", ["bayesnet", "histogram", "stat", "copula", "synthpop", "privbayes:epsilon=5"])
@pytest.mark.parametrize("one_fit", [True, False])
def test_the_rows_are_those_of_so_many_fits_and_samples(spelled: str, one_fit: bool) -> None:
    """By hand: fit, fit, fit with one stream, then sample, sample, sample with another."""
    method = registry.parse("generators", spelled)
    stack = repeat(method, 3, one_fit=one_fit).fit(TABLE, rng(1))
    draws = rng(1)
    fits = [method.fit(TABLE, draws)]
    fits += fits * 2 if one_fit else [method.fit(TABLE, draws) for _ in range(2)]
    for n, sizes in ((30, (10, 10, 10)), (29, (10, 10, 9)), *(((2, (1, 1, 0)),) * (spelled != "stat"))):
        stream = rng(2)
        streams = stream.spawn(3) if isinstance(fits[0], SharedNoise) else [stream] * 3
        by_hand = [fit.sample(size, own) for fit, size, own in zip(fits, sizes, streams, strict=True) if size]
        release = stack.sample(n, rng(2))
        assert release.keys().tolist() == np.concatenate([part.keys() for part in by_hand]).tolist()
    for offer in (LeaveOneOut, Likelihood, SharedNoise):
        assert isinstance(stack, offer) == isinstance(fits[0], offer)
    again = pickle.loads(pickle.dumps(stack))
    assert again.sample(30, rng(2)).keys().tolist() == stack.sample(30, rng(2)).keys().tolist()


def test_log_probabilities_are_those_of_the_release_that_a_row_stands_in() -> None:
    method = registry.parse("generators", "privbayes:epsilon=5")
    stack: Any = repeat(method, 2).fit(TABLE, rng(1))
    own = [fitted.log_prob(TABLE) for fitted in stack.fits]
    assert not np.allclose(*own)
    log_probs = stack.log_prob(TABLE)
    assert log_probs.tolist() == [*own[0][:30], *own[1][30:]]


def test_a_settled_fit_is_fitted_once_and_gives_rows_up() -> None:
    for spelled in ("bayesnet", "stat"):
        method = registry.parse("generators", spelled)
        game = FixedTable(Deal(repeat(method, 4), 40, 1, ("test",)), TABLE)
        assert game.settled is not None
        without: Any = game.settled.without(3)
        anew = repeat(method, 4).fit(TABLE.without(3), rng(1))
        assert without.sample(40, rng(5)).keys().tolist() == anew.sample(40, rng(5)).keys().tolist()
        if isinstance(without, SharedNoise):
            noise = without.noise(40, rng(5))
            assert without.sample_from(noise).keys().tolist() == anew.sample(40, rng(5)).keys().tolist()


def records(method: str, releases: int, *, one_fit: bool = False, **more: Any) -> Any:
    """The records game, small."""
    plan = RecordsPlan(
        method,
        "random:4",
        inside=30,
        outside=30,
        shadows=10,
        again=0,
        n_syn=20,
        releases=releases,
        one_fit=one_fit,
        **more,
    )
    return play_table(Tables(TABLE, None, None, TABLE.schema, (), ()), plan)


@pytest.mark.parametrize("method", ["bayesnet", "stat"])
def test_where_fits_draw_nothing_both_worlds_are_one(method: str) -> None:
    of_own, of_one = (records(method, 3, one_fit=number) for number in (False, True))
    assert of_own.first.inside.tolist() == of_one.first.inside.tolist()
    assert of_own.first.outside.tolist() == of_one.first.outside.tolist()


def test_where_fits_draw_the_worlds_differ() -> None:
    of_own, of_one = (records("privbayes:epsilon=5", 3, one_fit=number) for number in (False, True))
    assert of_own.first.inside.tolist() != of_one.first.inside.tolist()


def test_trainings_are_counted_as_worlds_not_as_releases() -> None:
    campaign = records("bayesnet", 5)
    assert campaign.first.inside.shape == (4, 30)
    assert campaign.stages["first"].trainings == 60


def test_more_releases_show_more_of_a_person_who_is_alone() -> None:
    """A bootstrap of 200 rows shows a given row in a release of 20 with a chance of a tenth; in 30 of them in .95."""
    table = mixed(200, missing=False)
    tables = Tables(table, None, None, table.schema, (), ())
    aucs = []
    for releases in (1, 30):
        plan = RecordsPlan(
            "bootstrap", "random:6", inside=40, outside=40, shadows=30, again=0, n_syn=20, releases=releases
        )
        aucs.append(float(np.mean(play_table(tables, plan).stages["first"].intervals["auc"][0])))
    assert aucs[0] < 0.65
    assert aucs[1] > aucs[0] + 0.15


@pytest.mark.parametrize("attack", ["likelihood", "neighbour", "queries"])
def test_membership_attacks_see_all_releases(attack: str) -> None:
    """Of 60 rows a release of 10 shows a given one with a chance of .15, and 20 of them with .97."""
    aucs = []
    for releases in (1, 20):
        plan = MembershipPlan(
            generators=("bootstrap",),
            targets=("random",),
            attacks=(attack,),
            trainings=60,
            generations=1,
            n_syn=10,
            control=False,
            releases=releases,
        )
        estimates = {estimate.name: estimate for estimate in run_membership(TABLE, plan).estimates}
        assert estimates["auc"].n == 60
        aucs.append(estimates["auc"].value)
    assert aucs[1] > aucs[0] + 0.15


def rng(seed: int) -> np.random.Generator:
    """A stream."""
    return np.random.default_rng(seed)


def test_the_name_is_the_methods() -> None:
    assert Repeated(registry.parse("generators", "stat"), 2).name == "stat"


N = 3


def same(table: Table, two: Table) -> bool:
    return np.array_equal(table.codes, two.codes) and np.array_equal(table.numbers, two.numbers, equal_nan=True)


def test_every_stage_lacks_whoever_is_left_out() -> None:
    first, last = grown(3)
    rows = len(first), len(last)
    with_all, without = stages(last, rows, len(last)), stages(last.without(1), rows, len(last))
    assert [len(stage) for stage in with_all] == list(rows)
    assert same(with_all[0], first)
    assert same(without[0], first.without(1))
    assert same(without[1], last.without(1))


def test_a_table_that_is_no_stage_is_refused() -> None:
    with pytest.raises(DesignError, match="is no stage"):
        stages(grown(3)[1], (2, 3), 3)


@pytest.mark.parametrize("spelled", ["bayesnet", "histogram", "copula"])
def test_giving_up_a_row_of_every_stage_is_the_fit_without_it(spelled: str) -> None:
    """To the bit, for methods whose fit draws nothing: of tables that grew."""
    method = registry.parse("generators", spelled)
    for seed in (11, 12, 13):
        first, last = grown(seed)
        if len(first) < 5:
            continue
        made = Grown(method, (len(first), len(last)))
        rng = np.random.default_rng
        fitted: Any = made.fit(last, rng(1))
        if not hasattr(fitted, "without"):
            continue
        less, refit = fitted.without(2), made.fit(last.without(2), rng(1))
        assert same(less.sample(20, rng(5)), refit.sample(20, rng(5)))


def likelier(release: Table, fits: list[tuple[dict[Any, float], dict[Any, float]]]) -> float:
    """How much likelier the release is with the person than without, in logarithms, year by year and row by row."""
    rows, _ = coded(release, BayesNet().bins)
    total = 0.0
    for index, row in enumerate(rows):
        inside, outside = fits[index // N]
        pair = inside.get(row, 0.0), outside.get(row, 0.0)
        if pair[0] != pair[1]:  # a row that neither can put out says nothing
            with np.errstate(divide="ignore"):
                total += float(np.log(pair[0]) - np.log(pair[1]))
    return total


def played(seed: int, rows: tuple[int, int], trainings: int = 400) -> tuple[float, float, float]:
    """AUC of the likelihood ratio on releases that the game makes, its standard error, and the truth by enumeration."""
    first, last = grown(seed)
    game = FixedTable(Deal(Grown(BayesNet(), rows), 2 * N, seed, ("grown",)), last)
    fits = [fits_of(BayesNet(), table, 0) for table in (first, last)]
    inside: Floats = np.array([likelier(game.shared("counted", [index])[0], fits) for index in range(trainings)])
    outside = np.array([likelier(release, fits) for release in game.own(0, "counted", range(trainings))])
    inside, outside = np.round(inside, 9), np.round(outside, 9)
    wins = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
    error = np.sqrt(wins.mean(axis=1).var() / trainings + wins.mean(axis=0).var() / trainings)
    return float(wins.mean()), float(error), truths()[seed]


@cache
def truths() -> dict[int, float]:
    """The AUC by enumeration, by the seed of a small table; eight of those whose pairs of releases can be listed."""
    listed = ((seed, best(grown(seed), BayesNet(), 0, N)) for seed in range(30))
    return dict(islice(((seed, attack[0].auc) for seed, attack in listed if attack and attack[1] == N), 8))


def yearly(seed: int) -> tuple[int, int]:
    """How many rows its table has in the first year and in the last."""
    first, last = grown(seed)
    return len(first), len(last)


def away(seed: int, rows: tuple[int, int]) -> float:
    """By how many standard errors the game is off the truth."""
    auc, error, truth = played(seed, rows)
    return abs(auc - truth) / max(error, 1e-9) if abs(auc - truth) > 1e-9 else 0.0


@pytest.mark.second
def test_the_best_attack_played_on_a_grown_table_reaches_what_enumeration_says() -> None:
    errors = [away(seed, yearly(seed)) for seed in truths()]
    assert len(errors) > 5
    assert max(errors) < 3.5


@pytest.mark.second
def test_a_game_that_fits_the_last_table_every_year_is_seen() -> None:
    """The fault that the test above is there to catch."""
    assert any(away(seed, (yearly(seed)[1],) * 2) > 5 for seed in truths()), "one table is enough"
