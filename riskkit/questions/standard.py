"""What an audit with one button asks of a release: how much is played, and what somebody said of the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riskkit import registry
from riskkit.core import Role, Schema
from riskkit.errors import DesignError
from riskkit.judging.provenance import PERSON as PERSON
from riskkit.judging.provenance import SEVERAL as SEVERAL
from riskkit.judging.provenance import Effort as Effort
from riskkit.judging.provenance import StewardAnswers as StewardAnswers
from riskkit.phrases import phrase
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.questions.second_table import takes_two_tables
from riskkit.table.load import Tables
from riskkit.table.people.folded import summary_of
from riskkit.table.sensitive import sensitive


@dataclass(frozen=True, slots=True)
class Situation:
    """All that decides what is asked: the tables, how the release was made (empty: nobody knows), and the answers.

    ``released`` are the settings of a plan that speaks of several releases; none of one.
    """

    tables: Tables
    effort: Effort
    made_by: str = ""
    answers: StewardAnswers = field(default_factory=StewardAnswers)
    released: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows of the release, of several those of one."""
        return self.tables.release_rows

    @property
    def can_measure(self) -> bool:
        """Whether a release and people who were not in are there, without whom nothing is measured on the file."""
        return self.tables.synthetic is not None and self.tables.holdout is not None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The columns that were said to be sensitive, else those that look like it; empty where none does."""
        return self.answers.secrets or likely_secrets(self.tables.schema)

    @property
    def has_second_table(self) -> bool:
        """Whether the people of every file have rows in a second table."""
        children = self.tables.children
        return self.can_measure and children is not None and {"real", "synthetic", "holdout"} <= set(children.tables)

    @property
    def trains_both(self) -> bool:
        """Whether the method is trained on both tables: games with it are then played across both."""
        return bool(self.made_by) and takes_two_tables(self.made_by)

    @property
    def second_secrets(self) -> tuple[str, ...]:
        """A summary of each column of the second table that is marked as secret, else of each that looks sensitive."""
        children = self.tables.children
        if children is None:
            return ()
        named = [children.schema.column(name) for name in likely_secrets(children.schema)]
        return tuple(summary_of(column) for column in named)

    @property
    def in_use(self) -> tuple[str, ...]:
        """The columns of the first table that are in use, then a summary of each of the second one."""
        children = self.tables.children
        second = () if children is None else children.schema.modelled
        return (*(column.name for column in self.tables.schema.modelled), *map(summary_of, second))


def likely_secrets(schema: Schema) -> tuple[str, ...]:
    """The columns in use whose role is secret, else those whose names say that they are sensitive."""
    of_role = tuple(column.name for column in schema.modelled if column.role is Role.SECRET)
    return of_role or sensitive([column.name for column in schema.modelled])


def effort_of(text: str) -> Effort:
    """The effort of that name.

    Raises
    ------
    DesignError
        There is none.
    """
    try:
        return Effort(text)
    except ValueError:
        near = registry.nearest(text, [str(effort) for effort in Effort])
        raise DesignError(
            phrase(
                "There is no effort {text!r}{near}; say {efforts}.",
                text=text,
                near=near,
                efforts=tuple(map(str, Effort)),
            )
        ) from None


def plans_for(situation: Situation) -> tuple[Plan, ...]:
    """What is asked, in the order of a report: of every question what it says applies here.

    Where a column names people of several rows, questions that count rows are not asked.

    Raises
    ------
    DesignError
        No release is loaded: an audit has nothing to speak of; or a column was named that is not in use.
    """
    if situation.tables.synthetic is None:
        raise DesignError(phrase("No release is loaded, and an audit is about one; load it as synthetic."))
    in_use = [column.name for column in situation.tables.schema.modelled]
    for name in (*situation.answers.secrets, *situation.answers.known):
        if name not in in_use:
            near = registry.nearest(name, in_use)
            raise DesignError(
                phrase(
                    "There is no column {name!r} in use{near}; say which are secret and known among those.",
                    name=name,
                    near=near,
                )
            )
    people = situation.tables.persons
    has_several = people is not None and people.has_several_rows
    asked = (question for question in questions().values() if question.counts_people or not has_several)
    made = (question.standard(situation) for question in asked)
    return tuple(plan for plan in made if plan is not None)


def soonest_first(plans: Sequence[Plan]) -> list[Plan]:
    """The order to play them in: what needs nothing but the files comes first, since it is there soonest."""
    return sorted(plans, key=lambda plan: "synthetic" not in plan.needs)
