"""The evidence pack: the same bytes again, any changed byte is noticed, and its README followed with a bare Python."""

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.report.pack import PLANS, README, pack, verify
from riskkit.report.to_csv import csv_bytes, to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show.model import Class
from tests.report.audited import made

KEY = b"sixteen bytes !!"


@pytest.fixture(scope="module")
def source() -> bytes:
    findings = made.findings(made.random(2))
    return pack(findings, {"report.json": to_json(findings), **to_csv(findings)}, KEY)


def test_the_manifest_lists_every_file_with_its_hash(source: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        manifest = json.loads(archive.read("MANIFEST.json"))
        for name, facts in manifest["files"].items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == facts["sha256"]
        assert {*manifest["files"], "MANIFEST.json", "MANIFEST.hmac"} == set(archive.namelist())
    assert verify(source) == verify(source, KEY) == []


def test_the_same_findings_give_the_same_bytes(source: bytes) -> None:
    findings = made.findings(made.random(2))
    assert pack(findings, {"report.json": to_json(findings), **to_csv(findings)}, KEY) == source


def test_a_changed_byte_anywhere_is_noticed(source: bytes) -> None:
    """A changed name, content, hash or signature: with the key nothing passes but what readers of a ZIP ignore."""
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    rng = np.random.default_rng(3)
    for name in files:
        for _ in range(10):
            changed = dict(files)
            place = int(rng.integers(len(files[name].rstrip())))
            changed[name] = files[name][:place] + bytes([files[name][place] ^ 1]) + files[name][place + 1 :]
            assert verify(_zipped(changed), KEY), (name, place)


def test_damaged_bytes_of_the_archive_are_noticed_or_harmless(source: bytes) -> None:
    rng = np.random.default_rng(4)
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for place in rng.integers(len(source), size=200):
        bad = source[:place] + bytes([source[place] ^ 4]) + source[place + 1 :]
        if not verify(bad, KEY):
            with zipfile.ZipFile(io.BytesIO(bad)) as archive:
                assert {name: archive.read(name) for name in archive.namelist()} == files


def test_another_key_and_a_file_too_many_or_too_few_are_noticed(source: bytes) -> None:
    assert "signature" in verify(source, b"another key of 16")[0]
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert verify(_zipped({**files, "more.csv": b"x"})) == ["more.csv is not in the manifest."]
    assert verify(_zipped({name: files[name] for name in files if name != "report.json"})) == [
        "report.json is missing."
    ]
    assert verify(b"no zip")
    assert verify(source[: len(source) // 2])


def test_a_short_key_is_refused() -> None:
    with pytest.raises(DesignError, match="at least 16"):
        pack(made.findings(made.audit()), {}, b"short")


def test_the_first_line_of_a_table_names_the_report_and_hashes_the_rest() -> None:
    source = csv_bytes("abc", [{"a": 1, "b": "x"}])
    first, _, body = source.partition(b"\r\n")
    assert first.decode("utf-8-sig") == f"# riskkit report abc SHA-256 {hashlib.sha256(body).hexdigest()}"
    assert source.startswith(b"\xef\xbb\xbf")


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


FOUND = made.findings(
    made.audit(made.membership(np.random.default_rng(1)), made.released(np.random.default_rng(2)), provenance=made.STAT)
)


@pytest.fixture(scope="module")
def whole() -> bytes:
    files = {"report.json": to_json(FOUND), "report.html": to_html(FOUND), **to_csv(FOUND), "selftest.json": b"{}\n"}
    return pack(FOUND, files, KEY)


def files_of(whole: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lines_of(whole: bytes) -> str:
    """The program that the README tells to save, as it stands there."""
    text = files_of(whole)[README].decode()
    match = re.search(r"^    import hashlib.*?(?=\n\n\S)", text, re.MULTILINE | re.DOTALL)
    assert match is not None
    return "".join(f"{line.removeprefix('    ')}\n" for line in match[0].splitlines())


def checked(program: str, whole: bytes, folder: Path, key: bytes | None = None) -> tuple[int, str]:
    """What the program says of a pack: isolated, without the packages that are installed beside this Python."""
    (folder / "check.py").write_text(program, encoding="utf-8")
    (folder / "PACK.zip").write_bytes(whole)
    words = [sys.executable, "-I", "-S", "check.py", "PACK.zip"]
    if key is not None:
        (folder / "key").write_bytes(key)
        words.append("key")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_there_is_no_riskkit_where_the_readme_is_followed(tmp_path: Path, whole: bytes) -> None:
    code, output = checked("import riskkit", whole, tmp_path)
    assert code
    assert "No module named" in output


def test_a_whole_pack_is_whole_and_says_the_hash_of_page_one(tmp_path: Path, whole: bytes) -> None:
    for key in (None, KEY):
        code, output = checked(lines_of(whole), whole, tmp_path, key)
        assert code == 0, output
        assert "WHOLE" in output
        assert str(json.loads(files_of(whole)["report.json"])["sha256"]) in output


def test_a_flipped_byte_of_any_file_is_found_and_the_file_named(tmp_path: Path, whole: bytes) -> None:
    rng, files = np.random.default_rng(3), files_of(whole)
    for name in (file for file in files if not file.startswith("MANIFEST")):
        place = int(rng.integers(len(files[name])))
        flipped = {**files, name: files[name][:place] + bytes([files[name][place] ^ 1]) + files[name][place + 1 :]}
        code, output = checked(lines_of(whole), _zipped(flipped), tmp_path)
        assert code == 1
        assert name in output or "cannot be read" in output


def test_a_flipped_byte_of_the_zip_a_lost_file_and_another_key_are_found(tmp_path: Path, whole: bytes) -> None:
    program, files = lines_of(whole), files_of(whole)
    place = whole.index(b"report.html") + 200
    assert checked(program, whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], tmp_path)[0] == 1
    assert (
        "verdicts.csv"
        in checked(program, _zipped({n: c for n, c in files.items() if n != "verdicts.csv"}), tmp_path)[1]
    )
    assert "more.csv" in checked(program, _zipped({**files, "more.csv": b"x"}), tmp_path)[1]
    assert "the signature" in checked(program, whole, tmp_path, b"another key of 16")[1]


def test_a_report_that_was_changed_with_its_manifest_has_another_hash_than_page_one(
    whole: bytes, tmp_path: Path
) -> None:
    """What the README warns of: it is whole, and its hash is not the one that was printed."""
    files = files_of(whole)
    document = json.loads(files["report.json"])
    document["overall"]["word"] = "within the limit"
    code, output = checked(lines_of(whole), _zipped({**files, "report.json": json.dumps(document).encode()}), tmp_path)
    assert code == 1
    assert "the SHA-256 in report.json" in output


def test_plans_seeds_and_versions_are_in_it_and_nothing_that_a_reader_may_not_see(whole: bytes) -> None:
    plans = json.loads(files_of(whole)[PLANS])
    assert [(run["question"], run["seed"]) for run in plans["runs"]] == [("membership", 1), ("released", 1)]
    assert plans["versions"] == {"riskkit": "0", "Python": "3"}
    assert b"secret.csv" not in files_of(whole)[PLANS]
    facts = made.audit(made.membership(np.random.default_rng(1)), provenance=made.STAT)
    closed = made.findings(facts, kind=Class.RESTRICTED)
    assert b"secret.csv" in files_of(pack(closed, {}))[PLANS]


def test_the_readme_names_every_file_and_says_what_is_missing(whole: bytes) -> None:
    text = files_of(whole)[README].decode()
    assert all(f"  {name}: " in text for name in files_of(whole))
    assert "no self-test was made" not in text
    assert "no self-test was made" in files_of(pack(FOUND, {}))[README].decode()
