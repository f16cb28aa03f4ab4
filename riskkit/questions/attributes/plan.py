"""What to ask of a release about people's secrets: a frozen plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from riskkit import plans, registry
from riskkit.core import Kind, Role, Schema
from riskkit.errors import DesignError
from riskkit.games.attribute import nothing_known
from riskkit.games.attribute_deal import AttributeDeal, deal
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Plan
from riskkit.questions import standard
from riskkit.questions.compared import LIST, columns_from, shorten_names
from riskkit.questions.refusals import NO_RELEASE, no_attribute, no_known_set, too_few_reruns
from riskkit.registry import Setting
from riskkit.stats.arms import FEWEST_TRAININGS
from riskkit.stats.guesses import FEWEST_RECORDS, Tolerance
from riskkit.table.features import beside
from riskkit.table.fold import fold_children, values_of
from riskkit.table.load import Tables

# What an attacker knows of a person beside a secret: sets of columns, as they are written, read and named.

KnownSet = str | tuple[str, ...]
"""``others``, ``greedy:3``, all columns of one of two tables, or the columns by name."""
OTHERS, GREEDY = "others", "greedy:"
FIRST, SECOND = "first-table", "second-table"
"""What is known are all columns of the first table, or all summaries of the second."""
WHOLE = {
    OTHERS: phrase("all other columns"),
    FIRST: phrase("all other columns of the first table"),
    SECOND: phrase("all summaries of the second table"),
}
"""Known sets that name no column, and what they are called."""
MOST_LEVELS = 20
"""A form offers a row with a value of the second table where its column has at most so many."""


def parse_known(text: str) -> KnownSet:
    """The known set in ``others``, ``greedy:3`` or ``age,sex,"a, b"`` (a column with a comma stands in quotes).

    Raises
    ------
    DesignError
        No column is named.
    """
    if text.strip() in WHOLE or text.strip().startswith(GREEDY):
        return _readable(text.strip())
    return _readable(columns_from([text]))


def _readable(known: KnownSet) -> KnownSet:
    """The known set, each column once; :class:`DesignError` where it is none."""
    if isinstance(known, str):
        if known not in WHOLE and not re.fullmatch(rf"{GREEDY}[1-9][0-9]?", known):
            raise DesignError(no_known_set(known))
        return known
    if not known:
        raise DesignError.phrase("A known set names no column; name at least one, or write 'others'.")
    return tuple(dict.fromkeys(known))


def columns_read(plan: Mapping[str, Any]) -> list[str] | None:
    """The columns that a plan, as it is kept, looks at: what is known and what is guessed; None where those are all."""
    if not plan["secrets"] or any(isinstance(known, str) for known in plan["known"]):
        return None
    return [*plan["secrets"], *(name for known in plan["known"] for name in known)]


def known_set_text(known: KnownSet) -> str:
    """What :func:`parse_known` reads."""
    if isinstance(known, str):
        return known
    alone = ",".join(map(LIST.write, known))
    return f"{alone}," if len(known) == 1 and (alone in WHOLE or alone.startswith(GREEDY)) else alone


def known_words(known: KnownSet) -> str:
    """A known set in a few words."""
    if isinstance(known, str) and known in WHOLE:
        return str(WHOLE[known])
    if isinstance(known, str):
        return f"the worst {known.removeprefix(GREEDY)}"
    return str(shorten_names(known))


def greedy_size(known: KnownSet) -> int:
    """How many columns a greedy set has; 0 for another."""
    return int(known.removeprefix(GREEDY)) if isinstance(known, str) and known.startswith(GREEDY) else 0


def columns_of(schema: Schema, secret: str, known: KnownSet) -> KnownSet:
    """The columns that are known beside a secret; a greedy set as it is, for these are chosen on the release."""
    if isinstance(known, tuple):
        return tuple(name for name in known if name != secret)
    if known not in WHOLE:
        return known
    of_table = {OTHERS: (True, False), FIRST: (False,), SECOND: (True,)}[known]
    return tuple(name for name in beside(schema, secret) if bool(schema.column(name).source) in of_table)


def tables_with_summaries(tables: Tables) -> Tables:
    """The tables with every summary that a form offers: those with a value in their name too, where values are few.

    Raises
    ------
    DesignError
        There is no second table, or not that of every file.
    """
    return fold_children(tables, () if tables.children is None else values_of(tables.children, MOST_LEVELS))


BEST, ALL = "best", "all"
SWEEP_MODEL = "forest"
"""The model of a sweep unless another is named: the reference, since it fits into minutes; see benchmarks."""
MEMBERSHIP, POPULATION = ("members", "population")
"""What the best model is best at: telling members from people who were not in, or guessing released rows."""
TESTED_PEOPLE, RELEASED_ROWS = ("tested", "released")
"""Whose most frequent level, or median, is the constant guess that a model has to beat."""
FEWEST_RERUNS = FEWEST_TRAININGS
"""Trainings with secrets drawn anew that an interval needs."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One secret and what is known: one unit of work.

    ``known`` are the columns, or ``greedy:k``; ``asked`` is the set of the plan it comes from. ``detailed`` is False
    for a cell of the sweep.
    """

    secret: str
    known: KnownSet
    model: str
    detailed: bool
    asked: KnownSet = field(compare=False)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns known; None where they are chosen on the release first."""
        return self.known if isinstance(self.known, tuple) else None


