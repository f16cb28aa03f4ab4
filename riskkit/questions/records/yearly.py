"""The certificate of a person who is in every yearly release of a table that grows.

Every year the method is fitted to the table as it then is and one release comes out. Where a fit draws nothing at
random, the releases are independent rows of known laws, one law a year, and the best attacker adds up what every row of
every year says. So the certificate is exact wherever that of each year is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from riskkit.core import Generator, Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.records.certificate import Certificate, Terms, estimates_of, telling
from riskkit.questions.records.people import crowd_of
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After
from riskkit.seeds import stream
from riskkit.stats.optimal import RowLaw, optimal_together
from riskkit.table.load import Tables


def certify_yearly(
    tables: Sequence[Table], generator: Generator, rows: Sequence[int | Ints], n_syn: int, terms: Terms, seed: int
) -> list[Certificate | None]:
    """The certificates of these rows, each of which every table has under one number; None where there is no exact one.

    Every release has ``n_syn`` rows. What tells of a person is said of the last table.
    """
    of_years = [_ratios(table, generator, rows, seed) for table in tables]
    return [
        _certificate(int(row), years, tables[-1], generator.name, n_syn, terms)
        for row, years in zip(rows, zip(*of_years, strict=True), strict=True)
    ]


def _certificate(
    row: int, years: Sequence[Any], last: Table, name: str, n_syn: int, terms: Terms
) -> Certificate | None:
    laws = [ratio.law for ratio in years]
    if any(law is None for law in laws):
        return None
    every = [n_syn] * len(laws)
    best = optimal_together(laws, every)
    estimates = estimates_of(best, laws[-1], terms, {"record": str(row), "generator": name})
    curve = tuple(best.tpr_at(terms.curve).tolist())
    of_last = replace(terms, n_syn=n_syn)
    return Certificate(row, *estimates, curve, telling(years[-1].cells, last, of_last), _after(laws, every))


def _ratios(table: Table, generator: Generator, people: Sequence[Any], seed: int) -> list[Any]:
    """What each of them is in the fit to the table of that year."""
    fitted = generator.fit(table, stream(seed, "certificate", "fit"))
    ratios = fitted.ratios()  # type: ignore[attr-defined]
    return [ratios.ratio(int(row)) for row in people]


def _after(laws: Sequence[RowLaw], n_syn: Sequence[int]) -> tuple[After, ...]:
    out = []
    for years in range(1, len(laws) + 1):
        best = optimal_together(laws[:years], n_syn[:years])
        auc = min(max(best.auc + best.auc_slack / 2, 0.5), 1.0)
        out.append(After(years, auc, auc, auc))
    return tuple(out)


# --------------------------------------------------------------------------------------------------------------
# As the question asks it


def check_growth(tables: Tables, plan: RecordsPlan) -> None:
    """Refuse a real table that is not the last stage of the one that grew.

    Raises
    ------
    DesignError
        It has another number of rows, or people have several.
    """
    if plan.years[-1] != len(tables.real):
        raise DesignError(
            phrase(
                "The table grew to {last:,} rows, and the real table has {rows:,}. Load the table as it was at the "
                "last release, its rows in the order in which they came in.",
                last=plan.years[-1],
                rows=len(tables.real),
            )
        )
    if crowd_of(tables) is not None:
        raise DesignError(
            phrase(
                "A table that grew is run row by row, and people here have several rows. Keep one row for each "
                "person, or ask about releases of the whole table."
            )
        )


def growth_notes(plan: RecordsPlan, certified: int, people: int) -> tuple[str, ...]:
    """What must be said of a table that grew; nothing of any other."""
    if not plan.years:
        return ()
    notes = [
        phrase(
            "The table grew from {first:,} to {last:,} rows over {releases:,} releases, each of {n_syn:,} rows. Asked "
            "about are people who were there at the first release: they are in all releases or in none.",
            first=plan.years[0],
            last=plan.years[-1],
            releases=len(plan.years),
            n_syn=plan.n_syn,
        )
    ]
    if plan.certificate and certified < people:
        notes.append(
            phrase(
                "{without:,} of {people:,} people have no optimal-attack bound: without them the method makes "
                "another model in one of the years. Attacks alone say something of them.",
                without=people - certified,
                people=people,
            )
        )
    return tuple(notes)
