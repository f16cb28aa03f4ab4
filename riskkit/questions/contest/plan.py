"""What to play in a contest of anonymisers against attackers: a frozen plan."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans, registry
from riskkit.errors import DesignError
from riskkit.games import contest
from riskkit.games.contest import ContestPopulation
from riskkit.games.released import ReleasedAttack
from riskkit.language import again
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan, split_list
from riskkit.questions import opponents
from riskkit.questions.contest.points import RULES, UPLOADED
from riskkit.questions.opponents import CONTROL, SEVERAL, spelling
from riskkit.table.encode import Scale
from riskkit.table.load import Tables

# What an anonymiser declares of its release (Table 3 of the contest's paper).

_NUMBERS = {"k": (1, 1e9), "pk": (1, 1e9), "presence": (0, 1), "epsilon": (0, 1e6), "delta": (0, 1)}
"""What can be declared, and its range."""
FORM = phrase("k=5,pk=5,presence=0.1:0.5,epsilon=0.8,delta=1e-6,methods=sampling and suppression")
"""How a declaration is written; ``methods`` comes last, and all can be left out."""
WHOLE = ("k", "pk")
"""What is a whole number."""
_PART = re.compile(r"\s*(\w+)\s*=\s*([^,]*?)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is declared, None where nothing is: ``pk`` the k of Pk-anonymity, ``presence`` both ends of delta-presence.

    Pk-anonymity holds for a k if no record is linked to its person with a chance above 1/k. Declarations of before have
    that chance instead of k, below 1, and of delta-presence the upper end alone: they are read as what they mean.
    """

    methods: str = ""
    k: float | None = None
    pk: float | None = None
    presence: tuple[float, float] | None = None
    epsilon: float | None = None
    delta: float | None = None

    @classmethod
    def read(cls, text: str) -> Declaration:
        """Read it as :data:`FORM` is written.

        Raises
        ------
        DesignError
            It is not written so, or a number is out of range.
        """
        head, mark, methods = text.partition("methods=")
        numbers: dict[str, float | tuple[float, float]] = {}
        rest = head.strip().rstrip(",")
        while rest:
            part = _PART.match(rest)
            if part is None or part[1] not in _NUMBERS or part[1] in numbers:
                raise DesignError.phrase(
                    "A declaration is written like {form}; what cannot be declared is left out.", form=again(FORM)
                )
            numbers[part[1]] = _READ.get(part[1], _number)(part[1], part[2])
            rest = rest[part.end() :]
        if not numbers and not (mark and methods.strip()):
            raise DesignError.phrase(
                "A declaration is written like {form}; this one declares nothing.", form=again(FORM)
            )
        return cls(methods.strip(), **numbers)  # type: ignore[arg-type]  # each by the reader of its name


def _number(name: str, text: str) -> float:
    low, high = _NUMBERS[name]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high or (name in WHOLE and value != int(value)):
        raise DesignError(
            phrase("The declared {name} is no whole number from {low:g} to {high:g}.", name=name, low=low, high=high)
            if name in WHOLE
            else phrase("The declared {name} is no number from {low:g} to {high:g}.", name=name, low=low, high=high)
        )
    return value


def _pk(name: str, text: str) -> float:
    """The k; where a chance is given, below 1, the k that it belongs to."""
    try:
        chance = float(text)
    except ValueError:
        chance = math.nan
    return 1 / chance if 0 < chance < 1 else _number(name, text)


def _pair(name: str, text: str) -> tuple[float, float]:
    """Both ends; a number alone is the upper one."""
    first, mark, second = text.partition(":")
    low, high = _number(name, first if mark else "0"), _number(name, second if mark else first)
    if low > high:
        raise DesignError.phrase("The declared {name} goes from a higher number to a lower one.", name=name)
    return low, high


_READ: dict[str, Callable[[str, str], float | tuple[float, float]]] = {"pk": _pk, "presence": _pair}
"""How what is no plain number is read."""


