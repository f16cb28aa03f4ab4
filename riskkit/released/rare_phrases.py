"""Rare phrases: how many sequences of words that hardly anybody else has stand in the released texts?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._distances import RELEASED, at_least, needed
from riskkit.released._texts import sequences, texts_of
from riskkit.table.points import RowPoints, Texts


@dataclass(frozen=True)
class RarePhrases:
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

    def __post_init__(self) -> None:
        check_parameters(self)

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,
        rng: np.random.Generator,  # noqa: ARG002  the shape of every attack here
    ) -> Floats:
        """(n_targets,) 0 where nothing tells, higher means more of its phrases. Draws nothing at random."""
        at_least(1, release, RELEASED, self.title)
        sides = (release, targets, needed(reference, self.title))
        columns = zip(*(texts_of(side, self.title).T for side in sides), strict=True)
        return np.asarray(np.sum([self._of_column(*texts) for texts in columns], axis=0), dtype=np.float64)

    def _of_column(self, released: Texts, asked: Texts, others: Texts) -> Floats:
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


PLUGIN = RarePhrases
