"""Points for tests: the same rows as another file would hold them, an attack, and how well a score tells members."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.table.neighbours import nearest
from riskkit.table.points import RowPoints

Parts = tuple[RowPoints, ...]


def shuffled(parts: Parts, seed: int) -> tuple[Parts, list[Ints]]:
    """The parts with columns, codes and the rows of each in another order, and that order of the rows."""
    rng = np.random.default_rng(seed)
    numbers, columns = (rng.permutation(width) for width in (parts[0].numbers.shape[1], len(parts[0].sizes)))
    renamed = [rng.permutation(size) for size in parts[0].sizes]
    sizes = tuple(parts[0].sizes[column] for column in columns)
    out, orders = [], []
    for part in parts:
        order = rng.permutation(len(part))
        codes = [renamed[column][part.codes[order, column]] for column in columns]
        stacked = np.column_stack(codes).astype(np.int32) if codes else part.codes[order]
        texts = None if part.texts is None else part.texts[order]
        bags = None if part.children is None else part.children.take(order)
        out.append(RowPoints(part.numbers[order][:, numbers], stacked, sizes, texts=texts, children=bags))
        orders.append(order)
    return tuple(out), orders


def auc(score: Floats, is_in: Any) -> float:
    """The share of pairs that are the right way round, ties half, counted pair by pair."""
    gap = score[np.asarray(is_in, bool)][:, None] - score[~np.asarray(is_in, bool)]
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


@dataclass(frozen=True)
class Nearness:
    """Less the distance to the nearest released row, times ``sign``: rows of a person score alike."""

    name: ClassVar[str] = "nearness"
    title: ClassVar[str] = "Nearness"
    card: ClassVar[str] = ""
    needs_reference: ClassVar[bool] = False
    sign: float = 1.0

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return -self.sign * nearest(targets, release)[0][:, 0]
