"""What every plug-in promises, checked on a made-up table: for those who write one outside this house.

``riskkit check-plugin my_package.attacks:Mine`` runs the checks, and so does :func:`check_plugin`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from typing import Any

import numpy as np

from riskkit import own, registry
from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import PluginError, RiskkitError
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.seeds import everybodys, stream
from riskkit.table.load import Tables
from riskkit.table.noisy_counts import MODEL
from riskkit.table.usefulness import ComparedTables, tree_questions

ROWS = 120
SIGNS = {"knowledge": "attacks", "guesses": "inference", "predicts": "explained", "holds": "inverters"}
"""What a class that is fitted says of itself in one room alone."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, and why it is not kept; ``why`` is empty where it is."""

    promise: str
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return not self.why


@dataclass(frozen=True, slots=True, repr=False)
class Checked:
    """The promises of one plug-in, each kept or not."""

    room: str
    name: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return all(check.holds for check in self.checks)

    def __repr__(self) -> str:
        head = f"{self.name}, a plug-in of {self.room}"
        return "\n".join(
            [head, *(f"{'✓' if check.holds else '✗'} {check.promise} {check.why}".rstrip() for check in self.checks)]
        )


def check_plugin(plugin: Any, room: str = "") -> Checked:
    """Hold a plug-in of yours to what those of this house promise.

    Parameters
    ----------
    plugin
        The class, or an object of it with the settings to check; it is registered (:func:`riskkit.register`).
    room
        Where it belongs, ``attacks`` or ``generators`` say; found from what the class has, where not given.

    Raises
    ------
    PluginError
        It is no plug-in at all, or its name is taken.
    """
    kind_of_plugin: type[Any] = plugin if isinstance(plugin, type) else type(plugin)
    place = room or room_of(kind_of_plugin)
    kind: Any = registry.register(place, kind_of_plugin)
    missing = [spec.name for spec in fields(kind) if spec.default is MISSING]
    if missing and isinstance(plugin, type):
        return Checked(place, kind.name, (Check("Every field has a default.", f"{', '.join(missing)} has none."),))
    made = plugin() if isinstance(plugin, type) else plugin
    for room_of_ours in registry.ROOMS:  # a library may draw when it is first imported: that is no fault of the plug-in
        registry.plugins(room_of_ours)
    asked = [*_form(place, made), *ROOMS.get(place, lambda _: [])(made)]
    return Checked(place, kind.name, tuple(_check(promise, broken) for promise, broken in asked))


def room_of(plugin: type[Any]) -> str:
    """The room that a class belongs to, by what it has.

    Raises
    ------
    PluginError
        It has nothing that a room asks for.
    """
    for sign, room in SIGNS.items():
        if hasattr(plugin, sign):
            return room
    for room, method in own.METHODS.items():
        if hasattr(plugin, method):
            return room
    if not hasattr(plugin, "fit"):
        raise PluginError(f"{plugin.__name__} has no method fit, score or choose, so it is no plug-in.")
    return "generators" if len(inspect.signature(plugin.fit).parameters) > 2 else "defences"


Broken = Callable[[], str]
"""Says what is wrong; an empty text where nothing is."""


def _check(promise: str, broken: Broken) -> Check:
    """The promise, tried; whatever is raised breaks it, and so does a draw from chance that everybody shares."""
    before = everybodys()
    try:
        why = broken()
    except KeyboardInterrupt:
        raise
    except RiskkitError as refusal:
        return Check(promise, str(refusal))
    except BaseException as error:  # noqa: BLE001  the table is made up: what is said can be shown
        return Check(promise, f"It raised {type(error).__name__}: {error}")
    if not why and everybodys() != before:
        why = "It drew from the global random numbers; draw from the rng that is handed in."
    return Check(promise, why)


# --------------------------------------------------------------------------------------------------------------
# What it says of itself


def _form(room: str, made: Any) -> Iterator[tuple[str, Broken]]:
    def frozen() -> str:
        for spec in fields(made):
            try:
                setattr(made, spec.name, getattr(made, spec.name))
            except FrozenInstanceError:
                continue
            return f"{spec.name} can be changed."
        return ""

    def bare_fields() -> str:
        bare = [
            setting.name
            for setting in registry.settings(type(made))
            if setting.label == setting.name or not setting.help.endswith(".")
        ]
        return f"Write {', '.join(bare)} with riskkit.parameters.parameter, a label and a help." if bare else ""

    def bounded() -> str:
        for setting in registry.settings(type(made)):
            for value in beyond(setting):
                try:
                    registry.make(room, made.name, **{setting.name: value})
                except RiskkitError:
                    continue
                return f"{setting.name} = {value} is taken; call check_parameters in __post_init__."
        return ""

    def beyond(setting: registry.Setting) -> list[float]:
        below = [] if setting.low is None else [setting.low - 1]
        return below if setting.high is None else [*below, setting.high + 1]

    def read_back() -> str:
        text = registry.spelling(room, made)
        return "" if registry.parse(room, text) == made else f"{text!r} means another one."

    yield "It cannot be changed once it is made.", frozen
    yield "Every field has a label and a help, a sentence, for its form.", bare_fields
    yield "A value outside the range of a field is refused.", bounded
    yield "It can be written as text and read back.", read_back


# --------------------------------------------------------------------------------------------------------------
# What it does


