"""The order of a second table: what was carried over is found, what follows from a sort or from chance is not.

Planted faults: people in the order of the real file under new keys; people without rows who shift all that follow; the
rows of each person in the order they had, their values slightly changed. Nulls: shuffled, sorted by date by person and
as a whole, an order that a method gives by itself.
"""

import csv
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import riskkit as rk
from riskkit.audit.give_aways import look
from riskkit.games.children_order import LONGEST, ChildrenOrder, _direction, _free, _kendall, children_order
from riskkit.judging.give_aways import State, sentence, short
from riskkit.table.load import Tables
from sample_data.two_tables import DAYS, Cohort, Columns, drawn, rows

Arrange = Callable[[Columns, np.random.Generator], npt.NDArray[np.int64]]
SLOTS = {"real": "real", "release": "synthetic", "holdout": "holdout"}


def shuffled(visits: Columns, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return rng.permutation(len(visits))


def kept(visits: Columns, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return np.arange(len(visits))


def by_day(visits: Columns, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return np.argsort(visits[:, 0], kind="stable")


def by_ward_nearly(visits: Columns, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return np.argsort(visits[:, 2] + rng.normal(0, 1, len(visits)))


def arranged(
    cohort: Cohort, of_person: Arrange, rng: np.random.Generator, people: npt.NDArray[np.int64] | None = None
) -> Cohort:
    """The cohort with its people in that order, and the rows of each in the order that ``of_person`` gives."""
    order = np.arange(len(cohort.patients)) if people is None else people
    visits = [cohort.visits_of(int(person)) for person in order]
    visits = [own[of_person(own, rng)] for own in visits]
    return Cohort(cohort.patients[order], np.vstack(visits), np.repeat(np.arange(len(order)), list(map(len, visits))))


def changed(cohort: Cohort, rng: np.random.Generator) -> Cohort:
    """Everybody slightly changed: what is left of a person is enough to know them again."""
    patients, visits = cohort.patients.copy(), cohort.visits.copy()
    patients[:, 0] += rng.integers(-2, 3, len(patients))
    patients[:, 3] = np.round(patients[:, 3] + rng.normal(0, 0.5, len(patients)), 1)
    visits[:, 0] = np.clip(visits[:, 0] + rng.integers(-20, 21, len(visits)), 0, DAYS - 1)
    visits[:, 3] = np.round(visits[:, 3] * np.exp(rng.normal(0, 0.1, len(visits))))
    return Cohort(patients, visits, cohort.owner)


def loaded(
    folder: Path, cohorts: dict[str, Cohort], rng: np.random.Generator, *, is_sorted_whole: bool = False
) -> Tables:
    """The files of these cohorts, the first table of the release shuffled: only the second has an order to show."""
    for name, cohort in cohorts.items():
        for table, lines in zip(("patients", "visits"), rows(cohort, name), strict=True):
            head, *body = lines
            if (table, name) == ("patients", "release"):
                body = [body[row] for row in rng.permutation(len(body))]
            if table == "visits" and is_sorted_whole:
                body.sort(key=lambda line: line[1])
            with (folder / f"{table}_{name}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([head, *body])
    children = {SLOTS[name]: folder / f"visits_{name}.csv" for name in cohorts}
    return rk.load(*(folder / f"patients_{name}.csv" for name in cohorts), person="patient", children=children)


def made(folder: Path, kind: str, seed: int, people: int = 150, *, has_holdout: bool = True) -> Tables:
    """Files of that kind, see the top of this file."""
    rng = np.random.default_rng(seed)
    real, fresh, holdout = (drawn(people, rng) for _ in range(3))
    anybody = rng.permutation(people)
    of_files = {"shuffled": shuffled, "own rows kept": shuffled, "order of a method": by_ward_nearly}.get(kind, kept)
    if kind in ("copied, shuffled", "people kept"):
        of_files = shuffled
    real, holdout = arranged(real, of_files, rng), arranged(holdout, of_files, rng)
    if kind == "people kept":
        release = arranged(changed(real, rng), shuffled, rng)
    elif kind == "parents alone kept":
        release = Cohort(changed(real, rng).patients, fresh.visits, fresh.owner)
    elif kind == "copied, shuffled":
        release = arranged(changed(real, rng), shuffled, rng, anybody)
    elif kind == "copied, by date":
        release = arranged(changed(real, rng), by_day, rng, anybody)
    elif kind in ("own rows kept", "by date before the noise"):
        release = arranged(changed(real, rng), kept, rng, anybody)
    else:
        release = arranged(fresh, of_files, rng)
    cohorts = {"real": real, "release": release, **({"holdout": holdout} if has_holdout else {})}
    return loaded(folder, cohorts, rng, is_sorted_whole=kind == "all by date")


def order(tables: Tables) -> ChildrenOrder:
    looked_at = children_order(tables, np.random.default_rng(1))
    assert looked_at is not None
    return looked_at


def kinds(tables: Tables) -> tuple[str | None, str | None]:
    """Of people, and of each one's rows."""
    looked_at = order(tables)
    return getattr(looked_at.people, "kind", None), getattr(looked_at.own, "kind", None)


EXPECTED = {
    "shuffled": ("none", "none"),
    "by date": ("none", "sorted"),
    "all by date": ("sorted", "sorted"),
    "order of a method": ("none", "none"),
    "copied, shuffled": ("none", "none"),
    "copied, by date": ("none", "sorted"),
    "people kept": ("row by row", "none"),
    "own rows kept": ("none", "row by row"),
    "by date before the noise": ("none", "common order"),
}


@pytest.mark.parametrize(("kind", "expected"), EXPECTED.items())
def test_each_file_is_called_what_it_is(tmp_path: Path, kind: str, expected: tuple[str, str]) -> None:
    assert kinds(made(tmp_path, kind, 3)) == expected


def test_people_who_shift_are_seen_by_whom_they_are_most_like(tmp_path: Path) -> None:
    """People without rows stand in no file of children, so that person i is not person i any more."""
    people = order(made(tmp_path, "parents alone kept", 3)).people
    assert people is not None
    assert (people.kind, people.is_by_place) == ("row by row", False)
    assert people.share > 0.7


def test_without_a_holdout_an_order_that_others_may_have_stays_open(tmp_path: Path) -> None:
    assert kinds(made(tmp_path, "order of a method", 3, has_holdout=False)) == ("none", "common order")
    assert kinds(made(tmp_path, "own rows kept", 4, has_holdout=False)) == ("none", "common order")


def test_few_people_are_not_compared(tmp_path: Path) -> None:
    assert order(made(tmp_path, "shuffled", 1, 60)).people is None


def test_a_give_away_turns_the_verdict_and_has_its_sentence(tmp_path: Path) -> None:
    states = {}
    for kind in ("shuffled", "people kept", "own rows kept"):
        seen = {entry.code: entry for entry in look(made(tmp_path, kind, 3))}
        assert seen["row_order"].state is State.NOT_SHOWN, "the first table was shuffled"
        states[kind] = (seen["child_order"].state, seen["child_row_order"].state)
        for code in ("child_order", "child_row_order"):
            assert sentence(seen[code]).endswith(".")
            assert short(seen[code])
    assert states == {
        "shuffled": (State.NOT_SHOWN, State.NOT_SHOWN),
        "people kept": (State.SHOWN, State.NOT_SHOWN),
        "own rows kept": (State.NOT_SHOWN, State.SHOWN),
    }


# --- by hand --------------------------------------------------------------------------------------------------------


def test_pairs_that_rise_and_fall_by_hand() -> None:
    """Of 2, 0, 1 the pairs are 2 > 0, 2 > 1, 0 < 1; equal places are no pair."""
    assert _kendall(np.array([2.0, 0.0, 1.0]))[:2] == (-1.0, 3.0)
    assert _kendall(np.array([0.0, 1.0, 1.0]))[:2] == (2.0, 2.0)
    assert _kendall(np.array([5.0])) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("place", [[0, 1, 2, 3], [0, 0, 1, 2], [1, 1, 1, 4, 4], [2, 2, 2]])
def test_the_variance_is_that_of_all_orders(place: list[float]) -> None:
    every = [_kendall(np.array(way))[0] for way in permutations(place)]
    assert np.mean(every) == pytest.approx(0)
    assert _kendall(np.array(place))[2] == pytest.approx(np.var(every))


def test_rows_are_free_where_no_column_orders_them() -> None:
    """Two people of four and three rows: the day rises in both, and within a day the cost falls in all."""
    owner = np.array([0, 0, 0, 0, 1, 1, 1])
    day, cost = np.array([1.0, 1, 2, 3, 0, 4, 5]), np.array([9.0, 1, 5, 7, 2, 8, 3])
    group, by = _free(owner, ["day", "cost"], [day, cost])
    assert by == ("day",)
    assert group.tolist() == [0, 0, 1, 2, 3, 4, 5]
    group, by = _free(owner, ["cost"], [cost])
    assert (group.tolist(), by) == (owner.tolist(), ())


def test_a_missing_value_may_stand_first_or_last() -> None:
    steps = np.ones(4, dtype=bool)
    assert _direction(np.array([np.nan, 1, 2, 3, 4]), steps) is not None
    assert _direction(np.array([4, 3, 2, 1, np.nan]), steps) is not None
    assert _direction(np.array([1, np.nan, 2, 3, 4]), steps) is None
    assert _direction(np.full(5, np.nan), steps) is None


def test_of_a_person_with_many_rows_the_first_are_compared(tmp_path: Path) -> None:
    rng, people, each = np.random.default_rng(1), 50, LONGEST + 20
    cohorts = {}
    for name in SLOTS:
        columns = [rng.integers(low, high, people * each) for low, high in ((0, DAYS), (0, 8), (0, 4), (1, 999))]
        visits = np.column_stack(columns).astype(np.float64)
        cohorts[name] = Cohort(drawn(people, rng).patients, visits, np.repeat(np.arange(people), each))
    own = order(loaded(tmp_path, cohorts, rng)).own
    assert own is not None
    assert (own.kind, own.people) == ("none", people)
    assert people * LONGEST < own.pairs <= people * LONGEST * (LONGEST - 1) / 2


# --- how often it is wrong ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "files"), [("shuffled", 200), ("copied, shuffled", 200), ("all by date", 100), ("order of a method", 150)]
)
def test_nothing_is_shown_where_no_order_was_carried_over(tmp_path: Path, kind: str, files: int) -> None:
    """Nobody's order is called carried over; a similar one in at most 2 %."""
    every = [kinds(made(tmp_path, kind, seed, 120)) for seed in range(files)]
    for side in zip(*every, strict=True):
        counts = Counter(side)
        assert counts["row by row"] == 0
        assert counts["common order"] <= 0.02 * files


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "side"), [("people kept", 0), ("own rows kept", 1)])
def test_what_was_carried_over_is_shown_every_time(tmp_path: Path, kind: str, side: int) -> None:
    counts = Counter(kinds(made(tmp_path, kind, seed))[side] for seed in range(30))
    assert counts["row by row"] >= 28
