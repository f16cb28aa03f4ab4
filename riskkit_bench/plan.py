"""The stored plan of a bench: which tables, which methods, which attacks, and how much is played of each.

A plan is one TOML file. Numbers of processes are no part of it: they change no number.
"""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from riskkit import own, registry
from riskkit.errors import DesignError, nearest
from riskkit.phrases import phrase
from riskkit.stats.arms import FEWEST_TRAININGS

EVERY = "all"
"""Stands for every attack of a room."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TablePart:
    """A public table. ``rows`` people are drawn from ``real``, and as many others from ``holdout`` or the rest of it.

    ``leave_out`` are columns that are not used; of ``one_row_of``, a column that names people, one row each is taken.
    ``short`` is what stands over a column of the page, ``secret`` the column that is guessed where secrets are.
    """

    name: str
    title: str
    real: str
    rows: int
    holdout: str = ""
    leave_out: tuple[str, ...] = ()
    one_row_of: str = ""
    short: str = ""
    secret: str = ""

    @property
    def label(self) -> str:
        """What stands over a column of the page."""
        return self.short or self.name


@dataclass(frozen=True, slots=True)
class ReleasePart:
    """A published release of all rows of a table; at most ``rows`` of it are read, drawn at random, 0: all."""

    table: str
    name: str
    file: str
    rows: int = 0


@dataclass(frozen=True, slots=True)
class MethodPart:
    """A method as :func:`riskkit.registry.parse` reads it, on all tables or some; 0 people plays no game on it.

    ``games`` are the tables that its game is played on, none: all; on the others it makes a released file alone.
    ``title``, ``version`` and ``licence`` are for a program of one's own: the page says them, and another version has
    cells of its own. Of riskkit's methods and of recipes they are known. ``by`` is who played cells that came from
    outside. ``seconds`` of a processor that one training
    takes, as a check saw it, let the page say what a game that was not played would cost.
    """

    use: str
    tables: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    people: int = -1
    trainings: int = 0
    title: str = ""
    version: str = ""
    licence: str = ""
    by: str = ""
    seconds: float = 0.0

    @property
    def spelling(self) -> str:
        """The method as cells name it."""
        return registry.spell(registry.parse("generators", self.use))

    def is_on(self, table: str) -> bool:
        """Whether the table of that name has cells of this part."""
        return not self.tables or table in self.tables


@dataclass(frozen=True, slots=True)
class GamePart:
    """The game of one person: how many people, by which rule, how many counted trainings each, and the attacks."""

    people: int = 10
    chosen: str = "vulnerable"
    trainings: int = 60
    attacks: tuple[str, ...] = (EVERY,)


@dataclass(frozen=True, slots=True)
class FilePart:
    """Attacks on one released file: how many people are asked about on a side, and the attacks."""

    asked: int = 400
    attacks: tuple[str, ...] = (EVERY,)


@dataclass(frozen=True, slots=True)
class PartsPart:
    """Everybody from a few trainings, each of a random half of the people: how many; 0: nobody is asked about so.

    ``methods`` are those that it is played on, as they are spelled; none: all. Of those under ``inside`` an attacker is
    played, too, who has each trained method beside its release.
    """

    trainings: int = 0
    methods: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SecretPart:
    """Secrets that are drawn anew before each of so many trainings (0: none), guessed by these models of inference.

    The secret is the column that a table names, of one person in ten; all other columns are known.
    """

    trainings: int = 0
    models: tuple[str, ...] = ("linear-reconstruction",)
    methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Falling:
    """Methods or releases of a table of which the first leaks most, the next less, and so on.

    It is so by this ``attack``, or by the strongest on each where none is named.
    """

    table: str
    names: tuple[str, ...]
    attack: str = ""


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence that the table supports, and the cells that it rests on, as ``table/method/attack``."""

    text: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What is played. ``level`` is that of every interval, ``sure`` that of what is compared across the whole table.

    ``data`` is the folder of the tables, from the place of the plan. ``blind`` are methods that ignore the table.
    ``edition`` and ``licence`` are said on the page. ``quick`` are cells, as ``table/method/attack``, that anybody can
    play again in minutes. A sentence of ``saying`` may hold ``{table/method/attack}``: the
    page writes the number of that cell there, with ``|auc`` behind the place the AUC of one that counts people.

    Raises
    ------
    DesignError, ParameterError
        A part that no bench has, or settings that do not go together.
    """

    title: str
    data: str
    table: tuple[TablePart, ...]
    method: tuple[MethodPart, ...] = ()
    release: tuple[ReleasePart, ...] = ()
    game: GamePart = GamePart()
    file: FilePart = FilePart()
    parts: PartsPart = PartsPart()
    secret: SecretPart = SecretPart()
    seed: int = 1
    level: float = 0.95
    sure: float = 0.999
    blind: tuple[str, ...] = ("independent",)
    falling: tuple[Falling, ...] = ()
    saying: tuple[Saying, ...] = ()
    edition: str = ""
    licence: str = ""
    quick: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [part.name for part in self.table]
        of_methods = [name for part in self.method for name in (*part.tables, *part.games)]
        for table in (*(part.table for part in self.release), *(order.table for order in self.falling), *of_methods):
            if table not in names:
                raise DesignError(
                    phrase("The bench has no table {table!r}; its tables are {names}.", table=table, names=tuple(names))
                )
        if twice := {name for name in names if names.count(name) > 1}:
            raise DesignError(
                phrase("Tables of a bench need names of their own; {twice} is there twice.", twice=min(twice))
            )
        if self.game.trainings < 2 * FEWEST_TRAININGS:
            raise DesignError(
                phrase(
                    "The game has {trainings} trainings; intervals need at least {least}, half with the person.",
                    trainings=self.game.trainings,
                    least=2 * FEWEST_TRAININGS,
                )
            )
        if 0 < self.parts.trainings < 2 * FEWEST_TRAININGS:
            raise DesignError(
                phrase(
                    "Parts of the people have {trainings} trainings; it takes at least {least}, or none.",
                    trainings=self.parts.trainings,
                    least=2 * FEWEST_TRAININGS,
                )
            )
        if 0 < self.secret.trainings < FEWEST_TRAININGS:
            raise DesignError(
                phrase(
                    "Secrets that are drawn anew have {trainings} trainings; it takes at least {least}, or none.",
                    trainings=self.secret.trainings,
                    least=FEWEST_TRAININGS,
                )
            )
        if not 0.5 <= self.level <= self.sure < 1:
            raise DesignError(phrase("The levels of a bench are level and sure: 0.5 or more, below 1, sure no lower."))
        for part in self.method:
            registry.parse("generators", part.use)
        registry.parse("targets", self.game.chosen)
        self.attacks("attacks")
        self.attacks("released")

    def attacks(self, room: str) -> tuple[str, ...]:
        """The attacks of that room, spelled: in the game (``attacks``) or on the released file (``released``)."""
        asked = (self.game if room == "attacks" else self.file).attacks
        every = [name for name, attack in registry.plugins(room).items() if getattr(attack, "in_all", True)]
        named = [name for text in asked for name in (every if text == EVERY else [text])]
        return tuple(dict.fromkeys(registry.spell(registry.parse(room, name)) for name in named))

    def people(self, part: MethodPart) -> int:
        """How many people the game of that method asks about; 0: it has none."""
        return self.game.people if part.people < 0 else part.people

    def has_game(self, part: MethodPart, table: str) -> bool:
        """Whether the game of that method is played on the table of that name."""
        return self.people(part) > 0 and part.is_on(table) and (not part.games or table in part.games)

    def has_parts(self, part: MethodPart) -> bool:
        """Whether everybody is asked about with that method, from trainings on parts of the people."""
        return self.parts.trainings > 0 and _names(self.parts.methods, part)

    def has_inside(self, part: MethodPart) -> bool:
        """Whether there is an attacker who has that method as it was trained on each part of the people."""
        return bool(self.parts.inside) and self.has_parts(part) and _names(self.parts.inside, part)

    def has_secret(self, part: MethodPart, table: str) -> bool:
        """Whether secrets of that table are drawn anew and guessed from releases of that method."""
        return self.secret.trainings > 0 and bool(self.part(table).secret) and _names(self.secret.methods, part)

    def trainings(self, part: MethodPart) -> int:
        """Counted trainings of each of them."""
        return part.trainings or self.game.trainings

    def part(self, table: str) -> TablePart:
        """The table of that name."""
        return next(part for part in self.table if part.name == table)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> BenchPlan:
        """The plan that :meth:`as_dict` wrote, or that a file says; see the class for what it raises."""
        return _make(cls, content, "the plan")


def _names(uses: Sequence[str], part: MethodPart) -> bool:
    """Whether methods as they are spelled hold that one; none at all holds every one."""
    return not uses or part.spelling in [registry.spell(registry.parse("generators", use)) for use in uses]


@dataclass(frozen=True, slots=True)
class Stored:
    """A plan and where it came from."""

    path: Path
    plan: BenchPlan
    sha256: str

    def folder(self, data: Path | None = None) -> Path:
        """Where the tables are: ``data``, else the folder that the plan names from its own place."""
        return data if data is not None else (self.path.parent / self.plan.data).resolve()


def read_plan(path: Path) -> Stored:
    """The plan in that file.

    Raises
    ------
    DesignError, ParameterError
        It cannot be read, is no TOML, or says what no bench has.
    """
    try:
        content = path.read_bytes()
        written = tomllib.loads(content.decode())
    except OSError as error:
        raise DesignError(
            phrase("{file} cannot be read ({why}).", file=path.name, why=(error.strerror or "unknown").lower())
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DesignError(phrase("{file} is no TOML: {why}.", file=path.name, why=str(error))) from error
    return Stored(path, BenchPlan.read(written), sha256(content).hexdigest())


def add_method(path: Path, use: str) -> None:
    """Write a method at the end of a plan, where it is not in it yet.

    Raises
    ------
    DesignError, ParameterError
        The plan cannot be read or written, or there is no such method.
    """
    spelled = MethodPart(use).spelling
    if any(part.spelling == spelled for part in read_plan(path).plan.method):
        return
    quoted = spelled.replace("\\", "\\\\").replace('"', '\\"')
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f'\n[[method]]\nuse = "{quoted}"\n')
    except OSError as error:
        raise DesignError(
            phrase("{file} cannot be written ({why}).", file=path.name, why=(error.strerror or "unknown").lower())
        ) from error


def _make(kind: type[T], table: Any, where: str) -> T:
    """A part of the plan, every field of the type that its class says."""
    specs = {spec.name: spec for spec in fields(kind)}  # type: ignore[arg-type]  # all parts are dataclasses
    if not isinstance(table, Mapping):
        raise DesignError(phrase("{where} takes names with values: {names}.", where=where, names=tuple(specs)))
    for name in table:
        if name not in specs:
            raise DesignError(
                phrase(
                    "{where} has no setting {name!r}{near}; its settings are {names}.",
                    where=where,
                    name=str(name),
                    near=nearest(str(name), specs),
                    names=tuple(specs),
                )
            )
    for name, spec in specs.items():
        if name not in table and spec.default is MISSING:
            raise DesignError(phrase("{where} does not say its {name!r}.", where=where, name=name))
    types = own.hints(kind)
    return kind(**{name: _value(types[name], value, f"{name} in {where}") for name, value in table.items()})


def _value(kind: Any, value: Any, where: str) -> Any:
    """A value of that type; a list becomes a tuple, a table of names and values a part."""
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise DesignError(phrase("{where} must be a list.", where=where))
        return tuple(_value(typing.get_args(kind)[0], each, where) for each in value)
    if hasattr(kind, "__dataclass_fields__"):
        return _make(kind, value, where)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise DesignError(
            phrase(
                "{where} must be {kind}.",
                where=where,
                kind={str: "a text", int: "a whole number", float: "a number"}[kind],
            )
        )
    return value
