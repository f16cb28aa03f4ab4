"""A contest read back from what was kept, and the words a page says around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import again, counted, joined, say
from riskkit.questions.contest import points as contest
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest.ranking import Ranking
from riskkit.questions.contest.usefulness import thresholds
from riskkit.show import glossary
from riskkit.show.estimates import estimate
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
    "snake": say(
        "As in the SNAKE challenge of 2023: whole households were in or out, and surer answers weigh more. The sample "
        "is drawn from the real table; one column says who lives together, which nobody else sees."
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
    possible = (int(found) for found in draw.possible if found > draw.expected)
    least = next((found for found in possible if hits(found, draw, level=each).low > draw.expected), None)
    told = say("Of {guesses:,} named rows, guessing finds {expected:.1f}", guesses=guesses, expected=draw.expected)
    if attackers > 1:
        told += say(
            ", the best of {attackers} attackers who guess finds {mean:.1f} and seldom more than {most}",
            attackers=attackers,
            mean=mean,
            most=most,
        )
    if least is None:
        return say("{told}. No number of hits could show a leak: name more rows.", told=told)
    told += say(". A leak is shown if the best attacker has {least} hits or more", least=least)
    if limit is None:
        return say("{told}.", told=told)
    limit *= guesses
    below = bisect_left(draw.possible, limit, key=lambda count: hits(int(count), draw, level=each).high)
    if not below or draw.possible[below - 1] < draw.expected:
        return say(
            "{told}; a limit of {limit:.4g} hits can hardly be shown to be kept: name more rows.",
            told=told,
            limit=limit,
        )
    return say(
        "{told}; if it has {possible} or fewer, a limit of {limit:.4g} hits is shown to be kept.",
        told=told,
        limit=limit,
        possible=draw.possible[below - 1],
    )


def is_home(column: str) -> bool:
    """Whether a column is called like one that says who lives together."""
    return any(word in column.lower() for word in ("household", "home", "family", "hhid"))


def households_there(large: int, asked: int, least: int) -> str:
    """How many households can be asked about, and what guessing scores."""
    told = say(
        "{households} of {least:,} people or more; {asked:,} are asked about, half of them in",
        households=counted(large, "{n:,} household", "{n:,} households"),
        least=least,
        asked=asked,
    )
    return say("{told}. Guessing scores 0.50; always right and sure scores 1.", told=told)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One anonymiser: hits of each attacker, those of the best allowing for all looks, points and what it misses."""

    name: str
    is_uploaded: bool
    hits: Mapping[str, Estimate]
    best: str
    worst: Estimate
    chance: float
    points: Estimate
    looks: int
    evaded: tuple[str, ...]
    usefulness: Mapping[str, float]
    elsewhere: Mapping[str, float]
    useful: Mapping[str, Estimate]
    takes_part: bool
    misses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planted:
    """What one attacker finds of the planted control, and whether that is more than guessing."""

    attacker: str
    hits: Estimate
    is_found: bool


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A point of the frontier; ``beaten`` names those that are no less useful and let fewer or as many be found.

    ``shown`` names those of them whose interval of hits lies wholly below.
    """

    name: str
    usefulness: float
    useful: Estimate | None
    worst: Estimate
    is_uploaded: bool
    beaten: tuple[str, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """A finished contest. ``expected`` is what guessing finds, ``seldom`` what the best of all seldom exceeds.

    ``sentences`` speak of the standings one by one, ``uploads`` of where releases that were handed in sit; ``lesson``
    is that of 2020 where this contest teaches it again. ``others`` is what the real
    rows reach against ``tested`` people whom no release was made from; empty where no control was played.
    """

    standings: tuple[Standing, ...]
    frontiers: Mapping[str, tuple[Spot, ...]]
    sentences: tuple[str, ...]
    uploads: tuple[str, ...]
    lesson: str
    controls: tuple[Planted, ...]
    others: Mapping[str, float]
    tested: int
    measures: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]
    expected: float
    seldom: int
    best_mean: float
    guesses: int
    population: int
    members: int
    rules: str
    ranking: Ranking

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(dict.fromkeys(name for one in self.standings for name in one.hits))


def read(result: Mapping[str, Any]) -> Contest:
    """What was kept of a contest."""
    found = [estimate(kept) for kept in result["estimates"]]
    chance = result["chance"] or {}
    order = result["order"]  # what was kept as JSON has its keys by the alphabet
    frontiers = {name: tuple(map(_spot, result["frontiers"][name])) for name in order["frontiers"]}
    return Contest(
        tuple(_standing(kept, found) for kept in result["anonymisers"]),
        {name: spots for name, spots in frontiers.items() if spots},
        tuple(map(again, result["sentences"])),
        tuple(map(again, result["uploads"])),
        again(result["lesson"]),
        tuple(Planted(str(one["attacker"]), estimate(one, "found"), bool(one["found"])) for one in result["controls"]),
        result["other_people"]["sample"],
        int(result["other_people"]["rows"]),
        {name: {key: again(text) for key, text in result["measures"][name].items()} for name in order["measures"]},
        tuple(map(again, result["notes"])),
        float(chance.get("expected", 0.0)),
        int(chance.get("best_seldom_over", 0)),
        float(chance.get("best_mean", 0.0)),
        int(chance.get("guesses", 0)),
        int(chance.get("population", 0)),
        int(chance.get("members", 0)),
        str(result["settings"]["rules"]),
        contest_ranking.read(result["ranking"]),
    )


def _standing(kept: Mapping[str, Any], found: Sequence[Estimate]) -> Standing:
    name, worst, before = str(kept["anonymiser"]), estimate(kept["worst"]), kept["preliminary"]
    own = [one for one in found if one.labels.get("anonymiser") == name]
    value, low, high = (
        contest.anonymiser_points(1 - float(kept["safety"][end]) / 100, before) for end in ("value", "low", "high")
    )
    return Standing(
        name,
        bool(kept["uploaded"]),
        {one.labels["attacker"]: one for one in own if one.name == "hits"},
        str(kept["best_attacker"]),
        worst,
        float(kept["chance_of_guessing"]),
        Estimate("points", value, low, high, worst.level, worst.method, worst.n),
        int(kept["looks"]),
        tuple(kept["evaded"]),
        kept["usefulness"],
        kept["elsewhere"],
        {one.name: one for one in own if one.name != "hits"},
        bool(kept["takes_part"]),
        tuple(kept["misses"]),
    )


def _spot(kept: Mapping[str, Any]) -> Spot:
    useful = None if kept["useful"] is None else estimate(kept["useful"])
    return Spot(
        str(kept["name"]),
        float(kept["usefulness"]),
        useful,
        estimate(kept["worst"]),
        bool(kept["uploaded"]),
        tuple(kept["dominated_by"]),
        tuple(kept["shown_better"]),
    )


def called(one: Standing | Spot) -> str:
    """What people call it."""
    return contest.called(one.name, is_uploaded=one.is_uploaded)


def reference(found: Contest, measure: str) -> str:
    """What other people of the same population reach in that measure; empty where it is not known."""
    return f"{found.others[measure]:.3f}" if measure in found.others else ""


def planted(found: Contest) -> str:
    """What the attackers made of the planted control, in a sentence; empty where none was played."""
    if not found.controls:
        return ""
    sides = {
        side: joined(f"{one.attacker} {count(one.hits)}" for one in found.controls if one.is_found is side)
        for side in (True, False)
    }
    told = say(
        "Planted control, the sample itself as a release: hits among {guesses:,} named rows, {sides}",
        guesses=found.guesses,
        sides=sides[True] or say("nobody"),
    )
    if sides[False]:
        told += say("; {sides} did not find it, so their silence says nothing", sides=sides[False])
    return say("{told}. Guessing finds {expected:.1f}.", told=told, expected=found.expected)


def count(found: Estimate) -> str:
    """Hits as people count them: ``14 [8.1, 22.4]``."""
    return f"{found.value:.4g} [{found.low:.1f}, {found.high:.1f}]"


def guessing(found: Contest) -> str:
    """The reference of every number of hits."""
    told = say(
        "Guessing finds {expected:.1f} of {guesses:,} named rows ({members:,} of {population:,} people were in)",
        expected=found.expected,
        guesses=found.guesses,
        members=found.members,
        population=found.population,
    )
    if len(found.attackers) > 1:
        told += say(
            "; the best of {attackers} attackers who guess finds {best_mean:.1f}, seldom more than {seldom}",
            attackers=len(found.attackers),
            best_mean=found.best_mean,
            seldom=found.seldom,
        )
    return say("{told}. The law is hypergeometric and exact.", told=told)


def title(found: Contest, measure: str) -> str:
    """What a measure is called."""
    return str(found.measures.get(measure, {}).get("title", measure))


def reason(found: Contest, one: Standing) -> str:
    """Why a release may not take part, in numbers; empty where it may."""
    return contest_ranking.reason(
        one.misses, one.usefulness, lambda name: title(found, name), lambda name: threshold(name, found.rules)
    )


def threshold(measure: str, rules: str) -> str:
    """``at least 0.99``; empty where the rules ask nothing of it."""
    asked = thresholds(rules)
    if measure not in asked:
        return ""
    value, at_least = asked[measure]
    return say("at least {value:g}", value=value) if at_least else say("at most {value:g}", value=value)
