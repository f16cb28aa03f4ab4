"""The different texts of a column over all files, and which spellings stand for which level.

What :func:`unify_spellings` settles over all files, :class:`Levels` does again for each file when it is typed. A
spelling that is not seen here blinds an audit: a verbatim copy that writes 1234 for 01234 would share no value with the
real table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow.compute as pc

from riskkit.core import MISSING, Bools, Column, Floats, Ints
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.forms import common_spaces, plain, tidy, visible_text
from riskkit.table.text import TextTable


@dataclass(frozen=True, slots=True, eq=False)
class TextPool:
    """The different texts of one column over all files, tidied, with how often each stands in each file.

    ``texts`` hold neither the empty text nor the chosen missing tokens; those are counted in ``missing``.
    """

    name: str
    files: Mapping[str, TextTable]
    texts: list[str]
    counts: Mapping[str, Ints]
    missing: Mapping[str, int]
    spellings: Mapping[str, str]
    told_apart: int = 0
    """Texts of which one file has a second that differs in letters that cannot be seen."""

    @property
    def total(self) -> Ints:
        """(n_texts,) how often each text stands in all files together."""
        out: Ints = np.sum(list(self.counts.values()), axis=0, dtype=np.int64)
        return out

    @property
    def is_real(self) -> Bools:
        """(n_texts,) whether each text stands in the real table or the holdout: whether a person had it."""
        real = [counts for slot, counts in self.counts.items() if slot != "synthetic"]
        out: Bools = np.asarray(np.sum(real, axis=0, dtype=np.int64) > 0)
        return out

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing in any file."""
        return any(self.missing.values())

    def each(self, values: Floats) -> dict[str, Floats]:
        """The values of each file's rows, for values (n_texts,) of the texts; NaN where missing."""
        return {
            slot: np.concatenate([np.repeat(values, counts), np.full(self.missing[slot], np.nan)])
            for slot, counts in self.counts.items()
        }

    def own(self) -> dict[str, set[str]]:
        """The texts that stand in each file."""
        return {
            slot: {text for text, count in zip(self.texts, counts.tolist(), strict=True) if count}
            for slot, counts in self.counts.items()
        }

    def times(self, slot: str, texts: Iterable[str]) -> int:
        """How often these texts stand in that file, all together."""
        wanted = set(texts)
        counts = self.counts[slot].tolist()
        return sum(count for text, count in zip(self.texts, counts, strict=True) if text in wanted)

    def find(self, texts: Sequence[str]) -> tuple[str, int]:
        """File and line on which any of these (tidied) texts stands first."""
        for slot in self.files:
            name, line = self.within(slot, texts)
            if line:
                return name, line
        return next(iter(self.files.values())).name, 0

    def within(self, slot: str, texts: Sequence[str]) -> tuple[str, int]:
        """That file's name, and the line on which any of these (tidied) texts stands first; 0 where none does."""
        file, lines = self.files[slot], []
        for text in texts:
            row = pc.index(file.column(self.name), self.spellings.get(text, text)).as_py()
            lines += [file.line(row)] if row >= 0 else []
        return file.name, min(lines, default=0)

    def problem(self, gravity: Gravity, code: str, what: str, do: str = "", *, count: int = 0) -> Problem:
        """A problem of this column."""
        return Problem(gravity, code, what, do, column=self.name, count=count)


def pool(name: str, files: Mapping[str, TextTable], tokens: Sequence[str] = ()) -> TextPool:
    """Gather the different texts of a column."""
    place: dict[str, int] = {}
    spellings: dict[str, str] = {}
    gathered: dict[str, tuple[list[int], Ints]] = {}
    gone = {MISSING, *spellings_of(tokens)}
    missing: dict[str, int] = {}
    told_apart = 0
    for slot, file in files.items():
        raw, times = file.count(name)
        positions = []
        for text in raw:
            clean = tidy(text)
            positions.append(-1 if clean in gone else place.setdefault(clean, len(place)))
            if clean != text:
                spellings.setdefault(clean, text)
        gathered[slot] = positions, times
        told_apart += _told_apart_unseen(raw)
        missing[slot] = int(
            sum(count for position, count in zip(positions, times.tolist(), strict=True) if position < 0)
        )
    counts = {}
    for slot, (positions, times) in gathered.items():
        where = np.array(positions, dtype=np.int64)
        counts[slot] = np.bincount(where[where >= 0], weights=times[where >= 0], minlength=len(place)).astype(np.int64)
    return TextPool(name, files, list(place), counts, missing, spellings, told_apart)


