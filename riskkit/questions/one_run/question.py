"""One training, as an audit asks about it and as page, report and command line say it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from riskkit.core import Estimate, Scores
from riskkit.judging.measurement import EPSILON, Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import Readings, again, phrase, say
from riskkit.questions import Question, promises
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.one_run.play import forecast, run_one_run
from riskkit.questions.one_run.result import Guessed, OneRunResult, Planted
from riskkit.show import for_whom, run_finding
from riskkit.show.model import Bar, Chart, Given, Played, RunFinding, example
from riskkit.show.names import Names
from riskkit.show.run_finding import finding, sizes
from riskkit.stats.one_run import fewest_right, one_run_epsilon, one_run_p
from riskkit.wording import COUNTED, SHOWN_AS_NOTHING, number, percent

LIMITS = (
    phrase("It is a lower bound of ε. How large ε really is stays unknown; a stronger attack may show more."),
    phrase(
        "It holds for guesses about rows that were included by chance before the training. Where it was known "
        "before which are included, right guesses show nothing."
    ),
    phrase(
        "It speaks of the method with these settings, trained on a table of which half of the canaries were left "
        "out; not of one person, and not of a file that was made otherwise."
    ),
)
"""What such a result does not show."""
GUESSED = 0.5
"""The AUC of guessing in games of many trainings."""
WORLDS: Mapping[str, str] = Readings(
    {
        "add-one": phrase("one training; each canary is included with probability ½"),
        "replace-one": phrase(
            "one training; each canary is included with probability ½, else another row in its place"
        ),
    }
)
"""How tables differ, by the relation of the plan."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release if that very method made it, else a what-if."""
    assert run.result is not None
    result = OneRunResult.from_plain(run.result)
    bounds, strongest = [names.estimate(bound) for bound in result.estimates], _strongest(result)
    method = names.called(result.plan.generator, "generators")
    plan, counts = result.plan, result.counts
    game = promises.PlayedTables.read(plan.relation, counts.trained, facts)
    games = promises.games_of(facts, plan.generator, plan.relation)
    is_told = _is_told_by_games(games, counts.delta_used, plan.level)
    guesses = tuple(guessed.guesses for guessed in result.guesses)
    once = promises.OneRun(counts.audited, guesses, counts.delta_used)
    block = promises.promise_block(plan.generator, method, game, games, plan.level, once)
    return (
        finding(
            run,
            names,
            sentence=sentence(bounds[0], method),
            plain=_plain(bounds[0], strongest, is_told_by_games=is_told),
            brief=_brief(strongest),
            game=_game(result, names, method),
            measured=_measure(run, result, facts, bounds[0], names, is_told_by_games=is_told),
            estimates=bounds,
            limits=again(LIMITS),
            extra=lines(result, bounds),
            chart=_chart(result, strongest, None),
            charted=partial(_chart, result, strongest),
            what_if="" if is_about(run, facts) else _what_if(run, facts, method),
            promises=(() if block is None else (block,)),
            for_whom=for_whom.read(
                run.result, names, about=say("by the trained method") if result.plan.sees == MODEL else ""
            ),
        ),
    )


def is_about(run: Played, facts: Given) -> bool:
    """Whether the run is about this release: that method made it, and nobody's rows were added to the training."""
    return facts.provenance.covers(str(run.plan.get("generator", ""))) and not run.plan.get("made")


def sentence(bound: Estimate, method: str) -> str:
    """What was found, in one sentence."""
    if bound.value < SHOWN_AS_NOTHING:
        return say(
            "Guesses of which canaries were in one training of {method} show no ε above 0; had every guess been "
            "right, they would show {ceiling:.2f}.",
            method=method,
            ceiling=bound.high,
        )
    return say(
        "Guesses of which canaries were in one training of {method} show that its ε is at least {bound:.2f}; had "
        "every guess been right, they would show {ceiling:.2f}.",
        method=method,
        bound=bound.value,
        ceiling=bound.high,
    )


def _brief(guessed: Guessed) -> str:
    """How many guesses were right."""
    return say(
        "{right:,} of {made:,} right (guessing: {half:,.0f}).",
        made=guessed.n_guesses,
        right=guessed.right,
        half=guessed.n_guesses / 2,
    )


