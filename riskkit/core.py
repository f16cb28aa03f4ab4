"""The nouns of riskkit.

A CSV becomes a :class:`Table`; a game deals worlds from it; a :class:`Generator`, fitted to a world, samples a
release; an :class:`Attack`, fitted to what its attacker knows (the :class:`Brief`), scores the release;
statistics turn :class:`Scores` into :class:`Estimate`; pages, reports and the command line show estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from riskkit.errors import DesignError, ScoreError, nearest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

MISSING = ""
"""How a missing value is written in text, and the level that stands for it in a categorical column."""


class Kind(StrEnum):
    """What the values of a column are."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    DATE = "date"
    ID = "id"
    TEXT = "text"
    CONSTANT = "constant"


class Role(StrEnum):
    """What a column is to the attacker; one that names a person or household, or a weight, is never modelled."""

    KNOWN = "known"
    SECRET = "secret"
    TEXT = "text"
    ID = "id"
    PERSON = "person"
    HOUSEHOLD = "household"
    WEIGHT = "weight"
    """How many people of the population the row stands for; nothing about its person."""
    IGNORED = "ignored"
    names_unit = property(lambda self: self in (Role.PERSON, Role.HOUSEHOLD), doc="Whether it says whose row a row is.")


class Knowledge(StrEnum):
    """What an attacker has before the release is published."""

    EXACT = "exact"
    """Every row of the real table but the target's membership."""
    AUXILIARY = "auxiliary"
    """Other rows of the same population."""
    NONE = "none"
    """Only the release."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the joint schema: its kind, its role and its frozen domain.

    The domain is settled once, over all tables that were loaded, and is the same for every world: a generator never
    learns from it whether the target was in.

    ``levels`` (categorical) are the texts in code order; a column with missing values has :data:`MISSING` as its
    last level. ``low``, ``high``, ``mean`` and ``sd`` (numeric, date) bound and describe the numbers; dates are
    days since 1970-01-01, written with ``date_format``. ``decimals`` is how many decimals the numbers are written
    with. ``missing_tokens`` mean missing, beside the empty text. ``commas`` is what a comma in a number of the file
    means: ``decimal``, ``thousands`` or nothing. ``reason`` says why; ``source`` is what a summary sums up.
    """

    name: str
    kind: Kind
    role: Role = Role.KNOWN
    levels: tuple[str, ...] = field(default=(), repr=False)
    low: float = field(default=0.0, repr=False)
    high: float = field(default=0.0, repr=False)
    mean: float = field(default=0.0, repr=False)
    sd: float = field(default=0.0, repr=False)
    decimals: int = 0
    has_missing: bool = False
    date_format: str = ""
    missing_tokens: tuple[str, ...] = field(default=(), repr=False)
    commas: str = ""
    reason: str = field(default="", repr=False)
    source: str = field(default="", repr=False)

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers in :attr:`Table.numbers` (dates are)."""
        return self.kind in (Kind.NUMERIC, Kind.DATE)

    @property
    def is_modelled(self) -> bool:
        """Whether tables hold it at all: numeric, date or categorical, and neither id, unit nor ignored."""
        return (self.is_numeric or self.kind is Kind.CATEGORICAL) and self.role in (Role.KNOWN, Role.SECRET)


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns that real, synthetic and holdout table share, in file order.

    ``modelled`` are the columns that tables hold, in file order; ``categorical`` those of :attr:`Table.codes` and
    ``numeric`` (numbers and dates) those of :attr:`Table.numbers`, each in order. ``places`` is by name where each
    stands among those of its kind.
    """

    columns: tuple[Column, ...]
    modelled: tuple[Column, ...] = field(init=False, repr=False, compare=False)
    categorical: tuple[Column, ...] = field(init=False, repr=False, compare=False)
    numeric: tuple[Column, ...] = field(init=False, repr=False, compare=False)
    places: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        modelled = tuple(column for column in self.columns if column.is_modelled)
        object.__setattr__(self, "modelled", modelled)
        object.__setattr__(self, "categorical", tuple(c for c in modelled if c.kind is Kind.CATEGORICAL))
        object.__setattr__(self, "numeric", tuple(c for c in modelled if c.is_numeric))
        places = {c.name: place for kind in (self.categorical, self.numeric) for place, c in enumerate(kind)}
        object.__setattr__(self, "places", places)

    def column(self, name: str) -> Column:
        """The column of that name; raises :class:`DesignError` where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        near = nearest(name, [column.name for column in self.columns])
        raise DesignError(f"There is no column named {name!r}{near}. Choose one of the columns on the Data page.")

    def with_column(self, changed: Column) -> Schema:
        """The same schema with the column of that name replaced."""
        return Schema(tuple(changed if column.name == changed.name else column for column in self.columns))


def _lock(array: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """The array as ``dtype``, read-only, contiguous; a view where the caller's can be kept as it is."""
    out = np.ascontiguousarray(array, dtype=dtype).view()
    out.flags.writeable = False
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Typed rows under one schema: codes and numbers in read-only arrays.

    ``codes`` is (n, n_categorical) int32, an index into the levels of each categorical column, never
    negative. ``numbers`` is (n, n_numeric) float64, NaN where missing. ``relaxed`` is set only on a release
    that was published before discretisation (OMTH17 without post-processing): its real-valued one-hot form
    in the layout of :func:`riskkit.table.encode.onehot` (raw scale, first level dropped); codes and numbers
    then hold the nearest valid rows.

    Raises :class:`DesignError` where the arrays do not fit the schema or each other.
    """

    schema: Schema
    codes: Codes
    numbers: Floats
    relaxed: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", _lock(self.codes, np.int32))
        object.__setattr__(self, "numbers", _lock(self.numbers, np.float64))
        if self.relaxed is not None:
            object.__setattr__(self, "relaxed", _lock(self.relaxed, np.float64))
        categorical = self.schema.categorical
        wanted = (len(self.codes), len(categorical)), (len(self.codes), len(self.schema.numeric))
        if (self.codes.shape, self.numbers.shape) != wanted:
            raise DesignError(
                f"A table of {wanted[0][1]} categorical and {wanted[1][1]} numeric columns got arrays of shape "
                f"{self.codes.shape} and {self.numbers.shape}."
            )
        if self.relaxed is not None and len(self.relaxed) != len(self.codes):
            raise DesignError("The relaxed form of a table must have as many rows as the table.")
        if self.codes.size:
            top = self.codes.max(axis=0)
            for column, highest in zip(categorical, top, strict=True):
                if highest >= len(column.levels):
                    raise DesignError(f"Column {column.name!r} has a code beyond its {len(column.levels)} levels.")
            if self.codes.min() < 0:
                raise DesignError("A code is negative; a missing category is a level of its own.")

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Table({len(self)} rows, {len(self.schema.modelled)} columns)"

    def column(self, column: Column) -> npt.NDArray[Any]:
        """(n,) the values of a column in use: its numbers, or the codes of a category."""
        cells: npt.NDArray[Any] = self.numbers if column.is_numeric else self.codes
        return cells[:, self.schema.places[column.name]]

    def rows(self, index: npt.ArrayLike) -> Table:
        """The rows at these positions, in this order (an index array, a slice or a mask)."""
        places: Any = index if isinstance(index, slice) else np.asarray(index)
        if isinstance(places, np.ndarray) and not places.size:
            places = places.astype(np.int64)  # an empty list is no float array here
        relaxed = None if self.relaxed is None else self.relaxed[places]
        return Table(self.schema, self.codes[places], self.numbers[places], relaxed)

    def without(self, rows: npt.ArrayLike) -> Table:
        """All rows but that one, or but all of these."""
        return self.rows(np.delete(np.arange(len(self)), np.asarray(rows, dtype=np.int64)))

    def plus(self, other: Table) -> Table:
        """The rows of this table followed by those of ``other`` (same schema; relaxed forms are dropped)."""
        if other.schema != self.schema:
            raise DesignError("Only tables of one schema can be merged.")
        return Table(self.schema, np.vstack([self.codes, other.codes]), np.vstack([self.numbers, other.numbers]))

    def keys(self) -> npt.NDArray[np.void]:
        """One opaque key a row; two rows are the same record when their keys are equal (missing equals missing)."""
        numbers = self.numbers + 0.0  # -0.0 and 0.0 are one value
        numbers[np.isnan(numbers)] = np.nan  # one bit pattern for every NaN
        parts = (self.codes, np.ascontiguousarray(numbers))
        joined = np.hstack([part.view(np.uint8).reshape(len(self), part.itemsize * part.shape[1]) for part in parts])
        return np.ascontiguousarray(joined).view(f"V{joined.shape[1]}").reshape(len(self))


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The records that are attacked. ``index`` is their row in the real table, -1 for a made-up record."""

    index: Ints
    table: Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", _lock(self.index, np.int64))
        if self.index.shape != (len(self.table),):
            raise DesignError("Targets need one row number for each record.")

    def __len__(self) -> int:
        return len(self.table)

    def single(self, position: int) -> Targets:
        """The single target at that position."""
        return Targets(self.index[[position]], self.table.rows([position]))


