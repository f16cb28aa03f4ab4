"""A made cohort of two tables: what is planted is found by the look at where it lives, and nothing where nothing is.

The faults planted here: a verdict by each attack's own interval, as if it were the only one looked at, and rows of the
second table counted as if each were a person of its own.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import riskkit as rk
from riskkit import registry
from riskkit.core import Floats, Scores
from riskkit.games.released import ReleasedGame
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.stats.permutation import Joint, joint_aucs
from riskkit.table.points import Bags, RowPoints
from sample_data import two_tables

LOOKS = ("parent-alone", "mixed", "children-alone")
EVERY = (*LOOKS, *(f"{look}-ratio" for look in LOOKS))
LEVEL = 0.95
NULLS, PEOPLE = 200, 120


def game(folder: Path, leak: str, people: int, seed: int) -> ReleasedGame:
    """The game of the files that the script writes."""
    two_tables.write(folder, leak, people, seed)
    slots = {"real": "real", "synthetic": "release", "holdout": "holdout"}
    tables = rk.load(
        *(folder / f"patients_{name}.csv" for name in slots.values()),
        person="patient",
        children={slot: folder / f"visits_{name}.csv" for slot, name in slots.items()},
    )
    return ReleasedPlan(attacks=EVERY, seed=seed).game(tables)


def scores(of: ReleasedGame) -> list[Scores]:
    return [of.scores(registry.parse("released", name), "attack") for name in EVERY]


def joint(each: list[Scores], seed: int) -> Joint:
    return joint_aucs(each, stream(seed, "two tables", "labels"), level=LEVEL)


@cache
def ends_of(folder: Path, leak: str) -> dict[str, tuple[float, float]]:
    """The lower end and the value of every look, corrected over all of them."""
    each = scores(game(folder, leak, 400, 1))
    return {name: (auc.low, auc.value) for name, auc in zip(EVERY, joint(each, 1).aucs, strict=True)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two_tables")


@pytest.mark.second
def test_a_leak_in_the_parent_is_found_by_the_look_at_the_parent(folder: Path) -> None:
    reached = ends_of(folder, "parent")
    assert reached["parent-alone"][0] > 0.5
    assert reached["children-alone"][0] <= 0.5
    assert reached["parent-alone"][1] > reached["mixed"][1]


@pytest.mark.second
def test_a_leak_in_the_children_is_found_by_the_look_at_the_children(folder: Path) -> None:
    reached = ends_of(folder, "children")
    assert reached["children-alone"][0] > 0.5
    assert reached["parent-alone-ratio"][0] <= 0.5
    assert reached["children-alone"][1] > reached["parent-alone"][1]


@pytest.mark.second
def test_a_leak_in_both_is_found_by_every_look_and_nothing_where_there_is_none(folder: Path) -> None:
    assert all(low > 0.5 for low, _ in ends_of(folder, "both").values())
    assert all(low <= 0.5 for low, _ in ends_of(folder, "none").values())


# --- no leak: how often one is shown --------------------------------------------------------------------------------


def rows_as_people(of: ReleasedGame, name: str) -> Scores:
    """The faulty count: each child a record of its own, scored by its own nearest released child."""
    bags, released = of.targets.children, of.release.children
    assert bags is not None
    assert released is not None
    attack = registry.parse("released", "dcr")
    value: Floats = attack.score(released.pack().rows, bags.pack().rows, None, np.random.default_rng(0))
    is_in = of.is_in[bags.owner]
    return Scores(value, is_in, np.arange(len(value)), np.zeros(len(value), dtype=np.int64), name)


def shown(seed: int, folder: Path) -> tuple[bool, bool, bool, bool]:
    """Of one cohort without a leak: whether one is shown, uncorrected, by rows as people, and with children alike.

    The last two play on people whose children are much alike, as those of a chronic illness are.
    """
    every = scores(game(folder, "none", PEOPLE, seed))
    alone = [records.auc(each, level=2 * LEVEL - 1).low > 0.5 for each in every]
    corrected = any(auc.low > 0.5 for auc in joint(every, seed).aucs)
    alike = of_alike(seed)
    faulty = records.auc(rows_as_people(alike, "dcr"), level=2 * LEVEL - 1).low > 0.5
    right = records.auc(alike.scores(registry.parse("released", "children-alone")), level=2 * LEVEL - 1).low > 0.5
    return corrected, any(alone), faulty, right


def of_alike(seed: int) -> ReleasedGame:
    """A game without a leak of people whose children hardly differ: ten rows each around a middle of their own."""
    rng = np.random.default_rng([seed, 17])

    def people(n: int) -> RowPoints:
        middle, owner = rng.normal(size=(n, 2)), np.repeat(np.arange(n), 10)
        rows = RowPoints(middle[owner] + 0.1 * rng.normal(size=(10 * n, 2)), np.empty((10 * n, 0), dtype=np.int32), ())
        return RowPoints(
            rng.normal(size=(n, 2)), np.empty((n, 0), dtype=np.int32), (), children=Bags.build(rows, owner, n)
        )

    whole = 2 * PEOPLE
    from riskkit.games.released import LeftOut

    return ReleasedGame(
        release=people(PEOPLE),
        targets=people(whole),
        references=(),
        owner=np.arange(whole),
        is_in=np.arange(whole) < PEOPLE,
        record=np.arange(whole),
        row=np.arange(whole),
        left_out=LeftOut(0, 0, 0, 0),
        seed=seed,
    )


def rates(folder: Path, nulls: int) -> Floats:
    """The share of cohorts without a leak in which each of :func:`shown` is one."""
    return np.mean([shown(seed, folder) for seed in range(nulls)], axis=0)


@pytest.mark.slow
def test_without_a_leak_one_is_shown_no_more_often_than_said(folder: Path) -> None:
    corrected, uncorrected, faulty, right = rates(folder, NULLS)
    noise = 2.6 * np.sqrt((1 - LEVEL) * LEVEL / NULLS)
    assert corrected <= 1 - LEVEL + noise
    assert right <= 1 - LEVEL + noise
    assert uncorrected > 1 - LEVEL + noise  # the fault of forgetting the correction
    assert faulty > 1 - LEVEL + noise  # the fault of counting rows as people
