"""Long texts of people that stand in a release word for word: spaces, signs, capitals and the order of words aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskkit.table.kinds.alike import words

LETTERS = 30
"""Letters from which a text is long: shorter ones are often written by several people."""
FEW_LETTERS = 8
"""The same of a column most of whose texts are shorter, as small objects are."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The long texts of one column that one person alone wrote, and how many of them stand in the release as they are.

    A text is long from so many ``letters``, those of its words and the spaces between them. ``k_in`` of ``n_in`` texts
    of real people, ``k_out`` of ``n_out`` of people in the holdout, who were not in. A text that stands in both tables
    counts on neither side.
    """

    column: str
    k_in: int
    n_in: int
    k_out: int
    n_out: int
    has_holdout: bool
    letters: int = LETTERS


def verbatim(free_texts: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[Verbatim, ...]:
    """Every column of free text, by its texts in each slot; nothing where there is no release."""
    return tuple(_column(name, own) for name, own in free_texts.items() if "synthetic" in own)


def _column(name: str, own: Mapping[str, Sequence[str]]) -> Verbatim:
    released = set(map(words, own["synthetic"]))
    everybody = {slot: Counter(filter(None, map(words, own.get(slot, ())))) for slot in ("real", "holdout")}
    letters = (
        LETTERS
        if 2 * sum(len(text) >= LETTERS for text in everybody["real"]) >= len(everybody["real"])
        else FEW_LETTERS
    )
    # texts that stand there once
    real, holdout = (
        {text for text, times in texts.items() if times == 1 and len(text) >= letters} for texts in everybody.values()
    )
    real, holdout = real - everybody["holdout"].keys(), holdout - everybody["real"].keys()
    counts = len(real & released), len(real), len(holdout & released), len(holdout)
    return Verbatim(name, *counts, "holdout" in own, letters)
