"""What a released file gives away by itself: planted copies and orders are shown, and what is chance is not."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy import stats

from riskkit.audit import give_aways
from riskkit.audit.give_aways import LOOKS, look
from riskkit.core import Column, Ints, Kind, Schema, Table
from riskkit.games import order
from riskkit.games.give_aways import follow_of
from riskkit.games.identifiers import sort_lines
from riskkit.judging.give_aways import GiveAway, State, brief, repair, sentence
from riskkit.seeds import stream
from riskkit.show.names import FEW
from riskkit.stats import copies
from riskkit.table.evidence.overlap import ColumnOverlap
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from tests.table.files import loaded
from tests.tables import numeric

BOUND = (1 - 0.95) / LOOKS / 2
"""How often copies may be shown where there are none."""


def of(real: Table, release: Table | None, holdout: Table | None = None) -> Tables:
    return Tables(real, release, holdout, real.schema, (), ())


def wide(n: int, seed: int = 0) -> Table:
    """Rows of six numbers, of which no two are alike by chance."""
    drawn = np.round(stream(seed, "test", "give-aways").standard_normal((n, 6)), 3)
    every = stream(0, "test", "give-aways").standard_normal((2000, 6))
    columns = tuple(numeric(f"x{index}", column, decimals=3) for index, column in enumerate(every.T))
    return Table(Schema(columns), np.empty((n, 0)), drawn)


def narrow(n: int, seed: int, levels: tuple[int, ...] = (12, 8, 6)) -> Table:
    """Rows of a few categories, common ones and rare ones, so that many are alike."""
    rng = stream(seed, "test", "narrow")
    columns, codes = [], []
    for index, many in enumerate(levels):
        share = np.arange(1, many + 1) ** -1.0
        columns.append(Column(f"c{index}", Kind.CATEGORICAL, levels=tuple(f"v{level}" for level in range(many))))
        codes.append(rng.choice(many, n, p=share / share.sum()))
    return Table(Schema(tuple(columns)), np.column_stack(codes), np.empty((n, 0)))


def joined(*parts: Table) -> Table:
    return Table(
        parts[0].schema, np.vstack([part.codes for part in parts]), np.vstack([part.numbers for part in parts])
    )


def shuffled(table: Table, seed: int = 9) -> Table:
    return table.rows(np.random.default_rng(seed).permutation(len(table)))


@pytest.fixture
def _only_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other looks at a file are not what is tried."""
    for look_of in ("order_of", "count_recoded"):
        monkeypatch.setattr(give_aways, look_of, lambda *_: None)
    for look_of in ("_near_copies", "_gaps", "_crowd", "_every_value", "carried_identifiers"):
        monkeypatch.setattr(give_aways, look_of, lambda *_: ())


def look_at(real: Table, release: Table, holdout: Table) -> tuple[GiveAway, ...]:
    return look(of(real, release, holdout))


def seen(tables: Tables, code: str) -> GiveAway:
    return next(entry for entry in look(tables) if entry.code == code)


# --------------------------------------------------------------------------------------------------------------
# Rows that keep away from people


def heavy(n: int, seed: int) -> Table:
    """As :func:`wide`, with a few very large numbers in each column."""
    plain = wide(n, seed)
    return replace(plain, numbers=np.round(np.exp(1.5 * plain.numbers), 3))


@pytest.mark.parametrize("make", [wide, heavy])
def test_rows_taken_out_near_people_leave_gaps_that_no_verdict_passes(make: Callable[[int, int], Table]) -> None:
    real, holdout, others = make(400, 0), make(400, 1), make(2000, 2)
    gap = np.sqrt(((wide(2000, 2).numbers[:, None] - wide(400, 0).numbers) ** 2).sum(axis=2)).min(axis=1)
    kept = seen(of(real, others.rows(np.flatnonzero(gap > np.median(gap))), holdout), "gaps")
    assert kept.state is State.OPEN
    assert "farther from all released rows" in sentence(kept)
    assert "gaps" not in {entry.code for entry in look_at(real, others.rows(np.arange(1000)), holdout)}


@pytest.mark.parametrize("make", [wide, heavy])
def test_rows_that_crowd_about_one_person_pass_no_verdict(make: Callable[[int, int], Table]) -> None:
    """One person in a quarter of the release, a little blurred: as of a method that learnt one row."""
    real, holdout, others = make(400, 0), make(400, 1), make(400, 2)
    blur = 0.01 * real.numbers.std(axis=0) * stream(1, "test", "crowd").standard_normal((100, 6))
    about = replace(others.rows(np.arange(100)), numbers=real.numbers[7] + blur)
    release = joined(others.rows(np.arange(100, 400)), about)
    for tables in (of(real, release, holdout), of(real, release)):
        crowd = seen(tables, "crowd")
        assert crowd.state is State.OPEN
        assert sentence(crowd).startswith("25 % of the released rows lie about one real person")
    honest = of(real, others, holdout), of(narrow(400, 0), narrow(400, 2), narrow(400, 1))
    assert all("crowd" not in {entry.code for entry in look(tables)} for tables in honest)


