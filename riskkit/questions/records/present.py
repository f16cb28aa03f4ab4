"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from riskkit import wording
from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.judging.measurement import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import Readings, again, counted, joined, kept, phrase, say
from riskkit.questions import origin, promises
from riskkit.questions.records import result as findings
from riskkit.questions.records import words
from riskkit.questions.records.releases import GUESS, ShownGrowth
from riskkit.questions.records.remedy import searches
from riskkit.questions.records.result import (
    COMBINED,
    LIRA,
    PLANTED_AUC,
    RMIA,
    Person,
    RecordsResult,
    ceiling,
    risks,
)
from riskkit.questions.records.words import remedy_in_words
from riskkit.show import for_whom, glossary, run_finding
from riskkit.show.blocks import Axis, Cell, Column, Columns, Group, Numbers, RocCurve, RocLine, map_estimates, tabulate
from riskkit.show.model import AtRisk, Bar, Block, Chart, Given, Played, RunFinding
from riskkit.show.names import FEWEST, Names
from riskkit.show.pairs import Paired, Same
from riskkit.show.promise import Promised
from riskkit.show.run_finding import finding, sizes
from riskkit.stats import subsets
from riskkit.stats.multiplicity import simes
from riskkit.stats.same import count_moved, exposure_difference, places
from riskkit.stats.subsets import FPRS

# What a page, a report and a notebook show of a game for every record, block by block.
#
# The pictures of the page that move with a limit, and in which people are picked, are its own.

NAMED = 2
"""Columns that the first sentence names."""
BARS = 12
"""Records of the picture, those exposed most."""
COMPARED: Mapping[str, str] = Readings(
    miss_rate=phrase("Missed by the average over tables, of those above"),
    miss_rate_halves=phrase("Missed with half of the trainings of each game"),
    miss_rate_null=phrase("Missed by luck alone: one half of the game against the other"),
    rmsd=phrase("Typical difference of the two games (RMSD)"),
    rmsd_corrected=phrase("Typical difference without noise"),
    rmsd_null=phrase("Typical difference by luck alone: one half of the game against the other"),
)
"""Figures that compare the two games, in the order of a table."""


OF_ROUNDS = ("stage", "first", "best", "traditional")
"""Columns that say nothing where few trainings serve everybody."""
TOGETHER: Mapping[str, str] = Readings(
    {
        "inside": phrase("The trained method itself"),
        COMBINED: phrase("All attacks together"),
        LIRA: phrase("All together, by each person's own law (LiRA)"),
        RMIA: phrase("All together, beside all other people (RMIA)"),
    }
)
"""What is made of all attacks where few trainings serve everybody."""


def view(result: RecordsResult, names: Names) -> tuple[Block, ...]:
    """The most exposed, how many lie above each limit, and every record for those who may see rows."""
    every = (*_picture(result, names), *_people(result, names), *_numbers(result, names))
    return tuple(map_estimates(block, names.estimate) for block in every)


def risks_of_all(result: RecordsResult) -> list[Estimate]:
    """The risk of every record with a number, in the order played; the intervals allow for all of them."""
    return [risk_of(person, result) for person in findings.read(result).people if person.auc is not None]


def countable_risks(every: Sequence[Estimate], names: Names) -> list[Estimate]:
    """Those that may be told one by one: a list of people counts them."""
    return [*every] if names.tells or not every else [highest(every)]


def highest(every: Sequence[Estimate]) -> Estimate:
    """The risk with the highest lower end; a list may take several on at one limit, and then the highest of them."""
    return max(every, key=lambda auc: (auc.low, auc.value))


def risk_of(record: Person, result: RecordsResult) -> Estimate:
    """The risk of a record, of its row and stage."""
    assert record.auc is not None
    labels = {"record": str(record.row), "stage": record.stage}
    level = 1 - (1 - result.plan.level) / result.looks
    return Estimate("auc", *record.auc, level, METHOD, record.n, labels)


def who(record: str, result: RecordsResult) -> str:
    """The record, or the person or the group by the first of their rows."""
    if result.group:
        return say("the group of {rows:,} rows named by row {row}", rows=result.group, row=record)
    return say("person {row}", row=record) if result.counts_people else say("record {record}", record=record)


