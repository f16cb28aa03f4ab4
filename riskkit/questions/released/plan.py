"""What to ask of a released file: a frozen plan, and what it will cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from riskkit import plans, registry
from riskkit.base import distributions as stats
from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson
from riskkit.games.released import ComparisonGroup, ReleasedAttack, ReleasedGame
from riskkit.games.released_deal import deal
from riskkit.judging.reasons import Reason
from riskkit.language import english, say
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan, split_list
from riskkit.questions.forecasts import Forecast, pilot
from riskkit.questions.refusals import NO_RELEASE
from riskkit.registry import Setting
from riskkit.stats import power, records
from riskkit.table.load import Tables
from riskkit.wording import percent

# What the attacks on one released file come to, and the sentences beside it.

NO_HOLDOUT = phrase(
    "Without a holdout nothing can be said about membership. Each attack must also be run on people outside the "
    "real table, to see what it reaches without any leak. What can be said is descriptive: exact copies, near "
    "copies against the table's own spacing, and the order of the rows. Load rows of people outside the real "
    "table as the holdout."
)
"""What stands in place of a verdict where no holdout was loaded."""


ONLY_DISTANCES = phrase(
    "No leak shows, but every attack that found the planted leak measures only the distance to the nearest rows. "
    "Distances describe a release without judging it: a release that moves every real row by the same step would "
    "pass."
)
ADD_OTHERS = phrase("Add attacks of another kind.")


def blind(auc: Estimate, p: float, *, apart: bool, blocked: bool) -> str:
    """The sentence of the look without the release; ``blocked`` where no attack tells the sides apart better."""
    start = say(
        "Without the release, a classifier tells the real table from the holdout with an AUC of {auc} (p = {p:.2g})",
        auc=auc,
        p=p,
    )
    if blocked:
        return say("{told}. {why}", told=start, why=Reason("sides_differ").why)
    if apart:
        return say("{told}; an attack tells them apart better. {why}", told=start, why=Reason("sides_differ_too").why)
    return say("{told}: not distinguishable from guessing (0.50), as it should be.", told=start)


def control(attack: str, auc: Estimate, planted: str, bar: float) -> str:
    """The sentence of a planted leak; ``bar`` is the limit, or guessing where none is set."""
    if auc.low > bar:
        return say(
            "{attack} finds a leak planted in this release: AUC {auc} ({planted}).",
            attack=attack,
            auc=auc,
            planted=planted,
        )
    return say(
        "{attack} lacks power on this data: on a leak planted in this release it reaches an AUC of {auc}, not "
        "shown to be above {bar:.2f} ({planted}). Where it finds nothing, that says nothing.",
        attack=attack,
        auc=auc,
        planted=planted,
        bar=bar,
    )


@english()
def describe_planted(copies: int, replaced: int, rows: int, n_in: int) -> str:
    """What was planted, in a few words: ``copies`` people in ``replaced`` of the released rows."""
    return phrase(
        "{share} of its rows replaced by slightly changed copies of {copies:,} of {n_in:,} records from outside "
        "the data; one who finds them all reaches 0.75",
        share=percent(replaced / rows),
        copies=copies,
        n_in=n_in,
    )


@english()
def planted_values_in_words(copies: int, replaced: int, rows: int, n_in: int) -> str:
    """The same where their values were planted, each column by itself."""
    return phrase(
        "in {share} of its rows the values of {copies:,} of {n_in:,} records from outside the data, each column "
        "in another order, so that no row is copied; one who finds them all reaches 0.75",
        share=percent(replaced / rows),
        copies=copies,
        n_in=n_in,
    )


SUITE = ("dcr", "dcr-diff", "contest", "domias", "classifier", "values", "groups", "agreement", "ensemble")
"""The attacks of a plan that names none: different in kind, so that they miss different leaks."""
TWO_TABLES = "two-tables"
"""What stands for the looks at parents, at children and at both, in a plan."""


def _spell_attacks(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The attacks as they are spelled, ``default`` and ``all`` as what they stand for."""
    there = registry.plugins("released")
    every = [name for name, attack in there.items() if getattr(attack, "in_all", True)]
    of_two = [name for name, attack in there.items() if getattr(attack, "needs_children", False)]
    groups = {"default": [name for name in SUITE if name in there], "all": every, TWO_TABLES: of_two}
    named = [name for text in texts for name in groups.get(text.strip(), [text])]
    return tuple(registry.spell(registry.parse("released", text)) for text in named)


def spelled_parts(attack: ReleasedAttack) -> tuple[str, ...]:
    """The attacks that this one is made of, as they are spelled; none where it is made of no others."""
    return tuple(registry.spell(registry.parse("released", name)) for name in getattr(attack, "parts", ()))


def attacks_to_run(attacks: Sequence[str]) -> tuple[str, ...]:
    """The attacks that are worked out, each once: for one that is made of others, these."""
    made = [(text, spelled_parts(registry.parse("released", text))) for text in attacks]
    return tuple(dict.fromkeys(name for text, parts in made for name in parts or (text,)))


