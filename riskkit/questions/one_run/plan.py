"""How one single training is audited: a frozen plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans
from riskkit.errors import DesignError
from riskkit.games.worlds import RELATIONS
from riskkit.parameters import Option, parameter
from riskkit.plans import Called, Plan
from riskkit.stats.arms import FEWEST_TRAININGS

RELEASE, MODEL = "release", "model"
"""What an auditor sees: the released file, or how likely the trained method makes a row."""


@dataclass(frozen=True, slots=True)
class OneRunPlan(Plan):
    """Audit rows are put in or left out by coins, the method is trained once, and the coins are guessed.

    Parameters
    ----------
    generator
        The method; it is trained once.
    rows, made
        Audit rows at most, and whether they are made up in place of real ones. Of real rows at most half of those that
        stand once in the table are used.
    sees, attack, beside
        What the auditor sees. Of the release the attack scores the audit rows. Of the model their probability does,
        beside that under the method ``beside``, which is trained on the rows that are in anyway; none where empty. Of a
        network its inside does, beside nothing but the same method.
    guesses_in, guesses_out
        How many rows are guessed in and out, fixed before the training. Both 0: several numbers are tried, and the
        bound allows for all of them.
    relation
        One of :data:`riskkit.games.worlds.RELATIONS`: an audit row that is out leaves nothing behind, or another row in
        its place.
    n_syn
        Rows of the release; 0 takes as many as there may be in the training.
    halves
        The training is the first of so many on random halves of the people, which Records by subsets and Membership
        share, and its release is as large a part of ``n_syn``; 0: one of its own.
    delta
        The delta at which epsilon is bounded; 0 takes what the method promises.
    groups
        Columns by which it is compared how well audit rows that are in are told from others, where they are real ones.
    """

    question: ClassVar[str] = "one-run"
    unit: ClassVar[str] = "step"

    generator: str = plans.generator("The method that is trained, once; for example mst:epsilon=1.")
    rows: int = parameter(
        1_000,
        label="Canaries (audit rows), at most",
        help="Each is included with probability ½. More rows can show more.",
        low=20,
        high=100_000,
        option=Option(is_stated=True),
    )
    made: bool = parameter(
        False,
        label="Made-up canaries",
        help="Train with rows that are nobody's beside the real ones. Do not publish what is made of such a training.",
    )
    sees: str = parameter(
        RELEASE,
        label="What the auditor sees",
        help="The release, or the trained method: how likely it makes a row, or how well a network knows it.",
        choices={RELEASE: "The release", MODEL: "The trained method"},
    )
    attack: str = parameter(
        "dcr",
        label="Attack on the release",
        help="It scores the canaries by the released file.",
        room="released",
        option=Option(is_stated=True),
    )
    beside: str = parameter(
        "bayesnet",
        label="Method to compare with",
        help="Where the auditor sees the trained method: without canaries, it says how well a row is known anyway.",
        room="generators",
        tidy=plans.spelled_or_none,
    )
    guesses_in: int = parameter(
        0,
        label="Rows guessed in",
        help="The rows with the highest scores. If both numbers are 0, several are tried and allowed for.",
        low=0,
        words={0: "none, or chosen for you"},
    )
    guesses_out: int = parameter(
        0,
        label="Rows guessed out",
        help="The rows with the lowest scores. Of the rows between, nothing is guessed.",
        low=0,
        words={0: "none, or chosen for you"},
    )
    relation: str = plans.relation(
        "A canary that is out",
        "It leaves nothing behind, or another row is in its place.",
        add="It leaves nothing behind (add-one)",
        replace="Another row is in its place (replace-one)",
    )
    n_syn: int = parameter(
        0,
        label="Rows of the release",
        help="A public number; 0 takes as many as may be in the training.",
        low=0,
        words={0: "as many as in the training"},
    )
    delta: float = parameter(
        0.0,
        label="Delta",
        help="The delta at which epsilon is bounded; 0 takes what the method promises.",
        low=0,
        below=1,
        words={0.0: "what the method promises"},
    )
    seed: int = plans.seed()
    level: float = plans.level("How often the bound holds, whatever is guessed.")
    groups: tuple[str, ...] = plans.groups()
    halves: int = parameter(
        0,
        label="Trainings that are shared",
        help="The first of so many trainings on random halves of the people, which Records by subsets and Membership "
        "share, in place of a training of its own.",
        low=0,
        high=10_000,
        words={0: "a training of its own"},
    )

    def check(self) -> None:
        """Refuse more guesses than rows, and what shared trainings are not."""
        if 0 < self.halves < 2 * FEWEST_TRAININGS:
            raise DesignError.phrase(
                "Of {halves} trainings on random halves of the people nobody could be told; say at least {least}, or 0 "
                "for a training of its own.",
                halves=self.halves,
                least=2 * FEWEST_TRAININGS,
            )
        if self.halves and (self.made or self.sees == MODEL or self.relation != RELATIONS[0]):
            raise DesignError.phrase(
                "Of trainings that are shared the releases alone are there, of real people who leave nothing behind. "
                "Leave out made-up canaries, stand-ins and the trained method, or let it be a training of its own."
            )
        if self.guesses_in + self.guesses_out > self.rows:
            raise DesignError.phrase(
                "{guesses:,} guesses cannot be made on {rows:,} canaries; guess fewer, or audit more rows.",
                guesses=self.guesses_in + self.guesses_out,
                rows=self.rows,
            )

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        return called("generators", self.generator)
