"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, say
from riskkit.questions import promises
from riskkit.questions.records import findings
from riskkit.questions.records.findings import Risks, Three, ceiling, risks, widening
from riskkit.questions.records.releases import Growing
from riskkit.questions.records.remedy import searches
from riskkit.questions.records.remedy_words import lowered
from riskkit.show import for_whom, seen, what_if
from riskkit.show.estimates import estimate
from riskkit.show.finding import finding
from riskkit.show.lowered import Lowered
from riskkit.show.model import AtRisk, Bar, Chart, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.promised import Promised
from riskkit.show.reasons import sizes
from riskkit.show.unit import counts_people

LIMITS = (
    say("It speaks of the method with these settings, trained anew on this table, and of one kind of attack."),
    say(
        "All records share the same releases, so their errors are correlated; the list allows for this, a single "
        "line does not."
    ),
    say("That a record is not on the list does not mean that it is not exposed; its interval says how much it may be."),
)
"""What such a result does not show."""
PROMISED = say(
    "What a private method promises is about one row more or less, so it is not set beside people with several rows."
)
METHOD = "listed by Benjamini-Hochberg, highest limit; upper end widened for all records looked at (Bonferroni)"
BARS = 12
MISSED = say(
    "No leak shown does not mean no leak: this game plants none to see whether it would be found, and what the "
    "best attack there can be would reach was not computed for every record."
)
REMEDY = say(
    "Ask again with certificates, for a method that has them; or attack the most exposed records on the page "
    "Membership, where leaks are planted."
)


