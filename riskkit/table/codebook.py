"""Codebooks: what the file of another program says of columns, as decisions about them.

Read are the metadata of SDV, table schemas and packages of Frictionless, Croissant, codebooks of DDI, and what files of
SPSS, Stata and SAS say of their own columns. A codebook is believed as far as the tables bear it out: what contradicts
them is said and left undone. It never says that a column need not be looked at.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from riskkit.core import Kind, Role
from riskkit.errors import FileError, Gravity, InputError, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.kinds.alike import fold_text
from riskkit.table.kinds.choice import ColumnChoice, UnknownWord
from riskkit.table.kinds.dates import DATE_FORMATS, TWINS, day
from riskkit.table.kinds.judge import judge
from riskkit.table.kinds.labels import ValueLabels, code, labels_of
from riskkit.table.kinds.numbers import number
from riskkit.table.load import OF_CHILDREN, PREFIX
from riskkit.table.read.columnar import kind_of
from riskkit.table.read.files import read_apart
from riskkit.table.read.source import bytes_of
from riskkit.table.text import Limits, TextTable

LARGEST = 32 << 20
"""Bytes of a codebook, at most."""
KINDS_OF_CODEBOOK = (
    "decisions of riskkit, metadata of SDV, a table schema or package of Frictionless, Croissant, a codebook of DDI, "
    "or a file of SPSS, Stata or SAS"
)
"""What a file about columns may be."""

FORM = (
    '{"COLUMN": {"kind": "categorical", "role": "ignored", "missing_tokens": ["?"], "read_as": {"1": "yes"}, '
    '"scale": 2.54, "offset": 0, "differs": false, "called": {"release": "NAME"}}}'
)
"""How decisions of riskkit are written; every entry may be left out."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a codebook says of one column; whatever it does not say is empty.

    ``words`` are the labels of codes, and ``is_closed`` says that there are no other values. ``missing`` are codes, and
    ``missing_ranges`` ranges of numbers (with both ends), that mean missing. ``low`` and ``high`` bound its numbers.
    ``date_format`` is written as that of :func:`time.strptime`.
    """

    kind: Kind | None = None
    role: Role | None = None
    label: str = ""
    date_format: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    is_closed: bool = False
    missing: tuple[str, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    low: float = -math.inf
    high: float = math.inf
    is_required: bool = False

    def is_missing(self, text: str) -> bool:
        """Whether a text of the column means missing."""
        value = number(text) if self.missing_ranges else math.nan
        is_within = any(low <= value <= high for low, high in self.missing_ranges)
        return is_within or (code(text) in map(code, self.missing))


@dataclass(frozen=True, slots=True)
class Codebook:
    """A file about columns: ``title`` says of which kind; one or more ``tables``, each with its columns by name.

    ``choices`` are decisions in riskkit's own form, which hold as they stand.
    """

    title: str
    tables: tuple[Mapping[str, Description], ...] = ()
    choices: Mapping[str, ColumnChoice] = field(default_factory=dict)

    def decisions(self, texts: Mapping[str, TextTable]) -> tuple[dict[str, ColumnChoice], tuple[Problem, ...]]:
        """What follows for the columns of these files, by slot; and what the codebook says that they do not bear out.

        Only what differs from what riskkit finds by itself is decided, so that all its own questions stay asked.
        """
        decided, left = dict(self.choices), list(self.tables)
        problems: list[Problem] = []
        for before, slot in (("", ""), (OF_CHILDREN, PREFIX)):
            files = {
                name.removeprefix(PREFIX): text for name, text in texts.items() if name.startswith(PREFIX) == bool(slot)
            }
            if not left or "real" not in files:
                continue
            names = {fold_text(name): name for name in files["real"].columns}
            table = max(left, key=lambda columns: len(names.keys() & set(map(fold_text, columns))))
            left.remove(table)
            described = {names.get(fold_text(name), name): own for name, own in table.items()}
            problems += _strangers(described, files["real"], self.title)
            for name in files["real"].columns:
                if name in described:
                    choice, contradictions = _decide(name, described[name], files)
                    problems += contradictions
                    decided |= {f"{before}{name}": choice} if choice != ColumnChoice() else {}
        return decided, tuple(problems)


def read_codebook(source: Path | bytes, name: str = "") -> Codebook:
    """The codebook in a file, whatever kind it is of.

    Raises
    ------
    FileError
        It cannot be read, or is none. No value of it is repeated.
    """
    name = name or (source.name if isinstance(source, Path) else "codebook")
    content = bytes_of(source, name, Limits(size=LARGEST))
    program = kind_of(content)
    if program is not None:
        labels = labels_of(read_apart(content, name=name))
        return Codebook(program[0], ({column: _read_labels(own) for column, own in labels.items()},))
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe<", b"\xfe\xff\0<")):
        return _read_ddi(content, name)
    try:
        stored = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise _unknown(name) from None
    if not isinstance(stored, dict):
        raise _unknown(name)
    for holds, title, tables in _FORMS:
        if holds(stored):
            return Codebook(title, _parse(tables, stored, name))
    try:
        return Codebook("", choices={str(column): ColumnChoice.from_dict(own) for column, own in stored.items()})
    except (ValueError, TypeError, AttributeError) as error:
        raise _unknown(name, error) from None


def _unknown(name: str, error: Exception | None = None) -> InputError:
    """The refusal of what is no codebook; of decisions with a misspelled word it names the right one alone."""
    if isinstance(error, UnknownWord) and error.near:
        what = phrase("A {what} in it does not exist{near}.", what=error.what, near=error.near)
        return FileError.of("no_codebook", what, phrase("Correct it."), file=name)
    return FileError.of(
        "no_codebook",
        phrase("It is no file about columns that riskkit knows."),
        phrase("Give {kinds}. Decisions are written as {form}.", kinds=KINDS_OF_CODEBOOK, form=FORM),
        file=name,
    )


def _parse(
    tables: Callable[[Mapping[str, Any]], Iterable[Mapping[str, Description]]], stored: Mapping[str, Any], name: str
) -> tuple[Mapping[str, Description], ...]:
    try:
        return tuple(tables(stored))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _unknown(name) from None


# --------------------------------------------------------------------------------------------------------------
# From what a codebook says to decisions, and what the tables say against it


_SENTENCES: Mapping[str, Callable[[int], str]] = {
    "codebook_kind": lambda n: counted_phrase(
        n,
        "The codebook calls the column numeric, and {n:,} value is no number.",
        "The codebook calls the column numeric, and {n:,} values are no numbers.",
    ),
    "codebook_format": lambda n: counted_phrase(
        n,
        "{n:,} value is no date in the format that the codebook says.",
        "{n:,} values are no dates in the format that the codebook says.",
    ),
    "codebook_id": lambda _: phrase("The codebook calls the column an identifier, and values of it repeat."),
    "codebook_values": lambda n: counted_phrase(
        n,
        "{n:,} value is none of those that the codebook lists.",
        "{n:,} values are none of those that the codebook lists.",
    ),
    "codebook_range": lambda n: counted_phrase(
        n,
        "{n:,} number lies outside the range that the codebook says.",
        "{n:,} numbers lie outside the range that the codebook says.",
    ),
    "codebook_required": lambda n: counted_phrase(
        n,
        "The codebook says that no value is missing, and {n:,} is.",
        "The codebook says that no value is missing, and {n:,} are.",
    ),
}
"""What is said of so many values that a codebook does not describe, by code."""


def _strangers(described: Mapping[str, Description], real: TextTable, title: str) -> Iterator[Problem]:
    """Columns that only one of codebook and file has; a codebook of another table is seen by it."""
    lacking = [name for name in described if name not in real.columns]
    silent = [name for name in real.columns if name not in described]
    if lacking:
        what = counted_phrase(
            len(lacking),
            "The codebook ({title}) describes {n:,} column that the file has not: {columns}.",
            "The codebook ({title}) describes {n:,} columns that the file has not: {columns}.",
            title=title,
            columns=tuple(lacking[:10]),
        )
        yield Problem(Gravity.WARNING, "codebook_lacking", what, "", real.name, count=len(lacking))
    if silent:
        what = counted_phrase(
            len(silent),
            "The codebook ({title}) says nothing of {n:,} column: {columns}.",
            "The codebook ({title}) says nothing of {n:,} columns: {columns}.",
            title=title,
            columns=tuple(silent[:10]),
        )
        yield Problem(Gravity.WARNING, "codebook_silent", what, "", real.name, count=len(silent))


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of some files: by slot its different texts that are no missing ones, with the rows of each."""

    name: str
    files: Mapping[str, TextTable]
    known: Mapping[str, Mapping[str, int]]

    def contradict(self, code: str, rows: Mapping[str, int]) -> list[Problem]:
        """What is said of each file in which so many rows, and not none, contradict the codebook."""
        do = phrase("The table is read as riskkit finds it; correct the codebook or the file.")
        return [
            Problem(Gravity.QUESTION, code, _SENTENCES[code](count), do, self.files[slot].name, self.name, count=count)
            for slot, count in rows.items()
            if count
        ]

    def doubt(self, code: str, is_odd: Callable[[str], bool], *slots: str) -> list[Problem]:
        """What is said of each file (of these alone) with texts that contradict the codebook."""
        rows = {
            slot: sum(count for text, count in self.known[slot].items() if is_odd(text)) for slot in slots or self.known
        }
        return self.contradict(code, rows)


