"""What to play in a contest of anonymisers against attackers: a frozen plan."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from riskkit import registry
from riskkit.errors import DesignError
from riskkit.games import contest
from riskkit.games.contest import Population
from riskkit.games.released import ReleasedAttack
from riskkit.report.contest import RULES, UPLOADED
from riskkit.report.contest_declared import Declaration
from riskkit.table.encode import Scale
from riskkit.table.load import Tables

SUITE = ("distance", "two-sided", "dcr-diff", "dpi", "classifier", "ensemble")
"""The attackers of a plan that names none, different in kind."""
ALIASES = {"distance": "contest"}
"""What the contest calls an attack, where it has another name in its room."""
SEEK, SNAKE = "hide-and-seek", "snake"
MODES = ("contest", SEEK, SNAKE)
BASE, PEOPLE = "base", "people"
CONTROL = "control"
"""The name of the planted control: a release that is the sample itself."""
FEWEST_ROUNDS = 5
_NAME = re.compile(r"\w[\w .:=,|-]{0,79}")
"""So that a name can stand in a CSV and as part of a file's name; those of anonymisers are such names too."""
_SWEEP = re.compile(r"\{([^{}\"/]*(?:/[^{}\"/]*)+)\}")


@dataclass(frozen=True, slots=True)
class ContestPlan:
    """Every anonymiser against every attacker.

    ``anonymisers`` are written as :func:`riskkit.registry.parse` reads generators, and a setting in braces stands for
    each of its values: ``pram:p={0.5/0.7/0.9}``. ``attackers`` are attacks on a released file; ``distance`` is the
    nearest record as riskkit looks for it, ``distance:direction=release,units=raw`` as the organisers did; ``default``
    stands for :data:`SUITE`, ``all`` for every one there is.

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
    :class:`riskkit.report.contest_declared.Declaration` reads it. ``bundle`` keeps everything as files. In the mode
    ``snake`` rows that share a value of ``household`` were in or out together, and ``asked`` households of ``least``
    rows or more are asked about; the population is the table itself.

    Raises
    ------
    ParameterError, DesignError
        A plug-in that does not exist, a setting out of range, an empty list.
    """

    question: ClassVar[str] = "contest"
    unit: ClassVar[str] = "release"

    anonymisers: tuple[str, ...] = ("stat", "pram:p=0.7", "pram:p=0.7,law=empirical", "kanonymity")
    attackers: tuple[str, ...] = ("default",)
    source: str = "stat"
    population: int = 100_000
    sample: int = 10_000
    release: int = 0
    guesses: int = 100
    draws: int = 10
    mode: str = "contest"
    rules: str = "official"
    condition: str = ""
    scale: Scale = "standard"
    classifiers: tuple[str, ...] = ()
    secret: str = ""
    rounds: int = 1
    control: bool = True
    household: str = ""
    asked: int = 100
    least: int = 5
    given: tuple[tuple[str, str], ...] = ()
    own: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    preliminary: tuple[tuple[str, float], ...] = ()
    declared: tuple[tuple[str, str], ...] = ()
    bundle: bool = False
    seed: int = 1
    level: float = 0.95

    def __post_init__(self) -> None:
        swept = dict.fromkeys(text for given in self.anonymisers for text in swept_over(given))
        object.__setattr__(self, "anonymisers", tuple(dict.fromkeys(_spelled("generators", text) for text in swept)))
        object.__setattr__(self, "attackers", _attackers(self.attackers))
        object.__setattr__(self, "classifiers", tuple(_spelled("inference", text) for text in self.classifiers))
        if self.source not in (BASE, PEOPLE):
            object.__setattr__(self, "source", _spelled("generators", self.source))
        self._check()

    def _check(self) -> None:
        counts = {"population": (self.population, 2), "sample": (self.sample, 1), "guesses": (self.guesses, 1)}
        counts |= {"draws": (self.draws, 1), "release": (self.release, 0), "seed": (self.seed, 0)}
        counts |= {"asked": (self.asked, 2), "least": (self.least, 1)}
        for name, (value, least) in counts.items():
            if value < least:
                raise DesignError(f"The contest's {name} is {value}; it must be at least {least}.")
        if self.source != PEOPLE and self.mode != SNAKE and self.sample >= self.population:
            raise DesignError(
                f"A sample of {self.sample:,} from a population of {self.population:,} leaves nobody out; draw fewer."
            )
        menus = {"mode": MODES, "rules": tuple(RULES), "scale": ("raw", "standard")}
        for name, allowed in menus.items():
            chosen = getattr(self, name)
            if chosen not in allowed:
                raise DesignError(f"There is no {name} {chosen!r} of a contest; choose one of {', '.join(allowed)}.")
        if self.rounds != 1 and self.rounds < FEWEST_ROUNDS:
            raise DesignError(f"{self.rounds} rounds give no interval; play 1, or at least {FEWEST_ROUNDS}.")
        if self.classifiers and not self.secret:
            raise DesignError("Classifiers learn to tell a column; name it as the secret.")
        if not 0.5 <= self.level < 1:
            raise DesignError(f"The level is {self.level}; it must be at least 0.5 and below 1 (0.95 is usual).")
        if self.condition and (self.source == PEOPLE or self.mode == SNAKE):
            raise DesignError(
                "A condition settles who is drawn; here the files or the households settle that. Leave it out."
            )
        if self.mode == SNAKE:
            self._check_snake()
        self._check_handed_in()

    def _check_snake(self) -> None:
        if not self.household:
            raise DesignError("Name the column that says who lives together: --household COLUMN.")
        if self.given or self.own or self.rounds != 1 or self.bundle or self.preliminary or self.declared:
            raise DesignError(
                "Households are played in one round by the attackers of riskkit alone; leave out what was handed in, "
                "the bundle and further rounds."
            )

    def _check_handed_in(self) -> None:
        names = [name for name, _ in self.given]
        for name in (*names, *(who for who, _, _ in self.own)):
            refuse_name(name)
        if len(set(names)) < len(names) or {CONTROL, UPLOADED} & set(names):
            raise DesignError(
                f"Each release made elsewhere needs a name of its own, other than {CONTROL} and {UPLOADED}."
            )
        if self.given and self.rounds > 1:
            raise DesignError(
                "A release that was given is one release, so it cannot be played in several rounds; play 1."
            )
        known = [*names, *self.anonymisers, *([UPLOADED] if self.source == PEOPLE else [])]
        for attacker, anonymiser, rows in self.own:
            if anonymiser not in known:
                raise DesignError(
                    f"{attacker} names rows for {anonymiser!r}, which takes no part. Name it as it is spelled."
                )
            if attacker in self.attackers:
                raise DesignError(f"An attacker of riskkit is called {attacker!r}; give yours another name.")
            if len(rows) != self.wanted or len(set(rows)) != len(rows) or min(rows) < 0:
                raise DesignError(
                    f"{attacker} names {len(set(rows)):,} different rows for {anonymiser!r}; {self.wanted:,} are "
                    "wanted. Hand in a list of so many, or change how many rows are named."
                )
        before = [name for name, _ in self.preliminary]
        if len(set(before)) < len(before) or not set(before) <= set(known):
            raise DesignError(
                "A preliminary round is named for whom takes no part, or twice. Name each as it is spelled."
            )
        for name, text in self.declared:
            if name not in known:
                raise DesignError("A declaration is given for whom takes no part. Name each as it is spelled.")
            Declaration.of(text)
        if not all(0 <= share <= 1 for _, share in self.preliminary):
            raise DesignError("Of the preliminary round the share of named rows that were in is asked, from 0 to 1.")

    @property
    def wanted(self) -> int:
        """How many rows an attacker of one's own names."""
        return self.sample if self.mode == SEEK else self.guesses

    @property
    def made_attackers(self) -> dict[str, ReleasedAttack]:
        """The attacks by the names of the plan."""
        return {name: registry.parse("released", _true_name(name)) for name in self.attackers}

    def people(self, tables: Tables) -> Population:
        """The population of these files.

        Raises
        ------
        DesignError
            It cannot be made of them.
        """
        if self.source == PEOPLE:
            if tables.holdout is None:
                raise DesignError(
                    "The loaded release can be put into a contest only beside people who were not in: load a holdout, "
                    "or let the population be made."
                )
            return contest.people(tables.real, tables.holdout, self.seed)
        if self.source == BASE:
            people = contest.given(tables.real, min(self.population, len(tables.real)), self.seed)
            return people.under(self.condition)
        generator = registry.parse("generators", self.source)
        made = contest.made(tables.real, generator, self.population, self.draws, self.seed)
        return made.under(self.condition)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {key: _listed(value) for key, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ContestPlan:
        """The plan that :meth:`as_dict` wrote."""
        return cls(**{key: _tupled(value) for key, value in given.items()})

    @property
    def label(self) -> str:
        """The plan in a few words."""
        return ", ".join(self.anonymisers)

    def command(self, real: str, synthetic: str = "", holdout: str = "") -> str:
        """The command line that gives the same numbers."""
        parts = [f"python -m riskkit contest --base {shlex.quote(real)}"]
        if self.source == PEOPLE and synthetic:
            parts += [f"--synthetic {shlex.quote(synthetic)}"]
        parts += [f"--holdout {shlex.quote(holdout)}"] * bool(holdout)
        for flag, values in (
            ("--anonymisers", self.anonymisers), ("--attackers", self.attackers), ("--classifier", self.classifiers),
        ):  # fmt: skip
            parts += [f"{flag} {shlex.quote(value)}" for value in values]
        default = ContestPlan()
        for name in OPTIONS:
            value = getattr(self, name)
            if value != getattr(default, name):
                parts += [f"--{name.replace('_', '-')} {shlex.quote(str(value))}"]
        parts += ["--no-control"] * (not self.control) + ["--bundle bundle"] * self.bundle
        parts += [f"--given {shlex.quote(name)} {shlex.quote(_file(name))}" for name, _ in self.given]
        parts += [f"--preliminary {shlex.quote(name)} {share:g}" for name, share in self.preliminary]
        parts += [f"--declare {shlex.quote(name)} {shlex.quote(text)}" for name, text in self.declared]
        for who, name, _ in self.own:
            parts += [f"--own {shlex.quote(who)} {shlex.quote(name)} {shlex.quote(_file(who))}"]
        return " ".join(parts)


OPTIONS = (
    "source", "population", "sample", "condition", "release", "guesses", "draws", "mode", "rules", "scale", "secret",
    "rounds", "household", "asked", "least", "seed", "level",
)  # fmt: skip
"""Fields of the plan that are options of the command line by the same name, hyphens for underscores."""


def _file(name: str) -> str:
    return f"{re.sub(r'[^0-9A-Za-z_.-]', '_', name)}.csv"


def _listed(value: Any) -> Any:
    return [_listed(one) for one in value] if isinstance(value, tuple | list) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(one) for one in value) if isinstance(value, list) else value


