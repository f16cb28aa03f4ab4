"""An attribute audit: every secret with every known set, members beside people who were not in, one verdict each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from riskkit import language, registry
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE
from riskkit.games.attribute_deal import AttributeDeal, DistinctSides
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import Phrase, phrase
from riskkit.questions.attributes import outcome
from riskkit.questions.attributes.outcome import About, for_whom
from riskkit.questions.attributes.plan import AttributePlan, known_words
from riskkit.questions.attributes.redraw import Randomised, play_randomised, trainings
from riskkit.questions.attributes.result import (
    AttributesResult,
    ControlComparison,
    Counts,
    GroupedComparison,
    Members,
    Refused,
    Swept,
)
from riskkit.questions.attributes.units import Finding, findings
from riskkit.questions.compared import Several, unit_of
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
        groups=tuple(GroupedComparison(_about(finding), by) for finding in answered for by in finding.groups),
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
