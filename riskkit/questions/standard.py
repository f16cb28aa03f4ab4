"""What an audit with one button asks of a release: how much is played, and what somebody said of the tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riskkit import registry
from riskkit.core import Role, Schema, Targets
from riskkit.errors import DesignError, nearest
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.judging.provenance import PERSON as PERSON
from riskkit.judging.provenance import SEVERAL as SEVERAL
from riskkit.judging.provenance import Effort as Effort
from riskkit.judging.provenance import StewardAnswers as StewardAnswers
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.table.fold import summary_of, with_second
from riskkit.table.load import Tables

# Games that train a method on two tables: the setting, the tables they are played on, and what they refuse.
#
# The worlds hold people, each with summaries of their rows in the second table beside their own columns; the method is
# handed both tables of the people of a world, and its release is summed up the same way. So whatever attacks, intervals
# and lists say of rows, they say of people.


NOTE = phrase(
    "People were seen with summaries of their rows in the second table beside their own columns, and the method was "
    "trained on both tables."
)
"""What must be said of a game that was played across both tables."""


def second_table(
    about: str = "Train a program that takes and writes both tables; people are seen with summaries of their rows in "
    "the second one.",
) -> Any:
    """The field of a plan that says whether it is asked across both tables."""
    return parameter(False, label="Across both tables", help=about)


def takes_two_tables(generator: str) -> bool:
    """Whether that method is trained on two tables, and releases two."""
    return bool(getattr(registry.parse("generators", generator), "takes_two_tables", False))


def play_tables(tables: Tables, generators: Iterable[str], *, second_table: bool) -> Tables:
    """The tables that a game is played on.

    Raises
    ------
    DesignError
        :func:`check` refuses that, the second table of a file is missing, or a person has several rows in the first.
    """
    check(tables, generators, second_table=second_table)
    if not second_table:
        return tables
    if tables.persons is not None and tables.persons.has_several_rows:
        raise DesignError.phrase(
            "Across both tables a person stands in one row of the first, and here some stand in several. Leave one "
            "row for each person in the first table, or ask about the first table alone."
        )
    return with_second(tables)


def check(tables: Tables, generators: Iterable[str], *, second_table: bool) -> None:
    """Refuse methods that do not go with what is asked.

    Raises
    ------
    DesignError
        A method takes two tables and the game is of one, or the other way round.
    """
    takes_two = [takes_two_tables(text) for text in generators]
    if not second_table:
        if any(takes_two) and tables.children is None:
            raise DesignError.phrase(
                "Your own generator is trained on two tables, and no second one is loaded. Load it with the key "
                "that joins it, or leave {train_children} and {out_children} out of the command."
            )
        if any(takes_two):
            raise DesignError.phrase(
                "Your own generator is trained on two tables, and the game is of the first alone. Ask across both "
                "tables (--second-table)."
            )
    elif not all(takes_two):
        raise DesignError.phrase(
            "Across both tables a program is trained that takes and writes both: a command with "
            "{train_children} and {out_children}. Choose such a method, or ask about the first table alone."
        )


def refuse_made_up(targets: Targets) -> None:
    """Refuse records that nobody has.

    Raises
    ------
    DesignError
        One is made up.
    """
    if (targets.index < 0).any():
        raise DesignError.phrase(
            "A made-up record has no rows in the second table. Choose targets among the real people, or ask about "
            "the first table alone."
        )


# Columns whose names say that somebody would want to know what stands in them: a guess, to be confirmed.

_WRITTEN = """
    abortion addiction addictions alcohol arrest arrests asylum benefit benefits biometric cancer charge charges
    citizenship conviction convictions crime criminal criminality debt debts depression diabetes diag diagnoses
    diagnosis disability disabled disease diseases drug drugs earning earnings ethnicity faith gene
    genetic genome genotype health hba1c hiv icd icd10 icd9 illness immigration income incomes insulin marital
    medication medications mental mortality nationality offence offences offense offenses orientation outcome party
    political pregnancy pregnant procedure psychiatric race readmission readmitted religion religious revenue salaries
    salary sexual sexuality smoker smoking std suicide symptom symptoms therapy treatment treatments union vaccinated
    vaccination violence wage wages wealth
    einkommen gehalt krankheit diagnose schulden religionszugehoerigkeit behinderung straftat schwanger
    revenu salaire maladie diagnostic handicap grossesse dette
    ingreso ingresos salario enfermedad diagnostico discapacidad embarazo deuda
