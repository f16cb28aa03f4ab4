"""When a guess of a number is right, in words that follow ``guessing income``.

A result keeps them in English; :func:`again` says them in the language of the page.
"""

from __future__ import annotations

import re

import numpy as np

from riskkit import language
from riskkit.phrases import Phrase, phrase

_KEPT = re.compile(r"to within (?:(?P<share>[\d.e+-]+) %)?(?: ?\(?(?:or )?(?P<distance>[\d.]+)\)?)?")


def right_within(relative: float, absolute: float) -> Phrase:
    """The words; a distance of 0 is not named, and none has a power of ten."""
    distance = np.format_float_positional(absolute, trim="-")
    if not relative:
        return phrase("to within {distance}", distance=distance)
    share = f"{100 * relative:g}"
    if not absolute:
        return phrase("to within {share} %", share=share)
    return phrase("to within {share} % (or {distance})", share=share, distance=distance)


def again(kept: str) -> str:
    """What :func:`right_within` wrote, in the language of this process; any other text as it is."""
    if (match := _KEPT.fullmatch(kept)) is None:
        return kept
    made = right_within(float(match["share"] or 0) / 100, float(match["distance"] or 0))
    return language.again(made) if made == kept else kept
