"""An attribute audit: every secret with every known set, members beside people who were not in, one verdict each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from riskkit import language, registry
from riskkit.core import Table
from riskkit.games.attribute import CONTROL, FOLDS, MEMBERS, RELEASE
from riskkit.games.attribute_deal import AttributeDeal, DistinctSides
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import Phrase, phrase
from riskkit.questions.attributes import outcome
from riskkit.questions.attributes.outcome import About, for_whom
from riskkit.questions.attributes.plan import BEST, SWEEP_MODEL, AttributePlan, Unit, known_words
from riskkit.questions.attributes.redraw import Randomised, game_of, play_randomised, trainings
from riskkit.questions.attributes.result import (
    AttributesResult,
    ControlComparison,
    Counts,
    Members,
    Refused,
    Swept,
)
from riskkit.questions.attributes.units import Finding, findings
from riskkit.questions.compared import Several, unit_of
from riskkit.questions.forecasts import (
    SMALLEST,
    Forecast,
    cut,
    extrapolate,
    seconds_of,
    shared_seconds,
    spread,
    trial_rows,
)
from riskkit.stats.inference import detectable_residual
from riskkit.stats.records import level_of_each
from riskkit.table.features import beside
from riskkit.table.load import Tables

# When a guess of a number is right, in words that follow ``guessing income``.
#
# A result keeps them in English; :func:`again` says them in the language of the page.

_KEPT = re.compile(r"to within (?:(?P<share>[\d.e+-]+) %)?(?: ?\(?(?:or )?(?P<distance>[\d.]+)\)?)?")


def right_within(relative: float, absolute: float) -> Phrase:
    """The words; a distance of 0 is not named, and none has a power of ten."""
    distance = np.format_float_positional(absolute, trim="-")
    if not relative:
        return phrase("to within {distance}", distance=distance)
    share = f"{100 * relative:g}"
    if not absolute:
        return phrase("to within {share} %", share=share)
    return phrase("to within {share} % (or {distance})", share=share, distance=distance)


def again(kept: str) -> str:
    """What :func:`right_within` wrote, in the language of this process; any other text as it is."""
    if (match := _KEPT.fullmatch(kept)) is None:
        return kept
    made = right_within(float(match["share"] or 0) / 100, float(match["distance"] or 0))
    return language.again(made) if made == kept else kept


def run_attributes(tables: Tables, plan: AttributePlan, **steering: Unpack[Steering]) -> AttributesResult:
    """Ask the release about every secret of the plan.

    Raises
    ------
    DesignError
        There is no release, or the plan names a column that is not in use.
    """
    if plan.generator:
        registry.check_ready(registry.parse("generators", plan.generator))
    tables = plan.summarise(tables)
    units = plan.units(tables.schema)
    deal = plan.deal(tables)
    looks = len({(unit.secret, unit.known) for unit in units})
    retrained = trainings(plan, sum(unit.detailed for unit in units))
    pool = Pool.open(len(units) + retrained, **steering)
    every = _named_apart(list(pool.map(phrase("Guessing secrets"), findings, deal, units, plan, looks)))
    again = play_randomised(tables, plan, every, pool)
    detailed = [finding for finding in every if finding.unit.detailed]
    answered = [finding for finding in detailed if not finding.refusal]
    estimates = [finding.estimates for finding in answered] + [drawn.estimates for drawn in again]
    return AttributesResult(
        plan=plan,
        counts=_counts(deal, looks, unit_of(tables.persons)),
        estimates=tuple(estimate for each in estimates for estimate in each),
        compared=tuple(_compare_sides(finding, plan, deal) for finding in answered),
        refused=tuple(Refused(_about(f), tuple(f.known), f.refusal) for f in detailed if f.refusal),
        sweep=tuple(_sweep(f) for f in every if f.unit.model == plan.sweep_model) if plan.sweep else (),
        randomised=again,
        for_whom=for_whom(plan, deal, [(_about(finding), finding.compared, finding.right) for finding in answered]),
        notes=(*_notes(every, deal, looks), *_not_run(again)),
        records=tuple(Members(_about(f), f.records) for f in answered if f.records is not None),
    )


def _named_apart(every: Sequence[Finding]) -> list[Finding]:
    """The findings with different words for different known sets of one secret."""
    seen: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    out = []
    for finding in every:
        sets = seen.setdefault((finding.unit.secret, finding.words), [])
        if finding.known not in sets:
            sets.append(finding.known)
        place = sets.index(finding.known)
        out.append(finding if not place else _rename(finding, f"{finding.words} ({place + 1})"))
    return out


def _rename(finding: Finding, words: str) -> Finding:
    return replace(finding, words=words, estimates=tuple(each.label(known=words) for each in finding.estimates))


def _about(finding: Finding) -> About:
    return About(finding.unit.secret, finding.words, finding.model)


def _compare_sides(finding: Finding, plan: AttributePlan, deal: AttributeDeal) -> ControlComparison:
    """Members beside the control for one secret and known set, and what its sentence has to say of it."""
    assert finding.compared is not None
    right = _right(finding, plan, deal)
    return ControlComparison(
        _about(finding), finding.compared, tuple(finding.known), finding.kind, finding.share, right, finding.chosen
    )


def _right(finding: Finding, plan: AttributePlan, deal: AttributeDeal) -> str:
    """What a right guess of a number is, in words."""
    if finding.kind != "number":
        return ""
    tolerance = plan.tolerance_of(deal.members.table.schema, finding.unit.secret)
    is_last_decimal = plan.absolute is None and tolerance.relative > 0  # nobody asked for it, nobody reads it
    return str(right_within(tolerance.relative, 0.0 if is_last_decimal else tolerance.absolute))


def _sweep(finding: Finding) -> Swept:
    """What the heatmap shows of one secret and known set; a leak is shown allowing for all that were looked at."""
    delta = finding.estimate("delta", trained_on=RELEASE, tested_on=CONTROL) or finding.estimate(
        "delta", trained_on=RELEASE, tested_on=MEMBERS
    )
    sides = finding.compared or outcome.Sides(None, None, None)
    corrected = sides.residual
    return Swept(
        about=_about(finding),
        known_set=str(known_words(finding.unit.asked)),
        columns=tuple(finding.known),
        kind=finding.kind,
        delta=delta,
        residual=finding.estimate("residual", trained_on=RELEASE),
        corrected=corrected,
        is_shown=corrected is not None and corrected.low > 0 and not sides.is_easier_anyway,
        refusal=finding.refusal,
    )


def _counts(deal: AttributeDeal, looks: int, several: Several | None) -> Counts:
    apart, planted = deal.apart, deal.planted
    return Counts(
        n_members=deal.whose[0].n_people,
        n_control=0 if deal.control is None else deal.whose[1].n_people,
        n_release=len(deal.release),
        spared=deal.spared,
        shared=0 if apart is None else apart.shared_members,
        shared_holdout=0 if apart is None else apart.shared_control,
        dropped_to_even=0 if apart is None else apart.evened,
        looks=looks,
        planted=None
        if planted is None
        else outcome.describe_planted(planted.copies, len(planted.release), planted.whose[0].n_people),
        several=several,
    )


def _notes(every: Sequence[Finding], deal: AttributeDeal, looks: int) -> tuple[str, ...]:
    notes: list[str] = [] if deal.control is not None else [outcome.NO_HOLDOUT]
    if deal.spared:
        notes.append(
            phrase("{rows:,} rows are over the maximum that is asked about; drawn at random.", rows=deal.spared)
        )
    notes += [] if deal.apart is None else _name_left_out(deal.apart)
    if looks > 1:
        notes.append(
            phrase(
                "What is judged is corrected for the {looks} secrets and known sets (Bonferroni).",
                looks=looks,
            )
        )
    for finding in every:
        if finding.refusal:
            notes.append(
                phrase(
                    "{secret!r} from {known} was not asked: {why}",
                    secret=finding.unit.secret,
                    known=finding.words,
                    why=finding.refusal,
                )
            )
        notes += finding.notes
    return tuple(dict.fromkeys(notes))


def _not_run(again: Sequence[Randomised]) -> list[str]:
    """Why secrets could not be drawn anew."""
    return [
        phrase("Secrets of {secret!r} could not be drawn anew: {why}", secret=trial.secret, why=trial.refusal)
        for trial in again
        if trial.refusal
    ]


def _name_left_out(apart: DistinctSides) -> list[str]:
    """Who is asked about but not compared, and why."""
    notes: list[str] = []
    if apart.shared_members:
        notes.append(
            phrase(
                "{real:,} rows of the real table and {holdout:,} of the holdout stand in both: such people are "
                "members and yet stand among the others. They are left out of both sides wherever members are "
                "compared with people outside the data.",
                real=apart.shared_members,
                holdout=apart.shared_control,
            )
        )
    if apart.evened:
        notes.append(
            phrase(
                "{rows:,} rows of records that the larger table holds several times are left out of that "
                "comparison too, because such records are more often in than out for the size of the tables "
                "alone.",
                rows=apart.evened,
            )
        )
    return notes


# What an attribute audit will cost, from a short timed pilot, and what it can show.


def forecast_attributes(tables: Tables, plan: AttributePlan, *, workers: int = 1) -> Forecast:
    """Time a few units on a few rows and on twice as many, and carry their growth on to the whole.

    ``units`` secrets with known sets are asked, ``detailed`` of them in detail, with ``trainings`` of the generator.
    ``detectable_residual`` is the smallest residual shown with 80 % power, allowing for all units, at the share that
    the pilot guessed rightly; None without a holdout, since nothing can be said of members then.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    tables = plan.summarise(tables)
    units = plan.units(tables.schema)
    few = plan.deal(cut(tables, SMALLEST, plan.seed))  # refuses what the run would refuse
    _seconds(few, replace(units[-1], detailed=False), plan)  # loads what is loaded once
    release = tables.synthetic
    assert release is not None
    asked = [min(len(table), plan.max_rows) for table in (tables.real, tables.holdout) if table is not None]
    people = _people(tables, asked)
    size = (sum(asked) + len(release)) // (len(asked) + 1)
    seconds, last = _again(tables, plan, units, workers), None
    for in_detail in (True, False):
        sort = [unit for unit in units if unit.detailed is in_detail]
        timed = [_time_unit(tables, plan, unit, size) for unit in spread(sort)]
        if timed:
            seconds += shared_seconds(float(np.mean([timing[0] for timing in timed])), len(sort), workers)
            last = last or timed[0][1]
    detailed = sum(unit.detailed for unit in units)
    numbers = {
        "units": len(units),
        "detailed": detailed,
        "trainings": trainings(plan, detailed),
        "n_members": people[0],
        "n_control": people[1] if len(people) > 1 else 0,
        "n_release": len(release),
        "detectable_residual": _detectable(people, last, plan, len(units)),
    }
    return Forecast(seconds, numbers)


