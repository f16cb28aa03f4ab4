"""Which few columns tell most of a secret, judged on the release alone: never on the people who are asked about."""

from __future__ import annotations

import numpy as np

from riskkit.errors import DesignError
from riskkit.games.strongest import strongest
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.features import Encoded, Inference, beside


def worst_known(release: Encoded, secret: str, size: int, model: Inference, seed: int) -> tuple[str, ...]:
    """``size`` columns, chosen one by one: each time the one with which the model guesses released rows best.

    Rows are guessed in cross-validation; of equally good columns the first in file order is taken. All columns are
    returned where there are no more than ``size``.

    Raises
    ------
    DesignError
        There is no column beside the secret, or the model cannot guess this kind of secret.
    """
    left = list(beside(release.table.schema, secret))
    if not left:
        raise DesignError(phrase("There is no column beside {secret!r} to know.", secret=secret))
    chosen: tuple[str, ...] = ()
    for step in range(min(size, len(left))):
        reached = []
        for name in left:
            rng = stream(seed, "worst known", secret, step)  # the same rows and folds for every column of a step
            reached.append(strongest(release, secret, (*chosen, name), (model,), rng).reached[model.name])
        chosen = (*chosen, left.pop(int(np.argmax(reached))))
    return chosen
