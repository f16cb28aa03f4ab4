"""In which encoding a text is written: as it says itself, or by the alphabets of languages, over all files together.

Windows programs write the encoding of their country. Two encodings turn the same bytes into different letters; the
right one gives words as people write them: letters of one or few alphabets, signs before and behind words and not
within, capitals where capitals stand. Where another file of the same tables holds the same words in an encoding that
is certain, its words decide.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from encodings.aliases import aliases
from functools import cache

import charset_normalizer
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.errors import EncodingError, Gravity, Problem, nearest
from riskkit.phrases import phrase
from riskkit.table.text import TextTable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The file as UTF-8 without a byte-order mark, and how it was read."""

    data: bytes
    encoding: str
    encoding_from: str
    problems: tuple[Problem, ...] = ()
    is_ascii: bool = False


def decode(source: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The file as UTF-8: by the encoding asked for, else its byte-order mark, else UTF-8, else a stated guess.

    Raises
    ------
    EncodingError
        The bytes are not text in that encoding; says on which line. Nothing is ever replaced.
    """
    if encoding is not None:
        return _chosen_encoding(source, name, encoding)
    for mark, marked in _BOMS:
        if source.startswith(mark):
            return _by_mark(source, name, marked)
    if source.isascii():
        return Decoded(source, "utf-8", "utf-8", is_ascii=True)
    if _is_utf8(source):
        return Decoded(source, "utf-8", "utf-8")
    try:
        source.decode()
    except UnicodeDecodeError as error:
        _refuse_broken_utf8(source, name, error)
    return _guess(source, name)


def _is_utf8(source: bytes) -> bool:
    """Whether the bytes are UTF-8, found without a copy of them."""
    ends = pa.py_buffer(np.array([0, len(source)], dtype=np.int64))
    whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, pa.py_buffer(source)])
    try:
        whole.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _chosen_encoding(source: bytes, name: str, encoding: str) -> Decoded:
    try:
        known = codecs.lookup(encoding).name
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        raise EncodingError.of(
            "not_in_encoding",
            phrase("The text is not {encoding}.", encoding=encoding),
            phrase("Choose another encoding."),
            file=name,
            line=line_at(source, error.start),
        ) from None
    except (LookupError, UnicodeError, ValueError):
        raise EncodingError.of(
            "unknown_encoding",
            phrase(
                "There is no text encoding {encoding!r}{near}.",
                encoding=encoding,
                near=nearest(encoding, aliases.values()),
            ),
            phrase("Choose another encoding."),
            file=name,
        ) from None
    return Decoded(_utf8(text.removeprefix("\ufeff"), name), known, "chosen")


def _by_mark(source: bytes, name: str, encoding: str) -> Decoded:
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError as error:
        raise EncodingError.of(
            "broken_encoding",
            phrase(
                "The file begins as {encoding} but byte {byte:,} does not belong to it; it may be cut "
                "off or two files joined.",
                encoding=encoding.upper(),
                byte=error.start,
            ),
            phrase("Export it again."),
            file=name,
        ) from None
    repair = Problem(
        Gravity.REPAIR,
        "byte_order_mark",
        phrase("The file has a byte-order mark and was read as {encoding}.", encoding=encoding),
        "",
        name,
    )
    data = source[len(codecs.BOM_UTF8) :] if encoding == "utf-8-sig" else _utf8(text, name)
    return Decoded(data, encoding, "bom", (repair,))


def _utf8(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise EncodingError.of(
            "broken_encoding",
            phrase("The text holds half characters (lone surrogates)."),
            phrase("Export it as UTF-8."),
            file=name,
        ) from None


def _refuse_broken_utf8(source: bytes, name: str, error: UnicodeDecodeError) -> None:
    """Raise where the file is UTF-8 but for one place; return where it is some other encoding altogether."""
    last = source[max(error.start - 1_000_000, 0) : error.start].decode(errors="ignore")
    before = sum(ord(character) > 127 for character in last)
    if error.reason == "unexpected end of data" and before:
        raise EncodingError.of(
            "truncated",
            phrase("The file breaks off within a character at byte {byte:,}.", byte=error.start),
            phrase("Export or copy it again."),
            file=name,
            line=line_at(source, error.start),
        ) from None
    if before >= 5:
        raise EncodingError.of(
            "mixed_encoding",
            phrase("The file is UTF-8 up to here and something else from here on."),
            phrase("Export it again in one encoding, or choose the encoding."),
            file=name,
            line=line_at(source, error.start),
        ) from None


def _guess(source: bytes, name: str) -> Decoded:
    for encoding in candidates(source):
        try:
            text = source.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Decoded(_utf8(text, name), encoding, "guess", (guess_problem(encoding, name),))
    raise EncodingError.of(
        "encoding_unclear",
        phrase("The encoding of the file cannot be found."),
        phrase("Choose it, or save as UTF-8."),
        file=name,
    )


def guess_problem(encoding: str, name: str) -> Problem:
    """The question about a file whose encoding was guessed."""
    return Problem(
        Gravity.QUESTION,
        "encoding_guess",
        phrase("The file is not UTF-8; its encoding was guessed as {encoding}.", encoding=encoding),
        phrase("Look at the first rows and choose another encoding if names or words look wrong."),
        name,
    )


def line_at(data: bytes, offset: int) -> int:
    """The line (from 1) that the byte at ``offset`` is on."""
    ends = data.count(b"\n", 0, offset)
    return 1 + ends + data.count(b"\r", 0, offset) - data.count(b"\r\n", 0, offset)


GUESS = "guess"
_LETTERS = 20_000
"""Letters of the texts of a file that are looked at."""


def again(texts: Mapping[str, TextTable], read: Callable[[str, str], TextTable]) -> dict[str, TextTable]:
    """The files whose encoding was guessed and is another one beside the others, read in it.

    ``read`` reads the file of a slot in an encoding. What cannot be read so stays as it is.
    """
    out = {}
    for slot, encoding in agree_encodings(texts).items():
        try:
            out[slot] = as_guess(read(slot, encoding))
        except EncodingError:
            continue
    return out


def agree_encodings(texts: Mapping[str, TextTable]) -> dict[str, str]:
    """The encodings, by slot, of files that were guessed to have another one before all were looked at together."""
    guessed = {slot: text for slot, text in texts.items() if text.encoding_from == GUESS}
    if not guessed or len(texts) < 2:
        return {}
    words = {
        word for slot, text in texts.items() if slot not in guessed for cell in _cells(text) for word in words_in(cell)
    }
    raw = {
        slot: b"\n".join(cell.encode(text.encoding, "ignore") for cell in _cells(text))
        for slot, text in guessed.items()
    }
    out = {}
    for slot, text in guessed.items():
        beside = [other for own, other in raw.items() if own != slot]
        first = candidates(raw[slot], words, beside)[0]
        if raw[slot] and first != text.encoding:
            out[slot] = first
    return out


def as_guess(text: TextTable) -> TextTable:
    """A file that was read in an encoding that nobody chose."""
    return replace(text, encoding_from=GUESS, problems=(guess_problem(text.encoding, text.name), *text.problems))


def _cells(text: TextTable) -> Iterator[str]:
    """Different texts of a file that hold letters beyond ASCII, and such names, as far as there is room."""
    room = _LETTERS
    yield from (name for name in text.columns if not name.isascii())
    for name in text.columns:
        different = text.encode(name).dictionary
        for cell in different.filter(pc.invert(pc.string_is_ascii(different))).to_pylist():
            if (room := room - len(cell)) < 0:
                return
            yield cell


_SAMPLE = 200_000
_CONTEXT = 1_000
_TOKENS = 1_000
"""Different words that are looked at."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_TOKEN = re.compile("[A-Za-z\u0080-\U0010ffff]*[\u0080-\U0010ffff][A-Za-z\u0080-\U0010ffff]*")
_SMALL = re.compile("[a-z]{2}[\u0080-\U0010ffff]|[\u0080-\U0010ffff][a-z]{2}")
"""Small Latin letters that touch others, as in European words and hardly in East Asian ones."""
_BYTES = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")

_COMMON, _RARE, _SELDOM = 0.3, 0.5, 0.8
"""How surprising it is that a further language is needed to account for the letters of a file."""
_FOREIGN = 0.5
"""The same of a letter that is in the alphabet of no language of the encoding."""
_BAD = 4.0
"""How surprising it is where every word is misshapen."""
_KNOWN = 3.0
"""How telling it is where every word stands in another file."""
_OWN = 1.0
"""How much likelier another encoding must be for one file alone than that of all files together."""
_TIE = 0.2

_WEST = (
    ("äöüß", _COMMON),
    ("àâæçéèêëîïôœùûüÿ", _COMMON),
    ("áéíóúüñ", _COMMON),
    ("àáâãçéêíóôõúü", _COMMON),
    ("åäöé", _COMMON),
    ("åæøéèêòóôâ", _COMMON),
    ("àèéìíîòóùú", _COMMON),
    ("àçèéíïòóúü", _COMMON),
    ("áéëèêïíóöúüç", _COMMON),
    ("äöõüšž", _RARE),
    ("áéíóúýðþæö", _SELDOM),
)
"""German, French, Spanish, Portuguese, Swedish, Danish and Norwegian, Italian, Catalan, Dutch, Estonian, Icelandic."""
_CENTRAL = (
    ("ąćęłńóśźż", _COMMON),
    ("áčďéěíňóřšťúůýž", _COMMON),
    ("áäčďéíĺľňóôŕšťúýž", _COMMON),
    ("áéíóöőúüű", _COMMON),
    ("ăâîșțşţ", _COMMON),
    ("čćđšž", _COMMON),
    ("äöüß", _COMMON),
    ("ëç", _RARE),
)
"""Polish, Czech, Slovak, Hungarian, Romanian, Slovene and Croatian, German, Albanian."""
_BALTIC = (("ąčęėįšųūž", _COMMON), ("āčēģīķļņōŗšūž", _COMMON), ("äöõüšž", _COMMON))
_TURKISH = (("çğıöşüâîûi\u0307", _COMMON), *_WEST[:-1])
_CYRILLIC = (
    ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", _COMMON),
    ("абвгдежзийклмнопрстуфхцчшщьюяєіїґў", _COMMON),
    ("абвгдежзиклмнопрстуфхцчшђјљњћџѓѕќѝ", _COMMON),
)
_GREEK = (("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", _COMMON),)
_HEBREW = (("".join(map(chr, range(0x5D0, 0x5EB))), _COMMON),)
_ARABIC = (("".join(map(chr, range(0x621, 0x6D3))), _COMMON), _WEST[1])
_THAI = (("".join(map(chr, range(0xE01, 0xE4F))), _COMMON),)
_VIETNAMESE = (("ăâđêôơưàáãèéìíòóõùúý", _COMMON),)
_ENCODINGS = (
    ("cp1252", 0.0, _WEST),
    ("cp1250", 0.45, _CENTRAL),
    ("cp1251", 0.45, _CYRILLIC),
    ("cp1254", 0.45, _TURKISH),
    ("cp1257", 0.5, _BALTIC),
    ("cp1253", 0.5, _GREEK),
    ("iso8859_15", 0.5, _WEST),
    ("iso8859_2", 0.55, _CENTRAL),
    ("mac_roman", 0.6, _WEST),
    ("cp850", 0.6, _WEST),
    ("cp437", 0.65, _WEST),
    ("cp852", 0.65, _CENTRAL),
    ("cp1255", 0.65, _HEBREW),
    ("cp1256", 0.65, _ARABIC),
    ("cp1258", 0.7, _VIETNAMESE),
    ("koi8_r", 0.6, _CYRILLIC),
    ("koi8_u", 0.65, _CYRILLIC),
    ("cp866", 0.65, _CYRILLIC),
    ("iso8859_5", 0.65, _CYRILLIC),
    ("mac_cyrillic", 0.7, _CYRILLIC),
    ("mac_latin2", 0.7, _CENTRAL),
    ("mac_turkish", 0.7, _TURKISH),
    ("iso8859_7", 0.6, _GREEK),
    ("iso8859_8", 0.7, _HEBREW),
    ("cp874", 0.7, _THAI),
)
"""Encodings of one byte a letter, how surprising each is by itself, and the languages that are written in it."""
_EAST = ("cp932", "euc_jp", "gb18030", "euc_kr", "big5")
_EAST_ITSELF = 0.5

_BEFORE = "¿¡«„“‘‚‹“\"'(§€£$¥±©®°µ–—-…¤¢№"
_BEHIND = "»”’“‘›\"')!?.,;:…™®©°²³¹ªº%‰€£¥¢–—-±µ§¤"
_WITHIN = "’'‘·´`-–‑\u00ad"
_ALONE = frozenset("–—…•·†‡€£¥¢§¶©®™°±²³¹¼½¾×÷µªº¿¡«»„“”‘’‚‹›¤№′″≤≥≈≠‰")
_UNLIKE_A_LETTER = frozenset("ªºµƒ")


def candidates(source: bytes, words: Iterable[str] = (), beside: Sequence[bytes] = ()) -> list[str]:
    """Encodings to try on a text that is no UTF-8, most plausible first.

    ``words`` stand in other files of the same tables, in an encoding that is certain; ``beside`` are texts of files
    that are no UTF-8 either. One encoding is decided over the file and those; a file that is much likelier in another
    one by itself, as an old Macintosh's is, has its own.
    """
    own = _sample(source)
    known = frozenset(word.casefold() for word in words)
    costs = _costs(own, known)
    order = sorted(costs, key=costs.__getitem__)
    others = [_costs(text, known) for text in beside if text]
    if others and order:
        regrets = {name: sum(_regret(file, name) for file in (costs, *others)) for name in order}
        shared = min(order, key=regrets.__getitem__)
        order = [shared, *order] if _regret(costs, shared) < _OWN else order
    return [*dict.fromkeys([*_settle_order(order, costs, own), "cp1252", "latin-1"])]


def _regret(costs: Mapping[str, float], name: str) -> float:
    """How much more surprising a file is in that encoding than in its own, up to where it must have another one."""
    return min(costs.get(name, _BAD) - min(costs.values(), default=0.0), _OWN)


def _settle_order(order: list[str], costs: dict[str, float], sample: bytes) -> list[str]:
    """The order, with what statistics of letters say before it where alphabets leave it open."""
    least = costs[order[0]] if order else _BAD
    if order and order[0] in ("cp1252", *_EAST) and least < _BAD / 2:
        return order
    best = charset_normalizer.from_bytes(sample).best()
    if best is None or best.encoding in _EAST:
        return order
    is_likely = costs[best.encoding] <= least + _TIE if best.encoding in costs else least >= _BAD / 2
    return [best.encoding, *order] if is_likely else order


def words_in(text: str) -> Iterable[str]:
    """The words of a text that hold letters beyond ASCII."""
    for match in _TOKEN.finditer(text):
        yield from (part for part in match[0].split() if not part.isascii())


def _costs(sample: bytes, known: frozenset[str]) -> dict[str, float]:
    """How surprising the bytes are in each encoding in which they are text at all."""
    tokens = list(dict.fromkeys(_BYTES.findall(sample)))[:_TOKENS]
    joined = b"\n".join(tokens)
    out: dict[str, float] = {}
    for name, itself, languages in _ENCODINGS:
        try:
            words = list(words_in(joined.decode(name)))
        except UnicodeDecodeError:
            continue
        out[name] = itself + _shape(words) + _languages(words, languages) - _known_share(words, known)
    for name in _EAST:
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)  # it may be cut within its last character
        except UnicodeDecodeError:
            continue
        words = list(words_in(text))
        beside_small = sum(_SMALL.search(word) is not None for word in words) / max(len(words), 1)
        out[name] = _EAST_ITSELF + _BAD * (1 - _east_asian(text, name) + beside_small) - _known_share(words, known)
    return out


