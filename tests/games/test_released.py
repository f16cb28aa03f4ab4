"""The game on a released file: who is asked about, and that nothing but the release tells the sides apart."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games import released_deal
from riskkit.games.planted_copies import PlantedKind, with_own_value
from riskkit.games.released import ComparisonGroup, ReleasedGame
from riskkit.games.released_deal import deal
from riskkit.released.values import Values
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.table.neighbours import nearest
from riskkit.table.points import RowPoints
from tests.points import Nearness
from tests.tables import mixed, numeric


@dataclass(frozen=True)
class Given(Nearness):
    """Scores that are given."""

    value: tuple[float, ...] = ()

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return np.array(self.value)


@dataclass(frozen=True)
class Comparing(Nearness):
    """How much nearer the release is than the reference; ``moved`` more where the reference begins with a positive."""

    needs_reference: ClassVar[bool] = True
    moved: float = 0.0

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        assert reference is not None
        away = nearest(targets, reference)[0][:, 0] - nearest(targets, release)[0][:, 0]
        return away + self.moved * (reference.numbers[0, 0] > 0)


def tables(n: int = 300, seed: int = 1) -> tuple[Table, Table, Table]:
    """Real, release and holdout of one population: three parts of one table."""
    every = mixed(3 * n, seed)
    return every.rows(slice(n)), every.rows(slice(n, 2 * n)), every.rows(slice(2 * n, 3 * n))


def wide(n: int, seed: int = 1) -> tuple[Table, Table, Table]:
    """The same of ten numbers: room enough that no row lies near another by chance."""
    drawn = stream(seed, "test", "wide").standard_normal((3 * n, 10))
    columns = tuple(numeric(f"x{index}", column, decimals=3) for index, column in enumerate(drawn.T))
    every = Table(Schema(columns), np.empty((3 * n, 0)), drawn)
    return every.rows(slice(n)), every.rows(slice(n, 2 * n)), every.rows(slice(2 * n, 3 * n))


def codes(real: list[int], holdout: list[int], levels: int = 40) -> tuple[Table, Table, Table]:
    """Tables of one category."""
    schema = Schema((Column("level", Kind.CATEGORICAL, levels=tuple(f"l{index}" for index in range(levels))),))
    made = [Table(schema, np.array(rows)[:, None], np.empty((len(rows), 0))) for rows in (real, holdout)]
    return made[0], made[0], made[1]


def dealt(three: tuple[Table, Table, Table], seed: int = 1, **more: Any) -> ReleasedGame:
    """The game with everybody asked about; a share of the holdout is set aside where one is given."""
    compared = ComparisonGroup.ASIDE if "reference_share" in more else ComparisonGroup.CROSS
    return deal(*three, **{"compared": compared, "max_rows": 10_000, **more}, seed=seed)


def content(points: RowPoints) -> set[bytes]:
    return {row.tobytes() for row in np.hstack([points.numbers, points.codes])}


def test_targets_are_real_rows_and_holdout_rows_and_say_which() -> None:
    three = tables()
    game = dealt(three, reference_share=0.0)
    for side, table in ((True, three[0]), (False, three[2])):
        rows = game.row[game.is_in == side]
        assert len(rows) == len(set(rows.tolist())) >= 280
        keys = table.rows(rows).keys()
        assert len(np.unique(keys)) == game.records(side)
    assert game.references == ()
    assert game.n_reference == 0


def test_a_reference_set_aside_and_those_asked_about_are_disjoint() -> None:
    game = dealt(tables(), reference_share=0.5)
    ((aside,),) = [reference.rows for reference in game.references]
    assert 130 <= len(aside) == game.n_reference <= 170
    assert len(aside) + (~game.is_in).sum() >= 300 - game.left_out.holdout
    assert not content(aside) & content(game.targets)


def test_crossed_parts_ask_about_everybody_and_compare_nobody_with_himself() -> None:
    three = tables()
    game, alone = dealt(three), dealt(three, reference_share=0.0)
    assert np.array_equal(game.targets.numbers, alone.targets.numbers)
    assert np.array_equal(game.row, alone.row)
    for reference in game.references:
        assert set(reference.part.tolist()) == set(range(len(reference.rows)))
        for part, rows in enumerate(reference.rows):
            own = reference.part == part
            assert 0.4 < own.mean() < 0.6
            assert not content(rows) & content(game.targets.rows(own))
            assert content(rows) >= content(game.targets.rows(~own))


def test_whom_one_is_compared_with_does_not_depend_on_who_was_in() -> None:
    """Real and holdout rows exchanged: the same people in the same parts, with the same scores."""
    real, release, holdout = wide(200)
    moved = (
        real.rows(slice(50)).plus(holdout.rows(slice(50, 200))),
        release,
        holdout.rows(slice(50)).plus(real.rows(slice(50, 200))),
    )
    here, back = dealt((real, release, holdout)), dealt(moved)
    assert (here.is_in != back.is_in).sum() == 300
    for first, second in zip(here.references, back.references, strict=True):
        assert np.array_equal(first.part, second.part)
        for rows, others in zip(first.rows, second.rows, strict=True):
            assert np.array_equal(rows.numbers, others.numbers)
    assert np.array_equal(here.scores(Comparing()).value, back.scores(Comparing()).value)


def test_scores_of_parts_are_ranks_within_their_own() -> None:
    """Each part has another reference, so its scores have another origin; here the second part's are 100 higher."""
    game = dealt(wide(200))
    (reference,) = game.references
    plain, moved = (game.scores(Comparing(moved=by)).value for by in (0.0, 100.0))
    assert np.array_equal(plain, moved)
    for part in (0, 1):
        own = np.sort(plain[reference.part == part])
        np.testing.assert_allclose(own, (np.arange(len(own)) + 0.5) / len(own))