def test_honest_rows_keep_away_no_oftener_than_the_level_allows() -> None:
    tables = [[heavy(60, 3 * seed + part) for part in range(3)] for seed in range(100)]
    away = [give_aways._gaps(of(real, release, holdout), release, 0.95) for real, release, holdout in tables]
    assert sum(map(len, away)) <= stats.binom.ppf(0.999, 100, 0.05)


# --------------------------------------------------------------------------------------------------------------
# Near copies


def test_a_few_blurred_people_are_shown_and_strangers_are_not() -> None:
    """Of 400 people 12 stand in the release, each number moved by a little: no copy, no number of theirs."""
    real, holdout, others = wide(400), wide(400, 1), wide(400, 2)
    blurred = real.numbers[:12] + 0.03 * stream(3, "test", "blur").standard_normal((12, 6))
    release = shuffled(joined(Table(real.schema, real.codes[:12], blurred), others))
    near = seen(of(real, release, holdout), "near_copies")
    assert near.state is State.SHOWN
    assert near.figures["k_in"] >= 12
    assert near.figures["k_out"] <= 5
    assert "real people a released row is less than half as far away as any other person" in sentence(near)
    assert "near_copies" not in {entry.code for entry in look_at(real, others, holdout)}


def blur(table: Table, seed: int) -> Table:
    """Everybody, each number moved by a little."""
    noise = 0.03 * stream(seed, "test", "blur").standard_normal(table.numbers.shape)
    return Table(table.schema, table.codes, table.numbers + noise)


def test_a_release_of_blurred_people_of_both_tables_is_no_quiet_one() -> None:
    """Neither table has more of them than the other, and both have more than people of one table are to each other."""
    real, holdout, others = wide(400), wide(400, 1), wide(800, 2)
    near = seen(of(real, shuffled(blur(joined(real, holdout), 3)), holdout), "near_copies")
    assert (near.state, near.is_swapped, near.of_other_people()) == (State.SHOWN, False, near)
    assert min(near.figures["rows"], near.figures["of_holdout"]) > 390
    assert "The release copies people of both" in sentence(near)
    assert repair(near)
    assert brief(near) == f"Released rows are nearly copies of {near.figures['rows']} real people."
    assert "near_copies" not in {entry.code for entry in look_at(real, blur(others, 3), holdout)}


def test_a_release_of_blurred_people_of_the_holdout_may_be_swapped() -> None:
    real, holdout = wide(400), wide(400, 1)
    near = seen(of(real, shuffled(blur(holdout, 3)), holdout), "near_copies")
    assert near.is_swapped
    assert sentence(near).endswith("The real table and the holdout may be swapped.")
    copied = [each for each in look_at(real, shuffled(holdout), holdout) if each.is_swapped]
    assert [each.code for each in copied if "copies" in each.code] == ["copies"], "and it is said once"


def test_near_copies_that_a_holdout_of_other_people_shows_are_open() -> None:
    """Real people and released ones stand close, the holdout's far apart: chance makes more of them near copies."""
    real, others, holdout = wide(400), wide(400, 2), wide(400, 1)
    some, all_of_it = (
        joined(blur(real.rows(np.arange(many)), 3), others.rows(np.arange(many, 400))) for many in (12, 400)
    )
    few, many = (seen(of(real, shuffled(release), holdout), "near_copies") for release in (some, all_of_it))
    assert few.state is many.state is State.SHOWN
    assert many.of_other_people() == many, "the real table by itself shows it"
    assert (few.of_other_people().state, few.of_other_people().is_swapped) == (State.OPEN, False)


def test_copies_in_disguise_are_shown_with_the_disguise_and_strangers_are_not() -> None:
    """Values that changed places within each row, and numbers that were turned together."""
    rng = stream(4, "test", "disguise")
    real, others, holdout = wide(400), wide(400, 1), wide(400, 2)
    places = Table(real.schema, real.codes, rng.permuted(real.numbers, axis=1))
    across = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    numbers = np.round(real.numbers @ across, 3)
    columns = replace(real, numbers=np.roll(real.numbers, 2, axis=1))  # as if turned, too
    for released, way, words in (
        (columns, "places", "In whatever order values of like columns"),
        (places, "places", "In whatever order values of like columns, or parts of a value, stand"),
        (Table(real.schema, real.codes, numbers), "turned", "turned into the same directions"),
    ):
        near = seen(of(real, shuffled(released), holdout), "near_copies")
        assert (near.state, near.figures["way"], near.figures["k_in"]) == (State.SHOWN, way, 400)
        assert words in sentence(near)
        assert "protects nobody" in repair(near)
    assert "near_copies" not in {entry.code for entry in look_at(real, others, holdout)}


