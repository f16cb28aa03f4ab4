"""Edit distances against a table filled by hand, and attacks on free text: known answers, and a planted phrase."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.released.distances import Dcr
from riskkit.released.texts import (
    Levenshtein,
    NearestText,
    RarePhrases,
    nearest_shares,
    nearest_texts,
    sequences,
    texts,
)
from riskkit.table.load import load
from riskkit.table.points import RowPoints, points_of
from riskkit.table.read.csv_text import read_csv
from tests.released import worlds
from tests.released.worlds import auc

N = 300
ERROR = float(np.sqrt((2 * N + 1) / (12 * N**2)))
"""The standard error of an AUC of scores that know nothing."""
BOTH = pytest.mark.parametrize("attack", [NearestText(), RarePhrases()], ids=lambda attack: attack.name)
WORDS = np.array(["".join(pair) for pair in zip("bdfgklmnprst" * 30, "aeiou" * 72, "nrstlm" * 60, strict=True)])
"""60 different words of three letters."""


def noted(texts: list[str], *more: list[str]) -> RowPoints:
    """Rows with these free texts and one number that says nothing."""
    columns = np.array([texts, *more], dtype=object).T
    return RowPoints(np.zeros((len(texts), 1)), np.empty((len(texts), 0), np.int32), (), texts=columns)


def notes(n: int, rng: np.random.Generator, words: int = 12) -> list[str]:
    """Texts of one population: words that follow one another at random."""
    return [" ".join(rng.choice(WORDS, words)) for _ in range(n)]


def reached(attack: Any, members: list[str], others: list[str], release: list[str], reference: list[str]) -> float:
    score = attack.score(noted(release), noted(members + others), noted(reference), np.random.default_rng(0))
    return auc(score, len(members))


# --- counted by hand ------------------------------------------------------------------------------------------------


def test_shares_are_those_of_the_whole_table() -> None:
    rng = np.random.default_rng(3)
    asked, among = (["".join(rng.choice(list("abc é"), rng.integers(1, 90))) for _ in range(n)] for n in (40, 25))
    asked += [among[0], among[1] + "x", among[2][1:]]
    wanted = [min(slow(text, written) / max(len(text), len(written)) for written in among) for text in asked]
    np.testing.assert_allclose(nearest_shares(asked, among), wanted, rtol=0, atol=1e-15)


def test_the_nearest_by_share_may_be_another_than_by_letters() -> None:
    """Two letters of four against three of thirty."""
    assert nearest_shares(["abcd"], ["abxx"]).tolist() == [0.5]
    long = "a" * 30
    assert nearest_shares([long], [long[:27] + "xyz", "a"]).tolist() == [0.1]


def test_a_text_that_is_missing_is_near_none() -> None:
    assert nearest_shares(["", "ab"], ["", "ab"]).tolist() == [1.0, 0.0]
    assert nearest_shares(["", "ab"], [""]).tolist() == [1.0, 1.0]


def test_sequences_of_words() -> None:
    assert sequences("The man, the  MAN; the dog.", 2) == {"the man", "man the", "the dog"}
    assert sequences("one two", 3) == {"one two"}
    assert sequences(" .,; ", 3) == set()
    assert sequences("東京で tea", 2) == {"東 京", "京 で", "で tea"}


def test_rare_phrases_are_counted_as_by_hand() -> None:
    """Pairs of words. Of the reference each text has two, ab and bc, ab and bd, that at most one other has; of these
    four bd stands in the release, so r = 1/4. The first target has bc, cd and dx, and cd stands in the release:
    (1 - 3/4) / sqrt(3/4 + 1). The second has ab alone, which two others have: nothing rare.
    """
    scores = RarePhrases(words=2, most=1).score(
        noted(["b d q", "c d r"]), noted(["b c d x", "a b"]), noted(["a b c", "a b d"]), np.random.default_rng(0)
    )
    np.testing.assert_allclose(scores, [0.25 / np.sqrt(1.75), 0.0])


def test_several_columns_are_each_compared_with_their_own() -> None:
    release = noted(["abcd"], ["wxyz"])
    targets = noted(["abcd", "wxyz"], ["wxyz", "abcd"])
    assert NearestText().score(release, targets, None, np.random.default_rng(0)).tolist() == [0.0, -1.0]


# --- known answers --------------------------------------------------------------------------------------------------


@BOTH
def test_copied_texts_are_found(attack: Any) -> None:
    rng = np.random.default_rng(1)
    members, others, reference = (notes(N, rng) for _ in range(3))
    assert reached(attack, members, others, members, reference) > 0.99


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_texts_of_other_people_tell_nothing(attack: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    members, others, release, reference = (notes(N, rng) for _ in range(4))
    assert abs(reached(attack, members, others, release, reference) - 0.5) < 3 * ERROR


@BOTH
def test_the_same_said_in_other_words_is_not_found(attack: Any) -> None:
    """Each word for another of its own: what members meant is there, none of their letters in their places."""
    rng = np.random.default_rng(2)
    members, others, reference = (notes(N, rng) for _ in range(3))
    other = dict(zip(WORDS.tolist(), rng.permutation(WORDS).tolist(), strict=True))
    said_otherwise = [" ".join(other[word] for word in text.split()) for text in members]
    assert abs(reached(attack, members, others, said_otherwise, reference) - 0.5) < 3 * ERROR


def test_a_planted_phrase_is_found_by_phrases_alone() -> None:
    """Five of each member's twelve words stand in an otherwise new text."""
    rng = np.random.default_rng(5)
    members, others, release, reference = (notes(N, rng) for _ in range(4))
    planted = [
        " ".join([*new.split()[:4], *own.split()[3:8], *new.split()[9:]])
        for new, own in zip(release, members, strict=True)
    ]
    assert reached(RarePhrases(), members, others, planted, reference) > 0.95
    assert reached(NearestText(), members, others, planted, reference) < 0.8