def many(n: int, *, of_people: bool) -> str:
    """So many records, or people."""
    if of_people:
        return counted(n, "{n:,} person", "{n:,} people")
    return counted(n, "{n:,} record", "{n:,} records")


def _picture(result: RecordsResult, names: Names) -> Iterator[Block]:
    """The highest of those that may be told one by one, of so many that were played."""
    every = risks_of_all(result)
    first = sorted(countable_risks(every, names), key=lambda auc: -auc.low)[:BARS]
    sentence = say(
        "The most exposed of {records}; the intervals allow for all of them",
        records=many(len(every), of_people=result.counts_people),
    )
    if result.group:
        sentence = say("What the attack reaches on the group")
    bars = tuple(Bar(who(names.record(auc.labels["record"]), result), auc) for auc in first)
    if bars:
        yield Chart(sentence, say("AUC (0.50 is guessing)"), bars, 0.5, (0.4, 1.0))


def _people(result: RecordsResult, names: Names) -> Iterator[Block]:
    """Every record with what was achieved and what could be; row numbers are for those who may see them."""
    if not names.tells or not result.records:
        return

    def stage(record: Person) -> str:
        return say("fresh trainings") if record.is_fresh else say("the first round")

    people = findings.read(result).people

    title, explained = say("Every record shown with its risk"), words.GLOSSARY
    columns: Columns[Person] = {
        Column("record", say("Record"), explained["row"]): lambda record: record.row,
        Column("auc", say("Risk (chance 0.50)"), explained["auc"]): lambda record: (
            None if record.auc is None else risk_of(record, result)
        ),
        Column("stage", say("Based on"), explained["fresh"]): stage,
        Column("first", say("First round")): lambda record: str(record.first_auc or ""),
        Column("best", say("Best attack"), explained["certificate"]): words.best_attack,
        Column("traditional", say("Average over tables"), explained["traditional"]): lambda record: str(
            record.traditional or ""
        ),
        Column("outlierness", say("Distance to others"), explained["outlierness"]): lambda record: (
            f"{record.outlierness:.3f}"
        ),
        Column("n", say("Trainings"), glossary.TERMS["membership.training"]): lambda record: record.n,
    }
    if result.plan.is_by_subsets:  # one round alone, and no other game
        columns = {column: cell for column, cell in columns.items() if column.key not in OF_ROUNDS}
    table = tabulate("people", title, people, columns)
    yield Group("people", title, (table,), is_folded=True, on_paper=False)


def _numbers(result: RecordsResult, names: Names) -> Iterator[Block]:
    """How many lie above each limit, how far the two games are apart, and who was played again."""
    overall = [*names.countable(result.overall)]
    fresh = [*_fresh(result)] if names.tells else []
    attacks: dict[str, dict[str, Estimate]] = {}
    for each in overall:
        if each.name in ("mean_auc", "tpr_at_fpr", PLANTED_AUC):
            cell = "planted" if each.name == PLANTED_AUC else each.labels.get("fpr", "auc")
            attacks.setdefault(each.labels["attack"], {})[cell] = each
    tables = (
        *_above(result, overall),
        *_roc(attacks),
        *_attacks(attacks, names),
        *_comparison_blocks(overall),
        *fresh,
    )
    caption = words.GLOSSARY["fresh"] if fresh else ""
    if tables:
        yield Group("numbers", say("All numbers"), tables, is_folded=True, caption=caption)


def _above(result: RecordsResult, overall: Sequence[Estimate]) -> Iterator[Block]:
    columns: Columns[Estimate] = {
        Column("limit", say("Risk above")): lambda e: f"{float(e.labels['limit']):.2f}",
        Column("count", say("People of {total:,}", total=result.counted)): lambda e: e,
        Column("n", say("Trainings"), glossary.TERMS["membership.training"]): lambda e: e.n,
    }
    if above := [e for e in overall if e.name == "records_above"]:
        yield tabulate("above", say("How many people lie above each limit"), above, columns)


Attacks = Mapping[str, Mapping[str, Estimate]]
"""What each attack reaches on everybody, on the same trainings: ``auc``, ``planted``, and by share of false alarms."""