def placed(n: int, seed: int) -> Table:
    """Rows of four categories, a place on a map and three coarse numbers."""
    rng, few = stream(seed, "test", "placed"), narrow(n, seed, (9, 8, 7, 6))
    numbers = np.column_stack([rng.standard_normal((n, 2)).round(5), np.round(2 * rng.standard_normal((n, 3))) / 2])
    return Table(Schema((*few.schema.columns, *wide(1).schema.columns[:5])), few.codes, numbers)


@pytest.mark.parametrize(
    ("way", "words"),
    [("pair", "By two neighbouring columns"), ("numbers", "By the numbers"), ("categories", "By categories and days")],
)
def test_people_copied_in_some_columns_beside_values_of_nobody_are_shown(way: str, words: str) -> None:
    real, fresh, holdout = placed(400, 0), placed(400, 1), placed(400, 2)
    codes, numbers = fresh.codes.copy(), fresh.numbers.copy()
    if way == "categories":
        codes[:90] = real.codes[:90]
    else:
        columns = slice(2 if way == "pair" else 5)
        blurred = (0.004 if way == "pair" else 0.03) * stream(3, "test", "blur").standard_normal((90, 5))
        numbers[:90, columns] = (real.numbers[:90] + blurred)[:, columns]
    near = seen(of(real, shuffled(Table(real.schema, codes, numbers)), holdout), "near_copies")
    assert (near.state, near.figures["way"]) == (State.SHOWN, way)
    assert near.of_other_people().state is State.OPEN
    assert words in sentence(near)
    assert repair(near).startswith("Draw these columns anew, too")
    assert "near_copies" not in {entry.code for entry in look_at(real, fresh, holdout)}


