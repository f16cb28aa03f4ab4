"""What a question about keys found, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from riskkit.core import Estimate, Floats, Ints
from riskkit.plain import entry
from riskkit.questions.keys.classes import Coarser, Diversity
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.keys.population import PopulationUniques
from riskkit.questions.keys.replication import AttributeShares, IdentityShares
from riskkit.questions.result import Typed
from riskkit.wording import COUNTED

THRESHOLDS = (0.09, 0.05)
"""Risks that authorities name: of the EMA and Health Canada, and of some offices of statistics."""
BANDS = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 19), (20, 0))
"""Sizes of classes that are told apart; 11 is the smallest with a risk of 0.09 or less, 20 of 0.05; 0 is no end."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was worked out of the tables: rows, the keys and secrets in use, and the population of the real table.

    ``people`` in the population are those of ``source``: a fraction or number that was said, or the sum of weights;
    None where nobody knows. ``most`` is the size of the largest minimal unique that was looked for.
    """

    rows: int
    released: int
    key_columns: tuple[str, ...]
    secret_columns: tuple[str, ...]
    people: float | None
    source: str
    most: int


@dataclass(frozen=True, slots=True)
class MatchRisk:
    """How often a match is right: of the row at most risk, of the rows on average, and in all.

    ``at_09`` and ``at_05`` are the shares of rows whose risk is that high or higher.
    """

    highest: float
    mean: float
    matches: float
    at_09: float
    at_05: float

    @classmethod
    def from_risks(cls, risk: Floats) -> MatchRisk:
        """The same of the risk of each row."""
        at_09, at_05 = (float((risk >= threshold).mean()) for threshold in THRESHOLDS)
        return cls(float(risk.max()), float(risk.mean()), float(risk.sum()), at_09, at_05)


@dataclass(frozen=True, slots=True)
class TableRisk:
    """Classes of a table, and what they say of its people.

    ``table`` is ``real`` or the slot of a release. ``smallest`` is k, ``alone`` the rows in classes of one; ``bands``
    are classes and rows by :data:`BANDS`, ``sizes`` the share of rows by the size of their class, up to 11 and more.
    ``prosecutor`` knows that the person is in the table, ``journalist`` knows it of the population alone.
    """

    table: str
    rows: int
    classes: int
    smallest: int
    alone: int
    bands: tuple[tuple[int, int], ...]
    sizes: tuple[float, ...]
    prosecutor: MatchRisk
    journalist: MatchRisk | None
    uniques: PopulationUniques | None


@dataclass(frozen=True, slots=True)
class SecretDiversity:
    """What the classes of a table say of a secret."""

    table: str
    secret: str
    values: Diversity = field(metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True)
class RareSet:
    """Columns by which so many rows are minimal uniques."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Specials:
    """Minimal uniques of the real table: rows that have any, how often a match on a unique row is right (DIS; None
    without a population), rows by the size of their smallest set, the share of scores by column, and sets by rows."""

    rows: int
    dis: float | None
    by_size: tuple[int, ...]
    contributions: tuple[float, ...]
    sets: tuple[RareSet, ...]


@dataclass(frozen=True, slots=True)
class SpecialRow:
    """A row of the real table with a high score, and the smallest sets by which it is unique."""

    row: int
    score: float
    dis: float
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Replicated:
    """What synthpop counts on a release; ``secrets`` are by name of the secret, ``estimates`` stand beside others."""

    table: str
    identity: IdentityShares
    secrets: Mapping[str, AttributeShares]
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeysResult(Typed):
    """A finished plan. ``scores`` and ``smallest`` (real rows,) are SUDA scores and the size of the smallest set."""

    GAME: ClassVar[Mapping[str, str]] = {
        "game": "none; combinations of keys counted in a table, and modelled in its population",
        "unit": "record",
    }
    plan: KeysPlan
    counts: Counts = field(metadata=entry("settings"))
    tables: tuple[TableRisk, ...]
    secrets: tuple[SecretDiversity, ...]
    specials: Specials
    coarser: tuple[Coarser, ...]
    replicated: tuple[Replicated, ...]
    people: tuple[SpecialRow, ...] = field(metadata=entry(of_people=True))
    scores: Floats = field(metadata=entry(of_people=True))
    smallest: Ints = field(metadata=entry(of_people=True))
    notes: tuple[str, ...] = ()
    estimates: tuple[Estimate, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimates", tuple(self._estimates()))

    def _estimates(self) -> Iterator[Estimate]:
        """Every figure of a table, then those that stand beside others."""
        for risk in self.tables:
            for name, value in _figures(risk):
                yield _count(name, value, risk.rows).label(table=risk.table)
        for secret in self.secrets:
            rows = next(risk.rows for risk in self.tables if risk.table == secret.table)
            values = {"distinct_l": float(secret.values.distinct), "entropy_l": secret.values.entropy}
            for name, value in {**values, "closeness": secret.values.closeness}.items():
                yield _count(name, value, rows).label(table=secret.table, secret=secret.secret)
        for release in self.replicated:
            yield from (estimate.label(table=release.table) for estimate in release.estimates)


def _figures(risk: TableRisk) -> Iterator[tuple[str, float]]:
    yield "smallest_class", float(risk.smallest)
    yield "sample_uniques", risk.alone / risk.rows
    yield "prosecutor_highest", risk.prosecutor.highest
    yield "prosecutor_mean", risk.prosecutor.mean
    if risk.journalist is not None:
        yield "journalist_highest", risk.journalist.highest
        yield "marketer", risk.journalist.mean
        yield "expected_matches", risk.journalist.matches
    if risk.uniques is not None and risk.uniques.value is not None:
        yield "population_uniques", risk.uniques.value


def _count(name: str, value: float, n: int) -> Estimate:
    return Estimate(name, value, value, value, 0.95, COUNTED, n)
