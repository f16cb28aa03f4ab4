"""What a page, a report and a notebook show of membership games, block by block.

A run may be about several methods. Those that made this release make one view, every other method another one: who made
it is no part of a result, so the reader of the question says which outcomes belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.questions.membership import words
from riskkit.questions.membership.bounds import FDR, bounds, listed_people
from riskkit.questions.membership.bounds import compare_attacks as compared_attacks
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import (
    Headline,
    MembershipResult,
    Outcome,
    PlantedControl,
    Sweep,
    allowing,
    headline,
)
from riskkit.questions.promises import Claim, claim_of, fits_of
from riskkit.show.blocks import (
    Axis,
    Cell,
    Column,
    Curve,
    Distribution,
    Group,
    Line,
    Numbers,
    Reference,
    RocBand,
    RocCurve,
    RocLine,
    Sentence,
    Swarm,
    SwarmArm,
    map_estimates,
    tabulate,
)
from riskkit.show.model import Bar, Block, Chart
from riskkit.show.names import Names, setting_key
from riskkit.stats.privacy import posteriors, tpr_cap

# The pictures of membership games as blocks: how well attacks do, ROC curves, scores, sweeps, groups of targets.

Named = Sequence[tuple[str, Outcome]]
"""Outcomes with what people call them."""
RIGHT = phrase("Share of releases answered rightly")
BARS = 16
"""Lines of the chart of AUCs; a longer list is in the CSV."""
BINS = 30
"""Steps of a score, between which releases are counted."""


def attack(outcome: Outcome, names: Names) -> str:
    """What people call its attack."""
    return names.called(outcome.labels["attack"], "attacks")


def method(outcome: Outcome, names: Names) -> str:
    """What people call its generator."""
    return names.called(outcome.labels["generator"], "generators")


def record(outcome: Outcome, names: Names) -> str:
    """What it is about, as the reader may see it."""
    return words.record({**outcome.labels, "record": names.record(outcome.labels["record"])})


def who(outcome: Outcome, names: Names, shared: Sequence[str] = ()) -> str:
    """An outcome for people, without what all outcomes of the picture share."""
    about = record(outcome, names)
    parts = {
        "record": f"{about[:1].upper()}{about[1:]}",
        "attack": attack(outcome, names),
        "generator": say("on {generator}", generator=method(outcome, names)),
    }
    return " · ".join(text for name, text in parts.items() if name not in shared)


def name_outcomes(outcomes: Sequence[Outcome], names: Names) -> Named:
    """Every outcome with a name that tells it from the others, and no longer than that takes."""
    shared = [
        name
        for name, labels in (("generator", ("generator",)), ("record", ("target", "position", "record")))
        if len({tuple(outcome.labels[label] for label in labels) for outcome in outcomes}) == 1
    ]
    return [(who(outcome, names, shared), outcome) for outcome in outcomes]


def success(outcomes: Sequence[Outcome], best: Headline, names: Names) -> Chart:
    """How well each attack does on the method that the sentence is about, the highest lower end first."""
    about = best.outcome.labels["generator"]
    own = [each for each in outcomes if each.labels["generator"] == about and "auc" in each.estimates]
    bars = [Bar(called, outcome.estimates["auc"]) for called, outcome in name_outcomes(own, names)]
    bars.sort(key=lambda bar: -bar.estimate.low)
    axis = say("AUC: share of pairs in which the release with the record is picked")
    return Chart(_successful([bar.estimate for bar in bars]), axis, tuple(bars), 0.5, (0.0, 1.0), key="success")


def _successful(estimates: Sequence[Estimate]) -> str:
    above = sum(map(words.is_above_chance, estimates))
    if not above:
        return say("No attack does better than guessing (AUC 0.50)")
    return counted(
        above,
        "{n} of {attacks} does better than guessing",
        "{n} of {attacks} do better than guessing",
        attacks=counted(len(estimates), "{n:,} attack", "{n:,} attacks"),
    )


def aucs(outcomes: Sequence[Outcome], names: Names) -> Chart | None:
    """The AUC of every attack on every record and method, on which verdict and limit stand; the highest ends first."""
    judged = [outcome for outcome in outcomes if "auc" in outcome.estimates]
    judged.sort(key=lambda outcome: -outcome.estimates["auc"].low)
    if not judged:
        return None
    above = sum(words.is_above_chance(outcome.estimates["auc"]) for outcome in judged)
    of = counted(len(judged), "{n:,} interval", "{n:,} intervals")
    caption = (
        say("{above} of {of} wholly above guessing", above=above, of=of)
        if above
        else say("None of {of} wholly above guessing", of=of)
    )
    bars = tuple(Bar(words_of(outcome, names), outcome.estimates["auc"]) for outcome in judged[:BARS])
    return Chart(caption, say("AUC (0.50 is guessing)"), bars, 0.5, (0.4, 1.0), key="aucs")


def words_of(outcome: Outcome, names: Names) -> str:
    """Which attack against which method on what."""
    return say(
        "{attack} against {method}, {record}",
        attack=attack(outcome, names),
        method=method(outcome, names),
        record=record(outcome, names),
    )


def promise(plan: MembershipPlan, outcome: Outcome) -> Claim | None:
    """What the method promises of worlds as they were played; None where it promises nothing."""
    kept = claim_of(outcome.labels["generator"], fits_of(plan.as_dict()))
    return kept if kept is not None and kept.holds_for(plan.relation) else None


def roc(game: Sequence[Outcome], plan: MembershipPlan, names: Names, *, is_log: bool = False) -> RocCurve:
    """Share named against share falsely accused, a line an attack, of outcomes of one game.

    Beside it stand the interval of the line with the largest area, and the most that the promise of the method allows.
    """
    rows = name_outcomes(game, names)
    lines = []
    for called, outcome in rows:
        curve, area = outcome.curve(), outcome.estimates.get("auc")
        if curve is not None:
            about = say("AUC {area}", area=area) if area else ""
            lines.append(RocLine(called, tuple(curve.fpr.tolist()), tuple(curve.tpr.tolist()), about))
    return RocCurve(
        "roc",
        _told_apart(rows),
        Axis(say("False alarms (share of releases without the record)")),
        Axis(say("Named (share of releases with the record)")),
        tuple(lines),
        (),
        1 / max(min(outcome.scores.trainings(False) for outcome in game), 1),
        is_log,
        _band(rows),
        _most(promise(plan, game[0])),
    )


def _told_apart(rows: Named) -> str:
    known = [(called, outcome.estimates["auc"]) for called, outcome in rows if "auc" in outcome.estimates]
    if not known:
        return say("Share of releases named at each share of false alarms")
    called, area = max(known, key=lambda pair: pair[1].value)
    if not words.is_above_chance(area):
        return say("No attack tells the releases apart; the highest AUC is {area}, guessing 0.50", area=area)
    return say("{who} tells them apart best: AUC {area}, guessing 0.50", who=called, area=area)


def _band(rows: Named) -> RocBand | None:
    """The interval of the line with the largest area, at each share of false alarms by itself."""
    drawn = [(called, outcome) for called, outcome in rows if outcome.curve() is not None]
    known = [place for place, (_, outcome) in enumerate(drawn) if "auc" in outcome.estimates]
    if not known:
        return None
    place = max(known, key=lambda position: drawn[position][1].estimates["auc"].value)
    called, outcome = drawn[place]
    level = outcome.estimates["auc"].level
    band = outcome.band(level)
    if band is None:
        return None
    title = say("{level} interval of {who}, point by point", level=wording.percent(level), who=called)
    return RocBand(title, place, tuple(band.fpr.tolist()), tuple(band.low.tolist()), tuple(band.high.tolist()))


def _most(kept: Claim | None) -> RocLine | None:
    """The most that a promise allows."""
    if kept is None:
        return None
    epsilon = kept.epsilon or 0.0
    fpr = np.concatenate([[0.0], np.geomspace(1e-4, 1, 200)])
    most = tpr_cap(fpr, epsilon, kept.delta)
    return RocLine(say("most that ε = {epsilon:g} allows", epsilon=epsilon), tuple(fpr.tolist()), tuple(most.tolist()))


def scores(outcome: Outcome) -> Swarm:
    """Every release by its score; of the spread, every training counts as one, whatever its releases."""
    taken = outcome.scores
    arms = []
    for is_in, name in ((False, say("without the record")), (True, say("with the record"))):
        own = taken.is_in == is_in
        trainings = counted(taken.trainings(is_in), "{n:,} training", "{n:,} trainings")
        releases = counted(int(own.sum()), "{n:,} release", "{n:,} releases")
        title = say("{side}, {trainings}, {releases}", side=name, trainings=trainings, releases=releases)
        arms.append(SwarmArm(title, is_in, tuple(taken.value[own].tolist()), tuple(taken.training[own].tolist())))
    sentence = _score_sentence(*(float(np.mean(taken.value[taken.is_in == is_in] > 0)) for is_in in (True, False)))
    across, up = Axis(say("Score of a release (no unit; higher means in)")), Axis(say("Trainings (one row each)"))
    return Swarm("scores", sentence, across, up, tuple(arms), _spread(arms, sentence))


def _score_sentence(named: float, accused: float) -> str:
    """How often the attack says "in" of either side; where that is as often, that the cut tells nothing."""
    named_share, accused_share = wording.percent(named), wording.percent(accused)
    if named_share == accused_share:
        return say(
            "The attack says “in” for {named} of the releases, with the record and without it alike", named=named_share
        )
    return say(
        "{named} of the releases with the record score above the cut, and {accused} of those without it",
        named=named_share,
        accused=accused_share,
    )


def _spread(arms: Sequence[SwarmArm], sentence: str) -> Distribution:
    """The share of either side's trainings between each two steps; none holds answers of both kinds."""
    edges = np.histogram_bin_edges(np.concatenate([arm.values for arm in arms]), BINS)
    if edges[0] < 0 < edges[-1]:
        edges = np.unique(np.append(edges, 0.0))
    sides = []
    for arm in arms:
        _, inverse, releases = np.unique(arm.trainings, return_inverse=True, return_counts=True)
        weights = 1 / (releases[inverse] * len(releases))
        sides.append((arm.who, arm.is_in, tuple(np.histogram(arm.values, edges, weights=weights)[0].tolist())))
    return Distribution(
        "scores",
        sentence,
        Axis(say("Score of a release (no unit; higher means in)"), (float(edges[0]), float(edges[-1]))),
        Axis(say("Share of the trainings with the record, or without it")),
        tuple(edges.tolist()),
        tuple(sides),
        cut=Reference(say("cut: says “in” →"), 0.0),
    )


