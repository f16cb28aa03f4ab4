"""The words a page says around a contest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace

from riskkit import wording
from riskkit.games.anonymity import Anonymity
from riskkit.language import Readings, again, joined, say
from riskkit.phrases import Phrase, Value, phrase
from riskkit.questions.contest.plan import Declaration
from riskkit.questions.contest.points import LEARNT, UPLOADED, About, about, thresholds
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.show import glossary
from riskkit.show.names import Names
from riskkit.stats.composition import delta_of
from riskkit.stats.hits import Draw, best_of_random_law, hits

# What releases, attackers and measures of a contest are called, for the reader that the names are for.

RELEASES, ATTACKERS = ("anonymiser", "name", "others"), ("attacker", "attackers", "blind", "best")
"""Values of kept sentences that name releases, and attackers."""


def release_title(name: str, names: Names, *, is_uploaded: bool) -> str:
    """A release: a method by its title, and what was handed in as somebody's own."""
    if not is_uploaded:
        return names.called(name, "generators")
    own = say("your release")
    return own if name == UPLOADED else say("your release {name}", name=names.called(name, "generators"))


def release(standing: Standing, names: Names) -> str:
    """The release of that standing."""
    return release_title(standing.name, names, is_uploaded=standing.is_uploaded)


def attacker(name: str, names: Names) -> str:
    """An attacker of riskkit by its title; another's own has the name that it was handed in with."""
    return names.called(name, "released")


def measure(name: str, names: Names) -> str:
    """A measure as files call it; a model that somebody brought only where it may be told."""
    part, _, model = name.partition(" ")
    return f"{part} {names.plugin(model)}" if model and part in LEARNT else name


def measures(result: ContestResult, names: Names) -> dict[str, About]:
    """Every measure with its title and its meaning, those of models by the titles of the models."""
    return {name: _learnt(name, result, names) or known for name, known in result.about.items()}


def _learnt(name: str, result: ContestResult, names: Names) -> About | None:
    """An accuracy of a model by title, and of the column that it tells as the reader may see it."""
    part, _, model = name.partition(" ")
    if part not in LEARNT:
        return None
    spoken = about(f"{part} {names.called(model, 'inference')}", names.column(result.plan.secret))
    return replace(spoken, title=again(spoken.title), plain=again(spoken.plain))


def sentence(kept: str, uploaded: Mapping[str, bool], names: Names) -> str:
    """A kept sentence in the reader's language, with what people call the releases and attackers in it.

    ``uploaded`` says of each release by name whether it was handed in. A text that knows its values no more is for
    those who may see everything.
    """
    if not isinstance(kept, Phrase):
        return names.told(kept)
    return as_sentence(again(_with_titles(kept, uploaded, names)))


def _with_titles(text: Phrase, uploaded: Mapping[str, bool], names: Names) -> Phrase:
    def title(key: str, value: str) -> str:
        if isinstance(value, Phrase):
            return _with_titles(value, uploaded, names)
        if key in RELEASES:
            return release_title(value, names, is_uploaded=uploaded.get(value, False) and key != "name")
        return attacker(value, names) if key in ATTACKERS else value

    values: dict[str, Value] = {}
    for key, value in text.values.items():
        if isinstance(value, tuple):
            values[key] = tuple(title(key, each) for each in value)
        else:
            values[key] = title(key, value) if isinstance(value, str) else value
    return Phrase(text.forms, values)


def as_sentence(text: str) -> str:
    """The same text with a large first letter where it begins with the reader's own release; names are as they are."""
    return text[:1].upper() + text[1:] if text.startswith(say("your release")) else text


# What anonymisers declare of their releases, and what is counted beside it, in sentences.


def lines(result: ContestResult, called: Callable[[str], str] = str) -> tuple[str, ...]:
    """Of each anonymiser what it declares, what is counted, and whether its delta follows from its k.

    ``called`` names an anonymiser. Its own words are among them: not for who may not see names.
    """
    declared = {name: Declaration.read(text) for name, text in result.plan.declared}
    guessing, out = result.guessing, []
    for standing in result.standings:
        if standing.anonymity is None:
            continue
        sentences = [_count_sentence(called(standing.name), standing.anonymity)]
        if standing.name in declared:
            sentences.append(_declared_sentence(declared[standing.name]))
            sentences.append(_follows(declared[standing.name], guessing.members / guessing.population))
        out.append(" ".join(filter(None, sentences)))
    return tuple(out)


