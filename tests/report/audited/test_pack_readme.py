"""The README in an evidence pack, followed with a bare Python that has no riskkit and nothing else installed."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from riskkit.report.pack import PLANS, README, pack
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show.model import Class
from tests.report.audited import made

KEY = b"sixteen bytes !!"
FOUND = made.findings(
    made.audit(made.membership(np.random.default_rng(1)), made.released(np.random.default_rng(2)), provenance=made.STAT)
)


@pytest.fixture(scope="module")
def source() -> bytes:
    files = {"report.json": to_json(FOUND), "report.html": to_html(FOUND), **to_csv(FOUND), "selftest.json": b"{}\n"}
    return pack(FOUND, files, KEY)


def files_of(source: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def lines_of(source: bytes) -> str:
    """The program that the README tells to save, as it stands there."""
    text = files_of(source)[README].decode()
    match = re.search(r"^    import hashlib.*?(?=\n\n\S)", text, re.MULTILINE | re.DOTALL)
    assert match is not None
    return "".join(f"{line.removeprefix('    ')}\n" for line in match[0].splitlines())


def checked(program: str, source: bytes, folder: Path, key: bytes | None = None) -> tuple[int, str]:
    """What the program says of a pack: isolated, without the packages that are installed beside this Python."""
    (folder / "check.py").write_text(program, encoding="utf-8")
    (folder / "PACK.zip").write_bytes(source)
    words = [sys.executable, "-I", "-S", "check.py", "PACK.zip"]
    if key is not None:
        (folder / "key").write_bytes(key)
        words.append("key")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_there_is_no_riskkit_where_the_readme_is_followed(tmp_path: Path, source: bytes) -> None:
    code, output = checked("import riskkit", source, tmp_path)
    assert code
    assert "No module named" in output


def test_a_whole_pack_is_whole_and_says_the_hash_of_page_one(tmp_path: Path, source: bytes) -> None:
    for key in (None, KEY):
        code, output = checked(lines_of(source), source, tmp_path, key)
        assert code == 0, output
        assert "WHOLE" in output
        assert str(json.loads(files_of(source)["report.json"])["sha256"]) in output


def test_a_flipped_byte_of_any_file_is_found_and_the_file_named(tmp_path: Path, source: bytes) -> None:
    rng, files = np.random.default_rng(3), files_of(source)
    for name in (file for file in files if not file.startswith("MANIFEST")):
        place = int(rng.integers(len(files[name])))
        flipped = {**files, name: files[name][:place] + bytes([files[name][place] ^ 1]) + files[name][place + 1 :]}
        code, output = checked(lines_of(source), zipped(flipped), tmp_path)
        assert code == 1
        assert name in output or "cannot be read" in output


def test_a_flipped_byte_of_the_zip_a_lost_file_and_another_key_are_found(tmp_path: Path, source: bytes) -> None:
    program, files = lines_of(source), files_of(source)
    place = source.index(b"report.html") + 200
    assert checked(program, source[:place] + bytes([source[place] ^ 1]) + source[place + 1 :], tmp_path)[0] == 1
    assert (
        "verdicts.csv" in checked(program, zipped({n: c for n, c in files.items() if n != "verdicts.csv"}), tmp_path)[1]
    )
    assert "more.csv" in checked(program, zipped({**files, "more.csv": b"x"}), tmp_path)[1]
    assert "the signature" in checked(program, source, tmp_path, b"another key of 16")[1]


def test_a_report_that_was_changed_with_its_manifest_has_another_hash_than_page_one(
    source: bytes, tmp_path: Path
) -> None:
    """What the README warns of: it is whole, and its hash is not the one that was printed."""
    files = files_of(source)
    document = json.loads(files["report.json"])
    document["overall"]["word"] = "within the limit"
    code, output = checked(lines_of(source), zipped({**files, "report.json": json.dumps(document).encode()}), tmp_path)
    assert code == 1
    assert "the SHA-256 in report.json" in output


def test_plans_seeds_and_versions_are_in_it_and_nothing_that_a_reader_may_not_see(source: bytes) -> None:
    plans = json.loads(files_of(source)[PLANS])
    assert [(run["question"], run["seed"]) for run in plans["runs"]] == [("membership", 1), ("released", 1)]
    assert plans["versions"] == {"riskkit": "0", "Python": "3"}
    assert b"secret.csv" not in files_of(source)[PLANS]
    facts = made.audit(made.membership(np.random.default_rng(1)), provenance=made.STAT)
    closed = made.findings(facts, kind=Class.RESTRICTED)
    assert b"secret.csv" in files_of(pack(closed, {}))[PLANS]


def test_the_readme_names_every_file_and_says_what_is_missing(source: bytes) -> None:
    text = files_of(source)[README].decode()
    assert all(f"  {name}: " in text for name in files_of(source))
    assert "no self-test was made" not in text
    assert "no self-test was made" in files_of(pack(FOUND, {}))[README].decode()
