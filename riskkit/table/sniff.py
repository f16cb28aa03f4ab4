"""What a file is by its bytes: another format, its encoding, its delimiter."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from riskkit.errors import EncodingError, FileError, Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.encodings import candidates

_MAGIC = (
    (b"\xd0\xcf\x11\xe0", phrase("an old Excel workbook (.xls) or another Office file"), phrase("Export it as CSV.")),
    (b"%PDF", phrase("a PDF document"), phrase("Export the table as CSV.")),
    (b"\x89PNG", phrase("a PNG image"), phrase("Export the table as CSV.")),
    (b"\xff\xd8\xff", phrase("a JPEG image"), phrase("Export the table as CSV.")),
    (b"GIF8", phrase("a GIF image"), phrase("Export the table as CSV.")),
    (b"PAR1", phrase("a Parquet file"), phrase("Export it as CSV.")),
    (b"ARROW1", phrase("an Arrow file"), phrase("Export it as CSV.")),
    (b"FEA1", phrase("a Feather file"), phrase("Export it as CSV.")),
    (b"{\\rtf", phrase("a document in rich text (RTF)"), phrase("Export the table as CSV.")),
    (b"\x1f\x8b", phrase("a gzip archive"), phrase("Unpack it first and load the CSV.")),
    (b"BZh", phrase("a bzip2 archive"), phrase("Unpack it first and load the CSV.")),
    (b"\xfd7zXZ", phrase("an xz archive"), phrase("Unpack it first and load the CSV.")),
    (b"\x28\xb5\x2f\xfd", phrase("a zstd archive"), phrase("Unpack it first and load the CSV.")),
    (b"7z\xbc\xaf", phrase("a 7-Zip archive"), phrase("Unpack it first and load the CSV.")),
    (b"Rar!", phrase("a RAR archive"), phrase("Unpack it first and load the CSV.")),
    (b"SQLite format 3\x00", phrase("an SQLite database"), phrase("Export the table as CSV.")),
    (b"$FL2", phrase("an SPSS file"), phrase("Export it as CSV.")),
    (b"<stata_dta>", phrase("a Stata file"), phrase("Export it as CSV.")),
    (b"\x89HDF\r\n", phrase("an HDF5 file"), phrase("Export the table as CSV.")),
    (b"Obj\x01", phrase("an Avro file"), phrase("Export the table as CSV.")),
    (b"\x93NUMPY", phrase("a NumPy array"), phrase("Export the table as CSV.")),
    (b"PARE", phrase("an encrypted Parquet file"), phrase("Export it without encryption.")),
    (b"RDX2\n", phrase("a file of R"), phrase("Export the table as CSV.")),
    (b"RDX3\n", phrase("a file of R"), phrase("Export the table as CSV.")),
    (b"X\n\0\0\0", phrase("a file of R"), phrase("Export the table as CSV.")),
    *(
        (mark, phrase("a pickle of Python"), phrase("Export the table as CSV."))
        for mark in (b"\x80\x04\x95", b"\x80\x05\x95")
    ),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"])')
_HTML = re.compile(rb"\s*<(!doctype|html|\?xml|head|body)", re.IGNORECASE)
_SQL_FIRST = re.compile(
    rb"\s*(?:--|/\*|#|\\\w|(?:rem|prompt|set|use|begin|start|create|insert|replace|drop|pragma|alter|lock|copy)\b)",
    re.IGNORECASE,
)
"""How a dump of a database may begin: a comment or a command. A table may, too, by its first name."""
_SQL = re.compile(
    rb"^[ \t]*(?:create\s+(?:\w+\s+){0,3}?table\s[^(,;]{1,300}\("
    rb"|(?:insert|replace)\s[^(,;]{1,300}(?:\([^;)]{1,9999}\)\s*)?values\s*\("
    rb"|copy\s[^;]{1,9999}?\sfrom\s+stdin\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A command that makes a table or fills one, at the start of a line."""
_SQL_HEAD = 1 << 16
"""Bytes in which the first such command stands: settings and types stand before it."""
_RULE = re.compile(rb"(?:[^\n]*\n)?[ \t]*[|+:-]*[-]{3}[ \t|+:-]*[|+][ \t|+:-]*\r?\n")
"""A line of dashes that crosses or bars divide, as the first or the second of a file."""


