"""What attacks on free texts share: the texts there are, and the sequences of words in them."""

from __future__ import annotations

import re

from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.points import RowPoints, Texts

_ALONE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Letters of scripts that put no spaces between words: each counts as a word."""
_WORD = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+")


def texts_of(points: RowPoints, title: str) -> Texts:
    """(n, n_texts) the free texts; :class:`DesignError` where the tables have none."""
    if points.texts is None:
        raise DesignError(
            phrase(
                "{title} reads free text, and no column is kept as text; give one the role text on the Data page, or "
                "leave the attack out.",
                title=phrase(title),
            )
        )
    return points.texts


def sequences(text: str, length: int) -> set[str]:
    """The different sequences of so many words, in small letters; of a shorter text the whole."""
    words = _WORD.findall(text.casefold())
    if not words:
        return set()
    return {" ".join(words[start : start + length]) for start in range(max(1, len(words) - length + 1))}