def refuse_name(name: str) -> None:
    """Raise :class:`DesignError` for what cannot be the name of a release or an attacker that was handed in."""
    if not _NAME.fullmatch(name):
        raise DesignError(
            "A name has 1 to 80 letters, digits, spaces or signs of _ . - : = , and begins with a letter or digit; "
            "give it another one."
        )


def swept_over(text: str) -> list[str]:
    """The texts that one with braces stands for: ``pram:p={0.5/0.9}`` for two; one without stands for itself."""
    found = _SWEEP.search(text)
    if found is None:
        return [text]
    parts = [text[: found.start()] + value.strip() + text[found.end() :] for value in found[1].split("/")]
    return [whole for part in parts for whole in swept_over(part)]


def listed(texts: Sequence[str]) -> tuple[str, ...]:
    """The plug-ins in ``stat,pram:p=0.7,law=empirical``: a part with an equals sign and no name belongs to the former.

    Commas within double quotes part nothing.
    """
    out: list[str] = []
    for text in texts:
        fresh = True
        for part in filter(None, (part.strip() for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', text))):
            if not fresh and "=" in part and ":" not in part.partition("=")[0] and "|" not in part.partition("=")[0]:
                out[-1] += f",{part}"
            else:
                out.append(part)
            fresh = False
    return tuple(out)


def _spelled(room: str, text: str) -> str:
    return registry.spell(registry.parse(room, text))


def _true_name(text: str) -> str:
    name, colon, rest = text.partition(":")
    return ALIASES.get(name.strip(), name) + colon + rest


def _attackers(given: tuple[str, ...]) -> tuple[str, ...]:
    """The attackers as they are spelled, each once, groups as what they stand for."""
    shown = {true: alias for alias, true in ALIASES.items()}
    groups = {"default": SUITE, "all": tuple(registry.plugins("released"))}
    named = [name for text in given for name in groups.get(text.strip(), (text,))]
    spelled = [_spelled("released", _true_name(text)) for text in named]
    parts = [text.partition(":") for text in spelled]
    return tuple(dict.fromkeys(shown.get(name, name) + colon + rest for name, colon, rest in parts))