def _known_share(words: Sequence[str], known: frozenset[str]) -> float:
    different = {word.casefold() for word in words}
    return _KNOWN * len(different & known) / len(different) if known and different else 0.0


def _languages(words: Iterable[str], languages: Sequence[tuple[str, float]]) -> float:
    """The fewest languages whose alphabets hold all letters, each as surprising as it is rare."""
    letters = {letter for word in words for letter in word.lower() if letter.isalpha() and not letter.isascii()}
    letters -= _UNLIKE_A_LETTER
    if not letters:
        return 0.0
    return min(rare + _others(letters - set(alphabet), languages) for alphabet, rare in (("", 0.0), *languages))


def _others(left: set[str], languages: Sequence[tuple[str, float]]) -> float:
    """Languages for the letters that are left, the one that accounts for most of them first."""
    cost = 0.0
    while left:
        alphabet, rare = max(languages, key=lambda language: len(left & set(language[0])) / language[1])
        if not left & set(alphabet):
            return cost + _FOREIGN * len(left)
        left = left - set(alphabet)
        cost += rare
    return cost


def _shape(words: Sequence[str]) -> float:
    """How many of the words are misshapen, as their share times :data:`_BAD`."""
    return _BAD * sum(map(_misshapen, words)) / len(words) if words else 0.0


