"""Identifiers that a release carries over: more of them are those of real people than chance explains.

Identifiers are compared as texts that may be spelled otherwise (:func:`riskkit.table.kinds.alike.identifier`). That
some agree means nothing by itself: two files that number their rows from 1 share every number. So each released
identifier is set beside others that are nearly the same: the next numbers, or the same text with one letter or one
word of another. Where identifiers were made anew, those stand in the real table as often as it does itself.

Times that nearly all differ identify people as numbers do, so they are looked at likewise, whether or not attacks see
the column as well: beside each the same time of days and weeks around it, and all of them under each difference of
clocks between places, for a file may write local times.

Whoever knows an identifier knows it hashed, with its letters in another order, cut short, moved by a number or behind a
prefix as well. Where identifiers as they are written show nothing, they are compared in such disguises.

Identifiers of real people may stand in another column of the release too, or within its texts.

New identifiers may still number the released rows as the real table has its lines, or as its identifiers sort them.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Floats, Ints, Kind, Table
from riskkit.games.give_aways import order_along
from riskkit.games.order import RowOrder
from riskkit.seeds import stream
from riskkit.table.evidence.overlap import are_of_one_make, make_of
from riskkit.table.kinds.alike import identifier
from riskkit.table.load import Tables

ASKED = 4_000
"""Released identifiers that are looked at, drawn evenly over the file; all where there are fewer."""
LEAST = 50
"""Texts nearly the same without which chance is not known."""
NEAR = 8
"""Identifiers nearly the same that each is set beside."""
SURE = 0.001
"""The p-value at which identifiers are told to be carried over, and rows to be linked by them."""
SHUFFLES = 999
LINKED_LEAST = 20
"""Rows with an identifier of their own in both files, below which no link is looked for."""
_WORDS = re.compile(r"(\w+)")
_NUMBERS = re.compile(r"(\d{1,18})")
_DAY = 86_400
_CLOCKS = tuple(range(-14 * 3600, 14 * 3600 + 1, 900))
"""Seconds by which clocks of two places differ."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One column of identifiers of both files.

    Of ``of`` different released identifiers looked at, ``shared`` are those of real people; ``expected`` would be if
    they had been made anew, and ``p`` bounds the chance of so many then. ``holdout_share`` is how large a part of the
    holdout's identifiers stands in the release, None without a holdout.

    ``linked`` rows have an identifier that leads to one real row; ``here`` is the share of cells in which such a pair
    of rows agrees and ``elsewhere`` that of other pairs, ``link_p`` the share of shuffled pairs that agree as much.
    ``kind`` is what the column holds: names of people are ``text``, which chance explains beside a holdout alone.
    ``is_disguised`` where the identifiers are compared hashed, moved, cut short or by their letters. ``order`` is that
    in which they put the released rows, where it is the one of the real table and nothing else is shown. ``other`` is
    the column of the real table whose identifiers stand in this one. ``is_alike`` unless released identifiers look
    otherwise than those of people, so that comparing them says nothing.
    """

    column: str
    kind: Kind
    shared: int = 0
    of: int = 0
    expected: float = 0.0
    p: float = 1.0
    holdout_share: float | None = None
    linked: int = 0
    here: float = 0.0
    elsewhere: float = 0.0
    link_p: float = 1.0
    is_disguised: bool = False
    order: RowOrder | None = None
    other: str = ""
    is_alike: bool = True

    @property
    def is_beyond_chance(self) -> bool:
        """Whether more identifiers of real people stand in the release than chance explains."""
        return self.p <= SURE

    @property
    def is_link(self) -> bool:
        """Whether identifiers lead from released rows to the real rows they resemble."""
        return self.link_p <= SURE

    @property
    def is_shown(self) -> bool:
        """Whether the column gives people away."""
        return self.is_beyond_chance or self.is_link or self.order is not None


def carried_identifiers(tables: Tables, rng: np.random.Generator) -> tuple[Carried, ...]:
    """Every column of identifiers that real and released file both have, of the first table and of the second."""
    release = tables.synthetic
    if release is None:
        return ()
    every = {"real": tables.real, "synthetic": release}
    every |= {} if tables.holdout is None else {"holdout": tables.holdout}
    carried = [_columns(tables.identifiers, every, rng, tables.free_texts)]
    children = tables.children
    if children is not None and "synthetic" in children.tables:
        carried.append(_columns(children.identifiers, children.tables, rng))
    return tuple(chain.from_iterable(carried))


def _columns(
    identifiers: Mapping[str, Mapping[str, Sequence[str]]],
    tables: Mapping[str, Table],
    rng: np.random.Generator,
    free_texts: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
) -> Iterator[Carried]:
    """Those of one table in every file; ``rng`` draws nothing where there are none."""
    real, release = tables["real"], tables["synthetic"]
    kinds = {column.name: column.kind for column in real.schema.columns}
    people = {name: own for name, own in identifiers.items() if kinds.get(name) is not Kind.DATE}
    for name, own in identifiers.items():
        if "synthetic" in own:
            kind = kinds.get(name, Kind.ID)
            column = _times(name, own) if kind is Kind.DATE else _names(Carried(name, kind), own, real, release, rng)
            if not column.is_shown and kind is not Kind.DATE:
                column = _elsewhere(name, own["synthetic"], people) or column
            yield column if column.is_shown else replace(column, order=_order(name, own, tables))
    for name, own in (free_texts or {}).items():
        if within := _elsewhere(name, own["synthetic"], people, is_text=True):
            yield within


def _order(name: str, texts: Mapping[str, Sequence[str]], tables: Mapping[str, Table]) -> RowOrder | None:
    """The order in which these put the released rows, where it is that of the real table or of its identifiers.

    None where it is neither. Where both files stand in that order already, whoever looks at their order sees it.
    """
    lines, in_real = sort_lines(texts["synthetic"]), sort_lines(texts["real"])
    as_written = [bool((sorted_lines == np.arange(len(sorted_lines))).all()) for sorted_lines in (lines, in_real)]
    release, real = tables["synthetic"].rows(lines), tables["real"]
    for number, people in enumerate((real, real.rows(in_real))):
        if not (as_written[0] and (number == 0 or as_written[1])):
            rng = stream(0, "order along identifiers", name, number)
            if (order := order_along(people, release, rng, tables.get("holdout"))) is not None:
                return order
    return None


def sort_lines(texts: Sequence[str]) -> Ints:
    """The lines of a file in the order of their identifiers, numbers within these by their size."""

    def key(line: int) -> list[tuple[int, str]]:
        parts = _NUMBERS.split(texts[line])
        return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]

    return np.array(sorted(range(len(texts)), key=key), dtype=np.int64)


def _names(
    column: Carried, texts: Mapping[str, Sequence[str]], table: Table, release: Table, rng: np.random.Generator
) -> Carried:
    """Identifiers and names, however they are spelled; in disguise where that shows nothing."""
    plain = _spelled(column, texts, table, release, rng)
    if plain.is_shown:
        return plain
    column = replace(column, is_disguised=True)
    every = list(_disguises(texts))
    looks: list[tuple[Texts, Callable[[str], str]]] = [
        (own, identifier) for own in every if _count_alike(own) >= FEWEST
    ]
    # Check digits make the letters of short numbers alike, so these show something beside a holdout alone.
    looks += [({slot: list(own) for slot, own in texts.items()}, _sort_letters)] if "holdout" in texts else []
    for own, form in looks:
        seen = _spelled(column, own, table, release, rng, form)
        seen = replace(seen, p=min(seen.p * (len(every) + 1), 1.0))
        if seen.is_beyond_chance:
            return seen
    people, released = (_some(list(dict.fromkeys(filter(None, texts[slot])))) for slot in ("real", "synthetic"))
    return replace(plain, is_alike=not released or are_of_one_make(people, released, len(texts["synthetic"])))


def _count_alike(texts: Mapping[str, Sequence[str]]) -> int:
    """How many of the released identifiers that are looked at are those of people, letter by letter."""
    people = set(filter(None, texts["real"]))
    return sum(text in people for text in _some(list(dict.fromkeys(texts["synthetic"]))))


def _spelled(
    column: Carried,
    texts: Mapping[str, Sequence[str]],
    table: Table,
    release: Table,
    rng: np.random.Generator,
    form: Callable[[str], str] = identifier,
) -> Carried:
    """Identifiers and names, however they are spelled: two are the same that have the same form."""
    own = {slot: list(map(form, spelled)) for slot, spelled in texts.items()}
    spelled = {alike: text for alike, text in zip(own["synthetic"], texts["synthetic"], strict=True) if alike}
    asked = _some(list(spelled))
    near = (map(form, kind) for kind in _nearly([spelled[alike] for alike in asked], rng))
    counted = _count_carried(column, own, asked, near)
    if column.is_disguised:
        return counted
    linked, here, elsewhere, link_p = _link(own, table, release, rng)
    return replace(counted, linked=linked, here=here, elsewhere=elsewhere, link_p=link_p)


# --------------------------------------------------------------------------------------------------------------
# Other places

_RUNS = re.compile(r"[\w.@+-]+")
LONGEST = 5
"""Words of an identifier that is looked for within texts, at most."""


def _elsewhere(
    name: str, released: Sequence[str], people: Mapping[str, Mapping[str, Sequence[str]]], *, is_text: bool = False
) -> Carried | None:
    """The column with the identifiers of another real column in it, or in its texts; None where chance explains all.

    Only released words that look like identifiers of that column are asked about, for chance to be that of these.
    """
    others = [other for other in people if other != name]
    for other in others:
        own = {slot: list(map(identifier, texts)) for slot, texts in people[other].items()}
        makes = set(map(make_of, people[other]["real"]))
        parts = dict.fromkeys(_parts(released, people[other]["real"]) if is_text else released)
        spelled = {identifier(text): text for text in parts if text and make_of(text) in makes}
        both = spelled.keys() & set(own["real"])
        if len(both) >= FEWEST:
            asked = _some(list(spelled))
            near = _nearly([spelled[form] for form in asked], stream(0, "identifiers elsewhere", name, other))
            is_number = 2 * sum(any(map(str.isdecimal, form)) for form in both) > len(both)
            column = Carried(name, Kind.ID if is_number else Kind.TEXT, other=other)
            own["synthetic"] = list(spelled)
            seen = _count_carried(column, own, asked, (map(identifier, kind) for kind in near))
            if seen.p * len(others) <= SURE:
                return seen
    return None


def _parts(texts: Sequence[str], people: Sequence[str]) -> Iterator[str]:
    """Words of the texts that follow one another, as many as these identifiers of people have."""
    sizes = {len(_RUNS.findall(text)) for text in _some(people)}
    for text in _some(texts):
        runs = _RUNS.findall(text)
        for size in sizes & set(range(1, LONGEST + 1)):
            for start in range(len(runs) - size + 1):
                yield " ".join(runs[start : start + size])


# --------------------------------------------------------------------------------------------------------------
# Disguises

SHORT, FEWEST = 6, 5
"""Letters that a part of an identifier must have, for shorter ones are those of many people; and how many released
identifiers must be those of people in a disguise."""
TAIL = 7
"""The last digits by which telephone and account numbers are compared, whatever stands before and between them."""
_HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}", re.ASCII)
"""An internet address, which is a number to the base of 256 too."""
_DIGEST = re.compile(r"[0-9A-Za-z+/_-]{8,}={0,2}")
Texts = dict[str, list[str]]
"""Identifiers by slot."""


def _disguises(texts: Mapping[str, Sequence[str]]) -> Iterator[Texts]:
    """The identifiers of every file, alike where the released ones are those of people in one disguise each."""
    own = {slot: list(spelled) for slot, spelled in texts.items()}
    released = list(filter(None, own["synthetic"]))
    people = [text for slot in ("real", "holdout") for text in own.get(slot, ()) if text]
    if not released or not people:
        return
    yield _without_affixes(own)
    yield _with_real(own, lambda text: text[::-1])
    if all("@" in text for text in (*released, *people)):
        yield {slot: list(map(_name_of, spelled)) for slot, spelled in own.items()}
    if all(text.isdecimal() and len(text) < 19 for text in people):
        if all(text.isdecimal() and len(text) < 19 for text in released):
            moved = most_frequent_shift(people, released)
            yield {**own, "synthetic": [str(int(text) + moved) if text else "" for text in own["synthetic"]]}
        yield _with_real(own, lambda text: f"{int(text):x}", lambda text: text.lower().removeprefix("0x"))
    if all(map(str.isdecimal, released)) and all(map(_ADDRESS.fullmatch, people)):
        yield _with_real(
            own, lambda text: str(reduce(lambda number, part: 256 * number + int(part), text.split("."), 0))
        )
    lengths = [set(map(len, side)) for side in (released, people)]
    if (
        len(lengths[0]) == len(lengths[1]) == 1
        and lengths[0] != lengths[1]
        and (most := min(map(min, lengths))) >= SHORT
    ):
        yield {slot: [text[:most] for text in spelled] for slot, spelled in own.items()}
        yield {slot: [text[-most:] for text in spelled] for slot, spelled in own.items()}
    if all(_DIGEST.fullmatch(text.replace("-", "")) for text in _some(released)):
        small, large = (_with_real(own, spell) for spell in (str.lower, str.upper))
        for spelled in (own, *(other for other in (small, large) if other != own)):
            for name in _HASHES:
                yield _hashed(spelled, min(map(len, released)), name)
        yield _with_real(own, _in_base_64, lambda text: text.rstrip("="))
    digits = {slot: ["".join(filter(str.isdecimal, text)) for text in spelled] for slot, spelled in own.items()}
    if digits != own and all(len(part) >= TAIL or not part for side in digits.values() for part in side):
        yield {slot: [part[-TAIL:] for part in side] for slot, side in digits.items()}


def _with_real(own: Texts, change: Callable[[str], str], released: Callable[[str], str] = str) -> Texts:
    """The identifiers of people changed in one way, and the released ones in another."""
    return {
        slot: [(released if slot == "synthetic" else change)(text) if text else "" for text in spelled]
        for slot, spelled in own.items()
    }


def _sort_letters(text: str) -> str:
    """The letters and digits of an identifier in the order of the alphabet, whatever order they stood in."""
    return "".join(sorted(identifier(text, keeps_zeros=True)))


def _in_base_64(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


def _without_affixes(own: Texts) -> Texts:
    """Every file's identifiers without the letters that all of them begin or end with."""
    out = {}
    for slot, spelled in own.items():
        known = list(filter(None, spelled))
        before, after = _length_in_common(known), _length_in_common([text[::-1] for text in known])
        out[slot] = [text[before : len(text) - after] for text in spelled]
    return out


