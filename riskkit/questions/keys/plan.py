"""Which columns somebody may know of a person, and of how large a population the table is a sample: a frozen plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from riskkit import plans
from riskkit.core import Schema
from riskkit.errors import DesignError
from riskkit.parameters import Option, parameter
from riskkit.phrases import Phrase, phrase
from riskkit.plans import Plan
from riskkit.questions.compared import LIST, shorten_names
from riskkit.questions.refusals import not_in_use
from riskkit.questions.standard import likely_secrets


@dataclass(frozen=True, slots=True)
class KeysPlan(Plan):
    """Combinations of known columns: how small they are in the table, how rare in its population, what they tell.

    Parameters
    ----------
    keys
        The quasi-identifiers: what somebody may know of a person; none named: the columns whose role is known.
    secrets
        What classes may tell; none named: those whose role is secret, else those whose name says so.
    fraction, population
        The share of the population that is in the real table, or how many people the population has; 0 where nobody
        says. A column of sampling weights says it too.
    size
        The most columns of a minimal unique.
    """

    question: ClassVar[str] = "keys"
    unit: ClassVar[str] = "step"

    keys: tuple[str, ...] = parameter(
        (),
        label="Key columns",
        names_columns=True,
        help="What somebody may know of a person; where none is named, the columns whose role is known.",
        option=LIST,
        words={(): "those that are known"},
    )
    secrets: tuple[str, ...] = parameter(
        (),
        label="Secrets that keys may tell",
        names_columns=True,
        help="What a combination of keys may tell; where none is named, those that are secret or look so.",
        option=Option(flag="secret", metavar="COLUMN"),
        words={(): "those that are secret, or look so"},
    )
    fraction: float = parameter(
        0.0,
        label="Share of the population in the real table",
        help="0.1 where every tenth person of the population is in the table; 0 where nobody knows.",
        low=0,
        high=1,
        words={0.0: "not known"},
    )
    population: int = parameter(
        0,
        label="People in the population",
        help="The population that the real table is a sample of; 0 where nobody knows.",
        low=0,
        words={0: "not known"},
    )
    size: int = parameter(
        4,
        label="Columns of a minimal unique, at most",
        help="The search is for people who are the only one by so few of the keys.",
        low=1,
        high=20,
    )
    level: float = plans.level("How often the interval of a share, and of a difference, holds the true one.")

    def check(self) -> None:
        """Refuse a column that is both, and a population that is said twice."""
        if both := [name for name in self.keys if name in self.secrets]:
            raise DesignError.phrase("Column {name!r} is named as a key and as a secret; name it once.", name=both[0])
        if self.fraction and self.population:
            raise DesignError.phrase("Say the share of the population or how many people it has, not both.")

    def without(self, columns: Sequence[str]) -> KeysPlan | None:
        """See :meth:`riskkit.plans.Plan.without`: the keys and secrets that are left."""
        keys, secrets = (tuple(name for name in own if name not in columns) for own in (self.keys, self.secrets))
        return None if self.keys and not keys else replace(self, keys=keys, secrets=secrets)

    @property
    def label(self) -> Phrase:
        """The plan in a few words."""
        return shorten_names(self.keys) if self.keys else phrase("by the known columns")


def columns_of(plan: KeysPlan, schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys and the secrets of that plan in these tables.

    Raises
    ------
    DesignError
        A column that is named is not in use, or no key is left.
    """
    in_use = [column.name for column in schema.modelled]
    for name in (*plan.keys, *plan.secrets):
        if name not in in_use:
            raise DesignError(not_in_use(name, in_use))
    secrets = plan.secrets or tuple(name for name in likely_secrets(schema) if name not in plan.keys)
    known = tuple(name for name in in_use if name not in secrets)
    keys = plan.keys or known
    if not keys:
        raise DesignError.phrase("No key is left: every column is a secret. Name the columns that somebody may know.")
    return keys, secrets
