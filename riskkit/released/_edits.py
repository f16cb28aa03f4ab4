"""Edit distances of many texts: how few letters must change until a text is one of the others?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints


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
    from riskkit.released import _edit_kernels

    different = sorted(set(asked))
    place = {text: index for index, text in enumerate(different)}
    letters, starts = _letters(different)
    theirs, their_starts = _letters(sorted(set(among)))
    alphabet = np.unique(np.concatenate([letters, theirs]))
    own, others = np.searchsorted(alphabet, letters), np.searchsorted(alphabet, theirs)
    out = np.empty(len(different))
    _edit_kernels.nearest(own, starts, others, their_starts, len(alphabet), is_share, out)
    return out[[place[text] for text in asked]]


def _letters(lines: list[str]) -> tuple[Ints, Ints]:
    """The code points of all lines one after the other, and where each line starts."""
    joined: npt.NDArray[np.uint32] = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)
    return joined.astype(np.int64), starts