def test_of_a_large_table_some_people_show_a_disguise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(give_aways, "ASKED", 100)
    real, holdout = wide(400), wide(300, 2)
    places = Table(real.schema, real.codes, stream(4, "test", "disguise").permuted(real.numbers, axis=1))
    near = seen(of(real, shuffled(places), holdout), "near_copies")
    assert (near.figures["k_in"], near.figures["n_in"], near.figures["n_out"]) == (100, 100, 100)
    persons = Persons("person", np.arange(400) // 2, np.arange(300) // 2 + 200)
    tables = replace(of(real, shuffled(places), holdout), persons=persons)
    assert seen(tables, "near_copies").figures["k_in"] == len(np.unique(near_people(persons.real)))


def near_people(people: Ints) -> Ints:
    """The people of the rows that are asked about, by the stream from which they are drawn."""
    rows = np.sort(stream(give_aways.SEED, "give-aways", "near copies").permutation(len(people))[:100])
    return people[rows]


@pytest.mark.parametrize("spelled", ["P{:06d}", "{}", "{}-x"])
@pytest.mark.parametrize("is_shuffled", [False, True])
def test_identifiers_that_number_released_rows_as_the_real_table_has_them_are_shown(
    spelled: str, is_shuffled: bool
) -> None:
    """Half of each number is a person's own; rows are shuffled, and the identifier is their line, or that of a key."""
    real, holdout, noise = wide(400), wide(400, 1), wide(400, 2)
    half = Table(real.schema, real.codes, np.round((real.numbers + noise.numbers) / 2, 3))
    keys = stream(4, "test", "keys").permutation(400) if is_shuffled else np.arange(400)
    lines = np.random.default_rng(9).permutation(400)
    texts = {
        "real": [f"R{7 * key:05d}" for key in keys],
        "synthetic": [spelled.format(keys[line]) for line in lines],
    }
    for release, state in ((half, State.SHOWN), (wide(400, 3), State.NOT_SHOWN)):
        tables = replace(of(real, release.rows(lines), holdout), identifiers={"id": texts})
        entries = {entry.code: entry for entry in look(tables)}
        give_away = entries["identifiers"]
        assert give_away.state is state
        assert ("Sorted by" in sentence(give_away)) == (state is State.SHOWN)
        assert entries["row_order"].state is State.NOT_SHOWN
    if is_shuffled:  # the file is sorted by the identifier, and the real one is not
        by_key = np.argsort(keys)
        ordered = {**texts, "synthetic": [spelled.format(key) for key in range(400)]}
        give_away = seen(replace(of(real, half.rows(by_key), holdout), identifiers={"id": ordered}), "identifiers")
        assert "Sorted by" in sentence(give_away)
    texts["synthetic"] = [spelled.format(number) for number in range(400)]
    tables = replace(of(real, half.rows(lines), holdout), identifiers={"id": texts})
    assert seen(tables, "identifiers").state is State.NOT_SHOWN, "numbered anew after the shuffle"


def test_lines_are_sorted_by_the_numbers_in_identifiers() -> None:
    assert sort_lines(["P10-b", "P9", "P10-a", "", "7", "Q1"]).tolist() == [3, 4, 1, 2, 0, 5]


def test_rows_in_the_reverse_order_are_shown_and_rows_sorted_the_other_way_are_not() -> None:
    rng = stream(5, "test", "reverse")
    real, others, holdout = wide(400), wide(400, 1), wide(400, 2)
    numbers = np.hstack([real.numbers[::-1, :2] + 0.3 * rng.standard_normal((400, 2)), others.numbers[:, 2:]])
    order = seen(of(real, Table(real.schema, real.codes, numbers), holdout), "row_order")
    assert order.state is State.SHOWN
    assert "Read from its end" in sentence(order)
    assert repair(order) == "Shuffle the rows of the release."
    up, down = (table.rows(np.argsort(sign * table.numbers[:, 0])) for table, sign in ((real, 1), (others, -1)))
    assert seen(of(up, down, holdout.rows(np.argsort(holdout.numbers[:, 0]))), "row_order").state is State.NOT_SHOWN


def rough(real: Table, seed: int) -> Table:
    """A model's rows of these people, in their order: four numbers blurred, two those of nobody."""
    rng = stream(seed, "test", "rough")
    numbers = np.hstack(
        [real.numbers[:, :4] + 0.3 * rng.standard_normal((len(real), 4)), wide(len(real), 8).numbers[:, 4:]]
    )
    return Table(real.schema, real.codes, np.round(numbers, 2))


@pytest.mark.parametrize("way", ["left out", "put before", "put between", "twice", "halves", "turned"])
def test_rows_that_follow_each_other_as_real_ones_are_open_wherever_they_stand(way: str) -> None:
    real, holdout = wide(400), wide(400, 2)
    lines = {
        "left out": np.flatnonzero(np.arange(400) % 19 > 0),
        "put before": np.roll(np.arange(400), 90),
        "put between": np.repeat(np.arange(400), np.arange(400) % 2 + 1),
        "twice": np.repeat(np.arange(400), 2),
        "halves": np.arange(400).reshape(2, 200).T.ravel(),
        "turned": np.roll(np.arange(400), 90)[::-1],
    }[way]
    for own, state in ((real, State.OPEN), (wide(400, 5), State.NOT_SHOWN)):
        order = seen(of(real, rough(own.rows(lines), 6), holdout), "row_order")
        assert order.state is state
        assert ("follow each other" in sentence(order)) == (state is State.OPEN and order.figures["kind"] == "follow")
        assert bool(repair(order)) == (state is State.OPEN)


@pytest.mark.parametrize("make", [wide, heavy])
def test_strangers_do_not_follow_each_other_as_real_people_do(make: Callable[[int, int], Table]) -> None:
    assert not any(
        follow_of(make(150, 3 * seed), make(200, 3 * seed + 1), stream(seed, "test"), make(150, 3 * seed + 2))
        for seed in range(60)
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_rows_sorted_by_a_column_that_kept_their_order_in_it_are_shown(sign: int) -> None:
    wards = stream(6, "test", "wards").integers(0, 5, 400).astype(float)
    real, others, holdout = (
        Table(own.schema, own.codes, np.column_stack([own.numbers[:, :5], wards[::step]]))
        for own, step in ((wide(400), 1), (wide(400, 1), 1), (wide(400, 2), -1))
    )
    for own, state in ((real, State.SHOWN), (others, State.NOT_SHOWN)):
        by_ward = np.argsort(sign * wards, kind="stable")
        blurred = rough(own, 6)
        release = Table(own.schema, own.codes, np.column_stack([blurred.numbers[:, :5], wards])).rows(by_ward)
        order = seen(of(real, release, holdout), "row_order")
        assert order.state is state
        assert ("Sorted by" in sentence(order)) == (state is State.SHOWN)
        assert not brief(order)


def test_near_copies_are_not_looked_for_where_copies_are_shown() -> None:
    real = wide(400)
    every = look_at(real, shuffled(real), wide(400, 1))
    assert "copies" in {entry.code for entry in every if entry.state is State.SHOWN}
    assert "near_copies" not in {entry.code for entry in every}


# --------------------------------------------------------------------------------------------------------------
# Copies


def test_copies_of_rich_rows_are_shown_however_small_the_holdout_is() -> None:
    """Forty of 400 people are copied and 30 were not in: that none of these has a copy may be luck, the copies not."""
    real, holdout, others = wide(400), wide(30, 1), wide(400, 2)
    release = shuffled(joined(Table(real.schema, real.codes[:40], real.numbers[:40]), others))
    copied = seen(of(real, release, holdout), "copies")
    assert (copied.state, copied.figures["rows"]) == (State.SHOWN, 40)
    assert "chance would make 6 at most" in sentence(copied)
    assert "chance would make fewer than 10 at most" in sentence(
        copied, lambda people: str(FEW) if people < 10 else "40"
    )
    assert seen(of(real, others, holdout), "copies").state is State.NOT_SHOWN
    real, holdout, others = narrow(400, 1), narrow(30, 2), narrow(400, 3)  # rows that many people have
    assert seen(of(real, others, holdout), "copies").state is State.NOT_SHOWN


def test_without_a_release_there_is_nothing_to_look_at() -> None:
    assert look(of(wide(100), None)) == ()


def test_a_release_that_is_the_real_table_gives_everybody_away() -> None:
    """KA: every member is copied and nobody else, in the order of the real table."""
    real, holdout = wide(400, 1), wide(300, 2)
    noticed = look(of(real, real, holdout))
    assert [(entry.code, entry.state) for entry in noticed] == [
        ("row_order", State.SHOWN),
        ("copies", State.SHOWN),
        ("values", State.SHOWN),
    ]
    excess = noticed[1].estimate
    assert excess is not None
    assert (excess.value, excess.high) == (1.0, 1.0)
    assert excess.low > 0.95
    again = look(of(real, shuffled(real), holdout))
    assert [entry.state for entry in again] == [State.NOT_SHOWN, State.SHOWN, State.SHOWN]


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_so_many_rows_copied_are_counted_as_so_many(share: float) -> None:
    """Of 1,000 members 50, 300 or 700 stand in the release."""
    real, others, holdout = wide(1000, 1), wide(1000, 2), wide(800, 3)
    many = round(1000 * share)
    release = shuffled(joined(real.rows(np.arange(many)), others.rows(np.arange(1000 - many))))
    copied = seen(of(real, release, holdout), "copies")
    assert copied.state is State.SHOWN
    assert (copied.figures["k_in"], copied.figures["n_in"]) == (many, 1000)
    assert (copied.figures["k_out"], copied.figures["n_out"], copied.figures["rows"]) == (0, 800, many)
    assert copied.estimate is not None
    assert copied.estimate.value == pytest.approx(share)
    assert copied.estimate.low < share < copied.estimate.high
    assert f"{round(100 * share)} % of the different people in the real table" in sentence(copied)
    assert "copies people" in sentence(copied)


def test_a_bootstrap_copies_as_many_as_the_law_of_drawing_says() -> None:
    """Rows drawn with replacement: (1 - 1/n)^n of the members are never drawn, so 63.2 % are copied."""
    n = 800
    real, holdout = wide(n, 1), wide(n, 2)
    release = real.rows(np.random.default_rng(5).integers(n, size=n))
    copied = seen(of(real, release, holdout), "copies")
    expected = 1 - (1 - 1 / n) ** n
    assert copied.state is State.SHOWN
    assert copied.figures["k_in"] == len(np.unique(release.keys()))
    assert copied.estimate is not None
    assert copied.estimate.low < expected < copied.estimate.high
    assert copied.estimate.value == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / n))