def _count_sentence(who: str, counted: Anonymity) -> str:
    return say(
        "{who}: the k counted is {k} over all columns and {categories} over the categories. People of the "
        "population who have an equal row in it: {held:,}, of whom {inside:,} are members. Of the people who "
        "share a released combination of categories, {low:.0%} to {high:.0%} are members (empirical δ-presence).",
        who=who,
        k=counted.k,
        categories=counted.k_categories,
        held=counted.held,
        inside=counted.held_in,
        low=counted.low,
        high=counted.high,
    )


def _declared_sentence(declaration: Declaration) -> str:
    presence = None if declaration.presence is None else "({:g}, {:g})".format(*declaration.presence)
    values = {
        "k": declaration.k,
        "Pk": declaration.pk,
        "δ-presence": presence,
        "ε": declaration.epsilon,
        "δ": declaration.delta,
    }
    parts = [
        f"{name} = {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in values.items()
        if value is not None
    ]
    if declaration.methods:
        parts.insert(0, declaration.methods)
    return say("It declares: {told}.", told=", ".join(parts))


def _follows(declaration: Declaration, rate: float) -> str:
    """What k, sampling and epsilon prove of delta, beside what is declared."""
    if declaration.k is None or not declaration.epsilon or not 0 < rate < 1:
        return ""
    bound = delta_of(int(declaration.k), rate, declaration.epsilon)
    comparison = say(
        "By Li and others k = {k:g}, a sample of {rate:.3g} of the population and ε = {epsilon:g} prove "
        "δ = {bound:.2g}, where the groups were made without looking at the rows",
        k=declaration.k,
        rate=rate,
        epsilon=declaration.epsilon,
        bound=bound,
    )
    if declaration.delta is None:
        return say("{told}.", told=comparison)
    if declaration.delta < bound:
        return say("{told}: the declared δ = {delta:g} does not follow.", told=comparison, delta=declaration.delta)
    return say("{told}: the declared δ = {delta:g} follows.", told=comparison, delta=declaration.delta)


SOURCES: Mapping[str, str] = Readings(
    people=phrase("The people themselves, with your release"),
    stat=phrase("A made population, as in the PWS Cup 2020"),
    base=phrase("The different rows of the real table"),
)
"""Where the population comes from, and what that is called."""
ABOUT: Mapping[str, str] = Readings(
    people=phrase(
        "Who may be a member: the people of the real table and of the holdout. The real table is everybody's "
        "sample, so your release takes part beside the settings below."
    ),
    stat=phrase(
        "Rows drawn from the means, spreads and correlations of the real table (OMTH17); equal rows are dropped. "
        "Each anonymiser gets a sample of its own. Nobody real is at stake."
    ),
    base=phrase("Each different row of the real table once. Each anonymiser gets a sample of its own."),
)
MODES_ABOUT: Mapping[str, str] = Readings(
    {
        "contest": phrase(
            "As in the PWS Cup 2020: each attacker names the rows of the population of which it is surest."
        ),
        "hide-and-seek": phrase(
            "As in the challenge of NeurIPS 2020: as many rows of the sample as other rows, mixed; the attacker "
            "labels one half as members, and its accuracy counts."
        ),
    }
)
HAND_IN = phrase(
    "The contest draws a sample of its own for every name. Name your release, download that sample, make the "
    "release of it by whatever method you like, and hand it in; it then takes part and is marked on the frontier. "
    "Other sizes or another seed draw other people: then make the release again and hand it in."
)
HAND_IN_PEOPLE = phrase(
    "The real table is the sample of everybody here: further releases that were made of it take part beside the loaded "
    "one and are marked on the frontier."
)
HAND_ROWS = phrase(
    "Whoever attacks gets the population and a release (run once with a bundle to have both as files) and hands "
    "in the numbers of the surest rows, counted from 0. These are scored beside the attackers of riskkit."
)
HAND_ROWS_SEEK = phrase(
    "Whoever attacks gets the population, a release, and the rows to be labelled (run once with a bundle to have "
    "them as files: asked.csv) and hands in the numbers of the half that they take for members."
)
ROWS_HELP = phrase(
    "A text or CSV file of row numbers of the population, the first row being 0. A first line of letters is taken for "
    "a heading."
)
GLOSSARY: Mapping[str, str] = glossary.glossary_of("contest")
LIMITS = (
    phrase("The result is about the attackers that took part. A stronger attacker may find more."),
    phrase("The result is about who is in the sample. Other pages ask what else a release tells about a person."),
    phrase("Hits are counted of the rows an attacker is surest of; others may be named less surely, and rightly."),
    phrase(
        "With one round the interval is about this release. Run more rounds to learn about other releases of the "
        "same method."
    ),
)
"""What a contest does not show."""
WITHOUT_HOLDOUT = phrase(
    "Your release can take part only beside people outside the data: with a holdout it is marked on the frontier. "
    "Until then a contest of settings can be run on a population made from the real table."
)