def sweep(swept: Sweep, called: str, place: int) -> Curve:
    """Right answers under every value that an attack could choose: on its own releases, and on those that count."""
    places = tuple(range(len(swept.values)))
    lines = [Line(say("on the releases that count"), places, swept.counted, "band")]
    if swept.own:
        lines.append(Line(say("on its own releases"), places, swept.own, ""))
    return Curve(
        f"choice {place}",
        words.sentence(swept, called),
        Axis(say("{called} (values in the order tried)", called=called)),
        Axis(again(RIGHT), (0.0, 1.0)),
        tuple(lines),
        reference=Reference(say("chance 0.50"), 0.5),
        names=tuple(f"{value:g}" for value in swept.values),
        chosen=swept.at,
    )


def targets(curves: Mapping[str, Mapping[int, Estimate]]) -> Curve:
    """Right answers against how many targets went in or out together; one line an attack, by what people call it."""
    lines = []
    for called, points in curves.items():
        counts = sorted(points)
        lines.append(Line(called, tuple(counts), tuple(points[count] for count in counts)))
    return Curve(
        "targets",
        _from_how_many(curves),
        Axis(say("Targets in or out together (log scale)")),
        Axis(again(RIGHT), (0.0, 1.0)),
        tuple(lines),
        say("targets"),
        Reference(say("chance 0.50"), 0.5),
    )