def _told_apart_unseen(raw: Sequence[str]) -> int:
    """How many texts of a file stand there a second time with letters that cannot be seen."""
    odd = {tidy(text) for text in raw if not text.isascii() and visible_text(text) != common_spaces(text)}
    if not odd:
        return 0
    spelled = {(clean, common_spaces(text).strip()) for text in raw if (clean := tidy(text)) in odd}
    return sum(times > 1 for times in Counter(clean for clean, _ in spelled).values())


def spellings_of(tokens: Sequence[str]) -> set[str]:
    """The tokens, and for a whole number also its spelling with a decimal point, and the other way round."""
    whole = {token.split(".")[0] for token in tokens if re.fullmatch(r"-?\d+(\.0)?", token)}
    return {*tokens, *whole, *(f"{token}.{'0' * decimals}" for token in whole for decimals in (1, 2))}


def spelling_problems(texts: TextPool, column: Column) -> list[Problem]:
    """What to say of spaces, accents and odd letters in the values, and in numbers and dates of letters' forms."""
    problems = []
    trimmed = sum(raw != raw.strip() for raw in texts.spellings.values())
    unseen = sum(visible_text(raw) != raw for raw in texts.spellings.values())
    composed = sum(visible_text(raw).strip() != clean for clean, raw in texts.spellings.items())
    if trimmed:
        what = counted_phrase(
            trimmed,
            "{n:,} different value has spaces at an end; the spaces were taken off.",
            "{n:,} different values have spaces at an end; the spaces were taken off.",
        )
        problems.append(
            texts.problem(Gravity.QUESTION, "spaces_in_values", what, phrase("Say so if they matter."), count=trimmed)
        )
    if unseen:
        what = counted_phrase(
            unseen,
            "{n:,} different value holds letters that cannot be seen, or spaces that do not break; they were taken off "
            "or read as common spaces.",
            "{n:,} different values hold letters that cannot be seen, or spaces that do not break; they were taken off "
            "or read as common spaces.",
        )
        gravity, do = Gravity.REPAIR, ""
        if texts.told_apart:
            gravity, do = Gravity.QUESTION, phrase("Say so if they matter.")
            what = phrase(
                "{what} One file has {both:,} of them both with and without such letters.",
                what=what,
                both=texts.told_apart,
            )
        problems.append(texts.problem(gravity, "invisible_letters", what, do, count=unseen))
    if composed:
        what = counted_phrase(
            composed,
            "The accents of {n:,} different value were written in two ways and unified.",
            "The accents of {n:,} different values were written in two ways and unified.",
        )
        problems.append(texts.problem(Gravity.REPAIR, "accents_unified", what, count=composed))
    formed = sum(plain(text) != text for text in texts.texts) if column.is_numeric else 0
    if formed:
        what = counted_phrase(
            formed,
            "{n:,} different value is written in another form of the same letters, as digits of another script or "
            "width, or with Excel's marks for a text; it was read as common digits.",
            "{n:,} different values are written in another form of the same letters, as digits of another script or "
            "width, or with Excel's marks for a text; they were read as common digits.",
        )
        problems.append(texts.problem(Gravity.REPAIR, "letter_forms_unified", what, count=formed))
    return problems


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
_WHOLE_NUMBER = re.compile(r"(-?\d+)[.,]0+", re.ASCII)


def truth_word(text: str) -> str:
    """A tidied text in small letters, of a whole number without decimals: 1 for 1.0."""
    bare = plain(text).lower()
    whole = _WHOLE_NUMBER.fullmatch(bare)
    return bare if whole is None else whole[1]


def pair_of(words: Collection[str]) -> tuple[str, str] | None:
    """The first pair that holds all these words, in small letters; None where there is none."""
    return next((pair for pair in PAIRS if set(words) <= set(pair)), None)


def is_yes(truth_word: str) -> bool:
    """Whether a truth_word of :data:`PAIRS` means yes."""
    return truth_word in _YES


def translate_words(words: Mapping[str, Collection[str]], own: str) -> dict[str, str] | None:
    """The words of each of several files as the file ``own`` writes them; None where they are not all yes and no.

    Every file must keep to the words of one pair, and one file must have both, so that a letter alone is no yes.

    Returns
    -------
    dict
        Every truth_word, in small letters, with the truth_word of that pair which means the same in the file ``own``.
    """
    pairs = {slot: pair_of(mine) for slot, mine in words.items() if mine}
    target = pairs.get(own)
    if target is None or None in pairs.values() or not any(len(set(mine)) == 2 for mine in words.values()):
        return None
    return {truth_word: target[not is_yes(truth_word)] for mine in words.values() for truth_word in mine}