def _decide(name: str, described: Description, files: Mapping[str, TextTable]) -> tuple[ColumnChoice, list[Problem]]:
    """The decision about one column, and what its values say against the codebook."""
    held = {slot: file.texts(name) for slot, file in files.items() if name in file.columns}
    tokens = tuple(sorted({text for own in held.values() for text in own if described.is_missing(text)}))
    known = {slot: {text: rows for text, rows in own.items() if text not in tokens} for slot, own in held.items()}
    column = _Column(name, files, known)
    choice = ColumnChoice(
        missing_tokens=tokens,
        read_as=_meanings(described.words, known) if described.words else (),
        label=described.label,
    )
    problems = _outside(column, described)
    if described.role in (Role.ID, Role.PERSON):
        repeated = sum(known["real"].values()) - len(known["real"])
        if described.role is Role.ID and repeated:
            problems += column.contradict("codebook_id", {"real": repeated})
        else:
            choice = replace(choice, role=described.role)
    if choice.role is not None or described.kind is None:
        return choice, problems
    try:
        # a release in other words is judged once these are read as real ones
        alike = {slot: files[slot] for slot in held if slot == "real" or not choice.read_as}
        own = judge(name, alike, choice).column
    except InputError:  # the file is refused for it when it is loaded, with its line
        return choice, problems
    odd: list[Problem] = []
    decided = replace(choice, kind=described.kind)
    if described.kind is Kind.DATE:
        written, guessed = described.date_format, own.date_format if own.kind is Kind.DATE else ""
        if written not in DATE_FORMATS or guessed == written or (guessed and written not in TWINS):
            return choice, problems
        odd = column.doubt("codebook_format", lambda text: math.isnan(day(text, written)), "real")
        decided = replace(decided, date_format=written)
    elif own.kind in (described.kind, Kind.CONSTANT):
        return choice, problems
    elif described.kind is Kind.NUMERIC:
        odd = column.doubt("codebook_kind", lambda text: math.isnan(number(text)))
    return (choice if odd else decided), [*problems, *odd]


