"""What published explanations give away, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from riskkit import wording
from riskkit.core import Estimate
from riskkit.games.explanation import LibraryDistance
from riskkit.judging.measurement import Control, Measured
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.questions.explanations import words
from riskkit.questions.explanations.plan import CONTROL, NONE
from riskkit.questions.explanations.result import (
    GAIN,
    HARDEST,
    MODE,
    OVERALL,
    Against,
    ExplanationsResult,
    TriedDefence,
)
from riskkit.questions.explanations.words import METHODS
from riskkit.show import for_whom, run_finding
from riskkit.show.blocks import (
    Axis,
    Column,
    Curve,
    Dots,
    Group,
    Line,
    Numbers,
    Point,
    Points,
    Reference,
    Sentence,
    Series,
    map_estimates,
)
from riskkit.show.model import Bar, Block, Chart, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.run_finding import finding

# What explanations gave away, in sentences and lines for one victim.

FIRST = "success_rate"
"""The share of values that are recovered."""
HIDDEN = "•••"
"""What stands where a person's value would."""
MEMBERSHIP = "membership"
"""The label of who was in the training, where others name their attacker."""


def sentence(result: ExplanationsResult, names: Names) -> str:
    """What was found, with the number that is judged."""
    best, features, rows = result.best, len(result.inputs), result.counts.sizes[-1]
    if best.most is None:
        return say("What the explanations reveal could not be measured.")
    values = (
        counted(features, "{n:,} Shapley value", "{n:,} Shapley values")
        if result.plan.is_shapley
        else counted(features, "{n:,} explaining number", "{n:,} explaining numbers")
    )
    holds = (
        say("holding {rows:,} other people's rows", rows=rows)
        if best.holds == "auxiliary"
        else say("sending {rows:,} made-up rows", rows=rows)
    )
    about = {
        "values": values,
        "model": names.called(result.plan.model, "explained"),
        "who": say("an attacker ({attacker}, {holds})", attacker=who(best.attacker, names), holds=holds),
        "most": say(
            "{input} most, with a gain of {gain} over guessing",
            input=feature(best.most[0], names),
            gain=wording.number(best.most[1]),
        ),
    }
    if not (best.recovered or best.successful):
        return say("From {values} of {model}, {who} is not shown to recover any input: {most}.", **about)
    first = say(
        "From {values} of {model}, {who} recovers {inputs} better than any constant guess: {most}.",
        **about,
        inputs=counted(
            features, "{recovered} of {n:,} input", "{recovered} of {n:,} inputs", recovered=len(best.recovered)
        ),
    )
    if best.successful:
        return f"{first} " + say("Over all inputs it beats every constant guess, in the error and in the rate.")
    return f"{first} " + say(
        "Over all inputs together it does not beat every constant guess, but on these inputs it does."
    )


def members_sentence(result: ExplanationsResult) -> str:
    """Whether explanations tell who was in the training, beside what the answer tells alone; empty if not asked."""
    auc, alone = (result.membership_auc(name) for name in ("explanation", "answer"))
    if result.members is None or auc is None or alone is None:
        return ""
    about = {"auc": wording.number(auc), "alone": wording.number(alone)}
    if result.members.is_shown:
        return say(
            "The explanation of a person tells whether the person was in the training (AUC {auc}; the answer alone "
            "{alone}; guessing .50).",
            **about,
        )
    return say(
        "It is not shown that an explanation tells whether its person was in the training (AUC {auc}; the answer "
        "alone {alone}; guessing .50).",
        **about,
    )


