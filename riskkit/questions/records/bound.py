"""What the noise of a method allows against anybody, where no record has a certificate of its own.

It is an upper bound of every attack's AUC, the same for every record, and not what the best attack reaches.
"""

from __future__ import annotations

from riskkit import registry
from riskkit.core import Generator, Table
from riskkit.questions import promises
from riskkit.questions.records.certificate import is_certified
from riskkit.questions.records.integrated import is_integrated
from riskkit.questions.records.plan import RecordsPlan


def is_bounded(generator: Generator) -> bool:
    """Whether the method says what the noise that it adds costs one person."""
    return isinstance(generator, promises.LossDeclared)


def is_own(table: Table, plan: RecordsPlan, generator: Generator) -> bool:
    """Whether records have certificates of their own; noise is integrated over releases of one fit alone."""
    if plan.relation == "add-one" and (plan.releases == 1 or plan.one_fit):
        return is_certified(generator) or is_integrated(generator, table, plan.n_seen)
    return is_certified(generator)


def bound_of(table: Table, plan: RecordsPlan) -> float | None:
    """The AUC that no attack on any record of the table exceeds; None where it is not asked for, or not needed."""
    generator: Generator = registry.parse("generators", plan.generator)
    if not plan.certificate or is_own(table, plan, generator):
        return None
    fits = 1 if plan.one_fit else plan.releases
    return promises.certificate(plan.generator, plan.relation, len(table), len(table.schema.modelled), fits)