def test_no_more_rows_are_compared_with_than_the_maximum() -> None:
    game = dealt(wide(200), max_rows=60)
    assert game.n_reference == 60
    assert all(len(rows) == 60 for reference in game.references for rows in reference.rows)


def test_a_row_of_both_tables_is_asked_about_on_neither_side() -> None:
    game = dealt(codes([0, 1, 2, 3, 3], [3, 4, 5, 5, 5]), reference_share=0.0)
    assert game.left_out.real == 2
    assert game.left_out.holdout == 1
    assert sorted(game.row[game.is_in].tolist()) == [0, 1, 2]
    assert sorted(game.row[~game.is_in].tolist()) == [1, 2, 3, 4]


def test_equal_rows_within_a_table_are_one_record() -> None:
    game = dealt(codes([0, 1, 2, 3, 3], [6, 4, 5, 5, 5]), reference_share=0.0)
    assert game.records(True) == 4
    assert game.records(False) == 3
    assert (game.is_in.sum(), (~game.is_in).sum()) == (5, 5)
    assert game.scores(Nearness()).trainings(True) == 4


def test_no_place_among_the_targets_tells_the_side() -> None:
    """Members first would give every attack that looks at positions an AUC of 1."""
    game = dealt(tables(), reference_share=0.0)
    scores = game.scores(Given(value=tuple(np.arange(len(game.targets), 0, -1.0))))
    assert records.auc(scores, level=0.999).low < 0.5 < records.auc(scores, level=0.999).high


def unequal(seed: int) -> tuple[Table, Table, Table]:
    """No leak at all: 600 and 200 rows of one population in which rows repeat, and a release of the same."""
    rng = stream(seed, "test", "unequal")
    chance = rng.gamma(0.5, size=400)
    drawn = rng.choice(400, 1400, p=chance / chance.sum()).tolist()
    real, _, holdout = codes(drawn[:600], drawn[600:800], 400)
    return real, Table(real.schema, np.array(drawn[800:])[:, None], np.empty((600, 0))), holdout


def mean_auc(times: int = 60) -> float:
    """The attack prefers what is common, as every attack does; there is nothing else to find."""
    areas = []
    for seed in range(times):
        game = dealt(unequal(seed), seed=seed, reference_share=0.3)
        common = np.bincount(game.release.codes[:, 0], minlength=400)[game.targets.codes[:, 0]]
        inside, outside = common[game.is_in][:, None], common[~game.is_in]
        areas.append(np.mean((inside > outside) + 0.5 * (inside == outside)))
    return float(np.mean(areas))