def _from_how_many(curves: Mapping[str, Mapping[int, Estimate]]) -> str:
    """From how many targets on an attack is told from guessing, in the runs that were played."""
    above = [
        (count, called) for called, points in curves.items() for count, e in points.items() if words.is_above_chance(e)
    ]
    if not above:
        return say("No attack is distinguished from guessing (50 %), however many targets go in together")
    count, called = min(above)
    return say(
        "{who} does better than guessing from {targets} on, in these runs",
        who=called,
        targets=counted(count, "{n:,} target", "{n:,} targets"),
    )


READINGS: Mapping[str, str] = Readings(
    epsilon_lower=phrase("At the attack's own cut"),
    epsilon_any_cut=phrase("At the best of several cuts"),
    epsilon_bayesian=phrase("Bayesian interval"),
    epsilon_gaussian=phrase("If the method is Gaussian"),
)
"""What the bounds on epsilon are called, in the order of a table."""
SHOWN = 50
"""Records that are listed one by one."""
FOUND, MISSED = "✓", "○"


def view(result: MembershipResult, names: Names) -> tuple[Block, ...]:
    """Everything that was played, as if it were about one method."""
    best = headline(result.outcomes, result.control)
    return () if best is None else blocks(best, result.outcomes, result, names)


def blocks(
    best: Headline, outcomes: Sequence[Outcome], result: MembershipResult, names: Names, *, is_alone: bool = True
) -> tuple[Block, ...]:
    """What was played of these outcomes, in the order of the page; curves and bounds are those of the game of ``best``.

    Planted leaks are of no method, and stand in the view that is first or alone. Curves, scores and names are for those
    who may see rows.
    """
    level, plan = best.auc.level, result.plan
    judged = allowing(outcomes, level)
    game = [outcome for outcome in judged if outcome.game == best.outcome.game]
    blocks: list[Block] = [*controls(result.control, names)] if is_alone else []
    blocks.append(success(judged, best, names))
    chart = aucs(judged, names)
    blocks += [] if chart is None else [chart]
    if names.tells:
        blocks.append(Group("curves", "", curves(game, best.outcome, plan, names), is_beside=True))
    blocks += [
        *comparison(game, plan, names),
        *choices(result.sweeps or (), game, names),
        *_numbers(judged, best, names),
    ]
    blocks += [*_base_rates(best.outcome, names), *epsilon(game, plan, names)]
    if names.tells:
        blocks += _named_people(result, {outcome.labels["generator"] for outcome in outcomes}, names)
    return tuple(map_estimates(block, names.estimate) for block in blocks)


