"""The distance attacks: published figures, and cases that can be counted by hand; the one from both sides."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit import registry
from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.games import contest
from riskkit.games.contest import deal, distinct, draw_sample
from riskkit.released import _distances
from riskkit.released._distances import _nearest_of_both
from riskkit.stats.hits import Draw
from riskkit.table.neighbours import nearest
from riskkit.table.points import RowPoints, points_of_arrays
from tests.games.test_contest import wide
from tests.points import auc
from tests.tables import DATA

HOUSING = DATA / "synthmia_housing"
needs_housing = pytest.mark.skipif(not HOUSING.is_dir(), reason="shared/data/synthmia_housing is not on this machine")


def ask(name: str, release: Any, targets: Any, reference: Any = None, **parameters: Any) -> Floats:
    """The scores of an attack on plain arrays."""
    arrays = [
        np.atleast_2d(np.asarray(part, dtype=float)) for part in (release, targets, reference) if part is not None
    ]
    points = [*points_of_arrays(arrays), None]
    attack = registry.make("released", name, **parameters)
    return attack.score(points[0], points[1], points[2], np.random.default_rng(0))


@needs_housing
@pytest.mark.parametrize(("name", "published"), [("dcr", 0.527), ("dcr-diff", 0.56228), ("dpi", 0.531), ("mc", 0.511)])
def test_the_published_figures_of_the_housing_example_are_reproduced(name: str, published: float) -> None:
    files = [pd.read_csv(HOUSING / f"{part}.csv").to_numpy(float) for part in ("synth", "mem", "non_mem", "ref")]
    release, members, others, reference = files
    score = ask(name, release, np.vstack([members, others]), reference)
    is_in = np.arange(400) < 200
    assert auc(score, is_in) == pytest.approx(published, abs=1e-3)
    assert auc(-score, is_in) != pytest.approx(published, abs=1e-3)


LINE = [[0.0], [1.0], [3.0], [10.0]]


def test_distances_on_a_line_are_those_counted_by_hand() -> None:
    assert ask("dcr", LINE, [[2.5], [3.0]]).tolist() == [-0.5, 0.0]
    assert ask("dcr-diff", LINE, [[2.5], [6.0]], [[2.0], [6.5]]).tolist() == [0.0, -2.5]
    assert ask("nndr", LINE, [[2.5], [3.0], [2.0]]).tolist() == [-0.5 / 1.5, 0.0, -1.0]
    assert ask("local-neighbourhood", LINE, [[2.0], [20.0]]).tolist() == [0.5, 0.0]
    assert ask("local-neighbourhood", LINE, [[2.0]], radius=8.0).tolist() == [1.0]


def test_two_copies_of_a_target_count_as_the_nearest_there_is() -> None:
    assert ask("nndr", [[1.0], [1.0], [5.0]], [[1.0], [4.0]]).tolist() == [0.0, -1.0 / 3.0]


def test_the_radius_of_monte_carlo_is_the_median_of_nearest_distances_and_holds_its_edge() -> None:
    # nearest distances 0, 1 and 4: within 1 of the targets lie 2, 2 and 0 of 4 rows
    assert ask("mc", LINE, [[0.0], [2.0], [6.0]]).tolist() == [0.5, 0.5, 0.0]


def test_places_among_the_nearest_are_counted_and_ties_shared() -> None:
    release, reference = [[0.0], [1.0], [9.0]], [[2.0], [3.0], [4.0], [8.0]]
    assert ask("dpi", release, [[0.4], [3.1]], reference, k=3).tolist() == [2 / 3, 0.0]
    tied = [[0.0], [2.0]], [[1.0]], [[0.0], [2.0], [2.0], [0.0]]  # all six rows are 1 away
    assert ask("dpi", *tied, k=3).tolist() == pytest.approx([1 / 3])


def test_ties_do_not_depend_on_who_comes_first() -> None:
    rng = np.random.default_rng(0)
    release, targets, reference = (rng.integers(0, 3, (40, 2)).astype(float) for _ in range(3))
    ours, theirs = ask("dpi", release, targets, reference, k=7), ask("dpi", reference, targets, release, k=7)
    np.testing.assert_allclose(ours + theirs, 1.0)


def test_the_contest_counts_every_column_alike() -> None:
    release = [[0.0, 0.0], [1000.0, 1.0]]
    assert ask("contest", release, [[100.0, 0.0], [1000.0, 0.5], [1000.0, 1.0]]).tolist() == [-0.1, -0.5, 0.0]


def test_the_organisers_look_from_released_rows_by_hand() -> None:
    # (1, 0) is 1 from the first target, (590, 1) 10 from the third, (12, 1) 2 + 1 from the second and 13 from the first
    release, targets = [[1, 0], [590, 1], [12, 1]], [[0, 0], [10, 0], [600, 1], [5000, 0]]
    theirs = {"direction": "release", "units": "raw"}
    assert ask("contest", release, targets, **theirs).tolist() == [-1, -3, -10, -11], "nobody names the last"
    # two released rows name the first target: the closer counts
    assert ask("contest", [[3], [1]], [[0], [9]], **theirs).tolist() == [-1, -4]
    # from the targets' side, in raw units, the last is 4410 + 1 from (590, 1)
    assert ask("contest", release, targets, units="raw").tolist() == [-1, -3, -10, -4411]
    # in shares of the release's range of 589 and 1: 1/589; 2/589 + 1 or 9/589, which is another row
    assert ask("contest", release, targets)[:2] == pytest.approx([-1 / 589, -9 / 589])


def slowly(release: pd.DataFrame, people: pd.DataFrame) -> Floats:
    """The organisers' attack on plain frames, one pair of rows after the other."""
    out = np.full(len(people), np.inf)
    worst = 0.0
    for _, row in release.iterrows():
        away = [
            sum(abs(row[c] - other[c]) if isinstance(other[c], float) else row[c] != other[c] for c in people.columns)
            for _, other in people.iterrows()
        ]
        away = [round(distance, 6) for distance in away]
        named = int(np.argmin(away))
        out[named], worst = min(out[named], away[named]), max(worst, away[named])
    return -np.where(np.isinf(out), worst + 1, out)