def _is_told_by_games(games: Sequence[Scores], delta: float, level: float) -> bool:
    """Whether games of many trainings of the same method show what one training is too weak to show."""
    auc, _ = promises.strongest_attack(games, delta, level)
    return auc is not None and auc.low > GUESSED


def _plain(bound: Estimate, guessed: Guessed, *, is_told_by_games: bool) -> str:
    """The same in a few words; one training never shows that there is no leak."""
    guesses = say(
        "An attacker said of {made:,} test rows (canaries) whether they were in the training: {right:,} answers were "
        "right (guessing: {half:,.0f}).",
        made=guessed.n_guesses,
        right=guessed.right,
        half=guessed.n_guesses / 2,
    )
    if bound.value > 0:
        return guesses
    if is_told_by_games:
        return say("{guesses} That may be luck, but Membership shows a leak of this method.", guesses=guesses)
    return say("{guesses} That may be luck; a leak is not ruled out.", guesses=guesses)


def lines(result: OneRunResult, bounds: Sequence[Estimate]) -> tuple[str, ...]:
    """How many guesses were made and right, and what else the same guesses show."""
    guesses, delta = result.guesses, result.counts.delta_used
    out = [_guess_sentence(guess, result.counts.audited) for guess in guesses]
    if len(guesses) > 1:
        out.append(
            say("{numbers} numbers of guesses were tried; the bound allows for all of them.", numbers=len(guesses))
        )
    if delta:
        out.append(say("All bounds are at δ = {delta:g}.", delta=delta))
    if len(bounds) > 1:
        out.append(
            say(
                "By the method's own card its noise is normal. If that is so, the same guesses show an ε of {number} "
                "at δ = {delta}.",
                number=number(bounds[1]),
                delta=bounds[1].labels.get("delta", f"{delta:g}"),
            )
        )
    if result.plan.made:
        out.append(say("Made-up rows were part of the training: do not publish what was made of it."))
    return tuple(out)


def _guess_sentence(guesses: Guessed, audited: int) -> str:
    return say(
        "Of {audited:,} canaries {inside:,} were guessed in and {outside:,} out: {right:,} of {made:,} guesses "
        "were right ({share}; by chance 50 %).",
        audited=audited,
        inside=guesses.called_in,
        outside=guesses.called_out,
        right=guesses.right,
        made=guesses.n_guesses,
        share=percent(guesses.right / guesses.n_guesses),
    )


def _game(result: OneRunResult, names: Names, method: str) -> tuple[tuple[str, str], ...]:
    plan = result.plan
    attack = {} if plan.sees == MODEL else {say("Attacks"): names.called(plan.attack, "released")}
    return run_finding.game_in_words(
        say("Which of the canaries were in the training?"),
        compared=say("one training on a random half of the people; each canary is one of them with probability ½")
        if plan.halves
        else WORLDS.get(plan.relation, say("as the settings say")),
        knows=say("the canaries, all other rows, the method, and what it has learnt")
        if plan.sees == MODEL
        else say("the canaries and the released file"),
        hypothesis=say("ε is 0; larger ones are rejected in turn, up to the bound"),
        more={say("Methods"): method, **attack},
        counts=say(
            "right guesses on {audited:,} canaries, in one training on {trained:,} rows",
            audited=result.counts.audited,
            trained=result.counts.trained,
        ),
    )


def _measure(
    run: Played, result: OneRunResult, facts: Given, bound: Estimate, names: Names, *, is_told_by_games: bool
) -> Measured:
    plan, counts = result.plan, result.counts
    return Measured(
        scale=EPSILON,
        guess=0.0,
        strongest=bound,
        widest=bound,
        who=say("trained method") if plan.sees == MODEL else names.called(plan.attack, "released"),
        looks=1,
        control=_control(result.control),
        unit="audit row",
        reasons=(
            *(sizes(counts.released, facts.released_rows) if is_about(run, facts) else ()),
            Reason("games_show" if is_told_by_games else "one_training"),
        ),
        made=counts.audited,
        chance=partial(_chance, result),
    )


def _chance(result: OneRunResult, bar: float) -> float:
    """The chance of so many right guesses, by any number of guesses that was tried, were epsilon at the bar."""
    counts, tried = result.counts, [guessed.guesses for guessed in result.guesses]
    each = (one_run_p(counts.audited, own.n_guesses, own.right, bar, counts.delta_used) for own in tried)
    return min(1.0, len(tried) * min(each))


