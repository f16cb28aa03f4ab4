"""The words a page says around a contest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping

from riskkit import wording
from riskkit.language import again, joined, say
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.usefulness import thresholds
from riskkit.show import glossary
from riskkit.stats.hits import Draw, best_of_random_law, hits

SOURCES: Mapping[str, str] = {
    "people": say("The people themselves, with your release"),
    "stat": say("A made population, as in the PWS Cup 2020"),
    "base": say("The different rows of the real table"),
}
"""Where the population comes from, and what that is called."""
ABOUT: Mapping[str, str] = {
    "people": say(
        "Who might have been in: the people of the real table and of the holdout. The real table is everybody's "
        "sample, so your release takes part beside the settings below."
    ),
    "stat": say(
        "Rows drawn from the means, spreads and correlations of the real table (OMTH17); equal rows are dropped. "
        "Each anonymiser is dealt a sample of its own. Nobody real is at stake."
    ),
    "base": say("Each different row of the real table once. Each anonymiser is dealt a sample of its own."),
}
MODES_ABOUT: Mapping[str, str] = {
    "contest": say("As in the PWS Cup 2020: each attacker names the rows of the population of which it is surest."),
    "hide-and-seek": say(
        "As in the challenge of NeurIPS 2020: as many rows that were in as rows that were not, mixed; the "
        "attacker labels one half as in, and its accuracy counts."
    ),
}
HAND_IN = say(
    "The contest deals a sample of its own to every name. Name your release, download that sample, make the release of "
    "it by whatever method you like, and hand it in; it then takes part and is marked on the frontier. Other sizes or "
    "another seed deal other people: then make the release again and hand it in."
)
HAND_IN_PEOPLE = say(
    "The real table is the sample of everybody here: further releases that were made of it take part beside the loaded "
    "one and are marked on the frontier."
)
HAND_ROWS = say(
    "Whoever attacks gets the population and a release (play once with a bundle to have both as files) and hands in "
    "the numbers of the surest rows, counted from 0. These are scored beside the attackers of riskkit."
)
HAND_ROWS_SEEK = say(
    "Whoever attacks gets the population, a release, and the rows to be labelled (play once with a bundle to have them "
    "as files: asked.csv) and hands in the numbers of the half that they take to be in."
)
ROWS_HELP = say(
    "A text or CSV file of row numbers of the population, the first row being 0. A first line of letters is taken for "
    "a heading."
)
GLOSSARY: Mapping[str, str] = glossary.of("contest")
LIMITS = (
    say("The result is about the attackers that took part. A stronger attacker may find more."),
    say("The result is about who was in the sample. Other pages ask what else a release tells about a person."),
    say("Hits are counted of the rows an attacker is surest of; others may be named less surely, and rightly."),
    say(
        "With one round the interval is about this release. Play more rounds to learn about other releases of the same "
        "method."
    ),
)
"""What a contest does not show."""
WITHOUT_HOLDOUT = say(
    "Your release can take part only beside people who were not in: with a holdout it is marked on the frontier. "
    "Until then a contest of settings can be played on a population made from the real table."
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
    possible = (int(count) for count in draw.possible if count > draw.expected)
    least = next((count for count in possible if hits(count, draw, level=each).low > draw.expected), None)
    start = say("Of {guesses:,} named rows, guessing finds {expected:.1f}", guesses=guesses, expected=draw.expected)
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
    if not below or draw.possible[below - 1] < draw.expected:
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


def planted(result: ContestResult, called: Callable[[str], str] = str) -> str:
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
        "Guessing finds {expected:.1f} of {guesses:,} named rows ({members:,} of {population:,} people were in)",
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
    return contest_ranking.reason(
        standing.misses,
        standing.usefulness,
        lambda name: title(result, name),
        lambda name: threshold(name, result.plan.rules),
    )


def threshold(measure: str, rules: str) -> str:
    """``at least 0.99``; empty where the rules ask nothing of it."""
    asked = thresholds(rules)
    if measure not in asked:
        return ""
    value, at_least = asked[measure]
    return say("at least {value:g}", value=value) if at_least else say("at most {value:g}", value=value)
