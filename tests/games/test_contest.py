"""The contest's game: populations, samples, what is named, and that nothing but the release tells who was in."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.base import stages
from riskkit.core import Floats, Schema, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games import contest, households
from riskkit.games.contest import ContestPopulation, deal, distinct, draw_sample, make_population, meets, people
from riskkit.seeds import stream
from riskkit.table.points import RowPoints
from tests.points import Nearness
from tests.tables import mixed, numeric


def wide(n: int, seed: int = 0) -> Table:
    """A mixed table whose rows are all but surely different."""
    table = mixed(n, seed, missing=False)
    extra = np.round(np.random.default_rng([seed, 9]).normal(0, 100, n), 2)
    schema = Schema((*table.schema.columns, numeric("extra", np.array([-500.0, 500.0]), 2)))
    return Table(schema, table.codes, np.column_stack([table.numbers, extra]))


def marks(table: Table) -> set[bytes]:
    """What its rows are told apart by."""
    return {bytes(key) for key in table.keys().tolist()}


@dataclass(frozen=True)
class Same(Nearness):
    """An attack that says the same of everybody."""

    name: ClassVar[str] = "same"

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return np.zeros(len(targets))


@dataclass(frozen=True)
class Compares(Same):
    """An attack that notes what it is given to compare with."""

    needs_reference: ClassVar[bool] = True

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        assert reference is not None
        own = {row.tobytes() for row in np.ascontiguousarray(targets.numbers)}
        assert not own & {row.tobytes() for row in np.ascontiguousarray(reference.numbers)}
        return np.zeros(len(targets))


def test_a_made_population_has_different_rows_and_follows_the_seed() -> None:
    stat = registry.parse("generators", "stat")
    base = wide(300)
    first, again, other = (make_population(base, stat, 400, 3, seed) for seed in (1, 1, 2))
    assert len(first) == 400
    assert first.drawn == 1200
    assert len(np.unique(first.table.keys())) == 400
    assert first.table.keys().tobytes() == again.table.keys().tobytes() != other.table.keys().tobytes()


def test_a_row_that_is_drawn_again_is_in_the_population_once() -> None:
    """Every pair of rows compared; the sample is all that there is, so that none may lack."""
    base = mixed(40)
    bootstrap = registry.parse("generators", "bootstrap")
    population = make_population(base, bootstrap, 20, 12, 5)
    fitted = bootstrap.fit(base, stream(5, "contest", "population", "fit"))
    parts = [fitted.sample(20, stream(5, "contest", "population", part)) for part in range(12)]
    drawn = [row for part in parts for row in part.keys().tolist()]
    first_of_each = [row for place, row in enumerate(drawn) if row not in drawn[:place]]
    order = stream(5, "contest", "population", "chosen").permutation(len(first_of_each))[:20]
    assert 20 < len(first_of_each) < len(drawn) / 2
    assert population.table.keys().tolist() == [first_of_each[place] for place in order]


def test_a_population_that_is_made_says_how_far_it_is() -> None:
    heard: list[stages.Stage] = []
    with stages.listener(heard.append):
        make_population(wide(300), registry.parse("generators", "bootstrap"), 200, 3, 1)
    assert [(stage.done, stage.total) for stage in heard] == [(step, 6) for step in range(6)]


def test_a_population_that_cannot_be_gets_a_sentence() -> None:
    few = Table(mixed(50).schema, mixed(50).codes, np.full((50, 2), 50.0))
    with pytest.raises(DesignError, match=r"only .* are different"):
        make_population(few, registry.parse("generators", "bootstrap"), 400, 2, 1)
    with pytest.raises(DesignError, match="different rows, so it cannot"):
        distinct(few, 50, 1)
    with pytest.raises(DesignError, match="Load other files"):
        people(few, few, 1)
    with pytest.raises(DesignError, match="draw fewer"):
        draw_sample(ContestPopulation(few, 50), 50, 1)


def test_a_given_population_drops_equal_rows() -> None:
    table = wide(60)
    population = distinct(table.plus(table.rows(np.arange(10))), 0, 1)
    assert len(population) == 60
    assert population.drawn == 70


def test_people_who_stand_several_times_are_left_out() -> None:
    table = wide(60)
    real, holdout = table.rows(np.arange(40)).plus(table.rows([0])), table.rows(np.arange(39, 60))
    population = people(real, holdout, 1)
    assert population.is_in is not None
    assert len(population) == 58  # row 0 stands twice, row 39 in both
    assert population.is_in.sum() == 38
    assert marks(population.table.rows(population.is_in)) == marks(table.rows(np.arange(1, 39)))


def hits_of_same(population: ContestPopulation, rounds: int = 40) -> float:
    """Mean hits of an attack that says the same of everybody, who was in being settled by the files."""
    counts = []
    for seed in range(rounds):
        is_in = draw_sample(population, 0, seed)
        game = deal(population, is_in, population.table.rows([0, 1]), 20, seed)
        counts.append(game.hits(game.name_targets(game.scores(Same(), "same"), "same")))
    return float(np.mean(counts))


def test_who_comes_first_is_no_help_where_everybody_scores_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: ties named in the order of the files, real rows first."""
    table = wide(200)
    population = people(table.rows(np.arange(50)), table.rows(np.arange(50, 200)), 3)
    assert abs(hits_of_same(population) - 5) < 3 * 1.9 / np.sqrt(40)
    in_order = ContestPopulation(table, 200, np.arange(200) < 50)
    by_place = lambda game, score, name: np.argsort(-score, kind="stable")[: game.guesses]  # noqa: E731
    monkeypatch.setattr(contest.ContestGame, "name_targets", by_place)
    assert hits_of_same(in_order) == 20