"""
WORDS = frozenset(_WRITTEN.split())
"""Words of names in the terms of Article 9 GDPR (health, ethnicity, opinions, faith, sexuality, genes), of crime and of
money; English, German, French and Spanish."""
_JAPANESE = """
    病 診断 疾患 症 薬 障害 宗教 国籍 人種 年収 所得 給与 収入 犯罪 妊娠 借金 健康 検査
"""
JAPANESE = tuple(_JAPANESE.split())
"""Parts of Japanese names that say the same."""


def sensitive(names: Sequence[str]) -> tuple[str, ...]:
    """The names that hold such a word, in their order."""
    return tuple(name for name in names if _words(name) & WORDS or any(part in name for part in JAPANESE))


def _words(name: str) -> set[str]:
    """The words of a name as people write them: ``HomeIncome``, ``home_income``, ``home income``."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return {word.lower() for word in re.split(r"[^A-Za-z0-9]+", parted) if word}


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


def secrets_of(answers: StewardAnswers, schema: Schema) -> tuple[str, ...]:
    """The columns that every page takes for sensitive: those that somebody named, else the likely ones."""
    return answers.within(schema).secrets or likely_secrets(schema)


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
        raise DesignError.phrase(
            "There is no effort {text!r}{near}; say {efforts}.",
            text=text,
            near=nearest(text, Effort),
            efforts=tuple(map(str, Effort)),
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
        raise DesignError.phrase("No release is loaded, and an audit is about one; load it as synthetic.")
    in_use = [column.name for column in situation.tables.schema.modelled]
    for name in (*situation.answers.secrets, *situation.answers.known):
        if name not in in_use:
            raise DesignError.phrase(
                "There is no column {name!r} in use{near}; say which are secret and known among those.",
                name=name,
                near=nearest(name, in_use),
            )
    people = situation.tables.persons
    has_several = people is not None and people.has_several_rows
    asked = (question for question in questions().values() if question.counts_people or not has_several)
    made = (question.standard(situation) for question in asked)
    return tuple(plan for plan in made if plan is not None)


def soonest_first(plans: Sequence[Plan]) -> list[Plan]:
    """The order to play them in: what needs nothing but the files comes first, since it is there soonest."""
    return sorted(plans, key=lambda plan: "synthetic" not in plan.needs)


# How a release was made, from what its steward wrote.

MOST_RELEASES = 1_000
"""Releases of one table, at most."""


def provenance(text: str, releases: Any = 1, *, one_fit: Any = False) -> Provenance:
    """``unknown`` (or nothing), or a generator as :func:`riskkit.registry.parse` reads it, spelled as plans spell it.

    ``releases`` says how often the table was released, ``one_fit`` whether every time from one fit.

    Raises
    ------
    ParameterError, DesignError
        There is no such generator or setting, or a number of releases that cannot be.
    """
    if isinstance(releases, bool) or not isinstance(releases, int) or not 1 <= releases <= MOST_RELEASES:
        raise DesignError.phrase(
            "A table was released 1 to {most:,} times, and not {releases!r}.", most=MOST_RELEASES, releases=releases
        )
    if not isinstance(one_fit, bool | int):
        raise DesignError.phrase("one_fit is true or false, and not {one_fit!r}.", one_fit=one_fit)
    written = text.strip()
    method = "" if written in ("", NOBODY_SAID) else registry.spell(registry.parse("generators", written))
    return Provenance(method, releases, bool(one_fit) and releases > 1)
