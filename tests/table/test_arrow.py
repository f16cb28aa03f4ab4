"""Texts and numbers on their way to Arrow and back, beside Arrow's own way."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from riskkit.table import text

TEXTS = ("", "a", "caf\u00e9", "\U0001f600", "x" * 70_000, "a\0b")


def test_texts_are_those_that_arrow_makes() -> None:
    assert text.words(TEXTS) == pa.array(TEXTS, pa.string())
    assert text.words([]) == pa.array([], pa.string())
    assert [text.word(own).as_py() for own in TEXTS] == list(TEXTS)
    text.words(TEXTS).validate(full=True)
    with pytest.raises(UnicodeEncodeError):
        text.words(["\ud800"])


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32])
def test_whole_numbers_are_those_that_arrow_makes(kind: type) -> None:
    numbers: np.ndarray = np.arange(-9, 90).astype(kind)
    assert text.whole(numbers) == pa.array(numbers)
    assert text.whole(numbers[::3]) == pa.array(numbers[::3])
    assert text.whole(numbers[:0]) == pa.array(numbers[:0])


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64(), pa.float64(), pa.bool_()])
@pytest.mark.parametrize("cut", [slice(0, 21), slice(3, 21), slice(9, 13), slice(8, 8), slice(21, 21)])
def test_values_are_those_that_arrow_gives(kind: pa.DataType, cut: slice) -> None:
    numbers = np.random.default_rng(0).integers(0, 2, 21).tolist()
    whole = pa.array([bool(number) for number in numbers] if kind == pa.bool_() else numbers).cast(kind)
    part = whole.slice(cut.start, cut.stop - cut.start)
    np.testing.assert_array_equal(text.values(part), part.to_numpy(zero_copy_only=False))
    parts = pa.chunked_array([part, whole.slice(5, 2), part], kind)
    np.testing.assert_array_equal(text.values(parts), parts.to_numpy())
    assert text.values(part).dtype == whole.to_numpy(zero_copy_only=False).dtype


def test_a_missing_number_is_no_number_and_nothing_else_may_be_missing() -> None:
    holes = pa.array([1.5, None, 2.0, None, -0.0] * 3)
    for part in (holes, holes.slice(1), holes.slice(7, 4)):
        np.testing.assert_array_equal(text.values(part), part.to_numpy(zero_copy_only=False))
    for wrong in ([1, None], [True, None]):
        with pytest.raises(TypeError):
            text.values(pa.array(wrong))


@pytest.mark.second
def test_none_of_it_loads_pandas() -> None:
    code = (
        "import sys, numpy as np, pyarrow.compute as pc; from riskkit.table.text import *; "
        "there = pc.equal(words(['a', '']), EMPTY); values(there); values(whole(np.arange(3, dtype=np.int8))); "
        "sys.exit(2 * ('pandas' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