def _meanings(words: Mapping[str, str], known: Mapping[str, Mapping[str, int]]) -> tuple[tuple[str, str], ...]:
    """Released texts that are the label of a real code, or the code of a real label, each with that real text."""
    real, released = known["real"], known.get("synthetic", {})
    labels = {code(own): fold_text(word) for own, word in words.items()}
    twice = {word for word in labels.values() if list(labels.values()).count(word) > 1}
    codes = {word: own for own, word in labels.items() if word not in twice}
    by_code, by_word = {code(text): text for text in real}, {fold_text(text): text for text in real}
    out = {}
    for text in released:
        if text in real or code(text) in by_code:
            continue
        meant = by_code.get(codes.get(fold_text(text), "")) or by_word.get(labels.get(code(text), ""))
        if meant is not None:
            out[text] = meant
    return tuple(sorted(out.items()))


def _outside(column: _Column, described: Description) -> list[Problem]:
    """Values that are none of the codebook's, or beyond its bounds, and missing ones that must not be."""
    problems: list[Problem] = []
    if described.is_closed:
        allowed = {*map(code, described.words), *map(fold_text, described.words.values())}
        problems += column.doubt("codebook_values", lambda text: allowed.isdisjoint((code(text), fold_text(text))))
    low, high = described.low, described.high
    if low > -math.inf or high < math.inf:
        problems += column.doubt(
            "codebook_range", lambda text: not (math.isnan(value := number(text)) or low <= value <= high)
        )
    if described.is_required:
        gaps = {slot: column.files[slot].rows - sum(own.values()) for slot, own in column.known.items()}
        problems += column.contradict("codebook_required", gaps)
    return problems


# --------------------------------------------------------------------------------------------------------------
# The kinds of codebook


