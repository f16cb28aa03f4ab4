"""The certificate of a record: what the best attack there can be achieves between releases with it and without it.

No attack that knows as much does better, so it is an upper bound of every attack's risk on this record, for this table
and this method. It needs a method whose fit draws nothing at random and whose releases are independent rows of a known
probability; the size of a release is public. Along a tree, for columns drawn by themselves, and for decision trees on a
small domain, it is exact: no number is off by more than 0.001. Else the law of one released row is found on rows that
are drawn near the record; then the bound has an error of its own, which its interval says. Methods that add noise while
they learn have it on small tables, where whole releases have a law (:mod:`riskkit.questions.records.certificate`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from riskkit.core import Estimate, Floats, Generator, Ints, Table, interval
from riskkit.errors import DesignError
from riskkit.generators.engines.ratios import RecordCell
from riskkit.plain import entry
from riskkit.questions.records.releases import After, counts
from riskkit.seeds import stream
from riskkit.stats.atoms import Atoms
from riskkit.stats.intervals import critical
from riskkit.stats.optimal import Optimal, RowLaw, optimal, optimal_together

# Certificates of methods that add noise while they learn, where the law of whole releases is worked out.
#
# The rows of such a release are not independent: they share their noise. So its chance is worked out as a whole, from
# a fit to the table and from one to the table without the record, and their ratio is the best attack (Neyman and
# Pearson). Where releases are few, all are listed and the numbers are exact. Else as many are drawn of fits with the
# record, shared by all records, as of fits without it. Of each only the share ``a`` counts that the world without has
# of its chance, which lies between 0 and 1: AUC = 1/2 + E|a - a'| over two draws. Its estimate errs upwards, by less
# than 1 over twice the draws, and has a known error, however far the worlds are apart.


@runtime_checkable
class ReleasesKnown(Protocol):
    """Optional: a generator that works out the chance of a whole release, the noise of its fit included."""

    def has_law(self, table: Table, n: int) -> bool:
        """Whether it does so for releases of ``n`` rows of that table: where domain and releases are small."""

    def releases(self, table: Table, n: int, drawn: int, rng: np.random.Generator) -> Any:
        """Releases with ``is_listed``, whether they are all there are, and ``log_prob(table)``, (r,) their log chance.

        Where they are too many to list, ``drawn`` releases of fits to the table; ``again(table, rng)`` are as many of
        another.
        """


def is_integrated(generator: Generator, table: Table, n: int) -> bool:
    """Whether certificates of this method on this table integrate over its noise."""
    return isinstance(generator, ReleasesKnown) and generator.has_law(table, n)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Releases in the order of the best attack, who looks most like one with the record first.

    ``inside`` and ``outside`` (r,) are their chances with the record and without it. ``is_listed``: they are all
    releases; else half were drawn in either world, and numbers have an error.
    """

    inside: Floats
    outside: Floats
    is_listed: bool

    @classmethod
    def weigh(cls, log_with: Floats, log_without: Floats, *, is_listed: bool) -> Weighed:
        """From log chances of releases."""
        without = expit(log_without - log_with)
        order = np.argsort(without, kind="stable")
        if is_listed:
            return cls(np.exp(log_with)[order], np.exp(log_without)[order], is_listed)
        scale = 2 / len(order)
        return cls(scale * expit(log_with - log_without)[order], scale * without[order], is_listed)

    @property
    def auc(self) -> tuple[float, float]:
        """The AUC, and its standard error."""
        p, q = self.inside, self.outside
        below, above = np.cumsum(p) - p, np.cumsum(q[::-1])[::-1] - q
        mass_below, mass_above = np.cumsum(q) - q, np.cumsum(p[::-1])[::-1] - p
        apart = q * below - p * mass_below + p * above - q * mass_above  # of each with every other release
        if self.is_listed:
            return 0.5 + float(apart.sum()) / 4, 0.0
        n = len(p)
        apart *= n * n / (n - 1) / 4
        return min(0.5 + float(apart.mean()), 1.0), 2 * float(apart.std(ddof=1)) / n**0.5

    @property
    def advantage(self) -> tuple[float, float]:
        """The largest true less false positive rate, and its standard error."""
        apart = np.abs(self.inside - self.outside) / 2
        n = len(apart)
        return float(apart.sum()), 0.0 if self.is_listed else float(apart.std(ddof=1)) * n**0.5

    def tpr(self, fpr: Floats) -> tuple[Floats, Floats]:
        """The true positive rates at these false positive rates (k,), and their standard errors."""
        p, q = self.inside, self.outside
        false, true = np.cumsum(np.append(0.0, q)), np.cumsum(np.append(0.0, p))
        false, true = false / max(false[-1], 1e-300), true / max(true[-1], 1e-300)
        named = np.interp(fpr, false, true)
        if self.is_listed:
            return named, np.zeros(len(named))
        last = np.clip(np.searchsorted(false, fpr), 1, len(p)) - 1
        error = []
        for cut, alarm, share in zip(last, fpr, named, strict=True):  # what is named, and how it moves with the cut
            inside, slope = np.arange(len(p)) <= cut, p[cut] / max(q[cut], 1e-300)
            error.append(p * (inside - share) - slope * q * (inside - alarm))
        return named, np.std(error, axis=1, ddof=1) * len(p) ** 0.5