def sample(rows: int = ROWS, seed: int = 0) -> Table:
    """A made-up table: two dependent categories, two numbers, missing values in one of each kind."""
    rng = stream(seed, "contracts", "table")
    ward = rng.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05])
    smoker = rng.random(rows) < 0.2 + 0.2 * ward
    age = np.clip(np.round(50 + 8 * ward + 12 * rng.standard_normal(rows)), 18, 99)
    score = np.where(rng.random(rows) < 0.1, np.nan, np.round(rng.gamma(2.0, 1.5, rows) + 0.02 * age, 1))
    columns = (
        Column("ward", Kind.CATEGORICAL, levels=("east", "north", "south", "west")),
        Column("smoker", Kind.CATEGORICAL, levels=("no", "yes")),
        Column("age", Kind.NUMERIC, low=18.0, high=99.0, mean=58.0, sd=13.0),
        Column("score", Kind.NUMERIC, low=0.0, high=40.0, mean=4.2, sd=2.2, decimals=1, has_missing=True),
    )
    return Table(Schema(columns), np.column_stack([ward, smoker]), np.column_stack([age, score]))


def _rng(seed: int = 1) -> np.random.Generator:
    return stream(seed, "contracts")


def _same(table: Table, two: Table) -> bool:
    return bool(len(table) == len(two) and (table.keys() == two.keys()).all())


def _generator(made: Any) -> Iterator[tuple[str, Broken]]:
    def releases() -> str:
        fitted = made.fit(sample(), _rng())
        for n in (1, 37):
            release = fitted.sample(n, _rng(2))
            if not isinstance(release, Table) or release.schema != sample().schema:
                return "A release is no Table under the schema of the table that was fitted."
            if len(release) != n:
                return f"Asked for {n} rows it gave {len(release)}."
        return ""

    def repeats() -> str:
        first, two = (made.fit(sample(), _rng()).sample(50, _rng(2)) for _ in range(2))
        return "" if _same(first, two) else "Equal random numbers gave two different releases."

    def plays() -> str:
        return _alike(generators=made, attacks="neighbour")

    yield "A release has the rows that were asked for, under the schema of the table.", releases
    yield "Equal random numbers give equal releases.", repeats
    yield "The game gives the same numbers in helper processes.", plays


def _attack(made: Any) -> Iterator[tuple[str, Broken]]:
    yield (
        "The game can be run, with the same numbers in helper processes.",
        lambda: _alike(generators="mst" if getattr(made, "sees", "") == MODEL else "histogram", attacks=made),
    )


def _alike(**who: Any) -> str:
    """What is wrong with a small game, played here and in helper processes."""
    plan = MembershipPlan(targets=("random",), trainings=12, generations=2, n_syn=60, control=False, **who)
    table, others = sample(), sample(seed=5)
    here, beside = (run_membership(table, plan, others, workers=workers).as_dict() for workers in (1, 2))
    if not here["estimates"]:
        return f"No number came of it: {' '.join(here['notes'])}"
    return "" if here == beside else "Helper processes gave other numbers."


def _check_release(made: Any) -> Iterator[tuple[str, Broken]]:
    def attacks() -> str:
        tables = Tables(sample(), sample(seed=3), sample(seed=5), sample().schema, (), ())
        plan = ReleasedPlan(attacks=(registry.spelling("released", made), "dcr"))
        here, beside = (run_released(tables, plan, workers=workers).as_dict() for workers in (1, 2))
        if not any(estimate["attack"] == plan.attacks[0] for estimate in here["estimates"]):
            return f"No number came of it: {' '.join(here['notes'])}"
        return "" if here == beside else "Helper processes gave other numbers."

    yield "It scores records, with the same numbers in helper processes.", attacks


def _rule(made: Any) -> Iterator[tuple[str, Broken]]:
    def chooses() -> str:
        table = sample()
        for k in (1, 3):
            first, two = (made.choose(table, k, _rng()) for _ in range(2))
            if len(first) != k or len(np.unique(first.table.keys())) != k:
                return f"Asked for {k} different records it gave {len(first)}."
            if not _same(first.table, two.table):
                return "Equal random numbers gave different targets."
            rows = first.index >= 0
            if not _same(first.table.rows(rows), table.rows(first.index[rows])):
                return "A record is not the row of the table that its number says."
        return ""

    yield "It chooses as many different records as are asked for, by the random numbers alone.", chooses


def _measure(made: Any) -> Iterator[tuple[str, Broken]]:
    table, others = sample(), sample(seed=5)

    def of(release: Table) -> float | None:
        number: float | None = made.measure(ComparedTables(release, table, others, tree_questions(table.schema)))
        return number

    def lies_between() -> str:
        low, high = made.ends
        for release in (table, sample(seed=3)):
            number = of(release)
            if number is not None and not low <= number <= high:
                return f"It gave {number:g}, and its ends are {low:g} and {high:g}."
            if number != of(release):
                return "Equal tables gave two numbers."
        return ""

    def is_best() -> str:
        itself, poor = of(table), of(table.rows(np.zeros(len(table), dtype=int)))
        if itself is None or poor is None:
            return ""
        better = itself >= poor if made.more_is_better else itself <= poor
        return "" if better else f"It gave {itself:g} to the real rows and {poor:g} to one row repeated."

    yield "It gives equal tables the same number, between its ends.", lies_between
    yield "The real rows are no worse than one of them repeated.", is_best


ROOMS: dict[str, Callable[[Any], Iterator[tuple[str, Broken]]]] = {
    "generators": _generator,
    "attacks": _attack,
    "released": _check_release,
    "targets": _rule,
    "utility": _measure,
}
"""The rooms whose plug-ins are also played; of the others only what they say of themselves is checked."""