def _read_labels(own: ValueLabels) -> Description:
    """A column of a file of SPSS, Stata or SAS; labels of some numbers alone do not make it a category."""
    words = {value: word for value, word in own.words.items() if value not in own.missing}
    is_listed = own.measure in ("nominal", "ordinal") and (bool(words) or own.measure == "nominal")
    kind = Kind.CATEGORICAL if is_listed else Kind.NUMERIC if own.measure == "scale" and words else None
    return Description(kind, label=own.label, words=words, missing=tuple(own.missing))


_SDV = {
    "numerical": Kind.NUMERIC,
    "integer": Kind.NUMERIC,
    "float": Kind.NUMERIC,
    "categorical": Kind.CATEGORICAL,
    "boolean": Kind.CATEGORICAL,
    "datetime": Kind.DATE,
}


def _read_sdv(stored: Mapping[str, Any]) -> Iterator[Mapping[str, Description]]:
    """Metadata of SDV, of one table or several, also as SDV wrote it before its version 1."""
    for table in stored["tables"].values() if "tables" in stored else [stored]:
        keys = {str(key) for key in _list_levels(table.get("primary_key"))}
        person = {str(key) for key in _list_levels(table.get("sequence_key"))}
        yield {
            str(name): _read_sdv_column(own, is_key=str(name) in keys, is_person=str(name) in person)
            for name, own in (table.get("columns") or table.get("fields") or {}).items()
        }


def _read_sdv_column(own: Mapping[str, Any], *, is_key: bool, is_person: bool) -> Description:
    kind = str(own.get("sdtype") or own.get("type") or "")
    is_id = is_key or (own.get("pii") is True and kind not in _SDV)
    return Description(
        _SDV.get(kind),
        Role.PERSON if is_person else Role.ID if is_id else None,
        date_format=str(own.get("datetime_format") or own.get("format") or ""),
    )


_FRICTIONLESS = {
    "integer": Kind.NUMERIC,
    "number": Kind.NUMERIC,
    "year": Kind.NUMERIC,
    "boolean": Kind.CATEGORICAL,
    "date": Kind.DATE,
    "datetime": Kind.DATE,
}


def _read_frictionless(stored: Mapping[str, Any]) -> Iterator[Mapping[str, Description]]:
    """A table schema, or the schemas of the resources of a package; a schema that lies elsewhere is not followed."""
    schemas = [stored] if "fields" in stored else [own.get("schema") for own in stored["resources"]]
    for schema in schemas:
        if isinstance(schema, Mapping):
            keys = set(map(str, _list_levels(schema.get("primaryKey"))))
            missing = schema.get("missingValues", [])
            yield {
                str(own["name"]): _read_field(own, missing, is_key=keys == {str(own["name"])})
                for own in schema["fields"]
            }


def _read_field(own: Mapping[str, Any], missing: Sequence[Any], *, is_key: bool) -> Description:
    rules = own.get("constraints") or {}
    listed = own.get("categories") or rules.get("enum") or []
    words = dict(_value_and_label(each) for each in listed)
    written = str(own.get("format") or "default")
    kind = Kind.CATEGORICAL if listed else _FRICTIONLESS.get(str(own.get("type") or ""))
    usual = "%Y-%m-%d" if own.get("type") == "date" else "%Y-%m-%dT%H:%M:%S"
    return Description(
        kind,
        Role.ID if is_key else None,
        str(own.get("title") or ""),
        usual if written == "default" else written,
        words,
        bool(listed),
        tuple(_value_and_label(each)[0] for each in own.get("missingValues", missing)),
        low=_read_bound(rules.get("minimum"), -math.inf),
        high=_read_bound(rules.get("maximum"), math.inf),
        is_required=rules.get("required") is True,
    )


def _value_and_label(each: Any) -> tuple[str, str]:
    """A value of a list, and its label where it has one."""
    return (str(each["value"]), str(each.get("label") or "")) if isinstance(each, Mapping) else (str(each), "")


