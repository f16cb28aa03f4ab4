"""Tables from files and data frames: the same table, however it comes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import riskkit as rk
from riskkit.core import Kind, Role
from riskkit.errors import DesignError, InputError, ParameterError
from riskkit.generators.bayesnet import PLUGIN as BAYESNET
from tests.session.people import adult_like, people


def in_polars(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.from_pandas(frame).with_columns(pl.col("seen").cast(pl.Date))


WRITERS: dict[str, tuple[Callable[[pd.DataFrame], Any], Callable[[Any, Path], Any]]] = {
    "pandas": (lambda frame: frame, lambda frame, path: frame.to_csv(path, index=False)),
    "pandas of arrow": (
        lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
        lambda frame, path: frame.to_csv(path, index=False),
    ),
    "polars": (in_polars, lambda frame, path: frame.write_csv(path)),
}
"""How each library makes the frame, and writes its CSV."""


def same(first: rk.Tables, second: rk.Tables) -> None:
    assert first.schema == second.schema
    assert [problem.code for problem in first.problems] == [problem.code for problem in second.problems]
    for slot in ("real", "synthetic", "holdout"):
        ours, theirs = getattr(first, slot), getattr(second, slot)
        np.testing.assert_array_equal(ours.codes, theirs.codes)
        np.testing.assert_array_equal(ours.numbers, theirs.numbers)


@pytest.mark.parametrize("library", WRITERS)
def test_a_frame_and_the_csv_written_from_it_are_equal_tables(library: str, tmp_path: Path) -> None:
    make, write = WRITERS[library]
    frames = {slot: make(adult_like(seed=seed)) for seed, slot in enumerate(("real", "synthetic", "holdout"))}
    for slot, frame in frames.items():
        write(frame, tmp_path / f"{slot}.csv")
    files = {slot: tmp_path / f"{slot}.csv" for slot in frames}
    loaded = rk.load(**frames)
    same(loaded, rk.load(**files))
    same(loaded, rk.load(**{**files, "synthetic": frames["synthetic"]}))
    kinds = {column.name: column.kind for column in loaded.schema.columns}
    assert kinds == {
        "age": Kind.NUMERIC,
        "hours": Kind.NUMERIC,
        "gain": Kind.NUMERIC,
        "job": Kind.CATEGORICAL,
        "insured": Kind.CATEGORICAL,
        "seen": Kind.DATE,
        "kids": Kind.NUMERIC,
    }
    assert {column.name for column in loaded.schema.columns if column.has_missing} == {"hours", "job", "kids"}


def test_every_library_gives_the_same_numbers() -> None:
    """Only how yes and no, and midnight, are written differs between libraries."""
    frame = adult_like().drop(columns=["insured", "seen"])
    tables = [rk.load(frame), rk.load(pl.from_pandas(frame)), rk.load(pa.Table.from_pandas(frame))]
    for other in tables[1:]:
        np.testing.assert_array_equal(tables[0].real.codes, other.real.codes)
        np.testing.assert_array_equal(tables[0].real.numbers, other.real.numbers)


def test_what_is_no_number_is_missing_and_a_float_of_half_length_is_written_short() -> None:
    frame = pl.DataFrame({"a": [0.1, float("nan"), None] * 20, "b": ["x", "y", "z"] * 20})
    loaded = rk.load(frame.with_columns(pl.col("a").cast(pl.Float32)))
    assert loaded.schema.column("a").decimals == 1
    assert np.isnan(loaded.real.numbers[:, 0]).sum() == 40
    assert loaded.real.numbers[0, 0] == 0.1


def test_the_older_interchange_of_frames_is_read() -> None:
    class Old:
        def __init__(self, frame: pl.DataFrame) -> None:
            self.frame = frame

        def __dataframe__(self, **how: Any) -> Any:
            return pa.Table.from_pandas(self.frame).__dataframe__(**how)

    frame = adult_like()[["age", "gain"]]
    np.testing.assert_array_equal(rk.load(Old(frame)).real.numbers, rk.load(frame).real.numbers)


def test_an_index_with_a_name_is_a_column_and_row_numbers_are_not() -> None:
    frame = people()
    numbered = frame.set_index(pd.Index(range(1000, 1000 + len(frame))))
    named = frame.set_index("place")
    assert [column.name for column in rk.load(numbered).schema.columns] == list(frame.columns)
    assert {column.name for column in rk.load(named).schema.columns} == set(frame.columns)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (3, "It is a int, no table.*CSV, Parquet, Excel, SPSS, Stata, SAS"),
        (people().place, "It is a Series, no table"),
        (pl.DataFrame({"a": [[1], [2]] * 30}), "The column holds list<item: int64>|The column holds large_list"),
        (pd.DataFrame([[1, 2]] * 60, columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "several levels"),
        ("nowhere.csv", "The file cannot be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_table_is_refused_with_a_sentence(source: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        rk.load(source)


def test_who_made_the_release_is_told_as_text_object_or_class() -> None:
    frame = people()
    for made_by in ("bayesnet:degree=2", BAYESNET(degree=2)):
        assert rk.load(frame, made_by=made_by).made_by == "bayesnet:degree=2"
    assert rk.load(frame, made_by=BAYESNET).made_by == "bayesnet"
    for nobody in (None, "unknown", ""):
        assert rk.load(frame, made_by=nobody).made_by == ""
    with pytest.raises(ParameterError, match=r"There is no 'bayesnett' in generators \(did you mean 'bayesnet'\?\)"):
        rk.load(frame, made_by="bayesnett")


def test_tables_that_were_loaded_stay_as_they_are() -> None:
    tables = rk.load(people(), made_by="stat")
    assert rk.load(tables) is tables
    assert rk.load(tables, made_by="bayesnet").made_by == "bayesnet"
    with pytest.raises(DesignError, match="Load all files together"):
        rk.load(tables, people(seed=1))


def test_several_rows_a_person_are_counted_as_one_or_refused() -> None:
    twice = [people(seed=seed).assign(who=[f"p{seed}{row // 2}" for row in range(300)]) for seed in range(3)]
    tables = rk.load(*twice, person="who")
    settings = rk.released(tables, "dcr").result.as_dict()["settings"]
    assert (settings["unit"], settings["n_in"], settings["most_rows"]) == ("person", 150, 2)
    with pytest.raises(DesignError, match=r"Singling out counts rows, and people have several .* 'who'"):
        rk.singling_out(tables)
    with pytest.raises(InputError, match="not in the file"):
        rk.load(people(), person="nobody")


def test_the_column_of_a_person_identifies_and_is_not_learnt_from() -> None:
    tables = rk.load(people().assign(who=range(1000, 1300)), people(seed=1).assign(who=range(2000, 2300)), person="who")
    (who,) = [column for column in tables.schema.columns if column.name == "who"]
    assert who.role is Role.PERSON
    assert "who" not in [column.name for column in tables.schema.modelled]
    assert "who" in [column.name for column in rk.load(people().assign(who=range(300))).schema.columns]
    with pytest.raises(DesignError, match="Load all files together"):
        rk.load(tables, person="who")


@pytest.mark.parametrize("ending", ["parquet", "csv.gz", "xlsx"])
def test_a_path_may_be_of_any_kind_of_file(ending: str, tmp_path: Path) -> None:
    frame, path = people(), tmp_path / f"people.{ending}"
    write = {"parquet": frame.to_parquet, "csv.gz": frame.to_csv, "xlsx": frame.to_excel}[ending]
    write(path, index=False)  # type: ignore[operator]
    assert rk.load(real=str(path)).schema == rk.load(real=frame).schema


def test_a_frame_that_waits_is_worked_out() -> None:
    """A LazyFrame of polars is the frame it becomes; one of another machine is named with what to call."""
    frame = pl.from_pandas(people())
    assert rk.load(frame.lazy()).real.keys().tolist() == rk.load(frame).real.keys().tolist()
    elsewhere = type("DataFrame", (), {"__module__": "pyspark.sql"})()
    with pytest.raises(InputError, match=r"a DataFrame of pyspark.*frame\.toPandas\(\)"):
        rk.load(elsewhere)
