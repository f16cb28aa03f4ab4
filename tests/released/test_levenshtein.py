"""Edit distances against a table filled by hand, and what the attack finds that plain distances do not."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.released.distances import Dcr
from riskkit.released.texts import Levenshtein, nearest_texts, texts
from riskkit.table.load import load
from riskkit.table.points import RowPoints, points_of
from riskkit.table.read.csv_text import read_csv
from tests.released import worlds


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
