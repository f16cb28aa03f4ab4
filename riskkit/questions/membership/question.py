"""The membership game, as an audit asks it and as a report says it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from riskkit import registry
from riskkit.core import Knowledge, Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.worlds import MADE
from riskkit.judging.measurement import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import Readings, again, counted, kept, phrase, say
from riskkit.questions import Question, origin, parts, promises
from riskkit.questions.forecasts import Forecast
from riskkit.questions.membership import bounds, view, words
from riskkit.questions.membership.plan import HALVES, MembershipPlan
from riskkit.questions.membership.play import forecast as foretold
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import Headline, MembershipResult, Outcome, allowing, headline
from riskkit.questions.membership.result import PlantedControl as Planted
from riskkit.questions.membership.view import record, words_of
from riskkit.questions.promises import claim, fits_of
from riskkit.questions.standard import Effort, Situation
from riskkit.show import for_whom, run_finding
from riskkit.show.model import AtRisk, Chart, Given, Played, RunFinding, example
from riskkit.show.names import Names
from riskkit.show.pairs import Paired, Same
from riskkit.show.promise import Promised
from riskkit.show.run_finding import finding, silence, sizes
from riskkit.stats.multiplicity import corrected_p, p_value
from riskkit.stats.records import level_of_each
from riskkit.stats.same import aucs_difference
from riskkit.table.load import Tables
from riskkit.table.subset_counts import WIDEST
from riskkit.wording import percent

# What a result says of differential privacy, for those who read it as JSON.


def privacy(result: MembershipResult) -> dict[str, Any]:
    """What a result says of differential privacy, of many records and of attacks against each other, for JSON."""
    plan = result.plan
    claims = {generator: claim(generator, fits_of(plan.as_dict())) for generator in plan.generators}
    return bounds.as_dict(result.outcomes, claims, plan.relation, plan.level)


# The same targets attacked in games on the methods of two releases: AUC on the one less that on the other.

MADE_UP = "made up"


def pair_runs(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every attack on every target that both runs have, those that told most in the first first."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    ours, others = (
        [each for each in MembershipResult.from_plain(result).outcomes if each.labels["generator"] == method]
        for result, method in zip((before.result, after.result), same.methods, strict=True)
    )
    theirs = {_key(outcome, outcome.labels["record"]): outcome for outcome in others}
    both = [
        (outcome, theirs[key])
        for outcome in ours
        if (record := _moved_record(outcome.labels["record"], same)) and (key := _key(outcome, record)) in theirs
    ]
    each = level_of_each(level, max(len(both), 1))
    out = []
    for first, second in both:
        try:
            difference = aucs_difference(first.scores, second.scores, level=each)
        except DesignError:  # too few trainings
            continue
        who = say(
            "{attack} on record {record}",
            attack=names.called(first.labels["attack"], "attacks"),
            record=names.record(first.labels["record"]),
        )
        auc = first.estimates["auc"].value if "auc" in first.estimates else 0.0
        is_paired = "paired" in difference.method
        out.append((auc, Paired(who, say("AUC on the same target"), difference, len(both), is_paired)))
    return tuple(difference for _, difference in sorted(out, key=lambda pair: -pair[0]))


def _key(outcome: Outcome, record: str) -> tuple[str, ...]:
    """Which attack on which record. Records that were made up are none of the same people."""
    return record, outcome.labels["attack"]


def _moved_record(record: str, same: Same) -> str:
    """The record as the second table numbers it; empty where it is not in it, or was made up."""
    if record == MADE_UP:
        return ""
    rows = [None if part == MADE_UP else same.row(int(part)) for part in record.split("+")]
    return "" if None in rows else "+".join(map(str, rows))


GUESS = 0.5
"""What guessing reaches."""
IS_OWN = ("fixed", HALVES)
"""Worlds that are of this very table."""
LIMITS = (
    kept("These numbers are about the records that were attacked. Other people may be exposed more or less."),
    kept(
        "It speaks of the method with these settings, trained anew on this table. A file made otherwise may leak more."
    ),
    kept("These numbers are about the attacks that were run. A stronger attacker may succeed where these did not."),
    kept("Right answers, AUC and false alarms are averages over releases: any one release may expose a record."),
)
"""What a membership result does not show."""
WORLDS = Readings(
    {
        "fixed": kept("the same two tables in every training, with the record and without it"),
        "resampled": kept("other people around the record in every training"),
        "halves": kept("random halves of all people, those that hold the record and those that do not"),
        **dict.fromkeys(MADE, kept("two made tables, the hardest for the method: with the record and without it")),
    }
)
WORLDS_OF_PEOPLE = Readings(
    {
        "fixed": kept("the same two tables in every training, with all rows of the person and without any of them"),
        "resampled": kept("other people around the person in every training, each with all of their rows"),
        "halves": kept("random halves of all people, those that hold all rows of the person and those that hold none"),
    }
)
PROMISED = kept(
    "What a private method promises is about one row more or less, so it is not set beside people with several rows."
)
KNOWS = Readings(
    {
        Knowledge.EXACT: kept("every other row of the real table, and the method"),
        Knowledge.AUXILIARY: kept("other people of the same population, and the method"),
        Knowledge.NONE: kept("the release alone"),
    }
)


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The findings of a finished run: one about this release, one about each other method that was played."""
    assert run.result is not None
    result = MembershipResult.from_plain(run.result)
    methods = dict.fromkeys(outcome.labels["generator"] for outcome in result.outcomes)
    own = [method for method in methods if _is_covered(method, run, facts)]
    groups = [own, *([method] for method in methods if method not in own)]
    groups = [group for group in groups if group]
    return tuple(_read(run, result, names, facts, group, is_first=group is groups[0]) for group in groups)


