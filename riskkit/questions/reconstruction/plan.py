"""Which columns are put together from which: a frozen plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans
from riskkit.core import Schema
from riskkit.errors import DesignError
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan
from riskkit.questions.compared import LIST
from riskkit.questions.refusals import not_in_use
from riskkit.questions.standard import likely_secrets

FEWEST_SECRETS = 2


@dataclass(frozen=True, slots=True)
class ReconstructionPlan(Plan):
    """Several secret columns of a person at once, from known ones and the release.

    Parameters
    ----------
    secrets
        What is put together, two columns at least; none named: those whose role is secret, else those whose name says
        that they are sensitive.
    known
        What is known of a person; none named: every other column in use.
    groups
        A number is put together as one of so many groups of about as many released rows each.
    randomised_secret, generator
        Instead of the release: the secrets of all people are dealt anew among them, the method is trained with those
        who are in, and its release is asked. Nothing that is true of the population tells such a secret, so whatever
        is put together more often of members comes from their own rows.
    """

    question: ClassVar[str] = "reconstruction"
    unit: ClassVar[str] = "step"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic", "holdout"})

    secrets: tuple[str, ...] = parameter(
        (),
        label="Secret columns",
        names_columns=True,
        help="What is rebuilt, two columns at least; where none is named those whose role is secret or that look so.",
        option=LIST,
        words={(): "those that are secret or look so"},
    )
    known: tuple[str, ...] = parameter(
        (),
        label="Known columns",
        names_columns=True,
        help="What is known of a person; where none is named every other column in use.",
        option=LIST,
        words={(): "every other column in use"},
    )
    groups: int = parameter(
        10,
        label="Groups of a number",
        help="A number is rebuilt as one of so many groups of about as many released rows each.",
        low=2,
        high=50,
        option=Option(is_stated=True),
    )
    randomised_secret: bool = parameter(
        False,
        label="Secrets shuffled",
        help="Shuffle the secrets of all people, train the method and ask about its release instead of yours.",
    )
    generator: str = plans.generator("What made the release, if it can be run again; only for shuffled secrets.", "")
    max_rows: int = plans.people_asked(2_000)
    seed: int = plans.seed()
    level: float = plans.level("How often all intervals show the true value, though several attackers are tested.")
    by: tuple[str, ...] = plans.groups(flag="by")

    def check(self) -> None:
        """Refuse secrets dealt anew without a method, a single secret, and a column that is known and secret."""
        if self.randomised_secret and not self.generator:
            raise DesignError.phrase(
                "Shuffled secrets need a generator that can be run again; name the one that made the release."
            )
        if len(self.secrets) == 1:
            raise DesignError.phrase(
                "{name!r} is a single column; name two or more, or ask the question attributes about it.",
                name=self.secrets[0],
            )
        if both := [name for name in self.secrets if name in self.known]:
            raise DesignError.phrase("Column {name!r} is both known and secret; make it one of the two.", name=both[0])

    def columns(self, schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The secret columns and the known ones, in file order.

        Raises
        ------
        DesignError
            A column is not in use, there are fewer than two secrets, or nothing is left that is known.
        """
        used = [column.name for column in schema.modelled]
        for name in (*self.secrets, *self.known):
            schema.column(name)
            if name not in used:
                raise DesignError(not_in_use(name))
        named = self.secrets or tuple(name for name in likely_secrets(schema) if name not in self.known)
        secrets = tuple(name for name in used if name in named)
        if len(secrets) < FEWEST_SECRETS:
            raise DesignError.phrase(
                "{there} secret columns are there; at least {least} are rebuilt. Name them, or give them the "
                "role secret on the Data page.",
                there=len(secrets),
                least=FEWEST_SECRETS,
            )
        known = tuple(name for name in used if name not in secrets and (not self.known or name in self.known))
        if not known:
            raise DesignError.phrase(
                "There is no known column from which secrets could be rebuilt; name at least one column."
            )
        return secrets, known

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        what = ", ".join(self.secrets) if self.secrets else phrase("columns that look secret")
        if not self.randomised_secret:
            return what
        return phrase("{what}, shuffled by {generator}", what=what, generator=called("generators", self.generator))