class Fitted(Protocol):
    """A generator that has learnt one world."""

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """A release of ``n`` rows under the schema of the table that was fitted."""


class Generator(Protocol):
    """A method that makes synthetic tables: a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Learn one world. All randomness of the training comes from ``rng``."""


@runtime_checkable
class LeaveOneOut(Protocol):
    """Optional: a fit minus some rows without a refit; equal to a refit in all but the rounding of sums."""

    def without(self, rows: npt.ArrayLike) -> Fitted:
        """The fit to the same table without that row, or without all of these."""


@runtime_checkable
class Likelihood(Protocol):
    """Optional: log-probability of rows under the fit, exact but where the generator's card says how far it is off."""

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability (density) of each row."""


@runtime_checkable
class Familiarity(Protocol):
    """Optional: what a trained network shows of a row from its inside, where it has no probability of it."""

    def familiarity(self, table: Table, rng: np.random.Generator) -> Floats:
        """(n,) how well it knows each row, higher for what it has learnt; minus infinity of what it cannot know."""


class TargetRule(Protocol):
    """How the attacked records are chosen: a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:
        """``k`` different targets for this real table."""


@dataclass(frozen=True, slots=True, eq=False)
class Brief:
    """All that the attacker has before the release is published. The truth stays in the game.

    ``targets`` are the records asked about, (n_targets) rows. With exact knowledge ``data`` is the real table without
    any of them and ``generator`` the method. ``reference`` are other rows of the population. ``shadows_in`` and
    ``shadows_out`` are the attacker's own releases with and without the targets, one a training, none of them counted.
    """

    targets: Table
    data: Table | None = None
    reference: Table | None = None
    shadows_in: Sequence[Table] = ()
    shadows_out: Sequence[Table] = ()
    generator: Generator | None = None


