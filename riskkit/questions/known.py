"""What is known of a person: names of columns on a command line, and in words, of many the first.

A result keeps them in English; :func:`again` says them in the language of the page.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from riskkit import language
from riskkit.parameters import Option
from riskkit.phrases import Phrase, phrase


def columns_from(texts: Sequence[str]) -> tuple[str, ...]:
    """The columns in ``age,sex,"a, b"``; one with a comma stands in quotes."""
    rows = csv.reader(texts, skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def _spell(column: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([column])
    return out.getvalue()


LIST = Option(metavar="COLUMN,...", write=_spell, several=columns_from)
"""How a command line lists columns."""
SHORT = 6
"""Names of columns that are written out."""
_GROUPED = re.compile(r"(?P<known>.*) \(numbers in (?P<groups>\d+) groups\)", re.DOTALL)


def shorten_names(columns: Sequence[str]) -> Phrase:
    """The names of columns; of many the first, and how many more there are."""
    if len(columns) <= SHORT:
        return phrase("{columns}", columns=tuple(columns))
    return phrase("{columns} and {more} more", columns=tuple(columns[: SHORT - 2]), more=len(columns) - SHORT + 2)


def grouped_names(columns: Sequence[str], groups: int) -> Phrase:
    """The same of columns whose numbers are known as one of so many groups."""
    return phrase("{known} (numbers in {groups} groups)", known=shorten_names(columns), groups=groups)


def halves(half: Sequence[str], other: Sequence[str]) -> Phrase:
    """The columns of one file, and those of the other."""
    return phrase("{one} | {other}", one=shorten_names(half), other=shorten_names(other))


def again(text: str, columns: Sequence[str]) -> str:
    """What one of these wrote of the columns, in the language of this process; any other text as it is."""
    made = [shorten_names(columns)]
    if match := _GROUPED.fullmatch(text):
        made.append(grouped_names(columns, int(match["groups"])))
    made += [halves(columns[:place], columns[place:]) for place in range(1, len(columns))]
    return next((language.again(candidate) for candidate in made if candidate == text), text)
