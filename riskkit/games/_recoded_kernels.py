"""The compiled loop of :mod:`riskkit.games.recoded`. Imported only when copies under a renumbering are looked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compiled import compile_loop


@compile_loop
def most_like(
    known: Any,
    released: Any,
    rarity: Any,
    anyway: Any,
    ranks: Any,
    means: Any,
    near: Any,
    yes: Any,
    no: Any,
    best: Any,
    score: Any,
) -> None:
    """Into ``best`` and ``score`` (m,): the known row most like each released one, the first of several, and how much.

    Categories ``known`` (c, n) and ``released`` (m, c) agree where they are equal, which adds ``rarity`` (m, c) to what
    a known row has ``anyway`` (n,). Numbers ``ranks`` (d, n) and ``means`` (m, d) agree where they lie within ``near``,
    which adds ``yes`` (m, d), else ``no`` (m, d).
    """
    likeness = np.empty(anyway.shape[0], dtype=np.float32)
    for row in range(best.shape[0]):
        likeness[:] = anyway
        for column in range(known.shape[0]):
            wanted, weight, values = released[row, column], rarity[row, column], known[column]
            for other in range(values.shape[0]):
                likeness[other] += weight * np.float32(values[other] == wanted)
        for column in range(ranks.shape[0]):
            mean, agrees, differs, values = means[row, column], yes[row, column], no[row, column], ranks[column]
            for other in range(values.shape[0]):
                likeness[other] += agrees if abs(mean - values[other]) <= near else differs
        first = 0
        for other in range(1, likeness.shape[0]):
            if likeness[other] > likeness[first]:
                first = other
        best[row], score[row] = first, likeness[first]
