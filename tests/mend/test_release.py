"""A mended release, counted by hand: the order, the columns, the bins, the rare levels, and the file read back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from riskkit.audit.give_aways import look
from riskkit.errors import ParameterError
from riskkit.mend.coarsening import Coarsening, bins, rare, strips
from riskkit.mend.release import Mended, Mending, mend, rows_without_copies, shuffle
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import TextTable

ROWS = 60
AGES = [20 + row % 30 for row in range(ROWS)]
JOBS = ["nurse"] * 40 + ["clerk"] * 17 + ["smith"] * 2 + ["judge"]
DAYS = [f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}" for row in range(ROWS)]


def file(columns: Mapping[str, Sequence[object]], name: str = "release.csv", delimiter: str = ",") -> TextTable:
    """A file of these columns."""
    rows = [delimiter.join(columns), *(delimiter.join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return read_file("\n".join(rows).encode(), name=name)


def tables(**columns: Sequence[object]) -> tuple[TextTable, Tables]:
    """A release of these columns beside a real file whose rows stand the other way round."""
    text = file(dict(columns))
    return text, load(file({name: values[::-1] for name, values in columns.items()}, "real.csv"), text)


def mended(*coarsen: str, shuffle: bool = False, drop: tuple[str, ...] = (), seed: int | None = 1) -> Mended:
    """The release of ages, jobs and days, mended."""
    text, loaded = tables(age=AGES, job=JOBS, day=DAYS)
    return mend(text, loaded, Mending(shuffle, drop, tuple(map(Coarsening.parse, coarsen))), seed=seed)


def column(done: Mended, name: str) -> list[str]:
    """The texts of a column."""
    values: list[str] = done.text.data.column(name).to_pylist()
    return values


# --------------------------------------------------------------------------------------------------------------
# The order of the rows


def rows_of(text: TextTable) -> list[tuple[str, ...]]:
    """Every row as its texts."""
    return list(zip(*(values.to_pylist() for values in text.data.columns), strict=True))


def test_a_shuffle_keeps_every_row_as_often_as_it_was_there() -> None:
    text, _ = tables(age=AGES, job=JOBS, day=DAYS)
    again = shuffle(text, 7)
    assert Counter(rows_of(again)) == Counter(rows_of(text))
    assert rows_of(again) != rows_of(text)


def test_a_shuffle_takes_a_fresh_seed_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = tables(age=AGES, job=JOBS, day=DAYS)
    assert rows_of(shuffle(text, 7)) == rows_of(shuffle(text, 7)) != rows_of(shuffle(text, 8))
    assert rows_of(shuffle(text)) != rows_of(shuffle(text))
    monkeypatch.setattr("secrets.randbits", lambda bits: 7 if bits >= 128 else 8)
    assert rows_of(shuffle(text)) == rows_of(shuffle(text, 7))


def test_every_order_of_three_rows_comes_about_equally_often() -> None:
    """A wrong shuffle (sorting by a random key drawn from two values, say) favours some orders; this one does not."""
    text = file({"x": ["1", "2", "3"], "y": ["4", "5", "6"]})
    seen = Counter(tuple(row[0] for row in rows_of(shuffle(text, seed))) for seed in range(1_200))
    assert len(seen) == 6
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 20.5  # chi-square, 5 degrees, p = 0.001


# --------------------------------------------------------------------------------------------------------------
# Copied rows


def copied(rows: int, *, every: int) -> bytes:
    """A release that copies every so many real rows, in another dialect than theirs."""
    lines = [f'"Mü;{row % 7}";{1000 + 3 * row},{5 if row % every else 0};' for row in range(rows)]
    return ("ort;betrag;leer\r\n" + "\r\n".join(lines)).encode("cp1252")


def real_of_copied(rows: int) -> bytes:
    """The real table of :func:`copied`."""
    return ("ort,betrag,leer\n" + "\n".join(f"Mü;{row % 7},{1000 + 3 * row}.0," for row in range(rows))).encode()


def test_copied_rows_are_removed_and_the_others_stay_as_they_are() -> None:
    real, text = read_file(real_of_copied(150), name="a.csv"), read_file(copied(150, every=3), name="b.csv")
    before = load(real, text)
    done = mend(text, before, Mending(copies=True), seed=1)
    left = [(f"Mü;{row % 7}", f"{1000 + 3 * row},5", "") for row in range(150) if row % 3]
    assert (done.removed, done.text.rows) == (50, 100)
    assert Counter(rows_of(done.text)) == Counter(left)
    assert rows_of(done.text) != left, "else they would still stand in the order of the real table"
    after = load(real, read_file(done.content, name="mended.csv"))
    (copies,) = [give_away for give_away in look(after) if give_away.code == "copies"]
    assert copies.figures["rows"] == 0
    assert [problem.code for problem in before.problems].count("verbatim_copies") == 1
    assert "verbatim_copies" not in [problem.code for problem in after.problems]


def test_rows_are_removed_before_columns_are_made_coarser() -> None:
    text = read_file(copied(150, every=3), name="release.csv")
    tables = load(read_file(real_of_copied(150), name="real.csv"), text)
    done = mend(text, tables, Mending(True, coarsen=(Coarsening("betrag", "bins", 4),), copies=True), seed=1)
    (effect,) = done.coarsened
    assert (done.removed, done.text.rows, effect.rows, effect.after) == (50, 100, 100, 4)


def test_a_release_of_copies_alone_is_refused() -> None:
    text = read_file(copied(150, every=2), name="release.csv")
    few = load(read_file(real_of_copied(150), name="real.csv"), text)
    assert len(rows_without_copies(few)) == 75
    whole = load(read_file(real_of_copied(80), name="real.csv"), read_file(real_of_copied(80), name="release.csv"))
    with pytest.raises(ParameterError, match="0 of 80 released rows are no copies"):
        rows_without_copies(whole)


# --------------------------------------------------------------------------------------------------------------
# Columns that go


def test_a_dropped_column_is_gone_and_the_release_is_audited_without_it() -> None:
    done = mended(drop=("job",))
    assert done.text.columns == ("age", "day")
    real = file({"age": AGES[::-1], "job": JOBS, "day": DAYS})
    again = load(real, read_file(done.content, name="mended.csv"))
    assert [model.name for model in again.schema.modelled] == ["age", "day"]
    (note,) = [problem for problem in again.problems if problem.code == "fewer_columns"]
    assert "job" in note.what
    assert note.count == 1


def test_not_every_column_can_go() -> None:
    with pytest.raises(ParameterError, match="No column would be left"):
        mended(drop=("age", "job", "day"))
    with pytest.raises(ParameterError, match="no column 'ward'"):
        mended(drop=("ward",))


# --------------------------------------------------------------------------------------------------------------
# Numbers and dates


def test_bins_of_equal_mass_by_hand() -> None:
    assert bins(np.arange(1.0, 11.0), 5).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert bins(np.array([1.0, 1, 1, 1, 2, 9]), 3).tolist() == [0, 0, 0, 0, 1, 1]  # equal values stay together


def test_strips_by_hand() -> None:
    assert strips(np.array([29.0, 30, 39, 40, -1]), 10).tolist() == [2, 3, 3, 4, -1]
    assert strips(np.array([0.1, 0.2, 0.3]), 0.1).tolist() == [1, 2, 3]  # 0.3 / 0.1 is 2.999...


def test_numbers_become_the_middle_one_of_their_bin() -> None:
    done = mended("age=bins:3")  # 20 to 49, each twice: 20-29, 30-39, 40-49
    assert sorted(set(column(done, "age"))) == ["24", "34", "44"]
    (effect,) = done.coarsened
    assert (effect.before, effect.after, effect.fewest, effect.changed, effect.rows) == (30, 3, 20, 54, 60)
    assert effect.moved == 3.0  # 1 1 2 2 3 3 4 4 5 a bin: the middle one of nine


def test_numbers_become_the_middle_of_their_strip() -> None:
    done = mended("age=width:10")
    assert sorted(set(column(done, "age"))) == ["25", "35", "45"]
    assert [text for text, age in zip(column(done, "age"), AGES, strict=True) if age == 39] == ["35", "35"]


def test_the_only_value_of_a_strip_is_not_left_as_it_was() -> None:
    ages = [*AGES[:-1], 103]
    text, loaded = tables(age=ages, job=JOBS)
    done = mend(text, loaded, Mending(coarsen=(Coarsening("age", "width", 10),)))
    assert column(done, "age")[-1] == "105"


def test_dates_become_the_middle_day_of_their_strip() -> None:
    done = mended("day=width:30")
    written = sorted(set(column(done, "day")))
    gaps = np.diff([np.datetime64(day).astype(int) for day in written])
    assert set(gaps.tolist()) == {30}


def test_missing_values_stay_missing() -> None:
    text, loaded = tables(age=["", *AGES[1:]], job=["", *JOBS[1:]])
    done = mend(text, loaded, Mending(coarsen=(Coarsening("age", "bins", 2), Coarsening("job", "rare", 5))))
    assert column(done, "age")[0] == column(done, "job")[0] == ""
    assert "" not in column(done, "age")[1:]


# --------------------------------------------------------------------------------------------------------------
# Categories


def test_rare_levels_become_one() -> None:
    done = mended("job=rare:3")  # smith 2 and judge 1 have 3 rows together
    assert Counter(column(done, "job")) == {"nurse": 40, "clerk": 17, "other": 3}
    (effect,) = done.coarsened
    assert (effect.before, effect.after, effect.changed, effect.fewest) == (4, 3, 3, 3)
    assert effect.moved is None


def test_a_pool_that_is_too_small_takes_the_next_level() -> None:
    assert rare(np.array([40, 17, 2, 1]), 5).tolist() == [1, 2, 3]  # 3 rows are fewer than 5: clerk too
    assert rare(np.array([40, 17, 9]), 5).tolist() == []
    assert rare(np.array([40, 0, 9]), 5).tolist() == []  # a level without rows is no rare one


def test_a_level_called_other_is_the_pool() -> None:
    jobs = ["Other" if job == "smith" else job for job in JOBS]
    text, loaded = tables(age=AGES, job=jobs)
    done = mend(text, loaded, Mending(coarsen=(Coarsening("job", "rare", 2),)))
    assert Counter(column(done, "job")) == {"nurse": 40, "clerk": 17, "Other": 3}


# --------------------------------------------------------------------------------------------------------------
# The file


@pytest.mark.parametrize("how", ["age=bins:4", "age=width:7", "day=width:30", "day=bins:3", "job=rare:3"])
def test_a_mended_file_is_read_back_under_the_same_schema(how: str) -> None:
    real = file({"age": AGES[::-1], "job": JOBS, "day": DAYS})
    before = load(real, file({"age": AGES, "job": JOBS, "day": DAYS}))
    after = load(real, read_file(mended(how, shuffle=True).content, name="mended.csv"))
    kinds = [
        [(model.name, model.kind, model.decimals, model.date_format) for model in t.schema.modelled]
        for t in (before, after)
    ]
    assert kinds[0] == kinds[1]
    assert not after.apart


def test_decimal_commas_are_read_back_as_the_same_numbers() -> None:
    pay = [f"{1000 + 3 * row},5" for row in range(ROWS)]
    text = file({"pay": pay, "job": JOBS}, delimiter=";")
    loaded = load(file({"pay": pay[::-1], "job": JOBS}, "real.csv", ";"), text)
    done = mend(text, loaded, Mending(coarsen=(Coarsening("pay", "width", 50),)))
    again = load(file({"pay": pay[::-1], "job": JOBS}, "real.csv", ";"), read_file(done.content, name="mended.csv"))
    assert again.synthetic is not None
    assert set(again.synthetic.numbers[:, 0]) == {1025.0, 1075.0, 1125.0, 1175.0}


def test_texts_come_back_as_they_are() -> None:
    """Commas, quotes, line ends and what a spreadsheet takes for a formula."""
    jobs = ['Craft, "repair"', "a\nb", "=1+1", " 07"] * 15
    text, loaded = tables(age=AGES, job=[f'"{job.replace(chr(34), chr(34) * 2)}"' for job in jobs])
    done = mend(text, loaded, Mending(shuffle=True), seed=3)
    assert Counter(read_file(done.content, name="m.csv").data.column("job").to_pylist()) == Counter(jobs)


# --------------------------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("age", "is written"),
        ("age=5", "is written"),
        ("age=halves:2", "made coarser by"),
        ("age=bins:x", "is written"),
        ("age=bins:1", "2 or more"),
        ("age=bins:2.5", "whole number"),
        ("age=width:0", "above 0"),
        ("age=width:nan", "above 0"),
        ("age=rare:3", r"bins:N or width:W"),
        ("job=bins:3", "rare:N"),
        ("ward=rare:3", "No column 'ward'"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        mended(text)


def test_nothing_and_twice_are_refused() -> None:
    with pytest.raises(ParameterError, match="Nothing is to be changed"):
        Mending()
    with pytest.raises(ParameterError, match="not both"):
        Mending(drop=("age",), coarsen=(Coarsening("age", "bins", 3),))


def test_a_shuffle_takes_the_order_of_the_rows_away(tmp_path: Path) -> None:
    """The row order of a release that has it is gone after a shuffle, and its rows are all there."""
    rng = np.random.default_rng(1)
    ages, pay = rng.integers(20, 81, 300).tolist(), rng.integers(0, 977, 300).tolist()
    real, copy = file({"age": ages, "pay": pay}), file({"age": [age + age % 2 for age in ages], "pay": pay})
    before = load(real, copy)
    assert before.synthetic is not None
    path = tmp_path / "mended.csv"
    path.write_bytes(mend(copy, before, Mending(shuffle=True), seed=1).content)
    after = load(real, read_file(path.read_bytes(), name="mended.csv"))
    orders = []
    for loaded in (before, after):
        (order,) = [give_away for give_away in look(loaded) if give_away.code == "row_order"]
        orders.append(order.figures["kind"])
    assert orders == ["row by row", "none"]
