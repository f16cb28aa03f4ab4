"""What every file of riskkit/released promises. A new attack is held to this without a line being added here."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.table.canonical import canonical
from riskkit.table.points import Bags, RowPoints
from tests.contracts import rooms
from tests.contracts.odd_rows import ODD, odd
from tests.points import auc, shuffled

ATTACKS = sorted(registry.plugins("released"))
ROWS = 150
"""Members, people who were not in, reference rows and released rows of a deal."""
ERROR = float(np.sqrt((2 * ROWS + 1) / (12 * ROWS**2)))
"""The standard error of an AUC of scores that know nothing."""
IS_IN = np.arange(2 * ROWS) < ROWS
DEALS = 4
WORDS = np.array([first + last for first in ("ba", "do", "fe", "gu") for last in ("na", "lo", "ri", "ma")])
MEAN_ERROR = ERROR / float(np.sqrt(DEALS))

VARIANTS = rooms.spellings("released")
EVERY = pytest.mark.parametrize("spelled", VARIANTS)
PLAYED = pytest.mark.parametrize(
    "spelled", [pytest.param(each, marks=() if each in ATTACKS else pytest.mark.slow) for each in VARIANTS]
)
"""Whole curves of AUC: of every attack at its defaults, and in `make slow` of every other choice of its parameters."""
ONE_EACH = pytest.mark.parametrize("name", ATTACKS)


def attack_of(spelled: str) -> Any:
    return registry.parse("released", spelled)


def people(n: int, rng: np.random.Generator) -> RowPoints:
    """Rows of one population: four numbers and two categories that hang together, few of them alike."""
    group = rng.integers(0, 3, n)
    numbers = rng.normal(size=(n, 4)) + group[:, None] * np.array([1.0, 0.0, -0.5, 0.0])
    numbers[:, 3] += numbers[:, 0]
    other = (rng.random(n) < 0.2 + 0.3 * group).astype(int)
    texts = noted(rng.spawn(1)[0].choice(WORDS, (n, 8)))  # draws of its own: the numbers stay as they were
    bags = visits(numbers, rng.spawn(1)[0])
    return RowPoints(numbers, np.column_stack([group, other]).astype(np.int32), (3, 2), texts=texts, children=bags)


def visits(numbers: Any, rng: np.random.Generator) -> Bags:
    """Up to five rows of a second table for each person, two numbers and a category; some have none."""
    owner = np.repeat(np.arange(len(numbers)), rng.integers(0, 6, len(numbers)))
    rows = rng.normal(size=(len(owner), 2)) + numbers[owner, :2]
    points = RowPoints(rows, rng.integers(0, 4, (len(owner), 1)).astype(np.int32), (4,))
    return Bags.build(points, owner, len(numbers), rows[:, 0])


def changed(points: RowPoints, noise: float, rng: np.random.Generator) -> RowPoints:
    """The rows with normal noise of that size, and categories and words drawn again as often as suits it."""
    anew = rng.random(points.codes.shape) < noise / (1 + noise)
    drawn = np.column_stack([rng.permutation(column) for column in points.codes.T])
    numbers = points.numbers + noise * rng.normal(size=points.numbers.shape)
    codes = np.where(anew, drawn, points.codes).astype(np.int32)
    texts = reworded(points, noise, rng.spawn(1)[0])
    return RowPoints(numbers, codes, points.sizes, texts=texts, children=revisited(points, noise, rng.spawn(1)[0]))


def revisited(points: RowPoints, noise: float, rng: np.random.Generator) -> Bags:
    """The rows of the second table with as much noise."""
    assert points.children is not None
    bags = points.children.pack()
    anew = rng.random(bags.rows.codes.shape) < noise / (1 + noise)
    codes = np.where(anew, rng.permutation(bags.rows.codes), bags.rows.codes).astype(np.int32)
    numbers = bags.rows.numbers + noise * rng.normal(size=bags.rows.numbers.shape)
    return replace(bags, rows=replace(bags.rows, numbers=numbers, codes=codes))


def reworded(points: RowPoints, noise: float, rng: np.random.Generator) -> Any:
    """(n, 1) the texts with words drawn again as often as suits noise of that size."""
    assert points.texts is not None
    words = np.array([text.split() for (text,) in points.texts])
    anew = rng.random(words.shape) < noise / (1 + noise)
    return noted(np.where(anew, rng.choice(WORDS, words.shape), words))


def noted(words: Any) -> Any:
    """(n, 1) free texts of these words (n, length)."""
    return np.array([[" ".join(row)] for row in words], dtype=object)


@cache
def deal(seed: int, noise: float | None) -> tuple[RowPoints, RowPoints, RowPoints]:
    """Release, targets (members first) and reference; the release is the members with noise, or (None) of strangers."""
    rng = np.random.default_rng([seed, 7])
    members, others, reference, strangers = (people(ROWS, rng) for _ in range(4))
    release = strangers if noise is None else changed(members, noise, rng)
    return release, members.plus(others), reference


def asked(attack: Any, parts: tuple[RowPoints, ...], seed: int = 3) -> Floats:
    """The scores, in the order of the targets, of an attack that sees the points in canonical order."""
    (release, targets, *rest), undo = canonical(parts)
    reference = rest[0] if rest else None
    score: Floats = attack.score(release, targets, reference, np.random.default_rng(seed))
    return score[undo[1]]


def raw(attack: Any, parts: tuple[RowPoints, ...], seed: int = 3) -> Floats:
    """The scores of an attack that sees the points as they are."""
    score: Floats = attack.score(*parts, np.random.default_rng(seed))
    return score


@cache
def first(spelled: str) -> Floats:
    """The scores of one deal as it is, worked out once for all tests that compare others with them."""
    return raw(attack_of(spelled), deal(1, 0.5))


# --- how it scores --------------------------------------------------------------------------------------------------


@EVERY
def test_every_target_gets_a_finite_score(spelled: str) -> None:
    score = first(spelled)
    assert score.shape == (2 * ROWS,)
    assert score.dtype == np.float64
    assert np.isfinite(score).all()
    assert len(np.unique(score)) > 1


@EVERY
def test_the_same_stream_gives_the_same_bytes(spelled: str) -> None:
    assert first(spelled).tobytes() == raw(attack_of(spelled), deal(1, 0.5)).tobytes()


@EVERY
def test_what_it_is_shown_is_left_as_it_was(spelled: str) -> None:
    parts = deal(2, 0.5)
    arrays = [array for part in parts for array in (part.numbers, part.codes)]
    before = [array.tobytes() for array in arrays]
    raw(attack_of(spelled), parts)
    assert [array.tobytes() for array in arrays] == before


@EVERY
def test_only_the_random_numbers_it_is_given_are_drawn(spelled: str) -> None:
    with rooms.only_its_own_chance():
        raw(attack_of(spelled), deal(1, 0.5))


@EVERY
def test_rows_columns_and_codes_may_come_in_any_order(spelled: str) -> None:
    parts = deal(1, 0.5)
    there, orders = shuffled(parts, 5)
    scores, scores_there = asked(attack_of(spelled), parts), asked(attack_of(spelled), there)
    assert scores[orders[1]].tobytes() == scores_there.tobytes()


def stands_alone(attack: Any, together: Floats) -> bool:
    """Whether targets get the score they would get were no others asked about; ``together`` are those of all."""
    release, targets, reference = deal(1, 0.5)
    some = np.arange(3, 2 * ROWS, 7)
    alone = raw(attack, (release, targets.rows(some), reference))
    return bool(np.allclose(alone, together[some], rtol=1e-6, atol=1e-9))


@EVERY
def test_a_score_does_not_depend_on_who_else_is_asked_about(spelled: str) -> None:
    """But where the attack says so: one that is defined over all targets has ``scores_together``."""
    attack = attack_of(spelled)
    assert stands_alone(attack, first(spelled)) is not getattr(attack, "scores_together", False)


@EVERY
def test_reference_rows_are_refused_only_where_they_are_needed(spelled: str) -> None:
    attack, (release, targets, _) = attack_of(spelled), deal(1, 0.5)
    if not attack.needs_reference:
        assert np.isfinite(raw(attack, (release, targets, None))).all()
        return
    with pytest.raises(DesignError, match=r"reference.*\.$"):
        raw(attack, (release, targets, None))


# --- odd rows -------------------------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("name", ODD)
def test_odd_rows_get_finite_scores(spelled: str, name: str) -> None:
    score = raw(attack_of(spelled), odd(name))
    assert score.shape == (60,)
    assert np.isfinite(score).all()


FEW = {"one released row": (1, 60, 60), "one target": (60, 1, 60), "one reference row": (60, 60, 1), "two": (2, 2, 2)}


def finite_or_refused(attack: Any, parts: tuple[RowPoints, ...]) -> bool:
    """Whether the attack gives finite scores (True) or refuses with a sentence (False); anything else fails."""
    refused = ""
    try:
        score = raw(attack, parts)
    except DesignError as error:
        refused = str(error)
    if refused:
        assert refused.endswith(".")
        return False
    assert score.shape == (len(parts[1]),)
    assert np.isfinite(score).all()
    return True


@EVERY
@pytest.mark.parametrize("name", FEW)
def test_few_rows_get_finite_scores_or_a_sentence(spelled: str, name: str) -> None:
    parts = tuple(part.rows(np.arange(n)) for part, n in zip(deal(1, 0.5), FEW[name], strict=True))
    assert finite_or_refused(attack_of(spelled), parts) or name != "one target"


@EVERY
def test_no_row_at_all_gets_a_sentence(spelled: str) -> None:
    release, targets, reference = deal(1, 0.5)
    with pytest.raises(DesignError, match=r"\.$"):
        raw(attack_of(spelled), (release.rows([]), targets, reference))


@ONE_EACH
def test_more_neighbours_than_rows_get_a_sentence_or_all_rows(name: str) -> None:
    release, targets, reference = deal(1, 0.5)
    for setting in registry.settings(registry.plugins("released")[name]):
        if setting.name != "k":
            continue
        attack = registry.make("released", name, k=int(setting.high or 1))
        finite_or_refused(attack, (release.rows(np.arange(30)), targets, reference.rows(np.arange(30))))


# --- what it finds --------------------------------------------------------------------------------------------------


class Peeking:
    """A faulty attack: it knows that members come first."""

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return -np.arange(len(targets), dtype=float)


Curve = Callable[[float | None], float]
"""The mean AUC of an attack over the deals, by the noise of the release; None: it is of other people.