_BOOLEANS = frozenset(("true", "false"))
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)\.0+", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_HIT = 0.5
"""Zeros are restored where at least this share of the short codes then stands in the other file. Within a file it
keeps different codes different, so the risk is small; not to restore them can hide every copy."""


_WEAK = frozenset(("N", "?", ".", "-", "--"))
"""Words for missing that often mean something else, as the north and the negative do."""

_MOSTLY = 0.75
"""Capitals are read as small letters where at least this share of another file's rows, of those without a real level,
then has one: m and f are not the medium of small, medium and large."""


def unify_spellings(texts: TextPool, *, keep_capitals: bool = False) -> tuple[dict[str, str], list[Problem]]:
    """Texts that are another spelling of a level, with that level, and what to say of it.

    Two texts of one file that may mean different things are never made one. ``keep_capitals`` keeps apart what differs
    in capital letters.
    """
    aliases = _booleans(texts)
    if aliases:
        return aliases, [_two_ways(texts, len(aliases))]
    aliases = _decimals(texts)
    problems = [_two_ways(texts, len(aliases))] if aliases else []
    for rule in (_forms, _zeros, *([] if keep_capitals else [_cases])):
        more, reported = rule(texts, aliases)
        aliases = {text: more.get(level, level) for text, level in aliases.items()} | more
        problems += reported
    return aliases, problems


def _two_ways(texts: TextPool, count: int) -> Problem:
    what = counted_phrase(
        count,
        "{n:,} value is spelled in two ways (34 and 34.0, True and TRUE); it was read as one value.",
        "{n:,} values are spelled in two ways (34 and 34.0, True and TRUE); each was read as one value.",
    )
    return texts.problem(Gravity.REPAIR, "spellings_unified", what, count=count)


def _booleans(texts: TextPool) -> dict[str, str]:
    """True, TRUE and 1 as one value where a column has nothing but these."""
    known = set(texts.texts)
    folded = {text.casefold() for text in known}
    if not (folded & _BOOLEANS and folded <= {*_BOOLEANS, "0", "1"}):
        return {}
    first = {text.casefold(): text for text in sorted(known, reverse=True)}
    true, false = first.get("true", "true"), first.get("false", "false")
    wanted = {"true": true, "1": true, "false": false, "0": false}
    return {text: wanted[text.casefold()] for text in known if text != wanted[text.casefold()]}


def _decimals(texts: TextPool) -> dict[str, str]:
    """34.0 as 34, unless one file has both."""
    floats = {text: text.split(".")[0] for text in texts.texts if _WHOLE.fullmatch(text)}
    if not floats:
        return {}
    for own in texts.own().values():
        if any(text in own and whole in own for text, whole in floats.items()):
            return {}
    known = set(texts.texts)
    return {text: whole for text, whole in floats.items() if whole in known or len(floats) < len(known)}


