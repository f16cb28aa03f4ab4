"""What to play for every record of a table: a frozen plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from riskkit import plans, registry
from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.worlds import RELATIONS
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan
from riskkit.questions import parts, standard
from riskkit.registry import Setting
from riskkit.seeds import stream
from riskkit.stats.arms import FEWEST_TRAININGS
from riskkit.table.load import Tables

# How a plan says who is asked about, how a table grew, and how often something is played.

ALL, TOP, RANDOM, IDS = "all", "top", "random", "ids"
MOST_YEARS = 100
"""Releases of a table that grew, at most."""
_CHOSEN = re.compile(r"(all|top:\d+|random:\d+|ids:\d+(,\d+)*|top:\d+\+random:\d+)")


def who_in_words(records: str) -> str:
    """Who is asked about, in words."""
    if records == ALL:
        return phrase("everybody")
    if records.startswith(IDS):
        return phrase("rows {rows}", rows=tuple(records.partition(":")[2].split(",")))
    named = [
        phrase("{n:,} who stand out most", n=int(n)) if kind == TOP else phrase("{n:,} at random", n=int(n))
        for kind, _, n in (part.partition(":") for part in records.split("+"))
    ]
    return named[0] if len(named) == 1 else phrase("{top} and {others}", top=named[0], others=named[1])


def choosable(records: str | int | Sequence[int]) -> str:
    """Who is asked about, as it is kept; row numbers may stand without words."""
    rows = (records,) if isinstance(records, int) else records
    text = rows.replace(" ", "") if isinstance(rows, str) else f"{IDS}:{','.join(map(str, rows))}"
    if not _CHOSEN.fullmatch(text):
        raise DesignError.phrase(
            "Records {text!r} cannot be chosen so; say all, top:100, random:100, top:100+random:200 or "
            "ids:3,17 with row numbers counted from 0.",
            text=text,
        )
    return text


def grown_rows(rows: str | Sequence[int]) -> str:
    """How many rows the table had at each release, as it is kept; numbers may stand without words."""
    text = rows.replace(" ", "") if isinstance(rows, str) else ",".join(map(str, rows))
    if not text:
        return ""
    sizes = [int(size) for size in text.split(",")] if re.fullmatch(r"\d+(,\d+)+", text) else []
    if not 2 <= len(sizes) <= MOST_YEARS or sizes[0] < 2 or sizes != sorted(sizes):
        raise DesignError.phrase(
            "{text!r} says no table that grew: name the rows that it had at each release, from the first to the "
            "last, as in 1000,1200,1400. There are 2 to {most} releases, and no release has fewer rows than the "
            "one before.",
            text=text,
            most=MOST_YEARS,
        )
    return ",".join(map(str, sizes))


def some_or_none(what: str) -> Callable[[int], int]:
    """Refuses trainings that are too few for a number, but not none at all."""

    def checked(trainings: int) -> int:
        if trainings and trainings < FEWEST_TRAININGS:
            raise DesignError.phrase(
                "{trainings} trainings a side for the {what} give no number; ask for 0, or for at least {least}.",
                trainings=trainings,
                what=what,
                least=FEWEST_TRAININGS,
            )
        return trainings

    return checked


RELEASE, MODEL = "release", "model"
"""What an attacker sees of a training on a part of the people."""
METHOD, SEEDS, SUBSETS = "method", "seeds", "subsets"
"""How it is played: as the method allows; worlds with and without one person at a time; or trainings on random parts of
the people."""
OF_ONE_PERSON = (
    "inside", "outside", "screen", "again", "shadows", "relation", "stand_in", "traditional", "knowledge", "rank",
    "certificate", "screen_limit", "people", "draw", "releases", "one_fit", "yearly", "together",
)  # fmt: skip
"""Settings that are about worlds with and without one person."""
OF_PARTS = ("trainings", "share", "sees")
"""Settings that are about trainings on random parts of the people."""


def usual_way(generator: str) -> str:
    """How everybody is asked about by that method: by seeds where a training is quick, else on parts of the people."""
    return SUBSETS if fits.is_long(registry.parse("generators", generator)) else SEEDS


RANKS = ("achilles", "certificate")
KNOWING = ("exact", "auxiliary")
"""What the attacker learns from: releases of this very table, or of other people of the population."""


@dataclass(frozen=True, slots=True)
class RecordsPlan(Plan):
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
    releases, one_fit
        So many releases were made of the table, and the attacker sees them all. Each is from a fit of its own, or all
        are from one fit; where fits draw nothing at random that is the same.
    second_table
        The method is trained on both tables, and people are seen with summaries of their rows in the second one.
    together
        The named rows are in or out as one group, with all rows of their people where these have several.
    groups
        Columns by which risk is compared between people, where everybody or people drawn at random are asked about: by
        certificates where there are any, else by the attack that was played. Without any: see
        :func:`riskkit.table.features.default_columns`.
    yearly
        The rows that the table had at each release, ``1000,1200,1400``: it grew, its rows stand in the order in which
        they came in, and every release is from a fit to those that were there by then. Asked about is who was there at
        the first release, and so in all of them. ``releases`` is then how many there are.
    sees
        Of random parts of the people: whether the attacker has the releases alone, or each trained method too.
    by, trainings, share
        ``seeds``: for each person the method is trained with everybody and with everybody else. ``subsets``: it is
        trained so often, each time on a random part of the people in which everybody is with that share of the
        trainings; every attack on a released file scores everybody on each release. Then ``inside``, ``outside``,
        ``shadows`` and ``again`` are of no use. ``method``, the default, becomes one of the two: that which other
        settings are about, else that which the method allows (:func:`usual_way`).

    Raises
    ------
    ParameterError, DesignError
        A generator that does not exist, a setting out of range.
    """

    question: ClassVar[str] = "records"
    unit: ClassVar[str] = "training"

    generator: str = plans.generator("The method that is trained.")
    records: str = parameter(
        ALL,
        label="Records",
        help="Who is asked about: everybody, those who stand out most, some at random, or rows by number.",
        tidy=choosable,
        option=Option(metavar="all|top:K|random:K|top:K+random:R|ids:A,B", is_stated=True),
    )
    inside: int = parameter(
        500,
        label="Trainings with everyone",
        help="Counted trainings, shared by all records.",
        low=FEWEST_TRAININGS,
        option=Option(flag="in", is_stated=True),
    )
    outside: int = parameter(
        500,
        label="Trainings without the record",
        help="Counted trainings, for each record.",
        low=FEWEST_TRAININGS,
        option=Option(flag="out", is_stated=True),
    )
    screen: int = parameter(
        0,
        label="Trainings of a first round about everybody",
        help="After it, only those who might be exposed are tested in full. 0: no first round.",
        tidy=some_or_none(phrase("first round")),
        words={0: "everyone is tested in full"},
    )
    again: int = parameter(
        20, label="Records run again", help="Records with the highest estimates, on fresh trainings.", low=0
    )
    shadows: int = parameter(
        100,
        label="The attacker's own trainings a side",
        help="The attacker learns from these trainings. They are never counted.",
        low=2,
    )
    n_syn: int = plans.released_rows()
    relation: str = plans.relation("Data without the record", "It has one person fewer, or another person instead.")
    stand_in: int = parameter(
        0, label="Row of the stand-in", help="A row of the holdout, where the relation is replace-one.", low=0
    )
    traditional: int = parameter(
        0,
        label="Trainings of the traditional game",
        help="Per side; the other people are drawn anew each time; 0: it is not run.",
        tidy=some_or_none(phrase("traditional game")),
        words={0: "it is not run"},
    )
    knowledge: str = parameter(
        KNOWING[0],
        label="What the attacker learns from",
        help="Releases of this very table, or of other people.",
        choices=dict(
            zip(KNOWING, ("All other rows of this table", "Other people of the same population"), strict=True)
        ),
    )
    rank: str = parameter(
        RANKS[0],
        label="What standing out means",
        help="Achilles' score, which takes minutes in a large table, or the optimal-attack bound where the method has "
        "one, which takes a second.",
        choices=dict(
            zip(
                RANKS,
                ("Being unlike all others (Achilles' score)", "Being exposed most to the best attack"),
                strict=True,
            )
        ),
    )
    certificate: bool = parameter(
        False, label="Optimal-attack bound", help="Also the risk against the best possible attack, where it is known."
    )
    screen_limit: float = parameter(
        0.8,
        label="Limit of the first round",
        help="Records that are not shown to be below it go on. For the others, riskkit says nothing about risks below "
        "this AUC. Choose your limit, or a lower value.",
        low=0.5,
        below=1,
    )
    fpr: float = parameter(
        0.1, label="False positive rate", help="The rate at which the true positive rate is shown.", above=0, below=1
    )
    seed: int = plans.seed()
    level: float = plans.level()
    people: int = parameter(
        0,
        label="People of a drawn table",
        help="They are drawn from the real table around the named records; 0: all of the real table.",
        low=0,
        words={0: "all of the real table"},
    )
    draw: int = parameter(0, label="Number of the drawn table", help="Each number draws other people.", low=0)
    releases: int = plans.releases()
    one_fit: bool = plans.share_fit()
    groups: tuple[str, ...] = plans.groups()
    yearly: str = parameter(
        "",
        label="Rows at each release of a table that grew",
        help="As 1000,1200,1400: the table was released again as it grew, its rows in the order in which they came in. "
        "People of the first release are asked about. Empty: every release is of the whole table.",
        tidy=grown_rows,
        option=Option(metavar="ROWS,ROWS,..."),
    )
    second_table: bool = standard.second_table()
    together: bool = parameter(
        False,
        label="As one group",
        help="The rows are in the data all together, or none of them: a family, say, or all visits to one doctor.",
    )
    by: str = parameter(
        METHOD,
        label="How it is run",
        help="With and without each person, every person takes trainings of their own: exact where a method is quick. "
        "On random parts of the people a few trainings serve everybody, whatever the method.",
        choices={
            METHOD: "As the method allows",
            SEEDS: "With and without each person: exact data sets, trainings for every person",
            SUBSETS: "On random parts of the people: a few trainings serve everybody",
        },
    )
    trainings: int = parameter(
        64,
        label="Trainings on parts of the people",
        help="Where it is run on random parts: 32 see who is hardly hidden, 64 most people at risk, 256 also risks "
        "just above a limit of 0.8.",
        low=2 * FEWEST_TRAININGS,
        high=10_000,
    )
    share: float = parameter(
        0.5,
        label="Share of trainings with a person",
        help="Where it is run on random parts: how much of the table each training has. One half tells most.",
        above=0,
        below=1,
    )

    sees: str = parameter(
        RELEASE,
        label="What the attacker sees",
        help="Where it is run on random parts: the releases, or each trained method too: how likely it makes a row, or "
        "how well a network knows it.",
        choices={RELEASE: "The release", MODEL: "The trained method"},
    )

    @property
    def years(self) -> tuple[int, ...]:
        """Rows of the table at each release, where it grew; none where every release is of the whole table."""
        return tuple(map(int, self.yearly.split(","))) if self.yearly else ()

    def _check_growth(self) -> None:
        """Refuse what is not played on a table that grew; keep how many releases there are."""
        if self.releases not in (1, len(self.years)):
            raise DesignError.phrase(
                "The table grew over {years:,} releases, and {releases:,} are to be seen. Leave the number out.",
                years=len(self.years),
                releases=self.releases,
            )
        object.__setattr__(self, "releases", len(self.years))
        if self.one_fit or self.people or self.needs_holdout:
            raise DesignError.phrase(
                "Of a table that grew the game with one person fewer is run, on these very people, with a fit "
                "for every release. Leave out one fit, drawn tables, other people and whoever stands in."
            )

    def _choose_way(self) -> str:
        """How it is run where nobody says: as other settings ask, else as the method allows."""
        changed = {spec.name for spec in fields(self) if getattr(self, spec.name) != spec.default}
        if changed.intersection(OF_ONE_PERSON):
            return SEEDS
        return SUBSETS if changed.intersection(OF_PARTS) else usual_way(self.generator)

    @classmethod
    def as_kept(cls, values: Mapping[str, Any]) -> Self:
        """See :meth:`riskkit.plans.Plan.as_kept`; before there were two ways it was run by seeds."""
        return super(RecordsPlan, cls).as_kept({"by": SEEDS, **values})

    def is_said(self, setting: Setting) -> bool:
        """Whether a command says that setting: how it is run if that would not be chosen anyway, and no idle one."""
        if setting.name == "by":
            return self.by != self._choose_way()
        if self.is_by_subsets and setting.name in OF_ONE_PERSON:
            return False
        return super(RecordsPlan, self).is_said(setting)

    @property
    def is_by_subsets(self) -> bool:
        """Whether few trainings on random parts of the people serve everybody."""
        return self.by == SUBSETS

    @property
    def trainings_with(self) -> int:
        """In how many of the trainings on parts of the people each person is; some are on either side."""
        return parts.trainings_with(self.trainings, self.share)

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """The blocks that trainings on parts of the people are dealt in, and with each person how many of each."""
        return parts.blocks_of(self.trainings, self.share)

    @property
    def rows_each(self) -> int:
        """Rows of the release of each training on a part of the people."""
        return parts.rows_of_each(self.n_syn, self.blocks)

    def _check_subsets(self) -> None:
        """Refuse what is about worlds of one person at a time."""
        is_more = self.certificate or self.screen or self.traditional or self.people or self.together or self.years
        if is_more or self.releases > 1 or self.relation != RELATIONS[0] or self.knowledge != KNOWING[0]:
            raise DesignError.phrase(
                "On random parts of the people one release of each training is attacked, and whoever is out "
                "leaves nobody behind. Leave out optimal-attack bounds, a first round, the traditional game, "
                "groups, drawn tables, stand-ins, other people and several releases; or run by seeds."
            )

    def check(self) -> None:
        """Refuse tables that cannot be drawn, and what is not played on one that grew, or on parts of the people."""
        if self.by == METHOD:
            object.__setattr__(self, "by", self._choose_way())
        if self.is_by_subsets:
            self._check_subsets()
        elif self.sees == MODEL:
            raise DesignError.phrase(
                "The trained method is attacked where it is run on random parts of the people. Choose that, or let the "
                "attacker see the release."
            )
        if self.years:
            self._check_growth()
        if self.people and (not self.records.startswith(IDS) or self.certificate):
            raise DesignError.phrase(
                "A table is drawn around named records, ids:3,17, and without optimal-attack bounds."
            )
        if self.together and (len(self.named) < 2 or self.years or self.relation != RELATIONS[0]):
            raise DesignError.phrase(
                "A group consists of two named rows or more, ids:3,17, of a table that did not grow, and "
                "leaves nobody in its place. Name its rows, and leave out growth and whoever stands in."
            )

    @property
    def compares_groups(self) -> bool:
        """Whether those who are asked about are everybody, or stand for everybody."""
        return self.records == ALL or self.records.startswith(RANDOM)

    @property
    def n_seen(self) -> int:
        """Rows that the attacker sees: those of all releases."""
        return self.n_syn * self.releases

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
        rows = self.records.partition(":")[2].split(",") if self.records.startswith(IDS) else []
        return np.array(rows, dtype=np.int64)

    def summarise(self, tables: Tables) -> Tables:
        """The tables that the plan is asked of; see :func:`riskkit.questions.standard.play_tables`."""
        return standard.play_tables(tables, [self.generator], second_table=self.second_table)

    @property
    def names_rows(self) -> bool:
        """See :attr:`riskkit.plans.Plan.names_rows`."""
        return len(self.named) > 0

    @property
    def needs_certificates(self) -> bool:
        """Whether the method must have certificates."""
        return self.certificate or self.ranks_by_certificate

    @property
    def ranks_by_certificate(self) -> bool:
        """Whether those of the highest certificates are chosen."""
        return self.records.startswith(TOP) and self.rank == RANKS[1]

    def choose_among(self, n: int, outlierness: Floats, *, people: bool = False) -> Ints:
        """(m,) the same of ``n`` rows or, where people have several, of so many people.

        Raises
        ------
        DesignError
            A row is not among them, named twice, or more were asked for than there are.
        """
        if self.records == ALL:
            return np.arange(n)
        if len(rows := self.named):
            if len(np.unique(rows)) < len(rows):
                raise DesignError.phrase("A row number is given twice; name each row once.")
            if rows.max() >= n:
                raise DesignError.phrase(
                    "Row {row:,} is not in the real table; it has rows 0 to {last:,}.", row=rows.max(), last=n - 1
                )
            return rows
        wanted = {name: int(count) for name, count in (part.split(":") for part in self.records.split("+"))}
        if people and not 0 < sum(wanted.values()) <= n:
            raise DesignError.phrase(
                "{asked:,} people were asked for; the real table has {n:,}.", asked=sum(wanted.values()), n=n
            )
        if not 0 < sum(wanted.values()) <= n:
            raise DesignError.phrase(
                "{asked:,} records were asked for; the real table has {n:,} rows.", asked=sum(wanted.values()), n=n
            )
        order = np.argsort(-np.round(outlierness, 9), kind="stable")
        top = order[: wanted.get(TOP, 0)]
        rest = np.sort(order[len(top) :])
        rng = stream(self.seed, "records", "drawn")
        return np.concatenate([top, np.sort(rng.permutation(rest)[: wanted.get(RANDOM, 0)])])

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        method = called("generators", self.generator)
        return phrase("{method}, {who}", method=method, who=who_in_words(self.records))
