"""People with 1 to 40 rows of whom nothing leaks: 5 % of audits say otherwise, and far more where rows are counted."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Column, Ints, Kind, Schema, Table
from riskkit.games.attribute_deal import DistinctSides
from riskkit.games.attribute_deal import deal as attribute_deal
from riskkit.games.bags import OfPerson
from riskkit.games.blind import blind
from riskkit.games.give_aways import count_copies
from riskkit.games.released import ReleasedGame
from riskkit.games.released_deal import deal
from riskkit.stats import copies, permutation
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.inference import difference, residual
from riskkit.table.people.persons import Persons
from tests.points import Nearness

pytestmark = pytest.mark.slow

SIZES = {"few": (1, 1, 1, 1, 1, 2, 2, 3), "many": (1, 1, 1, 2, 3, 5, 10, 40)}
"""Rows a person has, each as likely as the others: as in diabetes130, and with some who have very many."""
SCHEMA = Schema(tuple(Column(name, Kind.NUMERIC, low=-9.0, high=9.0, sd=1.0, decimals=2) for name in ("x", "y")))


def people(n: int, sizes: tuple[int, ...], rng: np.random.Generator) -> tuple[Table, Ints]:
    """The rows of so many people and whose each is: those of one person lie together."""
    whose = np.repeat(np.arange(n), rng.choice(sizes, n))
    rows = rng.standard_normal((n, 2))[whose] + 0.1 * rng.standard_normal((len(whose), 2))
    return Table(SCHEMA, np.empty((len(whose), 0), dtype=np.int32), np.round(rows, 2)), whose


def world(rng: np.random.Generator, sizes: tuple[int, ...], n: int = 60) -> tuple[Table, Table, Table, Persons]:
    """Real, release and holdout of one population; the release knows nobody."""
    (real, inside), (release, _), (holdout, outside) = (people(n, sizes, rng) for _ in range(3))
    return real, release, holdout, Persons("who", inside, n + outside)


def alarms(ps: list[float]) -> float:
    return float((np.array(ps) <= 0.05).mean())


def p_of(game: ReleasedGame, rng: np.random.Generator) -> float:
    scores = game.scores(Nearness())
    true, dealt = permutation.aucs(scores.value[:, None], scores.is_in, scores.training, DEALS, rng)
    return float(((dealt >= true).sum() + 1) / (DEALS + 1))


REPEATS, DEALS = 300, 199
MOST, LEAST = 0.05 + 3.7 * (0.05 * 0.95 / REPEATS) ** 0.5, 0.01
"""More of so many audits are wrong once in ten thousand; a test that never errs would test nothing."""


@pytest.mark.parametrize("sizes", list(SIZES))
def test_attacks_on_a_release_of_nobody_are_called_a_leak_in_one_of_twenty(sizes: str) -> None:
    ps: dict[OfPerson, list[float]] = {how: [] for how in OfPerson}
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        *files, persons = world(rng, SIZES[sizes])
        game = deal(*files, max_rows=10_000, seed=seed, persons=persons)
        for how, p_values in ps.items():
            p_values.append(p_of(replace(game, of_person=how), rng))
    shares = {how: alarms(p_values) for how, p_values in ps.items()}
    assert LEAST <= min(shares.values()) <= max(shares.values()) <= MOST, shares


def test_counting_rows_instead_of_people_calls_far_more_of_them_a_leak() -> None:
    """The planted fault: the person column is not read."""
    ps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        *files, _ = world(rng, SIZES["many"])
        ps.append(p_of(deal(*files, max_rows=10_000, seed=seed), rng))
    assert alarms(ps) > 0.2


@pytest.mark.parametrize("how", [OfPerson.MEAN, OfPerson.BEST])
def test_a_release_that_holds_people_is_seen_through(how: OfPerson) -> None:
    ps = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        real, release, holdout, persons = world(rng, SIZES["many"])
        leaky = release.rows(slice(0, len(release) // 2)).plus(real.rows(persons.real < 30))
        ps.append(p_of(deal(real, leaky, holdout, max_rows=10_000, seed=seed, persons=persons, of_person=how), rng))
    assert alarms(ps) > 0.9


@pytest.mark.parametrize("sizes", list(SIZES))
def test_the_look_without_the_release_tells_like_people_apart_in_one_of_twenty(sizes: str) -> None:
    ps = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        *files, persons = world(rng, SIZES[sizes], 40)
        game = deal(*files, max_rows=10_000, seed=seed, persons=persons)
        learner = blind(game.targets, game.record, rng, game.owner)
        ps.append(permutation.p_of_relearnt(learner.scores, game.is_in, game.record, 199, rng)[0])
    assert LEAST <= alarms(ps) <= MOST


def test_the_look_without_the_release_sees_who_has_more_rows() -> None:
    """Members with more rows than others are told apart by it; a mean of rows alone would not show them."""
    ps = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        (real, inside), (holdout, outside) = people(60, (1, 5, 9), rng), people(60, (1, 2), rng)
        game = deal(real, real, holdout, max_rows=10_000, seed=seed, persons=Persons("who", inside, 60 + outside))
        learner = blind(game.targets, game.record, rng, game.owner)
        ps.append(permutation.p_of_relearnt(learner.scores, game.is_in, game.record, 199, rng)[0])
    assert alarms(ps) > 0.9


def test_copies_of_people_are_called_a_give_away_no_oftener() -> None:
    """Values of one digit are in every table: rows are copied by chance, those of a person together."""
    shown = 0
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        real, release, holdout, persons = world(rng, SIZES["many"])
        coarse = [
            Table(SCHEMA, table_of.codes, np.round(table_of.numbers * 2)) for table_of in (real, release, holdout)
        ]
        counted = count_copies(coarse[0], coarse[1], coarse[2], rng, persons)
        shown += copies.is_more(counted.k_in, counted.n_in, counted.k_out, counted.n_out, level=0.95)
    assert shown / REPEATS <= MOST


# --------------------------------------------------------------------------------------------------------------
# Guesses of secrets


def guessed(whose: Ints, rng: np.random.Generator) -> tuple[CategoryGuesses, CategoryGuesses]:
    """Guesses that are right of some people often and of others seldom: as people are counted, and as rows."""
    easy = rng.beta(0.5, 0.5, int(whose.max()) + 1)
    right = rng.random(len(whose)) < easy[whose]
    return CategoryGuesses(np.zeros(len(whose)), ~right, cluster=whose), CategoryGuesses(np.zeros(len(whose)), ~right)


@pytest.mark.parametrize("sizes", list(SIZES))
def test_members_no_easier_to_guess_are_called_so_in_one_of_twenty(sizes: str) -> None:
    """Both ends together; the planted fault, which counts rows, is wrong several times as often."""
    wrong = {"people": 0, "rows": 0, "difference": 0}
    for seed in range(1_000):
        rng = np.random.default_rng(seed)
        inside, outside = (guessed(people(150, SIZES[sizes], rng)[1], rng) for _ in range(2))
        for name, counting in (("people", 0), ("rows", 1)):
            excess = residual(inside[counting], outside[counting])
            wrong[name] += not excess.low <= 0 <= excess.high
        apart = difference(inside[0], outside[0])
        wrong["difference"] += not apart.low <= 0 <= apart.high
    most = 50 + 3.7 * (1_000 * 0.05 * 0.95) ** 0.5
    assert 5 <= wrong["people"] <= most
    assert wrong["difference"] <= most
    assert wrong["rows"] > (100 if sizes == "few" else 300)


def test_people_are_on_one_side_of_a_comparison_and_all_of_a_person_stay() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        *files, persons = world(rng, SIZES["many"])
        dealt = attribute_deal(*files, max_rows=200, seed=seed, persons=persons)
        assert isinstance(dealt.apart, DistinctSides)
        for whose, stays in zip(dealt.whose, (dealt.apart.members, dealt.apart.control), strict=True):
            of_person = [set(stays[whose.person == number].tolist()) for number in np.unique(whose.person)]
            assert all(len(sides) == 1 for sides in of_person)