DRAWN = 20_000
"""Rows drawn for each record where no exact way is known."""
ROWS_A_RELEASE = 10
"""Where whole releases are drawn, one stands for so many rows; at least :data:`FEWEST`."""
FEWEST = 500

CURVE = (0.0, *(10.0**power for power in (-4, -3.5, -3, -2.5, -2, -1.5)), *(0.05 * step for step in range(1, 21)))
"""The false positive rates at which a curve is kept."""

FLOORS = {"certificate": 0.5, "certificate_advantage": 0.0, "certificate_tpr": 0.0, "certificate_proof": 0.0}
"""The numbers of a certificate, and the least that each can be."""
SHOWN = 5
"""So many sets of columns are kept that tell of a record, those that tell most first."""


@runtime_checkable
class Certified(Protocol):
    """Optional: a fit that can say what released rows tell of each record it was fitted to.

    Offered only by methods whose fit draws nothing at random and whose releases are independent rows. ``ratios()``
    gives an object whose ``ratio(rows)`` is a :class:`riskkit.generators.engines.ratios.Ratio`. Where that has no law,
    the fit can draw rows as well: ``drawn_near(rows, count, rng)`` gives a
    :class:`riskkit.generators.engines.ratios_drawn.NearbyRows`.
    """

    def ratios(self) -> Any:
        """The ratios of every record."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A set of columns that tells of the record.

    Of ``above`` people with the record's values in all ``columns`` but the last, ``both`` have its value there too,
    itself included. Of a person with several rows these count rows, ``own`` of ``both`` the person's; else it is None.
    ``is_proof``: a released row with these values cannot come from a table without the record. ``seen`` is the chance
    that a release holds such a row; ``part`` the set's part in all that columns tell, 0 to 1.
    """

    columns: tuple[str, ...]
    above: int
    both: int
    is_proof: bool = field(metadata=entry("proof"))
    seen: float
    part: float
    own: int | None = field(default=None, metadata=entry(is_left_out=True))


