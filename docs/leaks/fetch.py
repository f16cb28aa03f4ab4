"""Fetch the public tables of the table of leaks: ``python docs/leaks/fetch.py FOLDER``, run by hand.

Each table is read from the address of whoever published it, held against its hash, spelled as the plan wants it (a line
of headings, True for TRUE, 0.0008 for 8e-04) and held against a second hash, so that the cells that you play are of the
same tables. Nothing else of riskkit ever calls out. Who cannot reach these addresses downloads the files elsewhere and
names their folder, ``--from DOWNLOADS``; they keep the names that their addresses end with.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
import tomllib
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ADULT_COLUMNS = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)
STORED = Path(__file__).with_name("sources.toml")
"""The addresses and hashes."""
SECONDS, MOST_BYTES = 60, 100_000_000
"""How long an answer may take, and how long it may be."""


def short_ends(text: str) -> str:
    """Lines that end as those of the plan's table do."""
    return text.replace("\r\n", "\n")


def adult(text: str) -> str:
    """Headings above, and no space after a comma."""
    lines = (line.replace(", ", ",") for line in text.splitlines() if line)
    return "\n".join([ADULT_COLUMNS, *lines]) + "\n"


def census(text: str) -> str:
    """Without the first column, which numbers the lines of another file."""
    return "".join(line.partition(",")[2] for line in text.splitlines(keepends=True))


def shoppers(text: str) -> str:
    """Truth and numbers in one spelling, whatever program wrote them."""
    rows = csv.reader(io.StringIO(text))
    spelled = io.StringIO()
    csv.writer(spelled, lineterminator="\n").writerows([[_spell(value) for value in row] for row in rows])
    return spelled.getvalue()


def _spell(value: str) -> str:
    if value in ("TRUE", "FALSE"):
        return value.capitalize()
    if "e-" in value:
        return str(float(value))
    return value.removesuffix(".0")


SPELLINGS: dict[str, Callable[[str], str]] = {
    "": str,
    "adult": adult,
    "census": census,
    "short_ends": short_ends,
    "shoppers": shoppers,
}


@dataclass(frozen=True)
class Source:
    """Where a table is published, the hash of what is there, and what becomes of it.

    ``member`` is a file in a zip; ``published`` and ``sha256`` are of the text, unpacked: before and after the function
    of :data:`SPELLINGS` that ``spelling`` names.
    """

    file: str
    address: str
    published: str
    sha256: str
    spelling: str = ""
    member: str = ""

    @property
    def name(self) -> str:
        """What the file is called where somebody has downloaded it."""
        return urllib.parse.unquote(self.address).rsplit("/", 1)[-1]


def sources() -> list[Source]:
    """Five tables, and the published releases of one of them."""
    return [Source(**entry) for entry in tomllib.loads(STORED.read_text(encoding="utf-8"))["table"]]


def fetch(source: Source, folder: Path, downloads: Path | None) -> str:
    """Bring one table into the folder where it is not there yet, and say what was done.

    Raises
    ------
    ValueError
        It cannot be had, or is another one than the cells are of.
    """
    path = folder / source.file
    if _is_there(path, source.sha256):
        return "is there"
    content = _download(source.address) if downloads is None else _find(source, downloads)
    text = _unpack(content, source.member)
    _hold(text, source.published, "what is published there is another file than the table was made of")
    text = SPELLINGS[source.spelling](text)
    _hold(text, source.sha256, "what was made of it is another table than the cells are of")
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = text.encode()
    path.write_bytes(gzip.compress(raw, mtime=0) if path.suffix == ".gz" else raw)
    return f"written, {text.count(chr(10)) - 1:,} rows"


def _is_there(path: Path, expected: str) -> bool:
    try:
        return sha256(_unpack(path.read_bytes(), "").encode()).hexdigest() == expected
    except (OSError, ValueError):
        return False


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310  # addresses stand above
            content: bytes = answer.read(MOST_BYTES + 1)
    except (urllib.error.URLError, OSError) as error:
        raise ValueError(f"{address} does not answer ({getattr(error, 'reason', error)})") from error
    if len(content) > MOST_BYTES:
        raise ValueError(f"{address} holds more than {MOST_BYTES:,} bytes, so it is no such table")
    return content


def _find(source: Source, downloads: Path) -> bytes:
    if not (path := downloads / source.name).is_file():
        raise ValueError(f"{downloads} has no {source.name}; download it from {source.address}")
    return path.read_bytes()


def _unpack(content: bytes, member: str) -> str:
    """The text of a plain or packed file."""
    try:
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                names = [name for name in packed.namelist() if name.split("/")[-1] == member]
                if not names:
                    raise ValueError(f"the zip has no {member}")
                content = packed.read(names[0])
        elif content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        return content.decode()
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, UnicodeDecodeError) as error:
        raise ValueError("it cannot be unpacked") from error


def _hold(text: str, expected: str, otherwise: str) -> None:
    if (seen := sha256(text.encode()).hexdigest()) != expected:
        raise ValueError(f"{otherwise} (sha256 {seen[:16]}, not {expected[:16]})")


def main(words: list[str] | None = None) -> int:
    """Fetch every table; 1 where one could not be had, and the others are there all the same."""
    parser = argparse.ArgumentParser(description="Fetch the public tables of the table of leaks.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to put them")
    parser.add_argument("--from", dest="downloads", type=Path, metavar="DIR", help="take files from here; call nobody")
    options = parser.parse_args(words)
    failed = 0
    for source in sources():
        try:
            done = fetch(source, options.folder, options.downloads)
        except ValueError as error:
            failed, done = 1, f"not there: {error}"
        print(f"{source.file}: {done}")  # noqa: T201  # a script says what it did
    if not failed:
        print(f"Play ten cells again: riskkit bench docs/leaks/first.toml --data {options.folder} --quick")  # noqa: T201
    return failed


if __name__ == "__main__":
    sys.exit(main())