class FittedAttack(Protocol):
    """An attack that has read its brief."""

    def score(self, release: Table) -> Floats:
        """(n_targets,) scores, higher means "in". The attack's own answer is "in" where the score is above 0."""


class Attack(Protocol):
    """A method that guesses membership: a frozen dataclass whose fields are its parameters.

    ``knowledge`` is what its attacker must know; ``shadows`` how many own releases a side it wants. An attack may
    name in ``control`` the calibration mechanism whose leak it claims to see; that of the others is a bootstrap.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    knowledge: ClassVar[Knowledge]

    @property
    def shadows(self) -> int:
        """Shadow trainings wanted with the targets, and as many without."""

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        """Read the brief once; classifiers, thresholds and queries are made here, never for each release."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What one attack said of one target, one entry a trial.

    ``value`` (n,) higher means "in"; 0 is the attack's own cut. ``is_in`` (n,) the truth. ``training`` (n,)
    which training the release came from: **trials of one training are not independent**, and N in every
    statistic counts trainings. ``target`` (n,) which target was asked about.

    Raises :class:`ScoreError` where lengths differ, a value is not finite, or one training has trials of both truths.
    """

    value: Floats = field(repr=False)
    is_in: Bools = field(repr=False)
    training: Ints = field(repr=False)
    target: Ints = field(repr=False)
    attack: str = ""

    def __post_init__(self) -> None:
        for name, dtype in (("value", np.float64), ("is_in", np.bool_), ("training", np.int64), ("target", np.int64)):
            object.__setattr__(self, name, _lock(getattr(self, name), dtype))
        n = len(self.value)
        if not (self.value.shape == self.is_in.shape == self.training.shape == self.target.shape == (n,)):
            raise ScoreError("Scores need one value, one truth, one training and one target for each trial.")
        bad = int(n - np.isfinite(self.value).sum())
        if bad:
            raise ScoreError(f"{bad} of {n} scores of attack {self.attack!r} are not finite numbers.")
        if np.intersect1d(self.training[self.is_in], self.training[~self.is_in]).size:
            raise ScoreError("A training has trials both with and without the target; give each world its own number.")

    def __len__(self) -> int:
        return len(self.value)

    def trainings(self, is_in: bool) -> int:
        """How many independent trainings stand behind that side."""
        return len(np.unique(self.training[self.is_in == is_in]))


GUESSED = (0.0, 0.5)
"""What guessing reaches on most scales."""
MOST_DIGITS = 6
"""Decimals of an end that lies next to a mark, at most."""


def digits(low: float, high: float, marks: Iterable[float] = GUESSED, fewest: int = 2) -> tuple[int, int]:
    """Decimals of both ends of an interval: as few as leave every mark on the side of the end where it is.

    So an interval that is printed holds a mark where the interval itself holds it, and nowhere else.
    """
    known = tuple(marks)

    def least(agrees: Callable[[int], bool]) -> int:
        return next((places for places in range(fewest, MOST_DIGITS) if agrees(places)), MOST_DIGITS)

    below = least(lambda places: all((round(low, places) > mark) == (low > mark) for mark in known))
    above = least(lambda places: all((round(high, places) < mark) == (high < mark) for mark in known))
    if round(low, below) > round(high, above):
        below = above = max(below, above)
    return below, above


def interval(value: float, low: float, high: float, *marks: float) -> str:
    """``0.63 [0.55, 0.71]``; an end has more decimals where it would else be rounded onto guessing or a mark.

    One that no number of decimals tells from it is written as what it is: ``0.01 [>0.00, 0.03]``.
    """
    known = (*GUESSED, *marks)
    below, above = digits(low, high, known)
    ends = round(low, below), round(high, above)
    fits = (places for places in range(2, MOST_DIGITS) if ends[0] <= round(value, places) <= ends[1])
    own = next(fits, max(below, above))
    lower = next((f">{mark:.2f}" for mark in known if low > mark == ends[0]), decimal(low, below))
    upper = next((f"<{mark:.2f}" for mark in known if high < mark == ends[1]), decimal(high, above))
    return f"{decimal(value, own)} [{lower}, {upper}]"


def decimal(value: float, places: int) -> str:
    """The number with so many decimals; nothing is never negative."""
    return f"{round(value, places) + 0.0:.{places}f}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval. No number leaves the engine without these.

    ``level`` is the coverage of [low, high] (0.95), ``method`` names the interval, ``n`` counts independent
    trainings. ``labels`` say what it is about: generator, target, attack, record, ...

    Raises :class:`DesignError` where the interval does not hold the value, or something is not finite.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    method: str
    n: int
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.value, self.low, self.high, self.level))):
            raise DesignError(f"The estimate of {self.name} is not a finite number.")
        if not self.low <= self.value <= self.high:
            raise DesignError(
                f"The interval [{self.low}, {self.high}] of {self.name} does not hold its value {self.value}."
            )

    @classmethod
    def around(cls, name: str, value: Any, ends: Iterable[Any], level: float, method: str, n: int) -> Estimate:
        """That value with an interval that holds it to the last bit, whatever rounding made of its ends."""
        middle, low, high = map(float, (value, *ends))
        return cls(name, middle, min(low, middle), max(high, middle), level, method, n)

    def label(self, **labels: str) -> Estimate:
        """The same estimate with these labels added."""
        return replace(self, labels={**self.labels, **labels})

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: the fields, then the labels beside them."""
        own = {name: getattr(self, name) for name in ("name", "value", "low", "high", "level", "method", "n")}
        return {**own, **self.labels, **own}  # no label takes the place of a number

    def __str__(self) -> str:
        return interval(self.value, self.low, self.high)