def test_tables_of_different_size_are_told_apart_by_nothing() -> None:
    assert mean_auc() == pytest.approx(0.5, abs=0.02)


def test_without_evening_out_the_larger_table_would_seem_to_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        released_deal, "balanced_records", lambda in_real, in_holdout, rng: np.ones(len(in_real), dtype=bool)
    )
    assert mean_auc() > 0.54


def test_leaving_straddling_rows_in_one_side_only_would_tell_the_sides_apart() -> None:
    real, release, holdout = unequal(1)
    game = dealt((real, release, holdout), reference_share=0.0)
    kept = set(game.targets.codes[~game.is_in, 0].tolist())
    assert not kept & set(game.targets.codes[game.is_in, 0].tolist())


@pytest.mark.parametrize("seed", [1, 2])
def test_the_deal_does_not_depend_on_the_order_of_rows(seed: int) -> None:
    three = tables()
    rng = stream(seed, "test", "order")
    orders = [rng.permutation(len(table)) for table in three]
    moved = tuple(table.rows(order) for table, order in zip(three, orders, strict=True))
    here, back = dealt(three, max_rows=100), dealt(moved, max_rows=100)  # type: ignore[arg-type]
    assert np.array_equal(here.targets.numbers, back.targets.numbers)
    assert np.array_equal(here.is_in, back.is_in)
    for side, order in ((True, orders[0]), (False, orders[2])):
        table = three[0] if side else three[2]
        rows = here.row[here.is_in == side], order[back.row[back.is_in == side]]  # of equal rows any may come first
        assert np.array_equal(table.rows(rows[0]).keys(), table.rows(rows[1]).keys())
    assert np.array_equal(here.plant().release.numbers, back.plant().release.numbers)


def test_no_more_rows_are_asked_about_than_the_maximum() -> None:
    game = dealt(tables(), max_rows=40)
    for side in (True, False):
        assert 38 <= (game.is_in == side).sum() <= 40  # no record is cut in two
    assert game.left_out.spared > 300
    other = dealt(tables(), max_rows=40, seed=2)
    assert set(other.row.tolist()) != set(game.row.tolist())