def _plain(result: ExplanationsResult, names: Names) -> str:
    """What was found in a few words; empty where nothing was measured."""
    most, gain = result.best.most, None if result.members is None else result.members.gain
    if gain is not None and gain.low > max(0.0, -1.0 if most is None else most[1].low):
        return say("From an explanation an attacker learns whether the person was in the model's training.")
    if most is None:
        return ""
    if not result.is_shown:
        return say("No attacker is shown to learn more from an explanation than one guess for everybody tells.")
    hits = f"{100 * most[1].value:.0f}"
    if most[0] == OVERALL:
        return say("From explanations an attacker learns {hits} more of 100 values than by guessing.", hits=hits)
    reached = result.attacker_estimate(FIRST, result.best.attacker, most[0])
    assert reached is not None
    return say(
        "If a service predicts “{target}” and explains it, an attacker learns “{input}” for {hits:.0f} of 100 people; "
        "one guess for everybody is right for {guess:.0f}.",
        target=wording.shorten(names.column(result.counts.target), 40),
        input=wording.shorten(names.column(most[0]), 40),
        hits=100 * reached.value,
        guess=100 * (reached.value - most[1].value),
    )


def beside(library: LibraryDistance | None) -> str:
    """How far the shap library's values lie from ours; empty where ours are published."""
    if library is None:
        return ""
    return say(
        "The values are those of the shap library ({explainer}, version {version}). On {people} they differ from ours, "
        "found {how}, by {mean:.2g} on average and by {largest:.2g} at most; a value is {usual:.2g} on average.",
        explainer=library.explainer,
        version=library.version,
        people=counted(library.rows, "{n:,} victim", "{n:,} victims"),
        how=METHODS[library.ours],
        mean=library.mean,
        largest=library.largest,
        usual=library.usual,
    )


def defence_sentence(result: ExplanationsResult, called: Callable[[str], str]) -> str:
    """Which defence stops the attack, and what it keeps; empty where none was tried or nothing is to be stopped."""
    tried = result.tried
    if not result.is_shown or not tried:
        return ""
    stops = [defence for defence in tried if not defence.is_successful]
    if stops:
        best = max(stops, key=lambda defence: defence.top.value)
        return say(
            "With {defence}, no attacker is shown any more to beat the constant guess overall ({success} of values "
            "right), and {top} of the three weightiest reasons stay.",
            **_remainder(best, called),
        )
    left = _remainder(min(tried, key=lambda defence: defence.success.value), called)
    if len(tried) == 1:
        return say(
            "{defence} does not stop it: {success} of values are still right, and {top} of the three weightiest "
            "reasons stay.",
            **left,
        )
    return say(
        "None of {defences} defences stops it; {defence} leaves the least: {success} of values are still right, "
        "and {top} of the three weightiest reasons stay.",
        defences=len(tried),
        **left,
    )


def _remainder(tried: TriedDefence, called: Callable[[str], str]) -> dict[str, str]:
    """What a defence is called, and what it leaves to the attacker and to readers."""
    return {
        "defence": called(tried.defence),
        "success": wording.share(tried.success),
        "top": wording.share(tried.top),
    }


def victim(result: ExplanationsResult, number: int, attacker: str, *, revealed: bool) -> list[dict[str, str]]:
    """One line for each input of one victim: true, recovered, and whether that is right; masked unless asked for."""
    people = result.records
    cells = people.truth[number], people.recovered[attacker][number], people.right[attacker][number]
    marks = {True: say("✓ recovered"), False: say("✗ missed"), None: say("– no true value")}
    return [
        {
            "input": feature,
            "true": (truth or say("(missing)")) if revealed else HIDDEN,
            "recovered": (guess or say("(missing)")) if revealed else HIDDEN,
            "right": marks[is_right],
        }
        for feature, truth, guess, is_right in zip(result.features, *cells, strict=True)
    ]


def victim_sentence(result: ExplanationsResult, number: int, attacker: str) -> str:
    """How much of one victim is recovered, over models drawn anew, as a sentence."""
    share = result.records.shares[attacker][number]
    if share is None:
        return say("What another model would reveal of this person is not known: that takes at least five models.")
    value, low, high = (f"{end:.0%}".replace("%", " %") for end in (share.value, share.low, share.high))
    return say(
        "Over {n:,} models, {value} [{low}, {high}] of this person's values are recovered.",
        n=share.n,
        value=value,
        low=low,
        high=high,
    )


