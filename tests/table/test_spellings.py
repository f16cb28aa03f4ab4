"""Every way to write one value: a copy is seen as one in every row, or the column is asked about."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from riskkit.errors import Gravity
from riskkit.table import load
from riskkit.table.kinds import dates, numbers, spellings
from riskkit.table.load import Tables
from tests.table.files import AGE, N, cycle, loaded

pytestmark = pytest.mark.second

Form = Callable[[str], str]

TRUTH = cycle("True", "False", "True")
WORDS = cycle("north-east", "O'Hara's", "caf\u00e9 \u30ab\u30ca", "18-24")
CODES = cycle("01067", "10115", "80331")
MONEY = [f"{1234 + 1111 * row}.5" for row in range(N)]
DAYS = [f"2020-{1 + row % 12:02d}-{1 + row % 28:02d}" for row in range(N)]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

PAIRS = (
    ("TRUE", "FALSE"), ("true", "false"), ("T", "F"), ("t", "f"), ("1", "0"), ("1.0", "0.0"), ("1,0", "0,0"),
    ("-1", "0"), ("yes", "no"), ("Yes", "No"), ("YES", "NO"), ("Y", "N"), ("y", "n"), ("on", "off"), ("On", "Off"),
    ("ja", "nein"), ("Ja", "Nein"), ("J", "N"), ("wahr", "falsch"), ("WAHR", "FALSCH"), ("oui", "non"),
    ("vrai", "faux"), ("VRAI", "FAUX"), ("s\u00ed", "no"), ("si\u0301", "no"), ("si", "no"), ("sim", "n\u00e3o"),
    ("tak", "nie"), ("\u0434\u0430", "\u043d\u0435\u0442"), ("\u306f\u3044", "\u3044\u3044\u3048"),
    ("\uff11", "\uff10"), ("\u0661", "\u0660"), ("\u662f", "\u5426"), ("\uc608", "\uc544\ub2c8\uc624"),
    ("'1", "'0"), ('="1"', '="0"'), ("1\u200e", "0\u200e"), ("\u202aTrue\u202c", "\u202aFalse\u202c"),
)  # fmt: skip
"""Yes and no."""


def digits(zero: int) -> Form:
    """Digits of the script whose zero is that letter."""
    return lambda text: text.translate({ord("0") + digit: zero + digit for digit in range(10)})


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
    "<NA>", "NaT", "\\N", "NULL", "null", "#N/A", "None", "nan", "NaN", "NA", "N/A", "n/a", "?", ".", "-", "unknown",
    "(null)", "#NULL!", "nil", " ", "\u00a0", "\u200b",
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
        holes = [value if row % 7 else "" for row, value in enumerate(values)]
        for word in MISSING:
            yield f"{kind}: missing as {word!a}", holes, [value or word for value in holes]
    yield "line breaks", cycle("a\r\nb", "c"), cycle("a\nb", "c")


CASES = {f"{number} {name}": (real, copy) for number, (name, real, copy) in enumerate(matrix())}


def alike(tables: Tables, name: str) -> int:
    """How many released values of a column are the real ones in their place; 0 where no attack sees the column."""
    assert tables.synthetic is not None
    schema, column = tables.schema, tables.schema.column(name)
    if not column.is_modelled:
        return 0
    if column.is_numeric:
        index = schema.numeric.index(column)
        return int(
            np.isclose(tables.real.numbers[:, index], tables.synthetic.numbers[:, index], 0, 0, equal_nan=True).sum()
        )
    index = schema.categorical.index(column)
    return int((tables.real.codes[:, index] == tables.synthetic.codes[:, index]).sum())


def lost(tables: Tables) -> list[str]:
    """The columns of which not every value is seen as the real one, and about which nobody is asked."""
    asked = {
        problem.column
        for problem in tables.problems
        if problem.gravity is Gravity.QUESTION and problem.code in ("values_apart", "kinds_apart")
    }
    assert asked == {overlap.column for overlap in tables.apart}, "what is asked stands in the way of a verdict"
    return [name for name in CASES if alike(tables, name) < N and name not in asked]


@pytest.fixture(scope="module", params=[False, True], ids=["release", "real"])
def tables(request: pytest.FixtureRequest) -> Tables:
    """A column for each case, the odd writing in the release or in the real file."""
    sides = [{name: files[side] for name, files in CASES.items()} for side in (0, 1)]
    return loaded(*(sides[::-1] if request.param else sides))


def test_every_spelling_is_seen_in_every_row_or_asked_about(tables: Tables) -> None:
    assert len(CASES) > 300
    assert lost(tables) == []


def test_almost_none_has_to_be_asked_about(tables: Tables) -> None:
    """Years of two digits are nobody's to guess."""
    asked = {overlap.column.split(" ", 1)[1] for overlap in tables.apart}
    assert asked == {"dates: years of two digits"}


def test_no_sentence_holds_a_value(tables: Tables) -> None:
    sentences = " ".join(problem.what + problem.do for problem in tables.problems if problem.code != "missing_differs")
    assert not [value for value in ("O'Hara", "01067", "north-east", "80331", "2020-0") if value in sentences]


@pytest.mark.parametrize("left_out", ["matched", "forms of categories", "forms of numbers"])
def test_without_a_rule_copies_are_lost(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted faults."""
    if left_out == "matched":
        monkeypatch.setattr(load, "match_values", lambda files, choices: (files, []))
    else:
        for module in (spellings,) if left_out == "forms of categories" else (numbers, dates):
            monkeypatch.setattr(module, "plain", str)
    few = {name: files for name, files in CASES.items() if "missing" not in name}
    loaded_without = loaded(*({name: files[side] for name, files in few.items()} for side in (0, 1)))
    assert sum(alike(loaded_without, name) < N for name in few) > 5