Its standard error, where scores know nothing, is :data:`MEAN_ERROR`.
"""


def curve_of(attack: Any, ask: Any = asked) -> Curve:
    """The curve of an attack."""
    return lambda noise: float(np.mean([auc(ask(attack, deal(seed, noise)), IS_IN) for seed in range(DEALS)]))


@cache
def curve(spelled: str) -> Curve:
    """The curve of an attack of the room, each point of which is worked out once for all tests."""
    return cache(curve_of(attack_of(spelled)))


def upside(of: Curve) -> Curve:
    """The curve of a faulty attack: the right one, turned over."""
    return lambda noise: 1.0 - of(noise)


def finds_members(of: Curve) -> bool:
    """Whether members are found, by 3 standard errors, where they are the release."""
    return of(0.0) > 0.5 + 3 * MEAN_ERROR


def knows_nothing_of_strangers(of: Curve) -> bool:
    """Whether the AUC is one half, within 2.6 standard errors, where the release is of other people."""
    return abs(of(None) - 0.5) < 2.6 * MEAN_ERROR


def falls_with_noise(of: Curve) -> bool:
    """Whether the AUC falls as noise grows, by more than chance in all; a step may rise by 2 standard errors."""
    values = [of(noise) for noise in (0.0, 0.3, 1.0, 8.0)]
    return bool((np.diff(values) < 2 * np.sqrt(2) * MEAN_ERROR).all()) and values[-1] < values[0] - 2 * MEAN_ERROR


@PLAYED
def test_members_are_found_where_they_are_the_release(spelled: str) -> None:
    assert finds_members(curve(spelled))
    assert not finds_members(upside(curve(spelled)))


@PLAYED
def test_a_release_of_other_people_tells_nothing(spelled: str) -> None:
    assert knows_nothing_of_strangers(curve(spelled))


@PLAYED
def test_growing_noise_lowers_what_is_found(spelled: str) -> None:
    assert falls_with_noise(curve(spelled))
    assert not falls_with_noise(upside(curve(spelled)))


def test_an_attack_that_goes_by_the_order_of_targets_is_caught() -> None:
    assert not knows_nothing_of_strangers(curve_of(Peeking(), raw))
    assert knows_nothing_of_strangers(curve_of(Peeking()))  # in canonical order there is nothing to go by
    assert not stands_alone(Peeking(), raw(Peeking(), deal(1, 0.5)))


def test_the_closest_row_finds_every_member_that_was_released() -> None:
    assert auc(asked(attack_of("dcr"), deal(1, 0.0)), IS_IN) == 1.0
