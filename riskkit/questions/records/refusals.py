"""What cannot be played for every record, said before anything is spent on it."""

from __future__ import annotations

from riskkit import registry
from riskkit.core import Generator, Table
from riskkit.errors import DesignError
from riskkit.questions import promises
from riskkit.questions.for_whom import check_groups
from riskkit.questions.records.certificate import is_certified, is_integrated
from riskkit.questions.records.people import crowd_of, has_several_rows
from riskkit.questions.records.plan import RecordsPlan
from riskkit.table.load import Tables

# What the noise of a method allows against anybody, where no record has a certificate of its own.
#
# It is an upper bound of every attack's AUC, the same for every record, and not what the best attack reaches.


def is_bounded(generator: Generator) -> bool:
    """Whether the method says what the noise that it adds costs one person."""
    return isinstance(generator, promises.LossDeclared)


def is_own(table: Table, plan: RecordsPlan, generator: Generator) -> bool:
    """Whether records have certificates of their own; noise is integrated over releases of one fit alone."""
    is_of_one_fit = plan.relation == "add-one" and (plan.releases == 1 or plan.one_fit)
    return is_certified(generator) or (is_of_one_fit and is_integrated(generator, table, plan.n_seen))


def exact_bound(table: Table, plan: RecordsPlan) -> float | None:
    """The AUC that no attack on any record of the table exceeds; None where it is not asked for, or not needed."""
    generator: Generator = registry.parse("generators", plan.generator)
    if not plan.certificate or is_own(table, plan, generator):
        return None
    fits = 1 if plan.one_fit else plan.releases
    return promises.certificate(plan.generator, plan.relation, len(table), len(table.schema.modelled), fits)


def check(tables: Tables, plan: RecordsPlan) -> None:
    """Refuse what cannot be played before anything is spent on it.

    Raises
    ------
    DesignError
        Nobody would be left, other people are needed and there are none, or there are no certificates.
    """
    real, holdout = tables.real, tables.holdout
    if len(real) < 2:
        raise DesignError.phrase(
            "The real table has {rows} rows; without the record nobody would be left.", rows=len(real)
        )
    if len(crowd_of(tables)) < 2:
        raise DesignError.phrase(
            "All rows of the real table are of one person; without them nobody would be left. Load more people."
        )
    check_groups(real, plan.groups)
    if plan.years and plan.years[-1] != len(real):
        raise DesignError.phrase(
            "The table grew to {last:,} rows, and the real table has {rows:,}. Load the table as it was at the "
            "last release, its rows in the order in which they came in.",
            last=plan.years[-1],
            rows=len(real),
        )
    if plan.years and has_several_rows(tables):
        raise DesignError.phrase(
            "A table that grew is run row by row, and people here have several rows. Keep one row for each "
            "person, or ask about releases of the whole table."
        )
    if plan.needs_holdout and holdout is None:
        raise DesignError.phrase(
            "Other people are needed, for the traditional game, an attacker who knows others or somebody "
            "who stands in: load a holdout."
        )
    generator: Generator = registry.parse("generators", plan.generator)
    if plan.needs_certificates and not is_own(real, plan, generator):
        refuse_without(generator, plan, is_of_several=plan.together or has_several_rows(tables))
    elif plan.needs_certificates and plan.relation != "add-one":
        raise DesignError.phrase(
            "Optimal-attack bounds are for data that are shorter by the record. Leave them out, or add one."
        )


def refuse_without(generator: Generator, plan: RecordsPlan, *, is_of_several: bool) -> None:
    """Refuse certificates where no record has one of its own, and what noise allows does not stand in for them.

    Raises
    ------
    DesignError
        Says why, and what to do.
    """
    if not is_bounded(generator):
        raise DesignError.phrase(
            "Generator {generator!r} has no optimal-attack bound: its fit draws at random, or what a released "
            "row says is not known exactly. Leave optimal-attack bounds out, or choose bayesnet, histogram or "
            "synthpop.",
            generator=generator.name,
        )
    if plan.ranks_by_certificate:
        raise DesignError.phrase(
            "What the noise of generator {generator!r} allows is the same for every record, so it puts none "
            "before another. Let those stand out who are unlike all others.",
            generator=generator.name,
        )
    if plan.years:
        raise DesignError.phrase(
            "What the noise of generator {generator!r} allows is not worked out for a table that grew. Leave "
            "optimal-attack bounds out.",
            generator=generator.name,
        )
    if is_of_several:
        raise DesignError.phrase(
            "What the noise of generator {generator!r} allows is known for one row more or less, and not for "
            "several rows together. Leave optimal-attack bounds out.",
            generator=generator.name,
        )
