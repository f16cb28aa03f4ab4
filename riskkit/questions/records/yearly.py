"""The certificate of a person who is in every yearly release of a table that grows.

Every year the method is fitted to the table as it then is and one release comes out. Where a fit draws nothing at
random, the releases are independent rows of known laws, one law a year, and the best attacker adds up what every row of
every year says. So the certificate is exact wherever that of each year is.
"""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.core import Generator, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.records.certificate import is_certified
from riskkit.questions.records.releases import After
from riskkit.seeds import stream
from riskkit.stats.optimal import RowLaw
from riskkit.stats.together import optimal_together


def yearly(
    tables: Sequence[Table], generator: Generator, rows: Sequence[Sequence[int]], n_syn: Sequence[int], seed: int
) -> list[tuple[After, ...]]:
    """The AUC of the best attack on each person after the first year, after the second, and so on.

    Parameters
    ----------
    tables
        The table of every year, under one schema.
    rows
        For each year the rows of the same people in the table of that year.
    n_syn
        The rows of the release of each year.

    Raises
    ------
    DesignError
        The method has no certificate, or none that is exact for one of these people in one of the years.
    """
    if not is_certified(generator):
        raise DesignError(
            phrase(
                "Generator {generator!r} has no certificate: its fit draws at random, or what a released row says is "
                "not known exactly. Choose bayesnet, histogram or synthpop.",
                generator=generator.name,
            )
        )
    if not len(tables) == len(rows) == len(n_syn) or len({len(people) for people in rows}) > 1:
        raise DesignError(phrase("Every year has a table, the rows of the same people, and a number of released rows."))
    every = [_laws(table, generator, people, seed) for table, people in zip(tables, rows, strict=True)]
    return [_after(laws, n_syn) for laws in zip(*every, strict=True)]


def _laws(table: Table, generator: Generator, people: Sequence[int], seed: int) -> list[RowLaw]:
    """What a released row of that year says of each of them."""
    fitted = generator.fit(table, stream(seed, "certificate", "fit"))
    ratios = fitted.ratios()  # type: ignore[attr-defined]
    laws = [ratios.of(int(row)).law for row in people]
    if any(law is None for law in laws):
        raise DesignError(
            phrase(
                "For a growing table riskkit adds up exact certificates alone, and somebody has none: the method makes "
                "another model without this person, or its columns lean on several. Choose other people or bayesnet "
                "of degree 1."
            )
        )
    return laws


def _after(laws: Sequence[RowLaw], n_syn: Sequence[int]) -> tuple[After, ...]:
    out = []
    for years in range(1, len(laws) + 1):
        best = optimal_together(laws[:years], n_syn[:years])
        auc = min(max(best.auc + best.auc_slack / 2, 0.5), 1.0)
        out.append(After(years, auc, auc, auc))
    return tuple(out)