def is_about(run: Played, facts: Given) -> bool:
    """Whether any game of the run is about this release."""
    return any(_is_covered(str(method), run, facts) for method in run.plan.get("generators", ()))


def _is_covered(method: str, run: Played, facts: Given) -> bool:
    """Whether games on that method are about this release: it made it, and the real table is the world."""
    is_own = str(run.plan.get("worlds", "fixed")) in IS_OWN
    return facts.provenance.covers(method) and is_own and facts.provenance.is_as_often(run.plan)


def _read(
    run: Played, result: MembershipResult, names: Names, facts: Given, methods: Sequence[str], *, is_first: bool
) -> RunFinding:
    """The finding on these methods; the first one has what is about the whole run."""
    assert run.result is not None
    outcomes = [outcome for outcome in result.outcomes if outcome.labels["generator"] in methods]
    is_own = _is_covered(methods[0], run, facts)
    planted = result.control
    best = headline(outcomes, planted)
    shown = () if best is None else view.blocks(best, outcomes, result, names, is_alone=is_first)
    judged = outcomes if best is None else allowing(outcomes, best.auc.level)
    aucs = [names.estimate(outcome.estimates["auc"]) for outcome in judged if "auc" in outcome.estimates]
    n = int(run.plan.get("trainings", 0))
    seconds = float(run.result.get("seconds", 0.0))
    measured = Measured(
        scale="auc",
        guess=GUESS,
        strongest=None if best is None else names.estimate(best.auc),
        widest=max(aucs, key=lambda auc: auc.high, default=None),
        who="" if best is None else words_of(best.outcome, names),
        looks=0 if best is None else best.looks,
        control=_control(best, planted, names),
        lowest=min(aucs, key=lambda auc: auc.low, default=None),
        is_complete=best is not None and best.looks == len(outcomes),
        reasons=(*_reasons(run, facts), *origin.reasons(result.origins, methods)) if is_own else (),
        seconds_each=seconds / n if n else 0.0,
        made=n,
        chance=partial(_chance, outcomes),
    )
    return finding(
        run,
        names,
        sentence=_sentence(best, run, names, facts),
        **_plain(best, names),
        change=_remedy_of_one(outcomes) if is_own else "",
        game=_game(run, result, outcomes, names, facts),
        measured=measured,
        tested=len({outcome.labels["record"] for outcome in outcomes} - {MADE_UP}),
        estimates=(
            *(names.estimate(e) for outcome in judged for e in outcome.estimates.values()),
            *(map(names.estimate, result.others) if is_first else ()),
        ),
        limits=tuple(map(say, (*LIMITS, PROMISED) if result.counts.unit else LIMITS)),
        chart=next((block for block in shown if isinstance(block, Chart) and block.key == "aucs"), None),
        at_risk=_exposed_records(judged, names),
        what_if="" if is_own else _what_if(run, methods, names, facts),
        promises=() if result.counts.unit else _promises(run, names, facts, outcomes),
        for_whom=for_whom.read(run.result, names, room="attacks") if result.plan.generators[0] in methods else None,
        view=shown,
    )