def frame(table: Table) -> pd.DataFrame:
    """The values of a table as a file has them."""
    numbers = {c.name: table.numbers[:, index] for index, c in enumerate(table.schema.numeric)}
    texts = {c.name: np.array(c.levels)[table.codes[:, index]] for index, c in enumerate(table.schema.categorical)}
    return pd.DataFrame({**numbers, **texts})


@pytest.mark.parametrize("anonymiser", ["identity", "stat", "pram:p=0.7", "noise", "evasion"])
def test_the_organisers_attack_finds_what_an_independent_implementation_finds(anonymiser: str) -> None:
    population = contest.distinct(wide(240), 0, 1)
    is_in = contest.draw_sample(population, 60, 1, anonymiser, 0)
    sample = population.table.rows(np.flatnonzero(is_in))
    made = registry.parse("generators", anonymiser).fit(sample, np.random.default_rng(1))
    release = made.sample(60, np.random.default_rng(2))
    game = contest.deal(population, is_in, release, 30, 1, anonymiser, 0)
    score = game.scores(registry.parse("released", "contest:direction=release,units=raw"), "theirs")
    by_hand = slowly(frame(release), frame(population.table))
    np.testing.assert_allclose(score, by_hand, atol=1e-5)
    assert game.hits(game.name_targets(score, "theirs")) == game.hits(game.name_targets(np.round(by_hand, 6), "theirs"))


def test_a_hit_in_a_sparse_place_says_more_than_one_in_a_crowd() -> None:
    crowd = np.linspace(0.0, 1.0, 101)[:, None]
    release = np.vstack([crowd, [[50.0]], [[60.0]]])
    lonely, crowded, missed = ask("collision", release, [[50.0], [0.5], [55.0]], reach=1.0)
    assert lonely == 0.5
    assert lonely > crowded > missed == 0.0


def test_a_member_distance_that_others_do_not_have_is_told_from_theirs() -> None:
    rng = np.random.default_rng(1)
    real, others, reference = (rng.normal(size=(300, 4)) for _ in range(3))
    release = real + 0.1 * rng.normal(size=real.shape)
    score = ask("nn-kde", release, np.vstack([real, others]), reference)
    assert auc(score, np.arange(600) < 300) > 0.95