def test_a_release_of_the_sample_itself_is_found_in_full_and_one_of_others_is_not() -> None:
    table = wide(2_000)
    population = distinct(table, 0, 1)
    is_in = draw_sample(population, 200, 1, "x", 0)
    attack = registry.parse("released", "contest")
    copies = deal(population, is_in, population.table.rows(np.flatnonzero(is_in)), 100, 1, "x", 0)
    assert copies.hits(copies.name_targets(copies.scores(attack, "distance"), "distance")) == 100
    others = deal(population, is_in, wide(200, seed=5), 100, 1, "x", 0)
    assert 4 <= others.hits(others.name_targets(others.scores(attack, "distance"), "distance")) <= 17  # .99 of guessing


def test_a_condition_settles_who_can_be_in_and_who_is_asked_about() -> None:
    population = distinct(wide(400), 0, 1)
    level = population.table.schema.categorical[0].levels[1]
    name = population.table.schema.categorical[0].name
    some = population.under(f"{name}={level}")
    by_hand = population.table.codes[:, 0] == 1
    assert 20 < by_hand.sum() < 300
    is_in = draw_sample(some, 15, 1, "x", 0)
    assert is_in.sum() == 15
    assert by_hand[is_in].all(), "only who meets it is in"
    game = deal(some, is_in, some.table.rows(np.flatnonzero(is_in)), 10, 1, "x", 0)
    assert (game.row == np.flatnonzero(by_hand)).all(), "nobody else is asked about"
    assert game.is_in.sum() == 15
    counts = [
        (lambda dealt: dealt.hits(dealt.name_targets(dealt.scores(Same(), "same"), "same")))(
            deal(some, draw_sample(some, 15, seed), some.table.rows([0, 1]), 10, seed)
        )
        for seed in range(60)
    ]
    expected, sd = 10 * 15 / by_hand.sum(), 1.2
    assert abs(np.mean(counts) - expected) < 3 * sd / np.sqrt(60), "guessing finds as many as the law says"
    with pytest.raises(DesignError, match="draw fewer"):
        draw_sample(some, int(by_hand.sum()), 1)
    assert population.under("") is population


def test_conditions_are_read_with_their_signs() -> None:
    table = wide(50)
    extra = table.numbers[:, [c.name for c in table.schema.numeric].index("extra")]
    assert (meets(table, "extra >= 10") == (extra >= 10)).all()
    assert (meets(table, "extra<=10") == (extra <= 10)).all()
    smoker = next(c for c in table.schema.categorical if c.name == "smoker")
    index = table.schema.categorical.index(smoker)
    assert (meets(table, f"smoker={smoker.levels[0]}") == (table.codes[:, index] == 0)).all()
    for wrong in ("extra=x", "smoker=secret", "smoker>=1", "nothing=1", "extra", "extra>3"):
        with pytest.raises(DesignError, match="condition of the sample") as refused:
            meets(table, wrong)
        assert "secret" not in str(refused.value)
    with pytest.raises(DesignError, match="Nobody of the population"):
        distinct(table, 0, 1).under("extra>=9999")


def test_every_anonymiser_and_round_has_a_sample_of_its_own() -> None:
    population = distinct(wide(300), 0, 1)
    deals = [draw_sample(population, 30, 1, *labels) for labels in (("a", 0), ("a", 0), ("b", 0), ("a", 1))]
    assert all(dealt.sum() == 30 for dealt in deals)
    assert (deals[0] == deals[1]).all()
    assert (deals[0] != deals[2]).any()
    assert (deals[0] != deals[3]).any()


def test_nobody_is_compared_with_themselves() -> None:
    population = distinct(wide(101), 0, 1)
    game = deal(population, draw_sample(population, 10, 1), wide(20, 4), 5, 1)
    game.scores(Compares(), "compares")
    seeking = game.seek(8)
    seeking.scores(Compares(), "compares")
    assert (len(seeking.row), seeking.guesses, seeking.is_in.sum()) == (16, 8, 8)
    assert (game.is_in[seeking.row] == seeking.is_in).all()


def test_scores_that_are_no_numbers_are_refused() -> None:
    population = distinct(wide(50), 0, 1)
    game = deal(population, draw_sample(population, 10, 1), wide(20, 4), 5, 1)

    class Bad(Same):
        def score(self, *parts: object) -> Floats:
            return np.full(50, np.nan)

    with pytest.raises(ScoreError, match="one finite number"):
        game.scores(Bad(), "bad")
    with pytest.raises(DesignError, match="ask for fewer"):
        deal(population, draw_sample(population, 10, 1), wide(20, 4), 51, 1)


def homes(n: int = 60, size: int = 5) -> np.ndarray:
    return np.repeat(np.arange(n), size)


def test_half_of_the_households_asked_about_are_wholly_in_and_half_wholly_out() -> None:
    table = wide(300)
    game = households.deal(table, homes(), rows=150, asked=20, seed=2)
    assert (len(game.sample), game.is_in.sum(), len(game.is_in)) == (150, 10, 20)
    sample = marks(game.sample)
    for number, truth in enumerate(game.is_in):
        own = marks(game.targets.rows(game.household == number))
        assert len(own) == 5
        assert len(own & sample) == 5 * truth
    sure = game.sureness(registry.parse("released", "contest"), "distance", game.sample)
    assert (sure[game.is_in] > 0.5).all()
    assert (sure[~game.is_in] < 0.5).all()


def test_too_few_households_get_a_sentence() -> None:
    with pytest.raises(DesignError, match="households have 5 rows or more"):
        households.deal(wide(300), homes(), rows=150, asked=61)
    with pytest.raises(DesignError, match="another size"):
        households.deal(wide(300), homes(), rows=20, asked=20)