def model_from(text: str) -> str:
    """The model as the command line writes it; ``rf`` is the forest."""
    return {"rf": "forest"}.get(text, text)


def _spell_model(model: str) -> str:
    """The model as it is spelled, or ``best``."""
    return BEST if model.strip() == BEST else registry.spell(registry.parse("inference", model))


@dataclass(frozen=True, slots=True)
class AttributePlan(Plan):
    """An audit of what a release lets somebody infer who knows some columns of a person.

    Parameters
    ----------
    secrets
        Columns to be guessed, or ``("all",)``. None named: those whose role is secret, else the last column in use.
    known
        What is known, one entry a set: ``others`` (every other column), a tuple of columns (a secret among them is
        left out when it is guessed), or ``greedy:k`` (the k columns that tell most, chosen by cross-validation on the
        release). With a second table also ``first-table`` or ``second-table``, all columns of one of the two. But for
        columns by name, nothing is known that sums up the same column of the second table as the secret does.
    model
        As :func:`riskkit.registry.parse` reads it, or ``best`` of all there are.
    best_at
        What ``best`` is best at. ``members``: for each fifth of the people the model that shows best for the fifths
        before who was in; the first only chooses. ``population``, and always without a holdout: guessing released rows.
    sweep, sweep_model
        Also ask of every column as secret with every known set, with this model.
    tolerance, absolute
        A guessed number is right within that share of the true value or that distance from it, whichever is kinder.
        Without a distance it is half a unit of the last decimal of its column. Of a date only the distance (in days)
        counts.
    confidence
        How sure the model must have been of a member to be listed as exposed.
    groups
        Columns by whose values the people are looked at apart, and by which risk is compared. Without any risk is
        compared by those of :func:`riskkit.table.features.default_columns`.
    max_rows
        Most records asked about on either side. The release is never cut.
    no_match
        What counts in CAP for a record that no released row matches: ``prior``, the shares of the whole release; or
        ``nothing``.
    baseline
        The constant guess that accuracy, macro F1 and numbers are set against: the most frequent level (the median) of
        the ``tested`` people themselves, the hardest there is; or of the ``released`` rows, which is all an attacker
        has. AUC and balanced accuracy are set against chance.
    second_table
        Summaries of a person's rows in the second table are columns like any other: guessed from those of the first
        table, and the other way round. See :mod:`riskkit.table.fold`.
    generator, randomised, targets
        The generator that made the release, if it can be run again, and how often it is trained anew to see whether
        it gives secrets away that were drawn at random before (0: never). ``targets`` rows get such a secret.
    Raises
    ------
    ParameterError, DesignError
        A model that does not exist, a setting out of range, a known set that cannot be read.
    """

    question: ClassVar[str] = "attributes"
    unit: ClassVar[str] = "inference"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic"})

    secrets: tuple[str, ...] = parameter(
        (),
        label="Secrets",
        help="Columns to be guessed. If none is named: the columns marked as secret, else the last column in use.",
        option=Option(flag="secret", metavar="COLUMN|all"),
    )
    known: tuple[KnownSet, ...] = parameter(
        (OTHERS,),
        label="What is known",
        is_needed=True,
        tidy=lambda known: tuple(map(_readable, known)),
        help="What the attacker knows, one set each time: every other column (others), the K columns that tell most "
        "about the secret in the release (greedy:K), all columns of one of two tables (first-table, second-table), or "
        "columns by name.",
        option=Option(
            metavar="others|greedy:K|first-table|second-table|COLUMN,...",
            read=parse_known,
            write=known_set_text,
            is_stated=True,
        ),
        words={name: str(words) for name, words in WHOLE.items()},
    )
    model: str = parameter(
        "forest",
        label="Model that guesses",
        help="The model that guesses, or the best of all.",
        room="inference",
        tidy=_spell_model,
        option=Option(metavar="best|NAME[:FIELD=VALUE,...]", read=model_from, is_stated=True),
    )
    best_at: str = parameter(
        MEMBERSHIP,
        label="The best model is best at",
        choices={MEMBERSHIP: "Recognising members", POPULATION: "Guessing released rows"},
        help="Telling members from people outside the data (members), or guessing released rows (population), as "
        "it always is without a holdout.",
    )
    sweep: bool = parameter(
        False,
        label="Sweep every column",
        help="Takes each column in turn as the secret, with each set of known columns, and shows where an attacker "
        "learns most.",
    )
    sweep_model: str = parameter(
        SWEEP_MODEL,
        label="Model of the sweep",
        help="The model that guesses every column.",
        room="inference",
        tidy=_spell_model,
    )
    tolerance: float = parameter(
        0.05,
        label="Tolerance",
        help="A guessed number is right if it is off by at most this share of the true number.",
        low=0,
        option=Option(is_stated=True),
    )
    absolute: float | None = parameter(
        None,
        label="Distance",
        help="A guessed number is also right if it is off by at most this distance. If none is set: half a unit of the "
        "last decimal.",
        low=0,
    )
    confidence: float = parameter(
        0.9,
        label="Confidence from which a person is listed as exposed",
        help="How sure the model must be of its guess for a member to count as exposed.",
        low=0,
        high=1,
        option=Option(is_stated=True),
    )
    groups: tuple[str, ...] = plans.groups()
    no_match: str = parameter(
        "prior",
        label="In CAP, if no row matches",
        choices={"prior": "Use the shares of the whole release", "nothing": "Count it as 0"},
        help="What counts in CAP for a record that no released row matches: the shares of the release, or nothing.",
    )
    baseline: str = parameter(
        TESTED_PEOPLE,
        label="Constant guess to beat",
        choices={
            TESTED_PEOPLE: "The most frequent value of the people tested (hardest to beat)",
            RELEASED_ROWS: "The most frequent value of the released rows",
        },
        help="The most frequent level (or median) that a model has to beat: that of the people tested, the hardest "
        "baseline, or that of the released rows, which is all an attacker has. For AUC and balanced accuracy the "
        "baseline is chance.",
    )
    second_table: bool = standard.second_table(
        "What each person's rows in the second table are like becomes columns of the person: how many there are, the "
        "most frequent value of a category, the mean, least and greatest number, the first and last date. They can be "
        "secrets, and they can be known."
    )
    generator: str = plans.generator("The generator that made the release, if it can be run again.", "")
    randomised: int = parameter(
        0,
        label="Trainings with secrets drawn at random",
        help="How often the generator is trained again, to see whether it reveals such secrets. 0: never.",
        low=0,
        words={0: "never"},
        option=Option(flag="randomised-secret", metavar="N"),
    )
    targets: int = parameter(
        100,
        label="People who get another secret",
        help="At most a tenth of the real table, so that what is true of the population stays true.",
        low=1,
    )
    max_rows: int = plans.people_asked(30_000, label="Records tested on each side, at most", low=2 * FEWEST_RECORDS)
    seed: int = plans.seed()
    level: float = plans.level()

    def check(self) -> None:
        """Refuse trainings that are too few, or of no generator, and what needs a second table without one."""
        if not self.second_table and {FIRST, SECOND} & {known for known in self.known if isinstance(known, str)}:
            raise DesignError.phrase("What is known is all of one table; ask across both tables, or name the columns.")
        if self.second_table and self.generator:
            raise DesignError.phrase(
                "Secrets drawn anew are of one table; leave the generator out, or ask about one table alone."
            )
        if self.randomised and not self.generator:
            raise DesignError.phrase(
                "Secrets drawn anew need a generator that can be run again; name the one that made the release."
            )
        if self.generator and self.randomised < FEWEST_RERUNS:
            raise DesignError(too_few_reruns(self.randomised, FEWEST_RERUNS))

    def is_said(self, setting: Setting) -> bool:
        """Whether a command says that setting; what a generator is asked, and a sweep, only where there is one."""
        if setting.name in ("randomised", "targets"):
            return bool(self.generator)
        return super(AttributePlan, self).is_said(setting) or (setting.name == "sweep_model" and self.sweep)

    def without(self, columns: Sequence[str]) -> AttributePlan | None:
        """See :meth:`riskkit.plans.Plan.without`: the secrets, known sets and groups that are left."""
        gone = set(columns)
        secrets = tuple(name for name in self.secrets if name not in gone)
        sets = [
            known_set if isinstance(known_set, str) else tuple(name for name in known_set if name not in gone)
            for known_set in self.known
        ]
        known = tuple(known_set for known_set in sets if known_set)
        if (self.secrets and not secrets) or not known:
            return None
        groups = tuple(name for name in self.groups if name not in gone)
        return replace(self, secrets=secrets, known=known, groups=groups)

    def tolerance_of(self, schema: Schema, secret: str) -> Tolerance:
        """When a guess of that column is right."""
        column = schema.column(secret)
        absolute = 0.5 * 10.0**-column.decimals if self.absolute is None else self.absolute
        return Tolerance(0.0 if column.kind is Kind.DATE else self.tolerance, absolute)

    def secrets_of(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are guessed.

        Raises
        ------
        DesignError
            A column that does not exist or is not in use, or no column to be guessed.
        """
        in_use = _in_use(schema)
        if self.secrets == (ALL,) and ALL not in in_use:
            return in_use
        of_role = tuple(column.name for column in schema.modelled if column.role is Role.SECRET)
        last = tuple(column.name for column in schema.modelled if not column.source)[-1:]
        chosen = self.secrets or of_role or last
        _check_columns(schema, chosen)
        return chosen

    def units(self, schema: Schema) -> tuple[Unit, ...]:
        """Every secret with every known set, those of the sweep that are not asked in detail anyway after the others.

        Raises
        ------
        DesignError
            A column that does not exist or is not in use, or nothing known beside a secret.
        """
        _check_columns(schema, [name for known in self.known if isinstance(known, tuple) for name in known])
        _check_columns(schema, self.groups)
        chosen = self.secrets_of(schema)
        units = [self._unit(schema, secret, known, True) for secret in chosen for known in self.known]
        if self.sweep:
            sets = [(secret, known) for secret in _in_use(schema) for known in self.known]
            cells = [(secret, known) for secret, known in sets if columns_of(schema, secret, known) != ()]
            swept = [self._unit(schema, secret, known, False) for secret, known in cells]
            units += [unit for unit in swept if replace(unit, detailed=True) not in units]
        return tuple(dict.fromkeys(units))

    def _unit(self, schema: Schema, secret: str, known: KnownSet, detailed: bool) -> Unit:
        model = self.model if detailed else self.sweep_model
        left = columns_of(schema, secret, known)
        if left == ():
            raise DesignError(nothing_known(secret))
        return Unit(secret, left, model, detailed, known)

    def summarise(self, tables: Tables) -> Tables:
        """The tables that the plan is asked of: with summaries of the second one where it is read.

        Raises
        ------
        DesignError
            It is read, and there is none, or not that of every file.
        """
        if not self.second_table:
            return tables
        named = [name for known in self.known if isinstance(known, tuple) for name in known]
        return fold_children(tables, (*self.secrets, *named, *self.groups))

    def deal(self, tables: Tables) -> AttributeDeal:
        """Who is asked about, from which release.

        Raises
        ------
        DesignError
            The release is not loaded, or a table has no row.
        """
        if tables.synthetic is None:
            raise DesignError(NO_RELEASE)
        files = tables.real, tables.synthetic, tables.holdout
        return deal(*files, max_rows=self.max_rows, seed=self.seed, persons=tables.persons)

    @property
    def label(self) -> str:
        """The plan in a few words."""
        what = ", ".join(self.secrets) or phrase("the secret column")
        spelled = [
            WHOLE[known] if isinstance(known, str) and known in WHOLE else known_words(known) for known in self.known
        ]
        known = spelled[0] if len(spelled) == 1 else " or ".join(spelled)
        form = phrase("{secret} from {known}", secret=what, known=known)
        return phrase("{what}, and every column in turn", what=form) if self.sweep else form


def _in_use(schema: Schema) -> tuple[str, ...]:
    return tuple(column.name for column in schema.modelled)


def _check_columns(schema: Schema, names: Sequence[str]) -> None:
    """Every name is that of a column in use."""
    for name in names:
        schema.column(name)
        if name not in _in_use(schema):
            raise DesignError(no_attribute(name))