@pytest.mark.parametrize("name", ["dcr-diff", "dpi", "nn-kde"])
def test_no_reference_gets_a_sentence(name: str) -> None:
    with pytest.raises(DesignError, match=r"compares with reference rows; give a holdout"):
        ask(name, LINE, LINE)


def test_too_few_rows_get_a_sentence() -> None:
    with pytest.raises(DesignError, match="needs at least 2 released rows, and has 1"):
        ask("nndr", [[1.0]], LINE)
    with pytest.raises(DesignError, match="needs at least 20 reference rows, and has 4"):
        ask("nn-kde", LINE, LINE, LINE)
    with pytest.raises(DesignError, match="20 nearest rows were asked for among 8"):
        ask("dpi", LINE, LINE, LINE)


def test_the_plain_functions_give_what_the_attacks_give() -> None:
    rng = np.random.default_rng(0)
    points: tuple[RowPoints, ...] = points_of_arrays([rng.normal(size=(30, 2)) for _ in range(3)])
    release, targets, reference = points
    rng = np.random.default_rng(0)
    for name, score in [
        ("dcr", _distances.dcr(release, targets)),
        ("dcr-diff", _distances.dcr_diff(release, targets, reference)),
        ("dpi", _distances.dpi(release, targets, reference, 20)),
        ("mc", _distances.mc(release, targets)),
    ]:
        assert registry.make("released", name).score(*points, rng).tobytes() == score.tobytes()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9), st.integers(1, 18))
def test_the_nearest_of_two_tables_are_those_of_one_search_in_both(seed: int, ours: int, theirs: int, k: int) -> None:
    """Rows of few values, so that most distances tie: released rows come first among equals, as they always did."""
    rng = np.random.default_rng(seed)
    release, reference, targets = (
        RowPoints(rng.integers(0, 2, (n, 1)).astype(float), rng.integers(0, 2, (n, 2)).astype(np.int32), (2, 2))
        for n in (ours, theirs, 7)
    )
    k = min(k, ours + theirs)
    neighbours = _nearest_of_both(release, targets, reference, k)
    expected = nearest(targets, release.plus(reference), min(k + 1, ours + theirs))
    for mine, right in zip(neighbours, expected, strict=True):
        np.testing.assert_array_equal(mine, right)


def test_gaps_on_a_line_are_those_counted_by_hand() -> None:
    release, targets = points_of_arrays([[[0.0], [10.0]], [[0.0], [1.0], [7.0], [20.0]]])
    score = registry.make("released", "two-sided").score(release, targets, None, np.random.default_rng(0))
    # in tenths of the range: 0 is closest to target 0 at 0, gap .1; 10 to target 2 at .3, next at .9, the larger gap
    np.testing.assert_allclose(score, [0.1 / 1.1, -0.1, 1 + 0.6 / 1.6, -1.0])
    alone = registry.make("released", "two-sided").score(release, targets.rows([1]), None, np.random.default_rng(0))
    np.testing.assert_allclose(alone, [-0.1])


def test_a_release_that_perturbs_exact_matches_evades_one_side_and_not_both() -> None:
    population = distinct(wide(6_000), 0, 1)
    is_in = draw_sample(population, 600, 1)
    sample = population.table.rows(np.flatnonzero(is_in))
    rng = np.random.default_rng(2)
    crowd = population.table.rows(rng.permutation(np.flatnonzero(~is_in))[:60])  # matches by chance
    moved = registry.parse("generators", "evasion:scale=0.5").fit(sample, rng).sample(600, rng)
    game = deal(population, is_in, moved.plus(crowd), 50, 1)
    counts = {
        name: game.hits(game.name_targets(game.scores(registry.parse("released", name), name), name))
        for name in ("contest", "two-sided")
    }
    guessing = Draw(6_000, 600, 50)
    assert guessing.lower_tail(counts["contest"]) < 0.01
    assert guessing.upper_tail(counts["two-sided"]) < 0.01
