"""Attacks on texts: how few letters must change until a text is a released one, and which phrases come back?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.table.points import RowPoints, Texts

_ALONE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Letters of scripts that put no spaces between words: each counts as a word."""
_WORD = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+")


def texts_of(points: RowPoints, title: str) -> Texts:
    """(n, n_texts) the free texts; :class:`DesignError` where the tables have none."""
    if points.texts is None:
        raise DesignError.phrase(
            "{title} reads free text, and no column is kept as text; give one the role text on the Data page, or "
            "leave the attack out.",
            title=phrase(title),
        )
    return points.texts


def sequences(text: str, length: int) -> set[str]:
    """The different sequences of so many words, in small letters; of a shorter text the whole."""
    words = _WORD.findall(text.casefold())
    if not words:
        return set()
    return {" ".join(words[start : start + length]) for start in range(max(1, len(words) - length + 1))}


def nearest_texts(asked: list[str], among: list[str]) -> Ints:
    """(n_asked,) the fewest letters to put in, take out or change between each text and one of the others."""
    fewest: Ints = _nearest(asked, among, is_share=False).astype(np.int64)
    return fewest


def nearest_shares(asked: list[str], among: list[str]) -> Floats:
    """(n_asked,) the smallest edit distance over the longer length, between each text and one of the others.

    Between 0 (the text is there) and 1; an empty text is near none, and has 1.
    """
    return _nearest(asked, [text for text in among if text], is_share=True)


def _nearest(asked: list[str], among: list[str], *, is_share: bool) -> Floats:
    from riskkit.released import _kernels

    different = sorted(set(asked))
    place = {text: index for index, text in enumerate(different)}
    letters, starts = _letters(different)
    theirs, their_starts = _letters(sorted(set(among)))
    alphabet = np.unique(np.concatenate([letters, theirs]))
    own, others = np.searchsorted(alphabet, letters), np.searchsorted(alphabet, theirs)
    out = np.empty(len(different))
    _kernels.nearest_text(own, starts, others, their_starts, len(alphabet), is_share, out)
    return out[[place[text] for text in asked]]


def _letters(lines: list[str]) -> tuple[Ints, Ints]:
    """The code points of all lines one after the other, and where each line starts."""
    joined: npt.NDArray[np.uint32] = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)
    return joined.astype(np.int64), starts


@dataclass(frozen=True)
class Levenshtein(FileAttack):
    """Less the edit distance from the record's text to the nearest released row's, both written as a line of a file.

    References
    ----------
    .. [1] When tables leak: attacking string memorization in LLM-based tabular data generation (LevAtt, 2025).
    .. [2] Myers 1999, A fast bit-vector algorithm for approximate string matching based on dynamic programming,
       Journal of the ACM 46:395-415. Hyyro 2003, A bit-vector algorithm for computing Levenshtein and Damerau edit
       distances, Nordic Journal of Computing 10:29-39.
    """

    name: ClassVar[str] = "levenshtein"
    title: ClassVar[str] = "Letters that differ (Levenshtein)"
    card: ClassVar[str] = (
        'Writes records and released rows as lines of a file and says "in" where few letters must change. Needs '
        "nothing but the release. Finds what a language model repeats letter by letter: a number with one digit "
        "changed is near, however large the digit. Slow, so it is asked by name alone."
    )
    reads_text: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Every pair of texts is compared: minutes for large files."""

    rows: int = parameter(
        10_000,
        label="Released rows",
        help="Most released rows that are compared with, drawn at random where there are more.",
        low=1,
        high=1_000_000,
        unit="rows",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) less the fewest letters."""
        return -nearest_texts(texts(sight.targets), texts(some(sight.release, self.rows, sight.rng))).astype(np.float64)


def texts(points: RowPoints) -> list[str]:
    """A line for each row: its values with commas, numbers in the table's own units, free texts last."""
    raw = points.raw()
    columns = [[f"{value:.10g}" for value in column] for column in raw.numbers.T.tolist()]
    for place, codes in enumerate(points.codes.T.tolist()):
        levels = points.levels[place] if place < len(points.levels) else ()
        # codes without levels: of plain arrays, or whether a number is missing
        columns.append([levels[code] if levels else str(code) for code in codes])
    columns += [] if points.texts is None else points.texts.T.tolist()
    return [",".join(line) for line in zip(*columns, strict=True)] if columns else [""] * len(points)


