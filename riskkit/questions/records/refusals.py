"""What cannot be played for every record, said before anything is spent on it."""

from __future__ import annotations

from riskkit import registry
from riskkit.core import Generator, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.for_whom import check_groups
from riskkit.questions.records.certificate import is_certified
from riskkit.questions.records.integrated import ReleasesKnown, is_integrated
from riskkit.questions.records.people import crowd_of, refuse_alone
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.yearly import check_growth
from riskkit.table.load import Tables


def check(tables: Tables, plan: RecordsPlan) -> None:
    """Refuse what cannot be played before anything is spent on it.

    Raises
    ------
    DesignError
        Nobody would be left, other people are needed and there are none, or there are no certificates.
    """
    real, holdout = tables.real, tables.holdout
    if len(real) < 2:
        raise DesignError(
            phrase("The real table has {rows} rows; without the record nobody would be left.", rows=len(real))
        )
    refuse_alone(crowd_of(tables))
    check_groups(real, plan.groups)
    if plan.years:
        check_growth(tables, plan)
    if plan.needs_holdout and holdout is None:
        raise DesignError(
            phrase(
                "Other people are needed, for the traditional game, an attacker who knows others or somebody "
                "who stands in: load a holdout."
            )
        )
    generator: Generator = registry.parse("generators", plan.generator)
    if plan.needs_certificates and isinstance(generator, ReleasesKnown):
        refuse_large(generator, real, plan)
    elif plan.needs_certificates and not is_certified(generator):
        raise DesignError(
            phrase(
                "Generator {generator!r} has no certificate: its fit draws at random, or what a released row "
                "says is not known exactly. Leave certificates out, or choose bayesnet, histogram or synthpop.",
                generator=generator.name,
            )
        )
    if plan.needs_certificates and plan.relation != "add-one":
        raise DesignError(
            phrase("Certificates are for a world that is shorter by the record. Leave them out, or add one.")
        )


def refuse_large(generator: Generator, real: Table, plan: RecordsPlan) -> None:
    """Refuse certificates that would integrate over the noise of too large a table, or of several fits.

    Raises
    ------
    DesignError
        Says which, and what to do.
    """
    if plan.releases > 1 and not plan.one_fit:
        raise DesignError(
            phrase(
                "Certificates of generator {generator!r} are for releases of one fit. Ask for one fit, for one "
                "release, or leave certificates out.",
                generator=generator.name,
            )
        )
    if not is_integrated(generator, real, plan.n_seen):
        raise DesignError(
            phrase(
                "Generator {generator!r} has certificates of single records on small tables alone: few columns with "
                "few values, and short releases. Leave certificates out; what its noise allows holds for everybody. "
                "Or ignore columns.",
                generator=generator.name,
            )
        )
