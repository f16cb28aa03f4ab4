"""Trainings on random parts of the people: who is in which, and what no coin may tell."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Bools, Floats
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd
from riskkit.games.records import Deal
from riskkit.games.subsets import Subsets, combine, deal_subsets, discriminant, lira, rmia, standardise
from riskkit.questions.records.plan import RecordsPlan
from riskkit.stats.subsets import pool
from tests.games.records import Copies, _FittedCopies, crowd


def play(people: int = 60, trainings: int = 12, inside: int = 6, own: Any = None) -> Subsets:
    dcr = ("dcr", registry.parse("released", "dcr"))
    table = crowd(people)
    whose = np.arange(people) if own is None else own
    asked = np.arange(len(np.unique(whose)))
    return Subsets(
        Deal(Copies(), 80, 1, ("here",)),
        table,
        Crowd.group(whose),
        ((trainings, inside),),
        asked,
        (dcr,),
    )


@pytest.mark.parametrize(("trainings", "share", "inside"), [(32, 0.5, 16), (64, 0.9, 58), (64, 0.99, 59), (11, 0.1, 5)])
def test_everybody_is_in_as_many_trainings(trainings: int, share: float, inside: int) -> None:
    dealt = deal_subsets(500, trainings, inside, np.random.default_rng(1))
    assert RecordsPlan(by="subsets", trainings=trainings, share=share).trainings_with == inside
    np.testing.assert_array_equal(dealt.sum(axis=1), inside)
    assert abs(dealt.sum(axis=0).mean() - 500 * inside / trainings) < 1e-9
    np.testing.assert_array_equal(dealt, deal_subsets(500, trainings, inside, np.random.default_rng(1)))


def test_no_coin_follows_from_another() -> None:
    """Of two people the number of trainings that both are in has the hypergeometric law, as of deals made apart.

    Were trainings made equally large, the last person's coin would be what the others leave.
    """
    dealt = np.array([deal_subsets(40, 16, 8, np.random.default_rng(seed)) for seed in range(3000)]).astype(int)
    both = (dealt[:, 0] * dealt[:, 1]).sum(axis=1)
    assert both.mean() == pytest.approx(4.0, abs=4 * np.sqrt(16 / 15 / 3000))
    rest, last = dealt[:, :39].sum(axis=1), dealt[:, 39]
    together = [np.corrcoef(rest[:, training], last[:, training])[0, 1] for training in range(16)]
    assert np.abs(together).max() < 4 / np.sqrt(3000)


def test_a_training_has_the_rows_of_those_who_are_in_and_of_nobody_else() -> None:
    own = np.arange(60) // 3  # twenty people of three rows
    game = play(own=own)
    assert game.is_in.shape == (20, 12)
    for training in range(12):
        world = set(game.world(training).keys().tolist())
        rows = np.flatnonzero(game.is_in[own, training])
        assert world == set(game.table.rows(rows).keys().tolist())
        assert len(game.world(training)) == len(rows) == 3 * game.is_in[:, training].sum()


def test_a_world_of_hardly_anybody_is_refused() -> None:
    game = play(3, 40, 5)
    empty = int(game.is_in.sum(axis=0).argmin())
    with pytest.raises(DesignError, match="larger share"):
        game.world(empty)


def test_who_is_copied_scores_higher_where_in() -> None:
    """Rows that a method copies out are there exactly where their people are."""
    game = play(60, 12)
    scores = np.stack(
        [game.scores(release, number)[:, 0] for number, release in enumerate(game.releases(range(12)))], 1
    )
    for person in np.flatnonzero(game.table.numbers[:, 0] >= 90):
        is_in = game.is_in[person]
        assert scores[person, is_in].min() > scores[person, ~is_in].max()


def test_who_is_not_asked_about_changes_no_score_of_others_but_by_chance() -> None:
    """An attack that compares nobody says the same of a person, whoever else is asked about."""
    game = play(60, 12, own=np.arange(60) // 2)
    some = replace(game, asked=np.array([2, 17, 29]))
    release = game.releases([0])[0]
    np.testing.assert_array_equal(some.scores(release, 0), game.scores(release, 0)[[2, 17, 29]])


def test_a_release_of_another_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = play()
    sample = _FittedCopies.sample
    monkeypatch.setattr(_FittedCopies, "sample", lambda fitted, n, rng: sample(fitted, n + 1, rng))
    with pytest.raises(DesignError, match="public size"):
        game.releases([0])


def made(leak: float = 1.0, seed: int = 2) -> tuple[Floats, Bools]:
    """Scores of three attacks, (3, people, trainings): the first sees half of the people, the others nobody."""
    rng = np.random.default_rng(seed)
    is_in = deal_subsets(80, 32, 16, rng)
    scores = rng.standard_normal((3, 80, 32)) * np.array([1.0, 50.0, 0.01])[:, None, None]
    scores[0, :40] += leak * is_in[:40]
    return scores, is_in


def test_no_coin_of_a_person_has_a_part_in_that_persons_scores() -> None:
    """Whatever coins a person is given, the person's own scores keep their last bit; those of others may move."""
    scores, is_in = made()
    before = combine(scores, is_in, np.random.default_rng(7))
    for person in (0, 33, 79):
        other = is_in.copy()
        other[person] = ~other[person]
        after = combine(scores, other, np.random.default_rng(7))
        np.testing.assert_array_equal(before[person], after[person])
        assert (before != after).any()


