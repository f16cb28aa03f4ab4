"""What a page, a report and a notebook show of explanations, block by block."""

from __future__ import annotations

from collections.abc import Iterator

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.explanations import findings, words
from riskkit.questions.explanations.outcome import OVERALL
from riskkit.questions.explanations.plan import NONE
from riskkit.questions.explanations.result import HARDEST, MODE, ExplanationsResult
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
    mapped,
)
from riskkit.show.model import Block
from riskkit.show.names import Names

FIRST = "success_rate"
"""The measure that is shown before anybody picks another."""
SHARE = say("Share of values recovered")
AXES = {FIRST: SHARE, "mae": say("Mean error (share of the range; lower is better for the attacker)")}
OPTIMISERS = {"rmsprop": "RMSprop", "momentum": "Momentum", "sgd": "SGD"}


def view(result: ExplanationsResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page; attacker and measure are those of the sentence."""
    best = result.best.attacker
    every = (
        *_sentences(result, names),
        features(result, names, best, FIRST),
        *_sizes(result, names),
        *_optimisers(result),
        correlation(result, names, best),
        *_defences(result, names),
        _numbers(result, names),
    )
    return tuple(mapped(block, names.estimate) for block in every)


def who(name: str, names: Names) -> str:
    """What people call an attacker or a guess."""
    return words.GUESSES[name] if name in words.GUESSES else names.called(name, "inverters")


def _key(name: str, names: Names) -> str:
    """What an attacker or a guess is called in files."""
    return name if name in words.GUESSES else names.plugin(name)


def defence(text: str, names: Names) -> str:
    """What people call a defence, or none."""
    return words.changed(text) or names.called(text, "defences")


def feature(name: str, names: Names) -> str:
    """What an input is called, or all of them together."""
    return say("all inputs together") if name == OVERALL else names.column(name)


def _sentences(result: ExplanationsResult, names: Names) -> Iterator[Block]:
    """Whose values they are, what defences do, and the finding of the single reference row."""
    if near := findings.beside(result.library):
        yield Sentence("library", near, words.GLOSSARY["explainer"])
    if stopped := findings.defended(result, lambda text: defence(text, names)):
        yield Sentence("stopped", stopped)
    if result.reference is not None:
        yield Sentence("reference", result.reference.sentence, words.GLOSSARY["references"])


def features(result: ExplanationsResult, names: Names, attacker: str, measure: str) -> Dots:
    """Input by input, what the attacker reaches beside every guess that sees no explanation."""
    inputs = [name for name in result.features if result.of_attacker(measure, attacker, name) is not None]
    recovered = result.recovered[attacker]
    guesses = [name for name in words.GUESSES if not name.startswith("constant") or name == HARDEST[measure]]
    series = [
        Series(
            who(name, names),
            "measured" if name == attacker else "constant" if name == HARDEST[measure] else "guess",
            tuple(result.of_attacker(measure, name, column) for column in inputs),
        )
        for name in (*guesses, attacker)
    ]
    return Dots(
        "features",
        _recovered(len(recovered), len(result.features), who(attacker, names)),
        Axis(AXES[measure], (0.0, 1.0)),
        tuple(feature(name, names) for name in inputs),
        tuple(series),
        frozenset(feature(name, names) for name in recovered),
        f"{words.GLOSSARY[measure]} {words.GLOSSARY['constant']}",
    )


def _recovered(hit: int, inputs: int, attacker: str) -> str:
    if hit:
        return say(
            "{called} recovers {hit} of {of} inputs better than any constant guess (▲)",
            called=attacker,
            hit=hit,
            of=inputs,
        )
    return say("{called} is not shown to beat the constant guess for any of {of} inputs", called=attacker, of=inputs)


def _sizes(result: ExplanationsResult, names: Names) -> Iterator[Block]:
    """How much is recovered from how many rows, where fewer were tried too."""
    if len(result.counts.sizes) < 2:
        return
    lines = []
    for name in result.attackers:
        rates = [(rows, result.of_attacker(FIRST, name, rows=rows)) for rows in result.counts.sizes]
        known = [(rows, rate) for rows, rate in rates if rate is not None]
        lines.append(Line(who(name, names), tuple(rows for rows, _ in known), tuple(rate for _, rate in known)))
    yield Curve(
        "sizes",
        _from_few_and_many(result, names),
        Axis(say("Rows the attacker holds or makes up (log scale)")),
        Axis(SHARE, (0.0, 1.0)),
        tuple(lines),
        say("rows"),
        _constant(result),
        words.GLOSSARY["rows"],
    )


def _from_few_and_many(result: ExplanationsResult, names: Names) -> str:
    best, sizes = result.best.attacker, result.counts.sizes
    few, many = result.of_attacker(FIRST, best, rows=sizes[0]), result.of_attacker(FIRST, best)
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
    guess = result.of_attacker(FIRST, MODE)
    if guess is None:
        return None
    return Reference(say("constant guess {number}", number=wording.number(guess)), guess.value)


def _optimisers(result: ExplanationsResult) -> Iterator[Block]:
    """The mean error of the attacking network, by optimiser and by where its learning rate comes from."""
    compared = {
        rates: {_optimiser(name): e for name in attackers if (e := result.of_attacker("mae", name)) is not None}
        for rates, attackers in result.compared().items()
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
        error = result.of_attacker("mae", attacker, name)
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
        best, top = result.best_under(tried), result.left_to_readers("top_three", tried)
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
    left = [(name, result.left_to_readers("top_three", name)) for name, stops in result.stopped.items() if stops]
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
                None if best is None else result.of_attacker("mae", best[0], defence=tried),
                result.left_to_readers("rank_correlation", tried),
                result.left_to_readers("top_three", tried),
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
        alt=say("Every defence with its cost"),
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
        (who(name, names), *(result.of_attacker(measure, name) for measure, _ in kept))
        for name in result.attackers
        if result.of_attacker("acceptance", name) is not None
    )
    alt = say("Which answers an attacker without data keeps")
    columns = (Column("attacker", say("Attacker without data")), *_columns(kept))
    tables += [Numbers("accepted", alt, columns, accepted, alt=alt)] if accepted else []
    return Group("numbers", say("All numbers"), tuple(tables), is_folded=True, caption=_counted(result))


def _by_input(
    result: ExplanationsResult, names: Names, measure: str, title: str, everybody: tuple[str, ...]
) -> Numbers:
    """One measure: a column for everybody, a row for every input."""
    return Numbers(
        measure,
        title,
        (Column("input", say("Input")), *(Column(_key(name, names), who(name, names)) for name in everybody)),
        tuple(
            (feature(column, names), *(result.of_attacker(measure, name, column) for name in everybody))
            for column in (OVERALL, *result.features)
        ),
        words.GLOSSARY.get(measure, words.GLOSSARY["constant"]),
        say("{title} with intervals", title=title),
    )


def _counted(result: ExplanationsResult) -> str:
    """The level of these intervals, and what they count."""
    rate: Estimate | None = result.of_attacker(FIRST, result.best.attacker)
    if rate is None:
        return ""
    return say(
        "Value [low, high] at {level:.4g} %, counting {n:,} victims under {models}.",
        level=100 * rate.level,
        n=rate.n,
        models=counted(result.plan.model_seeds, "{n:,} model", "{n:,} models"),
    )