# What a page, a report and a notebook show of explanations, block by block.

SHARE = phrase("Share of values recovered")
SHOWN = Readings({GAIN: phrase("Gain over guessing")}) | words.MEASURES
"""What the picture of inputs can show, at first what is judged."""
AXES = Readings({FIRST: SHARE, "mae": phrase("Mean error (share of the range; lower is better for the attacker)")})
OPTIMISERS = {"rmsprop": "RMSprop", "momentum": "Momentum", "sgd": "SGD"}


def view(result: ExplanationsResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page; attacker and measure are those of the sentence."""
    best = result.best.attacker
    every = (
        *in_full(result),
        *defence_results(result, names),
        features(result, names, best, GAIN),
        *_sizes(result, names),
        *_optimisers(result),
        correlation(result, names, best),
        *_defences(result, names),
        _numbers(result, names),
    )
    return tuple(map_estimates(block, names.estimate) for block in every)


def who(name: str, names: Names) -> str:
    """What people call an attacker or a guess."""
    return words.GUESSES[name] if name in words.GUESSES else names.called(name, "inverters")


def _key(name: str, names: Names) -> str:
    """What an attacker or a guess is called in files."""
    return name if name in words.GUESSES else names.plugin(name)


def defence(text: str, names: Names) -> str:
    """What people call a defence, or none."""
    return words.change_title(text) or names.called(text, "defences")


def feature(name: str, names: Names) -> str:
    """What an input is called, or all of them together."""
    return say("all inputs together") if name == OVERALL else names.column(name)


IN_FULL = ("library", "reference")
"""Sentences that a page has behind the first one."""


def in_full(result: ExplanationsResult) -> Iterator[Block]:
    """Whose values they are, and the finding of the single reference row."""
    if near := beside(result.library):
        yield Sentence("library", near, words.GLOSSARY["explainer"])
    if result.reference is not None:
        yield Sentence("reference", result.reference.sentence, words.GLOSSARY["references"])


def defence_results(result: ExplanationsResult, names: Names) -> Iterator[Block]:
    """What defences do."""
    if stopped := defence_sentence(result, lambda text: defence(text, names)):
        yield Sentence("stopped", stopped)


def features(result: ExplanationsResult, names: Names, attacker: str, measure: str) -> Chart | Dots:
    """Input by input, what the attacker reaches beside the hardest guess that sees no explanation.

    What it gains stands alone, as it is judged, from the most on; all inputs together stand last.
    """
    if measure == GAIN:
        return _gains(result, names, attacker)
    inputs = [name for name in result.features if result.attacker_estimate(measure, attacker, name) is not None]
    recovered = result.recovered[attacker]
    series = [
        Series(who(name, names), kind, tuple(result.attacker_estimate(measure, name, column) for column in inputs))
        for name, kind in ((HARDEST[measure], "constant"), (attacker, "measured"))
    ]
    return Dots(
        "features",
        _recovered_sentence(len(recovered), len(result.features), who(attacker, names)),
        Axis(AXES[measure], (0.0, 1.0)),
        tuple(feature(name, names) for name in inputs),
        tuple(series),
        frozenset(feature(name, names) for name in recovered),
        f"{words.GLOSSARY[measure]} {words.GLOSSARY['constant']}",
    )


def _gains(result: ExplanationsResult, names: Names, attacker: str) -> Chart:
    """What the attacker gains on each input, what is judged first and then from the most on, and on all together."""
    reached = next(reached for reached in result.against if reached.attacker == attacker)
    gains = {name: gain for name in (*result.features, OVERALL) if (gain := reached.gain(name)) is not None}
    first = "" if reached.most is None else reached.most[0]
    order = sorted(gains, key=lambda name: (name == OVERALL, name != first, -gains[name].value))

    def called(name: str) -> str:
        """The input; where it is named more often but not more exactly, that too: else its line would have ▲."""
        is_half_shown = gains[name].low > 0 and not reached.is_successful(name)
        return (
            say("{input} (mean error no smaller)", input=feature(name, names))
            if is_half_shown
            else feature(name, names)
        )

    return Chart(
        _recovered_sentence(len(reached.recovered), len(result.features), who(attacker, names)),
        say("gain over guessing without the explanation (0 is none)"),
        tuple(Bar(called(name), gains[name], "above" if reached.is_successful(name) else "held") for name in order),
        0.0,
        (min([0.0, *(gain.low for gain in gains.values())]), 1.0),
        key="features",
        caption=say(
            "0.10: right for 10 more of 100 people than by guessing. ▲: that is shown, and the mean error is smaller."
        ),
    )


def _recovered_sentence(hit: int, inputs: int, attacker: str) -> str:
    if hit:
        return say(
            "The attacker “{called}” recovers {hit} of {of} inputs better than one guess for everybody (▲)",
            called=attacker,
            hit=hit,
            of=inputs,
        )
    return say(
        "The attacker “{called}” is not shown to recover any of {of} inputs better than one guess for everybody",
        called=attacker,
        of=inputs,
    )


def _sizes(result: ExplanationsResult, names: Names) -> Iterator[Block]:
    """How much is recovered from how many rows, where fewer were tried too."""
    if len(result.counts.sizes) < 2:
        return
    lines = []
    for name in result.attackers:
        rates = [(rows, result.attacker_estimate(FIRST, name, rows=rows)) for rows in result.counts.sizes]
        known = [(rows, rate) for rows, rate in rates if rate is not None]
        lines.append(Line(who(name, names), tuple(rows for rows, _ in known), tuple(rate for _, rate in known)))
    yield Curve(
        "sizes",
        _from_few_and_many(result, names),
        Axis(say("Rows the attacker holds or makes up (log scale)")),
        Axis(again(SHARE), (0.0, 1.0)),
        tuple(lines),
        say("rows"),
        _constant(result),
        words.GLOSSARY["rows"],
    )


def _from_few_and_many(result: ExplanationsResult, names: Names) -> str:
    best, sizes = result.best.attacker, result.counts.sizes
    few, many = result.attacker_estimate(FIRST, best, rows=sizes[0]), result.attacker_estimate(FIRST, best)
    if few is None or many is None:
        return say("How much is recovered from how many rows")
    return say(
        "{called} recovers {few} of values with {fewest:,} rows, {many} with {most:,}",
        called=who(best, names),
        few=wording.share(few),
        fewest=sizes[0],
        many=wording.share(many),
        most=sizes[-1],
    )


def _constant(result: ExplanationsResult) -> Reference | None:
    guess = result.attacker_estimate(FIRST, MODE)
    if guess is None:
        return None
    return Reference(say("constant guess {number}", number=wording.number(guess)), guess.value)


def _optimisers(result: ExplanationsResult) -> Iterator[Block]:
    """The mean error of the attacking network, by optimiser and by where its learning rate comes from."""
    compared = {
        rates: {_optimiser(name): e for name in attackers if (e := result.attacker_estimate("mae", name)) is not None}
        for rates, attackers in result.comparisons().items()
    }
    if not compared:
        return
    optimisers = tuple(dict.fromkeys(name for errors in compared.values() for name in errors))
    orders = [
        f"{words.RATES[rates].lower()}: {' < '.join(sorted(errors, key=lambda name: errors[name].value))}"
        for rates, errors in compared.items()
    ]
    yield Dots(
        "optimisers",
        say("Order of mean errors at {told}", told=say("; at ").join(orders)),
        Axis(AXES["mae"]),
        optimisers,
        tuple(
            Series(words.RATES[rates], "compared", tuple(errors.get(name) for name in optimisers))
            for rates, errors in compared.items()
        ),
    )


def _optimiser(spelled: str) -> str:
    _, _, rest = spelled.partition("optimiser=")
    return OPTIMISERS.get(rest.split(",")[0], "Adam")


def correlation(result: ExplanationsResult, names: Names, attacker: str) -> Points:
    """Each input: how much it has to do with the target against how exactly it is recovered."""
    recovered = result.recovered[attacker]
    points = []
    for name, tie in result.associations.items():
        error = result.attacker_estimate("mae", attacker, name)
        if error is not None:
            about = (
                f"{words.ASSOCIATIONS[tie.name]} {wording.number(tie)}",
                say("mean error {number}", number=wording.number(error)),
            )
            points.append(Point(feature(name, names), tie, error, about, "above" if name in recovered else ""))
    return Points(
        "correlation",
        say(
            "How strongly each input is associated with the answered column, and how exactly {called} recovers it",
            called=who(attacker, names),
        ),
        say("Input"),
        Axis(say("Association with the answered column (0 to 1)")),
        Axis(say("Mean error (share of the range)")),
        tuple(points),
        caption=words.GLOSSARY["association"],
    )


def _defences(result: ExplanationsResult, names: Names) -> Iterator[Block]:
    """What each defence takes from attackers and from readers."""
    if result.stopped:
        table = Group("as_table", say("Defences as a table"), (_cost(result, names),), is_folded=True)
        yield Group("defences", say("What defences cost"), (_frontier(result, names), table))


def _frontier(result: ExplanationsResult, names: Names) -> Points:
    """Every defence: what readers keep against what the best attacker recovers. Down and right is better."""
    points = []
    for tried in (NONE, *result.stopped):
        best, top = result.best_under(tried), result.readers_share("top_three", tried)
        if best is None or top is None:
            continue
        stopped = result.stopped.get(tried, not any(reached.successful for reached in result.against))
        about = (
            say("recovered {number}", number=wording.number(best[1])),
            say("top three {number}", number=wording.number(top)),
        )
        points.append(Point(defence(tried, names), top, best[1], about, "stopped" if stopped else "leak"))
    return Points(
        "frontier",
        _best_defence(result, names),
        say("Defence"),
        Axis(say("Share of the three weightiest reasons that the defence keeps"), (0.0, 1.0)),
        Axis(say("Share of values the best attacker recovers"), (0.0, 1.0)),
        tuple(points),
        is_measured_across=True,
        reference=_constant(result),
    )


def _best_defence(result: ExplanationsResult, names: Names) -> str:
    left = [(name, result.readers_share("top_three", name)) for name, stops in result.stopped.items() if stops]
    stops = [(name, top) for name, top in left if top is not None]
    if not stops:
        return say("No defence that was tried stops the attack; ▲ still beats the constant guess")
    best, top = max(stops, key=lambda pair: pair[1].value)
    return say(
        "With {stops} of {defences}, no attack is shown to beat the constant guess; {called} keeps {top} of the "
        "three weightiest reasons",
        stops=len(stops),
        defences=counted(len(result.stopped), "{n:,} defence", "{n:,} defences"),
        called=defence(best, names),
        top=wording.share(top),
    )


def _cost(result: ExplanationsResult, names: Names) -> Numbers:
    """Every defence: its best attacker, what that recovers, and what readers keep."""
    rows = []
    for tried in (NONE, *result.stopped):
        best = result.best_under(tried)
        rows.append(
            (
                defence(tried, names),
                "" if best is None else who(best[0], names),
                None if best is None else best[1],
                None if best is None else result.attacker_estimate("mae", best[0], defence=tried),
                result.readers_share("rank_correlation", tried),
                result.readers_share("top_three", tried),
            )
        )
    kept = (("rank_correlation", say("Rank correlation")), ("top_three", say("Top three kept")))
    return Numbers(
        "defences",
        say("Every defence with its cost"),
        (
            Column("defence", say("Defence")),
            Column("attacker", say("Best attacker")),
            *_columns((*words.MEASURES.items(), *kept)),
        ),
        tuple(rows),
    )


def _columns(measures: tuple[tuple[str, str], ...]) -> tuple[Column, ...]:
    return tuple(Column(name, title, words.GLOSSARY[name]) for name, title in measures)


def _numbers(result: ExplanationsResult, names: Names) -> Group:
    """Rate, error and gains of every attacker and guess, overall and input by input; what an attacker stands by."""
    everybody = (*result.attackers, *words.GUESSES)
    tables = [_by_input(result, names, measure, title, everybody) for measure, title in words.MEASURES.items()]
    tables += [_by_input(result, names, gain, title, result.attackers) for gain, title in words.GAINS.items()]
    kept = (
        ("acceptance", say("Share of answers it keeps")),
        ("accepted_mae", say("Mean error of these answers")),
    )
    accepted = tuple(
        (who(name, names), *(result.attacker_estimate(measure, name) for measure, _ in kept))
        for name in result.attackers
        if result.attacker_estimate("acceptance", name) is not None
    )
    columns = (Column("attacker", say("Attacker without data")), *_columns(kept))
    heading = say("Which answers an attacker without data keeps")
    tables += [Numbers("accepted", heading, columns, accepted)] if accepted else []
    tables += [_membership(result, names)] if result.members is not None else []
    return Group("numbers", say("All numbers"), tuple(tables), is_folded=True, caption=_level_sentence(result))


def _membership(result: ExplanationsResult, names: Names) -> Numbers:
    """How well members are told from others, without a defence, under each, and from the planted leak."""
    offers = {offer: defence(offer, names) for offer in (NONE, *result.stopped)}
    offers[CONTROL] = say("planted: a tree that has learnt drawn answers by heart")
    sides = {"answer": say("By the answer alone"), "explanation": say("With the explanation")}
    return Numbers(
        "members",
        say("Who was in the training (AUC, guessing .50)"),
        (Column("defence", say("Defence")), *(Column(name, title) for name, title in sides.items())),
        tuple((called, *(result.membership_auc(name, offer) for name in sides)) for offer, called in offers.items()),
    )


def _by_input(
    result: ExplanationsResult, names: Names, measure: str, title: str, everybody: tuple[str, ...]
) -> Numbers:
    """One measure: a column for everybody, a row for every input."""
    return Numbers(
        measure,
        title,
        (Column("input", say("Input")), *(Column(_key(name, names), who(name, names)) for name in everybody)),
        tuple(
            (feature(column, names), *(result.attacker_estimate(measure, name, column) for name in everybody))
            for column in (OVERALL, *result.features)
        ),
        words.GLOSSARY.get(measure, words.GLOSSARY["constant"]),
    )


def _level_sentence(result: ExplanationsResult) -> str:
    """The level of these intervals, and what they count."""
    rate: Estimate | None = result.attacker_estimate(FIRST, result.best.attacker)
    if rate is None:
        return ""
    return say(
        "Value [low, high] at {level:.4g} %, counting {n:,} victims under {models}.",
        level=100 * rate.level,
        n=rate.n,
        models=counted(result.plan.model_seeds, "{n:,} model", "{n:,} models"),
    )


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  readers are called alike
    """The finding of a finished run. It is about a service that explains, which no release is made by: a what-if."""
    assert run.result is not None
    result = ExplanationsResult.from_plain(run.result)
    recovered = sentence(result, names)
    recovers = []
    for attacker, features in result.recovered.items():
        listed = joined(names.column(feature) for feature in features) or say("none")
        recovers.append(say("{called} recovers: {listed}.", called=names.called(attacker, "inverters"), listed=listed))
    for defence, stopped in result.stopped.items():
        called = names.called(defence, "defences")
        recovers.append(
            say("{called} stops every attacker.", called=called)
            if stopped
            else say("{called} does not stop every attacker.", called=called)
        )
    return (
        finding(
            run,
            names,
            sentence=" ".join(filter(None, (recovered, members_sentence(result)))),
            plain=_plain(result, names),
            game=_game(result, names),
            measured=_measure(result, names),
            estimates=tuple(names.estimate(e) for e in result.estimates),
            limits=again(words.LIMITS),
            extra=tuple(recovers),
            for_whom=for_whom.read(run.result, names, room="inverters"),
            what_if=run_finding.if_explained(names.called(result.plan.model, "explained")),
        ),
    )


def _measure(result: ExplanationsResult, names: Names) -> Measured:
    """What the strongest attacker gains where it beats every constant guess, or comes nearest to that."""

    def labels(reached: Against, column: str) -> dict[str, str]:
        return {"attacker": names.plugin(reached.attacker), "feature": names.column(column)}

    every = [
        replace(gain, labels=labels(reached, column))
        for reached in result.against
        for column, gains in reached.gains.items()
        for gain in gains
    ]
    best, least = result.best, []
    if best.most is not None:
        called = joined((names.called(best.attacker, "inverters"), feature(best.most[0], names)))
        least.append((called, replace(best.most[1], labels=labels(best, best.most[0]))))
    if result.members is not None:
        gain = replace(result.members.gain, labels={"attacker": MEMBERSHIP})
        every.append(gain)
        least.append((say("who was in the training"), gain))
    silent = [column for column in result.features if any(column not in reached.gains for reached in result.against)]
    called, strongest = max(least, key=lambda pair: pair[1].low, default=("", None))
    return Measured(
        scale="gain",
        guess=0.0,
        strongest=strongest,
        widest=max(every, key=lambda gain: gain.high, default=None),
        who=called,
        looks=result.counts.looks,
        control=_control(result),
        unit="victim",
        is_complete=not silent,
        silent=joined(map(names.column, silent)),
    )


def _control(result: ExplanationsResult) -> Control:
    planted = [reached.planted for reached in result.against]
    sentence = say(
        "{planted} of {attackers} recover inputs from a linear model that was planted, which reveals everything.",
        planted=sum(planted),
        attackers=counted(len(planted), "{n:,} attacker", "{n:,} attackers"),
    )
    if result.members is not None:
        planted.append(result.members.planted.low > 0)
        sentence += " " + say(
            "A tree had learnt drawn answers by heart: who was in its training is told {gain} beyond guessing.",
            gain=wording.number(result.members.planted),
        )
    return Control(bool(planted), math.inf if all(planted) else -math.inf, sentence)


def _game(result: ExplanationsResult, names: Names) -> tuple[tuple[str, str], ...]:
    shapley = say("What do published Shapley values reveal of the inputs of the person they explain?")
    others = say("What do published explanations reveal of the inputs of the person they explain?")
    return run_finding.game_in_words(
        shapley if result.plan.is_shapley else others,
        compared=say("a service that explains its answers; people it has not learnt from are attacked"),
        knows=say(
            "the explanations, and {rows:,} rows of its own with their explanations", rows=result.counts.sizes[-1]
        ),
        hypothesis=say("no attacker does better than one constant guess for everybody (gain 0)"),
        more={
            say("Model explained"): names.called(result.plan.model, "explained"),
            say("Explainer"): words.EXPLAINERS[result.plan.explainer],
            say("Attackers"): joined(names.called(name, "inverters") for name in result.attackers),
        },
        counts=say(
            "{victims}; {models} trained",
            victims=counted(result.counts.n_victims, "{n:,} victim", "{n:,} victims"),
            models=counted(result.plan.model_seeds, "{n:,} model", "{n:,} models"),
        ),
    )
