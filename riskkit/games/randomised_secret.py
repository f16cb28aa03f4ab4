"""The randomised-secret game: does the release tell a person's own secret, beyond what is true of people like them?

Before each training the secret of every target is replaced by a draw from the secret's distribution in the table, made
without looking at the person. Nothing that is true of the population can tell the draw; whoever guesses it better than
chance has read it from the person's own row. The chance is known exactly. The game deals and grades; it computes no
statistic.

References
----------
.. [1] Houssiau et al., TAPAS (2022); Annamalai et al., A linear reconstruction approach for attribute inference attacks
   against synthetic data (2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Codes, Floats, Generator, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.attribute import KINDS, AttributeQuestion
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.features import NO_GUESS, Encoded, Guess, Secret, join_folds


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """One guess a training and target. Guesses of one training are not independent: N counts trainings.

    Attributes
    ----------
    training, target : (n,)
        Which training it was, and the row of the table that was asked about.
    drawn, guess : (n,)
        What the secret was replaced by, and what was guessed; codes (-1 for no guess) or numbers.
    success, chance : (n,)
        Of a category 0 or 1, and the exact probability that this guess is right by chance: how often the table has
        the level that was guessed. Of a number the absolute error with a minus before it, in standard deviations of
        the schema, and what it is on average over the values that could have been drawn. Without leakage of the
        target's own row the two have the same mean; ``gain`` is their difference.
    """

    training: Ints
    target: Ints
    drawn: Codes | Floats
    guess: Ints | Floats
    success: Floats
    chance: Floats

    def __len__(self) -> int:
        return len(self.target)

    @property
    def gain(self) -> Floats:
        """(n,) success less chance: mean 0 without leakage."""
        return self.success - self.chance


@dataclass(frozen=True, slots=True, eq=False)
class RandomisedSecret:
    """A table, a generator that can be run again, a question, and the rows it is asked about.

    ``n_syn`` rows make a release, a public constant. ``labels`` name the random streams of the game.

    Raises
    ------
    DesignError
        No target, a target that is not a row of the table or is named twice, no rows to release, or a secret that no
        row has.
    """

    table: Table
    generator: Generator
    question: AttributeQuestion
    targets: Ints
    n_syn: int
    seed: int
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows = np.asarray(self.targets, dtype=np.int64)
        object.__setattr__(self, "targets", rows)
        if not len(rows) or len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= len(self.table):
            raise DesignError.phrase(
                "Name at least one target, each once, by its row: 0 to {last:,}.", last=len(self.table) - 1
            )
        if self.n_syn < 1:
            raise DesignError.phrase("A release of {asked} rows tells nothing; ask for at least one.", asked=self.n_syn)
        secret = Secret.take(self.table, self.question.secret)
        if not secret.present.any():
            raise DesignError.phrase("No row of the real table has a value of {secret!r}.", secret=self.question.secret)
        if secret.kind not in self.question.model.guesses:
            raise DesignError.phrase(
                "{title} cannot guess a {kind}; choose another model.",
                title=phrase(self.question.model.title),
                kind=KINDS.get(secret.kind, secret.kind),
            )

    def trial(self, number: int) -> Trials:
        """Draw secrets, train, release, guess: one training, whatever others were or will be run.

        Raises
        ------
        DesignError
            The release has no row from which the secret can be learnt.
        """
        rng = stream(self.seed, "randomised_secret", *self.labels, number)
        for_secrets, for_release, for_model = rng.spawn(3)
        table, drawn = self.redraw(for_secrets)
        question = self.question
        with single_thread():
            release = self.generator.fit(table, for_release).sample(self.n_syn, for_release)
            taught = Encoded(release).ask(question.secret, question.known)
            fitted = question.model.fit(taught.known, taught.secret, for_model)
            if getattr(
                fitted, "together", False
            ):  # the others' columns are known too, and everybody's secret is sought
                guess = join_folds([fitted.guess(Encoded(table).features(question.known))], self.targets)
            else:
                guess = fitted.guess(Encoded(table.rows(self.targets)).features(question.known))
        success, chance = grade(guess, drawn, Secret.take(self.table, question.secret))
        training = np.full(len(self.targets), number)
        return Trials(training, self.targets, drawn, guess.value, success, chance)

    def redraw(self, rng: np.random.Generator) -> tuple[Table, Codes | Floats]:
        """The table with every target's secret drawn anew, and what was drawn."""
        secret = Secret.take(self.table, self.question.secret)
        drawn = rng.choice(secret.truth[secret.present], len(self.targets))
        codes, numbers = self.table.codes, self.table.numbers
        schema = self.table.schema
        if secret.kind == "category":
            codes = codes.copy()
            codes[self.targets, schema.categorical.index(secret.column)] = drawn
        else:
            numbers = numbers.copy()
            numbers[self.targets, schema.numeric.index(secret.column)] = drawn
        return Table(schema, codes, numbers), drawn


def grade(guess: Guess, drawn: Codes | Floats, secret: Secret) -> tuple[Floats, Floats]:
    """(n,) success and its exact chance, the secret being what the draws were made from."""
    if secret.kind == "category":
        share = np.bincount(secret.codes, minlength=secret.n_levels) / len(secret)
        answered = guess.value != NO_GUESS
        return (guess.value == drawn).astype(np.float64), np.where(answered, share[guess.value], 0.0)
    unit = secret.column.sd or 1.0
    values = secret.values[secret.present]
    expected = np.array([np.abs(value - values).mean() for value in guess.value])
    return -np.abs(guess.value - drawn) / unit, -expected / unit


def gather(trials: Sequence[Trials]) -> Trials:
    """The trials of many trainings, one after the other."""
    names = ("training", "target", "drawn", "guess", "success", "chance")
    return Trials(*(np.concatenate([getattr(trial, name) for trial in trials]) for name in names))