def could_show(
    population: int, members: int, guesses: int, attackers: int, level: float, limit: float | None = None
) -> str:
    """What guessing finds in such a contest, from how many hits on a leak is shown, and down to how many none is.

    ``limit`` is the tolerable share of the named rows, where one is set.

    Raises
    ------
    ScoreError
        The numbers cannot be.
    """
    draw = Draw(population, members, guesses)
    mean, most = best_of_random_law(draw, attackers)
    each = 1 - (1 - level) / attackers
    possible = (int(count) for count in draw.possible if count > draw.expectation)
    least = next((count for count in possible if hits(count, draw, level=each).low > draw.expectation), None)
    start = say("Of {guesses:,} named rows, guessing finds {expected:.1f}", guesses=guesses, expected=draw.expectation)
    if attackers > 1:
        start += say(
            ", the best of {attackers} attackers who guess finds {mean:.1f} and seldom more than {most}",
            attackers=attackers,
            mean=mean,
            most=most,
        )
    if least is None:
        return say("{told}. No number of hits could show a leak: name more rows.", told=start)
    start += say(". A leak is shown if the best attacker has {least} hits or more", least=least)
    if limit is None:
        return say("{told}.", told=start)
    limit *= guesses
    below = bisect_left(draw.possible, limit, key=lambda count: hits(int(count), draw, level=each).high)
    if not below or draw.possible[below - 1] < draw.expectation:
        return say(
            "{told}; a limit of {limit:.4g} hits can hardly be shown to be kept: name more rows.",
            told=start,
            limit=limit,
        )
    return say(
        "{told}; if it has {possible} or fewer, a limit of {limit:.4g} hits is shown to be kept.",
        told=start,
        limit=limit,
        possible=draw.possible[below - 1],
    )


def reference(result: ContestResult, measure: str) -> str:
    """What other people of the same population reach in that measure; empty where it is not known."""
    reached = result.others.sample
    return f"{reached[measure]:.3f}" if measure in reached else ""


def planted_sentence(result: ContestResult, called: Callable[[str], str] = str) -> str:
    """What the attackers made of the planted control, in a sentence; empty where none was played.

    ``called`` names an attacker.
    """
    if not result.controls:
        return ""
    sides = {
        side: joined(
            f"{called(look.attacker)} {wording.count(look.hits)}" for look in result.controls if look.is_found is side
        )
        for side in (True, False)
    }
    start = say(
        "Planted control, the sample itself as a release: hits among {guesses:,} named rows, {sides}",
        guesses=result.guessing.guesses,
        sides=sides[True] or say("nobody"),
    )
    if sides[False]:
        start += say("; {sides} did not find it, so their silence says nothing", sides=sides[False])
    return say("{told}. Guessing finds {expected:.1f}.", told=start, expected=result.guessing.expected)


def guessing(result: ContestResult) -> str:
    """The reference of every number of hits."""
    chance = result.guessing
    start = say(
        "Guessing finds {expected:.1f} of {guesses:,} named rows ({members:,} of {population:,} people are members)",
        expected=chance.expected,
        guesses=chance.guesses,
        members=chance.members,
        population=chance.population,
    )
    if len(result.attackers) > 1:
        start += say(
            "; the best of {attackers} attackers who guess finds {best_mean:.1f}, seldom more than {seldom}",
            attackers=len(result.attackers),
            best_mean=chance.best_mean,
            seldom=chance.best_seldom_over,
        )
    return say("{told}. The law is hypergeometric and exact.", told=start)


def title(result: ContestResult, measure: str) -> str:
    """What a measure is called."""
    return again(result.measures[measure].title) if measure in result.measures else measure


def reason(result: ContestResult, standing: Standing) -> str:
    """Why a release may not take part, in numbers; empty where it may."""
    return "; ".join(
        say(
            "{measure} {value:.3f}, {threshold} is required",
            measure=title(result, name),
            value=standing.usefulness[name],
            threshold=threshold(name, result.plan.rules),
        )
        for name in standing.misses
    )


def threshold(measure: str, rules: str) -> str:
    """``at least 0.99``; empty where the rules ask nothing of it."""
    asked = thresholds(rules)
    if measure not in asked:
        return ""
    value, at_least = asked[measure]
    return say("at least {value:g}", value=value) if at_least else say("at most {value:g}", value=value)
