"""The columns of a wide file together: what plain Python finds in each by itself, and what one by one gives."""

import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from riskkit.table import text
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import PlainNumbers, TextTable, Together, coded_table
from tests.table import test_different_tables, test_spellings
from tests.table.files import made
from tests.table.test_coded import facts

NUMBERS = (
    *("0", "-0", "-0.0", "0.50", "7", "-12.25"),
    *("00", "01", "-01", "5.", ".5", "-.5", "-", ".", "--1", "1-2", "1.2.3", "1e5", "+1"),
    *("9007199254740992", "9007199254740993", "-9007199254740993", "123456789012345678"),
    *("0" * 30, "1." + "3" * 30, "9" * 400, "", "", ""),
)
WORDS = ("", "a", "A", " a", "caf\u00e9", "cafe\u0301", "\u200ba", "1\n2", "x" * 500, "1", "\uff11", "\ud7ff")
PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)?\.?[0-9]*")


def columns(rows: int, seed: int) -> list[list[str]]:
    """PlainNumbers, odd numbers, words, constants, holes, texts that all differ, and columns of one odd cell."""
    rng = np.random.default_rng(seed)
    out = [rng.choice(NUMBERS, rows).tolist() for _ in range(30)]
    out += [rng.choice(NUMBERS[:6], rows).tolist() for _ in range(20)]
    out += [[repr(float(x)) for x in rng.normal(size=rows)] for _ in range(20)]
    out += [rng.choice(WORDS, rows).tolist() for _ in range(20)]
    out += [[""] * rows, ["same"] * rows, ["3"] * rows, [f"text {row}" for row in range(rows)]]
    for odd in NUMBERS:
        out.append([*(str(x) for x in rng.integers(0, 9, rows - 1)), odd])
    return out


def table(cells: Sequence[Sequence[str]], parts: int = 1) -> pa.Table:
    """These columns as Arrow reads them, in that many parts."""
    cuts = np.linspace(0, len(cells[0]), parts + 1).astype(int)
    return pa.table(
        [pa.chunked_array([pa.array(own[a:b], pa.string()) for a, b in pairwise(cuts)]) for own in cells],
        names=[f"c{place}" for place in range(len(cells))],
    )


def number(text: str) -> float:
    """A plain number by Python alone; infinite where it is none, or loses digits."""
    if not text:
        return math.nan
    if not PLAIN.fullmatch(text) or not re.search("[0-9]", text) or re.match(r"-?0[0-9]", text):
        return math.inf
    value = float(text)
    return value if abs(value) <= 2**53 else math.inf


@pytest.mark.parametrize(("rows", "parts"), [(1, 1), (2, 1), (60, 1), (60, 4), (200, 3)])
@pytest.mark.parametrize("is_coded", [False, True])
def test_together_columns_are_what_python_finds_in_each(rows: int, parts: int, is_coded: bool) -> None:
    cells = columns(rows, rows)
    data = coded_table(table(cells, parts)) if is_coded else table(cells, parts)
    typed = Together.read(data)
    for place, own in enumerate(cells):
        different, encoded = list(dict.fromkeys(own)), typed.encode(place)
        assert encoded.dictionary.to_pylist() == different
        assert encoded.to_pylist() == own
        texts, times = typed.count(place)
        assert texts == different
        assert dict(zip(texts, times.tolist(), strict=True)) == Counter(own)
        wanted, plain = [number(text) for text in own], typed.plain(place)
        assert (plain is None) == any(map(math.isinf, wanted)), own
        if plain is not None:
            np.testing.assert_array_equal(plain, wanted)
            np.testing.assert_array_equal(np.signbit(plain), np.signbit(wanted))


