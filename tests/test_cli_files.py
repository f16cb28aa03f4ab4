"""Files of other kinds, broken and large ones at the command line, and places that take no output."""

import argparse
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from riskkit.cli import main
from riskkit.commands._options import limits
from riskkit.table.text import Limits
from tests.test_cli import REAL, RELEASE, ROOT


def test_a_broken_file_is_a_sentence_without_its_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("age,ward\n" + "40,east\n" * 60 + "41,secretcanary,extra\n", encoding="utf-8")
    assert main(["check", REAL, str(broken)]) == 2
    error = capsys.readouterr().err
    assert "broken.csv" in error
    assert "62" in error
    assert "secretcanary" not in error


def test_a_parquet_file_and_a_sheet_are_checked_as_the_csv_is(tmp_path: Path, call: Callable[..., str]) -> None:
    real = pd.read_csv(REAL, dtype=str, keep_default_na=False)
    real.to_parquet(tmp_path / "real.parquet")
    (tmp_path / "release.csv.gz").write_bytes(gzip.compress(Path(RELEASE).read_bytes()))
    packed_files = str(tmp_path / "real.parquet"), str(tmp_path / "release.csv.gz")
    documents = [json.loads(call(["check", *words, "--json"])) for words in ((REAL, RELEASE), packed_files)]
    assert documents[0]["columns"] == documents[1]["columns"]
    csv, packed = ({problem["code"] for problem in document["problems"]} for document in documents)
    assert packed - csv == {"unpacked"}


def test_a_larger_file_is_read_with_the_option_that_its_refusal_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path(REAL).read_text(encoding="utf-8").splitlines(keepends=True)
    large = tmp_path / "large.csv"
    large.write_text("".join([lines[0], *lines[1:] * 9]), encoding="utf-8")
    assert large.stat().st_size > 1_000_000
    assert main(["check", str(large), RELEASE, "--largest", "1"]) == 2
    assert "the limit is 1 MB" in (error := capsys.readouterr().err)
    assert "--largest" in error
    assert main(["check", str(large), RELEASE, "--largest", "2"]) == 0
    assert main(["check", str(large), RELEASE, "--largest", "0"]) == 2
    assert "It must be from 1 to 2,000" in capsys.readouterr().err


def test_rows_and_cells_may_be_more_where_bytes_may(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, more = (limits(argparse.Namespace(largest=size)) for size in (300, 1_200))
    assert usual == Limits()
    assert (more.size, more.rows, more.cells) == (4 * usual.size, 4 * usual.rows, 4 * usual.cells)
    assert limits(argparse.Namespace(largest=3)) == replace(usual, size=3_000_000)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["check", REAL, RELEASE], ["check", "--help"], ["audits", "list"]])
def test_output_that_nobody_takes_is_a_sentence(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("riskkit: Standard output took no more (no space left on device)")
    assert len(error.splitlines()) == 1


@pytest.mark.second
@pytest.mark.skipif(sys.platform == "win32", reason="pipes end in another way there")
def test_a_reader_that_stops_reading_is_told_in_one_line() -> None:
    """As `riskkit check ... | head -1` does; Python's own complaint at its end is silenced too."""
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "riskkit", "check", REAL, RELEASE], cwd=ROOT, stdout=writes, stderr=subprocess.PIPE
    )
    os.close(writes)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("riskkit: Standard output took no more (broken pipe)")
    assert len(done.stderr.splitlines()) == 1


def test_a_look_at_files_waits_for_no_statistics_and_no_store() -> None:
    """They take a second to load, which is longer than files of usual size take."""
    script = (
        "import sys; from riskkit.cli import main; main(sys.argv[1:]); "
        "print([name for name in ('scipy', 'sklearn', 'sqlalchemy', 'joblib', 'numba') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "check", REAL, RELEASE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_home_that_is_a_file_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    for home in (tmp_path / "home", tmp_path / "home" / "below"):
        monkeypatch.setenv("RISKKIT_HOME", str(home))
        assert main(["audits", "list"]) == 2
        error = capsys.readouterr().err
        assert "The folder where audits are kept cannot be used" in error
        assert "RISKKIT_HOME" in error


def test_the_encoding_is_said_for_every_file_that_does_not_show_it_or_for_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], call: Callable[..., str]
) -> None:
    lines = ["age,town", *(f"{20 + row % 60},{('Győr', 'Pécs', 'Eger')[row % 3]}" for row in range(90))]
    real, release = tmp_path / "real.csv", tmp_path / "release.csv"
    real.write_text("\n".join(lines), encoding="utf-8")
    release.write_text("\n".join(lines), encoding="cp1250")
    for encoding in ("cp1250", "release=cp1250", "synthetic=cp1250"):
        printed = call(["check", str(real), str(release), "--encoding", encoding])
        assert "90 of 90 rows copy 90 real rows exactly" in printed
        assert "release.csv: 90 rows, 2 columns, cp1250" in printed
        assert "guessed" not in printed
    assert main(["check", str(real), str(release), "--encoding", "release=cp1252"]) == 2
    assert "release.csv" in (error := capsys.readouterr().err)
    assert "--encoding" in error
    for wrong, why in (("no-such", "there is no text encoding"), ("nobody=cp1252", "there is no file nobody")):
        assert main(["check", str(real), str(release), "--encoding", wrong]) == 2
        assert why in capsys.readouterr().err