def _roc(every: Attacks) -> Iterator[Block]:
    """Members named against others named, with one cut for all people: of all attacks together, in three ways.

    Few false alarms are told best with a law for each person, so that line comes first and has its intervals drawn.
    """
    fprs = [f"{fpr:g}" for fpr in subsets.CURVE if f"{fpr:g}" in every.get(LIRA, {})]
    if len(fprs) <= len(FPRS):  # an earlier version kept no more
        return
    curves = {attack: [every[attack][fpr] for fpr in fprs] for attack in (LIRA, COMBINED, RMIA)}
    lines = tuple(
        RocLine(TOGETHER[attack], (*map(float, fprs), 1.0), (*(e.value for e in points), 1.0))
        for attack, points in curves.items()
    )
    shown = every[LIRA].get(f"{FPRS[0]:g}", curves[LIRA][0])
    yield RocCurve(
        "roc",
        say(
            "At {fpr} false alarms all attacks together name {share} of the members (LiRA)",
            fpr=wording.percent(float(shown.labels["fpr"])),
            share=wording.share_in_tenths(shown),
        ),
        Axis(say("False alarms (of those not in)")),
        Axis(say("Named (of those who were in)")),
        lines,
        tuple(curves[LIRA]),
        float(fprs[0]),
        caption=say("One cut for all people and trainings. Intervals count trainings, not people."),
    )
    columns = (
        Column("fpr", say("False alarms"), width=0.8),
        *(Column(attack, TOGETHER[attack], written=wording.share_in_tenths) for attack in curves),
    )

    def row(place: int) -> tuple[Cell, ...]:
        return say("{share} %", share=f"{100 * float(fprs[place]):g}"), *(points[place] for points in curves.values())

    title = say("How many members are named at each share of false alarms")
    yield Numbers("named", title, columns, tuple(map(row, range(len(fprs)))))


def _attacks(every: Attacks, names: Names) -> Iterator[Block]:
    """What each attack reaches on everybody, on the same trainings."""
    title = say("What each attack reaches on all people")
    columns = (
        Column("attack", say("Attack"), width=2),
        Column("auc", say("Mean risk of a person (chance 0.50)"), words.GLOSSARY["auc"]),
        *(Column(f"fpr{fpr:g}", say("TPR at {fpr} FPR", fpr=f"{fpr:.1%}")) for fpr in FPRS),
        Column("planted", say("AUC on the planted leak"), glossary.TERMS["membership.control"]),
    )
    cells = ("auc", *(f"{fpr:g}" for fpr in FPRS), "planted")
    rows = tuple(
        (TOGETHER.get(attack) or names.called(attack, "released"), *(own.get(cell) for cell in cells))
        for attack, own in every.items()
    )
    if rows:
        yield Numbers("attacks", title, columns, rows)


def _comparison_blocks(overall: Sequence[Estimate]) -> Iterator[Block]:
    columns: Columns[Estimate] = {
        Column("what", say("The two games"), width=3): lambda e: COMPARED[e.name],
        Column("limit", say("Risk above")): lambda e: e.labels.get("limit", ""),
        Column("found", say("Found")): lambda e: e,
        Column("n", say("Trainings")): lambda e: e.n,
    }
    if games := [e for e in overall if e.name in COMPARED]:
        yield tabulate("games", say("How far the two games are apart"), games, columns)


def _fresh(result: RecordsResult) -> Iterator[Block]:
    """For screens and files: the list of people at risk is on paper."""
    fresh = [each for each in findings.read(result).people if each.first_auc is not None]
    columns: Columns[Person] = {
        Column("row", say("Record"), width=0): lambda each: each.row,
        Column("first", say("First round"), width=0): lambda each: str(each.first_auc),
        Column("fresh", say("Fresh trainings"), width=0): lambda each: str(each.alone),
    }
    if fresh:
        yield tabulate("fresh", say("Records run again on fresh trainings"), fresh, columns)


# The same records in games on two releases: their mean exposure, and who moved over the limit.


