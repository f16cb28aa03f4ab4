"""Every way in which people and programs write one value: a copy is seen as one in every row, or the column is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from riskkit.errors import Gravity
from riskkit.table.load import Tables
from tests.table.files import AGE, N, cycle, loaded

Form = Callable[[str], str]

TRUTH = cycle("True", "False", "True")
WORDS = cycle("north-east", "O'Hara's", "caf\u00e9 \u30ab\u30ca", "18-24")
CODES = cycle("01067", "10115", "80331")
MONEY = [f"{1234 + 1111 * row}.5" for row in range(N)]
DAYS = [f"2020-{1 + row % 12:02d}-{1 + row % 28:02d}" for row in range(N)]
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

PAIRS = (
    ("TRUE", "FALSE"), ("true", "false"), ("T", "F"), ("t", "f"), ("1", "0"), ("1.0", "0.0"), ("1,0", "0,0"), ("-1", "0"),
    ("yes", "no"), ("Yes", "No"), ("YES", "NO"), ("Y", "N"), ("y", "n"), ("on", "off"), ("On", "Off"),
    ("ja", "nein"), ("Ja", "Nein"), ("J", "N"), ("wahr", "falsch"), ("WAHR", "FALSCH"), ("oui", "non"), ("vrai", "faux"),
    ("VRAI", "FAUX"), ("s\u00ed", "no"), ("si\u0301", "no"), ("si", "no"), ("sim", "n\u00e3o"), ("tak", "nie"), ("\u0434\u0430", "\u043d\u0435\u0442"),
    ("\u306f\u3044", "\u3044\u3044\u3048"), ("\uff11", "\uff10"), ("\u0661", "\u0660"), ("\u662f", "\u5426"), ("\uc608", "\uc544\ub2c8\uc624"), ("'1", "'0"), ('="1"', '="0"'),
    ("1\u200e", "0\u200e"), ("\u202aTrue\u202c", "\u202aFalse\u202c"),
)  # fmt: skip
"""Yes and no."""


def digits(zero: int) -> Form:
    """Digits of the script whose zero is that letter."""
    return lambda text: text.translate({ord("0") + at: zero + at for at in range(10)})


def wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def grouped(sign: str, point: str) -> Form:
    """1234.5 as 1,234.5, with these signs."""
    return lambda text: f"{float(text):,.1f}".replace(",", "_").replace(".", point).replace("_", sign)


def day(written: str) -> Form:
    """A date in another order, ``ymd`` being its parts."""
    return lambda text: written.format(**dict(zip("ymd", text.split("-"), strict=True)))


LETTERS: dict[str, Form] = {
    "as it is": str,
    "zero-width space": lambda text: f"{text}\u200b",
    "zero-width space inside": lambda text: f"{text[:1]}\u200b{text[1:]}",
    "zero-width non-joiner": lambda text: f"{text[:1]}\u200c{text[1:]}",
    "zero-width joiner": lambda text: f"{text[:1]}\u200d{text[1:]}",
    "left-to-right mark": lambda text: f"\u200e{text}",
    "right-to-left mark": lambda text: f"\u200f{text}",
    "embedding": lambda text: f"\u202b{text}\u202c",
    "override": lambda text: f"\u202d{text}\u202c",
    "isolate": lambda text: f"\u2068{text}\u2069",
    "word joiner": lambda text: f"{text}\u2060",
    "invisible separator": lambda text: f"{text}\u2063",
    "invisible plus": lambda text: f"{text}\u2064",
    "variation selector": lambda text: f"{text}\ufe0f",
    "soft hyphen": lambda text: f"{text[:2]}\u00ad{text[2:]}",
    "no-break space after": lambda text: f"{text}\u00a0",
    "narrow space before": lambda text: f"\u202f{text}",
    "ideographic space": lambda text: f"\u3000{text}",
    "spaces": lambda text: f"  {text} ",
    "tab": lambda text: f"{text}\t",
    "full width": wide,
    "Arabic-Indic digits": digits(0x660),
    "Persian digits": digits(0x6F0),
    "Devanagari digits": digits(0x966),
    "Excel formula": '="{}"'.format,
}  # fmt: skip
NUMBERS: dict[str, Form] = {
    "decimals": "{}.0".format,
    "many decimals": "{}.000".format,
    "point alone": "{}.".format,
    "exponent": "{}e0".format,
    "capital exponent": "{}.0E+00".format,
    "plus": "+{}".format,
    "padded": lambda text: text.zfill(5),
    "padded to several widths": lambda text: f"0{text}",
    "decimal comma": "{},0".format,
    "apostrophe": "'{}".format,
    "unit": "{} kg".format,
    "percent": "{}%".format,
    "currency": "\u20ac {}".format,
}
MONIES: dict[str, Form] = {
    "English thousands": grouped(",", "."),
    "German thousands": grouped(".", ","),
    "French thousands": grouped(" ", ","),
    "French thousands, no break": grouped("\u202f", ","),
    "Swiss thousands": grouped("'", "."),
    "Swiss thousands, curly": grouped("\u2019", "."),
    "Arabic signs": lambda text: digits(0x660)(text.replace(".", "\u066b")),
    "decimal comma": lambda text: text.replace(".", ","),
    "more decimals": "{}00".format,
    "exponent": lambda text: f"{float(text):.10e}",
    "minus as it is printed": lambda text: text.replace("-", "\u2212"),
}
WORDS_AS: dict[str, Form] = {
    "capitals": str.upper,
    "small letters": str.lower,
    "decomposed": lambda text: text.replace("\u00e9", "e\u0301"),
    "curly apostrophe": lambda text: text.replace("'", "\u2019"),
    "en dash": lambda text: text.replace("-", "\u2013"),
    "no-break hyphen": lambda text: text.replace("-", "\u2011"),
    "half-width katakana": lambda text: text.replace("\u30ab\u30ca", "\uff76\uff85"),
    "no-break space inside": lambda text: text.replace(" ", "\u00a0"),
}
DATES: dict[str, Form] = {
    "slashes": day("{y}/{m}/{d}"),
    "points": day("{y}.{m}.{d}"),
    "German": day("{d}.{m}.{y}"),
    "British": day("{d}/{m}/{y}"),
    "American": day("{m}/{d}/{y}"),
    "day first, dashes": day("{d}-{m}-{y}"),
    "month first, dashes": day("{m}-{d}-{y}"),
    "midnight": day("{y}-{m}-{d} 00:00:00"),
    "midnight, ISO": day("{y}-{m}-{d}T00:00:00"),
    "midnight with a zone": day("{y}-{m}-{d}T00:00:00Z"),
    "minutes": day("{y}-{m}-{d} 00:00"),
    "names of months": lambda text: day(f"{{d}} {MONTHS[int(text[5:7]) - 1]} {{y}}")(text),
    "names of months, American": lambda text: day(f"{MONTHS[int(text[5:7]) - 1]} {{d}}, {{y}}")(text),
    "SAS": lambda text: day(f"{{d}}{MONTHS[int(text[5:7]) - 1].upper()}{{y}}")(text),
    "Oracle": lambda text: day(f"{{d}}-{MONTHS[int(text[5:7]) - 1].upper()}-{{y}}")(text),
    "compact": day("{y}{m}{d}"),
    "Japanese": day("{y}\u5e74{m}\u6708{d}\u65e5"),
    "years of two digits": lambda text: day("{d}/{m}/{y}")(text[2:]),
}
MISSING = (
    "<NA>", "NaT", "\\N", "NULL", "null", "#N/A", "None", "nan", "NaN", "NA", "N/A", "n/a", "?", ".", "-", "unknown", "(null)",
    "#NULL!", "nil", " ", "\u00a0", "\u200b",
)  # fmt: skip


def matrix() -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """What is written, how, and the values of both files."""
    for yes, no in PAIRS:
        yield f"truth as {yes!a}", TRUTH, [yes if value == "True" else no for value in TRUTH]
    ages = [str(age) for age in AGE]
    kinds = {
        "whole numbers": (ages, LETTERS | NUMBERS),
        "money": (MONEY, LETTERS | MONIES),
        "words": (WORDS, LETTERS | WORDS_AS),
        "codes": (CODES, {**LETTERS, "apostrophe": "'{}".format, "zeros lost": lambda text: text.lstrip("0")}),
        "dates": (DAYS, LETTERS | DATES),
    }
    for kind, (values, forms) in kinds.items():
        for name, form in forms.items():
            yield f"{kind}: {name}", values, [form(value) for value in values]
    for kind, values in (
        ("whole numbers", ages),
        ("words", WORDS),
        ("dates", DAYS),
        ("truth", TRUTH),
        ("codes", CODES),
    ):
        holes = [value if at % 7 else "" for at, value in enumerate(values)]
        for word in MISSING:
            yield f"{kind}: missing as {word!a}", holes, [value or word for value in holes]
    yield "line breaks", cycle("a\r\nb", "c"), cycle("a\nb", "c")


CASES = {name: (real, copy) for name, real, copy in matrix()}


def copies(tables: Tables) -> int:
    """How many released rows are rows of the real table."""
    assert tables.synthetic is not None
    return int((tables.real.keys() == tables.synthetic.keys()).sum())


def is_asked(tables: Tables) -> bool:
    """Whether somebody is asked about the column, so that nothing can be said to be within a limit."""
    asked = {
        one.column
        for one in tables.problems
        if one.gravity is Gravity.QUESTION and one.code in ("values_apart", "kinds_apart")
    }
    return asked == {one.column for one in tables.apart} == {"x"}


@pytest.mark.parametrize("swapped", [False, True], ids=["release", "real"])
def test_every_spelling_is_seen_in_every_row_or_asked_about(swapped: bool) -> None:
    """In one test, because the cases are many and each is quick."""
    lost = []
    for name, files in CASES.items():
        real, copy = files[::-1] if swapped else files
        tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
        is_seen = copies(tables) == N and tables.schema.column("x").is_modelled
        if not is_seen and not is_asked(tables):
            lost.append(name)
    assert lost == []
