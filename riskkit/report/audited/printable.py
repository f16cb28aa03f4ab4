"""What the bundled font can print. A sign it cannot is printed as its number, ``[U+0E01]``: never lost in silence."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FONTS = Path(__file__).parent / "fonts"
FONT = FONTS / "NotoSansCJKjp-riskkit.otf"
MOST = 300
"""Letters of one text that came with a file; a report is no place to print a page of a name."""
RUN = 18
"""Letters without a place to break a line, after which one is put."""
WORD = 8
"""Letters after which a sign that joins words is a good place for one."""
BREAK = "\u200b"
BREAKS_AFTER = "/_.:;,|=&?#"


@cache
def covered() -> frozenset[int]:
    """The characters of the bundled font, read from its own table."""
    data = FONT.read_bytes()
    count = struct.unpack(">H", data[4:6])[0]
    for at in range(12, 12 + 16 * count, 16):
        tag, _, start, _ = struct.unpack(">4sIII", data[at : at + 16])
        if tag == b"cmap":
            offset = start + struct.unpack(">I", data[start + 8 : start + 12])[0]
            groups = struct.unpack(">I", data[offset + 12 : offset + 16])[0]
            found: set[int] = set()
            for group in range(groups):
                here = offset + 16 + 12 * group
                first, last, _ = struct.unpack(">III", data[here : here + 12])
                found.update(range(first, last + 1))
            return frozenset(found)
    return frozenset()


def printable(text: str, most: int = 4000) -> str:
    """The text with every sign that cannot be printed replaced by its number, and long words made breakable."""
    return _breakable("".join(map(_sign, unicodedata.normalize("NFC", text)))[:most])


def _sign(sign: str) -> str:
    if sign in "\n\t":
        return " "
    hidden = unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn")
    return sign if ord(sign) in covered() and not hidden else f"[U+{ord(sign):04X}]"


def _breakable(text: str) -> str:
    out, run = [], 0
    for sign in text:
        out.append(sign)
        run = 0 if sign in " \u3000-" else run + 1
        if run >= RUN or (sign in BREAKS_AFTER and run >= WORD):
            out.append(BREAK)
            run = 0
    return "".join(out)


def everywhere(value: Any) -> Any:
    """The same plain value with every text in it made printable; drawings are left as they are."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {name: each if name == "svg" else everywhere(each) for name, each in value.items()}
    return [everywhere(each) for each in value] if isinstance(value, list | tuple) else value
