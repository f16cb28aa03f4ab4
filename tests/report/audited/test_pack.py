"""The evidence pack: the same bytes again, and any changed byte is noticed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.report.pack import pack, verify
from riskkit.report.to_csv import csv_bytes, to_csv
from riskkit.report.to_json import to_json
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
