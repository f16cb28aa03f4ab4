"""Files of statistics programs say what their codes mean: their labels, and the codes that stand for missing.

Where one file holds codes and another the words of their labels, the codes are read by their labels; a code that one
file declares as missing is missing in all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.forms import tidy
from riskkit.table.kinds.alike import fold_text, number
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.matching import replace_texts
from riskkit.table.text import TextTable

_LABELS = b"riskkit.labels"
_MOST = 0.5
"""The share of a file's values that must be words of labels, or codes, for the column to be written in these."""


@dataclass(frozen=True, slots=True)
class ValueLabels:
    """What a file says of a column: the label of each code, and the codes that mean missing.

    ``label`` says what the column is about; ``measure`` is ``nominal``, ``ordinal``, ``scale``, or unknown.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    label: str = ""
    measure: str = ""


def with_labels(text: TextTable, labels: Mapping[str, ValueLabels]) -> TextTable:
    """The file with what it says of its columns, kept with its data wherever that is stored."""
    kept = {
        name: [dict(own.words), sorted(own.missing), own.label, own.measure]
        for name, own in labels.items()
        if name in text.columns
    }
    metadata = {**(text.data.schema.metadata or {}), _LABELS: json.dumps(kept).encode()}
    return replace(text, data=text.data.replace_schema_metadata(metadata))


def labels_of(text: TextTable) -> dict[str, ValueLabels]:
    """What a file says of its columns, by name; codes are spelled as :func:`code` does."""
    kept: dict[str, Any] = json.loads((text.data.schema.metadata or {}).get(_LABELS, b"{}"))
    return {name: ValueLabels(words, frozenset(missing), *about) for name, (words, missing, *about) in kept.items()}


def code(value: Any) -> str:
    """A code as it is looked up, whether a file writes 1 or 1.0."""
    text = tidy(str(value))
    return number(text) or text


def apply_labels(
    files: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]
) -> tuple[dict[str, TextTable], list[Problem]]:
    """The files with codes read by their labels where others hold the words, and what was done or has to be asked."""
    out, problems = dict(files), []
    known = {slot: labels_of(file) for slot, file in files.items()}
    for name in files["real"].columns:
        own = {slot: labels[name] for slot, labels in known.items() if name in labels}
        choice = choices.get(name)
        if (
            any(each.words or each.missing for each in own.values())
            and len(files) > 1
            and not (choice is not None and choice.differs)
        ):
            problems += _declare_missing(out, name, own)
            problems += _label_codes(out, name, own) if choice is None or not choice.read_as else []
    return out, problems


def _missing(labels: Mapping[str, ValueLabels]) -> frozenset[str]:
    """The codes that any file declares as missing."""
    return frozenset[str]().union(*(own.missing for own in labels.values()))


def _declare_missing(files: dict[str, TextTable], name: str, labels: Mapping[str, ValueLabels]) -> list[Problem]:
    """Read as missing, in every file, the codes that one of them declares as missing, and their labels."""
    missing = _missing(labels)
    gone = missing | {fold_text(own.words[each]) for own in labels.values() for each in own.missing & own.words.keys()}
    empty = {
        slot: {text: "" for text in file.texts(name) if {code(text), fold_text(text)} & gone}
        for slot, file in files.items()
        if name in file.columns
    }
    return replace_texts(files, name, empty, "missing_codes_read")


def _label_codes(files: dict[str, TextTable], name: str, labels: Mapping[str, ValueLabels]) -> list[Problem]:
    """Read codes by their labels where a file holds these, or two files have other codes for them."""
    missing = _missing(labels)
    words = {code: word for own in labels.values() for code, word in own.words.items() if code not in missing}
    if not words:
        return []
    agree = all(words[code] == word for own in labels.values() for code, word in own.words.items() if code in words)
    slots = [slot for slot, file in files.items() if name in file.columns]
    how = {slot: _how_written(files[slot], name, words) for slot in slots if not _has_words(labels.get(slot), missing)}
    if "other" in how.values():
        return _label_questions(files, name, [slot for slot, way in how.items() if way == "other"])
    if agree and "words" not in how.values():
        codes = {fold_text(word): code for code, word in words.items()}
        named = {
            slot: {text: codes[fold_text(text)] for text in files[slot].texts(name) if fold_text(text) in codes}
            for slot in how
        }
    else:
        named = {
            slot: {text: word for text in files[slot].texts(name) if (word := _word(text, labels.get(slot), words))}
            for slot in slots
            if how.get(slot) != "words"
        }
    return replace_texts(files, name, named, "labels_read")


def _has_words(own: ValueLabels | None, missing: frozenset[str]) -> bool:
    """Whether a file has labels of its own for codes that are values."""
    return own is not None and bool(own.words.keys() - missing)


def _word(text: str, own: ValueLabels | None, words: Mapping[str, str]) -> str:
    """The label of a code by its own file, else by any."""
    return (own.words if own is not None and own.words else words).get(code(text), "")


def _how_written(file: TextTable, name: str, words: Mapping[str, str]) -> str:
    """Whether a file without labels holds mostly ``words`` of them, their ``codes``, or ``other`` texts."""
    labels = set(map(fold_text, words.values()))
    rows = {"words": 0, "codes": 0, "other": 0}
    for text, count in file.texts(name).items():
        way = "words" if fold_text(text) in labels else "codes" if code(text) in words or number(text) else "other"
        rows[way] += count
    total = sum(rows.values())
    best = max(rows, key=lambda way: rows[way])
    return best if rows[best] > _MOST * total else "codes" if not total else "other"


def _label_questions(files: Mapping[str, TextTable], name: str, slots: list[str]) -> list[Problem]:
    """A question about a column that another file writes neither in codes nor in the words of their labels."""
    what = phrase(
        "Another file has labels for the values of this column, and these are neither its codes nor its labels."
    )
    do = phrase("Say on the page Data which released value is which real one, or that they differ in truth.")
    return [Problem(Gravity.QUESTION, "value_labels", what, do, files[slot].name, name) for slot in slots]
