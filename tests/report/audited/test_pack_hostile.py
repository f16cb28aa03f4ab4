"""Evidence packs made to hurt whoever checks them: a sentence, in little memory, and nothing is unpacked."""

import hashlib
import io
import json
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from riskkit.cli import main
from riskkit.report import pack
from riskkit.report.pack import LARGEST, LONGEST_MANIFEST, MOST_FILES, verify

NO_PACK = "This is no evidence pack"
ZEROS = 300 << 20


def manifest(files: Any, schema: str = "riskkit.manifest/1") -> bytes:
    return json.dumps({"schema": schema, "files": files}).encode()


def facts(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def zipped(*files: tuple[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, how)
    return out.getvalue()


def bomb(declared: int = ZEROS) -> bytes:
    """A pack whose one file unpacks to 300 MB of zeros, made without holding them; its list says ``declared``."""
    squeezed, block, checksum = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 20), 0
    piece = squeezed.compress(block) + squeezed.flush(zlib.Z_FULL_FLUSH)  # which stands for itself, wherever it is put
    for _ in range(ZEROS >> 20):
        checksum = zlib.crc32(block, checksum)
    body = piece * (ZEROS >> 20) + squeezed.flush()
    listed = manifest({"a.csv": {"sha256": "0" * 64, "bytes": declared}})
    rest = zipped(("MANIFEST.json", listed))
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 33, checksum, len(body), declared, 5, 0) + b"a.csv"
    start = struct.unpack("<I", rest[-6:-2])[0]
    own = (
        struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            b"PK\1\2",
            20,
            20,
            0,
            8,
            0,
            33,
            checksum,
            len(body),
            declared,
            5,
            0,
            0,
            0,
            0,
            0,
            start,
        )
        + b"a.csv"
    )
    entries = rest[start:-22] + own
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 2, 2, len(entries), start + len(local) + len(body), 0)
    return rest[:start] + local + body + entries + end


def test_the_bomb_of_this_test_is_one() -> None:
    with zipfile.ZipFile(io.BytesIO(bomb())) as archive:
        assert archive.getinfo("a.csv").file_size == ZEROS
        with archive.open("a.csv") as unpacked:
            assert unpacked.read(10) == bytes(10)


@pytest.mark.parametrize("declared", [ZEROS, 10], ids=["as it is", "as ten bytes"])
def test_a_bomb_is_refused_in_little_memory(declared: int) -> None:
    source = bomb(declared)
    assert len(source) < 400_000
    tracemalloc.start()
    try:
        wrong = verify(source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(wrong) == 1
    assert wrong[0].startswith(NO_PACK)
    assert peak < 8 << 20


def test_a_large_file_within_the_bounds_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(40 << 20)
    source = zipped(("a.csv", content), ("MANIFEST.json", manifest({"a.csv": facts(content)})))
    tracemalloc.start()
    try:
        assert verify(source) == []
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    monkeypatch.setattr(pack, "LARGEST", 39 << 20)
    assert "more than 39 MB" in verify(source)[0]


ODD = {
    "a list": b"[]", "null": b"null", "a number": b"1", "a text": b'"x"', "nothing": b"", "deep": b"[" * 200_000,
    "no files": b'{"schema": "riskkit.manifest/1"}', "files as a list": manifest(["a"]),
    "files as null": manifest(None), "facts as a list": manifest({"a": []}), "facts as null": manifest({"a": None}),
    "a hash of null": manifest({"a": {"sha256": None, "bytes": 1}}),
    "a short hash": manifest({"a": {"sha256": "00", "bytes": 1}}),
    "a size of text": manifest({"a": {"sha256": "0" * 64, "bytes": "1"}}),
    "a size of true": manifest({"a": {"sha256": "0" * 64, "bytes": True}}),
    "no utf-8": b"\xff\xfe\x00", "another schema": manifest({}, "other/1"), "a huge number": b"1" * 100_000,
    "a name with escapes": manifest({"\x1b[31m": {"sha256": "0" * 64, "bytes": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_a_manifest_of_another_kind_is_a_sentence(content: bytes) -> None:
    (wrong,) = verify(zipped(("MANIFEST.json", content)), b"sixteen bytes !!")
    assert wrong.startswith(NO_PACK)
    assert wrong.isprintable()


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (zipped(("MANIFEST.json", bytes(LONGEST_MANIFEST + 1))), "longer than it can be"),
        (zipped(*((f"{index}.csv", b"") for index in range(MOST_FILES + 1))), f"more than {MOST_FILES:,} files"),
        (zipped(("../../x", b"")), "leads elsewhere"),
        (zipped(("a\\b", b"")), "leads elsewhere"),
        (zipped(("\x1b[2Jx", b"")), "hides characters"),
        (zipped(("MANIFEST.json", b"{}"), how=zipfile.ZIP_BZIP2), "compressed in a way"),
        (zipped(("MANIFEST.json", b"{}"), how=zipfile.ZIP_LZMA), "compressed in a way"),
        (zipped(("a", b"")), "cannot be read to its end"),
        (b"", "cannot be read to its end"),
        (zipped(("MANIFEST.json", b"{}")) + b"more behind it", "cannot be read to its end"),
    ],
)  # fmt: skip
def test_what_is_no_pack_is_a_sentence(source: bytes, what: str) -> None:
    (wrong,) = verify(source)
    assert what in wrong
    assert wrong.startswith(NO_PACK)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused() -> None:
    """One program would check the first, another unpack the second."""
    source = zipped(("a", b"1"), ("a", b"2"), ("MANIFEST.json", manifest({"a": facts(b"2")})))
    assert verify(source) == ["This is no evidence pack: two of its files have one name."]


def test_a_size_that_is_not_the_manifests_is_noticed() -> None:
    source = zipped(("a", b"1"), ("MANIFEST.json", manifest({"a": {**facts(b"1"), "bytes": 2}})))
    assert verify(source) == ["a was changed: its SHA-256 or its size is not the one in the manifest."]


def test_a_list_of_millions_of_files_is_not_read() -> None:
    """The end of the ZIP says how long its list is; the list alone would fill the memory."""
    source = zipped(("MANIFEST.json", b"{}"))
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 65535, 65535, 200 << 20, 0, 0)
    assert f"more than {MOST_FILES:,} files" in verify(source[:-22] + end)[0]


def test_the_command_says_a_sentence_of_a_bomb_a_folder_and_what_is_too_large(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(bomb())
    assert main(["report", str(path), "--verify"]) == 1
    with path.open("wb") as sparse:
        sparse.truncate(LARGEST + 1)
    assert main(["report", str(path), "--verify"]) == 1
    output = capsys.readouterr().out
    assert output.count(NO_PACK) == 2
    assert main(["report", str(tmp_path), "--verify"]) == 2
    assert "no plain file" in capsys.readouterr().err


def test_the_whole_process_stays_small(tmp_path: Path) -> None:
    """What tracemalloc does not see, the libraries' own memory, is bounded too: an address space of 1 GB is enough."""
    path = tmp_path / "pack.zip"
    path.write_bytes(bomb())
    code = (
        "import resource,sys; from pathlib import Path; from riskkit.report.pack import verify;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; wrong = verify(Path(sys.argv[1]));"
        "print(len(wrong), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    output = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True).stdout
    count, grown = map(int, output.split())
    assert count == 1
    assert grown < 20_000 if sys.platform != "darwin" else 20_000_000  # kilobytes, there bytes
