"""Contests made by hand, as :mod:`tests.report.audited.made` makes the runs of other questions."""

from collections.abc import Sequence
from typing import Any

from riskkit.core import Estimate
from riskkit.show.model import Played


def number(name: str, value: float, half: float, **labels: str) -> dict[str, Any]:
    return Estimate(name, value, value - half, value + half, 0.95, "score, by record", 200, labels).as_dict()


def contest(
    *,
    run: str = "d" * 32,
    uploaded: bool = True,
    low: float = 30.0,
    name: str = "pram:p=0.7",
    handed: str = "",
    evaded: Sequence[str] = (),
    is_found: bool = True,
) -> Played:
    """A contest of two methods; guessing finds a quarter. ``handed`` takes part too, made of another sample."""

    def hits(who: str, value: float) -> dict[str, Any]:
        ends = {"name": "hits", "value": value, "low": value - 8, "high": value + 8, "level": 0.975}
        return {**ends, "method": "exact", "n": 100, "anonymiser": who, "attacker": "classifier"}

    names = [("uploaded" if uploaded else "stat", low + 8), (name, 90.0), *([(handed, 95.0)] if handed else [])]
    takers = ("uploaded", handed)
    rows = [
        {
            "anonymiser": who,
            "uploaded": who in takers,
            "best_attacker": "classifier",
            "worst": hits(who, value),
            "looks": 2,
            "chance_of_guessing": 0.2,
            "safety": {"value": 60.0, "low": 50.0, "high": 70.0},
            "points": 600.0,
            "preliminary": None,
            "anonymity": None,
            "evaded": list(evaded),
            "usefulness": {"pairs": 0.8},
            "elsewhere": {},
            "takes_part": True,
            "misses": [],
        }
        for who, value in names
    ]
    placed: list[dict[str, Any]] = [
        {
            "name": who,
            "usefulness": 0.8 + 0.05 * index,
            "useful": None,
            "worst": hits(who, value),
            "uploaded": who in takers,
            "dominated_by": [],
            "shown_better": [],
        }
        for index, (who, value) in enumerate(names)
    ]
    places = [
        {
            "name": who,
            "place": index,
            "points": 600.0 - index,
            "low": 500.0,
            "high": 700.0,
            "main": 600.0 - index,
            "preliminary": None,
        }
        for index, (who, _) in enumerate(names, start=1)
    ]
    paid = [{"attacker": "classifier", "winner": 400.0, "top": 380.0}]
    chance = {
        "guesses": 100,
        "expected": 25.0,
        "members": 250,
        "population": 1000,
        "best_of": 1,
        "best_mean": 25.0,
        "best_seldom_over": 33,
    }
    plan = {
        "anonymisers": [name], "attackers": ["classifier"], "seed": 1, "rules": "none",
        "source": "people" if uploaded else "base", "mode": "contest",
    }  # fmt: skip
    result = {
        "estimates": [hits(who, value) for who, value in names],
        "settings": {**plan, "rows_in_population": 1000}, "notes": [], "chance": chance, "trees": [],
        "anonymisers": rows, "ranking": {"places": places, "out": {}, "attackers": paid},
        "frontiers": {"pairs": placed},
        "controls": [{**hits("planted", 99.0 - 8.0), "found": is_found}],
        "sentences": ["" for _ in rows], "uploads": [], "lesson": "",
        "measures": {"pairs": {"title": "Pairs", "plain": "p"}},
        "order": {"measures": ["pairs"], "frontiers": ["pairs"]}, "other_people": {"rows": 0, "sample": {}},
        "seconds": 9.0,
    }  # fmt: skip
    return Played("contest", run, "finished", plan, result, "riskkit contest --base secret.csv", 1)


def households(*, score: float = 0.8, seen: bool = True, run: str = "8" * 32) -> Played:
    """A question about households: one method, one attacker; guessing scores one half."""
    about = {"anonymiser": "pram:p=0.7", "attacker": "classifier"}
    reached = number("snake", score, 0.05, **about)
    plan = {"household": "home", "anonymisers": ["pram:p=0.7"], "attackers": ["classifier"], "seed": 1}
    result = {
        "estimates": [reached], "settings": {**plan, "rows": 1000, "sampled": 500, "released": 500}, "notes": [],
        "anonymisers": [{"anonymiser": "pram:p=0.7", "best_attacker": "classifier", "worst": reached, "looks": 1}],
        "controls": [{**number("snake", 0.99, 0.005, attacker="classifier"), "found": seen}],
        "households": {"asked": 40, "inside": 20, "rows": 200}, "seconds": 2.0,
    }  # fmt: skip
    return Played("households", run, "finished", plan, result, "riskkit households --real secret.csv", 1)
