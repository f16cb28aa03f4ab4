"""Cut Noto Sans CJK JP to the characters of a report: ``python make.py NotoSansCJK-Regular.ttc``.

Glyphs keep their numbers; those not wanted become empty. Tables that only other ways of setting type need are left out.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

FACE = b"NotoSansCJKjp-Regular"
OUT = Path(__file__).with_name("NotoSansCJKjp-riskkit.otf")
KEPT = ("CFF ", "OS/2", "head", "hhea", "hmtx", "maxp", "name", "post")
LETTERS = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x2B0, 0x3FF), (0x400, 0x45F), (0x1E00, 0x1EFF), (0x2000, 0x23FF), (0x2460, 0x27BF),
)  # fmt: skip
"""Latin, Greek, Cyrillic and signs, first and last of each block."""
ENCODINGS = ("cp932", "gb2312", "euc_kr")
EMPTY = b"\x0e"
"""The program of a glyph that draws nothing."""
CHAR_STRINGS, PRIVATE, FD_ARRAY = 17, 18, 1236
"""Operators of a CFF dictionary; two-byte ones with 1200 before their second byte."""


def wanted() -> set[int]:
    """The blocks above, and all that the usual encodings of Japan, China and Korea hold in two bytes."""
    found = {code for first, last in LETTERS for code in range(first, last + 1)}
    return found | {code for code in range(0x80, 0x10000) if any(_fits(code, name) for name in ENCODINGS)}


def _fits(code: int, encoding: str) -> bool:
    try:
        return len(chr(code).encode(encoding)) <= 2
    except UnicodeEncodeError:
        return False


def tables(data: bytes) -> dict[str, bytes]:
    """The tables of our face in a collection."""
    count = struct.unpack(">I", data[8:12])[0]
    for start in struct.unpack(f">{count}I", data[12 : 12 + 4 * count]):
        number = struct.unpack(">H", data[start + 4 : start + 6])[0]
        found: dict[str, bytes] = {}
        for at in range(start + 12, start + 12 + 16 * number, 16):
            tag, _, offset, length = struct.unpack(">4sIII", data[at : at + 16])
            found[tag.decode()] = data[offset : offset + length]
        if FACE in found["CFF "][:60]:
            return found
    raise SystemExit(f"The collection holds no {FACE.decode()}.")


def mapping(cmap: bytes) -> dict[int, int]:
    """Character to glyph, from the widest subtable (format 12)."""
    for at in range(4, 4 + 8 * struct.unpack(">H", cmap[2:4])[0], 8):
        offset = struct.unpack(">I", cmap[at + 4 : at + 8])[0]
        if struct.unpack(">H", cmap[offset : offset + 2])[0] != 12:
            continue
        found = {}
        for group in range(struct.unpack(">I", cmap[offset + 12 : offset + 16])[0]):
            here = offset + 16 + 12 * group
            first, last, glyph = struct.unpack(">III", cmap[here : here + 12])
            found.update({code: glyph + code - first for code in range(first, last + 1)})
        return found
    raise SystemExit("The face has no table of all its characters.")


def index(data: bytes, at: int) -> tuple[list[bytes], int]:
    """The entries of a CFF INDEX, and where it ends."""
    count = struct.unpack(">H", data[at : at + 2])[0]
    if not count:
        return [], at + 2
    size, base = data[at + 2], at + 3
    ends = [int.from_bytes(data[base + i * size : base + (i + 1) * size], "big") for i in range(count + 1)]
    start = base + (count + 1) * size - 1
    return [data[start + ends[i] : start + ends[i + 1]] for i in range(count)], start + ends[-1]


def written(entries: list[bytes]) -> bytes:
    """A CFF INDEX of these entries, with offsets of four bytes."""
    ends = [1]
    for entry in entries:
        ends.append(ends[-1] + len(entry))
    head = struct.pack(">HB", len(entries), 4) + struct.pack(f">{len(ends)}I", *ends)
    return head + b"".join(entries)


def operands(entry: bytes) -> list[tuple[int, list[tuple[int, int, int]]]]:
    """The operators of a CFF dictionary, each with its operands: (value, where it begins, bytes)."""
    out: list[tuple[int, list[tuple[int, int, int]]]] = []
    stack: list[tuple[int, int, int]] = []
    at = 0
    while at < len(entry):
        first = entry[at]
        if first <= 21:
            operator, length = (1200 + entry[at + 1], 2) if first == 12 else (first, 1)
            out.append((operator, stack))
            stack = []
        else:
            value, length = _operand(entry, at)
            stack.append((value, at, length))
        at += length
    return out


def _operand(entry: bytes, at: int) -> tuple[int, int]:
    """A number and its length; of a real number only the length."""
    first = entry[at]
    if first == 28:
        return struct.unpack(">h", entry[at + 1 : at + 3])[0], 3
    if first == 29:
        return struct.unpack(">i", entry[at + 1 : at + 5])[0], 5
    if first == 30:
        end = at + 1
        while entry[end] & 15 != 15:
            end += 1
        return 0, end + 1 - at
    return (first - 139, 1) if first <= 246 else (0, 2)


def value(entry: bytes, operator: int) -> int:
    """The first operand of an operator."""
    return next(stack[0][0] for found, stack in operands(entry) if found == operator)


def moved(entry: bytes, operator: int, place: int, by: int) -> bytes:
    """The dictionary with an offset lowered; offsets of that size are all written in five bytes."""
    old, start, length = next(stack[place] for found, stack in operands(entry) if found == operator)
    if length != 5:
        raise SystemExit("An offset of the font is written in another way than expected.")
    return entry[:start] + b"\x1d" + struct.pack(">i", old - by) + entry[start + 5 :]


def cut(cff: bytes, keep: set[int]) -> bytes:
    """The CFF table with all other glyphs empty, and what lies behind them moved up."""
    _, at = index(cff, cff[2])
    tops, after = index(cff, at)
    start, fonts = value(tops[0], CHAR_STRINGS), value(tops[0], FD_ARRAY)
    glyphs, end = index(cff, start)
    fewer = written([glyph if number in keep else EMPTY for number, glyph in enumerate(glyphs)])
    by = (end - start) - len(fewer)
    dictionaries, fonts_end = index(cff, fonts)
    fresh = cff[fonts:fonts_end]
    for one in dictionaries:
        fresh = fresh.replace(one, moved(one, PRIVATE, 1, by))
    head = cff[:after].replace(tops[0], moved(tops[0], FD_ARRAY, 0, by))
    return head + cff[after:start] + fewer + cff[end:fonts] + fresh + cff[fonts_end:]


def cmap_of(pairs: dict[int, int]) -> bytes:
    """The table of characters, in one subtable of format 12."""
    groups: list[list[int]] = []
    for code, glyph in sorted(pairs.items()):
        if groups and code == groups[-1][1] + 1 and glyph == groups[-1][2] + code - groups[-1][0]:
            groups[-1][1] = code
        else:
            groups.append([code, code, glyph])
    head = struct.pack(">HHIII", 12, 0, 16 + 12 * len(groups), 0, len(groups))
    body = b"".join(struct.pack(">III", *group) for group in groups)
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + head + body


def font(parts: dict[str, bytes]) -> bytes:
    """A font file of these tables."""
    count = len(parts)
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(">4sHHHH", b"OTTO", count, power * 16, power.bit_length() - 1, count * 16 - power * 16)
    body, at = b"", 12 + 16 * count
    for tag, data in sorted(parts.items()):
        padded = data + b"\0" * (-len(data) % 4)
        check = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        head += struct.pack(">4sIII", tag.encode(), check, at + len(body), len(data))
        body += padded
    return head + body


def main(source: str) -> None:
    """Write the cut font beside this file."""
    given = tables(Path(source).read_bytes())
    every = mapping(given["cmap"])
    pairs = {code: every[code] for code in sorted(wanted()) if code in every}
    parts = {tag: given[tag] for tag in KEPT}
    parts["CFF "] = cut(given["CFF "], {0, *pairs.values()})
    parts["cmap"] = cmap_of(pairs)
    OUT.write_bytes(font(parts))


if __name__ == "__main__":
    main(sys.argv[1])
