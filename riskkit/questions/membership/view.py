"""What a page, a report and a notebook show of membership games, block by block.

A run may be about several methods. Those that made this release make one view, every other method another one: who made
it is no part of a result, so the reader of the question says which outcomes belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from riskkit import wording
from riskkit.language import counted, joined, say
from riskkit.questions.membership import choice_words, pictures, words
from riskkit.questions.membership.bounds import FDR, bounds, listed
from riskkit.questions.membership.bounds import compared as compared_attacks
from riskkit.questions.membership.choices import Sweep
from riskkit.questions.membership.control import PlantedControl
from riskkit.questions.membership.findings import Headline, headline
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult, Outcome
from riskkit.questions.promises import Claim, claim_of, fits_of
from riskkit.show.blocks import Cell, Column, Group, Numbers, Sentence, mapped
from riskkit.show.model import Block
from riskkit.show.names import Names, setting_key
from riskkit.stats.privacy import posteriors

READINGS: Mapping[str, str] = {
    "epsilon_lower": say("At the attack's own cut"),
    "epsilon_any_cut": say("At the best of several cuts"),
    "epsilon_bayesian": say("Bayesian interval"),
    "epsilon_gaussian": say("If the method is Gaussian"),
}
"""What the bounds on epsilon are called, in the order of a table."""
SHOWN = 50
"""Records that are listed one by one."""
FOUND, MISSED = "✓", "○"


def view(result: MembershipResult, names: Names) -> tuple[Block, ...]:
    """Everything that was played, as if it were about one method."""
    best = headline(result.outcomes, result.control)
    return () if best is None else of(best, result.outcomes, result, names)


def of(
    best: Headline, outcomes: Sequence[Outcome], result: MembershipResult, names: Names, *, is_alone: bool = True
) -> tuple[Block, ...]:
    """What was played of these outcomes, in the order of the page; curves and bounds are those of the game of ``best``.

    Planted leaks are of no method, and stand in the view that is first or alone; so do, grey, other methods. Curves,
    scores and names are for those who may see rows.
    """
    game, plan = [outcome for outcome in outcomes if outcome.game == best.outcome.game], result.plan
    blocks: list[Block] = [*controls(result.control, names)] if is_alone else []
    blocks.append(pictures.success(result.outcomes if is_alone else outcomes, best, names))
    chart = pictures.aucs(outcomes, names)
    blocks += [] if chart is None else [chart]
    if names.tells:
        blocks.append(Group("curves", "", curves(game, best.outcome, plan, names), is_beside=True))
    blocks += [
        *compared(game, plan, names),
        *choices(result.sweeps or (), game, names),
        *_numbers(outcomes, best, names),
    ]
    blocks += [*_base_rates(best.outcome, names), *epsilon(game, plan, names)]
    if names.tells:
        blocks += _named(result, {outcome.labels["generator"] for outcome in outcomes}, names)
    return tuple(mapped(block, names.estimate) for block in blocks)


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
    return pictures.roc(game, plan, names, is_log=is_log), pictures.scores(attack)


def compared(game: Sequence[Outcome], plan: MembershipPlan, names: Names) -> Iterator[Group]:
    """The attack with the highest AUC of one game against each of the others, on the same releases."""
    gaps = compared_attacks(game, plan.level)
    lines = []
    for place, (best, other, gap) in enumerate(gaps):
        about = {
            "who": pictures.attack(best, names),
            "than": pictures.attack(other, names),
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
                    pictures.sweep(swept, called, place),
                    Sentence("flatters", f"{_apart(swept)} {choice_words.hindsight(swept, called)}", is_small=True),
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
        for called, outcome in pictures.named(outcomes, names)
    )
    columns = (
        Column("who", say("Attack"), width=3),
        *(Column(name, _head(name), words.GLOSSARY[name]) for name in measures),
        Column("trainings", say("Trainings"), words.GLOSSARY["training"], width=0.9),
    )
    caption = say(
        "Value [low, high] at {level:.0%}, counting trainings. These intervals are for one look each; the "
        "verdict above allows for looking at all of them.",
        level=best.outcome.estimates["auc"].level,
    )
    title = say("All estimates with intervals")
    yield Group(
        "numbers",
        say("All numbers"),
        (Numbers("estimates", title, columns, rows, alt=title),),
        is_folded=True,
        caption=caption,
        on_paper=len(rows) <= pictures.BARS,
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
        "At a cut that accuses {accused} of the releases made without it, {record} is named in {found} "
        "of those made with it. How much an accusation is worth depends on how likely the attacker "
        "thought it before that the record was in:",
        accused=wording.percent(words.reference(tpr)),
        record=pictures.record(outcome, names),
        found=wording.share(tpr),
    )
    rows = tuple(
        (wording.percent(prior), wording.share(posterior), posterior.n) for prior, posterior in posteriors(tpr)
    )
    columns = (
        Column("before", say("Likely in before the release")),
        Column("after", say("Likely in when the attack says so")),
        Column("trainings", say("Trainings"), words.GLOSSARY["training"]),
    )
    title = say("What a positive answer means at three base rates")
    yield Group(
        "base_rates",
        say("What it means when the attack says “in”"),
        (Sentence("worth", sentence), Numbers("base_rates", title, columns, rows, alt=title)),
        is_folded=True,
    )


def epsilon(game: Sequence[Outcome], plan: MembershipPlan, names: Names) -> Iterator[Group]:
    """What one game says of epsilon: a line for each attack and each way to read it."""
    rows: list[tuple[Cell, ...]] = []
    for called, outcome in pictures.named(game, names):
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
        "A bound says that ε is at least this large, for tables that differ as in this game; where no "
        "bound can be shown, nothing is known of ε. The Bayesian interval assumes that all error rates "
        "were equally likely beforehand; it is not a bound that the audit proves."
    )
    table = Numbers("epsilon", say("Bounds on epsilon"), columns, tuple(rows), alt=say("Bounds on epsilon"))
    yield Group("epsilon", say("What it says of ε"), (table,), is_folded=True, caption=caption)


def _named(result: MembershipResult, methods: set[str], names: Names) -> Iterator[Group]:
    """Who may be named after looking at all records of the run with all attacks; of these methods alone."""
    lines: list[Sentence] = []
    for group in listed(result.outcomes):
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