def pair_runs(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:  # noqa: ARG001  alike
    """The one difference of the records that both first looks had; who moved where there is a limit."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    ours, theirs = RecordsResult.from_plain(before.result), RecordsResult.from_plain(after.result)
    rows = [same.row(record.row) for record in ours.records]
    left, right = places(
        [-1 - place if row is None else row for place, row in enumerate(rows)],
        np.array([record.row for record in theirs.records]),
    )
    first, second = risks(ours).first.only(left), risks(theirs).first.only(right)
    try:
        difference = exposure_difference(first, second, level=level)
    except DesignError:  # no record of both
        return ()
    where = None if same.limit is None else count_moved(first, second, same.limit, level=level)
    return (Paired(say("every record of both"), say("mean AUC of the same records"), difference, 1, True, where),)


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
OF_PARTS = (
    kept(
        "It speaks of the method with these settings, trained on random parts of this table, and of the attacks on a "
        "released file. Each training has fewer people than the table, and fewer people usually means more risk."
    ),
    kept("It never says “within the limit”: nobody looked at the table with everyone."),
    LIMITS[1],
    kept(
        "The highest of many values is too high by luck. The list allows for that, the value of a single person does "
        "not."
    ),
    LIMITS[2],
)
"""The same where few trainings on random parts of the people serve everybody."""
PROMISED = kept(
    "What a private method promises is about one row more or less, so it is not set beside people with several rows."
)
METHOD = "listed by Benjamini-Hochberg, highest limit; upper end widened for all records looked at (Bonferroni)"
MISSED = phrase(
    "No leak shown does not mean no leak: this game plants none to see whether it would be found, and what the "
    "best possible attack would reach was not computed for every record."
)
REMEDY = phrase(
    "Ask again with optimal-attack bounds, for a method that has them; or attack the most exposed records on the "
    "page Membership, where leaks are planted."
)


def limits_of(result: RecordsResult) -> tuple[str, ...]:
    """What this result does not show."""
    own = OF_PARTS if result.plan.is_by_subsets else LIMITS
    return (*own, PROMISED) if result.counts_people else own


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where its method made it and its table was at play."""
    assert run.result is not None
    result = RecordsResult.from_plain(run.result)
    aucs = [*map(names.estimate, risks_of_all(result))]
    strongest = highest(aucs) if aucs else None
    bound = _best_bound(result)
    n = max((auc.n for auc in aucs), default=0)
    seconds = float(run.result.get("seconds", 0.0))
    is_own = is_about(run, facts)
    reasons = _of_parts(result)
    if is_own:
        n_syn, unlike = int(run.plan.get("n_syn", 0)), origin.reasons(result.origins, (result.plan.generator,))
        reasons = (*sizes(n_syn, facts.released_rows), *unlike, *reasons)
    of_people = result.counts_people
    measured = Measured(
        scale="auc",
        guess=0.5,
        strongest=strongest,
        widest=bound or max(aucs, key=lambda auc: auc.high, default=None),
        who="" if strongest is None else who(strongest.labels["record"], result),
        looks=len(aucs),
        control=_control(bound, result),
        reasons=reasons,
        seconds_each=seconds / n if n else 0.0,
        made=result.plan.trainings if result.plan.is_by_subsets else result.plan.inside + result.plan.outside,
        is_bound=bound is not None,
        chance=partial(_chance, result),
    )
    listed, counts = countable_risks(aucs, names), ExposedCounts(result, names)
    attack = say("all attacks on the file together") if result.plan.is_by_subsets else say("queries")
    return (
        finding(
            run,
            names,
            sentence=counts.sentence(None),
            brief=counts.brief(),
            game=_game(run, result, len(aucs), names),
            measured=measured,
            estimates=(*map(names.estimate, names.countable(result.overall)), *listed),
            limits=tuple(map(say, limits_of(result))),
            at_risk=tuple(
                AtRisk(who(auc.labels["record"], result), attack, auc)
                for auc in sorted(listed, key=lambda auc: -auc.low)
                if auc.low > 0.5
            ),
            what_if="" if is_own else _what_if(run, result.plan.generator, names, facts),
            counts=counts,
            tested=len(aucs),
            promises=() if of_people else _promises(run, names, facts, strongest),
            growing=_growing(result, names),
            for_whom=for_whom.read(run.result, names, room="attacks"),
            lowered=tuple(
                remedy_in_words(search, names)
                for search in searches(facts.remedies, str(run.plan.get("generator", "")))
            ),
        ),
    )


def _chance(result: RecordsResult, bar: float) -> float:
    """The chance that anybody is listed so clearly above the bar, were nobody above it."""
    return simes(risks(result).p(bar))


def _growing(result: RecordsResult, names: Names) -> ShownGrowth | None:
    """Risk against the number of releases: of the best attack where there are certificates, else of the one played."""
    each = [record.best.after for record in result.records if record.best is not None]
    if each and each[0]:
        return ShownGrowth(each, names)
    played = [record.after for record in result.records if record.after]
    return ShownGrowth(played, names, is_played=True) if played else None


def _promises(run: Played, names: Names, facts: Given, strongest: Estimate | None) -> tuple[Promised, ...]:
    """What the method promises, of one row more or less, beside the record that is listed above the highest limit."""
    plan = run.plan
    method = str(plan.get("generator", ""))
    game = promises.PlayedTables.read(str(plan.get("relation", "add-one")), int(plan.get("people", 0)), facts, plan)
    block = promises.promise_block(method, names.called(method, "generators"), game, strongest)
    return () if block is None else (block,)


def is_about(run: Played, facts: Given) -> bool:
    """Whether the run is about this release: its method made it, and the real table was at play, no drawn one."""
    is_own = facts.provenance.covers(str(run.plan.get("generator", ""))) and not int(run.plan.get("people", 0))
    return is_own and facts.provenance.is_as_often(run.plan)


def _what_if(run: Played, method: str, names: Names, facts: Given) -> str:
    """Of another method, or of the method of the release on a table that was drawn, or released more or less often."""
    if facts.provenance.covers(method) and not int(run.plan.get("people", 0)):
        return run_finding.if_released(int(run.plan.get("releases", 1)))
    return (
        again(run_finding.IF_OTHERS)
        if facts.provenance.covers(method)
        else run_finding.if_made_by(names.called(method, "generators"))
    )


@dataclass(frozen=True, slots=True)
class ExposedCounts:
    """How many people are exposed, at any limit, in the words that the reader may see."""

    result: RecordsResult = field(repr=False)
    names: Names = field(repr=False)

    def sentence(self, limit: float | None) -> str:
        """How many are shown to be exposed, and how many lie above the limit where one is set."""
        names, finding = self.names, findings.read(self.result, limit)
        if self.result.group:
            return words.group(finding)
        records = many(len(finding.people), of_people=self.result.counts_people)
        listed = self._count(len(finding.listed), len(finding.people))
        if self.result.plan.is_by_subsets:
            people = many(len(finding.people), of_people=True)
            return words.of_parts(self.result.plan, people, listed, limit)
        if limit is None:
            if not finding.listed:
                return say("None of {records} tested is shown to be exposed.", records=records)
            if not (columns := self._columns(finding)):
                return say(
                    "Of {records} tested, {listed} are exposed.", records=records, listed=self._at_least(finding)
                )
            return say(
                "Of {records} tested, {listed} are exposed, mainly by {columns}.",
                records=records,
                listed=self._at_least(finding),
                columns=columns,
            )
        start = say(
            "Of {records} tested, {listed} are listed above {limit:g}", records=records, listed=listed, limit=limit
        )
        if columns := self._columns(finding):
            start = say("{listed_above}, mainly by {columns}", listed_above=start, columns=columns)
        above, total = finding.above, self.result.counted
        about = self._count(above.value, total)
        if not names.withholds(above.value):
            about = f"{about} [{above.low:,.0f}, {above.high:,.0f}]"
        return say("{told}; {about} of {total:,} people lie above it.", told=start, about=about, total=total)

    def brief(self) -> str:
        """The same without a limit where its number stands beside it; empty of groups, parts, and where none is."""
        finding = findings.read(self.result, None)
        if self.result.group or self.result.plan.is_by_subsets or not finding.listed:
            return ""
        every = len(finding.people)
        exposed = say("Exposed: {listed} of {every:,}", listed=self._at_least(finding), every=every)
        if columns := self._columns(finding):
            exposed = say("{listed_above}, by {columns}", listed_above=exposed, columns=columns)
        return say("{told}.", told=exposed)

    def _at_least(self, finding: findings.RecordsFinding) -> str:
        """How many are shown to be exposed: others may be. A count that is withheld is said as it may be."""
        listed = len(finding.listed)
        count = self._count(listed, len(finding.people))
        return count if self.names.withholds(listed) else say("at least {count}", count=count)

    def _columns(self, finding: findings.RecordsFinding) -> str:
        """The columns by which most of those listed stand out; empty where they may not be named, or none is shared."""
        if not self.names.tells_columns or self.names.withholds(len(finding.listed)):
            return ""
        return joined(words.in_quotes(name) for name, _ in words.shared_columns(finding.listed)[:NAMED])

    def _count(self, value: float, among: int) -> str:
        """So many of so few: of ten people "fewer than 10" would say nothing."""
        return say("some") if self.names.withholds(value) and among <= FEWEST else self.names.count(value)


def _best_bound(result: RecordsResult) -> Estimate | None:
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
    if bound is not None:
        sentence = (
            say(
                "No leak is planted. Instead the best possible attack on the group was computed: at most {high:.2f}.",
                high=bound.high,
            )
            if result.group
            else say(
                "No leak is planted. Instead the best possible attack on each record was computed: at most {high:.2f}.",
                high=bound.high,
            )
        )
        return Control(True, math.inf, sentence)
    planted = planted_together(result)
    if planted is not None:
        people = int(planted.labels["people"])
        sentence = say(
            "Changed copies of {people} were planted, each in half of {releases:,} releases. All attacks together "
            "recognise them with an AUC of {auc}; {listed:,} of them would be listed if nobody else leaked.",
            people=many(people, of_people=True),
            releases=planted.n,
            auc=planted,
            listed=int(planted.labels["listed"]),
        )
        return Control(True, planted.low, sentence, planted)
    if result.plan.is_by_subsets:
        return Control.none(say("Releases were too short to plant anybody in them."))
    return Control.none(
        say("No leak is planted for single records in this game."), missed=again(MISSED), remedy=again(REMEDY)
    )


def planted_together(result: RecordsResult) -> Estimate | None:
    """What all attacks together reach on the people who were planted; None where nobody was."""
    every = (each for each in result.overall if each.name == PLANTED_AUC)
    return next((each for each in every if each.labels["attack"] == COMBINED), None)


def _of_parts(result: RecordsResult) -> tuple[Reason, ...]:
    """Why trainings on parts of the people clear nobody: first that not even a planted leak was found."""
    if not result.plan.is_by_subsets:
        return ()
    planted = planted_together(result)
    if planted is not None and planted.low <= GUESS:
        return (Reason("planted_missed"),)
    return (Reason("parts_of_people", {"share": wording.percent(result.plan.share)}),)


def _game(run: Played, result: RecordsResult, played: int, names: Names) -> tuple[tuple[str, str], ...]:
    plan, several = result.plan, result.counts.several
    method = {say("Methods"): names.called(plan.generator, "generators"), say("How it is run"): words.way(plan)}
    if plan.is_by_subsets:
        return run_finding.game_in_words(
            say("Of how many people can an attacker tell that they were in the training data?"),
            compared=say(
                "{trainings:,} random parts of the people; each person is in {share} of them, with all of their rows",
                trainings=plan.trainings,
                share=wording.percent(plan.share),
            ),
            knows=say("the rows of everybody, and not who is a member"),
            hypothesis=say("no person is recognised better than by guessing (AUC 0.50)"),
            more=method,
            counts=say("{records} asked about", records=many(played, of_people=True)),
        )
    if result.group:
        return run_finding.game_in_words(
            say("How exposed is the group of rows that was named, on this very table?"),
            compared=say("the table with and without all rows of the group"),
            knows=say("every row of the real table outside the group, and the method"),
            hypothesis=say("the group is not recognised better than by guessing (AUC 0.50)"),
            more=method,
            counts=say("one group of {rows:,} rows", rows=result.group),
        )
    if several is not None:
        return run_finding.game_in_words(
            say("How exposed is each person, with all of their rows, on this very table?"),
            compared=say(
                "the table with and without all rows of the person; releases with them are shared by all people"
            ),
            knows=say("the rows of all other people of the real table, and the method"),
            hypothesis=say("no person is recognised better than by guessing (AUC 0.50)"),
            more=method,
            counts=say(
                "{people}, each with all of their rows (up to {most:,})",
                people=many(played, of_people=True),
                most=several.most_rows,
            ),
        )
    return run_finding.game_in_words(
        say("How exposed is each single record, on this very table?"),
        compared=say("the table with and without the record; releases with it are shared by all records"),
        knows=say("every other row of the real table, and the method"),
        releases=run_finding.releases(run.plan),
        hypothesis=say("no record is recognised better than by guessing (AUC 0.50)"),
        more=method,
        counts=say("{records} tested", records=many(played, of_people=False)),
    )