def test_a_phrase_that_everybody_writes_is_none() -> None:
    """A sentence of the form stands in every text and in the release: it tells nobody from others."""
    rng = np.random.default_rng(6)
    form = "please tick what applies to you"
    sides = [[f"{form} {text}" for text in notes(N, rng, 4)] for _ in range(4)]
    assert abs(reached(RarePhrases(), *sides) - 0.5) < 3 * ERROR


# --- what cannot be asked -------------------------------------------------------------------------------------------


@BOTH
def test_a_table_without_free_text_gets_a_sentence(attack: Any) -> None:
    plain = replace(noted(["a"] * 5), texts=None)
    with pytest.raises(DesignError, match=r"no column is kept as text; give one the role text .*\.$"):
        attack.score(plain, plain, plain, np.random.default_rng(0))


def test_released_rows_over_the_cap_are_drawn_and_letters_cut() -> None:
    rng = np.random.default_rng(7)
    members = notes(20, rng)

    def score(**settings: int) -> Floats:
        return NearestText(**settings).score(noted(members), noted(members), None, np.random.default_rng(0))

    assert (score() == 0).all()
    assert (score(rows=5) == 0).sum() == 5
    assert (score(letters=1) == 0).all()


def slow(first: str, second: str) -> int:
    """The whole table of prefixes (Wagner and Fischer)."""
    row = list(range(len(second) + 1))
    for row_number, letter in enumerate(first, 1):
        before, row[0] = row[0], row_number
        for place, theirs in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != theirs))
    return row[-1]


@pytest.mark.parametrize("longest", [5, 64, 65, 140])
def test_distances_are_those_of_the_whole_table(longest: int) -> None:
    rng = np.random.default_rng(longest)

    def some(n: int) -> list[str]:
        return ["".join(rng.choice(list("abcé")) for _ in range(rng.integers(longest + 1))) for _ in range(n)]

    asked, among = some(25), some(12)
    asked += [among[0], among[1] + "a", among[2][1:], ""]
    among += ["".join(rng.permutation(list(asked[0]))), among[3][::-1]]
    assert nearest_texts(asked, among).tolist() == [min(slow(text, written) for written in among) for text in asked]


def test_known_distances() -> None:
    assert nearest_texts(["kitten"], ["sitting"]).tolist() == [3]
    assert nearest_texts(["", "a"], ["abc"]).tolist() == [3, 2]


def test_rows_are_written_as_they_stand_in_the_file() -> None:
    points = RowPoints(
        np.array([[0.5, -1.0], [0.0, 2.0]]),
        np.array([[1, 0], [0, 1]], np.int32),
        (2, 2),
        scales=((10.0, 4.0), (100.0, 0.5)),
        levels=(("baker", "clerk, old"),),
    )
    assert texts(points) == ["12,99.5,clerk, old,0", "10,101,baker,1"]


def test_levels_of_a_file_come_along() -> None:
    rows = "\n".join(["age,job", *(f"{20 + row % 7},{['baker', 'clerk'][row % 2]}" for row in range(60))]).encode()
    real = load(read_csv(rows, name="real.csv")).real
    assert texts(points_of((real,))[0])[:2] == ["20,baker", "21,clerk"]


def test_a_digit_that_changed_is_near_and_another_number_is_not() -> None:
    """Members' large numbers are repeated with the first digit changed: far as numbers, one letter as text."""
    rng = np.random.default_rng(1)
    members, others = rng.integers(10**7, 10**8, size=(2, 150)).astype(float)
    first, rest = np.divmod(members, 10**7)

    def one_column(numbers: Floats) -> RowPoints:
        return RowPoints(numbers[:, None] / 10**7, np.empty((len(numbers), 0), np.int32), (), scales=((0.0, 1e7),))

    release = one_column((10 - first) * 10**7 + rest)
    world = worlds.World(one_column(members), one_column(others), release, release)
    assert world.auc(Levenshtein()) > 0.9
    assert world.auc(Dcr()) < 0.6