@dataclass(frozen=True, slots=True)
class ReleasedPlan(Plan):
    """An audit of the released file alone: every attack on the same release, records and reference.

    ``attacks`` are written as :func:`riskkit.registry.parse` reads them; ``default`` stands for :data:`SUITE`,
    ``two-tables`` for those that read a second table, and ``all`` for every one there is but those that must be named
    (``in_all``), since they cost more than they find.
    ``level`` is the chance that the intervals of all attacks hold the truth: what is printed is what a verdict stands
    on, so a leak that is none is shown in half of the rest at most.

    Raises
    ------
    ParameterError, DesignError
        An attack that does not exist, a setting out of range, a list that is empty.
    """

    question: ClassVar[str] = "released"
    unit: ClassVar[str] = "step"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic"})

    attacks: tuple[str, ...] = parameter(
        ("default",),
        label="Attacks",
        help="On the released file: all, or some, separated by commas.",
        room="released",
        is_needed=True,
        tidy=_spell_attacks,
        option=Option(metavar="all|NAME[:FIELD=VALUE,...],...", several=split_list),
    )
    reference: str = parameter(
        ComparisonGroup.CROSS.value,
        label="People whom attacks compare with",
        help="cross: people fall into two parts, each part is compared with the other, and everybody counts; aside: a "
        "share of the holdout that nobody is asked about, as the attacks were published, so that fewer are left to "
        "count.",
        choices={
            ComparisonGroup.CROSS.value: "other people asked about",
            ComparisonGroup.ASIDE.value: "a share of the holdout, set aside",
        },
        option=Option(is_stated=True),
    )
    reference_share: float = parameter(
        0.5,
        label="Share of the holdout set aside",
        help="A larger share makes attacks that compare stronger and leaves fewer people to count.",
        low=0,
        below=1,
    )
    max_rows: int = plans.people_asked(
        10_000,
        "Of larger tables a random part of the rows is asked about.",
        label="Rows asked about, at most, on a side",
        low=records.FEWEST_RECORDS,
    )
    of_person: str = plans.person_score_field()
    seed: int = plans.seed()
    level: float = plans.level("How often a verdict of a leak, or of none, is right; the coverage of the intervals.")
    groups: tuple[str, ...] = plans.groups()

    def game(self, tables: Tables) -> ReleasedGame:
        """The game of these files.

        Raises
        ------
        DesignError
            The release or the holdout is not loaded, or no record is left to ask about.
        """
        if tables.synthetic is None:
            raise DesignError(NO_RELEASE)
        if tables.holdout is None:
            raise DesignError(NO_HOLDOUT)
        return deal(
            tables.real,
            tables.synthetic,
            tables.holdout,
            free_texts=tuple(tables.free_texts.values()),
            compared=ComparisonGroup(self.reference),
            reference_share=self.reference_share,
            max_rows=self.max_rows,
            seed=self.seed,
            persons=tables.persons,
            children=tables.children,
            of_person=OfPerson(self.of_person),
        )

    @property
    def reads_children(self) -> bool:
        """Whether a second table is read: it always is where there is one."""
        return True

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        return plans.several("released", self.attacks, called)

    def is_said(self, setting: Setting) -> bool:
        """Whether a command says that setting; the share only where it is set aside."""
        return super(ReleasedPlan, self).is_said(setting) and (
            setting.name != "reference_share" or self.reference == ComparisonGroup.ASIDE
        )


def what_it_can_show(n_in: int, n_out: int, above: float, below: float) -> dict[str, float]:
    """The detectable AUC and the upper end at one half; intervals reach so many standard errors down and up.

    Raises
    ------
    DesignError
        A side has too few records for an interval.
    """
    records.check_enough(n_in, n_out)
    return {
        "detectable_auc": power.detectable_auc_of_records(n_in, n_out, alpha=float(stats.norm.sf(above))),
        "upper_if_half": records.upper_if_half(n_in, n_out, level=math.erf(below / math.sqrt(2))),
    }


def farthest_reach(plan: ReleasedPlan) -> tuple[float, float]:
    """How many standard errors the intervals of the plan reach to either side at most: as if no attacks were alike."""
    reach = float(stats.norm.isf((1 - plan.level) / 2 / len(plan.attacks)))
    return reach, reach


def forecast_released(tables: Tables, plan: ReleasedPlan, *, workers: int = 1) -> Forecast:
    """Time every attack on a few rows and on twice as many, and carry its growth on to the whole.

    ``detectable_auc`` is the true AUC that one attack is told from guessing at with 80 % power, ``upper_if_half`` the
    upper end if it observes one half; both allow for all attacks as if none were alike, so a run shows no less.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    game = plan.game(tables)
    n_in, n_out = game.records(True), game.records(False)
    shown = what_it_can_show(n_in, n_out, *farthest_reach(plan))
    every = [registry.parse("released", text) for text in attacks_to_run(plan.attacks)]
    seconds = sum(_seconds(game, attack) for attack in every)
    numbers = {"n_in": n_in, "n_out": n_out, "n_reference": game.n_reference, **shown}
    return Forecast(seconds / max(workers, 1), numbers)


def _seconds(game: ReleasedGame, attack: ReleasedAttack) -> float:
    """Seconds that attack will take on the whole game and on a planted leak; 0 where it refuses."""
    sizes = [len(game.release), len(game.targets), game.n_reference]
    rng = game.rng("pilot")
    with suppress(DesignError):
        trial = pilot(
            lambda rows: partial(game.sample(rows, rng).scores, attack, "pilot"),
            sum(size * size for size in sizes) // max(sum(sizes), 1),
        )
        return trial.loads + 2 * trial.whole
    return 0.0
