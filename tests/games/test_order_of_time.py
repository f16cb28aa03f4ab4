"""Files sorted by time: hours, weekdays, visits and sites stand at the same lines, and only own rows give people away.

Each kind is a pair of files whose rows are drawn anew, line by line, by the same hour, season or site; with people of
their own none of them gives anybody away. The same rows with noise, at their lines, do.
"""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.games import order
from riskkit.games.order import RowOrder, row_order
from riskkit.table.points import points_of_arrays

KINDS = ("hours", "hours unnamed", "hours and weekdays", "hours with gaps", "season", "sites", "visits")


def pair(kind: str, n: int, seed: int, noise: float | None = None) -> tuple[Floats, Floats]:
    """A real table and a release: of other people, or of the same ones with noise of that many standard deviations."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.permutation(int(1.06 * n))[:n]) if kind == "hours with gaps" else np.arange(n)
    named, mean = lines(kind, n, time)

    def drawn() -> Floats:
        return np.column_stack([mean, np.zeros((n, 2))]) + rng.normal(size=(n, mean.shape[1] + 2))

    real = drawn()
    release = drawn() if noise is None else real + noise * rng.normal(size=real.shape)
    return np.column_stack([*named, real]), np.column_stack([*named, release])


def lines(kind: str, n: int, time: Any) -> tuple[list[Any], Floats]:
    """The columns that follow from the line, and what others are on average there."""
    hour, weekday = time % 24, time // 24 % 7
    day = np.column_stack([5 * np.sin(2 * np.pi * hour / 24), 3 * np.cos(2 * np.pi * hour / 24)])
    if kind == "hours":
        return [hour], day
    if kind == "hours unnamed":
        return [], day
    if kind in ("hours and weekdays", "hours with gaps"):
        return [time, hour, weekday][kind == "hours with gaps" :], day + 2.0 * (weekday >= 5)[:, None]
    if kind == "season":
        mean = time / 200 + 2 * np.sin(2 * np.pi * time / 365) + 1.5 * (time % 7 >= 5)
        return [time, time % 7], np.column_stack([mean, -time / 100])
    if kind == "sites":
        site = time // (n // 10)
        return [site, hour], day + np.random.default_rng(5).normal(0, 3, 40)[site][:, None]
    return [time % 4], np.column_stack([2.0 * (time % 4), -1.0 * (time % 4)])


def compared(left: Floats, right: Floats, others: Floats | None = None) -> RowOrder:
    arrays = [left, right] if others is None else [left, right, others]
    real, release, *rest = points_of_arrays(arrays)
    result = row_order(real, release, np.random.default_rng(1), *rest)
    assert result is not None
    return result


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look at all orders is not what is tried here."""
    monkeypatch.setattr(order, "ROWS", 500)
    monkeypatch.setattr(order, "SHUFFLES", 99)


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_round_is_nobody(kind: str) -> None:
    assert [compared(*pair(kind, 720, seed)).kind == "row by row" for seed in range(3)] == [False] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_people_at_their_lines_are_found_in_what_comes_round(kind: str) -> None:
    assert compared(*pair(kind, 720, 1, noise=0.3)).kind == "row by row"


def test_the_fault_of_looking_at_the_lines_around_alone_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: as it once was, every one of these was called an order that reveals who is who."""
    monkeypatch.setattr(order, "beyond_sorting", lambda real, release: (real, release, []))
    monkeypatch.setattr(order, "places_in_rounds", lambda *_: [])
    alone = [
        compared(*pair(kind, 720, 1)).kind for kind in ("hours", "hours and weekdays", "hours with gaps", "season")
    ]
    assert alone == ["row by row"] * 4


def test_where_people_who_were_not_in_lie_at_the_lines_too_the_order_is_that_of_the_files() -> None:
    """A schedule in no order, which all three files keep, line by line; the holdout shows what such lines are worth."""
    rng = np.random.default_rng(1)
    schedule = rng.normal(size=400)
    real, release, others = (np.column_stack([schedule, rng.normal(size=(400, 2))]) for _ in range(3))
    assert compared(real, release).kind == "row by row"
    assert compared(real, release, others).kind == "common order"


def test_columns_that_a_file_is_sorted_by_and_that_come_round_are_told_by_hand() -> None:
    n = 480
    rng = np.random.default_rng(1)
    columns = [np.arange(n) // 60, np.arange(n) % 24, np.arange(n) % 7, rng.permutation(n), rng.integers(0, 5, n)]
    (points,) = points_of_arrays([np.column_stack(columns).astype(float)])
    left, right, kinds = order.beyond_sorting(points, points)
    assert left.numbers.shape == right.numbers.shape == (n, 3)  # the block and the hour say where a row stands
    assert [len(np.unique(kind)) for kind in kinds] == [8, 24, 7, len(np.unique(np.column_stack(columns[:3]), axis=0))]


@pytest.mark.slow
@pytest.mark.parametrize("n", [600, 2_000])
@pytest.mark.parametrize("kind", KINDS)
def test_of_many_pairs_that_go_round_none_is_called_row_by_row(kind: str, n: int) -> None:
    """Five standard deviations in the look where they are fewest; 2 of 40 by chance have a chance below 1e-4."""
    assert sum(compared(*pair(kind, n, seed)).kind == "row by row" for seed in range(40)) <= 1