def _misshapen(word: str) -> float:
    """0 for what people write, 1 for signs within a word or capitals behind small letters, 2 for letters mixed up."""
    if any(unicodedata.category(letter) == "Cc" for letter in word):
        return 2.0
    if word[0] in _ALONE and word.count(word[0]) == len(word):
        return 0.0
    core = word.lstrip(_BEFORE).rstrip(_BEHIND)
    letters = [letter for letter in core if letter.isalpha() and letter not in _UNLIKE_A_LETTER]
    marks = [letter for letter in core if unicodedata.category(letter)[0] == "M"]
    within = sum(letter in _WITHIN for letter in core)
    if not letters or len(letters) + len(marks) + within < len(core) or core[0] in marks:
        return 1.0
    scripts = {_script(letter) for letter in (*letters, *marks)} - {"COMBINING"}
    if len(scripts) > 1:
        return 2.0
    return float(
        _odd_case(letters) or (scripts == {"LATIN"} and len(letters) > 2 and not any(map(str.isascii, letters)))
    )


def _odd_case(letters: Sequence[str]) -> bool:
    """Whether small letters and capitals are mixed behind the first, where letters beyond ASCII take part."""
    behind = [letter for letter in letters[1:] if letter != "ß"]
    if letters[0].islower():
        return any(letter.isupper() for letter in behind)
    upper = [letter.isupper() for letter in behind]
    return any(upper) and not all(upper)


