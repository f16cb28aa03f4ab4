"""One training and many coins: who is in, what is scored, and what no coin may touch."""

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Floats, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games.one_run import OneRunGame, deal, drawn_evenly
from riskkit.generators.whole_rows import Bootstrap, Identity
from riskkit.released.density import Domias
from riskkit.released.distances import Dcr
from riskkit.seeds import stream
from riskkit.stats.one_run import grade
from riskkit.table.points import RowPoints
from tests.tables import from_frame


def table(rows: int = 120, twins: int = 0) -> Table:
    """Rows that stand once, and ``twins`` pairs."""
    rng = stream(1, "rows")
    frame = pd.DataFrame(
        {"a": np.arange(rows) % 7, "b": rng.permutation(rows) + 0.0, "c": rng.choice(["x", "y"], rows)}
    )
    return from_frame(pd.concat([frame, frame.iloc[:twins]], ignore_index=True))


def game(real: Table | None = None, **how: object) -> OneRunGame:
    settings: dict[str, object] = {"most": 40, "made": False, "relation": "add-one", "n_syn": 0, "seed": 5}
    return deal(table() if real is None else real, **{**settings, **how})  # type: ignore[arg-type]


def counted(table: Table, among: Table) -> np.ndarray:
    """How often each row of one stands in the other."""
    keys, times = np.unique(among.keys(), return_counts=True)
    known = dict(zip([key.tobytes() for key in keys], times, strict=True))
    return np.array([known.get(key.tobytes(), 0) for key in list(table.keys())])


def test_a_coin_that_falls_in_puts_its_row_in_and_no_other() -> None:
    played = game()
    asked = played.table.rows(played.audited)
    assert (counted(asked, played.world) == played.is_in).all()
    assert (counted(played.others, played.world) == 1).all()
    assert len(played.world) == len(played.others) + played.is_in.sum()
    assert 0 < played.is_in.sum() < 40
    assert len(played.others) == 80


def test_coins_are_fair_and_each_its_own() -> None:
    """The fault planted: rows always in, or half of them in whatever the coins say."""
    coins = np.array([game(seed=seed).is_in for seed in range(300)])
    inside = coins.sum(axis=1)
    assert abs(coins.mean() - 0.5) < 4 * 0.5 / np.sqrt(coins.size)
    assert abs(inside.var() - 10) < 4 * 10 * np.sqrt(2 / 300), "40 fair coins have a variance of 10"
    assert abs(np.corrcoef(coins[:, 0], coins[:, 1])[0, 1]) < 0.25
    assert (game(seed=3).is_in != game(seed=3).again("planted").is_in).any()


def test_a_row_whose_twin_would_stay_is_never_audited() -> None:
    real = table(60, twins=10)
    for seed in range(20):
        played = game(real, seed=seed, most=25)
        assert (counted(played.table.rows(played.audited), real) == 1).all()


def test_a_row_that_is_replaced_gives_its_place_to_its_stand_in() -> None:
    played = game(relation="replace-one", most=25)
    ours, theirs = (played.table.rows(rows) for rows in (played.audited, played.stand_ins))
    assert len(played.audited) == len(played.stand_ins) == 25
    assert (counted(ours, played.world) == played.is_in).all()
    assert (counted(theirs, played.world) == ~played.is_in).all()
    assert len(played.world) == 120 - 25
    assert not set(played.audited.tolist()) & set(played.stand_ins.tolist())


def test_made_rows_are_nobodys_and_within_the_domain() -> None:
    real = table()
    played = game(real, made=True, most=30)
    made = played.table.rows(played.audited)
    assert len(played.table) == len(real) + 30
    assert (counted(made, real) == 0).all()
    assert (played.others.keys() == real.keys()).all()
    for index, column in enumerate(real.schema.numeric):
        assert made.numbers[:, index].min() >= column.low
        assert made.numbers[:, index].max() <= column.high
    even = drawn_evenly(real, 4000, stream(1, "even"))
    assert abs(even.codes[:, 0].mean() - 0.5) < 0.05, "of two levels each is as likely, however common it is"


def test_the_table_itself_tells_every_coin_and_drawn_rows_most() -> None:
    played = game()
    release = played.release(Identity(), played.train(Identity()))
    whole = grade(played.by_release(release, Dcr(), None), played.is_in, *sides(played), played.rng("t"))
    assert whole.right == whole.n_guesses == 40
    drawn = played.train(Bootstrap())
    right = grade(
        played.by_release(played.release(Bootstrap(), drawn), Dcr(), None), played.is_in, 10, 10, played.rng("t")
    ).right
    assert 14 <= right <= 20
    model = grade(played.by_model(drawn, None), played.is_in, *sides(played), played.rng("t"))
    assert model.right == 40, "its model knows the rows it draws from, and no others"


def sides(played: OneRunGame) -> tuple[int, int]:
    return int(played.is_in.sum()), int((~played.is_in).sum())


def test_a_stand_in_that_is_in_speaks_against_its_row() -> None:
    played = game(relation="replace-one", most=25)
    release = played.release(Identity(), played.train(Identity()))
    scores = played.by_release(release, Dcr(), None)
    assert ((scores > 0) == played.is_in).all()


def test_scores_know_the_release_and_no_coin() -> None:
    """Other coins and the same release: the same scores."""
    played = game()
    other = played.again("another")
    release = played.table.rows(np.arange(50))
    assert (played.by_release(release, Dcr(), None) == other.by_release(release, Dcr(), None)).all()


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(DesignError, match="15 rows can be put in or left out, and 20 are needed"):
        game(table(30))
    with pytest.raises(DesignError, match="50 guesses cannot be made: there are 40 canaries"):
        game(guesses=50)
    played = game()
    with pytest.raises(DesignError, match="compares with people outside the data"):
        played.by_release(played.table, Domias(), None)
    with pytest.raises(DesignError, match="cannot say how probable a row is"):
        played.by_model(Identity().fit(played.world, stream(1, "fit")), None)
    with pytest.raises(DesignError, match="put out 120 rows where 7 were asked for"):
        game(n_syn=7).release(Identity(), Whole(played.table))
    with pytest.raises(ScoreError, match="one finite number for each row"):
        played.by_release(played.table, Silent(), None)


class Whole:
    """Puts out what it has, whatever is asked."""

    def __init__(self, own: Table) -> None:
        self.own = own

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        return self.own


class Silent(Dcr):
    """Says nothing of anybody."""

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return np.full(len(targets), np.nan)
