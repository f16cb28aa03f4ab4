"""Texts held as codes, and Parquet that is read in batches: the same tables as of a CSV, in less memory."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from riskkit.errors import LayoutError
from riskkit.table.load import Tables, load
from riskkit.table.read import columnar
from riskkit.table.read.files import read_file
from riskkit.table.text import TextTable, coded_table, dictionary_of, encode_texts, texts_of
from tests.table.files import codes

ROWS = 400


def people(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Categories, few and many numbers, holes, texts that all differ, and moments of which the last has a time."""
    rng = np.random.default_rng(seed)
    seen = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D")
    return pd.DataFrame(
        {
            "ward": np.repeat(["north", "süd", "", 'e"a,st'], rows)[: 4 * rows : 4],
            "job": rng.choice(["a", "b", "c", "NA"], rows, p=[0.6, 0.38, 0.01, 0.01]),
            "age": rng.integers(18, 90, rows),
            "income": rng.normal(30, 9, rows),
            "children": rng.choice([0.0, 1.0, 2.0, np.nan], rows),
            "smokes": rng.choice([True, False], rows),
            "seen": [*seen[:-1], seen[-1] + pd.Timedelta("3h")],
            "post": [f"{1000 + row % 37:05d}" for row in range(rows)],
            "who": [f"{'z' * 30} {rows - row}" for row in range(rows)],
        }
    )


def as_csv(table: pd.DataFrame, name: str) -> TextTable:
    return read_file(table.to_csv(index=False).encode(), name=name)


def as_parquet(table: pd.DataFrame, path: Path, group: int = ROWS) -> TextTable:
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=group)
    return read_file(path, name=path.with_suffix(".csv").name)


def facts(tables: Tables) -> tuple[object, ...]:
    """All that is known of tables but their files' kind, size and hash."""
    parts = [tables.real, tables.synthetic, tables.holdout]
    arrays = [(part.codes.tobytes(), part.numbers.tobytes()) for part in parts if part is not None]
    return tables.schema, tables.problems, tables.apart, tables.identifiers, tables.free_texts, arrays


@pytest.mark.parametrize(("rows", "group"), [(7, 1_000), (7, 5), (64, 50), (1_000, 1_000)])
def test_parquet_in_batches_is_the_table_that_a_csv_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, group: int
) -> None:
    monkeypatch.setattr(columnar, "_ROWS", rows)
    slots = {slot: people(seed, 130) for seed, slot in enumerate(("real", "synthetic", "holdout"))}
    by_csv = load(*(as_csv(table, f"{slot}.csv") for slot, table in slots.items()))
    by_batch = load(*(as_parquet(table, tmp_path / f"{slot}.parquet", group) for slot, table in slots.items()))
    assert facts(by_batch) == facts(by_csv)
    path = tmp_path / "real.parquet"
    assert read_file(path, name="r").sha256 == read_file(path.read_bytes(), name="r").sha256


def test_a_line_of_totals_leaves_no_level_behind(tmp_path: Path) -> None:
    table = people(1).astype(str)
    table.loc[len(table)] = ["Total", *[""] * (table.shape[1] - 1)]
    text = as_parquet(table, tmp_path / "t.parquet")
    assert "total_line" in codes(text.problems)
    assert "Total" not in text.encode("ward").dictionary.to_pylist()
    assert "Total" not in load(text, least_rows=1).schema.column("ward").levels


def test_a_nul_byte_is_refused_on_its_line_in_whatever_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columnar, "_ROWS", 10)
    table = pd.DataFrame({"a": ["x"] * 34, "b": ["y"] * 34})
    table.loc[25, "b"] = "y\0"
    with pytest.raises(LayoutError) as refused:
        as_parquet(table, tmp_path / "t.parquet")
    assert (refused.value.problem.code, refused.value.problem.line, refused.value.problem.column) == (
        "nul_byte",
        27,
        "b",
    )


def oracle(texts: list[str]) -> tuple[list[str], list[int]]:
    """Different texts in the order in which they come, and the place of each text among them."""
    words = list(dict.fromkeys(texts))
    return words, [words.index(text) for text in texts]


COLUMNS = [
    [],
    [["a"]],
    [["a", "b", "a"], ["c", "a", "", "a", "b", "b"]],
    [["q", "q", "q", "q"], [], ["p", "p", "p", "q"]],
    [[f"{n}" for n in range(50)]],
    [[f"{n % 200}" for n in range(900)]],
]


@pytest.mark.parametrize("chunks", COLUMNS)
def test_codes_are_texts_in_the_order_in_which_they_come(chunks: list[list[str]]) -> None:
    texts = [text for chunk in chunks for text in chunk]
    held = encode_texts([pa.array(chunk, pa.string()) for chunk in chunks])
    assert texts_of(held).to_pylist() == texts
    assert held.equals(encode_texts(held.chunks)), "held again it is the same"
    for part in (slice(0, None), slice(1, None), slice(2, 7), slice(0, 0)):
        made = dictionary_of(held.slice(part.start, None if part.stop is None else part.stop - part.start))
        assert (made.dictionary.to_pylist(), made.indices.to_pylist()) == oracle(texts[part])
    shuffled = list(reversed(range(len(texts))))
    turned = dictionary_of(held.take(pa.array(shuffled, pa.int64())))
    assert (turned.dictionary.to_pylist(), turned.indices.to_pylist()) == oracle(texts[::-1])


def test_few_texts_take_a_byte_a_row_and_texts_that_differ_stay_as_they_are() -> None:
    few, several, all_differ = (encode_texts([pa.array([f"{n % m}" for n in range(900)])]) for m in (3, 200, 900))
    assert [str(column.type.index_type) for column in (few, several)] == ["int8", "int16"]
    assert all_differ.type == pa.string()


def test_a_table_of_codes_is_kept_and_read_again_as_it_was() -> None:
    table = coded_table(pa.table({"few": ["a", "b", "a", "a"], "all": ["1", "2", "3", "4"]}))
    out = io.BytesIO()
    pq.write_table(table, out)
    assert pq.read_table(io.BytesIO(out.getvalue())).equals(table)


MEMORY = """
import sys, pyarrow as pa
from pathlib import Path
from riskkit.table.read import columnar
from riskkit.table.read.files import read_file
columnar._ROWS = 2_000
table = read_file(Path(sys.argv[1]), name="t")
print(table.data.nbytes, pa.default_memory_pool().max_memory())
"""


@pytest.mark.second
def test_reading_holds_codes_and_a_batch_but_not_the_texts(tmp_path: Path) -> None:
    """Ten columns of 40 bytes a text: 16 MB of texts, 400 KB of codes; counted in a process of its own."""
    rows, path = 40_000, tmp_path / "t.parquet"
    rng = np.random.default_rng(1)
    words = np.array([f"{'long ' * 7}{n:05d}" for n in range(20)])
    columns = {f"c{index}": pa.array(words[rng.integers(0, 20, rows)]) for index in range(10)}
    texts = sum(column.nbytes for column in columns.values())
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    out = subprocess.run([sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True).stdout
    held, most = map(int, out.split())
    assert texts > 16e6
    assert held < texts / 30
    assert most < texts / 4, f"{most:,} of {texts:,} bytes"