def test_weights_go_to_the_attack_that_sees() -> None:
    scores, is_in = made(leak=2.0)
    weights = discriminant(standardise(scores), is_in)
    assert weights[0] > 5 * np.abs(weights[1:]).max()
    combined = combine(scores, is_in, np.random.default_rng(1))
    gap = [combined[person, is_in[person]].mean() - combined[person, ~is_in[person]].mean() for person in range(80)]
    assert np.mean(gap[:40]) > 1.0
    assert abs(np.mean(gap[40:])) < 0.2


def test_scores_that_never_differ_say_nothing() -> None:
    scores, is_in = made()
    scores[:, 5] = 3.0
    assert (standardise(scores)[:, 5] == 0).all()
    assert (combine(scores, is_in, np.random.default_rng(1))[5] == 0).all()
    assert np.isfinite(combine(np.zeros_like(scores), is_in, np.random.default_rng(1))).all()


def test_rmia_by_hand() -> None:
    """Three people, four trainings: each beside own mean and spread, then the share of the others that are passed."""
    scores = np.array([[0.0, 0.0, 4.0, 4.0], [10.0, 30.0, 10.0, 30.0], [-3.0, -1.0, -1.0, -3.0]])
    of_training = [[0.5, 0.5, 0.5], [0.0, 0.75, 0.75], [0.75, 0.0, 0.75], [0.75, 0.75, 0.0]]
    np.testing.assert_allclose(rmia(scores), np.transpose(of_training))


def test_lira_by_hand() -> None:
    """Eight trainings, each a part of its own: the laws are of the other seven, with one spread for all people."""
    scores = np.array([[0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0], [1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0]])
    is_in = np.array([[False] * 4 + [True] * 4, [True, True, False, False] * 2])
    out = lira(scores, is_in, np.random.default_rng(1))
    # Without the first training: of the second person 1, 3, 3 are in and 1, 3, 1, 3 out; 14 scores less 4 means.
    variance = (2 * 4 / 9 + 16 / 9 + 4) / 10
    assert out[1, 0] == pytest.approx(((1 - 2) ** 2 - (1 - 7 / 3) ** 2) / (2 * variance), rel=1e-9)
    assert (out[0, 4:] > 1).all()
    assert (out[0, :4] < -1).all()


def test_lira_of_a_method_that_learns_nothing_names_nobody_more_often() -> None:
    """The laws of coins that mean nothing: the mean AUC over 400 people is one half, or below it."""
    rng = np.random.default_rng(3)
    is_in = deal_subsets(400, 64, 32, rng)
    scores = lira(rng.standard_normal((400, 64)), is_in, rng)
    (auc, *_) = pool(scores, is_in, 0.95)
    assert auc.value < 0.51


def test_a_longer_run_begins_with_the_worlds_of_a_shorter_one() -> None:
    """Blocks of 64: everybody is in half of each, and a training that both have is made of the same people."""
    short, long = (RecordsPlan(by="subsets", trainings=trainings).blocks for trainings in (64, 150))
    assert (short, long) == (((64, 32),), ((64, 32), (64, 32), (22, 11)))
    first, second = (replace(play(), blocks=blocks) for blocks in (short, long))
    np.testing.assert_array_equal(second.is_in[:, :64], first.is_in)
    assert (second.is_in[:, 64:128].sum(axis=1) == 32).all()
    assert not np.array_equal(second.is_in[:, 64:128], first.is_in)
    assert [second.name(training) for training in range(64)] == [first.name(training) for training in range(64)]
    assert len({second.name(training) for training in range(150)}) == 150


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("trainings", [10, 63, 64, 65, 70, 128, 256, 1000])
def test_blocks_come_to_the_trainings_and_the_share_that_were_asked_for(trainings: int, share: float) -> None:
    plan = RecordsPlan(by="subsets", trainings=trainings, share=share)
    assert sum(block for block, _ in plan.blocks) == trainings
    assert sum(inside for _, inside in plan.blocks) == plan.trainings_with
    assert all(0 <= inside <= block for block, inside in plan.blocks)


def test_who_is_planted_has_copies_where_their_own_coins_say_so() -> None:
    """Releases of 100 rows have room for 20 people; each is put into half of 32, whoever was in the training."""
    game = replace(play(), deal=Deal(Copies(), 100, 1, ("here",)), blocks=((40, 20),))
    assert len(game.canaries) == 20
    assert (game.canary_coins.sum(axis=1) == 16).all()
    own, real = game.canary_coins, game.is_in[game.asked][game.canaries][:, :32]
    assert abs(np.corrcoef(own.ravel(), real.ravel())[0, 1]) < 0.15
    releases = game.releases(range(32))
    scores = np.stack([game.canary_scores(release, number)[:, 0] for number, release in enumerate(releases)], 1)
    others = game.table.numbers[:, 0] < 90  # Copies puts out everybody else
    people = [place for place in game.canaries if others[game.asked[place]]]
    for place in people:
        coin = own[np.flatnonzero(game.canaries == place)[0]]
        assert scores[place, coin].mean() > scores[place, ~coin].mean()


def test_in_a_release_of_few_rows_nobody_is_planted() -> None:
    game = replace(play(), deal=Deal(Copies(), 9, 1, ("here",)))
    assert len(game.canaries) == 0
    assert game.canary_coins.shape == (0, 0)