def test_a_fresh_release_copies_nobody() -> None:
    copied = seen(of(wide(500, 1), wide(500, 2), wide(500, 3)), "copies")
    assert copied.state is State.NOT_SHOWN
    assert sentence(copied) == "No row of the real table stands in the release as it is."
    assert repair(copied) == ""


def mirrored(table: Table) -> Table:
    """The same people, every second number with its sign turned and every other one moved."""
    return Table(table.schema, table.codes, table.numbers * np.tile([-1, 1], 3) + np.tile([0, 0.5], 3))


def test_copies_whose_numbers_are_mirrored_or_moved_are_shown() -> None:
    real, others, holdout = wide(300, 1), wide(300, 2), wide(250, 3)
    release = shuffled(joined(real.rows(np.arange(150)), others.rows(np.arange(150))))
    copied = seen(of(real, mirrored(release), holdout), "recoded_copies")
    assert (copied.state, copied.figures["k_out"]) == (State.SHOWN, 0)
    assert copied.figures["k_in"] == pytest.approx(150, abs=5)
    assert sentence(copied).startswith("Renumbered in the way that fits best, the release holds 1")
    assert sentence(copied).endswith("The release copies people.")


def test_renumbered_copies_are_said_only_where_they_add_something() -> None:
    """Copies as they are written say it already; and of other people there is nothing to say, but of asked columns."""
    real, others, holdout = wide(300, 1), wide(300, 2), wide(250, 3)
    for release in (shuffled(real), others, mirrored(others)):
        noticed = look(of(real, release, holdout))
        assert "recoded_copies" not in {entry.code for entry in noticed}
    asked = replace(of(real, mirrored(others), holdout), apart=(ColumnOverlap("x1", 1.0, "line_apart"),))
    assert seen(asked, "recoded_copies").state is State.NOT_SHOWN


Maker = Callable[[int], Tables]


def three(seed: int, sizes: tuple[int, int, int] = (300, 300, 200), levels: tuple[int, ...] = (12, 8, 6)) -> Tables:
    """Three files of one population of alike people; the release knows nothing of the real table."""
    every = narrow(sum(sizes), seed, levels)
    ends = np.cumsum(sizes)
    return of(*(every.rows(np.arange(end - size, end)) for size, end in zip(sizes, ends, strict=True)))