def _length_in_common(texts: Sequence[str]) -> int:
    """With how many letters all texts begin alike."""
    first, last = min(texts, default=""), max(texts, default="")
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (own, other) in pairs if own != other), len(first))


def _name_of(address: str) -> str:
    """What stands before the sign of an e-mail address, without a tag."""
    return address.partition("@")[0].partition("+")[0]


def most_frequent_shift(people: Sequence[str], released: Sequence[str]) -> int:
    """The number that takes most released numbers to those of people; 0 where another does so nearly as often.

    Of so many differences some are frequent by chance, and then there are several of these.
    """
    own, their = (list(map(int, side[:: max(len(side) // 1_000, 1)])) for side in (people, released))
    differences = Counter(first - second for first in own for second in their).most_common(2)
    (moved, times), (_, of_next) = (*differences, (0, 0))[:2]
    return moved if times > 2 * of_next else 0


def _hashed(own: Texts, length: int, name: str) -> Texts:
    """The identifiers of people hashed, as many letters as the released ones have."""

    def digest(text: str) -> str:
        return hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()[:length]

    return _with_real(own, digest, lambda text: text.replace("-", "").lower()[:length])


def _times(name: str, texts: Mapping[str, Sequence[str]]) -> Carried:
    """Times, as whole seconds; those of the release by the clock under which most of them are real ones.

    No row is linked by them: what else a row says of the same time would agree in any such pair.
    """
    real, different = set(texts["real"]), list(dict.fromkeys(filter(None, texts["synthetic"])))
    has_clock = any(int(text) % _DAY for text in (*_some(different), *_some(list(filter(None, texts["real"])))))
    clocks = _CLOCKS if has_clock else (0,)
    some = list(map(int, _some(different)))
    shared = {clock: sum(str(second + clock) in real for second in some) for clock in clocks}
    clock = max(clocks, key=lambda moved: (shared[moved], moved == 0))
    own = {**texts, "synthetic": [str(int(text) + clock) if text else "" for text in texts["synthetic"]]}
    asked = _some(list(dict.fromkeys(filter(None, own["synthetic"]))))
    near = (_steps(asked, step) for step in (_unit(asked), _DAY, 7 * _DAY))
    counted = _count_carried(Carried(name, Kind.DATE), own, asked, near)
    return replace(counted, p=min(counted.p * len(clocks), 1.0))


def _some(texts: Sequence[str]) -> Sequence[str]:
    """Those that are looked at."""
    return texts[:: max(-(-len(texts) // ASKED), 1)]


def _count_carried(
    column: Carried, own: Mapping[str, Sequence[str]], asked: Sequence[str], near: Iterable[Iterator[str]]
) -> Carried:
    """The column with its counts and shares, of the released ones ``asked`` about.

    ``near`` are those that are nearly the same, by kind.
    """
    real = set(filter(None, own["real"]))
    shared = sum(text in real for text in asked)
    rates = [rate for rate in (_rate(kind, real) for kind in near) if rate[1] >= LEAST]
    by_chance = max(rates, default=(0, 0), key=_upper)
    p = float(stats.binom.sf(shared - 1, len(asked), _upper(by_chance))) if shared else 1.0
    holdout_share, beside = _beside_holdout(real, own.get("holdout"), set(own["synthetic"]))
    return replace(
        column,
        shared=shared,
        of=len(asked),
        expected=len(asked) * by_chance[0] / max(by_chance[1], 1),
        p=max(p, beside),
        holdout_share=holdout_share,
    )


# --------------------------------------------------------------------------------------------------------------
# Chance


def _rate(texts: Iterator[str], real: set[str]) -> tuple[int, int]:
    """How many of these texts stand in the real table, and how many there are."""
    hits = total = 0
    for text in texts:
        total += 1
        hits += text in real
    return hits, total


def _upper(rate: tuple[int, int]) -> float:
    """The most that such a rate may truly be, but for one chance in a thousand (Clopper and Pearson)."""
    hits, total = rate
    return 1.0 if hits >= total else float(stats.beta.isf(SURE, hits + 1, total - hits))


def _nearly(asked: Sequence[str], rng: np.random.Generator) -> list[Iterator[str]]:
    """Texts nearly the same as these, one kind after the other; only kinds that these texts allow."""
    if not asked:
        return []
    kinds = [_letters(asked, rng)]
    if all(text.isdecimal() and len(text) < 19 for text in asked):
        kinds.append(_steps(asked, _unit(asked)))
    if any(len(_WORDS.findall(text)) > 1 for text in asked):
        kinds.append(_words(asked, rng))
    return kinds


def _unit(asked: Sequence[str]) -> int:
    """By how much two of these whole numbers differ at least: 10 where all end in the same digit."""
    return math.gcd(*(int(text) - int(asked[0]) for text in asked)) or 1 if asked else 1


def _steps(asked: Sequence[str], unit: int) -> Iterator[str]:
    """The numbers around each, in such steps."""
    for text in asked:
        for step in range(unit, unit * (NEAR // 2) + 1, unit):
            yield str(int(text) + step)
            yield str(abs(int(text) - step) if text[0] != "-" else int(text) - step)


def _letters(asked: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Each with one sign changed into that of another text of its length."""
    same: dict[int, list[str]] = {}
    for text in asked:
        same.setdefault(len(text), []).append(text)
    for text in asked:
        others = same[len(text)]
        for _ in range(NEAR):
            other, position = others[int(rng.integers(len(others)))], int(rng.integers(len(text)))
            if other[position] != text[position]:
                yield text[:position] + other[position] + text[position + 1 :]


def _words(asked: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Each with one word changed into that of another text in its place, as first names go with other last names.

    What comes out and is asked about itself is left out: where one word alone differs, it would be an identifier again.
    """
    known = set(asked)
    parts = [_WORDS.split(text) for text in asked]
    for own in parts:
        for _ in range(NEAR):
            other = parts[int(rng.integers(len(parts)))]
            position = 1 + 2 * int(rng.integers(max(len(own) // 2, 1)))
            if len(other) == len(own) > 3 and other[position] != own[position]:
                changed = "".join((*own[:position], other[position], *own[position + 1 :]))
                if changed not in known:
                    yield changed


def _beside_holdout(real: set[str], holdout: Sequence[str] | None, released: set[str]) -> tuple[float | None, float]:
    """The share of holdout identifiers that stand in the release; Fisher's p-value, 0 without a holdout."""
    hits = len(real & released)
    others = {text for text in holdout or () if text} - real
    if not others:
        return None, 0.0
    of_holdout = len(others & released)
    p = float(stats.hypergeom.sf(hits - 1, len(real) + len(others), hits + of_holdout, len(real)))
    return of_holdout / len(others), p


# --------------------------------------------------------------------------------------------------------------
# Links


def _link(
    own: Mapping[str, Sequence[str]], table: Table, release: Table, rng: np.random.Generator
) -> tuple[int, float, float, float]:
    """How many released rows an identifier leads to one real row from, and how much such pairs agree."""
    real, released = _places(own["real"]), _places(own["synthetic"])
    both = [text for text in released if text in real]
    both = both[:: max(-(-len(both) // ASKED), 1)]
    if len(both) < LINKED_LEAST:
        return len(both), 0.0, 0.0, 1.0
    theirs = table.rows(np.array([real[text] for text in both]))
    mine = release.rows(np.array([released[text] for text in both]))
    here = _agreement(theirs, mine, np.arange(len(both)))
    moved = np.array([_agreement(theirs, mine, rng.permutation(len(both))) for _ in range(SHUFFLES)])
    return len(both), here, float(moved.mean()), float((1 + (moved >= here - 1e-12).sum()) / (1 + SHUFFLES))


def _places(identifiers: Sequence[str]) -> dict[str, int]:
    """The row of each identifier that stands in one row alone."""
    place: dict[str, int] = {}
    again: set[str] = set()
    for row, text in enumerate(identifiers):
        if text and text in place:
            again.add(text)
        elif text:
            place[text] = row
    return {text: row for text, row in place.items() if text not in again}


def _agreement(real: Table, release: Table, order: Ints) -> float:
    """The share of cells in which these rows agree with the released rows in that order."""
    same: list[Floats] = [
        (mine == other[order]).mean(axis=0)
        for mine, other in ((real.codes, release.codes), (real.numbers, release.numbers))
    ]
    return float(np.concatenate(same).mean())