SEEK = "hide-and-seek"
BASE, PEOPLE = "base", "people"
FEWEST_ROUNDS = 5
_NAME = re.compile(r"\w[\w .:=,|-]{0,79}")
"""So that a name can stand in a CSV and as part of a file's name; those of anonymisers are such names too."""


def _source(source: str) -> str:
    """Where the population comes from, as it is spelled."""
    return source if source in (BASE, PEOPLE) else spelling("generators", source)


def _check_rounds(rounds: int) -> int:
    """Refuses rounds that are too few for an interval, but not one."""
    if 1 < rounds < FEWEST_ROUNDS:
        raise DesignError.phrase(
            "{rounds} rounds give no interval; run 1, or at least {least}.", rounds=rounds, least=FEWEST_ROUNDS
        )
    return rounds


HANDED_IN = Option(by_hand=True)
"""Of what comes as files."""


@dataclass(frozen=True, slots=True)
class ContestPlan(Plan):
    """Every anonymiser against every attacker.

    ``anonymisers`` are written as :func:`riskkit.registry.parse` reads generators, and a setting in braces stands for
    each of its values: ``pram:p={0.5/0.7/0.9}``. ``attackers`` are attacks on a released file; ``distance`` is the
    nearest record as riskkit looks for it, ``distance:direction=release,units=raw`` as the organisers did; ``default``
    stands for :data:`riskkit.questions.opponents.SUITE`, ``all`` for every one there is.

    The population comes from ``source``: a generator (``stat``, as in the PWS Cup 2020) that draws ``draws`` rows for
    each of ``population``; ``base``, the different rows of the table itself; or ``people``, those of the real table and
    the holdout, of whom the real ones are the sample of every anonymiser, so that the loaded release can take part.
    Elsewhere each anonymiser is dealt ``sample`` rows of its own; with a ``condition`` (``income=>50K``, ``age>=40``)
    they are of those who meet it, which everybody knows, so nobody else is asked about. A release has ``release`` rows
    (0: as many as the sample). ``guesses`` rows are named (hide-and-seek: half of ``2 sample``). ``rounds`` independent
    contests are played: 1, or 5 or more, which is what gives usefulness an interval. ``rules`` decides who may take
    part. Numbers enter covariances in standard deviations (``scale``): with ages in years even two samples of 10,000
    people are further apart than the contest allows.

    With ``control`` the sample itself is released once more, as a planted leak: who does not find it is blind here.
    ``given`` are releases made elsewhere (name and SHA-256 of the file), each of the sample that this plan deals to
    that name; ``own`` are rows that attackers of one's own name (attacker, anonymiser, row numbers). ``preliminary``
    are anonymisers and the share of named rows that their best attacker found in an earlier round, which counts 1 : 9
    in their points; ``declared`` is what anonymisers declare of their releases, as a
    :class:`riskkit.questions.contest.plan.Declaration` reads it. ``bundle`` keeps everything as files.

    Raises
    ------
    ParameterError, DesignError
        A plug-in that does not exist, a setting out of range, an empty list.
    """

    question: ClassVar[str] = "contest"
    unit: ClassVar[str] = "release"
    real: ClassVar[str] = "base"

    anonymisers: tuple[str, ...] = opponents.anonymisers()
    attackers: tuple[str, ...] = opponents.attackers()
    source: str = parameter(
        "stat",
        label="Population",
        tidy=_source,
        help="Where the population comes from: a generator that draws it from the base; base: its own rows; people: "
        "the base and the holdout, with the base as everybody's sample.",
        option=Option(metavar="base|people|NAME[:FIELD=VALUE,...]"),
        words={BASE: "The different rows of the real table", PEOPLE: "The people themselves, with your release"},
    )
    population: int = parameter(
        100_000, label="Population (rows)", help="Rows that may be in the sample; everybody sees them.", low=2
    )
    sample: int = parameter(
        10_000,
        label="Sample (rows)",
        help="Rows of the population in the sample; each anonymiser gets a sample of its own.",
        low=1,
    )
    release: int = opponents.release()
    guesses: int = parameter(100, label="Rows that an attacker names", help="How many rows each attacker names.", low=1)
    draws: int = parameter(
        10, label="Draws", help="Rows drawn for each of the population before equal ones are dropped.", low=1
    )
    mode: str = parameter(
        "contest",
        label="What attackers do",
        help="What attackers do: name the surest rows, or label all rows.",
        choices={
            "contest": "Name the surest rows among everybody",
            SEEK: "Tell the rows of the sample from as many others",
        },
    )
    rules: str = parameter(
        "official",
        label="Useful enough to take part",
        help="Which releases may take part. One that misses a threshold is still shown, with the threshold it misses.",
        choices=dict(
            zip(
                RULES,
                (
                    "PWS Cup 2020, official formulas",
                    "PWS Cup 2020, the paper's formulas",
                    "PWS Cup 2020, final round",
                    "Everybody takes part",
                ),
                strict=True,
            )
        ),
    )
    condition: str = parameter(
        "",
        label="Condition",
        option=Option(metavar="COLUMN=LEVEL|COLUMN>=NUMBER|COLUMN<=NUMBER"),
        help="Only people who meet it can be in, and every attacker knows that.",
    )
    scale: Scale = parameter(
        "standard",
        label="Unit in covariances",
        help="Standard deviations, or the table's own units.",
        choices={"raw": "The table's own units", "standard": "Standard deviations"},
    )
    classifiers: tuple[str, ...] = parameter(
        (),
        label="Classifiers",
        help="Inference models that learn the secret from each release.",
        room="inference",
        option=Option(flag="classifier", metavar=SEVERAL, several=split_list),
    )
    secret: str = parameter(
        "", label="Secret", help="The column that classifiers learn to tell.", option=Option(metavar="COLUMN")
    )
    rounds: int = parameter(
        1,
        label="Rounds",
        help="How many independent contests are run: 1, or at least 5.",
        low=1,
        tidy=_check_rounds,
    )
    control: bool = opponents.control()
    given: tuple[tuple[str, str], ...] = parameter((), label="Releases made elsewhere", help="", option=HANDED_IN)
    own: tuple[tuple[str, str, tuple[int, ...]], ...] = parameter(
        (), label="Rows named elsewhere", help="", option=HANDED_IN
    )
    preliminary: tuple[tuple[str, float], ...] = parameter((), label="Preliminary round", help="", option=HANDED_IN)
    declared: tuple[tuple[str, str], ...] = parameter((), label="Declarations", help="", option=HANDED_IN)
    bundle: bool = parameter(False, label="Keep every file", help="", option=HANDED_IN)
    seed: int = plans.seed()
    level: float = plans.level()

    def check(self) -> None:
        """Refuse contests that cannot be dealt, and what was handed in for nobody."""
        if self.source != PEOPLE and self.sample >= self.population:
            raise DesignError.phrase(
                "A sample of {sample:,} from a population of {population:,} leaves nobody out; draw fewer.",
                sample=self.sample,
                population=self.population,
            )
        if self.classifiers and not self.secret:
            raise DesignError.phrase("Classifiers learn to tell a column; name it as the secret.")
        if self.condition and self.source == PEOPLE:
            raise DesignError.phrase("A condition settles who is drawn; here the files settle that. Leave it out.")
        self._check_handed_in()

    def _check_handed_in(self) -> None:
        names = [name for name, _ in self.given]
        for name in (*names, *(who for who, _, _ in self.own)):
            refuse_name(name)
        if len(set(names)) < len(names) or {CONTROL, UPLOADED} & set(names):
            raise DesignError.phrase(
                "Each release made elsewhere needs a name of its own, other than {control} and {uploaded}.",
                control=CONTROL,
                uploaded=UPLOADED,
            )
        if self.given and self.rounds > 1:
            raise DesignError.phrase(
                "A release that was given is one release, so it cannot be run in several rounds; run 1."
            )
        known = [*names, *self.anonymisers, *([UPLOADED] if self.source == PEOPLE else [])]
        for attacker, anonymiser, rows in self.own:
            if anonymiser not in known:
                raise DesignError.phrase(
                    "{attacker} names rows for {anonymiser!r}, which takes no part. Name it as it is spelled.",
                    attacker=attacker,
                    anonymiser=anonymiser,
                )
            if attacker in self.attackers:
                raise DesignError.phrase(
                    "An attacker of riskkit is called {attacker!r}; give yours another name.", attacker=attacker
                )
            if len(rows) != self.n_named or len(set(rows)) != len(rows) or min(rows) < 0:
                raise DesignError.phrase(
                    "{attacker} names {different:,} different rows for {anonymiser!r}; {wanted:,} are "
                    "wanted. Hand in a list of so many, or change how many rows are named.",
                    attacker=attacker,
                    different=len(set(rows)),
                    anonymiser=anonymiser,
                    wanted=self.n_named,
                )
        before = [name for name, _ in self.preliminary]
        if len(set(before)) < len(before) or not set(before) <= set(known):
            raise DesignError.phrase(
                "A preliminary round is named for whom takes no part, or twice. Name each as it is spelled."
            )
        for name, text in self.declared:
            if name not in known:
                raise DesignError.phrase("A declaration is given for whom takes no part. Name each as it is spelled.")
            Declaration.read(text)
        if not all(0 <= share <= 1 for _, share in self.preliminary):
            raise DesignError.phrase(
                "Of the preliminary round the share of named rows that are in the sample is asked, from 0 to 1."
            )

    @property
    def n_named(self) -> int:
        """How many rows an attacker of one's own names."""
        return self.sample if self.mode == SEEK else self.guesses

    @property
    def made_attackers(self) -> dict[str, ReleasedAttack]:
        """The attacks by the names of the plan."""
        return opponents.made_attackers(self.attackers)

    def people(self, tables: Tables) -> ContestPopulation:
        """The population of these files.

        Raises
        ------
        DesignError
            It cannot be made of them.
        """
        if self.source == PEOPLE:
            if tables.holdout is None:
                raise DesignError.phrase(
                    "The loaded release can be put into a contest only beside people outside the data: load a "
                    "holdout, or let the population be made."
                )
            return contest.people(tables.real, tables.holdout, self.seed)
        if self.source == BASE:
            people = contest.distinct(tables.real, min(self.population, len(tables.real)), self.seed)
            return people.under(self.condition)
        generator = registry.parse("generators", self.source)
        made = contest.make_population(tables.real, generator, self.population, self.draws, self.seed)
        return made.under(self.condition)

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        return plans.several("generators", self.anonymisers, called)

    def takes(self, file: str) -> bool:
        """Whether the command names such a file: the release only where it takes part."""
        return file != "synthetic" or self.source == PEOPLE

    def more(self) -> list[str]:
        """What was handed in, by the names of its files."""
        parts = ["--bundle bundle"] * self.bundle
        parts += [f"--given {shlex.quote(name)} {shlex.quote(_file(name))}" for name, _ in self.given]
        parts += [f"--preliminary {shlex.quote(name)} {share:g}" for name, share in self.preliminary]
        parts += [f"--declare {shlex.quote(name)} {shlex.quote(text)}" for name, text in self.declared]
        for who, name, _ in self.own:
            parts += [f"--own {shlex.quote(who)} {shlex.quote(name)} {shlex.quote(_file(who))}"]
        return parts


def _file(name: str) -> str:
    return f"{re.sub(r'[^0-9A-Za-z_.-]', '_', name)}.csv"


def refuse_name(name: str) -> None:
    """Raise :class:`DesignError` for what cannot be the name of a release or an attacker that was handed in."""
    if not _NAME.fullmatch(name):
        raise DesignError.phrase(
            "A name has 1 to 80 letters, digits, spaces or signs of _ . - : = , and begins with a letter "
            "or digit; give it another one."
        )