@cache
def _script(letter: str) -> str:
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "?").split(" ")[0]


def _sample(source: bytes) -> bytes:
    """The lines that say something about the encoding: those with bytes beyond ASCII, up to a size.

    Of a line that is ASCII for long, what comes from the first byte beyond it on: in every encoding that is tried such
    a byte begins a character. Every byte is looked at once, however long a line is.
    """
    pieces: list[bytes] = []
    room, start = _SAMPLE, 0
    while room > 0 and (match := _BEYOND_ASCII.search(source, start)):
        beyond = match.start()
        near = max(start, beyond - _CONTEXT)
        begin = source.rfind(b"\n", near, beyond) + 1 or (start if near == start else beyond)
        end = source.find(b"\n", beyond) + 1 or len(source)
        pieces.append(source[begin : min(end, begin + room)])
        room, start = room - len(pieces[-1]), end
    return b"".join(pieces)


def _east_asian(text: str, encoding: str) -> float:
    """How plausible the text is as one of that East Asian encoding: the share of common characters."""
    beyond = [character for character in text if ord(character) > 127]
    return sum(_common(character, encoding) for character in beyond) / len(beyond) if beyond else 0.0


def _common(character: str, encoding: str) -> float:
    """1 for a character that texts in that encoding are full of, 0.9 or less for a doubtful one, 0 for a rare one."""
    point = ord(character)
    kana = 0x3040 <= point <= 0x30FF
    if 0x3000 <= point <= 0x303F or 0xFF01 <= point <= 0xFF5E:
        return 0.95
    if encoding in ("cp932", "euc_jp"):
        if kana:
            return 1.0
        is_usual = 0x4E00 <= point <= 0x9FFF and 0x88 <= _lead(character, "cp932") <= 0x97
        # EUC-JP and GB share their bytes; without kana Chinese is the likelier
        return (0.95 if encoding == "cp932" else 0.93) if is_usual else 0.0
    if encoding == "euc_kr":
        return 0.97 if 0xAC00 <= point <= 0xD7A3 else 0.0
    if 0x4E00 <= point <= 0x9FFF and not kana:
        lead = _lead(character, encoding)
        return 0.94 if (0xB0 <= lead <= 0xD7 if encoding == "gb18030" else 0xA4 <= lead <= 0xC6) else 0.0
    return 0.0


def _lead(character: str, encoding: str) -> int:
    try:
        return character.encode(encoding)[0]
    except UnicodeEncodeError:
        return 0