def _remedy_of_one(outcomes: Sequence[Outcome]) -> str:
    """What lowers it where one record alone was attacked; empty where several were, or a group of them."""
    if "+" in "+".join({str(outcome.labels["record"]) for outcome in outcomes}):
        return ""
    return say("Make the release again without this person, or by a method that promises an ε.")


def _reasons(run: Played, facts: Given) -> tuple[Reason, ...]:
    """What a game about this release was otherwise than the release: its rows, or that it had half of the people."""
    differ = sizes(int(run.plan.get("n_syn", 0)), facts.released_rows)
    if run.plan.get("worlds") == HALVES:
        return (*differ, Reason("parts_of_people", {"share": percent(parts.HALF)}))
    return differ


def _promises(run: Played, names: Names, facts: Given, outcomes: Sequence[Outcome]) -> tuple[Promised, ...]:
    """What the methods promise; of one person, so nothing where several go in together."""
    plan = run.plan
    if plan.get("together") and any("+" in str(outcome.labels["record"]) for outcome in outcomes):
        return ()
    game = promises.PlayedTables.read(str(plan.get("relation", "add-one")), int(plan.get("rows", 0)), facts, plan)
    level, out = float(plan.get("level", 0.95)), []
    for method in _methods(outcomes):
        scores = [outcome.scores for outcome in outcomes if outcome.labels["generator"] == method]
        once = promises.find_one_run(facts, method, game.relation)
        block = promises.promise_block(method, names.called(method, "generators"), game, scores, level, once)
        out += [] if block is None else [block]
    return tuple(out)


def _what_if(run: Played, methods: Sequence[str], names: Names, facts: Given) -> str:
    """Of another method, or of the method of the release on other tables, or released more or less often."""
    worlds, called = run.plan.get("worlds", "fixed"), (names.called(method, "generators") for method in methods)
    if worlds in MADE:
        return run_finding.if_worst(say(", ").join(called))
    if facts.provenance.covers(methods[0]):
        if worlds in IS_OWN:
            return run_finding.if_released(int(run.plan.get("releases", 1)))
        return again(run_finding.IF_OTHERS)
    return run_finding.if_made_by(say(", ").join(called))


def _chance(outcomes: Sequence[Outcome], bar: float) -> float | None:
    """The chance that any attack points to a record so clearly, had that been no matter of who was in."""
    judged = [outcome for outcome in outcomes if "auc" in outcome.estimates]
    return corrected_p(p_value(outcome.scores) for outcome in judged) if judged and bar == GUESS else None


def _control(best: Headline | None, planted: Sequence[Planted], names: Names) -> Control:
    if not planted:
        return Control.none(say("No leak was planted to see whether these attacks would find one."))
    seen = sum(leak.is_found for leak in planted)
    sentence = say(
        "Of {leaks} planted on purpose, one for each attack and record, {found} found.",
        leaks=counted(len(planted), "{n:,} leak", "{n:,} leaks"),
        found=seen,
    )
    aucs = [leak.auc for leak in planted if leak.auc is not None]
    weakest = names.estimate(min(aucs, key=lambda auc: auc.low)) if len(aucs) == len(planted) else None
    below = math.inf if seen == len(planted) else -math.inf
    return Control(best is None or best.missed is not None, below, sentence, weakest)


def _knowledge(attack: str, run: Played, facts: Given) -> Knowledge:
    own = Knowledge(facts.knows.get(attack.partition(":")[0], Knowledge.EXACT))
    if run.plan.get("worlds") == HALVES and own is not Knowledge.NONE:
        return Knowledge.AUXILIARY
    asked = run.plan.get("knowledge", "own")
    return own if asked == "own" or own is Knowledge.NONE else Knowledge(asked)


