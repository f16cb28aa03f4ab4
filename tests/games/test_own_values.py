"""Values that one person alone has, in a release: counted by hand, found where planted, and no oftener than chance."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from riskkit.audit import give_aways
from riskkit.audit.give_aways import LOOKS
from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.games.own_values import own_values, read_near
from riskkit.judging.give_aways import GiveAway, State, sentence
from riskkit.seeds import stream
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons

LEVEL = 1 - (1 - 0.95) / LOOKS
AUDITS = 40
"""Ten times as many where tests may be slow."""


def table(*columns: npt.ArrayLike) -> Table:
    """Rows of numbers, each column under one schema whatever it holds."""
    names = tuple(Column(f"x{place}", Kind.NUMERIC, low=-1e6, high=1e6, mean=0, sd=1) for place in range(len(columns)))
    numbers = np.column_stack(columns).astype(np.float64)
    return Table(Schema(names), np.empty((len(numbers), 0)), numbers)


def give_away(real: Table, release: Table, holdout: Table, persons: Persons | None = None) -> GiveAway:
    """As an audit of one release and no text sees it, without what else it looks at."""
    files = Tables(real, release, holdout, real.schema, (), (), persons=persons)
    return give_aways._values("values", *give_aways._own_values(files, release, holdout, LEVEL))


def state(real: Table, release: Table, holdout: Table) -> State:
    return give_away(real, release, holdout).state


def drawn(source: Table, rows: int, rng: np.random.Generator) -> Table:
    """Each column drawn anew from the values of the source, so that no row is copied."""
    return table(*(rng.choice(column, rows) for column in source.numbers.T))


# --------------------------------------------------------------------------------------------------------------
# Calibration: nobody's values are in the release but by chance


def hours(rows: int, rng: np.random.Generator) -> Table:
    """Heaped, coarse and fine numbers of one population."""
    heaped = np.round(rng.normal(40, 12, rows) / 5) * 5 + (rng.random(rows) < 0.4) * rng.integers(-4, 5, rows)
    return table(heaped, np.round(rng.lognormal(6, 1, rows)), np.round(rng.normal(size=rows), 2))


def honest(audit: int) -> tuple[Table, Table, Table]:
    """Three groups of one population, the holdout a third, as large or three times as large as the real table."""
    rng = stream(audit, "test", "own values")
    rows = int(rng.choice([40, 120, 360]))
    real, other, holdout = hours(120, rng), hours(200, rng), hours(rows, rng)
    return real, (other if audit % 2 else drawn(other, 300, rng)), holdout


def rounded(audit: int) -> tuple[Table, Table, Table]:
    """The holdout is written with other decimals than the real table and the release: no chance, and nobody's leak."""
    rng = stream(audit, "test", "rounded")
    real, other, holdout = (table(np.round(rng.normal(28, 5, 400), 1), rng.integers(0, 60, 400)) for _ in range(3))
    shift = rng.normal(0, 0.003, 400) if audit % 2 else np.round(holdout.numbers[:, 0] * 2) / 2 - holdout.numbers[:, 0]
    return real, other, table(holdout.numbers[:, 0] + shift, holdout.numbers[:, 1])


def of_the_holdout(audit: int) -> tuple[Table, Table, Table]:
    """The release is made of people who were not in."""
    real, _, holdout = honest(audit)
    return real, drawn(holdout, 300, stream(audit, "test", "of the holdout")), holdout


def most_by_chance(audits: int, level: float) -> int:
    """Audits of so many that are shown in one of a thousand series at most, each with half of what a level leaves."""
    return int(stats.binom.isf(0.001, audits, (1 - level) / 2))


DEALS = (honest, rounded, of_the_holdout)


@pytest.mark.parametrize("rows", [40, 120, 360])
def test_values_of_members_are_shown_whatever_the_sizes(rows: int) -> None:
    """Each column is drawn anew from members: shown in nearly every audit, and no row is a copy."""
    shown = 0
    for audit in range(10):
        rng = stream(audit, "test", "of members")
        real, holdout = hours(120, rng), hours(rows, rng)
        shown += state(real, drawn(real, 120, rng), holdout) is State.SHOWN
    assert shown >= 9


# --------------------------------------------------------------------------------------------------------------
# Numbers that are nearly those of people


