"""An attribute audit: every secret with every known set, members beside people who were not in, one verdict each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from riskkit import registry
from riskkit.core import Estimate
from riskkit.discreet import Discreet
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE
from riskkit.games.attribute_deal import Apart, AttributeDeal
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.attributes import outcome as said
from riskkit.questions.attributes.plan import AttributePlan, known_words
from riskkit.questions.attributes.randomised import Randomised, play_randomised, trainings
from riskkit.questions.attributes.units import Finding, findings
from riskkit.questions.attributes.within import right_within
from riskkit.questions.unit import unit_of
from riskkit.table.load import Tables
from riskkit.table.persons import Persons

GAME = {
    "question": "attributes",
    "random": "which people of the population were in; the release is fixed",
    "unit": "record",
}
"""The game, for every result. The plan says the rest."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributesResult(Discreet):
    """A finished plan: one finding a secret and known set, in the order of the plan, those of the sweep last.

    ``randomised`` is what became of secrets drawn anew, one a question asked in detail, where a generator is named.
    """

    plan: AttributePlan
    deal: AttributeDeal
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    randomised: tuple[Randomised, ...] = ()
    persons: Persons | None = None

    @property
    def detailed(self) -> tuple[Finding, ...]:
        """The findings that were asked in detail and gave numbers."""
        return tuple(finding for finding in self.findings if finding.unit.detailed and not finding.refusal)

    @property
    def refused(self) -> tuple[Finding, ...]:
        """What was asked in detail and could not be answered."""
        return tuple(finding for finding in self.findings if finding.unit.detailed and finding.refusal)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates of the secrets asked in detail, in order."""
        every = [finding.estimates for finding in self.detailed] + [again.estimates for again in self.randomised]
        return tuple(estimate for estimates in every for estimate in estimates)

    def as_dict(self) -> dict[str, Any]:
        """All but what is known of single records, as plain values; whatever the workers, the same."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), **_counts(self), **unit_of(self.persons)},
            "compared": [_compared(finding, self) for finding in self.detailed],
            "refused": [{**_labels(f), "columns": list(f.known), "why": f.refusal} for f in self.refused],
            "sweep": self._sweep() if self.plan.sweep else [],
            "groups": [{**_labels(finding), **by.as_dict()} for finding in self.detailed for by in finding.groups],
            "randomised": [one.as_dict() for one in self.randomised],
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict` and what is known of each member beside it; never for a report that is passed on."""
        records = [{**_labels(finding), **finding.records} for finding in self.detailed if finding.records]
        return {**self.as_dict(), "records": records}

    def _sweep(self) -> list[dict[str, Any]]:
        """One entry for each secret and known set that was asked with the sweep's model, refused ones included."""
        return [_cell(finding) for finding in self.findings if finding.unit.model == self.plan.sweep_model]


def run_attributes(
    tables: Tables,
    plan: AttributePlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> AttributesResult:
    """Ask the release about every secret of the plan.

    Parameters
    ----------
    workers
        Processes that work side by side. They change the time, never a number.
    progress, cancelled
        Told how far it is, and asked whether to stop, after every secret and known set.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        There is no release, or the plan names a column that is not in use.
    """
    if plan.generator:
        registry.check_ready(registry.parse("generators", plan.generator))
    units = plan.units(tables.schema)
    deal = plan.deal(tables)
    looks = len({(unit.secret, unit.known) for unit in units})
    retrained = trainings(plan, sum(unit.detailed for unit in units))
    pool = Pool(workers, Clock(len(units) + retrained, progress), cancelled)
    found = _named_apart(list(pool.map("Guessing secrets", findings, deal, units, plan, looks)))
    again = play_randomised(tables, plan, found, pool)
    notes = (*_notes(found, deal, looks), *_not_run(again))
    return AttributesResult(plan, deal, tuple(found), notes, again, tables.persons)


def _named_apart(found: Sequence[Finding]) -> list[Finding]:
    """The findings with different words for different known sets of one secret."""
    seen: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    out = []
    for finding in found:
        sets = seen.setdefault((finding.unit.secret, finding.words), [])
        if finding.known not in sets:
            sets.append(finding.known)
        at = sets.index(finding.known)
        out.append(finding if not at else _renamed(finding, f"{finding.words} ({at + 1})"))
    return out


def _renamed(finding: Finding, words: str) -> Finding:
    return replace(finding, words=words, estimates=tuple(each.labelled(known=words) for each in finding.estimates))


def _labels(finding: Finding) -> dict[str, str]:
    return {"secret": finding.unit.secret, "known": finding.words, "model": finding.model}


def _compared(finding: Finding, result: AttributesResult) -> dict[str, Any]:
    """Members beside the control for one secret and known set, and what its sentence has to say of it."""
    assert finding.compared is not None
    return {
        **_labels(finding),
        **finding.compared.as_dict(),
        "columns": list(finding.known),
        "chosen": finding.chosen,
        "kind": finding.kind,
        "share": finding.share,
        "right": _right(finding, result),
    }


def _right(finding: Finding, result: AttributesResult) -> str:
    """What a right guess of a number is, in words."""
    if finding.kind != "number":
        return ""
    tolerance = result.plan.tolerance_of(result.deal.members.table.schema, finding.unit.secret)
    is_last_decimal = result.plan.absolute is None and tolerance.relative > 0  # nobody asked for it, nobody reads it
    return str(right_within(tolerance.relative, 0.0 if is_last_decimal else tolerance.absolute))


def _cell(finding: Finding) -> dict[str, Any]:
    """What the heatmap shows of one secret and known set; ``shown`` allows for all that were looked at."""
    delta = finding.estimate("delta", trained_on=RELEASE, tested_on=CONTROL) or finding.estimate(
        "delta", trained_on=RELEASE, tested_on=MEMBERS
    )
    residual = finding.estimate("residual", trained_on=RELEASE)
    sides = finding.compared or said.Sides(None, None, None)
    corrected = sides.residual
    return {
        **_labels(finding),
        "set": known_words(finding.unit.asked),
        "columns": list(finding.known),
        "kind": finding.kind,
        "delta": None if delta is None else delta.as_dict(),
        "residual": None if residual is None else residual.as_dict(),
        "corrected": None if corrected is None else corrected.as_dict(),
        "shown": corrected is not None and corrected.low > 0 and not sides.is_easier_anyway,
        "refusal": finding.refusal,
    }


def _counts(result: AttributesResult) -> dict[str, Any]:
    deal = result.deal
    return {
        "n_members": deal.whose[0].n_people,
        "n_control": 0 if deal.control is None else deal.whose[1].n_people,
        "n_release": len(deal.release),
        "spared": deal.spared,
        "shared": 0 if deal.apart is None else deal.apart.shared_members,
        "shared_holdout": 0 if deal.apart is None else deal.apart.shared_control,
        "dropped_to_even": 0 if deal.apart is None else deal.apart.evened,
        "looks": len({(finding.unit.secret, finding.unit.known) for finding in result.findings}),
        "planted": None
        if deal.planted is None
        else said.planted(deal.planted.copies, len(deal.planted.release), deal.planted.whose[0].n_people),
    }


def _notes(found: Sequence[Finding], deal: AttributeDeal, looks: int) -> tuple[str, ...]:
    notes: list[str] = [] if deal.control is not None else [said.NO_HOLDOUT]
    if deal.spared:
        notes.append(
            phrase("{rows:,} rows are over the maximum that is asked about; drawn at random.", rows=deal.spared)
        )
    notes += [] if deal.apart is None else _left_out(deal.apart)
    if looks > 1:
        notes.append(
            phrase(
                "What is judged allows for the {looks} secrets and known sets that were looked at (Bonferroni).",
                looks=looks,
            )
        )
    for finding in found:
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
        phrase("Secrets of {secret!r} could not be drawn anew: {why}", secret=one.secret, why=one.refusal)
        for one in again
        if one.refusal
    ]


def _left_out(apart: Apart) -> list[str]:
    """Who is asked about but not compared, and why."""
    notes: list[str] = []
    if apart.shared_members:
        notes.append(
            phrase(
                "{real:,} rows of the real table and {holdout:,} of the holdout stand in both: such people were "
                "in and yet stand among those who were not. They are left out of both sides wherever members are "
                "compared with people who were not in.",
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