def _sentence(best: Headline | None, run: Played, names: Names, facts: Given) -> str:
    if best is None:
        return say("There are too few trainings for a number: an interval needs 5 with the record and 5 without.")
    knowledge = _knowledge(best.outcome.labels["attack"], run, facts)
    return words.auc(names.estimate(best.auc), knowledge)


def _plain(best: Headline | None, names: Names) -> dict[str, str]:
    """The same in one breath, and where its number stands beside it."""
    if best is None:
        return {}
    if names.estimate(best.auc).low <= GUESS:
        return silence(best.looks, names.estimate(best.auc))
    who = record(best.outcome, names)
    return {
        "plain": say("An attacker can tell whether {who} is in the data.", who=who),
        "brief": say("Exposed: {who}.", who=who) if names.tells else say("Exposed: 1 record."),
    }


def _game(
    run: Played, result: MembershipResult, outcomes: Sequence[Outcome], names: Names, facts: Given
) -> tuple[tuple[str, str], ...]:
    knows = dict.fromkeys(_knowledge(str(attack), run, facts) for attack in run.plan.get("attacks", ()))
    records = dict.fromkeys((outcome.labels["target"], outcome.labels["position"]) for outcome in outcomes)
    worlds, of_people = str(run.plan.get("worlds", "fixed")), result.counts.unit is not None
    asks = say("Was this record in the data that the method was trained on?")
    if of_people:
        asks = say("Was this person, with all of their rows, in the data that the method was trained on?")
    attacks = (names.called(str(text), "attacks") for text in run.plan.get("attacks", ()))
    return run_finding.game_in_words(
        asks,
        compared=(WORLDS_OF_PEOPLE if of_people else WORLDS).get(worlds, say("as the settings say")),
        knows=say("; ").join(KNOWS[each] for each in knows),
        releases=run_finding.releases(run.plan),
        hypothesis=say(
            "no attacker does better than guessing (AUC 0.50); it is rejected where an interval lies wholly above 0.50"
        ),
        more={
            say("Methods"): say(", ").join(names.called(method, "generators") for method in _methods(outcomes)),
            say("Attacks"): say(", ").join(attacks),
        },
        counts=_count_sentence(result, len(records)),
    )


def _count_sentence(result: MembershipResult, records: int) -> str:
    """Trainings of a game, and how many records or people were played."""
    trainings, unit = counted(result.plan.trainings, "{n:,} training", "{n:,} trainings"), result.counts.unit
    if unit is None:
        return say(
            "{trainings} a game, half with the record; {records}",
            trainings=trainings,
            records=counted(records, "{n:,} record", "{n:,} records"),
        )
    return say(
        "{trainings} a game, half with the person; {people}, each with all of their rows (up to {most:,} in this "
        "table; a person's score is the {of_person} of their rows)",
        trainings=trainings,
        people=counted(records, "{n:,} person", "{n:,} people"),
        most=unit.most_rows,
        of_person=unit.of_person,
    )


def _methods(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(outcome.labels["generator"]) for outcome in outcomes))


def _exposed_records(outcomes: Sequence[Outcome], names: Names) -> tuple[AtRisk, ...]:
    """The strongest attack on each record, the most exposed record first."""
    strongest: dict[tuple[str, str, str], Outcome] = {}
    for outcome in outcomes:
        if "auc" in outcome.estimates:
            key = outcome.labels["record"], outcome.labels["target"], outcome.labels["position"]
            own = strongest.get(key)
            if own is None or outcome.estimates["auc"].low > own.estimates["auc"].low:
                strongest[key] = outcome
    listed = [
        AtRisk(record(outcome, names), words_of(outcome, names), names.estimate(outcome.estimates["auc"]))
        for outcome in strongest.values()
    ]
    return tuple(sorted(listed, key=lambda risk: -risk.estimate.low))