def near_state(real: Table, release: Table, holdout: Table) -> State:
    """The state once released numbers are read as those they nearly are, whatever values as written show."""
    return state(real, read_near(real, release, holdout, np.random.default_rng(0)), holdout)


@pytest.mark.parametrize("deal", DEALS)
@pytest.mark.parametrize("look", [state, near_state])
@pytest.mark.parametrize("audits", [range(AUDITS), pytest.param(range(1000, 1400), marks=pytest.mark.slow)])
def test_honest_tables_are_shown_no_oftener_than_the_level_allows(
    deal: Callable[[int], tuple[Table, Table, Table]], look: Callable[[Table, Table, Table], State], audits: range
) -> None:
    shown = sum(look(*deal(audit)) is State.SHOWN for audit in audits)
    assert shown <= most_by_chance(len(audits), LEVEL)


def fine(rows: int, rng: np.random.Generator) -> Table:
    """Numbers that hardly two people share, beside some that many do."""
    return table(np.round(rng.lognormal(10, 0.5, rows), 2), rng.integers(0, 30, rows))


CHANGES: dict[str, Callable[[Floats], Floats]] = {
    "moved": lambda values: np.round(values + 137.5, 2),
    "scaled": lambda values: np.round(values * 1.03, 2),
    "moved and scaled": lambda values: np.round(1.19 * values + 4.9, 2),
    "a twelfth": lambda values: np.round(values / 12, 2),
    "mirrored": lambda values: np.round(90_000 - values, 2),
    "rounded": np.round,
    "cut off": np.floor,
    "blurred": lambda values: np.round(values + stream(4, "test", "blur").uniform(-2, 2, len(values)), 2),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_numbers_of_members_are_seen_however_one_number_changes_them(how: str, share: float) -> None:
    """One column is that of the real people, moved, scaled or rounded; all else is made anew."""
    rng = stream(1, "test", "near")
    real, holdout, other = (fine(400, rng) for _ in range(3))
    many = int(share * 400)
    reused = np.concatenate([CHANGES[how](real.numbers[:many, 0]), other.numbers[many:, 0]])
    release = table(rng.permutation(reused), other.numbers[:, 1])
    assert near_state(real, release, holdout) is State.SHOWN
    if (
        share == 1.0
    ):  # the whole look at a file takes as long as ten of these, and half of the people are the harder case
        return
    entry = next(
        each
        for each in give_aways.give_aways_of(Tables(real, release, holdout, real.schema, (), ()))
        if each.code == "near_values"
    )
    assert entry.state is State.SHOWN
    assert "moved or scaled by one number" in sentence(entry).lower()


def test_numbers_of_members_are_seen_mirrored_and_scaled_at_once() -> None:
    rng = stream(3, "test", "near")
    real, holdout, other = (fine(400, rng) for _ in range(3))
    release = table(rng.permutation(np.round(90_000 - 1.3 * real.numbers[:, 0], 2)), other.numbers[:, 1])
    assert near_state(real, release, holdout) is State.SHOWN


def test_numbers_that_were_made_anew_or_blurred_widely_are_not_taken_for_those_of_people() -> None:
    rng = stream(2, "test", "near")
    real, holdout, other = (fine(400, rng) for _ in range(3))
    blurred = table(real.numbers[:, 0] * rng.lognormal(0, 0.2, 400), other.numbers[:, 1])
    assert {near_state(real, release, holdout) for release in (other, blurred)} == {State.NOT_SHOWN}
    codes = {each.code for each in give_aways.give_aways_of(Tables(real, other, holdout, real.schema, (), ()))}
    assert "near_values" not in codes


def test_the_numbers_of_few_values_stay_as_they_are() -> None:
    real, release, holdout = (table(np.arange(start, start + 40.0)) for start in (0, 0.01, 40))
    read = read_near(real, release, holdout, np.random.default_rng(0))
    assert read.numbers.tolist() == release.numbers.tolist()


# --------------------------------------------------------------------------------------------------------------
# Counted by hand

NAN = np.nan


def counts(real: Table, release: Table, holdout: Table, persons: Persons | None = None) -> tuple[list[int], ...]:
    own = own_values(real, release, holdout, np.random.default_rng(0), persons)
    return own.has.tolist(), own.released.tolist(), own.is_in.tolist()


def test_values_of_one_person_alone_are_counted_by_person() -> None:
    # x0: of members 1, 2, 2, 3, of others 3, 5, 6: alone are 1, 5 and 6; x1: 7, 8, 9, nothing; 9, 4, 0: 7, 8, 4, 0
    real = table([1, 2, 2, 3], [7, 8, 9, NAN])
    holdout = table([3, 5, 6], [9, 4, 0.0])
    release = table([1, 5, 9, 2], [7, 3, -0.0, NAN])
    assert counts(real, release, holdout) == ([2, 1, 2, 2], [2, 0, 1, 1], [True, True, False, False])


def test_a_person_with_several_rows_has_each_value_once_and_one_in_both_tables_is_left_out() -> None:
    real, holdout = table([1, 1, 2, 3, 4]), table([5, 4, 6])
    persons = Persons("who", np.array([0, 0, 0, 1, 2]), np.array([3, 2, 4]))
    # person 0 has 1 and 2 alone, 1 has 3, 2 stands in both tables, 3 has 5, 4 has 6
    assert counts(real, table([1, 5, 4]), holdout, persons) == ([2, 1, 1, 1], [1, 0, 1, 0], [True, True, False, False])


def test_categories_of_one_person_are_values_too() -> None:
    schema = Schema((Column("c", Kind.CATEGORICAL, levels=("a", "b", "c", "d")),))
    of = [
        Table(schema, np.array([["abcd".index(c)] for c in rows]), np.empty((len(rows), 0)))
        for rows in ("ab", "aa", "ac")
    ]
    assert counts(of[0], of[1], of[2]) == ([1, 1], [0, 0], [True, False])


def with_gaps(gone: npt.NDArray[np.bool_], rng: np.random.Generator) -> Table:
    """Numbers that many people share, with gaps in these cells."""
    return table(*np.where(gone, np.nan, rng.integers(0, 5, gone.shape)).T)


def test_gaps_left_where_they_were_are_values_of_people() -> None:
    rng = stream(3, "test", "gaps")
    gone = [rng.random((400, 10)) < 0.2 for _ in range(3)]
    real, holdout, anew = (with_gaps(cells, rng) for cells in gone)
    kept = with_gaps(rng.permutation(gone[0]), rng)
    assert state(real, kept, holdout) is State.SHOWN
    assert state(real, anew, holdout) is State.NOT_SHOWN


def test_without_a_holdout_and_of_few_people_nothing_is_compared() -> None:
    rng = np.random.default_rng(0)
    real = table(rng.normal(size=60))
    files = give_aways.look(Tables(real, real, None, real.schema, (), ()))
    assert "values" not in {each.code for each in files}
    few = give_away(real, real, table(rng.normal(size=4)))
    assert few.state is State.TOO_SMALL
    assert sentence(few) == "Too few people have a value that nobody else has, so such values were not compared."


def test_what_is_seen_is_said_in_words() -> None:
    real, holdout, other = (table(np.arange(start, start + 100)) for start in (0, 100, 200))
    mixed = table(np.concatenate([np.arange(60), np.arange(100, 120)]))
    shown, nothing, every = (give_away(real, release, holdout) for release in (mixed, other, table(np.arange(300))))
    assert shown.state is State.SHOWN
    assert sentence(shown).startswith(
        "Of the values that one real person alone has, 60 % stand in the release, of those that one person of the "
        "holdout alone has, 20 %. In 70 % ["
    )
    assert sentence(shown).endswith("(50 % is chance). The release is made of values of real people.")
    assert sentence(shown, lambda _: "fewer than 10").endswith(
        "with them. The release is made of values of real people."
    )
    assert (nothing.state, every.state) == (State.NOT_SHOWN, State.NOT_SHOWN)
    assert sentence(nothing) == "No value that one real person alone has stands in the release."
    assert sentence(every).startswith("All values that one person alone has stand in the release")


def test_a_column_that_is_written_unlike_is_left_out_and_said() -> None:
    seen = give_away(*rounded(0))
    assert seen.figures["left_out"] == 1
    assert sentence(seen).endswith("1 column was left out: the real table and the holdout write it in different ways.")
