"""How far certificates of many small tables are from what every release there can be says."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Floats
from riskkit.questions.records.certificate import Certificate
from tests.questions.records.enumeration import Best

CLOSE = 1e-3
"""Nothing exact may be further off."""


def numbers(certificate: Certificate) -> Floats:
    """AUC, advantage, true positive rate and chance of a proof."""
    return np.array([estimate.value for estimate in certificate.numbers])


@dataclass
class Tally:
    """What came of many small tables; ``outside`` says of each drawn number whether it is not in its interval."""

    exact: Counter[str] = field(default_factory=Counter)
    worst: Floats = field(default_factory=lambda: np.zeros(4))
    far: list[tuple[object, ...]] = field(default_factory=list)
    outside: list[bool] = field(default_factory=list)

    def add(self, certificate: Certificate, best: Best, method: str, *case: object) -> None:
        """Hold a certificate of that method beside the best attack; ``case`` is named where it is too far off."""
        if not certificate.method.endswith("exact"):
            pairs = zip(certificate.numbers, best.values, strict=True)
            self.outside += [not estimate.low - 1e-6 <= value <= estimate.high + 1e-6 for estimate, value in pairs]
            return
        self.exact[method] += 1
        off = np.abs(numbers(certificate) - best.values)
        self.worst = np.maximum(self.worst, off)
        if off.max() > CLOSE:
            self.far.append(case)

    def __str__(self) -> str:
        return (
            f"Exact certificates of small tables: {dict(self.exact)}; AUC, advantage, true positive rate and chance of "
            f"a proof are off by {', '.join(f'{value:.1e}' for value in self.worst)} at most; too far are "
            f"{len(self.far)}. Of {len(self.outside):,} drawn numbers {np.mean(self.outside):.1%} lie outside their "
            "interval."
        )
