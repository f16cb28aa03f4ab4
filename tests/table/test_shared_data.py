"""The shared real tables and releases: every file is read, typed, compared and written again."""

import csv
import gzip
import io

import numpy as np
import pytest

from riskkit.errors import FileError, Gravity
from riskkit.jobs.store import Store
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.schema import apply_schema
from riskkit.table.load import load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.write import to_csv
from tests.table.files import CANARY, shared, text
from tests.tables import DATA

FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.csv*"))
LARGE = 300_000
"""Bytes of a file, packed or not, from which on its test is a slow one."""


def case(path: str):
    marks = [pytest.mark.slow] if (DATA / path).stat().st_size > LARGE else []
    return pytest.param(path, marks=marks)


@pytest.mark.parametrize("path", [case(path) for path in FILES])
def test_every_file_is_read_typed_and_written_again(path: str) -> None:
    """Against Python's own csv module, record by record; and the table is the same after it was written."""
    source = (DATA / path).read_bytes()
    source = gzip.decompress(source) if path.endswith(".gz") else source
    table = read_csv(source, name=path)
    records = list(csv.reader(io.StringIO(source.decode("utf-8-sig"), newline=""), delimiter=table.delimiter))
    names, *rows = [row for row in records if row]
    skip = len(names) - len(table.columns)  # an index column that numbers the rows
    assert table.columns == tuple(name.strip() for name in names[skip:])
    assert table.rows == len(rows)
    for row in np.linspace(0, len(rows) - 1, 50).astype(int).tolist():
        assert list(table.data.slice(row, 1).to_pylist()[0].values()) == rows[row][skip:]
    tables = load(table)
    assert Gravity.ERROR not in {problem.gravity for problem in tables.problems}
    again = apply_schema(tables.schema, text(to_csv(tables.real)))
    assert (again.keys() == tables.real.keys()).all()


def test_a_data_dictionary_is_refused() -> None:
    place = DATA / "nist_acs" / "data_dictionary.json"
    if not place.exists():
        pytest.skip("the NIST tables are not on this machine")
    with pytest.raises(FileError) as caught:
        read_csv(place, name=place.name)
    assert caught.value.problem.code == "not_csv"


def test_adult() -> None:
    train, test = shared("adult/adult_train.csv.gz"), shared("adult/adult_test.csv")
    tables = load(train, None, test)
    assert (len(tables.schema.numeric), len(tables.schema.categorical)) == (6, 9)
    hollow = ColumnChoice(missing_tokens=("?",))
    tables = load(train, None, test, choices=dict.fromkeys(("workclass", "occupation", "native-country"), hollow))
    complete = 0
    assert tables.holdout is not None
    for table in (tables.real, tables.holdout):
        last = np.array([len(c.levels) - 1 if c.has_missing else -1 for c in table.schema.categorical])
        complete += int((table.codes != last).all(axis=1).sum())
    assert complete == 45_222


@pytest.mark.parametrize(
    ("real", "synthetic", "holdout", "columns"),
    [
        (
            "anonymeter_adult/train_reconstructed.csv.gz",
            "anonymeter_adult/synth_ctgan.csv.gz",
            "anonymeter_adult/control.csv",
            15,
        ),
        ("synthmia_housing/mem.csv", "synthmia_housing/synth.csv", "synthmia_housing/non_mem.csv", 9),
        ("nist_acs/ma2018.csv", None, "nist_acs/ma2019.csv", 24),
        ("shoppers/train.csv", "shoppers/2021_flip10.csv.gz", "shoppers/holdout.csv", 18),
        ("uk_census2011/random_10000.csv", None, None, 17),
    ],
)
def test_real_files_load(real: str, synthetic: str | None, holdout: str | None, columns: int) -> None:
    tables = load(shared(real), shared(synthetic) if synthetic else None, shared(holdout) if holdout else None)
    assert len(tables.schema.modelled) == columns
    assert Gravity.ERROR not in {problem.gravity for problem in tables.problems}


# --------------------------------------------------------------------------------------------------------------
# Kept and loaded again


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"a,b\nx,1\nz,2\n", [2, 3]),
        (f'a,b\nx,"{CANARY}\nz"\nz,w\n\n\ny,v\n'.encode(), [2, 4, 7]),
        (b"sep=,\na,b\nx,y\na,b\nz,w\n", [3, 5]),
        (b"a,b,c\nkg,m,s\n1,2,x\n3,4,y\n5,6,z\nTotal,12,\n", [3, 4, 5]),
    ],
)
def test_lines_survive_the_store(tmp_path, source: bytes, lines: list[int]) -> None:
    (tmp_path / "audits").mkdir()
    audit = Store(tmp_path).create("Mine")
    audit.load("real", source, name="real.csv")
    kept = audit.text("real")
    assert kept is not None
    assert [kept.line(row) for row in range(kept.rows)] == lines
    fresh = read_csv(source, name="real.csv")
    assert (kept.data.equals(fresh.data), kept.problems) == (True, fresh.problems)
