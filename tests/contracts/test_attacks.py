"""What every file of riskkit/attacks promises. A new attack is held to this without a line being added here."""

import pickle
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Brief, FittedAttack, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.games.membership import Chooser
from riskkit.generators.histogram import Histogram
from riskkit.generators.mst import Mst
from riskkit.jobs.codec import decode, encode
from riskkit.questions.membership.plan import CONTROL, MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.table.noisy_counts import MODEL
from tests.contracts import rooms
from tests.tables import mixed

ATTACKS = sorted(registry.plugins("attacks"))
GENERATORS = sorted(registry.plugins("generators"))
ROWS, SIZE, K = 60, 80, 2

VARIANTS = rooms.spellings("attacks")
EVERY = pytest.mark.parametrize("spelled", VARIANTS)
WITH_SHADOWS = pytest.mark.parametrize(
    "spelled", [text for text in VARIANTS if registry.parse("attacks", text).shadows > 0]
)


@cache
def worlds() -> tuple[Table, Table]:
    """The targets, two rare records, and the rest of the real table."""
    table = mixed(ROWS)
    odd = Table(table.schema, np.array([[3, 1], [4, 0]]), np.array([[99.0, table.schema.column("score").high]] * K))
    return odd, table


@cache
def release(number: int, is_in: bool) -> Table:
    """A release of the histogram generator from that world; numbers are streams of their own."""
    targets, rest = worlds()
    world = rest.plus(targets) if is_in else rest
    rng = np.random.default_rng([number, is_in])
    return Histogram().fit(world, rng).sample(SIZE, rng)


@cache
def model(number: int, is_in: bool) -> Any:
    """A private model of that world, for attacks that see the model itself; its noise is little."""
    targets, rest = worlds()
    return Mst(epsilon=100.0).fit(rest.plus(targets) if is_in else rest, np.random.default_rng([number, is_in]))


@cache
def sees_models(spelled: str) -> bool:
    """Asked before every release that is shown, so an attack is fitted for it once."""
    return getattr(learnt(spelled), "sees", "") == MODEL


def shown(spelled: str, number: int, is_in: bool) -> Any:
    """What that attack is shown of that world: a release, or a model."""
    return model(number, is_in) if sees_models(spelled) else release(number, is_in)


@cache
def brief(spelled: str) -> Brief:
    """What the attacker of that attack may see, with as many own releases as it wants."""
    attack = registry.parse("attacks", spelled)
    targets, rest = worlds()
    exact = attack.knowledge is Knowledge.EXACT
    return Brief(
        targets=targets,
        data=rest if exact else None,
        reference=mixed(ROWS, seed=1) if attack.knowledge is Knowledge.AUXILIARY else None,
        shadows_in=tuple(release(100 + number, True) for number in range(attack.shadows)),
        shadows_out=tuple(release(100 + number, False) for number in range(attack.shadows)),
        generator=Histogram() if exact else None,
    )


def fitted(spelled: str, k: int = K) -> FittedAttack:
    """A fit of that attack to so many of the targets."""
    held = brief(spelled)
    held = held if k == K else replace(held, targets=held.targets.rows(np.arange(k)))
    attack: FittedAttack = registry.parse("attacks", spelled).fit(held, np.random.default_rng(5))
    return attack


@cache
def learnt(spelled: str) -> FittedAttack:
    """One fit for all tests that only show it releases: that they leave no trace in it is a test of its own."""
    return fitted(spelled)


def tables(spelled: str) -> list[Table]:
    """Everything that the attack is shown."""
    held = brief(spelled)
    all_ = [held.targets, held.data, held.reference, *held.shadows_in, *held.shadows_out, release(1, True)]
    return [table for table in all_ if table is not None]


@EVERY
def test_it_says_how_many_own_releases_it_wants(spelled: str) -> None:
    wanted = registry.parse("attacks", spelled).shadows
    assert type(wanted) is int
    assert wanted >= 0


# --- fit and score --------------------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("k", [1, K])
def test_a_release_gets_one_finite_score_a_target(spelled: str, k: int) -> None:
    scorer = learnt(spelled) if k == K else fitted(spelled, k)
    for is_in in (True, False):
        score = scorer.score(shown(spelled, 1, is_in))
        assert score.shape == (k,)
        assert score.dtype == np.float64
        assert np.isfinite(score).all()


@EVERY
def test_the_same_brief_stream_and_release_give_the_same_bytes(spelled: str) -> None:
    cached, again = learnt(spelled), fitted(spelled)
    seen = shown(spelled, 1, True)
    assert cached.score(seen).tobytes() == again.score(seen).tobytes()
    before = cached.score(seen)
    cached.score(shown(spelled, 2, False))  # looking at another release leaves no trace
    assert cached.score(seen).tobytes() == before.tobytes()


@EVERY
def test_another_release_gets_another_score(spelled: str) -> None:
    """Of a few releases, that is: votes that are counted can come out equal for two."""
    scorer = learnt(spelled)
    seen = [shown(spelled, number, is_in) for number in (1, 2) for is_in in (True, False)]
    assert (np.ptp([scorer.score(each) for each in seen], axis=0) > 0).all()