class Three(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return interval(self.value, self.low, self.high)


Numbers = tuple[Three, Three, Three, Three]
"""What the best attack reaches, in the order of :data:`FLOORS`."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The best attack on one record.

    ``auc``, ``advantage``, ``tpr`` (at a small false positive rate) and ``proof`` (the chance that a release shows a
    combination that only this record has) have the error of drawn rows in their interval, and none where they are
    exact. ``curve`` are true positive rates at the false positive rates asked for. ``telling`` are the columns that
    expose the record, whose row is ``record``. ``growth`` is the AUC after each count of releases; None of one release.
    """

    auc: Three
    advantage: Three
    tpr: Three
    proof: Three
    method: str
    curve: tuple[float, ...]
    telling: tuple[Telling, ...]
    growth: tuple[After, ...] | None = field(default=None, metadata=entry("after", is_left_out=True))
    record: int = field(default=0, metadata=entry(is_kept=False))

    @property
    def after(self) -> tuple[After, ...]:
        """The AUC after each count of releases; none of one release."""
        return self.growth or ()

    @property
    def numbers(self) -> Numbers:
        """All four."""
        return self.auc, self.advantage, self.tpr, self.proof

    def estimates(self, generator: str, level: float) -> list[Estimate]:
        """Its numbers, for which no training was played."""
        labels, numbers = {"record": str(self.record), "generator": generator}, zip(FLOORS, self.numbers, strict=True)
        return [Estimate(name, *three, level, self.method, 0, labels) for name, three in numbers]


def is_certified(generator: Generator) -> bool:
    """Whether certificates can be given for this method."""
    return bool(getattr(generator, "certified", False))


def has_certificates(generator: Generator, table: Table) -> bool:
    """Whether certificates can be given for this method on this table; noise is integrated over on small ones alone."""
    return is_certified(generator) or is_integrated(generator, table, 1)


@dataclass(frozen=True, slots=True)
class Terms:
    """What certificates are asked for.

    ``n_syn`` rows are seen, those of all ``releases`` together. ``fpr`` is the false positive rate of the true positive
    rate beside the AUC, ``curve`` those at which the curve is kept. ``drawn`` rows are drawn for each record where no
    exact way is known: the error falls with the root of it. ``level`` is the coverage of intervals.
    """

    n_syn: int
    fpr: float = 0.01
    curve: tuple[float, ...] = CURVE
    drawn: int = DRAWN
    level: float = 0.95
    releases: int = 1


def certify(
    table: Table, generator: Generator, rows: Sequence[int | Ints], terms: Terms, seed: int
) -> list[Certificate]:
    """The certificates of these rows of the table, each a row or all the rows (k,) of a person.

    A person's is kept under the first of their rows; that of a person with one row is the certificate of the row.
    ``seed`` is the root of the streams; the same rows are drawn for a record whichever others are asked for.

    Raises
    ------
    DesignError
        The method has no certificate, or the table has one row.
    """
    if is_integrated(generator, table, terms.n_syn):
        return _integrate(table, generator, rows, terms, seed)
    fitted = generator.fit(table, stream(seed, "certificate", "fit"))
    if not is_certified(generator) or not isinstance(fitted, Certified):
        raise DesignError.phrase(
            "Generator {generator!r} has no optimal-attack bound: its fit draws at random, or what a released "
            "row says is not known exactly. Run attacks on it, or choose bayesnet, histogram or synthpop.",
            generator=generator.name,
        )
    ratios = fitted.ratios()
    return [_certificate(table, fitted, ratios, row, terms, seed) for row in rows]


def certify_blocks(
    fixed: tuple[Table, Generator], blocks: Sequence[Sequence[int | Ints]], terms: Terms, seed: int
) -> list[list[Certificate]]:
    """The certificates of each block of rows, or of people, of the table."""
    return [certify(*fixed, rows, terms, seed) for rows in blocks]


def certify_growth(
    fixed: tuple[Sequence[Table], Any], blocks: Sequence[Sequence[int | Ints]], terms: Terms, seed: int
) -> list[list[Certificate | None]]:
    """The certificates of each block of rows of a table that grew; each table has them under the same numbers.

    Every year the method is fitted to the table as it then is and one release comes out. Where a fit draws nothing at
    random, the releases are independent rows of known laws, one law a year, and the best attacker adds up what every
    row of every year says. So the certificate is exact wherever that of each year is, and None elsewhere. What tells of
    a person is said of the last table.
    """
    tables, generator = fixed
    fits = [generator.fit(table, stream(seed, "certificate", "fit")).ratios() for table in tables]
    last = replace(terms, n_syn=terms.n_syn // terms.releases)

    def certificate(row: int) -> Certificate | None:
        years = [ratios.ratio(row) for ratios in fits]
        laws = [ratio.law for ratio in years]
        if any(law is None for law in laws):
            return None
        ends = range(1, len(laws) + 1)
        bests = {end: optimal_together(laws[:end], [last.n_syn] * end) for end in ends}
        return _certificate_of(bests, laws[-1], terms, telling(years[-1].cells, tables[-1], last), row)

    return [[certificate(int(np.min(row))) for row in rows] for rows in blocks]


def _integrate(table: Table, generator: Any, rows: Sequence[int | Ints], terms: Terms, seed: int) -> list[Certificate]:
    """The certificates of a method whose releases have a law as a whole; several releases are those of one fit."""
    drawn, rows_each = max(terms.drawn // ROWS_A_RELEASE, FEWEST) // 2, terms.n_syn // terms.releases
    laws = {
        count: generator.releases(table, rows_each * count, drawn, stream(seed, "certificate", "releases", count))
        for count in counts(terms.releases)
    }
    with_all = {count: law.log_prob(table) for count, law in laws.items()}
    made = []
    for row in rows:
        world, record = table.without(row), int(np.min(row))
        drawn_for = stream(seed, "certificate", "releases", "without", record)
        weighed = {count: _told_apart(table, world, law, with_all[count], drawn_for) for count, law in laws.items()}
        best = weighed[terms.releases]
        what = "exact" if best.is_listed else f"{len(best.inside):,} drawn releases"
        after = {count: _weigh_releases(each, terms) for count, each in weighed.items()}
        made.append(_as_kept(after, what, best.tpr(np.asarray(terms.curve))[0], (), record))
    return made


def _told_apart(table: Table, world: Table, law: Any, with_all: Floats, rng: np.random.Generator) -> Weighed:
    """What tells two tables apart: by all releases, or by drawn ones of both, of which one's are there already."""
    without = law.log_prob(world)
    if law.is_listed:
        return Weighed.weigh(with_all, without, is_listed=True)
    other = law.again(world, rng)
    log_with = np.concatenate([with_all, other.log_prob(table)])
    return Weighed.weigh(log_with, np.concatenate([without, other.log_prob(world)]), is_listed=False)


def _weigh_releases(best: Weighed, terms: Terms) -> Numbers:
    """The same numbers from releases that were listed or drawn; no release is a proof, for noise hides none."""
    named, errors = best.tpr(np.array([terms.fpr]))
    figures = ((*best.auc, 0.0), (*best.advantage, 0.0), (float(named[0]), float(errors[0]), 0.0), (0.0, 0.0, 0.0))
    return _within_ends(figures, terms, is_exact=best.is_listed)


def _certificate(table: Table, fitted: Any, ratios: Any, record: int | Ints, terms: Terms, seed: int) -> Certificate:
    """The certificate of one record, a row or the rows of a person, from what it is in the fit."""
    own = np.unique(record)
    row = int(own[0])
    rows = row if len(own) == 1 else own
    ratio = ratios.ratio(rows)
    law, cells = ratio.law, ratio.cells
    if law is None:
        drawn = fitted.drawn_near(rows, terms.drawn, stream(seed, "certificate", "rows", row))
        law = Atoms.weigh(drawn.value, drawn.weight, drawn.unseen)
        cells = [cell.condition(chances) for cell, chances in zip(cells, drawn.reached, strict=True)]
    counted = counts(terms.releases)
    seen = [terms.n_syn // terms.releases * count for count in counted[:-1]]
    bests = {
        count: optimal(law, released, fewer=isinstance(law, Atoms))
        for count, released in zip(counted, [*seen, terms.n_syn], strict=True)
    }
    return _certificate_of(bests, law, terms, telling(cells, table, terms, len(own)), row)


def _certificate_of(
    bests: Mapping[int, Optimal], law: RowLaw, terms: Terms, telling: tuple[Telling, ...], record: int
) -> Certificate:
    """The certificate of that record by the best attack on each count of releases, whose last row has that law."""
    what = f"{law.drawn:,} drawn rows" if isinstance(law, Atoms) else "exact"
    after = {count: _numbers(best, law, terms) for count, best in bests.items()}
    return _as_kept(after, what, bests[max(bests)].tpr_at(terms.curve), telling, record)


def _as_kept(
    after: Mapping[int, Numbers], what: str, curve: Floats, telling: tuple[Telling, ...], record: int
) -> Certificate:
    """The certificate of that record from its numbers after each count of releases, the last of which are its own."""
    growth = tuple(After(count, *numbers[0]) for count, numbers in after.items())
    return Certificate(
        *after[growth[-1].releases],
        method=f"best attack, {what}",
        curve=tuple(round(rate, 6) for rate in curve.tolist()),
        telling=telling,
        growth=growth if len(growth) > 1 else None,
        record=record,
    )


def _numbers(best: Optimal, law: RowLaw, terms: Terms) -> Numbers:
    """AUC, advantage, cautious true positive rate and chance of a proof, with the error of drawn rows."""
    fpr = terms.fpr
    lowest = best.auc, best.advantage, float(best.tpr_at(fpr)), best.proof_in
    slack = best.auc_slack, best.advantage_slack, float(best.tpr_slack_at(fpr)), 0.0
    errors = law.errors(best, fpr) if isinstance(law, Atoms) else (0.0, 0.0, 0.0, 0.0)
    figures = [(low + above / 2, error, above / 2) for low, above, error in zip(lowest, slack, errors, strict=True)]
    return _within_ends(figures, terms, is_exact=not isinstance(law, Atoms))


def _within_ends(figures: Sequence[tuple[float, float, float]], terms: Terms, *, is_exact: bool) -> Numbers:
    """The four numbers of a certificate, from the value of each, its standard error, and the slack of the grid."""
    made = []
    for floor, (about, error, slack) in zip(FLOORS.values(), figures, strict=True):
        value = min(max(about, floor), 1.0)
        low, high = (value, value) if is_exact else _interval(value, error, slack, terms.level)
        made.append(Three(value, max(low, floor), min(high, 1.0)))
    auc, advantage, tpr, proof = made
    return auc, advantage, tpr, proof


def _interval(value: float, error: float, slack: float, level: float) -> tuple[float, float]:
    """The interval of a chance with that standard error, which the grid may have moved by ``slack`` besides.

    It is even on the scale of the logarithm of what is left to 1: near 1 that is the scale on which a chance of many
    rows is spread evenly, and elsewhere it makes little difference.
    """
    left = max(1 - value, 1e-12)
    reach = math.exp(min(float(critical(level)) * error / left, 500.0))
    return min(1 - left * reach - slack, value), max(1 - left / reach + slack, value)


def telling(cells: Sequence[RecordCell], table: Table, terms: Terms, rows: int = 1) -> tuple[Telling, ...]:
    """The sets of columns that tell most, first, of a record of so many rows."""
    tells = [cell.tells for cell in cells]
    whole = sum(tells) or 1.0
    names = [column.name for column in table.schema.modelled]
    parts = []
    for cell, tell in zip(cells, tells, strict=True):
        place, value, reach = cell.foremost
        parts.append(
            Telling(
                tuple(names[column] for column in cell.columns),
                place.above,
                value.both,
                value.is_proof,
                float(1 - (1 - reach * value.share) ** terms.n_syn),
                tell / whole,
                None if rows == 1 else value.own,
            )
        )
    return tuple(sorted(parts, key=lambda part: -part.part)[:SHOWN])
