"""Long texts of people that stand in a release word for word: spaces, signs, capitals and the order of words aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskkit.table.alike import words

LETTERS = 30
"""Letters from which a text is long: shorter ones are often written by several people."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The long texts of one column that one person alone wrote, and how many of them stand in the release as they are.

    ``k_in`` of ``n_in`` texts of real people, ``k_out`` of ``n_out`` of people in the holdout, who were not in. A text
    that stands in both tables counts on neither side.
    """

    column: str
    k_in: int
    n_in: int
    k_out: int
    n_out: int
    has_holdout: bool


def verbatim(free_texts: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[Verbatim, ...]:
    """Every column of free text, by its texts in each slot; nothing where there is no release."""
    return tuple(_column(name, own) for name, own in free_texts.items() if "synthetic" in own)


def _column(name: str, own: Mapping[str, Sequence[str]]) -> Verbatim:
    released = set(map(words, own["synthetic"]))
    real, holdout = (_of_one(own.get(slot, ())) for slot in ("real", "holdout"))
    everybody = [set(map(words, own.get(slot, ()))) for slot in ("real", "holdout")]
    real, holdout = real - everybody[1], holdout - everybody[0]
    return Verbatim(name, len(real & released), len(real), len(holdout & released), len(holdout), "holdout" in own)


def _of_one(texts: Sequence[str]) -> set[str]:
    """The long texts that stand there once, by their words."""
    return {text for text, times in Counter(map(words, texts)).items() if times == 1 and len(text) >= LETTERS}
