"""The picture of such a search: the highest certificate at every value that was tried, beside the limit."""

from __future__ import annotations

import numpy as np

from riskkit.language import say
from riskkit.show.lowered import Lowered, TriedValue
from riskkit.show.model import Bar, Chart

BARS = 12
"""Values that a chart has, at most: the first, the last, what is named, and some between."""


def chart(lowered: Lowered) -> Chart:
    """A line for each value, from where the setting protects least."""
    bars = tuple(Bar(_who(lowered, tried), tried.highest, _kind(lowered, tried)) for tried in _shown(lowered))
    return Chart(lowered.sentence, say("Highest certificate (AUC; chance 0.50)"), bars, 0.5, (0.4, 1.0))


def _shown(lowered: Lowered) -> list[TriedValue]:
    """All values, or those named and as many more as fit, spread over the rest."""
    every = lowered.tried
    named = [position for position, tried in enumerate(every) if tried is lowered.chosen or tried is lowered.now]
    rest = [position for position in range(len(every)) if position not in named]
    room = min(BARS - len(named), len(rest))
    spread = {rest[round(place)] for place in np.linspace(0, len(rest) - 1, room)} if room > 0 else set()
    return [every[position] for position in sorted({*named, *spread})]


def _who(lowered: Lowered, tried: TriedValue) -> str:
    mark = lowered.marked(tried)
    value = say("{setting} {value:g}", setting=lowered.setting, value=tried.value)
    return say("{value}: {mark}", value=value, mark=mark) if mark else value


def _kind(lowered: Lowered, tried: TriedValue) -> str:
    """Green where it is the least change, hollow where it holds the limit too; else not below the limit."""
    if tried is lowered.chosen:
        return "control"
    return "held" if tried.highest.high < lowered.limit else "above"