def controls(planted: Sequence[PlantedControl], names: Names) -> Iterator[Sentence]:
    """Whether the attacks found what was planted for them: one line each, with a sign that says it at a glance."""
    shown = [_to_be_told(control, names) for control in planted]
    lines = words.controls(shown, lambda attack: names.called(attack, "attacks"))
    attacks = dict.fromkeys(control.labels["attack"] for control in planted)
    for place, (attack, line) in enumerate(zip(attacks, lines, strict=True)):
        missed = any(not control.is_found for control in planted if control.labels["attack"] == attack)
        text = f"{MISSED if missed else FOUND} {line}"
        yield Sentence(f"control {place}", text, words.GLOSSARY["control"], is_small=True)


def _to_be_told(control: PlantedControl, names: Names) -> PlantedControl:
    """The same with the record as the reader may see it."""
    return replace(control, labels={**control.labels, "record": names.record(control.labels["record"])})


def curves(
    game: Sequence[Outcome], attack: Outcome, plan: MembershipPlan, names: Names, *, is_log: bool = False
) -> tuple[Block, ...]:
    """The ROC curves of one game, and the scores of one of its attacks."""
    return roc(game, plan, names, is_log=is_log), scores(attack)


def comparison(game: Sequence[Outcome], plan: MembershipPlan, names: Names) -> Iterator[Group]:
    """The attack with the highest AUC of one game against each of the others, on the same releases."""
    gaps = compared_attacks(game, plan.level)
    lines = []
    for place, (best, other, gap) in enumerate(gaps):
        about = {
            "who": attack(best, names),
            "than": attack(other, names),
            "gap": gap,
            "trainings": counted(gap.n, "{n:,} training", "{n:,} trainings"),
        }
        line = (
            say(
                "{who} does better than {than}: its AUC is higher by {gap} (0.00 is no difference; {trainings}).",
                **about,
            )
            if gap.low > 0
            else say(
                "{who} does not clearly do better than {than}: its AUC is higher by {gap} (0.00 is no "
                "difference; {trainings}).",
                **about,
            )
        )
        lines.append(Sentence(f"compared {place}", line))
    caption = say(
        "The first attack was picked because its AUC is the highest, which flatters it a little; the "
        "intervals allow for all comparisons."
    )
    if lines:
        yield Group("compared", say("On the same releases"), tuple(lines), caption=caption)