def _zeros(texts: TextPool, aliases: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    """1234 as 01234 where one file writes codes of one width with leading zeros and another lost them."""
    files = {
        slot: {text: aliases.get(text, text) for text in own if _DIGITS.fullmatch(aliases.get(text, text))}
        for slot, own in texts.own().items()
    }
    padded = {slot for slot, own in files.items() if any(_is_padded(code) for code in own.values())}
    levels = set(chain.from_iterable(files[slot].values() for slot in padded))
    if not levels or len({len(code) for code in levels}) > 1:
        return {}, []
    width = len(next(iter(levels)))
    short: dict[str, dict[str, str]] = {}
    for slot in files.keys() - padded:
        lengths = {len(code) for code in files[slot].values()}
        if lengths and min(lengths) < width >= max(lengths):
            short[slot] = {text: code.zfill(width) for text, code in files[slot].items() if len(code) < width}
    if not short:
        return {}, []
    times = {slot: texts.times(slot, own) for slot, own in short.items()}
    hits = sum(texts.times(slot, [t for t, code in own.items() if code in levels]) for slot, own in short.items())
    restored = hits >= _HIT * sum(times.values())
    problems = [_zeros_problem(texts, slot, times[slot], restored) for slot in texts.files if slot in short]
    return (dict(chain.from_iterable(own.items() for own in short.values())) if restored else {}), problems


def _is_padded(code: str) -> bool:
    return len(code) > 1 and code[0] == "0"


def _zeros_problem(texts: TextPool, slot: str, count: int, restored: bool) -> Problem:
    file = texts.files[slot].name
    if restored:
        what = counted_phrase(
            count,
            "{n:,} code has lost the zeros at its beginning that another file has; they were put back.",
            "{n:,} codes have lost the zeros at their beginning that another file has; they were put back.",
        )
        return Problem(Gravity.REPAIR, "leading_zeros_restored", what, "", file, texts.name, count=count)
    what = counted_phrase(
        count,
        "{n:,} code is shorter than in another file, which writes zeros before them, and does "
        "not become its code with zeros before it; the two cannot be compared.",
        "{n:,} codes are shorter than in another file, which writes zeros before them, and do "
        "not become its codes with zeros before them; the two cannot be compared.",
    )
    do = phrase("Write the codes in the same way in all files.")
    return Problem(Gravity.WARNING, "leading_zeros_differ", what, do, file, texts.name, count=count)


def _forms(texts: TextPool, aliases: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    """Letters of full width, digits of other scripts, dashes and Excel's marks as the letters a keyboard writes."""
    groups = _groups(texts, aliases, plain)
    apart = sum(len(group.rows) for group in groups if group.told_apart)
    problems = []
    if apart:
        what = counted_phrase(
            apart,
            "{n:,} different value differs from another only in the form of its letters, such as their width or the "
            "kind of a dash, and one file has both; they were kept apart.",
            "{n:,} different values differ from another only in the form of their letters, such as their width or the "
            "kind of a dash, and one file has both; they were kept apart.",
        )
        do = phrase("Write them in one way if they mean the same.")
        problems = [texts.problem(Gravity.QUESTION, "letter_forms_differ", what, do, count=apart)]
    same = _as_real([group for group in groups if not group.told_apart])
    if same:
        what = counted_phrase(
            len(same),
            "{n:,} different value is written in another form of the same letters, such as another width, another kind "
            "of dash, or Excel's marks for a text; it was read as the value it is in another file.",
            "{n:,} different values are written in other forms of the same letters, such as another width, another "
            "kind of dash, or Excel's marks for a text; each was read as the value it is in another file.",
        )
        problems.append(texts.problem(Gravity.REPAIR, "letter_forms_unified", what, count=len(same)))
    return same, problems


def _cases(texts: TextPool, aliases: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    """YES as yes where no file tells two levels apart by capitals alone; always asked."""
    groups = _groups(texts, aliases, small)
    if not groups:
        return {}, []
    count = sum(len(group.rows) for group in groups)
    if any(group.told_apart for group in groups) or not _meet(texts, aliases, groups):
        what = counted_phrase(
            count,
            "{n:,} different value differs from another only in capital letters; they were kept apart.",
            "{n:,} different values differ from another only in capital letters; they were kept apart.",
        )
        do = phrase("Write them in one way if they mean the same.")
        return {}, [texts.problem(Gravity.QUESTION, "capitals_differ", what, do, count=count)]
    what = counted_phrase(
        count,
        "{n:,} different value differs from another only in capital letters; they were read as the same.",
        "{n:,} different values differ from another only in capital letters; they were read as the same.",
    )
    do = phrase("Choose categorical to keep them apart.")
    return _as_real(groups), [texts.problem(Gravity.QUESTION, "capitals_differ", what, do, count=count)]


def _meet(texts: TextPool, aliases: Mapping[str, str], groups: Sequence[_Group]) -> bool:
    """Whether most of the rows of each file whose level is no real one would then have a real level."""
    grouped = {level for group in groups for level in group.rows}
    own = texts.own()
    real = {aliases.get(text, text) for text in own.pop("real", ())}
    for slot, mine in own.items():
        new = [text for text in mine if aliases.get(text, text) not in real]
        hits = [text for text in new if aliases.get(text, text) in grouped]
        if texts.times(slot, hits) < _MOSTLY * texts.times(slot, new):
            return False
    return True


def small(text: str) -> str:
    """The text in small letters, as a keyboard writes them; ß and ss stay two."""
    return plain(text).lower()


@dataclass(frozen=True, slots=True)
class _Group:
    """Levels that have a key in common, each with its real rows, and whether any file has two of them."""

    rows: Mapping[str, int]
    told_apart: bool


def _groups(texts: TextPool, aliases: Mapping[str, str], key: Callable[[str], str]) -> list[_Group]:
    """The levels so far that share their key with another."""
    levels: dict[str, dict[str, int]] = {}
    for text, rows in zip(texts.texts, texts.counts["real"].tolist(), strict=True):
        level = aliases.get(text, text)
        group = levels.setdefault(key(level), {})
        group[level] = group.get(level, 0) + rows
    several = [group for group in levels.values() if len(group) > 1]
    if not several:
        return []
    own = [{aliases.get(text, text) for text in mine} for mine in texts.own().values()]
    return [_Group(group, any(sum(level in mine for level in group) > 1 for mine in own)) for group in several]


def _as_real(groups: Sequence[_Group]) -> dict[str, str]:
    """The levels of each group but the one that most real rows have, with that one."""
    first = {level: max(group.rows, key=lambda t: (group.rows[t], t)) for group in groups for level in group.rows}
    return {level: best for level, best in first.items() if level != best}


def missing_words(texts: TextPool, tokens: Iterable[str]) -> list[str]:
    """The words among ``tokens`` that stand for missing in one file while another writes missing otherwise.

    A word is meant where it never stands in another file that has missing values of its own: empty ones, or other
    words alone.
    """
    words = set(tokens)
    if len(texts.files) < 2 or words.isdisjoint(texts.texts):
        return []
    ways = {slot: own & words for slot, own in texts.own().items()}
    for slot, count in texts.missing.items():
        ways[slot] |= {MISSING} if count else set()
    meant = {
        word
        for mine in ways.values()
        for other in ways.values()
        for word in mine - other - {MISSING}
        if MISSING in other or (other and not mine & other)
    }
    return sorted(meant if _is_like(texts, words) else meant - _WEAK)


def _is_like(texts: TextPool, words: set[str]) -> bool:
    """Whether the files have other values in common, or numbers, beside these words."""
    rest = [own - words for own in texts.own().values()]
    some = [text for own in rest for text in list(own)[:100]]
    return bool(set.intersection(*rest)) or 2 * sum(text[0].isdigit() for text in some) > len(some)


def missing_problem(texts: TextPool, words: Sequence[str]) -> Problem:
    """What to say of words that were read as missing because another file writes missing otherwise."""
    count = sum(texts.times(slot, words) for slot in texts.files)
    what = counted_phrase(
        count,
        "Missing is written differently in the files; {words} ({n:,} time) was read as missing in all of them.",
        "Missing is written differently in the files; {words} ({n:,} times) was read as missing in all of them.",
        words=tuple(map(repr, words)),
    )
    do = phrase("Choose categorical to keep it as a value.")
    return texts.problem(Gravity.QUESTION, "missing_differs", what, do, count=count)


class Levels:
    """The levels of a categorical column, found by any spelling of theirs."""

    def __init__(self, column: Column) -> None:
        self._place = {level: index for index, level in enumerate(column.levels)}
        self._gone = spellings_of(column.missing_tokens)
        self._forms = [_unique(column.levels, key) for key in (plain, small)]
        self._words = {truth_word(level) for level in column.levels if level and level not in column.missing_tokens}
        codes = [level for level in column.levels if _DIGITS.fullmatch(level)]
        is_padded = len(set(map(len, codes))) == 1 and any(map(_is_padded, codes))
        self._width = len(codes[0]) if is_padded else 0

    def find(self, raw: str) -> int | None:
        """The position of the level that a text stands for; None where it stands for none."""
        clean = tidy(raw)
        if clean in self._gone:
            clean = MISSING
        whole = clean.split(".")[0] if _WHOLE.fullmatch(clean) else clean
        padded = whole.zfill(self._width) if _DIGITS.fullmatch(whole) else whole
        for spelling in (clean, whole, f"{clean}.0", padded):
            if spelling in self._place:
                return self._place[spelling]
        for key, levels in zip((plain, small), self._forms, strict=True):
            level = levels.get(key(clean))
            if level is not None:
                return self._place[level]
        word = truth_word(clean)
        meant = translate_words({"levels": self._words, "text": {word}}, "levels")
        level = None if meant is None else self._forms[1].get(meant[word])
        return None if level is None else self._place[level]


def _unique(levels: Iterable[str], key: Callable[[str], str]) -> dict[str, str]:
    """The levels by their key; those whose key is not theirs alone are left out."""
    out: dict[str, list[str]] = {}
    for level in levels:
        out.setdefault(key(level), []).append(level)
    return {spelling: own[0] for spelling, own in out.items() if len(own) == 1}