def larger(seed: int) -> Tables:
    """A real table five times as large as the holdout: its records of several rows are the common ones."""
    return three(seed, (1000, 300, 200))


def repeated(seed: int) -> Tables:
    """A real table in which rows stand again and again, as visits of the same people do."""
    tables = three(seed)
    assert tables.synthetic is not None
    return of(joined(tables.real, tables.real.rows(np.arange(0, 300, 2))), tables.synthetic, tables.holdout)


def overlapping(seed: int) -> Tables:
    """A holdout half of which are rows of the real table."""
    tables = three(seed)
    assert tables.holdout is not None
    return of(tables.real, tables.synthetic, joined(tables.holdout, tables.real.rows(np.arange(200))))


def of_equal_rows(seed: int) -> Tables:
    """Twelve different rows there can be; every file is full of them."""
    return three(seed, levels=(3, 2, 2))


def shown(make: Maker, audits: int) -> int:
    """In how many audits copies are shown."""
    return sum(seen(make(seed), "copies").state is State.SHOWN for seed in range(audits))


def test_a_release_that_was_made_from_the_holdout_says_that_the_files_may_be_swapped() -> None:
    """Half of its rows are of the holdout, or all of its values are: no question may call that within a limit."""
    real, holdout = wide(300, 1), wide(300, 2)
    copied = joined(holdout.rows(np.arange(150)), wide(150, 3))
    rng = np.random.default_rng(1)
    values = replace(holdout, numbers=np.column_stack([rng.permutation(column) for column in holdout.numbers.T]))
    for code, release in (("copies", copied), ("values", values)):
        there, back = (seen(of(first, release, second), code) for first, second in ((real, holdout), (holdout, real)))
        assert (there.state, there.is_swapped) == (State.OPEN, True)
        assert sentence(there).endswith("The real table and the holdout may be swapped.")
        assert repair(there) == "If they are swapped, load them the other way round."
        assert (back.state, back.is_swapped) == (State.SHOWN, False)
    assert not any(each.is_swapped for each in look_at(real, wide(300, 4), holdout))


@pytest.mark.usefixtures("_only_copies")
@pytest.mark.parametrize("make", [three, larger, overlapping, of_equal_rows])
def test_copies_that_are_chance_are_hardly_ever_shown(make: Maker) -> None:
    """30 audits without a leak: more than two with one happen once in a thousand times."""
    assert stats.binom.sf(2, 30, BOUND) < 0.003
    assert shown(make, 30) <= 2
    assert seen(make(0), "copies").figures["rows"] > 30, "there are copies to be taken for a leak"