def read(run: Played, names: Names, given: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where its method made it and its table was at play."""
    assert run.result is not None
    result = run.result
    final = [one for one in result["records"] if one["auc"] is not None]
    level = float(run.plan.get("level", 0.95))
    aucs = [_auc(one, level, names) for one in final]
    strongest = _strongest(result, aucs, risks(result), level, names)
    bound = _bound(result["records"], level)
    n = max((auc.n for auc in aucs), default=0)
    seconds = float(result.get("seconds", 0.0))
    method = str(result["settings"].get("generator", ""))
    is_own = is_about(run, given)
    reasons = sizes(int(run.plan.get("n_syn", 0)), given.released_rows) if is_own else ()
    of_people = counts_people(result)
    measured = Measured(
        scale="auc",
        guess=0.5,
        strongest=strongest,
        widest=bound or max((_widened(auc, len(aucs)) for auc in aucs), key=lambda auc: auc.high, default=None),
        who="" if strongest is None else _who(strongest, of_people),
        looks=len(aucs),
        control=_control(bound),
        reasons=reasons,
        seconds_each=seconds / n if n else 0.0,
        made=int(run.plan.get("inside", 0)) + int(run.plan.get("outside", 0)),
        is_bound=bound is not None,
    )
    listed = aucs if names.tells or not aucs else [_highest(aucs)]  # a list of people counts them
    return (
        finding(
            run,
            names,
            sentence=counts_of(result, names).sentence(None),
            game=_game(result, final, names),
            measured=measured,
            estimates=(*(names.estimate(one) for one in names.countable(map(estimate, result["estimates"]))), *listed),
            limits=(*LIMITS, PROMISED) if of_people else LIMITS,
            chart=_chart(listed, len(aucs), of_people),
            at_risk=tuple(
                AtRisk(_who(auc, of_people), say("queries"), auc)
                for auc in sorted(listed, key=lambda auc: -auc.low)
                if auc.low > 0.5
            ),
            what_if="" if is_own else _what_if(run, method, names, given),
            counts=counts_of(result, names),
            promises=_promises(run, names, given, strongest),
            growing=_growing(result, names),
            for_whom=for_whom.read(result, names),
            lowered=_lowered(run, names, given),
        ),
    )


def _lowered(run: Played, names: Names, given: Given) -> tuple[Lowered, ...]:
    """What would lower it: every search about the method that was played here."""
    return tuple(lowered(one, names) for one in searches(given.remedies, str(run.plan.get("generator", ""))))


def _growing(result: Mapping[str, Any], names: Names) -> Growing | None:
    """Risk against the number of releases: of the best attack where there are certificates, else of the one played."""
    each = [findings.after(one["certificate"]) for one in result["records"] if one.get("certificate")]
    if each and each[0]:
        return Growing(each, names)
    played = [series for one in result["records"] if (series := findings.after(one))]
    return Growing(played, names, is_played=True) if played else None


def _promises(run: Played, names: Names, given: Given, strongest: Estimate | None) -> tuple[Promised, ...]:
    """What the method promises, beside the record that is listed above the highest limit."""
    plan = run.plan
    if counts_people(run.result):
        return ()  # a method promises of one row more or less
    method = str(plan.get("generator", ""))
    game = promises.Game.of(str(plan.get("relation", "add-one")), int(plan.get("people", 0)), given, plan)
    block = promises.promised(method, names.called(method, "generators"), game, strongest)
    return () if block is None else (block,)


def is_about(run: Played, given: Given) -> bool:
    """Whether the run is about this release: its method made it, and the real table was at play, no drawn one."""
    is_own = given.provenance.covers(str(run.plan.get("generator", ""))) and not int(run.plan.get("people", 0))
    return is_own and given.provenance.is_as_often(run.plan)


def _what_if(run: Played, method: str, names: Names, given: Given) -> str:
    """Of another method, or of the method of the release on a table that was drawn, or released more or less often."""
    if given.provenance.covers(method) and not int(run.plan.get("people", 0)):
        return what_if.if_released(int(run.plan.get("releases", 1)))
    return (
        what_if.IF_OTHERS if given.provenance.covers(method) else what_if.if_made_by(names.called(method, "generators"))
    )


def _highest(aucs: Sequence[Estimate]) -> Estimate:
    return max(aucs, key=lambda auc: auc.low)


def _strongest(
    result: Mapping[str, Any], aucs: Sequence[Estimate], achieved: Risks, level: float, names: Names
) -> Estimate | None:
    """The record that is listed above the highest limit, which is its lower end; where nobody is, the highest.

    So a limit is exceeded exactly where somebody is listed above it. Its numbers are those that the list stands on:
    of the first look, unless that only chose whom to play on.
    """
    if not aucs:
        return None
    auc = _highest(aucs)
    if achieved.foremost is not None:
        one = result["records"][achieved.foremost]
        if achieved.screened is None and one["first_auc"] is not None:
            one = {**one, "auc": one["first_auc"], "stage": "first", "n": sum(result["sides"]["first"])}
        auc = _auc(one, level, names)
    auc = _widened(auc, len(aucs))
    low = min(achieved.shown, auc.value)
    return Estimate(auc.name, auc.value, low, auc.high, auc.level, METHOD, auc.n, auc.labels)


@dataclass(frozen=True, slots=True)
class Counted:
    """How many people are exposed, at any limit, in the words that the reader may see."""

    result: Mapping[str, Any] = field(repr=False)
    names: Names = field(repr=False)

    def sentence(self, limit: float | None) -> str:
        """How many are shown to be exposed, and how many lie above the limit where one is set."""
        names, finding = self.names, findings.read(self.result, limit)
        records = _many(len(finding.people), counts_people(self.result))
        listed = names.count(len(finding.listed))
        if limit is None:
            return say(
                "Of {records} played, {listed} are shown to be exposed above guessing.", records=records, listed=listed
            )
        told = say(
            "Of {records} played, {listed} are listed above {limit:g}", records=records, listed=listed, limit=limit
        )
        above = finding.above
        about = names.count(above.value)
        if not names.withholds(above.value):
            about = f"{about} [{above.low:,.0f}, {above.high:,.0f}]"
        return say("{told}; {about} of {total:,} people lie above it.", told=told, about=about, total=finding.counted)


def counts_of(result: Mapping[str, Any], names: Names) -> Counted:
    """The counts of a result."""
    return Counted(result, names)


def _bound(records: Sequence[Mapping[str, Any]], level: float) -> Estimate | None:
    """The most that the best attack there can be reaches on any record; None where it was not computed for all."""
    best = [Three(*one["certificate"]["auc"]) for one in records if one.get("certificate")]
    high = ceiling(best, level) if len(best) == len(records) else None
    if high is None:
        return None
    value = max(one.value for one in best)
    return Estimate("auc", value, 0.5, high, level, "best attack there can be, for all records", 0)


def _control(bound: Estimate | None) -> Control:
    """In place of a planted leak: what no attack can exceed, where that was computed."""
    if bound is not None:
        told = say(
            "No leak is planted: it was computed that no attack on any record can reach more than {high:.2f}.",
            high=bound.high,
        )
        return Control(True, math.inf, told)
    return Control.none(say("No leak is planted for single records in this game."), missed=MISSED, remedy=REMEDY)


def _auc(one: Mapping[str, Any], level: float, names: Names) -> Estimate:
    value, low, high = (float(end) for end in one["auc"])
    labels = {"record": names.record(str(one["row"])), "stage": str(one.get("stage", ""))}
    return Estimate("auc", value, low, high, level, "AUC interval, by training", int(one["n"]), labels)


def _widened(auc: Estimate, looks: int) -> Estimate:
    """At the level that allows for so many records: the reach of a normal interval of that level."""
    level, by = 1 - (1 - auc.level) / max(looks, 1), widening(auc.level, looks)
    low = max(auc.value - by * (auc.value - auc.low), 0.0)
    high = min(auc.value + by * (auc.high - auc.value), 1.0)
    return Estimate(auc.name, auc.value, low, high, level, METHOD, auc.n, auc.labels)


def _game(result: Mapping[str, Any], final: Sequence[Mapping[str, Any]], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result["settings"]
    if counts_people(result):
        return _game_of_people(settings, len(final), names)
    return (
        (say("The question"), say("How exposed is each single record, on this very table?")),
        (say("The worlds"), say("the table with and without the record; releases with it are shared by all records")),
        (say("The attacker knows"), say("every other row of the real table, and the method")),
        *seen.releases(settings),
        (say("The hypothesis"), say("no record is recognised better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(str(settings.get("generator", "")), "generators")),
        (say("Counted are"), say("{records} played", records=counted(len(final), "{n:,} record", "{n:,} records"))),
    )


def _game_of_people(settings: Mapping[str, Any], played: int, names: Names) -> tuple[tuple[str, str], ...]:
    """The game, where a person is in or out with all of their rows."""
    return (
        (say("The question"), say("How exposed is each person, with all of their rows, on this very table?")),
        (
            say("The worlds"),
            say("the table with and without all rows of the person; releases with them are shared by all people"),
        ),
        (say("The attacker knows"), say("the rows of all other people of the real table, and the method")),
        (say("The hypothesis"), say("no person is recognised better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(str(settings.get("generator", "")), "generators")),
        (
            say("Counted are"),
            say(
                "{people}, each with all of their rows (up to {most:,})",
                people=_many(played, of_people=True),
                most=settings["most_rows"],
            ),
        ),
    )


def _many(n: int, of_people: bool) -> str:
    """So many records, or people."""
    if of_people:
        return counted(n, "{n:,} person", "{n:,} people")
    return counted(n, "{n:,} record", "{n:,} records")


def _who(auc: Estimate, of_people: bool) -> str:
    """The record, or the person by the first of their rows."""
    record = auc.labels["record"]
    return say("person {row}", row=record) if of_people else say("record {record}", record=record)


def _chart(aucs: Sequence[Estimate], played: int, of_people: bool) -> Chart | None:
    """The highest of those that may be told one by one, of so many that were played."""
    if not aucs:
        return None
    first = sorted(aucs, key=lambda auc: -auc.low)[:BARS]
    bars = tuple(Bar(_who(auc, of_people), auc) for auc in first)
    return Chart(
        say("The most exposed of {records}", records=_many(played, of_people)),
        say("AUC (0.50 is guessing)"),
        bars,
        0.5,
        (0.4, 1.0),
    )