def _control(planted: Planted) -> Control:
    """What the same guesses show of a release of drawn rows as they are."""
    bound = planted.bound
    is_found = bound.value >= SHOWN_AS_NOTHING
    if is_found:
        caption = say(
            "Of a release of real rows as they are, drawn with repeats, the same auditor shows that ε is at least "
            "{number}.",
            number=number(bound),
        )
    else:
        caption = say(
            "Of a release of real rows as they are, drawn with repeats, the same auditor shows nothing: with this "
            "attack and so few rows silence says nothing."
        )
    return Control(True, float("inf") if is_found else float("-inf"), caption, bound)


def _level(result: OneRunResult) -> float:
    """That of each number of guesses: the bound allows for all that were tried."""
    return 1 - (1 - result.plan.level) / len(result.guesses)


def _strongest(result: OneRunResult) -> Guessed:
    """The guesses that show most; the most of them where none shows anything."""
    shown = partial(one_run_epsilon, result.counts.audited, delta=result.counts.delta_used, level=_level(result))
    return max(result.guesses, key=lambda guessed: shown(guessed.n_guesses, guessed.right))


def _chart(result: OneRunResult, guessed: Guessed, limit: float | None) -> Chart:
    """How many guesses were right, beside chance, and how many it takes to show a leak and one above the limit."""
    made, counts = guessed.n_guesses, result.counts
    takes = partial(fewest_right, counts.audited, made, delta=counts.delta_used, level=_level(result))
    least, above = takes(0.0), None if limit is None else takes(limit)
    is_shown = least is not None and guessed.right >= least
    marks = [
        (say("right answers"), guessed.right, "above" if is_shown else ""),
        (say("the fewest that show an ε above the limit"), above, "ceiling"),
    ]
    reach = 1.25 * max(0.08 * made, *(abs(mark - made / 2) for mark in (guessed.right, least, above) if mark))
    about = {"made": made, "right": guessed.right}
    if least is None:
        sentence = say("Even {made:,} right answers would show no leak", **about)
    elif is_shown:
        sentence = say("{right:,} of {made:,} answers were right, more than luck explains", **about)
    else:
        sentence = say("{right:,} right answers of {made:,} may be luck", **about)
    return Chart(
        sentence,
        say("right answers of {made:,}", made=made),
        tuple(Bar(who, _count(mark, counts.audited), kind) for who, mark, kind in marks if mark is not None),
        None,
        (math.floor(made / 2 - reach), math.ceil(made / 2 + reach)),
        caption="" if least is None else say("Grey: may be luck. A leak shows from {least:,} on.", least=least),
        luck=None if least is None else (made - least, least),
    )


def _count(mark: float, canaries: int) -> Estimate:
    return Estimate("right_guesses", mark, mark, mark, 0.95, COUNTED, canaries)


def _what_if(run: Played, facts: Given, method: str) -> str:
    """Of another method, or of the method of the release with rows that are nobody's."""
    if facts.provenance.covers(str(run.plan.get("generator", ""))):
        return again(run_finding.IF_OTHERS)
    return run_finding.if_made_by(method)


QUESTION = Question(
    title=phrase("One run"),
    meaning=phrase(
        "Use this where your method is too slow for Membership. Some test rows (canaries) join the training at random, "
        "the others do not. An attacker guesses which."
    ),
    asks=phrase("Does a single training leak its rows?"),
    icon="casino",
    place=30,
    scale=EPSILON,
    remedy=phrase("Make the release again by a method that adds more noise."),
    plan=OneRunPlan,
    main="generator",
    run=run_one_run,
    result=OneRunResult,
    forecast=forecast,
    read=read,
    is_about=is_about,
    measures={
        "epsilon_one_run": phrase("ε, lower bound from one training"),
        "epsilon_one_run_gaussian": phrase("the same, if the noise is normal"),
    },
    references={"epsilon_one_run": 0.0, "epsilon_one_run_gaussian": 0.0},
    reads_files=False,
    wants=phrase("a method that can be trained once more"),
    example=example(
        phrase("Example: an attacker is right about 620 of 1,000 canaries (guessing: 500)."),
        phrase("right answers of {made:,}", made=1_000),
        {phrase("right answers"): (620.0, 620.0, 620.0)},
        guess=500.0,
        ends=(460.0, 660.0),
    ),
)