@dataclass(frozen=True)
class NearestText(FileAttack):
    """Less the smallest share of letters to change between the record's free text and a released one.

    The share is the edit distance over the length of the longer text, between 0 and 1; of several columns of free text
    the mean, each compared with released texts of its own column. A text that is missing is near none.

    References
    ----------
    .. [1] When tables leak: attacking string memorization in LLM-based tabular data generation (LevAtt, 2025).
    """

    name: ClassVar[str] = "nearest-text"
    title: ClassVar[str] = "Nearest released text"
    card: ClassVar[str] = (
        "Counts the letters that must change until a record's free text is a released one, as a share of the longer "
        "text. Needs a column that is kept as text, and nothing but the release. Finds texts that are copied whole or "
        "nearly; blind to a phrase within an otherwise new text. Slow, so at most a number of released rows, drawn at "
        "random, and the first letters of each text are compared."
    )
    reads_text: ClassVar[bool] = True
    needs_text: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most tables have no free text; an audit of one that has asks it."""

    rows: int = parameter(
        5_000,
        label="Released rows",
        help="Most released rows that are compared with, drawn at random where there are more.",
        low=1,
        high=1_000_000,
        unit="rows",
    )
    letters: int = parameter(
        200, label="Letters", help="First letters of each text that are compared.", low=1, high=10_000, unit="letters"
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) between -1 and 0, higher means nearer. Draws released rows where there are many."""
        asked = texts_of(sight.targets, self.title)
        released = texts_of(some(sight.release, self.rows, sight.rng), self.title)
        columns = zip(asked.T, released.T, strict=True)
        shares = [nearest_shares(*([text[: self.letters] for text in side] for side in sides)) for sides in columns]
        return -np.asarray(np.mean(shares, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class RarePhrases(FileAttack):
    """The record's rare sequences of words that stand in the release, beyond the usual share of them.

    A sequence is rare where at most ``most`` of the reference texts have it. Of a text with m rare ones of which k
    stand in the release the score is (k - r m) / sqrt(r m + 1), where r is the share of rare sequences of reference
    texts that stand in it; columns of free text add up. In small letters, without signs; a letter of a script that
    puts no spaces between words counts as a word.

    References
    ----------
    .. [1] Carlini et al. 2021, Extracting training data from large language models (USENIX Security): what a model
       repeats and few others wrote. The score here is riskkit's.
    """

    name: ClassVar[str] = "rare-phrases"
    title: ClassVar[str] = "Rare phrases"
    card: ClassVar[str] = (
        "Counts the record's sequences of words that are rare among other people and stand in a released text, "
        "compared with how many of theirs do. Needs a column that is kept as text, and reference rows of the same "
        "population. Finds a phrase that was copied into an otherwise new text; blind to texts that say the same in "
        "other words."
    )
    needs_reference: ClassVar[bool] = True
    reads_text: ClassVar[bool] = True
    needs_text: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most tables have no free text; an audit of one that has asks it."""

    words: int = parameter(
        3, label="Words of a phrase", help="Words that follow one another.", low=1, high=20, unit="words"
    )
    most: int = parameter(
        1,
        label="Rare up to",
        help="A phrase is rare where at most so many of the reference texts have it.",
        low=0,
        high=1000,
        unit="texts",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) 0 where nothing tells, higher means more of its phrases. Draws nothing at random."""
        sides = (sight.release, sight.targets, sight.others)
        columns = zip(*(texts_of(side, self.title).T for side in sides), strict=True)
        return np.asarray(np.sum([self._column_scores(*texts) for texts in columns], axis=0), dtype=np.float64)

    def _column_scores(self, released: Texts, asked: Texts, others: Texts) -> Floats:
        there = set().union(*(sequences(text, self.words) for text in released))
        of_others = [sequences(text, self.words) for text in others]
        has = Counter(phrase for phrases in of_others for phrase in phrases)
        k, m = self._rare(of_others, there, has, self.most + 1)  # each of them has its own
        usual = k.sum() / max(m.sum(), 1.0)
        k, m = self._rare([sequences(text, self.words) for text in asked], there, has, self.most)
        score: Floats = (k - usual * m) / np.sqrt(usual * m + 1)
        return score

    @staticmethod
    def _rare(texts: list[set[str]], there: set[str], has: Counter[str], most: int) -> tuple[Floats, Floats]:
        """(n,) how many rare phrases of each text stand in the release, and how many rare ones it has."""
        rare = [{phrase for phrase in phrases if has[phrase] <= most} for phrases in texts]
        return np.array([len(own & there) for own in rare], float), np.array([len(own) for own in rare], float)


PLUGIN = Levenshtein, NearestText, RarePhrases
