"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, kept, say
from riskkit.questions import promises
from riskkit.questions.records import findings, view, words
from riskkit.questions.records.findings import ceiling, risks, widening
from riskkit.questions.records.person import FIRST_LOOK
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import ShownGrowth
from riskkit.questions.records.remedy import searches
from riskkit.questions.records.remedy_words import lowered
from riskkit.questions.records.result import RecordsResult
from riskkit.questions.unit import Several
from riskkit.show import for_whom, seen, what_if
from riskkit.show.finding import finding
from riskkit.show.lowered import Lowered
from riskkit.show.model import AtRisk, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.promised import Promised
from riskkit.show.reasons import sizes
from riskkit.stats.multiplicity import simes

LIMITS = (
    kept("It speaks of the method with these settings, trained anew on this table, and of one kind of attack."),
    kept(
        "All records share the same releases, so their errors are correlated; the list allows for this, a single "
        "line does not."
    ),
    kept(
        "That a record is not on the list does not mean that it is not exposed; its interval says how much it may be."
    ),
)
"""What such a result does not show."""
PROMISED = kept(
    "What a private method promises is about one row more or less, so it is not set beside people with several rows."
)
METHOD = "listed by Benjamini-Hochberg, highest limit; upper end widened for all records looked at (Bonferroni)"
MISSED = say(
    "No leak shown does not mean no leak: this game plants none to see whether it would be found, and what the "
    "best attack there can be would reach was not computed for every record."
)
REMEDY = say(
    "Ask again with certificates, for a method that has them; or attack the most exposed records on the page "
    "Membership, where leaks are planted."
)


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where its method made it and its table was at play."""
    assert run.result is not None
    result = RecordsResult.of(run.result)
    aucs = [*map(names.estimate, view.risks(result))]
    strongest = _strongest(result, aucs, names)
    bound = _bound(result)
    n = max((auc.n for auc in aucs), default=0)
    seconds = float(run.result.get("seconds", 0.0))
    is_own = is_about(run, facts)
    reasons = sizes(int(run.plan.get("n_syn", 0)), facts.released_rows) if is_own else ()
    of_people = result.counts_people
    measured = Measured(
        scale="auc",
        guess=0.5,
        strongest=strongest,
        widest=bound or max((_widened(auc, len(aucs)) for auc in aucs), key=lambda auc: auc.high, default=None),
        who="" if strongest is None else view.who(strongest.labels["record"], result),
        looks=len(aucs),
        control=_control(bound, result),
        reasons=reasons,
        seconds_each=seconds / n if n else 0.0,
        made=int(run.plan.get("inside", 0)) + int(run.plan.get("outside", 0)),
        is_bound=bound is not None,
        chance=partial(_chance, result),
    )
    listed = view.listed(aucs, names)
    return (
        finding(
            run,
            names,
            sentence=counts_of(result, names).sentence(None),
            game=_game(run, result, len(aucs), names),
            measured=measured,
            estimates=(*map(names.estimate, names.countable(result.overall)), *listed),
            limits=tuple(map(say, (*LIMITS, PROMISED) if of_people else LIMITS)),
            at_risk=tuple(
                AtRisk(view.who(auc.labels["record"], result), say("queries"), auc)
                for auc in sorted(listed, key=lambda auc: -auc.low)
                if auc.low > 0.5
            ),
            what_if="" if is_own else _what_if(run, result.plan.generator, names, facts),
            counts=counts_of(result, names),
            promises=() if of_people else _promises(run, names, facts, strongest),
            growing=_growing(result, names),
            for_whom=for_whom.read(run.result, names, room="attacks"),
            lowered=_lowered(run, names, facts),
        ),
    )


def _chance(result: RecordsResult, bar: float) -> float:
    """The chance that anybody is listed so clearly above the bar, were nobody above it."""
    return simes(risks(result).p(bar))


def _lowered(run: Played, names: Names, facts: Given) -> tuple[Lowered, ...]:
    """What would lower it: every search about the method that was played here."""
    return tuple(lowered(search, names) for search in searches(facts.remedies, str(run.plan.get("generator", ""))))


def _growing(result: RecordsResult, names: Names) -> ShownGrowth | None:
    """Risk against the number of releases: of the best attack where there are certificates, else of the one played."""
    each = [record.best.after or () for record in result.records if record.best is not None]
    if each and each[0]:
        return ShownGrowth(each, names)
    played = [record.after for record in result.records if record.after]
    return ShownGrowth(played, names, is_played=True) if played else None


def _promises(run: Played, names: Names, facts: Given, strongest: Estimate | None) -> tuple[Promised, ...]:
    """What the method promises, of one row more or less, beside the record that is listed above the highest limit."""
    plan = run.plan
    method = str(plan.get("generator", ""))
    game = promises.PlayedTables.of(str(plan.get("relation", "add-one")), int(plan.get("people", 0)), facts, plan)
    block = promises.promised(method, names.called(method, "generators"), game, strongest)
    return () if block is None else (block,)


def is_about(run: Played, facts: Given) -> bool:
    """Whether the run is about this release: its method made it, and the real table was at play, no drawn one."""
    is_own = facts.provenance.covers(str(run.plan.get("generator", ""))) and not int(run.plan.get("people", 0))
    return is_own and facts.provenance.is_as_often(run.plan)


def _what_if(run: Played, method: str, names: Names, facts: Given) -> str:
    """Of another method, or of the method of the release on a table that was drawn, or released more or less often."""
    if facts.provenance.covers(method) and not int(run.plan.get("people", 0)):
        return what_if.if_released(int(run.plan.get("releases", 1)))
    return (
        what_if.IF_OTHERS if facts.provenance.covers(method) else what_if.if_made_by(names.called(method, "generators"))
    )


def _strongest(result: RecordsResult, aucs: Sequence[Estimate], names: Names) -> Estimate | None:
    """The record that is listed above the highest limit, which is its lower end; where nobody is, the highest.

    So a limit is exceeded exactly where somebody is listed above it. Its numbers are those that the list stands on:
    of the first look, unless that only chose whom to play on.
    """
    if not aucs:
        return None
    auc, achieved = view.highest(aucs), risks(result)
    if achieved.foremost is not None:
        record = result.records[achieved.foremost]
        if achieved.screened is None and record.first_auc is not None:
            record = replace(record, auc=record.first_auc, stage=FIRST_LOOK, n=sum(result.sides[FIRST_LOOK]))
        auc = names.estimate(view.risk_of(record, result))
    auc = _widened(auc, len(aucs))
    low = min(achieved.shown, auc.value)
    return Estimate(auc.name, auc.value, low, auc.high, auc.level, METHOD, auc.n, auc.labels)


@dataclass(frozen=True, slots=True)
class ExposedCounts:
    """How many people are exposed, at any limit, in the words that the reader may see."""

    result: RecordsResult = field(repr=False)
    names: Names = field(repr=False)

    def sentence(self, limit: float | None) -> str:
        """How many are shown to be exposed, and how many lie above the limit where one is set."""
        names, finding = self.names, findings.read(self.result, limit)
        if self.result.group:
            return words.headline(finding)
        records = view.many(len(finding.people), of_people=self.result.counts_people)
        listed = names.count(len(finding.listed))
        if limit is None:
            return say(
                "Of {records} played, {listed} are shown to be exposed above guessing.", records=records, listed=listed
            )
        start = say(
            "Of {records} played, {listed} are listed above {limit:g}", records=records, listed=listed, limit=limit
        )
        above = finding.above
        about, total = names.count(above.value), self.result.counted
        if not names.withholds(above.value):
            about = f"{about} [{above.low:,.0f}, {above.high:,.0f}]"
        return say("{told}; {about} of {total:,} people lie above it.", told=start, about=about, total=total)


def counts_of(result: RecordsResult, names: Names) -> ExposedCounts:
    """The counts of a result."""
    return ExposedCounts(result, names)


def _bound(result: RecordsResult) -> Estimate | None:
    """The most that any attack can reach on any record; None where it was not computed for all."""
    noise = [record.bound for record in result.records if record.bound is not None]
    if noise and len(noise) == len(result.records):
        return Estimate("auc", max(noise), 0.5, max(noise), result.plan.level, "bound by the noise that is added", 0)
    best, level = [record.best.auc for record in result.records if record.best is not None], result.plan.level
    high = ceiling(best, level) if len(best) == len(result.records) else None
    if high is None:
        return None
    value = max(three.value for three in best)
    return Estimate("auc", value, 0.5, high, level, "best attack there can be, for all records", 0)


def _control(bound: Estimate | None, result: RecordsResult) -> Control:
    """In place of a planted leak: what no attack can exceed, where that was computed."""
    if bound is not None and result.group:
        sentence = say(
            "No leak is planted: it was computed that no attack on the group can reach more than {high:.2f}.",
            high=bound.high,
        )
        return Control(True, math.inf, sentence)
    if bound is not None:
        sentence = say(
            "No leak is planted: it was computed that no attack on any record can reach more than {high:.2f}.",
            high=bound.high,
        )
        return Control(True, math.inf, sentence)
    return Control.none(say("No leak is planted for single records in this game."), missed=MISSED, remedy=REMEDY)


def _widened(auc: Estimate, looks: int) -> Estimate:
    """At the level that allows for so many records: the reach of a normal interval of that level."""
    level, by = 1 - (1 - auc.level) / max(looks, 1), widening(auc.level, looks)
    low = max(auc.value - by * (auc.value - auc.low), 0.0)
    high = min(auc.value + by * (auc.high - auc.value), 1.0)
    return Estimate(auc.name, auc.value, low, high, level, METHOD, auc.n, auc.labels)


def _game(run: Played, result: RecordsResult, played: int, names: Names) -> tuple[tuple[str, str], ...]:
    plan, several = result.plan, result.counts.several
    if result.group:
        return _game_of_group(plan, result.group, names)
    if several is not None:
        return _game_of_people(plan, several, played, names)
    return (
        (say("The question"), say("How exposed is each single record, on this very table?")),
        (say("The worlds"), say("the table with and without the record; releases with it are shared by all records")),
        (say("The attacker knows"), say("every other row of the real table, and the method")),
        *seen.releases(run.plan),
        (say("The hypothesis"), say("no record is recognised better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(plan.generator, "generators")),
        (say("Counted are"), say("{records} played", records=counted(played, "{n:,} record", "{n:,} records"))),
    )


def _game_of_group(plan: RecordsPlan, rows: int, names: Names) -> tuple[tuple[str, str], ...]:
    """The game of a group of rows that was named."""
    return (
        (say("The question"), say("How exposed is the group of rows that was named, on this very table?")),
        (say("The worlds"), say("the table with and without all rows of the group")),
        (say("The attacker knows"), say("every row of the real table outside the group, and the method")),
        (say("The hypothesis"), say("the group is not recognised better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(plan.generator, "generators")),
        (say("Counted are"), say("one group of {rows:,} rows", rows=rows)),
    )


def _game_of_people(plan: RecordsPlan, several: Several, played: int, names: Names) -> tuple[tuple[str, str], ...]:
    """The game, where a person is in or out with all of their rows."""
    return (
        (say("The question"), say("How exposed is each person, with all of their rows, on this very table?")),
        (
            say("The worlds"),
            say("the table with and without all rows of the person; releases with them are shared by all people"),
        ),
        (say("The attacker knows"), say("the rows of all other people of the real table, and the method")),
        (say("The hypothesis"), say("no person is recognised better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(plan.generator, "generators")),
        (
            say("Counted are"),
            say(
                "{people}, each with all of their rows (up to {most:,})",
                people=view.many(played, of_people=True),
                most=several.most_rows,
            ),
        ),
    )
