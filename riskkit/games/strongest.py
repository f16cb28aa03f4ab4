"""Which model guesses a secret best, judged on the release alone: never on the people who are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.games.attribute import KINDS, out_of_fold_guess
from riskkit.seeds import stream
from riskkit.table.features import Encoded, Guess, Inference, KnownAndSecret, beside

FOLDS = 3
ROWS = 5000
"""Rows of the release that are looked at; of a larger one, a random part."""


@dataclass(frozen=True, slots=True, eq=False)
class ChosenModel:
    """The model that was chosen, and what every candidate reached by name, higher being better.

    ``reached`` is, on rows of the release that the model had not seen, the share guessed rightly for a category, and
    for a number the mean absolute error in standard deviations of the schema, with a minus before it.
    """

    model: Inference
    reached: Mapping[str, float]


def strongest(
    release: Table | Encoded,
    secret: str,
    known: Sequence[str],
    candidates: Sequence[Inference],
    rng: np.random.Generator,
) -> ChosenModel:
    """The candidate that does best in cross-validation on the release; of equal ones the first.

    Candidates that do not guess this kind of secret are passed over.

    Raises
    ------
    DesignError
        No candidate guesses this kind of secret, or the release has fewer than two rows to ask about.
    """
    table = release if isinstance(release, Encoded) else Encoded(release)
    asked = table.ask(secret, known)
    able = [model for model in candidates if asked.secret.kind in model.guesses]
    if not able:
        raise DesignError.phrase(
            "None of the models guesses a {kind}, and {secret!r} is one; choose others.",
            kind=KINDS.get(asked.secret.kind, asked.secret.kind),
            secret=secret,
        )
    some = np.sort(rng.permutation(len(asked.at))[:ROWS])
    part = KnownAndSecret(asked.at[some], asked.known.rows(some), asked.secret.rows(some))
    with single_thread():
        streams = rng.spawn(len(able))
        reached = [_validation_score(model, part, stream) for model, stream in zip(able, streams, strict=True)]
    names = [model.name for model in able]
    return ChosenModel(able[int(np.argmax(reached))], dict(zip(names, reached, strict=True)))


def _validation_score(model: Inference, part: KnownAndSecret, rng: np.random.Generator) -> float:
    """How well the model does on rows of the release it has not seen."""
    guess: Guess = out_of_fold_guess(model, part, FOLDS, rng)
    if part.secret.kind == "category":
        return float((guess.value == part.secret.truth).mean())
    gap: Floats = np.abs(guess.value - part.secret.values)
    return -float(gap.mean()) / (part.secret.column.sd or 1.0)


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
        raise DesignError.phrase("There is no column beside {secret!r} to know.", secret=secret)
    chosen: tuple[str, ...] = ()
    for step in range(min(size, len(left))):
        reached = []
        for name in left:
            rng = stream(seed, "worst known", secret, step)  # the same rows and folds for every column of a step
            reached.append(strongest(release, secret, (*chosen, name), (model,), rng).reached[model.name])
        chosen = (*chosen, left.pop(int(np.argmax(reached))))
    return chosen