def test_the_planted_leak_asks_only_about_people_who_were_not_in() -> None:
    game = dealt(tables(), reference_share=0.2)
    planted = game.plant()
    assert content(planted.targets) <= content(game.targets.rows(~game.is_in))
    assert len(planted.release) == len(game.release)
    changed = (planted.release.numbers != game.release.numbers).any(axis=1).sum()
    assert changed == planted.copies == min(planted.records(True) // 2, 60)
    assert np.intersect1d(planted.record[planted.is_in], planted.record[~planted.is_in]).size == 0


def test_a_planted_leak_is_found_by_one_who_looks_and_by_no_other() -> None:
    planted = dealt(wide(1500), reference_share=0.2).plant()
    assert records.auc(planted.scores(Nearness())).low > 0.65
    assert records.auc(planted.scores(Nearness(sign=-1.0))).high < 0.35
    noise = stream(1, "test", "noise").standard_normal(len(planted.targets))
    assert records.auc(planted.scores(Given(value=tuple(noise)))).low < 0.5


def test_values_are_planted_without_any_row_and_found_by_who_looks_for_values_alone() -> None:
    game = dealt(wide(1500))
    rows, values = (game.plant(what) for what in PlantedKind)
    assert np.array_equal(rows.is_in, values.is_in)
    assert np.array_equal(rows.record, values.record)
    new = (values.release.numbers != game.release.numbers).any(axis=1)
    assert new.sum() == values.copies == rows.copies
    asked = game.targets.numbers
    assert all(
        np.isin(column[new], people).all() for column, people in zip(values.release.numbers.T, asked.T, strict=True)
    )
    assert not content(values.release.rows(new)) & content(game.targets), "no row is a copy"
    assert records.auc(values.scores(Nearness())).low < 0.5
    assert records.auc(values.scores(Values())).low > 0.65


def test_values_are_planted_where_half_of_the_people_have_one_of_their_own() -> None:
    # 0, 0, 1, 2 of one column and 5, 5, 5, 6 of the other: rows 2 and 3 have a value alone; the last two are one person
    people = RowPoints(np.array([[0.0], [0], [1], [2]]), np.array([[0], [0], [0], [1]], dtype=np.int32), (2,))
    assert with_own_value(people, np.array([0, 1, 2, 3])) == 0.5
    assert with_own_value(people, np.array([0, 1, 2, 2])) == pytest.approx(1 / 3)
    with pytest.raises(DesignError, match="nobody else has"):
        dealt(codes([0, 1, 2, 3] * 9, [4, 5, 6, 7] * 9, levels=40), reference_share=0.0).plant(PlantedKind.VALUES)


def test_the_control_of_a_release_that_leaks_finds_only_what_was_planted() -> None:
    """Were members its targets, the leak of the release itself would pass for the planted one."""
    real, _, holdout = wide(600)
    game = dealt((real, real, holdout), reference_share=0.2)
    planted = game.plant()
    bare = replace(planted, release=game.release)
    auc = records.auc(bare.scores(Nearness()), level=0.999)
    assert auc.low < 0.5 < auc.high
    assert records.auc(planted.scores(Nearness())).low > 0.6


def test_a_planted_leak_is_missed_where_the_release_writes_every_value_otherwise() -> None:
    """A verbatim copy in other units is seen by nobody; a control in the units of the real file would say it is."""
    real, _, holdout = wide(600)
    in_other_units = Table(real.schema, real.codes, real.numbers * 2.54 + 100)
    game = dealt((real, in_other_units, holdout))
    assert records.auc(game.scores(Nearness())).value < 0.55, "all people are in it, and nobody is found"
    planted = game.plant()
    auc = records.auc(planted.scores(Nearness()), level=0.999)
    assert auc.low < 0.5 < auc.high
    assert np.isin(planted.release.numbers, game.release.numbers).all()


def test_a_column_that_is_written_otherwise_is_planted_as_the_release_writes_it() -> None:
    real, _, holdout = wide(600)
    moved = real.numbers.copy()
    moved[:, 0] += 100
    game = dealt((real, Table(real.schema, real.codes, moved), holdout))
    planted = game.plant()
    foreign = game.release.numbers.min(axis=0) > game.targets.numbers.max(axis=0)
    assert foreign.sum() == 1
    assert (planted.release.numbers[:, foreign] > game.targets.numbers[:, foreign].max()).all()
    assert records.auc(planted.scores(Nearness())).value < 0.6, "one number far off drowns the distance of the others"
    categories = codes(list(range(40)), list(range(40, 80)), levels=80)
    met = dealt((categories[0], categories[0].rows(slice(10)).plus(categories[0].rows(slice(10))), categories[2]))
    assert set(met.plant().release.codes[:, 0]) - set(met.release.codes[:, 0]), "met by real people: nothing foreign"
    (real, _, holdout), (release, _, _) = codes([*range(20)], [*range(20, 40)], 80), codes([*range(40, 80)], [0], 80)
    foreign_words = dealt((real, release, holdout))
    assert set(foreign_words.plant().release.codes[:, 0]) <= set(foreign_words.release.codes[:, 0])


def test_what_cannot_be_dealt_or_scored_is_a_sentence() -> None:
    with pytest.raises(DesignError, match="other people"):
        dealt(codes([0, 1, 2], [0, 1, 2]))
    game = dealt(tables(), reference_share=0.0)
    with pytest.raises(ScoreError, match="one finite number"):
        game.scores(Given(value=(1.0,)))
    with pytest.raises(ScoreError, match="one finite number"):
        game.scores(Given(value=tuple(np.full(len(game.targets), np.nan))))
    with pytest.raises(DesignError, match="too few records"):
        dealt(codes([0, 1, 2], [3]), reference_share=0.0).plant()


def test_an_attack_that_compares_is_refused_without_reference() -> None:
    with pytest.raises(DesignError, match="set aside"):
        dealt(tables(), reference_share=0.0).scores(Comparing())