def _people(tables: Tables, rows: Sequence[int]) -> list[int]:
    """About how many people have so many rows of either side; as many where each row is a person."""
    if tables.persons is None:
        return list(rows)
    sides = (tables.persons.real, tables.persons.holdout_persons)
    return [round(most * len(np.unique(own)) / max(len(own), 1)) for most, own in zip(rows, sides, strict=False)]


def _time_unit(tables: Tables, plan: AttributePlan, unit: Unit, size: int) -> tuple[float, Finding]:
    """Seconds the unit will take on tables of that size, and what it found on the pilot.

    How it grows with the rows is seen on a cell of the sweep, which trains one model where a unit in detail trains
    many. A pilot of few rows may have no equal ones where the whole table has.
    """
    cell, rows = replace(unit, detailed=False), trial_rows(size)
    deals = [plan.deal(cut(tables, most, plan.seed)) for most in (rows, 2 * rows)]
    (few, timed), (many, _) = (_seconds(deal, cell, plan) for deal in deals)
    whole = extrapolate(few, many, size / (2 * rows))
    if not unit.detailed:
        return whole, timed
    seconds, timed = _seconds(deals[0], unit, plan)
    return seconds * whole / few * fits(tables.real) / fits(deals[0].members.table), timed


def fits(members: Table) -> int:
    """How many models a unit in detail trains: of the release, of one with a planted leak, of the members, and of other
    members for each fold; for as many folds again where members are equal in all columns.
    """
    has_equal = len(np.unique(members.keys())) < len(members)
    return 3 + FOLDS * (2 if has_equal else 1)


