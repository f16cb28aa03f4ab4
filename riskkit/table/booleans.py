"""Yes and no in the words that people and programs write them in."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from riskkit.table.forms import plain

PAIRS = (
    ("true", "false"),
    ("1", "0"),
    ("-1", "0"),
    ("yes", "no"),
    ("y", "n"),
    ("t", "f"),
    ("on", "off"),
    ("ja", "nein"),
    ("j", "n"),
    ("wahr", "falsch"),
    ("oui", "non"),
    ("vrai", "faux"),
    ("sí", "no"),
    ("si", "no"),
    ("verdadero", "falso"),
    ("verdadeiro", "falso"),
    ("vero", "falso"),
    ("sim", "não"),
    ("sim", "nao"),
    ("ja", "nee"),
    ("waar", "onwaar"),
    ("ja", "nej"),
    ("ja", "nei"),
    ("tak", "nie"),
    ("ano", "ne"),
    ("da", "ne"),
    ("да", "нет"),
    ("истина", "ложь"),
    ("так", "ні"),
    ("evet", "hayır"),
    ("kyllä", "ei"),
    ("igen", "nem"),
    ("ναι", "όχι"),
    ("نعم", "لا"),
    ("כן", "לא"),
    ("はい", "いいえ"),
    ("あり", "なし"),
    ("有", "無"),
    ("有", "无"),
    ("真", "偽"),
    ("真", "假"),
    ("是", "否"),
    ("예", "아니오"),
    ("네", "아니요"),
    ("참", "거짓"),
)
"""Words of one language for yes and no, or true and false, in small letters.

Letters that often stand for something else, as N and S do for north and south, are no pair: a person is asked.
"""
_YES = {yes for yes, _ in PAIRS}
_WHOLE = re.compile(r"(-?\d+)[.,]0+", re.ASCII)


def word(text: str) -> str:
    """A tidied text in small letters, of a whole number without decimals: 1 for 1.0."""
    bare = plain(text).lower()
    whole = _WHOLE.fullmatch(bare)
    return bare if whole is None else whole[1]


def pair_of(words: Collection[str]) -> tuple[str, str] | None:
    """The first pair that holds all these words, in small letters; None where there is none."""
    return next((pair for pair in PAIRS if set(words) <= set(pair)), None)


def is_yes(word: str) -> bool:
    """Whether a word of :data:`PAIRS` means yes."""
    return word in _YES


def translated(words: Mapping[str, Collection[str]], own: str) -> dict[str, str] | None:
    """The words of each of several files as the file ``own`` writes them; None where they are not all yes and no.

    Every file must keep to the words of one pair, and one file must have both, so that a letter alone is no yes.

    Returns
    -------
    dict
        Every word, in small letters, with the word of that pair which means the same in the file ``own``.
    """
    pairs = {slot: pair_of(mine) for slot, mine in words.items() if mine}
    target = pairs.get(own)
    if target is None or None in pairs.values() or not any(len(set(mine)) == 2 for mine in words.values()):
        return None
    return {word: target[not is_yes(word)] for mine in words.values() for word in mine}