OWN: Mapping[Effort, int] = {Effort.QUICK: 5, Effort.STANDARD: 10, Effort.THOROUGH: 25}
"""How many of the shared trainings on either side attackers learn from, where a method trains long."""
TRAININGS: Mapping[Effort, int] = {Effort.QUICK: 20, Effort.STANDARD: 60, Effort.THOROUGH: 260}
"""Counted trainings of each game; 260 tell an AUC of 0.60 from guessing in 8 of 10 audits."""
LEARNT: Mapping[Effort, int] = {Effort.QUICK: 10, Effort.STANDARD: 20, Effort.THOROUGH: 50}
"""Trainings on either side that the attack of Records learns from; the quickest are those of *neighbour* as well."""
SETS = 4_095
"""Sets of columns that it counts in a table of so many columns that all sets would take longer than the trainings."""


def run(tables: Tables, plan: MembershipPlan, **how: Any) -> MembershipResult:
    """The result of that plan; a release is no part of the game, but is compared with others of the methods."""
    played = plan.summarise(tables)
    return run_membership(played.real, plan, played.holdout, played.persons, _compared(tables, plan), **how)


def _compared(tables: Tables, plan: MembershipPlan) -> Table | None:
    """The release that is set beside others of the methods; None where the games are on no such table as made it."""
    return origin.release_to_compare(tables, second_table=plan.second_table or plan.worlds not in IS_OWN)


def forecast(tables: Tables, plan: MembershipPlan, *, workers: int = 1) -> Forecast:
    """What that plan will take and what it can show."""
    played = plan.summarise(tables)
    return foretold(played.real, plan, played.holdout, played.persons, _compared(tables, plan), workers=workers)


def standard(situation: Situation) -> MembershipPlan | None:
    """The game for one who stands out most and one at random, where the method is known; of another it says nothing.

    It plays the attack of Records as well: about one person both come to the same.

    Where a training takes long, the trainings are those of Records; a game of several releases has its own.
    """
    if not situation.made_by:
        return None
    if fits.is_long(registry.parse("generators", situation.made_by)) and not situation.released:
        return MembershipPlan(
            generators=(situation.made_by,),
            targets=("selective", "random"),
            attacks=tuple(f"{attack}:own={OWN[situation.effort]}" for attack in ("neighbour", "lira")),
            worlds=HALVES,
            trainings=parts.TRAININGS[situation.effort],
            n_syn=situation.rows,
            second_table=situation.trains_both,
        )
    is_wide = len(situation.tables.real.schema.modelled) > WIDEST
    counts = f"queries:own={LEARNT[situation.effort]}" + is_wide * f",sets={SETS}"
    return MembershipPlan(
        generators=(situation.made_by,),
        targets=("selective", "random"),
        attacks=("mvl", "neighbour", counts),
        trainings=TRAININGS[situation.effort],
        n_syn=situation.rows,
        second_table=situation.trains_both,
        **situation.released,
    )


QUESTION = Question(
    title=phrase("Membership"),
    meaning=phrase(
        "An attacker sees a release and guesses whether one person was in the data: the one who stands out most, or "
        "others that you choose. The method is trained again and again."
    ),
    place=10,
    scale="auc",
    remedy=phrase("Make the release again without exposed people, or by a method that promises an ε."),
    plan=MembershipPlan,
    main="generators",
    more=lambda result: {"privacy": privacy(result)},
    files={
        "synthetic": "table of the release; only its columns and domain are used",
        "holdout": "table of people outside the data; auxiliary rows of an attacker",
    },
    has_second_table=True,
    run=run,
    result=MembershipResult,
    forecast=forecast,
    read=read,
    view=view.view,
    is_about=is_about,
    standard=standard,
    references={"accuracy": 0.5, "auc": 0.5, "advantage": 0.0, "epsilon_lower": 0.0},
    pair=pair_runs,
    counts_people=True,
    reads_files=False,
    wants=phrase("the method that made the release, to train it again"),
    example=example(
        phrase("Example: in 80 % of cases an attacker picks the release that was made with this person."),
        phrase("AUC (guessing 0.50)"),
        {phrase("nearest neighbours"): (0.8, 0.73, 0.86), phrase("summary figures"): (0.55, 0.47, 0.63)},
        guess=0.5,
    ),
)