def _read_bound(value: Any, usual: float) -> float:
    """A bound as a number; of dates there are none here."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return usual if value is None or math.isnan(number(str(value))) else number(str(value))


_CROISSANT = {
    "Integer": Kind.NUMERIC,
    "Float": Kind.NUMERIC,
    "Number": Kind.NUMERIC,
    "Boolean": Kind.CATEGORICAL,
    "Date": Kind.DATE,
    "DateTime": Kind.DATE,
}


def _read_croissant(stored: Mapping[str, Any]) -> Iterator[Mapping[str, Description]]:
    """The record sets of Croissant; one that lists the values of another's column gives its labels nothing to do."""
    for records in _list_levels(stored["recordSet"]):
        keys = {str(own.get("@id") if isinstance(own, Mapping) else own) for own in _list_levels(records.get("key"))}
        columns = {}
        for own in _list_levels(records.get("field")):
            source = own.get("source") or {}
            name = (source.get("extract") or {}).get("column") if isinstance(source, Mapping) else None
            kinds = [str(kind).rpartition(":")[2].rpartition("/")[2] for kind in _list_levels(own.get("dataType"))]
            known = [_CROISSANT[kind] for kind in kinds if kind in _CROISSANT]
            written = (source.get("format") if isinstance(source, Mapping) else None) or ""
            columns[str(name or own["name"])] = Description(
                known[0] if known else None,
                Role.ID if keys and keys <= {str(own.get("@id")), str(own["name"])} else None,
                str(own.get("description") or ""),
                str(written),
            )
        yield columns


_FORMS: tuple[tuple[Callable[[Mapping[str, Any]], bool], str, Any], ...] = (
    (lambda own: "METADATA_SPEC_VERSION" in own, "SDV", _read_sdv),
    (lambda own: isinstance(own.get("columns"), dict) and "sdtype" in str(own["columns"]), "SDV", _read_sdv),
    (lambda own: isinstance(own.get("tables"), dict) and "fields" in str(own["tables"]), "SDV", _read_sdv),
    (lambda own: isinstance(own.get("fields"), list), "Frictionless", _read_frictionless),
    (lambda own: isinstance(own.get("resources"), list), "Frictionless", _read_frictionless),
    (lambda own: "recordSet" in own, "Croissant", _read_croissant),
)
"""By what a form of JSON is known, its title, and the function that reads its tables."""


def _list_levels(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


class _NoDeclarations(ElementTree.TreeBuilder):
    """A tree of a file that declares no names of its own: such names can grow to any size."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:  # noqa: ARG002
        """Refuse."""
        raise ElementTree.ParseError


def _read_ddi(content: bytes, name: str) -> Codebook:
    """A codebook of DDI 2; of DDI 3 there is no codebook but a life cycle."""
    try:
        tree = ElementTree.fromstring(content, ElementTree.XMLParser(target=_NoDeclarations()))  # noqa: S314
    except (ElementTree.ParseError, ValueError, LookupError):
        raise _unknown(name) from None
    for each in tree.iter():
        each.tag = str(each.tag).rpartition("}")[2]
    variables = list(tree.iter("var"))
    if tree.tag.lower() != "codebook" or not variables:
        raise _unknown(name)
    files: dict[str, dict[str, Description]] = {}
    for own in variables:
        files.setdefault(own.get("files") or own.get("fileDscr") or "", {})[str(own.get("name"))] = _read_variable(own)
    return Codebook("DDI", tuple(files.values()))


def _read_variable(own: ElementTree.Element) -> Description:
    groups = [
        (_inner(each, "catValu"), _inner(each, "labl"), each.get("missing") == "Y") for each in own.iter("catgry")
    ]
    words = {value: label for value, label, is_missing in groups if value and not is_missing}
    missing = [value for value, _, is_missing in groups if value and is_missing]
    missing += [str(item.get("VALUE")) for area in own.iter("invalrng") for item in area.iter("item")]
    gone = [_range(each) for area in own.iter("invalrng") for each in area.iter("range")]
    ranges = [_range(each) for area in own.iter("valrng") for each in area.iter("range")]
    low, high = ranges[0] if len(ranges) == 1 else (-math.inf, math.inf)
    form = own.find("varFormat")
    is_text = form is not None and form.get("type") == "character"
    is_date = form is not None and form.get("category") in ("date", "time")
    is_counted = own.get("intrvl") == "contin" or own.get("nature") in ("interval", "ratio", "percent")
    is_listed = bool(words) and not is_counted and (own.get("intrvl") == "discrete" or own.get("nature") is not None)
    kind = Kind.CATEGORICAL if is_listed else Kind.NUMERIC if is_counted and not is_text and not is_date else None
    label = _inner(own, "labl")
    return Description(kind, None, label, "", words, is_listed, tuple(missing), tuple(gone), low, high)


def _range(own: ElementTree.Element) -> tuple[float, float]:
    return _read_bound(own.get("min"), -math.inf), _read_bound(own.get("max"), math.inf)


def _inner(own: ElementTree.Element, tag: str) -> str:
    """The text of a child, its white space as one space."""
    child = own.find(tag)
    return "" if child is None else re.sub(r"\s+", " ", "".join(child.itertext())).strip()