def refuse_other_formats(source: bytes, name: str) -> None:
    """Raise :class:`FileError` where the bytes are not those of a text table, whatever the file is called."""
    if not source:
        raise FileError.of("empty_file", phrase("The file is empty (0 bytes)."), phrase("Export it again."), file=name)
    if source[:4] == b"PK\x03\x04":
        what, do = _zipped(source[:8192])
        raise FileError.of("not_csv", phrase("This is {what}, not a CSV.", what=what), do, file=name)
    for magic, what, do in _MAGIC:
        if source.startswith(magic):
            raise FileError.of("not_csv", phrase("This is {what}, not a CSV.", what=what), do, file=name)
    start = _start(source)
    head = start[:4096]
    if _SQL_FIRST.match(head) and _SQL.search(start):
        what = phrase("a list of commands for a database (SQL)")
        raise FileError.of(
            "not_csv", phrase("This is {what}, not a CSV.", what=what), phrase("Export the table as CSV."), file=name
        )
    if _HTML.match(head):
        what = phrase("an HTML or XML page (perhaps a login or error page)")
        raise FileError.of(
            "not_csv", phrase("This is {what}, not a CSV.", what=what), phrase("Download the table again."), file=name
        )
    if _JSON.match(head):
        raise FileError.of("not_csv", phrase("This is JSON, not a CSV."), phrase("Export the table as CSV."), file=name)
    if source[257:262] == b"ustar":
        what = phrase("This is {what}, not a CSV.", what=phrase("a tar archive"))
        raise FileError.of("not_csv", what, phrase("Unpack it first and load the CSV."), file=name)
    if _RULE.match(head):
        what = phrase(
            "This is {what}, not a CSV.", what=phrase("a table drawn with lines, as in Markdown or a terminal")
        )
        raise FileError.of("not_csv", what, phrase("Export the table as CSV."), file=name)
    if not source[:4096].strip(b"\0") and not source.strip(b"\0"):
        raise FileError.of(
            "only_nul", phrase("The file holds nothing but NUL bytes."), phrase("Export it again."), file=name
        )


def _start(source: bytes) -> bytes:
    """The first bytes without a byte-order mark, those of UTF-16 as UTF-8."""
    start = source[:_SQL_HEAD]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return start.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return start.removeprefix(codecs.BOM_UTF8)


def _zipped(head: bytes) -> tuple[str, str]:
    """What a ZIP container holds, and what to do about it."""
    if b"[Content_Types].xml" in head or b"xl/" in head:
        return phrase("an Excel workbook (.xlsx)"), phrase("Export it as CSV.")
    if b"mimetypeapplication/vnd.oasis" in head:
        return phrase("an OpenDocument file (.ods)"), phrase("Export it as CSV.")
    return phrase("a ZIP archive"), phrase("Unpack it first and load the CSV.")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The file as UTF-8 without a byte-order mark, and how it was read."""

    data: bytes
    encoding: str
    encoding_from: str
    problems: tuple[Problem, ...] = ()
    is_ascii: bool = False


def decode(source: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The file as UTF-8: by the encoding asked for, else its byte-order mark, else UTF-8, else a stated guess.

    Raises
    ------
    EncodingError
        The bytes are not text in that encoding; says on which line. Nothing is ever replaced.
    """
    if encoding is not None:
        return _chosen(source, name, encoding)
    for mark, marked in _BOMS:
        if source.startswith(mark):
            return _by_mark(source, name, marked)
    if source.isascii():
        return Decoded(source, "utf-8", "utf-8", is_ascii=True)
    if _is_utf8(source):
        return Decoded(source, "utf-8", "utf-8")
    try:
        source.decode()
    except UnicodeDecodeError as error:
        _refuse_broken_utf8(source, name, error)
    return _guessed(source, name)


