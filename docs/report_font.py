"""Cut Noto Sans CJK JP to the characters of a report; see riskkit/report/fonts/README.md."""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, getTableModule

FACE = "NotoSansCJKjp-Regular"
OUT = Path(__file__).parents[1] / "riskkit/report/fonts/NotoSansCJKjp-riskkit.otf"
DROPPED = ["vhea", "vmtx", "VORG", "BASE", "GSUB", "GPOS", "GDEF", "DSIG"]
"""Tables that only other ways of setting type need."""
LETTERS = (
    (0x20, 0x7E),
    (0xA0, 0x24F),
    (0x2B0, 0x3FF),
    (0x400, 0x45F),
    (0x1E00, 0x1EFF),
    (0x2000, 0x23FF),
    (0x2460, 0x27BF),
)
"""Latin, Greek, Cyrillic and signs, first and last of each block."""
ENCODINGS = ("cp932", "gb2312", "euc_kr")


def wanted_characters() -> set[int]:
    """The blocks above, and all that the usual encodings of Japan, China and Korea hold in two bytes."""
    letters = {code for first, last in LETTERS for code in range(first, last + 1)}
    return letters | {code for code in range(0x80, 0x10000) if any(_fits(code, name) for name in ENCODINGS)}


def _fits(code: int, encoding: str) -> bool:
    try:
        return len(chr(code).encode(encoding)) <= 2
    except UnicodeEncodeError:
        return False


def main(collection: str) -> None:
    """Write the cut font beside this file."""
    (font,) = (face for face in TTCollection(collection).fonts if face["name"].getDebugName(6) == FACE)
    options = Options(layout_features=[], hinting=False, notdef_outline=True, recalc_timestamp=False)
    options.name_IDs = [*range(7), 13, 14]  # names, version and licence
    options.drop_tables += DROPPED
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted_characters())
    subsetter.subset(font)
    characters = getTableModule("cmap").CmapSubtable.newSubtable(12)  # as printable.py reads it
    characters.platformID, characters.platEncID, characters.language = 3, 10, 0
    characters.cmap = font.getBestCmap()
    font["cmap"].tables = [characters]
    font.save(OUT)


if __name__ == "__main__":
    main(sys.argv[1])
