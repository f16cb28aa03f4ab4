"""A contest read back from what was kept, and the words a page says around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.report import words
from riskkit.report.contest import RULES
from riskkit.stats.hits import Draw, best_of_random_law, hits
from riskkit.stats.verdict import Verdict

SOURCES: Mapping[str, str] = {
    "people": "The people themselves, with your release",
    "stat": "A made population, as in the PWS Cup 2020",
    "base": "The different rows of the real table",
}
"""Where the population comes from, and what that is called."""
ABOUT: Mapping[str, str] = {
    "people": "Who might have been in: the people of the real table and of the holdout. The real table is everybody's "
    "sample, so your release takes part beside the settings below.",
    "stat": "Rows drawn from the means, spreads and correlations of the real table (OMTH17); equal rows are dropped. "
    "Each anonymiser is dealt a sample of its own. Nobody real is at stake.",
    "base": "Each different row of the real table once. Each anonymiser is dealt a sample of its own.",
}
RULES_SAID: Mapping[str, str] = {
    "official": "PWS Cup 2020, official formulas",
    "paper": "PWS Cup 2020, the paper's formulas",
    "final": "PWS Cup 2020, final round",
    "none": "Everybody takes part",
}
MODES_SAID: Mapping[str, str] = {
    "contest": "Name the surest rows among everybody",
    "hide-and-seek": "Label twice as many rows as were in",
}
GLOSSARY: Mapping[str, str] = {
    "hits": "Of the rows an attacker is surest of, how many were in the sample. Fewer protect better.",
    "best": "The best is the attacker that finds most; its interval allows for having looked at all attackers.",
    "guessing": "What somebody finds who names rows blindly: the hypergeometric law, known exactly.",
    "points": "As in the PWS Cup 2020: 1,000 times the share of named rows of the best attacker that were not in.",
    "usefulness": "These describe the release that was played, exactly; they estimate nothing, so they have no "
    "interval. Play 5 rounds or more to see how they vary from release to release.",
    "frontier": "Up is better protected, right is more useful. Grey settings are beaten: another one is at least as "
    "useful and at most as many are found in it. The line joins those that nobody beats.",
}
LIMITS = (
    "It speaks of the attackers that took part. A stronger one may find more.",
    "It speaks of who was in the sample. What a release tells about a person otherwise is asked on other pages.",
    "Hits are counted of the rows an attacker is surest of; others may be named less surely, and rightly.",
    "In one round the interval is about this release; another release of the same method is told by more rounds.",
)
"""What a contest does not show."""
WITHOUT_HOLDOUT = (
    "Your release can take part only beside people who were not in: with a holdout it is marked on the frontier. "
    "Until then a contest of settings can be played on a population made from the real table."
)


def could_show(population: int, members: int, guesses: int, attackers: int, level: float) -> str:
    """What guessing finds in such a contest, and from how many hits on a leak is shown.

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
    told = f"Of {guesses:,} named rows guessing finds {draw.expected:.1f}"
    if attackers > 1:
        told += f", the best of {attackers} who guess {mean:.1f} and seldom over {most}"
    if least is None:
        return f"{told}. No number of hits could show a leak: name more rows."
    return f"{told}. A leak is shown from {least} hits of the best attacker on."


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
    is_leak: bool
    usefulness: Mapping[str, float]
    useful: Mapping[str, Estimate]
    takes_part: bool
    misses: tuple[str, ...]


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
    """A finished contest. ``expected`` is what guessing finds, ``seldom`` what the best of all seldom exceeds."""

    standings: tuple[Standing, ...]
    frontiers: Mapping[str, tuple[Spot, ...]]
    sentences: tuple[str, ...]
    measures: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]
    expected: float
    seldom: int
    best_mean: float
    guesses: int
    population: int
    members: int
    rules: str

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(dict.fromkeys(name for one in self.standings for name in one.hits))


def read(result: Mapping[str, Any]) -> Contest:
    """What was kept of a contest."""
    found = [estimate(kept) for kept in result["estimates"]]
    chance = result["chance"] or {}
    frontiers = {name: tuple(map(_spot, placed)) for name, placed in result["frontiers"].items()}
    return Contest(
        tuple(_standing(kept, found) for kept in result["anonymisers"]),
        {name: spots for name, spots in frontiers.items() if spots},
        tuple(result["sentences"]),
        result["measures"],
        tuple(result["notes"]),
        float(chance.get("expected", 0.0)),
        int(chance.get("best_seldom_over", 0)),
        float(chance.get("best_mean", 0.0)),
        int(chance.get("guesses", 0)),
        int(chance.get("population", 0)),
        int(chance.get("members", 0)),
        str(result["settings"]["rules"]),
    )


def estimate(kept: Mapping[str, Any]) -> Estimate:
    """An estimate as :meth:`riskkit.core.Estimate.as_dict` wrote it."""
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(value) for name, value in kept.items() if name not in own}
    return Estimate(**{name: kept[name] for name in own}, labels=labels)


def _standing(kept: Mapping[str, Any], found: Sequence[Estimate]) -> Standing:
    name, worst = str(kept["anonymiser"]), estimate(kept["worst"])
    own = [one for one in found if one.labels.get("anonymiser") == name]
    value, low, high = (10 * float(kept["safety"][end]) for end in ("value", "low", "high"))
    return Standing(
        name,
        bool(kept["uploaded"]),
        {one.labels["attacker"]: one for one in own if one.name == "hits"},
        str(kept["best_attacker"]),
        worst,
        float(kept["chance_of_guessing"]),
        Estimate("points", value, low, high, worst.level, worst.method, worst.n),
        kept["verdict"] == str(Verdict.LEAK),
        kept["usefulness"],
        {one.name: one for one in own if one.name != "hits"},
        bool(kept["takes_part"]),
        tuple(kept["misses"]),
    )


def _spot(kept: Mapping[str, Any]) -> Spot:
    useful = None if kept["useful"] is None else estimate(kept["useful"])
    return Spot(
        str(kept["name"]), float(kept["usefulness"]), useful, estimate(kept["worst"]), bool(kept["uploaded"]),
        tuple(kept["dominated_by"]), tuple(kept["shown_better"]),
    )  # fmt: skip


def called(one: Standing) -> str:
    """What people call it."""
    return "your release" if one.is_uploaded else one.name


def count(found: Estimate) -> str:
    """Hits as people count them: ``14 [8.1, 22.4]``."""
    return f"{found.value:.4g} [{found.low:.1f}, {found.high:.1f}]"


def verdict(one: Standing) -> str:
    """Icon and word; that none is found shows no absence, so the other word is undecided."""
    return words.VERDICTS[Verdict.LEAK if one.is_leak else Verdict.UNDECIDED]


def guessing(found: Contest) -> str:
    """The reference of every number of hits."""
    told = f"Guessing finds {found.expected:.1f} of {found.guesses:,} named rows ({found.members:,} of "
    told += f"{found.population:,} people were in)"
    if len(found.attackers) > 1:
        told += f"; the best of {len(found.attackers)} who guess finds {found.best_mean:.1f}, seldom over "
        told += f"{found.seldom}"
    return f"{told}. The law is hypergeometric and exact."


def threshold(measure: str, rules: str) -> str:
    """``at least 0.99``; empty where the rules ask nothing of it."""
    if measure not in RULES[rules]:
        return ""
    value, at_least = RULES[rules][measure]
    return f"{'at least' if at_least else 'at most'} {value:g}"
