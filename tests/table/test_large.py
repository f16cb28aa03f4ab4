"""Large arrays in files: the same numbers, nothing left behind, and no more memory than there is."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from joblib import Parallel, delayed

from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.table import large
from riskkit.table.canonical import canonical
from riskkit.table.load import Tables, load
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of
from riskkit.table.text import TextTable
from tests.table.test_coded import as_csv, as_parquet, people
from tests.tables import mixed

_OLD = "memory.limit_in_bytes"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files lose their name on Linux alone")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Next to no memory: every array lies in a file of this folder, and rows are worked on a few at a time."""
    monkeypatch.setattr(large, "memory", lambda: 1)
    monkeypatch.setattr(large, "BLOCK", 7)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    if not sys.platform.startswith("linux"):  # there files lose their name at once
        gc.collect()
    assert not list(tmp_path.iterdir()), "something was left behind"


def in_file(array: Any) -> bool:
    """Whether what it holds lies in a file."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


def test_a_small_array_stays_in_memory_and_a_large_one_does_not(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_file(large.empty((3, 2), np.int32))
    monkeypatch.setattr(large, "memory", lambda: 100 * 24)
    assert not in_file(large.empty((3, 2), np.int32))
    assert in_file(large.empty((7, 1), np.int32))
    monkeypatch.setattr(large, "memory", lambda: 0)
    assert not in_file(large.empty((1000, 100), np.float64)), "nobody says how much memory there is"
    del files


def test_rows_are_those_that_were_asked_for(files: Path) -> None:
    array = np.random.default_rng(0).normal(size=(40, 3))
    some = np.random.default_rng(1).integers(0, 40, 33)
    for rows in (some, some[:0], array[:, 0] > 0, np.zeros(40, bool)):
        part = large.take_rows(array, rows)
        assert in_file(part) == (len(part) > 0)
        np.testing.assert_array_equal(part, array[rows])
    np.testing.assert_array_equal(large.join_rows([array, array[:0], array[:5]]), np.vstack([array, array[:5]]))
    assert len(list(files.iterdir())) == 0 or not sys.platform.startswith("linux")


def test_blocks_are_all_rows_in_order(files: Path) -> None:
    for rows in (0, 1, 6, 7, 8, 50):
        every = [place for block in large.blocks(rows) for place in range(rows)[block]]
        assert every == list(range(rows))
    assert [block.stop for block in large.blocks(5, 100)] == [1, 2, 3, 4, 5]
    del files


@LINUX
def test_a_helper_process_opens_the_file_and_is_sent_no_rows(files: Path) -> None:
    array = large.join_rows([np.arange(3000.0).reshape(1000, 3)])
    sums = Parallel(2)(delayed(_summed)(array[start:]) for start in (0, 10))
    assert sums == [(float(array.sum()), True), (float(array[10:].sum()), True)]
    del files


def _summed(array: Any) -> tuple[float, bool]:
    return float(array.sum()), in_file(array)


@LINUX
def test_a_process_that_is_killed_leaves_no_rows_behind(tmp_path: Path) -> None:
    code = (
        "import sys, time, numpy; from riskkit.table import large; large.memory = lambda: 1; "
        "rows = large.join_rows([numpy.ones((1000, 8))]); print(type(rows.base).__name__, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "memmap\n"
        process.send_signal(signal.SIGKILL)
    assert not list(tmp_path.iterdir())


def handles() -> int:
    """Files that this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@LINUX
def test_a_file_goes_with_its_array(files: Path) -> None:
    before = handles()
    arrays = [large.empty((100, 3), np.int32) for _ in range(5)]
    assert handles() >= before + 5
    del arrays
    assert handles() == before
    del files


def test_without_a_folder_or_room_on_the_disk_an_array_lies_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(large, "memory", lambda: 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert not in_file(large.empty((5, 5), np.float64))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    assert not in_file(large.empty((5, 5), np.float64))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits there")
def test_what_a_process_is_held_to_is_its_memory() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)); "
        "from riskkit.table import large; print(large.memory())"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(process.stdout) <= 1 << 30


