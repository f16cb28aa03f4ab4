"""The game deals fairly: what the worlds hold, what is random, what no attacker may see."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from riskkit.core import Brief, FittedAttack, Floats, Knowledge, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.crowd import FixedWorlds
from riskkit.games.membership import Design, Game
from tests.oracles import Bootstrap, ExactMatch, FittedBootstrap, Identity
from tests.tables import mixed
from tests.worlds import fixed_worlds


def target(table: Table, *rows: int) -> Targets:
    return Targets(np.array(rows), table.rows(list(rows)))


def game(table: Table | None = None, *, generator: object = None, rows: tuple[int, ...] = (3,), **design: int) -> Game:
    table = mixed(60) if table is None else table
    made = Design(**{"trainings": 10, "generations": 2, "n_syn": 40, **design})
    worlds = fixed_worlds(table, target(table, *rows))
    return Game(worlds, generator or Bootstrap(), made, 7, ("test",))  # type: ignore[arg-type]


def count(table: Table, row: Table) -> int:
    return int((table.keys() == row.keys()[0]).sum())


def test_the_target_is_once_in_one_world_and_never_in_the_other() -> None:
    table = mixed(60)
    worlds = fixed_worlds(table, target(table, 3))
    assert count(worlds.pos, worlds.targets) == 1
    assert count(worlds.neg, worlds.targets) == 0
    assert (len(worlds.pos), len(worlds.neg), worlds.copies) == (60, 59, 0)
    others = np.delete(np.arange(60), 3)
    assert (worlds.neg.keys() == table.rows(others).keys()).all()


def test_copies_of_the_target_are_in_neither_world_and_are_counted() -> None:
    table = mixed(60).plus(mixed(60).rows([3, 3]))
    worlds = fixed_worlds(table, target(table, 3))
    assert (count(worlds.pos, worlds.targets), count(worlds.neg, worlds.targets)) == (1, 0)
    assert worlds.copies == 2


def test_a_made_up_target_is_added_to_the_whole_table() -> None:
    table = mixed(60)
    made_up = Table(table.schema, table.codes[[3]], table.numbers[[3]] + 1.0)
    worlds = fixed_worlds(table, Targets(np.array([-1]), made_up))
    assert (len(worlds.pos), len(worlds.neg), worlds.copies) == (61, 60, 0)


def test_a_group_is_in_or_out_as_one() -> None:
    worlds = game(rows=(3, 5, 8)).worlds
    assert isinstance(worlds, FixedWorlds)
    assert (len(worlds.pos), len(worlds.neg)) == (60, 57)


def test_the_same_record_twice_is_refused() -> None:
    table = mixed(60).plus(mixed(60).rows([3]))
    with pytest.raises(DesignError, match="same record"):
        fixed_worlds(table, target(table, 3, 60))


def test_nothing_left_without_the_target_is_refused() -> None:
    table = mixed(60).rows([0, 0])
    with pytest.raises(DesignError, match="No person is left"):
        fixed_worlds(table, target(table, 0))


@pytest.mark.parametrize("trainings", [10, 11])
def test_the_coin_is_balanced_and_its_order_is_random(trainings: int) -> None:
    dealt = game(trainings=trainings)
    coin = dealt.coin()
    assert coin.sum() == trainings // 2
    assert len(coin) == trainings
    assert (coin == dealt.coin()).all()
    orders = {replace(dealt, seed=seed).coin().tobytes() for seed in range(20)}
    assert len(orders) > 10


def test_both_sides_release_the_same_number_of_rows() -> None:
    @dataclass(frozen=True)
    class Size(ExactMatch):
        def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
            return _Size()

    class _Size:
        def score(self, release: Table) -> Floats:
            return np.array([float(len(release))])

    dealt = game()
    sizes = {
        float(dealt.trials([(n, side)], [Size().fit(Brief(dealt.worlds.targets), dealt.rng())])[0].max())
        for n, side in enumerate([True, False])
    }
    assert sizes == {40.0}


def test_a_generator_that_gives_its_own_number_of_rows_is_refused() -> None:
    """The fault planted: a release as long as its training table, which names the world by counting (M10)."""

    @dataclass(frozen=True)
    class Leaky(Identity):
        def fit(self, table: Table, rng: np.random.Generator) -> FittedBootstrap:  # type: ignore[override]
            return _AsLong(table)

    class _AsLong(FittedBootstrap):
        def sample(self, n: int, rng: np.random.Generator) -> Table:
            return self.table

    with pytest.raises(DesignError, match="put out 60 rows where 40"):
        game(generator=Leaky()).trials([(0, True)], [])


def test_every_training_has_a_stream_of_its_own() -> None:
    dealt = game()
    names = [("coin",)]
    names += [("trial", number) for number in range(50)]
    names += [("shadow", side, number) for side in ("in", "out") for number in range(50)]
    names += [("attack", spelled) for spelled in ("mvl", "mvl:variant=syn")]
    first = {dealt.rng(*name).integers(2**63) for name in names}
    assert len(first) == len(names)
    other = replace(dealt, labels=("another",))
    assert other.rng("coin").integers(2**63) not in first


def test_no_two_trainings_draw_the_same_numbers() -> None:
    """NEG5 where it matters: what each fit and each release draws, not what its stream is called."""
    drawn: list[int] = []

    @dataclass(frozen=True)
    class Drawing(Bootstrap):
        def fit(self, table: Table, rng: np.random.Generator) -> FittedBootstrap:
            drawn.append(int(rng.integers(2**63)))
            return super().fit(table, rng)

    dealt = game(generator=Drawing())
    attack = ExactMatch().fit(Brief(dealt.worlds.targets), dealt.rng())
    for number, side in enumerate(dealt.coin()):
        dealt.trials([(number, bool(side))], [attack])
    for number in range(10):
        for side in (True, False):
            dealt.shadows([(number, side, Knowledge.EXACT)])
    assert len(drawn) == 30
    assert len(set(drawn)) == 30


def test_no_shadow_release_is_a_counted_one() -> None:
    dealt = game()

    @dataclass
    class Keep:
        seen: list[bytes]

        def score(self, release: Table) -> Floats:
            self.seen.append(release.keys().tobytes())
            return np.zeros(1)

    keep = Keep([])
    for number, side in enumerate(dealt.coin()):
        dealt.trials([(number, bool(side))], [keep])
    shadows = {
        dealt.shadows([(n, side, Knowledge.EXACT)])[0].keys().tobytes() for n in range(10) for side in (True, False)
    }
    assert len(keep.seen) == 20
    assert not shadows & set(keep.seen)


def test_each_release_is_made_once_and_shown_to_every_attack() -> None:
    made: list[int] = []

    class Counting(FittedBootstrap):
        def sample(self, n: int, rng: np.random.Generator) -> Table:
            made.append(n)
            return super().sample(n, rng)

    @dataclass(frozen=True)
    class Counted(Bootstrap):
        def fit(self, table: Table, rng: np.random.Generator) -> FittedBootstrap:
            return Counting(table)

    dealt = game(generator=Counted())
    attack = ExactMatch().fit(Brief(dealt.worlds.targets), dealt.rng())
    scores = dealt.trials([(0, True)], [attack, attack, attack])[0]
    assert scores.shape == (3, 2, 1)
    assert made == [40, 40]
    assert (scores[0] == scores[1]).all()


def test_the_attacker_is_told_the_rows_but_not_who_is_in() -> None:
    dealt = game()
    shadows = {side: [dealt.shadows([(n, side, Knowledge.EXACT)])[0] for n in range(3)] for side in (True, False)}
    brief = dealt.brief(Knowledge.EXACT, shadows, 2)
    assert isinstance(dealt.worlds, FixedWorlds)
    assert brief.data is dealt.worlds.neg
    assert (len(brief.shadows_in), len(brief.shadows_out)) == (2, 2)
    blind = dealt.brief(Knowledge.NONE, shadows, 2)
    assert (blind.data, blind.shadows_in, blind.shadows_out) == (None, (), ())
    with pytest.raises(DesignError, match="auxiliary"):
        dealt.brief(Knowledge.AUXILIARY, shadows, 2)


@pytest.mark.parametrize("wrong", [{"trainings": 1}, {"generations": 0}, {"n_syn": 0}])
def test_a_game_of_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(DesignError, match="at least"):
        game(**wrong)