def choices(sweeps: Sequence[Sweep], game: Sequence[Outcome], names: Names) -> Iterator[Group]:
    """The settings that attacks of that game chose for themselves: a picture each, and what must be said beside it."""
    for place, swept in enumerate(sweeps):
        if any(dict(outcome.labels) == dict(swept.labels) for outcome in game):
            attack = swept.labels["attack"]
            setting = setting_key("attacks", attack.partition(":")[0], swept.setting)
            called = say(names.titles.get(setting, swept.setting))
            yield Group(
                f"choices {place}",
                say("A setting that the attack chose: {called}", called=called),
                (
                    Sentence("chose", names.called(attack, "attacks"), is_small=True),
                    sweep(swept, called, place),
                    Sentence("flatters", f"{_apart(swept)} {words.hindsight(swept, called)}", is_small=True),
                ),
            )


def _apart(swept: Sweep) -> str:
    if not swept.own:
        return say(
            "It chose on fewer than 5 releases of its own on each side, too few for a number; none of them counts "
            "in the result."
        )
    return say(
        "It chose on {releases} of its own, each from a training of its own; none of them counts in the result.",
        releases=counted(swept.own[0].n, "{n:,} release", "{n:,} releases"),
    )


def _numbers(outcomes: Sequence[Outcome], best: Headline, names: Names) -> Iterator[Group]:
    """All estimates in one table; on paper where they are few, else the foremost stand there."""
    measures = [name for name in words.TITLES if any(name in outcome.estimates for outcome in outcomes)]
    rows = tuple(
        (
            called,
            *(outcome.estimates.get(name, say("too few trainings")) for name in measures),
            max((estimate.n for estimate in outcome.estimates.values()), default=0),
        )
        for called, outcome in name_outcomes(outcomes, names)
    )
    columns = (
        Column("who", say("Attack"), width=3),
        *(Column(name, _head(name), words.GLOSSARY[name]) for name in measures),
        Column("trainings", say("Trainings"), words.GLOSSARY["training"], width=0.9),
    )
    caption = say(
        "Value [low, high] at {level:.0%}, counting trainings. The interval of the AUC is corrected for all tests, as "
        "in the verdict; every other one is for one test alone.",
        level=best.outcome.estimates["auc"].level,
    )
    title = say("All estimates with intervals")
    yield Group(
        "numbers",
        say("All numbers"),
        (Numbers("estimates", title, columns, rows),),
        is_folded=True,
        caption=caption,
        on_paper=len(rows) <= BARS,
    )


def _head(name: str) -> str:
    """What people call a measure, and what guessing reaches where that is one number."""
    chance = {"accuracy": 0.5, "auc": 0.5, "advantage": 0.0, "tpr_at_fpr": 0.1}
    return f"{words.TITLES[name]}{say(' (chance {chance:.2f})', chance=chance[name]) if name in chance else ''}"