@pytest.mark.slow
@pytest.mark.parametrize("make", [three, larger, repeated, overlapping, of_equal_rows])
def test_copies_that_are_chance_are_shown_no_oftener_than_they_may(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(give_aways, "order_of", lambda *_: None)
    monkeypatch.setattr(give_aways, "count_recoded", lambda *_: None)
    assert shown(make, 600) <= stats.binom.ppf(0.999, 600, BOUND)


def test_rows_that_stand_again_and_again_are_one_record() -> None:
    """Visits of the same people: 20 copied of 100 are 20, whether each stands once or five times."""
    people, others, holdout = wide(100, 1), wide(100, 2), wide(100, 3)
    release = joined(people.rows(np.arange(20)), others)
    once, often = (seen(of(joined(*[people] * times), release, holdout), "copies") for times in (1, 5))
    assert once.figures["k_in"] == 20
    assert often.figures["rows"] == 100
    assert often.figures["n_in"] <= 100
    assert often.figures["k_in"] <= 20


def test_one_copy_is_in_doubt_however_often_it_stands_there() -> None:
    """A release of one real row alone, or of one among many others, says as little of other people as one copy."""
    real, holdout, others = wide(400), wide(400, 1), wide(400, 2)
    again = np.zeros(200, dtype=np.int64)
    for copied in (real.rows(again[:1]), real.rows(again[:2]), real.rows(again)):
        few = seen(of(real, shuffled(joined(copied, others)), holdout), "copies")
        assert (few.state, few.figures.get("is_few")) == (State.OPEN, True), len(copied)
    assert seen(of(real, real.rows(again), holdout), "copies").state is State.OPEN
    invented = shuffled(joined(others.rows(again), others))
    assert seen(of(real, invented, holdout), "copies").state is State.NOT_SHOWN, "nobody's row, again and again"


def test_a_release_of_rows_that_the_holdout_has_too_copies_nobody() -> None:
    both, own, others = wide(150, 1), wide(150, 2), wide(150, 3)
    copied = seen(of(joined(both, own), shuffled(both), joined(both, others)), "copies")
    assert (copied.figures["k_in"], copied.figures["n_in"], copied.figures["rows"]) == (0, 150, 150)
    assert copied.state is State.NOT_SHOWN
    assert sentence(copied) == (
        "150 rows of the real table stand in the release as they are; each of them is a row of the holdout too."
    )


def test_without_a_holdout_copies_are_shown_where_chance_makes_none() -> None:
    """No two of 300 people are alike in either file: chance makes 6 copies at most, and 300 stand there."""
    real = wide(300, 1)
    shown_ = seen(of(real, shuffled(real)), "copies")
    assert (shown_.state, shown_.estimate, shown_.figures["most"]) == (State.SHOWN, None, 6)
    assert sentence(shown_).endswith("chance would make 6 at most. The release copies people.")
    few = seen(of(real, joined(real.rows(np.arange(6)), wide(294, 2))), "copies")
    assert (few.state, few.estimate) == (State.OPEN, None)
    assert sentence(few).endswith("Whether that is more than chance cannot be said without a holdout.")
    assert repair(few)
    assert seen(of(real, wide(300, 2)), "copies").state is State.NOT_SHOWN


def test_a_few_copies_that_are_hardly_chance_are_not_cleared() -> None:
    """Fisher's test shows 9 of 300 copied people; chance, where no two are alike, makes 6 at most, and hardly one."""
    real, others = wide(300, 1), wide(300, 3)

    def copied(rows: int) -> GiveAway:
        return seen(of(real, shuffled(joined(real.rows(np.arange(rows)), wide(300 - rows, 2))), others), "copies")

    assert copied(0).state is State.NOT_SHOWN
    for rows in (1, 6):
        few = copied(rows)
        assert (few.state, few.is_swapped, bool(repair(few))) == (State.OPEN, False, True)
        assert sentence(few).endswith("so few do not prove it.")
    assert copied(7).state is State.SHOWN
    in_both = of(real, joined(real.rows(np.arange(3)), others.rows([0]), wide(296, 2)), others)
    assert seen(in_both, "copies").state is State.NOT_SHOWN, "one of the holdout stands there too"


def honest(levels: int, columns: int) -> Maker:
    """Three files of one population of categories, of which rows are alike as often as there are few of them."""

    def make(seed: int) -> Tables:
        rng = np.random.default_rng([seed, levels, columns])
        shares = rng.dirichlet(np.ones(levels), columns)
        schema = Schema(
            tuple(
                Column(str(place), Kind.CATEGORICAL, levels=tuple(map(str, range(levels)))) for place in range(columns)
            )
        )
        rows = [
            np.column_stack([rng.choice(levels, 200, p=share) for share in shares]).astype(np.int32) for _ in range(3)
        ]
        return of(*(Table(schema, codes, np.empty((200, 0))) for codes in rows))

    return make


@pytest.mark.usefixtures("_only_copies")
@pytest.mark.parametrize(("levels", "columns"), [(8, 6), (8, 7), (10, 7), (30, 4), (100, 3)])
def test_copies_of_chance_are_hardly_ever_in_doubt(levels: int, columns: int) -> None:
    """From three copies a release to one in four of them: at most 3 of 40 such audits are left open, and none shown."""
    states = [seen(honest(levels, columns)(seed), "copies").state for seed in range(40)]
    assert State.SHOWN not in states
    assert states.count(State.OPEN) <= 3


def only(tables: Tables) -> Tables:
    """Without the holdout."""
    return of(tables.real, tables.synthetic)


def modes(seed: int) -> Tables:
    """A release that knows nobody and holds what is usual alone."""
    return of(narrow(600, seed), narrow(600, seed + 5_000, (4, 3, 2)))


def different(seed: int) -> Tables:
    """Both files without equal rows, as some are made."""
    return of(
        *(
            table.rows(np.unique(table.keys(), return_index=True)[1])
            for table in (narrow(800, seed), narrow(800, seed + 5_000))
        )
    )


@pytest.mark.usefixtures("_only_copies")
@pytest.mark.parametrize("make", [lambda seed: only(three(seed)), lambda seed: only(larger(seed)), modes, different])
def test_without_a_holdout_copies_that_are_chance_are_not_shown(make: Maker) -> None:
    """Each is wrong in 3 of 1,000 audits at most: two of 30 happen in fewer than 4 of 1,000 such tests."""
    assert seen(make(0), "copies").figures["rows"] > 30, "there are copies to be taken for a leak"
    assert shown(make, 30) <= 1


def test_a_table_of_few_combinations_has_an_answer_in_every_audit() -> None:
    """Nearly everybody who was not in has a row of the real table: that a row stands in the release tells of nobody."""

    def few(seed: int) -> Tables:
        return three(seed, (500, 500, 500), levels=(4, 4, 3))

    answers = [seen(few(seed), "copies") for seed in range(12)]
    assert {answer.state for answer in answers} == {State.NOT_SHOWN}
    unsure = [answer for answer in answers if answer.estimate is None and answer.figures["alone"]]
    assert unsure, "once these were open, and barred every limit"
    assert all("say of nobody that they are in the data" in sentence(answer) for answer in unsure)


def test_copies_beside_few_others_are_shown_by_the_exact_test() -> None:
    """Forty people of a table alone are copied and none of four others: one way in 135,751 to deal that out."""
    both = wide(300, 1)
    real, holdout = joined(both, wide(40, 2)), joined(both, wide(4, 3))
    release = joined(both, wide(40, 2).rows(np.arange(40)))
    copied = seen(of(real, shuffled(release), holdout), "copies")
    assert (copied.figures["k_in"], copied.figures["k_out"], copied.figures["n_out"]) == (40, 0, 4)
    assert copied.state is State.SHOWN


def test_a_holdout_that_is_there_is_not_asked_for() -> None:
    """Planted: every record of both tables is one of twelve, so nobody is left to compare."""
    tables = of_equal_rows(1)
    copied = seen(tables, "copies")
    assert copied.figures["n_in"] < copies.FEWEST
    assert copied.state is State.NOT_SHOWN
    assert copied.figures["rows"] == 300
    assert "each of them is a row of the holdout too" in sentence(copied)
    few = seen(of(wide(300, 1), joined(wide(6, 1), wide(280, 4)), wide(3, 2)), "copies")
    assert (few.state, few.estimate) == (State.OPEN, None)
    assert sentence(few).endswith(
        "Too few people are in only one of the two tables to tell whether that is more than chance."
    )
    for give_away in (copied, few):
        assert "without a holdout" not in sentence(give_away)


# --------------------------------------------------------------------------------------------------------------
# Planted faults: each makes one of the tests above fail


def test_the_fault_of_one_look_too_many_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the level of one look a p-value of 2 % shows copies; at that of three it does not."""
    real, holdout = wide(100, 1), wide(100, 2)
    release = joined(real.rows(np.arange(6)), wide(200, 3))
    assert copies.chance_of_copies(6, 100, 0, 100) == pytest.approx(0.0145, abs=1e-3)
    assert seen(of(real, release, holdout), "copies").state is State.OPEN
    monkeypatch.setattr(give_aways, "level_of_each", lambda level, looks: level)
    assert seen(of(real, release, holdout), "copies").state is State.SHOWN


def test_the_fault_of_taking_every_copy_for_a_leak_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "is_more", lambda k_in, n_in, k_out, n_out, **_: k_in / n_in > k_out / n_out)
    assert shown(three, 10) > 2


def test_the_fault_of_looking_at_distances_in_any_order_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stands out among the lines around it: the order of the real table is taken for a common one."""
    monkeypatch.setattr(order, "_peak", lambda *_: (0.0, 0.0))
    real = wide(400, 1)
    assert seen(of(real, real, wide(300, 2)), "row_order").state is State.OPEN


# --------------------------------------------------------------------------------------------------------------
# The order of rows


def test_the_order_of_rows_is_shown_open_or_not() -> None:
    real, other = wide(400, 1), wide(400, 2)
    by_first = [table.rows(np.argsort(table.numbers[:, 0], kind="stable")) for table in (real, other)]
    noisy = Table(real.schema, real.codes, real.numbers + 0.3 * other.numbers)
    cases = {
        State.SHOWN: (real, noisy),
        State.NOT_SHOWN: (real, shuffled(noisy)),
        State.OPEN: (by_first[0], by_first[1]),
        State.TOO_SMALL: (real.rows(np.arange(60)), real.rows(np.arange(60))),
    }
    for state, (own, release) in cases.items():
        order = seen(of(own, release), "row_order")
        assert order.state is state
        assert bool(repair(order)) == (state in (State.SHOWN, State.OPEN))
        assert sentence(order)


# --------------------------------------------------------------------------------------------------------------
# Identifiers, and all of them together


def test_identifiers_of_real_people_are_shown_by_column() -> None:
    rng = np.random.default_rng(3)
    numbers = [str(number) for number in rng.choice(900_000, 600, replace=False) + 100_000]

    def columns(ids: list[str]) -> dict[str, list[str]]:
        age = [str(value) for value in rng.integers(20, 80, len(ids))]
        return {"age": age, "ward": [f"w{value}" for value in rng.integers(0, 6, len(ids))], "id": ids}

    carried = loaded(columns(numbers[:300]), columns(numbers[:150] + numbers[300:450]))
    noticed = look(carried)
    assert [entry.code for entry in noticed] == ["row_order", "copies", "identifiers"]
    identifiers = noticed[2]
    assert identifiers.state is State.SHOWN
    assert "150 are those of real people" in sentence(identifiers)
    anew = seen(loaded(columns(numbers[:300]), columns(numbers[300:])), "identifiers")
    assert anew.state is State.NOT_SHOWN
    assert sentence(anew).endswith("That is not shown to be more than chance.")


def test_the_same_files_give_the_same_figures_again() -> None:
    tables = larger(3)
    first, second = look(tables), look(tables)
    assert json.dumps([asdict(entry) for entry in first]) == json.dumps([asdict(entry) for entry in second])