def _is_utf8(source: bytes) -> bool:
    """Whether the bytes are UTF-8, found without a copy of them."""
    ends = pa.py_buffer(np.array([0, len(source)], dtype=np.int64))
    whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, pa.py_buffer(source)])
    try:
        whole.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _chosen(source: bytes, name: str, encoding: str) -> Decoded:
    try:
        known = codecs.lookup(encoding).name
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        raise EncodingError.of(
            "not_in_encoding",
            phrase("The text is not {encoding}.", encoding=encoding),
            phrase("Choose another encoding."),
            file=name,
            line=line_at(source, error.start),
        ) from None
    except (LookupError, UnicodeError, ValueError):
        raise EncodingError.of(
            "unknown_encoding",
            phrase("There is no text encoding {encoding!r}.", encoding=encoding),
            phrase("Choose another encoding."),
            file=name,
        ) from None
    return Decoded(_utf8(text.removeprefix("\ufeff"), name), known, "chosen")


def _by_mark(source: bytes, name: str, encoding: str) -> Decoded:
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        raise EncodingError.of(
            "broken_encoding",
            phrase(
                "The file begins as {encoding} but byte {byte:,} does not belong to it; it may be cut "
                "off or two files joined.",
                encoding=encoding.upper(),
                byte=error.start,
            ),
            phrase("Export it again."),
            file=name,
        ) from None
    repair = Problem(
        Gravity.REPAIR,
        "byte_order_mark",
        phrase("The file has a byte-order mark and was read as {encoding}.", encoding=encoding),
        "",
        name,
    )
    data = source[len(codecs.BOM_UTF8) :] if encoding == "utf-8-sig" else _utf8(text, name)
    return Decoded(data, encoding, "bom", (repair,))


def _utf8(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise EncodingError.of(
            "broken_encoding",
            phrase("The text holds half characters (lone surrogates)."),
            phrase("Export it as UTF-8."),
            file=name,
        ) from None


def _refuse_broken_utf8(source: bytes, name: str, error: UnicodeDecodeError) -> None:
    """Raise where the file is UTF-8 but for one place; return where it is some other encoding altogether."""
    last = source[max(error.start - 1_000_000, 0) : error.start].decode(errors="ignore")
    before = sum(ord(character) > 127 for character in last)
    if error.reason == "unexpected end of data" and before:
        raise EncodingError.of(
            "truncated",
            phrase("The file breaks off within a character at byte {byte:,}.", byte=error.start),
            phrase("Export or copy it again."),
            file=name,
            line=line_at(source, error.start),
        ) from None
    if before >= 5:
        raise EncodingError.of(
            "mixed_encoding",
            phrase("The file is UTF-8 up to here and something else from here on."),
            phrase("Export it again in one encoding, or choose the encoding."),
            file=name,
            line=line_at(source, error.start),
        ) from None


def _guessed(source: bytes, name: str) -> Decoded:
    for encoding in candidates(source):
        try:
            text = source.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Decoded(_utf8(text, name), encoding, "guess", (guess_problem(encoding, name),))
    raise EncodingError.of(
        "encoding_unclear",
        phrase("The encoding of the file cannot be found."),
        phrase("Choose it, or save as UTF-8."),
        file=name,
    )


def guess_problem(encoding: str, name: str) -> Problem:
    """The question about a file whose encoding was guessed."""
    return Problem(
        Gravity.QUESTION,
        "encoding_guess",
        phrase("The file is not UTF-8; its encoding was guessed as {encoding}.", encoding=encoding),
        phrase("Look at the first rows and choose another encoding if names or words look wrong."),
        name,
    )


def line_at(data: bytes, offset: int) -> int:
    """The line (from 1) that the byte at ``offset`` is on."""
    ends = data.count(b"\n", 0, offset)
    return 1 + ends + data.count(b"\r", 0, offset) - data.count(b"\r\n", 0, offset)


def find_delimiter(lines: list[str]) -> str:
    """The delimiter under which most of these lines have one and the same number of fields; comma where none is."""
    best, best_key = ",", (0.0, 1)
    for delimiter in ",;\t|":
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        fields, times = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
        key = (times / counts.total(), fields)
        if fields > 1 and key > best_key:
            best, best_key = delimiter, key
    if best_key[1] > 1:
        return best
    for (
        delimiter
    ) in "\x01\x1f~^":  # as databases write them; a sign that may also stand in a text must divide all lines
        widths = {len(row) for row in csv.reader(lines, delimiter=delimiter) if row}
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return best