def _base_rates(outcome: Outcome, names: Names) -> Iterator[Group]:
    """What an accusation is worth, for attackers who suspected more or less beforehand."""
    tpr = outcome.estimates.get("tpr_at_fpr")
    if tpr is None:
        return
    sentence = say(
        "At a cut that accuses {accused} of the releases made without it, {record} is named in {found} of those "
        "made with it. How much an accusation is worth depends on how likely the attacker thought it before that "
        "the record is in the data:",
        accused=wording.percent(words.reference(tpr)),
        record=record(outcome, names),
        found=wording.share(tpr),
    )
    table = tabulate(
        "base_rates",
        say("What a positive answer means at three base rates"),
        posteriors(tpr),
        {
            Column("before", say("Likely in before the release")): lambda pair: wording.percent(pair[0]),
            Column("after", say("Likely in when the attack says so")): lambda pair: wording.share(pair[1]),
            Column("trainings", say("Trainings"), words.GLOSSARY["training"]): lambda pair: pair[1].n,
        },
    )
    title = say("What it means when the attack says “in”")
    yield Group("base_rates", title, (Sentence("worth", sentence), table), is_folded=True)


def epsilon(game: Sequence[Outcome], plan: MembershipPlan, names: Names) -> Iterator[Group]:
    """What one game says of epsilon: a line for each attack and each way to read it."""
    rows: list[tuple[Cell, ...]] = []
    for called, outcome in name_outcomes(game, names):
        promised = claim_of(outcome.labels["generator"], fits_of(plan.as_dict())) or Claim()
        for bound in bounds(outcome, promised, plan.level):
            reading = say("{reading}: {attack}", reading=READINGS[bound.name], attack=called)
            rows.append((reading, bound, bound.n))
    if not rows:
        return
    columns = (
        Column("reading", say("How it is read, and of which attack"), width=4),
        Column("epsilon", "ε", width=2.4),
        Column("trainings", say("Trainings"), words.GLOSSARY["training"], width=0.9),
    )
    caption = say(
        "A bound says that ε is at least this large, for tables that differ as in this game; where no bound can "
        "be shown, ε may have any value. The Bayesian interval assumes that all error rates were equally likely "
        "beforehand; it is not a bound that the audit proves."
    )
    table = Numbers("epsilon", say("Bounds on epsilon"), columns, tuple(rows))
    yield Group("epsilon", say("What it says of ε"), (table,), is_folded=True, caption=caption)


def _named_people(result: MembershipResult, methods: set[str], names: Names) -> Iterator[Group]:
    """Who may be named after looking at all records of the run with all attacks; of these methods alone."""
    lines: list[Sentence] = []
    for group in listed_people(result.outcomes):
        if group.generator not in methods:
            continue
        named = [record for record, is_in in zip(group.records, group.is_listed, strict=True) if is_in]
        by = dict.fromkeys(by for by, is_in in zip(group.attacks, group.is_listed, strict=True) if is_in)
        who = joined(named[:SHOWN])
        who += say(" and {more} more", more=len(named) - SHOWN) if len(named) > SHOWN else ""
        sentence = say(
            "{method}: {named} of {records} records",
            method=names.called(group.generator, "generators"),
            named=len(named),
            records=len(group.records),
        )
        exposing = joined(names.called(attack, "attacks") for attack in by)
        through = say(" They are exposed by {attacks}.", attacks=exposing) if named else ""
        lines.append(Sentence(f"named {len(lines)}", f"{sentence}{f': {who}' if named else ''}.{through}"))
    caption = say(
        "On average, at most {fdr:.0%} of those named are there by chance, over all records and attacks "
        "of this run (Bonferroni over attacks; Benjamini and Hochberg over records). Their AUCs above "
        "are too high where they were picked for being high: run them again with another seed.",
        fdr=FDR,
    )
    if lines:
        yield Group("named", say("Which records may be named"), tuple(lines), is_folded=True, caption=caption)