def test_what_a_container_is_held_to_is_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "_GROUPS", tmp_path)
    whole = large.memory.__wrapped__()
    assert whole > 1 << 20
    (tmp_path / "memory.max").write_text("max\n")
    assert large.memory.__wrapped__() == whole
    (tmp_path / "memory.max").write_text("1048576\n")
    assert large.memory.__wrapped__() == 1 << 20
    for line, folder, name in (("0::/one/two", "one/two", "memory.max"), ("4:memory:/x", "memory/x", _OLD)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text("4096\n")
        (tmp_path / "groups").write_text(f"7:cpu:/other\n{line}\n")
        assert large.memory.__wrapped__() == 1 << 20
        monkeypatch.setattr(large, "_OWN_GROUPS", tmp_path / "groups")
        assert large.memory.__wrapped__() == 4096
        monkeypatch.setattr(large, "_OWN_GROUPS", tmp_path / "none")


def test_texts_in_a_file_are_the_same_texts(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> tuple[TextTable, ...]:
        path = tmp_path / "people.parquet"
        try:
            return as_csv(people(0), "people.csv"), as_parquet(people(0), path, 90)
        finally:
            path.unlink(missing_ok=True)

    there, mapped = pa.total_allocated_bytes(), read()
    in_files = pa.total_allocated_bytes() - there
    monkeypatch.undo()
    here = read()
    assert pa.total_allocated_bytes() - there > in_files + sum(text.data.nbytes for text in here) // 2
    for own, other in zip(mapped, here, strict=True):
        assert own.data.equals(other.data)
        assert own.data.schema.metadata == other.data.schema.metadata
        assert [own.line(row) for row in (0, 7, own.rows - 1)] == [other.line(row) for row in (0, 7, own.rows - 1)]
    monkeypatch.setattr(pa.ipc, "new_stream", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    monkeypatch.setattr(large, "memory", lambda: 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert as_csv(people(0), "people.csv").data.equals(here[0].data), "a full disk"
    del files


# --------------------------------------------------------------------------------------------------------------
# What is made of rows in files, against the same in memory


def test_points_in_canonical_order_have_the_same_bytes(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def order() -> list[bytes]:
        parts = points_of([mixed(61), mixed(40, seed=2), mixed(9, seed=2)])
        points, undo = canonical([parts[0], parts[1].plus(parts[2])])
        back = [part.rows(own) for part, own in zip(points, undo, strict=True)]
        return [array.tobytes() for part in (*points, *back) for array in (part.numbers, part.codes)]

    here = order()
    monkeypatch.undo()
    assert here == order()
    del files


def test_the_nearest_rows_are_the_same(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def near() -> list[bytes]:
        queries, among = points_of([mixed(30), mixed(700, seed=2)])
        return [array.tobytes() for array in nearest(queries, among, 5)]

    here = near()
    monkeypatch.undo()
    assert here == near()
    del files


def three(rows: int) -> Tables:
    """Files with holes, equal rows, rows of one that stand in another, and both noughts."""
    frames = [people(seed, rows).drop(columns=["who", "seen"]) for seed in range(3)]
    frames[1].loc[: rows // 4] = frames[0].loc[: rows // 4]
    frames[2].loc[: rows // 8] = frames[0].loc[: rows // 8]
    for frame in frames:
        frame.loc[rows - 9 :] = frame.loc[:8].to_numpy()
        frame.loc[9:15, "income"] = [0.0, -0.0, 0.0, -0.0, np.nan, 0.0, -0.0]
    return load(
        *(as_csv(frame, f"{slot}.csv") for slot, frame in zip(("real", "synthetic", "holdout"), frames, strict=True))
    )


def played(attacks: tuple[str, ...], rows: int) -> tuple[object, ...]:
    """All that a run comes to, and the bytes of its tables and scores."""
    tables = three(rows)
    result = run_released(tables, ReleasedPlan(attacks=attacks, max_rows=60))
    parts = [tables.real, tables.synthetic, tables.holdout]
    arrays = [array.tobytes() for part in parts if part is not None for array in (part.codes, part.numbers)]
    return tables.problems, arrays, result.plain(), [scored.value.tobytes() for scored in result.scores]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("attacks", "rows"),
    [
        (("dcr", "dcr-diff", "mc", "dpi", "domias"), 160),
        pytest.param(ReleasedPlan().attacks, 400, marks=pytest.mark.slow),
    ],
)
def test_a_released_suite_in_files_finds_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch, attacks: tuple[str, ...], rows: int
) -> None:
    here = played(attacks, rows)
    monkeypatch.undo()
    assert here == played(attacks, rows)