@pytest.mark.parametrize("parts", [1, 3])
def test_a_wide_table_is_coded_as_column_by_column(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table(columns(60, 3), parts)
    together = coded_table(whole)
    monkeypatch.setattr(text, "COLUMNS", 10_000)
    assert not text.is_wide(whole)
    apart = coded_table(whole)
    assert together.schema == apart.schema
    assert together.to_pydict() == apart.to_pydict()
    for name in apart.column_names:
        if pa.types.is_dictionary(apart.schema.field(name).type):
            assert together.column(name).chunk(0).dictionary == apart.column(name).chunk(0).dictionary


def loaded(sides: Sequence[dict[str, Sequence[str]]]) -> Tables:
    texts = [read_file(made(side), name=f"{place}.csv") for place, side in enumerate(sides)]
    return load(*texts, least_rows=1)


@pytest.mark.parametrize("flipped", [False, True])
def test_every_spelling_is_typed_as_column_by_column(flipped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repairs replace columns while the others stay together."""
    sides = [{name: cells[file] for name, cells in list(test_spellings.CASES.items())[flipped::6]} for file in (0, 1)]
    sides = sides[::-1] if flipped else sides
    together = facts(loaded(sides))
    monkeypatch.setattr(text, "COLUMNS", 10_000)
    assert together == facts(loaded(sides))


def test_odd_columns_of_three_files_are_typed_as_column_by_column(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [{f"c{place}": cells for place, cells in enumerate(columns(50 + seed, seed))} for seed in range(3)]
    sides = [{name: [cell.replace("\n", " ") for cell in cells] for name, cells in side.items()} for side in sides]
    sides = [
        {
            **side,
            **{
                f"x{place}": test_different_tables.drawn(np.random.default_rng(place))["x0"][:50]
                + [""] * (len(side["c0"]) - 50)
                for place in range(9)
            },
        }
        for side in sides
    ]
    many = [name for name, cells in sides[0].items() if not any(len(cell) > 100 for cell in cells)]
    sides = [{name: side[name] for name in many} for side in sides]
    together = facts(loaded(sides))
    monkeypatch.setattr(text, "COLUMNS", 10_000)
    assert together == facts(loaded(sides))


def test_a_column_that_was_changed_is_read_anew() -> None:
    text = read_file(made({f"c{place}": ["1", "2", "3"] * 5 for place in range(40)}), name="a.csv")
    assert text.plain("c3") is not None
    changed = text.with_column("c3", pa.chunked_array([["x", "y", "z"] * 5]))
    assert changed.plain("c3") is None
    assert changed.count("c3")[0] == ["x", "y", "z"]
    assert changed.encode("c3").to_pylist() == ["x", "y", "z"] * 5
    np.testing.assert_array_equal(changed.plain("c4"), text.plain("c4"))
    assert text.count("c3")[0] == ["1", "2", "3"]


def late(columns: Sequence[pa.Array]) -> Together:
    """The planted fault: the different texts of a column in another order than that in which they come."""
    together = OF(columns)
    last = together.start[1:] - together.start[:-1] - 1
    return replace(together, codes=(last[:, None] - together.codes).astype(np.int32))


def blind(columns: Together) -> PlainNumbers:
    """The planted fault: numbers beyond which digits are lost pass for plain ones."""
    numbers = NUMBERS_OF(columns)
    return replace(numbers, is_plain=numbers.is_plain | ~numbers.is_other)


OF, NUMBERS_OF = Together.stack, PlainNumbers.parse


@pytest.mark.parametrize(("where", "name", "fault"), [(Together, "stack", late), (PlainNumbers, "parse", blind)])
def test_a_planted_fault_is_caught(where: type, name: str, fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where, name, fault)
    with pytest.raises(AssertionError):
        test_together_columns_are_what_python_finds_in_each(60, 1, False)


@pytest.mark.second
@pytest.mark.locked
def test_a_check_loads_no_pandas(tmp_path: Path) -> None:
    """Arrow loads it where it is given a list, or asked for an array: a third of a second of every command."""
    for name, seed in (("real", 1), ("synthetic", 2)):
        rng = np.random.default_rng(seed)
        numbers, levels = rng.normal(size=60).tolist(), rng.choice(["a", "b", ""], 60).tolist()
        (tmp_path / f"{name}.csv").write_bytes(made({"x": numbers, "y": levels, "z": rng.integers(0, 9, 60).tolist()}))
    code = "import sys; from riskkit.cli import main; main(sys.argv[1:]); sys.exit(2 * ('pandas' in sys.modules))"
    files = [str(tmp_path / "real.csv"), str(tmp_path / "synthetic.csv")]
    ended = subprocess.run([sys.executable, "-c", code, "check", *files], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "decimal numbers" in ended.stdout


def test_a_table_that_is_long_is_worked_on_column_by_column() -> None:
    file = TextTable("a", pa.table({"x": pa.array(["1"] * 10)}))
    assert not text.is_wide(file.data)
    assert file.count("x")[0] == ["1"]