@EVERY
def test_it_travels_to_another_process_and_scores_the_same(spelled: str) -> None:
    scorer, seen = learnt(spelled), shown(spelled, 1, True)
    assert pickle.loads(pickle.dumps(scorer)).score(seen).tobytes() == scorer.score(seen).tobytes()


def comes_back(scorer: FittedAttack, seen: Any) -> bool:
    """Whether it scores the same to the bit when it is kept in the store and read again."""
    back = decode(encode(scorer))
    same = back.score(seen).tobytes() == scorer.score(seen).tobytes()
    if not isinstance(scorer, Chooser):
        return same
    choices = back.choice.at == scorer.choice.at and back.choice.own.tobytes() == scorer.choice.own.tobytes()
    return same and choices and back.score_each(seen).tobytes() == scorer.score_each(seen).tobytes()


@EVERY
def test_what_it_has_learnt_is_kept_and_scores_the_same(spelled: str) -> None:
    """So that a run that goes on fits it no second time."""
    assert all(comes_back(learnt(spelled), shown(spelled, number, number == 1)) for number in (1, 2))


@pytest.mark.parametrize("generator", [name for name in GENERATORS if rooms.has_likelihood(name)])
def test_the_likelihood_of_every_generator_is_kept(generator: str) -> None:
    held = replace(brief("likelihood"), generator=registry.parse("generators", generator))
    scorer = registry.parse("attacks", "likelihood:fits=2").fit(held, np.random.default_rng(5))
    assert comes_back(scorer, release(1, True))
    assert np.isfinite(scorer.score(release(1, True))).all()


@EVERY
def test_what_it_is_shown_is_left_as_it_was(spelled: str) -> None:
    shown_tables = tables(spelled)
    before = [(table.codes.tobytes(), table.numbers.tobytes()) for table in shown_tables]
    fitted(spelled).score(model(1, True) if sees_models(spelled) else shown_tables[-1])
    assert [(table.codes.tobytes(), table.numbers.tobytes()) for table in shown_tables] == before


@EVERY
def test_only_the_random_numbers_it_is_given_are_drawn(spelled: str) -> None:
    with rooms.only_its_own_chance():
        fitted(spelled).score(shown(spelled, 1, True))


def rises(scorer: FittedAttack, of_models: bool) -> bool:
    """Whether every target's score is above 0 and rises, where a release holds them over and over.

    The release without them is from the world without; in the one with, half of the rows are the targets. A model is
    fitted to such a table.
    """
    targets, rest = worlds()
    without: Any = rest if of_models else release(3, False)
    planted: Any = without.rows(np.arange(SIZE // 2)).plus(targets.rows(np.arange(SIZE // 2) % K))
    if of_models:
        without, planted = (Mst(epsilon=100.0).fit(each, np.random.default_rng(3)) for each in (rest, planted))
    low, high = scorer.score(without), scorer.score(planted)
    return bool((high > low).all() and (high > 0).all())


BEYOND = {
    "groundhog:features=corr": "two records over and over correlate as in no own release; trees do not see beyond those"
}
"""Attacks that learn what is like their own releases, and may say anything of a release half made of the targets."""


@EVERY
def test_a_release_full_of_the_targets_scores_higher(spelled: str) -> None:
    if spelled in BEYOND:
        pytest.skip(BEYOND[spelled])
    assert rises(learnt(spelled), sees_models(spelled))
    assert not rises(rooms.Upside(learnt(spelled)), sees_models(spelled))


def mean_gap(sides: list[list[float]]) -> float:
    """Standard errors by which the mean score of releases from the in-world is above that of the out-world."""
    error = np.sqrt(sum(np.var(side, ddof=1) / len(side) for side in sides))
    return float((np.mean(sides[0]) - np.mean(sides[1])) / error)


@EVERY
def test_releases_from_the_world_with_the_targets_score_higher(spelled: str) -> None:
    """Two rare records among sixty move the marginals that the generator copies: seen at 3 standard errors or more."""
    scorer = learnt(spelled)
    sides = [[scorer.score(shown(spelled, number, is_in)).mean() for number in range(60)] for is_in in (True, False)]
    assert mean_gap(sides) > 3
    assert mean_gap(sides[::-1]) < -3


@WITH_SHADOWS
@pytest.mark.parametrize("side", ["shadows_in", "shadows_out"])
def test_too_few_own_releases_are_refused_with_a_sentence(spelled: str, side: str) -> None:
    held = brief(spelled)
    for kept in ((), getattr(held, side)[:-1]):
        with pytest.raises(DesignError, match=r"own releases a side.*\.$"):
            registry.parse("attacks", spelled).fit(replace(held, **{side: kept}), np.random.default_rng(5))


@EVERY
def test_the_leak_that_is_planted_for_it_is_known_without_running_it(spelled: str) -> None:
    mechanism = registry.parse("generators", getattr(registry.parse("attacks", spelled), "control", CONTROL))
    assert mechanism.family == "calibration"
    assert 0.5 < mechanism.best_auc(ROWS, ROWS, K) <= 1


@EVERY
def test_it_finds_the_leak_that_is_planted_for_it(spelled: str) -> None:
    method = "mst" if sees_models(spelled) else "histogram"
    plan = MembershipPlan((method,), ("selective",), (spelled,), trainings=60, generations=1, n_syn=ROWS)
    (control,) = run_membership(worlds()[1], plan).control
    assert control.is_found
