"""What to play for every record of a table: a frozen plan."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit import registry
from riskkit.core import Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.worlds import RELATIONS
from riskkit.seeds import stream
from riskkit.stats.arms import FEWEST_TRAININGS

ALL, TOP, RANDOM, IDS = "all", "top", "random", "ids"
RANKS = ("achilles", "certificate")
KNOWING = ("exact", "auxiliary")
"""What the attacker learns from: releases of this very table, or of other people of the population."""
LATER = ("people", "draw")
"""Fields that plans of earlier versions do not have; 0 there."""
_CHOSEN = re.compile(r"(all|top:\d+|random:\d+|ids:\d+(,\d+)*|top:\d+\+random:\d+)")


@dataclass(frozen=True, slots=True)
class RecordsPlan:
    """The model-seeded game for many records of one table, all of them on the same releases.

    Parameters
    ----------
    generator
        As :func:`riskkit.registry.parse` reads it.
    records
        ``all``; ``ids:3,17`` row numbers of the real table; ``top:100`` those that stand out most;
        ``random:100``; or ``top:100+random:200``, the sieve of a large table: the share of risky records among the
        others is then estimated from those drawn at random.
    inside, outside
        Counted trainings with everyone, shared by all records, and counted trainings without the record.
    screen
        Counted trainings a side of a first look at everyone. Only those who might be at risk are played on, with fresh
        trainings; 0 plays everyone in full.
    again
        So many records of the highest estimates are played again on fresh trainings; the first numbers of those who
        were chosen for being high are too high.
    shadows
        The attacker's own trainings a side, never counted.
    n_syn
        Rows of every release, a public constant.
    relation, stand_in
        ``add-one``: the other world is shorter by the record. ``replace-one``: row ``stand_in`` of the holdout is in
        its place.
    traditional
        Counted trainings a side of the traditional game, whose other people are drawn anew from the holdout each time;
        0 does not play it.
    knowledge
        One of :data:`KNOWING`. The published comparison of the two games has an attacker of auxiliary knowledge.
    rank
        What is meant by standing out: ``achilles``, the score; or ``certificate``, the AUC of the best attack.
    certificate
        Also the risk against the optimal attacker, for generators that can say how probable a row is.
    screen_limit
        With a first look: who is not shown to be below it is played on, and nobody else. Limits are judged later; one
        below it cannot be kept.
    fpr
        False positive rate of the true positive rate that is shown.
    people, draw
        Instead of the real table one of so many people is played on, drawn from it: the named records and others, who
        are other ones for every number ``draw``. The rest of the real table is then the holdout. 0: all of it.

    Raises
    ------
    ParameterError, DesignError
        A generator that does not exist, a setting out of range.
    """

    question: ClassVar[str] = "records"
    unit: ClassVar[str] = "training"

    generator: str = "bayesnet"
    records: str = ALL
    inside: int = 500
    outside: int = 500
    screen: int = 0
    again: int = 20
    shadows: int = 100
    n_syn: int = 1000
    relation: str = RELATIONS[0]
    stand_in: int = 0
    traditional: int = 0
    knowledge: str = KNOWING[0]
    rank: str = "achilles"
    certificate: bool = False
    screen_limit: float = 0.8
    fpr: float = 0.1
    seed: int = 1
    level: float = 0.95
    people: int = 0
    draw: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "generator", registry.spell(registry.parse("generators", self.generator)))
        object.__setattr__(self, "records", self.records.replace(" ", ""))
        if not _CHOSEN.fullmatch(self.records):
            raise DesignError(
                f"Records {self.records!r} cannot be chosen so; say all, top:100, random:100, top:100+random:200 or "
                "ids:3,17 with row numbers counted from 0."
            )
        self._check_counts()
        self._check_choices()

    def _check_counts(self) -> None:
        counts = (
            ("trainings with everyone", self.inside, FEWEST_TRAININGS),
            ("trainings without the record", self.outside, FEWEST_TRAININGS),
            ("own trainings of the attacker", self.shadows, 2),
            ("rows of a release", self.n_syn, 1),
            ("records played again", self.again, 0),
            ("the row number of the stand-in", self.stand_in, 0),
            ("the seed", self.seed, 0),
            ("people of a drawn table", self.people, 0),
            ("the number of the drawn table", self.draw, 0),
        )
        for what, value, least in counts:
            if value < least:
                raise DesignError(f"{value:,} is too little for {what}; it must be at least {least}.")
        for what, value in (("first look", self.screen), ("traditional game", self.traditional)):
            if value and value < FEWEST_TRAININGS:
                raise DesignError(
                    f"{value} trainings a side for the {what} give no number; ask for 0, or for at least "
                    f"{FEWEST_TRAININGS}."
                )

    def _check_choices(self) -> None:
        if self.people and (not self.records.startswith(IDS) or self.certificate):
            raise DesignError("A table is drawn around named records, ids:3,17, and without certificates.")
        for name, choices in (("relation", RELATIONS), ("knowledge", KNOWING), ("rank", RANKS)):
            if getattr(self, name) not in choices:
                raise DesignError(f"{name} is {getattr(self, name)!r}; it may be {' or '.join(choices)}.")
        if not 0.5 <= self.screen_limit < 1:
            raise DesignError(
                f"The limit of the first look is {self.screen_limit}; it must be at least 0.5 (guessing) and below 1."
            )
        if not 0 < self.fpr < 1:
            raise DesignError(f"The false positive rate is {self.fpr}; it must lie between 0 and 1.")
        if not 0.5 <= self.level < 1:
            raise DesignError(f"The level is {self.level}; it must be at least 0.5 and below 1 (0.95 is usual).")

    @property
    def needs_holdout(self) -> bool:
        """Whether other people are drawn, or one of them stands in."""
        if self.people:
            return False  # the rest of the real table is there
        return self.traditional > 0 or self.knowledge == KNOWING[1] or self.relation == RELATIONS[1]

    @property
    def drawn(self) -> int:
        """How many of the records are drawn at random beside those that stand out; 0 where it is no sieve."""
        return int(self.records.rpartition("+random:")[2]) if "+" in self.records else 0

    @property
    def named(self) -> Ints:
        """(m,) the row numbers that are given one by one; none where records are chosen otherwise."""
        given = self.records.partition(":")[2].split(",") if self.records.startswith(IDS) else []
        return np.array(given, dtype=np.int64)

    @property
    def needs_certificates(self) -> bool:
        """Whether the method must have certificates."""
        return self.certificate or self.ranks_by_certificate

    @property
    def ranks_by_certificate(self) -> bool:
        """Whether those of the highest certificates are chosen."""
        return self.records.startswith(TOP) and self.rank == RANKS[1]

    def choose(self, table: Table, outlierness: Floats) -> Ints:
        """(m,) the row numbers that are played; those that stand out most first, then the drawn ones, else ascending.

        ``outlierness`` (n,) says how much each row stands out.

        Raises
        ------
        DesignError
            A row is not in the table, named twice, or more were asked for than there are.
        """
        n = len(table)
        if self.records == ALL:
            return np.arange(n)
        if len(rows := self.named):
            if len(np.unique(rows)) < len(rows):
                raise DesignError("A row number is given twice; name each row once.")
            if rows.max() >= n:
                raise DesignError(f"Row {rows.max():,} is not in the real table; it has rows 0 to {n - 1:,}.")
            return rows
        wanted = {name: int(count) for name, count in (part.split(":") for part in self.records.split("+"))}
        if not 0 < sum(wanted.values()) <= n:
            raise DesignError(f"{sum(wanted.values()):,} records were asked for; the real table has {n:,} rows.")
        order = np.argsort(-np.round(outlierness, 9), kind="stable")
        top = order[: wanted.get(TOP, 0)]
        rest = np.sort(order[len(top) :])
        rng = stream(self.seed, "records", "drawn")
        return np.concatenate([top, np.sort(rng.permutation(rest)[: wanted.get(RANDOM, 0)])])

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. What was not always part of a plan is left out where it is at its default."""
        return {key: value for key, value in asdict(self).items() if key not in LATER or value}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RecordsPlan:
        """The plan that :meth:`as_dict` wrote."""
        return cls(**given)

    @property
    def label(self) -> str:
        """The plan in a few words."""
        return f"{self.generator}, {self.records}"

    def command(self, real: str, synthetic: str = "", holdout: str = "") -> str:
        """The command line that gives the same numbers."""
        files = {"--real": real, "--synthetic": synthetic, "--holdout": holdout}
        parts = ["python -m riskkit records"]
        parts += [f"{flag} {shlex.quote(name)}" for flag, name in files.items() if name]
        parts += [f"--generator {shlex.quote(self.generator)} --records {self.records}"]
        made = registry.parse("generators", self.generator)
        parts += [made.flag] if hasattr(made, "flag") else []
        parts += [f"--in {self.inside} --out {self.outside}"]
        usual = RecordsPlan()
        for name in OPTIONS:
            if getattr(self, name) != getattr(usual, name):
                parts += [f"--{name.replace('_', '-')} {getattr(self, name)}"]
        return " ".join(parts + ["--certificate"] * self.certificate)


OPTIONS: Mapping[str, str] = {
    "screen": "counted trainings a side of a first look at everyone; 0: everyone is played in full",
    "again": "records of the highest estimates that are played again on fresh trainings",
    "shadows": "the attacker's own trainings a side",
    "n_syn": "rows of every release, a public constant",
    "relation": "what is in the world without the record: one person fewer, or another one",
    "stand_in": "row of the holdout that stands in for the record where the relation is replace-one",
    "traditional": "counted trainings a side of the traditional game too; 0: none",
    "rank": "what standing out means for top: Achilles' score, or the certificate where the method has one",
    "knowledge": "what the attacker learns from: releases of this very table, or of other people",
    "screen_limit": "with a first look: who is not shown to be below it is played on",
    "fpr": "false positive rate of the true positive rate that is shown",
    "seed": "the same seed gives the same numbers",
    "level": "coverage of the intervals",
    "people": "people of a table drawn from the real one around the named records; 0: all of the real table",
    "draw": "which of those tables: every number has other people",
}
"""Fields that are options of the command line by the same name, and what they say."""