def _seconds(deal: AttributeDeal, unit: Unit, plan: AttributePlan) -> tuple[float, Finding]:
    """How long one unit takes, and what it found."""
    outcomes: list[Finding] = []
    seconds = seconds_of(lambda: outcomes.extend(findings(deal, [unit], plan, 1)))
    return seconds, outcomes[0]


def _again(tables: Tables, plan: AttributePlan, units: Sequence[Unit], workers: int) -> float:
    """Seconds that the trainings with secrets drawn anew will take, by one of them on the whole table."""
    asked = [unit for unit in units if unit.detailed]
    if not plan.generator:
        return 0.0
    unit = asked[0]
    known = unit.columns or beside(tables.schema, unit.secret)
    model = SWEEP_MODEL if unit.model == BEST else unit.model
    game = game_of(tables, plan, unit.secret, known, model)
    each = seconds_of(lambda: game.trial(0)) * trainings(plan, len(asked)) / plan.randomised
    return shared_seconds(each, plan.randomised, workers)


def _detectable(asked: Sequence[int], finding: Finding | None, plan: AttributePlan, looks: int) -> float | None:
    if len(asked) < 2:
        return None
    right = None
    if finding is not None and finding.kind:
        right = finding.estimate(finding.share, trained_on=RELEASE, tested_on=CONTROL)
    alpha = (1 - level_of_each(plan.level, looks)) / 2
    return detectable_residual(asked[0], asked[1], 0.5 if right is None else right.value, alpha=alpha)
