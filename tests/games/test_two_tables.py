"""The game of two tables: people with their rows, whoever they are and however the files came."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riskkit as rk
from riskkit import registry
from riskkit.audit.give_aways import look
from riskkit.errors import DesignError
from riskkit.games.give_aways import count_bag_copies, count_child_copies
from riskkit.games.released import ReleasedGame
from riskkit.judging.give_aways import State, sentence
from riskkit.questions.compared import without_release
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import attacks_for, two_table_attacks
from riskkit.table.load import Tables
from riskkit.table.points import Bags, RowPoints
from sample_data import two_tables

PEOPLE = 60
SLOTS = {"real": "real", "synthetic": "release", "holdout": "holdout"}


def loaded(folder: Path, **more: Any) -> Tables:
    children = {slot: folder / f"visits_{name}.csv" for slot, name in SLOTS.items()}
    return rk.load(
        *(folder / f"patients_{name}.csv" for name in SLOTS.values()), person="patient", children=children, **more
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    two_tables.write(tmp_path, "none", PEOPLE, 3)
    return tmp_path


def played(tables: Tables) -> ReleasedGame:
    return ReleasedPlan(seed=3).game(tables)


def score(game: ReleasedGame) -> Any:
    return game.scores(registry.parse("released", "mixed")).value


def test_every_person_is_asked_about_with_the_rows_that_are_theirs(folder: Path) -> None:
    tables = loaded(folder)
    game = played(tables)
    assert tables.children is not None
    assert game.targets.children is not None
    sizes = {slot: join.sizes for slot, join in tables.children.joins.items()}
    wanted = np.where(game.is_in, sizes["real"][game.row], sizes["holdout"][game.row])
    assert game.targets.children.size.tolist() == wanted.tolist()
    days = {slot: table.numbers[:, 0] for slot, table in tables.children.tables.items()}
    for index, (is_in, row) in enumerate(zip(game.is_in, game.row, strict=True)):
        slot = "real" if is_in else "holdout"
        join = tables.children.joins[slot]
        own = days[slot][join.owner == join.group[row]]
        bags = game.targets.children.take(np.array([index]))
        numbers = bags.rows.raw().numbers[bags.places]
        assert sorted(own.tolist()) in [sorted(column) for column in np.round(numbers.T, 6).tolist()]


def test_the_order_of_lines_in_a_file_changes_no_score(folder: Path) -> None:
    before = score(played(loaded(folder)))
    rng = np.random.default_rng(2)
    for path in folder.glob("*.csv"):
        header, *lines = path.read_text().splitlines()
        path.write_text("\n".join([header, *rng.permutation(lines)]) + "\n")
    assert score(played(loaded(folder))).tobytes() == before.tobytes()


def test_people_alike_in_the_first_table_are_others_by_their_rows(folder: Path) -> None:
    """All have one row of the first table; told by it alone there would be one record, and nobody left to ask about."""
    for name in SLOTS.values():
        path = folder / f"patients_{name}.csv"
        header, *lines = path.read_text().splitlines()
        alike = [f"{line.split(',')[0]},{40 + index % 2},F,Hill,{25 + index % 2}.5" for index, line in enumerate(lines)]
        path.write_text("\n".join([header, *alike]) + "\n")
    game = played(loaded(folder))
    some = int((loaded(folder).children.joins["real"].sizes > 0).sum())  # type: ignore[union-attr]
    assert game.records(True) >= some
    with pytest.raises(DesignError, match="No record is left"):
        played(replace(loaded(folder), children=None))


def test_the_planted_leak_copies_people_with_their_rows(folder: Path) -> None:
    game = played(loaded(folder))
    planted = game.plant()
    assert planted.copies > 0
    for name in two_table_attacks():
        scores = planted.scores(registry.parse("released", name))
        inside, outside = scores.value[scores.is_in], scores.value[~scores.is_in]
        assert (inside[:, None] > outside).mean() > 0.6, name


def test_a_second_table_of_the_real_people_alone_is_refused_with_a_sentence(folder: Path) -> None:
    alone = {"real": folder / "visits_real.csv"}
    parents = [folder / f"patients_{name}.csv" for name in SLOTS.values()]
    with pytest.raises(DesignError, match=r"loaded for some of the files alone.*\.$"):
        played(rk.load(*parents, person="patient", children=alone))


def test_python_looks_at_two_tables_as_the_command_does_unless_attacks_are_named(folder: Path) -> None:
    """What nobody looked at may not pass for clean: with a second table loaded the suite alone is not enough."""
    tables = loaded(folder)
    usual, named = (answer.plan.as_dict()["attacks"] for answer in (rk.released(tables), rk.released(tables, "dcr")))
    assert tuple(usual) == attacks_for(tables)
    assert tuple(named) == ("dcr",)


def test_two_tables_are_looked_at_three_ways_where_nobody_says_otherwise(folder: Path) -> None:
    tables = loaded(folder)
    assert set(two_table_attacks()) <= set(attacks_for(tables))
    assert not set(two_table_attacks()) & set(attacks_for(replace(tables, children=None)))
    assert set(ReleasedPlan(attacks=("two-tables",)).attacks) == set(two_table_attacks())
    assert not set(two_table_attacks()) & set(ReleasedPlan(attacks=("all",)).attacks)


def test_sides_that_differ_in_the_second_table_alone_are_told_apart_without_the_release() -> None:
    """Else an attack on the children would be called a leak for what the holdout is."""
    rng = np.random.default_rng(4)
    is_in, owner = np.arange(160) < 80, np.repeat(np.arange(160), 4)
    rows = rng.normal(size=(len(owner), 2)) + 0.8 * is_in[owner, None]
    bags = Bags.build(RowPoints(rows, np.empty((len(owner), 0), dtype=np.int32), ()), owner, 160)
    people = RowPoints(rng.normal(size=(160, 2)), np.empty((160, 0), dtype=np.int32), ())

    def apart(targets: RowPoints) -> bool:
        return without_release(targets, np.arange(160), is_in, lambda *_: np.random.default_rng(1), 0.95).apart

    assert apart(replace(people, children=bags))
    assert not apart(people)


# --- give-aways -----------------------------------------------------------------------------------------------------


def copy(folder: Path, members: int, *, whole: bool) -> None:
    """Give all visits, or the first, of the first members who have two or more to new people of the release."""
    lines = (folder / "visits_real.csv").read_text().splitlines()[1:]
    each: dict[str, list[str]] = {}
    for line in lines:
        each.setdefault(line.split(",")[0], []).append(line.partition(",")[2])
    chosen = [visits for visits in each.values() if len(visits) > 1][:members]
    with (
        (folder / "visits_release.csv").open("a") as visits_file,
        (folder / "patients_release.csv").open("a") as people,
    ):
        for index, visits in enumerate(chosen):
            people.write(f"copy-{index},50,M,Hill,25.0\n")
            visits_file.writelines(f"copy-{index},{visit}\n" for visit in (visits if whole else visits[:1]))


def counts_by_hand(folder: Path) -> tuple[int, int]:
    """Real people with a copied visit, and those all of whose visits are those of one released person."""

    def bags(name: str) -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for line in (folder / f"visits_{name}.csv").read_text().splitlines()[1:]:
            key, _, visit = line.partition(",")
            out.setdefault(key, []).append(visit)
        return out

    real, released = bags("real"), bags("release")
    single = {visit for visits in released.values() for visit in visits}
    whole = {tuple(sorted(visits)) for visits in released.values()}
    return (
        sum(any(visit in single for visit in visits) for visits in real.values()),
        sum(tuple(sorted(visits)) in whole for visits in real.values()),
    )


@pytest.mark.parametrize("whole", [True, False])
def test_copied_rows_and_copied_bags_are_those_counted_by_hand(folder: Path, whole: bool) -> None:
    copy(folder, 20, whole=whole)
    children = loaded(folder).children
    assert children is not None
    rng = np.random.default_rng(1)
    rows, bags = count_child_copies(children, rng), count_bag_copies(children, rng)
    by_row, by_bag = counts_by_hand(folder)
    assert (rows.k_in, bags.rows) == (by_row, by_bag)
    assert by_row >= 20
    assert by_bag >= 20 if whole else by_bag < 5


def test_copies_in_the_second_table_alone_give_people_away(folder: Path) -> None:
    seen = {entry.code: entry for entry in look(loaded(folder))}
    assert {seen[code].state for code in ("child_rows", "child_bags", "copies")} == {State.NOT_SHOWN}
    copy(folder, 20, whole=True)
    seen = {entry.code: entry for entry in look(loaded(folder))}
    assert {seen[code].state for code in ("child_rows", "child_bags")} == {State.SHOWN}
    assert seen["copies"].state is State.NOT_SHOWN
    assert "20 real people have all of their rows" in sentence(seen["child_bags"])
    assert sentence(seen["child_rows"]).endswith("The release copies people.")
