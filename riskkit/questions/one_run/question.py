"""One training, as an audit asks about it and as page, report and command line say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from riskkit.core import Estimate
from riskkit.judging.measurement import EPSILON, Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import say
from riskkit.questions import Question, promises
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.one_run.play import forecast, run_one_run
from riskkit.questions.one_run.result import Guessed, OneRunResult, Planted
from riskkit.show import for_whom, run_finding
from riskkit.show.model import Bar, Chart, Given, Played, RunFinding, example
from riskkit.show.names import Names
from riskkit.show.promise import Promised
from riskkit.show.run_finding import finding, sizes
from riskkit.stats.one_run import one_run_p
from riskkit.wording import PROMISED, SHOWN_AS_NOTHING, number, percent

LIMITS = (
    say("It is a lower bound of ε. How large ε really is stays unknown; a stronger attack may show more."),
    say(
        "It holds for guesses about rows that were included by chance before the training. Where it was known "
        "before which are included, right guesses show nothing."
    ),
    say(
        "It speaks of the method with these settings, trained on a table of which half of the canaries were left "
        "out; not of one person, and not of a file that was made otherwise."
    ),
)
"""What such a result does not show."""
WORLDS: Mapping[str, str] = {
    "add-one": say("one training; each canary is included with probability ½"),
    "replace-one": say("one training; each canary is included with probability ½, else another row in its place"),
}
"""How tables differ, by the relation of the plan."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release if that very method made it, else a what-if."""
    assert run.result is not None
    result = OneRunResult.from_plain(run.result)
    bounds = [names.estimate(bound) for bound in result.estimates]
    method = names.called(result.plan.generator, "generators")
    return (
        finding(
            run,
            names,
            sentence=sentence(bounds[0], method),
            plain=_plain(bounds[0], result.guesses[0]),
            game=_game(result, names, method),
            measured=_measure(run, result, facts, bounds[0], names),
            estimates=bounds,
            limits=LIMITS,
            extra=lines(result, bounds),
            chart=_chart(bounds, method, promises.claim_of(result.plan.generator)),
            what_if="" if is_about(run, facts) else _what_if(run, facts, method),
            promises=_promises(result, facts, method),
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


def _plain(bound: Estimate, guessed: Guessed) -> str:
    """The same in a few words; one training never shows that there is no leak."""
    if bound.value < SHOWN_AS_NOTHING:
        return say(
            "An attacker guessed for {made:,} test rows (canaries) whether the method was trained on them: {right:,} "
            "guesses were right (by chance: {half:,.0f}). A leak is not ruled out.",
            made=guessed.n_guesses,
            right=guessed.right,
            half=guessed.n_guesses / 2,
        )
    return say("From one training an attacker can tell who was in it: ε is at least {bound:.2f}.", bound=bound.value)


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


def _measure(run: Played, result: OneRunResult, facts: Given, bound: Estimate, names: Names) -> Measured:
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
            Reason("one_training"),
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


def _chart(bounds: list[Estimate], method: str, claimed: promises.Claim | None) -> Chart:
    """Each bound up to its ceiling, beside what is promised."""
    called = (say("{method}: shown, up to the ceiling", method=method), say("the same, if the noise is normal"))
    bars = [Bar(who, each) for who, each in zip(called, bounds, strict=False)]
    if claimed is not None and claimed.epsilon is not None:
        promise = Estimate(PROMISED, claimed.epsilon, claimed.epsilon, claimed.epsilon, 0.95, "promise", 0)
        bars.append(Bar(say("promised"), promise, "promise"))
    most = max(bar.estimate.high for bar in bars)
    return Chart(
        say("The ε that is shown, and the most that these guesses could show"),
        say("ε (0 says nothing of anybody)"),
        tuple(bars),
        0.0,
        (0.0, 1.05 * most),
    )


def _what_if(run: Played, facts: Given, method: str) -> str:
    """Of another method, or of the method of the release with rows that are nobody's."""
    if facts.provenance.covers(str(run.plan.get("generator", ""))):
        return run_finding.IF_OTHERS
    return run_finding.if_made_by(method)


def _promises(result: OneRunResult, facts: Given, method: str) -> tuple[Promised, ...]:
    """What the method promises, beside what is seen of it in this training and in games of many."""
    plan, counts = result.plan, result.counts
    game = promises.PlayedTables.read(plan.relation, counts.trained, facts)
    games = promises.games_of(facts, plan.generator, plan.relation)
    guesses = tuple(guessed.guesses for guessed in result.guesses)
    once = promises.OneRun(counts.audited, guesses, counts.delta_used)
    block = promises.promise_block(plan.generator, method, game, games, plan.level, once)
    return () if block is None else (block,)


QUESTION = Question(
    title=say("One run"),
    meaning=say(
        "Some canaries (audit rows) are included at random, the method is trained once, and an attacker guesses which: "
        "for methods that take too long to train again and again."
    ),
    asks=say("What does one single training show?"),
    icon="casino",
    place=15,
    scale=EPSILON,
    remedy=say("Make the release again by a method that adds more noise."),
    plan=OneRunPlan,
    main="generator",
    run=run_one_run,
    result=OneRunResult,
    forecast=forecast,
    read=read,
    is_about=is_about,
    private=frozenset({"scores", "for_whom"}),
    measures={
        "epsilon_one_run": say("ε, lower bound from one training"),
        "epsilon_one_run_gaussian": say("the same, if the noise is normal"),
    },
    references={"epsilon_one_run": 0.0, "epsilon_one_run_gaussian": 0.0},
    reads_files=False,
    wants=say("a method that can be trained once more"),
    example=example(
        say("Example: the guesses show that the ε of this method is at least 1.2."),
        say("lower bound of ε (0 shows nothing)"),
        {say("this method"): (1.2, 1.2, 3.4)},
        guess=0.0,
        ends=(0.0, 4.0),
    ),
)
