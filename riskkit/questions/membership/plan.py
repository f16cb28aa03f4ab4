"""What to run: a frozen plan that says everything the numbers depend on, and what it will cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from riskkit import plans, registry
from riskkit.core import Attack, Generator, Knowledge, Table, TargetRule, Targets
from riskkit.errors import DesignError
from riskkit.games.crowd import CrowdPopulation, TargetPeople
from riskkit.games.membership import Design, Game, PartsGame
from riskkit.games.several_releases import repeat
from riskkit.games.subsets import Subsets
from riskkit.games.worlds import MADE, RELATIONS
from riskkit.parameters import Option, parameter
from riskkit.plans import Called, Plan
from riskkit.questions import parts, standard
from riskkit.questions.membership.people import chosen_people, population_of, several, sources, standing_out
from riskkit.seeds import stream
from riskkit.stats.arms import FEWEST_TRAININGS
from riskkit.table.load import Tables
from riskkit.table.noisy_counts import MODEL
from riskkit.table.people.persons import Persons

ROOMS = ("generators", "targets", "attacks")
"""The rooms of plug-ins that a membership plan chooses from."""
CONTROL = "bootstrap"
"""The mechanism that plants the leak for an attack that names none."""
HALVES = "halves"
WORLDS = ("fixed", "resampled", HALVES, *MADE)
"""Where worlds come from: the same two tables in every training, other people around the targets each time, random
halves of all people, which other questions share, or rows that an adversary makes."""
KNOWING = ("own", "exact", "auxiliary")
"""What attackers know: what their attack says, or the same for all but those that need only the release."""


Halves = tuple[Subsets, Sequence[Table]]
"""Trainings on random halves of the people, and the release of each."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One game of a plan: a generator against one target (or one group of them).

    Of a planted leak (:mod:`riskkit.questions.membership.result`) the generator is a calibration mechanism.
    """

    generator: str
    target: str
    position: int
    is_planted: bool = False


@dataclass(frozen=True, slots=True)
class MembershipPlan(Plan):
    """A membership audit: every generator against every target, every attack on the same releases.

    Plug-ins are written as :func:`riskkit.registry.parse` reads them. ``k`` targets are chosen by each rule and
    attacked one by one, or ``together`` as one group that is in or out. ``n_syn`` is the public size of every
    release; attackers see so many ``releases`` at once, each from a fit of its own or all from ``one_fit``. With
    ``control``, every attack is also shown a leak that was planted for it, in one release, without which nothing can be
    said of the absence of one. Durations and numbers of workers are not part of a plan: they change no number.

    With ``worlds`` :data:`HALVES` each of the ``trainings`` has a random half of the people, as in Records by subsets,
    whose trainings these are: one release comes of each, attackers learn from as many on either side as the hungriest
    of them wants, and the others are counted.

    ``worlds``, ``relation`` and ``knowledge`` are one each of :data:`WORLDS`,
    :data:`riskkit.games.worlds.RELATIONS` and :data:`KNOWING`. ``rows`` is the length of a world with the targets;
    0 takes as many as there are, of resampled worlds half of them. Attackers of auxiliary knowledge have the holdout,
    or where there is none the share ``auxiliary`` of the real table, which then is in no world that is counted. By the
    columns ``groups`` targets that were drawn by lot are compared. With ``second_table`` methods are trained on both
    tables, and people are seen with summaries of their rows in the second one.

    Raises
    ------
    ParameterError, DesignError
        A plug-in that does not exist, a parameter out of range, a list that is empty.
    """

    question: ClassVar[str] = "membership"
    unit: ClassVar[str] = "step"

    generators: tuple[str, ...] = parameter(
        ("stat",),
        label="Method that makes the release",
        help="The methods that are trained.",
        room="generators",
        is_needed=True,
        option=Option(flag="generator", is_stated=True),
    )
    targets: tuple[str, ...] = parameter(
        ("selective",),
        label="Who is attacked",
        help="The rules that choose who is attacked.",
        room="targets",
        is_needed=True,
        option=Option(flag="target", is_stated=True),
    )
    attacks: tuple[str, ...] = parameter(
        ("mvl", "neighbour"),
        label="How they are attacked",
        help="Each sees the same releases.",
        room="attacks",
        is_needed=True,
        option=Option(flag="attack", is_stated=True),
    )
    k: int = parameter(
        1,
        label="Targets of each rule",
        help="How many records each rule chooses.",
        low=1,
        option=Option(flag="targets-each"),
    )
    together: bool = parameter(
        False,
        label="In or out as one group",
        help="The targets are all in or all out, as a family or a ward would be: one game for all of them.",
    )
    trainings: int = parameter(
        20,
        label="Trainings",
        help="Counted trainings in all, half of them with the target.",
        option=Option(is_stated=True),
    )
    generations: int = parameter(
        5,
        label="Releases of a training",
        help="How many releases are sampled from each training.",
        option=Option(is_stated=True),
    )
    n_syn: int = plans.released_rows()
    seed: int = plans.seed()
    level: float = plans.level()
    control: bool = parameter(
        True, label="Plant a leak", help=("Each attack must find a planted leak; otherwise its silence says nothing.")
    )
    worlds: str = parameter(
        "fixed",
        label="Who is in the data beside the target",
        help="The same people: how exposed the target is in this very table. Other people, drawn anew from the table "
        "for every training: the usual game of the literature. It averages over tables, so it can overlook a record "
        "that is exposed in yours. Random halves: trainings that Records by subsets and One run share, made once; "
        "some of them are the attackers' own. Made rows: the hardest for the method, to try what it promises; they say "
        "nothing of this release.",
        choices=dict(
            zip(
                WORLDS,
                (
                    "The same people in every training",
                    "Other people in every training",
                    "Random halves of all people, trained once for several questions",
                    "Made: all rows equal",
                    "Made: all numbers on a line",
                    "Made: rows unlike the target in most columns",
                ),
                strict=True,
            )
        ),
    )
    relation: str = plans.relation(
        "The data without the target has",
        "The release has the same number of rows in both cases. Methods that promise differential privacy with a "
        "public number of rows promise it for somebody else in the target's place.",
    )
    knowledge: str = parameter(
        "own",
        label="What attackers know",
        help="Attackers who know other people train on data sets of these people, who are in no data set that counts. "
        "If other people are in the data for every training, no attacker can know them all.",
        choices=dict(
            zip(
                KNOWING,
                ("As each attack says", "Every other row of the data", "Other people of the population"),
                strict=True,
            )
        ),
    )
    rows: int = parameter(
        0,
        label="Rows of the data with the target",
        help="0 takes all rows. Where people are drawn anew, 0 takes half of the rows, so that there are others to "
        "draw.",
        low=0,
        words={0: "as many as there can be"},
    )
    auxiliary: float = parameter(
        0.5,
        label="Share of the table that attackers have",
        help="Where there is no holdout, the people attackers know are split off from the table and are in no data set "
        "that counts.",
        above=0,
        below=1,
    )
    of_person: str = plans.person_score_field()
    stands_out: str = standing_out()
    releases: int = plans.releases()
    one_fit: bool = plans.share_fit()
    groups: tuple[str, ...] = plans.groups()
    second_table: bool = standard.second_table()

    def check(self) -> None:
        """Refuse games that cannot be played, and knowledge that nobody can have of resampled worlds."""
        if self.is_of_halves:
            self._check_halves()
        self.design()
        if self.worlds in MADE and self.needs_auxiliary():
            raise DesignError.phrase(
                "Nobody has other people of a data set that was made. Let attackers know every other row, or choose "
                "other data sets."
            )
        for spelled, attack in zip(self.attacks, self.made_attacks(), strict=True):
            reads_model = getattr(attack, "sees", "") == MODEL
            if reads_model and self.releases > 1:
                raise DesignError.phrase(
                    "Attack {spelled!r} reads the one model behind one release. Ask it of one release, or "
                    "leave it out where there are several.",
                    spelled=spelled,
                )
            if reads_model and self.is_of_halves:
                raise DesignError.phrase(
                    "Attack {spelled!r} reads the model, and of random halves the releases alone are there. Leave it "
                    "out, or choose other data sets.",
                    spelled=spelled,
                )
            if self.worlds == "resampled" and self.knowledge_of(attack) is Knowledge.EXACT:
                raise DesignError.phrase(
                    "Attack {spelled!r} knows every other row, and resampled data sets have other rows in "
                    "every training. Let attackers know auxiliary rows, or choose fixed data sets.",
                    spelled=spelled,
                )

    def _check_halves(self) -> None:
        """Refuse what random halves of the people are not; of each training there is one release."""
        object.__setattr__(self, "generations", 1)
        if (
            self.together
            or self.rows
            or self.releases > 1
            or self.relation != RELATIONS[0]
            or self.knowledge == "exact"
        ):
            raise DesignError.phrase(
                "On random halves of the people one release of each training is attacked, everybody is in or out by a "
                "coin of their own, and nobody knows who else is in. Leave out groups, rows, several releases, "
                "stand-ins and exact knowledge; or choose other data sets."
            )
        if min(self.sides) < FEWEST_TRAININGS:
            raise DesignError.phrase(
                "Attackers learn from {own} of {trainings} trainings on either side, and fewer than {least} are left "
                "to count. Ask for more trainings, or let attackers learn from fewer.",
                own=self.shadows(Knowledge.AUXILIARY),
                trainings=self.trainings,
                least=FEWEST_TRAININGS,
            )

    @property
    def is_of_halves(self) -> bool:
        """Whether trainings on random halves of the people are shared with other questions."""
        return self.worlds == HALVES

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """The blocks that trainings on random halves are dealt in."""
        return parts.blocks_of(self.trainings, parts.HALF)

    @property
    def sides(self) -> tuple[int, int]:
        """Counted trainings with the target and without it."""
        if not self.is_of_halves:
            return self.trainings // 2, self.trainings - self.trainings // 2
        own, inside = self.shadows(Knowledge.AUXILIARY), parts.trainings_with(self.trainings, parts.HALF)
        return inside - own, self.trainings - inside - own

    @property
    def counted(self) -> int:
        """Counted trainings of a game: all, or on random halves those that no attacker learns from."""
        return sum(self.sides)

    def design(self) -> Design:
        """How much each game plays."""
        n_syn = parts.rows_of_each(self.n_syn, self.blocks) if self.is_of_halves else self.n_syn * self.releases
        return Design(self.counted, self.generations, n_syn)

    def made_attacks(self) -> tuple[Attack, ...]:
        """The attacks, in the order of the plan."""
        return tuple(registry.parse("attacks", text) for text in self.attacks)

    def knowledge_of(self, attack: Attack) -> Knowledge:
        """What that attack's attacker knows in this plan."""
        if attack.knowledge is not Knowledge.NONE and self.is_of_halves:
            return Knowledge.AUXILIARY
        if self.knowledge == "own" or attack.knowledge is Knowledge.NONE:
            return attack.knowledge
        return Knowledge(self.knowledge)

    def shadows(self, knowledge: Knowledge = Knowledge.EXACT) -> int:
        """Shadow trainings a side that the hungriest attack of that knowledge wants; all attacks of it share them."""
        wanted = (attack.shadows for attack in self.made_attacks() if self.knowledge_of(attack) is knowledge)
        return max(wanted, default=0)

    def needs_auxiliary(self) -> bool:
        """Whether an attacker knows other people of the population, who are in no counted data set."""
        if self.is_of_halves:
            return False
        return any(self.knowledge_of(attack) is Knowledge.AUXILIARY for attack in self.made_attacks())

    def cells(self) -> tuple[Cell, ...]:
        """The games, in order."""
        return tuple(
            Cell(generator, target, position)
            for generator in self.generators
            for target in self.targets
            for position in range(1 if self.together else self.count(target))
        )

    def looks(self) -> int:
        """Findings of one verdict: every attack in every game."""
        return len(self.cells()) * len(self.attacks)

    def planted_games(self) -> tuple[tuple[Cell, MembershipPlan], ...]:
        """The games with a planted leak, and this plan with the attacks that must find it alone."""
        if not self.control:
            return ()
        kinds: dict[str, tuple[str, ...]] = {}
        for spelled, attack in zip(self.attacks, self.made_attacks(), strict=True):
            kind = getattr(attack, "control", CONTROL)
            kinds[kind] = (*kinds.get(kind, ()), spelled)
        parts = {kind: replace(self, attacks=attacks) for kind, attacks in kinds.items()}
        records = dict.fromkeys((cell.target, cell.position) for cell in self.cells())
        return tuple((Cell(kind, *record, is_planted=True), part) for record in records for kind, part in parts.items())

    def total_trainings(self) -> int:
        """All trainings of the plan: counted, shadow, and those with a planted leak."""
        if self.is_of_halves:
            return self.trainings * (len(self.generators) + len(self.planted_kinds()))
        games = len(self.cells()) * self.trainings_a_game()
        return games + sum(part.trainings_a_game() for _, part in self.planted_games())

    def total_units(self) -> int:
        """All units of work of the plan: its trainings, and one fit of each attack in each game."""
        games = len(self.cells()) * self.units_a_game()
        shared = self.total_trainings() if self.is_of_halves else 0
        return shared + games + sum(part.units_a_game() for _, part in self.planted_games())

    def planted_kinds(self) -> tuple[str, ...]:
        """The mechanisms that plant leaks, each once."""
        return tuple(dict.fromkeys(cell.generator for cell, _ in self.planted_games()))

    def units_a_game(self) -> int:
        """Units of work of one game: its trainings, or shared ones that are scored, and one fit of each attack."""
        return self.trainings_a_game() + len(self.attacks)

    def trainings_a_game(self) -> int:
        """Trainings of one game, counted and shadow; of shared ones those that are counted."""
        if self.is_of_halves:
            return self.counted
        return self.trainings + 2 * (self.shadows() + self.shadows(Knowledge.AUXILIARY))

    def count(self, target: str) -> int:
        """How many records that rule attacks: ``k``, or as many as a list holds."""
        return getattr(registry.parse("targets", target), "fixed_count", None) or self.k

    def summarise(self, tables: Tables) -> Tables:
        """The tables that the plan is asked of; see :func:`riskkit.questions.standard.play_tables`."""
        return standard.play_tables(tables, self.generators, second_table=self.second_table)

    @property
    def names_rows(self) -> bool:
        """See :attr:`riskkit.plans.Plan.names_rows`."""
        return any(text.startswith("listed") for text in self.targets)

    @property
    def is_one_by_one(self) -> bool:
        """Whether a rule's several records are attacked one by one, so that only their number tells them apart."""
        return self.k > 1 and not self.together

    def choose(self, table: Table, target: str, persons: Persons | None = None) -> Targets:
        """The records that rule attacks, or where people have several rows the people."""
        rule: TargetRule = registry.parse("targets", target)
        rng = stream(self.seed, "targets", target)
        if (people := several(persons)) is not None:
            return chosen_people(table, people, rule, self.count(target), rng, self.stands_out)
        targets = rule.choose(table, self.count(target), rng)
        if self.second_table:
            standard.refuse_made_up(targets)
        return targets

    def people(self, table: Table, holdout: Table | None = None, persons: Persons | None = None) -> CrowdPopulation:
        """Who may be in a world, and whom the attacker knows.

        Raises
        ------
        DesignError
            Nobody is left on one side.
        """
        return population_of(self, table, persons, holdout, stream(self.seed, "membership", "population"))

    def deal(self, people: CrowdPopulation, generator: str) -> Subsets:
        """The trainings of that method on random halves of the people.

        Raises
        ------
        DesignError
            There are too few people.
        """
        nobody = np.empty(0, dtype=np.int64)
        return parts.deal_parts(people.real, people.crowd, generator, self.blocks, self.n_syn, self.seed, nobody)

    def game(self, people: CrowdPopulation, cell: Cell, chosen: Targets, halves: Halves | None = None) -> Game:
        """The game of that cell. ``chosen`` are the records of its rule.

        On random halves of the people ``halves`` are the trainings of its method with their releases.

        Raises
        ------
        DesignError
            There are no such people, or on random halves the target is nobody of the real table.
        """
        targets = chosen if self.together else chosen.single(cell.position)
        labels = cell.target, "all" if self.together else cell.position
        worlds, auxiliary = sources(self, people, TargetPeople.take(targets), labels)
        generator: Generator = registry.parse("generators", cell.generator)
        if not cell.is_planted:
            generator = repeat(generator, self.releases, one_fit=self.one_fit)
        method = plans.label(cell.generator, self.generators)
        game_labels = (method, *map(str, labels))
        if self.is_of_halves:
            named = ("planted", *game_labels) if cell.is_planted else game_labels
            row = int(TargetPeople.take(targets).first[0])
            if row < 0:
                raise DesignError.phrase(
                    "A made-up record is in no half of the real people. Choose targets among them, or other data sets."
                )
            made = PartsGame(worlds, generator, self.design(), self.seed, named)
            if halves is None:
                return made
            holds, own = halves[0].is_in[people.crowd.person[row]], self.shadows(Knowledge.AUXILIARY)
            return replace(made, released=tuple(halves[1]), holds=holds, own=own)
        if cell.is_planted:
            design = replace(self.design(), n_syn=worlds.rows)
            return Game(worlds, generator, design, self.seed, ("planted", *game_labels), auxiliary)
        return Game(worlds, generator, self.design(), self.seed, game_labels, auxiliary)

    def most_rows(self, data: int, own: int | None, targets: int) -> int:
        """The length of worlds where none was asked for: 0 for all, or what both sides can fill."""
        half = data // 2 if self.worlds in ("resampled", HALVES) else 0
        if own is None:
            return half
        fewest = own if self.relation == "replace-one" else own + targets
        most = half or data - (targets if self.relation == "replace-one" else 0)
        return min(most, fewest)

    def in_words(self, called: Called) -> str:
        """The plan in a few words: what was trained."""
        return plans.several("generators", self.generators, called)
